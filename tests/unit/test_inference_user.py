# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.inference_server import ADMIN, error, page
from support.running import run

SINCE = 1735689600
OLIVIA = {"id": "user-1", "name": "Olivia", "email": "olivia@x.y", "role": "owner", "added_at": SINCE}
ALICE = {"id": "user-2", "name": "Alice", "email": "Alice@x.y", "role": "reader", "added_at": SINCE}
DORA = {"id": "invite-1", "email": "dora@x.y", "role": "reader", "status": "pending", "created_at": SINCE}
DORA = {**DORA, "expires_at": SINCE, "projects": [{"id": "proj_0", "role": "member"}]}
FIND = {"id": "proj_1", "name": "Find", "created_at": SINCE}
SEEK = {"id": "proj_2", "name": "Seek", "created_at": SINCE}
KEY = {"id": "key_1", "name": "Main", "redacted_value": "sk-admin-012...cdef", "created_at": SINCE}
KEY["owner"] = {"type": "user", "id": "user-1"}
ALL, INVITES = page("/users", OLIVIA, ALICE), page("/invites")
BOTH = page("/projects", FIND, SEEK)
INVITED_TO = page("/projects", {**FIND, "id": "proj_0"})


def manage(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        options = {
            "url": f"{server.url}/v1",
            "admin_key": ADMIN,
            "email": "alice@X.y",
            "admin_requests_per_minute": 0,
            **parameters,
        }
        return run("inference_user", **options)


def invite(answer: dict[str, Any] | None = None, **sent: Any) -> Call:
    return call("POST", "/v1/organization/invites", json=answer or DORA, sent_json={"email": "dora@x.y", **sent})


def withdraw(id_: str = "invite-1") -> Call:
    return call("DELETE", f"/v1/organization/invites/{id_}", json={"id": id_, "deleted": True})


def change(who: str, role: str) -> Call:
    return call("POST", f"/v1/organization/users/{who}", json=ALICE, sent_json={"role": role})


def belongs(project: str, role: str | None, who: str = "user-2") -> Call:
    path = f"/v1/organization/projects/{project}/users/{who}"
    if role is None:
        return call("GET", path, 404, json=error("The user was not found"))
    return call("GET", path, json={"id": who, "role": role, "added_at": SINCE})


def test_second_run_reads_once() -> None:
    result = manage(ALL, role="reader")
    assert (result["changed"], result["user"]["id"], result["user"]["status"]) == (False, "user-2", "member")
    assert result["user"]["projects"] is None


def test_role_is_changed_when_it_differs() -> None:
    after = page("/users", OLIVIA, {**ALICE, "role": "owner"})
    result = manage(ALL, change("user-2", "owner"), after, role="owner", diff_mode=True)
    assert result["diff"] == {
        "before": {"state": "present", "role": "reader"},
        "after": {"state": "present", "role": "owner"},
    }


def test_missing_user_is_invited() -> None:
    nobody = page("/invites", {**DORA, "email": "other@x.y"})
    calls = ALL, nobody, invite(role="reader"), ALL, page("/invites", DORA)
    result = manage(*calls, email="dora@x.y")
    assert result["changed"]
    assert (result["user"]["status"], result["user"]["id"], result["user"]["invite_id"]) == (
        "pending",
        None,
        "invite-1",
    )
    assert result["user"]["projects"] == [{"id": "proj_0", "role": "member"}]
    assert not manage(ALL, page("/invites", DORA), email="DORA@x.y")["changed"]


@pytest.mark.parametrize("projects", [[], [{"name": "Find", "role": "owner"}]])
def test_empty_projects_differ_from_unset_projects(projects: list[dict[str, str]]) -> None:
    desired = [{"id": "proj_1", "role": "owner"}] if projects else []
    listed = [BOTH] if projects else []
    invited = page("/invites", {**DORA, "projects": desired})
    calls = ALL, INVITES, *listed, invite(role="reader", projects=desired), ALL, invited
    assert manage(*calls, email="dora@x.y", projects=projects)["user"]["projects"] == desired


def test_check_mode_predicts_the_invitation() -> None:
    result = manage(ALL, INVITES, email="dora@x.y", check_mode=True)
    assert (result["changed"], result["user"]["role"], result["user"]["status"]) == (True, "reader", "pending")


def test_pending_invitation_is_replaced_when_it_differs() -> None:
    renewed = {**DORA, "id": "invite-2", "role": "owner"}
    calls = (
        ALL,
        page("/invites", DORA),
        INVITED_TO,
        withdraw(),
        invite(role="owner", projects=DORA["projects"]),
        ALL,
        page("/invites", renewed),
    )
    assert manage(*calls, email="dora@x.y", role="owner")["user"]["invite_id"] == "invite-2"


def test_no_invitation_is_sent_when_a_login_page_answers_the_deletion() -> None:
    page_instead = call("DELETE", "/v1/organization/invites/invite-1", text="<html>Sign in</html>")
    listed = ALL, page("/invites", DORA)
    result = manage(*listed, INVITED_TO, page_instead, *listed, email="dora@x.y", role="owner")
    assert (result["failed"], result["changed"]) == (True, False)
    assert "HTML, not JSON" in result["msg"]


def test_expired_invitation_is_replaced_with_the_same_roles() -> None:
    expired = {**DORA, "status": "expired", "role": "owner"}
    renewed = {**DORA, "id": "invite-2", "role": "owner"}
    calls = (
        ALL,
        page("/invites", expired),
        INVITED_TO,
        withdraw(),
        invite(role="owner", projects=DORA["projects"]),
        ALL,
        page("/invites", renewed),
    )
    result = manage(*calls, email="dora@x.y", diff_mode=True)
    assert result["diff"]["before"]["replaced"] == "the invitation has expired"
    assert result["user"]["invite_id"] == "invite-2"


def test_several_invitations_are_replaced_by_one() -> None:
    twins = page("/invites", DORA, {**DORA, "id": "invite-2"})
    renewed = invite(role=DORA["role"], projects=DORA["projects"])
    calls = ALL, twins, INVITED_TO, withdraw(), withdraw("invite-2"), renewed, ALL, page("/invites", DORA)
    assert manage(*calls, email="dora@x.y")["changed"]


def test_invitation_is_replaced_without_projects_when_the_api_omits_them() -> None:
    expired = {name: value for name, value in {**DORA, "status": "expired"}.items() if name != "projects"}
    calls = ALL, page("/invites", expired), withdraw(), invite(role=DORA["role"]), ALL, page("/invites", DORA)
    assert manage(*calls, email="dora@x.y")["changed"]
    calls = (
        ALL,
        page("/invites", {**expired, "status": "pending"}),
        withdraw(),
        invite(role="owner"),
        ALL,
        page("/invites", {**DORA, "role": "owner"}),
    )
    assert manage(*calls, email="dora@x.y", role="owner")["changed"]


def test_accepted_invitation_of_a_removed_user_is_ignored() -> None:
    accepted = page("/invites", {**DORA, "status": "accepted"})
    assert not manage(ALL, accepted, email="dora@x.y", state="absent")["changed"]
    calls = ALL, accepted, invite(role="reader"), ALL, page("/invites", {**DORA, "status": "accepted"}, DORA)
    assert manage(*calls, email="dora@x.y")["changed"]


def test_lost_response_is_resolved_by_reading_back() -> None:
    lost = call("POST", "/v1/organization/invites", drop=True)
    result = manage(ALL, INVITES, lost, ALL, page("/invites", DORA), email="dora@x.y")
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_user_is_added_to_removed_from_and_changed_in_projects() -> None:
    third = {"id": "proj_3", "name": "Third", "created_at": SINCE}
    calls = (
        ALL,
        page("/projects", FIND, SEEK, third),
        belongs("proj_1", "member"),
        belongs("proj_2", None),
        belongs("proj_3", "member"),
        call("DELETE", "/v1/organization/projects/proj_3/users/user-2", json={"deleted": True}),
        call("POST", "/v1/organization/projects/proj_1/users/user-2", json={}, sent_json={"role": "owner"}),
        call(
            "POST", "/v1/organization/projects/proj_2/users", json={}, sent_json={"user_id": "user-2", "role": "member"}
        ),
        ALL,
        belongs("proj_1", "owner"),
        belongs("proj_2", "member"),
        belongs("proj_3", None),
    )
    result = manage(*calls, projects=[{"name": "Seek"}, {"id": "proj_1", "role": "owner"}])
    assert result["user"]["projects"] == [{"id": "proj_1", "role": "owner"}, {"id": "proj_2", "role": "member"}]


def test_projects_are_changed_before_the_user_becomes_an_owner() -> None:
    joined = call("POST", "/v1/organization/projects/proj_1/users", json={})
    calls = (
        ALL,
        page("/projects", FIND),
        belongs("proj_1", None),
        joined,
        change("user-2", "owner"),
        page("/users", OLIVIA, {**ALICE, "role": "owner"}),
        belongs("proj_1", "member"),
    )
    assert manage(*calls, role="owner", projects=[{"id": "proj_1"}])["changed"]


def test_projects_of_an_owner_cannot_be_removed() -> None:
    calls = ALL, page("/projects", FIND), belongs("proj_1", "owner", "user-1")
    message = manage(*calls, email="olivia@x.y", projects=[], check_mode=True)["msg"]
    assert "Cannot change the projects of olivia@x.y: owners of the organization cannot be removed from" in message


@pytest.mark.parametrize(
    ("projects", "message"),
    [
        ([{"name": "None"}], "Option 'projects[0]': no active project has the name 'None'."),
        ([{"id": "proj_1"}, {"name": "Find"}], "Option 'projects[1]': the project 'proj_1' is listed twice."),
        (
            [{"name": "Seek"}],
            "Option 'projects[0]': 2 projects have this name. Specify the ID of one of them: proj_2, proj_3.",
        ),
    ],
)
def test_invalid_projects_fail_before_any_write(projects: list[dict[str, str]], message: str) -> None:
    listed = page("/projects", FIND, SEEK, {**SEEK, "id": "proj_3"})
    assert manage(ALL, INVITES, listed, email="dora@x.y", projects=projects)["msg"] == message


@pytest.mark.parametrize(("predict_missing", "failed"), [(True, False), (False, True)])
def test_check_mode_can_assume_that_a_project_is_created(predict_missing: bool, failed: bool) -> None:
    options = {"projects": [{"name": "New"}, {"id": "proj_1"}], "check_mode": True, "predict_missing": predict_missing}
    result = manage(ALL, INVITES, page("/projects", FIND), email="dora@x.y", **options)
    message = f"Option 'projects[0]': no active project has the name 'New'.{PREDICT_MISSING}"
    assert (result.get("failed", False), result.get("msg")) == (failed, message if failed else None)
    assert failed or [project["id"] for project in result["user"]["projects"]] == ["New", "proj_1"]


@pytest.mark.parametrize(
    "options",
    [{"email": "dora"}, {"email": " dora@x.y"}, {"projects": [{}]}, {"projects": [{"id": "a", "name": "b"}]}],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any]) -> None:
    assert manage(**options)["failed"]


def keys(**owner: str) -> Call:
    return page("/admin_api_keys", {**KEY, "owner": {"type": "user", **owner}})


def test_user_is_removed_with_open_invitations() -> None:
    calls = (
        ALL,
        page("/invites", {**DORA, "email": "alice@x.y", "status": "expired"}),
        keys(id="user-1"),
        withdraw(),
        call("DELETE", "/v1/organization/users/user-2", json={"deleted": True}),
        page("/users", OLIVIA),
        INVITES,
    )
    result = manage(*calls, state="absent")
    assert (result["changed"], result["user"]) == (True, None)


def test_invitation_is_deleted_when_state_is_absent() -> None:
    calls = ALL, page("/invites", DORA), withdraw(), ALL, INVITES
    assert manage(*calls, email="dora@x.y", state="absent")["changed"]
    assert not manage(ALL, INVITES, email="dora@x.y", state="absent")["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("desired", [{"state": "absent"}, {"role": "reader"}])
def test_last_owner_cannot_be_removed_or_demoted(desired: dict[str, str], check_mode: bool) -> None:
    invites = [INVITES] if "state" in desired else []
    message = manage(ALL, *invites, email="olivia@x.y", check_mode=check_mode, **desired)["msg"]
    assert message == "olivia@x.y is the last owner of the organization. Make another user an owner first."


@pytest.mark.parametrize("desired", [{"state": "absent"}, {"role": "reader"}])
def test_owner_of_the_admin_key_cannot_be_removed_or_demoted(desired: dict[str, str]) -> None:
    owners = page("/users", OLIVIA, {**ALICE, "role": "owner"})
    invites = [INVITES] if "state" in desired else []
    message = manage(owners, *invites, keys(id="user-2"), **desired)["msg"]
    assert message == (
        "alice@X.y is the owner of the admin key. Use the admin key of another owner, or set 'allow_lockout: true'."
    )


@pytest.mark.parametrize("changes", [{"redacted_value": "sk-admin-999...9999"}, {"owner": None}])
@pytest.mark.parametrize("check_mode", [False, True])
def test_user_is_kept_when_the_owner_of_the_admin_key_is_unknown(changes: dict[str, Any], check_mode: bool) -> None:
    result = manage(ALL, INVITES, page("/admin_api_keys", {**KEY, **changes}), state="absent", check_mode=check_mode)
    assert (result["changed"], result["msg"]) == (
        False,
        "Cannot verify that alice@X.y is not the owner of the admin key: the API does not return the owner of the key "
        "that this task uses. Set 'allow_lockout: true' to allow the change.",
    )


def test_user_is_kept_when_one_of_two_similar_keys_belongs_to_it() -> None:
    similar = page("/admin_api_keys", KEY, {**KEY, "id": "key_other", "owner": {**KEY["owner"], "id": "user-2"}})
    assert "alice@X.y is the owner of the admin key" in manage(ALL, INVITES, similar, state="absent")["msg"]


def test_owner_of_the_admin_key_is_removed_on_request() -> None:
    assert manage(ALL, INVITES, state="absent", allow_lockout=True, check_mode=True)["changed"]


@pytest.mark.parametrize("role", ["member", "owner"])
def test_membership_is_accepted_when_another_client_creates_it_at_the_same_time(role: str) -> None:
    path = "/v1/organization/projects/proj_2/users"
    refused = call("POST", path, 400, json=error("The user is already a member of this project"))
    before = ALL, BOTH, belongs("proj_1", "member"), belongs("proj_2", None)
    removal = call("DELETE", "/v1/organization/projects/proj_1/users/user-2", json={"deleted": True})
    after = ALL, belongs("proj_1", None), belongs("proj_2", role)
    result = manage(*before, removal, refused, belongs("proj_2", role), *after, projects=[{"id": "proj_2"}])
    assert result["changed"]
    assert bool(result.get("failed")) is (role == "owner")


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_task_fails_when_several_users_have_the_address(state: str, check_mode: bool) -> None:
    twins = page("/users", OLIVIA, ALICE, {**ALICE, "id": "user-3", "email": "alice@x.y"})
    calls = [twins, INVITES] if state == "absent" else [twins]
    result = manage(*calls, state=state, check_mode=check_mode)
    assert result["msg"] == "2 users have the email address 'alice@X.y': user-2, user-3. Remove all but one of them."


@pytest.mark.parametrize("check_mode", [True, False])
def test_invitation_is_not_deleted_when_the_api_would_refuse_its_replacement(check_mode: bool) -> None:
    expired = page("/invites", {**DORA, "status": "expired"})
    result = manage(ALL, expired, BOTH, email="dora@x.y", check_mode=check_mode)
    assert result["msg"] == (
        "dora@x.y is invited to projects that are archived or do not exist: proj_0. Set 'projects' without them."
    )
    assert not result["changed"]
