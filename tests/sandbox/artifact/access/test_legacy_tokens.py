# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the deprecated token API `/api/security/token` of Artifactory."""

from __future__ import annotations

from typing import Any

import pytest

from support.session import Session
from support.wire.artifact import APP, error_of

TOKEN = "/api/security/token"
PERSISTENT = {"expires_in": "20000"}


def create_token(artifactory: Session, **form: str) -> dict[str, Any]:
    """Create a token."""
    response = artifactory.post(TOKEN, data=form)
    assert response.status_code == 200, response.text
    return response.json()


def is_valid(sandbox, token: str) -> bool:
    """Return whether a token authenticates."""
    return Session(f"{sandbox.url}/artifactory", token).get("/api/storage/generic-local").status_code == 200


def list_token_ids(artifactory: Session) -> list[str]:
    """Return the ids of all listed tokens."""
    return [entry["token_id"] for entry in artifactory.get(TOKEN).json()["tokens"]]


def test_token_is_created_from_a_form(artifactory, sandbox):
    token = create_token(artifactory, username="ci", scope='api:* member-of-groups:"readers"')
    assert set(token) == {"scope", "access_token", "expires_in", "token_type"}
    assert (token["expires_in"], token["token_type"]) == (3600, "Bearer")
    assert is_valid(sandbox, token["access_token"])


def test_persistent_tokens_are_listed_and_revocable_by_value_or_id(artifactory, sandbox):
    before = list_token_ids(artifactory)
    first_token, second_token = (create_token(artifactory, **PERSISTENT)["access_token"] for _time in range(2))
    first_id, second_id = [token_id for token_id in list_token_ids(artifactory) if token_id not in before]
    entry = artifactory.get(TOKEN).json()["tokens"][-1]
    assert set(entry) == {"token_id", "issuer", "subject", "expiry", "refreshable", "issued_at"}
    for form in ({"token": first_token}, {"token_id": second_id}):
        for message in ("Token revoked", "Token not found"):
            response = artifactory.post(f"{TOKEN}/revoke", data=form)
            assert (response.status_code, response.text) == (200, message)
    assert not is_valid(sandbox, first_token)
    assert not is_valid(sandbox, second_token)
    assert first_id not in list_token_ids(artifactory)


def test_refresh_token_is_valid_once(artifactory):
    old = create_token(artifactory, refreshable="true", **PERSISTENT)
    form = {"grant_type": "refresh_token", "refresh_token": old["refresh_token"]}
    assert create_token(artifactory, **form)["expires_in"] == 20000
    repeated = artifactory.post(TOKEN, data=form)
    assert (repeated.status_code, repeated.json()["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"expires_in": "soon"}, "invalid_request"),
        ({"expires_in": "-1"}, "invalid_request"),
    ],
)
def test_token_is_refused_when_a_field_is_invalid(artifactory, form, error):
    response = artifactory.post(TOKEN, data=form)
    assert (response.status_code, set(response.json())) == (400, {"error", "error_description"})
    assert response.json()["error"] == error


@pytest.mark.parametrize("form", [{"username": "admin"}, {"scope": "jfrt@1:admin"}, {"expires_in": "0"}])
def test_token_is_refused_when_it_requires_an_administrator(artifactory_reader, sandbox, form):
    response = artifactory_reader.post(TOKEN, data=form)
    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")
    assert is_valid(sandbox, create_token(artifactory_reader, refreshable="false")["access_token"])


def test_request_is_refused_when_it_is_not_a_valid_form(artifactory):
    assert artifactory.post(TOKEN, json={}).status_code == 415
    response = artifactory.post(f"{TOKEN}/revoke", data={"other": "x"})
    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


def test_item_permissions_list_users_and_groups(artifactory, artifactory_reader, sandbox):
    permissions = {"generic-local/app": "rwa", "libs-release-local": "r"}
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": permissions}]}})
    path = f"/api/storage/generic-local/{APP}?permissions"
    response = artifactory.get(path)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.storage.ItemPermissions+json"
    principals = response.json()["principals"]
    assert principals["users"]["ci"] == ["w", "n", "r"]
    assert principals["users"]["admin"] == ["m", "d", "w", "n", "r"]
    assert principals["groups"]["readers"] == ["r"]
    assert error_of(artifactory_reader.get(path))[0] == 403
    assert artifactory.get("/api/storage/generic-local/none?permissions").status_code == 404
    assert artifactory.get("/api/storage/libs-release?permissions").status_code == 400


@pytest.mark.parametrize(
    ("scope", "status"), [("system:info/storage:r", 200), ("system:metrics:r", 403), ("system:info/storage:w", 403)]
)
def test_scope_permits_reading_the_storage_summary(access, sandbox, scope, status):
    token = access.post("/tokens", json={"username": "ci", "scope": scope}).json()["access_token"]
    monitor = Session(f"{sandbox.url}/artifactory", token)
    assert monitor.get("/api/storageinfo").status_code == status
    assert monitor.post("/api/storageinfo/calculate").status_code == 403
    assert monitor.get("/api/storage/generic-local").status_code == 403
