# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules with a query refuse mistakes to which Klocwork would respond with an empty result."""

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import conversation
from support.review_server import ACCOUNT
from support.running import run

OPTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("review_gate_info", "checks[0].query", {"checks": [{"query": "code:ABV.*"}]}),
    ("review_issue", "query", {"query": "code:ABV.*", "status": "Fix"}),
    ("review_issue", "rules[0].query", {"rules": [{"query": "code:ABV.*", "status": "Fix"}]}),
    ("review_issue_info", "query", {"query": "code:ABV.*"}),
    ("review_report_info", "query", {"query": "code:ABV.*", "counts": {"all": ""}}),
    ("review_report_info", "counts.all", {"counts": {"all": "code:ABV.*"}}),
    ("review_view", "query", {"name": "buffers", "query": "code:ABV.*"}),
]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(("module", "option", "options"), OPTIONS)
def test_wildcard_is_refused_before_first_request(
    module: str, option: str, options: dict[str, Any], check_mode: bool
) -> None:
    with conversation() as server:
        result = run(module, url=server.url, project="mobile-app", check_mode=check_mode, **options, **ACCOUNT)
    assert result["msg"].startswith(f"Option '{option}': contains the wildcard '*' in 'ABV.*'")
