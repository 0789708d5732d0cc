# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: rate limits."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.inference.rate_limits import format_go_duration
from support.wire.inference import Api, error


def test_rate_limit_headers_are_returned(api: Api, sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    for remaining in ("499", "498"):
        headers = api.chat(max_tokens=100).headers
        assert headers["x-ratelimit-limit-requests"] == "500"
        assert headers["x-ratelimit-limit-tokens"] == "30000"
        assert headers["x-ratelimit-remaining-requests"] == remaining
    assert headers["x-ratelimit-remaining-tokens"] == "29800"
    assert headers["x-ratelimit-reset-requests"] == "240ms"
    assert headers["x-ratelimit-reset-tokens"] == "400ms"
    sandbox.clock(advance=60)
    assert api.chat().headers["x-ratelimit-remaining-requests"] == "499"


def test_request_is_429_when_limits_are_enforced(api: Api, sandbox: Any) -> None:
    slow = {"id": "slow", "created": 1, "requests_per_minute": 2, "tokens_per_minute": 100}
    sandbox.seed({"inference": {"models": [slow]}})
    sandbox.clock(frozen=True)
    assert [api.chat(model="slow", max_tokens=30).status_code for _unused in range(3)] == [200, 200, 200]
    sandbox.switch("inference", enforce_rate_limits=True)
    answer = api.chat(model="slow")
    assert error(answer)[1]["type"] == "requests"
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "30")
    assert answer.headers["x-ratelimit-remaining-requests"] == "0"
    sandbox.clock(advance=30)
    assert error(api.chat(model="slow", max_tokens=99))[1]["type"] == "tokens"
    assert error(api.chat(model="slow"))[1]["type"] == "requests"  # a refused request has counted
    sandbox.clock(advance=30)
    assert api.chat(model="slow").status_code == 200


def test_error_reports_remaining_limits(api: Api, sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    for what, limit in (("requests", "500"), ("tokens", "30000")):
        api.script({"error": {"status": 429, "message": "Rate limit reached", "type": what}})
        headers = api.chat().headers
        assert headers[f"x-ratelimit-limit-{what}"] == limit
        assert headers[f"x-ratelimit-remaining-{what}"] == "0"
        assert headers[f"x-ratelimit-reset-{what}"] == "1m0s"
    sandbox.clock(advance=6)
    assert api.chat().headers["x-ratelimit-remaining-requests"] == "49"


def test_error_has_no_retry_after_when_request_exceeds_the_limit(api: Api, sandbox: Any) -> None:
    sandbox.switch("inference", enforce_rate_limits=True)
    sandbox.seed({"inference": {"models": [{"id": "small", "created": 1, "tokens_per_minute": 100}]}})
    answer = api.chat(model="small", max_tokens=101)
    assert error(answer)[1]["message"].startswith(
        "Request too large for small in organization org-sandbox on tokens per min (TPM): Limit 100, Requested 101. "
    )
    assert error(answer)[1]["code"] == "rate_limit_exceeded"
    assert "Retry-After" not in answer.headers
    assert answer.headers["x-ratelimit-remaining-tokens"] == "100"


def test_new_limit_applies_immediately(api: Api, sandbox: Any) -> None:
    api.chat()
    sandbox.seed({"inference": {"models": [{"id": "gpt-4o", "created": 1, "requests_per_minute": 60}]}})
    headers = api.chat().headers
    assert (headers["x-ratelimit-limit-requests"], headers["x-ratelimit-remaining-requests"]) == ("60", "59")


@pytest.mark.parametrize(
    ("limit", "kind", "name"),
    [
        ({"requests_per_day": 2}, "requests", "requests per day (RPD)"),
        ({"tokens_per_day": 200}, "tokens", "tokens per day (TPD)"),
    ],
)
def test_daily_limits_are_enforced(api: Api, sandbox: Any, limit: dict[str, int], kind: str, name: str) -> None:
    sandbox.seed({"inference": {"models": [{"id": "scarce", "created": 1, **limit}]}})
    sandbox.switch("inference", enforce_rate_limits=True)
    sandbox.clock(frozen=True)
    headers = [api.chat(model="scarce", max_tokens=100).headers for _unused in range(2)][1]
    assert headers[f"x-ratelimit-limit-{kind}"] == str(next(iter(limit.values())))
    assert headers[f"x-ratelimit-remaining-{kind}"] == "0"
    assert headers[f"x-ratelimit-reset-{kind}"] == "24h0m0s"
    sandbox.clock(advance=60)
    answer = api.chat(model="scarce", max_tokens=100)
    assert (answer.status_code, error(answer)[1]["type"]) == (429, kind)
    assert f"on {name}: Limit " in error(answer)[1]["message"]
    sandbox.clock(advance=int(answer.headers["Retry-After"]))
    assert api.chat(model="scarce", max_tokens=100).status_code == 200


def test_headers_report_the_scarcest_limit(api: Api, sandbox: Any) -> None:
    sandbox.seed({"inference": {"models": [{"id": "both", "created": 1, "requests_per_day": 502}]}})
    sandbox.clock(frozen=True)
    assert api.chat(model="both").headers["x-ratelimit-limit-requests"] == "500"
    api.chat(model="both")
    sandbox.clock(advance=60)
    api.chat(model="both")
    headers = api.chat(model="both").headers
    assert (headers["x-ratelimit-limit-requests"], headers["x-ratelimit-remaining-requests"]) == ("500", "498")
    sandbox.clock(advance=60)
    assert api.chat(model="both").headers["x-ratelimit-limit-requests"] == "502"


def test_tokens_are_estimated_from_characters(api: Api, sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    headers = api.chat(messages=[{"role": "user", "content": "x" * 4001}]).headers
    assert headers["x-ratelimit-remaining-tokens"] == str(30_000 - 1_001)


def test_request_is_refused_when_limit_is_zero(api: Api, sandbox: Any) -> None:
    sandbox.seed({"inference": {"models": [{"id": "none", "created": 1, "requests_per_minute": 0}]}})
    sandbox.switch("inference", enforce_rate_limits=True)
    answer = api.chat(model="none")
    assert error(answer)[1]["message"].startswith("Request too large for none ")
    assert "Retry-After" not in answer.headers


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (0.12, "120ms"), (1, "1s"), (8.64, "8.64s"), (360, "6m0s"), (3723.5, "1h2m3.5s"), (0.0057, "6ms")],
)
def test_durations_are_formatted_like_go(seconds: float, text: str) -> None:
    assert format_go_duration(seconds) == text
