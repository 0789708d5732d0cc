# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: headers, addresses, the journal."""

from __future__ import annotations

import re

import pytest

from support.wire.ci import Ci, has_header


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("path", ["/api/json", "/api/json/"])
def test_remote_api_has_its_formats(ci: Ci, method: str, path: str) -> None:
    answer = ci.request(method, path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json;charset=utf-8"
    assert answer.headers["X-Jenkins"] == "2.579"
    assert re.fullmatch("[0-9a-f]{8}", answer.headers["X-Jenkins-Session"])
    assert answer.headers["X-Frame-Options"] == "deny"
    assert "Set-Cookie" not in answer.headers
    assert "X-Hudson" not in answer.headers


@pytest.mark.parametrize("path", ["/api/json", "/login", "/nope", "/job/app/1/consoleText", "/job/app/config.xml"])
def test_every_response_has_common_headers(ci: Ci, path: str) -> None:
    headers = ci.get(path).headers
    assert headers["Server"] == "Jetty(12.1.8)"
    assert headers["X-Content-Type-Options"] == "nosniff"
    for name in ("Vary", "Date", "Content-Security-Policy-Report-Only"):
        assert name in headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/login", 200), ("GET", "/", 200), ("GET", "/nope", 404), ("GET", "/job/app/doDelete", 405)],
)
def test_pages_have_version_and_session_headers(ci: Ci, method: str, path: str, status: int) -> None:
    answer = ci.request(method, path)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "text/html;charset=utf-8"
    assert answer.headers["X-Hudson"] == "1.395"
    assert answer.headers["X-Jenkins"] == "2.579"
    cookie = r"JSESSIONID\.[0-9a-f]{8}=[^;]+; Path=/ci; HttpOnly; SameSite=Lax"
    assert re.fullmatch(cookie, answer.headers["Set-Cookie"])


def test_ssh_endpoint_is_reported(ci: Ci) -> None:
    assert not has_header(ci.get("/login"), "X-SSH-Endpoint")
    ci.sandbox.switch("ci", ssh_endpoint="ci.example.com:2222")
    assert ci.get("/login").headers["X-SSH-Endpoint"] == "ci.example.com:2222"


def test_jsonp_is_supported(ci: Ci) -> None:
    assert ci.get("/api/json?jsonp=f").status_code == 403


def test_path_is_redirected_when_slash_is_missing(ci: Ci) -> None:
    assert ci.get("//job//app/api/json").json()["name"] == "app"
    assert ci.post("//quietDown/").headers["Location"] == "/ci//quietDown/"


def test_journal_names_the_calls(ci: Ci) -> None:
    ci.sandbox.clear_journal()
    ci.get("/api/json")
    ci.post("/api/json")
    ci.post("/quietDown")
    calls = [(entry["label"], entry["effect"]) for entry in ci.sandbox.journal("ci")]
    assert calls == [("root", "read"), ("root", "read"), ("quiet_down", "write")]


@pytest.mark.parametrize("path", ["/manage", "/me", "/pluginManager", "/user/reader", "/whoAmI", "/updateCenter"])
def test_page_is_redirected_to_its_slash(ci: Ci, path: str) -> None:
    answer = ci.get(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/ci{path}/")


@pytest.mark.parametrize(
    "path", ["/me/", "/newJob", "/view/all/newJob", "/job/app/changes", "/job/app/1/changes", "/pluginManager/advanced"]
)
def test_public_pages_are_served(ci: Ci, path: str) -> None:
    assert ci.get(path).status_code == 200
