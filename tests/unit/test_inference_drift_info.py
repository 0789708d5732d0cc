# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.inference_server import ADMIN, page
from support.running import run

RPM, TPM = "max_requests_per_1_minute", "max_tokens_per_1_minute"
DAY = 86_400


def project(number: int, name: str = "", key: str | None = None) -> dict[str, Any]:
    named = {"id": f"proj_{number}", "name": name or f"P{number}", "external_key_id": key}
    return {"object": "organization.project", **named, "created_at": 1, "archived_at": None, "status": "active"}


DEFAULT = project(0, "Default project")


def projects(*entries: dict[str, Any]) -> Call:
    return page("/projects", DEFAULT, *entries)


def limits(number: int, **rows: int) -> Call:
    entries = [
        {"object": "project.rate_limit", "id": f"rl-{model}", "model": model, RPM: value, TPM: value}
        for model, value in rows.items()
    ]
    return page(f"/projects/proj_{number}/rate_limits", *entries)


def user(name: str, role: str = "reader", kind: str = "organization.user") -> dict[str, Any]:
    return {"object": kind, "id": f"user-{name}", "name": name, "email": f"{name}@x.y", "role": role, "added_at": 1}


def invite(name: str, status: str = "pending", **roles: str) -> dict[str, Any]:
    into = [{"id": id_, "role": role} for id_, role in roles.items()]
    return {"id": f"invite-{name}", "email": f"{name}@x.y", "role": "reader", "status": status, "projects": into}


def key(id_: str, days: int, redacted: str = "sk-admin-abc...wxyz") -> dict[str, Any]:
    created = int(time.time()) - days * DAY - 60
    return {
        "id": id_,
        "name": id_.upper(),
        "redacted_value": redacted,
        "created_at": created,
        "owner": {"name": "Olivia"},
    }


def compare(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("inference_drift_info", url=f"{server.url}/v1", admin_key=ADMIN, **parameters)


def find_drift(*calls: Call, **parameters: Any) -> list[tuple[str, str, Any]]:
    result = compare(*calls, **parameters)
    assert not result.get("failed"), result
    return [(one["problem"], one["text"], one["remediation"]) for one in result["drift"]]


def test_declared_organization_requires_one_request_per_page_and_project_with_limits() -> None:
    calls = projects(project(1), project(2, key="k")), limits(1, a=5, b=6), limits(2, a=7)
    declared = [
        {"name": "P1", "limits": [{"model": "a", RPM: 5}, {"model": "b", TPM: 6}]},
        {"name": "P2", "external_key_id": "k", "limits": [{"model": "a", RPM: 7}]},
        {"name": "P3", "state": "absent", "limits": [{"model": "a", RPM: 7}]},
        {"name": "Default project"},
    ]
    assert find_drift(*calls, projects=declared) == []


def test_project_differences_have_a_remediation() -> None:
    there = projects(project(1, key="old"), project(2), project(3), project(4, "Twin"), project(5, "Twin"))
    declared = [
        {"name": "P1", "external_key_id": "new"},
        {"name": "Two", "id": "proj_2"},
        {"name": "P3", "state": "absent"},
        {"name": "Twin"},
        {"name": "New", "residency": "GLOBAL", "limits": [{"model": "a", RPM: 1}]},
    ]
    assert find_drift(there, projects=declared) == [
        (
            "differs",
            "Project 'P1': external_key_id is 'old', but 'new' is declared.",
            {"name": "P1", "external_key_id": "new", "id": "proj_1"},
        ),
        ("differs", "Project 'P2': name is 'P2', but 'Two' is declared.", {"name": "Two", "id": "proj_2"}),
        ("ambiguous", "2 projects have the name 'Twin'. Declare the ID of one of them.", None),
        ("missing", "Project 'New' does not exist.", {"name": "New", "residency": "GLOBAL"}),
        (
            "undeclared",
            "Project 'P3' (proj_3) is not declared.",
            {"name": "P3", "id": "proj_3", "state": "absent"},
        ),
        (
            "missing",
            "The rate limits of project 'New' are not set, because the project does not exist.",
            {"project_name": "New", "limits": [{"model": "a", RPM: 1}]},
        ),
    ]


def test_limit_differences_name_the_declared_value() -> None:
    declared = [{"model": "a", RPM: 5, TPM: 10}, {"model": "b", RPM: 10}, {"model": "c", RPM: 1}]
    calls = projects(project(1)), limits(1, a=10, b=9)
    remediation = {"project_id": "proj_1", "limits": declared}
    assert find_drift(*calls, projects=[{"name": "P1", "limits": declared}]) == [
        ("above", f"Project 'P1': {RPM} of a is 10, but 5 is declared.", remediation),
        ("below", f"Project 'P1': {RPM} of b is 9, but 10 is declared.", remediation),
        ("missing", f"Project 'P1': {RPM} of c is not set, but 1 is declared.", remediation),
    ]


def test_pending_invitations_count_as_users() -> None:
    calls = (
        page("/invites", invite("carol"), invite("dora", "expired"), invite("emil")),
        page("/users", user("olivia", "owner"), user("alice"), user("bob")),
    )
    declared = [
        {"email": "OLIVIA@x.y", "role": "owner"},
        {"email": "alice@x.y", "role": "owner"},
        {"email": "carol@x.y"},
        {"email": "dora@x.y"},
        {"email": "bob@x.y", "state": "absent"},
        {"email": "nobody@x.y", "state": "absent"},
    ]
    assert find_drift(*calls, users=declared) == [
        (
            "differs",
            "Role of alice@x.y: reader. Declared: owner.",
            {"email": "alice@x.y", "role": "owner", "state": "present"},
        ),
        (
            "missing",
            "User dora@x.y does not exist and has no pending invitation.",
            {"email": "dora@x.y", "state": "present"},
        ),
        (
            "undeclared",
            "User bob@x.y with the role reader is not declared.",
            {"email": "bob@x.y", "state": "absent"},
        ),
        (
            "undeclared",
            "Invitation for emil@x.y with the role reader is not declared.",
            {"email": "emil@x.y", "state": "absent"},
        ),
    ]


def test_project_roles_of_users_are_compared() -> None:
    calls = (
        projects(project(1)),
        page("/invites", invite("carol", proj_1="owner")),
        page("/users", user("alice"), user("bob")),
        page("/projects/proj_0/users", user("bob", "member"), user("gone", "member")),
        page("/projects/proj_1/users", user("alice", "member")),
    )
    declared = [
        {"email": "alice@x.y", "projects": [{"name": "P1", "role": "owner"}]},
        {"email": "bob@x.y", "projects": []},
        {"email": "carol@x.y", "projects": [{"id": "proj_1", "role": "owner"}]},
    ]
    result = compare(*calls, users=declared)
    assert [(one["text"], one["field"], one["declared"], one["current"]) for one in result["drift"]] == [
        (
            "Project roles of alice@x.y: member of 'P1'. Declared: owner of 'P1'.",
            "projects",
            "owner of 'P1'",
            "member of 'P1'",
        ),
        (
            "Project roles of bob@x.y: member of 'Default project'. Declared: none.",
            "projects",
            "none",
            "member of 'Default project'",
        ),
    ]
    assert result["drift"][0]["remediation"] == {
        "email": "alice@x.y",
        "projects": [{"name": "P1", "role": "owner"}],
        "state": "present",
    }


def test_old_keys_have_no_remediation_when_a_newer_key_shares_the_name() -> None:
    calls = (
        projects(project(1)),
        page(
            "/admin_api_keys",
            *(key("a", 91), key("b", 90), key("own", 200, "sk-admin-0...cdef")),
            {**key("b2", 99), "name": "B"},
        ),
        page("/projects/proj_0/api_keys", key("c", 1)),
        page("/projects/proj_1/api_keys", key("d", 1000)),
    )
    assert find_drift(*calls, max_key_age_days=90) == [
        (
            "too_old",
            "Admin key 'A' (a, owner: Olivia) is 91 days old, but the maximum is 90.",
            {"name": "A", "state": "absent"},
        ),
        ("too_old", "Admin key 'OWN' (own, owner: Olivia) is 200 days old, but the maximum is 90.", None),
        ("too_old", "Admin key 'B' (b2, owner: Olivia) is 99 days old, but the maximum is 90.", None),
        ("too_old", "API key 'D' of project 'P1' (d, owner: Olivia) is 1000 days old, but the maximum is 90.", None),
    ]


def test_old_key_has_no_remediation_when_a_key_of_unknown_age_shares_the_name() -> None:
    unknown = {**key("a2", 0), "name": "A", "created_at": None}
    calls = projects(), page("/admin_api_keys", key("a", 2), unknown), page("/projects/proj_0/api_keys")
    text = "Admin key 'A' (a, owner: Olivia) is 2 days old, but the maximum is 1."
    assert find_drift(*calls, max_key_age_days=1) == [("too_old", text, None)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"projects": [{"name": "a"}, {"name": "a"}]}, "Option 'projects[1].name': 'a' is listed twice"),
        ({"users": [{"email": "A@b"}, {"email": "a@B"}]}, "Option 'users[1].email': 'a@b' is listed twice"),
        (
            {"projects": [{"name": "a", "limits": [{"model": "m"}]}]},
            "Option 'projects[0].limits[0]': must set at least one limit",
        ),
        ({}, "one of the following is required: projects, users, max_key_age_days"),
    ],
)
def test_invalid_options_fail_before_any_request(options: dict[str, Any], message: str) -> None:
    assert message in compare(**options)["msg"]
