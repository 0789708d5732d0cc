# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of trusted public keys."""

from __future__ import annotations

import pytest

from sandbox.client import Sandbox
from support.keys import gpg_pair, rsa_pair
from support.session import Session
from support.wire.artifact import error_of

TRUSTED = "/api/security/keys/trusted"
KEY = gpg_pair().public
KID = gpg_pair().fingerprint[-6:].lower()


@pytest.mark.parametrize("member", ["public_key", "key"])
def test_trusted_key_is_added_listed_and_deleted(artifactory: Session, member: str) -> None:
    added = artifactory.post(TRUSTED, json={"alias": "edge ü", member: KEY})
    assert added.status_code == 201
    listed = artifactory.get(TRUSTED).json()
    assert listed == {"keys": [added.json()]}
    assert added.json() == {
        "kid": KID,
        "alias": "edge ü",
        "fingerprint": bytes.fromhex(gpg_pair().fingerprint).hex(":"),
        "key": KEY,
        "issued_on": "2026-09-21T14:13:20Z",
        "issued_by": "Packages <packages@example.com>",
        "valid_until": "",
    }
    deleted = artifactory.delete(f"{TRUSTED}/{KID}")
    assert (deleted.status_code, artifactory.get(TRUSTED).json()) == (204, {"keys": []})
    assert error_of(artifactory.delete(f"{TRUSTED}/{KID}")) == (404, f"Key '{KID}' not found")


def test_pem_key_is_trusted(artifactory: Session) -> None:
    added = artifactory.post(TRUSTED, json={"alias": "edge", "public_key": rsa_pair().public})
    assert (added.status_code, added.json()["fingerprint"]) == (201, rsa_pair().fingerprint)


@pytest.mark.parametrize("status", [409, 400])
def test_known_key_and_alias_are_refused(sandbox: Sandbox, artifactory: Session, status: int) -> None:
    sandbox.switch("artifact", trusted_key_conflict_status=status)
    artifactory.post(TRUSTED, json={"alias": "edge", "public_key": KEY})
    same_key = error_of(artifactory.post(TRUSTED, json={"alias": "other", "public_key": KEY}))
    assert same_key == (status, "The key already exists with the alias 'edge'")
    same_alias = error_of(artifactory.post(TRUSTED, json={"alias": "edge", "public_key": rsa_pair().public}))
    assert same_alias == (status, "Alias 'edge' already exists")


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        ({"public_key": KEY}, "alias is mandatory"),
        ({"alias": "edge"}, "Failed to parse the public key"),
        ({"alias": "edge", "public_key": gpg_pair().private}, "Failed to parse the public key"),
    ],
)
def test_trusted_key_is_refused(artifactory: Session, request_body: dict[str, str], message: str) -> None:
    assert error_of(artifactory.post(TRUSTED, json=request_body)) == (400, message)


def test_list_can_omit_the_keys(sandbox: Sandbox, artifactory: Session) -> None:
    sandbox.switch("artifact", trusted_keys_have_text=False)
    artifactory.post(TRUSTED, json={"alias": "edge", "public_key": KEY})
    assert "key" not in artifactory.get(TRUSTED).json()["keys"][0]


def test_trusted_keys_are_for_administrators_and_not_in_all_editions(sandbox: Sandbox, artifactory: Session) -> None:
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", "/x")):
        assert error_of(reader.request(method, f"{TRUSTED}{path}")) == (403, "Forbidden")
    sandbox.switch("artifact", trusted_keys_require_enterprise=True)
    status, message = error_of(artifactory.get(TRUSTED))
    assert (status, "available only in Artifactory Enterprise" in message) == (400, True)
    sandbox.switch("artifact", edition="enterprise")
    assert artifactory.get(TRUSTED).json() == {"keys": []}
    sandbox.switch("artifact", edition="oss", trusted_keys_require_enterprise=False)
    status, message = error_of(artifactory.get(TRUSTED))
    assert (status, "available only in Artifactory Pro" in message) == (400, True)


def test_seeded_trusted_key_is_shown_and_exported(sandbox: Sandbox, artifactory: Session) -> None:
    sandbox.seed({"artifact": {"trusted_keys": [{"alias": "edge", "key": KEY}]}})
    listed = artifactory.get(TRUSTED).json()
    assert [key["alias"] for key in listed["keys"]] == ["edge"]
    assert sandbox.state()["artifact"]["trusted_keys"]["rows"] == [
        {
            "alias": "edge",
            "kid": KID,
            "fingerprint": listed["keys"][0]["fingerprint"],
            "issued_by": "Packages <packages@example.com>",
        }
    ]
    exported = sandbox.export_seed()
    sandbox.seed(exported["seed"], reset=True)
    assert artifactory.get(TRUSTED).json() == listed
    with pytest.raises(Exception, match="trusted_keys, broken: Failed to parse the public key"):
        sandbox.seed({"artifact": {"trusted_keys": [{"alias": "broken", "key": "x"}]}})
