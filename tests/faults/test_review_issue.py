# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a response is lost while several rules change issues, the result is correct and no issue is changed twice."""

from __future__ import annotations

import itertools
from typing import Any

from sandbox.client import Sandbox
from support import running
from support.faults import select_pairs

RULES = [
    {"query": "code:RLK", "status": "Fix", "comment": "leak"},
    {"query": "severity:2", "from_owner": ["alice"], "owner": "bob"},
    {
        "query": "severity:1-4 state:New,Existing,Fixed",
        "from_status": ["Analyze"],
        "status": "Defer",
        "comment": "later",
    },
]
EXPECTED = {"RLK.MAIN": ("Fix", "unowned"), "NPD.FUNC.MUST": ("Fix", "bob")}
KINDS = ("reset_before", "reset_after", "truncate")
OTHERS = ("Defer", "unowned")


def fetch_issues() -> list[dict[str, Any]]:
    query = "build:any state:New,Existing,Fixed"
    ids = [issue["id"] for issue in running.run("review_issue_info", project="mobile-app", query=query)["issues"]]
    return running.run("review_issue_info", project="mobile-app", ids=ids)["issues"]


def change_status() -> dict[str, Any]:
    return running.run("review_issue", project="mobile-app", rules=RULES, retries=0)


def effect(request: tuple[int, str]) -> str:
    return request[1]


def test_issue_is_changed_once_when_response_is_lost(sandbox: Sandbox) -> None:
    assert change_status()["changed"]
    requests = [(nth, entry["effect"]) for nth, entry in enumerate(sandbox.journal("review"), 1)]
    for (nth, _effect), kind in select_pairs(itertools.product(requests, KINDS), effect):
        sandbox.reset()
        sandbox.fault(service="review", kind=kind, nth=nth)
        first = change_status()
        sandbox.clear_faults()
        change_count = sum(len(issue["history"]) for issue in fetch_issues())
        assert bool(change_count) == first["changed"] or "not known" in first["msg"], (kind, nth, first)
        if not first.get("failed"):
            assert change_count == len(fetch_issues()), (kind, nth, first)
        again = change_status()
        assert not again.get("failed"), (kind, nth, again)
        assert not change_status()["changed"], (kind, nth)
        for issue in fetch_issues():
            assert (issue["status"], issue["owner"]) == EXPECTED.get(issue["code"], OTHERS), (kind, nth)
            assert len(issue["history"]) == 1, (kind, nth, issue)
