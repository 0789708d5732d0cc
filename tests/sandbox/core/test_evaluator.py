# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the time limit of regular expressions and XPaths."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from sandbox import client
from sandbox.ci.remote_api import xpath
from sandbox.runtime import evaluator
from sandbox.runtime.evaluator import EvaluationError, Evaluator, is_simple
from sandbox.runtime.guard import Guard
from support.servers.process import wait_for
from support.wire.ci import CONFIG, Ci

EXPONENTIAL = "(a+)+$"
TEXT = "a" * 40 + "!"
# Each level multiplies the time by the number of elements.
SLOW_XPATH = "//*[count(//*[count(//*[count(//*[count(//*[count(//*) > 0]) > 0]) > 0]) > 0]) > 0]"


@pytest.fixture
def evaluation() -> Iterator[Evaluator]:
    guard = Guard(None)
    found = Evaluator(guard)
    yield found
    found.stop()
    guard.stop()


@pytest.fixture
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "TIMEOUT", 0.2)
    monkeypatch.setattr(evaluator, "BLOCKING_TIMEOUT", 0.2)


@pytest.mark.parametrize("pattern", ["", "^/ci/", "/api/.*/x$", "a.c", r"x\.y", "[^/]+$", r"\d+", "/storage/.*"])
def test_expression_is_evaluated_in_process_when_it_is_simple(pattern: str) -> None:
    assert is_simple(pattern, "/some/path")
    assert not is_simple(pattern, "a" * 1001)


@pytest.mark.parametrize(
    "pattern", [EXPONENTIAL, ".*a.*b", "a*", "(a|b)", "a{9}", r"(a)\1", "[a-z]*[b-y]*", "x" * 1001]
)
def test_expression_is_evaluated_in_a_child_process_when_it_is_not_simple(pattern: str) -> None:
    assert not is_simple(pattern, "a")


def test_search_returns_a_result_for_each_expression(evaluation: Evaluator) -> None:
    patterns = ["(b|c)+", "(x|y)", "^a(?=b)"]
    assert asyncio.run(evaluation.search(patterns, "abc")) == [True, False, True]
    assert evaluation.fullmatch("(?i)A(b|c)*", ["abc", "abcd"]) == [True, False]


def test_process_is_replaced_when_an_expression_takes_too_long(evaluation: Evaluator, short_timeouts: None) -> None:
    with pytest.raises(EvaluationError, match=r"^the evaluation took longer than 0\.2 seconds$"):
        asyncio.run(evaluation.search([EXPONENTIAL], TEXT))
    with pytest.raises(EvaluationError, match="longer"):
        evaluation.fullmatch(EXPONENTIAL, [TEXT])
    assert asyncio.run(evaluation.search([EXPONENTIAL], "aaa")) == [True]


def test_process_is_replaced_when_it_fails(evaluation: Evaluator) -> None:
    for _attempt in range(2):
        with pytest.raises(EvaluationError, match=r"^the evaluation failed$"):
            asyncio.run(evaluation.search(["(", "x"], "x"))
    assert asyncio.run(evaluation.search(["(x)"], "x")) == [True]


def test_process_is_replaced_when_it_was_killed_while_idle(evaluation: Evaluator) -> None:
    assert asyncio.run(evaluation.search(["(x)"], "x")) == [True]
    (process,) = evaluation._idle
    process.kill()
    process.wait()
    assert asyncio.run(evaluation.search(["(x)"], "x")) == [True]


@pytest.mark.parametrize(
    "path",
    [
        "//crumb",
        "/*/action/parameter[name='TARGET']/value",
        '/workflowRun/action/parameter[name = "a b"][1]/value/text()',
        "//job[color='red']/name",
        "//job[lastBuild/number]",
        "/*/@_class",
        ".",
    ],
)
def test_xpath_is_evaluated_in_process_when_it_takes_linear_time(path: str) -> None:
    assert xpath.is_simple(path)


@pytest.mark.parametrize(
    "path", [SLOW_XPATH, "//a//b", "//*[//*]", "//a/..", "count(//a)", "//a|//b", "//a[.//b]", "a/" * 600, "//["]
)
def test_xpath_is_evaluated_in_a_child_process_when_it_may_take_long(path: str) -> None:
    assert not xpath.is_simple(path)


def test_other_requests_are_served_while_an_xpath_is_evaluated(ci: Ci) -> None:
    for number in range(40):
        ci.create(f"job-{number}", CONFIG)
    answers: list[requests.Response] = []
    slow = threading.Thread(
        target=lambda: answers.append(ci.get("/api/xml", params={"depth": "2", "xpath": SLOW_XPATH, "wrapper": "w"}))
    )
    slow.start()
    wait_for(lambda: _is_evaluating(ci.sandbox), "the evaluation")
    assert ci.get("/api/json?tree=mode").json()["mode"] == "NORMAL"
    assert not answers
    slow.join()
    assert answers[0].status_code == 500
    assert answers[0].text == "The sandbox does not answer this XPath: the evaluation took longer than 5 seconds."
    assert ci.get("/api/xml", params={"tree": "mode", "xpath": "count(//mode)", "wrapper": "w"}).status_code == 500
    assert ci.get("/api/xml", params={"tree": "mode", "xpath": "//mode|//x"}).text == "<mode>NORMAL</mode>"


def _is_evaluating(sandbox: client.Sandbox) -> bool:
    """Return whether a child process of the sandbox uses the CPU."""
    children = Path(f"/proc/{sandbox.pid}/task").glob("*/children")
    of_sandbox = {pid for child in children for pid in child.read_text().split()}
    states = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in of_sandbox]
    return "R" in states


def test_request_fails_when_the_path_of_a_fault_takes_too_long(sandbox: client.Sandbox, ping: str) -> None:
    sandbox.fault(kind="status", status=503, path=EXPONENTIAL)
    answer = requests.get(f"{sandbox.url}/artifactory/{TEXT}")
    assert answer.status_code == 500
    message = "Cannot compare the request with the 'path' of the faults: the evaluation took longer than 5 seconds."
    assert answer.json() == {"error": message}
    assert requests.get(ping).status_code == 200
    assert requests.get(f"{sandbox.url}/artifactory/aaa").status_code == 503


def test_script_fails_when_a_pattern_takes_too_long(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"scripts": [{"pattern": EXPONENTIAL, "value": 1}, {"pattern": "(b|c)+", "value": 2}]}})
    answer = ci.post("/scriptText", data={"script": TEXT})
    assert answer.text.startswith(
        f"sandbox.UnknownMatch: Whether the pattern '{EXPONENTIAL}' of a script is found is not"
    )
    assert ci.post("/scriptText", data={"script": "bcb"}).text == "Result: 2\n"


def test_view_is_rejected_when_its_expression_takes_too_long(ci: Ci) -> None:
    ci.create(TEXT.replace("!", "-"))
    view = f"<hudson.model.ListView><includeRegex>{EXPONENTIAL}</includeRegex></hudson.model.ListView>"
    ci.post("/createView?name=slow", data=view, headers={"Content-Type": "text/xml"})
    assert ci.get("/view/slow/api/json?tree=jobs[name]").status_code == 500
    assert ci.get("/view/slow/api/json?tree=name").json()["name"] == "slow"


@pytest.mark.parametrize("pattern", ["(" * 20_000 + ")" * 20_000, "("])
def test_fault_is_rejected_when_its_path_is_not_a_regular_expression(sandbox: client.Sandbox, pattern: str) -> None:
    with pytest.raises(client.SandboxError, match="400"):
        sandbox.fault(kind="status", status=503, path=pattern)
