# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rules: to which artifacts they apply, and which of these they select and keep."""

from __future__ import annotations

import dataclasses
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import Artifact
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import ages
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.patterns import (
    PATTERN,
    Patterns,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec

_PATTERNS: dict[str, t.Any] = dict(
    type="list", elements="str", narrows_scope=True, not_empty=True, each_element=PATTERN
)
_PROPERTIES: dict[str, t.Any] = dict(
    type="dict",
    text_values=True,
    narrows_scope=True,
    not_empty=True,
    unchecked="keys and values are checked",
    accepts_null="refused when a rule is parsed; in keep_properties it matches any value, so that more is kept",
)
_SCOPE_OPTIONS = ("paths", "names", "properties", "older_than", "not_downloaded_since", "larger_than", "keep_newest")

RULE = ArgumentSpec(
    dict(
        title=dict(type="str", **NAME),
        repos=dict(required=True, **_PATTERNS),
        exclude_repos=_PATTERNS,
        package_type=dict(type="str", narrows_scope=True, **NAME),
        paths=_PATTERNS,
        exclude_paths=_PATTERNS,
        names=_PATTERNS,
        exclude_names=_PATTERNS,
        properties=_PROPERTIES,
        older_than=dict(type="str", narrows_scope=True, **ages.AGE),
        not_downloaded_since=dict(type="str", narrows_scope=True, **ages.AGE),
        larger_than=dict(type="int", narrows_scope=True, at_least=0, at_most=10**15),
        keep_newest=dict(type="int", narrows_scope=True, at_least=1, at_most=1_000_000),
        group_by=dict(type="str", narrows_scope=True, choices=["folder", "name", "property"]),
        group_pattern=dict(type="str", narrows_scope=True, not_empty=True),
        group_property=dict(type="str", narrows_scope=True, **NAME),
        keep_properties=_PROPERTIES,
    ),
    required_one_of=[_SCOPE_OPTIONS],
    required_if=[("group_by", "name", ["group_pattern"]), ("group_by", "property", ["group_property"])],
)


@dataclasses.dataclass(frozen=True)
class Rule:
    """A validated rule.

    :ivar older_than: a time, see `ages`; the same for `unused_since`
    :ivar properties: required properties with their possible values; an empty list matches any value
    :ivar keep_properties: properties of which one is enough to keep an artifact
    :ivar group_by: how to group artifacts for `keep_newest`: `folder`, `name` or `property`
    """

    index: int
    title: str
    repos: Patterns
    package_type: str | None
    paths: Patterns
    names: Patterns
    properties: dict[str, list[str]]
    older_than: str | None
    unused_since: str | None
    larger_than: int | None
    keep_newest: int | None
    group_by: str
    group_pattern: re.Pattern[str] | None
    group_property: str | None
    keep_properties: dict[str, list[str]]

    def matches(self, artifact: Artifact) -> bool:
        """Return whether the rule applies to the artifact, as far as names decide."""
        return self.paths.match(artifact.folder) and self.names.match(artifact.name)

    def is_old(self, artifact: Artifact) -> bool:
        """Return whether an artifact is old enough and was not downloaded recently, as far as that is known."""
        if self.unused_since and artifact.downloaded >= self.unused_since:
            return False
        return all(artifact.moment < than for than in (self.older_than, self.unused_since) if than)

    def is_large(self, size: int) -> bool:
        """Return whether a size in bytes is large enough."""
        return self.larger_than is None or size > self.larger_than

    def get_groups(self, artifact: Artifact, values: t.Sequence[str]) -> t.Sequence[str]:
        """Return the groups of the artifact for `keep_newest`. An artifact without a group is never selected.

        :arg values: the artifact's values of the property to group by
        """
        if self.keep_newest is None:
            return ("",)
        if self.group_by == "property":
            return values
        if self.group_by == "folder":
            return (artifact.folder,)
        match = self.group_pattern and self.group_pattern.fullmatch(artifact.name)
        return ("\0".join(part or "" for part in match.groups()),) if match else ()


def parse_rules(rules: t.Sequence[dict[str, t.Any]], now: str) -> list[Rule]:
    """Return the validated rules of a task.

    :arg now: the time to which ages are relative
    :raises ToolchainError: if a rule is invalid, naming it
    """
    return [_parse_rule(index, rule, now) for index, rule in enumerate(rules)]


def _parse_rule(index: int, rule: dict[str, t.Any], now: str) -> Rule:
    place = f"rules[{index}]"
    try:
        RULE.check_rules(rule)
    except ToolchainError as error:
        raise ToolchainError(f"{place}: {error}") from None
    _check_groups(place, rule)
    by = rule["group_by"] or "folder"
    return Rule(
        index=index,
        title=rule["title"] or place,
        repos=Patterns(rule["repos"], rule["exclude_repos"]),
        package_type=rule["package_type"] and rule["package_type"].lower(),
        paths=Patterns(rule["paths"], rule["exclude_paths"]),
        names=Patterns(rule["names"], rule["exclude_names"]),
        properties=_parse_properties(rule["properties"], f"{place}.properties"),
        older_than=_parse_age(rule["older_than"], now, f"{place}.older_than"),
        unused_since=_parse_age(rule["not_downloaded_since"], now, f"{place}.not_downloaded_since"),
        larger_than=rule["larger_than"],
        keep_newest=rule["keep_newest"],
        group_by=by,
        group_pattern=_compile_pattern(rule["group_pattern"], f"{place}.group_pattern") if by == "name" else None,
        group_property=_check_key(rule["group_property"], f"{place}.group_property") if by == "property" else None,
        keep_properties=_parse_properties(_any_for_null(rule["keep_properties"]), f"{place}.keep_properties"),
    )


def _any_for_null(properties: dict[str, t.Any] | None) -> dict[str, t.Any] | None:
    """Replace null by any value, which keeps more artifacts. In `properties`, this would delete more."""
    return properties and {key: "*" if value is None else value for key, value in properties.items()}


def _check_groups(place: str, rule: dict[str, t.Any]) -> None:
    for option, by in (("group_by", None), ("group_pattern", "name"), ("group_property", "property")):
        if rule[option] is None:
            continue
        if rule["keep_newest"] is None:
            raise BadOption(f"{place}.{option}", "needs 'keep_newest'")
        if by and rule["group_by"] != by:
            raise BadOption(f"{place}.{option}", f"needs 'group_by: {by}'")


def _parse_age(text: str | None, now: str, option: str) -> str | None:
    return None if text is None else ages.parse_age(text, now, option)


def _compile_pattern(text: str, option: str) -> re.Pattern[str]:
    try:
        expression = re.compile(text)
    except re.error as error:
        raise BadOption(option, f"is not a regular expression: {error}") from None
    if not expression.groups:
        raise BadOption(option, "must contain a group in parentheses, such as '(.*)-[0-9.]+[.]tgz'")
    return expression


def _parse_properties(properties: dict[str, t.Any] | None, option: str) -> dict[str, list[str]]:
    return {_check_key(key, option): _parse_values(key, value, option) for key, value in (properties or {}).items()}


def _check_key(key: str, option: str) -> str:
    if not key or key != key.strip() or not is_writable_text(key) or re.search("[*?]", key):
        raise BadOption(option, f"'{key}' cannot be the key of a property")
    return key


def _parse_values(key: str, value: t.Any, option: str) -> list[str]:
    if isinstance(value, str) and value.strip() == "*":
        return []
    values = [_to_text(single) for single in (value if isinstance(value, list) else [value])]
    if not values or not all(isinstance(text, str) and _is_value(text) for text in values):
        raise BadOption(
            option,
            f"'{key}' must be a string, an integer, a boolean or a list of these, without double quotes, line breaks "
            "and leading spaces. Use '*' for any value",
        )
    return t.cast("list[str]", values)


def _to_text(value: t.Any) -> t.Any:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else value


def _is_value(text: str) -> bool:
    """Return whether a query can compare with a text. Artifactory interprets `*` as any value."""
    return bool(text) and text == text.lstrip() and text.strip() != "*" and is_writable_text(text)


def is_writable_text(text: str) -> bool:
    """Return whether AQL, which has no escape sequences, can express a text."""
    return not re.search('["\x00-\x1f\x7f]', text)
