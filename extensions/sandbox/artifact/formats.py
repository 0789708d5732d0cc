# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the service writes JSON, times and media types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

MEDIA_TYPES = {
    ".gz": "application/x-gzip",
    ".tgz": "application/x-gzip",
    ".jar": "application/java-archive",
    ".war": "application/java-archive",
    ".zip": "application/zip",
    ".pom": "application/x-maven-pom+xml",
    ".xml": "application/xml",
    ".json": "application/json",
    ".txt": "text/plain",
    ".html": "text/html",
}
PACKAGE_NAMES = {"npm": "Npm", "nuget": "NuGet", "pypi": "Pypi", "sbt": "SBT", "yum": "YUM", "gitlfs": "GitLfs"}


def jackson(value: Any, depth: int = 0) -> str:
    """The value in the layout of Jackson's default pretty printer; members that are None are left out."""
    if isinstance(value, Mapping):
        indent = "  " * (depth + 1)
        members = [
            f"{indent}{json.dumps(name, ensure_ascii=False)} : {jackson(member, depth + 1)}"
            for name, member in value.items()
            if member is not None
        ]
        return "{\n" + ",\n".join(members) + "\n" + "  " * depth + "}" if members else "{ }"
    if isinstance(value, (list, tuple)):
        return "[ " + ", ".join(jackson(element, depth) for element in value) + " ]" if value else "[ ]"
    return json.dumps(value, ensure_ascii=False)


def colon_time(seconds: float) -> str:
    """A time as in item info and listings: `2024-05-01T10:11:12.345Z`."""
    return _utc(seconds).strftime("%Y-%m-%dT%H:%M:%S.") + f"{_milliseconds(seconds):03d}Z"


def plain_time(seconds: float) -> str:
    """A time as in the last-modified answer: the zone has no colon there."""
    return _utc(seconds).strftime("%Y-%m-%dT%H:%M:%S.") + f"{_milliseconds(seconds):03d}+0000"


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _milliseconds(seconds: float) -> int:
    return _utc(seconds).microsecond // 1000


def media_type(name: str) -> str:
    """The media type for a file name."""
    return MEDIA_TYPES.get(name[name.rfind(".") :], "application/octet-stream")


def package_name(package_type: str) -> str:
    """A package type as the list of repositories spells it."""
    return PACKAGE_NAMES.get(package_type, package_type.capitalize())
