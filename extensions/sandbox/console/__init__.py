# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The console: a web page for the control API.

The files contain no data of the sandbox. The page prompts for the secret and uses it to call the control API.
"""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

PATH = "/_sandbox/console"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
# Only requests to this server, only the console's own scripts, no HTML from strings, and no embedding in frames
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def _route(file: Path) -> Route:
    content, kind = file.read_bytes(), TYPES[file.suffix]

    async def respond(_request: Request) -> Response:
        return Response(content, headers=HEADERS, media_type=kind)

    return Route(PATH if file.suffix == ".html" else f"{PATH}/{file.name}", respond)


ROUTES = tuple(_route(file) for file in sorted(Path(__file__).parent.iterdir()) if file.suffix in TYPES)
