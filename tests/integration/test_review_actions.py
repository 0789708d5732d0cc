# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each action of the Klocwork Web API is called by a module with its exact fields, and served by the sandbox."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from sandbox.review.api.actions import ACTIONS
from support import running
from support.wire.review import ALL_ACTIONS, LTOKENS

FORM_TYPE = "application/x-www-form-urlencoded;charset=UTF-8"
SPECIAL = "a+b, c & d=e; 50% ü"
LISTED = "a+b\\, c & d=e; 50% ü"  # as an element of a list
APP = {"project": "mobile-app"}
SOURCE = {"source_url": "http://old:8080", "source_username": "ro+ot", "source_password": "p+w & %"}
SENT_SOURCE = {"sourceURL": "http://old:8080", "sourceAdmin": "ro+ot", "sourcePassword": "p+w & %"}
NEW_BUILD = {"name": SPECIAL, "date": 1}


class Row(NamedTuple):
    """A module that calls an action, its options, and the fields of the request."""

    module: str
    options: dict[str, Any]
    fields: dict[str, str]
    seeded: dict[str, Any] = {}  # seed of the project mobile-app
    before: tuple[tuple[str, dict[str, Any]], ...] = ()  # modules that run before


def call(action: str, fields: dict[str, str], read_only: bool = False, **more: Any) -> Row:
    """Return the row of an action that only `review_call` supports."""
    return Row("review_call", {"action": action, "parameters": fields, "read_only": read_only}, fields, **more)


GROUP = ("review_group", {"name": SPECIAL, "users": ["alice"]})
MODULE = ("review_module", {**APP, "name": SPECIAL, "paths": ["x"]})
ROLE = ("review_role", {"name": SPECIAL, "transitions": [{"from": "Any", "to": "Fix"}]})
USER = ("review_user", {"name": SPECIAL})
VIEW = ("review_view", {**APP, "name": SPECIAL, "query": "x"})
CI_BUILD = {"ci_builds": [NEW_BUILD]}
REPORT = {**APP, "taxonomy": "C and C++", "outputFile": "a+b", "fileType": "txt"}

TABLE = {
    "builds": Row("review_build_info", APP, APP),
    "create_group": Row(*GROUP, {"name": SPECIAL, "users": "alice"}),
    "create_module": Row(
        "review_module",
        {
            **APP,
            "name": SPECIAL,
            "paths": [SPECIAL, "x\\y"],
            "tags": [SPECIAL],
            "allow_users": [SPECIAL],
            "deny_groups": ["g"],
        },
        {
            **APP,
            "name": SPECIAL,
            "paths": f"{LISTED},x\\\\y",
            "tags": LISTED,
            "allow_all": "false",
            "allow_users": LISTED,
            "deny_groups": "g",
        },
    ),
    "create_project": Row("review_project", {"name": SPECIAL}, {"name": SPECIAL}),
    "create_role": Row(
        "review_role",
        {"name": SPECIAL, "permissions": {"manage_users": True}, "transitions": [{"from": "Any", "to": "Fix"}]},
        {"name": SPECIAL, "manage_users": "true", "allowed_status_transitions": "Any,Fix"},
    ),
    "create_user": Row(
        "review_user", {"name": SPECIAL, "password": "p+w & %"}, {"name": SPECIAL, "password": "p+w & %"}
    ),
    "create_view": Row(
        "review_view",
        {**APP, "name": SPECIAL, "query": "status:+Analyze,+Fix 'a & b'", "tags": [SPECIAL]},
        {**APP, "name": SPECIAL, "query": "status:+Analyze,+Fix 'a & b'", "tags": LISTED, "is_public": "true"},
    ),
    "defect_types": Row("review_defect_type_info", {**APP, "taxonomy": "C and C++"}, {**APP, "taxonomy": "C and C++"}),
    "delete_build": Row(
        "review_build", {**APP, "name": SPECIAL, "state": "absent"}, {**APP, "name": SPECIAL}, {"builds": [NEW_BUILD]}
    ),
    "delete_group": Row("review_group", {"name": SPECIAL, "state": "absent"}, {"name": SPECIAL}, before=(GROUP,)),
    "delete_module": Row(
        "review_module", {**APP, "name": SPECIAL, "state": "absent"}, {**APP, "name": SPECIAL}, before=(MODULE,)
    ),
    "delete_project": Row(
        "review_project",
        {"name": SPECIAL, "state": "absent"},
        {"name": SPECIAL},
        before=(("review_project", {"name": SPECIAL}),),
    ),
    "delete_role": Row("review_role", {"name": SPECIAL, "state": "absent"}, {"name": SPECIAL}, before=(ROLE,)),
    "delete_user": Row("review_user", {"name": SPECIAL, "state": "absent"}, {"name": SPECIAL}, before=(USER,)),
    "delete_view": Row(
        "review_view", {**APP, "name": SPECIAL, "state": "absent"}, {**APP, "name": SPECIAL}, before=(VIEW,)
    ),
    "fchurns": Row(
        "review_churn_info",
        {**APP, "view": SPECIAL, "view_creator": "admin", "latest_builds": 2, "component": "a+b/c & d"},
        {**APP, "view": SPECIAL, "viewCreator": "admin", "latestBuilds": "2", "component": "a+b/c & d"},
        before=(VIEW,),
    ),
    "groups": Row(
        "review_group_info", {"search": "a+b*"}, {"search": "a+b*", "list_users": "true", "limit": "1000000"}
    ),
    "import_project": Row("review_project_import", {"name": SPECIAL, **SOURCE}, {"project": SPECIAL, **SENT_SOURCE}),
    "import_server_configuration": Row("review_server_import", SOURCE, SENT_SOURCE),
    "import_status": Row("review_server_info", {"gather": ["imports"]}, {}),
    "issue_details": Row("review_issue_info", {**APP, "ids": [1]}, {**APP, "id": "1"}),
    "license_count": Row("review_server_info", {"gather": ["licenses"], "feature": "a+b"}, {"feature": "a+b"}),
    "metrics": Row(
        "review_metric_info",
        {**APP, "tags": ["A", "B"], "query": "file:+'a & b'", "limit": 5, "view": SPECIAL},
        {
            **APP,
            "query": "metric:A,B file:+'a & b'",
            "limit": "5",
            "view": SPECIAL,
            "aggregate": "false",
            "exclude_system_files": "false",
        },
        before=(VIEW,),
    ),
    "modules": Row("review_module_info", APP, APP),
    "project_configuration": Row(
        "review_project_info",
        {"name": "mobile-app", "configuration": True, "build": SPECIAL},
        {**APP, "build": SPECIAL},
        {"builds": [NEW_BUILD]},
    ),
    "projects": Row("review_project_info", {"streams": True}, {"include_streams": "true"}),
    "report": Row(
        "review_report_info",
        {
            **APP,
            "build": SPECIAL,
            "query": "status:+Analyze,+Fix",
            "view": SPECIAL,
            "rows": "code",
            "columns": "state",
            "group": True,
        },
        {
            **APP,
            "build": SPECIAL,
            "filterQuery": "status:+Analyze,+Fix",
            "view": SPECIAL,
            "x": "Error Code",
            "y": "State",
            "group_issues": "true",
        },
        {"builds": [NEW_BUILD]},
        before=(VIEW,),
    ),
    "role_assignments": Row("review_role_info", {"name": SPECIAL}, {"search": f"+{SPECIAL}"}, before=(ROLE,)),
    "roles": Row("review_role_info", {"name": SPECIAL}, {"search": f"+{SPECIAL}"}),
    "search": Row(
        "review_issue_info",
        {**APP, "status": ["Analyze", "Fix"], "code": ["A+B"], "view": SPECIAL, "limit": 3},
        {
            **APP,
            "query": 'grouping:off state:New,Existing status:+"Analyze",+"Fix" code:"A+B"',
            "view": SPECIAL,
            "limit": "3",
            "summary": "true",
        },
        before=(VIEW,),
    ),
    "task_status": Row("review_server_info", {"gather": ["tasks"]}, {}),
    "taxonomies": Row("review_project_info", {"name": "mobile-app", "taxonomies": True}, APP),
    "update_build": Row(
        "review_build",
        {**APP, "name": "build_1", "new_name": SPECIAL, "keep": True},
        {**APP, "name": "build_1", "new_name": SPECIAL, "keepit": "true"},
    ),
    "update_defect_type": Row(
        "review_defect_type",
        {**APP, "defect_types": [{"code": "ABV.GENERAL", "enabled": False, "severity": 4}]},
        {**APP, "code": "ABV.GENERAL", "enabled": "false", "severity": "4"},
    ),
    "update_group": Row(
        "review_group", {"name": SPECIAL, "users": []}, {"name": SPECIAL, "remove_all": "true"}, before=(GROUP,)
    ),
    "update_module": Row(
        "review_module",
        {**APP, "name": SPECIAL, "new_name": f"{SPECIAL}!", "paths": [SPECIAL], "allow_all": False},
        {**APP, "name": SPECIAL, "new_name": f"{SPECIAL}!", "paths": LISTED, "allow_all": "false"},
        before=(MODULE,),
    ),
    "update_project": Row(
        "review_project",
        {
            "name": "mobile-app",
            "new_name": SPECIAL,
            "description": SPECIAL,
            "tags": [SPECIAL],
            "auto_delete_builds": True,
            "auto_delete_threshold": 5,
        },
        {
            "name": "mobile-app",
            "new_name": SPECIAL,
            "description": SPECIAL,
            "tags": LISTED,
            "auto_delete_builds": "true",
            "auto_delete_threshold": "5",
        },
    ),
    "update_role_assignment": Row(
        "review_role",
        {"name": SPECIAL, "assignments": [{"group": "developers", "project": "mobile-app"}]},
        {"name": SPECIAL, "account": "developers", "group": "true", "project": "mobile_app", "remove": "false"},
        before=(ROLE,),
    ),
    "update_role_permissions": Row(
        "review_role",
        {"name": SPECIAL, "permissions": {"manage_users": True}, "transitions": []},
        {"name": SPECIAL, "manage_users": "true", "allowed_status_transitions": ""},
        before=(ROLE,),
    ),
    "update_status": Row(
        "review_issue",
        {**APP, "ids": [1, 3], "status": "Fix in Next Release", "owner": "alice", "comment": SPECIAL},
        {**APP, "ids": "1,3", "status": "Fix in Next Release", "owner": "alice", "comment": SPECIAL},
    ),
    "update_view": Row(
        "review_view",
        {**APP, "name": SPECIAL, "new_name": f"{SPECIAL}!", "query": "file:a+b", "tags": [SPECIAL], "public": False},
        {
            **APP,
            "name": SPECIAL,
            "new_name": f"{SPECIAL}!",
            "query": "file:a+b",
            "tags": LISTED,
            "is_public": "false",
        },
        before=(VIEW,),
    ),
    "users": Row("review_user_info", {"search": "a+b*"}, {"search": "a+b*", "limit": "1000000"}),
    "version": Row("review_server_info", {}, {}),
    "views": Row("review_view_info", APP, APP),
    "build_log_download": call(
        "build_log_download", {**APP, "name": SPECIAL}, read_only=True, seeded={"builds": [NEW_BUILD]}
    ),
    "ci_builds": call("ci_builds", APP, read_only=True),
    "ci_issue_details": call("ci_issue_details", {**APP, "id": "1"}, read_only=True),
    "compliance_delete": call(
        "compliance_delete",
        {**APP, "path": "a+b.txt"},
        before=(("review_call", {"action": "compliance_report", "parameters": REPORT}),),
    ),
    "compliance_download": call(
        "compliance_download",
        {**APP, "file_path": "a+b.txt"},
        read_only=True,
        before=(("review_call", {"action": "compliance_report", "parameters": REPORT}),),
    ),
    "compliance_report": call("compliance_report", REPORT),
    "delete_ci_build": call("delete_ci_build", {**APP, "name": SPECIAL}, seeded=CI_BUILD),
    "update_ci_build": call("update_ci_build", {**APP, "name": SPECIAL, "new_name": f"{SPECIAL}!"}, seeded=CI_BUILD),
}


def test_table_contains_every_action() -> None:
    assert set(TABLE) == set(ACTIONS)
    assert set(ALL_ACTIONS) == {name for name, action in ACTIONS.items() if action.since_version == 0}


@pytest.fixture
def requests(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Record the requests of modules to a server of the newest version."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    sandbox.switch("review", version_major="24", streams=True)
    sent: list[Request] = []
    send = session.Connection.send

    def record(connection: session.Connection, request: Request, timeout: Any) -> Response:
        sent.append(request)
        return send(connection, request, timeout)

    monkeypatch.setattr(session.Connection, "send", record)
    return sent


@pytest.mark.parametrize("action", TABLE)
def test_action_is_called_by_a_module(action: str, sandbox: Sandbox, requests: list[Request], tmp_path: Any) -> None:
    row = TABLE[action]
    if row.seeded:
        sandbox.seed({"review": {"projects": [{"name": "mobile-app", "creator": "admin", **row.seeded}]}})
    for module, options in row.before:
        assert run(module, **options)["changed"]
    requests.clear()
    sandbox.clear_journal()
    downloads = {"dest": str(tmp_path / "file")} if ACTIONS[action].returns_file else {}
    result = run(row.module, **row.options, **downloads)
    (called,) = [request for request in requests if request.label == action][:1]
    assert (called.method, called.headers["Content-Type"]) == ("POST", FORM_TYPE)
    assert called.url == f"{sandbox.environment['KLOCWORK_URL']}/review/api"
    fields = {"action": action, "user": "admin", "ltoken": LTOKENS["admin"], **row.fields}
    assert sorted(called.body.split(b"&")) == sorted(
        f"{name}={quote(value, safe='')}".encode() for name, value in fields.items()
    )
    assert {entry["status"] for entry in sandbox.journal("review") if entry["label"] == action} == {200}
    assert result["changed"] is ACTIONS[action].is_write


def run(module: str, **options: Any) -> dict[str, Any]:
    """Run a module, which must succeed, and return its result."""
    result = running.run(module, username="admin", **options)
    assert not result.get("failed"), result["msg"]
    return result
