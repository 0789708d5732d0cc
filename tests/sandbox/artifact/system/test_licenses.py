# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the licenses of the server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.session import Session
from support.wire.artifact import error_of

LICENSE = "/api/system/license"
LICENSES = "/api/system/licenses"


@pytest.mark.parametrize(("edition", "kind"), [("pro", "Commercial"), ("enterprise", "Enterprise")])
def test_license_is_that_of_the_edition(artifactory: Session, sandbox: Sandbox, edition: str, kind: str) -> None:
    sandbox.switch("artifact", edition=edition)
    license_ = artifactory.get(LICENSES).json()
    assert re.fullmatch(r"[A-Z][a-z]{2} \d{1,2}, \d{4}", license_.pop("validThrough"))
    assert license_ == {"type": kind, "licensedTo": "Sandbox"}
    assert artifactory.get(LICENSE).json()["type"] == kind


def test_oss_edition_has_no_license(artifactory: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", edition="oss")
    for path in (LICENSE, LICENSES):
        assert artifactory.get(path).json() == {"type": "OSS", "validThrough": "", "licensedTo": ""}


def test_cluster_lists_the_licenses_of_its_nodes(artifactory: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", cluster=True)
    body = artifactory.get(LICENSES).json()
    (license_,) = body["licenses"]
    assert (list(body), license_["type"], license_["expired"]) == (["licenses"], "Commercial", False)
    assert re.fullmatch("[0-9a-f]{40}.?", license_["licenseHash"])
    assert license_["nodeUrl"] == f"{sandbox.url}/artifactory"
    assert artifactory.get(LICENSE).json()["type"] == "Commercial"


def key(**content: Any) -> str:
    """Return a license key."""
    return base64.b64encode(json.dumps(content).encode()).decode()


def test_license_of_a_single_node_is_replaced(artifactory: Session, sandbox: Sandbox) -> None:
    first, second = (key(licensedTo=name, validThrough="Dec 7, 2050") for name in ("A", "B"))
    for name, text in (("A", first), ("B", second)):
        response = artifactory.post(LICENSES, json={"licenseKey": text})
        assert response.json() == {"status": 200, "message": "The license has been successfully installed."}
        expected = {"type": "Commercial", "validThrough": "Dec 7, 2050", "licensedTo": name}
        assert artifactory.get(LICENSES).json() == expected
    assert error_of(artifactory.post(LICENSES, json=[{"licenseKey": second}])) == (400, "License already exists.")
    assert artifactory.post(LICENSES, json=[{"licenseKey": first}, {"licenseKey": second}]).status_code == 400
    assert artifactory.delete(f"{LICENSES}?licenseHash={'0' * 40}").status_code == 400
    assert [row["licensed_to"] for row in sandbox.state()["artifact"]["licenses"]["rows"]] == ["B"]


@pytest.mark.parametrize("form", ["object", "list"])
def test_licenses_of_a_cluster_are_added_and_deleted(artifactory: Session, sandbox: Sandbox, form: str) -> None:
    sandbox.switch("artifact", cluster=True, license_list=form)
    valid, expired = key(), key(validThrough="Dec 7, 2020")

    def listed() -> list[dict[str, Any]]:
        body = artifactory.get(LICENSES).json()
        return list(body["licenses"] if form == "object" else body)

    response = artifactory.post(LICENSES, json=[{"licenseKey": expired}, {"licenseKey": valid}])
    assert response.json() == {"status": 200, "messages": {expired: "OK", valid: "OK"}}
    response = artifactory.post(LICENSES, json=[{"licenseKey": key(type="Trial")}, {"licenseKey": valid}])
    assert list(response.json()["messages"].values()) == ["OK", "License already exists."]
    assert [(entry["expired"], entry["nodeId"]) for entry in listed()] == [
        (False, "sandbox"),
        (True, "Not in use"),
        (False, "Not in use"),
        (False, "Not in use"),
    ]
    hashes = [entry["licenseHash"] for entry in listed()]
    assert hashes[2][:40] == hashlib.sha1(valid.encode()).hexdigest()
    assert error_of(artifactory.delete(f"{LICENSES}?licenseHash=none"))[0] == 404
    assert artifactory.delete(f"{LICENSES}?licenseHash={','.join(hashes[:2])}").json()["messages"][hashes[0]] == "OK"
    assert [entry["nodeId"] for entry in listed()] == ["sandbox", "Not in use"]
    assert artifactory.delete(f"{LICENSES}?licenseHash={','.join(hashes[2:])}").status_code == 200
    assert listed() == []
    assert artifactory.get("/api/plugins").status_code == 400


@pytest.mark.parametrize(
    "body", [{}, [], [1], {"licenseKey": ""}, {"licenseKey": "?"}, {"licenseKey": key(validThrough="soon")}]
)
def test_invalid_key_is_refused(artifactory: Session, body: Any) -> None:
    assert error_of(artifactory.post(LICENSES, json=body))[0] == 400


def test_first_license_takes_effect_with_a_delay(artifactory: Session, sandbox: Sandbox) -> None:
    assert artifactory.get("/api/plugins").json() == {}
    sandbox.switch("artifact", licensed=False, license_seconds=30)
    assert artifactory.get(LICENSES).json() == {"type": "N/A", "validThrough": "", "licensedTo": ""}
    assert error_of(artifactory.get("/api/plugins"))[0] == 400
    artifactory.post(LICENSES, json={"licenseKey": key()})
    assert artifactory.get(LICENSES).json()["type"] == "Commercial"
    assert error_of(artifactory.get("/api/plugins"))[0] == 400
    sandbox.clock(advance=31)
    assert artifactory.get("/api/plugins").json() == {}


def test_open_source_edition_accepts_no_license(artifactory: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.post(LICENSES, json={"licenseKey": key()}))[0] == 400


def test_licenses_are_for_administrators(sandbox: Sandbox, artifactory_anonymous: Session) -> None:
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    for method in ("POST", "DELETE"):
        assert error_of(reader.request(method, LICENSES)) == (403, "Forbidden")
    for path in (LICENSE, LICENSES):
        assert error_of(reader.get(path)) == (403, "Forbidden")
        assert error_of(artifactory_anonymous.get(path))[0] == 401
