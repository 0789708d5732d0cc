# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a request fails, no run reports a success that is none, and two more runs reach the desired state.

The tasks are the steps of all resources, lasting operations and fetches, with the options of their cases. They run in
this process, against the sandbox.

The default run covers each request of each task with one fault. At the first write, where the most can go wrong, it
covers each fault with each step of a resource, and with each policy of writes in each service: the layers that handle
a fault in a way of their own. `make faults ALL=1` tries each fault at each request.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import re
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from support import running
from support.at_once import run_concurrently
from support.cases import CASES, FETCHES, OPERATIONS, RESOURCES, SERVICE_OF, module_of
from support.cases.form import Case, Fetch, Operation, Resource
from support.faults import ALL, exclude_polls, select_pairs
from support.servers.process import wait_for
from support.transport import closed_port

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
HTML = {"headers": {"Content-Type": "text/html"}, "body": PAGE}
# What the sandbox does to a request; nothing for one that does not reach it
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
STEPS = {"create": [], "update": ["create"], "absent": ["create", "update"]}
# What is no resource has one step
DO = "options"
LASTING = [module for module, operation in OPERATIONS.items() if operation.lasting and operation.look]
TASKS = [*itertools.product(RESOURCES, STEPS), *itertools.product([*LASTING, *FETCHES], [DO])]
# A program handles responses in ways of its own, so that only the effect of its request matters
OF_PROGRAMS = ("reset before", "reset after")
VOLATILE = re.compile(
    r'"(token_id|issued_at|expiry|last_used|last_used_at|session_id|id|created|created_at|modified|updated'
    r'|redacted_value|expires|expires_at|added|added_at)": [^,}]+'
)
DOUBT = "Whether the request had its effect is not known"
MORE_RUNS = 2
ROUNDS = 5 if ALL else 1  # of tasks at the same time
PATIENCE = 0.05  # seconds for the answer that is late
Timeout = tuple[float, float, float]


def nowhere(connection: session.Connection, timeout: Timeout) -> tuple[session.Connection, Timeout]:
    """A port where nobody listens."""
    return dataclasses.replace(connection, base_url=f"http://127.0.0.1:{closed_port()}"), timeout


def impatient(connection: session.Connection, timeout: Timeout) -> tuple[session.Connection, Timeout]:
    """No time for the answer."""
    return connection, (timeout[0], PATIENCE, PATIENCE)


class CleanRun(NamedTuple):
    """A run without faults: its requests, and the state that it reached."""

    requests: list[dict[str, Any]]
    state: str


# By module and step: the same for all tests, because each begins with a reset
CLEAN_RUNS: dict[tuple[str, str], CleanRun] = {}

# What becomes of a request on its way
ON_THE_WAY = {"refused": nowhere, "late": impatient}


def sending(fault: str, nth: int, sent: list[Request]) -> Callable[..., Response]:
    """Return a replacement of `Connection.send` that records the requests and lets the nth of them fail."""
    send, numbers = session.Connection.send, itertools.count(1)

    def one(connection: session.Connection, request: Request, timeout: Timeout) -> Response:
        if next(numbers) == nth and fault in ON_THE_WAY:
            connection, timeout = ON_THE_WAY[fault](connection, timeout)
        sent.append(request)
        return send(connection, request, timeout)

    return one


@dataclasses.dataclass
class Scene:
    """A module and the sandbox that it works on."""

    sandbox: Sandbox
    module: str
    folder: pathlib.Path

    @property
    def case(self) -> Case:
        return CASES[self.module]

    @property
    def secret_option(self) -> str:
        return self.case.secret_file if isinstance(self.case, Resource) else ""

    @property
    def secret_file(self) -> pathlib.Path:
        return self.folder / "secret"

    def begin(self, step: str) -> None:
        """Reset the sandbox and run the earlier steps."""
        self.sandbox.reset()
        self.secret_file.unlink(missing_ok=True)
        if isinstance(self.case, Fetch):
            self.case.forget()
        for earlier in STEPS.get(step, ()):
            done = self.run(earlier)
            assert not done.get("failed"), done["msg"]

    def clean_run(self, step: str) -> CleanRun:
        """Run the step without faults, once per process."""
        if (self.module, step) not in CLEAN_RUNS:
            self.begin(step)
            self.sandbox.clear_journal()
            result = self.run(step)
            assert result["changed"], result
            CLEAN_RUNS[self.module, step] = CleanRun(self.requests(), self.state())
        return CLEAN_RUNS[self.module, step]

    def run(self, step: str, **more: Any) -> dict[str, Any]:
        """Return the result of one run of a step."""
        options = {"retries": 0, **getattr(self.case, step), **more}
        if self.secret_option:
            options[self.secret_option] = str(self.secret_file)
        return running.run(module_of(self.module), **options)

    def run_with(self, fault: str, nth: int, step: str) -> dict[str, Any]:
        """Return the result of a run of the step in which one request fails, once all have had their effect."""
        sent: list[Request] = []
        if fault == "late":
            self.sandbox.clear_journal()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(session.Connection, "send", sending(fault, nth, sent))
            if FAULTS[fault]:
                self.sandbox.fault(service=SERVICE_OF[self.module], nth=nth, **FAULTS[fault])
            result = self.run(step)
        if fault == "late":
            wait_for(lambda: len(self.requests()) == len(sent), "the effect of a late request")
        self.sandbox.clear_faults()
        return result

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests that the sandbox has served since the journal was cleared."""
        return self.sandbox.journal(SERVICE_OF[self.module])

    def state(self) -> str:
        """Return the state as a query reports it, without values that differ between runs; or the fetched file."""
        if isinstance(self.case, Fetch):
            return self.case.file.read_bytes().hex() if self.case.file.exists() else "nothing"
        assert isinstance(self.case, (Resource, Operation))
        assert self.case.look
        query, options = self.case.look
        seen = running.run(query, **options)
        return VOLATILE.sub(r'"\1": 0', json.dumps(seen, sort_keys=True))

    def secret_works(self) -> bool:
        """Return whether the secret in the file logs in, or the case has none."""
        if not isinstance(self.case, Resource) or not self.case.secret_file:
            return True
        if not self.secret_file.exists():
            return False
        query, options = (self.case.opens, {}) if self.case.opens else self.case.look
        login = {self.case.login: self.secret_file.read_text().strip()}
        return not running.run(query, **options, **login).get("failed")

    def is_good(self, step: str, wanted: str) -> bool:
        """Return whether the state is the desired one and the secret, if there is one, works."""
        return self.state() == wanted and (step == "absent" or self.secret_works())

    def check_converges(self, step: str, wanted: str, case: str) -> None:
        """Verify that two more runs at most reach the desired state, and the last of them changes nothing."""
        for _again in range(MORE_RUNS):
            result = self.run(step)
            if not result.get("failed"):
                assert self.is_good(step, wanted), f"{case}: called good, but is {self.state()}"
                if not result["changed"]:
                    return
        assert not result.get("failed"), f"{case}: {result['msg']}"
        assert not result["changed"], f"{case}: {result}"

    def check_changed(self, result: dict[str, Any], before: str, case: str) -> None:
        """Verify that a run which reports a change is right, and that its texts do not contradict it."""
        doubts = [text for text in [*result.get("warnings", []), result.get("msg", "")] if DOUBT in text]
        assert not (doubts and result["changed"]), f"{case}: {doubts}"
        if result.get("failed") and result["changed"] and self.shows_changes_at_once:
            assert self.state() != before, f"{case}: {result['msg']}"

    @property
    def shows_changes_at_once(self) -> bool:
        """Return whether the state shows all changes: no file on this machine, no installation that goes on."""
        has_files = not isinstance(self.case, Resource) or self.case.secret_file or self.case.by_program
        return not has_files and self.module != "ci_plugin"

    def check_fault(self, fault: str, nth: int, step: str) -> None:
        """Verify a run of the step whose nth request fails, and the runs after it."""
        clean = self.clean_run(step)
        case = f"{fault} at request {nth} of {len(clean.requests)}"
        self.begin(step)
        before = self.state()
        result = self.run_with(fault, nth, step)
        if not result.get("failed"):
            assert self.is_good(step, clean.state), f"{case}: called good, but is {self.state()}"
        self.check_changed(result, before, case)
        self.check_converges(step, clean.state, case)


def faults_of(task: tuple[str, str]) -> Iterable[str]:
    """Return the faults that the requests of a task can have."""
    return OF_PROGRAMS if getattr(CASES[task[0]], "by_program", False) else FAULTS


def step_of(task: tuple[str, str]) -> str:
    """Return the step: creating, updating and deleting are different functions of each layer."""
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


PRODUCT = [(task, fault) for task in TASKS for fault in faults_of(task)]
FAULTS_OF_WRITES = select_pairs(PRODUCT, step_of, write_policy)


def write_of(clean: CleanRun) -> int:
    """Return the number of the first write, or of the last request of a fetch."""
    effects = [request["effect"] for request in clean.requests]
    return effects.index("write") + 1 if "write" in effects else len(effects)


def other_requests(module: str, clean: CleanRun) -> list[int]:
    """Return the numbers of all requests but the first write and repeated polls."""
    polls = getattr(CASES[module], "polls", False)
    numbers = exclude_polls(clean.requests) if polls else range(1, len(clean.requests) + 1)
    return [nth for nth in numbers if nth != write_of(clean)]


@pytest.fixture
def scene(request: pytest.FixtureRequest, running_sandbox: Sandbox, tmp_path: pathlib.Path) -> Scene:
    """A module on the sandbox, which each step resets."""
    return Scene(running_sandbox, request.getfixturevalue("module"), tmp_path)


def test_selection_covers_each_task_and_each_fault_of_each_layer() -> None:
    assert {task for task, _unused in FAULTS_OF_WRITES} == set(TASKS)
    for layer in (step_of, write_policy):
        selected = {(layer(task), fault) for task, fault in FAULTS_OF_WRITES}
        assert selected == {(layer(task), fault) for task, fault in PRODUCT}


@pytest.mark.parametrize(("module", "step", "fault"), [(*task, fault) for task, fault in FAULTS_OF_WRITES])
def test_state_converges_when_the_write_fails(scene: Scene, module: str, step: str, fault: str) -> None:
    scene.check_fault(fault, write_of(scene.clean_run(step)), step)


@pytest.mark.parametrize(("module", "step"), TASKS)
def test_state_converges_when_another_request_fails(scene: Scene, module: str, step: str) -> None:
    requests = [(module, step, nth) for nth in other_requests(module, scene.clean_run(step))]
    for (*_task, nth), fault in select_pairs(itertools.product(requests, faults_of((module, step)))):
        scene.check_fault(fault, nth, step)


def after_rival(nth: int, rival: Callable[[], None]) -> Callable[..., Response]:
    """Return a replacement of `Connection.send` that waits for a rival in another thread before the nth request."""
    send, numbers, own = session.Connection.send, itertools.count(1), threading.current_thread()

    def one(connection: session.Connection, request: Request, timeout: Timeout) -> Response:
        if threading.current_thread() is own and next(numbers) == nth:
            thread = threading.Thread(target=rival)
            thread.start()
            thread.join()
        return send(connection, request, timeout)

    return one


# Names of resources with a secret are not unique: each task creates one of its own
WITH_UNIQUE_NAME = [module for module, case in RESOURCES.items() if not (case.by_program or case.secret_file)]


@pytest.mark.parametrize(("module", "step"), list(itertools.product(WITH_UNIQUE_NAME, STEPS)))
def test_task_succeeds_when_an_equal_one_finishes_before_its_write(scene: Scene, module: str, step: str) -> None:
    clean = scene.clean_run(step)
    scene.begin(step)
    rivals: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        send = after_rival(write_of(clean), lambda: rivals.append(scene.run(step)))
        patch.setattr(session.Connection, "send", send)
        result = scene.run(step)
    assert rivals[0]["changed"]
    assert not result.get("failed"), result["msg"]
    assert scene.is_good(step, clean.state), scene.state()
    assert not scene.run(step)["changed"]


def resource_policy(module: str) -> tuple[str, ...]:
    """Return the service of a resource with the policy of its write."""
    return write_policy((module, DO))


STEPS_TWICE_AT_ONCE = select_pairs(itertools.product(RESOURCES, STEPS), resource_policy)


@pytest.mark.parametrize(("module", "step"), STEPS_TWICE_AT_ONCE)
def test_state_converges_when_the_same_task_runs_twice_at_once(scene: Scene, module: str, step: str) -> None:
    wanted = scene.clean_run(step).state
    for _round in range(ROUNDS):
        scene.begin(step)
        results = run_concurrently(*[lambda: scene.run(step, timeout=60)] * 2)
        if not any(result.get("failed") for result in results):
            assert scene.is_good(step, wanted), f"both called it good, but it is {scene.state()}"
        scene.check_converges(step, wanted, "twice at once")


PAIRS_OF_STEPS = list(itertools.product(RESOURCES, itertools.combinations(STEPS, 2)))
STEPS_AT_ONCE = select_pairs(PAIRS_OF_STEPS, SERVICE_OF.__getitem__)


def test_selection_covers_each_module_and_each_step_of_each_policy_twice_at_once() -> None:
    assert {module for module, _unused in STEPS_TWICE_AT_ONCE} == set(RESOURCES)
    selected = {(resource_policy(module), step) for module, step in STEPS_TWICE_AT_ONCE}
    assert selected == {(resource_policy(module), step) for module, step in itertools.product(RESOURCES, STEPS)}


def test_selection_covers_each_module_and_each_pair_of_steps_of_each_service() -> None:
    assert {module for module, _unused in STEPS_AT_ONCE} == set(RESOURCES)
    selected = {(SERVICE_OF[module], steps) for module, steps in STEPS_AT_ONCE}
    assert selected == {(SERVICE_OF[module], steps) for module, steps in PAIRS_OF_STEPS}


@pytest.mark.parametrize(
    ("module", "steps"), [pytest.param(module, steps, id="-".join((module, *steps))) for module, steps in STEPS_AT_ONCE]
)
def test_state_is_of_one_order_when_different_tasks_run_at_once(
    scene: Scene, module: str, steps: tuple[str, str]
) -> None:
    wanted = {}
    for order in (*[(step,) for step in steps], steps, steps[::-1]):
        scene.begin(steps[1])
        for step in order:
            scene.run(step)
        wanted[order] = scene.state()
    for _round in range(ROUNDS):
        scene.begin(steps[1])
        results = run_concurrently(*[lambda step=step: scene.run(step, timeout=60) for step in steps])  # type: ignore[misc]
        if not any(result.get("failed") for result in results):
            assert scene.state() in wanted.values(), f"not as after any order of {steps}, but {scene.state()}"
        scene.check_converges(steps[1], wanted[steps[1:]], "different things at once")
