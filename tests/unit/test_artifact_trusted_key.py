# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.keys import Pair, gpg_pair, rewrap, rsa_pair
from support.running import run

TRUSTED = "/artifactory/api/security/keys/trusted"
VERSION = "/artifactory/api/system/version"
LICENSES = "/artifactory/api/system/licenses"
KEY, NEW = gpg_pair(), gpg_pair(1)


def entry(pair: Pair = KEY, **more: Any) -> dict[str, Any]:
    """Return a trusted key as Artifactory returns it."""
    fingerprint = pair.fingerprint if ":" in pair.fingerprint else bytes.fromhex(pair.fingerprint).hex(":")
    members = {"kid": fingerprint.replace(":", "")[-6:], "alias": "edge", "fingerprint": fingerprint}
    times = {"issued_on": "2026-09-21T14:13:20Z", "issued_by": "Packages", "valid_until": ""}
    return {**members, "key": pair.public, **times, **more}


def listed(*entries: dict[str, Any]) -> Call:
    return call("GET", TRUSTED, json={"keys": list(entries)})


def added(pair: Pair = KEY, status: int = 201, **more: Any) -> Call:
    return call("POST", TRUSTED, status, sent_json={"alias": "edge", "public_key": pair.public}, **more)


def deleted(pair: Pair = KEY, status: int = 204, **more: Any) -> Call:
    return call("DELETE", f"{TRUSTED}/{entry(pair)['kid']}", status, **more)


def edition(license_type: str) -> list[Call]:
    """Return the reads of the edition."""
    version = call("GET", VERSION, json={"version": "7.77.3", "license": license_type})
    return [version, call("GET", LICENSES, json={"type": license_type})]


def result_of(pair: Pair = KEY, **more: Any) -> dict[str, Any]:
    times = {"issued_by": "Packages", "issued_on": "2026-09-21T14:13:20.000Z", "valid_until": None}
    shown = {"alias": "edge", "key": pair.public, "kid": entry(pair)["kid"], "fingerprint": pair.fingerprint}
    return {**shown, **times, **more}


@pytest.mark.parametrize("stored", [KEY.public, rewrap(KEY.public), None])
def test_unchanged_key_costs_one_request(stored: str | None) -> None:
    with conversation(listed(entry(key=stored), entry(NEW, alias="other"))) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", key=rewrap(KEY.public))
    assert (result["changed"], result["trusted_key"]) == (False, result_of())


def test_unchanged_keys_cost_one_request_in_total() -> None:
    items = [{"alias": "edge", "key": KEY.public}, {"alias": "other"}, {"alias": "gone", "state": "absent"}]
    with conversation(listed(entry(), entry(NEW, alias="other"))) as server:
        result = run("artifact_trusted_key", url=server.url, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


@pytest.mark.parametrize("status", [200, 201])
def test_missing_key_is_added(status: int) -> None:
    with conversation(listed(), added(status=status), listed(entry())) as server:
        result = run("artifact_trusted_key", url=server.url, diff_mode=True, alias="edge", key=KEY.public)
    assert (result["changed"], result["trusted_key"]) == (True, result_of())
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", "key": KEY.public}}


def test_pem_key_is_added() -> None:
    pair = rsa_pair()
    with conversation(listed(), added(pair), listed(entry(pair, issued_on=None, issued_by=None))) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", key=pair.public)
    assert result["trusted_key"]["fingerprint"] == pair.fingerprint


def test_check_mode_predicts_the_addition() -> None:
    with conversation(listed()) as server:
        result = run("artifact_trusted_key", url=server.url, check_mode=True, alias="edge", key=KEY.public)
    assert (result["changed"], result["trusted_key"]) == (True, result_of(kid=None, issued_by=None, issued_on=None))


@pytest.mark.parametrize("check_mode", [False, True])
def test_key_is_required_to_add_it(check_mode: bool) -> None:
    with conversation(listed()) as server:
        result = run("artifact_trusted_key", url=server.url, check_mode=check_mode, alias="edge")
    assert result["msg"] == "Option 'key': is required, because trusted key 'edge' does not exist."


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("stored", [KEY.public, None])
def test_same_key_with_another_alias_is_refused(check_mode: bool, stored: str | None) -> None:
    task = {"alias": "edge", "key": KEY.public, "replace": True}
    with conversation(listed(entry(alias="other", key=stored))) as server:
        result = run("artifact_trusted_key", url=server.url, check_mode=check_mode, **task)
    assert result["msg"] == (
        "The key of 'edge' is already trusted with the alias 'other'. Use this alias, or delete the trusted key with "
        "this alias first."
    )


@pytest.mark.parametrize("check_mode", [False, True])
def test_existing_key_is_not_replaced_without_request(check_mode: bool) -> None:
    with conversation(listed(entry())) as server:
        result = run("artifact_trusted_key", url=server.url, check_mode=check_mode, alias="edge", key=NEW.public)
    assert f"exists with another key, whose fingerprint is {KEY.fingerprint}." in result["msg"]
    assert "set 'replace: true'" in result["msg"]


def test_existing_key_is_replaced_when_requested() -> None:
    task = {"alias": "edge", "key": NEW.public, "replace": True}
    with conversation(listed(entry()), deleted(), listed(), added(NEW), listed(entry(NEW))) as server:
        result = run("artifact_trusted_key", url=server.url, diff_mode=True, **task)
    assert (result["changed"], result["trusted_key"]) == (True, result_of(NEW))
    assert result["diff"]["before"] == {"state": "present", "key": KEY.public}
    with conversation(listed(entry())) as server:
        result = run("artifact_trusted_key", url=server.url, check_mode=True, **task)
    assert (result["changed"], result["trusted_key"]["fingerprint"]) == (True, NEW.fingerprint)


def test_replacement_ends_when_the_deletion_has_no_effect() -> None:
    task = {"alias": "edge", "key": NEW.public, "replace": True}
    page = deleted(status=200, text="<html>Log in</html>")
    with conversation(listed(entry()), page, listed(entry()), listed(entry())) as server:
        result = run("artifact_trusted_key", url=server.url, **task)
    assert (result["failed"], result["changed"], result["trusted_key"]) == (True, False, result_of())
    assert "the deletion, but trusted key 'edge' still exists" in result["msg"]


def test_next_run_adds_the_key_when_a_replacement_fails_after_the_deletion() -> None:
    task = {"alias": "edge", "key": NEW.public, "replace": True}
    refusal = call("POST", TRUSTED, 409, json={"errors": [{"status": 409, "message": "try later"}]})
    with conversation(listed(entry()), deleted(), listed(), refusal, listed()) as server:
        result = run("artifact_trusted_key", url=server.url, **task)
    assert (result["changed"], "The existing trusted key 'edge' was deleted." in result["msg"]) == (True, True)
    with conversation(listed(), added(NEW), listed(entry(NEW))) as server:
        assert run("artifact_trusted_key", url=server.url, **task)["changed"]


def test_lost_response_is_resolved_by_reading_back() -> None:
    with conversation(listed(), added(drop=True), listed(entry())) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", key=KEY.public)
    assert (result["changed"], "failed" in result) == (True, False)


def test_key_is_deleted() -> None:
    with conversation(listed(entry()), deleted(), listed()) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", state="absent")
    assert (result["changed"], result["trusted_key"]) == (True, None)
    with conversation(listed()) as server:
        assert not run("artifact_trusted_key", url=server.url, alias="edge", state="absent")["changed"]


def test_key_that_another_client_deletes_is_no_change() -> None:
    gone = deleted(status=404, json={"errors": [{"status": 404, "message": "Not Found"}]})
    with conversation(listed(entry()), gone, listed()) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", state="absent")
    assert (result["changed"], result["trusted_key"]) == (False, None)


def test_undeclared_keys_are_deleted() -> None:
    with conversation(listed(entry(), entry(NEW, alias="old")), deleted(NEW), listed(entry())) as server:
        result = run("artifact_trusted_key", url=server.url, items=[{"alias": "edge"}], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["old"])


def test_several_keys_with_one_alias_are_refused() -> None:
    with conversation(listed(entry(), entry(NEW))) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", state="absent")
    assert "2 trusted keys have the alias 'edge': " in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": ""}, "'key': must be a public key in PEM format or an ASCII-armored GPG key"),
        ({"key": KEY.private}, "'key': must be a public key in PEM format"),
        ({"key": KEY.public + KEY.private}, "without the private key"),
        ({"key": "x" * 10_000}, "'key': must be a public key in PEM format"),
        ({"alias": " edge"}, "'alias'"),
        ({"alias": ""}, "'alias'"),
    ],
)
def test_invalid_option_is_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = run("artifact_trusted_key", url=server.url, **{"alias": "edge", "key": KEY.public, **options})
    assert message in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_edition_without_trusted_keys_is_reported(check_mode: bool) -> None:
    message = "This REST API is available only in Artifactory Enterprise"
    refusal = call("GET", TRUSTED, 400, json={"errors": [{"status": 400, "message": message}]})
    with conversation(refusal, *edition("Commercial")) as server:
        result = run("artifact_trusted_key", url=server.url, check_mode=check_mode, alias="edge", key=KEY.public)
    assert "Managing trusted keys requires Artifactory Enterprise, but the server has a license of" in result["msg"]


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ({"json": []}, "unexpected JSON structure"),
        ({"json": {"keys": {}}}, "'keys' is an object instead of a list"),
        ({"json": {"keys": [{"alias": "edge"}]}}, "'keys[0].kid'"),
        ({"text": "<html>Log in</html>"}, "JSON"),
        ({"json": {"errors": [{"message": "no"}]}}, "'keys'"),
    ],
)
def test_unusable_response_is_reported(response: dict[str, Any], message: str) -> None:
    with conversation(call("GET", TRUSTED, **response)) as server:
        result = run("artifact_trusted_key", url=server.url, alias="edge", state="absent")
    assert message in result["msg"]


def test_information_has_the_form_of_the_options() -> None:
    other = entry(NEW, alias="a ü", key=None, issued_on=1_790_000_000_000, valid_until="Sep 21, 2027", issued_by="")
    with conversation(listed(entry(), other)) as server:
        result = run("artifact_trusted_key_info", url=server.url)
    unnamed = result_of(NEW, alias="a ü", key="", fingerprint=other["fingerprint"], issued_by=None)
    assert result["trusted_keys"] == [{**unnamed, "valid_until": "Sep 21, 2027"}, result_of()]
    items = [{name: result_of()[name] for name in ("alias", "key")}]
    with conversation(listed(entry())) as server:
        assert not run("artifact_trusted_key", url=server.url, items=items)["changed"]


def test_list_is_empty_when_no_key_is_trusted() -> None:
    with conversation(call("GET", TRUSTED, json={"keys": []})) as server:
        assert run("artifact_trusted_key_info", url=server.url)["trusted_keys"] == []
