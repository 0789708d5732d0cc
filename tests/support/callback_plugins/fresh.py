# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reset the sandbox before each play, so that the plays of one run do not depend on each other."""

from __future__ import annotations

import os
import urllib.request

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: fresh
type: aggregate
short_description: Reset the sandbox before each play
description: For the integration tests. The sandbox is named by SANDBOX_URL and SANDBOX_SECRET.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "fresh"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_play_start(self, play):
        request = urllib.request.Request(
            f"{os.environ['SANDBOX_URL']}/_sandbox/reset",
            headers={"Authorization": f"Bearer {os.environ['SANDBOX_SECRET']}"},
            method="POST",
        )
        urllib.request.urlopen(request, timeout=60).close()
