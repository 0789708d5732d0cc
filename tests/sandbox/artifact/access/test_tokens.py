# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the JFrog access token service."""

from __future__ import annotations

import base64
import re
import time

import pytest
import requests

from support.session import Session
from support.wire.artifact import APP, error_of


def access_error_of(response: requests.Response) -> tuple[int, str]:
    """Return status and code of an error response of the token service."""
    (error,) = response.json()["errors"]
    assert "status" not in error
    assert error["message"]
    return response.status_code, error["code"]


def test_token_is_created_from_json(access, sandbox):
    response = access.post("/tokens", json={"description": "ci", "username": "ci", "expires_in": 20000})
    assert response.status_code == 200
    token = response.json()
    assert set(token) == {"token_id", "access_token", "expires_in", "scope", "token_type", "description"}
    assert (token["expires_in"], token["scope"], token["token_type"]) == (
        20000,
        "applied-permissions/user",
        "Bearer",
    )
    assert token["access_token"].startswith("eyJ2ZXIiOi")
    assert response.headers["Content-Type"] == "application/json"


def test_token_is_created_from_a_form(access):
    token = access.post("/tokens", {"include_reference_token": "true", "refreshable": "true"}).json()
    assert token["expires_in"] == 31536000
    assert len(token["reference_token"]) == 64
    assert token["reference_token"].startswith("cmVmdGtu")
    assert base64.b64decode(token["reference_token"]).startswith(b"reftkn:01:")
    assert token["refresh_token"]


def test_null_is_treated_as_missing(access):
    token = access.post("/tokens", json={"grant_type": None, "expires_in": None, "scope": None}).json()
    assert (token["expires_in"], token["scope"]) == (31536000, "applied-permissions/user")


def test_token_service_sends_the_artifactory_server_header(access):
    for response in (access.get("/tokens"), access.get("/tokens/nothing")):
        assert response.headers["Server"] == "Artifactory/7.77.3"


def test_server_defined_fields_are_ignored(access):
    token = access.post("/tokens", json={"token_id": "mine", "token_type": "access_token"}).json()
    assert token["token_id"] != "mine"
    assert token["token_type"] == "Bearer"


def test_token_never_expires_when_expires_in_is_zero(access):
    token = access.post("/tokens", json={"expires_in": 0}).json()
    assert "expires_in" not in token
    assert "expiry" not in access.get(f"/tokens/{token['token_id']}").json()


def test_token_and_reference_token_authenticate(access, sandbox):
    token = access.post("/tokens", json={"scope": "applied-permissions/admin", "include_reference_token": True}).json()
    for credentials in (
        token["access_token"],
        token["reference_token"],
        ("admin", token["access_token"]),
        ("admin", token["reference_token"]),
    ):
        assert Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories").status_code == 200


def test_scope_limits_permissions(access, sandbox):
    def session(scope: str) -> Session:
        token = access.post("/tokens", json={"username": "transient", "scope": scope}).json()["access_token"]
        return Session(f"{sandbox.url}/artifactory", token)

    no_groups = session("applied-permissions/user")
    assert no_groups.get("/api/repositories").json() == []
    assert session('applied-permissions/groups:"readers"').get(f"/generic-local/{APP}").status_code == 200
    one_path = session("artifact:generic-local/app:r,w")
    assert one_path.get(f"/generic-local/{APP}").status_code == 200
    assert one_path.put("/generic-local/app/new", b"").status_code == 201
    assert one_path.put("/generic-local/new", b"").status_code == 403
    assert one_path.get("/api/storage/libs-release-local").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"scope": "applied-permissions/nothing"},
        {"scope": "applied-permissions/user nonsense"},
        {"expires_in": -1},
        {"expires_in": "soon"},
        {"grant_type": "password"},
        {"description": "x" * 1025},
    ],
)
def test_request_is_400_when_a_field_is_invalid(access, body):
    assert access_error_of(access.post("/tokens", json=body)) == (400, "BAD_REQUEST")


def test_error_body_matches_that_of_a_real_server(access):
    response = access.get("/tokens/nothing")
    assert response.text == (
        '{\n  "errors" : [ {\n    "code" : "NOT_FOUND",\n    "message" : "Token with id nothing not found"\n  } ]\n}'
    )


def test_request_is_401_when_credentials_are_missing_or_invalid(sandbox):
    tokens = f"{sandbox.url}/access/api/v1/tokens"
    assert access_error_of(requests.get(tokens)) == (401, "UNAUTHORIZED")
    assert access_error_of(requests.get(tokens, auth=("admin", "wrong"))) == (401, "UNAUTHORIZED")
    wrong = {"Authorization": "Bearer wrong"}
    assert access_error_of(requests.get(tokens, headers=wrong)) == (401, "UNAUTHORIZED")
    assert requests.post(tokens, auth=("admin", "sandbox-admin")).status_code == 200
    sandbox.switch("artifact", basic_creates_tokens=False)
    assert access_error_of(requests.post(tokens, auth=("admin", "sandbox-admin"))) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    "body",
    [{"username": "admin"}, {"scope": "applied-permissions/admin"}, {"expires_in": 0}, {"expires_in": 10**9}],
)
def test_token_is_refused_when_it_requires_an_administrator(sandbox, body):
    reader = Session(f"{sandbox.url}/access/api/v1", ("reader", "sandbox-reader"))
    assert access_error_of(reader.post("/tokens", json=body)) == (403, "FORBIDDEN")
    assert reader.post("/tokens", json={}).status_code == 200


def test_tokens_are_listed(access):
    before = access.get("/tokens").json()["tokens"]
    created = access.post("/tokens", json={"description": "web one", "username": "ci", "expires_in": 20000}).json()
    entry = next(entry for entry in access.get("/tokens").json()["tokens"] if entry not in before)
    assert re.fullmatch(r"jfac@01\w+/users/ci", entry["subject"])
    assert entry["subject"].startswith(entry["issuer"])
    assert abs(entry["issued_at"] - time.time()) < 60
    assert entry["expiry"] - entry["issued_at"] == 20000
    assert {name: entry[name] for name in ("token_id", "description", "refreshable", "scope")} == {
        "token_id": created["token_id"],
        "description": "web one",
        "refreshable": False,
        "scope": "applied-permissions/user",
    }
    assert "last_used" not in entry
    assert "access_token" not in entry


def test_token_list_is_filtered_and_sorted(access, sandbox):
    token_ids = {}
    for name, fields in (
        ("b", {"description": "web b", "username": "ci"}),
        ("a", {"description": "web a", "username": "deploy", "refreshable": True, "expires_in": 20000}),
        ("c", {"description": "batch", "username": "ci", "expires_in": 0}),
    ):
        token_ids[name] = access.post("/tokens", json=fields).json()["token_id"]
        sandbox.clock(advance=10)

    def list_names(query: str) -> str:
        ids = [entry["token_id"] for entry in access.get(f"/tokens?{query}").json()["tokens"]]
        return "".join(name for token_id in ids for name in token_ids if token_ids[name] == token_id)

    assert list_names("description=web*") == "ba"
    assert list_names("description=web") == list_names("description=[w]eb*") == list_names("description=web?b") == ""
    assert list_names("description=*b*") == "bac"
    assert list_names("username=ci") == "bc"
    assert list_names("refreshable=true") == "a"
    assert list_names(f"token_id={token_ids['c']}") == "c"
    assert list_names("order_by=created&descending_order=true") == "cab"
    assert list_names("order_by=expiry") == "abc"
    assert list_names("order_by=subject") in ("bca", "cba")
    assert access_error_of(access.get("/tokens?order_by=colour")) == (400, "BAD_REQUEST")
    assert access.get("/tokens?username=nobody").json() == {"tokens": []}


def test_user_sees_only_own_tokens(access, sandbox):
    access.post("/tokens", json={"username": "reader"})
    reader = Session(f"{sandbox.url}/access/api/v1", ("reader", "sandbox-reader"))
    (entry,) = reader.get("/tokens").json()["tokens"]
    assert entry["subject"].endswith("/users/reader")
    admin_token_id = access.get("/tokens/me").json()["token_id"]
    assert access_error_of(reader.get(f"/tokens/{admin_token_id}")) == (404, "NOT_FOUND")
    assert access_error_of(reader.delete(f"/tokens/{admin_token_id}")) == (403, "FORBIDDEN")


def test_me_describes_the_current_token(access, sandbox):
    assert access.get("/tokens/me").json()["description"] == "the sandbox's own"
    sandbox.switch("artifact", version="7.53.0")
    assert access_error_of(access.get("/tokens/me")) == (404, "NOT_FOUND")


def test_last_use_is_returned_when_the_version_is_new(access, sandbox):
    sandbox.switch("artifact", version="7.108.3")
    assert abs(access.get("/tokens/me").json()["last_used"] - time.time()) < 60


@pytest.mark.parametrize(("expires_in", "stored"), [(10799, False), (10800, True), (0, True)])
def test_short_lived_tokens_authenticate_but_are_not_stored(access, sandbox, expires_in, stored):
    token = access.post("/tokens", json={"username": "admin", "expires_in": expires_in}).json()
    session = Session(f"{sandbox.url}/artifactory", token["access_token"])
    assert session.get("/api/repositories").status_code == 200
    assert access.get(f"/tokens/{token['token_id']}").status_code == (200 if stored else 404)
    assert (token["token_id"] in access.get("/tokens").text) is stored
    assert access.delete(f"/tokens/{token['token_id']}").status_code == (200 if stored else 204)
    assert session.get("/api/repositories").status_code == (401 if stored else 200)


def test_persistency_threshold_is_switchable(access, sandbox):
    sandbox.switch("artifact", persistency_threshold=60)
    token = access.post("/tokens", json={"expires_in": 100}).json()
    assert access.get(f"/tokens/{token['token_id']}").status_code == 200


def test_short_lived_token_is_stored_when_force_revocable_is_set(access):
    token = access.post("/tokens", json={"expires_in": 100, "force_revocable": True}).json()
    assert access.get(f"/tokens/{token['token_id']}").status_code == 200


@pytest.mark.parametrize("expires_in", [100, 20000])
def test_token_expires(access, sandbox, expires_in):
    token = access.post("/tokens", json={"expires_in": expires_in, "include_reference_token": True}).json()
    sandbox.clock(advance=expires_in + 1)
    for credentials in (token["access_token"], token["reference_token"]):
        response = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
        assert error_of(response) == (401, "Token failed verification: expired")
    sandbox.clock(advance=3600)
    assert token["token_id"] not in access.get("/tokens").text
    assert access_error_of(access.get(f"/tokens/{token['token_id']}")) == (404, "NOT_FOUND")


def test_token_is_revoked_by_id(access, sandbox):
    token = access.post("/tokens", json={"include_reference_token": True}).json()
    assert access.delete(f"/tokens/{token['token_id']}").status_code == 200
    assert access.delete(f"/tokens/{token['token_id']}").status_code == 204
    assert access.delete("/tokens/never-was").status_code == 204
    assert access_error_of(access.get(f"/tokens/{token['token_id']}")) == (404, "NOT_FOUND")
    for credentials in (token["access_token"], token["reference_token"]):
        response = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
        assert error_of(response) == (401, "Token failed verification: revoked")


@pytest.mark.parametrize("kind", ["access_token", "reference_token"])
def test_token_is_revoked_by_value(access, kind):
    token = access.post("/tokens", json={"include_reference_token": True}).json()
    response = access.delete("/tokens/revoke", json={"token": token[kind]})
    assert (response.status_code, response.json()) == (200, {"revoked-token-id": token["token_id"]})


def test_refresh_replaces_the_token(access, sandbox):
    first = access.post("/tokens", json={"description": "r", "refreshable": True, "expires_in": 20000}).json()
    body = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    second = requests.post(f"{sandbox.url}/access/api/v1/tokens", data=body)
    assert second.status_code == 200
    assert second.json()["expires_in"] == 20000
    assert second.json()["token_id"] != first["token_id"]
    assert access.get(f"/tokens/{second.json()['token_id']}").json()["description"] == "r"
    assert access.get(f"/tokens/{first['token_id']}").status_code == 404
    assert access_error_of(access.post("/tokens", json=body)) == (401, "UNAUTHORIZED")


def test_token_service_is_404_when_the_version_is_too_old(access, sandbox):
    sandbox.switch("artifact", version="7.21.0")
    assert access_error_of(access.get("/tokens")) == (404, "NOT_FOUND")


def test_service_reports_its_version_to_authenticated_callers(access, sandbox):
    sandbox.switch("artifact", version="7.161.5")
    assert access.get("/system/version").json() == {"name": "7.161.5"}
    assert Session(f"{sandbox.url}/access", ("admin", "wrong")).get("/api/v1/system/version").status_code == 401


def test_journal_records_the_effects_of_token_calls(access, sandbox):
    sandbox.clear_journal()
    access.get("/tokens")
    access.post("/tokens", json={})
    access.delete("/tokens/never-was")
    assert [(entry["label"], entry["effect"]) for entry in sandbox.journal()] == [
        ("list_tokens", "read"),
        ("create_token", "write"),
        ("revoke_token", "write"),
    ]
