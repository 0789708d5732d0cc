# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of OIDC providers and identity mappings in the Access API."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.session import Session

PROVIDERS = "/access/api/v1/oidc"
GITLAB = f"{PROVIDERS}/gitlab"
MAPPINGS = f"{GITLAB}/identity_mappings"
MAIN = f"{MAPPINGS}/main"
PROVIDER: dict[str, Any] = {"name": "gitlab", "issuer_url": "https://gitlab.example.com", "provider_type": "generic"}
STORED_PROVIDER = {
    **PROVIDER,
    "provider_type": "Generic OpenID Connect",
    "use_default_proxy": False,
    "enable_permissive_configuration": False,
}
TOKEN = {"username": "ci", "scope": "applied-permissions/user"}
MAPPING: dict[str, Any] = {"name": "main", "priority": 1, "claims": {"ref": "refs/heads/*"}, "token_spec": TOKEN}
STORED_MAPPING = {
    **MAPPING,
    "description": "",
    "provider_name": "gitlab",
    "token_spec": {**TOKEN, "audience": "*@*", "expires_in": 60, "self_revocable": False},
}


@pytest.fixture
def platform(sandbox) -> Session:
    """Return a session of an administrator for the platform."""
    return Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])


def error_of(response: requests.Response) -> tuple[int, str]:
    """Return status and message of an error response of the Access API."""
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def test_provider_is_created_replaced_and_deleted(platform):
    created = platform.post(PROVIDERS, json=PROVIDER)
    assert (created.status_code, created.json()) == (201, STORED_PROVIDER)
    assert platform.get(GITLAB).json() == STORED_PROVIDER
    assert platform.get(PROVIDERS).json() == [STORED_PROVIDER]
    replaced = platform.put(GITLAB, json={**PROVIDER, "audience": "artifactory"})
    assert (replaced.status_code, replaced.json()["audience"]) == (200, "artifactory")
    assert platform.put(GITLAB, json=PROVIDER).json() == STORED_PROVIDER
    assert platform.delete(GITLAB).status_code == 204
    assert error_of(platform.get(GITLAB)) == (404, "OIDC provider with name gitlab not found")
    assert [platform.put(GITLAB, json=PROVIDER).status_code, platform.delete(GITLAB).status_code] == [404, 404]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("GitHub", "GitHub"),
        ("GitHubEnterprise", "GitHub Enterprise"),
        ("GitHub Enterprise", "GitHub Enterprise"),
        ("Azure", "Azure"),
        ("Generic OpenID Connect", "Generic OpenID Connect"),
    ],
)
def test_provider_type_has_several_spellings(platform, written, read):
    issuer = "https://token.actions.githubusercontent.com"
    body = {**PROVIDER, "issuer_url": issuer, "provider_type": written}
    assert platform.post(PROVIDERS, json=body).json()["provider_type"] == read


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": "GitLab"}, "name must start with a lowercase letter"),
        ({"issuer_url": "http://gitlab.example.com"}, "issuer_url must use https"),
        ({"provider_type": "okta"}, "provider_type must be one of"),
        ({"provider_type": "GitHub"}, "issuer_url must start with https://token.actions.githubusercontent.com"),
        ({"audience": 1}, "members must be texts"),
        ({"use_default_proxy": "yes"}, "flags must be true or false"),
    ],
)
def test_invalid_provider_is_refused(platform, changes, problem):
    status, message = error_of(platform.post(PROVIDERS, json={**PROVIDER, **changes}))
    assert (status, message.startswith(f"Invalid OIDC configuration: {problem}")) == (400, True)


def test_fixed_members_cannot_be_changed(platform):
    platform.post(PROVIDERS, json=PROVIDER)
    for changes in ({"name": "other"}, {"provider_type": "Azure"}, {"project_key": "web"}):
        assert "cannot be changed" in error_of(platform.put(GITLAB, json={**PROVIDER, **changes}))[1]
    assert platform.post(PROVIDERS, json=PROVIDER).status_code == 409
    assert platform.post(PROVIDERS, json={**PROVIDER, "name": "other", "project_key": "nope"}).status_code == 404


def test_organization_is_required_as_the_switch_says(platform, sandbox):
    sandbox.switch("artifact", oidc_requires_organization=True)
    github = {
        **PROVIDER,
        "issuer_url": "https://token.actions.githubusercontent.com",
        "provider_type": "GitHub",
    }
    assert error_of(platform.post(PROVIDERS, json=github))[1].endswith("organization is required")
    assert platform.post(PROVIDERS, json={**github, "organization": "acme"}).status_code == 201
    permissive = {**github, "name": "github", "enable_permissive_configuration": True}
    assert platform.post(PROVIDERS, json=permissive).status_code == 201


def test_mapping_is_created_replaced_and_deleted(platform):
    assert platform.get(MAPPINGS).status_code == 404
    platform.post(PROVIDERS, json=PROVIDER)
    created = platform.post(MAPPINGS, json=MAPPING)
    assert (created.status_code, created.json()) == (201, STORED_MAPPING)
    assert platform.get(MAIN).json() == STORED_MAPPING
    assert platform.get(MAPPINGS).json() == [STORED_MAPPING]
    assert platform.post(MAPPINGS, json=MAPPING).status_code == 409
    changed = platform.put(MAIN, json={**MAPPING, "claims": {}, "description": "x"}).json()
    assert (changed["claims"], changed["description"]) == ({}, "x")
    assert error_of(platform.put(MAIN, json={**MAPPING, "name": "other"}))[0] == 400
    assert platform.delete(MAIN).status_code == 204
    assert error_of(platform.get(MAIN)) == (404, "Identity mapping with name main not found")
    assert [platform.put(MAIN, json=MAPPING).status_code, platform.delete(MAIN).status_code] == [404, 404]


def test_provider_is_deleted_with_its_mappings(platform):
    platform.post(PROVIDERS, json=PROVIDER)
    platform.post(MAPPINGS, json=MAPPING)
    platform.delete(GITLAB)
    platform.post(PROVIDERS, json=PROVIDER)
    assert platform.get(MAPPINGS).json() == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": "a b"}, "name must not contain spaces"),
        ({"priority": 0}, "priority must be a positive number"),
        ({"claims": None}, "claims is required"),
        ({"description": 1}, "description must be a text"),
        ({"token_spec": None}, "token_spec is required"),
        ({"token_spec": {}}, "token_spec must have a username or a scope"),
        ({"token_spec": {"username": "ci", "username_pattern": "x"}}, "token_spec cannot have both"),
        ({"token_spec": {"scope": "everything"}}, "token_spec.scope is invalid"),
        ({"token_spec": {**TOKEN, "expires_in": 59}}, "Invalid expiry: expires_in must be between 60 and 86400"),
        ({"token_spec": {**TOKEN, "audience": 1}}, "token_spec.audience must be a text"),
    ],
)
def test_invalid_mapping_is_refused(platform, changes, problem):
    platform.post(PROVIDERS, json=PROVIDER)
    status, message = error_of(platform.post(MAPPINGS, json={**MAPPING, **changes}))
    assert (status, message.startswith(f"Invalid OIDC configuration: {problem}")) == (400, True)


def test_mappings_with_roles_belong_to_the_project(platform, sandbox):
    platform.post("/access/api/v1/projects", json={"project_key": "web", "display_name": "Web"})
    platform.post(PROVIDERS, json=PROVIDER)
    token = {"scope": 'applied-permissions/roles:web:"Developer"'}
    created = platform.post(MAPPINGS, json={**MAPPING, "token_spec": token}).json()
    assert created["project_key"] == "web"
    assert platform.get(MAPPINGS).json() == []
    assert platform.get(MAIN).status_code == 404
    assert platform.get(f"{MAPPINGS}?project_key=web").json() == [created]
    assert platform.get(f"{MAIN}?project_key=web").json() == created
    assert platform.post(f"{MAPPINGS}?project_key=nope", json=MAPPING).status_code == 404
    sandbox.switch("artifact", oidc_lists_project_mappings=True)
    assert platform.get(MAPPINGS).json() == [created]


def test_access_is_limited(platform, sandbox):
    assert Session(sandbox.url, ("reader", "sandbox-reader")).get(PROVIDERS).status_code == 403
    assert requests.get(f"{sandbox.url}{PROVIDERS}", timeout=60).status_code == 401
    sandbox.switch("artifact", oidc_edition="enterprise")
    status, message = error_of(platform.get(PROVIDERS))
    assert (status, "available only in Artifactory Enterprise" in message) == (403, True)
    sandbox.switch("artifact", edition="enterprise")
    assert platform.get(PROVIDERS).json() == []
    sandbox.switch("artifact", version="7.72.0")
    assert error_of(platform.get(PROVIDERS)) == (404, "HTTP 404 Not Found")
