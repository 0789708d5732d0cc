# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiet-down and restart: what is decided here shows in every other answer."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from starlette.responses import Response

from ..service import Dropped
from . import pages, security
from .call import Answer, Call, Route, new_hash
from .permissions import MANAGE

if TYPE_CHECKING:
    from .server import CiService

# Until which second after the request each phase of a restart was seen to last on a real server. A phase "… without
# login" answers 401 to credentials that are right.
PHASES = {
    "safe": (
        (10.0, "stopping"),
        (10.1, "stopping without login"),
        (10.9, "refused"),
        (14.2, "starting"),
        (14.6, "starting without login"),
        (14.8, "starting"),
    ),
    "hard": (
        (5.0, "stopping"),
        (5.1, "stopping without login"),
        (5.9, "refused"),
        (9.2, "starting"),
        (9.7, "starting without login"),
        (10.4, "starting"),
    ),
}
RUNNING = {"down": False, "reason": None, "restart": False}
BLOCK_INTERVAL = 0.05


class Lifecycle:
    """Whether the server runs, means to stop, or restarts."""

    def __init__(self, service: CiService) -> None:
        self._service = service
        self._store = service.store

    def boot(self) -> None:
        """What every start of the server brings: a new session id, no sessions, no quiet-down."""
        self._store.set("session", new_hash())
        self._store.set("cookie_suffix", new_hash())
        self._store.set("quiet", RUNNING)
        self._store.set("restart", None)
        self._store.forget_left_items()
        self._service.sessions.clear()

    @property
    def quieting(self) -> bool:
        """Whether no build may start."""
        return bool(self._store.setting("quiet")["down"])

    @property
    def reason(self) -> str | None:
        """Why the server quiets down."""
        reason: str | None = self._store.setting("quiet")["reason"]
        return reason

    @property
    def restart_pending(self) -> bool:
        """Whether the server restarts as soon as no build runs."""
        return bool(self._store.setting("quiet")["restart"])

    def quiet_down(self, reason: str | None, restart: bool = False) -> None:
        """Let no build start any more."""
        restart = restart or self.restart_pending
        self._store.set("quiet", {"down": True, "reason": reason, "restart": restart})

    def cancel(self) -> None:
        """Take a quiet-down or a safe restart back."""
        self._store.set("quiet", RUNNING)

    def begin_restart(self, kind: str, now: float) -> None:
        """Go down; what runs then is cut when the process is replaced."""
        seconds = self._service.world.switch(self._service.name, "restart_seconds")
        self._store.set("restart", {"kind": kind, "since": now, "seconds": seconds})
        replaced = now + seconds * PHASES[kind][0][0] / PHASES[kind][-1][0]
        for build in self._store.unfinished():
            if build.running(replaced):
                build.ends, build.outcome = replaced, "ABORTED"
                self._store.put_build(build)

    @property
    def back_at(self) -> float | None:
        """When a restart that is under way will be over."""
        restart = self._store.setting("restart")
        return restart["since"] + restart["seconds"] if restart else None

    def finish_restart(self) -> None:
        """Come back as a new process."""
        self.boot()
        self._service.world.set_switches({self._service.name: {"restart_required": False}})

    def phase(self, now: float) -> tuple[str, str] | None:
        """The kind and the phase of the restart that is under way."""
        restart = self._store.setting("restart")
        if not restart:
            return None
        phases = PHASES[restart["kind"]]
        second = (now - restart["since"]) / restart["seconds"] * phases[-1][0]
        return restart["kind"], next((name for end, name in phases if second < end), phases[-1][1])

    def outage(self, call: Call) -> Response | None:
        """What every path answers during a restart."""
        down = self.phase(call.now)
        if not down:
            return None
        kind, phase = down
        if phase == "refused":
            raise Dropped
        if phase.endswith("without login") and security.sends_credentials(call):
            return security.unauthorized(call).answer(call)
        if phase.startswith("starting"):
            return pages.outage("Starting Jenkins", "Jenkins is getting ready to work")
        safely = ["Safe Restart – Builds on agents can usually continue."] if kind == "safe" else []
        reload = "Your browser will reload automatically when Jenkins is ready."
        return pages.outage("Restarting Jenkins", "Jenkins is restarting", reload, *safely)


def _quiet_down(call: Call) -> Answer:
    call.require_post()
    call.require(MANAGE)
    call.service.lifecycle.quiet_down(call.parameter("message"))
    if call.parameter("block") in ("true", "1"):
        return _blocked(call)
    return pages.redirect(call.here)


async def _blocked(call: Call) -> Response:
    timeout = call.parameter("timeout") or ""
    deadline = call.now + int(timeout) / 1000 if timeout.isdigit() and int(timeout) else math.inf
    scheduler, lifecycle, clock = call.service.scheduler, call.service.lifecycle, call.world.clock
    while lifecycle.quieting and scheduler.running(clock.now()) and clock.now() < deadline:
        await asyncio.sleep(BLOCK_INTERVAL)
        scheduler.settle(clock.now())
    return pages.redirect(call.here)


def _cancel_quiet_down(call: Call) -> Response:
    call.require_post()
    call.require(MANAGE)
    call.service.lifecycle.cancel()
    return pages.redirect(call.here)


def _require_restartable(call: Call) -> None:
    if not call.switch("restart_supported"):
        raise pages.Oops


def _safe_restart(call: Call) -> Response:
    call.require(MANAGE)
    if call.method == "GET":
        return pages.confirmation("Are you sure you want to restart Jenkins when no jobs are running?")
    if call.parameter("cancel") is not None:
        call.service.lifecycle.cancel()
    elif call.method == "POST":
        _require_restartable(call)
        call.service.lifecycle.quiet_down(call.parameter("message"), restart=True)
    return pages.redirect(call.here)


def _restart(call: Call) -> Response:
    call.require(MANAGE)
    if call.method == "GET":
        return pages.confirmation("Are you sure you want to restart Jenkins?")
    if call.method == "POST":
        _require_restartable(call)
        call.service.lifecycle.begin_restart("hard", call.now)
    return pages.redirect(call.here)


ROUTES = (
    Route("/quietDown/?", _quiet_down, "quiet_down"),
    Route("/cancelQuietDown/?", _cancel_quiet_down, "cancel_quiet_down"),
    Route("/safeRestart/?", _safe_restart, "safe_restart"),
    Route("/restart/?", _restart, "restart"),
)
