# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as JUnit XML: a test suite for each host and a test case for each of its tasks.

The elements and attributes are those that the readers of Jenkins and GitLab know. Both identify a test case by class
and name, so names are unique. Jenkins splits classes at dots into packages, so host names have no dots in classes.
"""

from __future__ import annotations

import collections
import itertools
import typing as t
from xml.etree import ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._pages import replace_invalid_characters
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import FAILED, HIDDEN_MESSAGE

Case = dict[str, t.Any]
_MAX_ATTRIBUTE_LENGTH = 300


def render(document: dict[str, t.Any], cases: list[Case]) -> str:
    """Return the report as XML.

    :arg cases: the tasks of the hosts, each with `failures`, the positions of its failures in the document
    """
    root = ET.Element("testsuites", name=_clean(document["title"]))
    if not document["complete"]:
        _add_interruption(root, document)
    by_host = collections.defaultdict(list)
    for case in cases:
        by_host[case["host"]].append(case)
    for host, cases_of_host in by_host.items():
        suite = _add_suite(root, host, document)
        used: set[str] = set()
        for case in cases_of_host:
            failures = [document["failures"][index] for index in case["failures"]]
            _add_case(suite, _make_unique(_clean(case["task"]), used), case, document["playbook"], failures)
        _count(suite)
    _count(root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add_suite(root: ET.Element, name: str, document: dict[str, t.Any]) -> ET.Element:
    return ET.SubElement(root, "testsuite", name=_clean(name), timestamp=document["started"].rstrip("Z"))


def _add_interruption(root: ET.Element, document: dict[str, t.Any]) -> None:
    """Add a test case that fails because the run is not complete."""
    suite = _add_suite(root, document["playbook"], document)
    playbook = _to_class(document["playbook"])
    element = ET.SubElement(suite, "testcase", name="complete run", classname=f"{playbook}.run", time="0.000")
    error = ET.SubElement(element, "error", type="interrupted", message="The run was interrupted or aborted.")
    tasks = [f"{entry['host']}: {entry['task']}" for entry in document["under_way"]]
    error.text = _clean("\n".join(["Tasks with unknown results:", *tasks]))
    _count(suite)


def _make_unique(name: str, used: set[str]) -> str:
    """Return a name that is not used, and add it to the used ones."""
    numbered = (f"{name} ({number})" for number in itertools.count(2))
    unique = next(candidate for candidate in itertools.chain([name], numbered) if candidate not in used)
    used.add(unique)
    return unique


def _add_case(suite: ET.Element, name: str, case: Case, playbook: str, failures: list[Case]) -> None:
    class_name = f"{_to_class(playbook)}.{_to_class(case['host'])}"
    element = ET.SubElement(suite, "testcase", name=name, classname=class_name, time=f"{case['seconds']:.3f}")
    if case["path"]:
        element.set("file", _clean(case["path"].rpartition(":")[0]))
    unhandled = [failure for failure in failures if failure["state"] in FAILED]
    if unhandled:
        state, text = unhandled[0]["state"], _join_messages(unhandled)
        kind = "error" if state == "unreachable" else "failure"
        ET.SubElement(element, kind, type=state, message=text[:_MAX_ATTRIBUTE_LENGTH]).text = text
    elif case["state"] == "skipped":
        ET.SubElement(element, "skipped")
    elif failures:
        ET.SubElement(element, "system-out").text = f"{failures[0]['state']}: {_join_messages(failures)}"


def _to_class(name: str) -> str:
    return _clean(name).replace(".", "_")


def _join_messages(failures: list[Case]) -> str:
    texts = []
    for failure in failures:
        item = f"{failure['item']}: " if failure["item"] else ""
        texts.append(item + (failure["message"] or HIDDEN_MESSAGE))
    return _clean("\n".join(texts))


def _count(element: ET.Element) -> None:
    """Set the numbers of an element from its test cases."""
    cases = element.findall(".//testcase")
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(kind) is not None for case in cases)))
    element.set("tests", str(len(cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")


def _clean(text: str) -> str:
    return replace_invalid_characters(text)
