# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JUnit XML of the callback `report`, checked by the rules of the readers of Jenkins and GitLab."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _report_junit
from support.reports import Entry, document, fail

# Elements with their attributes and children in the schema of the Jenkins xUnit plug-in; GitLab adds `file`
SCHEMA = {
    "testsuites": ({"name", "time", "tests", "failures", "errors", "skipped"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}, {"testcase"}),
    "testcase": ({"name", "classname", "time", "file"}, {"skipped", "error", "failure", "system-out"}),
    "skipped": (set(), set()),
    "error": ({"type", "message"}, set()),
    "failure": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}


def case(host: str, task: str, state: str = "ok", *failures: int) -> Entry:
    return {"host": host, "task": task, "path": "site.yml:3", "state": state, "seconds": 0.25, "failures": failures}


def render(cases: list[Entry], **members: Any) -> ET.Element:
    """Return the parsed XML, after checks by the schema."""
    root = ET.fromstring(_report_junit.render(document(**members), cases).encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = SCHEMA[element.tag]
        assert set(element.keys()) <= attributes
        assert {child.tag for child in element} <= children
        if {"tests", "time"} <= attributes:
            found = element.findall(".//testcase")
            assert element.get("tests") == str(len(found))
            seconds = sum(float(child.get("time", "")) for child in found)
            assert float(element.get("time", "")) == pytest.approx(seconds)
            for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                assert element.get(attribute) == str(len(element.findall(f".//{kind}")))
    for suite in root:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", ""))
    identities = [(found.get("classname"), found.get("name")) for found in root.iter("testcase")]
    assert len(set(identities)) == len(identities)
    return root


def test_each_host_is_a_suite_and_each_task_a_case() -> None:
    root = render([case("a", "x"), case("b.example.com", "x"), case("a", "y", "skipped"), case("a", "x")])
    assert [suite.get("name") for suite in root] == ["a", "b.example.com"]
    assert [found.get("name") for found in root[0]] == ["x", "y", "x (2)"]
    assert root[1][0].attrib == {
        "name": "x",
        "classname": "site_yml.b_example_com",
        "time": "0.250",
        "file": "site.yml",
    }
    assert root[0].get("skipped") == "1"


def test_only_unhandled_failures_fail() -> None:
    states = ("failed", "unreachable", "ignored", "rescued")
    failures = [fail("a", f"{state} message", state=state, item="i") for state in states]
    root = render([case("a", state, "failed", index) for index, state in enumerate(states)], failures=failures)
    failed, unreachable, ignored, rescued = root[0]
    assert (failed[0].tag, failed[0].text) == ("failure", "i: failed message")
    assert (unreachable[0].tag, unreachable[0].get("type")) == ("error", "unreachable")
    assert [(found[0].tag, found[0].text) for found in (ignored, rescued)] == [
        ("system-out", "ignored: i: ignored message"),
        ("system-out", "rescued: i: rescued message"),
    ]


def test_items_of_a_task_are_one_case() -> None:
    root = render([case("a", "x", "failed", 0, 1)], failures=[fail("a", "1", item="p"), fail("a", None, item="q")])
    assert root[0][0][0].text == "p: 1\nq: Hidden by no_log."


def test_interrupted_run_has_an_error() -> None:
    root = render([case("a", "x")], complete=False, under_way=[fail("a", None, task="y")])
    assert root[0][0][0].tag == "error"
    assert "a: y" in (root[0][0][0].text or "")


def test_invalid_characters_and_markup_are_harmless() -> None:
    text = "a\0b\x1b[1m\ud800\uffff]]><x>&\u2028\x85"
    root = render([case(text, text, "failed", 0)], failures=[fail(text, text, item=text)], title=text, playbook=text)
    assert "]]><x>&" in (root[0][0][0].text or "")
