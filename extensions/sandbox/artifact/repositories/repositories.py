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

CLASS_LABELS = {"local": "Local", "remote": "Remote", "virtual": "Virtual", "federated": "Federated"}
STORED_CLASSES = ("local", "federated")
IMAGE_TYPES = ("docker", "oci")
MAVEN_TYPES = ("maven", "gradle", "ivy", "sbt")
COMMON_DEFAULTS = {
    "description": "",
    "notes": "",
    "includesPattern": "**/*",
    "excludesPattern": "",
}
# Defaults of the server's configuration file. Repositories created over REST have different ones: `REST_DEFAULTS`.
CLASS_DEFAULTS: dict[str, dict[str, Any]] = {
    "local": {
        "handleReleases": True,
        "handleSnapshots": True,
        "maxUniqueSnapshots": 0,
        "snapshotVersionBehavior": "unique",
        "suppressPomConsistencyChecks": True,
        "blackedOut": False,
        "xrayIndex": False,
        "propertySets": [],
        "archiveBrowsingEnabled": False,
        "checksumPolicyType": "client-checksums",
    },
    "remote": {
        "username": "",
        "password": "",
        "handleReleases": True,
        "handleSnapshots": True,
        "blackedOut": False,
        "offline": False,
        "hardFail": False,
        "storeArtifactsLocally": True,
        "retrievalCachePeriodSecs": 7200,
        "missedRetrievalCachePeriodSecs": 1800,
        "socketTimeoutMillis": 15000,
        "propertySets": [],
        "xrayIndex": False,
    },
    "virtual": {"repositories": [], "artifactoryRequestsCanRetrieveRemoteArtifacts": False},
}
CLASS_DEFAULTS["federated"] = {**CLASS_DEFAULTS["local"], "members": []}
CONFIGURATION_FIELDS = sorted(
    {
        "packageType",
        "url",
        "repoLayoutRef",
        "defaultDeploymentRepo",
        "projectKey",
        "environments",
        *COMMON_DEFAULTS,
    }.union(*CLASS_DEFAULTS.values())
)
DEFAULT_LAYOUTS = {
    "maven": MAVEN_2,
    "gradle": MAVEN_2,
    "ivy": "ivy-default",
    "npm": "npm-default",
    "pypi": "simple-default",
    "nuget": "nuget-default",
}
# Files that every repository rejects: temporary files of editors and files of old version control systems.
DEFAULT_EXCLUDES = re.compile(
    r"(?:.*/)?(?:[^/]*~|#[^/]*#|\.#[^/]*|%[^/]*%|\._[^/]*|\.cvsignore|vssver\.scc|\.DS_Store|(?:CVS|SCCS|\.svn)(?:/.*)?)",
    re.DOTALL,
)
# Reasons for rejecting a file.
BLACKOUT = "blackout"
POLICY = "snapshot/release handling policy"
PATTERNS = "include/exclude pattern settings"


@dataclass(frozen=True)
class Repository:
    """A repository with its configuration."""

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

    def check_path(self, path: str, is_download: bool = False, is_folder: bool = False) -> None:
        """Fail if the settings forbid a path."""
        reason = self.find_rejection(path, is_folder)
        if reason == BLACKOUT:
            raise self.blackout_error(path)
        if reason:
            status = 404 if is_download and reason == PATTERNS else 409
            message = f"The repository '{self.key}' rejected the artifact '{self.key}:{path}' due to its {reason}."
            raise ArtifactError(status, message)


@functools.lru_cache(maxsize=1024)
def _parse_repository(key: str, configuration: str) -> Repository:
    return Repository(key, json.loads(configuration))


class Repositories:
    """The repositories in the database."""

    def __init__(self, runtime: Runtime, items: Items) -> None:
        """Create the store."""
        self._db = runtime.db
        self._items = items

    async def delete(self, repository: Repository) -> None:
        """Delete a repository with its items."""
        storage = f"{repository.key}-cache" if repository.rclass == "remote" else repository.key
        root = self._items.find(storage, "")
        if root is not None:
            await self._items.delete(root)
            self._db.execute("DELETE FROM artifact_items WHERE id = ?", (root.id,))
        self._db.execute("DELETE FROM artifact_repositories WHERE key = ?", (repository.key,))

    def find(self, key: str) -> Repository | None:
        """Return the repository with a key."""
        row = self._db.execute("SELECT * FROM artifact_repositories WHERE key = ?", (key,)).fetchone()
        return _parse_repository(key, row["configuration"]) if row else None

    def resolve(self, key: str) -> Repository | None:
        """Return the repository whose settings apply to a key; the remote repository for the key of a cache."""
        repository = self.find(key)
        if repository is None and key.endswith("-cache"):
            remote = self.find(key.removesuffix("-cache"))
            return remote if remote is not None and remote.rclass == "remote" else None
        return repository

    def list_all(self) -> Iterator[Repository]:
        """Yield all repositories, sorted by key."""
        for row in self._db.execute("SELECT * FROM artifact_repositories ORDER BY key"):
            yield _parse_repository(row["key"], row["configuration"])

    def list_storages(self, key: str) -> list[str]:
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
                if not self._is_blacked_out(member)
                for storage in self.list_storages(member)
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
        """Create a repository or replace its configuration. Missing fields get their defaults."""
        rclass = fields.get("rclass")
        if rclass not in CLASS_LABELS:
            raise ArtifactError(400, "No valid rclass was given")
        if rclass == "remote" and not fields.get("url"):
            raise ArtifactError(400, "A remote repository needs a url")
        package_type = str(fields.get("packageType") or "generic").lower()
        own_fields = {
            name: value for name, value in fields.items() if value is not None and name not in ("key", "rclass")
        }
        configuration = {
            "key": key,
            "packageType": package_type,
            **COMMON_DEFAULTS,
            "repoLayoutRef": DEFAULT_LAYOUTS.get(package_type, "simple-default"),
            **CLASS_DEFAULTS[rclass],
            **own_fields,
            "rclass": rclass,
        }
        configuration["packageType"] = package_type
        self._db.execute("INSERT OR REPLACE INTO artifact_repositories VALUES (?, ?)", (key, json.dumps(configuration)))
        if rclass != "virtual":
            self._items.create_folder(key if rclass in STORED_CLASSES else f"{key}-cache", "", None)
