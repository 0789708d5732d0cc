# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.keys import Pair, gpg_pair, rewrap, rsa_pair, rsa_pair_in_old_format
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

KEYPAIRS = "/artifactory/api/security/keypair"
RELEASE = f"{KEYPAIRS}/release"
CONFIGURATIONS = "/artifactory/api/repositories/configurations"
VERSION = "/artifactory/api/system/version"
GPG, NEW = gpg_pair(), gpg_pair(1)
MISSING = {"errors": [{"status": 404, "message": "Key pair not found"}]}
DEBIAN = {"rclass": "local", "packageType": "debian", "repoLayoutRef": "simple-default"}


def options(pair: Pair = GPG, **more: Any) -> dict[str, Any]:
    """Return the options of the module, without those that are null."""
    keys = {"private_key": pair.private, "public_key": pair.public}
    task = {"name": "release", "type": "gpg", "alias": "release.asc", **keys, **more}
    return {name: value for name, value in task.items() if value is not None}


def entry(pair: Pair = GPG, **more: Any) -> dict[str, Any]:
    """Return a key pair as Artifactory returns it."""
    return {"pairName": "release", "pairType": "GPG", "alias": "release.asc", "publicKey": pair.public, **more}


def read(pair: Pair = GPG, **more: Any) -> Call:
    return call("GET", RELEASE, json=entry(pair, **more))


def missing(name: str = "release") -> Call:
    return call("GET", f"{KEYPAIRS}/{name}", 404, json=MISSING)


def listed(*entries: dict[str, Any]) -> Call:
    return call("GET", KEYPAIRS, json=list(entries))


def body(pair: Pair = GPG, **more: Any) -> dict[str, Any]:
    return {**entry(pair), "privateKey": pair.private, **more}


def created(pair: Pair = GPG, status: int = 201, **more: Any) -> Call:
    return call("POST", KEYPAIRS, status, sent_json=body(pair), **more)


def deleted(name: str = "release", status: int = 200, **more: Any) -> Call:
    return call("DELETE", f"{KEYPAIRS}/{name}", status, **more)


def repositories(**references: dict[str, str]) -> Call:
    """Return the read of the configurations of repositories with references to key pairs."""
    records = [{"key": key, **DEBIAN, **members} for key, members in references.items()]
    return call("GET", CONFIGURATIONS, json={"LOCAL": records})


def version(number: str = "7.77.3", license_type: str = "Enterprise") -> Call:
    return call("GET", VERSION, json={"version": number, "license": license_type})


def result_of(pair: Pair = GPG, **more: Any) -> dict[str, Any]:
    shown = {"name": "release", "type": "gpg", "alias": "release.asc"}
    return {**shown, "public_key": pair.public, "fingerprint": pair.fingerprint, **more}


def secret_lines(pair: Pair) -> list[str]:
    """Return the lines of a private key that the public key does not contain."""
    return [
        line for line in pair.private.splitlines() if len(line) > 16 and "-" not in line and line not in pair.public
    ]


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (GPG.public, GPG.public),
        (GPG.public, rewrap(GPG.public)),
        (rewrap(GPG.public), GPG.public),
        ("\n".join(f"    {line}" for line in GPG.public.splitlines()), GPG.public),
    ],
)
def test_unchanged_key_pair_costs_one_request(sent: str, stored: str) -> None:
    with conversation(call("GET", RELEASE, json=entry(publicKey=stored, unavailable=False))) as server:
        result = run("artifact_keypair", url=server.url, **options(public_key=sent))
    assert (result["changed"], result["keypair"]) == (False, result_of())


def test_unchanged_rsa_key_is_recognized_in_another_format() -> None:
    pair, old = rsa_pair(), rsa_pair_in_old_format()
    stored = {"pairName": "alpine", "pairType": "RSA", "alias": "alpine.rsa.pub", "publicKey": pair.public}
    task = {"name": "alpine", "type": "rsa", "private_key": old.private, "public_key": old.public}
    with conversation(call("GET", f"{KEYPAIRS}/alpine", json=stored)) as server:
        result = run("artifact_keypair", url=server.url, **task)
    assert (result["changed"], result["keypair"]["fingerprint"]) == (False, pair.fingerprint)


def test_existing_key_pair_needs_no_private_key() -> None:
    with conversation(read()) as server:
        assert not run("artifact_keypair", url=server.url, name="release", public_key=GPG.public)["changed"]


def test_unchanged_key_pairs_cost_one_request_in_total() -> None:
    items = [options(), {"name": "next"}, {"name": "gone", "state": "absent"}]
    with conversation(listed(entry(NEW, pairName="next"), entry())) as server:
        result = run("artifact_keypair", url=server.url, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


@pytest.mark.parametrize("status", [200, 201])
def test_missing_key_pair_is_created(status: int) -> None:
    stored = call("GET", RELEASE, json=entry(publicKey=rewrap(GPG.public)))
    with conversation(missing(), created(status=status), stored) as server:
        result = run("artifact_keypair", url=server.url, diff_mode=True, **options())
    assert (result["changed"], result["keypair"]) == (True, result_of())
    public = {"type": "gpg", "alias": "release.asc", "public_key": GPG.public}
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", **public}}
    assert GPG.private not in str(result)


def test_passphrase_is_sent_and_indentation_removed() -> None:
    pair = gpg_pair(passphrase="x")
    sent = {**body(pair), "passphrase": "s3cret phrase"}
    indented = {name: getattr(pair, name).replace("\n", "\n  ") for name in ("private", "public")}
    task = options(private_key=indented["private"], public_key=indented["public"], passphrase="s3cret phrase")
    with conversation(missing(), call("POST", KEYPAIRS, 201, sent_json=sent), read()) as server:
        result = run("artifact_keypair", url=server.url, **task)
    assert result["changed"]
    assert "s3cret phrase" not in str(result)


@pytest.mark.parametrize("indentation", ["", "  "])
@pytest.mark.parametrize("returned", [GPG.private, GPG.private.replace("\n", ""), GPG.private.replace("\n", "\\n")])
def test_private_key_in_a_response_is_masked(indentation: str, returned: str) -> None:
    refused = created(status=400, json={"errors": [{"status": 400, "message": f"Invalid key: {returned}"}]})
    task = options(private_key=GPG.private.replace("\n", f"\n{indentation}"))
    with conversation(missing(), refused, missing()) as server:
        result = run("artifact_keypair", url=server.url, **task)
    assert "Invalid key: " in result["msg"]
    assert not [line for line in secret_lines(GPG) if line in str(result)]


def test_public_key_is_not_masked_when_it_shares_lines_with_the_private_key() -> None:
    with conversation(read()) as server:
        result = run("artifact_keypair", url=server.url, **options(private_key=GPG.private + GPG.public))
    assert result["keypair"] == result_of()


def test_check_mode_predicts_the_creation() -> None:
    with conversation(missing()) as server:
        result = run("artifact_keypair", url=server.url, check_mode=True, **options())
    assert (result["changed"], result["keypair"]) == (True, result_of())


@pytest.mark.parametrize("option", ["type", "alias", "private_key", "public_key"])
@pytest.mark.parametrize("check_mode", [False, True])
def test_option_is_required_to_create_a_key_pair(option: str, check_mode: bool) -> None:
    with conversation(missing()) as server:
        result = run("artifact_keypair", url=server.url, check_mode=check_mode, **options(**{option: None}))
    assert result["msg"] == f"Option '{option}': is required, because key pair 'release' does not exist."


@pytest.mark.parametrize(
    ("change", "fields"),
    [({"alias": "x.asc"}, "alias"), ({"publicKey": NEW.public}, "public_key"), ({"pairType": "RSA"}, "type")],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_existing_key_pair_is_not_changed(change: dict[str, str], fields: str, check_mode: bool) -> None:
    with conversation(read(**change)) as server:
        result = run("artifact_keypair", url=server.url, check_mode=check_mode, **options())
    assert f"Key pair 'release' exists, but differs in: {fields}. Artifactory cannot change" in result["msg"]
    assert "or set 'replace: true'" in result["msg"]
    assert not result["changed"]


def test_unused_key_pair_is_replaced_when_requested() -> None:
    other = repositories(deb={"primaryKeyPairRef": "other", "secondaryKeyPairRef": "", "keyPair": "release-2"})
    with conversation(read(), other, deleted(), missing(), created(NEW), read(NEW)) as server:
        result = run("artifact_keypair", url=server.url, diff_mode=True, **options(NEW, replace=True))
    assert (result["changed"], result["keypair"]) == (True, result_of(NEW))
    assert result["diff"]["before"]["public_key"] == GPG.public
    assert result["diff"]["after"]["public_key"] == NEW.public


def test_check_mode_predicts_the_replacement() -> None:
    with conversation(read(), repositories()) as server:
        result = run("artifact_keypair", url=server.url, check_mode=True, **options(NEW, replace=True))
    assert (result["changed"], result["keypair"]) == (True, result_of(NEW))


@pytest.mark.parametrize("member", ["primaryKeyPairRef", "secondaryKeyPairRef", "keyPair"])
@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("task", "action"), [(options(NEW, replace=True), "replaced"), ({"name": "release", "state": "absent"}, "deleted")]
)
def test_key_pair_in_use_is_kept(member: str, check_mode: bool, task: dict[str, Any], action: str) -> None:
    used = repositories(rpm={member: "release"}, deb={member: "release"}, other={member: "next"})
    with conversation(read(), used) as server:
        result = run("artifact_keypair", url=server.url, check_mode=check_mode, **task)
    assert result["msg"] == (
        f"Key pair 'release' cannot be {action}, because these repositories use it: deb, rpm. Change their "
        "configuration first."
    )


def test_check_mode_can_assume_that_repositories_change() -> None:
    task = {"name": "release", "state": "absent", "predict_missing": True}
    with conversation(read()) as server:
        result = run("artifact_keypair", url=server.url, check_mode=True, **task)
    assert (result["changed"], result["keypair"]) == (True, None)


def test_replacement_requires_the_private_key() -> None:
    with conversation(read()) as server:
        result = run("artifact_keypair", url=server.url, **options(NEW, private_key=None, replace=True))
    assert result["msg"] == "Option 'private_key': is required, because key pair 'release' is replaced."


def test_next_run_creates_the_key_pair_when_a_replacement_fails_after_the_deletion() -> None:
    refusal = call("POST", KEYPAIRS, 400, json={"errors": [{"status": 400, "message": "no disk space"}]})
    with conversation(read(), repositories(), deleted(), missing(), refusal, missing()) as server:
        result = run("artifact_keypair", url=server.url, **options(NEW, replace=True))
    assert (result["failed"], result["changed"], result["keypair"]) == (True, True, None)
    assert "no disk space" in result["msg"]
    assert "The existing key pair 'release' was deleted. Run the task again to create the new one." in result["msg"]
    with conversation(missing(), created(NEW), read(NEW)) as server:
        assert run("artifact_keypair", url=server.url, **options(NEW, replace=True))["changed"]


def test_replacement_continues_when_the_response_to_the_deletion_is_lost() -> None:
    lost = [deleted(drop=True), missing()]
    with conversation(read(), repositories(), *lost, created(NEW), read(NEW)) as server:
        result = run("artifact_keypair", url=server.url, **options(NEW, replace=True))
    assert (result["changed"], "failed" in result) == (True, False)
    assert "had its effect" in str(result["warnings"])


@pytest.mark.parametrize("response", [{"drop": True}, {"text": "<html>Log in</html>"}])
def test_replacement_ends_when_the_deletion_has_no_effect(response: dict[str, Any]) -> None:
    with conversation(read(), repositories(), deleted(**response), read(), read()) as server:
        result = run("artifact_keypair", url=server.url, **options(NEW, replace=True))
    assert (result["failed"], result["changed"], result["keypair"]) == (True, False, result_of())


def test_lost_response_to_the_creation_is_resolved_by_reading_back() -> None:
    with conversation(missing(), created(drop=True), read()) as server:
        result = run("artifact_keypair", url=server.url, **options())
    assert (result["changed"], "failed" in result) == (True, False)
    assert "had its effect" in str(result["warnings"])


def test_lost_request_for_the_creation_fails() -> None:
    with conversation(missing(), created(drop=True), missing()) as server:
        result = run("artifact_keypair", url=server.url, **options())
    assert (result["failed"], result["changed"]) == (True, False)


def test_key_pair_that_another_client_creates_is_compared() -> None:
    conflict = call("POST", KEYPAIRS, 409, json={"errors": [{"status": 409, "message": "exists"}]})
    with conversation(missing(), conflict, read()) as server:
        assert not run("artifact_keypair", url=server.url, **options())["changed"]


def test_creation_without_effect_fails() -> None:
    page = call("POST", KEYPAIRS, text="<html>Log in</html>")
    with conversation(missing(), page, missing()) as server:
        result = run("artifact_keypair", url=server.url, **options())
    assert result["msg"] == "The server accepted the change, but the keypair does not exist."


def test_unused_key_pair_is_deleted() -> None:
    with conversation(read(), repositories(), deleted(status=204), missing()) as server:
        result = run("artifact_keypair", url=server.url, name="release", state="absent")
    assert (result["changed"], result["keypair"]) == (True, None)
    with conversation(missing()) as server:
        assert not run("artifact_keypair", url=server.url, name="release", state="absent")["changed"]


def test_key_pair_that_another_client_deletes_is_no_change() -> None:
    gone = deleted(status=404, json=MISSING)
    with conversation(read(), repositories(), gone, missing()) as server:
        result = run("artifact_keypair", url=server.url, name="release", state="absent")
    assert (result["changed"], result["keypair"]) == (False, None)


def test_key_pair_that_another_client_deletes_is_created() -> None:
    gone = deleted(status=404, json=MISSING)
    with conversation(read(), repositories(), gone, missing(), created(NEW), read(NEW)) as server:
        result = run("artifact_keypair", url=server.url, **options(NEW, replace=True))
    assert (result["changed"], result["keypair"]) == (True, result_of(NEW))


def test_error_in_place_of_repositories_prevents_a_deletion() -> None:
    error = call("GET", CONFIGURATIONS, json={"errors": [{"status": 500, "message": "Internal error"}]})
    with conversation(read(), error) as server:
        result = run("artifact_keypair", url=server.url, name="release", state="absent")
    assert "200, but without 'errors[0].key'" in result["msg"]


def test_deletion_fails_when_the_repositories_cannot_be_read() -> None:
    forbidden = call("GET", CONFIGURATIONS, 403, json={"errors": [{"status": 403, "message": "Forbidden"}]})
    with conversation(read(), forbidden) as server:
        result = run("artifact_keypair", url=server.url, name="release", state="absent")
    assert "Forbidden" in result["msg"]
    partial = call("GET", CONFIGURATIONS, json={"LOCAL": [{"key": "deb", "rclass": "local", "packageType": "debian"}]})
    with conversation(read(), partial) as server:
        result = run("artifact_keypair", url=server.url, name="release", state="absent")
    assert "Cannot find out which repositories use a key pair" in result["msg"]


def test_each_repository_is_read_when_the_server_cannot_list_configurations() -> None:
    old = call("GET", CONFIGURATIONS, 400, json={"errors": [{"status": 400, "message": "Bad Request"}]})
    listing = call("GET", "/artifactory/api/repositories", json=[{"key": "deb", "type": "LOCAL"}])
    single = call("GET", "/artifactory/api/repositories/deb", json={"key": "deb", **DEBIAN, "keyPair": "release"})
    with conversation(read(), old, listing, single) as server:
        result = run("artifact_keypair", url=server.url, name="release", state="absent")
    assert "these repositories use it: deb" in result["msg"]


def test_undeclared_key_pairs_are_deleted_except_those_in_use() -> None:
    entries = [entry(), entry(NEW, pairName="old"), entry(NEW, pairName="used")]
    used = repositories(deb={"primaryKeyPairRef": "used"})
    with conversation(listed(*entries), used, deleted("old"), missing("old")) as server:
        result = run("artifact_keypair", url=server.url, items=[{"name": "release"}], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["old"])
    assert result["warnings"] == [
        "These key pairs are not declared, but were kept, because repositories use them: used."
    ]


def test_name_beside_the_items_is_declared() -> None:
    with conversation(listed(entry())) as server:
        result = run("artifact_keypair", url=server.url, name="release", items=[{}], undeclared="remove")
    assert (result["undeclared"], result.get("warnings", [])) == ([], [])


def test_undeclared_key_pairs_are_reported() -> None:
    with conversation(listed(entry(), entry(NEW, pairName="old"))) as server:
        result = run("artifact_keypair", url=server.url, items=[{"name": "release"}], undeclared="report")
    assert (result["changed"], result["undeclared"]) == (False, ["old"])
    assert result["warnings"] == ["These key pairs exist, but are not declared: old."]


@pytest.mark.parametrize("check_mode", [False, True])
def test_keys_are_verified_before_the_creation(check_mode: bool) -> None:
    verified = call("POST", f"{KEYPAIRS}/verify", sent_json=body())
    rest = () if check_mode else (created(), read())
    with conversation(missing(), verified, *rest) as server:
        result = run("artifact_keypair", url=server.url, check_mode=check_mode, **options(verify=True))
    assert (result["changed"], result["keypair"]) == (True, result_of())


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Artifactory rejects the key pair 'release', which was not written: POST"),
        (405, "this version of Artifactory does not support it. Remove 'verify'."),
        (403, "The account lacks a permission"),
    ],
)
def test_rejected_keys_replace_nothing(status: int, message: str) -> None:
    errors = {"errors": [{"status": status, "message": "wrong passphrase"}]}
    rejected = call("POST", f"{KEYPAIRS}/verify", status, json=errors)
    with conversation(read(), repositories(), rejected) as server:
        result = run("artifact_keypair", url=server.url, **options(NEW, replace=True, verify=True))
    assert (message in result["msg"], result["changed"]) == (True, False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"public_key": ""}, "'public_key': must be a public key in PEM format or an ASCII-armored GPG key"),
        ({"public_key": GPG.private}, "'public_key': must be a public key in PEM format"),
        ({"public_key": GPG.public + NEW.public}, "'public_key': must be a public key in PEM format"),
        ({"public_key": GPG.public + GPG.private}, "'public_key': must be a public key in PEM format"),
        ({"public_key": GPG.public + GPG.private[:90]}, "without the private key"),
        ({"public_key": GPG.public[:90]}, "'public_key': must be a public key in PEM format"),
        ({"public_key": GPG.public.replace("\n\n", "\n\n!")}, "'public_key': must be a public key in PEM format"),
        ({"public_key": GPG.public.replace("\n\n", "\n\nAAAA")}, "'public_key': must be a public key in PEM format"),
        ({"private_key": GPG.public}, "'private_key': must be a private key in PEM format or an ASCII-armored GPG key"),
        ({"private_key": "x" * 9999}, "'private_key': must be a private key in PEM format"),
        ({"private_key": NEW.private}, "'private_key': must belong to 'public_key'"),
        ({"private_key": rsa_pair().private}, "'private_key': must be an ASCII-armored GPG key with 'type: gpg'"),
        ({"private_key": rsa_pair().private, "type": None}, "'private_key': must belong to 'public_key'"),
        ({"public_key": rsa_pair().public}, "'public_key': must be an ASCII-armored GPG key with 'type: gpg'"),
        ({"type": "rsa"}, "'public_key': must be an RSA key in PEM format with 'type: rsa'"),
        ({"type": "rsa", "public_key": rsa_pair().public}, "'private_key': must be an RSA key in PEM format"),
        (
            {"private_key": gpg_pair(passphrase="x").private},
            "'passphrase': is required, because a passphrase protects 'private_key'",
        ),
        ({"type": "dsa"}, "value of type must be one of: rsa, gpg, got: dsa"),
        ({"name": "a/b"}, "'name'"),
        ({"name": ""}, "'name'"),
        ({"name": None}, "name"),
        ({"alias": " "}, "'alias'"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_invalid_option_is_refused_before_the_first_request(
    change: dict[str, Any], message: str, check_mode: bool
) -> None:
    with conversation() as server:
        result = run("artifact_keypair", url=server.url, check_mode=check_mode, **options(**change))
    assert message in result["msg"]
    assert "PRIVATE KEY" not in result["msg"]


@pytest.mark.parametrize(
    ("private", "passphrase", "message"),
    [
        (rsa_pair(1).private, None, "'private_key': must belong to 'public_key'"),
        (rsa_pair_in_old_format(1).private, None, "'private_key': must belong to 'public_key'"),
        (rsa_pair(passphrase="x").private, "", "'passphrase': is required"),
    ],
)
def test_wrong_rsa_key_is_refused(private: str, passphrase: str | None, message: str) -> None:
    task = {"name": "alpine", "type": "rsa", "public_key": rsa_pair().public, "passphrase": passphrase}
    with conversation() as server:
        result = run("artifact_keypair", url=server.url, private_key=private, **task)
    assert message in result["msg"]


def test_invalid_item_is_refused_before_the_first_request() -> None:
    with conversation() as server:
        result = run("artifact_keypair", url=server.url, items=[options(), options(name="next", public_key="x")])
    assert "Option 'items[1].public_key': must be a public key" in result["msg"]
    with conversation() as server:
        result = run("artifact_keypair", url=server.url, items=[options(), options()])
    assert "items[1]: duplicate of items[0]" in result["msg"]


def test_undeclared_key_pair_does_not_inherit_keys() -> None:
    task = {"items": [{"name": "release"}], "undeclared": "remove", "public_key": GPG.public, "type": "gpg"}
    with conversation(listed(entry(), entry(NEW, pairName="old")), repositories(), deleted("old"), missing("old")) as s:
        assert run("artifact_keypair", url=s.url, **task)["undeclared"] == ["old"]


@pytest.mark.parametrize("task", [options(), {"items": [options()]}])
@pytest.mark.parametrize("check_mode", [False, True])
def test_edition_without_key_pairs_is_reported(task: dict[str, Any], check_mode: bool) -> None:
    message = "This REST API is available only in Artifactory Pro"
    refusal = call("GET", KEYPAIRS if "items" in task else RELEASE, 400, json={"errors": [{"message": message}]})
    with conversation(refusal, version(license_type="OSS")) as server:
        result = run("artifact_keypair", url=server.url, check_mode=check_mode, **task)
    assert "Managing key pairs requires Artifactory Pro, but the server is the open-source edition" in result["msg"]


def test_old_version_is_reported() -> None:
    with conversation(call("GET", KEYPAIRS, 404, json=MISSING), version("7.18.6")) as server:
        result = run("artifact_keypair_info", url=server.url)
    assert result["msg"] == "Listing key pairs requires Artifactory 7.19 or later."
    with conversation(missing(), version("7.5.7")) as server:
        result = run("artifact_keypair", url=server.url, check_mode=True, **options())
    assert result["msg"].startswith("Managing key pairs requires Artifactory 7.6.0 or later. Sign the metadata ")


@pytest.mark.parametrize(
    ("status", "response", "message"),
    [
        (404, {"text": "<html>"}, "Check the path in 'url'."),
        (403, {"json": {"errors": [{"status": 403, "message": "Forbidden"}]}}, "The account lacks a permission"),
        (200, {"json": {}}, "'pairName'"),
        (200, {"json": []}, "unexpected JSON structure"),
        (200, {"text": "<html>Log in</html>"}, "JSON"),
        (200, {"json": {"errors": [{"message": "x"}]}}, "'pairName'"),
        (200, {"json": entry(pairType=7)}, "'pairType' is the number 7 instead of a text"),
        (200, {"json": entry(publicKey=["x"])}, "'publicKey' is a list instead of a text"),
    ],
)
def test_unusable_response_is_reported(status: int, response: dict[str, Any], message: str) -> None:
    edition = [version()] if status in (403, 404) else []
    with conversation(call("GET", RELEASE, status, **response), *edition) as server:
        result = run("artifact_keypair", url=server.url, **options())
    assert message in result["msg"]


def test_listed_key_pair_without_public_key_is_read() -> None:
    bare = {name: value for name, value in entry().items() if name != "publicKey"}
    with conversation(listed(bare), read()) as server:
        assert not run("artifact_keypair", url=server.url, items=[options()])["changed"]


def test_information_has_the_form_of_the_options() -> None:
    vault = {"pairName": "vault", "pairType": "ECDSA", "publicKey": "unreadable"}
    with conversation(listed(vault, entry())) as server:
        result = run("artifact_keypair_info", url=server.url)
    unreadable = {"name": "vault", "type": "ecdsa", "alias": "", "public_key": "unreadable\n", "fingerprint": None}
    assert result["keypairs"] == [result_of(), unreadable]
    items = [{name: result_of()[name] for name in ("name", "type", "alias", "public_key")}]
    with conversation(listed(entry())) as server:
        assert not run("artifact_keypair", url=server.url, items=items)["changed"]


def test_information_about_one_key_pair() -> None:
    with conversation(read()) as server:
        assert run("artifact_keypair_info", url=server.url, name="release")["keypairs"] == [result_of()]
    with conversation(missing()) as server:
        assert run("artifact_keypair_info", url=server.url, name="release")["keypairs"] == []


@pytest.mark.skipif(not shutil.which("gpg"), reason="requires gpg")
@pytest.mark.parametrize("algorithm", ["rsa2048", "ed25519"])
@pytest.mark.parametrize("passphrase", ["", "phrase"])
def test_keys_of_gnupg_are_understood(tmp_path: Path, algorithm: str, passphrase: str) -> None:
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    (home / "gpg-agent.conf").write_text("s2k-count 65536\n")  # the default takes seconds to measure

    def gpg(*arguments: str) -> str:
        command = ["gpg", "--homedir", str(home), "--batch", "--pinentry-mode", "loopback", "--passphrase", passphrase]
        return subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout

    gpg("--quick-gen-key", "Packages <packages@example.com>", algorithm, "sign", "1y")
    pair = Pair(gpg("--armor", "--export-secret-keys"), gpg("--armor", "--export"), "")
    (fingerprint,) = [line.split(":")[9] for line in gpg("--list-keys", "--with-colons").splitlines() if "fpr" in line]
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=True)
    task = options(pair, passphrase=passphrase or None)
    with conversation(call("GET", RELEASE, json=entry(pair))) as server:
        result = run("artifact_keypair", url=server.url, **task)
    assert (result["changed"], result["keypair"]) == (False, result_of(pair, fingerprint=fingerprint))
    if passphrase:
        with conversation() as server:
            result = run("artifact_keypair", url=server.url, **options(pair))
        assert "'passphrase': is required" in result["msg"]
