# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API tokens of users."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.wire.ci import TOKENS, Ci, oops

VALUE = "11bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
RUNNER = "// The runner of buildworks.toolchain\n"


def call(ci: Ci, name: str, owner: str = "user/admin", user: str = "admin", **form: str) -> Any:
    return ci.post(f"/{owner}/descriptorByName/jenkins.security.ApiTokenProperty/{name}", data=form, user=user)


def generate(ci: Ci, name: str, **form: str) -> dict[str, Any]:
    """Return the new token."""
    answer = call(ci, "generateNewToken", newTokenName=name, **form)
    assert answer.headers["Content-Type"] == "application/json;charset=utf-8"
    content = answer.json()
    assert (answer.status_code, content["status"]) == (200, "ok")
    return dict(content["data"])


def login(ci: Ci, token: str, user: str = "admin") -> int:
    return ci.get("/whoAmI/api/json", auth=(user, token)).status_code


def list_tokens(ci: Ci, user: str = "admin") -> list[dict[str, Any]]:
    """Return the tokens as the script of the modules lists them, except the seeded one."""
    code = "// buildworks.toolchain: list API tokens\n"
    answer = ci.post("/scriptText", data={"script": RUNNER, "code": code, "args": f"m1 suser s{user}"})
    tokens = json.loads(answer.text.partition("@@toolchain@@")[2])["value"]["tokens"]
    return [token for token in tokens if token["name"] != "sandbox"]


def test_token_is_generated_and_works(ci: Ci) -> None:
    token = generate(ci, "t1")
    assert list(token) == ["aboutToExpire", "tokenName", "tokenUuid", "tokenValue", "expirationDate"]
    assert (token["aboutToExpire"], token["tokenName"], token["expirationDate"]) == (False, "t1", "never")
    assert login(ci, token["tokenValue"]) == 200
    assert login(ci, token["tokenValue"], "reader") == 401


def test_two_tokens_can_have_the_same_name(ci: Ci) -> None:
    tokens = [generate(ci, "twice") for _time in range(2)]
    assert [token["name"] for token in list_tokens(ci)] == ["twice", "twice"]
    assert {token["uuid"] for token in list_tokens(ci)} == {token["tokenUuid"] for token in tokens}


def test_name_has_the_time_when_it_is_empty(ci: Ci) -> None:
    assert generate(ci, "")["tokenName"].startswith("Token created on 20")


def test_token_is_refused_with_200_when_its_date_is_in_the_past(ci: Ci) -> None:
    answer = call(ci, "generateNewToken", newTokenName="t", expirationDuration="custom", tokenExpiration="2020-01-01")
    assert (answer.status_code, answer.json()) == (
        200,
        {"status": "error", "message": "Expiration date is in the past."},
    )
    assert oops(call(ci, "generateNewToken", expirationDuration="custom", tokenExpiration="nodate"))
    assert list_tokens(ci) == []


def test_token_expires_after_its_last_day(ci: Ci) -> None:
    ci.sandbox.clock(set=1795435200)  # 2026-11-23 12:00 UTC
    token = generate(ci, "t", expirationDuration="30")
    assert (token["expirationDate"], token["aboutToExpire"]) == ("12/23/26", False)
    assert [entry["expires"] for entry in list_tokens(ci)] == ["2026-12-23"]
    assert generate(ci, "u", expirationDuration="custom", tokenExpiration="2030-01-01")["expirationDate"] == "1/1/30"
    ci.later(30 * 86400)
    assert login(ci, token["tokenValue"]) == 200
    ci.later(86400)
    assert login(ci, token["tokenValue"]) == 401


def test_fixed_token_has_the_given_value(ci: Ci) -> None:
    answers = [call(ci, "addFixedToken", newTokenName="fx", newTokenPlainValue=VALUE).json() for _time in range(2)]
    assert all(answer["status"] == "ok" and list(answer["data"]) == ["tokenName", "tokenUuid"] for answer in answers)
    assert len({answer["data"]["tokenUuid"] for answer in answers}) == 2
    assert login(ci, VALUE) == 200


@pytest.mark.parametrize("value", [VALUE[2:], "11zz", ""])
def test_fixed_token_is_500_when_its_value_is_wrong(ci: Ci, value: str) -> None:
    assert oops(call(ci, "addFixedToken", newTokenName="fx", newTokenPlainValue=value))


def test_users_create_only_their_own_tokens(ci: Ci) -> None:
    for name in ("generateNewToken", "addFixedToken"):
        for owner, user in (("user/reader", "admin"), ("user/admin", "reader")):
            answer = call(ci, name, owner, user, newTokenName="t", newTokenPlainValue=VALUE)
            assert (answer.status_code, answer.text) == (403, "")
    assert call(ci, "generateNewToken", "user/reader", "reader", newTokenName="t").status_code == 200
    assert call(ci, "generateNewToken", "me", "reader", newTokenName="t").status_code == 200


def test_administrators_create_tokens_of_others_when_the_server_allows_it(ci: Ci, sandbox: Any) -> None:
    sandbox.switch("ci", admin_can_generate_tokens=True)
    token = call(ci, "generateNewToken", "user/reader", newTokenName="t").json()["data"]
    assert login(ci, token["tokenValue"], "reader") == 200
    assert call(ci, "addFixedToken", "user/reader", newTokenName="t", newTokenPlainValue=VALUE).status_code == 200
    assert call(ci, "generateNewToken", "user/admin", "reader", newTokenName="t").status_code == 403


def test_token_is_renamed(ci: Ci) -> None:
    uuid = generate(ci, "old")["tokenUuid"]
    assert call(ci, "rename", tokenUuid=uuid, newName="new").json() == {"status": "ok"}
    assert [token["name"] for token in list_tokens(ci)] == ["new"]
    unknown = {"status": "error", "message": "No token found, try refreshing the page"}
    assert call(ci, "rename", tokenUuid="nosuch", newName="new").json() == unknown
    empty = {"status": "error", "message": "The name cannot be empty"}
    assert call(ci, "rename", tokenUuid=uuid, newName="").json() == empty


def test_token_is_revoked(ci: Ci) -> None:
    token = generate(ci, "t")
    for uuid in (token["tokenUuid"], token["tokenUuid"], "nosuch"):
        answer = call(ci, "revoke", tokenUuid=uuid)
        assert (answer.status_code, answer.text) == (200, "")
    assert login(ci, token["tokenValue"]) == 401
    answer = call(ci, "revoke", tokenUuid="")
    assert (answer.status_code, "The tokenUuid cannot be empty" in answer.text) == (400, True)


def test_all_tokens_are_revoked(ci: Ci) -> None:
    assert call(ci, "revokeAll", "user/reader").status_code == 200
    assert login(ci, TOKENS["reader"], "reader") == 401
    assert call(ci, "revoke", "user/reader", tokenUuid="").status_code == 200  # a user without tokens
    answer = call(ci, "revokeAll", "user/admin", "builder")
    assert (answer.status_code, answer.headers["X-Required-Permission"]) == (403, "hudson.model.Hudson.Administer")


def test_all_tokens_but_one_are_revoked(ci: Ci) -> None:
    kept, other = generate(ci, "kept"), generate(ci, "other")
    assert call(ci, "revokeAllExcept", tokenUuid=kept["tokenUuid"]).status_code == 200
    assert (login(ci, kept["tokenValue"]), login(ci, other["tokenValue"])) == (200, 401)


def test_seeded_token_has_its_name(ci: Ci, sandbox: Any) -> None:
    token = {"value": VALUE, "name": "notebook", "uuid": "u1", "created": "2026-11-01T00:00:00+00:00"}
    sandbox.seed({"ci": {"users": [{"name": "dave", "password": "x", "tokens": [token]}]}})
    assert [(entry["uuid"], entry["name"], entry["created"]) for entry in list_tokens(ci, "dave")] == [
        ("u1", "notebook", 1793491200000)
    ]
