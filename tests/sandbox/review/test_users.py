# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of users and groups."""

from __future__ import annotations

from typing import Any

from support.wire.review import Api


def test_users_are_created_listed_and_deleted(api: Api) -> None:
    api.write("create_user", name="carol", password="sandbox-carol")
    assert api.records("users", search="a*") == [
        {
            "name": "admin",
            "readonly": False,
            "roles": [{"name": "Projects root admin"}],
            "groups": [],
        },
        {
            "name": "alice",
            "readonly": False,
            "roles": [{"name": "Project admin", "projectId": "platform"}],
            "groups": [{"name": "developers", "readonly": False}],
        },
    ]
    assert [user["name"] for user in api.records("users", search="*o*")] == ["bob", "carol"]
    assert [user["name"] for user in api.records("users", search="al")] == []
    assert [user["name"] for user in api.records("users", limit="2")] == ["admin", "alice"]
    assert api.expect_error("create_user", name="carol") == (409, "User already exists: carol")
    api.write("delete_user", name="carol")
    assert api.expect_error("delete_user", name="carol") == (404, "User not found: carol")


def test_lists_are_limited_to_a_thousand_by_default(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"users": [{"name": f"user{number:04}"} for number in range(1005)]}})
    assert len(api.records("users")) == 1000
    assert len(api.records("users", limit="2000")) == 1008
    assert len(api.records("users", search="user1004")) == 1


def test_groups_are_created_updated_and_deleted(api: Api) -> None:
    api.write("create_group", name="leads", users=r"alice, bob")
    record = {"name": "leads", "readonly": False, "roles": [], "groups": []}
    assert api.records("groups", search="leads") == [record]
    assert api.records("groups", search="l*", list_users="true") == [{**record, "users": ["alice", "bob"]}]
    api.write("update_group", name="leads", users="bob", remove_all="true")
    assert api.records("groups", search="leads", list_users="true")[0]["users"] == ["bob"]
    api.write("update_group", name="leads")
    assert api.records("groups", search="leads", list_users="true")[0]["users"] == ["bob"]
    api.write("update_group", name="leads", remove_all="true")
    assert api.records("groups", search="leads", list_users="true")[0]["users"] == []
    assert api.expect_error("create_group", name="leads") == (409, "Group already exists: leads")
    assert api.expect_error("update_group", name="leads", users="x") == (404, "User not found: x")
    api.write("delete_group", name="leads")
    assert api.expect_error("update_group", name="leads") == (404, "Group not found: leads")


def test_commas_in_the_names_of_members_are_escaped(api: Api) -> None:
    for name in ("Last, First (uid1)", "back\\slash"):
        api.write("create_user", name=name)
    api.write("create_group", name="g", users="Last\\, First (uid1),back\\\\slash")
    assert api.records("groups", search="g", list_users="true")[0]["users"] == ["Last, First (uid1)", "back\\slash"]


def test_accounts_of_a_directory_service_are_read_only(api: Api, sandbox: Any) -> None:
    ldap = {"users": [{"name": "u", "readonly": True}], "groups": [{"name": "g", "readonly": True, "users": ["u"]}]}
    sandbox.seed({"review": ldap})
    assert api.records("users", search="u")[0]["groups"] == [{"name": "g", "readonly": True}]
    assert api.expect_error("delete_user", name="u") == (403, "User is read-only: u")
    assert api.expect_error("update_group", name="g", remove_all="true") == (403, "Group is read-only: g")
    assert api.expect_error("delete_group", name="g") == (403, "Group is read-only: g")
