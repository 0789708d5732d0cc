# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Administration pages, configuration reload and shutdown."""

from __future__ import annotations

import html
import platform
import threading
from collections.abc import Callable

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import ADMINISTER, MANAGE
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import AccessDenied


def _system_information(call: Call) -> Response:
    call.require(ADMINISTER)
    properties = {
        "java.vm.name": "none: this is a stand-in",
        "os.name": platform.system(),
        "os.arch": platform.machine(),
    }
    rows = "".join(f"<tr><td>{name}</td><td>{html.escape(text)}</td></tr>" for name, text in properties.items())
    return call.page(
        "System Information - Manage Jenkins - Jenkins", f"<h1>System Information</h1><table>{rows}</table>"
    )


def _thread_dump(call: Call) -> Response:
    call.require(ADMINISTER)
    threads = "".join(f"<h2>{html.escape(thread.name)}</h2>" for thread in threading.enumerate())
    return call.page("Thread dump - Jenkins", f"<h1>Thread Dump</h1>{threads}")


def _log(call: Call) -> Response:
    """Return the empty system log."""
    call.require(ADMINISTER)
    return call.page("All Jenkins Logs - Manage Jenkins - Jenkins", "<h1>All Jenkins Logs</h1>")


def _overview(call: Call) -> Response:
    """Return the page, or an error that does not name the missing permission."""
    if not call.principal.may(MANAGE):
        raise AccessDenied(message=f"{call.principal.name} is missing a permission to manage the server")
    return call.page("Manage Jenkins - Jenkins", "<h1>Manage Jenkins</h1>")


def _reload(call: Call) -> Response:
    """Reload the configuration, which changes nothing because API changes are already saved."""
    call.require_post()
    call.require(MANAGE)
    return pages.redirect(f"{call.context}/")


def _ending(end: Callable[[Call], None]) -> Callable[[Call], Answer]:
    def handle(call: Call) -> Answer:
        call.require_post()
        call.require(ADMINISTER)
        end(call)
        return pages.plain_text("Shutting down\n")

    return handle


def _exit(call: Call) -> None:
    call.lifecycle.begin_exit(call.now)


def _safe_exit(call: Call) -> None:
    call.lifecycle.quiet_down(None, call.now, then="exit")


PAGE = Route(ANY, "/manage/{:.*}", _overview, "management", read_only=True)
ROUTES = (
    Route(ANY, "/{:(?:manage/)?systemInfo/?}", _system_information, "management", read_only=True),
    Route(ANY, "/{:threadDump/?}", _thread_dump, "management", read_only=True),
    Route(ANY, "/{:(?:manage/)?log/.*}", _log, "management", read_only=True),
    Route(ANY, "/{:(?:manage/)?configure}", _overview, "management", read_only=True),
    PAGE,
    Route(ANY, "/reload", _reload, "reload"),
    Route(ANY, "/exit", _ending(_exit), "exit"),
    Route(ANY, "/safeExit", _ending(_safe_exit), "exit"),
)
