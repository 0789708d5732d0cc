# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: usage and costs of an organization."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.inference import ADMIN, SECRET, Api, error

USAGE = "/v1/organization/usage/completions"
COSTS = "/v1/organization/costs"
NOON = 1_767_268_800  # 2026-01-01T12:00:00Z
DAY = 86_400
MIDNIGHT = NOON - DAY // 2
OF_PROJECT = {"organization": "org-sandbox", "project": "proj_sandbox"}


@pytest.fixture(autouse=True)
def _frozen_clock(sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    sandbox.clock(set=NOON)


def fetch(api: Api, path: str, **query: Any) -> dict[str, Any]:
    answer = api.call("GET", path, ADMIN, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_chat_completion_is_recorded(api: Api) -> None:
    tokens = api.chat().json()["usage"]
    groups = ["project_id", "user_id", "api_key_id", "model"]
    (bucket,) = fetch(api, USAGE, start_time=NOON, **{"group_by[]": groups})["data"]
    assert (bucket["start_time"], bucket["end_time"]) == (MIDNIGHT, MIDNIGHT + DAY)
    assert bucket["results"] == [
        {
            "object": "organization.usage.completions.result",
            "input_tokens": tokens["prompt_tokens"],
            "input_cached_tokens": 0,
            "input_audio_tokens": 0,
            "output_tokens": tokens["completion_tokens"],
            "output_audio_tokens": 0,
            "num_model_requests": 1,
            "project_id": "proj_sandbox",
            "user_id": "user-sandbox-alice",
            "api_key_id": "key_alice",
            "model": "gpt-4o",
            "batch": None,
            "service_tier": None,
        }
    ]


def test_usage_is_grouped_filtered_and_divided_into_buckets(api: Api, sandbox: Any) -> None:
    rows = [
        {**OF_PROJECT, "model": model, "ago": ago, "input_tokens": 10, "num_model_requests": 2}
        for model in ("gpt-4o", "o3")
        for ago in (0, 3600, DAY)
    ]
    sandbox.seed({"inference": {"usage": rows}})
    buckets = fetch(api, USAGE, start_time=NOON - DAY)["data"]
    counts = [
        [(row["model"], row["input_tokens"], row["num_model_requests"]) for row in one["results"]] for one in buckets
    ]
    assert counts == [[(None, 20, 4)], [(None, 40, 8)]]
    buckets = fetch(api, USAGE, start_time=NOON - DAY, group_by=["model"], models=["o3"])["data"]
    assert [[(row["model"], row["input_tokens"]) for row in one["results"]] for one in buckets] == [
        [("o3", 10)],
        [("o3", 20)],
    ]
    hours = fetch(api, USAGE, start_time=NOON - 3600, end_time=NOON, bucket_width="1h")["data"]
    assert [len(hour["results"]) for hour in hours] == [1]
    assert not fetch(api, "/v1/organization/usage/images", start_time=NOON)["data"][0]["results"]


def test_buckets_have_pages(api: Api) -> None:
    page = fetch(api, USAGE, start_time=NOON - 9 * DAY)
    assert (len(page["data"]), page["has_more"]) == (7, True)
    following = fetch(api, USAGE, start_time=NOON - 9 * DAY, page=page["next_page"])
    assert (len(following["data"]), following["has_more"], following["next_page"]) == (3, False, None)
    assert following["data"][0]["start_time"] == page["data"][-1]["end_time"]


def test_costs_are_those_of_the_seed(api: Api, sandbox: Any) -> None:
    items = {"gpt-4o, input": 1.25, "gpt-4o, output": 2.5}
    rows = [{**OF_PROJECT, "line_item": item, "ago": DAY, "amount": amount} for item, amount in items.items()]
    sandbox.seed({"inference": {"costs": rows}})
    (yesterday, today) = fetch(api, COSTS, start_time=NOON - DAY, group_by="line_item")["data"]
    assert {row["line_item"]: row["amount"] for row in yesterday["results"]} == {
        item: {"value": amount, "currency": "usd"} for item, amount in items.items()
    }
    assert today["results"] == []


@pytest.mark.parametrize(
    ("path", "query", "param"),
    [
        (USAGE, {}, "start_time"),
        (USAGE, {"start_time": "x"}, "start_time"),
        (USAGE, {"start_time": NOON, "limit": 32}, "limit"),
        (USAGE, {"start_time": NOON, "group_by": "line_item"}, "group_by"),
        (COSTS, {"start_time": NOON, "bucket_width": "1h"}, "bucket_width"),
        ("/v1/organization/usage/else", {"start_time": NOON}, "kind"),
    ],
)
def test_invalid_request_is_refused(api: Api, path: str, query: dict[str, Any], param: str) -> None:
    status, body = error(api.call("GET", path, ADMIN, params=query))
    assert (status, body["param"]) == (400, param)


@pytest.mark.parametrize("path", [USAGE, COSTS])
def test_request_is_refused_when_key_is_not_an_admin_key(api: Api, path: str) -> None:
    status, body = error(api.call("GET", path, SECRET, params={"start_time": NOON}))
    assert status == 401
    assert "Missing scopes: api.usage.read. " in body["message"]
