# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ci service on the wire: what was measured on a Jenkins 2.579."""

from __future__ import annotations

import re
from typing import Any

import pytest
import requests
from requests.auth import HTTPBasicAuth

TOKENS = {
    "admin": "11c0ffee00sandbox00admin00token0001",
    "manager": "11c0ffee00sandbox00manager0token002",
    "builder": "11c0ffee00sandbox00builder0token003",
    "reader": "11c0ffee00sandbox00reader00token004",
}
CONFIG = "<project><builders><hudson.tasks.Shell><command>sleep 10</command></hudson.tasks.Shell></builders></project>"
XML = {"Content-Type": "text/xml; charset=utf-8"}
FIRST = 3  # the builds of the seed have had the queue items before
NO_CRUMB = "No valid crumb was included in the request"


class Ci:
    """Plain requests to the service; never follows a redirect."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox
        self.origin = sandbox.url
        self.url = f"{sandbox.url}/ci"

    def request(self, method: str, path: str, user: str | None = "admin", **options: Any) -> requests.Response:
        auth = options.pop("auth", HTTPBasicAuth(user, TOKENS[user]) if user else None)
        return requests.request(method, self.url + path, auth=auth, timeout=10, allow_redirects=False, **options)

    def get(self, path: str, user: str | None = "admin", **options: Any) -> requests.Response:
        return self.request("GET", path, user, **options)

    def post(self, path: str, user: str | None = "admin", **options: Any) -> requests.Response:
        return self.request("POST", path, user, **options)

    def json(self, path: str, **parameters: str) -> Any:
        answer = self.get(path + "/api/json", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def members(self, path: str, tree: str) -> dict[str, Any]:
        found = self.json(path, tree=tree)
        del found["_class"]
        return found

    def create(self, name: str, config: str = CONFIG) -> None:
        assert self.post(f"/createItem?name={name}", data=config, headers=XML).status_code == 200

    def start(self, name: str) -> None:
        assert self.post(f"/job/{name}/build?delay=0sec").status_code == 201

    def later(self, seconds: float) -> None:
        self.sandbox.clock(advance=seconds)

    def item(self, number: int) -> dict[str, Any]:
        return self.json(f"/queue/item/{number}")

    def password(self, user: str) -> requests.Session:
        session = requests.Session()
        session.auth = (user, f"sandbox-{user}")
        return session


@pytest.fixture
def ci(sandbox: Any) -> Ci:
    """The service, with the time standing still."""
    sandbox.clock(frozen=True)
    return Ci(sandbox)


def tells(answer: requests.Response, *names: str) -> bool:
    """Whether an answer has one of the headers."""
    return any(name in answer.headers for name in names)


def oops(answer: requests.Response) -> bool:
    return "Oops!" in answer.text and "Logging ID=" in answer.text


class TestHeadersAndRefusals:
    @pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
    @pytest.mark.parametrize("path", ["/api/json", "/api/json/"])
    def test_api(self, ci: Ci, method: str, path: str) -> None:
        answer = ci.request(method, path)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "application/json;charset=utf-8"
        assert answer.headers["X-Jenkins"] == "2.579"
        assert re.fullmatch("[0-9a-f]{8}", answer.headers["X-Jenkins-Session"])
        assert answer.headers["X-Frame-Options"] == "deny"
        assert "Set-Cookie" not in answer.headers
        assert "X-Hudson" not in answer.headers

    @pytest.mark.parametrize("path", ["/api/json", "/login", "/nope", "/job/app/1/consoleText", "/job/app/config.xml"])
    def test_every_answer(self, ci: Ci, path: str) -> None:
        headers = ci.get(path).headers
        assert headers["Server"] == "Jetty(12.1.8)"
        assert headers["X-Content-Type-Options"] == "nosniff"
        for name in ("Vary", "Date", "Content-Security-Policy-Report-Only"):
            assert name in headers

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [("GET", "/login", 200), ("GET", "/", 200), ("GET", "/nope", 404), ("GET", "/job/app/doDelete", 405)],
    )
    def test_pages(self, ci: Ci, method: str, path: str, status: int) -> None:
        answer = ci.request(method, path)
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "text/html;charset=utf-8"
        assert answer.headers["X-Hudson"] == "1.395"
        assert answer.headers["X-Jenkins"] == "2.579"
        cookie = r"JSESSIONID\.[0-9a-f]{8}=[^;]+; Path=/ci; HttpOnly; SameSite=Lax"
        assert re.fullmatch(cookie, answer.headers["Set-Cookie"])

    @pytest.mark.parametrize("path", ["/api/json", "/login", "/nope", "/jnlpJars/jenkins-cli.jar", "/whoAmI/api/json"])
    @pytest.mark.parametrize("credentials", [("admin", "wrong"), ("nobody", "x"), ("admin", "")])
    def test_wrong_credentials(self, ci: Ci, path: str, credentials: tuple[str, str]) -> None:
        answer = ci.get(path, auth=credentials)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == 'Basic realm="Jenkins", charset="UTF-8"'
        assert answer.headers["Set-Cookie"].startswith("remember-me=;")
        assert answer.headers["Content-Type"] == "text/html;charset=iso-8859-1"
        assert "<h2>HTTP ERROR 401 Unauthorized</h2>" in answer.text
        assert not tells(answer, "X-Jenkins", "X-Jenkins-Session", "X-Hudson")

    def test_malformed_basic_is_401_and_bearer_is_anonymous(self, ci: Ci) -> None:
        assert ci.get("/api/json", None, headers={"Authorization": "Basic %%%"}).status_code == 401
        assert ci.get("/api/json", None, headers={"Authorization": "Basic bm9jb2xvbg=="}).status_code == 401
        bearer = ci.get("/api/json", None, headers={"Authorization": "Bearer abc"})
        assert (bearer.status_code, bearer.headers["X-You-Are-Authenticated-As"]) == (403, "anonymous")

    @pytest.mark.parametrize("path", ["/api/json", "/nope", "/job/app/api/json", "/crumbIssuer/api/json"])
    def test_anonymous(self, ci: Ci, path: str) -> None:
        answer = ci.get(path + "?tree=x", None)
        assert answer.status_code == 403
        assert answer.headers["X-You-Are-Authenticated-As"] == "anonymous"
        assert answer.headers["X-Required-Permission"] == "hudson.model.Hudson.Read"
        assert answer.headers["X-Permission-Implied-By"] == (
            "hudson.security.Permission.GenericRead, hudson.model.Hudson.Administer"
        )
        assert answer.headers["X-Jenkins"] == "2.579"
        assert "Authentication required" in answer.text
        assert f"url=/ci/login?from=%2Fci{path.replace('/', '%2F')}%3Ftree%3Dx'" in answer.text
        assert "WWW-Authenticate" not in answer.headers

    @pytest.mark.parametrize(
        ("user", "method", "path", "permission", "title"),
        [
            ("reader", "POST", "/quietDown", "hudson.model.Hudson.Manage", "Overall/Manage"),
            ("reader", "POST", "/safeRestart", "hudson.model.Hudson.Manage", "Overall/Manage"),
            ("manager", "GET", "/pluginManager/api/json", "hudson.model.Hudson.Administer", "Overall/Administer"),
            ("manager", "GET", "/updateCenter/api/json", "hudson.model.Hudson.Administer", "Overall/Administer"),
            ("reader", "POST", "/job/app/build", "hudson.model.Item.Build", "Job/Build"),
            ("builder", "GET", "/job/app/config.xml", "hudson.model.Item.Configure", "Job/Configure"),
        ],
    )
    def test_right_missing(self, ci: Ci, user: str, method: str, path: str, permission: str, title: str) -> None:
        answer = ci.request(method, path, user)
        assert answer.status_code == 403
        assert answer.headers["X-You-Are-Authenticated-As"] == user
        assert answer.headers["X-Required-Permission"] == permission
        assert "Access Denied" in answer.text
        assert f"{user} is missing the {title} permission" in answer.text

    def test_job_without_read_or_with_discover_only(self, ci: Ci) -> None:
        accounts = [
            {"name": "blind", "password": "sandbox-blind", "permissions": ["Overall/Read"]},
            {"name": "scout", "password": "sandbox-scout", "permissions": ["Overall/Read", "Job/Discover"]},
        ]
        ci.sandbox.seed({"ci": {"users": accounts}})
        assert ci.get("/job/app/api/json", auth=("blind", "sandbox-blind")).status_code == 404
        scout = ci.get("/job/app/api/json", auth=("scout", "sandbox-scout"))
        assert scout.status_code == 403
        assert "Please login to access job app" in scout.text

    @pytest.mark.parametrize(
        "path",
        [
            "/nope",
            "/job/nope/api/json",
            "/job/app/0/api/json",
            "/job/app/abc/api/json",
            "/job/deploy/lastBuild/api/json",
            "/crumbIssuer/",
        ],
    )
    def test_not_found(self, ci: Ci, path: str) -> None:
        answer = ci.get(path)
        assert (answer.status_code, "Oops! Not Found" in answer.text) == (404, True)

    @pytest.mark.parametrize("method", ["GET", "PUT", "PATCH"])
    def test_post_only(self, ci: Ci, method: str) -> None:
        answer = ci.request(method, "/quietDown")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
        assert "This URL requires POST" in answer.text

    def test_engine_errors_follow_accept(self, ci: Ci) -> None:
        admin = ci.password("admin")
        json_error = admin.post(ci.url + "/quietDown", headers={"Accept": "application/json"})
        assert json_error.headers["Content-Type"] == "application/json"
        assert list(json_error.json().items()) == [
            ("servlet", "Stapler"),
            ("message", NO_CRUMB),
            ("url", "/ci/quietDown"),
            ("status", "403"),
        ]
        text = admin.post(ci.url + "/quietDown", headers={"Accept": "text/plain"})
        assert text.text.splitlines() == [
            f"HTTP ERROR 403 {NO_CRUMB}",
            "URI: /ci/quietDown",
            "STATUS: 403",
            f"MESSAGE: {NO_CRUMB}",
            "SERVLET: Stapler",
        ]
        html = admin.post(ci.url + "/quietDown", headers={"Accept": "application/json;q=0.1, text/html"})
        assert html.text.startswith("<html>")
        for path, status in (("/nope", 404), ("/queue/item/x/api/json", 500)):
            page = ci.get(path, headers={"Accept": "application/json"})
            assert (page.status_code, page.headers["Content-Type"]) == (status, "text/html;charset=utf-8")

    def test_who_am_i(self, ci: Ci) -> None:
        assert ci.get("/whoAmI/api/json", None).text == (
            '{"_class":"hudson.security.WhoAmI","anonymous":true,"authenticated":true,'
            '"authorities":["anonymous"],"name":"anonymous"}'
        )
        assert ci.json("/whoAmI")["authorities"] == ["authenticated"]
        by_password = ci.get("/whoAmI/api/json", auth=("admin", "sandbox-admin")).json()
        assert by_password["authorities"] == ["authenticated", "FACTOR_PASSWORD"]
        assert (by_password["anonymous"], by_password["name"]) == (False, "admin")

    def test_cookie_alone_carries_no_login(self, ci: Ci) -> None:
        session = ci.password("admin")
        session.get(ci.url + "/crumbIssuer/api/json").raise_for_status()
        session.auth = None
        assert session.get(ci.url + "/whoAmI/api/json").json()["name"] == "anonymous"

    def test_form_login_carries_one(self, ci: Ci) -> None:
        session = requests.Session()
        fields = {"j_username": "admin", "j_password": "sandbox-admin"}
        refused = session.post(ci.url + "/j_spring_security_check", data=fields, allow_redirects=False)
        assert (refused.status_code, refused.headers["Location"]) == (302, "/ci/loginError")
        found = re.search("data-crumb-value='([0-9a-f]{64})'", session.get(ci.url + "/login").text)
        assert found
        fields["Jenkins-Crumb"] = found[1]
        session.post(ci.url + "/j_spring_security_check", data=fields)
        assert session.get(ci.url + "/whoAmI/api/json").json()["name"] == "admin"
        session.auth = ("admin", TOKENS["admin"])
        assert NO_CRUMB in session.post(ci.url + "/quietDown").text

    def test_ssh_endpoint(self, ci: Ci) -> None:
        assert not tells(ci.get("/login"), "X-SSH-Endpoint")
        ci.sandbox.switch("ci", ssh_endpoint="ci.example.com:2222")
        assert ci.get("/login").headers["X-SSH-Endpoint"] == "ci.example.com:2222"

    def test_jsonp(self, ci: Ci) -> None:
        assert ci.get("/api/json?jsonp=f").status_code == 403

    @pytest.mark.parametrize(
        "path",
        ["/scriptText", "/computer/(master)/scriptText", "/cli", "/exit", "/pluginManager/installNecessaryPlugins"],
    )
    def test_not_served(self, ci: Ci, path: str) -> None:
        answer = ci.post(path, data={"script": "1 + 1"})
        assert (answer.status_code, "does not serve" in answer.text) == (501, True)

    def test_what_is_told_before_a_script_would_run(self, ci: Ci) -> None:
        for answer in (ci.get("/scriptText"), ci.post("/scriptText"), ci.post("/scriptText", json={"script": "1"})):
            assert (answer.status_code, answer.content) == (200, b"")
            assert answer.headers["Content-Type"] == "text/plain;charset=utf-8"
            assert not tells(answer, "X-Jenkins")
        assert ci.post("/scriptText", files={"script": (None, "1")}).status_code == 501
        shown = ci.get("/scriptText?script=1")
        assert (shown.status_code, oops(shown), "Allow" in shown.headers) == (405, True, False)
        assert ci.get("/scriptText?script=1", "manager").status_code == 403
        assert ci.post("/computer/nowhere/scriptText").status_code == 404
        assert ci.get("/pluginManager/installNecessaryPlugins").status_code == 405
        assert ci.get("/jnlpJars/unknown.jar", None).status_code == 500

    def test_slashes(self, ci: Ci) -> None:
        assert ci.get("//job//app/api/json").json()["name"] == "app"
        assert ci.post("//quietDown/").headers["Location"] == "/ci//quietDown/"

    def test_users(self, ci: Ci) -> None:
        assert ci.json("/user/reader")["id"] == "reader"
        assert ci.get("/user/nobody/api/json").status_code == 404
        assert "admin" in ci.get("/whoAmI/").text

    def test_journal(self, ci: Ci) -> None:
        ci.sandbox.clear_journal()
        ci.get("/api/json")
        ci.post("/api/json")
        ci.post("/quietDown")
        seen = [(entry["label"], entry["effect"]) for entry in ci.sandbox.journal("ci")]
        assert seen == [("root", "read"), ("root", "read"), ("quiet_down", "write")]


class TestTree:
    @pytest.mark.parametrize(
        ("tree", "numbers"),
        [("{0,2}", [3, 2]), ("{2}", [1]), ("{,2}", [3, 2]), ("{1,}", [2, 1]), ("{99,100}", []), ("{2,1}", [])],
    )
    def test_ranges(self, ci: Ci, tree: str, numbers: list[int]) -> None:
        ci.sandbox.seed({"ci": {"jobs": [{"name": "many", "builds": [{}, {}, {}]}]}})
        builds = ci.json("/job/many", tree=f"builds[number]{tree}")["builds"]
        assert [build["number"] for build in builds] == numbers
        assert len(ci.json("/job/many", tree=f"builds{tree}")["builds"]) == len(numbers)

    @pytest.mark.parametrize(
        "tree",
        [
            "jobs{0,1}[name]",
            "jobs[]",
            "",
            ",",
            "mode,",
            "jobs[name] ,mode",
            "jobs{ 0,1}",
            "jobs{-1,2}",
            "jobs[name",
            "jobs]",
            "jobs{0,1",
        ],
    )
    def test_malformed(self, ci: Ci, tree: str) -> None:
        answer = ci.get("/api/json", params={"tree": tree})
        assert (answer.status_code, oops(answer)) == (500, True)
        assert "Malformed" not in answer.text

    @pytest.mark.parametrize(
        ("tree", "members"),
        [
            ("mode, useSecurity", {"mode": "NORMAL"}),
            ("mode[x]", {"mode": "NORMAL"}),
            ("nothing", {}),
            (
                "jobs[name]",
                {
                    "jobs": [
                        {"_class": "hudson.model.FreeStyleProject", "name": "app"},
                        {"_class": "hudson.model.FreeStyleProject", "name": "deploy"},
                    ]
                },
            ),
        ],
    )
    def test_names(self, ci: Ci, tree: str, members: dict[str, Any]) -> None:
        assert ci.json("", tree=tree) == {"_class": "hudson.model.Hudson", **members}

    def test_tree_beats_depth_and_depth_must_be_a_number(self, ci: Ci) -> None:
        assert ci.json("", tree="mode", depth="x") == {"_class": "hudson.model.Hudson", "mode": "NORMAL"}
        assert ci.get("/api/json?depth=").status_code == 500
        assert ci.get("/api/json?depth=x").status_code == 500
        assert ci.json("", depth="-1") == {"_class": "hudson.model.Hudson"}

    def test_pretty_with_any_value(self, ci: Ci) -> None:
        answer = ci.get("/api/json?tree=mode,jobs[x]{5}&pretty=false")
        assert answer.text == (
            '{\n  "_class" : "hudson.model.Hudson",\n  "mode" : "NORMAL",\n  "jobs" : [\n    \n  ]\n}'
        )

    def test_python(self, ci: Ci) -> None:
        answer = ci.get("/job/app/1/api/python?tree=building,description,inProgress,number,displayName")
        assert answer.headers["Content-Type"] == "text/x-python;charset=UTF-8"
        assert answer.headers["X-Jenkins"] == "2.579"
        assert answer.text == (
            '{"_class":"hudson.model.FreeStyleBuild","building":False,"description":None,"displayName":"#1",'
            '"inProgress":False,"number":1}'
        )
        assert ci.get("/api/python?tree=").status_code == 500

    def test_members_in_order(self, ci: Ci) -> None:
        assert list(ci.json("")) == [
            "_class",
            "assignedLabels",
            "mode",
            "nodeDescription",
            "nodeName",
            "numExecutors",
            "description",
            "jobs",
            "overallLoad",
            "primaryView",
            "quietDownReason",
            "quietingDown",
            "slaveAgentPort",
            "unlabeledLoad",
            "url",
            "useCrumbs",
            "useSecurity",
            "views",
        ]

    def test_addresses(self, ci: Ci) -> None:
        assert ci.members("", "url") == {"url": ci.url + "/"}
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "ci.example.com"}
        assert ci.get("/api/json", headers=forwarded).json()["url"] == "https://ci.example.com/ci/"
        for port, host in (("443", "ci.example.com"), ("8443", "ci.example.com:8443")):
            answer = ci.get("/api/json", headers={**forwarded, "X-Forwarded-Port": port})
            assert answer.json()["url"] == f"https://{host}/ci/"
        ci.sandbox.seed({"ci": {"url": "https://configured.example.com/"}})
        assert ci.members("/job/app", "url") == {"url": "https://configured.example.com/job/app/"}
        location = ci.post("/job/app/build").headers["Location"]
        assert location.startswith(ci.url)


class TestCrumbs:
    def crumb(self, ci: Ci, session: requests.Session) -> str:
        value: str = session.get(ci.url + "/crumbIssuer/api/json").json()["crumb"]
        return value

    def quiet_down(self, ci: Ci, session: requests.Session, **options: Any) -> int:
        return session.post(ci.url + "/quietDown", allow_redirects=False, **options).status_code

    def test_issuer(self, ci: Ci) -> None:
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
        assert self.crumb(ci, ci.password("admin")) != answer.json()["crumb"]

    def test_valid_places(self, ci: Ci) -> None:
        session = ci.password("admin")
        crumb = self.crumb(ci, session)
        assert self.quiet_down(ci, session, headers={"jenkins-crumb": crumb}) == 302
        assert self.quiet_down(ci, session, params={"Jenkins-Crumb": crumb}) == 302
        assert self.quiet_down(ci, session, data={"Jenkins-Crumb": crumb}) == 302
        assert self.quiet_down(ci, session, files={"Jenkins-Crumb": (None, crumb)}) == 403
        assert self.quiet_down(ci, session, data={".crumb": crumb}) == 403
        for wrong in ("x", ""):
            assert self.quiet_down(ci, session, data={"Jenkins-Crumb": crumb}, headers={"Jenkins-Crumb": wrong}) == 403

    def test_needs_session_and_user(self, ci: Ci) -> None:
        session = ci.password("admin")
        header = {"Jenkins-Crumb": self.crumb(ci, session)}
        refused = ci.password("admin").post(ci.url + "/quietDown", headers=header)
        assert refused.status_code == 403
        assert f"<h2>HTTP ERROR 403 {NO_CRUMB}</h2>" in refused.text
        assert not tells(refused, "X-Jenkins", "X-Hudson")
        without = ci.password("admin").post(ci.url + "/quietDown")
        assert not tells(without, "X-Jenkins", "X-Hudson", "Set-Cookie")
        session.auth = ("manager", "sandbox-manager")
        assert self.quiet_down(ci, session, headers=header) == 403

    @pytest.mark.parametrize("path", ["/nope", "/quietDown", "/job/app/api/json", "/crumbIssuer/api/json"])
    @pytest.mark.parametrize("user", ["reader", None])
    def test_judged_first(self, ci: Ci, path: str, user: str | None) -> None:
        session = ci.password(user) if user else requests.Session()
        answer = session.post(ci.url + path)
        assert (answer.status_code, NO_CRUMB in answer.text) == (403, True)

    def test_not_asked_for(self, ci: Ci) -> None:
        assert ci.password("admin").put(ci.url + "/quietDown").status_code == 405
        assert ci.password("admin").delete(ci.url + "/job/app/", allow_redirects=False).status_code == 204
        assert ci.post("/quietDown", headers={"Jenkins-Crumb": "wrong"}).status_code == 302

    def test_fetched_with_the_token(self, ci: Ci) -> None:
        session = requests.Session()
        session.auth = ("admin", TOKENS["admin"])
        crumb = self.crumb(ci, session)
        session.auth = ("admin", "sandbox-admin")
        assert self.quiet_down(ci, session, headers={"Jenkins-Crumb": crumb}) == 302

    def test_off(self, ci: Ci) -> None:
        ci.sandbox.switch("ci", csrf=False)
        assert ci.get("/crumbIssuer/api/json").status_code == 404
        assert self.quiet_down(ci, ci.password("admin")) == 302
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
    def test_xpath_texts(self, ci: Ci, xpath: str, pattern: str) -> None:
        answer = ci.get("/crumbIssuer/api/xml", params={"xpath": xpath, "wrapper": "w"})
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "text/plain;charset=utf-8"
        assert re.fullmatch(pattern, answer.text)

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
    def test_xpath_primitives(self, ci: Ci, xpath: str) -> None:
        answer = ci.get("/crumbIssuer/api/xml", params={"xpath": xpath})
        assert answer.status_code == 403
        assert "primitive XPath result sets forbidden; implement jenkins.security.SecureRequester" in answer.text

    def test_other_xpaths(self, ci: Ci) -> None:
        def answer(**parameters: str) -> requests.Response:
            return ci.get("/crumbIssuer/api/xml", params=parameters)

        whole = answer().text
        assert whole.startswith("<defaultCrumbIssuer _class='hudson.security.csrf.DefaultCrumbIssuer'><crumb>")
        assert re.fullmatch("<crumb>[0-9a-f]{64}</crumb>", answer(xpath="//crumb").text)
        missing = answer(xpath="//x")
        assert (missing.status_code, missing.content) == (404, b"XPath //x didn?t match")
        assert "Content-Type" not in missing.headers
        many = answer(xpath="/*/*")
        assert many.status_code == 500
        assert many.text == (
            'XPath "/*/*" matched 2 nodes. Create XPath that only matches one, or use the "wrapper" query parameter '
            "to wrap them all under a root element."
        )
        assert re.fullmatch("<w><crumb>.*</crumb><crumbRequestField>.*</w>", answer(xpath="/*/*", wrapper="w").text)
        malformed = answer(xpath="/*[")
        assert (malformed.status_code, oops(malformed)) == (500, True)


class TestRestart:
    def test_quiet_down(self, ci: Ci) -> None:
        for path in ("/quietDown?message=Backup&reason=x", "/quietDown?message=Backup"):
            answer = ci.post(path)
            assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
            assert "X-Jenkins" not in answer.headers
        assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": True, "quietDownReason": "Backup"}
        assert ci.post("/job/app/build").status_code == 201
        waiting = ci.json("/queue")["items"][0]
        assert waiting["_class"] == "hudson.model.Queue$BuildableItem"
        assert waiting["why"] == "Jenkins is about to shut down"
        for _unused in range(2):
            assert ci.post("/cancelQuietDown").headers["Location"] == "/ci/"
        assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": False, "quietDownReason": None}
        assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 1}

    def test_blocking_quiet_down(self, ci: Ci) -> None:
        ci.create("short", CONFIG.replace("10", "0.5"))
        ci.start("short")
        assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 1}
        for parameters in ("block", "block=on", "block=TRUE&timeout=x"):
            assert ci.post(f"/quietDown?{parameters}").elapsed.total_seconds() < 0.4
        ci.sandbox.clock(frozen=False)
        assert ci.post("/quietDown?block=1&timeout=50").elapsed.total_seconds() < 0.4
        assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 1}
        assert ci.post("/quietDown?block=true&timeout=x").status_code == 302
        assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 0}

    @pytest.mark.parametrize("path", ["/safeRestart", "/restart"])
    def test_other_methods(self, ci: Ci, path: str) -> None:
        assert ci.get(path).status_code == 200
        assert ci.request("HEAD", path).status_code == 302
        assert ci.request("PUT", path).status_code == 302
        assert ci.members("", "quietingDown") == {"quietingDown": False}
        ci.sandbox.switch("ci", restart_supported=False)
        assert ci.post(path).status_code == 500

    @pytest.mark.parametrize(
        ("path", "phases"),
        [
            (
                "/safeRestart",
                [
                    (0, 503, 503, "Restarting"),
                    (10.05, 401, 503, "Restarting"),
                    (10.5, 0, 0, ""),
                    (12, 503, 503, "Starting"),
                    (14.4, 401, 503, "Starting"),
                    (14.7, 503, 503, "Starting"),
                ],
            ),
            (
                "/restart",
                [
                    (0, 503, 503, "Restarting"),
                    (5.05, 401, 503, "Restarting"),
                    (5.5, 0, 0, ""),
                    (7, 503, 503, "Starting"),
                    (9.5, 401, 503, "Starting"),
                    (10, 503, 503, "Starting"),
                ],
            ),
        ],
    )
    def test_sequence(self, ci: Ci, path: str, phases: list[tuple[float, int, int, str]]) -> None:
        whole = 14.8 if path == "/safeRestart" else 10.4
        ci.sandbox.switch("ci", restart_seconds=whole)
        before = ci.get("/api/json").headers
        session = ci.password("admin")
        crumb = session.get(ci.url + "/crumbIssuer/api/json").json()["crumb"]
        answer = ci.post(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
        elapsed = 0.0
        for second, with_login, anonymous, title in phases:
            ci.later(second - elapsed)
            elapsed = second
            for status, user in ((with_login, "admin"), (anonymous, None)):
                if status == 0:
                    with pytest.raises(requests.ConnectionError):
                        ci.get("/login", user)
                    continue
                down = ci.get("/login", user)
                assert down.status_code == status
                assert not tells(down, "X-Jenkins", "X-Jenkins-Session", "Retry-After")
                if status == 503:
                    assert f"<title>{title} Jenkins</title>" in down.text
        ci.later(whole - elapsed)
        after = ci.get("/api/json")
        assert after.status_code == 200
        assert after.headers["X-Jenkins-Session"] != before["X-Jenkins-Session"]
        assert after.json()["quietingDown"] is False
        assert NO_CRUMB in session.post(ci.url + "/quietDown", headers={"Jenkins-Crumb": crumb}).text
        new = session.get(ci.url + "/crumbIssuer/api/json").json()["crumb"]
        assert session.post(ci.url + "/api/json", headers={"Jenkins-Crumb": new}).status_code == 200
        assert len({cookie.name for cookie in session.cookies}) == 2

    def test_texts(self, ci: Ci) -> None:
        ci.post("/safeRestart")
        down = ci.get("/nope", None)
        assert "Jenkins is restarting" in down.text
        assert "Safe Restart – Builds on agents can usually continue." in down.text
        assert down.headers["Cache-Control"] == "no-cache, no-store, must-revalidate"
        ci.later(10.05 / 14.8)
        assert ci.get("/login", None, headers={"Authorization": "Bearer x"}).status_code == 503
        ci.later(0.12)
        assert "Jenkins is getting ready to work" in ci.get("/login", None).text

    def test_waits_for_a_running_build(self, ci: Ci) -> None:
        ci.create("long")
        ci.start("long")
        assert ci.post("/safeRestart?message=first").status_code == 302
        assert ci.post("/safeRestart?message=second").status_code == 302
        ci.later(9)
        assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": True, "quietDownReason": "second"}
        ci.later(1.1)
        assert ci.get("/api/json").status_code == 503
        ci.later(1)
        assert ci.members("/job/long/1", "result") == {"result": "SUCCESS"}

    def test_cancel(self, ci: Ci) -> None:
        ci.create("long")
        ci.start("long")
        session = ci.get("/login").headers["X-Jenkins-Session"]
        for method, path in (
            ("POST", "/safeRestart?cancel="),
            ("POST", "/cancelQuietDown"),
            ("PUT", "/safeRestart?cancel"),
        ):
            ci.post("/safeRestart")
            assert ci.members("", "quietingDown") == {"quietingDown": True}
            assert ci.request(method, path).status_code == 302
            assert ci.members("", "quietingDown") == {"quietingDown": False}
        ci.later(20)
        assert ci.get("/login").headers["X-Jenkins-Session"] == session

    def test_hard_restart_aborts(self, ci: Ci) -> None:
        ci.create("long")
        ci.start("long")
        ci.post("/restart")
        ci.later(1)
        assert ci.members("/job/long/1", "building,result") == {"building": False, "result": "ABORTED"}

    def test_queue_survives(self, ci: Ci) -> None:
        ci.create("long")
        ci.start("long")
        ci.post("/job/long/build?delay=60sec")
        assert ci.item(FIRST)["_class"] == "hudson.model.Queue$LeftItem"
        ci.post("/restart")
        ci.later(1)
        assert ci.get(f"/queue/item/{FIRST}/api/json").status_code == 404
        assert ci.item(FIRST + 1)["_class"] == "hudson.model.Queue$WaitingItem"
        ci.later(60)
        assert ci.item(FIRST + 1)["executable"]["number"] == 2

    def test_restart_required_until_then(self, ci: Ci) -> None:
        ci.sandbox.switch("ci", restart_required=True)
        assert ci.members("/updateCenter", "restartRequiredForCompletion,jobs[*]") == {
            "jobs": [],
            "restartRequiredForCompletion": True,
        }
        ci.post("/safeRestart")
        ci.later(1)
        assert ci.members("/updateCenter", "restartRequiredForCompletion") == {"restartRequiredForCompletion": False}

    def test_old_server_without_session_id(self, ci: Ci) -> None:
        ci.sandbox.switch("ci", session_id_header=False, version="1.395")
        for path in ("/login", "/api/json"):
            headers = ci.get(path).headers
            assert headers["X-Jenkins"] == "1.395"
            assert "X-Jenkins-Session" not in headers


class TestBuilds:
    def test_queue_item(self, ci: Ci) -> None:
        ci.create("slow")
        answer = ci.post("/job/slow/build")
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"{ci.url}/queue/item/{FIRST}/"
        assert "X-Jenkins" not in answer.headers
        ci.later(0.1)
        item = ci.item(FIRST)
        assert list(item) == [
            "_class",
            "actions",
            "blocked",
            "buildable",
            "id",
            "inQueueSince",
            "params",
            "stuck",
            "task",
            "url",
            "why",
            "timestamp",
        ]
        assert (item["_class"], item["params"]) == ("hudson.model.Queue$WaitingItem", "")
        assert item["why"] == "In the quiet period. Expires in 4.9 sec"
        assert item["url"] == f"queue/item/{FIRST}/"
        assert item["task"] == {
            "_class": "hudson.model.FreeStyleProject",
            "name": "slow",
            "url": f"{ci.url}/job/slow/",
            "color": "notbuilt",
        }

    def test_waiting_item_takes_further_requests(self, ci: Ci) -> None:
        ci.create("slow")
        for user in ("admin", "builder"):
            assert ci.post("/job/slow/build", user).headers["Location"] == f"{ci.url}/queue/item/{FIRST}/"
        causes = ci.item(FIRST)["actions"][0]["causes"]
        assert [cause["userId"] for cause in causes] == ["admin", "builder"]
        ci.post("/job/slow/build?delay=0sec")
        assert ci.item(FIRST)["executable"] == {
            "_class": "hudson.model.FreeStyleBuild",
            "number": 1,
            "url": f"{ci.url}/job/slow/1/",
        }

    def test_classes_of_items(self, ci: Ci) -> None:
        ci.create("slow")
        ci.start("slow")
        ci.start("slow")
        blocked = ci.item(FIRST + 1)
        assert blocked["_class"] == "hudson.model.Queue$BlockedItem"
        assert blocked["why"] == "Build #1 is already in progress (ETA: N/A)"
        assert "buildableStartMilliseconds" in blocked
        left = ci.item(FIRST)
        assert (left["_class"], left["why"], left["cancelled"]) == ("hudson.model.Queue$LeftItem", None, False)
        ci.later(301)
        assert ci.get(f"/queue/item/{FIRST}/api/json").status_code == 404
        assert ci.get("/queue/item/99/api/json").status_code == 404
        assert ci.get("/queue/item/x/api/json").status_code == 500
        assert ci.get(f"/queue/item/{FIRST + 1}/").text.startswith("Queue item exists. ")

    @pytest.mark.parametrize(
        ("delay", "seconds"),
        [("5sec", 5), ("5secs", 5), ("5 secs", 5), (" 5sec ", 5), ("2999", 2), ("3", 0), ("-1sec", 0)],
    )
    def test_delay(self, ci: Ci, delay: str, seconds: int) -> None:
        assert ci.post("/job/app/build", params={"delay": delay}).status_code == 201
        item = ci.item(FIRST)
        waits = (item["timestamp"] - item["inQueueSince"]) / 1000 if "timestamp" in item else 0
        assert waits == pytest.approx(seconds, abs=0.01)

    def test_quiet_period(self, ci: Ci) -> None:
        ci.create("slow")
        ci.post("/job/slow/build")
        item = ci.item(FIRST)
        assert item["timestamp"] - item["inQueueSince"] == pytest.approx(5000, abs=1)
        ci.later(5)
        assert ci.item(FIRST)["executable"]["number"] == 1
        ci.create("quick")
        ci.sandbox.switch("ci", quiet_period=0)
        ci.post("/job/quick/build")
        assert ci.item(FIRST + 1)["executable"]["number"] == 1

    @pytest.mark.parametrize("delay", ["1min", "5s", "1h", "", "x"])
    def test_bad_delay(self, ci: Ci, delay: str) -> None:
        assert oops(ci.post("/job/app/build", params={"delay": delay}))

    def test_disabled(self, ci: Ci) -> None:
        for path in ("disable", "disable", "enable", "disable"):
            answer = ci.post(f"/job/app/{path}")
            assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app/")
        for method in ("GET", "POST"):
            answer = ci.request(method, "/job/app/build")
            assert (answer.status_code, "app is not buildable" in answer.text) == (409, True)
        assert ci.members("/job/app", "buildable,color") == {"buildable": False, "color": "disabled"}

    def test_parameterised_without_json(self, ci: Ci) -> None:
        nothing = ci.post("/job/deploy/build")
        assert (nothing.status_code, "Nothing is submitted" in nothing.text) == (400, True)
        submissions: tuple[dict[str, Any], ...] = (
            {"data": {"VERSION": "2"}},
            {"params": {"delay": "0sec"}},
            {"json": {"parameter": []}},
            {"files": {"VERSION": (None, "2")}},
        )
        for options in submissions:
            other = ci.post("/job/deploy/build", **options)
            assert (other.status_code, "This page expects a form submission" in other.text) == (400, True)
        shown = ci.get("/job/deploy/build")
        assert (shown.status_code, "Allow" in shown.headers) == (405, False)
        assert ci.get("/job/app/build").headers["Allow"] == "POST"
        assert ci.get("/job/app/build", "reader").status_code == 403

    def test_json_form(self, ci: Ci) -> None:
        def build(text: str) -> requests.Response:
            return ci.post("/job/deploy/build?delay=5sec", data={"json": text})

        one = '{"parameter": {"name": "DRY_RUN", "value": "true"}}'
        answer = build(one)
        assert (answer.status_code, answer.headers["Location"]) == (201, f"{ci.url}/job/deploy/")
        assert ci.item(FIRST)["params"] == "\nDRY_RUN=true"
        again = build(one)
        assert (again.status_code, again.headers["Location"]) == (302, "/ci/job/deploy/")
        empty = build('{"parameter": [], "redirectTo": "http://elsewhere/"}')
        assert empty.headers["Location"] == f"{ci.url}/queue/item/{FIRST + 1}/"
        assert build('{"parameter": {"name": "VERSION"}, "statusCode": "303"}').status_code == 303
        parts = {"json": (None, '{"parameter": {"name": "VERSION", "value": "ü"}}')}
        assert ci.post("/job/deploy/build?delay=5sec", files=parts).status_code == 201
        assert ci.item(FIRST + 3)["params"] == "\nVERSION=ü"
        assert ci.item(FIRST + 2)["params"] == "\nVERSION="
        assert build('{"parameter": {"name": "VERSION", "value": null}}').status_code == 302

    @pytest.mark.parametrize(
        "text",
        [
            '{"parameter": {"name": "X", "value": 1}}',
            '{"parameter": {"value": 1}}',
            "no json",
            '{"parameter": {"name": "TARGET", "value": "moon"}}',
        ],
    )
    def test_bad_json_form(self, ci: Ci, text: str) -> None:
        assert oops(ci.post("/job/deploy/build", data={"json": text}))

    def test_build_with_parameters(self, ci: Ci) -> None:
        path = "/job/deploy/buildWithParameters?delay=5sec"
        answer = ci.post(path, data={"VERSION": "2", "DRY_RUN": "on", "UNKNOWN": "x", "SECRET": "hush"})
        assert (answer.status_code, answer.headers["Location"]) == (201, f"{ci.url}/queue/item/{FIRST}/")
        assert ci.item(FIRST)["params"] == "\nVERSION=2\nTARGET=staging\nDRY_RUN=false\nSECRET=****"
        again = ci.post(path + "&VERSION=2&SECRET=hush")
        assert (again.status_code, again.headers["Location"]) == (303, f"{ci.url}/queue/item/{FIRST}/")
        assert ci.post(path, json={"VERSION": "3"}).headers["Location"].endswith(f"/{FIRST + 1}/")
        assert ci.item(FIRST + 1)["params"].startswith("\nVERSION=1.0\n")
        assert oops(ci.post(path + "&VERSION=1", data={"VERSION": "1"}))
        ci.post(path, files={"VERSION": (None, "4")})
        assert ci.item(FIRST + 2)["params"].startswith("\nVERSION=4\n")
        assert oops(ci.post(path + "&TARGET=moon"))
        assert ci.get(path).status_code == 405
        plain = ci.post("/job/app/buildWithParameters")
        assert (plain.status_code, "app is not parameterized" in plain.text) == (400, True)
        ci.sandbox.switch("ci", version="2.516.1")
        assert ci.post("/job/app/buildWithParameters").status_code == 500

    def test_trigger_token(self, ci: Ci) -> None:
        ci.sandbox.seed({"ci": {"jobs": [{"name": "hook", "trigger_token": "t0"}]}})
        assert ci.get("/job/hook/build?token=t0", "reader").status_code == 201
        wrong = ci.post("/job/hook/build?token=no")
        assert (wrong.status_code, "Invalid token provided." in wrong.text) == (403, True)
        assert ci.get("/job/app/build?token=t0").status_code == 405
        assert ci.post("/job/app/build?token=t0").status_code == 201

    def test_cancel_item(self, ci: Ci) -> None:
        ci.create("slow")
        ci.post("/job/slow/build")
        assert ci.get(f"/queue/cancelItem?id={FIRST}").status_code == 405
        assert oops(ci.post(f"/queue/cancelItem?id={FIRST}", "reader"))
        assert ci.post(f"/queue/cancelItem?id={FIRST}", "reader").status_code == 422
        assert ci.post("/queue/cancelItem", data={"id": str(FIRST)}).status_code == 204
        assert ci.post(f"/queue/cancelItem?id={FIRST}").status_code == 500
        for unknown in ("?id=99", "?id=x", ""):
            assert ci.post("/queue/cancelItem" + unknown).status_code == 404
        left = ci.item(FIRST)
        assert (left["cancelled"], left["executable"], left["why"]) == (True, None, None)
        ci.post("/job/slow/build")
        assert ci.post(f"/queue/item/{FIRST + 1}/cancelQueue").status_code == 204
        assert ci.item(FIRST + 1)["cancelled"] is True

    def test_members_of_a_running_build(self, ci: Ci) -> None:
        ci.create("slow")
        ci.start("slow")
        build = ci.json("/job/slow/1")
        assert list(build) == [
            "_class",
            "actions",
            "artifacts",
            "building",
            "description",
            "displayName",
            "duration",
            "estimatedDuration",
            "executor",
            "fullDisplayName",
            "id",
            "inProgress",
            "keepLog",
            "number",
            "queueId",
            "result",
            "timestamp",
            "url",
            "builtOn",
            "changeSet",
            "culprits",
        ]
        expected = {
            "_class": "hudson.model.FreeStyleBuild",
            "building": True,
            "inProgress": True,
            "result": None,
            "duration": 0,
            "estimatedDuration": -1,
            "executor": {},
            "id": "1",
            "number": 1,
            "queueId": FIRST,
            "displayName": "#1",
            "fullDisplayName": "slow #1",
            "builtOn": "",
            "keepLog": False,
        }
        assert expected.items() <= build.items()
        assert ci.members("/job/slow/1", "artifact") == {}
        assert ci.members("/job/slow", "color,inQueue,nextBuildNumber") == {
            "color": "notbuilt_anime",
            "inQueue": False,
            "nextBuildNumber": 2,
        }
        tree = "busyExecutors,totalExecutors,computer[displayName,idle,executors[currentExecutable[url,number]]]"
        computer = ci.members("/computer", tree)
        assert (computer["busyExecutors"], computer["totalExecutors"]) == (1, 2)
        assert computer["computer"][0]["executors"] == [
            {
                "currentExecutable": {
                    "_class": "hudson.model.FreeStyleBuild",
                    "number": 1,
                    "url": f"{ci.url}/job/slow/1/",
                }
            },
            {"currentExecutable": None},
        ]
        for name in ("(built-in)", "(master)"):
            assert ci.members(f"/computer/{name}", "idle") == {"idle": False}
        ci.later(11)
        expected = {"building": False, "result": "SUCCESS", "duration": 10050, "executor": None}
        assert expected.items() <= ci.json("/job/slow/1").items()

    def test_newest_hundred(self, ci: Ci) -> None:
        ci.sandbox.seed({"ci": {"jobs": [{"name": "many", "builds": [{}] * 112}]}})
        assert len(ci.json("/job/many")["builds"]) == 100
        assert len(ci.json("/job/many", tree="builds[number]{0,150}")["builds"]) == 100
        everything = ci.json("/job/many", tree="allBuilds[number]")["allBuilds"]
        assert [build["number"] for build in everything] == list(range(112, 0, -1))
        assert "allBuilds" not in ci.json("/job/many", depth="2")

    def test_stop(self, ci: Ci) -> None:
        ci.create("slow")
        ci.start("slow")
        assert ci.get("/job/slow/1/stop").status_code == 405
        assert ci.post("/job/slow/1/stop", "reader").status_code == 403
        below = ci.post("/job/slow/1/stop/")
        assert (below.status_code, below.headers["Location"]) == (302, "/ci/job/slow/1/stop/")
        ci.later(1)
        assert ci.members("/job/slow/1", "building") == {"building": True}
        answer = ci.post("/job/slow/lastBuild/stop")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/slow/lastBuild/")
        ci.later(0.2)
        build = ci.json("/job/slow/1")
        assert (build["building"], build["result"]) == (False, "ABORTED")
        assert {"_class": "jenkins.model.InterruptedBuildAction"} in build["actions"]
        elsewhere = ci.post("/job/slow/1/stop", headers={"Referer": "http://elsewhere/"})
        assert (elsewhere.status_code, elsewhere.headers["Location"]) == (302, "http://elsewhere/")

    @pytest.mark.parametrize("method", ["GET", "POST"])
    @pytest.mark.parametrize("name", ["term", "kill", "anything"])
    def test_no_such_thing(self, ci: Ci, method: str, name: str) -> None:
        answer = ci.request(method, f"/job/app/1/{name}")
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/ci/job/app/1/{name}/")
        assert ci.request(method, f"/job/app/1/{name}?a=b").headers["Location"] == f"/ci/job/app/1/{name}/?a=b"
        below = ci.request(method, f"/job/app/1/{name}/")
        assert (below.status_code, "Not found" in below.text) == (404, True)
        assert ci.request(method, f"/job/app/{name}").status_code == 404

    def test_logs(self, ci: Ci) -> None:
        ci.create("talk", CONFIG.replace("sleep 10", "echo hello\nsleep 5\necho bye"))
        ci.start("talk")

        def progressive(start: str | None = None) -> requests.Response:
            return ci.get("/job/talk/1/logText/progressiveText", params={"start": start} if start is not None else {})

        ci.later(1)
        running = progressive()
        assert running.headers["X-More-Data"] == "true"
        size = int(running.headers["X-Text-Size"])
        assert b"hello\r\n" in running.content
        assert b"\x1b[8mha:" in running.content
        assert len(running.content.replace(b"\r\n", b"\n")) == size
        assert progressive(str(size)).content == b""
        ci.later(9)
        rest = progressive(str(size))
        assert "X-More-Data" not in rest.headers
        assert rest.content == b"+ echo bye\r\nbye\r\nFinished: SUCCESS\r\n"
        whole = progressive("0").content
        assert progressive("999999").content == whole
        assert progressive("-1").content == b""
        for bad in ("x", ""):
            assert progressive(bad).status_code == 500
        console = ci.get("/job/talk/1/consoleText")
        assert console.headers["Content-Type"] == "text/plain;charset=utf-8"
        assert "X-Jenkins" not in console.headers
        assert console.text.startswith("Started by user Sandbox Administrator\nRunning as SYSTEM\n")
        assert console.text.endswith("Finished: SUCCESS\n")
        assert "\r" not in console.text and "\x1b" not in console.text

    def test_outcomes(self, ci: Ci) -> None:
        ci.create("bad", CONFIG.replace("sleep 10", "exit 3"))
        ci.start("bad")
        ci.later(1)
        assert ci.members("/job/bad/1", "result") == {"result": "FAILURE"}
        assert ci.members("/job/bad", "color,lastFailedBuild[number],lastSuccessfulBuild") == {
            "color": "red",
            "lastFailedBuild": {"_class": "hudson.model.FreeStyleBuild", "number": 1},
            "lastSuccessfulBuild": None,
        }

    def test_parameters_of_a_build(self, ci: Ci) -> None:
        ci.post("/job/deploy/buildWithParameters", data={"VERSION": "", "DRY_RUN": "true", "SECRET": "hush"})
        expected = [
            {"_class": "hudson.model.StringParameterValue", "name": "VERSION", "value": ""},
            {"_class": "hudson.model.StringParameterValue", "name": "TARGET", "value": "staging"},
            {"_class": "hudson.model.BooleanParameterValue", "name": "DRY_RUN", "value": True},
            {"_class": "hudson.model.PasswordParameterValue", "name": "SECRET"},
        ]
        for tree in ("actions[parameters[*]]", "actions[parameters[name,value]]"):
            assert ci.json("/job/deploy/1", tree=tree)["actions"] == [
                {"_class": "hudson.model.ParametersAction", "parameters": expected},
                {"_class": "hudson.model.CauseAction"},
                {},
            ]
        by_depth = ci.json("/job/deploy")["property"][0]["parameterDefinitions"][0]["defaultParameterValue"]
        assert by_depth == {"_class": "hudson.model.StringParameterValue", "name": "VERSION", "value": "1.0"}
        tree = "property[parameterDefinitions[name,type,defaultParameterValue[value],choices]]"
        target = ci.json("/job/deploy", tree=tree)["property"][0]["parameterDefinitions"][1]
        assert target == {
            "_class": "hudson.model.ChoiceParameterDefinition",
            "defaultParameterValue": {"_class": "hudson.model.StringParameterValue", "value": "staging"},
            "name": "TARGET",
            "type": "ChoiceParameterDefinition",
            "choices": ["staging", "production"],
        }

    @pytest.mark.parametrize(
        ("parameters", "status", "body"),
        [
            ({"xpath": "/*/action/parameter[name='TARGET']/value"}, 200, "<value>staging</value>"),
            ({"xpath": "/*/action/parameter[name='DRY_RUN']/value"}, 200, "<value>false</value>"),
            ({"xpath": "/*/action/parameter[name='SECRET']/value", "wrapper": "w"}, 200, "<w/>"),
            ({"xpath": "/*/action/parameter[name='EMPTY']/value"}, 404, None),
            ({"xpath": "/workflowRun/number"}, 404, "XPath /workflowRun/number didn?t match"),
            ({"xpath": "freeStyleBuild/number"}, 200, "<number>1</number>"),
            ({"xpath": "/*/number", "wrapper": "w"}, 200, "<w><number>1</number></w>"),
            ({"xpath": "/*/number/text()", "wrapper": "w"}, 200, "<w>1</w>"),
            ({"xpath": "/*/@_class"}, 200, ' _class="hudson.model.FreeStyleBuild"'),
            ({"xpath": "/*/number", "wrapper": "1 w"}, 400, None),
            ({"xpath": "/*/number/text()"}, 403, None),
            ({"xpath": "string(/*/number)"}, 403, None),
            ({"xpath": "count(//action)"}, 403, None),
            ({"xpath": "/*/number=1"}, 403, None),
            ({"xpath": ""}, 500, None),
            ({"xpath": "//["}, 500, None),
            (
                {"tree": "number,keepLog", "exclude": "/*/keepLog"},
                200,
                '<?xml version="1.0" encoding="UTF-8"?>\n'
                '<freeStyleBuild _class="hudson.model.FreeStyleBuild"><number>1</number></freeStyleBuild>',
            ),
            (
                {"tree": "number,result", "wrapper": "w"},
                200,
                "<freeStyleBuild _class='hudson.model.FreeStyleBuild'><number>1</number></freeStyleBuild>",
            ),
        ],
    )
    def test_xml(self, ci: Ci, parameters: dict[str, str], status: int, body: str | None) -> None:
        ci.post("/job/deploy/buildWithParameters")
        answer = ci.get("/job/deploy/1/api/xml", params=parameters)
        assert answer.status_code == status
        if body is not None:
            assert answer.text == body
        if status == 200:
            assert answer.headers["Content-Type"] == "application/xml;charset=UTF-8"

    def test_empty_value_in_xml(self, ci: Ci) -> None:
        ci.post("/job/deploy/buildWithParameters?VERSION=")
        xpath = "/*/action/parameter[name='VERSION']/value"
        assert ci.get("/job/deploy/1/api/xml", params={"xpath": xpath}).text == "<value/>"

    def test_delete_build(self, ci: Ci) -> None:
        assert ci.post("/job/app/1/doDelete").status_code == 302
        assert ci.post("/job/app/1/doDelete").status_code == 404
        ci.sandbox.seed({"ci": {"jobs": [{"name": "kept", "builds": [{"keep": True}]}]}})
        kept = ci.post("/job/kept/1/doDelete")
        assert (kept.status_code, "X-Error" in kept.headers) == (400, True)


class TestItems:
    def test_plugins(self, ci: Ci) -> None:
        assert (
            ci.get("/pluginManager/api/json").text == '{"_class":"hudson.LocalPluginManager","plugins":[{},{},{},{}]}'
        )
        first = ci.json("/pluginManager", depth="1")["plugins"][0]
        assert list(first)[:5] == ["active", "backupVersion", "bundled", "deleted", "dependencies"]
        assert (first["shortName"], first["version"], first["dependencies"]) == ("git", "5.2.1", [{}, {}])
        dependencies = ci.json("/pluginManager", depth="2")["plugins"][0]["dependencies"]
        assert dependencies[0] == {"optional": False, "shortName": "credentials", "version": "1319.v7eb_51b_3a_c97b_"}
        named = ci.json("/pluginManager", tree="plugins[shortName,longName,version]{1}")["plugins"]
        assert named == [{"longName": "Pipeline", "shortName": "workflow-aggregator", "version": "596.v8c21c963d92d"}]
        assert ci.json("/pluginManager/plugin/git")["_class"] == "hudson.PluginWrapper"

    def test_create(self, ci: Ci) -> None:
        answer = ci.post("/createItem?name=new", data=CONFIG, headers={"Content-Type": "application/xml"})
        assert (answer.status_code, answer.content) == (200, b"")
        shown = ci.get("/job/new/config.xml")
        assert shown.headers["Content-Type"] == "application/xml"
        assert shown.text == "<?xml version='1.1' encoding='UTF-8'?>\n" + CONFIG
        assert ci.post("/job/new/config.xml", data=shown.text, headers=XML).status_code == 200

    @pytest.mark.parametrize(
        ("query", "content_type", "error"),
        [
            ("name=new", "text/html", "No mode given"),
            ("name=new", None, "No Content-Type header set"),
            ("name=APP", "text/xml", "A job already exists with the name  APP "),
            ("name=a%3Fb", "text/xml", "?  is an unsafe character"),
            ("", "text/xml", "Query parameter  name  is required"),
        ],
    )
    def test_create_refused(self, ci: Ci, query: str, content_type: str | None, error: str) -> None:
        headers = {"Content-Type": content_type} if content_type else {}
        answer = ci.post(f"/createItem?{query}", data=CONFIG.encode(), headers=headers)
        assert answer.status_code == 400
        assert answer.headers["X-Error"].strip() == error.strip()

    @pytest.mark.parametrize("config", ["<project>", "<no.such.Class/>", ""])
    def test_bad_configuration(self, ci: Ci, config: str) -> None:
        assert oops(ci.post("/createItem?name=new", data=config, headers=XML))
        assert oops(ci.post("/job/app/config.xml", data=config, headers=XML))

    def test_configure(self, ci: Ci) -> None:
        assert ci.post("/job/app/config.xml", data=CONFIG.encode()).status_code == 200
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert ci.post("/job/app/config.xml", data=CONFIG, headers=form).status_code == 500
        assert ci.request("PUT", "/job/app/config.xml", data=CONFIG).status_code == 400

    def test_copy(self, ci: Ci) -> None:
        answer = ci.post("/createItem?name=app%20two&mode=copy&from=app")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app%20two/configure")
        assert ci.json("/job/app two")["description"] == "Builds the application"

    def test_delete(self, ci: Ci) -> None:
        assert ci.request("DELETE", "/job/app").status_code == 302
        assert ci.json("/job/app")["name"] == "app"
        assert ci.request("DELETE", "/job/app/").status_code == 204
        assert ci.post("/job/deploy/doDelete").status_code == 302
        assert ci.post("/job/deploy/doDelete").status_code == 404
        assert ci.json("")["jobs"] == []

    def test_description(self, ci: Ci) -> None:
        assert ci.post("/job/app/description", data={"description": "new & better"}).status_code == 204
        assert ci.json("/job/app")["description"] == "new & better"

    def test_anonymous_read(self, ci: Ci) -> None:
        ci.sandbox.switch("ci", anonymous_read=True)
        assert ci.get("/job/app/api/json", None).status_code == 200
        ci.sandbox.switch("ci", security=False, csrf=False)
        assert ci.get("/api/json", None).json()["useSecurity"] is False
        assert ci.post("/quietDown", None).status_code == 302
        assert ci.get("/job/app/1/api/xml", None, params={"xpath": "string(/*/number)"}).text == "1"


def test_state_is_kept(tmp_path: Any) -> None:
    from sandbox import client

    with client.start(state=tmp_path) as first:
        Ci(first).create("mine")
        session = Ci(first).get("/login").headers["X-Jenkins-Session"]
    with client.start(state=tmp_path) as second:
        assert Ci(second).json("/job/mine")["name"] == "mine"
        assert Ci(second).get("/login").headers["X-Jenkins-Session"] == session
