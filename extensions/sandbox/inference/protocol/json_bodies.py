# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON request and response bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ...parsing.documents import parse_json
from .errors import invalid_parameter

PREFIX = "/inference"

BAD_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library "
    "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble "
    "figuring out how to fix this, please contact us through our help center at help.openai.com.)"
)


def public_path(request: Request) -> str:
    """Return the path of the real API, still percent-encoded."""
    path: str = request.scope["raw_path"].decode("latin-1")
    return path.removeprefix(PREFIX)


def json_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response with the indentation of the real API."""
    return Response(json.dumps(body, indent=2) + "\n", status, headers, "application/json")


def require_json(request: Request) -> None:
    """Refuse a body with another content type than JSON."""
    declared = request.headers.get("content-type", "application/json")
    if declared.partition(";")[0].strip().lower() != "application/json":
        raise invalid_parameter(
            f"Unsupported content type: '{declared}'. This API method only accepts 'application/json' requests, but "
            f"you specified the header 'Content-Type: {declared}'. Please try again with a supported content type.",
            None,
            "unsupported_content_type",
        )


def parse_object(body: bytes) -> dict[str, Any]:
    """Parse a body that must be a JSON object."""
    try:
        data = parse_json(body)
    except ValueError as error:
        raise invalid_parameter(BAD_JSON, None) from error
    if not isinstance(data, dict):
        raise invalid_parameter(BAD_JSON, None)
    return data
