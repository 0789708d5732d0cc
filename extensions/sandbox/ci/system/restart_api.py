# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiet-down and restart on the wire, and responses during a restart."""

from __future__ import annotations

import asyncio
import html
import math

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.integers import parse_integer_or_none
from ...service import ConnectionDropped
from ..access import login
from ..access.permissions import MANAGE
from ..call import Answer, Call
from ..http import error_pages, pages
from ..http.refusals import InternalError
from .lifecycle import Outage

BLOCK_INTERVAL = 0.05
RELOAD = "Your browser will reload automatically when Jenkins is ready."
CANNOT_RESTART = "Jenkins cannot restart itself as currently configured."


def outage_response(call: Call) -> Answer | None:
    """Return the response of every path during a restart, or None."""
    down = call.lifecycle.outage(call.now)
    if not down:
        return None
    if down.stage == "refused":
        raise ConnectionDropped
    if down.stage == "hanging":
        return _never_respond(call, down)
    if down.stage == "unauthorized" and login.sends_credentials(call):
        return error_pages.to_response(login.unauthorized_response(call), call)
    if down.starting:
        return pages.outage_page("Starting Jenkins", "Jenkins is getting ready to work", RELOAD)
    safely = ["Safe Restart \u2013 Builds on agents can usually continue."] if down.kind == "safe" else []
    return pages.outage_page("Restarting Jenkins", "Jenkins is restarting", RELOAD, *safely)


async def _never_respond(call: Call, down: Outage) -> Response:
    """Accept the connection without a response until the process is replaced."""
    while call.controller.runtime.clock.now() < down.ends:
        await asyncio.sleep(BLOCK_INTERVAL)
    raise ConnectionDropped


def _quiet_down(call: Call) -> Answer:
    call.require_post()
    call.require(MANAGE)
    call.lifecycle.quiet_down(call.parameter("message"), call.now)
    if call.parameter("block") in ("true", "1"):
        return _format_blockers(call)
    return pages.redirect(call.current_folder_path)


async def _format_blockers(call: Call) -> Response:
    timeout = parse_integer_or_none(call.parameter("timeout") or "") or 0
    deadline = call.now + timeout / 1000 if timeout > 0 else math.inf
    scheduler, lifecycle, clock = call.scheduler, call.lifecycle, call.controller.runtime.clock
    while lifecycle.quieting and scheduler.running(clock.now()) and clock.now() < deadline:
        await asyncio.sleep(BLOCK_INTERVAL)
        scheduler.settle(clock.now())
    return pages.redirect(call.current_folder_path)


def _cancel_quiet_down(call: Call) -> Response:
    call.require_post()
    call.require(MANAGE)
    call.lifecycle.cancel()
    return pages.redirect(call.current_folder_path)


def _require_restartable(call: Call) -> None:
    if not call.switch("restart_supported"):
        raise InternalError


def _confirmation(call: Call, action: str, title: str, question: str) -> Response:
    """Return the confirmation page of GET, without a form if the server cannot restart."""
    if not call.switch("restart_supported"):
        return call.page(f"{title} - Jenkins", f"<p>{CANNOT_RESTART}</p>")
    form = f'<form method="post" action="{action}"><button>Yes</button></form>'
    return call.page(f"{title} - Jenkins", f"<p>{html.escape(question)}</p>{form}")


def _safe_restart(call: Call) -> Response:
    call.require(MANAGE)
    if call.method == "GET":
        what = "Jenkins will try to pause jobs and restart once all running jobs are either paused or finished."
        return _confirmation(call, "safeRestart", "Safe restart", what)
    if call.parameter("cancel") is not None:
        call.lifecycle.cancel()
    elif call.method == "POST":
        _require_restartable(call)
        call.lifecycle.quiet_down(call.parameter("message"), call.now, then="restart")
    return pages.redirect(call.current_folder_path)


def _restart(call: Call) -> Response:
    call.require(MANAGE)
    if call.method == "GET":
        return _confirmation(call, "restart", "Restart Jenkins", "Are you sure you want to restart Jenkins?")
    if call.method == "POST":
        _require_restartable(call)
        call.lifecycle.begin_restart("hard", call.now)
    return pages.redirect(call.current_folder_path)


ROUTES = (
    Route(ANY, "/quietDown{:/?}", _quiet_down, "quiet_down"),
    Route(ANY, "/cancelQuietDown{:/?}", _cancel_quiet_down, "cancel_quiet_down"),
    Route(ANY, "/safeRestart{:/?}", _safe_restart, "safe_restart"),
    Route(ANY, "/restart{:/?}", _restart, "restart"),
)
