# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Version, licenses and raw records of a Klocwork server."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService


def read_version(review: ReviewService) -> Fields:
    """Return the version as text, such as `20.4`, and its numbers.

    :raises ToolchainError: if the server returns no version
    """
    record = next(iter(review.records("version")), None)
    if record is None:
        raise ToolchainError("Cannot get the version: the server returned no record.")
    text = ".".join(filter(None, (record.text("majorVersion"), record.maybe_text("minorVersion"))))
    return {"text": text, "numbers": [int(number) for number in re.findall("[0-9]+", text)]}


def major_version(version: Fields) -> int:
    """Return the first number of a version; of a year, the last two digits: 24 for 2024."""
    return int(version["numbers"][0]) % 100 if version["numbers"] else 0


def list_licenses(review: ReviewService, feature: str | None) -> list[Fields]:
    """Return the licenses, sorted by feature."""
    return sorted(
        map(_parse_license, review.records("license_count", feature=feature)), key=lambda one: str(one["feature"])
    )


def read_records(review: ReviewService, action: str) -> list[Fields]:
    """Return the unchanged records of an action, because their members are not documented."""
    return [dict(record) for record in review.records(action)]


def _parse_license(record: Record) -> Fields:
    return {
        "feature": record.text("feature"),
        "version": record.maybe_text("version"),
        "count": record.maybe_integer("count"),
        "permanent": bool(record.maybe_flag("permanent")),
        "days_to_expiry": record.maybe_integer("days_to_expiry"),
        "servers": record.maybe_texts("servers"),
    }
