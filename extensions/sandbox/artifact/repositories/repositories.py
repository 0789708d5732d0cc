# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories: settings, rules for paths, and resolution of keys."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...runtime.runtime import Runtime
from ..access.scopes import matches_patterns, may_match_below
from ..items.storage import Items
from ..items.tree import TRASH_REPO
from ..maven.layouts import MAVEN_2, parse_module
from ..protocol.errors import ArtifactError
from ..system.configuration.store import Configuration
from .configurations import default_layout, list_member_names, normalize_package_type, stored_members
from .package_types import IMAGE_TYPES, MAVEN_TYPES, STORED_CLASSES

CLASS_LABELS = {"local": "Local", "remote": "Remote", "virtual": "Virtual", "federated": "Federated"}
# Values of new repositories of a seed that differ from those of repositories created over REST.
SEED_DEFAULTS = {"suppressPomConsistencyChecks": True}
CONFIGURATION_FIELDS = list_member_names()
# Files that every repository rejects: temporary files of editors and files of old version control systems.
DEFAULT_EXCLUDES = re.compile(
    r"(?:.*/)?(?:[^/]*~|#[^/]*#|\.#[^/]*|%[^/]*%|\._[^/]*|\.cvsignore|vssver\.scc|\.DS_Store|(?:CVS|SCCS|\.svn)(?:/.*)?)",
    re.DOTALL,
)
# Reasons for rejecting a file.
BLACKOUT = "blackout"
POLICY = "snapshot/release handling policy"
PATTERNS = "include/exclude pattern settings"


@dataclass(frozen=True, eq=False)
class Repository:
    """A repository with its configuration. Equal configurations are usually the same object."""

    key: str
    configuration: dict[str, Any]

    @property
    def rclass(self) -> str:
        """The class: `local`, `remote`, `virtual` or `federated`."""
        return str(self.configuration["rclass"])

    @property
    def package_type(self) -> str:
        """The package type in lower case."""
        return str(self.configuration["packageType"])

    @property
    def stores_items(self) -> bool:
        """Whether it or its cache stores items."""
        return self.rclass in STORED_CLASSES or bool(self.configuration.get("storeArtifactsLocally"))

    @property
    def is_blacked_out(self) -> bool:
        """Whether downloads and uploads are refused. Items can still be listed."""
        return bool(self.configuration.get("blackedOut"))

    def accepts(self, path: str, is_folder: bool = False) -> bool:
        """Return whether a path matches the include and exclude patterns.

        A folder is also accepted if the patterns can match a path below it. The root is always accepted.
        """
        if not path:
            return True
        included, excluded = self.configuration["includesPattern"], self.configuration["excludesPattern"]
        is_included = matches_patterns(path, included) or (is_folder and may_match_below(path, included))
        return is_included and not matches_patterns(path, excluded) and not DEFAULT_EXCLUDES.fullmatch(path)

    @property
    def layout(self) -> str:
        """The name of the layout."""
        return str(self.configuration.get("repoLayoutRef"))

    @property
    def snapshot_behavior(self) -> str:
        """The naming of Maven snapshots: `unique`, `non-unique` or `deployer`."""
        return str(self.configuration.get("snapshotVersionBehavior"))

    @property
    def is_registry(self) -> bool:
        """Whether it is a container registry."""
        return self.package_type in IMAGE_TYPES

    @property
    def is_maven(self) -> bool:
        """Whether the package type is Maven or a tool that uses Maven repositories."""
        return self.package_type in MAVEN_TYPES

    @property
    def has_maven_metadata(self) -> bool:
        """Whether the server calculates Maven metadata."""
        return self.rclass in STORED_CLASSES and (self.is_maven or self.layout == MAVEN_2)

    @property
    def renames_snapshots(self) -> bool:
        """Whether the server determines the names of Maven snapshots, and so their metadata."""
        return self.layout == MAVEN_2 and self.snapshot_behavior != "deployer"

    @property
    def checks_poms(self) -> bool:
        """Whether POMs that do not match their path are refused."""
        return self.is_maven and not self.configuration.get("suppressPomConsistencyChecks")

    def find_rejection(self, path: str, is_folder: bool = False) -> str | None:
        """Return the setting that forbids uploads and downloads of a path, or `None`.

        The policy for releases and snapshots only applies to paths that match the layout.
        """
        if self.is_blacked_out:
            return BLACKOUT
        module = parse_module(path, self.layout)
        if module and not self.configuration.get("handleSnapshots" if module.is_snapshot else "handleReleases", True):
            return POLICY
        return None if self.accepts(path, is_folder) else PATTERNS

    def blackout_error(self, path: str) -> ArtifactError:
        """Return the error for a path in a blacked-out repository."""
        message = f"The repository '{self.key}' is blacked out and cannot serve artifact '{self.key}:{path}'."
        return ArtifactError(404, message)


@functools.lru_cache(maxsize=16384)
def _parse_repository(key: str, configuration: str) -> Repository:
    return Repository(key, json.loads(configuration))


class Repositories:
    """The repositories in the database.

    With the switch `repository_visibility_seconds`, changes of configurations become visible with a delay. Calls that
    change configurations use `find_stored`, which returns the latest state, all others the visible state.
    """

    def __init__(self, runtime: Runtime, items: Items) -> None:
        """Create the store."""
        self._runtime = runtime
        self._db = runtime.db
        self._items = items
        self._configuration = Configuration(runtime)
        # Earlier states of the repositories whose last change is not visible yet, and the times when it will be.
        self._earlier_states: dict[str, tuple[Repository | None, float]] = {}

    def show_all_changes(self) -> None:
        """Make all changes visible."""
        self._earlier_states.clear()

    async def delete(self, repository: Repository) -> None:
        """Delete a repository with its items, and remove it from virtual repositories, backups and the indexer."""
        storage = f"{repository.key}-cache" if repository.rclass == "remote" else repository.key
        root = self._items.find(storage, "")
        if root is not None:
            await self._items.delete(root)
            self._db.execute("DELETE FROM artifact_items WHERE id = ?", (root.id,))
        self._keep_earlier_state(repository.key)
        self._db.execute("DELETE FROM artifact_repositories WHERE key = ?", (repository.key,))
        for table in ("artifact_replications", "artifact_shared_repositories"):
            self._db.execute(f"DELETE FROM {table} WHERE repo = ?", (repository.key,))
        for virtual in list(self._list_stored()):
            if repository.key in virtual.configuration.get("repositories", ()):
                self._remove_member(virtual, repository.key)
        self._configuration.remove_repository(repository.key)

    def _remove_member(self, virtual: Repository, key: str) -> None:
        configuration = dict(virtual.configuration)
        configuration["repositories"] = [member for member in configuration["repositories"] if member != key]
        if configuration.get("defaultDeploymentRepo") == key:
            configuration["defaultDeploymentRepo"] = ""
        self.store(virtual.key, configuration)

    def find(self, key: str) -> Repository | None:
        """Return the repository with a key."""
        if key in self._earlier_states and self._is_delayed(key):
            return self._earlier_states[key][0]
        return self.find_stored(key)

    def find_stored(self, key: str) -> Repository | None:
        """Return the repository with a key, even if its last change is not visible yet."""
        row = self._db.execute("SELECT * FROM artifact_repositories WHERE key = ?", (key,)).fetchone()
        return _parse_repository(key, row["configuration"]) if row else None

    def find_key(self, key: str) -> str | None:
        """Return the key of a repository that is equal except for case, preferably without that exception."""
        rows = self._db.execute("SELECT key FROM artifact_repositories")
        keys = [row["key"] for row in rows if row["key"].lower() == key.lower()]
        return key if key in keys else next(iter(keys), None)

    def _is_delayed(self, key: str) -> bool:
        """Return whether the last change of a repository is not visible yet."""
        if self._earlier_states[key][1] > self._runtime.clock.now():
            return True
        del self._earlier_states[key]
        return False

    def _keep_earlier_state(self, key: str) -> None:
        """Delay the visibility of a change that follows."""
        seconds = self._runtime.get_switch("artifact", "repository_visibility_seconds")
        if seconds > 0:
            self._earlier_states[key] = (self.find(key), self._runtime.clock.now() + seconds)

    def resolve(self, key: str) -> Repository | None:
        """Return the repository whose settings apply to a key; the remote repository for the key of a cache."""
        repository = self.find(key)
        if repository is None and key.endswith("-cache"):
            remote = self.find(key.removesuffix("-cache"))
            return remote if remote is not None and remote.rclass == "remote" else None
        return repository

    def list_all(self) -> Iterator[Repository]:
        """Yield all repositories, sorted by key."""
        delayed = {key for key in list(self._earlier_states) if self._is_delayed(key)}
        if not delayed:
            yield from self._list_stored()
            return
        visible = [repository for repository in self._list_stored() if repository.key not in delayed]
        visible += filter(None, (self._earlier_states[key][0] for key in delayed))
        yield from sorted(visible, key=lambda repository: repository.key)

    def _list_stored(self) -> Iterator[Repository]:
        for row in self._db.execute("SELECT * FROM artifact_repositories ORDER BY key"):
            yield _parse_repository(row["key"], row["configuration"])

    def count_files(self, repository: Repository) -> int:
        """Return the number of files that deleting a repository deletes."""
        if repository.rclass == "virtual":
            return 0
        storage = f"{repository.key}-cache" if repository.rclass == "remote" else repository.key
        query = "SELECT count(*) FROM artifact_items WHERE repo = ? AND NOT folder"
        return int(self._db.execute(query, (storage,)).fetchone()[0])

    def count_local(self) -> int:
        """Return the number of local repositories."""
        query = "SELECT count(*) FROM artifact_repositories WHERE json_extract(configuration, '$.rclass') = 'local'"
        return int(self._db.execute(query).fetchone()[0])

    def list_storages(self, key: str, _parents: tuple[str, ...] = ()) -> list[str]:
        """Return the keys under which the items of a repository are stored, in search order."""
        if key == TRASH_REPO:
            return [TRASH_REPO]
        repository = self.resolve(key)
        if repository is None:
            return []
        if repository.rclass == "remote":
            return [f"{repository.key}-cache"] if repository.stores_items else []
        if repository.rclass == "virtual":
            members = (
                storage
                for member in repository.configuration["repositories"]
                if member not in (*_parents, key) and not self._is_blacked_out(member)
                for storage in self.list_storages(member, (*_parents, key))
            )
            return list(dict.fromkeys(members))
        return [key]

    def _is_blacked_out(self, key: str) -> bool:
        repository = self.find(key)
        return repository is not None and repository.is_blacked_out

    def virtual_members(self) -> dict[str, list[str]]:
        """Return the storages of each virtual repository."""
        return {
            repository.key: self.list_storages(repository.key)
            for repository in self.list_all()
            if repository.rclass == "virtual"
        }

    def generates_metadata(self, key: str, path: str) -> bool:
        """Return whether the server generates the Maven metadata at a path and ignores uploads of it."""
        repository = self.find(key)
        return repository is not None and repository.renames_snapshots and path.endswith("-SNAPSHOT/maven-metadata.xml")

    def is_virtual(self, key: str) -> bool:
        """Return whether a key belongs to a virtual repository."""
        repository = self.find(key)
        return repository is not None and repository.rclass == "virtual"

    def info_key(self, key: str) -> str:
        """Return the key in item information: for a remote repository, that of its cache."""
        repository = self.find(key)
        return f"{key}-cache" if repository is not None and repository.rclass == "remote" else key

    def find_upstream_url(self, key: str) -> str | None:
        """Return the URL that a cache downloads from."""
        remote = self.find(key.removesuffix("-cache"))
        if remote is None or remote.rclass != "remote":
            return None
        return str(remote.configuration["url"]).rstrip("/")

    def is_stored(self, key: str) -> bool:
        """Return whether items are stored under this key, so that they can be changed."""
        return self.list_storages(key) == [key]

    def save(self, key: str, fields: dict[str, Any]) -> None:
        """Create a repository of a seed or replace its configuration. Missing fields get their defaults."""
        rclass = fields.get("rclass")
        if rclass not in CLASS_LABELS:
            raise ArtifactError(400, "No valid rclass was given")
        if rclass == "remote" and not fields.get("url"):
            raise ArtifactError(400, "A remote repository needs a url")
        package_type = normalize_package_type(fields.get("packageType"))
        members = stored_members(rclass, package_type)
        layout = default_layout(package_type, fields.get("terraformType"))
        defaults = {name: value for name, value in SEED_DEFAULTS.items() if name in members}
        given = {
            name: value
            for name, value in fields.items()
            if value is not None and (name in members or name == "projectKey")
        }
        configuration = {"key": key, "packageType": package_type, **members, "repoLayoutRef": layout, **defaults}
        self._write(key, {**configuration, **given, "rclass": rclass})

    def store(self, key: str, configuration: dict[str, Any]) -> None:
        """Store the complete configuration of a repository, and create its root folder."""
        self._keep_earlier_state(key)
        self._write(key, configuration)

    def _write(self, key: str, configuration: dict[str, Any]) -> None:
        self._db.execute("INSERT OR REPLACE INTO artifact_repositories VALUES (?, ?)", (key, json.dumps(configuration)))
        rclass = configuration["rclass"]
        if rclass != "virtual":
            self._items.create_folder(key if rclass in STORED_CLASSES else f"{key}-cache", "", None)
