# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from support.artifact_edition import OPEN_SOURCE, edition
from support.certificates import DAY, Authority
from support.conversation import Call, call, conversation
from support.keys import gpg_pair, rsa_pair
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

CERTIFICATES = "/artifactory/api/system/security/certificates"
MIRROR = f"{CERTIFICATES}/mirror"
CONFIGURATIONS = "/artifactory/api/repositories/configurations"


class Signed(NamedTuple):
    """A certificate with its key."""

    certificate: str
    key: str
    result: dict[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        return {"alias": "mirror", "certificate": self.certificate, "private_key": self.key}


def sign(folder: Path, name: str = "mirror.example", until: datetime.timedelta = 90 * DAY) -> Signed:
    certificate, key = (path.read_text() for path in Authority(folder, "Example Ü CA").sign(name, until=until))
    parsed = x509.load_pem_x509_certificate(certificate.encode())
    times = [f"{time:%Y-%m-%dT%H:%M:%S}.000Z" for time in (parsed.not_valid_before_utc, parsed.not_valid_after_utc)]
    result = {"issued_to": name, "issued_by": "Example Ü CA", "issued_on": times[0], "valid_until": times[1]}
    fingerprint = parsed.fingerprint(hashes.SHA256()).hex(":")
    return Signed(certificate, key, {"alias": "mirror", **result, "fingerprint": fingerprint})


@pytest.fixture
def mirror(tmp_path: Path) -> Signed:
    return sign(tmp_path)


def entry(signed: Signed, **more: Any) -> dict[str, Any]:
    """Return a certificate as Artifactory returns it."""
    names = {"issued_to": "issuedTo", "issued_by": "issuedBy", "issued_on": "issuedOn", "valid_until": "validUntil"}
    members = {member: signed.result[name] for name, member in names.items()}
    return {"certificateAlias": "mirror", **members, "fingerprint": signed.result["fingerprint"].upper(), **more}


def listed(*entries: dict[str, Any]) -> Call:
    return call("GET", CERTIFICATES, json=list(entries))


def installed(signed: Signed, **more: Any) -> Call:
    headers = {"Content-Type": "text/plain"}
    return call("POST", MIRROR, sent_body=(signed.key + signed.certificate).encode(), sent_headers=headers, **more)


def repositories(**references: str) -> Call:
    """Return the read of the configurations of repositories with references to certificates."""
    records = [
        {"key": key, "rclass": "remote", "packageType": "npm", "offline": False, "clientTlsCertificate": alias}
        for key, alias in references.items()
    ]
    return call("GET", CONFIGURATIONS, json={"REMOTE": records})


@pytest.mark.parametrize("form", [str.upper, str.lower, lambda text: text.replace(":", "")])
def test_unchanged_certificate_costs_one_request(mirror: Signed, form: Any) -> None:
    with conversation(listed(entry(mirror, fingerprint=form(mirror.result["fingerprint"])))) as server:
        result = run("artifact_certificate", url=server.url, **mirror.options)
    assert (result["changed"], result["certificate"]) == (False, mirror.result)
    assert "warnings" not in result or not result["warnings"]


def test_unchanged_certificates_cost_one_request_in_total(mirror: Signed) -> None:
    items = [mirror.options, {"alias": "other"}, {"alias": "gone", "state": "absent"}]
    with conversation(listed(entry(mirror), entry(mirror, certificateAlias="other"))) as server:
        result = run("artifact_certificate", url=server.url, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


def test_missing_certificate_is_created_with_its_chain(mirror: Signed, tmp_path: Path) -> None:
    chain = mirror.certificate + (tmp_path / "Example Ü CA.pem").read_text()
    task = {**mirror.options, "certificate": chain.replace("\n", "\n    "), "private_key": f"\n  {mirror.key}"}
    sent = call("POST", MIRROR, sent_body=(mirror.key + chain).encode())
    with conversation(listed(), sent, listed(entry(mirror))) as server:
        result = run("artifact_certificate", url=server.url, diff_mode=True, **task)
    assert (result["changed"], result["certificate"]) == (True, mirror.result)
    after = {"state": "present", "fingerprint": mirror.result["fingerprint"]}
    assert result["diff"] == {"before": {"state": "absent"}, "after": after}
    assert mirror.key not in str(result)


def test_certificate_with_another_fingerprint_is_replaced(mirror: Signed, tmp_path: Path) -> None:
    old = sign(tmp_path, "old.example")
    with conversation(listed(entry(old)), installed(mirror), listed(entry(mirror))) as server:
        result = run("artifact_certificate", url=server.url, diff_mode=True, **mirror.options)
    assert (result["changed"], result["certificate"]) == (True, mirror.result)
    assert result["diff"]["before"]["fingerprint"] == old.result["fingerprint"]


@pytest.mark.parametrize("exists", [False, True])
def test_check_mode_predicts_the_certificate(mirror: Signed, tmp_path: Path, exists: bool) -> None:
    with conversation(listed(*([entry(sign(tmp_path, "old.example"))] if exists else []))) as server:
        result = run("artifact_certificate", url=server.url, check_mode=True, **mirror.options)
    assert (result["changed"], result["certificate"]) == (True, mirror.result)


@pytest.mark.parametrize("option", ["certificate", "private_key"])
@pytest.mark.parametrize("check_mode", [False, True])
def test_option_is_required_to_create_a_certificate(mirror: Signed, option: str, check_mode: bool) -> None:
    with conversation(listed()) as server:
        result = run("artifact_certificate", url=server.url, check_mode=check_mode, **{**mirror.options, option: None})
    assert result["msg"] == f"Option '{option}': is required, because certificate 'mirror' does not exist."


def test_private_key_is_required_to_replace_a_certificate(mirror: Signed, tmp_path: Path) -> None:
    task = {**mirror.options, "private_key": None}
    with conversation(listed(entry(sign(tmp_path, "old.example")))) as server:
        result = run("artifact_certificate", url=server.url, **task)
    assert result["msg"] == "Option 'private_key': is required, because certificate 'mirror' is replaced."
    with conversation(listed(entry(mirror))) as server:
        assert not run("artifact_certificate", url=server.url, **task)["changed"]


def test_lost_response_is_repeated(mirror: Signed) -> None:
    with conversation(listed(), installed(mirror, drop=True), installed(mirror), listed(entry(mirror))) as server:
        result = run("artifact_certificate", url=server.url, **mirror.options)
    assert (result["changed"], "failed" in result) == (True, False)


def test_certificate_that_the_server_does_not_store_is_reported(mirror: Signed) -> None:
    with conversation(listed(), call("POST", MIRROR, text="<html>"), listed()) as server:
        result = run("artifact_certificate", url=server.url, **mirror.options)
    assert result["msg"] == "The server accepted the change, but the certificate does not exist."


@pytest.mark.parametrize("check_mode", [False, True])
def test_certificate_in_use_is_kept(mirror: Signed, check_mode: bool) -> None:
    with conversation(listed(entry(mirror)), repositories(npm="mirror", pypi="other")) as server:
        result = run("artifact_certificate", url=server.url, check_mode=check_mode, alias="mirror", state="absent")
    assert result["msg"] == (
        "Certificate 'mirror' cannot be deleted, because these repositories use it: npm. Change their configuration "
        "first."
    )


def test_check_mode_can_assume_that_repositories_change(mirror: Signed) -> None:
    task = {"alias": "mirror", "state": "absent", "predict_missing": True}
    with conversation(listed(entry(mirror))) as server:
        result = run("artifact_certificate", url=server.url, check_mode=True, **task)
    assert (result["changed"], result["certificate"]) == (True, None)


def test_unused_certificate_is_deleted(mirror: Signed) -> None:
    with conversation(listed(entry(mirror)), repositories(npm="other"), call("DELETE", MIRROR), listed()) as server:
        result = run("artifact_certificate", url=server.url, alias="mirror", state="absent")
    assert (result["changed"], result["certificate"]) == (True, None)
    with conversation(listed()) as server:
        assert not run("artifact_certificate", url=server.url, alias="mirror", state="absent")["changed"]


def test_undeclared_certificates_are_deleted_except_those_in_use(mirror: Signed) -> None:
    before = [entry(mirror), entry(mirror, certificateAlias="old"), entry(mirror, certificateAlias="used")]
    deleted = call("DELETE", f"{CERTIFICATES}/old")
    after = listed(*(record for record in before if record["certificateAlias"] != "old"))
    with conversation(listed(*before), repositories(npm="used"), deleted, after) as server:
        result = run("artifact_certificate", url=server.url, items=[mirror.options], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["old"])
    assert "because repositories use them: used." in result["warnings"][0]


@pytest.mark.parametrize(("days", "verb"), [(-1, "expired"), (20, "expires")])
def test_certificate_that_expires_is_reported(tmp_path: Path, days: int, verb: str) -> None:
    signed = sign(tmp_path, until=days * DAY)
    day = signed.result["valid_until"][:10]
    for check_mode, calls in ((False, [listed(entry(signed))]), (True, [listed()])):
        with conversation(*calls) as server:
            result = run("artifact_certificate", url=server.url, check_mode=check_mode, **signed.options)
        assert result["warnings"] == [f"Certificate 'mirror' {verb} on {day}."]
    with conversation(listed(entry(signed))) as server:
        result = run("artifact_certificate", url=server.url, alias="mirror", warn_before=0)
    assert result.get("warnings", []) == ([f"Certificate 'mirror' expired on {day}."] if days < 0 else [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"certificate": ""}, "'certificate': must be a certificate in PEM format"),
        ({"certificate": "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----"}, "'certificate': must be a"),
        ({"certificate": rsa_pair().public}, "'certificate': must contain only certificates."),
        ({"certificate": rsa_pair().private}, "'certificate': must contain only certificates."),
        ({"private_key": "x"}, "'private_key': must be a private key in PEM format"),
        ({"private_key": gpg_pair().private}, "'private_key': must be a private key in PEM format"),
        ({"private_key": rsa_pair(passphrase="x").private}, "'private_key': must not have a passphrase"),
        ({"private_key": rsa_pair().private}, "'private_key': must belong to the first certificate in 'certificate'"),
        ({"alias": "a/b"}, "'alias'"),
        ({"alias": ""}, "'alias'"),
        ({"warn_before": -1}, "'warn_before': must be 0 to 3,650, not -1"),
    ],
)
def test_invalid_option_is_refused_before_the_first_request(
    mirror: Signed, change: dict[str, Any], message: str
) -> None:
    with conversation() as server:
        result = run("artifact_certificate", url=server.url, **{**mirror.options, **change})
    assert message in result["msg"]
    assert "BEGIN" not in result["msg"]


def test_key_of_another_certificate_is_refused(mirror: Signed, tmp_path: Path) -> None:
    other = sign(tmp_path, "other.example")
    with conversation() as server:
        result = run("artifact_certificate", url=server.url, **{**mirror.options, "private_key": other.key})
    assert result["msg"] == "Option 'private_key': must belong to the first certificate in 'certificate'."


def test_information_has_the_form_of_the_result(mirror: Signed) -> None:
    lower = mirror.result["fingerprint"]
    with conversation(listed(entry(mirror, fingerprint=lower))) as server:
        assert run("artifact_certificate_info", url=server.url)["certificates"] == [mirror.result]


def test_check_mode_predicts_the_refusal_of_the_open_source_edition(mirror: Signed) -> None:
    with conversation(listed(), edition(OPEN_SOURCE)) as server:
        result = run("artifact_certificate", url=server.url, check_mode=True, **mirror.options)
    assert "Managing client certificates requires Artifactory Pro, but the server is the open" in result["msg"]
    assert not result["changed"]
