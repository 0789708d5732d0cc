# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of LDAP settings and LDAP group settings in the Access API."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.session import Session

SETTINGS = "/access/api/v1/ldap/settings"
GROUPS = "/access/api/v1/ldap/groups"
CORPORATE = f"{SETTINGS}/corporate"
STAFF = f"{GROUPS}/staff"
MANAGER = {"manager_dn": "cn=artifactory", "manager_password": "s3cret"}
SEARCH = {"search_filter": "(uid={0})", "search_base": "ou=people", "search_sub_tree": False, **MANAGER}
SETTING: dict[str, Any] = {"key": "corporate", "ldap_url": "ldap://ldap.example", "search": SEARCH}
SHOWN = {
    "key": "corporate",
    "enabled": True,
    "ldap_url": "ldap://ldap.example",
    "user_dn_pattern": None,
    "search": {**SEARCH, "manager_password": None},
    "auto_create_user": True,
    "email_attribute": "mail",
    "ldap_poisoning_protection": True,
    "allow_user_to_access_profile": False,
    "paging_support_enabled": True,
}
GROUP = {
    "name": "staff",
    "enabled_ldap": "corporate",
    "group_name_attribute": "cn",
    "group_member_attribute": "uniqueMember",
    "filter": "(objectClass=groupOfNames)",
    "description_attribute": "description",
    "strategy": "DYNAMIC",
}


@pytest.fixture
def platform(sandbox) -> Session:
    """Return a session of an administrator for the platform."""
    return Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture
def seeded(platform) -> Session:
    """Return the session of an administrator for a server with an LDAP setting and a group setting."""
    assert platform.post(SETTINGS, json=SETTING).status_code == 201
    assert platform.post(GROUPS, json=GROUP).status_code == 201
    return platform


def error_of(response: requests.Response) -> tuple[int, str]:
    """Return status and message of an error response."""
    assert response.headers["Content-Type"] == "application/json"
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def test_setting_is_created_replaced_and_deleted(platform):
    created = platform.post(SETTINGS, json={**SETTING, "unknown": 1})
    assert (created.status_code, created.json()) == (201, SHOWN)
    assert platform.get(CORPORATE).json() == SHOWN
    assert platform.get(f"{SETTINGS}/").json() == [SHOWN]
    direct = {"key": "corporate", "ldap_url": "ldaps://b", "user_dn_pattern": "uid={0}", "email_attribute": ""}
    replaced = platform.put(SETTINGS, json={**direct, "enabled": False})
    empty = {**dict.fromkeys(SEARCH), "search_sub_tree": True}
    assert replaced.status_code == 200
    assert replaced.json() == platform.get(CORPORATE).json() == {**SHOWN, **direct, "enabled": False, "search": empty}
    assert platform.put(CORPORATE, json=direct).json()["enabled"] is True
    assert platform.delete(CORPORATE).status_code == 204
    assert error_of(platform.get(CORPORATE)) == (404, "LDAP setting corporate not found")
    assert platform.delete(CORPORATE).status_code == platform.put(SETTINGS, json=SETTING).status_code == 404


def test_group_is_created_replaced_and_deleted(seeded):
    shown = {**GROUP, "group_base_dn": None, "sub_tree": True, "force_attribute_search": False}
    assert seeded.get(STAFF).json() == shown
    assert seeded.get(GROUPS).json() == [shown]
    changed = {**GROUP, "strategy": "HIERARCHICAL", "sub_tree": False, "enabled_ldap": None}
    assert seeded.put(GROUPS, json=changed).json() == {**shown, **changed}
    assert seeded.delete(CORPORATE).status_code == 204
    assert seeded.get(STAFF).status_code == 200
    assert seeded.delete(STAFF).status_code == 204
    assert error_of(seeded.get(STAFF)) == (404, "LDAP group setting staff not found")


@pytest.mark.parametrize("body", [{"search": None}, {"search": {}}, {"search": {"search_sub_tree": False}}])
def test_empty_search_block_is_accepted(platform, body):
    setting = {**SETTING, "user_dn_pattern": "uid={0}", **body}
    assert platform.post(SETTINGS, json=setting).json()["search"]["search_filter"] is None


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        (SETTINGS, {"key": ""}, "Invalid LDAP setting: key must be provided"),
        (SETTINGS, {"key": "b", "ldap_url": "http://x"}, "ldap_url must start with ldap://"),
        (SETTINGS, {"key": "b", "ldap_url": None}, "ldap_url must start with ldap://"),
        (SETTINGS, {"key": "b", "enabled": "yes"}, "invalid value of enabled"),
        (SETTINGS, {"key": "b", "search": []}, "user_dn_pattern or search_filter must be provided"),
        (SETTINGS, {"key": "b", "search": ["x"]}, "search must be an object"),
        (SETTINGS, {"key": "b", "search": MANAGER, "user_dn_pattern": "{0}"}, "search_filter must be provided"),
        (SETTINGS, {"key": "b", "search": None}, "user_dn_pattern or search_filter must be provided"),
        (SETTINGS, {"key": "backup-daily"}, "the key backup-daily is already in use"),
        (SETTINGS, {"key": "generic-local"}, "the key generic-local is already in use"),
        (GROUPS, {"name": "b", "filter": ""}, "Invalid LDAP group setting: filter must be provided"),
        (GROUPS, {"name": "b", "strategy": "static"}, "strategy must be one of STATIC"),
        (GROUPS, {"name": "b", "strategy": "HIERARCHICAL"}, "sub_tree must be false"),
        (GROUPS, {"name": "b", "enabled_ldap": "no"}, "LDAP setting no not found"),
    ],
)
def test_invalid_object_is_refused(seeded, sandbox, path, body, message):
    sandbox.switch("artifact", ldap_checks_names=True)
    status, text = error_of(seeded.post(path, json={**(SETTING if path == SETTINGS else GROUP), **body}))
    assert status == 400
    assert message in text


def test_existing_objects_are_not_created_again(seeded):
    assert error_of(seeded.post(SETTINGS, json=SETTING)) == (409, "LDAP setting corporate already exists")
    assert error_of(seeded.post(GROUPS, json=GROUP)) == (409, "LDAP group setting staff already exists")


def read_password(platform: Session) -> str | None:
    """Return the password in the response."""
    password: str | None = platform.get(CORPORATE).json()["search"]["manager_password"]
    return password


@pytest.mark.parametrize(("mode", "expected"), [("absent", None), ("masked", "*" * 8), ("stored", "s3cret")])
def test_password_is_returned_as_the_switch_says(seeded, sandbox, mode, expected):
    sandbox.switch("artifact", ldap_passwords=mode)
    assert read_password(seeded) == seeded.get(SETTINGS).json()[0]["search"]["manager_password"] == expected


@pytest.mark.parametrize("mode", ["masked", "encrypted", "stored"])
def test_password_that_is_sent_back_is_kept_and_a_missing_one_is_removed(seeded, sandbox, mode):
    sandbox.switch("artifact", ldap_passwords=mode)
    seeded.put(SETTINGS, json=seeded.get(CORPORATE).json())
    sandbox.switch("artifact", ldap_passwords="stored")
    assert read_password(seeded) == "s3cret"
    without = {**SETTING, "search": {**SEARCH, "manager_password": None}}
    sandbox.switch("artifact", ldap_keeps_password=True)
    seeded.put(SETTINGS, json=without)
    assert read_password(seeded) == "s3cret"
    sandbox.switch("artifact", ldap_keeps_password=False)
    seeded.put(SETTINGS, json=without)
    assert read_password(seeded) is None


def test_switches_change_lists_and_missing_objects(seeded, sandbox):
    sandbox.switch("artifact", ldap_lists="keys", missing_ldap_status=400)
    assert seeded.get(SETTINGS).json() == [{"key": "corporate"}]
    assert seeded.get(GROUPS).json() == [{"name": "staff"}]
    assert error_of(seeded.get(f"{SETTINGS}/no"))[0] == 400
    assert seeded.post(GROUPS, json={**GROUP, "name": "b", "enabled_ldap": "no"}).status_code == 201


def test_settings_are_those_of_the_central_configuration(seeded, sandbox, artifactory):
    configuration = artifactory.get("/api/system/configuration").text
    assert "<key>corporate</key>" in configuration
    assert "<enabledLdap>corporate</enabledLdap>" in configuration
    assert "s3cret" not in configuration
    yaml = "security: {ldapSettings: {other: {ldapUrl: 'ldap://b', userDnPattern: 'uid={0}'}}}"
    artifactory.patch("/api/system/configuration", data=yaml, headers={"Content-Type": "application/yaml"})
    assert [setting["key"] for setting in seeded.get(SETTINGS).json()] == ["corporate", "other"]
    assert sandbox.state()["artifact"]["ldap_settings"]["rows"] == [
        {"key": "corporate", "enabled": "yes", "url": "ldap://ldap.example", "groups": 1},
        {"key": "other", "enabled": "yes", "url": "ldap://b", "groups": 0},
    ]


def test_change_can_fail_because_of_a_concurrent_one(platform, sandbox):
    sandbox.switch("artifact", merge_refusals=2, merge_refusal_status=500)
    status, message = error_of(platform.post(SETTINGS, json=SETTING))
    assert (status, message[:44]) == (500, "Could not merge and save new descriptor [org")
    sandbox.switch("artifact", merge_refusals=0)
    platform.post(SETTINGS, json=SETTING)
    sandbox.switch("artifact", merge_refusals=1)
    assert error_of(platform.delete(CORPORATE))[0] == 500


def test_import_is_not_implemented(seeded):
    assert error_of(seeded.post(f"{STAFF}/refresh", json={"operation": "IMPORT"}))[0] == 501


def test_other_accounts_and_versions_are_refused(sandbox, platform):
    reader = Session(sandbox.url, ("reader", "sandbox-reader"))
    assert [error_of(reader.get(path))[0] for path in (SETTINGS, CORPORATE, GROUPS)] == [403] * 3
    sandbox.switch("artifact", version="7.57.0")
    assert error_of(platform.get(SETTINGS))[0] == 404
    sandbox.switch("artifact", version="7.57.1", edition="oss")
    assert error_of(platform.get(SETTINGS))[0] == 404


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null"])
def test_malformed_body_is_refused(platform, body):
    assert error_of(platform.post(SETTINGS, data=body))[0] == error_of(platform.put(GROUPS, data=body))[0] == 400
