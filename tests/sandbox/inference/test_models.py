# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: models."""

from __future__ import annotations

from typing import Any

from support.wire.inference import Api, error


def test_models_are_listed_by_id(api: Api) -> None:
    answer = api.get("/v1/models")
    assert answer.status_code == 200
    assert set(answer.json()) == {"object", "data"}
    models = {model["id"]: model for model in answer.json()["data"]}
    assert {"gpt-4o", "gpt-4o-mini", "text-embedding-3-small", "o4-mini"} <= set(models)
    assert models["gpt-4o"] == {
        "id": "gpt-4o",
        "object": "model",
        "created": 1715367049,
        "owned_by": "system",
        "shutdown_date": None,
    }
    created = [model["created"] for model in answer.json()["data"]]
    assert len(set(created)) == len(created)
    assert created != sorted(created, reverse=True)
    assert answer.headers["openai-version"] == "2020-10-01"
    assert answer.headers["openai-organization"] == "sandbox"
    assert answer.headers["openai-processing-ms"].isdigit()
    assert not [name for name in answer.headers if name.startswith("x-ratelimit")]


def test_model_can_be_retrieved(api: Api) -> None:
    assert api.get("/v1/models/gpt-4o").json() in api.get("/v1/models").json()["data"]
    assert error(api.get("/v1/models/nope")) == (
        404,
        {
            "message": "The model 'nope' does not exist",
            "type": "invalid_request_error",
            "param": "model",
            "code": "model_not_found",
        },
    )


def test_only_fine_tuned_models_can_be_deleted(api: Api, sandbox: Any) -> None:
    tuned = "ft:gpt-4o-mini-2024-07-18:acme::abc123"
    sandbox.seed({"inference": {"models": [{"id": tuned, "created": 1730000000, "owned_by": "org-sandbox"}]}})
    assert api.call("DELETE", f"/v1/models/{tuned}").json() == {"id": tuned, "object": "model", "deleted": True}
    assert api.get(f"/v1/models/{tuned}").status_code == 404
    assert api.call("DELETE", "/v1/models/gpt-4o").status_code == 403
    assert api.get("/v1/models/gpt-4o").status_code == 200


def test_fine_tuning_limits_are_listed(api: Api) -> None:
    limits = {limit["id"]: limit for limit in api.get("/v1/fine_tuning/model_limits").json()["data"]}
    assert limits["gpt-4o-mini-2024-07-18"] == {
        "id": "gpt-4o-mini-2024-07-18",
        "curr_pending_jobs": 0,
        "max_pending_jobs": 5,
        "jobs_so_far_today": 0,
        "max_jobs_per_day": 24,
    }
    limits_by_model = {id: (limit["max_pending_jobs"], limit["max_jobs_per_day"]) for id, limit in limits.items()}
    assert limits_by_model == {
        "gpt-3.5-turbo-0125": (3, 48),
        "gpt-4.1-2025-04-14": (3, 8),
        "gpt-4.1-mini-2025-04-14": (6, 24),
        "gpt-4o-mini-2024-07-18": (5, 24),
        "o4-mini-2025-04-16": (2, 4),
    }
