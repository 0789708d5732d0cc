# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The summary of the callback `report`: verdict, distinct errors, changes by task."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import Summary, summarize
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_text import (
    fit,
    natural_order,
)
from support.reports import Entry, change, document, fail

LONG = "The server at {} returned 503"


def summary(*failures: Entry, **members: Any) -> Summary:
    return summarize(document(list(failures), **members))


@pytest.mark.parametrize(
    ("members", "verdict"),
    [
        ({"failures": [fail(f"a{n}", str(n % 2)) for n in range(18)]}, "18 of 200 hosts failed; 2 distinct errors"),
        ({"failures": [fail("a", "no")], "hosts": 1}, "1 of 1 host failed; 1 distinct error"),
        (
            {"failures": [fail("a", "no"), fail("b", "off", state="unreachable"), fail("a", "x", state="ignored")]},
            "2 of 200 hosts failed (1 unreachable); 2 distinct errors",
        ),
        ({"failures": [fail("a", "no", state="rescued")]}, "No changes on 200 hosts"),
        ({"changes": [change("a"), change("a"), change("b")]}, "3 changes on 2 of 200 hosts"),
        ({"changes": [change("a", check_mode=True)], "check_mode": True}, "1 change planned on 1 of 200 hosts"),
        (
            {"changes": [change("a", check_mode=True), change("b")], "check_mode": True},
            "1 change on 1 of 200 hosts, 1 change planned on 1 of 200 hosts",
        ),
        ({"check_mode": True}, "No changes needed on 200 hosts"),
        ({"hosts": 0}, "No host ran a task"),
        ({"hosts": 0, "complete": False}, "Incomplete run: no host ran a task"),
        ({"complete": False, "failures": [fail("a", "x")]}, "Incomplete run: 1 of 200 hosts failed; 1 distinct error"),
    ],
)
def test_verdict_says_what_happened(members: dict[str, Any], verdict: str) -> None:
    assert summarize(document(**{"hosts": 200, **members})).verdict == verdict


def test_errors_that_differ_in_name_or_address_of_the_host_are_one() -> None:
    failures = [fail(host, LONG.format(host)) for host in ("repo-10", "repo-2", "repo-1")]
    failures += [fail("eu", "no route to 10.0.0.1:8081"), fail("us", "no route to 10.0.0.2:8081")]
    run = summary(*failures, addresses={"eu": ["10.0.0.1:8081", "10.0.0.1"], "us": ["10.0.0.2:8081", "10.0.0.2"]})
    assert [group.hosts for group in run.failed] == [["repo-1", "repo-2", "repo-10"], ["eu", "us"]]
    assert [group.is_varied for group in run.failed] == [True, True]
    assert run.failed[0].message == LONG.format("repo-10")


@pytest.mark.parametrize(
    "messages",
    [
        {"repo-1": "disk full", "repo-2": "disk broken"},
        {"repo-1": LONG.format("repo-3"), "repo-2": LONG.format("repo-4")},  # of other hosts
        {"repo-1": "xrepo-1 is missing", "repo-2": "xrepo-2 is missing"},  # a part of another word
        {"repo-1": "repo-1-eu is down", "repo-2": "repo-2-eu is down"},
        {"5": "exit status 5", "6": "exit status 6"},
        {"a": "branch a", "b": "branch b"},
    ],
)
def test_errors_that_differ_in_substance_are_distinct(messages: dict[str, str]) -> None:
    assert len(summary(*(fail(host, message) for host, message in messages.items())).failed) == 2


def test_temporary_names_do_not_distinguish_errors_and_diffs() -> None:
    texts = [f"/root/.ansible/tmp/ansible-tmp-{n}.5-{n}/AnsiballZ_ping.py: not found" for n in (1, 22)]
    run = summary(*(fail(f"h{text[:35]}", text) for text in texts), changes=[change("a", diff=text) for text in texts])
    assert len(run.failed) == 1
    assert len(run.changes[0].group_diffs()) == 1


def test_failures_come_before_handled_ones_and_frequent_ones_first() -> None:
    handled = [fail(f"h{number}", "no", state="ignored") for number in range(9)]
    run = summary(*handled, fail("a", "rare"), fail("b", "often"), fail("c", "often"), fail("d", "no", state="rescued"))
    assert [(group.number, group.message) for group in run.failed] == [(1, "often"), (2, "rare")]
    assert [(group.number, group.state) for group in run.handled] == [(3, "ignored"), (4, "rescued")]


def test_hidden_messages_are_grouped_by_task() -> None:
    assert len(summary(fail("a", None), fail("b", None), fail("c", None, task="other")).failed) == 2


def test_equal_diffs_of_a_task_are_one_group() -> None:
    changes = [change(f"h{number}", diff="+a" if number else "+b") for number in range(180)]
    (task,) = summary(changes=[*changes, change("h1", task="other")]).changes[:-1]
    assert [(group.diff, len(group.hosts)) for group in task.group_diffs()] == [("+a", 179), ("+b", 1)]


def test_names_are_sorted_as_people_count() -> None:
    names = ["repo-10", "Repo-3", "repo-2", "repo"]
    assert sorted(names, key=natural_order) == ["repo", "repo-2", "Repo-3", "repo-10"]


def test_entries_that_do_not_fit_are_counted() -> None:
    assert fit(["aaaa", "bbbb", "cc", "d"], 7, str, lambda text: text[0]) == (["aaaa", "b", "cc"], 1)
    assert fit(["ü" * 3], 5, str) == ([], 1)
