# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error envelope, and the failures that a switch or a scripted reply can ask for by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INVALID_REQUEST = "invalid_request_error"


def header_fields(given: Mapping[str, Any]) -> dict[str, str]:
    """Headers, named in lower case so that one replaces another of the same name."""
    return {name.lower(): str(value) for name, value in given.items()}


class ApiError(Exception):
    """A failed call."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type: str = INVALID_REQUEST,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = type
        self.body: dict[str, Any] = {"error": {"message": message, "type": type, "param": param, "code": code}}
        self.headers = header_fields(headers or {})


class ScopeError(ApiError):
    """The key is good, but not for this call. Some servers put a bare string where the error object belongs."""

    def __init__(self, scope: str, *, bare: bool) -> None:
        message = (
            f"You have insufficient permissions for this operation. Missing scopes: {scope}. Check that you have the "
            "correct role in your organization (Reader, Writer, Owner) and project (Member, Owner), and if you're "
            "using a restricted API key, that it has the necessary scopes."
        )
        super().__init__(401, message)
        if bare:
            self.body = {"error": message}


class AdminError(ApiError):
    """A refusal of an administrative call. Some servers leave out the envelope."""

    def __init__(self, status: int, message: str, *, bare: bool) -> None:
        super().__init__(status, message)
        if bare:
            self.body = {"code": status, "message": message}


def invalid(message: str, param: str | None, code: str | None = None) -> ApiError:
    """400: a parameter that the API does not take like this."""
    return ApiError(400, message, param=param, code=code)


FAILURES: Mapping[str, Mapping[str, Any]] = {
    "rate_limit_exceeded": {
        "status": 429,
        "message": "Rate limit reached on requests per min (RPM). Please try again in 1s.",
        "type": "requests",
        "code": "rate_limit_exceeded",
        "headers": {"Retry-After": "1"},
    },
    "slow_down": {
        "status": 429,
        "message": "Requests are increasing too fast. Please slow down.",
        "type": "rate_limit_error",
        "code": "slow_down",
        "headers": {"Retry-After": "1"},
    },
    "insufficient_quota": {
        "status": 429,
        "message": (
            "You exceeded your current quota, please check your plan and billing details. For more information on this "
            "error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
        ),
        "type": "insufficient_quota",
        "code": "insufficient_quota",
    },
    "spend_limit_reached": {
        "status": 429,
        "message": "You have reached your hard spend limit.",
        "type": "insufficient_quota",
        "code": "billing_hard_limit_reached",
    },
    "unsupported_country_region_territory": {
        "status": 403,
        "message": "Country, region, or territory not supported",
        "type": "request_forbidden",
        "code": "unsupported_country_region_territory",
    },
    "server_error": {
        "status": 500,
        "message": "The server had an error while processing your request. Sorry about that!",
        "type": "server_error",
    },
    "server_is_overloaded": {
        "status": 503,
        "message": "The server is currently overloaded. Please try again later.",
        "type": "service_unavailable_error",
        "code": "server_is_overloaded",
        "headers": {"Retry-After": "1"},
    },
}

_FIELDS = ("status", "message", "type", "param", "code", "headers")


def failure(asked: str | Mapping[str, Any], headers: Mapping[str, str] | None = None) -> ApiError:
    """The error of a name in FAILURES, or of `{status, message, type, param, code, headers}`; else a ValueError."""
    if isinstance(asked, str):
        if asked not in FAILURES:
            raise ValueError(f"A failure is one of {', '.join(FAILURES)}; not {asked!r}.")
        asked = FAILURES[asked]
    if not {"status", "message"} <= set(asked) <= set(_FIELDS):
        raise ValueError(f"A failure has status, message and perhaps {', '.join(_FIELDS[2:])}.")
    if not isinstance(asked["status"], int) or not isinstance(asked.get("headers", {}), dict):
        raise ValueError("The status of a failure is a number, and its headers are an object.")
    error = ApiError(**asked)
    error.headers.update(header_fields(headers or {}))
    return error
