# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write one JSON document to standard output, like the callback `json` of older distributions."""

from __future__ import annotations

import json
import sys

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: one_document
type: stdout
short_description: The result of the one task, as JSON
description: For the integration tests.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "one_document"

    def v2_runner_on_ok(self, result):
        sys.stdout.write(json.dumps(result._result, default=str))
