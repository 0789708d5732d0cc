# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import groovy, judge
from support.ci_server import AUTHENTICATION_REQUIRED, crumb, deny_permission, page
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
TEXT = {"Content-Type": "text/plain;charset=utf-8"}
PLAN = {"action": "run", "node": None}
COMPILE_ERROR = "org.codehaus.groovy.control.MultipleCompilationErrorsException"
NO_WORD = (
    "The outcome of the script is unknown: the server responds only after a script has finished. The script may still "
    "be running, or the server was stopped or restarted. Whether the request had its effect is not known."
)


def runner_report(output: str = "", **end: Any) -> str:
    """Return the output of the runner."""
    return f"{output}\n@@toolchain@@{json.dumps({'ran': True, **end})}"


def console(
    code: str,
    answer: str | None = None,
    *,
    args: str = "m0",
    status: int = 200,
    path: str = "/scriptText",
    **options: Any,
) -> Call:
    """Return the request for a script with its arguments."""
    form = {"script": groovy.controller_form("", {})["script"], "code": code, "args": args}
    headers = TEXT if status == 200 else {}
    return call("POST", path, status, text=answer, headers=headers, sent_form=form, **options)


def failure_report(
    message: str | None, kind: str = "java.lang.RuntimeException", line: int | None = 3, **end: Any
) -> str:
    error = {"type": kind, "message": message, "line": line, "trace": ["TaskScript.run(TaskScript.groovy:3)"]}
    return runner_report("seen\n", error=error, **end)


def task(url: str, **options: Any) -> dict[str, Any]:
    return run("ci_script", url=url, **{**TOKEN, "retries": 0, **options})


def test_script_runs_with_one_request() -> None:
    sent = console("x", runner_report("hello\n", value={"jobs": [1, None]}, holds=True), sent_without=["Jenkins-Crumb"])
    with conversation(sent) as server:
        result = task(server.url, script="x")
    assert result == {"changed": True, "plan": PLAN, "output": "hello\n", "value": {"jobs": [1, None]}}


def test_arguments_are_sent_as_data() -> None:
    special_characters = 'it\'s "$x" \\ \r\n\0 é💚 +%&='
    args = "m3 sa l5 i1 i-99999999999999999999 d1.5 btrue n s%20 m1 sk s s s" + (
        "it%27s%20%22%24x%22%20%5C%20%0D%0A%00%20%C3%A9%F0%9F%92%9A%20%2B%25%26%3D"
    )
    with conversation(console("x", runner_report(value=None, holds=False), args=args)) as server:
        result = task(
            server.url,
            script="x",
            args={"a": [1, -99999999999999999999, 1.5, True, None], " ": {"k": ""}, "": special_characters},
        )
    assert result["changed"]


def test_crumb_is_sent_with_password() -> None:
    with conversation(
        crumb("c1"), console("x", runner_report(value=1, holds=True), sent_headers={"Jenkins-Crumb": "c1"})
    ) as server:
        assert task(server.url, script="x", api_token="", password="s3cret")["value"] == 1


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        ({"changed": True}, True),
        ({"changed": False}, False),
        ({"changed": None}, True),
        ({"changed": "no"}, True),
        ({}, True),
        (False, True),
        ([False], True),
    ],
)
def test_script_reports_whether_it_changed_something(value: Any, changed: bool) -> None:
    with conversation(console("x", runner_report(value=value, holds=True))) as server:
        result = task(server.url, script="x")
    assert (result["changed"], result["value"]) == (changed, value)


def test_output_and_value_can_contain_the_report_mark() -> None:
    value = "\n@@toolchain@@{}"
    with conversation(console("x", runner_report("a" + value, value=value, holds=True))) as server:
        result = task(server.url, script="x")
    assert (result["output"], result["value"]) == ("a" + value, value)


@pytest.mark.parametrize(
    ("answer", "message", "line"),
    [
        (failure_report("boom"), "The script failed in line 3: RuntimeException: boom.", 3),
        (failure_report(None), "The script failed in line 3: RuntimeException.", 3),
        (failure_report("one\ntwo", line=None), "The script failed: RuntimeException: one.", None),
        (
            failure_report(
                "Assertion failed: \n\nassert i == 2\n       | |\n       1 false", "java.lang.AssertionError"
            ),
            "The script failed in line 3: the assertion is false: assert i == 2.",
            3,
        ),
        (
            failure_report("assert i == 2\n       |", "org.codehaus.groovy.runtime.powerassert.PowerAssertionError"),
            "The script failed in line 3: the assertion is false: assert i == 2.",
            3,
        ),
        (
            failure_report(
                "startup failed:\nTaskScript.groovy: 7: unexpected token:  @ line 7, column 6.\n   def (\n        ^\n",
                COMPILE_ERROR,
                line=None,
                ran=False,
            ),
            "The script does not compile and was not run. Error in line 7: unexpected token:  @ line 7, column 6.",
            7,
        ),
    ],
)
def test_script_error_is_reported(answer: str, message: str, line: int | None) -> None:
    with conversation(console("x", answer)) as server:
        result = task(server.url, script="x")
    assert result["failed"]
    assert result["msg"] == message
    assert result["changed"] is ("compile" not in message)
    assert (result["output"], result["error"]["line"]) == ("seen\n", line)
    assert result["error"]["trace"] == ["TaskScript.run(TaskScript.groovy:3)"]


def test_unless_script_decides() -> None:
    with conversation(console("u", runner_report("asked", value="yes", holds=True), args="m1 sa i1")) as server:
        result = task(server.url, script="x", unless="u", args={"a": 1})
    assert result == {"changed": False, "plan": None, "output": None, "value": None}
    with conversation(
        console("u", runner_report("asked", value=None, holds=False)),
        console("x", runner_report("done", value=None, holds=False)),
    ) as server:
        result = task(server.url, script="x", unless="u")
    assert result == {"changed": True, "plan": PLAN, "output": "done", "value": None}


def test_read_only_script_is_repeated_when_response_is_lost() -> None:
    lost = console("u", drop=True)
    with conversation(lost, console("u", runner_report(value=True, holds=True))) as server:
        result = task(server.url, script="x", unless="u", retries=1)
    assert not result["changed"]
    lost = console("x", drop=True)
    with conversation(lost, console("x", runner_report(value={"changed": True}, holds=True))) as server:
        result = task(server.url, script="x", read_only=True, retries=1)
    assert (result["changed"], result["value"]) == (False, {"changed": True})


def test_failed_unless_script_is_reported() -> None:
    with conversation(console("u", failure_report("boom"))) as server:
        result = task(server.url, script="x", unless="u")
    assert result["msg"] == "The 'unless' script failed in line 3: RuntimeException: boom."
    assert not result["changed"]


def test_check_mode_runs_only_read_only_scripts() -> None:
    with conversation(call("GET", "/scriptText")) as server:
        result = task(server.url, script="x", check_mode=True)
    assert result == {"changed": True, "plan": PLAN, "output": None, "value": None}
    with conversation(console("u", runner_report(value=0, holds=False))) as server:
        assert task(server.url, script="x", unless="u", check_mode=True)["changed"]
    with conversation(console("u", runner_report(value=1, holds=True))) as server:
        assert not task(server.url, script="x", unless="u", check_mode=True)["changed"]
    with conversation(console("x", runner_report("read", value=1, holds=True))) as server:
        result = task(server.url, script="x", read_only=True, check_mode=True)
    assert result == {"changed": False, "plan": PLAN, "output": "read", "value": 1}


def test_check_mode_predicts_the_refusal_when_the_account_is_no_administrator() -> None:
    refusal = page("Access Denied", "Access Denied", "reader is missing the Overall/Administer permission")
    with conversation(call("GET", "/scriptText", 403, text=refusal)) as server:
        result = task(server.url, script="x", check_mode=True)
    assert "403 reader is missing the Overall/Administer permission" in result["msg"]
    assert not result["changed"]


def test_code_and_arguments_are_encoded_for_node() -> None:
    form = groovy.node_form("it's $x", {"a": "b'"})
    assert "def code = decoded(['it%27s%20%24x'])\ndef sent = decoded(['m1%20sa%20sb%2527'])\n" in form["script"]
    answer = runner_report(value="agent", holds=True)
    with conversation(call("POST", "/computer/linux%201/scriptText", text=answer, sent_form=form)) as server:
        result = task(server.url, script="it's $x", args={"a": "b'"}, node="linux 1")
    assert (result["value"], result["plan"]["node"]) == ("agent", "linux 1")
    path = "/computer/%28built-in%29/scriptText"
    with conversation(console("x", runner_report(value=1, holds=True), path=path)) as server:
        assert task(server.url, script="x", node="(built-in)")["value"] == 1


def test_long_literals_are_split() -> None:
    script = groovy.node_form("é" * 20_000, {})["script"]
    assert max(map(len, script.split("'"))) == 60_000


def test_task_fails_when_node_does_not_exist() -> None:
    refusal = call("POST", "/computer/nowhere/scriptText", 404, text=page("Not Found - Jenkins", "Oops! Not Found"))
    with conversation(refusal) as server:
        result = task(server.url, script="x", node="nowhere")
    assert result["msg"].endswith("The node does not exist or is offline.")
    assert not result["changed"]


def test_wait_timeout_limits_the_run_time() -> None:
    with conversation(console("x", runner_report(value=1, holds=True), delay=0.3)) as server:
        assert task(server.url, script="x", timeout=0.1)["value"] == 1
    with conversation(console("x", held=True)) as server:
        result = task(server.url, script="x", wait_timeout=0.2)
    assert result["msg"] == f"POST {server.url}/scriptText: no response within 'wait_timeout'. {NO_WORD}"


def test_read_only_script_is_not_repeated_after_timeout() -> None:
    with conversation(console("x", held=True)) as server:
        result = task(server.url, script="x", read_only=True, wait_timeout=0.2, retries=3)
    assert "no response within 'wait_timeout'" in result["msg"]


def test_interruption_reports_that_script_continues() -> None:
    lines: list[str] = []
    interrupted = console("x", held=True, meanwhile=send_ctrl_c)
    with conversation(interrupted) as server, pytest.raises(KeyboardInterrupt):
        task(server.url, script="x", display_interruption=lines.append)
    assert lines == ["interrupted, but the script continues to run: the server does not stop it."]


@pytest.mark.parametrize(
    "answer",
    [console("x", drop=True), console("x", "bad gateway", status=502), console("x", page("Oops", "!"), status=500)],
)
def test_outcome_is_unknown_when_response_is_lost(answer: Call) -> None:
    with conversation(answer) as server:
        result = task(server.url, script="x", retries=3)
    assert result["failed"]
    assert result["msg"].endswith(NO_WORD)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("", "the response is empty"),
        ("half of the out", "half of the out"),
        ('x\n@@toolchain@@{"ran": tr', "@@toolchain@@"),
        ("x\n@@toolchain@@[]", "@@toolchain@@"),
        ("<html><title>Please log in</title></html>", "log in"),
        ("<html></html>", "the response is not its report"),
    ],
)
def test_outcome_is_unknown_when_report_is_missing(text: str, output: str) -> None:
    with conversation(console("x", text)) as server:
        result = task(server.url, script="x")
    assert result["failed"]
    assert "The script was sent to /scriptText, but its outcome is unknown: " in result["msg"]
    assert output in result["msg"]
    assert result["msg"].endswith("Whether the request had its effect is not known.")


def test_refusals_are_explained() -> None:
    with conversation(console("x", deny_permission("reader", "Overall/Administer"), status=403)) as server:
        result = task(server.url, script="x")
    assert "reader is missing the Overall/Administer permission" in result["msg"]
    assert not result["changed"]
    with conversation(call("GET", "/crumbIssuer/api/json", 403, text=AUTHENTICATION_REQUIRED)) as server:
        result = run("ci_script", url=server.url, script="x", retries=0)
    assert "Set 'username' and" in result["msg"]


def test_secret_arguments_are_masked() -> None:
    answer = runner_report("pw is s3cr3t-word\n", value={"pw": "s3cr3t-word", "user": "joe"}, holds=True)
    with conversation(console("x", answer, args="m2 suser sjoe spw ss3cr3t-word")) as server:
        result = task(server.url, script="x", args={"user": "joe"}, secret_args={"pw": "s3cr3t-word"})
    assert "s3cr3t-word" not in json.dumps(result)
    assert result["value"]["user"] == "joe"


def test_script_is_read_from_file(tmp_path: Path) -> None:
    file = tmp_path / "script.groovy"
    file.write_bytes("\ufeffprintln 'é'\n".encode())
    with conversation(console("println 'é'\n", runner_report("é\n", value=None, holds=False))) as server:
        assert task(server.url, src=str(file))["output"] == "é\n"


def test_invalid_options_are_rejected_before_the_first_request(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "latin").write_bytes(b"\xe9")
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "one of the following is required: script, src"),
        ({"script": "x", "src": "y"}, "parameters are mutually exclusive: script|src"),
        ({"script": ""}, "Option 'script': must not be empty"),
        ({"script": "x", "unless": ""}, "Option 'unless': must not be empty"),
        ({"src": str(tmp_path / "none")}, "it does not exist"),
        ({"src": str(tmp_path)}, "it is not a regular file"),
        ({"src": str(tmp_path / "empty")}, "Option 'src': must contain a script, but"),
        ({"src": str(tmp_path / "latin")}, "must be a text file in UTF-8"),
        ({"script": "x", "args": {"a": 1, "b": 2}, "secret_args": {"b": 3}}, "must not contain keys of 'args': b"),
        ({"script": "x", "node": "a/b"}, "Option 'node': must be a name without '/'"),
        ({"script": "x", "node": ".."}, "Option 'node'"),
        ({"script": "x", "wait_timeout": 0}, "Option 'wait_timeout': must be 0.01 to 2,592,000"),
        ({"script": "x", "args": {"a\ud800": 1}}, "Option 'args'"),
    ]
    for options, message in cases:
        with conversation() as server:
            result = task(server.url, **options)
        assert result["failed"]
        assert message in result["msg"]


READING = (
    "x",
    "true",
    "return true",
    "Jenkins.get().numExecutors == args.count",
    "jenkins.model.Jenkins.get().getItemByFullName(args.name) != null",
    "hudson.model.Hudson.instance.numExecutors == args.n",
    "return System.getProperty(args.name)",
    "Jenkins.instance\n  .getPlugin('git')?.wrapper?.version == \"5.0\"",
    "!Jenkins.instance.quietingDown && Jenkins.instance.computers.size() > 2",
    "args.names.contains(Jenkins.instance.getItem('app (x)')?.displayName) ? [1, 2] : [a: null]",
    "args['delete()']",
    "isPrinted(args.text)",
    "Jenkins.instance.getNode('a').computer.isIdle()",
)
ACTING = (
    "Jenkins.instance.doSafeRestart(null)",
    "Jenkins.instance.doSafeRestart null",
    "Jenkins.instance.doSafeRestart\\u0028null)",
    "Jenkins.instance.numExecutors = 5",
    "args.list << 1",
    "x++",
    "Jenkins.instance.items.each { it.delete() }",
    "Jenkins.instance.items*.delete()",
    "'rm -rf /'.execute()",
    "'rm -rf /'.execute().text",
    '"${Jenkins.instance.save()}"',
    "new File('/x').delete()",
    "new Object()",
    "true; Jenkins.instance.save()",
    "true\nJenkins.instance.save()",
    "true // x\nJenkins.instance.save()",
    "@Grab('a:b:1') true",
    "evaluate(args.code)",
    "evaluate args.code",
    "run()",
    "Jenkins.instance.&save",
    "args.code.call()",
    "args.code()",
    "x.get()",
    "(Jenkins.instance.save)()",
    "args['save']()",
    "User.get('new')",
    "'a' =~ /b/",
    "import hudson.model.*\ntrue",
    "def x",
    "System.setProperty('a', 'b')",
    "getItem('x').delete()",
    "",
    "(",
    "a ==",
    ")(",
)


@pytest.mark.parametrize("script", READING)
def test_script_that_surely_reads_is_run_in_check_mode(script: str) -> None:
    with conversation(console(script, runner_report(value=1, holds=True))) as server:
        assert task(server.url, script="y", unless=script, check_mode=True)["plan"] is None
    with conversation(console(script, runner_report("read", value=1, holds=True))) as server:
        assert task(server.url, script=script, read_only=True, check_mode=True)["output"] == "read"


@pytest.mark.parametrize("script", [script for script in ACTING if script])
def test_script_that_may_act_is_not_run_in_check_mode(script: str) -> None:
    with conversation(call("GET", "/scriptText")) as server:
        result = task(server.url, script="y", unless=script, check_mode=True)
    assert (result["changed"], result["plan"]) == (True, PLAN)
    assert result["warnings"][0].startswith(
        "The 'unless' script was not run in check mode, because it may change something."
    )
    with conversation(call("GET", "/scriptText")) as server:
        result = task(server.url, script=script, read_only=True, check_mode=True)
    assert (result["changed"], result["output"]) == (False, None)
    assert result["warnings"][0].startswith("The script was not run in check mode, because it may change something.")


@pytest.mark.parametrize("script", ACTING)
def test_script_that_may_act_is_no_proven_reader(script: str) -> None:
    assert not judge.is_read_only(script)


@pytest.mark.parametrize("options", [{"script": "y", "unless": "run()"}, {"script": "run()", "read_only": True}])
def test_script_that_may_act_is_not_repeated_when_the_response_is_lost(options: dict[str, Any]) -> None:
    with conversation(console("run()", drop=True)) as server:
        result = task(server.url, **options, retries=3)
    assert "The outcome of the script is unknown" in result["msg"]
