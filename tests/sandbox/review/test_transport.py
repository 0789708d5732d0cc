# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the wire format."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from support.wire.review import ALL_ACTIONS, FORM, LTOKENS, Api


def test_get_returns_the_reference_page_with_all_43_actions(api: Api) -> None:
    answer = requests.get(api.url, params={"action": "projects"}, timeout=60)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert len(ALL_ACTIONS) == 43
    for action in ALL_ACTIONS:
        assert f"<h2>{action}</h2>" in answer.text


@pytest.mark.parametrize("path", ["/analysis", "/analysis/", "/analysis/review/api/", "/analysis/review"])
def test_other_paths_return_404(sandbox: Any, path: str) -> None:
    assert requests.post(sandbox.url + path, data={"action": "version"}, timeout=60).status_code == 404


def test_response_has_one_line_for_each_record(api: Api) -> None:
    assert api.post("projects").content == (
        b'{"id":"platform","name":"platform","creator":"admin","description":"Services and libraries",'
        b'"tags":["c","java"]}\n'
        b'{"id":"mobile_app","name":"mobile-app","creator":"admin","description":"The app"}\n'
    )
    assert api.post("projects").headers["Content-Type"] == "application/json;charset=UTF-8"
    nothing = api.post("users", search="nobody")
    assert (nothing.status_code, nothing.content) == (200, b"")


def test_strings_are_escaped_like_gson(api: Api) -> None:
    api.write("create_view", project="platform", name="a=b <c> & 'd' \u00fc", query="x")
    body = api.post("views", project="platform").content.decode()
    assert r'"name":"a\u003db \u003cc\u003e \u0026 \u0027d\u0027 ' + '\u00fc"' in body


def test_plus_is_decoded_as_a_blank(api: Api) -> None:
    head = f"action=create_view&user=admin&ltoken={LTOKENS['admin']}&project=platform"
    for rest in ("name=raw&query=state:New,+Existing", "name=sent&query=status:%2BAnalyze"):
        requests.post(api.url, data=f"{head}&{rest}", headers={"Content-Type": FORM}, timeout=60).raise_for_status()
    queries = {view["name"]: view["query"] for view in api.records("views", project="platform")}
    assert queries == {"*default*": "", "raw": "state:New, Existing", "sent": "status:+Analyze"}


@pytest.mark.parametrize(("content_type", "stored"), [(FORM, "gr\u00fcn"), (FORM.partition(";")[0], "gr\u00c3\u00bcn")])
def test_text_is_decoded_as_latin_1_when_the_charset_is_missing(api: Api, content_type: str, stored: str) -> None:
    body = f"action=create_view&user=admin&ltoken={LTOKENS['admin']}&project=platform&name=v&query=gr%C3%BCn"
    requests.post(api.url, data=body, headers={"Content-Type": content_type}, timeout=60).raise_for_status()
    assert api.records("views", project="platform")[1]["query"] == stored


def test_body_is_ignored_when_the_content_type_is_not_a_form(api: Api) -> None:
    answer = requests.post(api.url, json={"action": "version", "user": "admin"}, timeout=60)
    assert answer.json() == {"status": 400, "message": "Missing required parameter: user"}


def test_body_is_a_form_when_the_content_type_is_missing(api: Api) -> None:
    body = f"user=admin&ltoken={LTOKENS['admin']}&action=version"
    request = requests.Request("POST", api.url, data=body.encode()).prepare()
    assert "Content-Type" not in request.headers
    with requests.Session() as session:
        assert session.send(request, timeout=60).json() == {"majorVersion": "20", "minorVersion": "4"}


def test_order_of_fields_and_case_of_booleans_are_ignored(api: Api) -> None:
    for body in ("list_users=True&action=groups&{}", "{}&action=groups&list_users=TRUE"):
        body = body.format(f"user=admin&ltoken={LTOKENS['admin']}")
        answer = requests.post(api.url, data=body, headers={"Content-Type": FORM}, timeout=60)
        assert answer.text.split("\n") == [
            '{"name":"developers","readonly":false,"roles":[],"groups":[],"users":["alice","bob"]}',
            "",
        ]


def test_unencoded_characters_are_accepted(api: Api) -> None:
    body = f"user=admin&ltoken={LTOKENS['admin']}&action=roles&search=Project admin"
    answer = requests.post(api.url, data=body, headers={"Content-Type": FORM.partition(";")[0]}, timeout=60)
    assert [json.loads(line)["name"] for line in answer.text.splitlines()] == ["Project admin"]


def test_first_value_of_a_repeated_field_is_used(api: Api) -> None:
    body = f"action=users&user=admin&ltoken={LTOKENS['admin']}&search=alice&search=bob"
    answer = requests.post(api.url, data=body, headers={"Content-Type": FORM}, timeout=60)
    assert [json.loads(line)["name"] for line in answer.text.splitlines()] == ["alice"]


def test_fields_are_accepted_in_the_query(api: Api) -> None:
    fields = {"user": "admin", "ltoken": LTOKENS["admin"], "action": "users", "search": "alice"}
    answer = requests.post(api.url, params=fields, data={"search": "bob"}, timeout=60)
    assert [json.loads(line)["name"] for line in answer.text.splitlines()] == ["alice"]


def test_unknown_parameters_are_ignored(api: Api) -> None:
    assert api.records("projects", newname="x") == api.records("projects")
