# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: crumbs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import requests

from support.wire.ci import NO_CRUMB, TOKENS, Ci, has_header, oops


def crumb_of(ci: Ci, session: requests.Session) -> str:
    value: str = session.get(ci.url + "/crumbIssuer/api/json").json()["crumb"]
    return value


def quiet_down(ci: Ci, session: requests.Session, **options: Any) -> int:
    return session.post(ci.url + "/quietDown", allow_redirects=False, **options).status_code


def test_crumb_issuer_returns_crumb_and_field(ci: Ci) -> None:
    session = ci.password("admin")
    answer = session.get(ci.url + "/crumbIssuer/api/json")
    assert re.fullmatch(
        r'\{"_class":"hudson\.security\.csrf\.DefaultCrumbIssuer","crumb":"[0-9a-f]{64}",'
        r'"crumbRequestField":"Jenkins-Crumb"\}',
        answer.text,
    )
    assert answer.headers["Set-Cookie"].startswith("JSESSIONID.")
    again = session.get(ci.url + "/crumbIssuer/api/json")
    assert again.text == answer.text
    assert "Set-Cookie" not in again.headers
    assert crumb_of(ci, ci.password("admin")) != answer.json()["crumb"]


def test_crumb_is_accepted_in_header_and_form(ci: Ci) -> None:
    session = ci.password("admin")
    crumb = crumb_of(ci, session)
    assert quiet_down(ci, session, headers={"jenkins-crumb": crumb}) == 302
    assert quiet_down(ci, session, params={"Jenkins-Crumb": crumb}) == 302
    assert quiet_down(ci, session, data={"Jenkins-Crumb": crumb}) == 302
    assert quiet_down(ci, session, files={"Jenkins-Crumb": (None, crumb)}) == 403
    assert quiet_down(ci, session, data={".crumb": crumb}) == 403
    for wrong in ("x", ""):
        assert quiet_down(ci, session, data={"Jenkins-Crumb": crumb}, headers={"Jenkins-Crumb": wrong}) == 403


def test_crumb_is_valid_for_session_and_user_only(ci: Ci) -> None:
    session = ci.password("admin")
    header = {"Jenkins-Crumb": crumb_of(ci, session)}
    refused = ci.password("admin").post(ci.url + "/quietDown", headers=header)
    assert refused.status_code == 403
    assert f"<h2>HTTP ERROR 403 {NO_CRUMB}</h2>" in refused.text
    assert not has_header(refused, "X-Jenkins", "X-Hudson")
    without = ci.password("admin").post(ci.url + "/quietDown")
    assert not has_header(without, "X-Jenkins", "X-Hudson", "Set-Cookie")
    session.auth = ("manager", "sandbox-manager")
    assert quiet_down(ci, session, headers=header) == 403


@pytest.mark.parametrize("path", ["/nope", "/quietDown", "/job/app/api/json", "/crumbIssuer/api/json"])
@pytest.mark.parametrize("user", ["reader", None])
def test_crumb_is_checked_before_anything_else(ci: Ci, path: str, user: str | None) -> None:
    session = ci.password(user) if user else requests.Session()
    answer = session.post(ci.url + path)
    assert (answer.status_code, NO_CRUMB in answer.text) == (403, True)


def test_crumb_is_not_required_with_api_token(ci: Ci) -> None:
    assert ci.password("admin").put(ci.url + "/quietDown").status_code == 405
    assert ci.password("admin").delete(ci.url + "/job/app/", allow_redirects=False).status_code == 204
    assert ci.post("/quietDown", headers={"Jenkins-Crumb": "wrong"}).status_code == 302


def test_crumb_can_be_fetched_with_api_token(ci: Ci) -> None:
    session = requests.Session()
    session.auth = ("admin", TOKENS["admin"])
    crumb = crumb_of(ci, session)
    session.auth = ("admin", "sandbox-admin")
    assert quiet_down(ci, session, headers={"Jenkins-Crumb": crumb}) == 302


def test_crumb_issuer_is_404_when_disabled(ci: Ci) -> None:
    ci.sandbox.switch("ci", csrf=False)
    assert ci.get("/crumbIssuer/api/json").status_code == 404
    assert quiet_down(ci, ci.password("admin")) == 302
    assert ci.json("")["useCrumbs"] is False


@pytest.mark.parametrize(
    ("xpath", "pattern"),
    [
        ('concat(//crumbRequestField,":",//crumb)', r"Jenkins-Crumb:[0-9a-f]{64}"),
        ("concat(//crumbRequestField,'=',//crumb)", r"Jenkins-Crumb=[0-9a-f]{64}"),
        ("/*/crumb/text()", r"[0-9a-f]{64}"),
        ("/*/crumbRequestField/text()", r"Jenkins-Crumb"),
    ],
)
def test_xpath_of_crumb_returns_text(ci: Ci, xpath: str, pattern: str) -> None:
    answer = ci.get("/crumbIssuer/api/xml", params={"xpath": xpath, "wrapper": "w"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain;charset=utf-8"
    assert re.fullmatch(pattern, answer.text)


def test_no_session_is_created_when_only_the_field_name_is_read(ci: Ci) -> None:
    assert "Set-Cookie" not in ci.get("/crumbIssuer/api/xml?xpath=/*/crumbRequestField/text()").headers
    assert "Set-Cookie" in ci.get("/crumbIssuer/api/xml?xpath=/*/crumb/text()").headers


@pytest.mark.parametrize(
    "xpath",
    [
        "concat(//crumbRequestField,':',//crumb)",
        'concat(//crumbRequestField,"=",//crumb)',
        "//crumb/text()",
        'concat(//crumbRequestField, ":", //crumb)',
        "string(//crumb)",
        "count(//crumb)",
    ],
)
def test_xpath_is_refused_when_it_selects_a_primitive(ci: Ci, xpath: str) -> None:
    answer = ci.get("/crumbIssuer/api/xml", params={"xpath": xpath})
    assert answer.status_code == 403
    assert "primitive XPath result sets forbidden; implement jenkins.security.SecureRequester" in answer.text


def test_other_xpaths_are_evaluated(ci: Ci) -> None:
    def fetch(**parameters: str) -> requests.Response:
        return ci.get("/crumbIssuer/api/xml", params=parameters)

    whole = fetch().text
    assert whole.startswith("<defaultCrumbIssuer _class='hudson.security.csrf.DefaultCrumbIssuer'><crumb>")
    assert re.fullmatch("<crumb>[0-9a-f]{64}</crumb>", fetch(xpath="//crumb").text)
    response = fetch(xpath="//x")
    assert (response.status_code, response.content) == (404, b"XPath //x didn?t match")
    assert "Content-Type" not in response.headers
    many = fetch(xpath="/*/*")
    assert many.status_code == 500
    assert many.text == (
        'XPath "/*/*" matched 2 nodes. Create XPath that only matches one, or use the "wrapper" query parameter '
        "to wrap them all under a root element."
    )
    assert re.fullmatch("<w><crumb>.*</crumb><crumbRequestField>.*</w>", fetch(xpath="/*/*", wrapper="w").text)
    malformed = fetch(xpath="/*[")
    assert (malformed.status_code, oops(malformed)) == (500, True)
