# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions in the database, in the form of the Access API. Other APIs convert this form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...runtime.runtime import Runtime
from .scopes import TargetRule

# Actions of items by the actions of permissions.
ITEM_ACTIONS = {"READ": "r", "WRITE": "w", "ANNOTATE": "a", "DELETE": "d", "MANAGE": "m"}
# Repository classes by the names that stand for all repositories of a class.
REPOSITORY_WILDCARDS = {"ANY LOCAL": "local", "ANY REMOTE": "remote"}
ALL_WILDCARDS = ("ANY", *REPOSITORY_WILDCARDS, "ANY DISTRIBUTION")
# Resource types whose targets are repositories.
REPOSITORY_TYPES = ("artifact", "build", "release_bundle")
PRINCIPALS = ("users", "groups")
ALL_PATHS = {"include_patterns": ["**"], "exclude_patterns": []}
CACHE = "-cache"
SCHEMA = """
CREATE TABLE artifact_permissions (
    name TEXT PRIMARY KEY,
    resources TEXT NOT NULL,
    created_by TEXT,
    created REAL,
    modified_by TEXT,
    modified REAL
);
"""

Resources = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Permission:
    """A permission: for each resource type, the actions of users and groups on targets.

    :ivar resources: `{type: {"actions": {"users": {name: [action]}, "groups": {}}, "targets": {name: patterns}}}`,
        where patterns are `{"include_patterns": [], "exclude_patterns": []}`
    """

    name: str
    resources: Resources
    created_by: str | None
    created: float | None
    modified_by: str | None
    modified: float | None


def complete_resources(resources: dict[str, Any]) -> Resources:
    """Return the resources of a seed with all members. Patterns that are missing select everything."""
    return {
        kind: {
            "actions": {principals: (resource.get("actions") or {}).get(principals) or {} for principals in PRINCIPALS},
            "targets": {name: {**ALL_PATHS, **(patterns or {})} for name, patterns in resource["targets"].items()},
        }
        for kind, resource in resources.items()
    }


class Permissions:
    """The permissions in the database."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the store."""
        self._runtime = runtime
        self._db = runtime.db

    def list_names(self) -> list[str]:
        """Return the names of all permissions, sorted."""
        return [row["name"] for row in self._db.execute("SELECT name FROM artifact_permissions ORDER BY name")]

    def list_all(self) -> Iterator[Permission]:
        """Yield all permissions, sorted by name."""
        for row in self._db.execute("SELECT * FROM artifact_permissions ORDER BY name").fetchall():
            yield Permission(**{**dict(row), "resources": json.loads(row["resources"])})

    def find(self, name: str) -> Permission | None:
        """Return the permission with a name."""
        row = self._db.execute("SELECT * FROM artifact_permissions WHERE name = ?", (name,)).fetchone()
        return Permission(**{**dict(row), "resources": json.loads(row["resources"])}) if row else None

    def save(self, name: str, resources: Resources, user: str | None) -> None:
        """Create a permission, or replace its resources."""
        now = self._runtime.clock.now()
        self._db.execute(
            """
            INSERT INTO artifact_permissions VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name)
            DO UPDATE SET resources = excluded.resources, modified_by = ?, modified = ?
            """,
            (name, json.dumps(resources), user, now, user, now, user, now),
        )

    def delete(self, name: str) -> None:
        """Delete a permission."""
        self._db.execute("DELETE FROM artifact_permissions WHERE name = ?", (name,))

    def remove_principal(self, kind: str, name: str) -> None:
        """Remove a user or group from all permissions.

        :arg kind: `users` or `groups`
        """
        for permission in self.list_all():
            removed = [resource["actions"][kind].pop(name, None) for resource in permission.resources.values()]
            if any(actions is not None for actions in removed):
                resources = json.dumps(permission.resources)
                query = "UPDATE artifact_permissions SET resources = ? WHERE name = ?"
                self._db.execute(query, (resources, permission.name))

    def list_rules(self, kind: str, name: str) -> Iterator[TargetRule]:
        """Yield what permissions allow a user or group.

        :arg kind: `users` or `groups`
        """
        for resource_type in REPOSITORY_TYPES:
            query = """
                SELECT json_extract(resources, '$.' || :type) AS resource, principal.value AS actions
                FROM artifact_permissions, json_each(resources, '$.' || :type || '.actions.' || :kind) AS principal
                WHERE principal.key = :name ORDER BY artifact_permissions.name
            """
            parameters = {"type": resource_type, "kind": kind, "name": name}
            for row in self._db.execute(query, parameters).fetchall():
                actions = "".join(ITEM_ACTIONS.get(action, "") for action in json.loads(row["actions"]))
                for target, patterns in json.loads(row["resource"])["targets"].items() if actions else ():
                    included, excluded = (",".join(patterns[member]) for member in ALL_PATHS)
                    yield TargetRule(tuple(self.expand_target(target)), included, excluded, actions)

    def expand_target(self, target: str) -> list[str]:
        """Return the keys of the repositories that a target stands for."""
        if target in REPOSITORY_WILDCARDS:
            query = "SELECT key FROM artifact_repositories WHERE json_extract(configuration, '$.rclass') = ?"
            return [row["key"] for row in self._db.execute(query, (REPOSITORY_WILDCARDS[target],))]
        remote = target.removesuffix(CACHE)
        return [target, remote] if remote != target and self.is_remote(remote) else [target]

    def is_remote(self, key: str) -> bool:
        """Return whether a key belongs to a remote repository."""
        query = "SELECT json_extract(configuration, '$.rclass') AS rclass FROM artifact_repositories WHERE key = ?"
        row = self._db.execute(query, (key,)).fetchone()
        return row is not None and row["rclass"] == "remote"
