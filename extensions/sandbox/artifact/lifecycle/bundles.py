# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The database of release bundles and their promotions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...runtime.runtime import Runtime

SCHEMA = """
-- The project of a global release bundle is empty. Times of changes in progress are in the future
CREATE TABLE artifact_release_bundles (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    created REAL NOT NULL,
    created_by TEXT,
    completed REAL NOT NULL,
    deleted REAL,
    messages TEXT NOT NULL,
    source TEXT NOT NULL,
    artifacts TEXT NOT NULL,
    UNIQUE (project, name, version)
);
CREATE TABLE artifact_release_bundle_promotions (
    id INTEGER PRIMARY KEY,
    bundle INTEGER NOT NULL,
    environment TEXT NOT NULL,
    created_millis INTEGER NOT NULL,
    created_by TEXT,
    completed REAL NOT NULL,
    messages TEXT NOT NULL,
    request TEXT NOT NULL,
    artifacts TEXT NOT NULL,
    UNIQUE (bundle, created_millis)
);
CREATE TRIGGER artifact_release_bundles_deleted AFTER DELETE ON artifact_release_bundles
BEGIN
    DELETE FROM artifact_release_bundle_promotions WHERE bundle = OLD.id;
END;
"""
REPOSITORY = "release-bundles-v2"
COMPLETED, FAILED, DELETING = "COMPLETED", "FAILED", "DELETING"

Artifact = dict[str, Any]


@dataclass(frozen=True)
class Bundle:
    """A version of a release bundle.

    :ivar completed: the time at which its creation is complete
    :ivar deleted: the time at which its deletion is complete, if it is being deleted
    :ivar messages: the reasons why its creation failed
    :ivar source: its sources as the API returns them
    :ivar artifacts: its contents as the API returns them
    """

    id: int
    project: str
    name: str
    version: str
    created: float
    created_by: str | None
    completed: float
    deleted: float | None
    messages: list[str]
    source: dict[str, Any]
    artifacts: list[Artifact]


@dataclass(frozen=True)
class Promotion:
    """A promotion of a version.

    :ivar request: the repositories and the flag of the request
    :ivar artifacts: the copies as the API returns them
    """

    id: int
    bundle: int
    environment: str
    created_millis: int
    created_by: str | None
    completed: float
    messages: list[str]
    request: dict[str, Any]
    artifacts: list[Artifact]


class ReleaseBundles:
    """The release bundles in the database."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the store."""
        self._runtime = runtime
        self._db = runtime.db

    def find(self, project: str, name: str, version: str) -> Bundle | None:
        """Return a version."""
        condition = "project = :project AND name = :name AND version = :version"
        return next(self._select(condition, project=project, name=name, version=version), None)

    def list_versions(self, project: str, name: str) -> list[Bundle]:
        """Return the versions of a release bundle, newest first."""
        condition = "project = :project AND name = :name ORDER BY created DESC, id DESC"
        return list(self._select(condition, project=project, name=name))

    def list_all(self) -> list[Bundle]:
        """Return all versions in the order of their creation."""
        return list(self._select("1 ORDER BY id"))

    def add(self, **fields: Any) -> Bundle:
        """Add a version, created now unless the fields contain other times."""
        now = self._runtime.clock.now()
        fields = {"created": now, "created_by": None, "completed": now, "messages": [], "source": {}, **fields}
        self._insert("artifact_release_bundles", fields)
        bundle = self.find(fields["project"], fields["name"], fields["version"])
        assert bundle is not None
        return bundle

    def delete(self, bundle: Bundle, seconds: float = 0) -> None:
        """Delete a version with its promotions, now or in some seconds."""
        deleted = self._runtime.clock.now() + seconds
        self._db.execute("UPDATE artifact_release_bundles SET deleted = ? WHERE id = ?", (deleted, bundle.id))
        self._remove_deleted()

    def list_promotions(self, bundle: Bundle) -> list[Promotion]:
        """Return the promotions of a version, newest first."""
        rows = self._db.execute(
            "SELECT * FROM artifact_release_bundle_promotions WHERE bundle = ? ORDER BY created_millis DESC",
            (bundle.id,),
        )
        return [Promotion(**_parse(row, ("messages", "request", "artifacts"))) for row in rows.fetchall()]

    def add_promotion(self, bundle: Bundle, **fields: Any) -> Promotion:
        """Add a promotion, created now unless the fields contain other times."""
        now = self._runtime.clock.now()
        millis = max([round(now * 1000), *(other.created_millis + 1 for other in self.list_promotions(bundle))])
        defaults: dict[str, Any] = {
            "created_millis": millis,
            "created_by": None,
            "completed": now,
            "messages": [],
            "request": {},
        }
        fields = {**defaults, **fields}
        self._insert("artifact_release_bundle_promotions", {"bundle": bundle.id, **fields})
        return next(
            promotion
            for promotion in self.list_promotions(bundle)
            if promotion.created_millis == fields["created_millis"]
        )

    def delete_promotion(self, promotion: Promotion) -> None:
        """Delete the record of a promotion."""
        self._db.execute("DELETE FROM artifact_release_bundle_promotions WHERE id = ?", (promotion.id,))

    def get_status(self, entry: Bundle | Promotion) -> str:
        """Return the status of a version or of a promotion."""
        if isinstance(entry, Bundle) and entry.deleted is not None:
            return DELETING
        if entry.completed > self._runtime.clock.now():
            return str(self._runtime.get_switch("artifact", "release_bundle_running_status"))
        return FAILED if entry.messages else COMPLETED

    def _select(self, condition: str, **values: object) -> Iterator[Bundle]:
        self._remove_deleted()
        rows = self._db.execute(f"SELECT * FROM artifact_release_bundles WHERE {condition}", values).fetchall()
        return (Bundle(**_parse(row, ("messages", "source", "artifacts"))) for row in rows)

    def _remove_deleted(self) -> None:
        now = self._runtime.clock.now()
        self._db.execute("DELETE FROM artifact_release_bundles WHERE deleted <= ?", (now,))

    def _insert(self, table: str, fields: dict[str, Any]) -> None:
        values = {
            name: json.dumps(value) if isinstance(value, (list, dict)) else value for name, value in fields.items()
        }
        marks = ", ".join(f":{name}" for name in values)
        self._db.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", values)


def find_repository_key(project: str) -> str:
    """Return the key of the repository with the release bundles of a project."""
    return f"{project}-{REPOSITORY}" if project else REPOSITORY


def _parse(row: Any, documents: tuple[str, ...]) -> dict[str, Any]:
    return {**row, **{name: json.loads(row[name]) for name in documents}}
