# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of version and licenses."""

from __future__ import annotations

from typing import Any

from support.wire.review import Api


def test_version_consists_of_two_strings(api: Api, sandbox: Any) -> None:
    assert api.post("version").text == '{"majorVersion":"20","minorVersion":"4"}\n'
    sandbox.switch("review", version_major="23", version_minor="2.0")
    assert api.records("version") == [{"majorVersion": "23", "minorVersion": "2.0"}]


def test_licenses_are_listed(api: Api) -> None:
    assert [record["feature"] for record in api.records("license_count")] == ["kwadmin10", "kwinforce10"]
    assert api.records("license_count", feature="kwadmin10") == [
        {
            "feature": "kwadmin10",
            "version": "10.7",
            "count": 10,
            "permanent": False,
            "days_to_expiry": 365,
            "servers": ["27000@localhost"],
        }
    ]
