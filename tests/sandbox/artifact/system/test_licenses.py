# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the licenses of the server."""

from __future__ import annotations

import re

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


def test_licenses_are_for_administrators(sandbox: Sandbox, artifactory_anonymous: Session) -> None:
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    for path in (LICENSE, LICENSES):
        assert error_of(reader.get(path)) == (403, "Forbidden")
        assert error_of(artifactory_anonymous.get(path))[0] == 401
