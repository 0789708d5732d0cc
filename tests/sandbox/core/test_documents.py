# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of documents and expressions that are nested too deeply or too long."""

from __future__ import annotations

from pathlib import Path

import pytest
import requests

from sandbox import client
from sandbox.parsing import globs
from support.wire.ci import XML, Ci, oops

LISTS = b"[" * 30_000 + b"]" * 30_000
OBJECTS = b'{"a":' * 30_000 + b"1" + b"}" * 30_000
DEEP = pytest.mark.parametrize("document", [LISTS, OBJECTS, b"[" * 201 + b"]" * 201])
EXTERNAL = '<!DOCTYPE project [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
BOMB = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))


@DEEP
@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/pluginManager/installPlugins", False),
        ("/computer/doCreateItem?name=n&type=hudson.slaves.DumbSlave", True),
        ("/job/deploy/build", True),
    ],
)
def test_jenkins_reports_malformed_json_when_it_is_nested_too_deeply(
    ci: Ci, path: str, form: bool, document: bytes
) -> None:
    answer = ci.post(path, data={"json": document} if form else document)
    assert answer.status_code == 500
    assert oops(answer)


@DEEP
@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/chat/completions", "OPENAI_API_KEY"),
        ("/organization/invites", "OPENAI_ADMIN_KEY"),
        ("/organization/projects", "OPENAI_ADMIN_KEY"),
    ],
)
def test_openai_rejects_json_when_it_is_nested_too_deeply(
    sandbox: client.Sandbox, path: str, key: str, document: bytes
) -> None:
    headers = {"Authorization": f"Bearer {sandbox.environment[key]}", "Content-Type": "application/json"}
    answer = requests.post(sandbox.environment["OPENAI_BASE_URL"] + path, document, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("We could not parse the JSON body of your request.")


@DEEP
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "seed"), ("PUT", "clock"), ("PATCH", "switches"), ("POST", "faults"), ("POST", "inference/replies")],
)
def test_control_api_rejects_json_when_it_is_nested_too_deeply(
    sandbox: client.Sandbox, method: str, path: str, document: bytes
) -> None:
    headers = {"Authorization": f"Bearer {sandbox.secret}"}
    answer = requests.request(method, f"{sandbox.url}/_sandbox/{path}", data=document, headers=headers)
    assert answer.status_code == 400
    assert "error" in answer.json()


@pytest.mark.parametrize(
    ("doctype", "text", "description"),
    [
        ("<!DOCTYPE project>", "a", "a"),
        ('<!DOCTYPE project SYSTEM "http://127.0.0.1:9/project.dtd">', "a&lt;", "a&lt;"),
        ('<!DOCTYPE project [<!ENTITY e "b &#38;amp; c">]>', "a&e;d", "ab &amp; cd"),
        (EXTERNAL, "a&e;b", "ab"),
        ('<!DOCTYPE project [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>', "a", "a"),
    ],
)
def test_doctype_is_removed_from_job_configurations(ci: Ci, doctype: str, text: str, description: str) -> None:
    document = f'<?xml version="1.1"?>{doctype}<project><description>{text}</description></project>'
    assert ci.post("/createItem?name=typed", data=document, headers=XML).status_code == 200
    assert ci.post("/job/typed/config.xml", data=document, headers=XML).status_code == 200
    config = ci.get("/job/typed/config.xml").text
    assert f"<description>{description}</description>" in config
    assert "DOCTYPE" not in config
    view = document.replace("project>", "hudson.model.ListView>")
    assert ci.post("/createView?name=typed", data=view, headers=XML).status_code == 200
    assert f"<description>{description}</description>" in ci.get("/view/typed/config.xml").text


@pytest.mark.parametrize(
    "document",
    [
        f'<!DOCTYPE project [<!ENTITY e0 "{"a" * 10}">{BOMB}]><project><description>&e9;</description></project>',
        f'<!DOCTYPE p [<!ENTITY e "{"a" * 100_000}">]><project><description>{"&e;" * 500}</description></project>',
        "<!DOCTYPE project [<!ENTITY e '&e;'>]><project><description>&e;</description></project>",
        "<!DOCTYPE project><project>&e;</project>",
        "<!DOCTYPE project><project>",
        f"<project>{'<a>' * 30_000}{'</a>' * 30_000}</project>",
        " " * 500_000 + "<project>",
    ],
)
def test_job_configuration_is_rejected_when_it_has_too_many_entities_or_elements(ci: Ci, document: str) -> None:
    for path in ("/createItem?name=typed", "/job/deploy/config.xml"):
        answer = ci.post(path, data=document, headers=XML)
        assert answer.status_code == 500
        assert oops(answer)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_plugin_list_is_rejected_when_it_has_a_doctype(ci: Ci, encoding: str) -> None:
    document = '<!DOCTYPE a><a plugin="git@9"/>'.encode(encoding)
    assert oops(ci.post("/pluginManager/installNecessaryPlugins", data=document))


@pytest.mark.parametrize(
    "query",
    ["tree=" + "a[" * 20_000 + "b" + "]" * 20_000, "depth=100000", "depth=100000&pretty="],
)
@pytest.mark.parametrize("form", ["json", "xml", "python"])
def test_remote_api_rejects_a_tree_when_it_is_nested_too_deeply(ci: Ci, query: str, form: str) -> None:
    answer = ci.get(f"/api/{form}?{query}")
    assert answer.status_code == 500
    assert oops(answer)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/json?tree=" + ",".join(["mode"] * 100_000), 200),
        ("/view/all/job/a" * 50_000, 404),
        ("/job" * 200_000, 404),
        ("/api/json?" + "_" * 900_000 + "=1", 200),
    ],
)
def test_request_is_served_when_its_target_is_very_long(ci: Ci, path: str, status: int) -> None:
    assert ci.get(path).status_code == status


def test_job_is_found_below_nested_views(ci: Ci) -> None:
    for path in ("/view/all/job/deploy", "/view/All/job/deploy", "/view/all/job/deploy/api/json"):
        assert ci.get(path.removesuffix("/api/json") + "/api/json").json()["name"] == "deploy"
    assert ci.get("/view/other/job/deploy/api/json").status_code == 404
    assert ci.get("/view/all/job").status_code == 404


@pytest.mark.parametrize(
    "query", ["x " * 901, "file:" + ",".join(["a"] * 901), "-owner:x " * 901, "status:" + "a," * 901]
)
def test_klocwork_query_is_rejected_when_it_has_too_many_values(sandbox: client.Sandbox, query: str) -> None:
    user, ltoken = Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")[2:]

    def search(text: str) -> requests.Response:
        form = {"action": "search", "user": user, "ltoken": ltoken, "project": "platform", "query": text}
        return requests.post(f"{sandbox.environment['KLOCWORK_URL']}/review/api", form)

    answer = search(query)
    assert (answer.status_code, answer.json()["message"]) == (400, "The query has more than 900 values")
    assert search("x " * 900).status_code == 200


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("", "", True),
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*", "a", True),
        ("*a*b", "xxaxxb", True),
        ("*a*b", "xxbxxa", False),
        ("a*a", "a", False),
        ("ab*bc", "abc", False),
        ("a**b", "a.b", True),
        ("a?b", "axb", False),
        ("*a" * 5000, "a" * 4999, False),
        ("*a" * 5000, "a" * 5000, True),
    ],
)
def test_glob_matches_the_whole_text(pattern: str, text: str, fits: bool) -> None:
    assert globs.matches(pattern, text) is fits
