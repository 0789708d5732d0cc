# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run Groovy scripts in the script console and report their outcome."""

from __future__ import annotations

import re
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import console, groovy, judge
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import read_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_CONTROLLER = ("(built-in)", "(master)")
_OUTCOME_UNKNOWN = (
    "The outcome of the script is unknown: the server responds only after a script has finished. The script may still "
    "be running, or the server was stopped or restarted."
)
_PROVEN = (
    "Only an expression of properties, comparisons and simple read calls is known to change nothing, such as "
    "'Jenkins.instance.numExecutors == args.count'."
)
_COMPILE_ERROR = re.compile(r"TaskScript\.groovy: (\d+): (.*)")
_MAX_SUMMARY = 500


class Script:
    """The script of a task and its `unless` condition."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._code = _read_code(task.params)
        self._args = _merge_args(task.params)
        self._path = "/scriptText"
        if task.params["node"] is not None:
            self._path = f"/computer{encode_path(task.params['node'], option='node')}/scriptText"

    def plan(self) -> dict[str, t.Any] | None:
        """Return the action of the task, or `None` if the `unless` script returns true."""
        unless = self._task.params["unless"]
        if unless and self._may_run(unless, "The 'unless' script") and self._run_condition(unless):
            return None
        return {"action": "run", "node": self._task.params["node"]}

    def predict(self) -> dict[str, t.Any]:
        """Run a read-only script. For others, check the permission, unless the `unless` script has proven it.

        :raises ToolchainError: if the script fails or would be refused
        """
        unless = self._task.params["unless"]
        if self._task.params["read_only"] and self._may_run(self._code, "The script"):
            return self.apply()
        if unless is None or not judge.is_read_only(unless):
            server.check_administer_permission(self._ci)
        return {}

    def _may_run(self, code: str, subject: str) -> bool:
        """Return whether a script that is said to be read-only may run: in check mode, only if it surely is."""
        if not self._task.check_mode or judge.is_read_only(code):
            return True
        self._task.warn(f"{subject} was not run in check mode, because it may change something. {_PROVEN}")
        return False

    def _run_condition(self, code: str) -> bool:
        report = self._run(code, "The 'unless' script", read_only=True)
        return bool(report["holds"])

    def apply(self) -> dict[str, t.Any]:
        """Run the script; return its output and value."""
        read_only = self._task.params["read_only"]
        report = self._run(self._code, "The script", read_only=read_only)
        value = report["value"]
        has_changed = value.get("changed") if isinstance(value, dict) else None
        self._task.has_written = not read_only and has_changed is not False
        return {"output": report["output"], "value": value}

    def _run(self, code: str, subject: str, *, read_only: bool) -> dict[str, t.Any]:
        """Run a script; return its `output`, its `value` and whether this value `holds`.

        :arg subject: the script, for messages
        :raises ToolchainError: if it failed
        :raises OutcomeUnknown: if its outcome is unknown
        """
        is_controller = self._task.params["node"] in (None, *_CONTROLLER)
        form = (groovy.controller_form if is_controller else groovy.node_form)(code, self._args)
        response = self._post(form, read_only and judge.is_read_only(code))
        output, report = console.parse_report(response, subject, self._path)
        if "error" in report:
            self._task.has_written = self._task.has_written or (report["ran"] and not read_only)
            self._task.result.update(output=output, error=_describe_error(report["error"]))
            raise ToolchainError(_failure(subject, report["ran"], self._task.result["error"]))
        return {"output": output, **report}

    def _post(self, form: dict[str, str], is_proven: bool) -> Response:
        deadline = time.monotonic() + self._task.params["wait_timeout"]
        message = "interrupted, but the script continues to run: the server does not stop it."
        try:
            with self._task.enforce_deadline(deadline), self._task.on_interrupt(lambda: [message]):
                return self._ci.post(
                    self._path, form=form, changes_state=False, read_only=is_proven, timeout_option="wait_timeout"
                )
        except OutcomeUnknown as lost:
            raise OutcomeUnknown(f"{lost.cause} {_OUTCOME_UNKNOWN}") from None
        except ServerRefusal as refusal:
            if refusal.status == 404 and self._task.params["node"] is not None:
                raise ToolchainError(f"{refusal} The node does not exist or is offline.") from None
            if refusal.status in (500, 502, 504):
                raise OutcomeUnknown(f"{refusal} {_OUTCOME_UNKNOWN}") from None
            raise


def _read_code(params: dict[str, t.Any]) -> str:
    """Return the script from the option `script` or `src`."""
    path = params["src"]
    if path is None:
        return params["script"]
    code = read_text(path, "src")
    if not code.strip():
        raise BadOption("src", f"must contain a script, but '{path}' is empty")
    return code


def _merge_args(params: dict[str, t.Any]) -> dict[str, t.Any]:
    args, secret_args = params["args"] or {}, params["secret_args"] or {}
    if duplicates := args.keys() & secret_args.keys():
        raise BadOption("secret_args", f"must not contain keys of 'args': {', '.join(sorted(duplicates))}")
    return {**args, **secret_args}


def _describe_error(error: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the error with the line of the script; compile errors contain it in the message."""
    match = _COMPILE_ERROR.search(error["message"] or "")
    line = int(match.group(1)) if match else error["line"]
    return {"type": error["type"], "message": error["message"], "line": line, "trace": error["trace"]}


def _failure(subject: str, ran: bool, error: dict[str, t.Any]) -> str:
    """Return the message for a script that failed.

    :arg ran: whether the script was started
    """
    message = error["message"] or ""
    line = f" in line {error['line']}" if error["line"] else ""
    if not ran:
        match = _COMPILE_ERROR.search(message)
        return f"{subject} does not compile and was not run. Error{line}: {match.group(2) if match else message}"
    lines = (text.strip() for text in message.splitlines())
    summary = next((text for text in lines if text and not text.startswith("Assertion failed")), "")
    name = error["type"].rpartition(".")[2]
    kind = "the assertion is false" if name.endswith("AssertionError") else name
    return f"{subject} failed{line}: {kind}{': ' if summary else ''}{summary[:_MAX_SUMMARY]}"
