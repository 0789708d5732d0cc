# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever goes wrong with whichever request: no run calls it good that is not, and two more runs make it good.

Goes over all resource modules, lasting operations and fetches, each with what its case says, in this process, against
the sandbox.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import pathlib
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry, session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.answer import Answer, Request
from sandbox.client import Sandbox
from support import running
from support.at_once import at_once
from support.cases import CASES, FETCHES, OPERATIONS, RESOURCES, SERVICE_OF, module_of
from support.cases.form import Case, Fetch, Operation, Resource
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
    "late": {"kind": "latency", "seconds": 0.3},
    **{str(status): {"kind": "status", "status": status} for status in (401, 429, 500, 503)},
}
STEPS = {"create": [], "update": ["create"], "absent": ["create", "update"]}
# What is no resource has one step
DO = "options"
LASTING = [module for module, operation in OPERATIONS.items() if operation.lasting and operation.look]
TASKS = [*itertools.product(RESOURCES, STEPS), *itertools.product([*LASTING, *FETCHES], [DO])]
# A program has ways of its own with an answer: what counts here is whether its request had an effect
OF_PROGRAMS = ("reset before", "reset after")
VOLATILE = re.compile(
    r'"(token_id|issued_at|expiry|last_used|last_used_at|session_id|id|created|created_at|modified|updated'
    r'|redacted_value|expires|expires_at|added|added_at)": [^,}]+'
)
MORE_RUNS = 2
PATIENCE = 0.05  # seconds for the answer that is late
Timeout = tuple[float, float, float]


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment, and lose no time between two tries."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)


def nowhere(connection: session.Connection, timeout: Timeout) -> tuple[session.Connection, Timeout]:
    """A port where nobody listens."""
    return dataclasses.replace(connection, base_url=f"http://127.0.0.1:{closed_port()}"), timeout


def impatient(connection: session.Connection, timeout: Timeout) -> tuple[session.Connection, Timeout]:
    """No time for the answer."""
    return connection, (timeout[0], PATIENCE, PATIENCE)


# What becomes of a request on its way
ON_THE_WAY = {"refused": nowhere, "late": impatient}


def sending(fault: str, nth: int, sent: list[Request]) -> Callable[..., Answer]:
    """In place of `Connection.send`: writes down what was sent, and sees to what becomes of the nth request."""
    send, numbers = session.Connection.send, itertools.count(1)

    def one(connection: session.Connection, request: Request, timeout: Timeout) -> Answer:
        if next(numbers) == nth and fault in ON_THE_WAY:
            connection, timeout = ON_THE_WAY[fault](connection, timeout)
        sent.append(request)
        return send(connection, request, timeout)

    return one


@dataclasses.dataclass
class Scene:
    """One module on a sandbox of its own."""

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
        """Everything is as it is before the step."""
        self.sandbox.reset()
        self.secret_file.unlink(missing_ok=True)
        if isinstance(self.case, Fetch):
            self.case.forget()
        for earlier in STEPS.get(step, ()):
            done = self.run(earlier)
            assert not done.get("failed"), done["msg"]
        self.sandbox.clear_journal()

    def run(self, step: str, **more: Any) -> dict[str, Any]:
        """The result of one run of a step."""
        options = {"retries": 0, **getattr(self.case, step), **more}
        if self.secret_option:
            options[self.secret_option] = str(self.secret_file)
        return running.run(module_of(self.module), **options)

    def run_with(self, fault: str, nth: int, step: str) -> dict[str, Any]:
        """The result of one run of a step in which one request goes wrong, when all have had their effect."""
        sent: list[Request] = []
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
        """The requests that were served since the beginning of the step."""
        return self.sandbox.journal(SERVICE_OF[self.module])

    def state(self) -> str:
        """What is there, as a query sees it, without what differs from one run to the next; or what was fetched."""
        if isinstance(self.case, Fetch):
            return self.case.file.read_bytes().hex() if self.case.file.exists() else "nothing"
        assert isinstance(self.case, (Resource, Operation))
        assert self.case.look
        query, options = self.case.look
        seen = running.run(query, **options)
        assert not seen.get("failed"), seen
        return VOLATILE.sub(r'"\1": 0', json.dumps(seen, sort_keys=True))

    def secret_works(self) -> bool:
        """Whether the secret in the file, if there has to be one, logs in."""
        if not isinstance(self.case, Resource) or not self.case.secret_file:
            return True
        if not self.secret_file.exists():
            return False
        query, options = (self.case.opens, {}) if self.case.opens else self.case.look
        login = {self.case.login: self.secret_file.read_text().strip()}
        return not running.run(query, **options, **login).get("failed")

    def is_good(self, step: str, wanted: str) -> bool:
        """Whether everything is as the step wants it: nothing missing, nothing surplus, the secret at hand."""
        return self.state() == wanted and (step == "absent" or self.secret_works())

    def check_converges(self, step: str, wanted: str, case: str) -> None:
        """See to it that two more runs make it good, and the last of them finds nothing to do."""
        for _again in range(MORE_RUNS):
            result = self.run(step)
            if not result.get("failed"):
                assert self.is_good(step, wanted), f"{case}: called good, but is {self.state()}"
        assert not result.get("failed"), f"{case}: {result['msg']}"
        assert not result["changed"], f"{case}: {result}"


@pytest.fixture(params=RESOURCES)
def scene(request: pytest.FixtureRequest, sandbox: Sandbox, tmp_path: pathlib.Path) -> Scene:
    """Each resource module, one after the other."""
    return Scene(sandbox, request.param, tmp_path)


def faults_of(module: str) -> Iterable[str]:
    """What can go wrong with a module's requests."""
    return OF_PROGRAMS if getattr(CASES[module], "by_program", False) else FAULTS


@pytest.mark.parametrize(
    ("module", "step", "fault"), [(module, step, fault) for module, step in TASKS for fault in faults_of(module)]
)
def test_two_more_runs_make_it_good(
    sandbox: Sandbox, tmp_path: pathlib.Path, module: str, step: str, fault: str
) -> None:
    scene = Scene(sandbox, module, tmp_path)
    scene.begin(step)
    clean = scene.run(step)
    assert clean["changed"], clean
    requests = len(scene.requests())
    wanted = scene.state()
    for nth in range(1, requests + 1):
        case = f"{fault} at request {nth} of {requests}"
        scene.begin(step)
        result = scene.run_with(fault, nth, step)
        if not result.get("failed"):
            assert scene.is_good(step, wanted), f"{case}: called good, but is {scene.state()}"
        scene.check_converges(step, wanted, case)


@pytest.mark.parametrize("step", STEPS)
def test_the_same_task_twice_at_once(scene: Scene, step: str) -> None:
    scene.begin(step)
    scene.run(step)
    wanted = scene.state()
    for _round in range(5):
        scene.begin(step)
        results = at_once(*[lambda: scene.run(step, timeout=60)] * 2)
        if not any(result.get("failed") for result in results):
            assert scene.is_good(step, wanted), f"both called it good, but it is {scene.state()}"
        scene.check_converges(step, wanted, "twice at once")


@pytest.mark.parametrize("steps", list(itertools.combinations(STEPS, 2)), ids="-".join)
def test_two_tasks_that_want_different_things_at_once(scene: Scene, steps: tuple[str, str]) -> None:
    wanted = {}
    for order in (*[(step,) for step in steps], steps, steps[::-1]):
        scene.begin(steps[1])
        for step in order:
            scene.run(step)
        wanted[order] = scene.state()
    for _round in range(3):
        scene.begin(steps[1])
        results = at_once(*[lambda step=step: scene.run(step, timeout=60) for step in steps])  # type: ignore[misc]
        if not any(result.get("failed") for result in results):
            assert scene.state() in wanted.values(), f"not as after any order of {steps}, but {scene.state()}"
        scene.check_converges(steps[1], wanted[steps[1:]], "different things at once")
