# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiet-down and restart: what is decided here shows in every other answer."""

from __future__ import annotations

import itertools
import math
import secrets
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..state import State

# What each stage of a restart answers, and for how many seconds that was seen on a real server. "unauthorized" answers
# 401 to credentials that are right, "refused" drops the connection, "hanging" takes it and never answers.
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


class Outage(NamedTuple):
    """What a server that restarts does at a moment."""

    kind: str
    stage: str
    ends: float
    starting: bool


class Lifecycle:
    """Whether the server runs, means to stop, or restarts."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._storage = state.storage
        self._at_start: list[Callable[[], None]] = []

    def at_start(self, begin: Callable[[], None]) -> None:
        """Call something at each start of the server."""
        self._at_start.append(begin)

    def boot(self) -> None:
        """What every start of the server brings: a new session id, no sessions, no quiet-down."""
        self._storage.set("session", new_hash())
        self._storage.set("cookie_suffix", new_hash())
        self._storage.set("quiet", RUNNING)
        self._storage.set("restart", None)
        self._storage.forget_left_items()
        for begin in self._at_start:
            begin()
        self._state.sessions.clear()

    @property
    def quieting(self) -> bool:
        """Whether no build may start."""
        return bool(self._storage.setting("quiet")["down"])

    @property
    def reason(self) -> str | None:
        """Why the server quiets down."""
        reason: str | None = self._storage.setting("quiet")["reason"]
        return reason

    @property
    def pending(self) -> str | None:
        """What the server does as soon as no build runs: `restart`, `exit`, or nothing."""
        pending: str | None = self._storage.setting("quiet")["then"]
        return pending

    def quiet_down(self, reason: str | None, now: float, then: str | None = None) -> None:
        """Let no build start any more."""
        self._storage.set("quiet", {"down": True, "reason": reason, "then": then or self.pending, "since": now})

    def cancel(self) -> None:
        """Take a quiet-down or a safe restart back."""
        self._storage.set("quiet", RUNNING)

    @property
    def cancelled_at(self) -> float | None:
        """When somebody else will cancel the quiet-down, by the switch that says so."""
        since, seconds = self._storage.setting("quiet")["since"], self._state.switch("quiet_down_seconds")
        return since + seconds if since is not None and seconds else None

    def begin_restart(self, kind: str, now: float) -> None:
        """Go down; what runs then is cut when the process is replaced."""
        names, seconds = zip(*self._stages(kind), strict=True)
        ends = [now + second for second in itertools.accumulate(seconds)]
        self._storage.set("restart", {"kind": kind, "stages": list(zip(names, ends, strict=True))})
        self._cut_builds(ends[0])

    def _cut_builds(self, moment: float) -> None:
        for build in self._storage.unfinished():
            if build.running(moment):
                build.ends, build.outcome = moment, "ABORTED"
                self._storage.put_build(build)

    def begin_exit(self, now: float) -> None:
        """Go down for good, which is until the sandbox is reset."""
        self._storage.set("restart", {"kind": "exit", "stages": [("refused", math.inf)]})
        self._cut_builds(now)

    def _stages(self, kind: str) -> Sequence[tuple[str, float]]:
        """The stages of a restart: as the switch has them, or as measured and as long as another switch says."""
        given: list[Any] = self._state.switch("restart_stages")
        if given:
            return [(stage["stage"], float(stage["seconds"])) for stage in given]
        measured = MEASURED[kind]
        factor = self._state.switch("restart_seconds") / sum(seconds for _unused, seconds in measured)
        return [(name, seconds * factor) for name, seconds in measured]

    @property
    def back_at(self) -> float | None:
        """When a restart that is under way will be over."""
        restart = self._storage.setting("restart")
        return restart["stages"][-1][1] if restart else None

    def finish_restart(self) -> None:
        """Come back as a new process."""
        self.boot()
        self._state.set_switch("restart_required", False)

    def outage(self, now: float) -> Outage | None:
        """What the server does instead of serving, while a restart is under way."""
        restart = self._storage.setting("restart")
        if not restart:
            return None
        stages = restart["stages"]
        number = next((number for number, (_unused, end) in enumerate(stages) if now < end), len(stages) - 1)
        names = [name for name, _unused in stages[: number + 1]]
        name, end = stages[number]
        return Outage(restart["kind"], name, end, starting="refused" in names[:-1] or name == "starting")


def new_hash() -> str:
    """Eight hexadecimal digits, as session ids and cookie names have them."""
    return secrets.token_hex(4)
