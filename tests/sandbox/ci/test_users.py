# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and the accounts of Jenkins' own user database."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from support.wire.ci import Ci, oops

CREATE = "/securityRealm/createAccountByAdmin"
CAROL = {"username": "carol", "password1": "p1", "password2": "p1", "fullname": "Full \u00dc", "email": "bad"}
MAILER = {"name": "mailer", "version": "1"}
CONFIRM = "Please confirm the password by typing it twice"


def login(ci: Ci, name: str, password: str) -> int:
    return ci.get("/whoAmI/api/json", auth=(name, password)).status_code


def submit(ci: Ci, path: str, **form: Any) -> Any:
    """Submit a form whose members are in the parameter `json`."""
    parameters = form.pop("parameters", {})
    return ci.post(path, data={**parameters, "json": json.dumps(form)})


def read_errors(text: str) -> list[str]:
    return [
        error.replace("&quot;", '"').replace("&#x27;", "'") for error in re.findall('class="error[^>]*>([^<]*)', text)
    ]


def test_account_is_created_when_the_form_is_complete(ci: Ci) -> None:
    answer = ci.post(CREATE, data=CAROL)
    assert (answer.status_code, answer.headers["Location"], answer.text) == (302, "/ci/securityRealm/", "")
    assert ci.json("/user/carol", tree="id,fullName,description,absoluteUrl") == {
        "_class": "hudson.model.User",
        "absoluteUrl": f"{ci.url}/user/carol",
        "description": None,
        "fullName": "Full \u00dc",
        "id": "carol",
    }
    assert login(ci, "carol", "p1") == 200
    assert ci.json("/securityRealm/user/carol", tree="id")["id"] == "carol"


def test_full_name_is_the_name_when_it_is_empty(ci: Ci) -> None:
    assert ci.post(CREATE, data={**CAROL, "fullname": ""}).status_code == 302
    assert ci.members("/user/carol", "fullName") == {"fullName": "carol"}


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"username": "admin"}, ["User name is already taken"]),
        ({"username": "ADMIN"}, ["User name is already taken"]),
        ({"password2": "p2"}, ["Password didn't match"]),
        ({"username": "a.b"}, ["User name must only contain alphanumeric characters, underscore and dash"]),
        ({"username": "a b"}, ["User name must only contain alphanumeric characters, underscore and dash"]),
        ({"username": "\u00e9"}, ["User name must only contain alphanumeric characters, underscore and dash"]),
        ({"username": ""}, ['"" is prohibited as a username for security reasons.']),
        ({"username": "System"}, ['"System" is prohibited as a username for security reasons.']),
        ({"fullname": "anonymous"}, ['"anonymous" is prohibited as a full name for security reasons.']),
        ({"password1": "", "password2": ""}, ["Password is required"]),
    ],
)
def test_form_is_returned_with_200_when_the_account_is_refused(
    ci: Ci, changes: dict[str, str], errors: list[str]
) -> None:
    page = ci.get("/securityRealm/").text
    answer = ci.post(CREATE, data={**CAROL, **changes})
    assert answer.status_code == 200
    assert answer.text.startswith('<form method="post" action="/ci/securityRealm/createAccountByAdmin">')
    assert sorted(set(read_errors(answer.text))) == errors
    assert ci.get("/securityRealm/").text.count("<tr>") == page.count("<tr>")


@pytest.fixture
def carol(ci: Ci) -> None:
    """Create an account."""
    assert ci.post(CREATE, data=CAROL).status_code == 302


def test_email_is_required_when_the_mailer_plugin_is_active(ci: Ci, sandbox: Any) -> None:
    sandbox.seed({"ci": {"plugins": [MAILER]}})
    assert read_errors(ci.post(CREATE, data=CAROL).text) == ["Invalid e-mail address"]
    assert ci.post(CREATE, data={**CAROL, "email": "c@example.com"}).status_code == 302
    properties = ci.json("/user/carol", depth="1")["property"]
    assert {"_class": "hudson.tasks.Mailer$UserProperty", "address": "c@example.com"} in properties


def test_credentials_are_a_property_when_their_plugin_is_active(ci: Ci, carol: None, sandbox: Any) -> None:
    added = {"_class": "com.cloudbees.plugins.credentials.UserCredentialsProvider$UserCredentialsProperty"}
    assert added in ci.json("/user/carol", depth="1")["property"]
    sandbox.seed({"ci": {"plugins": [{"name": "credentials", "version": "1", "active": False}]}})
    assert added not in ci.json("/user/carol", depth="1")["property"]


def test_account_requires_the_administer_permission(ci: Ci) -> None:
    for path in (CREATE, "/user/builder/doDelete", "/securityRealm/user/builder/doDelete"):
        answer = ci.post(path, data=CAROL, user="reader")
        assert (answer.status_code, answer.headers["X-Required-Permission"]) == (403, "hudson.model.Hudson.Administer")
    assert ci.get("/securityRealm/", user="reader").status_code == 403
    assert ci.get(CREATE).status_code == 405


def test_sign_up_is_prohibited(ci: Ci) -> None:
    answer = ci.post("/securityRealm/createAccount", data=CAROL)
    assert (answer.status_code, "User sign up is prohibited" in answer.text) == (401, True)


def test_accounts_are_unknown_when_the_users_come_from_elsewhere(ci: Ci, sandbox: Any) -> None:
    sandbox.switch("ci", security_realm="hudson.security.LDAPSecurityRealm")
    assert ci.post(CREATE, data=CAROL).status_code == 404
    assert ci.get("/securityRealm/").status_code == 404


@pytest.mark.usefixtures("carol")
def test_user_is_deleted(ci: Ci) -> None:
    answer = ci.post("/user/CAROL/doDelete")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
    assert ci.get("/user/carol/api/json").status_code == 404
    assert ci.post("/user/carol/doDelete").status_code == 404
    assert login(ci, "carol", "p1") == 401


@pytest.mark.usefixtures("carol")
def test_user_is_deleted_by_the_realm(ci: Ci) -> None:
    answer = ci.post("/securityRealm/user/carol/doDelete")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/securityRealm/")
    assert ci.get("/securityRealm/user/carol/api/json").status_code == 404


def test_own_account_is_not_deleted(ci: Ci) -> None:
    answer = ci.post("/user/admin/doDelete")
    assert (answer.status_code, "Cannot delete self" in answer.text) == (400, True)


@pytest.mark.usefixtures("carol")
def test_description_is_changed(ci: Ci) -> None:
    answer = ci.post("/user/carol/submitDescription", data={"description": "d\u00e9 \u0142"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/user/carol/")
    assert ci.members("/user/carol", "description") == {"description": "d\u00e9 \u0142"}
    assert ci.post("/user/carol/submitDescription", user="reader").status_code == 403


@pytest.mark.usefixtures("carol")
def test_account_form_changes_full_name_and_description(ci: Ci) -> None:
    answer = submit(ci, "/user/carol/account/configSubmit", fullName="New Name", description="d3")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/user/carol/")
    assert ci.members("/user/carol", "fullName,description") == {"description": "d3", "fullName": "New Name"}
    assert ci.post("/user/carol/configSubmit", data={"json": "{}"}).status_code == 404


@pytest.mark.usefixtures("carol")
def test_account_form_is_500_but_changes_the_full_name_when_the_description_is_missing(ci: Ci) -> None:
    assert oops(submit(ci, "/user/carol/account/configSubmit", fullName="Half"))
    assert ci.members("/user/carol", "fullName") == {"fullName": "Half"}
    assert submit(ci, "/user/carol/account/configSubmit", description="d4").status_code == 500
    assert ci.members("/user/carol", "description") == {"description": None}


@pytest.mark.usefixtures("carol")
@pytest.mark.parametrize(
    ("part", "status", "changed"), [(0, 302, False), (1, 302, True), (2, 500, False), (3, 302, False)]
)
def test_security_form_changes_the_password_of_one_part_only(ci: Ci, part: int, status: int, changed: bool) -> None:
    passwords = {"user.password": "p2", "user.password2": "p2"}
    answer = submit(ci, "/user/carol/security/configSubmit", parameters=passwords, **{f"userProperty{part}": passwords})
    assert answer.status_code == status
    assert (login(ci, "carol", "p2"), login(ci, "carol", "p1")) == ((200, 401) if changed else (401, 200))


@pytest.mark.usefixtures("carol")
def test_security_form_is_refused_when_the_passwords_are_no_parameters(ci: Ci) -> None:
    passwords = {"password": "p2", "password2": "p2"}
    answer = submit(ci, "/user/carol/security/configSubmit", **passwords, userProperty1=passwords)
    assert (answer.status_code, answer.headers["X-Error"]) == (400, CONFIRM)
    assert login(ci, "carol", "p1") == 200


def test_properties_are_hidden_when_another_user_reads_them(ci: Ci) -> None:
    assert ci.get("/user/reader/api/json", user="builder").json()["property"] == []
    for user in ("reader", "admin"):
        assert {"_class": "jenkins.security.ApiTokenProperty"} in ci.get("/user/reader/api/json", user=user).json()[
            "property"
        ]


def test_user_without_account_exists_until_the_restart(ci: Ci, sandbox: Any) -> None:
    sandbox.seed({"ci": {"users": [{"name": "ghost", "full_name": "Committer"}]}})
    assert ci.members("/user/ghost", "fullName") == {"fullName": "Committer"}
    assert "ghost" not in ci.get("/securityRealm/").text
    assert ci.get("/securityRealm/user/ghost/api/json").status_code == 404
    assert login(ci, "ghost", "") == 401
    ci.post("/restart")
    ci.later(60)
    assert ci.get("/user/ghost/api/json").status_code == 404


def test_account_of_existing_user_is_created(ci: Ci, sandbox: Any) -> None:
    sandbox.seed({"ci": {"users": [{"name": "carol", "description": "committer"}]}})
    assert ci.post(CREATE, data=CAROL).status_code == 302
    assert ci.members("/user/carol", "description") == {"description": "committer"}
