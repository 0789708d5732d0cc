# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The outcome of a failed task."""

from __future__ import annotations

import typing as t

from ansible.playbook.block import Block


def classify_failed(result: t.Any, ignore_errors: bool) -> str:
    """Return `ignored`, `rescued` or `failed`."""
    return "ignored" if ignore_errors else "rescued" if _is_rescued(result._task) else "failed"


def classify_unreachable(result: t.Any) -> str:
    """Return `ignored` or `unreachable`."""
    return "ignored" if result._task_fields.get("ignore_unreachable") else "unreachable"


def _is_rescued(task: t.Any) -> bool:
    """Return whether an enclosing block rescues the failure of a task."""
    child, parent = task, task._parent
    while parent:
        if isinstance(parent, Block) and parent.rescue and any(child._uuid == one._uuid for one in parent.block):
            return True
        child, parent = parent, parent._parent
    return False
