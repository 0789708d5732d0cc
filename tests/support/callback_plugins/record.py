# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record the result of each task, and its requests to the sandbox."""

from __future__ import annotations

import json
import os
import pathlib
import urllib.request

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record
type: aggregate
short_description: Write each task's result and requests to a file, a JSON object a line
description: For the integration tests. The file is named by RECORD_FILE, the sandbox by SANDBOX_URL and SANDBOX_SECRET.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "record"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._file = pathlib.Path(os.environ["RECORD_FILE"]).open("w", encoding="utf-8")  # noqa: SIM115
        self._journal("DELETE")

    def v2_runner_on_ok(self, result):
        self._record("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._record("failed", result)

    def v2_runner_on_unreachable(self, result):
        self._record("unreachable", result)

    def v2_runner_on_skipped(self, result):
        self._record("skipped", result)

    def _record(self, status, result):
        entry = {
            "task": result._task.get_name(),
            "status": status,
            "result": json.loads(json.dumps(result._result, default=str)),
            "requests": self._journal("GET")["requests"],
        }
        self._journal("DELETE")
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()

    def _journal(self, method):
        request = urllib.request.Request(
            f"{os.environ['SANDBOX_URL']}/_sandbox/journal",
            headers={"Authorization": f"Bearer {os.environ['SANDBOX_SECRET']}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
