# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task reaches its service with, for each mixture of places that it may come from."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._service_arguments import ServiceArguments

LOGIN = {"username": "u", "password": "p"}


@pytest.mark.parametrize(
    ("spec", "args", "defaults", "host", "expected"),
    [
        # nothing from the host: the environment may say the rest
        (ARTIFACT, {}, {}, {}, {}),
        (ARTIFACT, {"url": "t"}, {}, {}, {"url": "t"}),
        (ARTIFACT, {"url": "t"}, {}, {"timeout": 5}, {"url": "t", "timeout": 5}),
        # address and credential of the host: nothing of the environment
        (ARTIFACT, {}, {}, {"url": "h"}, {"url": "h", "token": None}),
        (ARTIFACT, {}, {}, {"token": "h"}, {"url": None, "token": "h"}),
        (ARTIFACT, {"url": "t"}, {}, {"token": "h"}, {"url": "t", "token": "h"}),
        (ARTIFACT, {"token": "t"}, {}, {"url": "h"}, {"url": "h", "token": "t"}),
        (ARTIFACT, {}, {"url": "d"}, {"url": "h"}, {"url": "d", "token": None}),
        (CI, {}, {}, {"url": "h"}, {"url": "h", "username": None, "api_token": None}),
        (CI, {}, {}, {"username": "h"}, {"url": None, "username": "h", "api_token": None}),
        (REVIEW, {}, {}, {"url": "h"}, {"url": "h", "ltoken_file": None}),
        # the nearest credential, whatever its kind
        (ARTIFACT, {"token": "t"}, LOGIN, {}, {"token": "t"}),
        (ARTIFACT, LOGIN, {"token": "d"}, {}, {**LOGIN, "token": None}),
        (ARTIFACT, {}, {"token": "d"}, {**LOGIN, "url": "h"}, {"url": "h", "token": "d"}),
        (ARTIFACT, {}, {}, LOGIN, {**LOGIN, "url": None, "token": None}),
        (ARTIFACT, {"api_key": "t"}, {}, {"token": "h"}, {"url": None, "api_key": "t", "token": None}),
        (ARTIFACT, {"api_key": "t"}, {}, {}, {"api_key": "t", "token": None}),
        (CI, {"api_token": "t"}, LOGIN, {}, {"api_token": "t", "username": "u"}),
        (CI, {"password": "t"}, {}, {}, {"password": "t", "api_token": None}),
        (REVIEW, {"ltoken_file": "t"}, {}, {"ltoken": "h"}, {"url": None, "ltoken_file": "t"}),
        (REVIEW, {"ltoken": "t"}, {}, {}, {"ltoken": "t", "ltoken_file": None}),
        # several of one place: the module has its order
        (ARTIFACT, {**LOGIN, "token": "t"}, {}, {}, {**LOGIN, "token": "t"}),
        # a variable that is empty is no credential
        (ARTIFACT, {"netrc_file": "t"}, LOGIN, {}, {"netrc_file": "t", "username": "u", "token": None}),
        (ARTIFACT, {"token": "t"}, {}, {"netrc_file": "h"}, {"url": None, "token": "t"}),
        (ARTIFACT, {}, LOGIN, {"token": ""}, {**LOGIN, "url": None}),
        # the account of the task, with the credential of the task
        (
            ARTIFACT,
            {"token": "t", "username": "u"},
            {},
            {"password": "h"},
            {"url": None, "token": "t", "username": "u"},
        ),
    ],
)
def test_where_address_and_credential_come_from(
    spec: Any, args: dict[str, Any], defaults: dict[str, Any], host: dict[str, Any], expected: dict[str, Any]
) -> None:
    arguments = ServiceArguments(spec, {**defaults, **args}, defaults.keys() - args.keys(), host)
    actual = {name: value for name, value in arguments.args.items() if value is not None or name in expected}
    assert actual == expected
    assert all(name in expected or spec.environment_variable(name) for name in arguments.args)


def test_a_host_with_variables_gets_the_default_address_and_not_that_of_the_environment() -> None:
    args = ServiceArguments(INFERENCE, {}, (), {"api_key": "h"}).args
    assert args["url"] == "https://api.openai.com/v1"
    assert args["organization"] is None


def test_how_a_service_wants_to_be_asked_may_come_from_elsewhere_than_its_address() -> None:
    option = "admin_requests_per_minute"
    assert option not in ServiceArguments(INFERENCE, {}, (), {"url": "h"}).args  # so that the environment may set it
    assert ServiceArguments(INFERENCE, {}, (), {option: 0}).args == {option: 0}
    assert ServiceArguments(INFERENCE, {option: 1}, (), {option: 0}).args == {option: 1}


def test_the_keys_of_the_inference_service_do_not_stand_for_each_other() -> None:
    args = ServiceArguments(INFERENCE, {"api_key": "t"}, (), {"admin_key": "h", "url": "h"}).args
    assert args["api_key"] == "t"
    assert args["admin_key"] == "h"


def test_origins_are_told_in_words() -> None:
    arguments = ServiceArguments(CI, {"password": "t", "url": "d"}, {"url"}, {"username": "h"})
    assert arguments.origin("password") == "the task"
    assert arguments.origin("url") == "module_defaults"
    assert arguments.origin("username") == "the variable toolchain_ci_username"
    assert arguments.origin("api_token") == "the environment variable JENKINS_API_TOKEN"
