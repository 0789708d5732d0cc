# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the selection of actions."""

from __future__ import annotations

from typing import Any

import requests

from support.wire.review import ALL_ACTIONS, Api


def test_every_action_is_supported(api: Api) -> None:
    for action in ALL_ACTIONS:
        assert api.post(action).status_code in (200, 400)


NEWER_ACTIONS = """
    build_log_download ci_builds ci_issue_details compliance_delete compliance_download compliance_report
    delete_ci_build update_ci_build
"""


def test_newer_actions_require_a_newer_version(api: Api, sandbox: Any) -> None:
    for action in NEWER_ACTIONS.split():
        assert api.expect_error(action) == (400, f"Unknown action: {action}")
        assert f"<h2>{action}</h2>" not in requests.get(api.url, timeout=60).text
    sandbox.switch("review", version_major="23", version_minor="1.0")
    for action in NEWER_ACTIONS.split():
        message = "Missing required parameter: project"
        assert api.expect_error(action) == (400, message)
        assert f"<h2>{action}</h2>" in requests.get(api.url, timeout=60).text


def test_invalid_calls_are_rejected(api: Api) -> None:
    assert api.expect_error("foo") == (400, "Unknown action: foo")
    assert api.expect_error("") == (400, "Missing required parameter: action")
    assert api.expect_error("views") == (400, "Missing required parameter: project")
    assert api.expect_error("views", project="") == (400, "Missing required parameter: project")
    assert api.expect_error("create_view", project="platform", name="v") == (400, "Missing required parameter: query")
    assert api.expect_error("users", limit="many") == (400, "Invalid value for parameter limit: many")
    api.user = ""
    assert api.expect_error("version") == (400, "Missing required parameter: user")


def test_all_errors_have_status_500_when_the_switch_is_set(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", all_failures_500=True)
    assert api.expect_error("views", project="x") == (500, "Project not found: x")
    assert api.expect_error("foo") == (500, "Unknown action: foo")


def test_journal_contains_action_and_effect(api: Api, sandbox: Any) -> None:
    api.records("views", project="platform")
    api.write("create_view", project="platform", name="v", query="x")
    api.expect_error("create_view", project="platform", name="v", query="x")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("review")]
    assert entries == [("views", "read", 200), ("create_view", "write", 200), ("create_view", "write", 409)]


def test_fault_applies_to_an_action(api: Api, sandbox: Any) -> None:
    sandbox.fault(service="review", label="create_view", kind="status", status=500)
    api.records("views", project="platform")
    assert api.post("create_view", project="platform", name="v", query="x").status_code == 500
    assert [view["name"] for view in api.records("views", project="platform")] == ["*default*"]


def test_web_page_returns_501_when_the_real_server_has_it(api: Api, sandbox: Any) -> None:
    (issue, *_others) = api.records("search", project="mobile-app", query="grouping:off")
    for url in (issue["url"], f"{sandbox.url}/analysis/portal/Portal.html"):
        answer = requests.get(url, timeout=60)
        assert (answer.status_code, "does not support this page" in answer.text) == (501, True)
    assert requests.get(f"{sandbox.url}/analysis/review/other.html", timeout=60).status_code == 404
    assert requests.post(f"{sandbox.url}/analysis/portal/", timeout=60).status_code == 404
