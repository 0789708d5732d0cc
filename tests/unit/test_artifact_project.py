# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

PROJECTS = "/access/api/v1/projects"
WEB = f"{PROJECTS}/web"
ATTACH = f"{PROJECTS}/_/attach/repositories"
SHARE = f"{PROJECTS}/_/share/repositories"
REPOSITORIES = "/artifactory/api/repositories"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "not found"}]}
GB = 1024**3
PRIVILEGES = {"manage_members": True, "manage_resources": True, "index_resources": True}
ALL_PRIVILEGES = {**PRIVILEGES, "manage_remote_repository": False}
STORED = {
    "project_key": "web",
    "display_name": "Web",
    "description": "Web team",
    "storage_quota_bytes": 100 * GB,
    "soft_limit": False,
    "storage_quota_email_notification": True,
    "admin_privileges": PRIVILEGES,
}
RESULT = {
    "key": "web",
    "display_name": "Web",
    "description": "Web team",
    "storage_quota": "100 GB",
    "soft_limit": False,
    "storage_quota_email_notification": True,
    "admin_privileges": ALL_PRIVILEGES,
    **dict.fromkeys(("environments", "roles", "members", "repositories", "shared_repositories")),
}
TASK: dict[str, Any] = {"key": "web", "visibility_timeout": 0}
ROLE = {"name": "deployer", "description": "", "environments": ["DEV"], "actions": ["READ_BUILD"]}


def own_token(user: str = "admin") -> str:
    claims = base64.urlsafe_b64encode(f'{{"sub": "jfac@01/users/{user}"}}'.encode()).decode().rstrip("=")
    return f"e30.{claims}.x"


def project(**changes: Any) -> Call:
    """Return the read of the project."""
    return call("GET", WEB, json={**STORED, **changes})


def missing() -> Call:
    return call("GET", WEB, 404, json=NOT_FOUND)


def version(number: str = "7.111.4") -> Call:
    return call("GET", "/artifactory/api/system/version", json={"version": number, "license": "Pro"})


def members(kind: str, **roles: list[str]) -> Call:
    listed = [{"name": name, "roles": names} for name, names in roles.items()]
    return call("GET", f"{WEB}/{kind}", json={"members": listed})


def no_members() -> tuple[Call, Call]:
    return members("users"), members("groups")


def roles(*custom: dict[str, Any]) -> Call:
    predefined = [{"name": "Viewer", "type": "PREDEFINED"}, {"name": "Project Admin", "type": "ADMIN"}]
    return call("GET", f"{WEB}/roles", json=[*predefined, *({**role, "type": "CUSTOM"} for role in custom)])


def role(stored: dict[str, Any]) -> Call:
    return call("GET", f"{WEB}/roles/{stored['name']}", json={**stored, "type": "CUSTOM"})


def environments(*names: str) -> Call:
    return call("GET", f"{WEB}/environments", json=[{"name": name} for name in names])


def attached(*keys: str) -> Call:
    return call("GET", f"{REPOSITORIES}?project=web", json=[{"key": key, "type": "LOCAL"} for key in keys])


def repository(key: str, owner: str | None = None) -> Call:
    return call("GET", f"{REPOSITORIES}/{key}", json={"key": key, "rclass": "local", "projectKey": owner})


def sharing(key: str, *projects: str, read_only: bool = False) -> Call:
    status = {"resource_name": key, "shared_with_projects": list(projects), "shared_read_only": read_only}
    return call("GET", f"{PROJECTS}/_/repositories/{key}", json=status)


def user(name: str, **changes: Any) -> Call:
    about = {"username": name, "admin": False, "groups": [], **changes}
    return call("GET", f"/access/api/v2/users/{name}", json=about)


# Settings


def test_unchanged_project_costs_one_request() -> None:
    options = {"display_name": "Web", "storage_quota": "102400 MB", "admin_privileges": {"manage_members": True}}
    with conversation(project()) as server:
        result = run("artifact_project", url=server.url, **options, **TASK)
    assert (result["changed"], result["project"]) == (False, RESULT)


def test_missing_project_is_created() -> None:
    body = {"project_key": "web", "display_name": "Web", "storage_quota_bytes": 100 * GB}
    created = call("POST", PROJECTS, 201, sent_json=body, json=STORED)
    with conversation(missing(), version(), created, project()) as server:
        options = {"display_name": "Web", "storage_quota": "100 GB"}
        result = run("artifact_project", url=server.url, diff_mode=True, **options, **TASK)
    assert result["changed"]
    assert result["diff"]["after"] == {"state": "present", **options}


def test_settings_that_are_not_declared_are_kept() -> None:
    privileges = {**PRIVILEGES, "manage_remote_repository": True}
    before = project(storage_quota_bytes=-1, admin_privileges=privileges)
    body = {
        **STORED,
        "storage_quota_bytes": -1,
        "description": "",
        "admin_privileges": {**privileges, "index_resources": False},
    }
    written = call("PUT", WEB, sent_json=body, json=body)
    after = project(**{**body, "description": None})
    with conversation(before, before, written, after) as server:
        options = {"description": "", "admin_privileges": {"index_resources": False}}
        result = run("artifact_project", url=server.url, **options, **TASK)
    assert (result["changed"], result["project"]["storage_quota"]) == (True, "unlimited")


@pytest.mark.parametrize(("number", "is_supported"), [("7.133.9", False), ("7.134.0", True)])
def test_privilege_for_remote_repositories_requires_its_version(number: str, is_supported: bool) -> None:
    privileges = {"manage_remote_repository": True}
    with conversation(project(), version(number)) as server:
        result = run("artifact_project", url=server.url, check_mode=True, admin_privileges=privileges, **TASK)
    expected = "Option 'admin_privileges.manage_remote_repository': requires Artifactory 7.134.0 or later"
    assert result["changed"] if is_supported else result["msg"].startswith(expected), result


def test_display_name_is_required_for_a_new_project() -> None:
    with conversation(missing(), version()) as server:
        result = run("artifact_project", url=server.url, check_mode=True, **TASK)
    assert result["msg"] == "Option 'display_name': is required, because project 'web' does not exist."


@pytest.mark.parametrize(
    ("text", "shown"),
    [("1 GB", "1 GB"), ("1.5GB", "1536 MB"), ("1073741825 B", "1073741825 B"), ("2048 GB", "2 TB")],
)
def test_storage_quota_is_compared_in_bytes(text: str, shown: str) -> None:
    with conversation(missing(), version(), call("GET", PROJECTS, json=[])) as server:
        options = {"display_name": "Web", "storage_quota": text}
        result = run("artifact_project", url=server.url, check_mode=True, **options, **TASK)
    assert result["project"]["storage_quota"] == shown


@pytest.mark.parametrize(
    "options",
    [
        {"key": "default"},
        {"key": "Web"},
        {"key": "1web"},
        {"key": "w"},
        {"key": "w" * 33},
        {"display_name": ""},
        {"display_name": "x" * 129},
        {"storage_quota": "1 MB"},
        {"storage_quota": "8192 PB"},
        {"storage_quota": "many"},
        {"storage_quota": "-1"},
        {"environments": ["DEV"]},
        {"environments": ["q/a"]},
        {"environments": ["x" * 29]},
        {"roles": [{"name": "Developer"}]},
        {"roles": [{"description": "x"}]},
        {"roles": [{"name": ".."}]},
        {"roles": [{"name": "a"}, {"name": "a"}]},
        {"roles": [{"name": "a", "actions": ["read"]}]},
        {"members": [{"roles": ["Viewer"]}]},
        {"members": [{"user": "carol", "group": "web", "roles": ["Viewer"]}]},
        {"members": [{"user": "carol"}]},
        {"members": [{"user": "carol", "roles": []}]},
        {"members": [{"user": "carol", "roles": ["Viewer"]}, {"user": "Carol", "roles": ["Viewer"]}]},
        {"repositories": ["a/b"]},
        {"repositories": ["."]},
        {"members": [{"group": ".", "roles": ["Viewer"]}]},
        {"shared_repositories": [{"read_only": True}]},
        {"shared_repositories": [{"key": "libs"}, {"key": "libs"}]},
        {"repositories": ["libs"], "shared_repositories": [{"key": "libs"}]},
    ],
)
def test_invalid_option_is_refused_before_the_first_request(options: dict[str, Any]) -> None:
    with conversation() as server:
        result = run("artifact_project", url=server.url, **{**TASK, **options})
    assert result["failed"]
    assert list(options)[-1] in result["msg"]


@pytest.mark.parametrize("answer", [{}, {**STORED, "project_key": "shop"}])
def test_response_about_something_else_is_not_taken_for_the_project(answer: dict[str, Any]) -> None:
    with conversation(call("GET", WEB, json=answer)) as server:
        result = run("artifact_project", url=server.url, description="x", **TASK)
    assert "'project_key'" in result["msg"]


# Environments, roles and members


def test_unchanged_parts_cost_one_request_each() -> None:
    parts: dict[str, Any] = {
        "environments": ["qa", "web-test"],
        "roles": [{"name": "deployer", "actions": ["READ_BUILD"]}],
        "members": [{"user": "Carol", "roles": ["Viewer", "deployer"]}, {"group": "Crew", "roles": ["Viewer"]}],
        "repositories": ["libs"],
        "shared_repositories": [{"key": "shared"}],
    }
    calls = (
        *(project(), environments("DEV", "web-qa", "web-test"), roles(ROLE)),
        *(members("users", carol=["deployer", "Viewer"], dave=["Viewer"]), members("groups", crew=["Viewer"])),
        *(attached("libs", "other"), sharing("shared", "web", read_only=True)),
    )
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, **parts, **TASK)
    assert result["changed"] is False
    assert result["project"]["roles"] == [ROLE]
    assert result["project"]["members"] == [
        {"group": "Crew", "roles": ["Viewer"]},
        {"user": "carol", "roles": ["Viewer", "deployer"]},
        {"user": "dave", "roles": ["Viewer"]},
    ]
    assert result["project"]["shared_repositories"] == [{"key": "shared", "read_only": True}]


def test_parts_of_a_new_project_are_written_in_order() -> None:
    calls = (
        *(missing(), version(), sharing("shared"), repository("libs"), user("carol")),
        call("POST", PROJECTS, 201, sent_json={"project_key": "web", "display_name": "Web"}, json=STORED),
        call("POST", f"{WEB}/environments", 201, sent_json={"name": "web-qa"}),
        call("POST", f"{WEB}/roles", 201, sent_json={**ROLE, "type": "CUSTOM"}),
        call("PUT", f"{WEB}/users/carol", sent_json={"name": "carol", "roles": ["deployer"]}),
        call("PUT", f"{ATTACH}/libs/web?force=false", 204),
        call("PUT", f"{SHARE}/shared/web?readOnly=false", 204),
        *(project(), environments("web-qa"), roles(ROLE), members("users", carol=["deployer"]), members("groups")),
        *(attached("libs"), sharing("shared", "web")),
    )
    with conversation(*calls) as server:
        result = run(
            "artifact_project",
            url=server.url,
            display_name="Web",
            environments=["qa"],
            roles=[{"name": "deployer", "environments": ["DEV"], "actions": ["READ_BUILD"]}],
            members=[{"user": "carol", "roles": ["deployer"]}],
            repositories=["libs"],
            shared_repositories=[{"key": "shared"}],
            **TASK,
        )
    assert result["changed"], result


def group(name: str, status: int = 200) -> Call:
    answer = NOT_FOUND if status == 404 else {"name": name, "description": "", "members": []}
    return call("GET", f"/access/api/v2/groups/{name}", status, json=answer)


@pytest.mark.parametrize(
    ("reads", "stored"),
    [
        ([group("Crew")] * 2, "Crew"),
        ([group("Crew", 404), version(), *[group("crew"), group("Crew", 404)] * 2][:-1], "crew"),
        ([group("Crew", 403)] * 2, "Crew"),
    ],
)
def test_group_is_added_under_the_name_that_the_server_stores(reads: list[Call], stored: str) -> None:
    written = call("PUT", f"{WEB}/groups/{stored}", sent_json={"name": stored, "roles": ["Viewer"]})
    after = members("users"), members("groups", **{stored: ["Viewer"]})
    with conversation(project(), *no_members(), *reads, written, project(), *after) as server:
        declared = [{"group": "Crew", "roles": ["Viewer"]}]
        result = run("artifact_project", url=server.url, members=declared, **TASK)
    assert result["project"]["members"] == declared, result


def test_all_members_are_returned_when_only_some_are_declared() -> None:
    calls = project(), members("users", carol=["Viewer"]), members("groups", crew=["Viewer"])
    for declared in ([], [{"user": "carol", "roles": ["Viewer"]}]):
        with conversation(*calls) as server:
            result = run("artifact_project", url=server.url, members=declared, **TASK)
        assert [member["roles"] for member in result["project"]["members"]] == [["Viewer"], ["Viewer"]]


def test_role_is_changed_with_its_other_fields() -> None:
    sent = {**ROLE, "type": "CUSTOM", "description": "Deploys"}
    written = call("PUT", f"{WEB}/roles/deployer", sent_json=sent)
    with conversation(
        project(), roles(ROLE), role(ROLE), written, project(), roles({**ROLE, "description": "Deploys"})
    ) as server:
        declared = [{"name": "deployer", "description": "Deploys"}]
        assert run("artifact_project", url=server.url, roles=declared, **TASK)["changed"]


def test_role_of_another_type_is_not_changed() -> None:
    server_roles = call("GET", f"{WEB}/roles", json=[{"name": "Auditor", "type": "PREDEFINED"}])
    with conversation(project(), server_roles) as server:
        result = run("artifact_project", url=server.url, roles=[{"name": "Auditor"}], **TASK)
    assert "'Auditor' is a predefined role" in result["msg"]


def test_parts_are_exact_when_purging() -> None:
    removed = [
        call("DELETE", f"{WEB}/groups/crew", 204),
        call("DELETE", f"{WEB}/users/dave", 404, json=NOT_FOUND),
        call("DELETE", f"{WEB}/roles/deployer", 204),
        call("DELETE", f"{WEB}/environments/web-old", 204),
    ]
    before = (environments("DEV", "web-old"), roles(ROLE), members("users", dave=["Viewer"]))
    after = (environments("DEV"), roles(), members("users"), members("groups"))
    calls = (project(), *before, members("groups", crew=["Viewer"]), *sorted_as_sent(removed), project(), *after)
    with conversation(*calls) as server:
        options: dict[str, Any] = {"environments": [], "roles": [], "members": [], "purge": True}
        result = run("artifact_project", url=server.url, **options, **TASK)
    assert result["changed"], result
    assert result["project"]["members"] == []


def sorted_as_sent(calls: list[Call]) -> list[Call]:
    """Return the removals in the order of the lists of the server: users before groups."""
    return [calls[1], calls[0], *calls[2:]]


@pytest.mark.parametrize(
    ("options", "calls", "message"),
    [
        (
            {"roles": [], "members": [{"user": "carol", "roles": ["deployer"]}]},
            (roles(ROLE), *no_members()),
            "Option 'members': contains 'deployer', which 'purge' would remove. Add it to 'roles'.",
        ),
        (
            {"environments": [], "roles": [{"name": "deployer", "environments": ["web-qa"]}]},
            (environments("web-qa"), roles()),
            "Option 'roles': contains 'web-qa', which 'purge' would remove. Add it to 'environments'.",
        ),
    ],
)
def test_name_in_use_is_not_removed(options: dict[str, Any], calls: tuple[Call, ...], message: str) -> None:
    with conversation(project(), *calls) as server:
        result = run("artifact_project", url=server.url, purge=True, **options, **TASK)
    assert result["msg"] == message


@pytest.mark.parametrize("declares_environments", [True, False])
def test_role_accepts_short_names_of_environments(declares_environments: bool) -> None:
    options: dict[str, Any] = {"roles": [{"name": "deployer", "environments": ["DEV", "qa"]}]}
    own, before, after = environments("web-qa"), roles(ROLE), roles({**ROLE, "environments": ["DEV", "web-qa"]})
    listed = call("GET", "/access/api/v1/environments", json=[{"name": "DEV"}])
    sent = {**ROLE, "type": "CUSTOM", "environments": ["DEV", "web-qa"]}
    written = call("PUT", f"{WEB}/roles/deployer", sent_json=sent)
    calls = [project(), before, own, listed, role(ROLE), written, project(), after]
    if declares_environments:
        options["environments"] = ["qa"]
        calls = [project(), own, before, listed, role(ROLE), written, project(), own, after]
    with conversation(*calls) as server:
        assert run("artifact_project", url=server.url, **options, **TASK)["changed"]
    with conversation(*calls[-2 - declares_environments :]) as server:
        assert not run("artifact_project", url=server.url, **options, **TASK)["changed"]


def test_new_role_accepts_the_short_name_of_a_new_environment() -> None:
    sent = {"name": "cook", "type": "CUSTOM", "description": "", "environments": ["web-qa"], "actions": []}
    calls = (
        *(project(), environments(), roles(), call("GET", "/access/api/v1/environments", json=[{"name": "DEV"}])),
        call("POST", f"{WEB}/environments", 201, sent_json={"name": "web-qa"}),
        call("POST", f"{WEB}/roles", 201, sent_json=sent),
        *(project(), environments("web-qa"), roles(sent)),
    )
    options: dict[str, Any] = {"environments": ["qa"], "roles": [{"name": "cook", "environments": ["qa"]}]}
    with conversation(*calls) as server:
        assert run("artifact_project", url=server.url, **options, **TASK)["changed"]


def test_action_that_another_client_removed_from_a_role_stays_removed() -> None:
    narrowed = {**ROLE, "actions": []}
    written = call("PUT", f"{WEB}/roles/deployer", sent_json={**narrowed, "type": "CUSTOM", "description": "x"})
    calls = project(), roles(ROLE), role(narrowed), written, project(), roles({**narrowed, "description": "x"})
    with conversation(*calls) as server:
        declared = [{"name": "deployer", "description": "x"}]
        assert run("artifact_project", url=server.url, roles=declared, **TASK)["changed"]


def test_undeclared_setting_that_changes_after_it_was_sent_is_not_written_again() -> None:
    body = {**STORED, "description": "x"}
    revoked = {**body, "soft_limit": True, "admin_privileges": {**STORED["admin_privileges"], "manage_members": False}}
    with conversation(project(), project(), call("PUT", WEB, sent_json=body, json=body), project(**revoked)) as server:
        result = run("artifact_project", url=server.url, description="x", **TASK)
    assert (result["changed"], result["msg"]) == (
        True,
        "The server accepted the change, but these fields of project 'web', which the task does not declare, have "
        "other values now: admin_privileges, soft_limit. Another client may have changed them.",
    )


def test_undeclared_action_of_a_role_that_changes_after_it_was_sent_is_not_written_again() -> None:
    sent = {**ROLE, "type": "CUSTOM", "description": "Deploys"}
    revoked = {**sent, "actions": []}
    calls = project(), roles(ROLE), role(ROLE), call("PUT", f"{WEB}/roles/deployer", sent_json=sent, json=sent)
    with conversation(*calls, project(), roles(revoked)) as server:
        declared = [{"name": "deployer", "description": "Deploys"}]
        result = run("artifact_project", url=server.url, roles=declared, **TASK)
    assert result["changed"]
    assert "have other values now: roles.deployer.actions." in result["msg"]


def test_surplus_member_that_only_the_read_back_shows_is_removed() -> None:
    removed = [call("DELETE", f"{WEB}/users/{name}", 204) for name in ("dave", "erin")]
    calls = (
        *(project(), members("users", dave=["Viewer"]), members("groups"), removed[0]),
        *(project(), members("users", erin=["Viewer"]), members("groups"), removed[1]),
        *(project(), *no_members()),
    )
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, members=[], purge=True, **TASK)
    assert (result["changed"], result["project"]["members"]) == (True, [])


# Order


def test_access_is_closed_before_it_is_opened() -> None:
    wide = {**ROLE, "actions": ["READ_BUILD", "DELETE_BUILD"]}
    old = {**ROLE, "name": "old"}
    narrow, cook = {**ROLE, "actions": ["READ_BUILD"]}, {**ROLE, "name": "cook"}
    names = {"carol": ["Viewer"], "dave": ["Developer"]}
    after_roles, after_members = roles(narrow, cook), members("users", carol=["Viewer"], dave=["Viewer", "cook"])
    calls = (
        *(project(), environments("web-old"), roles(wide, old)),
        *(members("users", bob=["Viewer"], carol=["Developer", "Viewer"], dave=["Developer"]), members("groups")),
        *(attached("stale"), repository("stale", "web"), sharing("shared"), sharing("ended", "web")),
        *(repository("libs"), call("GET", PROJECTS, json=[])),
        # members and roles lose access
        call("DELETE", f"{WEB}/users/bob", 204),
        call("PUT", f"{WEB}/users/carol", sent_json={"name": "carol", "roles": ["Viewer"]}),
        call("DELETE", f"{SHARE}/ended/web", 204),
        call("DELETE", f"{ATTACH}/stale", 204),
        *(role(wide), call("PUT", f"{WEB}/roles/deployer", sent_json={**narrow, "type": "CUSTOM"})),
        call("PUT", f"{WEB}/users/dave", sent_json={"name": "dave", "roles": ["Viewer"]}),
        call("DELETE", f"{WEB}/roles/old", 204),
        call("DELETE", f"{WEB}/environments/web-old", 204),
        # everything else
        *(project(), call("PUT", WEB, sent_json={**STORED, "display_name": "New"}, json=STORED)),
        call("POST", f"{WEB}/environments", 201, sent_json={"name": "web-qa"}),
        call("POST", f"{WEB}/roles", 201, sent_json={**cook, "type": "CUSTOM"}),
        call("PUT", f"{WEB}/users/dave", sent_json={"name": "dave", "roles": ["Viewer", "cook"]}),
        call("PUT", f"{ATTACH}/libs/web?force=false", 204),
        call("PUT", f"{SHARE}/shared/web?readOnly=false", 204),
        *(project(display_name="New"), environments("web-qa"), after_roles, after_members, members("groups")),
        *(attached("libs"), sharing("shared", "web"), sharing("ended")),
    )
    options: dict[str, Any] = {
        "display_name": "New",
        "environments": ["qa"],
        "roles": [{"name": "deployer", "actions": ["READ_BUILD"]}, {**cook}],
        "members": [{"user": name, "roles": ["Viewer"]} for name in names],
        "repositories": ["libs"],
        "shared_repositories": [{"key": "shared"}, {"key": "ended", "state": "absent"}],
        "purge": True,
    }
    options["members"][1]["roles"] = ["Viewer", "cook"]
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, **options, **TASK)
    assert result["changed"], result


def test_nothing_is_opened_when_a_member_cannot_be_removed() -> None:
    refused = call("DELETE", f"{WEB}/users/bob", 403, json={"errors": [{"message": "Forbidden"}]})
    calls = project(), members("users", bob=["Viewer"]), members("groups"), attached(), repository("libs"), refused
    options: dict[str, Any] = {"members": [], "repositories": ["libs"], "purge": True}
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, **options, **TASK)
    assert (result["failed"], result["changed"]) == (True, False)


def test_member_whose_only_role_does_not_exist_yet_is_removed_first() -> None:
    calls = (
        *(project(), roles(), members("users", carol=["Developer"]), members("groups")),
        call("DELETE", f"{WEB}/users/carol", 204),
        call("POST", f"{WEB}/roles", 201, sent_json={**ROLE, "type": "CUSTOM"}),
        call("PUT", f"{WEB}/users/carol", sent_json={"name": "carol", "roles": ["deployer"]}),
        *(project(), roles(ROLE), members("users", carol=["deployer"]), members("groups")),
    )
    options: dict[str, Any] = {"roles": [ROLE], "members": [{"user": "carol", "roles": ["deployer"]}]}
    with conversation(*calls) as server:
        assert run("artifact_project", url=server.url, **options, **TASK)["changed"]


# Repositories


def test_repository_of_another_project_is_moved_only_if_allowed() -> None:
    calls = project(), attached(), repository("libs", "shop")
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, repositories=["libs"], **TASK)
    assert "Repository 'libs' belongs to project 'shop'. Set 'allow_move: true'" in result["msg"]
    moved = call("PUT", f"{ATTACH}/libs/web?force=true", 204)
    with conversation(*calls, moved, project(), attached("libs")) as server:
        assert run("artifact_project", url=server.url, repositories=["libs"], allow_move=True, **TASK)["changed"]


@pytest.mark.parametrize("owner", [None, "", "default"])
def test_repository_without_a_project_is_attached(owner: str | None) -> None:
    written = call("PUT", f"{ATTACH}/libs/web?force=false", 204)
    with conversation(project(), attached(), repository("libs", owner), written, project(), attached("libs")) as server:
        assert run("artifact_project", url=server.url, repositories=["libs"], **TASK)["changed"]


def test_attachment_is_repeated_when_the_repository_is_not_visible_yet() -> None:
    refused = call("PUT", f"{ATTACH}/libs/web?force=false", 404, json=NOT_FOUND)
    written = call("PUT", f"{ATTACH}/libs/web?force=false", 204)
    calls = project(), attached(), repository("libs"), refused, written, project(), attached("libs")
    with conversation(*calls) as server:
        assert run("artifact_project", url=server.url, key="web", repositories=["libs"], visibility_timeout=10)[
            "changed"
        ]
    with conversation(*calls[:4], project(), attached()) as server:
        assert run("artifact_project", url=server.url, repositories=["libs"], **TASK)["failed"]


def test_only_repositories_of_the_project_are_detached_when_purging() -> None:
    calls = (
        *(project(), attached("foreign", "libs", "old")),
        *(repository("foreign", "shop"), repository("old", "web")),
        call("DELETE", f"{ATTACH}/old", 404, json=NOT_FOUND),  # deleted by another client
        *(project(), attached("foreign", "libs"), repository("foreign", "shop")),
    )
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, repositories=["libs"], purge=True, **TASK)
    assert result["project"]["repositories"] == ["libs"]


def test_sharing_is_changed_and_ended() -> None:
    declared = [{"key": "libs", "read_only": True}, {"key": "old", "state": "absent"}]
    calls = (
        *(project(), sharing("libs", "web"), sharing("old", "shop", "web"), version()),
        call("PUT", f"{SHARE}/libs/web?readOnly=true", 204),
        call("DELETE", f"{SHARE}/old/web", 204),
        *(project(), sharing("libs", "web", read_only=True), sharing("old", "shop")),
    )
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, shared_repositories=declared, **TASK)
    assert result["project"]["shared_repositories"] == [{"key": "libs", "read_only": True}]


def test_repository_stays_read_only_when_it_is_shared_with_another_project() -> None:
    before, after = (sharing("libs", *names, read_only=True) for names in (["shop"], ["shop", "web"]))
    written = call("PUT", f"{SHARE}/libs/web?readOnly=true", 204)
    shared = [{"key": "libs"}]
    with conversation(project(), before, version(), written, project(), after) as server:
        done = run("artifact_project", url=server.url, shared_repositories=shared, diff_mode=True, **TASK)
    with conversation(project(), before, version()) as server:
        options = {"check_mode": True, "diff_mode": True}
        predicted = run("artifact_project", url=server.url, shared_repositories=shared, **options, **TASK)
    assert predicted == done
    assert done["project"]["shared_repositories"] == [{"key": "libs", "read_only": True}]


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("7.93.0", "Option 'shared_repositories.read_only': requires Artifactory 7.94.0 or later."),
        ("7.90.0", "Sharing repositories between projects requires Artifactory 7.90.1 or later."),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_sharing_is_refused_when_the_version_lacks_it(number: str, message: str, is_new: bool) -> None:
    status = sharing("libs")
    if number == "7.90.0":
        status = call("GET", f"{PROJECTS}/_/repositories/libs", 404, json=NOT_FOUND)
    calls = (missing(), version(number), status) if is_new else (project(), status, version(number))
    with conversation(*calls) as server:
        options = {"shared_repositories": [{"key": "libs", "read_only": True}], "predict_missing": True}
        result = run("artifact_project", url=server.url, check_mode=is_new, **options, **TASK)
    assert result["msg"] == message


# Deletion


def test_project_is_deleted() -> None:
    deleted = call("DELETE", WEB, 204)
    with conversation(project(), attached(), deleted, missing(), version()) as server:
        result = run("artifact_project", url=server.url, state="absent", **TASK)
    assert (result["changed"], result["project"]) == (True, None)
    with conversation(missing(), version()) as server:
        assert not run("artifact_project", url=server.url, state="absent", **TASK)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_project_with_repositories_is_not_deleted(check_mode: bool) -> None:
    with conversation(project(), attached("docs", "libs")) as server:
        result = run("artifact_project", url=server.url, state="absent", check_mode=check_mode, **TASK)
    assert result["msg"] == (
        "Cannot delete project 'web': it contains the repositories docs, libs. Move or delete them, or set "
        "'detach_repositories: true' to keep them without a project."
    )


def test_deletion_is_repeated_when_the_server_still_counts_detached_repositories() -> None:
    error = {"errors": [{"code": "BAD_REQUEST", "message": "project containing resources can't be removed"}]}
    calls = (
        *(project(), attached("foreign", "libs"), repository("foreign", "shop"), repository("libs", "web")),
        *(call("DELETE", f"{ATTACH}/libs", 204), call("DELETE", WEB, 400, json=error)),
    )
    task = {"key": "web", "state": "absent", "detach_repositories": True}
    with conversation(*calls, call("DELETE", WEB, 204), missing(), version()) as server:
        assert run("artifact_project", url=server.url, visibility_timeout=10, **task)["changed"]
    with conversation(*calls, project()) as server:
        result = run("artifact_project", url=server.url, visibility_timeout=0, **task)
    assert "The project still contains repositories, builds or other resources." in result["msg"]
    assert result["changed"]


def test_repository_is_not_reported_as_detached_when_a_login_page_responds() -> None:
    page = call("DELETE", f"{ATTACH}/libs", text="<html>Sign in</html>")
    libs = repository("libs", "web")
    with conversation(project(), attached("libs"), libs, page, libs, project()) as server:
        result = run("artifact_project", url=server.url, state="absent", detach_repositories=True, **TASK)
    assert "is HTML, not JSON" in result["msg"]
    assert not result["changed"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_project_is_deleted_when_a_gateway_fails_after_repositories_were_detached(status: int) -> None:
    calls = project(), attached("libs"), repository("libs", "web"), call("DELETE", f"{ATTACH}/libs", status)
    task = {"key": "web", "state": "absent", "detach_repositories": True}
    deleted = call("DELETE", WEB, 204), missing(), version()
    with conversation(*calls, repository("libs", ""), *deleted) as server:
        result = run("artifact_project", url=server.url, **task)
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]
    last_read = [] if status == 500 else [project()]
    with conversation(*calls, repository("libs", "web"), *last_read) as server:
        result = run("artifact_project", url=server.url, visibility_timeout=0, **task)
    assert not result["changed"]
    assert str(status) in result["msg"]


def test_undeclared_projects_are_deleted_except_the_default_one() -> None:
    listed = call("GET", PROJECTS, json=[STORED, {"project_key": "default"}, {"project_key": "old"}])
    old = f"{PROJECTS}/old"
    calls = (
        *(listed, project(), call("GET", old, json={**STORED, "project_key": "old"})),
        *(call("GET", f"{REPOSITORIES}?project=old", json=[]), call("DELETE", old, 204)),
        *(call("GET", old, 404, json=NOT_FOUND), version()),
    )
    with conversation(*calls) as server:
        result = run("artifact_project", url=server.url, items=[{"key": "web"}], undeclared="remove", workers=1)
    assert (result["undeclared"], result["counts"]["changed"]) == (["old"], 1)


# Check mode


def test_check_mode_predicts_a_new_project() -> None:
    with conversation(missing(), version(), call("GET", PROJECTS, json=[])) as server:
        options = {"display_name": "Web", "environments": ["qa"], "roles": [{"name": "deployer"}]}
        result = run("artifact_project", url=server.url, check_mode=True, **options, **TASK)
    assert result["changed"]
    assert result["project"]["roles"] == [{"name": "deployer", "description": "", "environments": [], "actions": []}]
    assert (result["project"]["storage_quota"], result["project"]["members"]) == ("unlimited", None)


@pytest.mark.parametrize(
    ("options", "calls", "message"),
    [
        (
            {"display_name": "Shop"},
            (call("GET", PROJECTS, json=[STORED, {"project_key": "shop", "display_name": "Shop"}]),),
            "Option 'display_name': 'Shop' is the name of project 'shop'.",
        ),
        (
            {"members": [{"user": "carol", "roles": ["Viewer"]}]},
            (*no_members(), call("GET", "/access/api/v2/users/carol", 404, json=NOT_FOUND), version()),
            "Option 'members': these users do not exist: carol.",
        ),
        (
            {"members": [{"group": "crew", "roles": ["Viewer"]}]},
            (*no_members(), call("GET", "/access/api/v2/groups/crew", 404, json=NOT_FOUND), version()),
            "Option 'members': these groups do not exist: crew.",
        ),
        (
            {"members": [{"user": "carol", "roles": ["cook"]}]},
            (*no_members(), user("carol"), roles(ROLE)),
            "Option 'members': these roles do not exist: cook.",
        ),
        (
            {"roles": [{"name": "cook", "environments": ["QA"]}]},
            (roles(), environments("web-qa"), call("GET", "/access/api/v1/environments", json=[{"name": "DEV"}])),
            "Option 'roles': these environments do not exist: QA.",
        ),
        (
            {"repositories": ["libs"]},
            (
                *(attached(), call("GET", f"{REPOSITORIES}/libs", 400, json=NOT_FOUND)),
                call("GET", REPOSITORIES, json=[]),
            ),
            "Option 'repositories': these repositories do not exist: libs.",
        ),
        (
            {"shared_repositories": [{"key": "libs"}]},
            (call("GET", f"{PROJECTS}/_/repositories/libs", 404, json=NOT_FOUND), version()),
            "Option 'shared_repositories': these repositories do not exist: libs.",
        ),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_missing_names_are_refused_before_the_first_write(
    check_mode: bool, options: dict[str, Any], calls: tuple[Call, ...], message: str
) -> None:
    advice = PREDICT_MISSING if check_mode and "do not exist" in message else ""
    with conversation(project(), *calls) as server:
        result = run("artifact_project", url=server.url, check_mode=check_mode, **options, **TASK)
    assert (result["msg"], result["changed"]) == (message + advice, False)


def test_check_mode_accepts_names_that_the_account_may_not_read() -> None:
    error = {"errors": [{"code": "FORBIDDEN", "message": "Forbidden"}]}
    forbidden = [
        call("GET", path, 403, json=error)
        for path in ("/access/api/v2/users/carol", "/access/api/v2/groups/crew", "/access/api/v1/environments")
    ]
    declared: dict[str, Any] = {
        "members": [{"user": "carol", "roles": ["Viewer"]}, {"group": "crew", "roles": ["Viewer"]}],
        "roles": [{"name": "cook", "environments": ["web-qa"]}],
    }
    with conversation(project(), roles(), *no_members(), *forbidden) as server:
        assert run("artifact_project", url=server.url, check_mode=True, **declared, **TASK)["changed"]


def test_check_mode_can_assume_that_missing_names_are_created() -> None:
    with conversation(project(), *no_members()) as server:
        declared = [{"user": "carol", "roles": ["cook"]}]
        options = {"members": declared, "predict_missing": True}
        assert run("artifact_project", url=server.url, check_mode=True, **options, **TASK)["changed"]


@pytest.mark.parametrize("declared", [[], [{"user": "carol", "roles": ["Viewer"]}]])
def test_check_mode_can_assume_that_a_project_is_created_to_which_parts_are_added(declared: list[Any]) -> None:
    with conversation(missing(), version()) as server:
        options = {"members": declared, "predict_missing": True}
        result = run("artifact_project", url=server.url, check_mode=True, diff_mode=True, **options, **TASK)
    assert (result["changed"], result["diff"]["before"]["state"]) == (bool(declared), "present")
    assert result["project"]["members"] == declared


def test_check_mode_requires_the_name_of_a_project_that_the_task_creates() -> None:
    with conversation(missing(), version()) as server:
        options = {"environments": ["qa"], "predict_missing": True}
        result = run("artifact_project", url=server.url, check_mode=True, **options, **TASK)
    assert result["msg"] == "Option 'display_name': is required, because project 'web' does not exist."


def test_check_mode_can_assume_that_repositories_of_a_deleted_project_are_deleted() -> None:
    with conversation(project()) as server:
        options = {"state": "absent", "predict_missing": True}
        assert run("artifact_project", url=server.url, check_mode=True, **options, **TASK)["changed"]


# Lock-out


@pytest.mark.parametrize(
    ("about", "is_refused"), [({"admin": True}, False), ({"effective_admin": True}, False), ({}, True)]
)
def test_own_administration_is_kept(about: dict[str, Any], is_refused: bool) -> None:
    declared = [{"user": "carol", "roles": ["Viewer"]}]
    calls = project(), members("users", carol=["Project Admin"]), members("groups"), user("carol", **about)
    written = call("PUT", f"{WEB}/users/carol", sent_json={"name": "carol", "roles": ["Viewer"]})
    after = () if is_refused else (written, project(), members("users", carol=["Viewer"]), members("groups"))
    with conversation(*calls, *after) as server:
        result = run("artifact_project", url=server.url, members=declared, token=own_token("carol"), **TASK)
    if is_refused:
        assert "The change would lock out 'carol', the account of this task" in result["msg"]
    else:
        assert result["changed"]


def test_lockout_is_possible_and_other_administrators_may_be_removed() -> None:
    declared = [{"user": "carol", "roles": ["Viewer"]}]
    written = call("PUT", f"{WEB}/users/carol", sent_json={"name": "carol", "roles": ["Viewer"]})
    before, after = (members("users", carol=[role]) for role in ("Project Admin", "Viewer"))
    calls = project(), before, members("groups"), written, project(), after, members("groups")
    for options in ({"token": own_token("carol"), "allow_lockout": True}, {"token": own_token("dave")}):
        with conversation(*calls) as server:
            assert run("artifact_project", url=server.url, members=declared, **options, **TASK)["changed"]


def test_lockout_is_assumed_when_the_groups_of_the_account_are_unknown() -> None:
    declared = [{"group": "crew", "roles": ["Viewer"]}]
    refused = call("GET", "/access/api/v2/users/carol", 403, json={"errors": [{"message": "Forbidden"}]})
    with conversation(project(), members("users"), members("groups", crew=["Project Admin"]), refused) as server:
        result = run("artifact_project", url=server.url, members=declared, token=own_token("carol"), **TASK)
    assert "it would not be an administrator of the project" in result["msg"]


# Information


def test_information_has_the_form_of_the_options() -> None:
    with conversation(call("GET", PROJECTS, json=[STORED, {"project_key": "default"}])) as server:
        result = run("artifact_project_info", url=server.url)
    assert result["projects"] == [{name: value for name, value in RESULT.items() if name != "shared_repositories"}]
    with conversation(project()) as server:
        assert not run("artifact_project", url=server.url, items=result["projects"])["changed"]


def test_information_includes_parts() -> None:
    parts = ["environments", "roles", "members", "repositories"]
    reads = environments("web-qa"), roles(ROLE), members("users", carol=["Viewer"]), members("groups"), attached("libs")
    with conversation(project(), *reads) as server:
        (found,) = run("artifact_project_info", url=server.url, key="web", include=parts)["projects"]
    assert (found["environments"], found["roles"], found["repositories"]) == (["web-qa"], [ROLE], ["libs"])
    assert found["members"] == [{"user": "carol", "roles": ["Viewer"]}]


def test_missing_project_has_no_information() -> None:
    with conversation(missing(), version()) as server:
        assert run("artifact_project_info", url=server.url, key="web")["projects"] == []


def test_server_without_list_of_projects() -> None:
    with conversation(call("GET", PROJECTS, 404, json=NOT_FOUND), version()) as server:
        assert "not from the Access API" in run("artifact_project_info", url=server.url)["msg"]
