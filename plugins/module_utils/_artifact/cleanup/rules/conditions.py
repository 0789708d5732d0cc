# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""AQL conditions of rules.

They need not be exact, because each row is checked again, but they must not exclude an artifact to which a rule
applies. Properties and downloads are only used in conditions. As fields of the result, they would multiply rows and
break sorting.
"""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.scan import Condition
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.rule import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images.registry import MANIFEST_FILES
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql

# Most old artifacts were never downloaded, and the condition saves their rows
DOWNLOADED: Condition = {"stat.downloaded": {"$ne": None}}


def scope_conditions(rule: Rule, repo: str, tags: bool) -> list[Condition]:
    """Return the conditions for the artifacts to which a rule applies, regardless of age and group.

    :arg tags: whether the repository stores container images; names of the rule refer to tags then, and paths to images
    """
    return [{"repo": repo}, *_name_conditions(rule, tags), *_property_conditions(rule)]


def group_conditions(rule: Rule) -> list[Condition]:
    """Return the conditions for being in a group of a rule, as far as a query can express them."""
    return [has_any_property({rule.group_property: []})] if rule.group_property else []


def selecting_properties(rule: Rule) -> list[Condition]:
    """Return the conditions on properties that an artifact must meet to be selected by a rule."""
    return [*group_conditions(rule), *_property_conditions(rule)]


def keeping_properties(rule: Rule) -> list[Condition]:
    """Return the conditions on properties with which a rule keeps an artifact. Empty if it keeps none by properties."""
    return [*_property_conditions(rule), has_any_property(rule.keep_properties)] if rule.keep_properties else []


def age_conditions(rule: Rule, tags: bool) -> list[Condition]:
    """Return the conditions for being old, as far as a query can express them. Sizes of tags are not in their rows."""
    conditions: list[Condition] = []
    for timestamp in filter(None, (rule.older_than, rule.unused_since)):
        conditions += [{"created": {"$lt": timestamp}}, {"modified": {"$lt": timestamp}}]
    if rule.unused_since:
        conditions.append(any_of([{"stat.downloaded": {"$lt": rule.unused_since}}, {"stat.downloaded": None}]))
    if rule.larger_than is not None and not tags:
        conditions.append({"size": {"$gt": rule.larger_than}})
    return conditions


def has_any_property(properties: t.Mapping[str, t.Sequence[str]]) -> Condition:
    """Return the condition that an artifact has at least one of the properties, with one of its values.

    Artifactory interprets the value `*` as any value and compares the key with `=`. With `$match`, it would interpret
    `%` in a key as a wildcard.
    """
    members: list[Condition] = []
    for key, values in properties.items():
        members += [{f"@{key}": value} for value in values or ["*"]]
    return any_of(members)


def any_of(members: list[Condition]) -> Condition:
    """Join conditions by OR. Each must have one pair, because several pairs would be joined by OR as well."""
    return members[0] if len(members) == 1 else {"$or": members}


def all_of(*members: Condition) -> Condition:
    """Join conditions by AND, into one condition that `either` accepts."""
    return {"$and": list(members)}


def is_at(places: t.Iterable[tuple[str, str]]) -> Condition:
    """Return the condition that an artifact is one of those with these folders and names."""
    names: dict[str, list[Condition]] = collections.defaultdict(list)
    for folder, name in places:
        names[folder].append({"name": name})
    return any_of([all_of({"path": folder}, any_of(conditions)) for folder, conditions in names.items()])


def _property_conditions(rule: Rule) -> list[Condition]:
    return [has_any_property({key: values}) for key, values in rule.properties.items()]


def _name_conditions(rule: Rule, tags: bool) -> t.Iterator[Condition]:
    paths, names = rule.paths.included, rule.names.included
    if tags:
        yield any_of([{"name": name} for name in MANIFEST_FILES])
        paths, names = [f"{path}/*" for path in paths], []
    for field, patterns in (("path", paths), ("name", names)):
        if patterns:
            yield any_of([{field: {"$match": aql.widen_pattern(pattern)}} for pattern in patterns])
