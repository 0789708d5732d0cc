# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers of tokens, estimated from the letters of a request as servers do it."""

from __future__ import annotations

import math
import typing as t

Body = dict[str, t.Any]

_CHARACTERS_PER_TOKEN = 4


def estimate_texts(texts: t.Iterable[str]) -> int:
    """Return about how many tokens texts have."""
    return max(1, math.ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN))


def estimate_prompt(body: Body) -> int:
    """Return about how many tokens the messages of a request have."""
    return estimate_texts(text for message in body["messages"] for text in _texts(message.get("content")))


def longest_answer(body: Body) -> int:
    """Return how many tokens an answer may have at most, 0 if the request does not limit it."""
    return max(body.get("max_completion_tokens") or 0, body.get("max_tokens") or 0)


def count_for_limits(body: Body) -> int:
    """Return how many tokens a request counts for under the rate limits, before it is answered."""
    return max(longest_answer(body), estimate_prompt(body))


def _texts(content: str | list[dict[str, t.Any]] | None) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content or () if part["type"] == "text"]
