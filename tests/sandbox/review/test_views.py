# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of views."""

from __future__ import annotations

from support.wire.review import Api


def test_views_are_created_updated_and_deleted(api: Api) -> None:
    api.write("create_view", project="platform", name="critical", query='-module:"JsonLib"', tags="a,b")
    default, view = api.records("views", project="platform")
    assert default["name"] == "*default*"
    assert list(view) == ["id", "name", "query", "creator", "is_public", "tags"]
    assert {key: view[key] for key in view if key != "id"} == {
        "name": "critical",
        "query": '-module:"JsonLib"',
        "creator": "admin",
        "is_public": False,
        "tags": ["a", "b"],
    }
    api.write("update_view", project="platform", name="critical", is_public="true", tags="")
    changed = api.records("views", project="platform")[1]
    assert changed == {
        "id": view["id"],
        "name": "critical",
        "query": view["query"],
        "creator": "admin",
        "is_public": True,
    }
    api.write("update_view", project="platform", name="critical", new_name="severe", query="severity:1-4")
    assert api.records("views", project="platform")[1] == {**changed, "name": "severe", "query": "severity:1-4"}
    api.write("delete_view", project="platform", name="severe")
    assert len(api.records("views", project="platform")) == 1


def test_invalid_changes_of_views_are_rejected(api: Api) -> None:
    api.write("create_view", project="platform", name="v", query="x")
    api.write("create_view", project="platform", name="w", query="x")
    assert api.expect_error("create_view", project="platform", name="v", query="") == (409, "View already exists: v")
    assert api.expect_error("update_view", project="platform", name="w", new_name="v") == (
        409,
        "View already exists: v",
    )
    assert api.expect_error("update_view", project="platform", name="x") == (404, "View not found: x")
    assert api.expect_error("delete_view", project="platform", name="x") == (404, "View not found: x")
    assert api.expect_error("create_view", project="nope", name="v", query="x") == (404, "Project not found: nope")
    assert api.expect_error("update_view", project="platform", name="*default*", query="x")[0] == 403
    assert api.expect_error("delete_view", project="platform", name="*default*")[0] == 403
    assert api.expect_error("create_view", project="platform", name="*default*", query="x")[0] == 409
    assert api.expect_error("create_view", project="platform", name="b", query="state:New build:1")[0] == 400


def test_private_views_are_visible_to_their_creators_only(api: Api) -> None:
    api.user = "alice"
    api.write("create_view", project="platform", name="mine", query="owner:alice")
    api.write("create_view", project="platform", name="shared", query="x", is_public="true")
    api.user = "admin"
    assert [view["name"] for view in api.records("views", project="platform")] == ["*default*", "shared"]
    assert api.expect_error("delete_view", project="platform", name="mine") == (404, "View not found: mine")
    api.write("create_view", project="platform", name="shared", query="y")
    api.write("delete_view", project="platform", name="shared")
    assert [view["creator"] for view in api.records("views", project="platform")] == ["admin", "alice"]


def test_quoted_text_is_not_a_term(api: Api) -> None:
    api.write("create_view", project="platform", name="v", query='message:"a build:x"')
    status, message = api.expect_error("create_view", project="platform", name="w", query='"a" build:x')
    assert (status, message) == (400, "The keyword build is not supported in the query of a view")
