# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service's rows: users, plugins, jobs, builds, queue items and settings."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS ci_setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_user (name TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_plugin (name TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_job (
    name TEXT PRIMARY KEY COLLATE NOCASE, config TEXT NOT NULL, next_build INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS ci_build (
    job TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL, finished INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (job, number)
);
CREATE INDEX IF NOT EXISTS ci_build_unfinished ON ci_build (finished) WHERE NOT finished;
CREATE TABLE IF NOT EXISTS ci_item (
    id INTEGER PRIMARY KEY, job TEXT NOT NULL COLLATE NOCASE, gone INTEGER NOT NULL, data TEXT NOT NULL
);
"""


@dataclass
class User:
    """An account with its secrets and rights."""

    name: str
    password: str
    full_name: str
    tokens: list[str]
    permissions: list[str]


@dataclass
class Job:
    """A freestyle job; its definition is in the configuration."""

    name: str
    config: str
    next_build: int = 1


@dataclass
class Build:
    """A build. Its end and outcome are known from its start on: what it is at a moment follows from the clock."""

    job: str
    number: int
    queue_id: int
    started: float
    ends: float
    outcome: str
    causes: list[dict[str, Any]]
    parameters: list[dict[str, Any]] | None = None
    lines: list[tuple[float, str]] = field(default_factory=list)
    keep: bool = False
    interrupted: bool = False
    finished: bool = False

    def running(self, now: float) -> bool:
        """Whether it runs at a moment."""
        return now < self.ends


@dataclass
class Item:
    """A request to build: waits from `since`, may start at `due`, leaves as a build or cancelled."""

    id: int
    job: str
    since: float
    due: float
    causes: list[dict[str, Any]]
    parameters: list[dict[str, Any]] | None = None
    left: float | None = None
    cancelled: bool = False
    number: int | None = None


class Store:
    """Reads and writes the rows."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def setting(self, name: str, default: Any = None) -> Any:
        """A value of the server itself."""
        row = self._db.execute("SELECT value FROM ci_setting WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else default

    def set(self, name: str, value: Any) -> None:
        """Keep a value of the server itself."""
        self._db.execute("INSERT OR REPLACE INTO ci_setting VALUES (?, ?)", (name, json.dumps(value)))

    def next_item_id(self) -> int:
        """A queue item's id; never given twice."""
        number: int = self.setting("next_item", 1)
        self.set("next_item", number + 1)
        return number

    def user(self, name: str) -> User | None:
        """The account of that name."""
        row = self._db.execute("SELECT data FROM ci_user WHERE name = ?", (name,)).fetchone()
        return User(**json.loads(row["data"])) if row else None

    def users(self) -> list[User]:
        """All accounts in the order of the seed."""
        return [User(**json.loads(row["data"])) for row in self._db.execute("SELECT data FROM ci_user ORDER BY rowid")]

    def put_user(self, user: User) -> None:
        """Add or replace an account."""
        self._db.execute("INSERT OR REPLACE INTO ci_user VALUES (?, ?)", (user.name, json.dumps(asdict(user))))

    def plugins(self) -> list[dict[str, Any]]:
        """All plugins in the order of the seed."""
        return [json.loads(row["data"]) for row in self._db.execute("SELECT data FROM ci_plugin ORDER BY rowid")]

    def put_plugin(self, plugin: dict[str, Any]) -> None:
        """Add or replace a plugin."""
        self._db.execute("INSERT OR REPLACE INTO ci_plugin VALUES (?, ?)", (plugin["name"], json.dumps(plugin)))

    def job(self, name: str) -> Job | None:
        """The job of that name, in whatever case."""
        row = self._db.execute("SELECT * FROM ci_job WHERE name = ?", (name,)).fetchone()
        return Job(**row) if row else None

    def jobs(self) -> list[Job]:
        """All jobs by name."""
        return [Job(**row) for row in self._db.execute("SELECT * FROM ci_job ORDER BY name")]

    def put_job(self, job: Job) -> None:
        """Add or replace a job."""
        self._db.execute("INSERT OR REPLACE INTO ci_job VALUES (?, ?, ?)", (job.name, job.config, job.next_build))

    def delete_job(self, job: Job) -> None:
        """Remove a job with its builds and its waiting items."""
        for statement in ("ci_job WHERE name", "ci_build WHERE job", "ci_item WHERE NOT gone AND job"):
            self._db.execute(f"DELETE FROM {statement} = ?", (job.name,))

    def build(self, job: str, number: int) -> Build | None:
        """One build."""
        row = self._db.execute("SELECT data FROM ci_build WHERE job = ? AND number = ?", (job, number)).fetchone()
        return Build(**json.loads(row["data"])) if row else None

    def builds(self, job: str) -> Iterator[Build]:
        """The builds of a job, newest first, read as they are asked for."""
        rows = self._db.execute("SELECT data FROM ci_build WHERE job = ? ORDER BY number DESC", (job,))
        return (Build(**json.loads(row["data"])) for row in rows)

    def unfinished(self) -> list[Build]:
        """The builds whose end has not been taken note of."""
        rows = self._db.execute("SELECT data FROM ci_build WHERE NOT finished ORDER BY rowid")
        return [Build(**json.loads(row["data"])) for row in rows]

    def put_build(self, build: Build) -> None:
        """Add or replace a build."""
        row = (build.job, build.number, build.finished, json.dumps(asdict(build)))
        self._db.execute("INSERT OR REPLACE INTO ci_build VALUES (?, ?, ?, ?)", row)

    def delete_build(self, build: Build) -> None:
        """Remove a build."""
        self._db.execute("DELETE FROM ci_build WHERE job = ? AND number = ?", (build.job, build.number))

    def item(self, number: int) -> Item | None:
        """One queue item, left or not."""
        row = self._db.execute("SELECT data FROM ci_item WHERE id = ?", (number,)).fetchone()
        return Item(**json.loads(row["data"])) if row else None

    def queue(self) -> list[Item]:
        """The items that have not left, oldest first."""
        rows = self._db.execute("SELECT data FROM ci_item WHERE NOT gone ORDER BY id")
        return [Item(**json.loads(row["data"])) for row in rows]

    def put_item(self, item: Item) -> None:
        """Add or replace a queue item."""
        row = (item.id, item.job, item.left is not None, json.dumps(asdict(item)))
        self._db.execute("INSERT OR REPLACE INTO ci_item VALUES (?, ?, ?, ?)", row)

    def forget_left_items(self) -> None:
        """What a restart does to the items that have left."""
        self._db.execute("DELETE FROM ci_item WHERE gone")
