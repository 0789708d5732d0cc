# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many prompts, each asked once, within the limits of their models and the bounds that the user sets."""

from __future__ import annotations

import collections
import dataclasses
import json
import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils import _rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Outlook, worked_through
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import chat, schema
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.answers_file import OUTCOMES, AnswersFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.buckets import (
    LIMITS,
    Limits,
    Pace,
    Paced,
    cost,
    guessed_tokens,
    prompt_tokens,
    seconds_needed,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.question import body
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.rate_limits import OPTIONS, UNLIMITED
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._local_file import check_readable, seen
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, validated

Params = dict[str, t.Any]

_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")
_MILLION = 1_000_000
# What inference_rate_limit_info tells of a model, and what it cannot
_ROW = ArgumentSpec(
    {
        **OPTIONS,
        "max_tokens_per_1_day": OPTIONS["max_tokens_per_1_minute"],
        "id": dict(type="str"),
        "kind": dict(type="str"),
        "unlimited": dict(type="list", elements="str"),
    }
)


@dataclasses.dataclass
class Usage:
    """What was used up, in tokens, and what it costs, if that is known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class Batch:
    """The prompts of a task.

    :arg spec: what a prompt may have
    :raises BadOption: when one of them, or what is to become of them, cannot work
    """

    def __init__(self, task: Task, spec: ArgumentSpec) -> None:
        self._task = task
        self._prompts = _Prompts(task.params, spec)
        self._http = InferenceService(task).http(API_KEY)
        self._prices = _by_model(task.params["prices"] or ())
        self._limits = _known_limits(task.params["limits"] or {})
        self._paces: dict[str, Pace] = {}
        self._asked: dict[int, chat.Question] = {}
        self._lock = threading.Lock()
        self._used = Usage()
        self._reserved: dict[int, Usage] = {}
        self._needs: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])  # remaining requests and tokens
        self._stopped: str | None = None
        self._outcomes = collections.Counter(dict.fromkeys(OUTCOMES, 0))
        self._answers = AnswersFile(task, task.params["to_file"], "to_file")
        self.plan = self._plan()

    def carry_out(self) -> Params:
        """Ask what has not been answered yet.

        :raises ToolchainError: when prompts failed or were left, unless the task goes on with that
        """
        task = self._task
        with self._answers.growing():
            try:
                work = worked_through(task, self, self._ask, self._tell, self._prompts.place, outlook=self._outlook)
            finally:
                task.result.update(self.summary())
        work.check()
        if self._stopped and task.params["on_error"] == "fail":
            raise ToolchainError(f"{task.result['left']:,} of {len(self):,} prompts were not asked: {self._stopped}.")
        return {}

    def summary(self) -> Params:
        """What became of the prompts, and what this run used up."""
        used = self._used
        return {
            "summary": dict(self._outcomes),
            "kept": self._kept,
            "left": len(self) - sum(self._outcomes.values()),
            "usage": {name: getattr(used, name) for name in _USAGE},
            "cost": round(used.cost, 6) if self._prices else None,
            "stopped": self._stopped,
        }

    def __len__(self) -> int:
        return self._total

    def __iter__(self) -> t.Iterator[Params]:
        """The prompts by number; ends when the bounds of the task are reached."""
        for number, prompt in enumerate(self._prompts):
            asked = self._question(prompt)
            if not self._answers.outcome(number, asked.name):
                if (bound := self._reserve(number, asked)) and not chat.find_kept(self._task, asked):
                    self._stopped = f"they may go beyond '{bound}'"
                    return
                self._asked[number] = asked
            yield {"number": number, "id": prompt["id"]}

    def _plan(self) -> Params | None:
        """What there is to ask, with at least what it costs; the first pass over the prompts, which checks them all."""
        least = Usage()
        self._total = self._kept = cached = 0
        for number, prompt in enumerate(self._prompts):
            self._total += 1
            asked = self._question(prompt)
            if outcome := self._answers.outcome(number, asked.name):
                self._kept += 1
                self._outcomes[outcome] += 1
                continue
            if chat.find_kept(self._task, asked):
                cached += 1
                continue
            self._add(least, asked, prompt_tokens(asked.body), 0)
            self._add_need(asked, 1)
        if self._kept == self._total and not self._answers.disordered:
            return None
        times = [seconds_needed(self._limits_of(model), *need) for model, need in self._needs.items()]
        return {
            "action": "complete",
            "requests": self._total - self._kept - cached,
            "kept": self._kept,
            "tokens_at_least": least.total_tokens,
            "cost_at_least": round(least.cost, 6) if self._prices else None,
            "seconds_at_least": round(max(times, default=0.0), 1),
        }

    def _question(self, prompt: Params) -> chat.Question:
        try:
            return chat.Question(self._http, body(prompt), prompt["response_schema"])
        except BadOption as error:
            raise BadOption(prompt["place"], str(error)) from None

    def _reserve(self, number: int, asked: chat.Question) -> str | None:
        """Take what a prompt with the longest answer may use, or tell the bound that leaves no room for it."""
        params = self._task.params
        longest = asked.body.get(params["max_tokens_member"], 0) * _answers(asked)
        with self._lock:
            self._reserved.pop(number, None)
            mine = Usage()
            self._add(mine, asked, prompt_tokens(asked.body), longest)
            running = list(self._reserved.values())
            tokens = self._used.total_tokens + sum(one.total_tokens for one in running) + mine.total_tokens
            money = self._used.cost + sum(one.cost for one in running) + mine.cost
            for option, amount in (("max_tokens_total", tokens), ("max_cost", money)):
                if params[option] is not None and amount > params[option]:
                    return option
            self._reserved[number] = mine
            return None

    def _release(self, number: int) -> None:
        with self._lock:
            self._reserved.pop(number, None)

    def _ask(self, task: Task) -> None:
        number = task.params["number"]
        asked = self._asked.pop(number, None)
        if asked is None:
            task.result["outcome"] = "kept"
            return
        task.result.update(outcome="failed", request=asked.name, attempts=0)
        asked = dataclasses.replace(asked, http=InferenceService(task).http(API_KEY))
        try:
            shortfall = self._answered(task, asked)
        finally:
            self._release(number)
            if task.result["attempts"]:  # an answer from the cache needs no request
                self._add_need(asked, -1)
        task.changed = True
        if shortfall and not task.params["accept_incomplete"]:
            raise ToolchainError(shortfall)

    def _answered(self, task: Task, asked: chat.Question) -> str | None:
        """Ask until the answer has the right form, and say why it is no whole one, if it is none."""
        if kept := chat.find_kept(task, asked):
            task.result.update(outcome="answered", completion=kept)
            return None
        shortfall = None
        for attempt in range(1, task.params["attempts"] + 1):
            task.result["attempts"] = attempt
            completion, shortfall = chat.understood(self._paced(asked), asked)
            with self._lock:
                self._add(self._used, asked, *_used(completion, asked))
            task.result.update(outcome=_outcome(completion), completion=completion)
            if task.result["outcome"] != "mismatched" or self._reserve(task.params["number"], asked):
                break
        chat.keep(task, asked, task.result["completion"])
        return shortfall

    def _paced(self, asked: chat.Question) -> t.Any:
        model = asked.body["model"]
        with self._lock:
            pace = self._paces.setdefault(model, Pace(self._limits_of(model)))
        tokens = self._cost(asked)
        pace.wait(tokens)
        answer = None
        try:
            answer = chat.send(asked, Paced(**vars(chat.POLICY), pace=pace, tokens=tokens))
        finally:
            pace.hear(answer)
        return answer

    def _add_need(self, asked: chat.Question, number: int) -> None:
        with self._lock:
            need = self._needs[asked.body["model"]]
            need[0] += number
            need[1] += number * self._cost(asked)

    def _outlook(self) -> Outlook:
        """Return the seconds that the rate limits require for the remaining prompts."""
        with self._lock:
            seconds = [pace.seconds_for(*self._needs[model]) for model, pace in self._paces.items()]
        return Outlook(max(seconds, default=None))

    def _tell(self, outcome: Params) -> None:
        """Write down what became of a prompt."""
        number = outcome["item"]["number"]
        if self._asked.pop(number, None):
            self._release(number)
        if "request" not in outcome:  # kept, or not asked
            return
        line = {
            "index": number,
            "id": outcome["item"].get("id"),
            "request": outcome["request"],
            "outcome": outcome["outcome"],
            "reason": outcome["reason"],
            "attempts": outcome["attempts"],
            **outcome.get("completion", {}),
        }
        self._answers.add(line)
        self._outcomes[outcome["outcome"]] += 1

    def _cost(self, asked: chat.Question) -> int:
        return cost(asked.body, self._task.params["max_tokens_member"])

    def _limits_of(self, model: str) -> Limits:
        tuned_from = ":".join(model.split(":")[:2])  # ft:gpt-4o of ft:gpt-4o:acme::abc
        return next((self._limits[name] for name in (model, tuned_from, "*") if name in self._limits), {})

    def _add(self, usage: Usage, asked: chat.Question, prompt: int, completion: int) -> None:
        usage.prompt_tokens += prompt
        usage.completion_tokens += completion
        if self._prices:
            price = self._prices.get(asked.body["model"])
            if price is None:
                raise BadOption("prices", f"has none for the model '{asked.body['model']}'")
            usage.cost += (prompt * price["input"] + completion * price["output"]) / _MILLION


class _Prompts:
    """The prompts, each with what the task gives for all; gone through twice, and never all in memory at once."""

    def __init__(self, params: Params, spec: ArgumentSpec) -> None:
        self._params = params
        self._spec = spec
        self._path = params["prompts_file"]
        if self._path is not None:
            check_readable(self._path, "prompts_file")
            self._seen = seen(self._path)
        self._checked = params["response_schema"]
        if params["response_schema"] is not None:
            schema.check(params["response_schema"], params["strict"])

    def __iter__(self) -> t.Iterator[Params]:
        if self._path is None:
            for number, prompt in enumerate(self._params["prompts"]):
                yield self._whole(self.place(number), prompt)
            return
        if seen(self._path) != self._seen:
            raise ToolchainError(f"'{self._path}' changed while it was being read. Try again.")
        with open(_rehearsal.current(self._path), "rb") as file:
            for number, line in enumerate(file):
                place = self.place(number)
                yield self._whole(place, self._of_line(place, line))

    def place(self, number: int) -> str:
        """Where the user gave a prompt."""
        return f"prompts[{number}]" if self._path is None else f"prompts_file, line {number + 1}"

    def _of_line(self, place: str, line: bytes) -> Params:
        try:
            return validated(self._spec, place, json.loads(line))
        except (ValueError, RecursionError):
            raise BadOption(place, "is no JSON object") from None

    def _whole(self, place: str, prompt: Params) -> Params:
        own = {name: value for name, value in prompt.items() if value is not None}
        for_all = self._params
        whole = {**for_all, "place": place, **{name: own.get(name, for_all.get(name)) for name in self._spec.options}}
        if not whole["model"]:
            raise BadOption(place, "has no 'model', and the task gives none for all")
        wanted = own.get("response_schema")
        if wanted is not None and wanted != self._checked:
            schema.check(wanted, whole["strict"])
            self._checked = wanted
        return whole


def _answers(asked: chat.Question) -> int:
    """How many answers a request has, which may be given as a further member only."""
    number = asked.body.get("n")
    return number if isinstance(number, int) else 1


def _used(completion: Params, asked: chat.Question) -> tuple[int, int]:
    """The tokens of the prompt and of the answer: told by the server, or else guessed, so that the bounds hold."""
    prompt, answer = (completion["usage"][name] for name in ("prompt_tokens", "completion_tokens"))
    texts = (one["text"] or "" for one in (completion, *completion["alternatives"]))
    return (
        prompt_tokens(asked.body) if prompt is None else prompt,
        guessed_tokens(texts) if answer is None else answer,
    )


def _by_model(prices: t.Iterable[Params]) -> dict[str, Params]:
    """
    :raises BadOption: when a model is given twice
    """
    known: dict[str, Params] = {}
    for number, price in enumerate(prices):
        if known.setdefault(price["model"], price) is not price:
            raise BadOption(f"prices[{number}].model", f"'{price['model']}' is there already")
    return known


def _known_limits(given: Params) -> dict[str, Limits]:
    """The limits of each model that has some."""
    rows = {model: validated(_ROW, f"limits.{model}", row) for model, row in given.items()}
    return {
        model: {name: row[name] for name in LIMITS if row[name] is not None and row[name] < UNLIMITED}
        for model, row in rows.items()
    }


def _outcome(completion: Params) -> str:
    if completion["complete"]:
        return "answered"
    if completion["refusal"]:
        return "refused"
    return "mismatched" if completion["finish_reason"] == "stop" else "cut_off"
