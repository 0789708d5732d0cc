# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shorten the timeout of tasks that wait for an SSH connection, because rehearsals disable SSH."""

from __future__ import annotations

import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: rehearsal
type: aggregate
short_description: Shorten the timeout of wait_for_connection
description: Tasks that run M(ansible.builtin.wait_for_connection) fail after one second during a rehearsal.
"""

WAIT_ACTIONS = ("ansible.builtin.wait_for_connection", "ansible.legacy.wait_for_connection", "wait_for_connection")


class CallbackModule(CallbackBase):
    """Callback plugin for rehearsals."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "rehearsal"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        """Set delay and timeout of a task that waits for a connection."""
        if task.action in WAIT_ACTIONS:
            task.args = {**task.args, "delay": 0, "timeout": 1}
