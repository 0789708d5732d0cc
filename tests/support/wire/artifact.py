# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers for the wire tests of the Artifactory sandbox."""

from __future__ import annotations

import hashlib
import re

import requests

from support.session import Session

APP = "app/1.0/app-1.0.tar.gz"
CONTENT = b"the first release"
SHA1 = hashlib.sha1(CONTENT).hexdigest()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT).hexdigest()
ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
CHALLENGE = 'Basic realm="Artifactory Realm"'


def error_of(answer: requests.Response) -> tuple[int, str]:
    """Return status and message of an error response of Artifactory."""
    assert answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1"
    (error,) = answer.json()["errors"]
    assert error["status"] == answer.status_code
    return error["status"], error["message"]


def properties_of(artifactory: Session, path: str) -> dict[str, list[str]] | None:
    """Return the properties of an item, each a sorted list, or `None`."""
    answer = artifactory.get(f"/api/storage/{path}?properties")
    if answer.status_code == 404:
        assert error_of(answer) == (404, "No properties could be found.")
        return None
    return {name: sorted(values) for name, values in answer.json()["properties"].items()}
