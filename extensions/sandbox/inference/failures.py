# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses of the fault presets."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from ..service import Failures
from .protocol.errors import ApiError, ScopeError, build_failure

_INVALID_KEY = "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys."


def _to_response(error: ApiError) -> Response:
    return JSONResponse(error.body, error.status, error.headers)


FAILURES: Failures = {
    "unavailable": [({}, _to_response(build_failure("server_is_overloaded")))],
    "expired_token": [({}, _to_response(ApiError(401, _INVALID_KEY, code="invalid_api_key")))],
    "read_only_account": [({"effect": "write"}, _to_response(ScopeError("api.management.write", bare=False)))],
}
