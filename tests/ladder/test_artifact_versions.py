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


def test_check_mode_predicts_the_checksums_that_an_old_server_does_not_return(sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version="5.4.6", edition="oss")
    task = {"repo": "generic-local", "path": "new/a.txt", "content": "a", **ACCOUNT}
    predicted, done = (run_here(sandbox, "artifact_file", mode, **task).result for mode in (True, False))
    assert (predicted["diff"], predicted["file"]["checksums"]) == (done["diff"], done["file"]["checksums"])


REASONS = [
    ("5.4.6", "oss", "app", "Deleting builds requires Artifactory Pro, but the server is the open-source edition."),
    ("5.4.6", "pro", "team/app", "Deleting builds with '/' in the name or ',' in the number requires Artifactory 6.0"),
]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(("version", "edition", "build", "reason"), REASONS)
def test_deletion_of_a_build_fails_with_the_reason_before_the_write(
    version: str, edition: str, build: str, reason: str, check_mode: bool, sandbox: Sandbox
) -> None:
    content = {"name": build, "number": "1", "started": "2026-05-01T10:11:12.345+0000", "modules": []}
    assert run_here(sandbox, "artifact_build", content=content, **ACCOUNT).result["changed"]
    sandbox.switch("artifact", version=version, edition=edition)
    session._CONNECTIONS.clear()
    run = {"build": build, "number": "1", "state": "absent", "artifacts": edition == "oss"}
    done = run_here(sandbox, "artifact_build", check_mode, **run, **ACCOUNT)
    assert done.result["msg"].startswith(reason)
    assert not [request for request in done.requests if request["method"] == "DELETE"]
    assert [request["path"] for request in done.requests if request["method"] == "POST"] in (
        [],
        ["/artifactory/api/search/aql"],
    )


@pytest.mark.parametrize(
    ("version", "module", "reason"),
    [
        ("4.4.2", "artifact_license_info", "Listing licenses requires Artifactory 5.0 or later."),
        ("5.3.2", "artifact_certificate_info", "Managing client certificates requires Artifactory 5.4.0 or later."),
        ("7.17.3", "artifact_project_info", "Managing projects requires Artifactory 7.17.4 or later."),
        ("7.21.0", "access_token_info", "Managing access tokens requires Artifactory 7.21.1 or later."),
    ],
)
def test_refusal_names_the_first_version_of_the_api(version: str, module: str, reason: str, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version=version)
    assert run_here(sandbox, module, **ACCOUNT).result["msg"].startswith(reason)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("exists", [True, False])
def test_members_of_a_group_are_refused_before_the_write_when_the_version_lacks_them(
    exists: bool, check_mode: bool, sandbox: Sandbox
) -> None:
    sandbox.switch("artifact", version="6.12.3")
    if exists:
        assert run_here(sandbox, "artifact_group", name="team", **ACCOUNT).result["changed"]
    done = run_here(sandbox, "artifact_group", check_mode, name="team", members=["reader"], **ACCOUNT)
    assert done.result["msg"] == "Option 'members': requires Artifactory 6.13 or later, which returns the members."
    assert not done.writes


@pytest.mark.parametrize("version", ["5.4.6", "7.161.5"])
def test_tree_of_an_empty_repository_is_its_root(version: str, sandbox: Sandbox) -> None:
    task = {"repo": "empty-local", "path": "/", "recursive": True, "properties": {"qa": "passed"}, **ACCOUNT}
    sandbox.switch("artifact", version=version)
    new = {"key": "empty-local", "type": "local", "package_type": "generic"}
    assert run_here(sandbox, "artifact_repository", **new, **ACCOUNT).result["changed"]
    changes = [run_here(sandbox, "artifact_properties", **task).result for _attempt in range(2)]
    assert [result["changed"] for result in changes] == [True, False]
    assert {result["tree_items"] for result in changes} == {1}
