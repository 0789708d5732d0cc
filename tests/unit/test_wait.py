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
    """Time that passes only when somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.naps: list[float] = []
        monkeypatch.setattr(_wait.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(_wait.time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def ready_after(tries: int) -> Callable[[], str]:
    """A probe that finds the condition met at the n-th look."""
    looks = 0

    def probe() -> str:
        nonlocal looks
        looks += 1
        if looks < tries:
            raise NotReady(f"{tries - looks} builds are running")
        return "ready"

    return probe


def test_what_is_ready_costs_no_time(clock: Clock) -> None:
    assert wait_for(Task({}), ready_after(1), timeout=0, delay=5) == "ready"
    assert clock.naps == []


def test_it_looks_again_until_it_is_ready(clock: Clock) -> None:
    assert wait_for(Task({}), ready_after(4), timeout=60, delay=5) == "ready"
    assert clock.naps == [5, 5, 5]


def test_it_gives_up_with_what_was_missing_last(clock: Clock) -> None:
    with pytest.raises(WaitTimeout) as error:
        wait_for(Task({}), ready_after(10), timeout=12, delay=5)
    assert str(error.value) == "Waited 12 s, but 6 builds are running."
    assert clock.naps == [5, 5, 2]


def test_the_last_look_is_at_the_deadline(clock: Clock) -> None:
    assert wait_for(Task({}), ready_after(2), timeout=40, delay=60) == "ready"
    assert clock.naps == [40]


def test_it_looks_once_without_time(clock: Clock) -> None:
    with pytest.raises(WaitTimeout, match="Waited 0 s"):
        wait_for(Task({}), ready_after(2), timeout=0, delay=5)
    assert clock.naps == []


def test_no_request_of_a_probe_is_more_patient_than_the_deadline(clock: Clock) -> None:
    task = Task({"timeout": 30.0})
    patience: list[float] = []

    def probe() -> None:
        patience.append(task.remaining_timeout("timeout"))
        raise NotReady("nothing")

    with pytest.raises(WaitTimeout):
        wait_for(task, probe, timeout=40, delay=20)
    assert patience == [30, 20, 1]
    assert task.remaining_timeout("timeout") == 30


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_heard_before_it_ends_the_task(clock: Clock, number: int) -> None:
    events: list[str] = []
    task = Task({}, display_interruption=events.append)
    task.register_secret("s3cret")

    def probe() -> None:
        os.kill(os.getpid(), number)
        raise NotReady("nothing")

    def interrupted() -> Iterator[str]:
        os.kill(os.getpid(), number)  # a second one does not end the cleaning up
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


def test_it_tells_progress(clock: Clock) -> None:
    told: list[str] = []
    wait_for(Task({}, display=told.append), ready_after(3), timeout=60, delay=5)
    assert told == [
        "waiting, 2 builds are running (0 of at most 60 s)",
        "waiting, 1 builds are running (5 of at most 60 s)",
    ]


def test_another_error_ends_the_wait(clock: Clock) -> None:
    def probe() -> None:
        raise ServerUnreachable("gone")

    with pytest.raises(ServerUnreachable, match="gone"):
        wait_for(Task({}), probe, timeout=60, delay=5)
    assert clock.naps == []
