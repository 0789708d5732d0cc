# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The review server itself."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService


def read_version(review: ReviewService) -> Fields:
    """The version as text, such as 20.4, and its numbers.

    :raises ToolchainError: when the server tells none
    """
    record = next(iter(review.records("version")), None)
    if record is None:
        raise ToolchainError("The server does not tell its version.")
    text = ".".join(filter(None, (record.text("majorVersion"), record.maybe_text("minorVersion"))))
    return {"text": text, "numbers": [int(number) for number in re.findall("[0-9]+", text)]}


def major_version(told: Fields) -> int:
    """The first number of a `version`, of a year its last two digits: 2024 is 24."""
    return int(told["numbers"][0]) % 100 if told["numbers"] else 0


def list_licenses(review: ReviewService, feature: str | None) -> list[Fields]:
    """The licences, by feature."""
    return sorted(
        map(_parse_license, review.records("license_count", feature=feature)), key=lambda one: str(one["feature"])
    )


def read_records(review: ReviewService, action: str) -> list[Fields]:
    """Records as the server has them, for nobody tells what is in them."""
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
