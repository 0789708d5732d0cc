# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many prompts, each asked once, within the limits of their models and the bounds that the user sets."""

from __future__ import annotations

import collections
import dataclasses
import json
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils import _rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import NotTried, Outlook, worked_through
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ToolchainError,
    UnexpectedAnswer,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import chat, refusals, schema
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.answers_file import OUTCOMES, AnswersFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.buckets import (
    LIMITS,
    PERIODS,
    Limits,
    Pace,
    Paced,
    cost,
    guessed_tokens,
    longest_answer,
    moment,
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
# Shorter waits are part of the pace of a batch, and not worth a word while they last
_LONG_WAIT = 5.0
_WAIT_TO_WARN_OF = 60.0
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
        self._start = time.monotonic()
        self._asked_count = 0
        self._needed: set[str] = set()
        self._limit_period = PERIODS.get(task.params["limit_period"])
        self._lost_count = 0
        self._lost = Usage()
        self._stop = threading.Event()
        self._refused_models: dict[str, str] = {}
        self._bound: str | None = None
        self._refusal: str | None = None
        self._outcomes = collections.Counter(dict.fromkeys(OUTCOMES, 0))
        self._answers = AnswersFile(task, task.params["to_file"], "to_file")
        self.plan = self._plan()

    def carry_out(self) -> Params:
        """Ask what has not been answered yet.

        :raises ToolchainError: when prompts failed or were left, unless the task goes on with that
        """
        task = self._task
        self._start = time.monotonic()
        with self._answers.growing():
            try:
                work = worked_through(
                    task,
                    self,
                    self._ask,
                    self._tell,
                    self._prompts.place,
                    rest=self._skip,
                    stop=self._stop,
                    outlook=self._outlook,
                )
                task.result["failure_reasons"] = work.failure_reasons()
            finally:
                task.result.update(self.summary())
                self._warn()
        work.check(is_stopped=bool(self._refused_models))
        if self._bound and task.params["on_error"] == "fail":
            left, bound = task.result["left"], task.result["stopped"]
            raise ToolchainError(f"{left:,} of {len(self):,} prompts were not asked: {bound}.")
        return {}

    def summary(self) -> Params:
        """What became of the prompts, and what this run used up."""
        used, left = self._used, len(self) - sum(self._outcomes.values())
        reason = self._refusal or (self._bound and f"they may go beyond '{self._bound}'")
        return {
            "summary": dict(self._outcomes),
            "kept": self._kept,
            "left": left,
            "usage": {name: getattr(used, name) for name in _USAGE},
            "cost": round(used.cost, 6) if self._prices else None,
            "stopped": reason if left else None,
            "lost": self._lost_count,
            "waits": self._waits(),
        }

    def __len__(self) -> int:
        return self._total

    def __iter__(self) -> t.Iterator[Params]:
        """The prompts by number."""
        for number, prompt in zip(range(self._total), self._prompts):
            if not self._answers.outcome(number):
                asked = self._question(prompt)
                if not self._answers.is_assigned(number, asked.name):
                    raise self._prompts.changed()
                self._asked[number] = asked
            yield {"number": number, "id": prompt["id"]}

    def _plan(self) -> Params | None:
        """What there is to ask, with at least what it costs; the first pass over the prompts, which checks them all."""
        least = Usage()
        self._total = self._kept = cached = 0
        for prompt in self._prompts:
            self._total += 1
            asked = self._question(prompt)
            if outcome := self._answers.assign(asked.name, prompt["id"]):
                self._kept += 1
                self._outcomes[outcome] += 1
                continue
            if not self._is_needed(asked):
                cached += 1
                continue
            self._add(least, asked, prompt_tokens(asked.body), 0)
            self._add_need(asked, 1)
        if self._kept == self._total and not self._answers.is_disordered:
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
        """Reserve what a prompt with the longest answer may use, or return the bound that has no room for it."""
        params = self._task.params
        with self._lock:
            self._reserved.pop(number, None)
            mine = Usage()
            self._add_longest(mine, asked)
            parts = [self._used, self._lost, *self._reserved.values(), mine]
            tokens = sum(part.total_tokens for part in parts)
            money = sum(part.cost for part in parts)
            for option, amount in (("max_tokens_total", tokens), ("max_cost", money)):
                if params[option] is not None and amount > params[option]:
                    return option
            self._reserved[number] = mine
            return None

    def _release(self, number: int) -> None:
        with self._lock:
            self._reserved.pop(number, None)

    def _skip(self, task: Task) -> None:
        """Leave a prompt, when no more are begun."""
        if self._asked.pop(task.params["number"], None):
            raise NotTried
        task.result["outcome"] = "kept"

    def _ask(self, task: Task) -> None:
        asked = self._asked.pop(task.params["number"], None)
        if asked is None:
            task.result["outcome"] = "kept"
            return
        task.result.update(outcome="failed", request=asked.name, attempts=0)
        asked = dataclasses.replace(asked, http=InferenceService(task).http(API_KEY))
        try:
            shortfall = self._answered(task, asked)
        except ToolchainError as error:
            self._note_refusal(error, asked.body["model"])
            raise
        finally:
            self._release(task.params["number"])
            self._note_asked(asked)
        task.changed = True
        if shortfall and not task.params["accept_incomplete"]:
            raise ToolchainError(shortfall)

    def _check_worth(self, asked: chat.Question) -> None:
        """
        :raises NotTried: when it is known that it would be refused
        """
        if reason := self._refused_models.get(asked.body["model"]):
            raise NotTried(f"not tried, since this holds for all prompts of the model: {reason}")
        if self._bound:
            raise NotTried(f"not tried, since it may go beyond '{self._bound}'")

    def _note_refusal(self, error: ToolchainError, model: str) -> None:
        scope = refusals.scope(error, model)
        error.holds_for_all = scope == refusals.ALL
        if scope == refusals.MODEL:
            self._refused_models.setdefault(model, str(error))
        if scope:
            self._refusal = self._refusal or str(error)

    def _answered(self, task: Task, asked: chat.Question) -> str | None:
        """Ask until the answer has the right form, and say why it is no whole one, if it is none."""
        if self._has_kept(task, asked):
            return None
        with chat.once(task, asked, self._stop):
            if self._has_kept(task, asked):
                return None
            self._check_worth(asked)
            if bound := self._reserve(task.params["number"], asked):
                self._bound = self._bound or bound
                self._check_worth(asked)
            shortfall = self._attempt(task, asked)
            while self._may_repeat(task, asked):
                try:
                    shortfall = self._attempt(task, asked)
                except NotTried:  # what was paid for stays
                    break
            chat.keep(task, asked, task.result["completion"])
            return shortfall

    @staticmethod
    def _has_kept(task: Task, asked: chat.Question) -> bool:
        """Take the answer from the cache, and return whether it is there."""
        kept = chat.find_kept(task, asked)
        if kept:
            task.result.update(outcome="answered", completion=kept)
        return kept is not None

    def _may_repeat(self, task: Task, asked: chat.Question) -> bool:
        """Return whether a prompt whose answer has the wrong form is asked again."""
        is_wrong = task.result["outcome"] == "mismatched" and task.result["attempts"] < task.params["attempts"]
        return is_wrong and not self._stop.is_set() and not self._reserve(task.params["number"], asked)

    def _attempt(self, task: Task, asked: chat.Question) -> str | None:
        """Ask once, and say why the answer is no whole one, if it is none."""
        answer = self._paced(task, asked)
        try:
            completion, shortfall = chat.understood(answer, asked)
        except UnexpectedAnswer:
            self._note_lost(asked)
            raise
        with self._lock:
            self._add(self._used, asked, *_used(completion, asked))
        task.result.update(outcome=_outcome(completion), completion=completion)
        return shortfall

    def _paced(self, task: Task, asked: chat.Question) -> t.Any:
        model = asked.body["model"]
        with self._lock:
            pace = self._paces.setdefault(model, Pace(self._limits_of(model), self._limit_period, self._stop))
        tokens = self._cost(asked)
        pace.wait(tokens)
        answer = None
        try:
            self._check_worth(asked)
            task.result["attempts"] += 1
            policy = Paced(
                **vars(chat.POLICY),
                pace=pace,
                tokens=tokens,
                note_lost=lambda: self._note_lost(asked),
                may_repeat=lambda: self._reserve(task.params["number"], asked) is None,
            )
            answer = chat.send(asked, policy)
        finally:
            pace.hear(answer)
        return answer

    def _note_lost(self, asked: chat.Question) -> None:
        """Count a request without a usable answer, which may have been paid for."""
        with self._lock:
            self._lost_count += 1
            self._add_longest(self._lost, asked)

    def _add_need(self, asked: chat.Question, number: int) -> None:
        with self._lock:
            need = self._needs[asked.body["model"]]
            need[0] += number
            need[1] += number * self._cost(asked)

    def _is_needed(self, asked: chat.Question) -> bool:
        """Return whether a prompt needs a request: neither the cache nor an equal prompt has its answer."""
        if self._task.params["cache"] is None:
            return True
        is_needed = asked.name not in self._needed and not chat.find_kept(self._task, asked)
        if is_needed:
            self._needed.add(asked.name)
        return is_needed

    def _note_asked(self, asked: chat.Question) -> None:
        """Account for a prompt that is done."""
        with self._lock:
            was_needed = self._task.params["cache"] is None or asked.name in self._needed
            self._needed.discard(asked.name)
        if was_needed:
            self._asked_count += 1
            self._add_need(asked, -1)

    def _outlook(self) -> Outlook:
        """Return how long the remaining prompts take: at the rate so far, but not less than the limits require."""
        with self._lock:
            needs = {model: tuple(need) for model, need in self._needs.items()}
            paces = dict(self._paces)
        seconds = [
            paces[model].seconds_for(*need) if model in paces else seconds_needed(self._limits_of(model), *need)
            for model, need in needs.items()
        ]
        if self._asked_count:
            requests = sum(requests for requests, _tokens in needs.values())
            seconds.append((time.monotonic() - self._start) / self._asked_count * requests)
        waits = [(wait, model) for model, pace in paces.items() if (wait := pace.waiting)]
        left = max(seconds, default=0.0) if self._asked_count or any(seconds) else None
        wait, model = max(waits, key=lambda wait: wait[0].seconds, default=(None, ""))
        if wait is None or wait.seconds < _LONG_WAIT:
            return Outlook(left)
        limit = f"the limit of {model}: {wait.limit}"
        return Outlook(left, f"waiting until {moment(wait.seconds)} for {limit}", limit)

    def _waits(self) -> list[Params]:
        """Return how long this run waited, by model and limit."""
        return [
            {"model": model, "limit": limit, "seconds": round(seconds, 1), "until": until}
            for model, pace in list(self._paces.items())
            for limit, (seconds, until) in list(pace.waited.items())
        ]

    def _warn(self) -> None:
        for wait in self._waits():
            if wait["seconds"] >= _WAIT_TO_WARN_OF:
                self._task.warn(
                    f"Waited {wait['seconds']:,.0f} s for the limit of {wait['model']}: {wait['limit']}. The last wait "
                    f"ended at {wait['until']}."
                )
        if self._lost_count:
            self._task.warn(
                f"{self._lost_count:,} request(s) had no usable response. The server may have charged for them, which "
                "'usage' and 'cost' do not include."
            )

    def _tell(self, outcome: Params) -> None:
        """Write down what became of a prompt."""
        number = outcome["item"]["number"]
        if outcome["status"] == "skipped" or "request" not in outcome:  # not asked, or kept
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
        return cost(asked.body)

    def _limits_of(self, model: str) -> Limits:
        tuned_from = ":".join(model.split(":")[:2])  # ft:gpt-4o of ft:gpt-4o:acme::abc
        return next((self._limits[name] for name in (model, tuned_from, "*") if name in self._limits), {})

    def _add_longest(self, usage: Usage, asked: chat.Question) -> None:
        """Add what a request with the longest answer uses."""
        self._add(usage, asked, prompt_tokens(asked.body), longest_answer(asked.body) * _answers(asked))

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
            raise self.changed()
        with open(_rehearsal.current(self._path), "rb") as file:
            blank = None
            for number, line in enumerate(file):
                place = self.place(number)
                if not line.strip():
                    blank = blank or place
                    continue
                if blank:
                    raise BadOption(blank, "is empty, which only the last lines may be")
                yield self._whole(place, self._of_line(place, line))

    def changed(self) -> ToolchainError:
        """Return the error for prompts that are others than before."""
        return ToolchainError(f"'{self._path}' changed while it was being read. Try again.")

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
        own.setdefault("id", own.get("custom_id"))
        own.update(_of_body(place, own.get("body") or {}))
        for_all = self._params
        whole = {**for_all, "place": place, **{name: own.get(name, for_all.get(name)) for name in self._spec.options}}
        if not whole["model"]:
            raise BadOption(place, "has no 'model', and the task gives none for all")
        if "response_format" in (own.get("body") or {}):
            whole["response_schema"] = None
        wanted = own.get("response_schema")
        if wanted is not None and wanted != self._checked:
            schema.check(wanted, whole["strict"])
            self._checked = wanted
        return whole


def _of_body(place: str, body: Params) -> Params:
    """The options that the body of a line of OpenAI Batch takes the place of."""
    model = body.get("model")
    if model is None:
        return {}
    if not isinstance(model, str) or not model:
        raise BadOption(f"{place}.body.model", "takes the id of a model")
    return {"model": model}


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
