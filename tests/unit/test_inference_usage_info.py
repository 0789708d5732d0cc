# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules `inference_usage_info` and `inference_cost_info`: periods, pages, sums and unexpected responses."""

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.inference_server import ADMIN
from support.running import run

DAY = 86_400
MIDNIGHT = 1_767_225_600  # 2026-01-01T00:00:00Z
USAGE = "/v1/organization/usage/completions?"
COSTS = "/v1/organization/costs?"
COUNTS = {"input_tokens": 100, "output_tokens": 20, "num_model_requests": 3}


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: MIDNIGHT + DAY / 2)


def bucket(day: int, *results: dict[str, Any]) -> dict[str, Any]:
    start = MIDNIGHT + day * DAY
    return {"object": "bucket", "start_time": start, "end_time": start + DAY, "results": list(results)}


def page(target: str, *buckets: dict[str, Any], next_page: str | None = None) -> Call:
    body = {"object": "page", "data": list(buckets), "has_more": next_page is not None, "next_page": next_page}
    return call("GET", target, json=body, sent_headers={"Authorization": f"Bearer {ADMIN}"})


def query(module: str, *calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run(module, **{"url": f"{server.url}/v1", "admin_key": ADMIN, **parameters})


def test_usage_of_all_pages_is_returned_with_sums() -> None:
    selection = (
        f"start_time={MIDNIGHT - DAY}&limit=31&models%5B%5D=o3&models%5B%5D=gpt-4o&group_by%5B%5D=model&bucket_width=1d"
    )
    result = query(
        "inference_usage_info",
        page(USAGE + selection, bucket(-1, {**COUNTS, "model": "o3", "batch": None}), next_page="2"),
        page(f"{USAGE}{selection}&page=2", bucket(0, {**COUNTS, "model": "gpt-4o"}, {"input_tokens": 1})),
        newer_than=DAY,
        models=["o3", "gpt-4o"],
        group_by=["model"],
    )
    assert [(row["start_at"], row["model"], row["input_tokens"]) for row in result["usage"]] == [
        ("2025-12-31T00:00:00Z", "o3", 100),
        ("2026-01-01T00:00:00Z", "gpt-4o", 100),
        ("2026-01-01T00:00:00Z", None, 1),
    ]
    assert result["totals"] == {"input_tokens": 201, "output_tokens": 40, "num_model_requests": 6}


def test_costs_are_returned_with_sums_by_currency() -> None:
    target = f"{COSTS}start_time={MIDNIGHT - 30 * DAY}&limit=180&end_time={MIDNIGHT}&group_by%5B%5D=line_item"
    amounts: list[tuple[Any, str]] = [(0.1, "usd"), ("0.2000", "usd"), (5, "EUR")]
    results = [
        {"amount": {"value": value, "currency": currency}, "line_item": "o3, input"} for value, currency in amounts
    ]
    result = query("inference_cost_info", page(target, bucket(0, *results)), older_than=DAY / 2, group_by=["line_item"])
    assert result["totals"] == {"EUR": 5.0, "USD": pytest.approx(0.3)}
    assert result["costs"][1] == {
        "start": MIDNIGHT,
        "start_at": "2026-01-01T00:00:00Z",
        "end": MIDNIGHT + DAY,
        "end_at": "2026-01-02T00:00:00Z",
        "amount": 0.2,
        "currency": "USD",
        "line_item": "o3, input",
        "project_id": None,
        "api_key_id": None,
        "quantity": None,
        "quantity_unit": None,
    }


@pytest.mark.parametrize("value", [None, True, "free", "nan", []])
def test_task_fails_when_an_amount_is_not_a_number(value: Any) -> None:
    target = f"{COSTS}start_time={MIDNIGHT - 30 * DAY}&limit=180"
    result = query("inference_cost_info", page(target, bucket(0, {"amount": {"value": value, "currency": "usd"}})))
    assert "instead of an amount of money" in result["msg"]


def test_task_fails_when_a_page_repeats() -> None:
    target = f"{COSTS}start_time={MIDNIGHT - 30 * DAY}&limit=180"
    pages = [page(target, next_page="2"), page(f"{target}&page=2", next_page="2")]
    assert "the page '2' repeats. Run the task again." in query("inference_cost_info", *pages)["msg"]
