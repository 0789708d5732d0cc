# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The review service on the wire: statuses, bytes and quirks of the real web API."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
import requests

FORM = "application/x-www-form-urlencoded;charset=UTF-8"
LTOKENS = {
    "admin": "ad00000000000000000000000000000000000000000000000000000000000001",
    "alice": "a11ce00000000000000000000000000000000000000000000000000000000002",
    "bob": "b0b0000000000000000000000000000000000000000000000000000000000003",
}
ACTIONS_OF_THE_INTERFACE = """
    builds create_group create_module create_role create_user create_view defect_types delete_build delete_group
    delete_module delete_project delete_role delete_user delete_view fchurns groups import_project
    import_server_configuration import_status issue_details license_count metrics modules project_configuration
    projects report role_assignments roles search task_status taxonomies update_build update_defect_type update_group
    update_module update_project update_role_assignment update_role_permissions update_status update_view users
    version views
"""
SERVED_ACTIONS = """
    create_group create_role create_user create_view delete_group delete_role delete_user delete_view groups
    license_count modules projects role_assignments roles task_status update_group update_project
    update_role_assignment update_role_permissions update_view users version views
"""
ALL_ACTIONS = ACTIONS_OF_THE_INTERFACE.split()
SERVED = SERVED_ACTIONS.split()


class Api:
    """A client that knows nothing: it sends form fields and hands back the answer."""

    def __init__(self, sandbox: Any) -> None:
        self.url = f"{sandbox.url}/analysis/review/api"
        self.user = "admin"

    def post(self, action: str, **fields: str) -> requests.Response:
        common = {"action": action, "user": self.user, "ltoken": LTOKENS.get(self.user, "")}
        return requests.post(self.url, data={**common, **fields}, headers={"Content-Type": FORM}, timeout=10)

    def records(self, action: str, **fields: str) -> list[Any]:
        answer = self.post(action, **fields)
        assert answer.status_code == 200, answer.text
        assert answer.text == "" or answer.text.endswith("\n")
        return [json.loads(line) for line in answer.text.splitlines()]

    def write(self, action: str, **fields: str) -> None:
        answer = self.post(action, **fields)
        assert (answer.status_code, answer.content) == (200, b"")

    def refused(self, action: str, **fields: str) -> tuple[int, str]:
        answer = self.post(action, **fields)
        assert answer.text.endswith("}\n")
        assert answer.text.count("\n") == 1
        body = json.loads(answer.text)
        assert set(body) == {"status", "message"}
        assert body["status"] == answer.status_code
        return body["status"], body["message"]


@pytest.fixture
def api(sandbox: Any) -> Api:
    return Api(sandbox)


# -- transport


def test_get_shows_the_reference_page_with_all_43_actions(api: Api) -> None:
    answer = requests.get(api.url, params={"action": "projects"}, timeout=10)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert len(ALL_ACTIONS) == 43
    for action in ALL_ACTIONS:
        assert f"<h2>{action}</h2>" in answer.text


@pytest.mark.parametrize("path", ["/analysis", "/analysis/", "/analysis/review/api/", "/analysis/review"])
def test_there_is_one_url_only(sandbox: Any, path: str) -> None:
    assert requests.post(sandbox.url + path, data={"action": "version"}, timeout=10).status_code == 404


def test_records_are_lines_and_no_record_is_an_empty_body(api: Api) -> None:
    assert api.post("projects").content == (
        b'{"id":"platform","name":"platform","creator":"admin","description":"Services and libraries",'
        b'"tags":["c","java"]}\n'
        b'{"id":"mobile_app","name":"mobile-app","creator":"admin","description":"The app"}\n'
    )
    assert api.post("projects").headers["Content-Type"] == "application/json;charset=UTF-8"
    nothing = api.post("users", search="nobody")
    assert (nothing.status_code, nothing.content) == (200, b"")


def test_strings_are_escaped_as_gson_does(api: Api) -> None:
    api.write("create_view", project="platform", name="a=b <c> & 'd' \u00fc", query="x")
    body = api.post("views", project="platform").content.decode()
    assert r'"name":"a\u003db \u003cc\u003e \u0026 \u0027d\u0027 ' + '\u00fc"' in body


def test_a_raw_plus_is_a_blank(api: Api) -> None:
    head = f"action=create_view&user=admin&ltoken={LTOKENS['admin']}&project=platform"
    for rest in ("name=raw&query=state:New,+Existing", "name=sent&query=status:%2BAnalyze"):
        requests.post(api.url, data=f"{head}&{rest}", headers={"Content-Type": FORM}, timeout=10).raise_for_status()
    queries = {view["name"]: view["query"] for view in api.records("views", project="platform")}
    assert queries == {"*default*": "", "raw": "state:New, Existing", "sent": "status:+Analyze"}


@pytest.mark.parametrize(("content_type", "stored"), [(FORM, "gr\u00fcn"), (FORM.partition(";")[0], "gr\u00c3\u00bcn")])
def test_without_a_charset_text_is_misread(api: Api, content_type: str, stored: str) -> None:
    body = f"action=create_view&user=admin&ltoken={LTOKENS['admin']}&project=platform&name=v&query=gr%C3%BCn"
    requests.post(api.url, data=body, headers={"Content-Type": content_type}, timeout=10).raise_for_status()
    assert api.records("views", project="platform")[1]["query"] == stored


def test_other_content_types_carry_no_parameters(api: Api) -> None:
    answer = requests.post(api.url, json={"action": "version", "user": "admin"}, timeout=10)
    assert answer.json() == {"status": 400, "message": "Missing required parameter: user"}


def test_no_content_type_is_a_form(api: Api) -> None:
    body = f"user=admin&ltoken={LTOKENS['admin']}&action=version"
    request = requests.Request("POST", api.url, data=body.encode()).prepare()
    assert "Content-Type" not in request.headers
    with requests.Session() as session:
        assert session.send(request, timeout=10).json() == {"majorVersion": "20", "minorVersion": "4"}


def test_the_order_of_fields_does_not_matter_nor_does_the_case_of_booleans(api: Api) -> None:
    for body in ("list_users=True&action=groups&{}", "{}&action=groups&list_users=TRUE"):
        body = body.format(f"user=admin&ltoken={LTOKENS['admin']}")
        answer = requests.post(api.url, data=body, headers={"Content-Type": FORM}, timeout=10)
        assert answer.text.split("\n") == [
            '{"name":"developers","readonly":false,"roles":[],"groups":[],"users":["alice","bob"]}',
            "",
        ]


def test_an_unencoded_body_is_read_as_it_stands(api: Api) -> None:
    body = f"user=admin&ltoken={LTOKENS['admin']}&action=roles&search=Project admin"
    answer = requests.post(api.url, data=body, headers={"Content-Type": FORM.partition(";")[0]}, timeout=10)
    assert [json.loads(line)["name"] for line in answer.text.splitlines()] == ["Project admin"]


def test_of_a_repeated_field_the_first_counts(api: Api) -> None:
    body = f"action=users&user=admin&ltoken={LTOKENS['admin']}&search=alice&search=bob"
    answer = requests.post(api.url, data=body, headers={"Content-Type": FORM}, timeout=10)
    assert [json.loads(line)["name"] for line in answer.text.splitlines()] == ["alice"]


def test_unknown_parameters_are_ignored(api: Api) -> None:
    assert api.records("projects", newname="x") == api.records("projects")


# -- dispatch


def test_every_action_is_known(api: Api) -> None:
    for action in ALL_ACTIONS:
        status, message = api.refused(action) if action not in SERVED else (0, "")
        if action in SERVED:
            assert api.post(action).status_code in (200, 400)
        else:
            assert (status, message) == (501, f"The sandbox does not serve this action yet: {action}")


def test_bad_calls(api: Api) -> None:
    assert api.refused("foo") == (400, "Unknown action: foo")
    assert api.refused("") == (400, "Missing required parameter: action")
    assert api.refused("views") == (400, "Missing required parameter: project")
    assert api.refused("views", project="") == (400, "Missing required parameter: project")
    assert api.refused("create_view", project="platform", name="v") == (400, "Missing required parameter: query")
    assert api.refused("users", limit="many") == (400, "Invalid value for parameter limit: many")
    api.user = ""
    assert api.refused("version") == (400, "Missing required parameter: user")


def test_all_failures_can_be_a_500(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", all_failures_500=True)
    assert api.refused("views", project="x") == (500, "Project not found: x")
    assert api.refused("foo") == (500, "Unknown action: foo")


def test_the_journal_names_actions_and_tells_reads_from_writes(api: Api, sandbox: Any) -> None:
    api.records("views", project="platform")
    api.write("create_view", project="platform", name="v", query="x")
    api.refused("create_view", project="platform", name="v", query="x")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("review")]
    assert entries == [("views", "read", 200), ("create_view", "write", 200), ("create_view", "write", 409)]


def test_a_fault_can_be_bound_to_an_action(api: Api, sandbox: Any) -> None:
    sandbox.fault(service="review", label="create_view", kind="status", status=500)
    api.records("views", project="platform")
    assert api.post("create_view", project="platform", name="v", query="x").status_code == 500
    assert [view["name"] for view in api.records("views", project="platform")] == ["*default*"]


# -- access control


def test_wrong_credentials(api: Api) -> None:
    assert api.refused("version", ltoken="wrong") == (401, "Authentication failed for user admin")
    assert api.refused("version", ltoken=LTOKENS["alice"]) == (401, "Authentication failed for user admin")
    assert api.refused("version", ltoken="") == (401, "Authentication failed for user admin")
    assert api.refused("version", user="myself") == (401, "Authentication failed for user myself")


def test_the_web_api_is_a_permission_of_its_own(api: Api) -> None:
    api.user = "bob"
    for action in ("version", "projects", "foo"):
        assert api.refused(action) == (403, "User bob does not have the Web API access permission")


def test_without_access_control_any_name_will_do(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", access_control=False)
    api.user = "whoever"
    assert len(api.records("projects")) == 2
    api.write("create_role", name="dev")
    api.write("create_view", project="mobile-app", name="v", query="x")
    assert api.records("views", project="mobile-app")[1]["creator"] == "whoever"


def test_a_project_admin_sees_and_changes_only_what_is_theirs(api: Api) -> None:
    api.user = "alice"
    assert [project["name"] for project in api.records("projects")] == ["platform"]
    assert api.refused("views", project="mobile-app") == (404, "Project not found: mobile-app")
    api.write("update_project", name="platform", description="mine")
    api.write("update_role_assignment", name="Project admin", project="platform", account="bob")
    assert api.refused("create_role", name="r") == (403, "User alice does not have the manage_roles permission")
    assert api.refused("create_user", name="u") == (403, "User alice does not have the manage_users permission")
    assert api.refused("create_group", name="g") == (403, "User alice does not have the manage_users permission")
    assert api.refused("update_role_assignment", name="Project admin", account="bob")[0] == 403
    assert api.refused("license_count") == (403, "User alice is not a Projects root admin")
    assert api.refused("task_status") == (403, "User alice is not a Projects root admin")


def test_rights_come_through_groups_too(api: Api) -> None:
    api.write("create_role", name="api", webapi_access="true", change_project_settings="false")
    api.write("update_role_assignment", name="api", account="developers", group="true", project="mobile_app")
    api.user = "bob"
    assert [project["name"] for project in api.records("projects")] == ["mobile-app"]
    assert api.refused("update_project", name="mobile-app")[0] == 403


def test_the_ltoken_file_is_exported(api: Api, sandbox: Any) -> None:
    assert sandbox.environment["KLOCWORK_URL"] == f"{sandbox.url}/analysis"
    path = pathlib.Path(sandbox.environment["KLOCWORK_LTOKEN"])
    assert path.stat().st_mode & 0o777 == 0o600
    port = sandbox.url.rsplit(":")[-1]
    assert path.read_text().splitlines() == [f"127.0.0.1;{port};{user};{LTOKENS[user]}" for user in LTOKENS]


# -- server


def test_version_is_two_strings(api: Api, sandbox: Any) -> None:
    assert api.post("version").text == '{"majorVersion":"20","minorVersion":"4"}\n'
    sandbox.switch("review", version_major="23", version_minor="2.0")
    assert api.records("version") == [{"majorVersion": "23", "minorVersion": "2.0"}]


def test_licenses_and_tasks(api: Api) -> None:
    assert [record["feature"] for record in api.records("license_count")] == ["kwadmin10", "kwinforce10"]
    assert api.records("license_count", feature="kwadmin10") == [
        {
            "feature": "kwadmin10",
            "version": "10.7",
            "count": 10,
            "permanent": False,
            "days_to_expiry": 365,
            "servers": ["27000@localhost"],
        }
    ]
    assert api.post("task_status").content == b""


# -- projects


def test_the_id_of_a_project_is_a_slug(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"projects": [{"name": "sds__speech.service__jpcc-sds", "creator": "wbh"}]}})
    assert api.records("projects")[-1]["id"] == "sds__speech_service__jpcc_sds"


def test_update_project(api: Api) -> None:
    api.write("update_project", name="mobile-app", new_name="apps", tags="ios, android", auto_delete_threshold="5")
    assert api.records("projects")[1] == {
        "id": "mobile_app",
        "name": "apps",
        "creator": "admin",
        "description": "The app",
        "tags": ["ios", "android"],
    }
    assert api.refused("update_project", name="mobile-app") == (404, "Project not found: mobile-app")
    assert api.refused("update_project", name="apps", new_name="platform") == (409, "Project already exists: platform")


def test_streams_show_only_where_there_are_any(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"projects": [{"name": "core", "creator": "admin", "streams": ["main", "main/fix"]}]}})
    assert "core/main" not in [project["name"] for project in api.records("projects", include_streams="true")]
    assert api.refused("views", project="core/main")[0] == 404
    sandbox.switch("review", streams=True)
    assert "core/main" not in [project["name"] for project in api.records("projects")]
    names = [project["name"] for project in api.records("projects", include_streams="true")]
    assert names[-3:] == ["core", "core/main", "core/main/fix"]
    assert api.records("views", project="core/main/fix")[0]["name"] == "*default*"
    assert {"name": "create_stream", "enabled": False} in api.records("roles")[0]["permissions"]


def test_modules(api: Api) -> None:
    assert api.records("modules", project="platform") == [
        {"name": "*default*", "allowAll": True, "paths": ["**/*"]},
        {"name": "third_party", "allowAll": True, "paths": ["**/3rdparty/*", "**/vendor/*"], "tags": ["external"]},
    ]


# -- roles


def test_roles_are_found_by_a_part_or_with_a_plus_by_the_whole(api: Api) -> None:
    def found(search: str) -> list[str]:
        return [role["name"] for role in api.records("roles", search=search)]

    api.write("create_role", name="Project admin assistant")
    assert found("") == ["Projects root admin", "Project admin", "Project admin assistant"]
    assert found("admin a") == ["Project admin assistant"]
    assert found("+Project admin") == ["Project admin"]
    assert found("*") == []
    assert [role["name"] for role in api.records("role_assignments", search="+Project admin")] == ["Project admin"]


def test_a_role_lists_all_fourteen_flags(api: Api) -> None:
    api.write(
        "create_role",
        name="Reviewer",
        change_issue_status="true",
        create_build="TRUE",
        delete_build="false",
        allowed_status_transitions="Any,analyze;Fix in Next Release,Not a problem;",
    )
    [role] = api.records("roles", search="+Reviewer")
    assert list(role) == ["name", "readonly", "permissions", "statusPermissions"]
    assert role["readonly"] is False
    assert len(role["permissions"]) == 14
    assert [flag["name"] for flag in role["permissions"] if flag["enabled"]] == ["create_build", "change_issue_status"]
    assert role["statusPermissions"] == [
        {"from": "Any", "to": "Analyze"},
        {"from": "Fix in Next Release", "to": "Not a Problem"},
    ]


def test_an_update_of_a_role_changes_only_what_is_given(api: Api) -> None:
    api.write("create_role", name="r", create_build="true", allowed_status_transitions="Any,Fix")
    api.write("update_role_permissions", name="r", delete_build="true")
    [role] = api.records("roles", search="+r")
    assert [flag["name"] for flag in role["permissions"] if flag["enabled"]] == ["create_build", "delete_build"]
    assert role["statusPermissions"] == [{"from": "Any", "to": "Fix"}]
    api.write("update_role_permissions", name="r", create_build="false", allowed_status_transitions="")
    [role] = api.records("roles", search="+r")
    assert [flag["name"] for flag in role["permissions"] if flag["enabled"]] == ["delete_build"]
    assert role["statusPermissions"] == []


def test_refused_changes_of_roles(api: Api) -> None:
    assert api.refused("create_role", name="Project admin") == (409, "Role already exists: Project admin")
    assert api.refused("update_role_permissions", name="nope") == (404, "Role not found: nope")
    assert api.refused("delete_role", name="nope") == (404, "Role not found: nope")
    assert api.refused("delete_role", name="Project admin") == (403, "Role is read-only: Project admin")
    assert api.refused("update_role_permissions", name="Project admin", create_build="false")[0] == 403
    assert api.refused("create_role", name="r", allowed_status_transitions="Any")[0] == 400
    assert api.refused("create_role", name="r", allowed_status_transitions="Any,Mend")[0] == 400
    assert api.refused("create_role", name="r", create_build="yes")[0] == 400


def test_assignments_take_the_id_of_a_project(api: Api) -> None:
    assignment = {"name": "Project admin", "account": "bob", "project": "mobile_app"}
    api.write("update_role_assignment", **assignment)
    api.write("update_role_assignment", **assignment)
    api.write("update_role_assignment", name="Project admin", account="developers", group="true")
    held = [
        {"name": "alice", "projectId": "platform", "group": False},
        {"name": "bob", "projectId": "mobile_app", "group": False},
        {"name": "developers", "group": True},
    ]
    assert api.records("role_assignments", search="+Project admin") == [
        {"name": "Project admin", "readonly": True, "assignments": held}
    ]
    api.write("update_role_assignment", **assignment, remove="true")
    assert api.records("role_assignments", search="+Project admin")[0]["assignments"] == [held[0], held[2]]
    by_name = {**assignment, "project": "mobile-app"}
    assert api.refused("update_role_assignment", **by_name) == (404, "Project not found: mobile-app")
    assert api.refused("update_role_assignment", **{**assignment, "name": "x"}) == (404, "Role not found: x")
    assert api.refused("update_role_assignment", **{**assignment, "account": "x"}) == (404, "User not found: x")
    assert api.refused("update_role_assignment", **assignment, group="true") == (404, "Group not found: bob")


def test_deleting_a_role_takes_its_assignments_along(api: Api) -> None:
    api.write("create_role", name="r")
    api.write("update_role_assignment", name="r", account="bob")
    api.write("delete_role", name="r")
    assert api.records("roles", search="+r") == []
    assert api.records("users", search="bob")[0]["roles"] == []


# -- users and groups


def test_users(api: Api) -> None:
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
    assert api.refused("create_user", name="carol") == (409, "User already exists: carol")
    api.write("delete_user", name="carol")
    assert api.refused("delete_user", name="carol") == (404, "User not found: carol")


def test_long_lists_end_at_a_thousand_without_a_word(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"users": [{"name": f"user{number:04}"} for number in range(1005)]}})
    assert len(api.records("users")) == 1000
    assert len(api.records("users", limit="2000")) == 1008
    assert len(api.records("users", search="user1004")) == 1


def test_groups(api: Api) -> None:
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
    assert api.refused("create_group", name="leads") == (409, "Group already exists: leads")
    assert api.refused("update_group", name="leads", users="x") == (404, "User not found: x")
    api.write("delete_group", name="leads")
    assert api.refused("update_group", name="leads") == (404, "Group not found: leads")


def test_commas_in_the_names_of_members_are_escaped(api: Api) -> None:
    for name in ("Last, First (uid1)", "back\\slash"):
        api.write("create_user", name=name)
    api.write("create_group", name="g", users="Last\\, First (uid1),back\\\\slash")
    assert api.records("groups", search="g", list_users="true")[0]["users"] == ["Last, First (uid1)", "back\\slash"]


def test_accounts_of_a_directory_are_read_only(api: Api, sandbox: Any) -> None:
    ldap = {"users": [{"name": "u", "readonly": True}], "groups": [{"name": "g", "readonly": True, "users": ["u"]}]}
    sandbox.seed({"review": ldap})
    assert api.records("users", search="u")[0]["groups"] == [{"name": "g", "readonly": True}]
    assert api.refused("delete_user", name="u") == (403, "User is read-only: u")
    assert api.refused("update_group", name="g", remove_all="true") == (403, "Group is read-only: g")
    assert api.refused("delete_group", name="g") == (403, "Group is read-only: g")


# -- views


def test_views(api: Api) -> None:
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


def test_refused_changes_of_views(api: Api) -> None:
    api.write("create_view", project="platform", name="v", query="x")
    api.write("create_view", project="platform", name="w", query="x")
    assert api.refused("create_view", project="platform", name="v", query="") == (409, "View already exists: v")
    assert api.refused("update_view", project="platform", name="w", new_name="v") == (409, "View already exists: v")
    assert api.refused("update_view", project="platform", name="x") == (404, "View not found: x")
    assert api.refused("delete_view", project="platform", name="x") == (404, "View not found: x")
    assert api.refused("create_view", project="nope", name="v", query="x") == (404, "Project not found: nope")
    assert api.refused("update_view", project="platform", name="*default*", query="x")[0] == 403
    assert api.refused("delete_view", project="platform", name="*default*")[0] == 403
    assert api.refused("create_view", project="platform", name="*default*", query="x")[0] == 409
    assert api.refused("create_view", project="platform", name="b", query="state:New build:1")[0] == 400


def test_private_views_are_their_creators_own(api: Api) -> None:
    api.user = "alice"
    api.write("create_view", project="platform", name="mine", query="owner:alice")
    api.write("create_view", project="platform", name="shared", query="x", is_public="true")
    api.user = "admin"
    assert [view["name"] for view in api.records("views", project="platform")] == ["*default*", "shared"]
    assert api.refused("delete_view", project="platform", name="mine") == (404, "View not found: mine")
    api.write("create_view", project="platform", name="shared", query="y")
    api.write("delete_view", project="platform", name="shared")
    assert [view["creator"] for view in api.records("views", project="platform")] == ["admin", "alice"]
