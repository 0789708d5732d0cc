# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The token and cost budget of a batch."""

from __future__ import annotations

import dataclasses
import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import tokens

Params = dict[str, t.Any]

_LIMITS = {"max_tokens_total": "total_tokens", "max_cost": "cost"}
_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
_MILLION = 1_000_000


@dataclasses.dataclass
class Usage:
    """Numbers of tokens and their cost, which is 0 without prices."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def total_tokens(self) -> int:
        """The number of input and output tokens."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, other: Usage) -> None:
        """Add another usage to this one."""
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.cost += other.cost


class Budget:
    """The usage of a run, the reservations of requests in progress, and the limits. Thread-safe.

    Before a request is sent, the usage of its longest possible answer is reserved.

    :arg params: options `prices`, `max_tokens_total` and `max_cost`
    :ivar lost_requests: number of requests without a usable response
    :raises BadOption: if a model has several prices
    """

    def __init__(self, params: Params) -> None:
        self.lost_requests = 0
        self._limits = {option: params[option] for option in _LIMITS if params[option] is not None}
        self._prices = _prices_by_model(params["prices"] or ())
        self._used = Usage()
        self._lost = Usage()
        self._reserved: dict[int, Usage] = {}
        self._lock = threading.Lock()

    def prompt_usage(self, body: Params) -> Usage:
        """Return the usage of a prompt without its answer.

        :raises BadOption: if the model has no price
        """
        return self._usage(body, tokens.estimate_prompt(body), 0)

    def reserve(self, number: int, body: Params) -> str | None:
        """Reserve the usage of a request with the longest answer, or return the option whose limit would be exceeded.

        :arg number: index of the prompt, which replaces its previous reservation
        """
        if not self._limits:
            return None
        longest = self._longest_usage(body)
        with self._lock:
            self._reserved.pop(number, None)
            total = Usage()
            for usage in (self._used, self._lost, *self._reserved.values(), longest):
                total.add(usage)
            for option, limit in self._limits.items():
                if getattr(total, _LIMITS[option]) > limit:
                    return option
            self._reserved[number] = longest
            return None

    def release(self, number: int) -> None:
        """Remove the reservation of a prompt."""
        with self._lock:
            self._reserved.pop(number, None)

    def add_answer(self, body: Params, completion: Params) -> None:
        """Add the usage of an answer. If the server does not report it, add an estimate."""
        prompt, answer = (completion["usage"][name] for name in ("prompt_tokens", "completion_tokens"))
        if prompt is None:
            prompt = tokens.estimate_prompt(body)
        if answer is None:
            answer = tokens.estimate_texts(choice["text"] or "" for choice in (completion, *completion["alternatives"]))
        with self._lock:
            self._used.add(self._usage(body, prompt, answer))

    def add_lost(self, body: Params) -> None:
        """Count a request without a usable response, which the server may have charged."""
        with self._lock:
            self.lost_requests += 1
            self._lost.add(self._longest_usage(body))

    def price(self, usage: Usage) -> float | None:
        """Return the rounded cost for the result, `None` without prices."""
        return round(usage.cost, 6) if self._prices else None

    def summary(self) -> Params:
        """Return the usage of this run for the result."""
        return {
            "usage": {name: getattr(self._used, name) for name in _USAGE},
            "cost": self.price(self._used),
            "lost_requests": self.lost_requests,
        }

    def _longest_usage(self, body: Params) -> Usage:
        answers = body.get("n")  # may be set by `extra`, which is not validated
        count = max(1, answers) if isinstance(answers, int) else 1
        return self._usage(body, tokens.estimate_prompt(body), tokens.max_answer_tokens(body) * count)

    def _usage(self, body: Params, prompt: int, answer: int) -> Usage:
        if not self._prices:
            return Usage(prompt, answer)
        price = self._prices.get(body["model"])
        if price is None:
            raise BadOption("prices", f"has no price for the model '{body['model']}'")
        return Usage(prompt, answer, (prompt * price["input"] + answer * price["output"]) / _MILLION)


def _prices_by_model(prices: t.Iterable[Params]) -> dict[str, Params]:
    """Return the prices by model.

    :raises BadOption: if a model is listed twice
    """
    by_model: dict[str, Params] = {}
    for number, price in enumerate(prices):
        if by_model.setdefault(price["model"], price) is not price:
            raise BadOption(f"prices[{number}].model", f"'{price['model']}' is listed twice")
    return by_model
