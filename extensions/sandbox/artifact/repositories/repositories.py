# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories: what they are, and which keys lead where."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...runtime.runtime import Runtime
from ..access.scopes import matches, may_match_below
from ..items.storage import Items
from ..items.tree import TRASH_REPO
from ..maven.layouts import MAVEN_2, parse_module
from ..protocol.errors import ArtifactError

KINDS = {"local": "Local", "remote": "Remote", "virtual": "Virtual", "federated": "Federated"}
STORED = ("local", "federated")
IMAGE_TYPES = ("docker", "oci")
MAVEN_GROUP = ("maven", "gradle", "ivy", "sbt")
COMMON = {
    "description": "",
    "notes": "",
    "includesPattern": "**/*",
    "excludesPattern": "",
}
# As in the server's own configuration file; repositories made over REST have other defaults: `configuration.create`
BY_CLASS: dict[str, dict[str, Any]] = {
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
BY_CLASS["federated"] = {**BY_CLASS["local"], "members": []}
CONFIGURATION = sorted(
    {"packageType", "url", "repoLayoutRef", "defaultDeploymentRepo", "projectKey", "environments", *COMMON}.union(
        *BY_CLASS.values()
    )
)
LAYOUTS = {
    "maven": MAVEN_2,
    "gradle": MAVEN_2,
    "ivy": "ivy-default",
    "npm": "npm-default",
    "pypi": "simple-default",
    "nuget": "nuget-default",
}
# What no repository takes: the temporary files of editors, and the files of old version control systems
DEFAULT_EXCLUDES = re.compile(
    r"(?:.*/)?(?:[^/]*~|#[^/]*#|\.#[^/]*|%[^/]*%|\._[^/]*|\.cvsignore|vssver\.scc|\.DS_Store|(?:CVS|SCCS|\.svn)(?:/.*)?)",
    re.DOTALL,
)
# Why the server rejects a file
BLACKOUT = "blackout"
POLICY = "snapshot/release handling policy"
PATTERNS = "include/exclude pattern settings"


@dataclass(frozen=True)
class Repository:
    """A repository as it is configured."""

    key: str
    configuration: dict[str, Any]

    @property
    def rclass(self) -> str:
        """`local`, `remote`, `virtual` or `federated`."""
        return str(self.configuration["rclass"])

    @property
    def package_type(self) -> str:
        """The package type in lower case."""
        return str(self.configuration["packageType"])

    @property
    def stores_items(self) -> bool:
        """Whether items lie in it, or in its cache."""
        return self.rclass in STORED or bool(self.configuration.get("storeArtifactsLocally"))

    @property
    def is_blacked_out(self) -> bool:
        """Whether downloads and uploads are refused. Items can still be listed."""
        return bool(self.configuration.get("blackedOut"))

    def accepts(self, path: str, is_folder: bool = False) -> bool:
        """Return whether the include and exclude patterns match a path.

        A folder is also accepted if they can match something below it, and the root always.
        """
        if not path:
            return True
        included, excluded = self.configuration["includesPattern"], self.configuration["excludesPattern"]
        is_included = matches(path, included) or (is_folder and may_match_below(path, included))
        return is_included and not matches(path, excluded) and not DEFAULT_EXCLUDES.fullmatch(path)

    @property
    def layout(self) -> str:
        """The name of the layout."""
        return str(self.configuration.get("repoLayoutRef"))

    @property
    def snapshot_behavior(self) -> str:
        """How Maven snapshots are named: `unique`, `non-unique` or `deployer`."""
        return str(self.configuration.get("snapshotVersionBehavior"))

    @property
    def is_registry(self) -> bool:
        """Whether it is a container registry."""
        return self.package_type in IMAGE_TYPES

    @property
    def is_maven(self) -> bool:
        """Whether the package type is that of Maven or of a tool that uses its repositories."""
        return self.package_type in MAVEN_GROUP

    @property
    def has_maven_metadata(self) -> bool:
        """Whether the server calculates Maven metadata in it."""
        return self.rclass in STORED and (self.is_maven or self.layout == MAVEN_2)

    @property
    def renames_snapshots(self) -> bool:
        """Whether the server decides about the names of Maven snapshots, and so about their metadata."""
        return self.layout == MAVEN_2 and self.snapshot_behavior != "deployer"

    @property
    def checks_poms(self) -> bool:
        """Whether a POM that does not fit its path is refused."""
        return self.is_maven and not self.configuration.get("suppressPomConsistencyChecks")

    def find_rejection(self, path: str, is_folder: bool = False) -> str | None:
        """Return the setting that forbids a file or a folder, for uploads and downloads.

        The policy for releases and snapshots is only asked about paths that the layout can read.
        """
        if self.is_blacked_out:
            return BLACKOUT
        module = parse_module(path, self.layout)
        if module and not self.configuration.get("handleSnapshots" if module.is_snapshot else "handleReleases", True):
            return POLICY
        return None if self.accepts(path, is_folder) else PATTERNS

    def blackout_error(self, path: str) -> ArtifactError:
        """Return the refusal of a path in a blacked-out repository."""
        refusal = f"The repository '{self.key}' is blacked out and cannot serve artifact '{self.key}:{path}'."
        return ArtifactError(404, refusal)

    def check_path(self, path: str, downloading: bool = False, is_folder: bool = False) -> None:
        """Refuse a file or a folder that the settings forbid."""
        reason = self.find_rejection(path, is_folder)
        if reason == BLACKOUT:
            raise self.blackout_error(path)
        if reason:
            status = 404 if downloading and reason == PATTERNS else 409
            rejected = f"The repository '{self.key}' rejected the artifact '{self.key}:{path}' due to its {reason}."
            raise ArtifactError(status, rejected)


@functools.lru_cache(maxsize=1024)
def _read(key: str, configuration: str) -> Repository:
    return Repository(key, json.loads(configuration))


class Repositories:
    """All repositories."""

    def __init__(self, runtime: Runtime, items: Items) -> None:
        self._db = runtime.db
        self._items = items

    async def delete(self, repository: Repository) -> None:
        """Remove a repository with all that is stored in it."""
        storage = f"{repository.key}-cache" if repository.rclass == "remote" else repository.key
        root = self._items.find(storage, "")
        if root is not None:
            await self._items.delete(root)
            self._db.execute("DELETE FROM artifact_items WHERE id = ?", (root.id,))
        self._db.execute("DELETE FROM artifact_repositories WHERE key = ?", (repository.key,))

    def find(self, key: str) -> Repository | None:
        """The repository with this key."""
        row = self._db.execute("SELECT * FROM artifact_repositories WHERE key = ?", (key,)).fetchone()
        return _read(key, row["configuration"]) if row else None

    def resolve(self, key: str) -> Repository | None:
        """Return the repository whose settings apply to a key; for the key of a cache, its remote repository."""
        repository = self.find(key)
        if repository is None and key.endswith("-cache"):
            remote = self.find(key.removesuffix("-cache"))
            return remote if remote is not None and remote.rclass == "remote" else None
        return repository

    def list_all(self) -> Iterator[Repository]:
        """All repositories by key."""
        for row in self._db.execute("SELECT * FROM artifact_repositories ORDER BY key"):
            yield _read(row["key"], row["configuration"])

    def list_storages(self, key: str) -> list[str]:
        """The keys under which a repository's items are stored, in the order in which they are searched."""
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
        """The storages behind each virtual repository."""
        return {found.key: self.list_storages(found.key) for found in self.list_all() if found.rclass == "virtual"}

    def generates_metadata(self, key: str, path: str) -> bool:
        """Whether the repository writes this Maven metadata itself, and does not store what clients send."""
        repository = self.find(key)
        return repository is not None and repository.renames_snapshots and path.endswith("-SNAPSHOT/maven-metadata.xml")

    def is_virtual(self, key: str) -> bool:
        """Whether this is the key of a virtual repository."""
        repository = self.find(key)
        return repository is not None and repository.rclass == "virtual"

    def info_key(self, key: str) -> str:
        """The key that answers about items have: a remote repository's items are those of its cache."""
        repository = self.find(key)
        return f"{key}-cache" if repository is not None and repository.rclass == "remote" else key

    def find_upstream_url(self, key: str) -> str | None:
        """The address from which the items of a cache come."""
        remote = self.find(key.removesuffix("-cache"))
        if remote is None or remote.rclass != "remote":
            return None
        return str(remote.configuration["url"]).rstrip("/")

    def is_stored(self, key: str) -> bool:
        """Whether items lie under this very key, so that they can be changed there."""
        return self.list_storages(key) == [key]

    def save(self, key: str, given: dict[str, Any]) -> None:
        """Make a repository with this configuration, or give it another; what it lacks has its default."""
        rclass = given.get("rclass")
        if rclass not in KINDS:
            raise ArtifactError(400, "No valid rclass was given")
        if rclass == "remote" and not given.get("url"):
            raise ArtifactError(400, "A remote repository needs a url")
        package_type = str(given.get("packageType") or "generic").lower()
        own = {name: value for name, value in given.items() if value is not None and name not in ("key", "rclass")}
        configuration = {
            "key": key,
            "packageType": package_type,
            **COMMON,
            "repoLayoutRef": LAYOUTS.get(package_type, "simple-default"),
            **BY_CLASS[rclass],
            **own,
            "rclass": rclass,
        }
        configuration["packageType"] = package_type
        self._db.execute("INSERT OR REPLACE INTO artifact_repositories VALUES (?, ?)", (key, json.dumps(configuration)))
        if rclass != "virtual":
            self._items.create_folder(key if rclass in STORED else f"{key}-cache", "", None)
