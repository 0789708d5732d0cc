# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find out whether an error affects only one request, all requests to a model, or all requests."""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)

ALL, MODEL = "all", "model"
# Error codes and types of an account without quota, or of a closed account
_ACCOUNT_ERRORS = {
    *("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"),
    *("account_deactivated", "access_terminated"),
}
# Words in responses with status 403 that are caused by the content of a prompt
_CONTENT_ERRORS = ("content_policy", "content_filter", "moderation", "flagged")


def find_scope(error: ToolchainError, model: str) -> str | None:
    """Return `ALL`, `MODEL`, or `None` if the error affects only one request."""
    refusal = error.refusal if isinstance(error, OutcomeUnknown) else error
    if not isinstance(refusal, ServerRefusal):
        return None
    text = refusal.text
    exceeds_budget = refusal.status == 429 and "hard spend limit" in text
    if refusal.status == 402 or exceeds_budget or not _ACCOUNT_ERRORS.isdisjoint(_extract_codes(text)):
        return ALL
    if refusal.exceeds_longest_delay or refusal.status == 404:
        return MODEL
    if refusal.status == 401 or (refusal.status == 403 and _extract_error(text) and not _is_content_error(text)):
        return MODEL if "model_not_found" in text or _mentions(text, model) else ALL
    return None


def _mentions(text: str, model: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(model)}(?![\w-])", text) is not None


def _extract_codes(text: str) -> list[t.Any]:
    """Return the code and the type of an error in a response body."""
    error = _extract_error(text)
    return [error[name] for name in ("code", "type") if isinstance(error.get(name), str)]


def _extract_error(text: str) -> dict[str, t.Any]:
    """Return the error object of a response body, `{}` for other content such as a page of a firewall."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def _is_content_error(text: str) -> bool:
    return any(phrase in text for phrase in _CONTENT_ERRORS)
