# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permission rules, and the token scopes that express them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from ...parsing import globs
from ...parsing.globs import Glob

ALL_ACTIONS = "rwdamxs"
SCOPES = (
    r"applied-permissions/(user|admin)",
    r'applied-permissions/groups:("[^"]+"|[^",\s]+)(,("[^"]+"|[^",\s]+))*',
    r"applied-permissions/roles:[^:\s]+:\S+",
    r"artifact:(?P<repo>[^:/\s]+)(/(?P<path>[^:\s]+))?:(?P<actions>\*|[rwdamxs](,?[rwdamxs])*)",
    r"system:(?P<part>[^:\s]+):(?P<system_actions>[rwdms*](,?[rwdms*])*)",
)
SCOPE = re.compile("|".join(f"({pattern})" for pattern in SCOPES))
SCOPE_SEPARATOR = re.compile(r'\s+(?=(?:[^"]*"[^"]*")*[^"]*$)')
WILDCARDS = {"/**": globs.BELOW, "**/": globs.FOLDERS, "**": globs.ANY, "*": globs.IN_FOLDER, "?": globs.ONE_IN_FOLDER}


@dataclass(frozen=True)
class Rule:
    """Actions on a path of a repository. `*` stands for any repository, an empty path for the whole repository."""

    repo: str
    path: str
    actions: str

    def allows(self, action: str, repo: str, path: str) -> bool:
        """Return whether the rule permits an action. A rule for a remote repository also applies to its cache."""
        return self.allows_anywhere(action, repo) and (not self.path or compile_pattern(self.path).fullmatch(path))

    def allows_anywhere(self, action: str, repo: str) -> bool:
        """Return whether the rule permits an action anywhere in a repository."""
        if self.actions != "*" and action not in self.actions:
            return False
        return self.repo in ("*", "ANY", repo, repo.removesuffix("-cache"))


@dataclass(frozen=True)
class TargetRule:
    """Actions on the paths of repositories that match the patterns of a permission target."""

    repositories: tuple[str, ...]
    includes: str
    excludes: str
    actions: str

    def allows(self, action: str, repo: str, path: str) -> bool:
        """Return whether the rule permits an action."""
        return (
            self.allows_anywhere(action, repo)
            and matches_patterns(path, self.includes)
            and not matches_patterns(path, self.excludes)
        )

    def allows_anywhere(self, action: str, repo: str) -> bool:
        """Return whether the rule permits an action anywhere in a repository."""
        return action in self.actions and any(
            key in ("ANY", repo, repo.removesuffix("-cache")) for key in self.repositories
        )


@functools.lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Glob:
    """Compile an Ant-like path pattern. It also matches everything below a path that it matches."""
    parts = re.split(r"(/\*\*\Z|\*\*/|\*\*|\*|\?)", pattern)
    return Glob([*(WILDCARDS.get(part, part) for part in parts), globs.BELOW])


def matches_patterns(path: str, patterns: str) -> bool:
    """Return whether a path matches one of the comma-separated patterns."""
    return any(compile_pattern(pattern.strip()).fullmatch(path) for pattern in patterns.split(",") if pattern.strip())


def may_match_below(folder: str, patterns: str) -> bool:
    """Return whether one of the comma-separated patterns can match a path below a folder."""
    names = folder.split("/")
    return any(_matches_prefix(pattern.strip().split("/"), names) for pattern in patterns.split(","))


def _matches_prefix(pattern: list[str], names: list[str]) -> bool:
    for part, name in zip_longest(pattern, names):
        if part == "**" or name is None:
            return True
        if part is None or not compile_pattern(part).fullmatch(name):
            return False
    return True


def parse_rule(text: str, actions: str) -> Rule:
    """Return the rule for `repo` or `repo/path`."""
    repo, _unused, path = text.partition("/")
    return Rule(repo, path, actions)


def split_scopes(scope: str) -> list[str]:
    """Return the single scopes of a token's scope."""
    return SCOPE_SEPARATOR.split(scope.strip())


def is_valid(scope: str) -> bool:
    """Return whether the server knows every single scope."""
    return all(SCOPE.fullmatch(single) for single in split_scopes(scope))


def parse_groups(scope: str) -> list[str]:
    """Return the group names in a single scope."""
    _unused, marker, names = scope.partition("applied-permissions/groups:")
    return [name.strip('"') for name in re.findall(r'"[^"]+"|[^",]+', names)] if marker else []


def parse_artifact_rules(scopes: Iterable[str]) -> list[Rule]:
    """Return the rules that scopes of the form `artifact:<path>:<actions>` define."""
    matches = [SCOPE.fullmatch(scope) for scope in scopes if scope.startswith("artifact:")]
    return [Rule(match["repo"], match["path"] or "", match["actions"]) for match in matches if match]


def permits_system_read(scope: str, part: str) -> bool:
    """Return whether a scope permits reading a part of the system."""
    matches = [SCOPE.fullmatch(single_scope) for single_scope in split_scopes(scope)]
    return any(match and match["part"] == part and set("r*") & set(match["system_actions"]) for match in matches)
