# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user or a token may do: rules, and the scopes that tokens write them in."""

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
BETWEEN_SCOPES = re.compile(r'\s+(?=(?:[^"]*"[^"]*")*[^"]*$)')
GLOBS = {"/**": globs.BELOW, "**/": globs.FOLDERS, "**": globs.ANY, "*": globs.IN_FOLDER, "?": globs.ONE_IN_FOLDER}


@dataclass(frozen=True)
class Rule:
    """Some actions on a part of a repository; `*` stands for any repository, an empty path for all of it."""

    repo: str
    path: str
    actions: str

    def allows(self, action: str, repo: str, path: str) -> bool:
        """Whether this rule lets the action pass; a rule for a remote repository also counts for its cache."""
        return self.allows_anywhere(action, repo) and (not self.path or glob(self.path).fullmatch(path))

    def allows_anywhere(self, action: str, repo: str) -> bool:
        """Whether it does so on any part of a repository."""
        if self.actions != "*" and action not in self.actions:
            return False
        return self.repo in ("*", "ANY", repo, repo.removesuffix("-cache"))


@dataclass(frozen=True)
class TargetRule:
    """Some actions on what the patterns of a permission target take of its repositories."""

    repositories: tuple[str, ...]
    includes: str
    excludes: str
    actions: str

    def allows(self, action: str, repo: str, path: str) -> bool:
        """Whether this rule lets the action pass."""
        return self.allows_anywhere(action, repo) and matches(path, self.includes) and not matches(path, self.excludes)

    def allows_anywhere(self, action: str, repo: str) -> bool:
        """Whether it does so on any part of a repository."""
        return action in self.actions and any(
            key in ("ANY", repo, repo.removesuffix("-cache")) for key in self.repositories
        )


@functools.lru_cache(maxsize=1024)
def glob(pattern: str) -> Glob:
    """An Ant-like path pattern; a plain path stands for itself and what is below it."""
    parts = re.split(r"(/\*\*\Z|\*\*/|\*\*|\*|\?)", pattern)
    return Glob([*(GLOBS.get(part, part) for part in parts), globs.BELOW])


def matches(path: str, patterns: str) -> bool:
    """Whether a path is one of those that a list of patterns takes."""
    return any(glob(pattern.strip()).fullmatch(path) for pattern in patterns.split(",") if pattern.strip())


def may_match_below(folder: str, patterns: str) -> bool:
    """Return whether a list of patterns can match a path below a folder."""
    names = folder.split("/")
    return any(_begins(pattern.strip().split("/"), names) for pattern in patterns.split(","))


def _begins(pattern: list[str], names: list[str]) -> bool:
    for part, name in zip_longest(pattern, names):
        if part == "**" or name is None:
            return True
        if part is None or not glob(part).fullmatch(name):
            return False
    return True


def rule(text: str, actions: str) -> Rule:
    """The rule for `repo` or `repo/path`."""
    repo, _unused, path = text.partition("/")
    return Rule(repo, path, actions)


def split(scope: str) -> list[str]:
    """The single scopes of a token's scope."""
    return BETWEEN_SCOPES.split(scope.strip())


def is_valid(scope: str) -> bool:
    """Whether every single scope is one that the server knows."""
    return all(SCOPE.fullmatch(single) for single in split(scope))


def groups(scope: str) -> list[str]:
    """The groups that a single scope names."""
    _unused, marker, names = scope.partition("applied-permissions/groups:")
    return [name.strip('"') for name in re.findall(r'"[^"]+"|[^",]+', names)] if marker else []


def artifact_rules(scopes: Iterable[str]) -> list[Rule]:
    """The rules that scopes spell out themselves."""
    matches = [SCOPE.fullmatch(scope) for scope in scopes if scope.startswith("artifact:")]
    return [Rule(match["repo"], match["path"] or "", match["actions"]) for match in matches if match]


def reads_system(scope: str, part: str) -> bool:
    """Whether a scope lets its bearer read a part of the system."""
    matches = [SCOPE.fullmatch(single) for single in split(scope)]
    return any(match and match["part"] == part and set("r*") & set(match["system_actions"]) for match in matches)
