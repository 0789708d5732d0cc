# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The storage summary: in bytes and counts, beside the server's texts for people."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import figures
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_ADDRESS = "/artifactory/api/storageinfo"
_TOTAL = "TOTAL"


def summary(artifact: ArtifactService) -> Fields:
    """What is stored, as of the server's last calculation."""
    found = artifact.http.read("GET", _ADDRESS).record()
    rows = [_row(row) for row in found.records("repositoriesSummaryList")]
    return {
        "binaries": _binaries(found.record("binariesSummary")),
        "file_store": _file_store(found.record("fileStoreSummary")),
        "repositories": sorted((row for row in rows if row["key"] != _TOTAL), key=lambda row: row["key"]),
        "total": next((_without_key(row) for row in rows if row["key"] == _TOTAL), None),
    }


def recalculated(task: Task, artifact: ArtifactService) -> tuple[Fields, bool]:
    """The summary after another calculation, and whether it differs from the one before.

    The server does not say when it has calculated: that shows only by another summary, which is waited for.
    """
    before = summary(artifact)
    response = artifact.http.read("POST", f"{_ADDRESS}/calculate", accept=(200, 202, 404))
    if response.status == 404:
        raise ToolchainError(
            f"POST {_ADDRESS}/calculate: 404 {response.server_message}. The open-source edition and old versions "
            "calculate no storage summary on request. Leave out 'refresh'."
        )

    def look() -> Fields:
        after = summary(artifact)
        if after == before:
            raise NotReady("the storage summary is as it was")
        return after

    try:
        return wait_for(task, look, timeout=task.params["refresh_timeout"], delay=1.0), True
    except WaitTimeout:
        return before, False


def row_of(found: Fields, repo: str) -> Fields | None:
    """The row of a repository; that of a remote one is its cache's."""
    rows = {row["key"]: row for row in found["repositories"]}
    return rows.get(repo) or rows.get(f"{repo}-cache")


def _binaries(found: Record) -> Fields:
    return {
        "count": figures.number(found, "binariesCount"),
        **_size(found, "size", "binariesSize"),
        **_size(found, "artifacts_size", "artifactsSize"),
        "optimization": figures.share(found.maybe_text("optimization")),
        "items": figures.number(found, "itemsCount"),
        "artifacts": figures.number(found, "artifactsCount"),
    }


def _file_store(found: Record) -> Fields:
    return {
        "type": found.maybe_text("storageType"),
        "directory": found.maybe_text("storageDirectory"),
        **_size(found, "total", "totalSpace"),
        **_size(found, "used", "usedSpace"),
        "used_percent": figures.share(found.maybe_text("usedSpace")),
        **_size(found, "free", "freeSpace"),
        "free_percent": figures.share(found.maybe_text("freeSpace")),
    }


def _row(found: Record) -> Fields:
    exact = figures.maybe_number(found, "usedSpaceInBytes")
    spelt = _size(found, "used", "usedSpace")
    return {
        "key": found.text("repoKey"),
        "type": found.text("repoType").lower(),
        "package_type": (found.maybe_text("packageType") or "").lower() or None,
        "project_key": found.maybe_text("projectKey"),
        "folders": figures.number(found, "foldersCount"),
        "files": figures.number(found, "filesCount"),
        "items": figures.number(found, "itemsCount"),
        **spelt,
        "used": spelt["used"] if exact is None else exact,
        "percent": figures.share(found.maybe_text("percentage")),
    }


def _without_key(row: Fields) -> Fields:
    return {name: row[name] for name in ("folders", "files", "items", "used", "used_text")}


def _size(found: Record, name: str, member: str) -> Fields:
    """The bytes that a text tells, and the text itself."""
    text = found.maybe_text(member)
    return {name: figures.size(text), f"{name}_text": text}
