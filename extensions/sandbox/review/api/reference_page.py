# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference page that the server shows for a GET request of the API endpoint."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse

from .actions import ACTIONS, Action


def render_reference_page(version: int) -> HTMLResponse:
    """Return a page with the actions of a server version and their parameters."""
    sections = "\n".join(
        _render_section(name, action) for name, action in ACTIONS.items() if action.since_version <= version
    )
    return HTMLResponse(
        f"""<!DOCTYPE html>
<html>
<head><title>Web API Reference</title></head>
<body>
<h1>Web API Reference</h1>
<p>Send a form-encoded POST request to this address. Every action requires <b>action</b> and <b>user</b> and, if access
control is enabled, <b>ltoken</b>.</p>
{sections}
<h2>Troubleshooting</h2>
<p>The response to a failed request is a JSON object with the keys <code>status</code> (the HTTP status) and
<code>message</code>.</p>
</body>
</html>
"""
    )


def _render_section(name: str, action: Action) -> str:
    items = "".join(
        f"<li>{escape(parameter)}{' (required)' if parameter in action.required else ''}</li>"
        for parameter in action.parameters
    )
    return f"<h2>{escape(name)}</h2>\n<p>Group: {escape(action.group)}</p>\n<ul>{items}</ul>"
