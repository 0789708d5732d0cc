# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from support.conversation import Call, at, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

LICENSES = "/artifactory/api/system/licenses"
VERSION = "/artifactory/api/system/version"
PLUGINS = "/artifactory/api/plugins"
KEY, OTHER_KEY = "S0VZLW9mLXRoZS1maXJzdA==", "S0VZLW9mLXRoZS1zZWNvbmQ="
HASH, OTHER_HASH = (f"{hashlib.sha1(key.encode()).hexdigest()}3" for key in (KEY, OTHER_KEY))
NOW = 1_800_000_000  # 2027-01-15
SINGLE = {"type": "Commercial", "validThrough": "Jan 25, 2027", "licensedTo": "Example"}
NONE = {"type": "N/A", "validThrough": "", "licensedTo": ""}
RESULT = {
    "type": "Commercial",
    "edition": "pro",
    "valid_through": "2027-01-25",
    "days_left": 10,
    "expired": False,
    "licensed_to": "Example",
    "hash": None,
    "node": None,
    "node_url": None,
}
EXISTS = {"errors": [{"status": 400, "message": "License already exists."}]}
INSTALLED = {"status": 200, "message": "The license has been successfully installed."}
PRO_ONLY = {"errors": [{"status": 400, "message": "This REST API is available only in Artifactory Pro"}]}


def entry(license_hash: str = HASH, **members: Any) -> dict[str, Any]:
    """Return a license of a cluster."""
    unused = {"nodeId": "Not in use", "nodeUrl": "Not in use", "expired": False}
    return {**SINGLE, "type": "Enterprise Plus", "licenseHash": license_hash, **unused, **members}


def listed(*entries: dict[str, Any], form: str = "object") -> Call:
    """Return the read of the licenses of a cluster."""
    body: Any = list(entries) if form == "list" else {"licenses": list(entries)}
    return at(NOW, call("GET", LICENSES, json=body))


def has(license_: dict[str, Any]) -> Call:
    """Return the read of the license of a single node."""
    return at(NOW, call("GET", LICENSES, json=license_))


def installed(*keys: str, status: int = 200, **response: Any) -> Call:
    body = [{"licenseKey": key} for key in keys]
    response = {"json": {"status": 200, "messages": dict.fromkeys(keys, "OK")}, **response}
    return call("POST", LICENSES, status, sent_json=body, **response)


def replaced(status: int = 200, **response: Any) -> Call:
    return call("POST", LICENSES, status, sent_json={"licenseKey": KEY}, **{"json": INSTALLED, **response})


def deleted(*hashes: str, status: int = 200, **response: Any) -> Call:
    return call("DELETE", f"{LICENSES}?licenseHash={'%2C'.join(hashes)}", status, **response)


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_license", url=server.url, **{"token": "t0ken-of-mine", "license_keys": [KEY], **options})


@pytest.mark.parametrize("form", ["object", "list"])
@pytest.mark.parametrize("stored", [HASH, HASH[:40], HASH.upper()])
@pytest.mark.parametrize("key", [KEY, f" {KEY[:9]}\r\n {KEY[9:]}\n"])
def test_installed_license_of_a_cluster_costs_one_request(form: str, stored: str, key: str) -> None:
    used = entry(stored, nodeId="art1", nodeUrl="http://10.0.0.1")
    with conversation(listed(used, form=form)) as server:
        result = manage(server, license_keys=[key])
    expected = {"type": "Enterprise Plus", "edition": "enterprise", "hash": stored}
    expected |= {"node": "art1", "node_url": "http://10.0.0.1"}
    assert result == {"changed": False, "licenses": [{**RESULT, **expected}]}


def test_only_missing_licenses_of_a_cluster_are_installed() -> None:
    after = listed(entry(), entry(OTHER_HASH))
    with conversation(listed(entry()), installed(OTHER_KEY), after) as server:
        result = manage(server, diff_mode=True, license_keys=[f"{KEY}\n\n{OTHER_KEY}"])
    assert [entry["hash"] for entry in result["licenses"]] == [HASH, OTHER_HASH]
    hashes = [HASH[:40], OTHER_HASH[:40]]
    assert result["diff"] == {"before": {"hashes": [HASH[:40]]}, "after": {"hashes": sorted(hashes)}}
    with conversation(listed(entry())) as server:
        checked = manage(server, diff_mode=True, check_mode=True, license_keys=[KEY, OTHER_KEY])
    assert checked["diff"] == result["diff"]
    assert [entry["hash"] for entry in checked["licenses"]] == [HASH, OTHER_HASH[:40]]


def test_hashes_in_another_form_are_left_to_the_server() -> None:
    unknown = entry("a" * 64)
    refused = installed(KEY, status=400, json=EXISTS)
    with conversation(listed(unknown), refused, listed(unknown)) as server:
        result = manage(server)
    assert (result["changed"], result["licenses"][0]["hash"]) == (False, "a" * 64)
    with conversation(listed(), installed(KEY), listed(unknown), call("GET", PLUGINS, json={})) as server:
        assert manage(server)["changed"]
    with conversation(listed(unknown), installed(KEY), listed(unknown)) as server:
        assert "does not list a new license" in manage(server)["msg"]


def test_keys_are_sent_one_by_one_when_one_of_them_is_installed() -> None:
    unknown, new = entry("a" * 64), entry("b" * 64)
    both, exists = installed(KEY, OTHER_KEY, status=400, json=EXISTS), installed(KEY, status=400, json=EXISTS)
    with conversation(listed(unknown), both, exists, installed(OTHER_KEY), listed(unknown, new)) as server:
        result = manage(server, license_keys=[KEY, OTHER_KEY])
    assert (result["changed"], len(result["licenses"])) == (True, 2)
    refused = installed(OTHER_KEY, status=400, json=EXISTS)
    with conversation(listed(unknown, new), both, exists, refused, listed(unknown, new)) as server:
        assert not manage(server, license_keys=[KEY, OTHER_KEY])["changed"]


def test_installed_keys_among_the_outcomes_are_no_change() -> None:
    unknown = entry("a" * 64)
    messages = {"status": 200, "messages": {KEY: "License already exists.", OTHER_KEY: "OK"}}
    sent = installed(KEY, OTHER_KEY, json=messages)
    with conversation(listed(unknown), sent, listed(unknown, entry("b" * 64))) as server:
        assert manage(server, license_keys=[KEY, OTHER_KEY])["changed"]
    nothing = installed(KEY, json={"status": 200, "messages": {KEY: "License already exists."}})
    with conversation(listed(unknown), nothing, listed(unknown)) as server:
        assert not manage(server)["changed"]


def test_license_of_a_single_node_is_replaced() -> None:
    with conversation(has({**SINGLE, "licensedTo": "Old"}), replaced(), has(SINGLE)) as server:
        result = manage(server, diff_mode=True)
    diff = {"before": {"license": "current"}, "after": {"license": "new"}}
    assert result == {"changed": True, "licenses": [RESULT], "diff": diff}
    with conversation(has(SINGLE)) as server:
        checked = manage(server, diff_mode=True, check_mode=True)
    assert (checked["changed"], checked["diff"]) == (True, diff)
    assert checked["warnings"][0].startswith("The server does not report which license key is installed.")


def test_renewed_license_that_looks_the_same_is_a_change() -> None:
    with conversation(has(SINGLE), replaced(), has(SINGLE)) as server:
        assert manage(server)["changed"]


def test_single_node_reports_that_the_license_is_installed() -> None:
    with conversation(has(SINGLE), replaced(400, json=EXISTS), has(SINGLE)) as server:
        result = manage(server, diff_mode=True)
    assert (result["changed"], result["diff"]["before"]) == (False, result["diff"]["after"])


@pytest.mark.parametrize("check_mode", [False, True])
def test_valid_license_is_kept_when_only_an_invalid_one_is_replaced(check_mode: bool) -> None:
    with conversation(has(SINGLE)) as server:
        result = manage(server, update_license="if_invalid", check_mode=check_mode)
    assert result == {"changed": False, "licenses": [RESULT]}


def test_expired_license_is_replaced() -> None:
    expired = {**SINGLE, "validThrough": "Jan 14, 2027"}
    effective = call("GET", PLUGINS, json={})
    with conversation(has(expired), replaced(), has(SINGLE), effective) as server:
        assert manage(server, update_license="if_invalid")["changed"]


@pytest.mark.parametrize("status", [400, 503])
def test_task_waits_until_the_first_license_takes_effect(status: int) -> None:
    refused = call("GET", PLUGINS, status, json=PRO_ONLY)
    with conversation(has(NONE), replaced(), has(SINGLE), refused, refused, call("GET", PLUGINS, json={})) as server:
        assert manage(server)["changed"]
    with conversation(has(NONE), replaced(), has(SINGLE)) as server:
        assert manage(server, wait_timeout=0)["changed"]


def test_task_fails_when_the_first_license_takes_no_effect() -> None:
    refused = call("GET", PLUGINS, 400, json=PRO_ONLY)
    with conversation(has(NONE), replaced(), has(SINGLE), refused) as server:
        result = manage(server, wait_timeout=0.000001)
    assert (result["failed"], result["changed"]) == (True, True)
    assert "but the server still refuses requests that require a license" in result["msg"]


@pytest.mark.parametrize("status", [200, 401, 403, 404])
def test_other_refusals_do_not_mean_a_missing_license(status: int) -> None:
    with conversation(has(NONE), replaced(), has(SINGLE), call("GET", PLUGINS, status, json={})) as server:
        assert manage(server)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_open_source_edition_accepts_no_license(check_mode: bool) -> None:
    with conversation(has({**NONE, "type": "OSS"})) as server:
        result = manage(server, check_mode=check_mode)
    message = "Installing licenses requires Artifactory Pro, but the server is the open-source edition."
    assert result["msg"] == f"{message} The open-source edition needs no license."
    assert not result["changed"]


def test_check_mode_predicts_the_first_license() -> None:
    with conversation(has(NONE)) as server:
        result = manage(server, check_mode=True)
    assert result["changed"]
    assert "warnings" not in result


def test_lost_response_is_resolved_by_reading_back() -> None:
    with conversation(
        listed(entry(OTHER_HASH)), installed(KEY, drop=True), listed(entry(), entry(OTHER_HASH))
    ) as server:
        result = manage(server)
    assert (result["changed"], "had its effect" in result["warnings"][0]) == (True, True)
    with conversation(listed(), installed(KEY, drop=True), listed()) as server:
        result = manage(server)
    assert (result["changed"], "is not known" in result["msg"]) == (False, True)
    with conversation(has(SINGLE), replaced(drop=True), has(SINGLE)) as server:
        assert "is not known" in manage(server)["msg"]


@pytest.mark.parametrize("body", [dict(text="<html>"), dict(json=[])])
def test_unexpected_response_is_resolved_by_reading_back(body: dict[str, Any]) -> None:
    response = replaced(**{"json": None, **body})
    with conversation(has({**SINGLE, "licensedTo": "Old"}), response, has(SINGLE)) as server:
        assert manage(server)["changed"]


def test_refused_key_is_reported_without_the_key() -> None:
    message = f"License key {KEY} is invalid"
    with conversation(has(SINGLE), replaced(400, json={"errors": [{"message": message}]})) as server:
        result = manage(server)
    assert KEY not in json.dumps(result)
    assert result["msg"].startswith("The server did not accept the license: License key ")
    messages = {"status": 200, "messages": {KEY: f"{KEY} is for another product", OTHER_KEY: "OK"}}
    with conversation(listed(), installed(KEY, OTHER_KEY, json=messages)) as server:
        result = manage(server, license_keys=[KEY, OTHER_KEY])
    assert KEY not in json.dumps(result)
    assert "The server did not accept 'license_keys[0]': " in result["msg"]


def test_single_node_accepts_one_key() -> None:
    with conversation(has(SINGLE)) as server:
        result = manage(server, license_keys=[KEY, OTHER_KEY])
    assert "single node, which has one license. Set only one key" in result["msg"]


def test_license_is_removed() -> None:
    used = entry(OTHER_HASH, nodeId="art1")
    for options in ({}, {"license_keys": [KEY]}, {"license_keys": None, "license_hashes": [HASH.upper()]}):
        given = {name: value for name, value in options.items() if value is not None}
        with conversation(listed(used, entry()), deleted(HASH), listed(used)) as server:
            result = run("artifact_license", url=server.url, state="absent", **({"license_keys": [KEY]} | given))
        assert (result["changed"], [entry["hash"] for entry in result["licenses"]]) == (True, [OTHER_HASH])
    with conversation(listed(used)) as server:
        assert not manage(server, state="absent")["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_needed_license_is_not_removed(check_mode: bool) -> None:
    with conversation(listed(entry(nodeId="art1"), entry(OTHER_HASH))) as server:
        result = manage(server, state="absent", check_mode=check_mode)
    assert f"License '{HASH}' is not removed: node 'art1' uses it." in result["msg"]
    with conversation(listed(entry(), entry(OTHER_HASH, expired=True))) as server:
        result = manage(server, state="absent", check_mode=check_mode)
    assert "no valid license would be left" in result["msg"]


def test_needed_license_is_removed_when_it_is_allowed() -> None:
    with conversation(listed(entry(nodeId="art1")), deleted(HASH), listed()) as server:
        assert manage(server, state="absent", remove_used=True)["licenses"] == []


def test_removal_is_verified() -> None:
    other = entry(OTHER_HASH)
    with conversation(listed(entry(), other), deleted(HASH), listed(entry(), other)) as server:
        assert f"accepted the removal, but still has the license '{HASH}'" in manage(server, state="absent")["msg"]
    with conversation(listed(entry(), other), deleted(HASH, drop=True), listed(other)) as server:
        assert manage(server, state="absent")["changed"]
    with conversation(listed(entry(), other), deleted(HASH, drop=True), listed(entry(), other)) as server:
        assert "is not known" in manage(server, state="absent")["msg"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_removal_is_a_change_when_a_gateway_fails_after_it(status: int) -> None:
    other = entry(OTHER_HASH)
    with conversation(listed(entry(), other), deleted(HASH, status=status), listed(other)) as server:
        result = manage(server, state="absent")
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_accepted_write_is_a_change_when_another_node_of_the_cluster_lags() -> None:
    with conversation(listed(), installed(KEY), listed()) as server:
        assert manage(server)["changed"]
    other = entry(OTHER_HASH)
    with conversation(listed(entry(), other), deleted(HASH), listed(entry(), other)) as server:
        assert manage(server, state="absent")["changed"]


def test_task_fails_when_another_client_removes_a_declared_license_in_between() -> None:
    keys = {"license_keys": [KEY, OTHER_KEY]}
    with conversation(listed(entry()), installed(OTHER_KEY), listed(entry(OTHER_HASH))) as server:
        result = manage(server, **keys)
    assert result["changed"]
    assert result["msg"] == "Another client removed a declared license while the task was running. Run the task again."


def test_license_that_another_client_removes_is_no_change() -> None:
    missing = deleted(HASH, status=404, json={"errors": [{"status": 404, "message": "License not found."}]})
    left = listed(entry(OTHER_HASH))
    with conversation(listed(entry(), entry(OTHER_HASH)), missing, left, left) as server:
        result = manage(server, state="absent")
    assert (result["changed"], "another client has removed them" in result["warnings"][0]) == (False, True)
    with conversation(listed(entry(), entry(OTHER_HASH)), missing, listed(entry(), entry(OTHER_HASH))) as server:
        result = manage(server, state="absent")
    assert (result["changed"], "404 License not found" in result["msg"]) == (False, True)


def test_empty_list_of_a_server_with_a_license_is_an_error() -> None:
    with conversation(listed(), call("GET", PLUGINS, json={})) as server:
        assert "lists no license, although it has one" in manage(server, state="absent")["msg"]
    with conversation(listed(), call("GET", PLUGINS, 400, json=PRO_ONLY)) as server:
        assert manage(server, state="absent") == {"changed": False, "licenses": []}


def test_license_of_a_single_node_is_not_removed() -> None:
    with conversation(has(SINGLE)) as server:
        assert "cannot be removed, only replaced" in manage(server, state="absent")["msg"]
    with conversation(has(NONE)) as server:
        assert manage(server, state="absent") == {"changed": False, "licenses": []}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"license_keys": []}, "'license_keys': must not be empty"),
        ({"license_keys": [" \n "]}, "'license_keys[0]': must contain a license key"),
        ({"license_keys": [KEY, ""]}, "'license_keys[1]': must contain a license key"),
        ({"license_keys": None}, "license_keys"),
        ({"license_hashes": [HASH]}, "'license_hashes': requires 'state: absent'"),
        ({"license_hashes": ["x"], "state": "absent"}, "'license_hashes[0]': must be a hash"),
        ({"license_hashes": [], "state": "absent"}, "'license_hashes': must not be empty"),
        ({"update_license": "never"}, "update_license"),
        ({"wait_timeout": -1}, "'wait_timeout': must be"),
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = manage(server, **options)
    assert result["failed"]
    assert message in result["msg"]
    assert KEY not in result["msg"]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"validThrough": "Dec 7, 2026"}, {"valid_through": "2026-12-07", "days_left": -39, "expired": True}),
        ({"validThrough": "2027-12-07"}, {"valid_through": "2027-12-07", "days_left": 326}),
        ({"validThrough": "2027-12-07T00:00:00Z"}, {"valid_through": "2027-12-07", "days_left": 326}),
        ({"validThrough": "Feb 30, 2027"}, {"valid_through": None, "days_left": None}),
        ({"validThrough": "never"}, {"valid_through": None, "days_left": None}),
        ({"validThrough": None}, {"valid_through": None, "days_left": None}),
        ({"type": "Trial"}, {"type": "Trial", "edition": None}),
        ({"type": "JCR Edition"}, {"type": "JCR Edition", "edition": "open_source"}),
        ({"type": "Enterprise Plus Trial"}, {"type": "Enterprise Plus Trial", "edition": "enterprise"}),
    ],
)
def test_info_returns_a_license(members: dict[str, Any], expected: dict[str, Any]) -> None:
    with conversation(has({**SINGLE, **members})) as server:
        result = run("artifact_license_info", url=server.url)
    assert result == {"changed": False, "licenses": [{**RESULT, **expected}]}


@pytest.mark.parametrize("license_type", ["OSS", "N/A", ""])
def test_info_returns_no_license(license_type: str) -> None:
    with conversation(has({**NONE, "type": license_type})) as server:
        assert run("artifact_license_info", url=server.url)["licenses"] == []
    with conversation(listed()) as server:
        assert run("artifact_license_info", url=server.url)["licenses"] == []


@pytest.mark.parametrize("body", [dict(json={}), dict(text="<html>"), dict(json={"licenses": 1}), dict(json=[1])])
@pytest.mark.parametrize("module", ["artifact_license", "artifact_license_info"])
def test_unexpected_list_is_reported(module: str, body: dict[str, Any]) -> None:
    options = {"license_keys": [KEY]} if module == "artifact_license" else {}
    with conversation(call("GET", LICENSES, **body)) as server:
        result = run(module, url=server.url, **options)
    assert result["failed"]
    assert f"{LICENSES}: 200" in result["msg"]
