# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields that a server takes and may not tell."""

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
    """Sends such fields when there is something else to write, or always, and takes them for what was sent last.

    A server that tells them after all is believed, and they are fields as any other.
    """

    def __init__(self, task: Task, names: t.Iterable[str]) -> None:
        self._task = task
        self._names = tuple(names)
        self._always = task.params["update_unreadable"] == "always"
        self._sent: Fields = {}

    def add_sent(self, found: Fields | None) -> Fields | None:
        """The resource as it was read, with what was sent."""
        return None if found is None else {**self._sent, **found}

    def select_fields(self, before: Fields | None, wanted: Fields) -> Fields:
        """The desired fields, but for those that are not to be sent now; warns of them."""
        untold = [name for name in self._names if name in wanted and name not in (before or {})]
        told = {name: value for name, value in wanted.items() if name not in untold}
        if before is None or self._always or not untold or find_differences(before, told):
            return wanted
        self._task.warn(
            f"The server does not tell {', '.join(untold)}, which therefore cannot be compared and was not sent. "
            "Give 'update_unreadable: always' to send it each time."
        )
        return told

    def send(self, send: t.Callable[[Fields], t.Any], fields: Fields) -> None:
        """Send fields. What can be read back proves the rest of the same request, also when its reply is lost."""
        untold = {name: fields[name] for name in self._names if name in fields}
        sent_before = dict(self._sent)
        if len(untold) < len(fields):
            self._sent.update(untold)
        try:
            send(fields)
        except ServerRefusal:
            self._sent = sent_before
            raise
        self._sent.update(untold)
