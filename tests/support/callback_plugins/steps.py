# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prepare the sandbox before each play, and record the outcome of the play."""

from __future__ import annotations

import json
import os
import pathlib
import urllib.request

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: steps
type: aggregate
short_description: Prepare the sandbox before each play and record the outcome
description:
  - For the integration tests. STEP_CALLS contains the calls of the control API for each play, as JSON.
  - RECORD_FILE names the file for the outcomes, one JSON object per line.
  - SANDBOX_URL and SANDBOX_SECRET name the sandbox.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "steps"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._file = pathlib.Path(os.environ["RECORD_FILE"])
        self._file.write_text("", encoding="utf-8")
        self._calls = json.loads(os.environ["STEP_CALLS"])
        self._outcome = None

    def v2_playbook_on_play_start(self, play):
        self._record()
        for method, path, body in self._calls.pop(0):
            self._call(method, path, body)
        self._call("DELETE", "journal")
        self._outcome = {"failure": "", "changed": 0}

    def v2_playbook_on_stats(self, stats):
        self._record()

    def v2_runner_on_ok(self, result):
        self._outcome["changed"] += bool(result._result.get("changed"))

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._outcome["failure"] = str(result._result.get("msg", ""))

    def _record(self):
        if self._outcome:
            self._outcome["requests"] = self._call("GET", "journal")["requests"]
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self._outcome) + "\n")

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            f"{os.environ['SANDBOX_URL']}/_sandbox/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {os.environ['SANDBOX_SECRET']}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
