# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that the server accepts but may not return."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

UPDATE_UNREADABLE = ArgumentSpec(
    dict(update_unreadable=dict(type="str", choices=["with_changes", "always"], default="with_changes"))
)


class WriteOnlyFields:
    """Write-only fields of a resource, which are sent with other changes or on each run (`update_unreadable`).

    The values that were sent count as the current ones. Fields that the server returns are compared like all others.
    """

    def __init__(self, task: Task, names: t.Iterable[str]) -> None:
        self._task = task
        self._names = tuple(names)
        self._always = task.params["update_unreadable"] == "always"
        self._sent: Fields = {}

    def add_sent(self, current: Fields | None) -> Fields | None:
        """Return the resource as read, with the values that were sent."""
        return None if current is None else {**self._sent, **current}

    def select_fields(self, before: Fields | None, desired: Fields) -> Fields:
        """Return the desired fields without those that should not be sent now, and warn about them."""
        unreadable = [name for name in self._names if name in desired and name not in (before or {})]
        compared = {name: value for name, value in desired.items() if name not in unreadable}
        if before is None or self._always or not unreadable or find_differences(before, compared):
            return desired
        self._task.warn(
            f"Did not send {', '.join(unreadable)}: the server does not return the current value, so it cannot be "
            "compared. Set 'update_unreadable: always' to send it on each run."
        )
        return compared

    def send(self, send: t.Callable[[Fields], t.Any], fields: Fields) -> None:
        """Send fields. If fields of the same request can be read back, they prove that the others were stored."""
        unreadable = {name: fields[name] for name in self._names if name in fields}
        sent_before = dict(self._sent)
        if len(unreadable) < len(fields):
            self._sent.update(unreadable)
        try:
            send(fields)
        except ServerRefusal:
            self._sent = sent_before
            raise
        self._sent.update(unreadable)
