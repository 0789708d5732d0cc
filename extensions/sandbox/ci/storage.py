# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Database rows: users, plugins, jobs, builds, queue items and settings."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS ci_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_users (name TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_plugins (name TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_jobs (
    name TEXT PRIMARY KEY, config TEXT NOT NULL, next_build INTEGER NOT NULL, workspace INTEGER NOT NULL,
    on_hold INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS ci_jobs_in_any_case ON ci_jobs (name COLLATE NOCASE);
CREATE TABLE IF NOT EXISTS ci_builds (
    job TEXT NOT NULL, number INTEGER NOT NULL, finished INTEGER NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (job, number)
);
CREATE INDEX IF NOT EXISTS ci_builds_unfinished ON ci_builds (finished) WHERE NOT finished;
CREATE TABLE IF NOT EXISTS ci_items (
    id INTEGER PRIMARY KEY, job TEXT NOT NULL, gone INTEGER NOT NULL, data TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS ci_views (
    folder TEXT NOT NULL, name TEXT NOT NULL, config TEXT NOT NULL, PRIMARY KEY (folder, name)
);
CREATE TABLE IF NOT EXISTS ci_files (job TEXT PRIMARY KEY, config TEXT NOT NULL, file TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_credential_stores (owner TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ci_scripts (id INTEGER PRIMARY KEY, data TEXT NOT NULL UNIQUE);
"""


@dataclass
class Token:
    """An API token.

    :arg expires: the last day on which it is valid, in ISO format; null if it does not expire
    """

    value: str
    name: str
    uuid: str
    created: float
    expires: str | None = None


@dataclass
class User:
    """A user with secrets and permissions.

    :arg password: null for an object without an account, such as the author of a commit
    """

    name: str
    password: str | None
    full_name: str
    tokens: list[Token]
    permissions: list[str]
    public_keys: list[str] = field(default_factory=list)
    description: str | None = None
    email: str | None = None


@dataclass
class Job:
    """A job or folder.

    :arg workspace: whether a build has created a workspace
    :arg on_hold: whether it is a copy that was not saved yet, so that it cannot be built
    """

    name: str
    config: str
    next_build: int = 1
    workspace: bool = False
    on_hold: bool = False

    @property
    def leaf(self) -> str:
        """The name without the folder."""
        return self.name.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The full name of the folder, empty at the root."""
        return self.name.rpartition("/")[0]


@dataclass
class View:
    """A view of Jenkins or a folder."""

    folder: str
    name: str
    config: str


@dataclass
class Build:
    """A build. End and outcome are determined at its start; its state follows from the clock.

    :arg artifacts: texts by path
    :arg resists: methods to stop the build that it ignores
    :arg node: name of the agent, empty for the built-in node
    """

    job: str
    number: int
    queue_id: int
    started: float
    ends: float
    outcome: str
    causes: list[dict[str, Any]]
    parameters: list[dict[str, Any]] | None = None
    lines: list[tuple[float, str]] = field(default_factory=list)
    description: str | None = None
    keep: bool = False
    interrupted: bool = False
    finished: bool = False
    kind: str = "freestyle"
    artifacts: dict[str, str] = field(default_factory=dict)
    resists: list[str] = field(default_factory=list)
    node: str = ""

    def running(self, now: float) -> bool:
        """Return whether the build runs at a time."""
        return now < self.ends


@dataclass
class Item:
    """A queue item: waits from `since`, may start at `due`, becomes a build or is cancelled."""

    id: int
    job: str
    since: float
    due: float
    causes: list[dict[str, Any]]
    parameters: list[dict[str, Any]] | None = None
    left: float | None = None
    cancelled: bool = False
    number: int | None = None


def _identity(name: str) -> str:
    """Return the name for comparisons. Names are case-sensitive in folders, and not at the root."""
    root, slash, rest = name.partition("/")
    return root.lower() + slash + rest


def _read_user(data: str) -> User:
    members = json.loads(data)
    return User(**{**members, "tokens": [Token(**token) for token in members["tokens"]]})


class Storage:
    """Reads and writes the rows."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def mentions(self, sha256: str) -> bool:
        """Return whether a build, a queue item or a setting refers to the content with this checksum."""
        tables = {"ci_builds": "data", "ci_items": "data", "ci_settings": "value"}
        question = " UNION ALL ".join(
            f"SELECT 1 FROM {table} WHERE instr({column}, :sha256)" for table, column in tables.items()
        )
        return self._db.execute(question, {"sha256": sha256}).fetchone() is not None

    def setting(self, name: str, default: Any = None) -> Any:
        """Return a setting of the server."""
        row = self._db.execute("SELECT value FROM ci_settings WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else default

    def set(self, name: str, value: Any) -> None:
        """Store a setting of the server."""
        self._db.execute("INSERT OR REPLACE INTO ci_settings VALUES (?, ?)", (name, json.dumps(value)))

    def next_item_id(self) -> int:
        """Return a new queue id, which is never reused."""
        number: int = self.setting("next_item", 1)
        self.set("next_item", number + 1)
        return number

    def user(self, name: str) -> User | None:
        """Return the user with a name, in any case."""
        row = self._db.execute("SELECT data FROM ci_users WHERE name = ? COLLATE NOCASE", (name,)).fetchone()
        return _read_user(row["data"]) if row else None

    def users(self) -> list[User]:
        """Return all users in the order of the seed."""
        return [_read_user(row["data"]) for row in self._db.execute("SELECT data FROM ci_users ORDER BY rowid")]

    def put_user(self, user: User) -> None:
        """Add or replace a user."""
        self._db.execute(
            "INSERT INTO ci_users VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data",
            (user.name, json.dumps(asdict(user))),
        )

    def delete_user(self, user: User) -> None:
        """Delete a user with its credentials."""
        self._db.execute("DELETE FROM ci_users WHERE name = ?", (user.name,))
        self._db.execute("DELETE FROM ci_credential_stores WHERE owner = ?", (user.name,))

    def forget_objects_without_account(self) -> None:
        """Delete users without an account, as a restart does."""
        for user in self.users():
            if user.password is None:
                self.delete_user(user)

    def plugins(self) -> list[dict[str, Any]]:
        """Return all plugins in the order of the seed."""
        return [json.loads(row["data"]) for row in self._db.execute("SELECT data FROM ci_plugins ORDER BY rowid")]

    def put_plugin(self, plugin: dict[str, Any]) -> None:
        """Add or replace a plugin."""
        self._db.execute("INSERT OR REPLACE INTO ci_plugins VALUES (?, ?)", (plugin["name"], json.dumps(plugin)))

    def delete_plugin(self, name: str) -> None:
        """Delete a plugin."""
        self._db.execute("DELETE FROM ci_plugins WHERE name = ?", (name,))

    def scripts(self) -> list[dict[str, Any]]:
        """Return the scripted answers, latest first."""
        return [json.loads(row["data"]) for row in self._db.execute("SELECT data FROM ci_scripts ORDER BY id DESC")]

    def put_script(self, entry: dict[str, Any]) -> None:
        """Add a scripted answer."""
        self._db.execute("INSERT OR REPLACE INTO ci_scripts (data) VALUES (?)", (json.dumps(entry),))

    def credential_store(self, owner: str) -> str | None:
        """Return the store of a user as XML, or of the server if the owner is empty."""
        row = self._db.execute("SELECT data FROM ci_credential_stores WHERE owner = ?", (owner,)).fetchone()
        return row["data"] if row else None

    def put_credential_store(self, owner: str, data: str) -> None:
        """Add or replace the store of a user or, if the owner is empty, of the server."""
        self._db.execute("INSERT OR REPLACE INTO ci_credential_stores VALUES (?, ?)", (owner, data))

    def job(self, name: str) -> Job | None:
        """Return the job with a full name."""
        rows = self._db.execute("SELECT * FROM ci_jobs WHERE name = ? COLLATE NOCASE", (name,))
        return next((Job(**row) for row in rows if _identity(row["name"]) == _identity(name)), None)

    def jobs(self, folder: str = "") -> list[Job]:
        """Return the items of a folder by name."""
        return [job for job in self.all_jobs() if _identity(job.folder) == _identity(folder)]

    def all_jobs(self) -> list[Job]:
        """Return the items of all folders by full name."""
        jobs = [Job(**row) for row in self._db.execute("SELECT * FROM ci_jobs")]
        return sorted(jobs, key=lambda job: _identity(job.name))

    def put_job(self, job: Job) -> None:
        """Add or replace a job."""
        row = (job.name, job.config, job.next_build, job.workspace, job.on_hold)
        self._db.execute("INSERT OR REPLACE INTO ci_jobs VALUES (?, ?, ?, ?, ?)", row)

    def put_file(self, job: Job, file: str) -> None:
        """Keep the text that a user has submitted as the configuration of a job."""
        self._db.execute("INSERT OR REPLACE INTO ci_files VALUES (?, ?, ?)", (job.name, job.config, file))

    def file(self, job: Job) -> str | None:
        """Return the text that a user has submitted, unless the job was changed otherwise since then."""
        query = "SELECT file FROM ci_files WHERE job = ? AND config = ?"
        row = self._db.execute(query, (job.name, job.config)).fetchone()
        return row["file"] if row else None

    def release_copies(self) -> None:
        """Let all copied jobs be built, as a restart does."""
        self._db.execute("UPDATE ci_jobs SET on_hold = 0 WHERE on_hold")

    def delete_job(self, job: Job, now: float) -> None:
        """Delete a job or folder with its content, and cancel its queue items."""
        for inner in self.jobs(job.name):
            self.delete_job(inner, now)
        self.cancel_items(job, now)
        for statement in ("ci_jobs WHERE name", "ci_builds WHERE job", "ci_views WHERE folder", "ci_files WHERE job"):
            self._db.execute(f"DELETE FROM {statement} = ?", (job.name,))

    def cancel_items(self, job: Job, now: float) -> None:
        """Cancel the queue items of a job."""
        for item in self.queue():
            if item.job == job.name:
                self.put_item(replace(item, left=now, cancelled=True))

    def rename_job(self, job: Job, name: str) -> None:
        """Change the full name of a job together with its builds, items and content."""
        for inner in self.jobs(job.name):
            self.rename_job(inner, f"{name}/{inner.leaf}")
        self._db.execute("UPDATE ci_jobs SET name = ? WHERE name = ?", (name, job.name))
        self._db.execute("UPDATE ci_views SET folder = ? WHERE folder = ?", (name, job.name))
        for build in list(self.builds(job.name)):
            self.delete_build(build)
            self.put_build(replace(build, job=name))
        for item in self.queue():
            if item.job == job.name:
                self.put_item(replace(item, job=name))

    def views(self, folder: str) -> list[View]:
        """Return the stored views of Jenkins or a folder, the oldest first."""
        rows = self._db.execute("SELECT * FROM ci_views WHERE folder = ? ORDER BY rowid", (folder,))
        return [View(**row) for row in rows]

    def all_views(self) -> list[View]:
        """Return the stored views of Jenkins and of all folders."""
        return [View(**row) for row in self._db.execute("SELECT * FROM ci_views ORDER BY rowid")]

    def put_view(self, view: View) -> None:
        """Add or replace a view."""
        statement = (
            "INSERT INTO ci_views VALUES (?, ?, ?) ON CONFLICT (folder, name) DO UPDATE SET config = excluded.config"
        )
        self._db.execute(statement, (view.folder, view.name, view.config))

    def delete_view(self, view: View) -> None:
        """Delete a view."""
        self._db.execute("DELETE FROM ci_views WHERE folder = ? AND name = ?", (view.folder, view.name))

    def build(self, job: str, number: int) -> Build | None:
        """Return a build."""
        row = self._db.execute("SELECT data FROM ci_builds WHERE job = ? AND number = ?", (job, number)).fetchone()
        return Build(**json.loads(row["data"])) if row else None

    def builds(self, job: str) -> Iterator[Build]:
        """Yield the builds of a job, newest first."""
        rows = self._db.execute("SELECT data FROM ci_builds WHERE job = ? ORDER BY number DESC", (job,))
        return (Build(**json.loads(row["data"])) for row in rows)

    def list_unfinished(self) -> list[Build]:
        """Return the builds that were not finalized."""
        rows = self._db.execute("SELECT data FROM ci_builds WHERE NOT finished ORDER BY rowid")
        return [Build(**json.loads(row["data"])) for row in rows]

    def put_build(self, build: Build) -> None:
        """Add or replace a build."""
        row = (build.job, build.number, build.finished, json.dumps(asdict(build)))
        self._db.execute("INSERT OR REPLACE INTO ci_builds VALUES (?, ?, ?, ?)", row)

    def delete_build(self, build: Build) -> None:
        """Delete a build."""
        self._db.execute("DELETE FROM ci_builds WHERE job = ? AND number = ?", (build.job, build.number))

    def item(self, number: int) -> Item | None:
        """Return a queue item, including left ones."""
        row = self._db.execute("SELECT data FROM ci_items WHERE id = ?", (number,)).fetchone()
        return Item(**json.loads(row["data"])) if row else None

    def queue(self) -> list[Item]:
        """Return the waiting items, oldest first."""
        rows = self._db.execute("SELECT data FROM ci_items WHERE NOT gone ORDER BY id")
        return [Item(**json.loads(row["data"])) for row in rows]

    def put_item(self, item: Item) -> None:
        """Add or replace a queue item."""
        row = (item.id, item.job, item.left is not None, json.dumps(asdict(item)))
        self._db.execute("INSERT OR REPLACE INTO ci_items VALUES (?, ?, ?, ?)", row)

    def forget_left_items(self) -> None:
        """Delete left items, as a restart does."""
        self._db.execute("DELETE FROM ci_items WHERE gone")
