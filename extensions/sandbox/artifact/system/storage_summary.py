# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage summary: counted when it is asked for, as of the last calculation."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import PRO_SCOPE, Call
from ..items.tree import TRASH_REPO
from ..protocol import feature_versions
from ..protocol.formats import format_json, format_package_type

UNITS = ("bytes", "KB", "MB", "GB", "TB")
TOTAL_SPACE = 200 * 2**30
SUMMARY = "artifact.storage_summary"
COUNTED = """
SELECT repo, sum(folder), sum(NOT folder), coalesce(sum(size), 0) FROM artifact_items
WHERE path > '' AND repo <> ? GROUP BY repo
"""
BINARIES = (
    "SELECT count(*), coalesce(sum(size), 0) FROM (SELECT DISTINCT sha256, size FROM artifact_items WHERE sha256 > '')"
)


async def summary(call: Call) -> Response:
    """GET /api/storageinfo"""
    if not call.principal.may_read_system("info/storage"):
        call.require_admin()
    found = call.runtime.load_setting(SUMMARY) or await _calculate(call)
    if not call.supports(feature_versions.STORAGE_SUMMARY_BYTES):
        found = _in_old_form(found)
    return Response(format_json(found).encode(), 200, {"Content-Type": "application/json", "Cache-Control": "no-store"})


async def calculate(call: Call) -> Response:
    """POST /api/storageinfo/calculate"""
    call.require_admin()
    await _calculate(call)
    body = {"info": "Calculating storage summary scheduled to run successfully"}
    return Response(format_json(body).encode(), 202, {"Content-Type": "application/json"})


async def _calculate(call: Call) -> dict[str, Any]:
    """Count, and keep what was counted until the next time."""
    described = _repositories(call)
    found = await call.runtime.readers.read(lambda db: _calculated(db, described))
    call.runtime.save_setting(SUMMARY, found)
    return found


def _in_old_form(found: dict[str, Any]) -> dict[str, Any]:
    """Return the summary as old versions show it: twice, without sizes in bytes and projects."""
    rows = [
        {name: value for name, value in row.items() if name not in ("usedSpaceInBytes", "projectKey")}
        for row in found["repositoriesSummaryList"]
    ]
    shown = {**found, "repositoriesSummaryList": rows}
    return {"storageSummary": shown, **shown}


def _calculated(db: sqlite3.Connection, described: list[tuple[str, str, str]]) -> dict[str, Any]:
    counted = {row[0]: (row[1], row[2], row[3]) for row in db.execute(COUNTED, (TRASH_REPO,))}
    binaries, stored = db.execute(BINARIES).fetchone()
    total = tuple(sum(column) for column in zip(*counted.values(), strict=True)) or (0, 0, 0)
    folders, files, size = total
    return {
        "binariesSummary": {
            "binariesCount": f"{binaries:,}",
            "binariesSize": spelt(stored),
            "artifactsSize": spelt(size),
            "optimization": share(stored, size),
            "itemsCount": f"{folders + files:,}",
            "artifactsCount": f"{files:,}",
        },
        "fileStoreSummary": {
            "storageType": "filesystem",
            "storageDirectory": "/var/opt/jfrog/artifactory/data/filestore",
            "totalSpace": spelt(TOTAL_SPACE),
            "usedSpace": f"{spelt(stored)} ({share(stored, TOTAL_SPACE)})",
            "freeSpace": f"{spelt(TOTAL_SPACE - stored)} ({share(TOTAL_SPACE - stored, TOTAL_SPACE)})",
        },
        "repositoriesSummaryList": [
            *(_row(*one, counted.get(one[0], (0, 0, 0)), size) for one in described),
            {
                "repoKey": "TOTAL",
                "repoType": "NA",
                "foldersCount": folders,
                "filesCount": files,
                "usedSpace": spelt(size),
                "usedSpaceInBytes": size,
                "itemsCount": folders + files,
            },
        ],
    }


def _repositories(call: Call) -> list[tuple[str, str, str]]:
    """Key, type and package type of each row; a remote repository is there as its cache."""
    return [
        (f"{found.key}-cache", "CACHE", found.package_type)
        if found.rclass == "remote"
        else (found.key, found.rclass.upper(), found.package_type)
        for found in call.repositories.list_all()
        if found.stores_items or found.rclass == "virtual"
    ]


def _row(key: str, kind: str, package_type: str, counts: tuple[int, int, int], total: int) -> dict[str, Any]:
    folders, files, size = counts
    return {
        "repoKey": key,
        "repoType": kind,
        "foldersCount": folders,
        "filesCount": files,
        "usedSpace": spelt(size),
        "usedSpaceInBytes": size,
        "itemsCount": folders + files,
        "packageType": format_package_type(package_type),
        "projectKey": "default",
        "percentage": share(size, total) if size else "0%",
    }


def spelt(size: int) -> str:
    """A size as people read it: `3.48 GB`."""
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{size} bytes" if unit == 0 else f"{amount:.2f} {UNITS[unit]}"


def share(part: int, whole: int) -> str:
    """A part of a whole, in per cent."""
    return f"{100 * part / whole:.2f}%" if whole else "0%"


ROUTES = (
    Route("GET", "/api/storageinfo", summary, "storage_summary"),
    Route(
        "POST", "/api/storageinfo/calculate", calculate, "calculate_storage_summary", read_only=True, scope=PRO_SCOPE
    ),
)
