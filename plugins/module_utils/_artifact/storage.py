# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The storage summary, with sizes in bytes and as text."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, numeric
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_ADDRESS = "/artifactory/api/storageinfo"
_TOTAL = "TOTAL"


def fetch_summary(artifact: ArtifactService) -> Fields:
    """Return the storage summary of the server's last calculation."""
    record = artifact.http.read("GET", _ADDRESS).record()
    rows = [_to_row(row) for row in record.records("repositoriesSummaryList")]
    return {
        "binaries": _get_binaries(record.record("binariesSummary")),
        "file_store": _get_file_store(record.record("fileStoreSummary")),
        "repositories": sorted((row for row in rows if row["key"] != _TOTAL), key=lambda row: row["key"]),
        "total": next((_omit_key(row) for row in rows if row["key"] == _TOTAL), None),
    }


def recalculate(task: Task, artifact: ArtifactService) -> tuple[Fields, bool]:
    """Return the storage summary after a new calculation, and whether it differs from the previous one.

    Artifactory does not report when a calculation is complete, so this waits until the summary changes.
    """
    before = fetch_summary(artifact)
    response = artifact.http.read("POST", f"{_ADDRESS}/calculate", accept=(200, 202, 404))
    if response.status == 404:
        editions.check(artifact, features.STORAGE_CALCULATION)
        raise ToolchainError(
            f"POST {_ADDRESS}/calculate: 404 {response.server_message}. This version cannot recalculate the storage "
            f"summary. {features.STORAGE_CALCULATION.alternative}"
        )

    def read_changed() -> Fields:
        after = fetch_summary(artifact)
        if after == before:
            raise NotReady("the storage summary has not changed")
        return after

    try:
        return wait_for(task, read_changed, timeout=task.params["refresh_timeout"], delay=1.0), True
    except WaitTimeout:
        return before, False


def find_row(summary: Fields, repo: str) -> Fields | None:
    """Return the row of a repository. For a remote repository, this is the row of its cache."""
    rows = {row["key"]: row for row in summary["repositories"]}
    return rows.get(repo) or rows.get(f"{repo}-cache")


def _get_binaries(record: Record) -> Fields:
    return {
        "count": numeric.get_integer(record, "binariesCount"),
        **_get_size(record, "size", "binariesSize"),
        **_get_size(record, "artifacts_size", "artifactsSize"),
        "optimization": numeric.parse_percentage(record.maybe_text("optimization")),
        "items": numeric.get_integer(record, "itemsCount"),
        "artifacts": numeric.get_integer(record, "artifactsCount"),
    }


def _get_file_store(record: Record) -> Fields:
    return {
        "type": record.maybe_text("storageType"),
        "directory": record.maybe_text("storageDirectory"),
        **_get_size(record, "total", "totalSpace"),
        **_get_size(record, "used", "usedSpace"),
        "used_percent": numeric.parse_percentage(record.maybe_text("usedSpace")),
        **_get_size(record, "free", "freeSpace"),
        "free_percent": numeric.parse_percentage(record.maybe_text("freeSpace")),
    }


def _to_row(record: Record) -> Fields:
    exact = numeric.get_optional_integer(record, "usedSpaceInBytes")
    used = _get_size(record, "used", "usedSpace")
    return {
        "key": record.text("repoKey"),
        "type": record.text("repoType").lower(),
        "package_type": (record.maybe_text("packageType") or "").lower() or None,
        "project_key": record.maybe_text("projectKey"),
        "folders": numeric.get_integer(record, "foldersCount"),
        "files": numeric.get_integer(record, "filesCount"),
        "items": numeric.get_integer(record, "itemsCount"),
        **used,
        "used": used["used"] if exact is None else exact,
        "percent": numeric.parse_percentage(record.maybe_text("percentage")),
    }


def _omit_key(row: Fields) -> Fields:
    return {name: row[name] for name in ("folders", "files", "items", "used", "used_text")}


def _get_size(record: Record, name: str, member: str) -> Fields:
    """Return the bytes in a text, and the text itself."""
    text = record.maybe_text(member)
    return {name: numeric.parse_size(text), f"{name}_text": text}
