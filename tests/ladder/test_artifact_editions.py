# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edition or a version of Artifactory lacks is known before the write, with the same reason in both modes."""

from __future__ import annotations

import re

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import CASES, SERVICE_OF, forget, get_switches, module_of, parameters
from support.cases.form import Operation, Resource
from support.playbook import Done, run_here

# Tokens need a token, and an open-source edition is no cluster
EXCLUDED = ("access_token", "artifact_license")
WRITING = [
    case
    for case, value in CASES.items()
    if SERVICE_OF[case] == "artifact" and isinstance(value, (Operation, Resource)) and case not in EXCLUDED
]
# Whether the object exists; an operation has one state
STATES = [(case, False) for case in WRITING]
STATES += [(case, True) for case in WRITING if isinstance(CASES[case], Resource)]
SERVERS = [("4.4.2", "oss"), ("5.4.6", "oss"), ("6.20.0", "pro"), ("7.40.0", "pro"), ("7.161.5", "oss")]
# Older servers do not accept the token of the sandbox in all APIs
ACCOUNT = {"username": "admin", "password": "sandbox-admin"}
READING_POSTS = ("/artifactory/api/search/aql", "/artifactory/api/security/keypair/verify")


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, and remove files of earlier tests."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    forget()


def run_in_both_modes(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, case: str, **options: object) -> list[Done]:
    results = []
    for check_mode in (True, False):
        monkeypatch.setattr(session, "_CONNECTIONS", {})  # connections cache version and license of the server
        results.append(run_here(sandbox, module_of(case), check_mode, **options, **ACCOUNT))
    return results


def list_writes(done: Done) -> list[str]:
    sent = [f"{request['method']} {request['path']}" for request in done.requests]
    return [text for text in sent if not text.startswith(("GET", "HEAD")) and not text.endswith(READING_POSTS)]


def describe(done: Done) -> tuple[str, bool]:
    """Return message and change. Which of several repositories is read first is not fixed."""
    return re.sub(r"repositories/[\w-]+:", "", done.result.get("msg", "")), done.result["changed"]


@pytest.mark.parametrize(("version", "edition"), SERVERS)
@pytest.mark.parametrize(("case", "exists"), STATES)
def test_refusals_are_the_same_in_both_modes_and_before_the_write(
    case: str, exists: bool, version: str, edition: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.switch("artifact", **get_switches(case))
    options = parameters(case)
    if exists:
        run_here(sandbox, module_of(case), **options, **ACCOUNT)
        options = CASES[case].absent
    sandbox.switch("artifact", version=version, edition=edition)
    predicted, done = run_in_both_modes(sandbox, monkeypatch, case, **options)
    assert describe(predicted) == describe(done)
    assert not (predicted.result.get("failed") and list_writes(done))
