# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens as of old, and who may do what with an item, on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from support.session import Session
from support.wire.artifact import APP, error_of

TOKEN = "/api/security/token"
LONG = {"expires_in": "20000"}


def made(artifactory: Session, **form: str) -> dict[str, Any]:
    """A new token."""
    answer = artifactory.post(TOKEN, data=form)
    assert answer.status_code == 200, answer.text
    return answer.json()


def works(sandbox, token: str) -> bool:
    """Whether a token logs in."""
    return Session(f"{sandbox.url}/artifactory", token).get("/api/storage/generic-local").status_code == 200


def ids(artifactory: Session) -> list[str]:
    """The tokens that are listed."""
    return [entry["token_id"] for entry in artifactory.get(TOKEN).json()["tokens"]]


def test_a_token_is_made_from_a_form(artifactory, sandbox):
    token = made(artifactory, username="ci", scope='api:* member-of-groups:"readers"')
    assert set(token) == {"scope", "access_token", "expires_in", "token_type"}
    assert (token["expires_in"], token["token_type"]) == (3600, "Bearer")
    assert works(sandbox, token["access_token"])


def test_long_ones_are_listed_and_revoked_by_themselves_or_by_id(artifactory, sandbox):
    before = ids(artifactory)
    one, other = (made(artifactory, **LONG)["access_token"] for _time in range(2))
    first, second = [found for found in ids(artifactory) if found not in before]
    entry = artifactory.get(TOKEN).json()["tokens"][-1]
    assert set(entry) == {"token_id", "issuer", "subject", "expiry", "refreshable", "issued_at"}
    for form in ({"token": one}, {"token_id": second}):
        for said in ("Token revoked", "Token not found"):
            answer = artifactory.post(f"{TOKEN}/revoke", data=form)
            assert (answer.status_code, answer.text) == (200, said)
    assert not works(sandbox, one)
    assert not works(sandbox, other)
    assert first not in ids(artifactory)


def test_a_refresh_token_is_good_once(artifactory):
    old = made(artifactory, refreshable="true", **LONG)
    form = {"grant_type": "refresh_token", "refresh_token": old["refresh_token"]}
    assert made(artifactory, **form)["expires_in"] == 20000
    again = artifactory.post(TOKEN, data=form)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"expires_in": "soon"}, "invalid_request"),
        ({"expires_in": "-1"}, "invalid_request"),
    ],
)
def test_what_is_refused(artifactory, form, error):
    answer = artifactory.post(TOKEN, data=form)
    assert (answer.status_code, set(answer.json())) == (400, {"error", "error_description"})
    assert answer.json()["error"] == error


@pytest.mark.parametrize("form", [{"username": "admin"}, {"scope": "jfrt@1:admin"}, {"expires_in": "0"}])
def test_others_than_administrators_get_less(artifactory_reader, sandbox, form):
    answer = artifactory_reader.post(TOKEN, data=form)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert works(sandbox, made(artifactory_reader, refreshable="false")["access_token"])


def test_only_forms_are_taken(artifactory):
    assert artifactory.post(TOKEN, json={}).status_code == 415
    nothing = artifactory.post(f"{TOKEN}/revoke", data={"other": "x"})
    assert (nothing.status_code, nothing.json()["error"]) == (400, "invalid_request")


def test_who_may_do_what_with_an_item(artifactory, artifactory_reader, sandbox):
    rights = {"generic-local/app": "rwa", "libs-release-local": "r"}
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": rights}]}})
    path = f"/api/storage/generic-local/{APP}?permissions"
    answer = artifactory.get(path)
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.storage.ItemPermissions+json"
    principals = answer.json()["principals"]
    assert principals["users"]["ci"] == ["w", "n", "r"]
    assert principals["users"]["admin"] == ["m", "d", "w", "n", "r"]
    assert principals["groups"]["readers"] == ["r"]
    assert error_of(artifactory_reader.get(path))[0] == 403
    assert artifactory.get("/api/storage/generic-local/none?permissions").status_code == 404
    assert artifactory.get("/api/storage/libs-release?permissions").status_code == 400


@pytest.mark.parametrize(
    ("scope", "status"), [("system:info/storage:r", 200), ("system:metrics:r", 403), ("system:info/storage:w", 403)]
)
def test_a_scope_for_the_storage_summary(access, sandbox, scope, status):
    token = access.post("/tokens", json={"username": "ci", "scope": scope}).json()["access_token"]
    monitor = Session(f"{sandbox.url}/artifactory", token)
    assert monitor.get("/api/storageinfo").status_code == status
    assert monitor.post("/api/storageinfo/calculate").status_code == 403
    assert monitor.get("/api/storage/generic-local").status_code == 403
