# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a request of a build fails, the task reports one build with its number and result, or what is not known.

The default run covers each request of each way to start a build with one fault, and each fault before, at and after the
request that starts it. `make faults ALL=1` tries each fault at each request.
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

REQUESTS = 8  # of a build's life: the job, perhaps a crumb, the start, the queue, the console until it ends, the build
LATE = 0.5
PATIENCE = 0.1  # seconds for the answer that is late
# What the sandbox does to a request; what is not there a second client does: it restarts the server
FAULTS: dict[str, dict[str, Any]] = {
    "lost on the way": {"kind": "reset_before"},
    "reply lost": {"kind": "reset_after"},
    "reply cut off": {"kind": "truncate"},
    "late": {"kind": "latency", "seconds": LATE},
    "401": {"kind": "status", "status": 401},
    "503": {"kind": "status", "status": 503},
    "restart before": {},
    "restart after": {},
}
LIVES: dict[str, dict[str, Any]] = {
    "with a token": {"parameters": {"VERSION": "2"}},
    "with a password": {"parameters": {"VERSION": "3"}, "form": "json", "username": "admin", "api_token": None},
}
STARTS = {"with a token": 2, "with a password": 3}  # which of the requests it is that starts the build
PARAMETERS = [{"name": "VERSION", "default": "1"}]
JOB = {"name": "life", "command": "echo version $VERSION\nsleep 0.3", "quiet_period": 0, "parameters": PARAMETERS}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for a build after a late reply no longer than needed."""
    monkeypatch.setattr(trigger, "_SEARCH_TIMEOUT", 2 * LATE)


@dataclasses.dataclass
class Server:
    """The sandbox as another client sees it."""

    sandbox: Sandbox

    def ask(self, method: str, path: str) -> requests.Response:
        environment = self.sandbox.environment
        auth = (environment["JENKINS_USER_ID"], environment["JENKINS_API_TOKEN"])
        return requests.request(method, environment["JENKINS_URL"] + path, auth=auth, timeout=60, allow_redirects=False)

    def restart(self) -> None:
        assert self.ask("POST", "/restart").status_code == 302

    def _answer(self, path: str) -> requests.Response | None:
        """What it answers, unless it restarts."""
        try:
            answer = self.ask("GET", path)
        except requests.ConnectionError:
            return None
        return answer if answer.status_code == 200 else None

    def builds(self, job: str = "life") -> dict[int, dict[str, Any]]:
        """The builds by their items in the queue."""
        while not (answer := self._answer(f"/job/{job}/api/json?tree=builds[number,queueId,result]")):
            time.sleep(0.1)
        return {build["queueId"]: build for build in answer.json()["builds"]}


def sending(fault: str, nth: int, server: Server) -> Callable[..., Response]:
    """In place of `Connection.send`: what becomes of the nth request beside what the sandbox does to it."""
    send, numbers = session.Connection.send, itertools.count(1)

    def sent(connection: session.Connection, request: Request, timeout: tuple[float, float, float]) -> Response:
        if next(numbers) != nth:
            return send(connection, request, timeout)
        if fault == "restart before":
            server.restart()
        answer = send(connection, request, (timeout[0], PATIENCE, PATIENCE) if fault == "late" else timeout)
        if fault == "restart after":
            server.restart()
        return answer

    return sent


def lived(server: Server, life: str, fault: str, nth: int) -> dict[str, Any]:
    """What a task says of a build at whose nth request something goes wrong."""
    server.sandbox.reset()
    server.sandbox.switch("ci", restart_seconds=0.3)
    server.sandbox.seed({"ci": {"jobs": [JOB]}})
    options = {"wait_timeout": 120, "wait_delay": 0.1, "retries": 1}
    if LIVES[life].get("username"):
        options["password"] = "sandbox-admin"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_CONNECTIONS", {})  # no crumb of an earlier life
        patch.setattr(session.Connection, "send", sending(fault, nth, server))
        if FAULTS[fault]:
            server.sandbox.fault(service="ci", nth=nth, **FAULTS[fault])
        if LIVES[life].get("username"):
            patch.delenv("JENKINS_API_TOKEN")
        given = {name: value for name, value in LIVES[life].items() if value is not None}
        result = run("ci_build", job="life", **options, **given)
    server.sandbox.clear_faults()
    return result


def check(result: dict[str, Any], builds: dict[int, dict[str, Any]], started: bool) -> None:
    """What the task says is what happened; and once the build is asked for, nothing keeps it from the end."""
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
        assert not builds, f"there is a build, but: {message}"
        assert not result["changed"]


def phase(request: tuple[str, int]) -> int:
    """Return -1 before the request that starts the build, 0 for this request, 1 after it."""
    life, nth = request
    return (nth > STARTS[life]) - (nth < STARTS[life])


LIFE_REQUESTS = list(itertools.product(LIVES, range(1, REQUESTS + 1)))
CHOSEN = select_pairs(itertools.product(LIFE_REQUESTS, FAULTS), phase)


def test_selection_covers_each_request_and_each_fault_of_each_phase() -> None:
    assert {request for request, _unused in CHOSEN} == set(LIFE_REQUESTS)
    selected = {(phase(request), fault) for request, fault in CHOSEN}
    assert selected == set(itertools.product((-1, 0, 1), FAULTS))


@pytest.mark.parametrize(("life", "nth", "fault"), [(*request, fault) for request, fault in CHOSEN])
def test_result_is_true_when_a_request_of_a_build_fails(
    running_sandbox: Sandbox, life: str, nth: int, fault: str
) -> None:
    server = Server(running_sandbox)
    result = lived(server, life, fault, nth)
    check(result, server.builds(), started=nth > STARTS[life])


@pytest.mark.parametrize("form", ["fields", "json"])
def test_tasks_that_start_one_job_at_once_each_tell_of_their_own_build(sandbox: Sandbox, form: str) -> None:
    sandbox.seed({"ci": {"executors": 3, "jobs": [{**JOB, "concurrent": True}]}})
    versions = [f"{number}.0" for number in range(6)]

    def task(version: str) -> dict[str, Any]:
        return run("ci_build", job="life", parameters={"VERSION": version}, form=form, wait_delay=0.1)

    results = run_concurrently(*[lambda version=version: task(version) for version in versions])  # type: ignore[misc]
    assert not [result["msg"] for result in results if result.get("failed")]
    assert sorted(result["build"]["parameters"]["VERSION"] for result in results) == versions
    assert len({result["build"]["number"] for result in results}) == len(versions)
    for result in results:
        version = result["plan"]["parameters"]["VERSION"]
        assert result["build"]["parameters"] == {"VERSION": version}
        assert f"version {version}" in result["console"]


def test_equal_tasks_at_once_share_what_waits(sandbox: Sandbox) -> None:
    """Of tasks that ask for the same one starts a build, and the others follow it, as long as it waits."""
    sandbox.seed({"ci": {"jobs": [{**JOB, "quiet_period": 3600}]}})

    def begin() -> dict[str, Any]:
        wait_for(lambda: [entry["effect"] for entry in sandbox.journal("ci")].count("write") == 4, "all to have asked")
        sandbox.clock(advance=3600)
        return {}

    results = run_concurrently(begin, *[lambda: run("ci_build", job="life", wait_delay=0.1)] * 4)
    results.remove({})
    assert {result["build"]["number"] for result in results} == {1}
    assert sorted(result["changed"] for result in results) == [False, False, False, True]
