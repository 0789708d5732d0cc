# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of clean-ups have in common: artifacts with ages, a clean-up in this process, and what is left."""

from __future__ import annotations

import hashlib
import json
import time
import urllib.request
from collections.abc import Iterable
from typing import Any

from sandbox.client import Sandbox
from support import running
from support.cleanup.naive import DAY, Artifact

# Name of a layer in the folder of a tag
LAYER = f"sha256__{'0a' * 32}"


def plant(sandbox: Sandbox, artifacts: Iterable[Artifact], repos: Iterable[str] = ("old-local",)) -> None:
    """Let the sandbox have these repositories and artifacts."""
    now = time.time()
    repositories = [{"key": key, "rclass": "local", "packageType": "generic"} for key in repos]
    sandbox.seed({"artifact": {"repositories": repositories, "items": [_item(one, now) for one in artifacts]}})


def _item(artifact: Artifact, now: float) -> dict[str, Any]:
    downloads = [{"downloads": 1, "downloaded": now - artifact.downloaded * DAY}] if artifact.downloaded else []
    return {
        "repo": artifact.repo,
        "path": artifact.path,
        "created": now - artifact.created * DAY,
        "modified": now - artifact.modified * DAY,
        "size": artifact.size,
        "sha1": hashlib.sha1(artifact.path.encode()).hexdigest(),
        "properties": artifact.properties,
        "statistics": downloads,
    }


def run(**options: Any) -> dict[str, Any]:
    """A clean-up."""
    return running.run("artifact_cleanup", **options)


def call(sandbox: Sandbox, method: str, path: str, body: bytes | None = None) -> None:
    """A request of another client."""
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    request = urllib.request.Request(f"{sandbox.url}/artifactory{path}", body, headers, method=method)
    urllib.request.urlopen(request).close()


def paths_in(sandbox: Sandbox, repo: str, folders: bool = False) -> list[str]:
    """The paths of all files in a repository, or also of its folders."""
    url = f"{sandbox.url}/artifactory/api/storage/{repo}?list&deep=1&listFolders={int(folders)}"
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return sorted(entry["uri"].lstrip("/") for entry in json.load(answer)["files"])


def deletes(sandbox: Sandbox) -> list[str]:
    """The paths that deletes were sent for, and that the service saw."""
    return [entry["path"] for entry in sandbox.journal("artifact") if entry["method"] == "DELETE"]
