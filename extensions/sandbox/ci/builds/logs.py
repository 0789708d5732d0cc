# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Console logs of builds."""

from __future__ import annotations

import base64
import html
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.integers import parse_integer
from ..call import Call
from ..http import pages
from ..http.refusals import InternalError
from ..jobs.item_kinds import PIPELINE
from ..storage import Build
from . import build_api

ROUNDING = 1e-6  # tolerance for calculated timestamps, in seconds


def read_log(build: Build, now: float, notes: bool) -> str:
    """Return the log until a time, with or without console notes."""
    lines = [_started_by(cause, notes) for cause in build.causes]
    if build.kind != PIPELINE.name:
        lines += [
            "Running as SYSTEM",
            f"Building in workspace /var/jenkins_home/workspace/{build.job}",
            *(f"Copying file to {one['name']}" for one in build.parameters or [] if "file" in one),
            f"[{build.job.rpartition('/')[2]}] $ /bin/sh -xe /tmp/jenkins{build.queue_id}.sh",
        ]
    lines += [_add_note(line, notes) for second, line in build.lines if build.started + second <= now + ROUNDING]
    if not build.running(now):
        lines.append(f"Finished: {build.outcome}")
    return "".join(f"{line}\n" for line in lines)


def _add_note(line: str, notes: bool) -> str:
    """Return a line with a console note before messages of the Pipeline engine."""
    return _note("pipeline") + line if notes and line.startswith("[Pipeline] ") else line


def _note(text: str) -> str:
    return f"\x1b[8mha:{base64.b64encode(bytes(4 * [255]) + text.encode()).decode()}\x1b[0m"


def _started_by(cause: dict[str, Any], notes: bool) -> str:
    description: str = cause["shortDescription"]
    name = cause.get("userName")
    if not notes or not name:
        return description
    return description.removesuffix(name) + _note(f"user {name}") + name


def _console_text(call: Call, job: str, build: str) -> Response:
    return pages.plain_text(read_log(build_api.find_by_path(call, job, build), call.now, notes=False))


def _progressive_text(call: Call, job: str, build: str) -> Response:
    found = build_api.find_by_path(call, job, build)
    try:
        start = parse_integer(call.parameters("start")[0], 64) if call.parameters("start") else 0
    except ValueError:
        raise InternalError from None
    log = read_log(found, call.now, notes=True).encode()
    rest = b"" if start < 0 else log[start if start <= len(log) else 0 :]
    answer = Response(rest.replace(b"\n", b"\r\n"), headers={"Content-Type": "text/plain;charset=utf-8"})
    answer.headers["X-Text-Size"] = str(len(log))
    if found.running(call.now):
        answer.headers["X-More-Data"] = "true"
    return answer


def _progressive_html(call: Call, job: str, build: str) -> Response:
    found = build_api.find_by_path(call, job, build)
    answer = Response(html.escape(read_log(found, call.now, notes=False), quote=False))
    answer.headers["Content-Type"] = "text/html;charset=utf-8"
    answer.headers["X-Text-Size"] = str(len(read_log(found, call.now, notes=True).encode()))
    return answer


def _console(call: Call, job: str, build: str) -> Response:
    found = build_api.find_by_path(call, job, build)
    log = html.escape(read_log(found, call.now, notes=False))
    return call.page(f"{found.job} #{found.number} Console - Jenkins", f"<pre class='console-output'>{log}</pre>")


ROUTES = (
    Route(ANY, build_api.PATH + "/consoleText", _console_text, "console_text", read_only=True),
    Route(ANY, build_api.PATH + "/console{:Full|}{:/?}", _console, "console_page", read_only=True),
    Route(ANY, build_api.PATH + "/logText/progressiveText", _progressive_text, "progressive_text", read_only=True),
    Route(ANY, build_api.PATH + "/progressiveLog", _progressive_text, "progressive_text", read_only=True),
    Route(ANY, build_api.PATH + "/logText/progressiveHtml", _progressive_html, "progressive_text", read_only=True),
)
