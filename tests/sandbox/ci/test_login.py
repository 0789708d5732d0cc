# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: authentication."""

from __future__ import annotations

import re

import pytest
import requests

from support.wire.ci import NO_CRUMB, TOKENS, Ci, has_header


@pytest.mark.parametrize("path", ["/api/json", "/login", "/nope", "/jnlpJars/jenkins-cli.jar", "/whoAmI/api/json"])
@pytest.mark.parametrize("credentials", [("admin", "wrong"), ("nobody", "x"), ("admin", "")])
def test_wrong_credentials_are_401(ci: Ci, path: str, credentials: tuple[str, str]) -> None:
    answer = ci.get(path, auth=credentials)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Basic realm="Jenkins", charset="UTF-8"'
    assert answer.headers["Set-Cookie"].startswith("remember-me=;")
    assert answer.headers["Content-Type"] == "text/html;charset=iso-8859-1"
    assert "<h2>HTTP ERROR 401 Unauthorized</h2>" in answer.text
    assert not has_header(answer, "X-Jenkins", "X-Jenkins-Session", "X-Hudson")


def test_malformed_basic_is_401_and_bearer_is_anonymous(ci: Ci) -> None:
    assert ci.get("/api/json", None, headers={"Authorization": "Basic %%%"}).status_code == 401
    assert ci.get("/api/json", None, headers={"Authorization": "Basic bm9jb2xvbg=="}).status_code == 401
    bearer = ci.get("/api/json", None, headers={"Authorization": "Bearer abc"})
    assert (bearer.status_code, bearer.headers["X-You-Are-Authenticated-As"]) == (403, "anonymous")


@pytest.mark.parametrize("path", ["/api/json", "/nope", "/job/app/api/json", "/crumbIssuer/api/json"])
def test_anonymous_user_is_redirected_to_login(ci: Ci, path: str) -> None:
    answer = ci.get(path + "?tree=x", None)
    assert answer.status_code == 403
    assert answer.headers["X-You-Are-Authenticated-As"] == "anonymous"
    assert answer.headers["X-Required-Permission"] == "hudson.model.Hudson.Read"
    assert answer.headers["X-Permission-Implied-By"] == (
        "hudson.security.Permission.GenericRead, hudson.model.Hudson.Administer"
    )
    assert answer.headers["X-Jenkins"] == "2.579"
    assert ">\nAuthentication required\n<!--\nYou are authenticated as: anonymous\n" in answer.text
    assert "Groups that you are in:\n  anonymous\nPermission you need" in answer.text
    assert f"url=/ci/login?from=%2Fci{path.replace('/', '%2F')}%3Ftree%3Dx'" in answer.text
    assert "WWW-Authenticate" not in answer.headers


def test_who_am_i_describes_the_user(ci: Ci) -> None:
    assert ci.get("/whoAmI/api/json", None).text == (
        '{"_class":"hudson.security.WhoAmI","anonymous":true,"authenticated":true,'
        '"authorities":["anonymous"],"name":"anonymous"}'
    )
    assert ci.json("/whoAmI")["authorities"] == ["authenticated"]
    by_password = ci.get("/whoAmI/api/json", auth=("admin", "sandbox-admin")).json()
    assert by_password["authorities"] == ["authenticated", "FACTOR_PASSWORD"]
    assert (by_password["anonymous"], by_password["name"]) == (False, "admin")


def test_session_cookie_carries_no_login(ci: Ci) -> None:
    session = ci.password("admin")
    session.get(ci.url + "/crumbIssuer/api/json").raise_for_status()
    session.auth = None
    assert session.get(ci.url + "/whoAmI/api/json").json()["name"] == "anonymous"


def test_session_has_a_login_after_the_login_form(ci: Ci) -> None:
    session = requests.Session()
    fields = {"j_username": "admin", "j_password": "sandbox-admin"}
    refused = session.post(ci.url + "/j_spring_security_check", data=fields, allow_redirects=False)
    assert (refused.status_code, refused.headers["Location"]) == (302, "/ci/loginError")
    match = re.search('data-crumb-value="([0-9a-f]{64})"', session.get(ci.url + "/login").text)
    assert match
    assert f"<input type='hidden' name='Jenkins-Crumb' value='{match[1]}'>" in session.get(ci.url + "/login").text
    fields["Jenkins-Crumb"] = match[1]
    session.post(ci.url + "/j_spring_security_check", data=fields)
    assert session.get(ci.url + "/whoAmI/api/json").json()["name"] == "admin"
    session.auth = ("admin", TOKENS["admin"])
    assert NO_CRUMB in session.post(ci.url + "/quietDown").text


def test_users_are_shown(ci: Ci) -> None:
    reader = ci.json("/user/reader")
    assert reader["id"] == "reader"
    assert {"_class": "hudson.search.UserSearchProperty", "insensitiveSearch": True} in reader["property"]
    assert ci.get("/user/nobody/api/json").status_code == 404
    assert "admin" in ci.get("/whoAmI/").text


def test_anonymous_user_can_read_when_enabled(ci: Ci) -> None:
    ci.sandbox.switch("ci", anonymous_read=True)
    assert ci.get("/job/app/api/json", None).status_code == 200
    ci.sandbox.switch("ci", security=False, csrf=False)
    assert ci.get("/api/json", None).json()["useSecurity"] is False
    assert ci.post("/quietDown", None).status_code == 302
    assert ci.get("/job/app/1/api/xml", None, params={"xpath": "string(/*/number)"}).text == "1"


def test_logout_ends_the_session_and_its_crumb(ci: Ci) -> None:
    session = ci.password("admin")
    crumb = session.get(ci.url + "/crumbIssuer/api/json").json()
    headers = {crumb["crumbRequestField"]: crumb["crumb"]}
    assert session.post(ci.url + "/quietDown", headers=headers, allow_redirects=False).status_code == 302
    answer = session.get(ci.url + "/logout", allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
    assert NO_CRUMB in session.post(ci.url + "/quietDown", headers=headers).text


@pytest.mark.parametrize("path", ["/me", "/user/builder"])
def test_token_can_be_generated(ci: Ci, path: str) -> None:
    call = path + "/descriptorByName/jenkins.security.ApiTokenProperty/generateNewToken"
    assert ci.get(call, "builder").status_code == 405
    document = ci.post(call, "builder", data={"newTokenName": "for a test"}).json()
    assert (document["status"], document["data"]["tokenName"]) == ("ok", "for a test")
    assert re.fullmatch("11[0-9a-f]{32}", document["data"]["tokenValue"])
    answer = ci.get("/whoAmI/api/json", auth=("builder", document["data"]["tokenValue"]))
    assert answer.json()["name"] == "builder"
    assert ci.post("/user/reader" + call.removeprefix(path), "builder").status_code == 403


def test_token_can_be_revoked(ci: Ci) -> None:
    path = "/user/reader/descriptorByName/jenkins.security.ApiTokenProperty"
    new = ci.post(f"{path}/generateNewToken?newTokenName=mine", "reader").json()["data"]
    auth = ("reader", new["tokenValue"])
    assert ci.get("/whoAmI/api/json", auth=auth).status_code == 200
    assert ci.post(f"{path}/revoke", "reader").status_code == 400
    assert ci.post(f"{path}/revoke?tokenUuid={new['tokenUuid']}", "builder").status_code == 403
    assert ci.post(f"{path}/revoke?tokenUuid={new['tokenUuid']}", "reader").status_code == 200
    assert ci.get("/whoAmI/api/json", auth=auth).status_code == 401
