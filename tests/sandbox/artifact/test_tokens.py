# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The token service on the wire."""

from __future__ import annotations

import base64
import re
import time

import pytest
import requests

from support.session import Session
from support.wire.artifact import APP, error_of


def access_error_of(answer: requests.Response) -> tuple[int, str]:
    """Status and code of an answer in the token service's envelope."""
    (error,) = answer.json()["errors"]
    assert "status" not in error
    assert error["message"]
    return answer.status_code, error["code"]


def test_create_with_json(access, sandbox):
    answer = access.post("/tokens", json={"description": "ci", "username": "ci", "expires_in": 20000})
    assert answer.status_code == 200
    token = answer.json()
    assert set(token) == {"token_id", "access_token", "expires_in", "scope", "token_type", "description"}
    assert (token["expires_in"], token["scope"], token["token_type"]) == (
        20000,
        "applied-permissions/user",
        "Bearer",
    )
    assert token["access_token"].startswith("eyJ2ZXIiOi")
    assert answer.headers["Content-Type"] == "application/json"


def test_create_with_a_form(access):
    token = access.post("/tokens", {"include_reference_token": "true", "refreshable": "true"}).json()
    assert token["expires_in"] == 31536000
    assert len(token["reference_token"]) == 64
    assert token["reference_token"].startswith("cmVmdGtu")
    assert base64.b64decode(token["reference_token"]).startswith(b"reftkn:01:")
    assert token["refresh_token"]


def test_null_is_as_good_as_not_given(access):
    token = access.post("/tokens", json={"grant_type": None, "expires_in": None, "scope": None}).json()
    assert (token["expires_in"], token["scope"]) == (31536000, "applied-permissions/user")


def test_the_service_sends_the_headers_of_the_product(access):
    for answer in (access.get("/tokens"), access.get("/tokens/nothing")):
        assert answer.headers["Server"] == "Artifactory/7.77.3"


def test_what_the_caller_cannot_choose_is_ignored(access):
    token = access.post("/tokens", json={"token_id": "mine", "token_type": "access_token"}).json()
    assert token["token_id"] != "mine"
    assert token["token_type"] == "Bearer"


def test_one_that_never_expires(access):
    token = access.post("/tokens", json={"expires_in": 0}).json()
    assert "expires_in" not in token
    assert "expiry" not in access.get(f"/tokens/{token['token_id']}").json()


def test_token_and_reference_open_the_repository(access, sandbox):
    token = access.post("/tokens", json={"scope": "applied-permissions/admin", "include_reference_token": True}).json()
    for credentials in (
        token["access_token"],
        token["reference_token"],
        ("admin", token["access_token"]),
        ("admin", token["reference_token"]),
    ):
        assert Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories").status_code == 200


def test_scopes_limit_what_a_token_opens(access, sandbox):
    def session(scope: str) -> Session:
        token = access.post("/tokens", json={"username": "transient", "scope": scope}).json()["access_token"]
        return Session(f"{sandbox.url}/artifactory", token)

    nothing = session("applied-permissions/user")
    assert nothing.get("/api/repositories").json() == []
    assert session('applied-permissions/groups:"readers"').get(f"/generic-local/{APP}").status_code == 200
    one = session("artifact:generic-local/app:r,w")
    assert one.get(f"/generic-local/{APP}").status_code == 200
    assert one.put("/generic-local/app/new", b"").status_code == 201
    assert one.put("/generic-local/new", b"").status_code == 403
    assert one.get("/api/storage/libs-release-local").status_code == 403


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
def test_bad_requests(access, body):
    assert access_error_of(access.post("/tokens", json=body)) == (400, "BAD_REQUEST")


def test_error_envelope_to_the_byte(access):
    answer = access.get("/tokens/nothing")
    assert answer.text == (
        '{\n  "errors" : [ {\n    "code" : "NOT_FOUND",\n    "message" : "Token with id nothing not found"\n  } ]\n}'
    )


def test_credentials(sandbox):
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
def test_others_than_administrators_may_do_less(sandbox, body):
    reader = Session(f"{sandbox.url}/access/api/v1", ("reader", "sandbox-reader"))
    assert access_error_of(reader.post("/tokens", json=body)) == (403, "FORBIDDEN")
    assert reader.post("/tokens", json={}).status_code == 200


def test_list(access):
    before = access.get("/tokens").json()["tokens"]
    made = access.post("/tokens", json={"description": "web one", "username": "ci", "expires_in": 20000}).json()
    entry = next(entry for entry in access.get("/tokens").json()["tokens"] if entry not in before)
    assert re.fullmatch(r"jfac@01\w+/users/ci", entry["subject"])
    assert entry["subject"].startswith(entry["issuer"])
    assert abs(entry["issued_at"] - time.time()) < 60
    assert entry["expiry"] - entry["issued_at"] == 20000
    assert {name: entry[name] for name in ("token_id", "description", "refreshable", "scope")} == {
        "token_id": made["token_id"],
        "description": "web one",
        "refreshable": False,
        "scope": "applied-permissions/user",
    }
    assert "last_used" not in entry
    assert "access_token" not in entry


def test_list_filtered_and_ordered(access, sandbox):
    made = {}
    for name, fields in (
        ("b", {"description": "web b", "username": "ci"}),
        ("a", {"description": "web a", "username": "deploy", "refreshable": True, "expires_in": 20000}),
        ("c", {"description": "batch", "username": "ci", "expires_in": 0}),
    ):
        made[name] = access.post("/tokens", json=fields).json()["token_id"]
        sandbox.clock(advance=10)

    def found(query: str) -> str:
        ids = [entry["token_id"] for entry in access.get(f"/tokens?{query}").json()["tokens"]]
        return "".join(name for token_id in ids for name in made if made[name] == token_id)

    assert found("description=web*") == "ba"
    assert found("description=web") == found("description=[w]eb*") == found("description=web?b") == ""
    assert found("description=*b*") == "bac"
    assert found("username=ci") == "bc"
    assert found("refreshable=true") == "a"
    assert found(f"token_id={made['c']}") == "c"
    assert found("order_by=created&descending_order=true") == "cab"
    assert found("order_by=expiry") == "abc"
    assert found("order_by=subject") in ("bca", "cba")
    assert access_error_of(access.get("/tokens?order_by=colour")) == (400, "BAD_REQUEST")
    assert access.get("/tokens?username=nobody").json() == {"tokens": []}


def test_others_see_their_own(access, sandbox):
    access.post("/tokens", json={"username": "reader"})
    reader = Session(f"{sandbox.url}/access/api/v1", ("reader", "sandbox-reader"))
    (own,) = reader.get("/tokens").json()["tokens"]
    assert own["subject"].endswith("/users/reader")
    other = access.get("/tokens/me").json()["token_id"]
    assert access_error_of(reader.get(f"/tokens/{other}")) == (404, "NOT_FOUND")
    assert access_error_of(reader.delete(f"/tokens/{other}")) == (403, "FORBIDDEN")


def test_me(access, sandbox):
    assert access.get("/tokens/me").json()["description"] == "the sandbox's own"
    sandbox.switch("artifact", version="7.53.0")
    assert access_error_of(access.get("/tokens/me")) == (404, "NOT_FOUND")


def test_last_use_is_told_by_new_versions(access, sandbox):
    sandbox.switch("artifact", version="7.108.3")
    assert abs(access.get("/tokens/me").json()["last_used"] - time.time()) < 60


@pytest.mark.parametrize(("expires_in", "stored"), [(10799, False), (10800, True), (0, True)])
def test_short_lived_tokens_work_but_are_not_stored(access, sandbox, expires_in, stored):
    token = access.post("/tokens", json={"username": "admin", "expires_in": expires_in}).json()
    session = Session(f"{sandbox.url}/artifactory", token["access_token"])
    assert session.get("/api/repositories").status_code == 200
    assert access.get(f"/tokens/{token['token_id']}").status_code == (200 if stored else 404)
    assert (token["token_id"] in access.get("/tokens").text) is stored
    assert access.delete(f"/tokens/{token['token_id']}").status_code == (200 if stored else 204)
    assert session.get("/api/repositories").status_code == (401 if stored else 200)


def test_the_threshold_is_a_switch(access, sandbox):
    sandbox.switch("artifact", persistency_threshold=60)
    token = access.post("/tokens", json={"expires_in": 100}).json()
    assert access.get(f"/tokens/{token['token_id']}").status_code == 200


def test_short_lived_ones_can_be_made_revocable(access):
    token = access.post("/tokens", json={"expires_in": 100, "force_revocable": True}).json()
    assert access.get(f"/tokens/{token['token_id']}").status_code == 200


@pytest.mark.parametrize("expires_in", [100, 20000])
def test_they_expire(access, sandbox, expires_in):
    token = access.post("/tokens", json={"expires_in": expires_in, "include_reference_token": True}).json()
    sandbox.clock(advance=expires_in + 1)
    for credentials in (token["access_token"], token["reference_token"]):
        answer = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
        assert error_of(answer) == (401, "Token failed verification: expired")
    sandbox.clock(advance=3600)
    assert token["token_id"] not in access.get("/tokens").text
    assert access_error_of(access.get(f"/tokens/{token['token_id']}")) == (404, "NOT_FOUND")


def test_revoke_by_id(access, sandbox):
    token = access.post("/tokens", json={"include_reference_token": True}).json()
    assert access.delete(f"/tokens/{token['token_id']}").status_code == 200
    assert access.delete(f"/tokens/{token['token_id']}").status_code == 204
    assert access.delete("/tokens/never-was").status_code == 204
    assert access_error_of(access.get(f"/tokens/{token['token_id']}")) == (404, "NOT_FOUND")
    for credentials in (token["access_token"], token["reference_token"]):
        answer = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
        assert error_of(answer) == (401, "Token failed verification: revoked")


@pytest.mark.parametrize("kind", ["access_token", "reference_token"])
def test_revoke_by_value(access, kind):
    token = access.post("/tokens", json={"include_reference_token": True}).json()
    answer = access.delete("/tokens/revoke", json={"token": token[kind]})
    assert (answer.status_code, answer.json()) == (200, {"revoked-token-id": token["token_id"]})


def test_refresh(access, sandbox):
    first = access.post("/tokens", json={"description": "r", "refreshable": True, "expires_in": 20000}).json()
    body = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    second = requests.post(f"{sandbox.url}/access/api/v1/tokens", data=body)
    assert second.status_code == 200
    assert second.json()["expires_in"] == 20000
    assert second.json()["token_id"] != first["token_id"]
    assert access.get(f"/tokens/{second.json()['token_id']}").json()["description"] == "r"
    assert access.get(f"/tokens/{first['token_id']}").status_code == 404
    assert access_error_of(access.post("/tokens", json=body)) == (401, "UNAUTHORIZED")


def test_there_is_no_such_service_before_7_21(access, sandbox):
    sandbox.switch("artifact", version="7.21.0")
    assert access_error_of(access.get("/tokens")) == (404, "NOT_FOUND")


def test_refreshing_counts_as_a_write_and_listing_as_a_read(access, sandbox):
    sandbox.clear_journal()
    access.get("/tokens")
    access.post("/tokens", json={})
    access.delete("/tokens/never-was")
    assert [(entry["label"], entry["effect"]) for entry in sandbox.journal()] == [
        ("list_tokens", "read"),
        ("create_token", "write"),
        ("revoke_token", "write"),
    ]
