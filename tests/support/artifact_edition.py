# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The request that shows the edition of Artifactory, with its responses as recorded."""

from __future__ import annotations

from support.conversation import Call, call

OPEN_SOURCE = "Artifactory OSS"
PRO_ONLY = {"errors": [{"status": 400, "message": "This REST API is available only in Artifactory Pro (see: …)."}]}


def edition(license_text: str = "0" * 40) -> Call:
    """Return the read of the version; Pro shows the hash of its license."""
    document = {"version": "4.4.2", "revision": "40093", "addons": [], "license": license_text}
    return call("GET", "/artifactory/api/system/version", json=document)


def newest_version() -> Call:
    """Return the read of the version of the newest Artifactory Pro."""
    document = {"version": "7.161.5", "revision": "81615900", "addons": ["build"], "license": "0" * 40}
    return call("GET", "/artifactory/api/system/version", json=document)
