# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets a task fail soon that waits for a machine, because a rehearsal logs in to no machine."""

from __future__ import annotations

import typing as t

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: rehearsal
type: aggregate
short_description: Lets tasks that wait for a machine fail soon
description: Tasks of M(ansible.builtin.wait_for_connection) try to connect for a second only.
"""

WAITING = ("ansible.builtin.wait_for_connection", "ansible.legacy.wait_for_connection", "wait_for_connection")


class CallbackModule(CallbackBase):
    """Listens to a rehearsal."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "rehearsal"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        """Bound the time of a task that waits for a connection."""
        if task.action in WAITING:
            task.args = {**task.args, "delay": 0, "timeout": 1}
