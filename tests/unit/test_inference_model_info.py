# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.inference_server import KEY, error
from support.running import run

GPT_4O = {"id": "gpt-4o", "object": "model", "created": 1686935002, "owned_by": "openai", "shutdown_date": None}
MINI = {"id": "gpt-4o-mini", "object": "model", "created": 1721172741, "owned_by": "system"}
EMBEDDING = {"id": "text-embedding-3-small", "object": "model", "created": 1705948997, "owned_by": "system"}
OLD = {**MINI, "id": "davinci-002", "created": 1692634301, "shutdown_date": "2026-09-28"}


def models(*listed: dict[str, Any]) -> Call:
    return call("GET", "/v1/models", json={"object": "list", "data": list(listed)})


def list_models(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("inference_model_info", url=f"{server.url}/v1", api_key=KEY, **parameters)


def test_models_are_sorted_newest_first() -> None:
    assert list_models(models(GPT_4O, OLD, MINI)) == {
        "changed": False,
        "models": [
            {
                "id": "gpt-4o-mini",
                "created": 1721172741,
                "created_at": "2024-07-16T23:32:21Z",
                "owned_by": "system",
                "shutdown_date": None,
            },
            {
                "id": "davinci-002",
                "created": 1692634301,
                "created_at": "2023-08-21T16:11:41Z",
                "owned_by": "system",
                "shutdown_date": "2026-09-28",
            },
            {
                "id": "gpt-4o",
                "created": 1686935002,
                "created_at": "2023-06-16T17:03:22Z",
                "owned_by": "openai",
                "shutdown_date": None,
            },
        ],
    }


def test_models_of_the_same_second_are_sorted_by_id() -> None:
    twin = {**GPT_4O, "id": "gpt-4"}
    undated = {"id": "local", "object": "model"}
    listed = list_models(models(undated, GPT_4O, twin))["models"]
    assert [model["id"] for model in listed] == ["gpt-4", "gpt-4o", "local"]
    assert listed[2] == {
        "id": "local",
        "created": None,
        "created_at": None,
        "owned_by": None,
        "shutdown_date": None,
    }


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        ("gpt-4o*", ["gpt-4o-mini", "gpt-4o"]),
        ("gpt-4o", ["gpt-4o"]),
        ("gpt-4?", ["gpt-4o"]),
        ("*3-small", ["text-embedding-3-small"]),
        ("GPT*", []),
        ("", ["gpt-4o-mini", "text-embedding-3-small", "gpt-4o"]),
    ],
)
def test_pattern_filters_models(pattern: str, ids: list[str]) -> None:
    listed = list_models(models(GPT_4O, MINI, EMBEDDING), pattern=pattern)["models"]
    assert [model["id"] for model in listed] == ids


def test_check_mode_reads_models() -> None:
    assert len(list_models(models(GPT_4O), check_mode=True)["models"]) == 1


@pytest.mark.parametrize(
    ("answer", "message"), [([], "the response has an unexpected JSON structure"), ({"status": "ok"}, "without 'data'")]
)
def test_task_fails_when_the_response_has_no_list(answer: Any, message: str) -> None:
    result = list_models(call("GET", "/v1/models", json=answer))
    assert result["failed"]
    assert message in result["msg"]


def test_task_fails_when_the_response_is_a_web_page() -> None:
    result = list_models(call("GET", "/v1/models", text="<html>Welcome</html>"))
    assert "200, but the response is HTML, not JSON" in result["msg"]


def test_message_names_the_version_when_the_url_lacks_it() -> None:
    result = list_models(call("GET", "/v1/models", 404, json=error("Invalid URL (GET /models)")))
    assert "404 Invalid URL (GET /models). The model may not be visible to this key, or the version" in result["msg"]


def test_read_is_retried_when_the_server_is_overloaded(delays: list[float]) -> None:
    busy = error("The server is currently overloaded.", "service_unavailable_error", "server_is_overloaded")
    result = list_models(call("GET", "/v1/models", 503, json=busy, headers={"Retry-After": "2"}), models(GPT_4O))
    assert len(result["models"]) == 1
    assert 2.0 <= delays[0] <= 2.1
    assert "1 request(s) were retried" in result["warnings"][0]
