# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Existing objects that no item of a task declares."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, LevelOf
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import join_names
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def append_undeclared(
    task: Task,
    kind: str,
    items: list[Item],
    option: str,
    list_names: t.Callable[[], t.Iterable[str]],
    normalize: t.Callable[[str], str] = str,
) -> list[Item]:
    """Return the items and, with `undeclared: remove`, an item that deletes each object that no item declares.

    The result has the names of these objects in `undeclared`.

    :arg kind: what the objects are, such as `users`
    :arg option: the option that identifies an object
    :arg list_names: returns the names of the existing objects that may be deleted
    :arg normalize: returns a name as the service stores it
    """

    def list_undeclared() -> dict[str, Item]:
        named = [task.params[option], *(item.get(option) for item in items)]
        return {name: {option: name} for name in set(list_names()) - {normalize(name) for name in named if name}}

    return append_undeclared_objects(task, kind, items, list_undeclared)


def append_undeclared_objects(
    task: Task, kind: str, items: list[Item], list_undeclared: t.Callable[[], dict[str, Item]]
) -> list[Item]:
    """Do the same as `append_undeclared` for objects that several options identify.

    :arg list_undeclared: returns the options that identify each object that no item declares and that may be deleted,
        by a name for messages
    """
    if task.params["undeclared"] == "keep":
        return items
    found = list_undeclared()
    names = sorted(found)
    task.result["undeclared"] = names
    if task.params["undeclared"] == "remove":
        return [*items, *({**found[name], "state": "absent"} for name in names)]
    warn_of_undeclared(task, kind, names)
    return items


def is_selected(task: Task, **values: t.Any) -> bool:
    """Return whether an object has the values of the options that are set beside `items`.

    :arg values: values of the object by option
    """
    return all(task.params[option] in (None, value) for option, value in values.items())


def deletions_first(task: Task) -> LevelOf:
    """Return the level of items for which what closes access comes before what opens it."""
    return lambda item: int(inherit_options(task.params, item)["state"] != "absent")


def warn_of_undeclared(task: Task, kind: str, names: t.Collection[str]) -> None:
    """Warn if objects exist that the task does not declare."""
    if names:
        task.warn(f"These {kind} exist, but are not declared: {join_names(names)}.")
