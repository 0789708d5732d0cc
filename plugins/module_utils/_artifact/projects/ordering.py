# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order in which parts of a project change: what takes access away comes before what gives it."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


class Changes(t.NamedTuple):
    """Entries of parts to write, `None` for each one to remove.

    :ivar closing: entries that lose something, without what refers to entries that do not exist yet
    :ivar opening: entries that gain something
    """

    closing: Fields
    opening: Fields


def split(fields: Fields, current: Fields) -> Changes:
    """Return the entries of parts that differ in the order in which they are written.

    :arg fields: the entries that differ, `None` for each one to remove
    :arg current: the existing parts
    """
    closing: Fields = {part: {} for part in form.PARTS}
    opening: Fields = {part: {} for part in form.PARTS}
    for part in form.PARTS:
        existing = current.get(part, {})
        for name, value in fields.get(part, {}).items():
            if value is None:
                closing[part][name] = None
            elif name in existing and _loses(existing[name], value):
                closing[part][name] = narrowed = _drop_new_references(part, value, fields, current)
                if narrowed != value:
                    opening[part][name] = value
            else:
                opening[part][name] = value
    return Changes(closing, opening)


def only_loses(before: t.Any, after: t.Any) -> bool:
    """Return whether an entry gains nothing: a removed one, or a member with some of its roles."""
    return after is None or {*after} <= {*before}


def _loses(before: t.Any, after: t.Any) -> bool:
    """Return whether an entry has less access after a change. Lists that are not changed are missing in it."""
    if isinstance(after, list):
        return not {*before} <= {*after}
    if not isinstance(after, dict):
        return False
    if after.get("read_only"):
        return not before["read_only"]
    return any(_loses(before[name], value) for name, value in after.items() if isinstance(value, list))


def _drop_new_references(part: str, value: t.Any, fields: Fields, current: Fields) -> t.Any:
    """Return an entry without roles or environments that the task creates, `None` for a member without roles."""
    if part == "members":
        return [role for role in value if not _is_new("roles", role, fields, current)] or None
    if part == "roles" and "environments" in value:
        kept = [name for name in value["environments"] if not _is_new("environments", name, fields, current)]
        return {**value, "environments": kept}
    return value


def _is_new(part: str, name: str, fields: Fields, current: Fields) -> bool:
    return fields.get(part, {}).get(name) is not None and name not in current.get(part, {})
