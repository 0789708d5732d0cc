# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access.roles import PERMISSIONS
from support.conversation import Call, conversation
from support.review_server import ACCOUNT, NO_PERMISSIONS, act, projects, records, refusal
from support.running import run

TASK = {"name": "Triage", **ACCOUNT}
PROJECTS = (("mobile-app", "mobile_app"), ("platform", "platform"))
LISTED = {"access_source_files": False, "change_issue_status": False, "create_build": True}
TO_ANALYZE = {"from": "Any", "to": "Analyze"}
TO_NEXT = {"from": "Analyze", "to": "Fix in Next Release"}
DEVELOPERS = {"name": "developers", "projectId": "mobile_app", "group": True}
READONLY = "Cannot change or delete role 'Triage': it is built in. Only its assignments can change."
ALICE = {"name": "alice", "group": False}


def role(permissions: dict[str, bool] | None = None, *transitions: dict[str, str], **fields: Any) -> dict[str, Any]:
    """Return the record of a role."""
    listed = LISTED if permissions is None else permissions
    flags = [{"name": name, "enabled": enabled} for name, enabled in listed.items()]
    record = {"name": "Triage", "readonly": False, "permissions": flags, "statusPermissions": list(transitions)}
    return {**record, **fields}


def roles(*entries: dict[str, Any]) -> Call:
    return act("roles", search="+Triage", text=records(*entries))


def assignment_call(*assignments: dict[str, Any]) -> Call:
    record = {"name": "Triage", "readonly": False, "assignments": list(assignments)}
    return act("role_assignments", search="+Triage", text=records(record))


def create(**fields: str) -> Call:
    return act("create_role", name="Triage", **fields)


def update(**fields: str) -> Call:
    return act("update_role_permissions", name="Triage", **fields)


def assign(account: str, *, group: str = "false", remove: str = "false", **project: str) -> Call:
    return act("update_role_assignment", name="Triage", account=account, group=group, remove=remove, **project)


def account(name: str, *roles_of_account: dict[str, Any], groups: tuple[str, ...] = ()) -> Call:
    """Return the request for an account, and its response with these roles."""
    record = {
        "name": name,
        "readonly": False,
        "roles": list(roles_of_account),
        "groups": [{"name": group} for group in groups],
    }
    return act("users", search=name, text=records({"name": f"{name}2", "roles": []}, record))


def group(name: str, *roles_of_group: dict[str, Any]) -> Call:
    """Return the request for a group, and its response with these roles."""
    return act("groups", search=name, text=records({"name": name, "readonly": False, "roles": list(roles_of_group)}))


def all_roles(*entries: dict[str, Any]) -> Call:
    return act("roles", text=records(*entries))


def test_second_run_sends_one_read() -> None:
    with conversation(roles(role({**LISTED, "access_source_files": True}, TO_NEXT, TO_ANALYZE))) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"access_source_files": True},
            transitions=[TO_ANALYZE, TO_NEXT, TO_ANALYZE],
            **TASK,
        )
    assert result == {
        "changed": False,
        "role": {
            "name": "Triage",
            "readonly": False,
            "permissions": {**NO_PERMISSIONS, **LISTED, "access_source_files": True},
            "transitions": [TO_NEXT, TO_ANALYZE],
        },
    }


def test_role_is_created_and_read_back() -> None:
    created = create(access_source_files="true", allowed_status_transitions="Analyze,Fix in Next Release;Any,Analyze")
    stored = role({**LISTED, "access_source_files": True}, TO_ANALYZE, TO_NEXT)
    with conversation(roles(), created, roles(stored)) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"access_source_files": True},
            transitions=[TO_ANALYZE, TO_NEXT],
            diff_mode=True,
            **TASK,
        )
    assert result["changed"]
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {
            "state": "present",
            "name": "Triage",
            "permissions": {"access_source_files": True},
            "transitions": [TO_NEXT, TO_ANALYZE],
        },
    }


def test_role_can_be_created_with_name_only() -> None:
    with conversation(roles(), create(), roles(role())) as server:
        assert run("review_role", url=server.url, **TASK)["changed"]
    with conversation(roles(role())) as server:
        assert not run("review_role", url=server.url, **TASK)["changed"]


def test_role_with_similar_name_is_ignored() -> None:
    with conversation(roles(role(name="Triage 2")), create(), roles(role(), role(name="Triage 2"))) as server:
        assert run("review_role", url=server.url, **TASK)["role"]["name"] == "Triage"


def test_only_differing_permissions_are_sent() -> None:
    desired = {"create_build": False, "access_source_files": False, "change_issue_status": True}
    stored = role({"access_source_files": False, "change_issue_status": True, "create_build": False})
    changed = update(change_issue_status="true", create_build="false")
    with conversation(roles(role()), changed, roles(stored)) as server:
        result = run("review_role", url=server.url, permissions=desired, diff_mode=True, **TASK)
    assert result["changed"]
    assert result["diff"]["before"]["permissions"] == LISTED
    assert result["diff"]["after"]["permissions"] == desired


def test_check_mode_predicts_creation() -> None:
    with conversation(roles()) as server:
        result = run(
            "review_role", url=server.url, permissions={"create_build": True}, transitions=[], check_mode=True, **TASK
        )
    permissions = {**dict.fromkeys(PERMISSIONS, False), "create_build": True}
    predicted = {"name": "Triage", "readonly": False, "permissions": permissions, "transitions": []}
    assert result == {"changed": True, "role": predicted}


def test_check_mode_predicts_update() -> None:
    with conversation(projects(*PROJECTS), roles(role()), assignment_call(ALICE), group("developers")) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"create_build": False},
            assignments=[{"group": "developers", "project": "mobile-app"}],
            purge=True,
            check_mode=True,
            **TASK,
        )
    assert result["changed"]
    assert result["role"]["permissions"] == NO_PERMISSIONS
    assert result["role"]["assignments"] == [{"account": None, "group": "developers", "project": "mobile-app"}]


def test_transitions_are_compared_case_insensitively() -> None:
    request = roles(role(LISTED, {"from": "any", "to": "Not a problem"}, {"from": "Any", "to": "Own"}))
    with conversation(request) as server:
        desired = [{"from": "Any", "to": "Not a Problem"}, {"from": "Any", "to": "Fix"}]
        result = run("review_role", url=server.url, transitions=desired, check_mode=True, diff_mode=True, **TASK)
    assert result["diff"]["before"]["transitions"] == [
        {"from": "Any", "to": "Not a Problem"},
        {"from": "Any", "to": "Own"},
    ]


@pytest.mark.parametrize(
    ("desired", "sent"),
    [
        ([{"from": "any", "to": "ANALYZE"}], "Any,Analyze"),
        ([{"from": "ANALYZE", "to": "fix in next release"}], "Analyze,Fix in Next Release"),
        ([{"from": "Not A Problem", "to": "filter"}], "Not a Problem,Filter"),
        ([{"from": "Fix", "to": "Defer"}, {"from": "Any", "to": "Fix"}], "Any,Fix;Fix,Defer"),
    ],
)
def test_transitions_are_sent_in_spelling_of_server(desired: list[dict[str, str]], sent: str) -> None:
    stored = [dict(zip(("from", "to"), pair.split(","), strict=True)) for pair in sent.split(";")]
    changed = update(allowed_status_transitions=sent)
    with conversation(roles(role()), changed, roles(role(LISTED, *stored))) as server:
        assert run("review_role", url=server.url, transitions=desired, **TASK)["changed"]


def test_transitions_are_replaced() -> None:
    changed = update(allowed_status_transitions="Any,Analyze")
    before, after = role(LISTED, TO_ANALYZE, TO_NEXT), role(LISTED, TO_ANALYZE)
    with conversation(roles(before), changed, roles(after)) as server:
        assert run("review_role", url=server.url, transitions=[TO_ANALYZE], **TASK)["changed"]


def test_empty_transitions_remove_all() -> None:
    changed = update(allowed_status_transitions="")
    with conversation(roles(role(LISTED, TO_ANALYZE)), changed, roles(role())) as server:
        assert run("review_role", url=server.url, transitions=[], **TASK)["changed"]
    with conversation(roles(role())) as server:
        assert not run("review_role", url=server.url, transitions=[], **TASK)["changed"]


@pytest.mark.parametrize("status", ["New", "Analyse", "", "Any,Fix", "Fix;Any"])
def test_unknown_status_fails_before_first_request(status: str) -> None:
    with conversation() as server:
        result = run("review_role", url=server.url, transitions=[{"from": "Any", "to": status}], **TASK)
    assert result["failed"]
    assert f"Option 'transitions': '{status}' is not a status. The statuses are Any, Analyze," in result["msg"]


def test_project_is_assigned_by_id() -> None:
    with conversation(
        projects(*PROJECTS),
        roles(role()),
        assignment_call(),
        group("developers"),
        account("bob"),
        assign("developers", group="true", project="mobile_app"),
        assign("bob", project="platform"),
        roles(role()),
        assignment_call(DEVELOPERS, {"name": "bob", "projectId": "platform", "group": False}),
    ) as server:
        desired = [{"group": "developers", "project": "mobile-app"}, {"account": "bob", "project": "platform"}]
        result = run("review_role", url=server.url, assignments=desired, diff_mode=True, **TASK)
    assert result["changed"]
    assert result["role"]["assignments"] == [
        {"account": "bob", "group": None, "project": "platform"},
        {"account": None, "group": "developers", "project": "mobile-app"},
    ]
    assert result["diff"]["after"]["assignments"] == result["role"]["assignments"]


@pytest.mark.parametrize("everywhere", [{}, {"projectId": ""}, {"projectId": None}])
def test_global_assignment_has_no_project(everywhere: dict[str, Any]) -> None:
    with conversation(
        roles(role()),
        assignment_call(),
        account("alice"),
        assign("alice"),
        roles(role()),
        assignment_call({**ALICE, **everywhere}),
    ) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "alice"}], **TASK)
    assert result["changed"]
    assert result["role"]["assignments"] == [{"account": "alice", "group": None, "project": None}]


def test_account_and_group_with_same_name_are_distinct() -> None:
    with conversation(
        roles(role()),
        assignment_call({"name": "alice", "group": True}),
        account("alice"),
        assign("alice"),
        roles(role()),
        assignment_call({"name": "alice", "group": True}, ALICE),
    ) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "alice"}], **TASK)
    assert result["changed"]
    assert len(result["role"]["assignments"]) == 2


def test_existing_assignments_are_kept() -> None:
    with conversation(projects(*PROJECTS), roles(role()), assignment_call(ALICE, DEVELOPERS)) as server:
        desired = [{"group": "developers", "project": "mobile-app"}]
        assert not run("review_role", url=server.url, assignments=desired, **TASK)["changed"]


def test_purge_removes_other_assignments() -> None:
    hidden = {"name": "eve", "projectId": "hidden_project", "group": False}
    with conversation(
        projects(*PROJECTS),
        roles(role()),
        assignment_call(ALICE, DEVELOPERS, hidden),
        assign("alice", remove="true"),
        assign("eve", remove="true", project="hidden_project"),
        roles(role()),
        assignment_call(DEVELOPERS),
    ) as server:
        desired = [{"group": "developers", "project": "mobile-app"}]
        result = run("review_role", url=server.url, assignments=desired, purge=True, diff_mode=True, **TASK)
    assert result["changed"]
    before, after = (result["diff"][name]["assignments"] for name in ("before", "after"))
    assert [(entry["account"], entry["group"], entry["project"]) for entry in before] == [
        ("alice", None, None),
        ("eve", None, "hidden_project"),
        (None, "developers", "mobile-app"),
    ]
    assert after == [{"account": None, "group": "developers", "project": "mobile-app"}]


def test_purge_with_empty_list_removes_all_assignments() -> None:
    with conversation(
        roles(role()), assignment_call(ALICE), assign("alice", remove="true"), roles(role()), assignment_call()
    ) as server:
        result = run("review_role", url=server.url, assignments=[], purge=True, **TASK)
    assert result["changed"]
    assert result["role"]["assignments"] == []


def test_empty_list_without_purge_changes_nothing() -> None:
    with conversation(roles(role()), assignment_call(ALICE)) as server:
        assert not run("review_role", url=server.url, assignments=[], **TASK)["changed"]


def test_purge_without_assignments_changes_nothing() -> None:
    with conversation(roles(role())) as server:
        assert not run("review_role", url=server.url, purge=True, **TASK)["changed"]


def test_role_is_assigned_after_creation() -> None:
    with conversation(
        projects(*PROJECTS),
        roles(),
        group("developers"),
        create(webapi_access="true"),
        assign("developers", group="true", project="mobile_app"),
        roles(role({"webapi_access": True})),
        assignment_call(DEVELOPERS),
    ) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"webapi_access": True},
            assignments=[{"group": "developers", "project": "mobile-app"}],
            **TASK,
        )
    assert result["changed"]


def test_unknown_project_fails_before_first_write() -> None:
    with conversation(projects(*PROJECTS)) as server:
        desired = [{"account": "alice", "project": "mobile_app"}]
        result = run("review_role", url=server.url, assignments=desired, **TASK)
    assert result["failed"]
    assert "Option 'assignments': project 'mobile_app' does not exist" in result["msg"]


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ({"account": "a", "group": "b"}, "parameters are mutually exclusive: account|group found in assignments"),
        ({"project": "mobile-app"}, "one of the following is required: account, group found in assignments"),
    ],
)
def test_assignment_requires_account_or_group(assignment: dict[str, str], message: str) -> None:
    with conversation() as server:
        assert run("review_role", url=server.url, assignments=[assignment], **TASK)["msg"] == message


def test_builtin_role_can_be_assigned() -> None:
    builtin = role(readonly=True)
    calls = roles(builtin), assignment_call(), account("alice"), assign("alice"), roles(builtin), assignment_call(ALICE)
    with conversation(*calls) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "alice"}], **TASK)
    assert result["changed"]
    assert result["role"]["readonly"] is True


def test_builtin_role_cannot_be_changed() -> None:
    for check_mode in (True, False):
        with conversation(roles(role(readonly=True))) as server:
            result = run(
                "review_role", url=server.url, permissions={"create_build": False}, check_mode=check_mode, **TASK
            )
        assert not result["changed"]
        assert result["msg"] == READONLY


@pytest.mark.parametrize("check_mode", [True, False])
def test_builtin_role_cannot_be_deleted(check_mode: bool) -> None:
    with conversation(roles(role(readonly=True))) as server:
        result = run("review_role", url=server.url, state="absent", check_mode=check_mode, **TASK)
    assert (result["changed"], result["msg"]) == (False, READONLY)


def test_role_is_deleted_once() -> None:
    not_found = roles(), all_roles(role(name="Project admin"))
    with conversation(roles(role()), account("admin"), act("delete_role", name="Triage"), *not_found) as server:
        assert run("review_role", url=server.url, state="absent", **TASK) == {"changed": True, "role": None}
    with conversation(*not_found) as server:
        assert run("review_role", url=server.url, state="absent", **TASK) == {"changed": False, "role": None}
    with conversation(roles(), all_roles()) as server:
        result = run("review_role", url=server.url, state="absent", **TASK)
    assert result["msg"].startswith("The action 'roles' returned an empty list, but always returns the built-in")


def test_nothing_is_purged_when_assignments_response_is_empty() -> None:
    lost = act("role_assignments", search="+Triage")
    no_assignments = act("role_assignments", text=records({"name": "Triage", "assignments": []}))
    for second, message in (
        (act("role_assignments"), "'role_assignments' returned an empty list"),
        (no_assignments, ""),
    ):
        with conversation(roles(role()), lost, second) as server:
            result = run("review_role", url=server.url, assignments=[], purge=True, **TASK)
        assert message in result.get("msg", "")
        assert bool(message) == result.get("failed", False)


def test_special_characters_are_sent_unchanged() -> None:
    name = "a+b & c=d%é;/\\,|#"
    read_back = act("roles", search=f"+{name}", text=records(role(name=name)))
    with conversation(act("roles", search=f"+{name}"), act("create_role", name=name), read_back) as server:
        assert run("review_role", url=server.url, name=name, **ACCOUNT)["role"]["name"] == name


def test_task_succeeds_when_response_of_effective_write_is_lost() -> None:
    lost = act("update_role_permissions", drop=True, name="Triage", create_build="false")
    with conversation(roles(role()), lost, roles(role({**LISTED, "create_build": False}))) as server:
        result = run("review_role", url=server.url, permissions={"create_build": False}, **TASK)
    assert result["changed"]
    assert result["warnings"][0].endswith("Reading back shows that the request had its effect.")


def test_task_fails_when_lost_write_had_partial_effect() -> None:
    lost = act("create_role", drop=True, name="Triage", create_build="true")
    with conversation(roles(), account("alice"), lost, roles(role()), assignment_call()) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"create_build": True},
            assignments=[{"account": "alice"}],
            **TASK,
        )
    assert result["failed"]
    assert result["changed"]
    assert "Reading back shows a part of the change, but these fields of the role do not" in result["msg"]


def test_task_fails_when_server_ignores_permission() -> None:
    with conversation(roles(role()), update(create_build="false"), roles(role())) as server:
        result = run("review_role", url=server.url, permissions={"create_build": False}, **TASK)
    assert result["failed"]
    assert result["msg"] == (
        "The server accepted the change, but these fields of the role do not have the requested values: "
        "permissions (create_build)."
    )


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("stored", [(), (role(),)], ids=["new", "changed"])
def test_unknown_permission_is_reported(stored: Any, check_mode: bool) -> None:
    flags = {"create_stream": True, "delete_stream": False}
    with conversation(roles(*stored), all_roles(role(name="Project admin"))) as server:
        result = run("review_role", url=server.url, permissions=flags, check_mode=check_mode, **TASK)
    assert result["msg"] == (
        "Option 'permissions': unknown to this server: create_stream. "
        "It has access_source_files, change_issue_status, create_build."
    )


def test_newer_permissions_can_be_granted() -> None:
    newer = role({"create_stream": False}, name="Project admin")
    stored = role({"create_stream": True})
    with conversation(roles(), all_roles(newer), create(create_stream="true"), roles(stored)) as server:
        assert run("review_role", url=server.url, permissions={"create_stream": True}, **TASK)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("stored", [(), (role(),)], ids=["new", "changed"])
@pytest.mark.parametrize(
    ("assignment", "lookup", "message"),
    [
        ({"account": "bbo"}, act("users", search="bbo"), "account 'bbo' does not exist"),
        ({"group": "devs"}, act("groups", search="devs"), "group 'devs' does not exist"),
    ],
)
def test_holders_are_verified_before_first_write(
    assignment: dict[str, str], lookup: Call, message: str, stored: Any, check_mode: bool
) -> None:
    calls = [roles(*stored), *([assignment_call(ALICE)] if stored else []), lookup]
    with conversation(*calls) as server:
        options = {"permissions": {"create_build": False}, "assignments": [assignment], "purge": True}
        result = run("review_role", url=server.url, check_mode=check_mode, **options, **TASK)
    assert (result["changed"], result["msg"]) == (False, f"Option 'assignments': {message}.")


def test_assignments_are_added_before_others_are_removed() -> None:
    with conversation(
        roles(role()),
        assignment_call(ALICE),
        account("bob"),
        assign("bob"),
        assign("alice", remove="true"),
        roles(role()),
        assignment_call({"name": "bob", "group": False}),
    ) as server:
        assert run("review_role", url=server.url, assignments=[{"account": "bob"}], purge=True, **TASK)["changed"]


def test_nothing_is_removed_when_adding_fails() -> None:
    refused = act(
        "update_role_assignment",
        403,
        text=refusal(403, "User admin does not have the manage_roles permission"),
        name="Triage",
        account="bob",
        group="false",
        remove="false",
    )
    with conversation(roles(role()), assignment_call(ALICE), account("bob"), refused) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "bob"}], purge=True, **TASK)
    assert (result["changed"], result["failed"]) == (False, True)


MANAGING = role({"manage_roles": True, "webapi_access": True})
HELD = {"name": "Triage"}
ADMIN = {"name": "admin", "group": False}
LOCKED_OUT = (
    "The change would lock out 'admin', the account of this task: it would lose manage_roles and webapi_access. Set "
    "'allow_lockout: true' to allow this."
)


@pytest.mark.parametrize("check_mode", [True, False])
def test_lockout_of_own_account_is_refused(check_mode: bool) -> None:
    how = {"check_mode": check_mode, **TASK}
    lookups = account("admin", HELD), all_roles(MANAGING)
    with conversation(roles(MANAGING), assignment_call(ADMIN), *lookups) as server:
        result = run("review_role", url=server.url, assignments=[], purge=True, **how)
    assert (result["changed"], result["msg"]) == (False, LOCKED_OUT)
    with conversation(roles(MANAGING), *lookups) as server:
        assert run("review_role", url=server.url, state="absent", **how)["msg"] == LOCKED_OUT
    with conversation(roles(MANAGING), *lookups) as server:
        result = run("review_role", url=server.url, permissions={"manage_roles": False}, **how)
    assert result["msg"] == LOCKED_OUT.replace("manage_roles and webapi_access", "manage_roles")


def test_lockout_through_group_is_refused() -> None:
    developers = {"name": "developers", "group": True}
    calls = account("admin", groups=("developers",)), group("developers", HELD), all_roles(MANAGING)
    with conversation(roles(MANAGING), assignment_call(developers), *calls) as server:
        result = run("review_role", url=server.url, assignments=[], purge=True, **TASK)
    assert result["msg"] == LOCKED_OUT


def test_change_is_allowed_when_permission_comes_from_elsewhere() -> None:
    other = {**MANAGING, "name": "Projects root admin"}
    two = account("admin", HELD, {"name": "Projects root admin", "projectId": ""}), all_roles(MANAGING, other)
    with conversation(
        roles(MANAGING),
        assignment_call(ADMIN),
        *two,
        assign("admin", remove="true"),
        roles(MANAGING),
        assignment_call(),
    ) as server:
        assert run("review_role", url=server.url, assignments=[], purge=True, **TASK)["changed"]
    group_entry = {"name": "developers", "group": True}
    with conversation(
        roles(MANAGING),
        assignment_call(ADMIN),
        group("developers"),
        account("admin", HELD, groups=("developers",)),
        group("developers"),
        all_roles(MANAGING),
        assign("developers", group="true"),
        assign("admin", remove="true"),
        roles(MANAGING),
        assignment_call(group_entry),
    ) as server:
        desired = [{"group": "developers"}]
        assert run("review_role", url=server.url, assignments=desired, purge=True, **TASK)["changed"]


def test_lockout_is_allowed_with_allow_lockout() -> None:
    with conversation(
        roles(MANAGING), assignment_call(ADMIN), assign("admin", remove="true"), roles(MANAGING), assignment_call()
    ) as server:
        result = run("review_role", url=server.url, assignments=[], purge=True, allow_lockout=True, **TASK)
    assert result["changed"]


def test_task_fails_when_server_ignores_assignment() -> None:
    with conversation(
        roles(role()), assignment_call(), account("bob"), assign("bob"), roles(role()), assignment_call()
    ) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "bob"}], **TASK)
    assert result["failed"]
    assert "these fields of the role do not have the requested values: assignments" in result["msg"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("value", [True, False])
def test_misspelled_permission_is_refused_before_write(value: bool, check_mode: bool) -> None:
    with conversation(roles(role()), all_roles(role(name="Project admin"))) as server:
        result = run("review_role", url=server.url, permissions={"create_biuld": value}, check_mode=check_mode, **TASK)
    assert result["msg"].startswith("Option 'permissions': unknown to this server: create_biuld. It has")


def test_each_listed_permission_can_be_granted() -> None:
    stored = role({**LISTED, "manage_reports": True})
    calls = roles(role()), all_roles(role({"manage_reports": False}, name="Project admin"))
    with conversation(*calls, update(manage_reports="true"), roles(stored)) as server:
        result = run("review_role", url=server.url, permissions={"manage_reports": "yes"}, **TASK)
    assert (result["changed"], result["role"]["permissions"]["manage_reports"]) == (True, True)


@pytest.mark.parametrize("value", ["maybe", 2, [], {}])
def test_permission_must_be_boolean(value: Any) -> None:
    with conversation() as server:
        result = run("review_role", url=server.url, permissions={"create_build": value}, **TASK)
    assert result["msg"] == f"Option 'permissions.create_build': must be true or false, not {value!r}."
