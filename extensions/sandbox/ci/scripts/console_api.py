# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Script consoles of the controller and of nodes."""

from __future__ import annotations

import asyncio
import html

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...service import ConnectionDropped
from ..access.permissions import ADMINISTER
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import InternalError, NotFound
from ..nodes import computers
from ..plugins import plugin_scripts
from . import known_scripts, script_answers
from .script_runner import extract_code, format_console

NODE = "/computer/{node}"


def _text(call: Call, node: str = "") -> Answer:
    name = _require_online(call, node)
    call.require(ADMINISTER)
    script = call.parameter("script")
    if script is None:
        return pages.plain_text("")
    if call.method != "POST":
        raise InternalError(405)
    return _find_answer(call, script, name)


async def _find_answer(call: Call, script: str, node: str) -> Response:
    return pages.plain_text(await run_script(call, script, node))


def _page(call: Call, node: str = "") -> Answer:
    name = _require_online(call, node)
    call.require(ADMINISTER)
    script = call.parameter("script")
    if script is None or call.method != "POST":
        return _show_console(call, "")
    return _render_result(call, script, name)


async def _render_result(call: Call, script: str, node: str) -> Response:
    return _show_console(call, await run_script(call, script, node))


def _show_console(call: Call, text: str) -> Response:
    result = f"<h2>Result</h2><pre>{html.escape(text)}</pre>" if text else ""
    form = "<form method='post'><textarea name='script'></textarea><button>Run</button></form>"
    return call.page("Script Console - Manage Jenkins - Jenkins", f"<h1>Script Console</h1>{form}{result}")


def _require_online(call: Call, name: str) -> str:
    """Return the name of the node, empty for the controller. Missing and offline nodes have no console."""
    if name in ("", *computers.CONTROLLER):
        return ""
    agent = computers.find_agent(call, name)
    if not agent or not agent.connected:
        raise NotFound
    return name


async def run_script(call: Call, script: str, node: str = "") -> str:
    """Return the output of a script.

    Scripts that the sandbox knows come first, then scripted answers, then Groovy if it is available.

    :arg node: empty for the controller
    """
    with call.controller.runtime.transaction():
        output = None if node else plugin_scripts.run_known_script(call, script)
        known = None if node or output is not None else known_scripts.run_known_script(call, script)
    if output is not None:
        return output
    ending = known or await script_answers.find_answer(call.controller, extract_code(call, script), node)
    jar = call.switch("groovy_jar")
    if ending is None and jar:
        fields = {name: call.parameter(name) or "" for name in ("code", "args")}
        where = f"node:{node}" if node else "controller"
        answer = await call.controller.groovy.execute(jar, where, {**fields, "script": script})
        if answer is None:
            raise ConnectionDropped
        return answer
    ending = ending or script_answers.to_result(script_answers.UNKNOWN if script.strip() else {})
    await asyncio.sleep(ending.seconds)
    return format_console(script, ending)


ROUTES = (
    Route(ANY, "/scriptText", _text, "script"),
    Route(ANY, NODE + "/scriptText", _text, "script"),
    Route(ANY, "/script", _page, "script"),
    Route(ANY, NODE + "/script", _page, "script"),
)
