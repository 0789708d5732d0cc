# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How far a refusal of one completion reaches: to all others, to those of its model, or to none."""

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
# Codes and types of errors: the account can pay for nothing, or is closed
_OF_ACCOUNT = {
    *("insufficient_quota", "billing_hard_limit_reached", "billing_not_active"),
    *("account_deactivated", "access_terminated"),
}
# A 403 with one of these is about what the prompt says
_OF_PROMPT = ("content_policy", "content_filter", "moderation", "flagged")


def find_scope(error: ToolchainError, model: str) -> str | None:
    """Return which other completions a refusal holds for."""
    refusal = error.refusal if isinstance(error, OutcomeUnknown) else error
    if not isinstance(refusal, ServerRefusal):
        return None
    text = refusal.text
    is_spent = refusal.status == 429 and "hard spend limit" in text
    if refusal.status == 402 or is_spent or not _OF_ACCOUNT.isdisjoint(_kinds(text)):
        return ALL
    if refusal.exceeds_longest_delay or refusal.status == 404:
        return MODEL
    if refusal.status == 401 or (refusal.status == 403 and _error(text) and not _is_of_prompt(text)):
        return MODEL if "model_not_found" in text or _names(text, model) else ALL
    return None


def _names(text: str, model: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(model)}(?![\w-])", text) is not None


def _kinds(text: str) -> list[t.Any]:
    """Return the code and the type of an error."""
    error = _error(text)
    return [error[name] for name in ("code", "type") if isinstance(error.get(name), str)]


def _error(text: str) -> dict[str, t.Any]:
    """Return the error in a body of the API. Other bodies, such as the page of a firewall, have none."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error = body.get("error", body) if isinstance(body, dict) else {}
    return error if isinstance(error, dict) else {"message": error}


def _is_of_prompt(text: str) -> bool:
    return any(words in text for words in _OF_PROMPT)
