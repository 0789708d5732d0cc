# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page for people that a GET of the endpoint shows."""

from __future__ import annotations

from html import escape

from starlette.responses import HTMLResponse

from .catalogue import ACTIONS, Action


def reference_page(version: int) -> HTMLResponse:
    """All actions that a server of this major version has, with their parameters."""
    sections = "\n".join(_section(name, action) for name, action in ACTIONS.items() if action.since <= version)
    return HTMLResponse(
        f"""<!DOCTYPE html>
<html>
<head><title>Web API Reference</title></head>
<body>
<h1>Web API Reference</h1>
<p>Send the parameters of an action by POST, form-encoded, to this address. Every action takes <b>action</b> and
<b>user</b>, and where access control is on <b>ltoken</b>.</p>
{sections}
<h2>Troubleshooting</h2>
<p>A failed request is answered with a JSON object, its keys <code>status</code> (the HTTP status) and
<code>message</code> (a diagnostic).</p>
</body>
</html>
"""
    )


def _section(name: str, action: Action) -> str:
    items = "".join(
        f"<li>{escape(parameter)}{' (required)' if parameter in action.required else ''}</li>"
        for parameter in action.parameters
    )
    return f"<h2>{escape(name)}</h2>\n<p>Group: {escape(action.group)}</p>\n<ul>{items}</ul>"
