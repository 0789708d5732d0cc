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


def projects(*found: dict[str, Any]) -> Call:
    return page("/projects", DEFAULT, *found)


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


def compared(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("inference_drift_info", url=f"{server.url}/v1", admin_key=ADMIN, **parameters)


def found(*calls: Call, **parameters: Any) -> list[tuple[str, str, Any]]:
    result = compared(*calls, **parameters)
    assert not result.get("failed"), result
    return [(one["problem"], one["text"], one["remediation"]) for one in result["drift"]]


def test_an_organization_as_declared_costs_the_pages_and_one_request_for_each_project_with_limits() -> None:
    calls = projects(project(1), project(2, key="k")), limits(1, a=5, b=6), limits(2, a=7)
    wanted = [
        {"name": "P1", "limits": [{"model": "a", RPM: 5}, {"model": "b", TPM: 6}]},
        {"name": "P2", "external_key_id": "k", "limits": [{"model": "a", RPM: 7}]},
        {"name": "P3", "state": "absent", "limits": [{"model": "a", RPM: 7}]},
        {"name": "Default project"},
    ]
    assert found(*calls, projects=wanted) == []


def test_projects() -> None:
    there = projects(project(1, key="old"), project(2), project(3), project(4, "Twin"), project(5, "Twin"))
    wanted = [
        {"name": "P1", "external_key_id": "new"},
        {"name": "Two", "id": "proj_2"},
        {"name": "P3", "state": "absent"},
        {"name": "Twin"},
        {"name": "New", "residency": "GLOBAL", "limits": [{"model": "a", RPM: 1}]},
    ]
    assert found(there, projects=wanted) == [
        (
            "differs",
            "The project 'P1' has the external_key_id 'old', but shall have 'new'.",
            {"name": "P1", "external_key_id": "new", "id": "proj_1"},
        ),
        ("differs", "The project 'P2' has the name 'P2', but shall have 'Two'.", {"name": "Two", "id": "proj_2"}),
        ("ambiguous", "2 projects have the name 'Twin': declare which one by its id.", None),
        ("missing", "There is no project 'New'.", {"name": "New", "residency": "GLOBAL"}),
        (
            "undeclared",
            "The project 'P3' (proj_3) is not declared.",
            {"name": "P3", "id": "proj_3", "state": "absent"},
        ),
        (
            "missing",
            "The limits of the project 'New' are not set.",
            {"project_name": "New", "limits": [{"model": "a", RPM: 1}]},
        ),
    ]


def test_limits() -> None:
    wanted = [{"model": "a", RPM: 5, TPM: 10}, {"model": "b", RPM: 10}, {"model": "c", RPM: 1}]
    calls = projects(project(1)), limits(1, a=10, b=9)
    mend = {"project_id": "proj_1", "limits": wanted}
    assert found(*calls, projects=[{"name": "P1", "limits": wanted}]) == [
        ("above", f"The project 'P1' has 10 as {RPM} of a, but shall have 5.", mend),
        ("below", f"The project 'P1' has 9 as {RPM} of b, but shall have 10.", mend),
        ("missing", f"The project 'P1' has none as {RPM} of c, but shall have 1.", mend),
    ]


def test_users_and_who_is_invited() -> None:
    calls = (
        page("/invites", invite("carol"), invite("dora", "expired"), invite("emil")),
        page("/users", user("olivia", "owner"), user("alice"), user("bob")),
    )
    wanted = [
        {"email": "OLIVIA@x.y", "role": "owner"},
        {"email": "alice@x.y", "role": "owner"},
        {"email": "carol@x.y"},
        {"email": "dora@x.y"},
        {"email": "bob@x.y", "state": "absent"},
        {"email": "nobody@x.y", "state": "absent"},
    ]
    assert found(*calls, users=wanted) == [
        (
            "differs",
            "alice@x.y is reader in the organization, but shall be owner.",
            {"email": "alice@x.y", "role": "owner", "state": "present"},
        ),
        (
            "missing",
            "dora@x.y is neither in the organization nor invited.",
            {"email": "dora@x.y", "state": "present"},
        ),
        (
            "undeclared",
            "bob@x.y is in the organization as reader, but is not declared.",
            {"email": "bob@x.y", "state": "absent"},
        ),
        (
            "undeclared",
            "emil@x.y is invited into the organization as reader, but is not declared.",
            {"email": "emil@x.y", "state": "absent"},
        ),
    ]


def test_users_of_projects() -> None:
    calls = (
        projects(project(1)),
        page("/invites", invite("carol", proj_1="owner")),
        page("/users", user("alice"), user("bob")),
        page("/projects/proj_0/users", user("bob", "member"), user("gone", "member")),
        page("/projects/proj_1/users", user("alice", "member")),
    )
    wanted = [
        {"email": "alice@x.y", "projects": [{"name": "P1", "role": "owner"}]},
        {"email": "bob@x.y", "projects": []},
        {"email": "carol@x.y", "projects": [{"id": "proj_1", "role": "owner"}]},
    ]
    result = compared(*calls, users=wanted)
    assert [(one["text"], one["field"], one["declared"], one["current"]) for one in result["drift"]] == [
        ("alice@x.y is member of 'P1', but shall be owner of 'P1'.", "projects", "owner of 'P1'", "member of 'P1'"),
        (
            "bob@x.y is member of 'Default project', but shall be in no project.",
            "projects",
            "in no project",
            "member of 'Default project'",
        ),
    ]
    assert result["drift"][0]["remediation"] == {
        "email": "alice@x.y",
        "projects": [{"name": "P1", "role": "owner"}],
        "state": "present",
    }


def test_keys() -> None:
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
    assert found(*calls, max_key_age_days=90) == [
        (
            "too_old",
            "The admin key 'A' (a, of Olivia) is 91 days old, which is more than 90.",
            {"name": "A", "state": "absent"},
        ),
        ("too_old", "The admin key 'OWN' (own, of Olivia) is 200 days old, which is more than 90.", None),
        ("too_old", "The admin key 'B' (b2, of Olivia) is 99 days old, which is more than 90.", None),
        ("too_old", "The key 'D' of the project 'P1' (d, of Olivia) is 1000 days old, which is more than 90.", None),
    ]


def test_an_old_key_is_not_revoked_by_name_when_a_key_of_unknown_age_shares_the_name() -> None:
    unknown = {**key("a2", 0), "name": "A", "created_at": None}
    calls = projects(), page("/admin_api_keys", key("a", 2), unknown), page("/projects/proj_0/api_keys")
    text = "The admin key 'A' (a, of Olivia) is 2 days old, which is more than 1."
    assert found(*calls, max_key_age_days=1) == [("too_old", text, None)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"projects": [{"name": "a"}, {"name": "a"}]}, "Option 'projects[1].name': 'a' is there already"),
        ({"users": [{"email": "A@b"}, {"email": "a@B"}]}, "Option 'users[1].email': 'a@b' is there already"),
        ({"projects": [{"name": "a", "limits": [{"model": "m"}]}]}, "Option 'projects[0].limits[0]': has no limit"),
        ({}, "one of the following is required: projects, users, max_key_age_days"),
    ],
)
def test_what_cannot_be_is_refused_before_any_request(given: dict[str, Any], message: str) -> None:
    assert message in compared(**given)["msg"]
