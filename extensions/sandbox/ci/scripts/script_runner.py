# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain scripts, and scripts within the runner of buildworks.toolchain."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

from ..call import Call
from .script_answers import ScriptResult

RUNNER = "// The runner of buildworks.toolchain\n"
LITERALS = re.compile(r"def code = decoded\(\[(.*)\]\)")
MARK = "\n@@toolchain@@"


def extract_code(call: Call, script: str) -> str:
    """Return the script itself, without the runner."""
    if not script.startswith(RUNNER):
        return script
    literals = LITERALS.search(script)
    if literals:
        return unquote("".join(re.findall("'(.*?)'", literals[1])))
    return call.parameter("code") or ""


def format_console(script: str, ending: ScriptResult) -> str:
    """Return the output of the console."""
    return ending.output + (
        _format_runner_result(ending) if script.startswith(RUNNER) else _format_plain_result(ending)
    )


def _format_runner_result(ending: ScriptResult) -> str:
    """Return the result in the format of the runner."""
    end: dict[str, Any] = {"ran": ending.is_compiled, "value": ending.value, "holds": bool(ending.value)}
    if ending.error:
        message = ending.error["message"] and ending.error["message"].replace("Script1.groovy", "TaskScript.groovy")
        trace = [f"TaskScript.run(TaskScript.groovy:{ending.error['line']})"] if ending.is_compiled else []
        end = {"ran": ending.is_compiled, "error": {**ending.error, "message": message, "trace": trace}}
    return MARK + json.dumps(end)


def _format_plain_result(ending: ScriptResult) -> str:
    """Return the result in the format of Jenkins: a value or a stack trace."""
    if ending.error is None:
        return "" if ending.value is None else f"Result: {_java_text(ending.value)}\n"
    cause = ": ".join(filter(None, (ending.error["type"], ending.error["message"])))
    frame = (
        "Script1.run(Script1.groovy:{line})" if ending.is_compiled else "groovy.lang.GroovyShell.parse(Unknown Source)"
    )
    return (
        f"{cause}\n\tat {frame.format(**ending.error)}\n\tat groovy.lang.GroovyShell.evaluate(GroovyShell.java:574)\n"
    )


def _java_text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_java_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_java_text, value)) + "]"
    return str(value) if isinstance(value, str) else json.dumps(value)
