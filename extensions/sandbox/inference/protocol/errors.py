# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error bodies, and the failures that switches and scripted replies select by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INVALID_REQUEST = "invalid_request_error"


def normalize_headers(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return headers with lower-case names, so that equal names replace each other."""
    return {name.lower(): str(value) for name, value in headers.items()}


class ApiError(Exception):
    """An error response."""

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
        self.headers = normalize_headers(headers or {})


class ScopeError(ApiError):
    """A 401 for a valid key without the required scope. Some servers return a string instead of the error object."""

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
    """An error of an administrative call. Some servers return it without the envelope."""

    def __init__(self, status: int, message: str, *, bare: bool) -> None:
        super().__init__(status, message)
        if bare:
            self.body = {"code": status, "message": message}


def invalid_parameter(message: str, param: str | None, code: str | None = None) -> ApiError:
    """Return the 400 error for an invalid parameter."""
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


def build_failure(spec: str | Mapping[str, Any], headers: Mapping[str, str] | None = None) -> ApiError:
    """Return the error with a name of FAILURES or with these fields.

    :arg spec: a name, or a dictionary of status, message, type, param, code and headers
    :raises ValueError: if it is neither
    """
    if isinstance(spec, str):
        if spec not in FAILURES:
            raise ValueError(f"A failure is one of {', '.join(FAILURES)}; not {spec!r}.")
        spec = FAILURES[spec]
    if not {"status", "message"} <= set(spec) <= set(_FIELDS):
        raise ValueError(f"A failure has status, message and perhaps {', '.join(_FIELDS[2:])}.")
    if not isinstance(spec["status"], int) or not isinstance(spec.get("headers", {}), dict):
        raise ValueError("The status of a failure is a number, and its headers are an object.")
    error = ApiError(**spec)
    error.headers.update(normalize_headers(headers or {}))
    return error
