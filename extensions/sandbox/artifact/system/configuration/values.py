# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation and merging of values of the central configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schema import Keyed, Number, Text, TextList

# Values of a YAML document that delete the member.
DELETIONS = (None, "~")
MAX_LEAVES = 100_000
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


class ViolatesSchema(Exception):
    """A value that the schema does not allow."""


class UnknownMember(ViolatesSchema):
    """A member that the schema does not have."""

    def __init__(self, path: str) -> None:
        """Create the error for a path, such as `mailServer.hots`."""
        super().__init__(path)
        self.path = path


class UnknownRepository(ViolatesSchema):
    """A reference to a repository that does not exist."""

    def __init__(self, key: str) -> None:
        """Create the error for the key of a repository."""
        super().__init__(key)
        self.key = key


def complete(kind: Any, value: Any, path: str) -> Any:
    """Return a valid value with all defaults, or `None` if it is absent.

    :arg kind: type or default of the value, as in `schema.SECTIONS`
    :raises ViolatesSchema: if the schema does not allow the value
    """
    if isinstance(kind, dict):
        return _complete_members(kind, value, path)
    if isinstance(kind, Keyed):
        _require(value is None or isinstance(value, dict), path)
        return {str(key): _complete_object(kind, inner or {}, f"{path}.{key}") for key, inner in value.items()}
    if isinstance(kind, TextList):
        values = value or []
        _require(isinstance(values, list) and all(isinstance(text, str) for text in values), path)
        return list(dict.fromkeys(values))
    if isinstance(kind, (Text, Number)) and value is None:
        _require(not kind.is_required, path)
        return None
    if value is None:
        return kind
    return _convert(kind, value, path)


def _complete_object(kind: Keyed, value: Any, path: str) -> dict[str, Any]:
    """Return an object with its defaults. Clients may repeat its key as a member."""
    members = {name: inner for name, inner in value.items() if name != kind.key} if isinstance(value, dict) else value
    return _complete_members(kind.members, members, path)


def _complete_members(members: Mapping[str, Any], value: Any, path: str) -> dict[str, Any]:
    _require(isinstance(value, dict), path)
    for name in value:
        if name not in members:
            raise UnknownMember(f"{path}.{name}")
    completed: dict[str, Any] = {}
    for name, kind in members.items():
        inner = value.get(name)
        if inner is None and isinstance(kind, (dict, Keyed)):
            inner = None if _has_required(kind) else {}
            if inner is None:
                continue
        result = complete(kind, inner, f"{path}.{name}")
        if result is not None:
            completed[name] = result
    return completed


def _has_required(kind: Any) -> bool:
    return isinstance(kind, dict) and any(isinstance(inner, Text) and inner.is_required for inner in kind.values())


def _convert(kind: Any, value: Any, path: str) -> Any:
    _require(not isinstance(value, (dict, list)), path)
    if isinstance(kind, bool):
        text = str(value).strip().lower()
        _require(text in _BOOLEANS, path)
        return _BOOLEANS[text]
    if isinstance(kind, (int, Number)):
        try:
            return int(str(value))
        except ValueError:
            raise ViolatesSchema(path) from None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _require(is_valid: bool, path: str) -> None:
    if not is_valid:
        raise ViolatesSchema(path)


def drop_unknown(kind: Any, value: Any) -> Any:
    """Return a value without the members that the schema does not have."""
    if not isinstance(value, dict):
        return value
    if isinstance(kind, Keyed):
        return {key: drop_unknown(kind.members, inner) for key, inner in value.items()}
    return {name: drop_unknown(kind[name], inner) for name, inner in value.items() if name in kind}


def count_leaves(value: Any, depth: int = 0) -> int:
    """Return the number of values in a YAML document, which the server reports as changes.

    :raises ValueError: if the document is too large or too deep, for example because of aliases
    """
    if depth > 50:
        raise ValueError("The document is nested too deeply.")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is None:
        return 1
    total = 0
    for part in inner:
        total += count_leaves(part, depth + 1)
        if total > MAX_LEAVES:
            raise ValueError("The document is too large.")
    return total or int(isinstance(value, list))


def merge(kind: Any, current: Any, change: Any, *, lists_by_index: bool) -> Any:
    """Return a value after a change from a YAML document.

    :arg lists_by_index: whether the elements of a list replace those at the same index instead of all
    """
    if isinstance(kind, TextList) and isinstance(change, list) and lists_by_index:
        return [*change, *(current or [])[len(change) :]]
    if not isinstance(change, dict):
        return change
    merged = dict(current or {})
    for name, value in change.items():
        inner = kind.members if isinstance(kind, Keyed) else kind.get(name) if isinstance(kind, dict) else None
        key = str(name)
        if value in DELETIONS:
            if not (isinstance(kind, Keyed) and kind.ignores_deletion):
                merged.pop(key, None)
        elif value != {}:  # without values there is no change
            merged[key] = merge(inner, merged.get(key), value, lists_by_index=lists_by_index)
    return merged
