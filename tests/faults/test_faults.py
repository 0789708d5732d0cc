# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module when something goes wrong: a clear error or a recovery, no duplicate write, no secret shown.

In this process, against the sandbox.
"""

from __future__ import annotations

import json
import re
import socket
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from sandbox.client import Sandbox
from support import running
from support.cases import OPERATIONS, RESOURCES, SERVICE_OF, SERVICES, SPEAKING, forget, module_of, parameters

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
SECRETS = [name for service in SERVICES.values() for name in service.credentials.values()]
READERS = [module for module in SPEAKING if module not in OPERATIONS or OPERATIONS[module].reads]
WRITES = {
    module: case.write for module, case in {**RESOURCES, **OPERATIONS}.items() if not getattr(case, "by_program", False)
}
EMPTY_FIRST = [module for module, case in {**RESOURCES, **OPERATIONS}.items() if case.empty_first]


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment, and lose no time between two tries."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
    forget()


def run(module: str, **more: Any) -> dict[str, Any]:
    """The module's result, with one repeat."""
    return running.run(module_of(module), **{"retries": 1, **parameters(module), **more})


def changes(module: str) -> bool:
    """Whether its write changes anything that lasts."""
    return module in RESOURCES or OPERATIONS[module].changes


def check_failure(result: dict[str, Any], sandbox: Sandbox) -> None:
    """It tells what happened, and neither a secret nor the inner life of the collection."""
    assert result.get("failed"), result
    for unwanted in ("Traceback", "object at 0x", "HTTPConnectionPool", "urllib3"):
        assert unwanted not in result["msg"]
    shown = json.dumps(result)
    assert not [name for name in SECRETS if sandbox.environment[name] in shown]


def carried_out(sandbox: Sandbox, module: str) -> int:
    """How many of the module's first writes were answered well, or not answered at all."""
    written = [entry for entry in sandbox.journal(SERVICE_OF[module]) if entry["label"] == WRITES[module].label]
    return sum(entry["status"] is None or entry["status"] < 400 for entry in written)


@pytest.mark.parametrize("module", SPEAKING)
def test_a_server_that_is_not_there(module: str, sandbox: Sandbox) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        result = run(
            module, url=f"http://127.0.0.1:{closed.getsockname()[1]}", **SERVICES[SERVICE_OF[module]].elsewhere
        )
    check_failure(result, sandbox)
    assert "Connection refused. Is the address right, and is the server up?" in result["msg"]


@pytest.mark.parametrize("module", SPEAKING)
def test_a_wrong_path_in_the_address(module: str, sandbox: Sandbox) -> None:
    result = run(module, url=f"{sandbox.url}/elsewhere", **SERVICES[SERVICE_OF[module]].elsewhere)
    check_failure(result, sandbox)
    assert re.search("[Ii]s the path in 'url' right|is its path right|the address lacks its version", result["msg"])


@pytest.mark.parametrize("status", [401, 403, 404, 500])
@pytest.mark.parametrize("module", SPEAKING)
def test_a_refusal(module: str, status: int, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="status", status=status, times=0, body="no, for reasons")
    result = run(module)
    check_failure(result, sandbox)
    assert not result["changed"]


@pytest.mark.parametrize("module", SPEAKING)
def test_a_page_instead_of_an_answer(module: str, sandbox: Sandbox) -> None:
    fault = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": PAGE}
    sandbox.fault(service=SERVICE_OF[module], kind="status", times=0, **fault)
    result = run(module)
    check_failure(result, sandbox)
    assert "login page" in result["msg"] or "no CI server" in result["msg"]


@pytest.mark.parametrize("module", SPEAKING)
def test_a_server_slower_than_the_timeout(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="latency", seconds=60, times=0)
    patience = OPERATIONS[module].patience if module in OPERATIONS else "timeout"
    result = run(module, retries=0, **{patience: 0.1})
    check_failure(result, sandbox)
    assert f"no answer within '{patience}'" in result["msg"]


@pytest.mark.parametrize("module", SPEAKING)
def test_a_server_that_asks_for_patience(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="status", status=429, headers={"Retry-After": "0"})
    result = run(module)
    assert not result.get("failed"), result["msg"]
    assert "had to be repeated" in result["warnings"][0]


@pytest.mark.parametrize(
    "fault",
    [{"kind": "status", "status": 503}, {"kind": "reset_before"}, {"kind": "reset_after"}, {"kind": "truncate"}],
)
@pytest.mark.parametrize("module", READERS)
def test_a_read_is_repeated(module: str, fault: dict[str, Any], sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], **fault)
    result = run(module)
    assert not result.get("failed"), result["msg"]
    if fault["kind"] == "truncate" and module in EMPTY_FIRST:
        assert "warnings" not in result
    else:
        assert "1 request(s) had to be repeated" in result["warnings"][0]


@pytest.mark.parametrize("module", WRITES)
def test_a_write_that_did_not_arrive(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="reset_before", label=WRITES[module].label)
    result = run(module)
    if WRITES[module].repeatable or WRITES[module].undone:
        assert result["changed"] is changes(module)
        assert not result.get("failed")
    else:
        check_failure(result, sandbox)
        assert "is not known" in result["msg"]
        assert run(module).get("failed") is None


@pytest.mark.parametrize("module", WRITES)
def test_a_write_whose_reply_was_lost(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="reset_after", label=WRITES[module].label)
    result = run(module)
    write = WRITES[module]
    if write.irretrievable:
        check_failure(result, sandbox)
        assert write.irretrievable in result["msg"]
        assert carried_out(sandbox, module) == 1
    elif write.first_of_several:
        check_failure(result, sandbox)
        assert result["changed"]
        assert run(module)["changed"]
    else:
        assert result["changed"] is changes(module)
        assert not result.get("failed"), result["msg"]
        assert run(module)["changed"] is (module in OPERATIONS and changes(module) and not OPERATIONS[module].lasting)


@pytest.mark.parametrize("status", [500, 503])
@pytest.mark.parametrize("module", WRITES)
def test_a_write_that_the_server_fails_at(module: str, status: int, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="status", status=status, label=WRITES[module].label)
    result = run(module)
    if WRITES[module].repeatable and status in WRITES[module].repeated_after:
        assert result["changed"] is changes(module)
        assert not result.get("failed")
    else:
        check_failure(result, sandbox)
        assert str(status) in result["msg"]
    assert carried_out(sandbox, module) <= 1
