# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Groovy scripts on a CI server: run in its script console, with their end known."""

from __future__ import annotations

import re
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import groovy, server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_CONTROLLER = ("(built-in)", "(master)")
_NO_WORD = (
    "The server answers when a script has come to its end, not before. It may run still, for a client that goes away "
    "does not stop it; or the server was stopped or restarted."
)
_IN_CODE = re.compile(r"TaskScript\.groovy: (\d+): (.*)")
_LONGEST_SUMMARY = 500


class Script:
    """The script of a task, with the one that says whether it is needed."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._code = _code(task.params)
        self._args = _args(task.params)
        self._path = "/scriptText"
        if task.params["node"] is not None:
            self._path = f"/computer{encode_path(task.params['node'], option='node')}/scriptText"

    def plan(self) -> dict[str, t.Any] | None:
        """What the task does; nothing when the script of `unless` says so."""
        unless = self._task.params["unless"]
        if unless and self._run(unless, "The script of 'unless'", reads=True)["holds"]:
            return None
        return {"action": "run", "node": self._task.params["node"]}

    def rehearse(self) -> dict[str, t.Any]:
        """Run a script that only reads; for another one check the permission, which the script of 'unless' needs too.

        :raises ToolchainError: if the script would be refused
        """
        if self._task.params["read_only"]:
            return self.carry_out()
        if self._task.params["unless"] is None:
            server.check_administers(self._ci)
        return {}

    def carry_out(self) -> dict[str, t.Any]:
        """Run the script; gives what it printed and returned. It says itself whether it changed something."""
        reads = self._task.params["read_only"]
        end = self._run(self._code, "The script", reads=reads)
        value = end["value"]
        said = value.get("changed") if isinstance(value, dict) else None
        self._task.has_written = not reads and said is not False
        return {"output": end["output"], "value": value}

    def _run(self, code: str, what: str, *, reads: bool) -> dict[str, t.Any]:
        """Run a script; gives its `output`, its `value`, and whether that `holds`.

        :raises ToolchainError: when it failed
        :raises OutcomeUnknown: when its end is not known
        """
        in_form = self._task.params["node"] in (None, *_CONTROLLER)
        form = (groovy.with_fields if in_form else groovy.with_literals)(code, self._args)
        response = self._post(form, reads)
        found = groovy.end_of(response.text)
        if found is None:
            raise OutcomeUnknown(
                f"{what} was sent to {self._path}, but the answer does not tell of its end: "
                f"{response.server_message or ('it is something else' if response.text else 'it is empty')}. "
                "Is no login page or proxy in between?"
            )
        output, end = found
        if "error" in end:
            self._task.has_written = self._task.has_written or (end["ran"] and not reads)
            self._task.result.update(output=output, error=_described(end["error"]))
            raise ToolchainError(_failure(what, end["ran"], self._task.result["error"]))
        return {"output": output, **end}

    def _post(self, form: dict[str, str], reads: bool) -> Response:
        timeout = self._task.params["wait_timeout"]
        left = "interrupted, but the script runs on: the server does not stop it."
        try:
            with self._task.enforce_deadline(time.monotonic() + timeout), self._task.on_interrupt(lambda: [left]):
                return self._ci.post(
                    self._path, form=form, changes_state=False, reads=reads, timeout_option="wait_timeout"
                )
        except OutcomeUnknown as lost:
            raise OutcomeUnknown(f"{lost.cause} {_NO_WORD}") from None
        except ServerRefusal as refusal:
            if refusal.status == 404 and self._task.params["node"] is not None:
                raise ToolchainError(f"{refusal} There is no such node, or it is offline.") from None
            if refusal.status in (500, 502, 504):
                raise OutcomeUnknown(f"{refusal} {_NO_WORD}") from None
            raise


def _code(params: dict[str, t.Any]) -> str:
    """The script, from the task or from a file."""
    path = params["src"]
    if path is None:
        return params["script"]
    check_readable(path, "src")
    try:
        with open(rehearsal.resolve_read(path), encoding="utf-8-sig") as file:
            code = file.read()
    except ValueError:
        raise BadOption("src", f"'{path}' is no text in UTF-8") from None
    if not code.strip():
        raise BadOption("src", f"there is no script in '{path}'")
    return code


def _args(params: dict[str, t.Any]) -> dict[str, t.Any]:
    open_ones, secret_ones = params["args"] or {}, params["secret_args"] or {}
    if twice := open_ones.keys() & secret_ones.keys():
        raise BadOption("secret_args", f"has what 'args' has as well: {', '.join(sorted(twice))}")
    return {**open_ones, **secret_ones}


def _described(error: dict[str, t.Any]) -> dict[str, t.Any]:
    """An error with the line of the script, which a compile error has in its message."""
    in_code = _IN_CODE.search(error["message"] or "")
    line = int(in_code.group(1)) if in_code else error["line"]
    return {"type": error["type"], "message": error["message"], "line": line, "trace": error["trace"]}


def _failure(what: str, ran: bool, error: dict[str, t.Any]) -> str:
    message = error["message"] or ""
    if not ran:
        in_code = _IN_CODE.search(message)
        why = in_code.group(2) if in_code else message
        return f"{what} does not compile{_place(error)}, and nothing of it was run: {why}"
    lines = (line.strip() for line in message.splitlines())
    summary = next((line for line in lines if line and not line.startswith("Assertion failed")), "")
    name = error["type"].rpartition(".")[2]
    kind = "an assertion does not hold" if name.endswith("AssertionError") else name
    return f"{what} failed{_place(error)}: {kind}{': ' if summary else ''}{summary[:_LONGEST_SUMMARY]}"


def _place(error: dict[str, t.Any]) -> str:
    return f" in line {error['line']}" if error["line"] else ""
