# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules ask of the server, in its query language.

They need not be exact, for each row is looked at again, but they must not leave out what a rule is about. Properties
and downloads are told by conditions alone: as part of the result they would multiply its rows, and undo its sort.
"""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Condition
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import MANIFEST_FILES

# Most artifacts that are old were never downloaded, and need no row then
DOWNLOADED: Condition = {"stat.downloaded": {"$ne": None}}


def scope(rule: Rule, repo: str, tags: bool) -> list[Condition]:
    """Return the conditions for what a rule applies to, of any age, in a group or not.

    :arg tags: whether the repository holds images: a rule's names are those of tags then, and its paths those of images
    """
    return [{"repo": repo}, *_matching(rule, tags), *_all_properties(rule)]


def groups(rule: Rule) -> list[Condition]:
    """Return the conditions for being in a group of a rule, as far as a query can express them."""
    return [any_property({rule.group_property: []})] if rule.group_property else []


def selecting_properties(rule: Rule) -> list[Condition]:
    """Return the conditions on properties without which a rule does not select an artifact."""
    return [*groups(rule), *_all_properties(rule)]


def keeping_properties(rule: Rule) -> list[Condition]:
    """Return the conditions on properties with which a rule keeps an artifact, none if it keeps nothing by them."""
    return [*_all_properties(rule), any_property(rule.keep_properties)] if rule.keep_properties else []


def old(rule: Rule, tags: bool) -> list[Condition]:
    """Return the conditions for being old, as far as a query can express them. A tag has no size of its own."""
    found: list[Condition] = []
    for moment in filter(None, (rule.older_than, rule.unused_since)):
        found += [{"created": {"$lt": moment}}, {"modified": {"$lt": moment}}]
    if rule.unused_since:
        found.append(either([{"stat.downloaded": {"$lt": rule.unused_since}}, {"stat.downloaded": None}]))
    if rule.larger_than is not None and not tags:
        found.append({"size": {"$gt": rule.larger_than}})
    return found


def any_property(properties: t.Mapping[str, t.Sequence[str]]) -> Condition:
    """Return the condition that an artifact has at least one of some properties, with one of its values.

    The server takes the value `*` for any, and compares the key itself with `=`. With `$match` it would take a key with
    `%` for a pattern.
    """
    members: list[Condition] = []
    for key, values in properties.items():
        members += [{f"@{key}": value} for value in values or ["*"]]
    return either(members)


def either(members: list[Condition]) -> Condition:
    """Join conditions by OR. Each must have one pair, because several in one would be joined by OR as well."""
    return members[0] if len(members) == 1 else {"$or": members}


def both(*members: Condition) -> Condition:
    """Join conditions by AND, into one that `either` takes."""
    return {"$and": list(members)}


def one_of(places: t.Iterable[tuple[str, str]]) -> Condition:
    """Return the condition that an artifact is at one of some places, each a folder and a name."""
    names: dict[str, list[Condition]] = collections.defaultdict(list)
    for folder, name in places:
        names[folder].append({"name": name})
    return either([both({"path": folder}, either(found)) for folder, found in names.items()])


def _all_properties(rule: Rule) -> list[Condition]:
    return [any_property({key: values}) for key, values in rule.properties.items()]


def _matching(rule: Rule, tags: bool) -> t.Iterator[Condition]:
    paths, names = rule.paths.included, rule.names.included
    if tags:
        yield either([{"name": name} for name in MANIFEST_FILES])
        paths, names = [f"{path}/*" for path in paths], []
    for field, patterns in (("path", paths), ("name", names)):
        if patterns:
            yield either([{field: {"$match": query.wide(pattern)}} for pattern in patterns])
