# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model-inference API says: its errors in all their shapes."""

from __future__ import annotations

from typing import Any

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
    """The usual envelope."""
    return {"error": {"message": message, "type": type_, "param": param, "code": code}}
