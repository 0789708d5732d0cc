# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories: what they are, which keys lead where, and the calls about them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from starlette.responses import PlainTextResponse, Response

from ..world import World
from .call import Call
from .errors import ArtifactError
from .formats import package_name
from .items import TRASH, Item, Items
from .scopes import glob

SCHEMA = """
CREATE TABLE IF NOT EXISTS artifact_repositories (key TEXT PRIMARY KEY, configuration TEXT NOT NULL);
"""
KINDS = {"local": "Local", "remote": "Remote", "virtual": "Virtual", "federated": "Federated"}
STORED = ("local", "federated")
COMMON = {
    "description": "",
    "notes": "",
    "includesPattern": "**/*",
    "excludesPattern": "",
}
BY_CLASS: dict[str, dict[str, Any]] = {
    "local": {
        "handleReleases": True,
        "handleSnapshots": True,
        "maxUniqueSnapshots": 0,
        "snapshotVersionBehavior": "unique",
        "suppressPomConsistencyChecks": False,
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
LAYOUTS = {"maven": "maven-2-default", "npm": "npm-default", "pypi": "simple-default", "nuget": "nuget-default"}
SNAPSHOT = re.compile(r"-SNAPSHOT(/|$)|-\d{8}\.\d{6}-\d+[.-]")


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
    def keeps_items(self) -> bool:
        """Whether items lie in it, or in its cache."""
        return self.rclass in STORED or bool(self.configuration.get("storeArtifactsLocally"))

    def accepts(self, path: str) -> bool:
        """Whether the include and exclude patterns let a path in."""
        included, excluded = self.configuration["includesPattern"], self.configuration["excludesPattern"]
        return _matches(path, included) and not _matches(path, excluded)

    def handles(self, path: str) -> bool:
        """Whether the policy for releases and snapshots lets a path in."""
        if self.package_type != "maven":
            return True
        return bool(self.configuration["handleSnapshots" if SNAPSHOT.search(path) else "handleReleases"])


def _matches(path: str, patterns: str) -> bool:
    # `**/` also stands for no folder at all.
    globs = (glob(pattern.strip().replace("**/", "**")) for pattern in patterns.split(",") if pattern.strip())
    return any(pattern.match(path) for pattern in globs)


class Repositories:
    """All repositories."""

    def __init__(self, world: World, items: Items) -> None:
        self._db = world.db
        self._items = items

    def seed(self, data: dict[str, Any]) -> None:
        """Add repositories, and the trash can if it is not there yet."""
        self._items.make_folder(TRASH, "", None)
        for repository in data.get("repositories", ()):
            self._save(repository["key"], {name: value for name, value in repository.items() if name != "files"})

    def find(self, key: str) -> Repository | None:
        """The repository with this key."""
        row = self._db.execute("SELECT * FROM artifact_repositories WHERE key = ?", (key,)).fetchone()
        return Repository(key, json.loads(row["configuration"])) if row else None

    def all(self) -> Iterator[Repository]:
        """All repositories by key."""
        for row in self._db.execute("SELECT * FROM artifact_repositories ORDER BY key"):
            yield Repository(row["key"], json.loads(row["configuration"]))

    def storages(self, key: str) -> list[str]:
        """The keys under which a repository's items are stored, in the order in which they are searched."""
        if key == TRASH:
            return [TRASH]
        repository = self.find(key)
        if repository is None:
            remote = self.find(key.removesuffix("-cache")) if key.endswith("-cache") else None
            return [key] if remote is not None and remote.rclass == "remote" and remote.keeps_items else []
        if repository.configuration.get("blackedOut"):
            return []
        if repository.rclass == "remote":
            return [f"{key}-cache"] if repository.keeps_items else []
        if repository.rclass == "virtual":
            members = (
                storage for member in repository.configuration["repositories"] for storage in self.storages(member)
            )
            return list(dict.fromkeys(members))
        return [key]

    def makes_metadata(self, key: str, path: str) -> bool:
        """Whether the repository writes this Maven metadata itself, and does not store what clients send."""
        repository = self.find(key)
        return (
            repository is not None
            and repository.package_type == "maven"
            and path.endswith("-SNAPSHOT/maven-metadata.xml")
            and repository.configuration["snapshotVersionBehavior"] != "deployer"
        )

    def is_virtual(self, key: str) -> bool:
        """Whether this is the key of a virtual repository."""
        repository = self.find(key)
        return repository is not None and repository.rclass == "virtual"

    def shown_as(self, key: str) -> str:
        """The key that answers about items have: a remote repository's items are those of its cache."""
        repository = self.find(key)
        return f"{key}-cache" if repository is not None and repository.rclass == "remote" else key

    def upstream(self, key: str) -> str | None:
        """The address from which the items of a cache come."""
        remote = self.find(key.removesuffix("-cache"))
        if remote is None or remote.rclass != "remote":
            return None
        return str(remote.configuration["url"]).rstrip("/")

    def is_stored(self, key: str) -> bool:
        """Whether items lie under this very key, so that they can be changed there."""
        return self.storages(key) == [key]

    def items_at(self, call: Call, key: str, path: str) -> list[Item]:
        """What a repository shows at a path: in a virtual one, what each of its members has there.

        What the caller may not read is passed over, and refused if there is nothing else.
        """
        storages = self.storages(key)
        readable = [storage for storage in storages if call.principal.may("r", storage, path)]
        if storages and not readable:
            call.permit_reading(storages[0], path)
        return [item for storage in readable if (item := self._items.find(storage, path)) is not None]

    async def list_all(self, call: Call) -> Response:
        """GET /api/repositories"""
        wanted_type = call.query.get("type", "").lower()
        wanted_package = call.query.get("packageType", "").lower()
        wanted_project = call.query.get("project", "")
        listed = [
            self._listed(call, repository)
            for repository in self.all()
            if wanted_type in ("", repository.rclass)
            and wanted_package in ("", repository.package_type)
            and wanted_project in ("", repository.configuration.get("projectKey"))
            and self._readable(call, repository)
        ]
        return call.vnd("repositories.RepositoryDetailsList", listed, **{"Cache-Control": "no-store"})

    async def detail(self, call: Call, key: str) -> Response:
        """GET /api/repositories/{key}"""
        call.need_pro()
        call.need_login()
        repository = self._known(key)
        if not self._readable(call, repository):
            raise ArtifactError(404 if call.switch("hide_unauthorized") else 403)
        configuration = repository.configuration
        if not call.principal.admin:
            shown = ("key", "packageType", "description", "url", "rclass")
            configuration = {name: value for name, value in configuration.items() if name in shown}
        if "password" in configuration:
            configuration = {**configuration, "password": ""}
        kind = f"repositories.{KINDS[repository.rclass]}RepositoryConfiguration"
        return call.vnd(kind, configuration, **{"Cache-Control": "no-store"})

    async def create(self, call: Call, key: str) -> Response:
        """PUT /api/repositories/{key}"""
        call.need_pro()
        call.need_admin()
        if any(repository.key.lower() == key.lower() for repository in self.all()):
            raise ArtifactError(400, "Case insensitive repository key already exists")
        self._save(key, {**await self._configuration(call), "key": key})
        return PlainTextResponse(f"Successfully created repository '{key}' \n")

    async def update(self, call: Call, key: str) -> Response:
        """POST /api/repositories/{key}"""
        call.need_pro()
        call.need_admin()
        repository = self._known(key)
        given = {name: value for name, value in (await self._configuration(call)).items() if value is not None}
        self._save(key, {**repository.configuration, **given, "rclass": repository.rclass})
        return PlainTextResponse(f"Repository {key} update successfully.\n")

    async def delete(self, call: Call, key: str) -> Response:
        """DELETE /api/repositories/{key}"""
        call.need_pro()
        call.need_admin()
        repository = self.find(key)
        if repository is None:
            raise ArtifactError(404, f"Repository {key} does not exist")
        for storage in () if repository.rclass == "virtual" else (key, f"{key}-cache"):
            self._db.execute("DELETE FROM artifact_items WHERE repo = ?", (storage,))
        self._db.execute("DELETE FROM artifact_repositories WHERE key = ?", (key,))
        return PlainTextResponse(f"Repository {key} and all its content have been removed successfully.")

    def _known(self, key: str) -> Repository:
        repository = self.find(key)
        if repository is None:
            raise ArtifactError(400)
        return repository

    def _readable(self, call: Call, repository: Repository) -> bool:
        keys = [repository.key, *self.storages(repository.key)]
        return any(call.principal.may_somewhere("r", key) for key in keys)

    def _listed(self, call: Call, repository: Repository) -> dict[str, Any]:
        configuration = repository.configuration
        upstream = configuration["url"] if repository.rclass == "remote" else None
        return {
            "key": repository.key,
            "description": configuration["description"] or None,
            "type": repository.rclass.upper(),
            "url": upstream or f"{call.base}/{repository.key}",
            "packageType": package_name(repository.package_type),
        }

    async def _configuration(self, call: Call) -> dict[str, Any]:
        try:
            configuration = json.loads(await call.request.body())
        except ValueError:
            raise ArtifactError(400, "Error parsing json body") from None
        if not isinstance(configuration, dict):
            raise ArtifactError(400, "Error parsing json body")
        return configuration

    def _save(self, key: str, given: dict[str, Any]) -> None:
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
            self._items.make_folder(key if rclass in STORED else f"{key}-cache", "", None)
