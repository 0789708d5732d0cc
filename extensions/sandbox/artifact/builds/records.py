# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The database of build records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...runtime.runtime import Runtime
from ..protocol.formats import format_time_with_offset

SCHEMA = """
CREATE TABLE artifact_builds (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    number TEXT NOT NULL,
    started REAL NOT NULL,
    url TEXT,
    created REAL NOT NULL,
    created_by TEXT,
    modified REAL,
    modified_by TEXT,
    record TEXT NOT NULL
);
CREATE UNIQUE INDEX artifact_builds_run ON artifact_builds (project, name, number, started);
CREATE INDEX artifact_builds_started ON artifact_builds (name, started);
CREATE TABLE artifact_build_properties (id INTEGER PRIMARY KEY, build INTEGER NOT NULL, name TEXT NOT NULL, value TEXT);
CREATE INDEX artifact_build_properties_build ON artifact_build_properties (build);
CREATE INDEX artifact_build_properties_value ON artifact_build_properties (name, value);
CREATE TABLE artifact_build_promotions (
    id INTEGER PRIMARY KEY,
    build INTEGER NOT NULL,
    created REAL NOT NULL,
    created_by TEXT,
    status TEXT NOT NULL,
    repo TEXT,
    comment TEXT,
    ci_user TEXT
);
CREATE INDEX artifact_build_promotions_build ON artifact_build_promotions (build);
CREATE TABLE artifact_build_modules (id INTEGER PRIMARY KEY, build INTEGER NOT NULL, name TEXT NOT NULL);
CREATE INDEX artifact_build_modules_build ON artifact_build_modules (build);
CREATE TABLE artifact_module_properties (
    id INTEGER PRIMARY KEY,
    module INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT
);
CREATE INDEX artifact_module_properties_module ON artifact_module_properties (module);
CREATE TABLE artifact_build_artifacts (
    id INTEGER PRIMARY KEY,
    module INTEGER NOT NULL,
    name TEXT NOT NULL,
    type TEXT,
    sha1 TEXT,
    md5 TEXT
);
CREATE INDEX artifact_build_artifacts_module ON artifact_build_artifacts (module);
CREATE INDEX artifact_build_artifacts_sha1 ON artifact_build_artifacts (sha1);
CREATE TABLE artifact_build_dependencies (
    id INTEGER PRIMARY KEY,
    module INTEGER NOT NULL,
    name TEXT NOT NULL,
    scope TEXT,
    type TEXT,
    sha1 TEXT,
    md5 TEXT
);
CREATE INDEX artifact_build_dependencies_module ON artifact_build_dependencies (module);
CREATE INDEX artifact_build_dependencies_sha1 ON artifact_build_dependencies (sha1);
CREATE TRIGGER artifact_builds_deleted AFTER DELETE ON artifact_builds
BEGIN
    DELETE FROM artifact_build_properties WHERE build = OLD.id;
    DELETE FROM artifact_build_promotions WHERE build = OLD.id;
    DELETE FROM artifact_build_modules WHERE build = OLD.id;
END;
CREATE TRIGGER artifact_build_modules_deleted AFTER DELETE ON artifact_build_modules
BEGIN
    DELETE FROM artifact_module_properties WHERE module = OLD.id;
    DELETE FROM artifact_build_artifacts WHERE module = OLD.id;
    DELETE FROM artifact_build_dependencies WHERE module = OLD.id;
END;
"""
# Milliseconds since the epoch of the years 1 to 9999, which have four digits.
MIN_MILLIS, MAX_MILLIS = -62_135_596_800_000, 253_402_300_800_000
SAME_BUILD = "project = :project AND name = :name"


@dataclass(frozen=True)
class Promotion:
    """An entry of a build's promotion history."""

    created: float
    created_by: str | None
    status: str
    repo: str | None
    comment: str | None
    ci_user: str | None


@dataclass(frozen=True)
class Build:
    """A run of a build with its published record."""

    id: int
    project: str
    name: str
    number: str
    started: float
    record: dict[str, Any]


class Builds:
    """The builds in the database."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the store."""
        self._runtime = runtime
        self._db = runtime.db

    def list_names(self, project: str) -> Iterator[tuple[str, float]]:
        """Return the names of all builds and the start times of their latest runs."""
        return iter(
            self._db.execute(
                "SELECT name, max(started) FROM artifact_builds WHERE project = ? GROUP BY name ORDER BY name",
                (project,),
            ).fetchall()
        )

    def list_runs(self, project: str, name: str) -> list[Build]:
        """Return the runs of a build, newest first."""
        return list(self._select(f"{SAME_BUILD} ORDER BY started DESC", project=project, name=name))

    def find(self, project: str, name: str, number: str, started: float | None = None) -> Build | None:
        """Return a run by its number: the one started at `started`, or the newest."""
        started_condition = " AND started = :started" if started is not None else ""
        condition = f"{SAME_BUILD} AND number = :number{started_condition} ORDER BY started DESC LIMIT 1"
        return next(self._select(condition, project=project, name=name, number=number, started=started), None)

    def publish(self, project: str, record: dict[str, Any], user: str | None) -> Build:
        """Store a record. A record of the same run is replaced.

        :raises ValueError: if the record has no name, number or valid start time
        """
        name, number, started = str(record["name"]), str(record["number"]), parse_time(record["started"])
        now = self._runtime.clock.now()
        with self._runtime.transaction():
            self._db.execute(
                f"DELETE FROM artifact_builds WHERE {SAME_BUILD} AND number = :number AND started = :started",
                {"project": project, "name": name, "number": number, "started": started},
            )
            values = (project, name, number, started, record.get("url"), now, user, json.dumps(record))
            identifier = self._db.execute(
                "INSERT INTO artifact_builds (project, name, number, started, url, created, created_by, record)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            ).lastrowid
            assert identifier is not None
            self._insert_details(identifier, record)
        return Build(identifier, project, name, number, started, record)

    def set_times(self, build: Build, changes: dict[str, Any]) -> None:
        """Set the creation and modification fields of a run."""
        for column, value in changes.items():
            self._db.execute(f"UPDATE artifact_builds SET {column} = ? WHERE id = ?", (value, build.id))

    def append_modules(self, build: Build, modules: list[dict[str, Any]], user: str | None) -> None:
        """Append modules to a record."""
        record = {**build.record, "modules": [*build.record.get("modules", ()), *modules]}
        with self._runtime.transaction():
            self._db.execute(
                "UPDATE artifact_builds SET record = ?, modified = ?, modified_by = ? WHERE id = ?",
                (json.dumps(record), self._runtime.clock.now(), user, build.id),
            )
            self._insert_modules(build.id, modules)

    def rename(self, project: str, name: str, new_name: str) -> None:
        """Rename all runs of a build."""
        self._db.execute(
            "UPDATE OR REPLACE artifact_builds SET name = :new_name, record = json_set(record, '$.name', :new_name)"
            f" WHERE {SAME_BUILD}",
            {"project": project, "name": name, "new_name": new_name},
        )

    def delete(self, build: Build) -> None:
        """Delete a run."""
        self._db.execute("DELETE FROM artifact_builds WHERE id = ?", (build.id,))

    def add_promotion(self, build: Build, promotion: Promotion) -> None:
        """Append an entry to the promotion history."""
        self._db.execute(
            "INSERT INTO artifact_build_promotions (build, created, created_by, status, repo, comment, ci_user)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                build.id,
                promotion.created,
                promotion.created_by,
                promotion.status,
                promotion.repo,
                promotion.comment,
                promotion.ci_user,
            ),
        )

    def list_promotions(self, build: Build) -> list[Promotion]:
        """Return the promotion history, oldest entry first."""
        rows = self._db.execute(
            "SELECT created, created_by, status, repo, comment, ci_user FROM artifact_build_promotions"
            " WHERE build = ? ORDER BY id",
            (build.id,),
        )
        return [Promotion(*row) for row in rows]

    def _select(self, condition: str, **values: object) -> Iterator[Build]:
        rows = self._db.execute(
            f"SELECT id, project, name, number, started, record FROM artifact_builds WHERE {condition}", values
        ).fetchall()
        return (Build(**{**row, "record": json.loads(row["record"])}) for row in rows)

    def _insert_details(self, build: int, record: dict[str, Any]) -> None:
        self._insert_properties("build", build, record.get("properties"))
        self._insert_modules(build, record.get("modules") or ())

    def _insert_modules(self, build: int, modules: Iterable[dict[str, Any]]) -> None:
        for module in modules:
            identifier = self._db.execute(
                "INSERT INTO artifact_build_modules (build, name) VALUES (?, ?)", (build, module.get("id", ""))
            ).lastrowid
            assert identifier is not None
            self._insert_properties("module", identifier, module.get("properties"))
            self._db.executemany(
                "INSERT INTO artifact_build_artifacts (module, name, type, sha1, md5) VALUES (?, ?, ?, ?, ?)",
                (
                    (identifier, artifact.get("name", ""), artifact.get("type"), *_checksums(artifact))
                    for artifact in module.get("artifacts") or ()
                ),
            )
            self._db.executemany(
                "INSERT INTO artifact_build_dependencies (module, name, scope, type, sha1, md5)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (
                        identifier,
                        dependency.get("id", ""),
                        _scope(dependency),
                        dependency.get("type"),
                        *_checksums(dependency),
                    )
                    for dependency in module.get("dependencies") or ()
                ),
            )

    def _insert_properties(self, kind: str, owner: int, properties: Any) -> None:
        self._db.executemany(
            f"INSERT INTO artifact_{kind}_properties ({kind}, name, value) VALUES (?, ?, ?)",
            ((owner, str(key), str(value)) for key, value in (properties or {}).items()),
        )


def parse_time(text: Any) -> float:
    """Return the time of a record in seconds since the epoch.

    :raises ValueError: if it is not a time in the years 1 to 9999
    """
    if isinstance(text, (int, float)):
        millis = text
    else:
        millis = round(datetime.strptime(str(text), "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() * 1000)
    if not MIN_MILLIS <= millis < MAX_MILLIS:
        raise ValueError(text)
    return millis / 1000


def format_statuses(promotions: Iterable[Promotion]) -> list[dict[str, Any]]:
    """Return the promotion history in the format of responses."""
    return [
        {
            "status": promotion.status,
            "comment": promotion.comment,
            "repository": promotion.repo,
            "timestamp": format_time_with_offset(promotion.created),
            "user": promotion.created_by,
            "ciUser": promotion.ci_user,
            "timestampDate": round(promotion.created * 1000),
        }
        for promotion in promotions
    ]


def _checksums(file: dict[str, Any]) -> tuple[str | None, str | None]:
    return file.get("sha1"), file.get("md5")


def _scope(dependency: dict[str, Any]) -> str | None:
    return ",".join(dependency.get("scopes") or ()) or None
