# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module when something goes wrong: a clear error or a recovery, no duplicate write, no secret shown."""

from __future__ import annotations

import json
import pathlib
import socket
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _http
from integration.cases import MODULES, parameters, task
from integration.playbook import run_tasks
from sandbox.client import Sandbox
from unit import running

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
SECRETS = {"token": "JFROG_ACCESS_TOKEN", "api_token": "JENKINS_API_TOKEN", "api_key": "OPENAI_API_KEY"}
READERS = [module for module in MODULES if module != "inference_chat"]

# The request of each writing module that acts: which it is among those that match
WRITES: dict[str, dict[str, Any]] = {
    "access_token": {"method": "POST", "path": "/access/api/v1/tokens"},
    "artifact_properties": {"method": "PUT", "path": "/artifactory/api/storage/"},
    "ci_safe_restart": {"method": "POST", "path": "/ci/safeRestart"},
    "inference_chat": {"method": "POST", "path": "/inference/v1/chat/completions"},
    "review_role": {"method": "POST", "path": "/analysis/review/api", "nth": 3},
    "review_view": {"method": "POST", "path": "/analysis/review/api", "nth": 2},
}
REPEATABLE = {"artifact_properties"}
# A lost reply takes the secret, or the answer, with it: no reading back brings it again
IRRETRIEVABLE = {"access_token": "whose secret nobody has", "inference_chat": "is not known"}


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment, and lose no time between two tries."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(_http, "_backoff", lambda _attempt: 0.0)


def run(module: str, **more: Any) -> dict[str, Any]:
    """The module's result, with one repeat and little patience."""
    options = {"retries": 1, **parameters(module), **more}
    if module == "ci_safe_restart":
        options["wait_timeout"] = 10
    return running.run(module, **options)


def service(module: str) -> str:
    return "artifact" if module.startswith("access_token") else module.partition("_")[0]


def check_failure(result: dict[str, Any], sandbox: Sandbox) -> None:
    """It tells what happened, and neither a secret nor the inner life of the collection."""
    assert result.get("failed"), result
    for unwanted in ("Traceback", "object at 0x", "HTTPConnectionPool", "urllib3"):
        assert unwanted not in result["msg"]
    shown = json.dumps(result)
    assert not [name for name in SECRETS.values() if sandbox.environment[name] in shown]


def carried_out(sandbox: Sandbox, module: str) -> int:
    """How many writes were answered well, or not answered at all."""
    written = [entry for entry in sandbox.journal(service(module)) if entry["effect"] == "write"]
    return sum(entry["status"] is None or entry["status"] < 400 for entry in written)


@pytest.mark.parametrize("module", MODULES)
def test_a_server_that_is_not_there(module: str, sandbox: Sandbox) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        result = run(module, url=f"http://127.0.0.1:{closed.getsockname()[1]}", **login(module))
    check_failure(result, sandbox)
    assert "Connection refused. Is the address right, and is the server up?" in result["msg"]


def login(module: str) -> dict[str, str]:
    """The review service's token file has no line for another address."""
    return {"username": "admin", "ltoken": "t0ken"} if service(module) == "review" else {}


@pytest.mark.parametrize("status", [401, 403, 404, 500])
@pytest.mark.parametrize("module", MODULES)
def test_a_refusal(module: str, status: int, sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), kind="status", status=status, times=0, body="no, for reasons")
    result = run(module)
    check_failure(result, sandbox)
    assert not result["changed"]


@pytest.mark.parametrize("module", MODULES)
def test_a_page_instead_of_an_answer(module: str, sandbox: Sandbox) -> None:
    fault = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": PAGE}
    sandbox.fault(service=service(module), kind="status", times=0, **fault)
    result = run(module)
    check_failure(result, sandbox)
    assert "login page" in result["msg"] or "no CI server" in result["msg"]


@pytest.mark.parametrize("module", MODULES)
def test_a_server_slower_than_the_timeout(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), kind="latency", seconds=0.5, times=0)
    result = run(module, timeout=0.1, retries=0)
    check_failure(result, sandbox)
    assert "no answer within 'timeout'" in result["msg"]


@pytest.mark.parametrize("module", MODULES)
def test_a_server_that_asks_for_patience(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), kind="status", status=429, headers={"Retry-After": "0"})
    result = run(module)
    assert not result.get("failed"), result["msg"]
    assert "had to be repeated" in result["warnings"][0]


@pytest.mark.parametrize(
    "fault",
    [{"kind": "status", "status": 503}, {"kind": "reset_before"}, {"kind": "reset_after"}, {"kind": "truncate"}],
)
@pytest.mark.parametrize("module", READERS)
def test_a_read_is_repeated(module: str, fault: dict[str, Any], sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), **fault)
    result = run(module)
    assert not result.get("failed"), result["msg"]
    assert "1 request(s) had to be repeated" in result["warnings"][0]


@pytest.mark.parametrize("module", WRITES)
def test_a_write_that_did_not_arrive(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), kind="reset_before", **WRITES[module])
    result = run(module)
    if module in REPEATABLE:
        assert result["changed"]
        assert not result.get("failed")
    else:
        check_failure(result, sandbox)
        assert "is not known" in result["msg"]
        assert run(module).get("failed") is None


@pytest.mark.parametrize("module", WRITES)
def test_a_write_whose_reply_was_lost(module: str, sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), kind="reset_after", **WRITES[module])
    result = run(module)
    if module in IRRETRIEVABLE:
        check_failure(result, sandbox)
        assert IRRETRIEVABLE[module] in result["msg"]
        assert carried_out(sandbox, module) == 1
    elif module == "review_role":  # the first of several writes: the others are left to the next run
        check_failure(result, sandbox)
        assert result["changed"]
        assert run(module)["changed"]
    else:
        assert result["changed"]
        assert not result.get("failed"), result["msg"]
        assert run(module)["changed"] is (module == "ci_safe_restart")


@pytest.mark.parametrize("status", [500, 503])
@pytest.mark.parametrize("module", WRITES)
def test_a_write_that_the_server_fails_at(module: str, status: int, sandbox: Sandbox) -> None:
    sandbox.fault(service=service(module), kind="status", status=status, **WRITES[module])
    result = run(module)
    if module in REPEATABLE and status == 503:
        assert result["changed"]
        assert not result.get("failed")
    else:
        check_failure(result, sandbox)
        assert str(status) in result["msg"]
    assert carried_out(sandbox, module) <= 1


@pytest.mark.parametrize("right", [True, False], ids=["right credentials", "wrong credentials"])
def test_no_secret_in_the_most_verbose_output(
    right: bool, sandbox: Sandbox, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {option: sandbox.environment[name] if right else "s3cret-of-mine" for option, name in SECRETS.items()}
    for option, secret in secrets.items():
        monkeypatch.setenv(f"TEST_{option}", secret)
    defaults = {
        f"group/buildworks.toolchain.{group}": {option: f"{{{{ lookup('ansible.builtin.env', 'TEST_{option}') }}}}"}
        for group, option in (("artifact", "token"), ("ci", "api_token"), ("inference", "api_key"))
    }
    token = tmp_path / "token"
    options = {"access_token": {"token_file": str(token)}}
    tasks = [
        task(module, "do", {**parameters(module), **options.get(module, {})}, module_defaults=defaults)
        for module in MODULES
    ]
    for here in (True, False):
        sandbox.reset()
        token.unlink(missing_ok=True)
        output = run_tasks(sandbox, tasks, "-vvvv", name="secrets", toolchain_in_process=here).output
        assert token.exists() is right
        made = [token.read_text().strip()] if right else []
        assert not [secret for secret in [*secrets.values(), *made] if secret in output]
