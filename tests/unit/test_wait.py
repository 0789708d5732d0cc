# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _wait
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerUnreachable, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import handle_signals
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for


class Clock:
    """A clock that only `sleep` advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.delays: list[float] = []
        monkeypatch.setattr(_wait.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(_wait.time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.delays.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def ready_after(tries: int) -> Callable[[], str]:
    """Return a probe that succeeds at the nth attempt."""
    attempts = 0

    def probe() -> str:
        nonlocal attempts
        attempts += 1
        if attempts < tries:
            raise NotReady(f"{tries - attempts} builds are running")
        return "ready"

    return probe


def test_wait_returns_at_once_when_the_condition_is_met(clock: Clock) -> None:
    assert wait_for(Task({}), ready_after(1), timeout=0, delay=5) == "ready"
    assert clock.delays == []


def test_probe_is_repeated_until_it_succeeds(clock: Clock) -> None:
    assert wait_for(Task({}), ready_after(4), timeout=60, delay=5) == "ready"
    assert clock.delays == [5, 5, 5]


def test_timeout_reports_the_last_unmet_condition(clock: Clock) -> None:
    with pytest.raises(WaitTimeout) as error:
        wait_for(Task({}), ready_after(10), timeout=12, delay=5)
    assert str(error.value) == "Waited 12 s, but 6 builds are running."
    assert clock.delays == [5, 5, 2]


def test_last_probe_is_at_the_deadline(clock: Clock) -> None:
    assert wait_for(Task({}), ready_after(2), timeout=40, delay=60) == "ready"
    assert clock.delays == [40]


def test_probe_runs_once_when_the_timeout_is_zero(clock: Clock) -> None:
    with pytest.raises(WaitTimeout, match="Waited 0 s"):
        wait_for(Task({}), ready_after(2), timeout=0, delay=5)
    assert clock.delays == []


def test_request_timeout_is_limited_by_the_deadline(clock: Clock) -> None:
    task = Task({"timeout": 30.0})
    timeouts: list[float] = []

    def probe() -> None:
        timeouts.append(task.remaining_timeout("timeout"))
        raise NotReady("nothing")

    with pytest.raises(WaitTimeout):
        wait_for(task, probe, timeout=40, delay=20)
    assert timeouts == [30, 20, 1]
    assert task.remaining_timeout("timeout") == 30


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_is_handled_before_the_task_ends(clock: Clock, number: int) -> None:
    events: list[str] = []
    task = Task({}, display_interruption=events.append)
    task.register_secret("s3cret")

    def probe() -> None:
        os.kill(os.getpid(), number)
        raise NotReady("nothing")

    def interrupted() -> Iterator[str]:
        os.kill(os.getpid(), number)  # a second interruption does not stop the clean-up
        events.append("cleaned up")
        yield "left with s3cret"
        raise ToolchainError("And that failed.")

    before = signal.signal(number, lambda *_unused: events.append("ended"))
    try:
        with pytest.raises(KeyboardInterrupt), handle_signals():
            wait_for(task, probe, timeout=40, delay=20, on_interrupt=interrupted)
    finally:
        signal.signal(number, before)
    assert events == ["cleaned up", "left with ********", "And that failed.", "ended"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_interruption_in_a_destructor_is_not_lost(clock: Clock) -> None:
    class Connection:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    def probe() -> None:
        Connection()  # Python discards an exception in its destructor
        raise NotReady("nothing")

    events: list[str] = []
    with pytest.raises(KeyboardInterrupt), handle_signals():
        wait_for(Task({}), probe, timeout=40, delay=20, on_interrupt=lambda: events.append("cleaned up") or ())
    assert events == ["cleaned up"]
    wait_for(Task({}), ready_after(3), timeout=60, delay=5)  # the next task is not interrupted


def test_progress_is_reported(clock: Clock) -> None:
    lines: list[str] = []
    wait_for(Task({}, display=lines.append), ready_after(3), timeout=60, delay=5)
    assert lines == [
        "waiting, 2 builds are running (0 of at most 60 s)",
        "waiting, 1 builds are running (5 of at most 60 s)",
    ]


def test_wait_ends_when_the_probe_fails(clock: Clock) -> None:
    def probe() -> None:
        raise ServerUnreachable("gone")

    with pytest.raises(ServerUnreachable, match="gone"):
        wait_for(Task({}), probe, timeout=60, delay=5)
    assert clock.delays == []
