# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules climb their ladder on each generation of Artifactory."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import module_of
from support.ladder import check_ladder, list_steps
from support.playbook import run_here

WITHOUT_ACCESS_API = ("6.23.41", "7.46.11")
# Older servers do not return the user of the token
ACCOUNT = {"username": "admin", "password": "sandbox-admin"}


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables. Forget the cached version of the server."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("version", [*WITHOUT_ACCESS_API, "7.49.3", "7.66.0", "7.128.0", "7.141.0"])
@pytest.mark.parametrize("case", ["artifact_group", "artifact_user"])
def test_each_step_has_the_expected_result_on_each_version(case: str, version: str, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version=version)
    results = {}
    for step in list_steps(case):
        results[step.name] = run_here(sandbox, module_of(case), step.check_mode, **step.options, **ACCOUNT)
    check_ladder(case, results)
    labels = {request["label"] for done in results.values() for request in done.requests}
    classic = {case.replace("artifact", verb) for verb in ("update", "replace")}
    assert bool(classic & labels) == (version in WITHOUT_ACCESS_API)


@pytest.mark.parametrize("version", ["5.4.6", "7.161.5"])
def test_tree_of_an_empty_repository_is_its_root(version: str, sandbox: Sandbox) -> None:
    task = {"repo": "empty-local", "path": "/", "recursive": True, "properties": {"qa": "passed"}, **ACCOUNT}
    sandbox.switch("artifact", version=version)
    new = {"key": "empty-local", "type": "local", "package_type": "generic"}
    assert run_here(sandbox, "artifact_repository", **new, **ACCOUNT).result["changed"]
    changes = [run_here(sandbox, "artifact_properties", **task).result for _attempt in range(2)]
    assert [result["changed"] for result in changes] == [True, False]
    assert {result["tree_items"] for result in changes} == {1}
