# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many prompts, each answered once, within the limits of their models and the bounds that the user sets."""

from __future__ import annotations

import collections
import dataclasses
import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped, run_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.answers_file import (
    OUTCOMES,
    AnswersFile,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.budget import Budget, Usage
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.completer import Completer
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.pending import PendingRequests
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.prompts import Prompts
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.stop_reasons import StopReasons
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import completions
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.request_body import build_body
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.model_limits import ModelLimits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Params = dict[str, t.Any]

_WAIT_TO_WARN_OF = 60.0


class Batch:
    """The prompts of a task, which are read twice: for the plan, and to send them.

    :arg spec: the options of a prompt
    :ivar plan: the requests to send and what they take, `None` if no prompt needs one
    :raises BadOption: when a prompt or another option cannot work
    """

    def __init__(self, task: Task, spec: ArgumentSpec) -> None:
        self._task = task
        self._prompts = Prompts(task.params, spec)
        self._http = InferenceService(task).create_client(API_KEY)
        self._stop = threading.Event()
        self._budget = Budget(task.params)
        self._limits = ModelLimits(task.params, self._stop)
        self._remaining = PendingRequests(task, self._limits)
        self._reasons = StopReasons()
        self._completer = Completer(self._budget, self._limits, self._reasons, self._stop)
        self._answers = AnswersFile(task, task.params["to_file"], "to_file")
        self._outcomes = collections.Counter(dict.fromkeys(OUTCOMES, 0))
        self._questions: dict[int, completions.ChatRequest] = {}
        self._total = self._kept = 0
        self.plan = self._plan()

    def __len__(self) -> int:
        return self._total

    def __iter__(self) -> t.Iterator[Params]:
        """Iterate over the numbers and ids of the prompts."""
        for number, prompt in zip(range(self._total), self._prompts):
            if not self._answers.outcome(number):
                question = self._question(prompt)
                if not self._answers.is_assigned(number, question.digest):
                    raise self._prompts.changed()
                self._questions[number] = question
            yield {"number": number, "id": prompt["id"]}

    def carry_out(self) -> Params:
        """Send the prompts that have no answer.

        :raises ToolchainError: when prompts failed or were left, unless the task tolerates it
        """
        task = self._task
        self._remaining.start()
        with self._answers.growing():
            try:
                work = run_items(
                    task,
                    self,
                    self._complete,
                    self._write_line,
                    self._prompts.place,
                    handle_remaining=self._skip,
                    stop=self._stop,
                    estimate=self._remaining.estimate,
                )
                task.result["failure_reasons"] = work.group_failures()
            finally:
                task.result.update(self.summary())
                self._warn()
        work.raise_failures(is_stopped=self._reasons.has_refused_models)
        if self._reasons.bound and task.params["on_error"] == "fail":
            left, bound = task.result["remaining"], task.result["stop_reason"]
            raise ToolchainError(f"{left:,} of {len(self):,} prompts were not asked: {bound}.")
        return {}

    def summary(self) -> Params:
        """Return the numbers of prompts by outcome, and what this run used."""
        left = len(self) - sum(self._outcomes.values())
        return {
            "summary": dict(self._outcomes),
            "reused": self._kept,
            "remaining": left,
            "stop_reason": self._reasons.summary() if left else None,
            "waits": self._limits.summarize_waits(),
            **self._budget.summary(),
        }

    def _plan(self) -> Params | None:
        """Check all prompts, assign the existing answers, and return what the others take at least."""
        usage, requests = Usage(), 0
        for prompt in self._prompts:
            self._total += 1
            question = self._question(prompt)
            if outcome := self._answers.assign(question.digest, prompt["id"]):
                self._kept += 1
                self._outcomes[outcome] += 1
            elif self._remaining.add(question):
                requests += 1
                usage.add(self._budget.prompt_usage(question.body))
        if self._kept == self._total and not self._answers.is_disordered:
            return None
        return {
            "action": "complete",
            "requests": requests,
            "reused": self._kept,
            "tokens_at_least": usage.total_tokens,
            "cost_at_least": self._budget.price(usage),
            "seconds_at_least": round(self._remaining.required_seconds(), 1),
        }

    def _question(self, prompt: Params) -> completions.ChatRequest:
        try:
            return completions.ChatRequest(self._http, build_body(prompt), prompt["response_schema"])
        except BadOption as error:
            raise BadOption(prompt["place"], str(error)) from None

    def _complete(self, task: Task) -> None:
        """Send a prompt, unless it has an answer."""
        question = self._questions.pop(task.params["number"], None)
        if question is None:
            task.result["outcome"] = "reused"
            return
        task.result.update(outcome="failed", request=question.digest, attempts=0)
        question = dataclasses.replace(question, http=InferenceService(task).create_client(API_KEY))
        try:
            shortfall = self._completer.complete(task, question)
        except ToolchainError as error:
            self._reasons.add_refusal(error, question.body["model"])
            raise
        finally:
            self._remaining.remove(question)
        task.changed = True
        if shortfall and not task.params["accept_incomplete"]:
            raise ToolchainError(shortfall)

    def _skip(self, task: Task) -> None:
        """Leave a prompt without an answer, because no more requests are sent."""
        if self._questions.pop(task.params["number"], None):
            raise ItemSkipped
        task.result["outcome"] = "reused"

    def _write_line(self, outcome: Params) -> None:
        """Write the line of a prompt for which a request was due."""
        if outcome["status"] == "skipped" or "request" not in outcome:
            return
        line = {
            "index": outcome["item"]["number"],
            "id": outcome["item"].get("id"),
            "request": outcome["request"],
            "outcome": outcome["outcome"],
            "reason": outcome["reason"],
            "attempts": outcome["attempts"],
            **outcome.get("completion", {}),
        }
        self._answers.add(line)
        self._outcomes[outcome["outcome"]] += 1

    def _warn(self) -> None:
        for wait in self._limits.summarize_waits():
            if wait["seconds"] >= _WAIT_TO_WARN_OF:
                self._task.warn(
                    f"Waited {wait['seconds']:,.0f} s for the limit of {wait['model']}: {wait['limit']}. The last wait "
                    f"ended at {wait['until']}."
                )
        if self._budget.lost_requests:
            self._task.warn(
                f"{self._budget.lost_requests:,} request(s) had no usable response. The server may have charged for "
                "them, which 'usage' and 'cost' do not include."
            )
