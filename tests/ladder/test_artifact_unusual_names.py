# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An object with an unusual name hides no other object of a list, and is listed with the reason if it is not read."""

from __future__ import annotations

import pytest
import requests

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.playbook import run_here

NAMES = ["a+b", "50%", "a#b", "a;b", "back\\slash", "with blank", "..", "ünïcode", "plain"]
OF_OLD_APIS = {"..", "a+b", "back\\slash"}  # which the APIs before 7.49.3 cannot read
ACCOUNT = {"username": "admin", "password": "sandbox-admin"}


@pytest.fixture(autouse=True)
def connect(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, without the versions of earlier tests."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("version", "unreadable"), [("5.4.6", OF_OLD_APIS), ("7.40.1", OF_OLD_APIS), ("7.77.3", {".."})]
)
@pytest.mark.parametrize("kind", ["user", "group", "permission"])
def test_unusual_name_hides_no_other_object(kind: str, version: str, unreadable: set[str], sandbox: Sandbox) -> None:
    members = {"resources": {}} if kind == "permission" else {}
    sandbox.seed({"artifact": {f"{kind}s": [{"name": name, **members} for name in NAMES]}})
    sandbox.switch("artifact", version=version)
    result = run_here(sandbox, f"artifact_{kind}_info", **ACCOUNT).result
    assert not result.get("failed"), result
    assert result["unreadable"].keys() == unreadable
    assert {entry["name"] for entry in result[f"{kind}s"]} >= {*NAMES} - unreadable


@pytest.mark.parametrize("version", ["5.4.6", "7.40.1", "7.77.3"])
def test_unusual_name_hides_no_other_file_or_build(version: str, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version=version)
    login = ("admin", "sandbox-admin")
    names = [name for name in NAMES if name not in ("..", "back\\slash")]  # no server stores such files
    for name in names:
        url = f"{sandbox.url}/artifactory/generic-local/odd/{requests.utils.quote(name, safe='')}"
        assert requests.put(url, data="x", auth=login, timeout=60).status_code == 201
    for name in NAMES:
        record = {"name": name, "number": "1", "started": "2026-01-01T00:00:00.000+0000"}
        assert requests.put(f"{sandbox.url}/artifactory/api/build", json=record, auth=login, timeout=60).ok
    files = run_here(sandbox, "artifact_query_info", find={"path": "odd"}, **ACCOUNT).result
    assert {entry["name"] for entry in files["rows"]} == {*names}
    builds = run_here(sandbox, "artifact_build_info", **ACCOUNT).result
    assert {entry["name"] for entry in builds["builds"]} >= {*NAMES}
