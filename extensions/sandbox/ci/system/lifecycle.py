# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiet-down and restart."""

from __future__ import annotations

import itertools
import math
import secrets
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..state import State

# Responses during the stages of a restart, with the seconds measured on a real server. "unauthorized" responds with
# 401 to valid credentials, "refused" drops the connection, "hanging" accepts it and never responds.
MEASURED: dict[str, list[tuple[str, float]]] = {
    "safe": [
        ("stopping", 10.0),
        ("unauthorized", 0.1),
        ("refused", 0.8),
        ("starting", 3.3),
        ("unauthorized", 0.4),
        ("starting", 0.2),
    ],
    "hard": [
        ("stopping", 5.0),
        ("unauthorized", 0.1),
        ("refused", 0.8),
        ("starting", 3.3),
        ("unauthorized", 0.5),
        ("starting", 0.7),
    ],
}
RUNNING = {"down": False, "reason": None, "then": None, "since": None}


STAGES = ("stopping", "unauthorized", "refused", "starting", "hanging")


def check_stages(stages: list[Any]) -> None:
    """Verify a value of the switch `restart_stages`.

    :raises ValueError: if it is invalid
    """
    for entry in stages:
        is_object = isinstance(entry, dict) and set(entry) == {"stage", "seconds"}
        seconds = entry["seconds"] if is_object else None
        if not is_object or entry["stage"] not in STAGES or isinstance(seconds, bool):
            seconds = None
        if not isinstance(seconds, (int, float)) or not 0 <= seconds < math.inf:
            raise ValueError(f"expected a list of objects with 'stage' ({', '.join(STAGES)}) and positive 'seconds'")


class Outage(NamedTuple):
    """The responses of a restarting server at a time."""

    kind: str
    stage: str
    ends: float
    starting: bool


class Lifecycle:
    """The state of the server: running, quieting down or restarting."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._storage = state.storage
        self._at_start: list[Callable[[], None]] = []

    def on_start(self, begin: Callable[[], None]) -> None:
        """Register a callback for each start of the server."""
        self._at_start.append(begin)

    def boot(self) -> None:
        """Start: with a new session id, without sessions and quiet-down."""
        self._storage.set("session", generate_hash())
        self._storage.set("cookie_suffix", generate_hash())
        self._storage.set("quiet", RUNNING)
        self._storage.set("restart", None)
        self._storage.forget_left_items()
        self._storage.forget_objects_without_account()
        self._storage.release_copies()
        for begin in self._at_start:
            begin()
        self._state.sessions.clear()

    @property
    def quieting(self) -> bool:
        """Return whether the server is quieting down."""
        return bool(self._storage.setting("quiet")["down"])

    @property
    def reason(self) -> str | None:
        """Return the reason of the quiet-down."""
        reason: str | None = self._storage.setting("quiet")["reason"]
        return reason

    @property
    def pending(self) -> str | None:
        """Return the action after the last build: `restart`, `exit` or an empty text."""
        pending: str | None = self._storage.setting("quiet")["then"]
        return pending

    def quiet_down(self, reason: str | None, now: float, then: str | None = None) -> None:
        """Prevent new builds from starting."""
        self._storage.set("quiet", {"down": True, "reason": reason, "then": then or self.pending, "since": now})

    def cancel(self) -> None:
        """Cancel a quiet-down or a safe restart."""
        self._storage.set("quiet", RUNNING)

    @property
    def cancelled_at(self) -> float | None:
        """Return the time at which another client cancels the quiet-down, according to a switch."""
        since, seconds = self._storage.setting("quiet")["since"], self._state.switch("quiet_down_seconds")
        return since + seconds if since is not None and seconds else None

    def begin_restart(self, kind: str, now: float) -> None:
        """Shut down. Running builds are interrupted when the process is replaced."""
        names, seconds = zip(*self._stages(kind), strict=True)
        ends = [now + second for second in itertools.accumulate(seconds)]
        self._storage.set("restart", {"kind": kind, "stages": list(zip(names, ends, strict=True))})
        self._cut_builds(ends[0])

    def _cut_builds(self, now: float) -> None:
        for build in self._storage.list_unfinished():
            if build.running(now):
                build.ends, build.outcome = now, "ABORTED"
                self._storage.put_build(build)

    def begin_exit(self, now: float) -> None:
        """Shut down permanently, until the sandbox is reset."""
        self._storage.set("restart", {"kind": "exit", "stages": [("refused", math.inf)]})
        self._cut_builds(now)

    def _stages(self, kind: str) -> Sequence[tuple[str, float]]:
        """Return the stages of a restart from the switch, or the measured ones scaled by another switch."""
        configured: list[Any] = self._state.switch("restart_stages")
        if configured:
            return [(stage["stage"], float(stage["seconds"])) for stage in configured]
        measured = MEASURED[kind]
        factor = self._state.switch("restart_seconds") / sum(seconds for _unused, seconds in measured)
        return [(name, seconds * factor) for name, seconds in measured]

    @property
    def back_at(self) -> float | None:
        """Return the time at which the restart is complete."""
        restart = self._storage.setting("restart")
        return restart["stages"][-1][1] if restart else None

    def finish_restart(self) -> None:
        """Resume as a new process."""
        self.boot()
        self._state.set_switch("restart_required", False)

    def outage(self, now: float) -> Outage | None:
        """Return the current response behavior during a restart."""
        restart = self._storage.setting("restart")
        if not restart:
            return None
        stages = restart["stages"]
        number = next((number for number, (_unused, end) in enumerate(stages) if now < end), len(stages) - 1)
        names = [name for name, _unused in stages[: number + 1]]
        name, end = stages[number]
        return Outage(restart["kind"], name, end, starting="refused" in names[:-1] or name == "starting")


def generate_hash() -> str:
    """Return eight hexadecimal digits, as in session ids and cookie names."""
    return secrets.token_hex(4)
