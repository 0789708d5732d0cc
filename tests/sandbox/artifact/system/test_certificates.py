# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the client certificates for remote repositories."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from sandbox.client import Sandbox
from sandbox.parsing.pem import parse_certificate_with_key
from support.certificates import Authority
from support.session import Session
from support.wire.artifact import error_of

CERTIFICATES = "/api/system/security/certificates"
DAY = datetime.timedelta(days=1)


def add(artifactory: Session, alias: str, pem: str) -> int:
    response = artifactory.post(f"{CERTIFICATES}/{alias}", data=pem, headers={"Content-Type": "text/plain"})
    return response.status_code


@pytest.mark.parametrize("days", [5, 365 * 40])  # from 2050 on, the encoding of times is another one
def test_certificate_is_added_listed_and_deleted(artifactory: Session, tmp_path: Path, days: int) -> None:
    certificate, key = Authority(tmp_path, "Example Ü CA").sign("mirror.example", until=days * DAY)
    assert add(artifactory, "mirror%20a", key.read_text() + certificate.read_text()) == 200
    expected = x509.load_pem_x509_certificate(certificate.read_bytes())
    times = [
        f"{time.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
        for time in (expected.not_valid_before_utc, expected.not_valid_after_utc)
    ]
    assert artifactory.get(CERTIFICATES).json() == [
        {
            "certificateAlias": "mirror a",
            "issuedTo": "mirror.example",
            "issuedBy": "Example Ü CA",
            "issuedOn": times[0],
            "validUntil": times[1],
            "fingerprint": expected.fingerprint(hashes.SHA256()).hex(":").upper(),
        }
    ]
    assert artifactory.delete(f"{CERTIFICATES}/mirror%20a").status_code == 200
    assert artifactory.get(f"{CERTIFICATES}/").json() == []
    assert error_of(artifactory.delete(f"{CERTIFICATES}/mirror%20a"))[0] == 404


def test_certificate_is_replaced_when_the_alias_exists(artifactory: Session, tmp_path: Path) -> None:
    authority = Authority(tmp_path, "CA")
    for name in ("old", "new"):
        assert add(artifactory, "mirror", "".join(path.read_text() for path in authority.sign(name))) == 200
    (certificate,) = artifactory.get(CERTIFICATES).json()
    assert certificate["issuedTo"] == "new"


def test_certificate_is_refused_when_it_is_incomplete(artifactory: Session, tmp_path: Path) -> None:
    certificate, key = (path.read_text() for path in Authority(tmp_path, "CA").sign("mirror"))
    lines = certificate.splitlines(keepends=True)
    truncated = "".join([*lines[:2], lines[-1]])
    for pem in ("", "ü", key, certificate, key + truncated, key + certificate.replace(lines[1], "AAAA\n")):
        assert add(artifactory, "mirror", pem) == 400
    assert artifactory.get(CERTIFICATES).json() == []


def test_certificates_are_for_administrators(sandbox: Sandbox, artifactory_anonymous: Session) -> None:
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    for method, path in (("GET", ""), ("POST", "/mirror"), ("DELETE", "/mirror")):
        assert error_of(reader.request(method, f"{CERTIFICATES}{path}")) == (403, "Forbidden")
        assert error_of(artifactory_anonymous.request(method, f"{CERTIFICATES}{path}"))[0] == 401


def test_certificates_are_missing_when_the_version_is_older_than_5_4(sandbox: Sandbox, artifactory: Session) -> None:
    sandbox.switch("artifact", version="5.3.2")
    assert error_of(artifactory.get(CERTIFICATES)) == (404, "Not Found")


def test_seeded_certificate_is_shown_and_exported(sandbox: Sandbox, artifactory: Session) -> None:
    fields = {"alias": "old", "issued_to": "a", "issued_by": "b", "fingerprint": "00:ff"}
    old = {**fields, "issued_on": "2020-01-01T00:00:00Z", "valid_until": "2021-01-01T00:00:00Z"}
    sandbox.seed({"artifact": {"certificates": [old, {"alias": "mirror", "expires_in": 86400}]}})
    mirror, expired = listed = artifactory.get(CERTIFICATES).json()
    assert (mirror["issuedTo"], mirror["issuedBy"], len(mirror["fingerprint"])) == ("mirror", "mirror", 32 * 3 - 1)
    assert expired["validUntil"] == "2021-01-01T00:00:00.000Z"
    assert sandbox.state()["artifact"]["certificates"]["rows"][1] == {
        **{name: fields[name] for name in ("alias", "issued_to", "issued_by")},
        "issued": "2020-01-01T00:00:00Z",
        "expires": "2021-01-01T00:00:00Z",
    }
    exported = sandbox.export_seed()
    sandbox.seed(exported["seed"], reset=True)
    assert artifactory.get(CERTIFICATES).json() == listed


def test_missing_common_name_is_unknown() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Example")])
    start = datetime.datetime(2026, 1, 1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + DAY)
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    parsed = parse_certificate_with_key((builder.sign(key, hashes.SHA256()).public_bytes(encoding) + private).decode())
    assert (parsed.issued_to, parsed.issued_by) == ("Unknown", "Unknown")
