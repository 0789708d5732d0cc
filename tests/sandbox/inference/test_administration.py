# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: administration of an organization."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.wire.inference import ADMIN, SECRET, SESSION, Api, error

ORGANIZATION = "/v1/organization"
PROJECTS = f"{ORGANIZATION}/projects"
PROJECT = f"{PROJECTS}/proj_sandbox"
DEFAULT = f"{PROJECTS}/proj_default"
OLD = f"{PROJECTS}/proj_old"
READS = [
    f"{ORGANIZATION}/users",
    f"{ORGANIZATION}/users/user-sandbox-bob",
    f"{ORGANIZATION}/invites",
    f"{ORGANIZATION}/invites/invite-sandbox-carol",
    f"{ORGANIZATION}/admin_api_keys",
    f"{ORGANIZATION}/admin_api_keys/key_admin",
    PROJECTS,
    PROJECT,
    f"{PROJECT}/users",
    f"{PROJECT}/users/user-sandbox-alice",
    f"{PROJECT}/service_accounts",
    f"{PROJECT}/service_accounts/svc_acct_sandbox",
    f"{PROJECT}/api_keys",
    f"{PROJECT}/api_keys/key_alice",
    f"{PROJECT}/rate_limits",
]


@pytest.fixture
def admin(api: Api) -> Admin:
    return Admin(api)


class Admin:
    """Client with an admin key."""

    def __init__(self, api: Api) -> None:
        self.api = api

    def get(self, path: str, **query: Any) -> Any:
        return self.good(self.api.call("GET", path, ADMIN, params=query))

    def post(self, path: str, **body: Any) -> Any:
        return self.good(self.api.call("POST", path, ADMIN, json=body))

    def delete(self, path: str) -> Any:
        return self.good(self.api.call("DELETE", path, ADMIN))

    def get_error(self, method: str, path: str, **options: Any) -> tuple[int, str]:
        status, body = error(self.api.call(method, path, ADMIN, **options))
        return status, body["message"]

    @staticmethod
    def good(answer: requests.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()


def ids(page: dict[str, Any]) -> list[str]:
    return [entry["id"] for entry in page["data"]]


@pytest.mark.parametrize("path", READS)
def test_request_is_refused_when_key_is_not_an_admin_key(api: Api, path: str) -> None:
    assert api.get(path, ADMIN).status_code == 200
    status, body = error(api.get(path, SECRET))
    assert (status, body["type"], body["code"]) == (401, "invalid_request_error", None)
    assert "Missing scopes: api.management.read. " in body["message"]
    assert error(api.get(path, None))[0] == 401


def test_request_is_404_when_object_is_missing(admin: Admin) -> None:
    assert admin.get_error("GET", f"{PROJECTS}/nope/rate_limits") == (404, "The project nope was not found")
    for path in READS:
        if not path.endswith(("s", "project_limits")) and path != PROJECT:
            missing_path = path.rpartition("/")[0] + "/nope"
            assert admin.get_error("GET", missing_path)[0] == 404


def test_error_has_no_envelope_when_switch_is_on(admin: Admin, sandbox: Any) -> None:
    sandbox.switch("inference", bare_admin_errors=True)
    answer = admin.api.get(f"{PROJECTS}/nope", ADMIN)
    assert (answer.status_code, answer.json()) == (404, {"code": 404, "message": "The project nope was not found"})


def test_rate_limits_of_a_project_can_be_requested_1000_at_once(admin: Admin) -> None:
    """As OpenAI's Terraform provider does, which requests 100 entries of all other lists."""
    assert len(admin.get(f"{PROJECT}/rate_limits", limit="1000")["data"]) > 1
    for path, limit in ((f"{PROJECT}/rate_limits", "1001"), (PROJECTS, "1000")):
        status, message = admin.get_error("GET", path, params={"limit": limit})
        assert (status, "Expected a value <= " in message) == (400, True)


def test_lists_are_paginated(admin: Admin) -> None:
    for number in range(23):
        admin.post(PROJECTS, name=f"P{number}")
    first = admin.get(PROJECTS)
    assert set(first) == {"object", "data", "first_id", "last_id", "has_more"}
    assert (len(first["data"]), first["has_more"]) == (20, True)
    assert (first["first_id"], first["last_id"]) == (first["data"][0]["id"], first["data"][-1]["id"])
    rest = admin.get(PROJECTS, after=first["last_id"])
    assert (len(rest["data"]), rest["has_more"]) == (5, False)
    assert not set(ids(first)) & set(ids(rest))
    end = admin.get(PROJECTS, after=rest["last_id"], limit=100)
    assert end == {"object": "list", "data": [], "first_id": None, "last_id": None, "has_more": False}
    assert ids(admin.get(PROJECTS, limit=2, after=ids(first)[0])) == ids(first)[1:3]


@pytest.mark.parametrize(
    ("query", "param"),
    [({"limit": "0"}, "limit"), ({"limit": "101"}, "limit"), ({"limit": "x"}, "limit"), ({"after": "nope"}, "after")],
)
def test_page_is_refused_when_cursor_is_invalid(admin: Admin, query: dict[str, str], param: str) -> None:
    status, body = error(admin.api.call("GET", PROJECTS, ADMIN, params=query))
    assert (status, body["param"]) == (400, param)


def test_users_can_be_listed_changed_and_deleted(admin: Admin) -> None:
    users = admin.get(f"{ORGANIZATION}/users")
    assert users["data"][1] == {
        "object": "organization.user",
        "id": "user-sandbox-alice",
        "name": "Alice Adams",
        "email": "Alice@sandbox.example",
        "role": "reader",
        "added_at": 1735689600,
    }
    alice = f"{ORGANIZATION}/users/user-sandbox-alice"
    assert admin.get(f"{ORGANIZATION}/users", emails="alice@SANDBOX.example")["data"] == [users["data"][1]]
    assert admin.post(alice, role="owner")["role"] == "owner"
    assert admin.get_error("POST", alice, json={"role": "king"})[0] == 400
    assert admin.delete(alice) == {"object": "organization.user.deleted", "id": "user-sandbox-alice", "deleted": True}
    assert admin.get_error("GET", alice)[0] == 404
    assert ids(admin.get(f"{PROJECT}/users")) == ["user-sandbox-olivia"]


def test_invites_can_be_created_and_deleted(admin: Admin, sandbox: Any) -> None:
    invites = f"{ORGANIZATION}/invites"
    carol = admin.get(f"{invites}/invite-sandbox-carol")
    assert (carol["status"], carol["accepted_at"]) == ("expired", None)
    dora = admin.post(invites, email="dora@sandbox.example", role="reader")
    assert dora["status"] == "pending"
    assert dora["projects"] == [{"id": "proj_default", "role": "member"}]
    assert admin.post(invites, email="emil@sandbox.example", role="owner", projects=[])["projects"] == []
    assert admin.get_error("POST", invites, json={"email": "Dora@sandbox.example", "role": "reader"})[0] == 400
    assert admin.get_error("POST", invites, json={"email": "BOB@sandbox.example", "role": "reader"})[0] == 400
    assert admin.get_error("POST", invites, json={"role": "reader"}) == (400, "Missing required parameter: 'email'.")
    sandbox.clock(advance=8 * 86_400)
    assert admin.get(f"{invites}/{dora['id']}")["status"] == "expired"
    again = admin.post(invites, email="dora@sandbox.example", role="reader")
    assert (again["status"], again["id"] == dora["id"]) == ("pending", False)
    assert admin.delete(f"{invites}/{dora['id']}")["object"] == "organization.invite.deleted"
    assert admin.get_error("DELETE", f"{invites}/{dora['id']}")[0] == 404


def test_invite_is_kept_when_it_was_accepted(admin: Admin, sandbox: Any) -> None:
    invite = {"id": "invite-f", "email": "f@sandbox.example", "accepted_at": 1735700000}
    organization = {"id": "org-sandbox", "name": "sandbox", "invites": [invite]}
    sandbox.seed({"inference": {"organizations": [organization]}})
    assert admin.get(f"{ORGANIZATION}/invites/invite-f")["status"] == "accepted"
    assert admin.get_error("DELETE", f"{ORGANIZATION}/invites/invite-f")[0] == 400


def test_user_is_unchanged_when_update_has_no_role(admin: Admin) -> None:
    user = admin.get(f"{ORGANIZATION}/users/user-sandbox-bob")
    assert admin.post(f"{ORGANIZATION}/users/user-sandbox-bob") == user
    member = admin.get(f"{PROJECT}/users/user-sandbox-alice")
    assert admin.post(f"{PROJECT}/users/user-sandbox-alice", role=None) == member


def test_user_keeps_metadata_when_other_fields_change(admin: Admin) -> None:
    path = f"{ORGANIZATION}/users/user-sandbox-bob"
    changed = admin.post(path, developer_persona="data scientist", technical_level="expert")
    assert changed["role"] == "reader"
    assert admin.post(path, role="owner") == {**changed, "role": "owner"}
    assert (changed["developer_persona"], changed["technical_level"]) == ("data scientist", "expert")
    assert admin.get_error("POST", path, json={"developer_persona": 1})[0] == 400
    assert admin.get_error("POST", path, json={"role_id": "role-1"})[0] == 501


def test_geography_is_accepted_when_residency_is_not_set(admin: Admin) -> None:
    project = admin.post(PROJECTS, name="Abroad", geography="US")
    assert admin.post(f"{PROJECTS}/{project['id']}", geography="EU") == project
    both = {"name": "Both", "geography": "US", "residency": "GLOBAL"}
    assert admin.get_error("POST", PROJECTS, json=both)[0] == 400


def test_projects_can_be_created_changed_and_archived(admin: Admin) -> None:
    project = admin.post(PROJECTS, name="Search", external_key_id="ext_1")
    assert project == {
        "id": project["id"],
        "object": "organization.project",
        "name": "Search",
        "created_at": project["created_at"],
        "archived_at": None,
        "status": "active",
        "external_key_id": "ext_1",
    }
    path = f"{PROJECTS}/{project['id']}"
    assert admin.post(path, name="Find")["name"] == "Find"
    archived = admin.post(f"{path}/archive")
    assert (archived["status"], archived["archived_at"] is None) == ("archived", False)
    assert admin.get(path) == archived
    assert project["id"] not in ids(admin.get(PROJECTS))
    assert project["id"] in ids(admin.get(PROJECTS, include_archived="true"))


def test_project_names_are_not_unique(admin: Admin) -> None:
    assert admin.post(PROJECTS, name="Twin")["id"] != admin.post(PROJECTS, name="Twin")["id"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", OLD, {"name": "x"}),
        ("POST", f"{OLD}/archive", None),
        ("GET", f"{OLD}/users", None),
        ("GET", f"{OLD}/service_accounts", None),
        ("POST", f"{OLD}/rate_limits/rl-gpt-4o", {"max_requests_per_1_minute": 1}),
    ],
)
def test_change_is_refused_when_project_is_archived(admin: Admin, method: str, path: str, body: Any) -> None:
    assert admin.get_error(method, path, json=body) == (400, "Project Retired is archived")


def test_default_project_cannot_be_changed(admin: Admin) -> None:
    for path in (DEFAULT, f"{DEFAULT}/archive"):
        status, message = admin.get_error("POST", path, json={"name": "x"})
        assert (status, "default project" in message) == (400, True)


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": 1}, {"name": "x", "colour": "red"}])
def test_request_is_refused_when_body_is_invalid(admin: Admin, body: dict[str, Any]) -> None:
    assert admin.get_error("POST", PROJECTS, json=body)[0] == 400


def test_project_users_can_be_added_changed_and_removed(admin: Admin) -> None:
    bob = admin.post(f"{PROJECT}/users", email="Bob@sandbox.example", role="member")
    assert (bob["id"], bob["object"]) == ("user-sandbox-bob", "organization.project.user")
    path = f"{PROJECT}/users/user-sandbox-bob"
    assert admin.post(path, role="owner")["role"] == "owner"
    assert admin.get_error("POST", f"{PROJECT}/users", json={"user_id": bob["id"], "role": "member"})[0] == 400
    assert admin.get_error("POST", f"{PROJECT}/users", json={"email": "x@y.z", "role": "member"})[0] == 404
    for nobody in ({}, {"user_id": ""}, {"email": " "}):
        assert admin.get_error("POST", f"{PROJECT}/users", json={**nobody, "role": "member"})[0] == 400
    assert admin.get_error("DELETE", f"{PROJECT}/users/user-sandbox-olivia")[0] == 400
    assert admin.delete(path)["deleted"] is True
    assert admin.get_error("GET", path)[0] == 404


def test_service_accounts_can_be_created_changed_and_deleted(admin: Admin) -> None:
    accounts = f"{PROJECT}/service_accounts"
    account = admin.post(accounts, name="robot")
    value = account["api_key"]["value"]
    assert (account["role"], value.startswith("sk-svcacct-")) == ("member", True)
    assert admin.api.get("/v1/models", value).status_code == 200
    assert "api_key" not in admin.get(f"{accounts}/{account['id']}")
    more = admin.post(f"{accounts}/{account['id']}/api_keys", name="second", scopes=["api.model.read"])
    assert more["name"] == "second"
    assert "Missing scopes" in error(admin.api.chat(more["value"]))[1]["message"]
    powerless = admin.post(f"{accounts}/{account['id']}/api_keys", name="third", scopes=[])
    assert "Missing scopes" in error(admin.api.get("/v1/models", powerless["value"]))[1]["message"]
    assert admin.get_error("POST", f"{accounts}/{account['id']}/api_keys", json={"scopes": [1]})[0] == 400
    alone = admin.post(accounts, name="keyless", create_service_account_only=True)
    assert (alone["role"], alone["api_key"]) == ("none", None)
    assert admin.post(f"{accounts}/{alone['id']}", name="other", role="owner")["role"] == "owner"
    assert admin.delete(f"{accounts}/{account['id']}")["object"] == "organization.project.service_account.deleted"
    assert admin.api.get("/v1/models", value).status_code == 401


def test_project_keys_can_be_listed_and_deleted(admin: Admin) -> None:
    keys = f"{PROJECT}/api_keys"
    alice, pipeline = admin.get(keys)["data"][:2]
    assert alice == {
        "object": "organization.project.api_key",
        "id": "key_alice",
        "name": "Alice's key",
        "redacted_value": "sk-proj-san...0001",
        "created_at": 1735689600,
        "last_used_at": None,
        "owner_project_access": "active",
        "owner": {
            "type": "user",
            "user": {
                "id": "user-sandbox-alice",
                "name": "Alice Adams",
                "email": "Alice@sandbox.example",
                "role": "reader",
                "created_at": 1735689600,
            },
        },
    }
    assert pipeline["owner"]["service_account"]["name"] == "pipeline"
    assert admin.get(keys, owner_project_access="inactive")["data"] == []
    status, message = admin.get_error("DELETE", f"{keys}/key_pipeline")
    assert (status, "please delete the service account" in message) == (400, True)
    assert admin.delete(f"{keys}/key_alice")["deleted"] is True
    assert admin.api.get("/v1/models", SECRET).status_code == 401


def test_project_limits_can_be_lowered(admin: Admin) -> None:
    limits = {limit["id"]: limit for limit in admin.get(f"{PROJECT}/rate_limits")["data"]}
    assert limits["rl-gpt-4o-mini"] == {
        "object": "project.rate_limit",
        "id": "rl-gpt-4o-mini",
        "model": "gpt-4o-mini",
        "max_requests_per_1_minute": 500,
        "max_tokens_per_1_minute": 200000,
        "max_requests_per_1_day": 10000,
        "batch_1_day_max_input_tokens": 2000000,
    }
    assert not {"rl-*", "rl-gpt-image-1"} & set(limits)
    path = f"{PROJECT}/rate_limits/rl-gpt-4o"
    assert admin.post(path, max_requests_per_1_minute=7)["max_requests_per_1_minute"] == 7
    assert admin.api.chat().headers["x-ratelimit-limit-requests"] == "7"
    assert admin.get_error("POST", path, json={"max_tokens_per_1_minute": 30001})[0] == 400
    assert admin.get_error("POST", path, json={"max_images_per_1_minute": 1})[0] == 400
    assert admin.get_error("POST", f"{PROJECT}/rate_limits/rl-nope", json={"max_requests_per_1_minute": 1})[0] == 404
    before = admin.get(f"{PROJECT}/rate_limits", before="rl-gpt-4-0613", limit=2)
    assert (ids(before), before["has_more"]) == (["rl-gpt-4", "rl-gpt-4-0125-preview"], True)


def test_admin_keys_can_be_created_and_deleted(admin: Admin, sandbox: Any) -> None:
    keys = f"{ORGANIZATION}/admin_api_keys"
    (main,) = admin.get(keys)["data"]
    assert main == {
        "object": "organization.admin_api_key",
        "id": "key_admin",
        "name": "Main admin key",
        "redacted_value": "sk-admin-san...0004",
        "created_at": 1735689600,
        "expires_at": None,
        "last_used_at": main["last_used_at"],
        "owner": {
            "type": "user",
            "object": "organization.user",
            "id": "user-sandbox-olivia",
            "name": "Olivia Owner",
            "created_at": 1735689600,
            "role": "owner",
        },
    }
    assert main["last_used_at"] > main["created_at"]
    key = admin.post(keys, name="short", expires_in_seconds=60)
    assert key["expires_at"] == key["created_at"] + 60
    assert "value" not in admin.get(f"{keys}/{key['id']}")
    assert ids(admin.get(keys, order="desc")) == [key["id"], "key_admin"]
    assert admin.api.get(PROJECTS, key["value"]).status_code == 200
    sandbox.clock(advance=61)
    assert admin.api.get(PROJECTS, key["value"]).status_code == 401
    assert admin.get_error("POST", keys, json={"name": "x", "expires_in_seconds": 31536001})[0] == 400
    assert admin.delete(f"{keys}/{key['id']}")["object"] == "organization.admin_api_key.deleted"
    assert admin.get_error("GET", f"{keys}/key_alice")[0] == 404


def test_administrative_call_is_429_when_limit_is_exceeded(admin: Admin, sandbox: Any) -> None:
    sandbox.switch("inference", admin_calls_per_minute=7)
    sandbox.clock(frozen=True)
    answers = [admin.api.get(PROJECTS, ADMIN) for _number in range(8)]
    assert [answer.status_code for answer in answers] == [200] * 7 + [429]
    assert not [name for name in answers[-1].headers if name.startswith(("x-ratelimit", "retry-after"))]
    assert admin.api.get(PROJECT, ADMIN).status_code == 200
    sandbox.clock(advance=60)
    assert admin.api.get(PROJECTS, ADMIN).status_code == 200


@pytest.mark.parametrize("key", [ADMIN, SESSION])
def test_organizations_are_listed(api: Api, key: str) -> None:
    assert api.get("/v1/organizations", key).json()["data"] == [
        {
            "object": "organization",
            "id": "org-sandbox",
            "created": 1735689600,
            "title": "Sandbox",
            "name": "sandbox",
            "description": "Organization of the sandbox",
            "projects": {
                "object": "list",
                "data": [
                    {"id": "proj_default", "title": "Default project"},
                    {"id": "proj_sandbox", "title": "Sandbox"},
                ],
            },
        }
    ]
