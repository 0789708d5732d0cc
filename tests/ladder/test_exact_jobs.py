# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`exact` of `ci_job` never removes what the task declares, or what the module completes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.modules import ci_job
from sandbox.client import Sandbox
from support.playbook import run_here
from support.wire.ci import Ci

_GIT = {"url": "https://git.example.com/app.git", "branch": "*/main", "credentials_id": "deploy"}
_COMMON = [
    {"description": "a"},
    {"description": ""},
    {"display_name": "A"},
    {"display_name": ""},
    {"disabled": True},
    {"disabled": False},
]
_OF_JOBS = [
    {"parameters": []},
    *(
        {"parameters": [parameter]}
        for parameter in (
            {"name": "A"},
            {"name": "A", "default": "x", "description": "d", "trim": True},
            {"name": "A", "type": "text"},
            {"name": "A", "type": "text", "default": "x\ny", "trim": False},
            {"name": "A", "type": "boolean"},
            {"name": "A", "type": "boolean", "default": True},
            {"name": "A", "type": "choice", "choices": ["x", "y"]},
            {"name": "A", "type": "choice", "choices": ["x"], "description": "d"},
            {"name": "A", "type": "password"},
            {"name": "A", "type": "password", "secret_default": "s3cret-0f-a"},
        )
    ),
    {"triggers": {}},
    {"triggers": {"cron": "H 2 * * *"}},
    {"triggers": {"cron": "", "poll_scm": "H 3 * * *"}},
    {"retention": {}},
    *({"retention": {limit: 5}} for limit in ("keep_builds", "keep_days", "keep_artifact_builds")),
    {"retention": {"keep_artifact_days": 0}},
    {"retention": {"keep_builds": 5, "keep_days": 7, "keep_artifact_builds": 3, "keep_artifact_days": 2}},
    {"concurrent": True},
    {"concurrent": False},
    {"quiet_period": 5},
]
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "freestyle": [
        {},
        *_COMMON,
        *_OF_JOBS,
        {"shell": ["make", "make"]},
        {"shell": []},
        {"git": {**_GIT, "credentials_id": None}},
        {"git": _GIT},
        {"label": "linux"},
        {"label": ""},
    ],
    "pipeline": [
        *({"script": "node {}", **options} for options in ({}, *_COMMON, *_OF_JOBS)),
        {"script": "node {}", "script_sandbox": True},
        {"script": "node {}", "script_sandbox": False},
        {"git": _GIT},
        {"git": {**_GIT, "credentials_id": ""}, "script_path": "ci/Jenkinsfile", "lightweight": True},
        {"git": _GIT, "lightweight": False},
    ],
    "multibranch": [
        *(
            {"git": {"url": _GIT["url"]}, **options}
            for options in (
                {},
                *_COMMON,
                {"script_path": "ci/Jenkinsfile"},
                {"orphaned_branches": {}},
                {"orphaned_branches": {"delete": False}},
                {"orphaned_branches": {"keep_days": 5}},
                {"orphaned_branches": {"delete": True, "keep_days": 5, "keep_count": 0}},
                {"scan_interval": "1h"},
                {"scan_interval": "never"},
            )
        ),
        {"git": {"url": _GIT["url"], "credentials_id": "deploy"}},
    ],
}
# Options that declare no part of a configuration with a type
_OTHERS = {
    *("name", "previous_name", "copy_from", "type", "config", "src", "exact", "on_dropped"),
    *("allow_delete_builds", "state", "update_secret"),
}
CASES = [(kind, options) for kind, variants in VARIANTS.items() for options in variants]


def merge_all(kind: str) -> dict[str, Any]:
    """Return all options of a type together."""
    together = {name: value for options in VARIANTS[kind] for name, value in options.items()}
    if "parameters" in together:
        found = [option["parameters"][0] for option in VARIANTS[kind] if option.get("parameters")]
        together["parameters"] = [{**parameter, "name": f"P{index}"} for index, parameter in enumerate(found)]
    if kind == "pipeline":
        for option in ("git", "script_path", "lightweight"):
            del together[option]
    return together


def read(ci: Ci, name: str) -> str:
    return ci.get(f"/job/{name}/config.xml").text


def test_variants_declare_each_option() -> None:
    options = {name for variants in VARIANTS.values() for variant in variants for name in variant}
    assert options == ci_job.ITEM.options.keys() - _OTHERS
    for name, value in (("parameters", ci_job._PARAMETER), ("retention", ci_job._RETENTION), ("git", ci_job._GIT)):
        found = [variant[name] for variants in VARIANTS.values() for variant in variants if name in variant]
        objects = [entry for entries in found for entry in (entries if isinstance(entries, list) else [entries])]
        assert {member for entry in objects for member in entry} == value.keys()


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize(("kind", "options"), [*CASES, *((kind, merge_all(kind)) for kind in VARIANTS)])
def test_exact_run_keeps_what_is_declared_and_completed(kind: str, options: dict[str, Any], sandbox: Sandbox) -> None:
    declaration, ci = {"name": "exact-job", "type": kind, **options}, Ci(sandbox)
    assert run_here(sandbox, "ci_job", **declaration).result["changed"]
    plain = read(ci, "exact-job")
    for _run in range(2):
        done = run_here(sandbox, "ci_job", **declaration, exact=True)
        assert (done.result["changed"], done.result.get("msg")) == (False, None)
        assert read(ci, "exact-job") == plain


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize(("kind", "options"), CASES)
def test_second_exact_run_changes_nothing_when_the_job_had_all_options(
    kind: str, options: dict[str, Any], sandbox: Sandbox
) -> None:
    declaration = {"name": "exact-job", "type": kind}
    assert run_here(sandbox, "ci_job", **declaration, **merge_all(kind)).result["changed"]
    results = [run_here(sandbox, "ci_job", **declaration, **options, exact=True).result for _run in range(2)]
    assert [result.get("msg") for result in results] == [None, None]
    assert not results[1]["changed"]


@pytest.mark.usefixtures("sandbox_environment")
def test_exact_run_removes_what_is_not_declared(sandbox: Sandbox) -> None:
    declaration = {"name": "exact-job", "type": "freestyle"}
    run_here(sandbox, "ci_job", **declaration, retention={"keep_days": 7, "keep_builds": 3}, label="linux")
    run_here(sandbox, "ci_job", **declaration, retention={"keep_builds": 5}, exact=True)
    stored = read(Ci(sandbox), "exact-job")
    assert "<daysToKeep>-1</daysToKeep>" in stored
    assert "<numToKeep>5</numToKeep>" in stored
    assert "linux" not in stored


@pytest.mark.usefixtures("sandbox_environment")
def test_exact_run_keeps_the_stored_secret_of_a_parameter(sandbox: Sandbox) -> None:
    declaration = {"name": "exact-job", "type": "freestyle"}
    parameter = {"name": "A", "type": "password"}
    secret = {**parameter, "secret_default": "s3cret-0f-a"}
    run_here(sandbox, "ci_job", **declaration, parameters=[secret])
    stored = read(Ci(sandbox), "exact-job")
    assert not run_here(sandbox, "ci_job", **declaration, parameters=[parameter], exact=True).result["changed"]
    assert read(Ci(sandbox), "exact-job") == stored


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("exists", [True, False])
def test_configuration_with_which_all_builds_are_deleted_is_refused(
    check_mode: bool, exists: bool, sandbox: Sandbox
) -> None:
    if exists:
        run_here(sandbox, "ci_job", name="exact-job", type="freestyle", retention={"keep_builds": 5})
    rotator = '<strategy class="hudson.tasks.LogRotator"><numToKeep>5</numToKeep></strategy>'
    discarder = f"<jenkins.model.BuildDiscarderProperty>{rotator}</jenkins.model.BuildDiscarderProperty>"
    config = f"<project><description>x</description><properties>{discarder}</properties></project>"
    done = run_here(sandbox, "ci_job", check_mode, name="exact-job", config=config, exact=True)
    assert "its configuration limits the number of builds without 'daysToKeep'" in done.result["msg"]
    assert not done.result["changed"]


@pytest.mark.usefixtures("sandbox_environment")
def test_copy_keeps_the_limits_of_its_source(sandbox: Sandbox) -> None:
    run_here(sandbox, "ci_job", name="exact-job", type="freestyle", retention={"keep_days": 5})
    run_here(
        sandbox, "ci_job", name="exact-copy", type="freestyle", copy_from="exact-job", retention={"keep_builds": 7}
    )
    stored = read(Ci(sandbox), "exact-copy")
    assert "<daysToKeep>5</daysToKeep>" in stored
    assert "<numToKeep>7</numToKeep>" in stored
