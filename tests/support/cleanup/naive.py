# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a clean-up deletes, in the plainest way: each rule is held against each artifact."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass, field
from typing import Any

DAY = 86400


@dataclass
class Artifact:
    """An artifact of the sandbox; ages are in days before the test began."""

    repo: str
    path: str
    created: float
    modified: float
    size: int = 1
    downloaded: float | None = None
    properties: dict[str, list[str]] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0] or "."

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def age(self) -> float:
        return min(self.created, self.modified)

    def has(self, properties: dict[str, Any]) -> list[bool]:
        """For each of the properties whether it is there with that value, or with one of those."""
        found = []
        for key, value in properties.items():
            values = value if isinstance(value, list) else [value]
            found.append(
                key in self.properties and (value in (None, "*") or bool(set(values) & set(self.properties[key])))
            )
        return found


def deleted(artifacts: list[Artifact], rules: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Repository and path of what goes."""
    old = [artifact for artifact in artifacts if any(is_old(artifact, rule) for rule in rules)]
    gone = [artifact for artifact in old if not any(is_kept(artifact, rule, artifacts) for rule in rules)]
    return {(artifact.repo, artifact.path) for artifact in gone}


def is_about(artifact: Artifact, rule: dict[str, Any]) -> bool:
    for text, option in ((artifact.repo, "repos"), (artifact.folder, "paths"), (artifact.name, "names")):
        if option in rule and not any(fnmatch.fnmatchcase(text, pattern) for pattern in rule[option]):
            return False
        if any(fnmatch.fnmatchcase(text, pattern) for pattern in rule.get(f"exclude_{option}", [])):
            return False
    return all(artifact.has(rule.get("properties", {})))


def is_old(artifact: Artifact, rule: dict[str, Any]) -> bool:
    if not is_about(artifact, rule) or not groups(artifact, rule):
        return False
    if "older_than" in rule and artifact.age <= days(rule["older_than"]):
        return False
    if "not_downloaded_since" in rule:
        since = days(rule["not_downloaded_since"])
        if artifact.age <= since or (artifact.downloaded is not None and artifact.downloaded <= since):
            return False
    return "larger_than" not in rule or artifact.size > rule["larger_than"]


def is_kept(artifact: Artifact, rule: dict[str, Any], artifacts: list[Artifact]) -> bool:
    if not is_about(artifact, rule):
        return False
    if any(artifact.has(rule.get("keep_properties", {}))):
        return True
    return "keep_newest" in rule and any(
        newer_in(group, artifact, rule, artifacts) < rule["keep_newest"] for group in groups(artifact, rule)
    )


def newer_in(group: str, artifact: Artifact, rule: dict[str, Any], artifacts: list[Artifact]) -> int:
    """How many artifacts of a group are newer."""
    return sum(
        other.repo == artifact.repo
        and is_about(other, rule)
        and group in groups(other, rule)
        and (-other.age, other.path) > (-artifact.age, artifact.path)
        for other in artifacts
    )


def groups(artifact: Artifact, rule: dict[str, Any]) -> list[str]:
    """The groups that it is in, one without a meaning when the rule has none."""
    if "keep_newest" not in rule:
        return [""]
    by = rule.get("group_by", "folder")
    if by == "folder":
        return [artifact.folder]
    if by == "property":
        return artifact.properties.get(rule["group_property"], [])
    found = re.fullmatch(rule["group_pattern"], artifact.name)
    return [found.group(1)] if found else []


def days(age: str) -> int:
    return int(age.removesuffix("d"))
