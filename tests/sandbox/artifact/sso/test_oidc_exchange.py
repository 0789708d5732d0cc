# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the exchange of OIDC tokens for access tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
import requests

from sandbox.client import Sandbox
from support.session import Session

KEY = "key of the provider"
ISSUER = "https://gitlab.example.com"
TOKEN = "/access/api/v1/oidc/token"
ANY = {
    "priority": 9,
    "name": "any",
    "claims": {"sub": "*"},
    "token_spec": {"scope": 'applied-permissions/groups:"a b"'},
}
MAIN = {
    "priority": 1,
    "name": "main",
    "claims": {"ref": "refs/heads/main", "protected": True, "groups": ["x", "dev-*"]},
    "token_spec": {"username": "reader", "scope": "applied-permissions/user", "expires_in": 600},
}
CLAIMS = {"iss": ISSUER, "aud": ["artifactory", "x"], "sub": "job", "ref": "refs/heads/main", "protected": True}
MATCHING = {**CLAIMS, "groups": ["dev-web"]}


def encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def sign(claims: dict[str, Any], key: str = KEY, algorithm: str = "HS256") -> str:
    """Return a JSON Web Token."""
    signing_input = ".".join(encode(json.dumps(part).encode()) for part in ({"alg": algorithm}, claims))
    return f"{signing_input}.{encode(hmac.digest(key.encode(), signing_input.encode(), hashlib.sha256))}"


@pytest.fixture
def seeded(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox with a provider and its key."""
    provider = {
        "name": "gitlab",
        "issuer_url": ISSUER,
        "provider_type": "generic",
        "audience": "artifactory",
        "identity_mappings": [ANY, MAIN],
    }
    sandbox.seed({"artifact": {"oidc_providers": [provider]}})
    sandbox.switch("artifact", oidc_signing_key=KEY)
    return sandbox


def exchange(sandbox: Sandbox, claims: dict[str, Any], token: str | None = None, **fields: Any) -> requests.Response:
    """Exchange a token that expires in a minute."""
    body = {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "subject_token": token or sign({"exp": sandbox.clock()["now"] + 60, **claims}),
        "provider_name": "gitlab",
        **fields,
    }
    return requests.post(f"{sandbox.url}{TOKEN}", json=body, timeout=60)


def error_of(response: requests.Response) -> tuple[int, str]:
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def test_token_of_the_first_matching_mapping_is_issued(seeded: Sandbox) -> None:
    issued = exchange(seeded, MATCHING).json()
    assert (issued["username"], issued["expires_in"], issued["scope"]) == ("reader", 600, "applied-permissions/user")
    session = Session(f"{seeded.url}/artifactory", issued["access_token"])
    assert session.get("/api/storage/generic-local").status_code == 200
    assert session.put("/generic-local/x", data=b"x").status_code == 403
    seeded.clock(advance=601)
    assert session.get("/api/storage/generic-local").status_code == 401


@pytest.mark.parametrize(
    "changes",
    [{"ref": "refs/heads/main2"}, {"protected": "True"}, {"protected": 1}, {"groups": ["ops"]}, {"groups": None}],
)
def test_other_claims_match_another_mapping(seeded: Sandbox, changes: dict[str, Any]) -> None:
    issued = exchange(seeded, {**MATCHING, **changes}).json()
    assert (issued["username"], issued["scope"]) == ("token:gitlab/job", 'applied-permissions/groups:"a b"')


def test_mapping_can_be_selected(seeded: Sandbox) -> None:
    issued = exchange(seeded, MATCHING, identity_mapping_name="any", include_reference_token=True).json()
    assert issued["scope"] == 'applied-permissions/groups:"a b"'
    assert issued["reference_token"]
    assert error_of(exchange(seeded, CLAIMS, identity_mapping_name="main"))[0] == 401


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"iss": "https://other.example.com"}, "The issuer of the subject token does not match the provider"),
        ({"aud": "other"}, "The audience of the subject token does not match the provider"),
        ({"exp": 1}, "The subject token has expired"),
        ({"exp": None}, "The subject token has expired"),
        ({"sub": 7}, "No identity mapping matches the claims of the subject token"),
    ],
)
def test_token_with_wrong_claims_is_refused(seeded: Sandbox, changes: dict[str, Any], message: str) -> None:
    assert error_of(exchange(seeded, {**CLAIMS, **changes})) == (401, message)


def test_keys_are_not_found_when_the_address_of_the_provider_ends_with_a_slash(seeded: Sandbox) -> None:
    platform = Session(seeded.url, seeded.environment["JFROG_ACCESS_TOKEN"])
    path = "/access/api/v1/oidc/gitlab"
    provider = platform.get(path).json()
    platform.put(path, json={**provider, "issuer_url": f"{provider['issuer_url']}/"})
    assert error_of(exchange(seeded, CLAIMS)) == (401, "Failed to get public key")


@pytest.mark.parametrize(
    "token", ["x", "a.b.c", sign(CLAIMS, key="other"), sign(CLAIMS, algorithm="none"), f"{sign(CLAIMS)}é", "é.é.é"]
)
def test_token_without_a_valid_signature_is_refused(seeded: Sandbox, token: str) -> None:
    assert error_of(exchange(seeded, {}, token)) == (401, "Invalid subject token")


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"grant_type": "x"}, 400), ({"subject_token_type": "x"}, 400), ({"provider_name": "other"}, 404)],
)
def test_wrong_request_is_refused(seeded: Sandbox, fields: dict[str, Any], status: int) -> None:
    assert error_of(exchange(seeded, MATCHING, **fields))[0] == status


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"username_pattern": "{{sub}}@ci"}, ("job@ci", "applied-permissions/user")),
        ({"groups_pattern": "team-{{sub}}"}, ("token:gitlab/job", 'applied-permissions/groups:"team-job"')),
        ({"username_pattern": "{{missing}}"}, 401),
        ({"username_pattern": "{{sub}} | $0@ci"}, 501),
        ({"groups_pattern": "{{sub}}", "scope": "applied-permissions/user"}, 501),
    ],
)
def test_patterns_insert_claims(seeded: Sandbox, spec: dict[str, Any], expected: Any) -> None:
    platform = Session(seeded.url, seeded.environment["JFROG_ACCESS_TOKEN"])
    body = {**MAIN, "token_spec": spec}
    assert platform.put("/access/api/v1/oidc/gitlab/identity_mappings/main", json=body).status_code == 200
    response = exchange(seeded, MATCHING)
    issued = response.json()
    result = response.status_code if "errors" in issued else (issued["username"], issued["scope"])
    assert result == expected


def test_mappings_of_a_project_precede_global_ones(seeded: Sandbox) -> None:
    platform = Session(seeded.url, seeded.environment["JFROG_ACCESS_TOKEN"])
    platform.post("/access/api/v1/projects", json={"project_key": "web", "display_name": "Web"})
    scope = 'applied-permissions/roles:web:"Developer"'
    body = {**ANY, "name": "web", "token_spec": {"scope": scope}}
    assert platform.post("/access/api/v1/oidc/gitlab/identity_mappings", json=body).status_code == 201
    assert exchange(seeded, MATCHING, project_key="web").json()["scope"] == scope
    assert exchange(seeded, MATCHING).json()["username"] == "reader"


def test_organization_limits_github_unless_the_provider_is_permissive(seeded: Sandbox) -> None:
    platform = Session(seeded.url, seeded.environment["JFROG_ACCESS_TOKEN"])
    provider = {
        "name": "github",
        "issuer_url": "https://token.actions.githubusercontent.com",
        "provider_type": "GitHub",
    }
    address = "/access/api/v1/oidc"
    platform.post(address, json={**provider, "organization": "acme"})
    platform.post(f"{address}/github/identity_mappings", json=ANY)
    claims = {**CLAIMS, "iss": provider["issuer_url"], "actor": "ada"}
    for owner, status in (("acme", 200), ("other", 401)):
        response = exchange(seeded, {**claims, "repository_owner": owner}, provider_name="github")
        assert response.status_code == status
    permissive = {**provider, "organization": "acme", "enable_permissive_configuration": True}
    platform.put(f"{address}/github", json=permissive)
    assert exchange(seeded, claims, provider_name="github").json()["username"] == "token:github/ada"


def test_exchange_is_not_implemented_without_a_key(seeded: Sandbox) -> None:
    seeded.switch("artifact", oidc_signing_key="")
    assert error_of(exchange(seeded, MATCHING))[0] == 501
    seeded.switch("artifact", oidc_edition="enterprise")
    assert error_of(exchange(seeded, MATCHING))[0] == 403
    seeded.switch("artifact", version="7.72.0")
    assert error_of(exchange(seeded, MATCHING))[0] == 404
