# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The desired part of the configuration: validation of the user's document, and comparison with the descriptor."""

from __future__ import annotations

import difflib
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.descriptor import (
    is_secret_name,
    mask_secrets,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.kinds import (
    REFUSED_SECTIONS,
    SECTIONS,
    Collection,
    NameSet,
    Scalar,
    inner_kind,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

OPTION = "configuration"
_EMPTY: tuple[t.Any, ...] = (None, "", [], {})
_SIMILARITY = 0.85


class Document:
    """The document of the option `configuration`.

    :ivar desired: its members in the form in which they are sent
    :ivar secret_names: names of the members that are secrets

    :arg allow_delete_section: whether null may delete sections and collections
    :raises BadOption: if the document is invalid
    """

    def __init__(self, document: dict[str, t.Any], allow_delete_section: bool) -> None:
        self.secret_names: set[str] = set()
        self._allow_delete_section = allow_delete_section
        for name in document:
            if name in REFUSED_SECTIONS:
                raise BadOption(f"{OPTION}.{name}", f"cannot be set: {REFUSED_SECTIONS[name]}")
        self.desired = self._prepare_members(SECTIONS, document, OPTION)
        if not _has_leaf(self.desired):
            raise BadOption(OPTION, "must contain at least one value")
        self._check_secret_names(SECTIONS, self.desired, OPTION)

    def _prepare_members(self, kind: t.Any, value: dict[str, t.Any], path: str) -> dict[str, t.Any]:
        prepared: dict[str, t.Any] = {}
        for name, inner in value.items():
            inner_path = f"{path}.{name}"
            if not name.strip() or name != name.strip():
                raise BadOption(path, f"must not have the key {name!r}, which is empty or starts or ends with a space")
            if isinstance(kind, Collection) and inner is None:
                prepared[name] = None
            elif isinstance(kind, Collection):
                prepared[name] = self._prepare_object(kind, name, inner, inner_path)
            else:
                prepared[name] = self._prepare(inner_kind(kind, name), name, inner, inner_path)
        return prepared

    def _prepare_object(self, kind: Collection, name: str, value: t.Any, path: str) -> dict[str, t.Any]:
        if not isinstance(value, dict):
            raise BadOption(path, "must be a dictionary")
        if value.get(kind.key, name) != name:
            raise BadOption(f"{path}.{kind.key}", f"must be '{name}', the key of the object, or be omitted")
        members = {member: inner for member, inner in value.items() if member != kind.key}
        return self._prepare_members(kind.members, members, path)

    def _prepare(self, kind: t.Any, name: str, value: t.Any, path: str) -> t.Any:
        if kind is Scalar.SECRET or (isinstance(value, str) and is_secret_name(kind, name)):
            return self._prepare_secret(name, value, path)
        if value is None:
            self._check_deletion(kind, path)
            return None
        if isinstance(kind, (Collection, dict)):
            if not isinstance(value, dict):
                problem = f"must be a dictionary by '{kind.key}'" if isinstance(kind, Collection) else ""
                raise BadOption(path, problem or "must be a dictionary")
            return self._prepare_members(kind, value, path)
        if isinstance(kind, NameSet):
            return sorted(set(_check_names(value, path)))
        if kind is Scalar.NAMES and isinstance(value, list):
            return ",".join(sorted(set(_check_names(value, path))))
        if kind is Scalar.UNKNOWN and isinstance(value, dict):
            return self._prepare_members(kind, value, path)
        if kind is Scalar.UNKNOWN and isinstance(value, list):
            return [self._prepare(kind, "", inner, f"{path}[{index}]") for index, inner in enumerate(value)]
        return _prepare_scalar(kind, value, path)

    def _prepare_secret(self, name: str, value: t.Any, path: str) -> str:
        if not isinstance(value, str):
            raise BadOption(path, "must be a string. Put numbers in quotes, and use an empty string to remove a secret")
        self.secret_names.add(name)
        return _check_text(value, path)

    def _check_deletion(self, kind: t.Any, path: str) -> None:
        is_section = path.count(".") == 1
        if isinstance(kind, Scalar) and not (is_section or kind is Scalar.UNKNOWN):
            raise BadOption(path, "must not be null, because only objects and sections can be deleted. Set a value")
        if (is_section or isinstance(kind, (Collection, dict))) and not self._allow_delete_section:
            raise BadOption(path, "null would delete the whole section. Set 'allow_delete_section' to allow this")

    def _check_secret_names(self, kind: t.Any, value: t.Any, path: str) -> None:
        """Verify that no object has the name of a secret, because secrets are recognized by their names."""
        for name, inner in value.items() if isinstance(value, dict) else ():
            if isinstance(kind, Collection) and name in self.secret_names:
                raise BadOption(f"{path}.{name}", "has the name of a secret in the same task. Use a task of its own")
            self._check_secret_names(inner_kind(kind, name), inner, f"{path}.{name}")


def _prepare_scalar(kind: t.Any, value: t.Any, path: str) -> t.Any:
    if isinstance(value, (dict, list)):
        raise BadOption(path, "must be a single value")
    if isinstance(value, float):
        raise BadOption(path, "must not be a number with a fraction. Put it in quotes if it is a string")
    if kind is Scalar.FLAG:
        try:
            return bool(boolean(value))
        except TypeError:
            raise BadOption(path, f"must be true or false, not {value!r}") from None
    if kind is Scalar.NUMBER:
        try:
            return int(str(value).strip()) if not isinstance(value, bool) else int("")
        except ValueError:
            raise BadOption(path, f"must be an integer, not {value!r}") from None
    if kind is Scalar.UNKNOWN and not isinstance(value, str):
        return value
    return _check_text(_to_text(value), path)


def _check_text(text: str, path: str) -> str:
    if text.strip() == "~":
        raise BadOption(path, "must not be '~', because Artifactory deletes members with this value")
    if "\0" in text:
        raise BadOption(path, "must not contain NUL characters")
    return text


def _check_names(value: t.Any, path: str) -> list[str]:
    if not isinstance(value, list):
        raise BadOption(path, "must be a list")
    for index, name in enumerate(value):
        if not isinstance(name, str) or not name.strip():
            raise BadOption(f"{path}[{index}]", "must be a non-empty string")
        _check_text(name, f"{path}[{index}]")
    return [name.strip() for name in value]


def _has_leaf(value: t.Any) -> bool:
    return any(map(_has_leaf, value.values())) if isinstance(value, dict) else True


def align(kind: t.Any, current: t.Any, desired: t.Any, secret_names: t.Container[str] = ()) -> t.Any:
    """Return the part of the current value that the desired one names, in its form where both mean the same.

    :arg secret_names: members to leave out
    """
    if isinstance(desired, dict) and (isinstance(current, dict) or not desired):
        members = current if isinstance(current, dict) else {}
        aligned = {
            name: align(inner_kind(kind, name), members.get(name), inner, secret_names)
            for name, inner in desired.items()
            if name not in secret_names
        }
        return {name: value for name, value in aligned.items() if value is not None}
    return desired if _is_equivalent(kind, current, desired) else mask_secrets(kind, current)


def _is_equivalent(kind: t.Any, current: t.Any, desired: t.Any) -> bool:
    if desired in _EMPTY and current in _EMPTY:
        return True
    if isinstance(current, dict) or isinstance(desired, dict) or current is None or desired is None:
        return False
    if isinstance(current, list) or isinstance(desired, list):
        return _to_list(kind, current) == _to_list(kind, desired)
    one, other = _to_text(current).strip(), _to_text(desired).strip()
    if kind is Scalar.CHOICE:
        return one.casefold() == other.casefold()
    if kind is Scalar.NAMES:
        return _split_names(one) == _split_names(other)
    return one == other


def _to_list(kind: t.Any, value: t.Any) -> list[str]:
    texts = [_to_text(item) for item in (value if isinstance(value, list) else [value])]
    return sorted(set(texts)) if isinstance(kind, NameSet) else texts


def _split_names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",") if name.strip()}


def _to_text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def find_missing_objects(kind: t.Any, current: t.Any, desired: t.Any, path: str = OPTION) -> t.Iterator[str]:
    """Yield the paths of objects that do not exist and have no members, which the server would not create."""
    if not isinstance(desired, dict):
        return
    members = current if isinstance(current, dict) else {}
    for name, inner in desired.items():
        inner_path = f"{path}.{name}"
        if isinstance(kind, Collection) and inner == {} and name not in members:
            yield inner_path
        yield from find_missing_objects(inner_kind(kind, name), members.get(name), inner, inner_path)


def find_ignored_deletions(kind: t.Any, current: t.Any, desired: t.Any, path: str = OPTION) -> t.Iterator[str]:
    """Yield the paths of existing objects whose deletion the server ignores."""
    if not (isinstance(desired, dict) and isinstance(current, dict)):
        return
    for name, inner in desired.items():
        inner_path = f"{path}.{name}"
        if isinstance(kind, Collection) and not kind.deletes_objects and inner is None and name in current:
            yield inner_path
        yield from find_ignored_deletions(inner_kind(kind, name), current.get(name), inner, inner_path)


def find_misspelled(kind: t.Any, current: t.Any, desired: t.Any, path: str = OPTION) -> t.Iterator[tuple[str, str]]:
    """Yield the paths of unknown members with the most similar known one, or for an unknown section, the known ones."""
    if not isinstance(desired, dict):
        return
    members = current if isinstance(current, dict) else {}
    for name, inner in desired.items():
        known = [*kind, *members] if isinstance(kind, dict) else []
        if known and name not in known:
            similar = difflib.get_close_matches(name, known, 1, _SIMILARITY)
            if similar:
                yield f"{path}.{name}", f"Did you mean '{similar[0]}'?"
            elif path == OPTION:
                yield f"{path}.{name}", f"The server has {', '.join(sorted(members))}"
        yield from find_misspelled(inner_kind(kind, name), members.get(name), inner, f"{path}.{name}")


def find_shortened_lists(current: t.Any, desired: t.Any) -> dict[str, t.Any]:
    """Return the desired lists, with the dictionaries around them, that are shorter than the current ones."""
    found: dict[str, t.Any] = {}
    for name, value in desired.items():
        before = current.get(name)
        if isinstance(value, dict) and isinstance(before, dict):
            if inner := find_shortened_lists(before, value):
                found[name] = inner
        elif isinstance(value, list) and isinstance(before, list) and len(value) < len(before):
            found[name] = value
    return found
