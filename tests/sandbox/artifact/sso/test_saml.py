# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of SAML settings in the Access API."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.session import Session

SETTINGS = "/access/api/v1/saml"
OKTA = f"{SETTINGS}/okta"
SETTING: dict[str, Any] = {
    "name": "okta",
    "login_url": "https://idp.example.com/login",
    "logout_url": "{baseUrl}/ui/login",
    "service_provider_name": "artifactory",
    "certificate": "TUlJQgo=",
}
DEFAULTS = {
    "enable_integration": True,
    "verify_audience_restriction": True,
    "use_encrypted_assertion": False,
    "auto_user_creation": True,
    "allow_user_to_access_profile": False,
    "auto_redirect": False,
    "sync_groups": False,
    "group_attribute": "",
    "email_attribute": "",
    "name_id_attribute": "",
}


@pytest.fixture
def platform(sandbox) -> Session:
    """Return a session of an administrator for the platform."""
    return Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])


def error_of(response: requests.Response) -> tuple[int, str]:
    """Return status and message of an error response of the Access API."""
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def test_setting_is_created_replaced_and_deleted(platform):
    created = platform.post(SETTINGS, json=SETTING)
    expected = {**SETTING, **DEFAULTS}
    assert (created.status_code, created.json()) == (201, expected)
    assert platform.get(OKTA).json() == expected
    assert platform.get(SETTINGS).json() == [expected]
    replaced = platform.put(OKTA, json={**SETTING, "enable_integration": False})
    assert (replaced.status_code, replaced.json()["enable_integration"]) == (200, False)
    assert platform.put(OKTA, json=SETTING).json() == expected
    assert platform.delete(OKTA).status_code == 204
    assert error_of(platform.get(OKTA)) == (404, "SAML setting with name okta not found")
    assert platform.put(OKTA, json=SETTING).status_code == 404
    assert platform.delete(OKTA).status_code == 404
    assert platform.get(SETTINGS).json() == []


def test_name_is_unique_and_fixed(platform):
    platform.post(SETTINGS, json=SETTING)
    assert error_of(platform.post(SETTINGS, json=SETTING)) == (409, "SAML setting with name okta already exists")
    renamed = platform.put(OKTA, json={**SETTING, "name": "other"})
    assert error_of(renamed) == (400, "Invalid SAML setting: name cannot be changed")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": ""}, "name is required"),
        ({"login_url": None}, "login_url is required"),
        ({"certificate": ""}, "certificate is required"),
        ({"logout_url": "ftp://idp.example.com"}, "logout_url must be a URL"),
        ({"auto_redirect": "yes"}, "flags must be true or false"),
        ({"email_attribute": 1}, "attributes must be texts"),
        ({"ldap_group_settings": "staff"}, "ldap_group_settings must be a list of names"),
    ],
)
def test_invalid_setting_is_refused(platform, changes, problem):
    response = platform.post(SETTINGS, json={**SETTING, **changes})
    assert error_of(response) == (400, f"Invalid SAML setting: {problem}")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("stored", "TUlJ\nQgo="),
        ("one_line", "TUlJQgo="),
        ("pem", "-----BEGIN CERTIFICATE-----\nTUlJQgo=\n-----END CERTIFICATE-----\n"),
    ],
)
def test_certificate_is_returned_as_the_switch_says(platform, sandbox, form, expected):
    sandbox.switch("artifact", saml_certificates=form)
    platform.post(SETTINGS, json={**SETTING, "certificate": "TUlJ\nQgo="})
    assert platform.get(OKTA).json()["certificate"] == expected


def test_ldap_groups_exist_in_new_versions(platform, sandbox):
    groups = {"ldap_group_settings": ["staff"]}
    assert "ldap_group_settings" not in platform.post(SETTINGS, json={**SETTING, **groups}).json()
    sandbox.switch("artifact", version="7.98.4")
    assert platform.get(OKTA).json()["ldap_group_settings"] == []
    assert platform.put(OKTA, json={**SETTING, **groups}).json()["ldap_group_settings"] == ["staff"]


def test_access_is_limited(platform, sandbox):
    assert Session(sandbox.url, ("reader", "sandbox-reader")).get(SETTINGS).status_code == 403
    assert requests.get(f"{sandbox.url}{SETTINGS}", timeout=60).status_code == 401
    sandbox.switch("artifact", saml_since="7.83.1")
    assert error_of(platform.get(SETTINGS)) == (404, "HTTP 404 Not Found")
    sandbox.switch("artifact", version="7.83.1")
    assert platform.get(SETTINGS).json() == []
    sandbox.switch("artifact", edition="oss")
    assert platform.get(SETTINGS).status_code == 404
