# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the key pairs that sign metadata of repositories."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox
from support.keys import Pair, gpg_pair, rsa_pair
from support.session import Session
from support.wire.artifact import error_of

KEYPAIRS = "/api/security/keypair"
DEBIAN = {"rclass": "local", "packageType": "debian"}


def body(name: str = "release", pair: Pair | None = None, kind: str = "GPG", **more: Any) -> dict[str, Any]:
    pair = pair or gpg_pair()
    keys = {"privateKey": pair.private, "publicKey": pair.public}
    return {"pairName": name, "pairType": kind, "alias": f"{name}.asc", **keys, **more}


def keypair_response(name: str = "release", pair: Pair | None = None, kind: str = "GPG") -> dict[str, Any]:
    public = (pair or gpg_pair()).public
    return {"pairName": name, "pairType": kind, "alias": f"{name}.asc", "publicKey": public, "unavailable": False}


def test_key_pair_is_created_listed_and_deleted(artifactory: Session) -> None:
    for request in (body("a b ü"), body("alpine", rsa_pair(), "RSA")):
        created = artifactory.post(KEYPAIRS, json=request)
        assert (created.status_code, created.content) == (201, b"")
    assert artifactory.get(KEYPAIRS).json() == [
        keypair_response("a b ü"),
        keypair_response("alpine", rsa_pair(), "RSA"),
    ]
    assert artifactory.get(f"{KEYPAIRS}/a%20b%20%C3%BC").json() == keypair_response("a b ü")
    assert artifactory.delete(f"{KEYPAIRS}/alpine").status_code == 200
    assert error_of(artifactory.get(f"{KEYPAIRS}/alpine")) == (404, "Key pair 'alpine' not found")
    assert error_of(artifactory.delete(f"{KEYPAIRS}/alpine"))[0] == 404


@pytest.mark.parametrize("path", [KEYPAIRS, f"{KEYPAIRS}/verify"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairName": ""}, "pairName is mandatory"),
        ({"alias": None}, "alias is mandatory"),
        ({"pairType": "DSA"}, "Unsupported key pair type: DSA"),
        ({"pairType": "RSA"}, "Failed to parse the private key"),
        ({"privateKey": "x"}, "Failed to parse the private key"),
        ({"publicKey": rsa_pair().public}, "Failed to parse the public key"),
        ({"publicKey": gpg_pair().public.replace("\n\n", "\n\nAAAA")}, "Failed to parse the public key"),
        ({"publicKey": gpg_pair(1).public}, "The private key does not match the public key"),
        (
            {"privateKey": gpg_pair(passphrase="x").private},
            "Failed to decrypt the private key: the passphrase is wrong",
        ),
    ],
)
def test_key_pair_is_refused(artifactory: Session, path: str, change: dict[str, Any], message: str) -> None:
    assert error_of(artifactory.post(path, json={**body(), **change})) == (400, message)
    assert artifactory.get(KEYPAIRS).json() == []


def test_encrypted_keys_are_accepted_with_a_passphrase(artifactory: Session) -> None:
    for number, pair in enumerate((gpg_pair(passphrase="x"), rsa_pair(passphrase="x"))):
        request = body(f"pair-{number}", pair, ("GPG", "RSA")[number])
        assert artifactory.post(KEYPAIRS, json=request).status_code == 400
        assert artifactory.post(KEYPAIRS, json={**request, "passphrase": "x"}).status_code == 201


def test_verification_stores_nothing(sandbox: Sandbox, artifactory: Session) -> None:
    assert artifactory.post(f"{KEYPAIRS}/verify", json=body()).status_code == 200
    assert artifactory.get(KEYPAIRS).json() == []
    assert all(entry["effect"] == "read" for entry in sandbox.journal())


@pytest.mark.parametrize(("status", "expected"), [(409, 409), (400, 400), (0, 201)])
def test_existing_key_pair_is_refused_or_replaced(
    sandbox: Sandbox, artifactory: Session, status: int, expected: int
) -> None:
    sandbox.switch("artifact", keypair_conflict_status=status)
    assert artifactory.post(KEYPAIRS, json=body()).status_code == 201
    assert artifactory.post(KEYPAIRS, json=body(pair=gpg_pair(1))).status_code == expected
    assert artifactory.get(KEYPAIRS).json() == [keypair_response(pair=gpg_pair(0 if status else 1))]


@pytest.mark.parametrize("member", ["primaryKeyPairRef", "secondaryKeyPairRef"])
def test_key_pair_in_use_is_not_deleted(sandbox: Sandbox, artifactory: Session, member: str) -> None:
    artifactory.post(KEYPAIRS, json=body())
    artifactory.put("/api/repositories/deb", json={**DEBIAN, member: "release"})
    refusal = error_of(artifactory.delete(f"{KEYPAIRS}/release"))
    assert refusal == (400, "Key pair 'release' is used by the repositories: deb")
    sandbox.switch("artifact", keypair_deletion_checks_use=False)
    assert artifactory.delete(f"{KEYPAIRS}/release").status_code == 200


def test_repository_with_unknown_key_pair_can_be_refused(sandbox: Sandbox, artifactory: Session) -> None:
    unsigned = {**DEBIAN, "primaryKeyPairRef": "release"}
    assert artifactory.put("/api/repositories/deb", json=unsigned).status_code == 200
    sandbox.switch("artifact", repository_checks_key_pairs=True)
    refusal = error_of(artifactory.put("/api/repositories/deb-2", json=unsigned))
    assert refusal == (400, "Key pair 'release' does not exist")
    artifactory.post(KEYPAIRS, json=body())
    assert artifactory.put("/api/repositories/deb-2", json=unsigned).status_code == 200


def test_repository_serves_its_public_keys(artifactory: Session) -> None:
    artifactory.post(KEYPAIRS, json=body())
    artifactory.post(KEYPAIRS, json=body("next", gpg_pair(1)))
    artifactory.put("/api/repositories/deb", json={**DEBIAN, "primaryKeyPairRef": "release"})
    primary = "/api/v2/repositories/deb/keyPairs/primary/public"
    for path in (primary, f"{KEYPAIRS}/public/repositories/deb"):
        assert artifactory.get(path).text == gpg_pair().public
    secondary = primary.replace("primary", "secondary")
    assert error_of(artifactory.get(secondary)) == (404, "Repository 'deb' has no secondary key pair")
    artifactory.post("/api/repositories/deb", json={"secondaryKeyPairRef": "next"})
    assert artifactory.get(secondary).text == gpg_pair(1).public


def test_key_pairs_are_for_administrators(sandbox: Sandbox, artifactory: Session) -> None:
    artifactory.post(KEYPAIRS, json=body())
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    for method, path in (("GET", ""), ("POST", ""), ("POST", "/verify"), ("DELETE", "/release")):
        assert error_of(reader.request(method, f"{KEYPAIRS}{path}")) == (403, "Forbidden")
    assert reader.get(f"{KEYPAIRS}/release").json() == keypair_response()


def test_key_pairs_require_a_license_and_a_version(sandbox: Sandbox, artifactory: Session) -> None:
    sandbox.switch("artifact", edition="oss")
    status, message = error_of(artifactory.get(KEYPAIRS))
    assert (status, "available only in Artifactory Pro" in message) == (400, True)
    sandbox.switch("artifact", edition="pro", version="7.18.6")
    assert error_of(artifactory.get(KEYPAIRS)) == (404, "Not Found")
    assert artifactory.post(KEYPAIRS, json=body()).status_code == 201
    assert artifactory.get(f"{KEYPAIRS}/release").json() == keypair_response()
    sandbox.switch("artifact", version="7.5.7")
    assert error_of(artifactory.post(KEYPAIRS, json=body())) == (404, "Not Found")


def test_seeded_key_pair_is_shown_and_exported(sandbox: Sandbox, artifactory: Session) -> None:
    seed = {"name": "release", "type": "gpg", "alias": "release.asc", "public_key": gpg_pair().public}
    sandbox.seed({"artifact": {"keypairs": [seed]}})
    assert artifactory.get(KEYPAIRS).json() == [keypair_response()]
    assert sandbox.state()["artifact"]["keypairs"]["rows"] == [
        {"name": "release", "type": "gpg", "alias": "release.asc"}
    ]
    exported = sandbox.export_seed()
    sandbox.seed(exported["seed"], reset=True)
    assert artifactory.get(KEYPAIRS).json() == [keypair_response()]


@pytest.mark.parametrize(
    ("change", "message"),
    [({"type": "dsa"}, "'dsa' is not a type of key pairs"), ({"type": "rsa"}, "'public_key' is not a public key")],
)
def test_seeded_key_pair_is_refused(sandbox: Sandbox, change: dict[str, str], message: str) -> None:
    seed = {"name": "release", "type": "gpg", "public_key": gpg_pair().public, **change}
    with pytest.raises(Exception, match=f"keypairs, release: {message}"):
        sandbox.seed({"artifact": {"keypairs": [seed]}})
