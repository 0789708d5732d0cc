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
WANTED = {"RLK.MAIN": ("Fix", "unowned"), "NPD.FUNC.MUST": ("Fix", "bob")}
KINDS = ("reset_before", "reset_after", "truncate")
REST = ("Defer", "unowned")


def issues() -> list[dict[str, Any]]:
    found = running.run("review_issue_info", project="mobile-app", query="build:any state:New,Existing,Fixed")["issues"]
    ids = [issue["id"] for issue in found]
    return running.run("review_issue_info", project="mobile-app", ids=ids)["issues"]


def cite() -> dict[str, Any]:
    return running.run("review_issue", project="mobile-app", rules=RULES, retries=0)


def effect(request: tuple[int, str]) -> str:
    return request[1]


def test_issue_is_changed_once_when_response_is_lost(sandbox: Sandbox) -> None:
    assert cite()["changed"]
    requests = [(nth, entry["effect"]) for nth, entry in enumerate(sandbox.journal("review"), 1)]
    for (nth, _effect), kind in select_pairs(itertools.product(requests, KINDS), effect):
        sandbox.reset()
        sandbox.fault(service="review", kind=kind, nth=nth)
        first = cite()
        sandbox.clear_faults()
        cited = sum(len(issue["history"]) for issue in issues())
        assert bool(cited) == first["changed"] or "not known" in first["msg"], (kind, nth, first)
        if not first.get("failed"):
            assert cited == len(issues()), (kind, nth, first)
        again = cite()
        assert not again.get("failed"), (kind, nth, again)
        assert not cite()["changed"], (kind, nth)
        for issue in issues():
            assert (issue["status"], issue["owner"]) == WANTED.get(issue["code"], REST), (kind, nth)
            assert len(issue["history"]) == 1, (kind, nth, issue)
