# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage summary, which is that of the last calculation."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import PRO_SCOPE, Call
from ..items.tree import TRASH_REPO
from ..protocol import feature_versions
from ..protocol.formats import format_json, format_package_type
from ..protocol.json_response import json_response

UNITS = ("bytes", "KB", "MB", "GB", "TB")
TOTAL_SPACE = 200 * 2**30
SUMMARY_SETTING = "artifact.storage_summary"
COUNTS_QUERY = """
SELECT repo, sum(folder), sum(NOT folder), coalesce(sum(size), 0) FROM artifact_items
WHERE path > '' AND repo <> ? GROUP BY repo
"""
BINARIES_QUERY = (
    "SELECT count(*), coalesce(sum(size), 0) FROM (SELECT DISTINCT sha256, size FROM artifact_items WHERE sha256 > '')"
)


async def get_summary(call: Call) -> Response:
    """Handle `GET /api/storageinfo`."""
    if not call.principal.may_read_system("info/storage"):
        call.require_admin()
    summary = call.runtime.load_setting(SUMMARY_SETTING) or await _update_summary(call)
    if not call.supports(feature_versions.STORAGE_SUMMARY_BYTES):
        summary = _to_old_format(summary)
    return Response(
        format_json(summary).encode(), 200, {"Content-Type": "application/json", "Cache-Control": "no-store"}
    )


async def calculate_summary(call: Call) -> Response:
    """Handle `POST /api/storageinfo/calculate`."""
    call.require_admin()
    await _update_summary(call)
    body = {"info": "Calculating storage summary scheduled to run successfully"}
    return json_response(body, 202)


async def _update_summary(call: Call) -> dict[str, Any]:
    """Calculate and store the summary."""
    repositories = _describe_repositories(call)
    summary = await call.runtime.readers.read(lambda db: _build_summary(db, repositories))
    call.runtime.save_setting(SUMMARY_SETTING, summary)
    return summary


def _to_old_format(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the summary in the format of old versions: repeated, without byte sizes and projects."""
    rows = [
        {name: value for name, value in row.items() if name not in ("usedSpaceInBytes", "projectKey")}
        for row in summary["repositoriesSummaryList"]
    ]
    old_summary = {**summary, "repositoriesSummaryList": rows}
    return {"storageSummary": old_summary, **old_summary}


def _build_summary(db: sqlite3.Connection, repositories: list[tuple[str, str, str]]) -> dict[str, Any]:
    counts = {row[0]: (row[1], row[2], row[3]) for row in db.execute(COUNTS_QUERY, (TRASH_REPO,))}
    binaries, stored_size = db.execute(BINARIES_QUERY).fetchone()
    total = tuple(sum(column) for column in zip(*counts.values(), strict=True)) or (0, 0, 0)
    folders, files, size = total
    free = TOTAL_SPACE - stored_size
    return {
        "binariesSummary": {
            "binariesCount": f"{binaries:,}",
            "binariesSize": format_size(stored_size),
            "artifactsSize": format_size(size),
            "optimization": format_percentage(stored_size, size),
            "itemsCount": f"{folders + files:,}",
            "artifactsCount": f"{files:,}",
        },
        "fileStoreSummary": {
            "storageType": "filesystem",
            "storageDirectory": "/var/opt/jfrog/artifactory/data/filestore",
            "totalSpace": format_size(TOTAL_SPACE),
            "usedSpace": f"{format_size(stored_size)} ({format_percentage(stored_size, TOTAL_SPACE)})",
            "freeSpace": f"{format_size(free)} ({format_percentage(free, TOTAL_SPACE)})",
        },
        "repositoriesSummaryList": [
            *(_build_row(*repository, counts.get(repository[0], (0, 0, 0)), size) for repository in repositories),
            {
                "repoKey": "TOTAL",
                "repoType": "NA",
                "foldersCount": folders,
                "filesCount": files,
                "usedSpace": format_size(size),
                "usedSpaceInBytes": size,
                "itemsCount": folders + files,
            },
        ],
    }


def _describe_repositories(call: Call) -> list[tuple[str, str, str]]:
    """Return key, type and package type of each row. Remote repositories are represented by their caches."""
    return [
        (f"{repository.key}-cache", "CACHE", repository.package_type)
        if repository.rclass == "remote"
        else (repository.key, repository.rclass.upper(), repository.package_type)
        for repository in call.repositories.list_all()
        if repository.stores_items or repository.rclass == "virtual"
    ]


def _build_row(key: str, kind: str, package_type: str, counts: tuple[int, int, int], total: int) -> dict[str, Any]:
    folders, files, size = counts
    return {
        "repoKey": key,
        "repoType": kind,
        "foldersCount": folders,
        "filesCount": files,
        "usedSpace": format_size(size),
        "usedSpaceInBytes": size,
        "itemsCount": folders + files,
        "packageType": format_package_type(package_type),
        "projectKey": "default",
        "percentage": format_percentage(size, total) if size else "0%",
    }


def format_size(size: int) -> str:
    """Return a size with a unit: `3.48 GB`."""
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{size} bytes" if unit == 0 else f"{amount:.2f} {UNITS[unit]}"


def format_percentage(part: int, total: int) -> str:
    """Return a fraction in percent."""
    return f"{100 * part / total:.2f}%" if total else "0%"


ROUTES = (
    Route("GET", "/api/storageinfo", get_summary, "storage_summary"),
    Route(
        "POST",
        "/api/storageinfo/calculate",
        calculate_summary,
        "calculate_storage_summary",
        read_only=True,
        scope=PRO_SCOPE,
    ),
)
