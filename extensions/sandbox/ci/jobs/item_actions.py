# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of items in the remote API."""

from __future__ import annotations

from collections.abc import Callable

from ..access.permissions import JOB_CONFIGURE
from ..call import Call
from ..remote_api.beans import Bean, opaque_bean
from ..storage import Job

# Parts of the sandbox that simulate a plugin with such an action add it; None stands for no action
ITEM_ACTIONS: list[Callable[[Call, Job], Bean | None]] = []


def list_actions(call: Call, job: Job) -> list[Bean]:
    """Return actions without exported members, one more for users who may configure the item, and those of plugins."""
    opaque = [opaque_bean() for _unused in range(2 if call.principal.may(JOB_CONFIGURE) else 1)]
    added = [create(call, job) for create in ITEM_ACTIONS]
    return [*opaque, *(action for action in added if action)]
