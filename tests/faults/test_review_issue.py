# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issues by several rules, each reply lost in turn: each outcome is true, and no issue is cited twice."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from sandbox.client import Sandbox
from support import running

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
REST = ("Defer", "unowned")


def issues() -> list[dict[str, Any]]:
    found = running.run("review_issue_info", project="mobile-app", query="build:any state:New,Existing,Fixed")["issues"]
    ids = [issue["id"] for issue in found]
    return running.run("review_issue_info", project="mobile-app", ids=ids)["issues"]


def cite() -> dict[str, Any]:
    return running.run("review_issue", project="mobile-app", rules=RULES, retries=0)


@pytest.mark.parametrize("kind", ["reset_before", "reset_after", "truncate"])
def test_whichever_reply_is_lost_no_issue_is_cited_twice(
    kind: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
    assert cite()["changed"]
    requests = len(sandbox.journal("review"))
    for nth in range(1, requests + 1):
        sandbox.reset()
        sandbox.fault(service="review", kind=kind, nth=nth)
        first = cite()
        sandbox.clear_faults()
        cited = sum(len(issue["history"]) for issue in issues())
        assert bool(cited) == first["changed"] or "not known" in first["msg"], (nth, first)
        if not first.get("failed"):
            assert cited == len(issues()), (nth, first)
        again = cite()
        assert not again.get("failed"), (nth, again)
        assert not cite()["changed"], nth
        for issue in issues():
            assert (issue["status"], issue["owner"]) == WANTED.get(issue["code"], REST), nth
            assert len(issue["history"]) == 1, (nth, issue)
