# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a request of a build fails, the task reports one build with its number and result, or fails with the unknown part.

The default run covers each request of each kind of build with one fault, and each fault before, at and after the
request that starts the build. `make faults ALL=1` tries each fault at each request.
"""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
import requests

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import trigger
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from support.at_once import run_concurrently
from support.faults import select_pairs
from support.running import run
from support.servers.process import wait_for

Timeout = tuple[float, float, float]

REQUESTS = 8  # per build: the job, perhaps a crumb, the start, the queue, the console until it ends, the build
LATE = 0.5
LATE_TIMEOUT = 0.1  # timeout in seconds of a late response
# Faults of the sandbox; without parameters, `restart_or_delay` injects the fault
FAULTS: dict[str, dict[str, Any]] = {
    "lost request": {"kind": "reset_before"},
    "lost response": {"kind": "reset_after"},
    "truncated response": {"kind": "truncate"},
    "late": {"kind": "latency", "seconds": LATE},
    "401": {"kind": "status", "status": 401},
    "503": {"kind": "status", "status": 503},
    "restart before": {},
    "restart after": {},
}
BUILDS: dict[str, dict[str, Any]] = {
    "with a token": {"parameters": {"VERSION": "2"}},
    "with a password": {"parameters": {"VERSION": "3"}, "form": "json", "username": "admin", "api_token": None},
}
START_REQUESTS = {"with a token": 2, "with a password": 3}  # number of the request that starts the build
PARAMETERS = [{"name": "VERSION", "default": "1"}]
JOB = {"name": "service", "command": "echo version $VERSION\nsleep 0.3", "quiet_period": 0, "parameters": PARAMETERS}


@pytest.fixture(autouse=True)
def shorten_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the search for a build after a lost response."""
    monkeypatch.setattr(trigger, "_SEARCH_TIMEOUT", 2 * LATE)


@dataclasses.dataclass
class Server:
    """The Jenkins server as another client sees it."""

    sandbox: Sandbox

    def request(self, method: str, path: str) -> requests.Response:
        environment = self.sandbox.environment
        auth = (environment["JENKINS_USER_ID"], environment["JENKINS_API_TOKEN"])
        return requests.request(method, environment["JENKINS_URL"] + path, auth=auth, timeout=60, allow_redirects=False)

    def restart(self) -> None:
        assert self.request("POST", "/restart").status_code == 302

    def _get(self, path: str) -> requests.Response | None:
        """Return the response, or `None` during a restart."""
        try:
            response = self.request("GET", path)
        except requests.ConnectionError:
            return None
        return response if response.status_code == 200 else None

    def builds(self, job: str = "service") -> dict[int, dict[str, Any]]:
        """Return the builds by queue ID."""
        while not (response := self._get(f"/job/{job}/api/json?tree=builds[number,queueId,result]")):
            time.sleep(0.1)
        return {build["queueId"]: build for build in response.json()["builds"]}


def restart_or_delay(fault: str, nth: int, server: Server) -> Callable[..., Response]:
    """Return a replacement of `Connection.send` that adds faults which the sandbox cannot inject to the nth request."""
    send, numbers = session.Connection.send, itertools.count(1)

    def send_with_fault(connection: session.Connection, request: Request, timeout: Timeout) -> Response:
        if next(numbers) != nth:
            return send(connection, request, timeout)
        if fault == "restart before":
            server.restart()
        if fault == "late":
            timeout = (timeout[0], LATE_TIMEOUT, LATE_TIMEOUT)
        response = send(connection, request, timeout)
        if fault == "restart after":
            server.restart()
        return response

    return send_with_fault


def run_with_fault(server: Server, kind: str, fault: str, nth: int) -> dict[str, Any]:
    """Return the result of a task whose nth request fails."""
    server.sandbox.reset()
    server.sandbox.switch("ci", restart_seconds=0.3)
    server.sandbox.seed({"ci": {"jobs": [JOB]}})
    options = {"wait_timeout": 120, "wait_delay": 0.1, "retries": 1}
    if BUILDS[kind].get("username"):
        options["password"] = "sandbox-admin"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_CONNECTIONS", {})  # no crumb of an earlier build
        patch.setattr(session.Connection, "send", restart_or_delay(fault, nth, server))
        if FAULTS[fault]:
            server.sandbox.fault(service="ci", nth=nth, **FAULTS[fault])
        if BUILDS[kind].get("username"):
            patch.delenv("JENKINS_API_TOKEN")
        parameters = {name: value for name, value in BUILDS[kind].items() if value is not None}
        result = run("ci_build", job="service", **options, **parameters)
    server.sandbox.clear_faults()
    return result


def check_result(result: dict[str, Any], builds: dict[int, dict[str, Any]], started: bool) -> None:
    """Verify that the result is true, and that the task follows a build once it has started it."""
    message = result.get("msg", "")
    assert result.get("build") or not started, message
    assert len(builds) <= 1, f"{len(builds)} builds: {message}"
    if result.get("build"):
        assert list(builds) == [result["queue_item"]]
        (build,) = builds.values()
        assert (result["build"]["number"], result["build"]["result"]) == (build["number"], build["result"])
        assert bool(result.get("failed")) is (build["result"] != "SUCCESS")
        assert result["changed"]
    elif "is not known" not in message:
        assert result["failed"]
        assert not builds, f"a build exists, but: {message}"
        assert not result["changed"]


def phase(request: tuple[str, int]) -> int:
    """Return -1 before the request that starts the build, 0 for this request, 1 after it."""
    kind, nth = request
    return (nth > START_REQUESTS[kind]) - (nth < START_REQUESTS[kind])


BUILD_REQUESTS = list(itertools.product(BUILDS, range(1, REQUESTS + 1)))
CHOSEN = select_pairs(itertools.product(BUILD_REQUESTS, FAULTS), phase)


def test_selection_covers_each_request_and_each_fault_of_each_phase() -> None:
    assert {request for request, _unused in CHOSEN} == set(BUILD_REQUESTS)
    selected = {(phase(request), fault) for request, fault in CHOSEN}
    assert selected == set(itertools.product((-1, 0, 1), FAULTS))


@pytest.mark.parametrize(("kind", "nth", "fault"), [(*request, fault) for request, fault in CHOSEN])
def test_result_is_true_when_a_request_of_a_build_fails(
    running_sandbox: Sandbox, kind: str, nth: int, fault: str
) -> None:
    server = Server(running_sandbox)
    result = run_with_fault(server, kind, fault, nth)
    check_result(result, server.builds(), started=nth > START_REQUESTS[kind])


@pytest.mark.parametrize("form", ["fields", "json"])
def test_each_task_reports_its_own_build_when_several_start_one_job(sandbox: Sandbox, form: str) -> None:
    sandbox.seed({"ci": {"executors": 3, "jobs": [{**JOB, "concurrent": True}]}})
    versions = [f"{number}.0" for number in range(6)]

    def task(version: str) -> dict[str, Any]:
        return run("ci_build", job="service", parameters={"VERSION": version}, form=form, wait_delay=0.1)

    results = run_concurrently(*[lambda version=version: task(version) for version in versions])  # type: ignore[misc]
    assert not [result["msg"] for result in results if result.get("failed")]
    assert sorted(result["build"]["parameters"]["VERSION"] for result in results) == versions
    assert len({result["build"]["number"] for result in results}) == len(versions)
    for result in results:
        version = result["plan"]["parameters"]["VERSION"]
        assert result["build"]["parameters"] == {"VERSION": version}
        assert f"version {version}" in result["console"]


def test_equal_tasks_share_a_queued_build_when_they_run_at_once(sandbox: Sandbox) -> None:
    """One task starts the build. The others follow it as long as it is queued."""
    sandbox.seed({"ci": {"jobs": [{**JOB, "quiet_period": 3600}]}})

    def begin() -> dict[str, Any]:
        wait_for(lambda: [entry["effect"] for entry in sandbox.journal("ci")].count("write") == 4, "all requests")
        sandbox.clock(advance=3600)
        return {}

    results = run_concurrently(begin, *[lambda: run("ci_build", job="service", wait_delay=0.1)] * 4)
    results.remove({})
    assert {result["build"]["number"] for result in results} == {1}
    assert sorted(result["changed"] for result in results) == [False, False, False, True]
