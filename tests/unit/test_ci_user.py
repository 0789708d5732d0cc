# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.token_list import hash_token
from support.ci_scripts import script
from support.ci_server import deny_permission
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

TOKEN = "11aa22bb33cc44dd55ee66ff7700881199"
LOGIN = {"username": "admin", "api_token": TOKEN, "retries": 0}
OWN_TOKEN = {"uuid": "u0", "name": "own", "created": 1795400596155, "expires": None, "hash": hash_token(TOKEN)}
ADMIN = {"name": "admin", "full_name": "Admin", "description": None, "email": None, "tokens": [OWN_TOKEN]}
CAROL = {"name": "carol", "full_name": "Carol Jones", "description": "On leave", "email": None, "tokens": []}
RESULT = {name: CAROL[name] for name in ("name", "full_name", "description", "email")}
NEW = {"name": "carol", "user_password": "pä:ss", "full_name": "Carol Jones", "description": "On leave"}
FORM = {"username": "carol", "password1": "pä:ss", "password2": "pä:ss", "fullname": "Carol Jones", "email": ""}
CREATE = "/securityRealm/createAccountByAdmin"


def listing(*users: dict[str, Any], name: str | None = "carol", **changes: Any) -> Call:
    """Return the request for an account, or for all accounts.

    :arg name: `None` for all accounts
    """
    value = {"realm": "own", "users": list(users), "mailer": False, "name_pattern": None, **changes}
    return script("list users", accounts.LIST_USERS, {"name": name}, value)


ADMINS = {"realm": "own", "users": [ADMIN], "mailer": False, "name_pattern": None}


def change(name: str, **changes: Any) -> Call:
    return script("change a user", accounts.CHANGE_USER, {"name": name, "changes": changes})


def login(status: int, name: str = "carol", password: str = "pä:ss") -> Call:
    """Return the trial login of a user."""
    credential = base64.b64encode(f"{name}:{password}".encode()).decode()
    account = {"anonymous": False, "name": name}
    body: dict[str, Any] = {"json": account} if status == 200 else {"text": ""}
    headers = {"Authorization": f"Basic {credential}"}
    return call("GET", "/whoAmI/api/json?tree=anonymous%2Cname", status, sent_headers=headers, **body)


def created(**changes: Any) -> Call:
    return call("POST", CREATE, 302, sent_form={**FORM, **changes}, headers={"Location": "/securityRealm/"})


def refused(*errors: str) -> Call:
    divisions = "".join(f'<div class="error jenkins-!-margin-bottom-2">\n {error}\n</div>' for error in errors)
    return call("POST", CREATE, text=f'<form method="post"><div>Username</div>{divisions}</form>')


def task(url: str, **options: Any) -> dict[str, Any]:
    return run("ci_user", url=url, **{**LOGIN, **options})


def test_unchanged_user_costs_one_request() -> None:
    with conversation(listing(CAROL, name="Carol")) as server:
        result = task(server.url, **{**NEW, "name": "Carol"})
    assert (result["changed"], result["user"]) == (False, RESULT)


def test_unchanged_items_cost_one_request() -> None:
    items = [{"name": "carol", "full_name": "Carol Jones"}, {"name": "admin", "description": ""}]
    with conversation(listing(ADMIN, CAROL, name=None)) as server:
        assert task(server.url, items=items)["counts"]["ok"] == 2


def test_missing_user_is_created_and_logs_in() -> None:
    calls = listing(), created(), change("carol", description="On leave"), listing(CAROL), login(200)
    with conversation(*calls) as server:
        result = task(server.url, diff_mode=True, **NEW)
    assert (result["changed"], result["user"]) == (True, RESULT)
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {"state": "present", "full_name": "Carol Jones", "description": "On leave"},
    }
    assert "pä:ss" not in json.dumps(result, ensure_ascii=False)


def test_full_name_of_new_user_is_its_name() -> None:
    plain = {**CAROL, "full_name": "carol", "description": None}
    calls = listing(), created(fullname="carol"), listing(plain), login(200)
    with conversation(*calls) as server:
        assert task(server.url, name="carol", user_password="pä:ss")["user"]["full_name"] == "carol"
    with conversation(listing()) as server:
        checked = task(server.url, name="carol", user_password="pä:ss", check_mode=True)
    assert (checked["changed"], checked["user"]) == (True, {**RESULT, "full_name": "carol", "description": None})


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (["Password didn&#039;t match", "Password didn&#039;t match"], "'carol': Password didn't match."),
        (
            ['"x" is prohibited as a username for security reasons.', "Other"],
            "'carol': \"x\" is prohibited as a username for security reasons; Other.",
        ),
    ],
)
def test_reasons_of_the_form_are_reported_when_jenkins_refuses_the_account(errors: list[str], message: str) -> None:
    with conversation(listing(), refused(*errors), listing()) as server:
        result = task(server.url, **NEW)
    assert result["msg"] == f"Jenkins refuses to create the user {message}"
    assert not result["changed"]


def test_outcome_is_read_back_when_the_response_is_no_form() -> None:
    with conversation(listing(), refused(), listing()) as server:
        result = task(server.url, **NEW)
    assert "the response is neither a redirect nor a form with a reason" in result["msg"]
    calls = listing(), refused(), listing({**CAROL, "description": None}), login(200)
    with conversation(*calls) as server:
        result = task(server.url, **{**NEW, "description": None})
    assert result["changed"]


def test_user_of_another_task_is_compared_when_the_name_is_taken() -> None:
    with conversation(listing(), refused("User name is already taken"), listing(CAROL)) as server:
        result = task(server.url, **NEW)
    assert (result["changed"], result["user"]) == (False, RESULT)


def test_changed_fields_are_written_and_read_back() -> None:
    after = {**CAROL, "full_name": "Carol M", "description": None}
    changed = change("Carol", full_name="Carol M", description="")
    with conversation(listing(CAROL, name="Carol"), changed, listing(after, name="Carol")) as server:
        result = task(server.url, name="Carol", full_name="Carol M", description="")
    assert (result["changed"], result["user"]["description"]) == (True, None)


def test_task_fails_when_a_change_has_no_effect() -> None:
    with conversation(listing(CAROL), change("carol", full_name="Carol M"), listing(CAROL)) as server:
        result = task(server.url, name="carol", full_name="Carol M")
    assert "these fields of the user do not have the requested values: full_name" in result["msg"]


def test_password_is_sent_always_and_verified() -> None:
    calls = listing(CAROL), change("carol", password="pä:ss"), listing(CAROL), login(200)
    with conversation(*calls) as server:
        result = task(server.url, diff_mode=True, update_secret="always", name="carol", user_password="pä:ss")
    assert result["diff"]["after"] == {"state": "present", "updated_secrets": ["password"]}


def test_password_is_sent_only_when_the_login_fails() -> None:
    options = {"name": "carol", "user_password": "pä:ss", "update_secret": "verify"}
    with conversation(listing(CAROL), login(200)) as server:
        assert not task(server.url, **options)["changed"]
    with conversation(listing(CAROL), login(401)) as server:
        assert task(server.url, check_mode=True, **options)["changed"]
    calls = listing(CAROL), login(401), change("carol", password="pä:ss"), listing(CAROL), login(200)
    with conversation(*calls) as server:
        assert task(server.url, **options)["changed"]


def test_task_fails_when_the_new_password_does_not_work() -> None:
    calls = listing(CAROL), change("carol", password="pä:ss"), listing(CAROL), login(401)
    with conversation(*calls) as server:
        result = task(server.url, update_secret="always", name="carol", user_password="pä:ss")
    failure = "The user 'carol' cannot log in with the new password."
    assert result["msg"] == f"The server accepted the change, but reading back failed: {failure}"


def test_lost_response_to_a_new_password_is_resolved_by_a_login() -> None:
    lost = script("change a user", accounts.CHANGE_USER, {"name": "carol", "changes": {"password": "pä:ss"}}, drop=True)
    options = {"name": "carol", "user_password": "pä:ss", "update_secret": "always"}
    with conversation(listing(CAROL), lost, listing(CAROL), login(200)) as server:
        assert task(server.url, **options)["changed"]
    with conversation(listing(CAROL), lost, listing(CAROL), login(401)) as server:
        result = task(server.url, **options)
    assert "The user 'carol' cannot log in with the new password." in result["msg"]


def test_user_is_deleted() -> None:
    deleted = call("POST", "/user/carol/doDelete", 302, headers={"Location": "/"})
    with conversation(listing(CAROL), deleted, listing()) as server:
        result = task(server.url, name="carol", state="absent")
    assert (result["changed"], result["user"]) == (True, None)


def test_task_fails_when_the_user_still_has_an_account() -> None:
    deleted = call("POST", "/user/carol/doDelete", 302, headers={"Location": "/"})
    with conversation(listing(CAROL), deleted, listing(CAROL)) as server:
        assert "the user still exists" in task(server.url, name="carol", state="absent")["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "ADMIN", "state": "absent"}, "Option 'name': 'ADMIN' is the account of this task"),
        ({"name": "System"}, "Option 'name': 'System' is reserved by Jenkins"),
        ({"name": "carol", "full_name": "anonymous"}, "Option 'full_name': 'anonymous' is reserved by Jenkins"),
        ({"name": "a/b"}, "Option 'name'"),
        ({"name": ".."}, "Option 'name'"),
        ({"items": [{"name": "carol"}, {"name": "CAROL"}]}, "items[1]: duplicate of items[0]"),
        ({"items": [{"name": "admin", "state": "absent"}]}, "Option 'items[0].name': 'admin' is the account of"),
        ({"undeclared": "remove", "name": "carol"}, "Option 'undeclared': must be 'keep' without 'items'"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_task_is_refused_before_the_first_request(options: dict[str, Any], message: str, check_mode: bool) -> None:
    with conversation() as server:
        assert message in task(server.url, check_mode=check_mode, **options)["msg"]


@pytest.mark.parametrize(
    ("options", "server_state", "message"),
    [
        ({"name": "carol"}, {}, "Option 'user_password': is required for a new user"),
        ({"name": "cärol", "user_password": "x"}, {}, "Option 'name': must consist of letters, digits, '_' and '-'"),
        ({"name": "carol", "user_password": "x"}, {"mailer": True}, "Option 'email': is required for a new user"),
        (
            {"name": "carol"},
            {"users": None, "realm": "hudson.security.LDAPSecurityRealm"},
            "Cannot manage users: Jenkins does not use its own user database. Its security realm is "
            "hudson.security.LDAPSecurityRealm.",
        ),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_task_is_refused_before_the_first_write(
    options: dict[str, Any], server_state: dict[str, Any], message: str, check_mode: bool
) -> None:
    with conversation(listing(name=options["name"], **server_state)) as server:
        assert message in task(server.url, check_mode=check_mode, **options)["msg"]


def test_configured_pattern_of_names_is_left_to_jenkins() -> None:
    with conversation(listing(name="c.d", name_pattern=".*")) as server:
        assert task(server.url, name="c.d", user_password="x", check_mode=True)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_missing_mailer_plugin_is_named(check_mode: bool) -> None:
    plugins = call("GET", "/pluginManager/api/json?tree=plugins%5Bactive%2CshortName%5D", json={"plugins": []})
    with conversation(listing(CAROL), plugins) as server:
        result = task(server.url, name="carol", email="c@example.com", check_mode=check_mode)
    assert (
        "Setting 'email' requires the Jenkins plugin 'mailer', which is not installed or failed to load."
        in result["msg"]
    )


def test_email_is_set_when_the_mailer_plugin_is_active() -> None:
    after = {**CAROL, "email": "c@example.com"}
    calls = listing(CAROL, mailer=True), change("carol", email="c@example.com"), listing(after, mailer=True)
    with conversation(*calls) as server:
        assert task(server.url, name="carol", email="c@example.com")["user"]["email"] == "c@example.com"


def test_password_of_the_login_is_not_changed() -> None:
    admin = {"name": "admin", "user_password": "new", "update_secret": "always"}
    crumbless = call("GET", "/crumbIssuer/api/json", 404)
    with conversation(crumbless, listing(ADMIN, name="admin")) as server:
        result = run("ci_user", url=server.url, username="admin", password="old", retries=0, **admin)
    assert "Cannot change the password of 'admin': the task logs in with it" in result["msg"]
    own = listing(ADMIN, name="admin")
    with conversation(own, change("admin", password="new"), own, login(200, "admin", "new")) as server:
        assert task(server.url, **admin)["changed"]


@pytest.mark.parametrize("status", [200, 502])
def test_new_password_of_the_login_is_used_when_this_is_allowed(status: int) -> None:
    new = {"Authorization": f"Basic {base64.b64encode(b'admin:new').decode()}"}
    args = {"name": "admin", "changes": {"password": "new"}}
    calls = (
        call("GET", "/crumbIssuer/api/json", 404),
        listing(ADMIN, name="admin"),
        script("change a user", accounts.CHANGE_USER, args, status=status),
        login(200, "admin", "new"),
        script("list users", accounts.LIST_USERS, {"name": "admin"}, ADMINS, sent_headers=new),
        login(200, "admin", "new"),
    )
    admin = {"name": "admin", "user_password": "new", "update_secret": "always", "allow_lockout": True}
    with conversation(*calls) as server:
        result = run("ci_user", url=server.url, username="admin", password="old", retries=0, **admin)
    assert (result.get("msg"), result["changed"]) == (None, True)


def test_undeclared_accounts_are_deleted_but_not_the_own_one() -> None:
    deleted = call("POST", "/user/mallory/doDelete", 302, headers={"Location": "/"})
    mallory = {**CAROL, "name": "mallory"}
    with conversation(listing(ADMIN, CAROL, mallory, name=None), deleted, listing(name="mallory")) as server:
        result = task(server.url, items=[{"name": "carol"}], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["mallory"])
    with conversation(listing(ADMIN, CAROL, mallory, name=None)) as server:
        result = task(server.url, items=[{"name": "Carol"}], undeclared="report")
    assert (result["changed"], result["undeclared"]) == (False, ["mallory"])


def test_missing_permission_is_reported() -> None:
    denied = script(
        "list users",
        accounts.LIST_USERS,
        {"name": "carol"},
        status=403,
        text=deny_permission("reader", "Overall/Administer"),
    )
    with conversation(denied) as server:
        assert "reader is missing the Overall/Administer permission" in task(server.url, **NEW)["msg"]


def test_info_returns_all_users_with_their_tokens() -> None:
    with conversation(listing(CAROL, ADMIN, name=None)) as server:
        result = run("ci_user_info", url=server.url, **LOGIN)
    assert [user["name"] for user in result["users"]] == ["admin", "carol"]
    assert result["users"][1] == RESULT
    token = {
        "uuid": "u0",
        "name": "own",
        "created": 1795400596,
        "created_at": "2026-11-23T02:23:16Z",
        "expires": None,
    }
    assert result["states"] == {"admin": {"tokens": [token]}, "carol": {"tokens": []}}


def test_info_returns_one_user() -> None:
    with conversation(listing(CAROL, name="CAROL")) as server:
        result = run("ci_user_info", url=server.url, name="CAROL", **LOGIN)
    assert ([user["name"] for user in result["users"]], list(result["states"])) == (["carol"], ["carol"])
    with conversation(listing()) as server:
        assert run("ci_user_info", url=server.url, name="carol", **LOGIN)["users"] == []
