# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a fault, a module recovers or fails with a clear message, repeats no write and shows no secret.

The modules run in this process, against the sandbox.

The default run covers each module with a fault of the whole server, each request of a query with a fault, each write
with a lost request and a lost response, and each fault with each form of case in each service, because these layers
handle faults differently. `make faults ALL=1` runs the full product.
"""

from __future__ import annotations

import itertools
import json
import re
import socket
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.cases import (
    CASES,
    OPERATIONS,
    QUERIES,
    RESOURCES,
    SERVICE_OF,
    SERVICES,
    SPEAKING,
    forget,
    module_of,
    parameters,
    prepare,
)
from support.faults import exclude_polls, select_pairs

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
SECRETS = [name for service in SERVICES.values() for name in service.credentials.values()]
READERS = [module for module in SPEAKING if module not in OPERATIONS or OPERATIONS[module].reads]
WRITES = {
    module: case.write for module, case in {**RESOURCES, **OPERATIONS}.items() if not getattr(case, "by_program", False)
}
# ci_cli sends a command while its response arrives: if one of the two requests is lost, the other waits
SEQUENTIAL_QUERIES = [module for module in QUERIES if module in SPEAKING and module != "ci_cli"]
# test_convergence and test_build_chaos cover the requests of the other operations
SINGLE_ACTS = [
    module
    for module, operation in OPERATIONS.items()
    if not (operation.lasting and operation.look) and module_of(module) != "ci_build"
]
EMPTY_FIRST = [module for module, case in {**RESOURCES, **OPERATIONS}.items() if case.empty_first]


REFUSALS = (401, 403, 404, 500)
SERVER_FAULTS = ("not running", "wrong path", "page", "slow", "rate limit", *REFUSALS)
READ_FAULTS: dict[str, dict[str, Any]] = {
    "503": {"kind": "status", "status": 503},
    "reset before": {"kind": "reset_before"},
    "reset after": {"kind": "reset_after"},
    "truncated": {"kind": "truncate"},
}
WRITE_ERRORS = (500, 503)


def form(module: str) -> tuple[str, str]:
    """Return the service and the form of the case."""
    return SERVICE_OF[module], type(CASES[module]).__name__


def write_policy(module: str) -> tuple[Any, ...]:
    """Return the service and the policy of the write."""
    write = WRITES[module]
    return SERVICE_OF[module], write.repeatable, write.repeated_after, write.undone


SERVER = select_pairs(itertools.product(SPEAKING, SERVER_FAULTS), form)
FIRST_READS = select_pairs(itertools.product(READERS, READ_FAULTS), form)
FAILED_WRITES = select_pairs(itertools.product(WRITES, WRITE_ERRORS), write_policy)


def modules_with(fault: str) -> list[str]:
    """Return the modules that meet this fault of the whole server."""
    return [module for module, server_fault in SERVER if server_fault == fault]


def run(module: str, **options: Any) -> dict[str, Any]:
    """Return the module's result, with one retry."""
    return running.run(module_of(module), **{"retries": 1, **parameters(module), **options})


def has_lasting_effect(module: str) -> bool:
    """Return whether the module has a lasting effect."""
    return module in RESOURCES or OPERATIONS[module].changes


def check_failure(result: dict[str, Any], sandbox: Sandbox) -> None:
    """Verify that the message explains the failure without secrets and internals."""
    assert result.get("failed"), result
    for internal in ("Traceback", "object at 0x", "HTTPConnectionPool", "urllib3"):
        assert internal not in result["msg"]
    output = json.dumps(result)
    assert not [name for name in SECRETS if sandbox.environment[name] in output]


def count_writes(sandbox: Sandbox, module: str) -> int:
    """Return how many of the module's first writes succeeded or had no response."""
    writes = [entry for entry in sandbox.journal(SERVICE_OF[module]) if entry["label"] == WRITES[module].label]
    return sum(entry["status"] is None or entry["status"] < 400 for entry in writes)


def test_selection_covers_each_module_and_each_fault_of_each_form() -> None:
    for selection, modules, faults, layer in (
        (SERVER, SPEAKING, SERVER_FAULTS, form),
        (FIRST_READS, READERS, READ_FAULTS, form),
        (FAILED_WRITES, WRITES, WRITE_ERRORS, write_policy),
    ):
        assert {module for module, _unused in selection} == set(modules)
        layers = {layer(module) for module in modules}
        assert {(layer(module), fault) for module, fault in selection} == set(itertools.product(layers, faults))


@pytest.mark.parametrize("module", modules_with("not running"))
def test_failure_is_explained_when_the_server_is_not_running(module: str, sandbox: Sandbox) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        result = run(
            module, url=f"http://127.0.0.1:{closed.getsockname()[1]}", **SERVICES[SERVICE_OF[module]].elsewhere
        )
    check_failure(result, sandbox)
    assert "Connection refused. Check the URL, and that the server is running." in result["msg"]


@pytest.mark.parametrize("module", modules_with("wrong path"))
def test_failure_is_explained_when_the_path_in_url_is_wrong(module: str, sandbox: Sandbox) -> None:
    result = run(module, url=f"{sandbox.url}/elsewhere", **SERVICES[SERVICE_OF[module]].elsewhere)
    check_failure(result, sandbox)
    assert re.search("the path in 'url'|is its path right|the version is missing in 'url'", result["msg"])


@pytest.mark.parametrize(("module", "status"), [pair for pair in SERVER if pair[1] in REFUSALS])
def test_task_fails_when_the_server_refuses_all_requests(module: str, status: int, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="status", status=status, times=0, body="no, for reasons")
    result = run(module)
    check_failure(result, sandbox)
    assert not result["changed"]


@pytest.mark.parametrize("module", modules_with("page"))
def test_failure_is_explained_when_the_response_is_a_login_page(module: str, sandbox: Sandbox) -> None:
    fault = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": PAGE}
    sandbox.fault(service=SERVICE_OF[module], kind="status", times=0, **fault)
    result = run(module)
    check_failure(result, sandbox)
    assert "login page" in result["msg"] or "is not a Jenkins server" in result["msg"]


@pytest.mark.parametrize("module", modules_with("slow"))
def test_task_fails_when_the_server_is_slower_than_the_timeout(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="latency", seconds=60, times=0)
    patience = OPERATIONS[module].patience if module in OPERATIONS else "timeout"
    result = run(module, retries=0, **{patience: 0.1})
    check_failure(result, sandbox)
    assert f"no response within '{patience}'" in result["msg"]


@pytest.mark.parametrize("module", modules_with("rate limit"))
def test_task_succeeds_when_the_server_limits_the_rate(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="status", status=429, headers={"Retry-After": "0"})
    result = run(module)
    assert not result.get("failed"), result["msg"]
    assert "were retried" in result["warnings"][0]


@pytest.mark.parametrize(("module", "fault"), FIRST_READS)
def test_first_read_is_repeated_when_it_fails(module: str, fault: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], **READ_FAULTS[fault])
    result = run(module)
    assert not result.get("failed"), result["msg"]
    if fault == "truncated" and module in EMPTY_FIRST:
        assert "warnings" not in result
    else:
        assert any("1 request(s) were retried" in text for text in result["warnings"])


@pytest.mark.parametrize("module", SEQUENTIAL_QUERIES)
def test_each_request_of_a_query_is_repeated_when_it_fails(module: str, sandbox: Sandbox) -> None:
    expected = run(module)
    requests = [(module, nth) for nth in range(1, len(sandbox.journal(SERVICE_OF[module])) + 1)]
    for (_module, nth), fault in select_pairs(itertools.product(requests, READ_FAULTS)):
        sandbox.fault(service=SERVICE_OF[module], nth=nth, **READ_FAULTS[fault])
        result = run(module)
        assert not result.get("failed"), (fault, nth, result["msg"])
        warnings = result.pop("warnings", [])
        if fault == "truncated" and not warnings:  # an empty response cannot be truncated
            assert result == expected, nth
        else:
            assert any("1 request(s) were retried" in text for text in warnings), (fault, nth)
            assert result.keys() == expected.keys(), (fault, nth)


@pytest.mark.parametrize("module", SINGLE_ACTS)
def test_operation_is_not_repeated_when_a_request_fails(module: str, sandbox: Sandbox) -> None:
    run(module)
    requests = [(module, nth) for nth in exclude_polls(sandbox.journal(SERVICE_OF[module]))]
    for (_module, nth), fault in select_pairs(itertools.product(requests, READ_FAULTS)):
        sandbox.reset()
        prepare(sandbox, module)
        forget()
        sandbox.fault(service=SERVICE_OF[module], nth=nth, **READ_FAULTS[fault])
        result = run(module)
        if result.get("failed"):
            check_failure(result, sandbox)
        else:
            assert result["changed"] is has_lasting_effect(module), (fault, nth)
            assert count_writes(sandbox, module), (fault, nth)
        assert count_writes(sandbox, module) <= 1 or WRITES[module].repeatable, (fault, nth)


@pytest.mark.parametrize("module", WRITES)
def test_write_is_repeated_or_reported_as_unknown_when_the_request_is_lost(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="reset_before", label=WRITES[module].label)
    result = run(module)
    if WRITES[module].repeatable or WRITES[module].undone:
        assert result["changed"] is has_lasting_effect(module)
        assert not result.get("failed")
    else:
        check_failure(result, sandbox)
        assert "is not known" in result["msg"]
        assert run(module).get("failed") is None


@pytest.mark.parametrize("module", WRITES)
def test_write_is_verified_when_the_response_is_lost(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="reset_after", label=WRITES[module].label)
    result = run(module)
    write = WRITES[module]
    if write.irretrievable:
        check_failure(result, sandbox)
        assert write.irretrievable in result["msg"]
        assert count_writes(sandbox, module) == 1
    elif write.first_of_several:
        check_failure(result, sandbox)
        assert result["changed"]
        assert run(module)["changed"]
    else:
        assert result["changed"] is has_lasting_effect(module)
        assert not result.get("failed"), result["msg"]
        repeats_change = module in OPERATIONS and has_lasting_effect(module) and not OPERATIONS[module].lasting
        assert run(module)["changed"] is repeats_change


@pytest.mark.parametrize(("module", "status"), FAILED_WRITES)
def test_write_is_repeated_or_reported_when_the_server_fails(module: str, status: int, sandbox: Sandbox) -> None:
    sandbox.fault(service=SERVICE_OF[module], kind="status", status=status, label=WRITES[module].label)
    result = run(module)
    if WRITES[module].repeatable and status in WRITES[module].repeated_after:
        assert result["changed"] is has_lasting_effect(module)
        assert not result.get("failed")
    else:
        check_failure(result, sandbox)
        assert str(status) in result["msg"]
    assert count_writes(sandbox, module) <= 1
