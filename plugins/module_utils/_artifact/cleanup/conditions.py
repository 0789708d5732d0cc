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
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import MANIFESTS
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Condition


def scope(rule: Rule, repo: str, tags: bool) -> list[Condition]:
    """What a rule is about, of any age.

    :arg tags: whether the repository holds images: a rule's names are those of tags then, and its paths those of images
    """
    found = [{"repo": repo}, *_matching(rule, tags)]
    if rule.group_property:
        found.append({f"@{rule.group_property}": {"$match": "*"}})
    return found + [any_property({key: values}) for key, values in rule.properties.items()]


def old(rule: Rule, tags: bool) -> list[Condition]:
    """What makes an artifact old, as far as the server can tell; a tag has no size of its own."""
    found: list[Condition] = []
    for moment in filter(None, (rule.older_than, rule.unused_since)):
        found += [{"created": {"$lt": moment}}, {"modified": {"$lt": moment}}]
    if rule.unused_since:
        found.append(either([{"stat.downloaded": {"$lt": rule.unused_since}}, {"stat.downloaded": None}]))
    if rule.larger_than is not None and not tags:
        found.append({"size": {"$gt": rule.larger_than}})
    return found


def any_property(properties: t.Mapping[str, t.Sequence[str]]) -> Condition:
    """That an artifact has at least one of some properties, with one of its values."""
    members: list[Condition] = []
    for key, values in properties.items():
        members += [{f"@{key}": value} for value in values] or [{f"@{key}": {"$match": "*"}}]
    return either(members)


def either(members: list[Condition]) -> Condition:
    """One of several conditions, each of one pair: several in one would be joined by OR as well."""
    return members[0] if len(members) == 1 else {"$or": members}


def both(*members: Condition) -> Condition:
    """Several conditions, to be one of those that `either` takes."""
    return {"$and": list(members)}


def one_of(places: t.Iterable[tuple[str, str]]) -> Condition:
    """That an artifact is at one of some places, each a folder and a name; folder by folder, to be short."""
    names: dict[str, list[Condition]] = collections.defaultdict(list)
    for folder, name in places:
        names[folder].append({"name": name})
    return either([both({"path": folder}, either(found)) for folder, found in names.items()])


def _matching(rule: Rule, tags: bool) -> t.Iterator[Condition]:
    paths, names = rule.paths.wanted, rule.names.wanted
    if tags:
        yield either([{"name": name} for name in MANIFESTS])
        paths, names = [f"{path}/*" for path in paths], []
    for field, patterns in (("path", paths), ("name", names)):
        if patterns:
            yield either([{field: {"$match": query.wide(pattern)}} for pattern in patterns])
