# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses of the OpenAI API: errors in all formats, and pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from support.conversation import Call, call

ADMIN = "sk-admin-0123456789abcdef"
SESSION = "sess-0123456789abcdef"
KEY = "sk-proj-0123456789abcdefghijMxYA"
WRONG_KEY = (
    "Incorrect API key provided: sk-proj-****MxYA. You can find your API key at "
    "https://platform.openai.com/account/api-keys."
)
NO_KEY = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth"
MISSING_SCOPES = "You have insufficient permissions for this operation. Missing scopes: model.request."
QUOTA = "You exceeded your current quota, please check your plan and billing details."


def error(
    message: str, type_: str = "invalid_request_error", code: str | None = None, param: str | None = None
) -> dict[str, Any]:
    """Return an error object in the usual envelope."""
    return {"error": {"message": message, "type": type_, "param": param, "code": code}}


def page(path: str, *entries: dict[str, Any], more: bool = False, **query: str) -> Call:
    """Return the request for a page of an administrative list."""
    after = {"after": query.pop("after")} if "after" in query else {}
    target = f"/v1/organization{path}?{urlencode({**query, 'limit': 100, **after})}"
    body = {"object": "list", "data": list(entries), "has_more": more}
    return call("GET", target, json=body, sent_headers={"Authorization": f"Bearer {ADMIN}"})
