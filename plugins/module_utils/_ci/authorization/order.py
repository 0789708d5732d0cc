# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order of items: what closes access comes before what opens it."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, ItemSkipped, read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.form import HOLDERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.matrix_property import (
    Target,
    find_target,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, merge_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Levels of items. The server is after the folders, jobs and nodes that restrict what they inherit from it
_CLOSES, _DOES_BOTH, _DOES_BOTH_ON_SERVER, _OPENS = range(4)
_INHERITED = ("none", "global", "parent")

Key = t.Optional[Target]
Snapshots = dict[Key, t.Any]


class Managed(t.Protocol):
    """The permissions of an object.

    :ivar snapshot: what `find` has read
    """

    snapshot: t.Any

    def find(self) -> Fields | None:
        """Return the current permissions."""

    def desired(self, before: Fields | None) -> Fields:
        """Return the declared permissions."""


class Order:
    """The order of the items of a task.

    :arg snapshots: takes what is read, by target, so that the items need not read it again
    :arg open_managed: returns the permissions that the task of an item manages
    """

    def __init__(self, task: Task, snapshots: Snapshots, open_managed: t.Callable[[Task], Managed]) -> None:
        self._task, self._open_managed = task, open_managed
        self._snapshots = snapshots
        self._levels: dict[Key, int] = {}
        self._failed: list[Key] = []

    def prepare(self, items: list[Item]) -> list[Item]:
        """Find out which items close and open access. A failure is that of the item."""
        if len(items) > 1:
            read_concurrently(self._task, [str(number) for number in range(len(items))], self._reader(items))
        return items

    def find_level(self, item: Item) -> int:
        """Return the level of an item."""
        return self._levels.get(self._key(item), _DOES_BOTH)

    @contextlib.contextmanager
    def follow(self, params: Fields) -> t.Iterator[None]:
        """Skip an item that only opens access after an item failed that closes it there, and remember failures."""
        key = find_target(params)
        if self._levels.get(key) == _OPENS and (failed := [other for other in self._failed if _overlap(key, other)]):
            label = failed[0].label if failed[0] else "the server"
            raise ItemSkipped(f"the permissions of {label} could not be changed, which has to come before.")
        try:
            yield
        except ToolchainError:
            if self._levels.get(key) != _OPENS:
                self._failed.append(key)
            raise

    def _reader(self, items: list[Item]) -> t.Callable[[Task, str], None]:
        def read(_task: Task, number: str) -> None:
            params = inherit_options(self._task.params, items[int(number)])
            key = find_target(params)
            managed = self._open_managed(self._task.create_item_task(params, diff_mode=False))
            with contextlib.suppress(ToolchainError):
                before = managed.find()
                self._snapshots[key] = managed.snapshot
                after = None if params["state"] == "absent" else merge_fields(before, managed.desired(before))
                self._levels[key] = _find_level(key, before or {}, after or {})

        return read

    def _key(self, item: Item) -> Key:
        return find_target(inherit_options(self._task.params, item))


def _find_level(key: Key, before: Fields, after: Fields) -> int:
    old, new = set(_list_grants(before)), set(_list_grants(after))
    inherited = (
        _INHERITED.index(before.get("inheritance", "parent")),
        _INHERITED.index(after.get("inheritance", "parent")),
    )
    closes = bool(old - new) or inherited[1] < inherited[0]
    opens = bool(new - old) or inherited[1] > inherited[0]
    if opens and closes:
        return _DOES_BOTH if key else _DOES_BOTH_ON_SERVER
    return _OPENS if opens else _CLOSES


def _list_grants(fields: Fields) -> t.Iterator[tuple[str, ...]]:
    for kind in HOLDERS:
        for name, permissions in fields.get(kind, {}).items():
            yield from (("", kind, name, permission) for permission in permissions or ())
    for role_type, roles in fields.get("roles", {}).items():
        for role in roles.values():
            scope = f"{role_type} {role.get('pattern', '')}"
            for kind in HOLDERS:
                for name in role.get(kind) or ():
                    yield from ((scope, kind, name, permission) for permission in role.get("permissions") or ())


def _overlap(one: Key, other: Key) -> bool:
    """Return whether one object is the other or contains it. The server contains everything."""
    if one is None or other is None:
        return True
    if "node" in (one.option, other.option):
        return one == other
    first, second = f"{one.name.strip('/')}/", f"{other.name.strip('/')}/"
    return first.startswith(second) or second.startswith(first)
