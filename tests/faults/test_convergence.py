# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a request fails, no run reports a false success, and at most two more runs reach the desired state.

The tasks are the steps of all resources, operations with a lasting effect and downloads, with the options of their
cases. They run in this process, against the sandbox.

The default run covers each request of each task with one fault. The first write has the most failure modes: each fault
is combined with each step of a resource, and with each write policy of each service, because these layers handle
faults differently. `make faults ALL=1` tries each fault at each request.
"""

from __future__ import annotations

import dataclasses
import itertools
import pathlib
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from support.at_once import run_concurrently
from support.cases import CASES, FETCHES, OPERATIONS, RESOURCES, SERVICE_OF
from support.cases.form import Fetch, Operation, Resource
from support.faults import ALL, exclude_polls, select_pairs
from support.scene import ONLY_STEP, STEPS, CleanRun, Scene
from support.servers.process import wait_for
from support.transport import closed_port

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
HTML = {"headers": {"Content-Type": "text/html"}, "body": PAGE}
# Faults of the sandbox; without parameters, `record_and_fail` injects the fault
FAULTS: dict[str, dict[str, Any]] = {
    "refused": {},
    "reset before": {"kind": "reset_before"},
    "reset after": {"kind": "reset_after"},
    "truncated": {"kind": "truncate"},
    "page instead": {"kind": "status", "status": 200, **HTML},
    "page after": {"kind": "body", **HTML},
    "late": {"kind": "latency", "seconds": 0.2},
    **{str(status): {"kind": "status", "status": status} for status in (401, 429, 500, 503)},
}
LASTING_OPERATIONS = [module for module, operation in OPERATIONS.items() if operation.lasting and operation.look]
TASKS = [*itertools.product(RESOURCES, STEPS), *itertools.product([*LASTING_OPERATIONS, *FETCHES], [ONLY_STEP])]
# Client programs handle responses themselves, so that only the effect of a request matters
PROGRAM_FAULTS = ("reset before", "reset after")
ROUNDS = 5 if ALL else 1  # of concurrent tasks
LATE_TIMEOUT = 0.05  # timeout in seconds of a late response
Timeout = tuple[float, float, float]


def use_closed_port(connection: session.Connection, timeout: Timeout) -> tuple[session.Connection, Timeout]:
    """Connect to a port without a server."""
    return dataclasses.replace(connection, base_url=f"http://127.0.0.1:{closed_port()}"), timeout


def shorten_timeout(connection: session.Connection, timeout: Timeout) -> tuple[session.Connection, Timeout]:
    """Use a timeout that is shorter than the latency."""
    return connection, (timeout[0], LATE_TIMEOUT, LATE_TIMEOUT)


# Faults that change the connection or the timeout
CONNECTION_FAULTS = {"refused": use_closed_port, "late": shorten_timeout}


def record_and_fail(fault: str, nth: int, requests_sent: list[Request]) -> Callable[..., Response]:
    """Return a replacement of `Connection.send` that records the requests and injects a fault into the nth."""
    send, numbers = session.Connection.send, itertools.count(1)

    def send_or_fail(connection: session.Connection, request: Request, timeout: Timeout) -> Response:
        if next(numbers) == nth and fault in CONNECTION_FAULTS:
            connection, timeout = CONNECTION_FAULTS[fault](connection, timeout)
        requests_sent.append(request)
        return send(connection, request, timeout)

    return send_or_fail


def run_with_fault(scene: Scene, fault: str, nth: int, step: str) -> dict[str, Any]:
    """Return the result of a run with a fault, once all requests have had their effect."""
    requests_sent: list[Request] = []
    if fault == "late":
        scene.sandbox.clear_journal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.Connection, "send", record_and_fail(fault, nth, requests_sent))
        if FAULTS[fault]:
            scene.sandbox.fault(service=SERVICE_OF[scene.module], nth=nth, **FAULTS[fault])
        result = scene.run(step)
    if fault == "late":
        wait_for(lambda: len(scene.requests()) == len(requests_sent), "the effect of a late request")
    scene.sandbox.clear_faults()
    return result


def check_fault(scene: Scene, fault: str, nth: int, step: str) -> None:
    """Verify a run of the step whose nth request fails, and the runs after it."""
    clean = scene.clean_run(step)
    case = f"{fault} at request {nth} of {len(clean.requests)}"
    scene.begin(step)
    before = scene.state()
    result = run_with_fault(scene, fault, nth, step)
    if not result.get("failed"):
        assert scene.is_desired(step, clean.state), f"{case}: reported as reached, but is {scene.state()}"
    scene.check_changed(result, before, case)
    scene.check_converges(step, clean.state, case)


def possible_faults(task: tuple[str, str]) -> Iterable[str]:
    """Return the faults that the requests of a task can have."""
    return PROGRAM_FAULTS if getattr(CASES[task[0]], "by_program", False) else FAULTS


def get_step(task: tuple[str, str]) -> str:
    """Return the step, because each layer creates, updates and deletes in different functions."""
    return task[1]


def write_policy(task: tuple[str, str]) -> tuple[str, ...]:
    """Return the service with the policy of its write, or the form of a case that has no such policy."""
    module, _step = task
    case = CASES[module]
    if isinstance(case, Fetch):
        return SERVICE_OF[module], "fetch"
    if getattr(case, "by_program", False):
        return SERVICE_OF[module], "program"
    assert isinstance(case, (Resource, Operation))
    policies = ("repeatable", "undone", "first_of_several")
    return SERVICE_OF[module], *(policy for policy in policies if getattr(case.write, policy))


PRODUCT = [(task, fault) for task in TASKS for fault in possible_faults(task)]
WRITE_FAULTS = select_pairs(PRODUCT, get_step, write_policy)


def first_write(clean: CleanRun) -> int:
    """Return the number of the first write, or of the last request of a fetch."""
    effects = [request["effect"] for request in clean.requests]
    return effects.index("write") + 1 if "write" in effects else len(effects)


def other_requests(module: str, clean: CleanRun) -> list[int]:
    """Return the numbers of all requests but the first write and repeated polls."""
    polls = getattr(CASES[module], "polls", False)
    numbers = exclude_polls(clean.requests) if polls else range(1, len(clean.requests) + 1)
    return [nth for nth in numbers if nth != first_write(clean)]


@pytest.fixture
def scene(request: pytest.FixtureRequest, running_sandbox: Sandbox, tmp_path: pathlib.Path) -> Scene:
    """Return a module and the sandbox, which each step resets."""
    return Scene(running_sandbox, request.getfixturevalue("module"), tmp_path)


def test_selection_covers_each_task_and_each_fault_of_each_layer() -> None:
    assert {task for task, _unused in WRITE_FAULTS} == set(TASKS)
    for layer in (get_step, write_policy):
        selected = {(layer(task), fault) for task, fault in WRITE_FAULTS}
        assert selected == {(layer(task), fault) for task, fault in PRODUCT}


@pytest.mark.parametrize(("module", "step", "fault"), [(*task, fault) for task, fault in WRITE_FAULTS])
def test_state_converges_when_the_write_fails(scene: Scene, module: str, step: str, fault: str) -> None:
    check_fault(scene, fault, first_write(scene.clean_run(step)), step)


@pytest.mark.parametrize(("module", "step"), TASKS)
def test_state_converges_when_another_request_fails(scene: Scene, module: str, step: str) -> None:
    requests = [(module, step, nth) for nth in other_requests(module, scene.clean_run(step))]
    for (*_task, nth), fault in select_pairs(itertools.product(requests, possible_faults((module, step)))):
        check_fault(scene, fault, nth, step)


def send_after_rival(nth: int, rival: Callable[[], None]) -> Callable[..., Response]:
    """Return a replacement of `Connection.send` that runs a rival task before the nth request.

    The rival has connections of its own, as another process has.
    """
    send, numbers, own_thread = session.Connection.send, itertools.count(1), threading.current_thread()

    def send_or_fail(connection: session.Connection, request: Request, timeout: Timeout) -> Response:
        if threading.current_thread() is own_thread and next(numbers) == nth:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(session, "_CONNECTIONS", {})
                thread = threading.Thread(target=rival)
                thread.start()
                thread.join()
        return send(connection, request, timeout)

    return send_or_fail


# Names of resources with a secret are not unique: each task creates its own resource
UNIQUE_NAMES = [module for module, case in RESOURCES.items() if not (case.by_program or case.secret_file)]
# Artifactory records each promotion. It does not refuse the second of two requests for the same one
RECORDED_TWICE = {("artifact_release_bundle", "update")}
RIVALRIES = [pair for pair in itertools.product(UNIQUE_NAMES, STEPS) if pair not in RECORDED_TWICE]


@pytest.mark.parametrize(("module", "step"), RIVALRIES)
def test_task_succeeds_when_an_equal_one_finishes_before_its_write(scene: Scene, module: str, step: str) -> None:
    clean = scene.clean_run(step)
    scene.begin(step)
    rivals: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        send = send_after_rival(first_write(clean), lambda: rivals.append(scene.run(step)))
        patch.setattr(session.Connection, "send", send)
        result = scene.run(step)
    assert rivals[0]["changed"]
    assert not result.get("failed"), result["msg"]
    assert scene.is_desired(step, clean.state), scene.state()
    assert not scene.run(step)["changed"]


def resource_policy(module: str) -> tuple[str, ...]:
    """Return the service of a resource with the policy of its write."""
    return write_policy((module, ONLY_STEP))


CONCURRENT_EQUAL_STEPS = select_pairs(itertools.product(RESOURCES, STEPS), resource_policy)


@pytest.mark.parametrize(("module", "step"), CONCURRENT_EQUAL_STEPS)
def test_state_converges_when_the_same_task_runs_twice_at_once(scene: Scene, module: str, step: str) -> None:
    desired = scene.clean_run(step).state
    for _round in range(ROUNDS):
        scene.begin(step)
        results = run_concurrently(*[lambda: scene.run(step, timeout=60)] * 2)
        if not any(result.get("failed") for result in results):
            assert scene.is_desired(step, desired), f"both reported success, but the state is {scene.state()}"
        scene.check_converges(step, desired, "same task twice")


# Their steps have different names, so that the final state depends on the order
RENAMED = {"artifact_environment"}
PAIRS_OF_STEPS = list(itertools.product(sorted(RESOURCES.keys() - RENAMED), itertools.combinations(STEPS, 2)))
CONCURRENT_STEPS = select_pairs(PAIRS_OF_STEPS, SERVICE_OF.__getitem__)


def test_selection_covers_each_module_and_each_step_of_each_policy_twice_at_once() -> None:
    assert {module for module, _unused in CONCURRENT_EQUAL_STEPS} == set(RESOURCES)
    selected = {(resource_policy(module), step) for module, step in CONCURRENT_EQUAL_STEPS}
    assert selected == {(resource_policy(module), step) for module, step in itertools.product(RESOURCES, STEPS)}


def test_selection_covers_each_module_and_each_pair_of_steps_of_each_service() -> None:
    assert {module for module, _unused in CONCURRENT_STEPS} == set(RESOURCES) - RENAMED
    selected = {(SERVICE_OF[module], steps) for module, steps in CONCURRENT_STEPS}
    assert selected == {(SERVICE_OF[module], steps) for module, steps in PAIRS_OF_STEPS}


@pytest.mark.parametrize(
    ("module", "steps"),
    [pytest.param(module, steps, id="-".join((module, *steps))) for module, steps in CONCURRENT_STEPS],
)
def test_state_equals_that_of_some_order_when_different_tasks_run_at_once(
    scene: Scene, module: str, steps: tuple[str, str]
) -> None:
    desired = {}
    for order in (*[(step,) for step in steps], steps, steps[::-1]):
        scene.begin(steps[1])
        for step in order:
            scene.run(step)
        desired[order] = scene.state()
    for _round in range(ROUNDS):
        scene.begin(steps[1])
        results = run_concurrently(*[lambda step=step: scene.run(step, timeout=60) for step in steps])  # type: ignore[misc]
        if not any(result.get("failed") for result in results):
            assert scene.state() in desired.values(), f"unlike the state after any order of {steps}: {scene.state()}"
        scene.check_converges(steps[1], desired[steps[1:]], "different tasks")
