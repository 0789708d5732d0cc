# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of projects."""

from __future__ import annotations

import json
from typing import Any

from ...runtime.runtime import Runtime

SCHEMA = """
CREATE TABLE artifact_projects (key TEXT PRIMARY KEY, project TEXT NOT NULL);
CREATE TABLE artifact_project_members (
    project TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    roles TEXT NOT NULL,
    PRIMARY KEY (project, kind, name)
);
CREATE TABLE artifact_project_roles (
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    PRIMARY KEY (project, name)
);
-- The project of a global environment is empty
CREATE TABLE artifact_environments (project TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (project, name));
CREATE TABLE artifact_shared_repositories (repo TEXT PRIMARY KEY, sharing TEXT NOT NULL);
-- Repositories that still count as content of their former project until a time
CREATE TABLE artifact_detached_repositories (repo TEXT PRIMARY KEY, project TEXT NOT NULL, until REAL NOT NULL);
"""
BUILT_IN_ENVIRONMENTS = ("DEV", "PROD")
NOT_SHARED: dict[str, Any] = {"projects": [], "all": False, "read_only": False}


class Projects:
    """Projects, their members, roles and environments, and the sharing of repositories."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the store."""
        self._db = runtime.db
        self._clock = runtime.clock

    def list_all(self) -> list[dict[str, Any]]:
        """Return all projects, sorted by key."""
        rows = self._db.execute("SELECT project FROM artifact_projects ORDER BY key")
        return [json.loads(row["project"]) for row in rows]

    def find(self, key: str) -> dict[str, Any] | None:
        """Return a project."""
        row = self._db.execute("SELECT project FROM artifact_projects WHERE key = ?", (key,)).fetchone()
        return row and json.loads(row["project"])

    def save(self, project: dict[str, Any]) -> None:
        """Create or replace a project."""
        values = (project["project_key"], json.dumps(project))
        self._db.execute("INSERT OR REPLACE INTO artifact_projects VALUES (?, ?)", values)

    def delete(self, key: str) -> None:
        """Delete a project with its members, roles and environments, and unshare repositories."""
        self.clear(key)
        for repo in self._list_shared():
            self.unshare(repo, key)

    def clear(self, key: str) -> None:
        """Delete a project with its members, roles and environments."""
        self._db.execute("DELETE FROM artifact_projects WHERE key = ?", (key,))
        for table in ("artifact_project_members", "artifact_project_roles", "artifact_environments"):
            self._db.execute(f"DELETE FROM {table} WHERE project = ?", (key,))

    def list_members(self, project: str, kind: str) -> list[dict[str, Any]]:
        """Return the members of a project with their roles, sorted by name; `kind` is `users` or `groups`."""
        query = "SELECT name, roles FROM artifact_project_members WHERE project = ? AND kind = ? ORDER BY name"
        rows = self._db.execute(query, (project, kind))
        return [{"name": row["name"], "roles": json.loads(row["roles"])} for row in rows]

    def save_member(self, project: str, kind: str, name: str, roles: list[str]) -> None:
        """Add a member or replace its roles."""
        values = (project, kind, name, json.dumps(roles))
        self._db.execute("INSERT OR REPLACE INTO artifact_project_members VALUES (?, ?, ?, ?)", values)

    def remove_member(self, project: str, kind: str, name: str) -> None:
        """Remove a member."""
        query = "DELETE FROM artifact_project_members WHERE project = ? AND kind = ? AND name = ?"
        self._db.execute(query, (project, kind, name))

    def list_roles(self, project: str) -> list[dict[str, Any]]:
        """Return the custom roles of a project, sorted by name."""
        rows = self._db.execute("SELECT role FROM artifact_project_roles WHERE project = ? ORDER BY name", (project,))
        return [json.loads(row["role"]) for row in rows]

    def save_role(self, project: str, role: dict[str, Any]) -> None:
        """Create or replace a custom role."""
        values = (project, role["name"], json.dumps(role))
        self._db.execute("INSERT OR REPLACE INTO artifact_project_roles VALUES (?, ?, ?)", values)

    def delete_role(self, project: str, name: str) -> None:
        """Delete a custom role, and take it from all members."""
        self._db.execute("DELETE FROM artifact_project_roles WHERE project = ? AND name = ?", (project, name))
        for kind in ("users", "groups"):
            for member in self.list_members(project, kind):
                roles = [role for role in member["roles"] if role != name]
                if not roles:
                    self.remove_member(project, kind, member["name"])
                elif roles != member["roles"]:
                    self.save_member(project, kind, member["name"], roles)

    def list_environments(self, project: str = "") -> list[str]:
        """Return the environments of a project, or all global environments, sorted by name."""
        query = "SELECT name FROM artifact_environments WHERE project = ?"
        names = {row["name"] for row in self._db.execute(query, (project,))}
        return sorted(names if project else names | set(BUILT_IN_ENVIRONMENTS))

    def add_environment(self, name: str, project: str = "") -> None:
        """Create an environment."""
        self._db.execute("INSERT INTO artifact_environments VALUES (?, ?)", (project, name))

    def delete_environment(self, name: str, project: str = "") -> None:
        """Delete an environment, and take it from all custom roles."""
        self._db.execute("DELETE FROM artifact_environments WHERE project = ? AND name = ?", (project, name))
        self._replace_in_roles(name, None)

    def rename_environment(self, name: str, new_name: str, project: str = "") -> None:
        """Rename an environment, also in custom roles."""
        query = "UPDATE artifact_environments SET name = ? WHERE project = ? AND name = ?"
        self._db.execute(query, (new_name, project, name))
        self._replace_in_roles(name, new_name)

    def _replace_in_roles(self, name: str, new_name: str | None) -> None:
        for project in self.list_all():
            for role in self.list_roles(project["project_key"]):
                if name in role["environments"]:
                    names = [new_name if other == name else other for other in role["environments"]]
                    role["environments"] = [other for other in names if other]
                    self.save_role(project["project_key"], role)

    def get_sharing(self, repo: str) -> dict[str, Any]:
        """Return how a repository is shared: with `projects` or with `all`, and whether it is `read_only`."""
        row = self._db.execute("SELECT sharing FROM artifact_shared_repositories WHERE repo = ?", (repo,)).fetchone()
        return json.loads(row["sharing"]) if row else dict(NOT_SHARED)

    def share(self, repo: str, project: str | None, read_only: bool) -> None:
        """Share a repository with a project, or with all projects."""
        sharing = {**self.get_sharing(repo), "read_only": read_only}
        if project is None:
            sharing["all"] = True
        else:
            sharing["projects"] = sorted({*sharing["projects"], project})
        self._save_sharing(repo, sharing)

    def unshare(self, repo: str, project: str | None = None) -> None:
        """End the sharing of a repository with a project, or with all projects."""
        sharing = self.get_sharing(repo)
        if project is None:
            sharing["all"] = False
        else:
            sharing["projects"] = [other for other in sharing["projects"] if other != project]
        if not sharing["all"] and not sharing["projects"]:
            sharing = NOT_SHARED
        self._save_sharing(repo, sharing)

    def _save_sharing(self, repo: str, sharing: dict[str, Any]) -> None:
        values = (repo, json.dumps(sharing))
        self._db.execute("INSERT OR REPLACE INTO artifact_shared_repositories VALUES (?, ?)", values)

    def _list_shared(self) -> list[str]:
        return [row["repo"] for row in self._db.execute("SELECT repo FROM artifact_shared_repositories").fetchall()]

    def keep_detached(self, repo: str, project: str, seconds: float) -> None:
        """Count a repository that was detached as content of its former project for a time."""
        values = (repo, project, self._clock.now() + seconds)
        self._db.execute("INSERT OR REPLACE INTO artifact_detached_repositories VALUES (?, ?, ?)", values)

    def has_detached(self, project: str) -> bool:
        """Return whether a repository that was detached still counts as content of a project."""
        query = "SELECT 1 FROM artifact_detached_repositories WHERE project = ? AND until > ?"
        return self._db.execute(query, (project, self._clock.now())).fetchone() is not None
