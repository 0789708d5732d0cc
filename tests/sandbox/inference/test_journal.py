# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Journal and exports of the inference sandbox."""

from __future__ import annotations

from typing import Any

from support.wire.inference import ADMIN, SECRET, Api


def test_journal_marks_requests_that_cost_money(api: Api, sandbox: Any) -> None:
    api.get("/v1/models")
    api.chat()
    api.get("/v1/x")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("inference")]
    assert entries == [("list_models", "read", 200), ("chat", "write", 200), (None, "read", 404)]


def test_exports_contain_url_and_keys(sandbox: Any) -> None:
    environment = sandbox.environment
    assert environment["OPENAI_BASE_URL"] == f"{sandbox.url}/inference/v1"
    assert (environment["OPENAI_API_KEY"], environment["OPENAI_ADMIN_KEY"]) == (SECRET, ADMIN)
