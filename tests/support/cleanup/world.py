# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plant repositories and files in the sandbox, run artifact_cleanup, and list what remains."""

from __future__ import annotations

import hashlib
import json
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sandbox.client import Sandbox
from support import running
from support.cleanup.model import Repository, StoredFile

# Name of a layer in the folder of a tag
LAYER = f"sha256__{'0a' * 32}"


DAY = 86400


@dataclass
class Artifact:
    """A file in the sandbox; ages are in days before the test began."""

    repo: str
    path: str
    created: float
    modified: float
    size: int = 1
    downloaded: float | None = None
    properties: dict[str, list[str]] = field(default_factory=dict)

    def to_stored_file(self, now: float) -> StoredFile:
        """Return the file with times instead of ages."""
        ages = self.created, self.modified, self.downloaded
        times = [None if age is None else int((now - age * DAY) * 1000) for age in ages]
        return StoredFile(self.repo, self.path, self.size, *times, properties=self.properties)


def store_artifacts(sandbox: Sandbox, artifacts: Iterable[Artifact], repos: Iterable[str] = ("old-local",)) -> None:
    """Add generic repositories and artifacts to the sandbox."""
    now = time.time()
    store_files(sandbox, [Repository(key, "generic") for key in repos], [one.to_stored_file(now) for one in artifacts])


def store_files(sandbox: Sandbox, repositories: Iterable[Repository], files: Iterable[StoredFile]) -> None:
    """Add repositories and files to the sandbox."""
    seeds = [_make_repository(one) for one in repositories]
    sandbox.seed({"artifact": {"repositories": seeds, "items": [_make_item(file) for file in files]}})


def _make_repository(repository: Repository) -> dict[str, str]:
    settings = {"key": repository.key, "rclass": repository.rclass, "packageType": repository.package_type}
    if repository.rclass == "remote":
        settings["url"] = "http://127.0.0.1:9/"
    return settings


def _make_item(file: StoredFile) -> dict[str, Any]:
    downloads = [] if file.downloaded is None else [{"downloads": 1, "downloaded": _to_seconds(file.downloaded)}]
    return {
        "repo": file.repo,
        "path": file.path,
        "created": _to_seconds(file.created),
        "modified": _to_seconds(file.modified),
        "size": file.size,
        "sha1": hashlib.sha1(f"{file.repo}/{file.path}".encode()).hexdigest(),
        "properties": file.properties,
        "statistics": downloads,
    }


def _to_seconds(milliseconds: int) -> float:
    """Return a time that gives the same milliseconds whether it is rounded or truncated."""
    return (milliseconds + 0.25) / 1000


def run(**options: Any) -> dict[str, Any]:
    """Run a cleanup."""
    return running.run("artifact_cleanup", **options)


def call(sandbox: Sandbox, method: str, path: str, body: bytes | None = None) -> None:
    """Send a request as another client."""
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    request = urllib.request.Request(f"{sandbox.url}/artifactory{path}", body, headers, method=method)
    urllib.request.urlopen(request).close()


def paths_in(sandbox: Sandbox, repo: str, folders: bool = False) -> list[str]:
    """Return the paths of all files in a repository, optionally with its folders."""
    return sorted(entry["uri"].lstrip("/") for entry in _list(sandbox, repo, folders))


def files_and_folders_in(sandbox: Sandbox, repo: str) -> tuple[list[str], list[str]]:
    """Return the paths of all files and the paths of all folders in a repository."""
    files: list[str] = []
    folders: list[str] = []
    for entry in _list(sandbox, repo, folders=True):
        (folders if entry["folder"] else files).append(entry["uri"].lstrip("/"))
    return files, folders


def _list(sandbox: Sandbox, repo: str, folders: bool) -> list[dict[str, Any]]:
    url = f"{sandbox.url}/artifactory/api/storage/{repo}?list&deep=1&listFolders={int(folders)}"
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return json.load(answer)["files"]


def deletes(sandbox: Sandbox) -> list[str]:
    """Return the paths of the delete requests that the server received."""
    return [entry["path"] for entry in sandbox.journal("artifact") if entry["method"] == "DELETE"]
