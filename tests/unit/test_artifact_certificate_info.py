# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.artifact_edition import newest_version
from support.conversation import call, conversation
from support.running import run

CERTIFICATES = "/artifactory/api/system/security/certificates"
MIRROR = {
    "certificateAlias": "mirror",
    "issuedTo": "artifactory.example.com",
    "issuedBy": "Example CA",
    "issuedOn": "2026-01-01T02:00:00.000+02:00",
    "validUntil": "2027-01-01T00:00:00.000Z",
    "fingerprint": "0a:f1:5c",
}


def test_certificates_are_sorted_and_cost_one_request() -> None:
    unnamed = {**MIRROR, "certificateAlias": "a ü", "issuedTo": None, "validUntil": "2026-12-31T22:00:00+0000"}
    with conversation(call("GET", CERTIFICATES, json=[MIRROR, unnamed])) as server:
        result = run("artifact_certificate_info", url=server.url)
    mirror = {
        "alias": "mirror",
        "issued_to": "artifactory.example.com",
        "issued_by": "Example CA",
        "issued_on": "2026-01-01T00:00:00.000Z",
        "valid_until": "2027-01-01T00:00:00.000Z",
        "fingerprint": "0a:f1:5c",
    }
    other = {**mirror, "alias": "a ü", "issued_to": None, "valid_until": "2026-12-31T22:00:00.000Z"}
    assert (result["changed"], result["certificates"]) == (False, [other, mirror])


def test_list_is_empty_when_the_server_has_no_certificates() -> None:
    with conversation(call("GET", CERTIFICATES, json=[])) as server:
        assert run("artifact_certificate_info", url=server.url)["certificates"] == []


@pytest.mark.parametrize(
    ("status", "response", "message"),
    [
        (403, {"json": {"errors": [{"status": 403, "message": "Forbidden"}]}}, "The account lacks a permission"),
        (404, {"json": {"errors": [{"status": 404, "message": "Not Found"}]}}, f"{CERTIFICATES}: 404 Not Found"),
        (404, {"text": "<html>"}, "Check the path in 'url'."),
        (200, {"json": [{**MIRROR, "validUntil": "soon"}]}, "[0].validUntil' is a text instead of a date and time"),
        (200, {"json": [{"certificateAlias": "mirror"}]}, "[0].issuedOn'"),
        (200, {"json": {}}, "unexpected JSON structure"),
    ],
)
def test_unusable_response_is_reported(status: int, response: dict[str, Any], message: str) -> None:
    reads_version = [] if status == 200 else [newest_version()]
    with conversation(call("GET", CERTIFICATES, status, **response), *reads_version) as server:
        result = run("artifact_certificate_info", url=server.url)
    assert result["failed"]
    assert message in result["msg"]
