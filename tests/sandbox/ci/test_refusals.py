# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: errors and their texts."""

from __future__ import annotations

import http.client
import urllib.parse
import uuid

import pytest
import requests

from support.wire.ci import NO_CRUMB, Ci, has_header, oops


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
def test_error_names_the_missing_permission(
    ci: Ci, user: str, method: str, path: str, permission: str, title: str
) -> None:
    answer = ci.request(method, path, user)
    assert answer.status_code == 403
    assert answer.headers["X-You-Are-Authenticated-As"] == user
    assert answer.headers["X-Required-Permission"] == permission
    assert "Access Denied" in answer.text
    assert f"{user} is missing the {title} permission" in answer.text


def test_job_is_hidden_when_read_is_missing(ci: Ci) -> None:
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
def test_unknown_path_is_404(ci: Ci, path: str) -> None:
    answer = ci.get(path)
    assert (answer.status_code, "Oops! Not Found" in answer.text) == (404, True)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH"])
def test_get_is_405_when_post_is_required(ci: Ci, method: str) -> None:
    answer = ci.request(method, "/quietDown")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")
    assert "This URL requires POST" in answer.text


def test_engine_errors_follow_accept(ci: Ci) -> None:
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


def test_script_requires_administer(ci: Ci) -> None:
    for answer in (ci.get("/scriptText"), ci.post("/scriptText"), ci.post("/scriptText", json={"script": "1"})):
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["Content-Type"] == "text/plain;charset=utf-8"
        assert not has_header(answer, "X-Jenkins")
    response = ci.get("/scriptText?script=1")
    assert (response.status_code, oops(response), "Allow" in response.headers) == (405, True, False)
    assert ci.get("/scriptText?script=1", "manager").status_code == 403
    assert ci.post("/computer/nowhere/scriptText").status_code == 404
    assert ci.get("/pluginManager/installNecessaryPlugins").status_code == 405
    assert ci.get("/jnlpJars/unknown.jar", None).status_code == 500


@pytest.mark.parametrize("path", ["/exit", "/safeExit", "/reload"])
def test_shutdown_requires_post_and_permission(ci: Ci, path: str) -> None:
    assert ci.get(path, "reader").status_code == 405
    refused = ci.post(path, "reader")
    needed = "hudson.model.Hudson.Manage" if path == "/reload" else "hudson.model.Hudson.Administer"
    assert (refused.status_code, refused.headers["X-Required-Permission"]) == (403, needed)


@pytest.mark.parametrize(("path", "builds_end"), [("/exit", False), ("/safeExit", True)])
def test_server_is_down_after_exit(ci: Ci, path: str, builds_end: bool) -> None:
    ci.start("app")
    answer = ci.post(path)
    assert (answer.status_code, answer.text) == (200, "Shutting down\n")
    if builds_end:
        assert ci.members("", "quietingDown") == {"quietingDown": True}
        ci.later(4)
    for _time in range(2):
        with pytest.raises(requests.ConnectionError):
            ci.get("/login")
        ci.later(3600)


def test_configuration_can_be_reloaded(ci: Ci) -> None:
    before = ci.get("/api/json").headers["X-Jenkins-Session"]
    answer = ci.post("/reload")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
    assert ci.get("/api/json").headers["X-Jenkins-Session"] == before


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/jnlpJars/jenkins-cli.jar", 200),
        ("/jnlpJars/agent.jar", 200),
        ("/jnlpJars/nosuch.jar", 500),
        ("/cli/", 403),
        ("/robots.txt", 200),
        ("/favicon.ico", 200),
        ("/tcpSlaveAgentListener/", 404),
        ("/systemInfo", 403),
    ],
)
def test_anonymous_user_is_redirected(ci: Ci, path: str, status: int) -> None:
    assert ci.get(path, None).status_code == status


def test_command_line_needs_no_crumb(ci: Ci) -> None:
    session = ci.password("reader")
    assert oops(session.post(ci.url + "/cli?remoting=false"))
    headers = {"Session": str(uuid.uuid4()), "Side": "download"}
    assert session.post(ci.url + "/cli?remoting=false", headers=headers, stream=True).status_code == 200
    assert session.post(ci.url + "/cli").status_code == 403


def test_websocket_of_command_line_is_served(ci: Ci) -> None:
    origin = {"Origin": ci.origin}
    assert ci.get("/cli/ws", headers=origin).headers["X-CLI-Error"].startswith("Jenkins URL is not configured")
    ci.sandbox.seed({"ci": {"url": ci.url + "/"}})
    assert ci.get("/cli/ws").headers["X-CLI-Error"].startswith("Unexpected request origin")
    assert ci.get("/cli/ws", headers=origin).status_code == 400


def test_page_titles_match_jenkins(ci: Ci) -> None:
    titles = {
        "Not Found - Jenkins": ci.get("/nope"),
        "Method Not Allowed - Jenkins": ci.get("/quietDown"),
        "Jenkins - Jenkins": ci.get("/queue/item/x/api/json"),
        "Jenkins": ci.get("/scriptText", "reader"),
    }
    for title, answer in titles.items():
        assert f"<title>{title}</title>" in answer.text
    assert "or you may not have permission to see it" in titles["Not Found - Jenkins"].text


def test_dot_segments_are_resolved(ci: Ci) -> None:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(ci.url).netloc)
    connection.request("GET", "/ci/jnlpJars/../web.xml")
    assert connection.getresponse().status == 403
    connection.close()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/pluginManager/installNecessaryPlugins", 405),
        ("GET", "/pluginManager/installed", 200),
        ("GET", "/pluginManager/", 200),
        ("GET", "/updateCenter/site/default/api/json", 200),
        ("GET", "/updateCenter/connectionStatus", 200),
        ("GET", "/updateCenter/safeRestart", 405),
        ("POST", "/updateCenter/site/default/plugin/git/installNow", 302),
        ("GET", "/configure", 200),
        ("GET", "/manage/configureTools/", 200),
        ("GET", "/systemInfo", 200),
        ("GET", "/threadDump", 200),
        ("GET", "/log/all", 200),
        ("GET", "/cli/", 200),
        ("GET", "/computer/", 200),
        ("GET", "/user/reader/", 200),
    ],
)
def test_administration_pages_require_permission(ci: Ci, method: str, path: str, status: int) -> None:
    assert ci.request(method, path).status_code == status


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/manage/pluginManager/api/json", 200),
        ("GET", "/manage/computer/api/json", 200),
        ("POST", "/manage/quietDown", 302),
        ("GET", "/manage/configureSecurity/", 200),
        ("POST", "/manage/configureSecurity/configure", 501),
        ("GET", "/manage/nonsense", 404),
        ("POST", "/manage/nonsense", 404),
    ],
)
def test_paths_of_the_server_are_served_below_the_administration(ci: Ci, method: str, path: str, status: int) -> None:
    assert ci.request(method, path).status_code == status


@pytest.mark.parametrize("path", ["/manage/", "/configure"])
def test_error_does_not_name_permission_of_manage_page(ci: Ci, path: str) -> None:
    refused = ci.get(path, "reader")
    assert (refused.status_code, has_header(refused, "X-Required-Permission")) == (403, False)
