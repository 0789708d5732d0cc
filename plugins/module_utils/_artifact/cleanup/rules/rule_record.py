# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules in JSON format, as stored in plans. A rule must still select an artifact when it is deleted."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.patterns import Patterns
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.rule import (
    Rule,
    is_writable_text,
)

Record = dict[str, t.Any]


def to_record(rule: Rule, repos: t.Sequence[str]) -> Record:
    """Return a rule in JSON format, with everything that is verified before an artifact is deleted.

    :arg repos: keys of the repositories to which the rule applies
    """
    return {
        "title": rule.title,
        "repos": list(repos),
        "paths": rule.paths.included,
        "exclude_paths": rule.paths.excluded,
        "names": rule.names.included,
        "exclude_names": rule.names.excluded,
        "properties": rule.properties,
        "older_than": rule.older_than,
        "unused_since": rule.unused_since,
        "larger_than": rule.larger_than,
        "keep_newest": rule.keep_newest,
        "group_by": rule.group_by,
        "group_pattern": rule.group_pattern and rule.group_pattern.pattern,
        "group_property": rule.group_property,
        "keep_properties": rule.keep_properties,
    }


def is_record(value: t.Any) -> bool:
    """Return whether a value from a file has the form that `to_record` returns."""
    return (
        isinstance(value, dict)
        and value.keys() == _FORM.keys()
        and all(has_form(value[name]) for name, has_form in _FORM.items())
    )


def from_records(records: t.Sequence[Record]) -> list[Rule]:
    """Return the rules in these records, in the same order."""
    return [_from_record(index, record) for index, record in enumerate(records)]


def _from_record(index: int, record: Record) -> Rule:
    return Rule(
        index=index,
        title=record["title"],
        repos=Patterns(record["repos"], None),
        package_type=None,
        paths=Patterns(record["paths"], record["exclude_paths"]),
        names=Patterns(record["names"], record["exclude_names"]),
        properties=record["properties"],
        older_than=record["older_than"],
        unused_since=record["unused_since"],
        larger_than=record["larger_than"],
        keep_newest=record["keep_newest"],
        group_by=record["group_by"],
        group_pattern=record["group_pattern"] and re.compile(record["group_pattern"]),
        group_property=record["group_property"],
        keep_properties=record["keep_properties"],
    )


def _are_texts(value: t.Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) and is_writable_text(text) for text in value)


def _are_properties(value: t.Any) -> bool:
    return isinstance(value, dict) and all(is_writable_text(key) and _are_texts(value[key]) for key in value)


def _is_timestamp(value: t.Any) -> bool:
    try:
        return value is None or times.to_utc(value) == value
    except ValueError:
        return False


def _is_number(value: t.Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _is_expression(value: t.Any) -> bool:
    try:
        return value is None or re.compile(value).groups > 0
    except (TypeError, re.error):
        return False


_FORM: dict[str, t.Callable[[t.Any], bool]] = {
    "title": lambda value: isinstance(value, str),
    "repos": lambda value: _are_texts(value) and bool(value),
    **dict.fromkeys(("paths", "exclude_paths", "names", "exclude_names"), _are_texts),
    **dict.fromkeys(("properties", "keep_properties"), _are_properties),
    **dict.fromkeys(("older_than", "unused_since"), _is_timestamp),
    **dict.fromkeys(("larger_than", "keep_newest"), _is_number),
    "group_by": lambda value: value in ("folder", "name", "property"),
    "group_pattern": _is_expression,
    "group_property": lambda value: value is None or (isinstance(value, str) and is_writable_text(value)),
}
