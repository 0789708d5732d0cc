# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: script consoles with scripted answers."""

from __future__ import annotations

import time
from typing import Any

import pytest
import requests

from support.wire.ci import NO_CRUMB, Ci, has_header, oops


def seed_scripts(ci: Ci, *scripts: dict[str, Any], **others: Any) -> None:
    """Add scripted answers."""
    ci.sandbox.seed({"ci": {"scripts": list(scripts), **others}})


def run(ci: Ci, script: str, path: str = "", **options: Any) -> requests.Response:
    return ci.post(f"{path}/scriptText", data={"script": script}, **options)


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ({"value": 2}, "Result: 2\n"),
        ({"output": "42\n"}, "42\n"),
        ({"output": "x", "value": 5}, "xResult: 5\n"),
        ({}, ""),
        ({"value": ""}, "Result: \n"),
        ({"value": False}, "Result: false\n"),
        ({"value": "é✓"}, "Result: é✓\n"),
        ({"value": [1, 2, {"a": 3, "b": [None, True]}]}, "Result: [1, 2, {a=3, b=[null, true]}]\n"),
    ],
)
def test_value_follows_the_output(ci: Ci, ending: dict[str, Any], text: str) -> None:
    seed_scripts(ci, {"script": "the script", **ending})
    answer = run(ci, "the script")
    assert (answer.status_code, answer.text) == (200, text)
    assert answer.headers["Content-Type"] == "text/plain;charset=utf-8"
    assert not has_header(answer, "X-Jenkins", "Set-Cookie")


def test_error_is_returned_as_stack_trace_with_status_200(ci: Ci) -> None:
    seed_scripts(
        ci,
        {"script": "a", "output": "1\n", "error": {"type": "java.lang.RuntimeException", "message": "boom", "line": 3}},
        {"script": "b", "error": {"type": "java.lang.Error"}},
    )
    answer = run(ci, "a")
    assert answer.status_code == 200
    assert answer.text.startswith("1\njava.lang.RuntimeException: boom\n\tat Script1.run(Script1.groovy:3)\n\tat ")
    assert run(ci, "b").text.startswith("java.lang.Error\n\tat Script1.run(Script1.groovy:1)\n")


def test_script_is_501_when_no_answer_matches(ci: Ci) -> None:
    answer = run(ci, "1 + 1")
    assert answer.status_code == 200
    assert answer.text.startswith("sandbox.NoSuchScript: The sandbox has no answer for this script. Give one in")
    assert run(ci, "").content == b""


def test_latest_matching_answer_is_used(ci: Ci) -> None:
    seed_scripts(ci, {"script": "println 1\n", "value": "exact"}, {"pattern": r"println \d", "value": "pattern"})
    assert run(ci, "  println 1").text == "Result: exact\n"
    assert run(ci, "x()\nprintln 2").text == "Result: pattern\n"
    seed_scripts(ci, {"pattern": "println", "value": "later"})
    assert run(ci, "println 1").text == "Result: later\n"


def test_answer_can_require_an_earlier_script(ci: Ci) -> None:
    seed_scripts(
        ci,
        {"script": "is it so", "value": True, "after": "make it so"},
        {"script": "is it so", "value": False},
        {"script": "x = 1", "name": "make it so"},
    )
    assert run(ci, "is it so").text == "Result: false\n"
    run(ci, "x = 1")
    assert run(ci, "is it so").text == "Result: true\n"


def test_script_takes_time(ci: Ci) -> None:
    seed_scripts(ci, {"script": "sleep 300", "seconds": 0.3})
    began = time.monotonic()
    assert run(ci, "sleep 300").content == b""
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("wrong", [{"value": 1}, {"script": "a", "pattern": "b"}, {"pattern": "("}])
def test_answer_is_refused_when_it_is_invalid(ci: Ci, wrong: dict[str, Any]) -> None:
    with pytest.raises(Exception, match=r"400|seed"):
        seed_scripts(ci, wrong)


def test_nodes_have_separate_consoles(ci: Ci) -> None:
    seed_scripts(
        ci,
        {"script": "where", "node": "", "value": "controller"},
        {"script": "where", "node": "linux 1", "value": "agent"},
        agents=[{"name": "linux 1"}, {"name": "mac", "offline": True}],
    )
    for path in ("", "/computer/(built-in)", "/computer/%28built-in%29", "/computer/(master)"):
        assert run(ci, "where", path).text == "Result: controller\n"
    assert run(ci, "where", "/computer/linux%201").text == "Result: agent\n"
    for path in ("/computer/mac", "/computer/nowhere"):
        assert run(ci, "where", path).status_code == 404
    listed = ci.json("/computer", tree="totalExecutors,computer[displayName,offline]")
    assert listed["totalExecutors"] == 3
    assert [(one["displayName"], one["offline"]) for one in listed["computer"]] == [
        ("Built-In Node", False),
        ("linux 1", False),
        ("mac", True),
    ]
    assert ci.json("/computer/linux%201", tree="numExecutors")["numExecutors"] == 1
    assert ci.get("/computer/nowhere/api/json").status_code == 404


@pytest.mark.parametrize("path", ["", "/computer/(built-in)"])
def test_script_requires_permission_and_form(ci: Ci, path: str) -> None:
    seed_scripts(ci, {"script": "1", "value": 1})
    target = f"{path}/scriptText"
    refused = run(ci, "1", path, user="manager")
    assert (refused.status_code, refused.headers["X-Required-Permission"]) == (403, "hudson.model.Hudson.Administer")
    assert run(ci, "1", path, user=None).status_code == 403
    without = ci.password("admin").post(ci.url + target, data={"script": "1"})
    assert (without.status_code, NO_CRUMB in without.text) == (403, True)
    for options in ({"params": {"script": "1"}}, {"files": {"script": (None, "1")}}):
        assert ci.post(target, **options).text == "Result: 1\n"
    for nothing in ({}, {"json": {"script": "1"}}, {"data": "script=1", "headers": {"Content-Type": "text/plain"}}):
        answer = ci.post(target, **nothing)
        assert (answer.status_code, answer.content) == (200, b"")
    assert (ci.get(target).status_code, ci.get(target).content) == (200, b"")
    response = ci.get(f"{target}?script=1")
    assert (response.status_code, oops(response)) == (405, True)


def test_page_shows_the_result(ci: Ci) -> None:
    seed_scripts(ci, {"script": "1", "value": "<1>"})
    page = ci.get("/script")
    assert (page.status_code, "<h1>Script Console</h1>" in page.text, "Result" in page.text) == (200, True, False)
    assert "<h2>Result</h2><pre>Result: &lt;1&gt;\n</pre>" in ci.post("/script", data={"script": "1"}).text
    assert ci.get("/computer/(built-in)/script").status_code == 200
    assert ci.get("/script", "manager").status_code == 403


RUNNER = "// The runner of buildworks.toolchain\n"


def test_runner_of_ci_script_is_supported(ci: Ci) -> None:
    failure = {"type": "org.codehaus.groovy.control.MultipleCompilationErrorsException"}
    seed_scripts(
        ci,
        {"script": "the code", "output": "x", "value": [1]},
        {"script": "it's", "error": {"type": "java.lang.Error", "message": "boom", "line": 2}},
        {"script": "def (", "error": {**failure, "message": "startup failed:\nScript1.groovy: 1: unexpected token"}},
        agents=[{"name": "linux"}],
    )
    form = {"script": RUNNER + "...", "code": "the code", "args": "m0"}
    output = '\n@@toolchain@@{"ran": true, "value": [1], "holds": true}'
    assert ci.post("/scriptText", data=form).text == "x" + output
    literals = RUNNER + "def code = decoded(['the%20', 'code'])\ndef sent = decoded(['m0'])\n"
    assert run(ci, literals, "/computer/linux").text == "x" + output
    assert ci.post("/scriptText", data={**form, "code": "it's"}).text == (
        '\n@@toolchain@@{"ran": true, "error": {"message": "boom", "line": 2, "type": "java.lang.Error", '
        '"trace": ["TaskScript.run(TaskScript.groovy:2)"]}}'
    )
    broken = ci.post("/scriptText", data={**form, "code": "def ("}).text
    assert '"ran": false' in broken
    assert "TaskScript.groovy: 1: unexpected token" in broken
