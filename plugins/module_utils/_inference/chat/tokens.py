# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Estimate numbers of tokens from the number of characters, as servers do for their rate limits."""

from __future__ import annotations

import math
import typing as t

Body = dict[str, t.Any]

_CHARACTERS_PER_TOKEN = 4


def estimate_texts(texts: t.Iterable[str]) -> int:
    """Return the estimated number of tokens of texts."""
    return max(1, math.ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN))


def estimate_prompt(body: Body) -> int:
    """Return the estimated number of tokens of the messages in a request."""
    return estimate_texts(text for message in body["messages"] for text in _extract_texts(message.get("content")))


def max_answer_tokens(body: Body) -> int:
    """Return the maximum number of tokens of an answer, 0 if the request sets none."""
    return max(body.get("max_completion_tokens") or 0, body.get("max_tokens") or 0)


def count_for_limits(body: Body) -> int:
    """Return the number of tokens that servers count against the rate limits when the request arrives."""
    return max(max_answer_tokens(body), estimate_prompt(body))


def _extract_texts(content: str | list[dict[str, t.Any]] | None) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content or () if part["type"] == "text"]
