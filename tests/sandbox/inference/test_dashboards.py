# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: dashboard endpoints."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.inference import ADMIN, SECRET, SESSION, Api, error

USERS = "/v1/dashboard/organizations/org-sandbox/projects/proj_sandbox/users"
PATHS = [
    "/dashboard/rate_limits",
    "/v1/dashboard/rate_limits",
    "/dashboard/billing/subscription",
    "/dashboard/user/api_keys",
    "/dashboard/feature_flags",
    USERS,
]
BROWSER = {"Origin": "https://platform.openai.com", "Referer": "https://platform.openai.com/"}


@pytest.mark.parametrize("path", PATHS)
def test_dashboard_is_refused_when_key_is_not_a_session(api: Api, path: str) -> None:
    assert api.get(path, SESSION).status_code == 200
    for key, kind in ((SECRET, "secret"), (ADMIN, "admin")):
        status, body = error(api.get(path, key))
        assert (status, body["type"]) == (403, "server_error")
        assert body["message"].startswith(f"Your request to GET {path} must be made with a session key")
        assert body["message"].endswith(f"the following key type: {kind}.")


@pytest.mark.parametrize("path", PATHS)
def test_dashboard_requires_browser_headers_when_switch_is_on(api: Api, sandbox: Any, path: str) -> None:
    sandbox.switch("inference", dashboards_want_browser=True)
    assert error(api.get(path, SESSION))[0] == 403
    assert api.get(path, SESSION, **BROWSER).status_code == 200


# As the interface has them: tokens, requests a minute, requests a day, batch tokens a day
TABLE: dict[str, tuple[float | None, ...]] = {
    "gpt-3.5-turbo": (200_000, 500, 10_000, 2_000_000),
    "gpt-3.5-turbo-0125": (200_000, 500, 10_000, 2_000_000),
    "gpt-3.5-turbo-1106": (200_000, 500, 10_000, 2_000_000),
    "gpt-3.5-turbo-16k": (200_000, 500, 10_000, 2_000_000),
    "gpt-3.5-turbo-instruct": (90_000, 3_500, None, 200_000),
    "gpt-3.5-turbo-instruct-0914": (90_000, 3_500, None, 200_000),
    "gpt-4": (10_000, 500, 10_000, 100_000),
    "gpt-4-0613": (10_000, 500, 10_000, 100_000),
    "gpt-4-turbo": (30_000, 500, None, 90_000),
    "gpt-4-turbo-2024-04-09": (30_000, 500, None, 90_000),
    "gpt-4.1": (30_000, 500, None, 900_000),
    "gpt-4.1-2025-04-14": (30_000, 500, None, 900_000),
    "gpt-4.1-long-context": (200_000, 100, None, 2_000_000),
    "gpt-4.1-mini": (200_000, 500, None, 2_000_000),
    "gpt-4.1-nano": (200_000, 500, None, 2_000_000),
    "gpt-4.1-mini-long-context": (400_000, 200, None, 4_000_000),
    "gpt-4.1-nano-long-context": (400_000, 200, None, 4_000_000),
    "gpt-4.5-preview": (125_000, 1_000, None, 50_000),
    "gpt-4o": (30_000, 500, None, 90_000),
    "gpt-4o-audio-preview": (30_000, 500, None, 90_000),
    "gpt-4o-mini": (200_000, 500, 10_000, 2_000_000),
}
COLUMNS = (
    "max_tokens_per_1_minute",
    "max_requests_per_1_minute",
    "max_requests_per_1_day",
    "batch_1_day_max_input_tokens",
)


@pytest.mark.parametrize("model", TABLE)
def test_dashboard_limits_match_the_seed(api: Api, model: str) -> None:
    limits = api.get("/dashboard/rate_limits", SESSION).json()[model]
    assert tuple(limits.get(column) for column in COLUMNS) == TABLE[model]


def test_limits_are_floats_with_sentinels(api: Api) -> None:
    text = api.get("/dashboard/rate_limits", SESSION).text
    assert '"max_requests_per_1_minute": 500.0' in text
    limits = api.get("/dashboard/rate_limits", SESSION).json()
    assert limits["*"] == {
        "max_requests_per_1_minute": 3000.0,
        "max_tokens_per_1_minute": 250000.0,
        "max_images_per_1_minute": 10.0,
    }
    assert limits["whisper-1"]["max_tokens_per_1_minute"] == 0.0
    assert limits["whisper-1"]["max_audio_megabytes_per_1_minute"] == 2147483647.0
    assert "max_requests_per_1_minute" not in limits["gpt-image-1"]
    assert any(name.startswith("ft:") for name in limits)


def test_other_dashboard_endpoints_return_their_lists(api: Api) -> None:
    subscription = api.get("/dashboard/billing/subscription", SESSION).json()
    assert (subscription["plan"]["id"], subscription["hard_limit_usd"]) == ("payg", 100.0)
    (key,) = api.get("/dashboard/user/api_keys", SESSION).json()["data"]
    assert key["sensitive_id"] == "sk-san...0003"
    assert api.get("/dashboard/feature_flags", SESSION).json() == {"data": ["sandbox"]}
    users = api.get(USERS, SESSION).json()["data"]
    assert [user["user"]["email"] for user in users] == ["olivia@sandbox.example", "Alice@sandbox.example"]
