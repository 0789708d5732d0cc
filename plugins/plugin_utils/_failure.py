# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What becomes of a task that failed."""

from __future__ import annotations

import typing as t

from ansible.playbook.block import Block


def of_failed(result: t.Any, ignore_errors: bool) -> str:
    """`ignored`, `rescued` or `failed`."""
    return "ignored" if ignore_errors else "rescued" if _is_rescued(result._task) else "failed"


def of_unreachable(result: t.Any) -> str:
    """`ignored` or `unreachable`."""
    return "ignored" if result._task_fields.get("ignore_unreachable") else "unreachable"


def _is_rescued(task: t.Any) -> bool:
    """Whether a block around the task goes on with its `rescue` when the task fails."""
    child, parent = task, task._parent
    while parent:
        if isinstance(parent, Block) and parent.rescue and any(child._uuid == one._uuid for one in parent.block):
            return True
        child, parent = parent, parent._parent
    return False
