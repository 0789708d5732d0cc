# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known but not served: the pages for people, and commands of the administration tool."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse, Response

from ..http.routing import Route
from .call import Call
from .protocol import ActionError


def _page(path: str) -> Response:
    title = "501 Not Implemented"
    words = f"The sandbox does not serve this page yet: {escape(path)}"
    return HTMLResponse(f"<html><body><h1>{title}</h1><p>{words}</p></body></html>", 501)


def refuse_command(call: Call) -> None:
    raise ActionError(501, f"The sandbox does not serve this command yet: {call.parameters.text('command')}")


PAGES = (
    Route("GET", "/review/insight-review.html", _page, "issue_page"),
    Route("GET", "/portal{:(/.*)?}", _page, "portal"),
    Route("GET", "/documentation{:/.+}", _page, "documentation"),
)
COMMANDS = ("export-config",)
