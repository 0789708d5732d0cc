# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from unit.conversation import Call, conversation
from unit.review_server import ACCOUNT, NO_PERMISSIONS, act, projects, records
from unit.running import run

TASK = {"name": "Triage", **ACCOUNT}
PROJECTS = (("mobile-app", "mobile_app"), ("platform", "platform"))
LISTED = {"access_source_files": False, "change_issue_status": False, "create_build": True}
TO_ANALYZE = {"from": "Any", "to": "Analyze"}
TO_NEXT = {"from": "Analyze", "to": "Fix in Next Release"}
DEVELOPERS = {"name": "developers", "projectId": "mobile_app", "group": True}
ALICE = {"name": "alice", "group": False}


def role(permissions: dict[str, bool] | None = None, *transitions: dict[str, str], **fields: Any) -> dict[str, Any]:
    """The record of a role."""
    listed = LISTED if permissions is None else permissions
    flags = [{"name": name, "enabled": enabled} for name, enabled in listed.items()]
    record = {"name": "Triage", "readonly": False, "permissions": flags, "statusPermissions": list(transitions)}
    return {**record, **fields}


def roles(*found: dict[str, Any]) -> Call:
    return act("roles", search="+Triage", text=records(*found))


def assigned(*assignments: dict[str, Any]) -> Call:
    record = {"name": "Triage", "readonly": False, "assignments": list(assignments)}
    return act("role_assignments", search="+Triage", text=records(record))


def create(**fields: str) -> Call:
    return act("create_role", name="Triage", **fields)


def update(**fields: str) -> Call:
    return act("update_role_permissions", name="Triage", **fields)


def assign(account: str, *, group: str = "false", remove: str = "false", **project: str) -> Call:
    return act("update_role_assignment", name="Triage", account=account, group=group, remove=remove, **project)


def test_a_second_run_reads_once() -> None:
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


def test_a_new_role_is_created_and_read_back() -> None:
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


def test_a_role_may_have_a_name_alone() -> None:
    with conversation(roles(), create(), roles(role())) as server:
        assert run("review_role", url=server.url, **TASK)["changed"]
    with conversation(roles(role())) as server:
        assert not run("review_role", url=server.url, **TASK)["changed"]


def test_a_role_with_a_similar_name_is_another_one() -> None:
    with conversation(roles(role(name="Triage 2")), create(), roles(role(), role(name="Triage 2"))) as server:
        assert run("review_role", url=server.url, **TASK)["role"]["name"] == "Triage"


def test_only_permissions_that_are_given_and_differ_are_sent() -> None:
    given = {"create_build": False, "access_source_files": False, "change_issue_status": True}
    stored = role({"access_source_files": False, "change_issue_status": True, "create_build": False})
    changed = update(change_issue_status="true", create_build="false")
    with conversation(roles(role()), changed, roles(stored)) as server:
        result = run("review_role", url=server.url, permissions=given, diff_mode=True, **TASK)
    assert result["changed"]
    assert result["diff"]["before"]["permissions"] == LISTED
    assert result["diff"]["after"]["permissions"] == given


def test_check_mode_predicts_a_new_role() -> None:
    with conversation(roles()) as server:
        result = run(
            "review_role", url=server.url, permissions={"create_build": True}, transitions=[], check_mode=True, **TASK
        )
    predicted = {"name": "Triage", "permissions": {"create_build": True}, "transitions": []}
    assert result == {"changed": True, "role": predicted}


def test_check_mode_predicts_a_change() -> None:
    with conversation(projects(*PROJECTS), roles(role()), assigned(ALICE)) as server:
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


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ([{"from": "any", "to": "ANALYZE"}], "Any,Analyze"),
        ([{"from": "ANALYZE", "to": "fix in next release"}], "Analyze,Fix in Next Release"),
        ([{"from": "Not A Problem", "to": "filter"}], "Not a Problem,Filter"),
        ([{"from": "Fix", "to": "Defer"}, {"from": "Any", "to": "Fix"}], "Any,Fix;Fix,Defer"),
    ],
)
def test_transitions_are_sent_as_the_server_spells_them(given: list[dict[str, str]], sent: str) -> None:
    stored = [dict(zip(("from", "to"), pair.split(","), strict=True)) for pair in sent.split(";")]
    changed = update(allowed_status_transitions=sent)
    with conversation(roles(role()), changed, roles(role(LISTED, *stored))) as server:
        assert run("review_role", url=server.url, transitions=given, **TASK)["changed"]


def test_transitions_are_the_whole_set() -> None:
    changed = update(allowed_status_transitions="Any,Analyze")
    before, after = role(LISTED, TO_ANALYZE, TO_NEXT), role(LISTED, TO_ANALYZE)
    with conversation(roles(before), changed, roles(after)) as server:
        assert run("review_role", url=server.url, transitions=[TO_ANALYZE], **TASK)["changed"]


def test_no_transitions_at_all() -> None:
    changed = update(allowed_status_transitions="")
    with conversation(roles(role(LISTED, TO_ANALYZE)), changed, roles(role())) as server:
        assert run("review_role", url=server.url, transitions=[], **TASK)["changed"]
    with conversation(roles(role())) as server:
        assert not run("review_role", url=server.url, transitions=[], **TASK)["changed"]


@pytest.mark.parametrize("status", ["New", "Analyse", "", "Any,Fix", "Fix;Any"])
def test_an_unknown_status_fails_before_any_request(status: str) -> None:
    with conversation() as server:
        result = run("review_role", url=server.url, transitions=[{"from": "Any", "to": status}], **TASK)
    assert result["failed"]
    assert f"Option 'transitions': '{status}' is no status; there are Any, Analyze," in result["msg"]


def test_a_project_is_assigned_by_its_id() -> None:
    with conversation(
        projects(*PROJECTS),
        roles(role()),
        assigned(),
        assign("developers", group="true", project="mobile_app"),
        assign("bob", project="platform"),
        roles(role()),
        assigned(DEVELOPERS, {"name": "bob", "projectId": "platform", "group": False}),
    ) as server:
        wanted = [{"group": "developers", "project": "mobile-app"}, {"account": "bob", "project": "platform"}]
        result = run("review_role", url=server.url, assignments=wanted, diff_mode=True, **TASK)
    assert result["changed"]
    assert result["role"]["assignments"] == [
        {"account": "bob", "group": None, "project": "platform"},
        {"account": None, "group": "developers", "project": "mobile-app"},
    ]
    assert list(result["diff"]["after"]["assignments"]) == [
        "group developers on mobile-app",
        "account bob on platform",
    ]


@pytest.mark.parametrize("everywhere", [{}, {"projectId": ""}, {"projectId": None}])
def test_an_assignment_everywhere_names_no_project(everywhere: dict[str, Any]) -> None:
    with conversation(
        roles(role()), assigned(), assign("alice"), roles(role()), assigned({**ALICE, **everywhere})
    ) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "alice"}], **TASK)
    assert result["changed"]
    assert result["role"]["assignments"] == [{"account": "alice", "group": None, "project": None}]


def test_an_account_and_a_group_of_one_name_are_two() -> None:
    with conversation(
        roles(role()),
        assigned({"name": "alice", "group": True}),
        assign("alice"),
        roles(role()),
        assigned({"name": "alice", "group": True}, ALICE),
    ) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "alice"}], **TASK)
    assert result["changed"]
    assert len(result["role"]["assignments"]) == 2


def test_assignments_that_are_there_are_left_alone() -> None:
    with conversation(projects(*PROJECTS), roles(role()), assigned(ALICE, DEVELOPERS)) as server:
        wanted = [{"group": "developers", "project": "mobile-app"}]
        assert not run("review_role", url=server.url, assignments=wanted, **TASK)["changed"]


def test_purge_takes_the_role_from_all_others() -> None:
    hidden = {"name": "eve", "projectId": "hidden_project", "group": False}
    with conversation(
        projects(*PROJECTS),
        roles(role()),
        assigned(ALICE, DEVELOPERS, hidden),
        assign("alice", remove="true"),
        assign("eve", remove="true", project="hidden_project"),
        roles(role()),
        assigned(DEVELOPERS),
    ) as server:
        wanted = [{"group": "developers", "project": "mobile-app"}]
        result = run("review_role", url=server.url, assignments=wanted, purge=True, diff_mode=True, **TASK)
    assert result["changed"]
    assert set(result["diff"]["before"]["assignments"]) == {
        "account alice everywhere",
        "account eve on hidden_project",
        "group developers on mobile-app",
    }
    assert set(result["diff"]["after"]["assignments"]) == {"group developers on mobile-app"}


def test_purge_with_an_empty_list_takes_the_role_from_all() -> None:
    with conversation(
        roles(role()), assigned(ALICE), assign("alice", remove="true"), roles(role()), assigned()
    ) as server:
        result = run("review_role", url=server.url, assignments=[], purge=True, **TASK)
    assert result["changed"]
    assert result["role"]["assignments"] == []


def test_an_empty_list_without_purge_takes_it_from_nobody() -> None:
    with conversation(roles(role()), assigned(ALICE)) as server:
        assert not run("review_role", url=server.url, assignments=[], **TASK)["changed"]


def test_purge_without_assignments_does_nothing() -> None:
    with conversation(roles(role())) as server:
        assert not run("review_role", url=server.url, purge=True, **TASK)["changed"]


def test_a_new_role_is_assigned_after_it_was_created() -> None:
    with conversation(
        projects(*PROJECTS),
        roles(),
        create(webapi_access="true"),
        assign("developers", group="true", project="mobile_app"),
        roles(role({"webapi_access": True})),
        assigned(DEVELOPERS),
    ) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"webapi_access": True},
            assignments=[{"group": "developers", "project": "mobile-app"}],
            **TASK,
        )
    assert result["changed"]


def test_an_unknown_project_fails_before_any_write() -> None:
    with conversation(projects(*PROJECTS)) as server:
        wanted = [{"account": "alice", "project": "mobile_app"}]
        result = run("review_role", url=server.url, assignments=wanted, **TASK)
    assert result["failed"]
    assert "Option 'assignments': there is no project 'mobile_app'" in result["msg"]


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ({"account": "a", "group": "b"}, "parameters are mutually exclusive: account|group found in assignments"),
        ({"project": "mobile-app"}, "one of the following is required: account, group found in assignments"),
    ],
)
def test_an_assignment_names_an_account_or_a_group(assignment: dict[str, str], message: str) -> None:
    with conversation() as server:
        assert run("review_role", url=server.url, assignments=[assignment], **TASK)["msg"] == message


def test_a_role_of_the_server_can_be_assigned() -> None:
    kept = role(readonly=True)
    with conversation(roles(kept), assigned(), assign("alice"), roles(kept), assigned(ALICE)) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "alice"}], **TASK)
    assert result["changed"]
    assert result["role"]["readonly"] is True


def test_a_role_of_the_server_cannot_be_changed() -> None:
    for check_mode in (True, False):
        with conversation(roles(role(readonly=True))) as server:
            result = run(
                "review_role", url=server.url, permissions={"create_build": False}, check_mode=check_mode, **TASK
            )
        assert not result["changed"]
        assert result["msg"] == "The role 'Triage' is the server's own: it can be assigned, but not changed."


def test_a_role_is_removed_once() -> None:
    with conversation(roles(role()), act("delete_role", name="Triage"), roles()) as server:
        assert run("review_role", url=server.url, state="absent", **TASK) == {"changed": True, "role": None}
    with conversation(roles()) as server:
        assert run("review_role", url=server.url, state="absent", **TASK) == {"changed": False, "role": None}


def test_odd_names_arrive_unharmed() -> None:
    name = "a+b & c=d%é;/\\,|#"
    found = act("roles", search=f"+{name}", text=records(role(name=name)))
    with conversation(act("roles", search=f"+{name}"), act("create_role", name=name), found) as server:
        assert run("review_role", url=server.url, name=name, **ACCOUNT)["role"]["name"] == name


def test_a_lost_reply_to_a_write_that_acted_is_resolved() -> None:
    lost = act("update_role_permissions", drop=True, name="Triage", create_build="false")
    with conversation(roles(role()), lost, roles(role({**LISTED, "create_build": False}))) as server:
        result = run("review_role", url=server.url, permissions={"create_build": False}, **TASK)
    assert result["changed"]
    assert result["warnings"][0].endswith("Reading back shows that it had.")


def test_a_lost_reply_is_not_resolved_by_half_of_the_effect() -> None:
    lost = act("create_role", drop=True, name="Triage", create_build="true")
    with conversation(roles(), lost, roles(role()), assigned()) as server:
        result = run(
            "review_role",
            url=server.url,
            permissions={"create_build": True},
            assignments=[{"account": "alice"}],
            **TASK,
        )
    assert result["failed"]
    assert "Whether the request had its effect is not known." in result["msg"]


def test_a_permission_that_the_server_ignores_is_a_failure() -> None:
    with conversation(roles(role()), update(create_stream="true"), roles(role())) as server:
        result = run("review_role", url=server.url, permissions={"create_stream": True}, **TASK)
    assert result["failed"]
    assert result["msg"] == (
        "The server accepted the change, but these fields of the role are not as asked for: permissions."
    )


def test_an_assignment_that_the_server_ignores_is_a_failure() -> None:
    with conversation(roles(role()), assigned(), assign("nobody"), roles(role()), assigned()) as server:
        result = run("review_role", url=server.url, assignments=[{"account": "nobody"}], **TASK)
    assert result["failed"]
    assert "these fields of the role are not as asked for: assignments" in result["msg"]


def test_a_misspelt_permission_is_refused_before_any_request() -> None:
    with conversation() as server:
        result = run("review_role", url=server.url, permissions={"create_biuld": True}, **TASK)
    assert result["failed"]
    assert "create_biuld" in result["msg"]
