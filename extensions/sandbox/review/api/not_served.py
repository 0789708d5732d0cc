# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages and kwadmin commands of the real server that the sandbox does not support."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse, Response

from ...http.routing import Route
from .call import Call
from .protocol import ActionError


def _render_page(path: str) -> Response:
    title = "501 Not Implemented"
    message = f"The sandbox does not support this page: {escape(path)}"
    return HTMLResponse(f"<html><body><h1>{title}</h1><p>{message}</p></body></html>", 501)


def refuse_command(call: Call) -> None:
    """Return status 501 for a command that is not supported."""
    raise ActionError(501, f"The sandbox does not support this command: {call.parameters.text('command')}")


PAGES = (
    Route("GET", "/review/insight-review.html", _render_page, "issue_page"),
    Route("GET", "/portal{:(/.*)?}", _render_page, "portal"),
    Route("GET", "/documentation{:/.+}", _render_page, "documentation"),
)
COMMANDS = ("export-config",)
