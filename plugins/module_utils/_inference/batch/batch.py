# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run many prompts within rate limits and a budget, and continue interrupted runs."""

from __future__ import annotations

import collections
import dataclasses
import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped, run_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.answers_file import (
    OUTCOMES,
    AnswersFile,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.budget import Budget, Usage
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.completer import Completer
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.pending import PendingRequests
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.prompt_queue import PromptQueue
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.prompts import Prompts
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.stop_reasons import StopReasons
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.model_limits import ModelLimits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Params = dict[str, t.Any]

# In seconds. Longer waits are reported in a warning
_LONG_WAIT = 60.0


class Batch:
    """The batch of a task. The prompts are read twice: for the plan, and to send them.

    :arg spec: options of a prompt
    :ivar plan: the requests to send with their estimated usage, `None` if there is nothing to do
    :raises BadOption: if a prompt or another option is invalid
    """

    def __init__(self, task: Task, spec: ArgumentSpec) -> None:
        self._task = task
        self._prompts = Prompts(task.params, spec)
        self._stop = threading.Event()
        self._budget = Budget(task.params)
        self._limits = ModelLimits(task.params, self._stop)
        self._pending = PendingRequests(task, self._limits)
        self._reasons = StopReasons()
        self._completer = Completer(self._budget, self._limits, self._reasons, self._stop)
        self._answers = AnswersFile(task, task.params["to_file"], "to_file")
        self._outcomes = collections.Counter(dict.fromkeys(OUTCOMES, 0))
        http = InferenceService(task).create_client(API_KEY)
        self._queue = PromptQueue(self._prompts, http, self._answers)
        self._reused = 0
        self.plan = self._create_plan()

    def run(self) -> Params:
        """Send the prompts without an answer.

        :raises ToolchainError: if prompts fail or remain, unless `on_error=report`
        """
        task = self._task
        self._pending.start()
        with self._answers.open_for_appending():
            try:
                work = run_items(
                    task,
                    self._queue,
                    self._complete,
                    self._write_line,
                    lambda outcome: self._prompts.path(outcome["index"]),
                    handle_remaining=self._skip,
                    stop=self._stop,
                    estimate=self._pending.estimate,
                )
                task.result["failure_reasons"] = work.group_failures()
            finally:
                task.result.update(self.summary())
                self._warn()
        work.raise_failures(is_stopped=self._reasons.has_rejected_models)
        if self._reasons.exceeded_limit and task.params["on_error"] == "fail":
            remaining, reason = task.result["remaining"], task.result["stop_reason"]
            raise ToolchainError(
                f"{remaining:,} of {len(self._queue):,} prompts were not sent: {reason}. Run the task again."
            )
        return {}

    def summary(self) -> Params:
        """Return the number of prompts by outcome and the usage of this run, for the result."""
        remaining = len(self._queue) - sum(self._outcomes.values())
        return {
            "summary": dict(self._outcomes),
            "reused": self._reused,
            "remaining": remaining,
            "stop_reason": self._reasons.summary() if remaining else None,
            "waits": self._limits.summarize_waits(),
            **self._budget.summary(),
        }

    def _create_plan(self) -> Params | None:
        """Check all prompts, assign existing answers, and return the minimum usage of the others."""
        usage, requests = Usage(), 0
        for request, outcome in self._queue.assign_answers():
            if outcome:
                self._reused += 1
                self._outcomes[outcome] += 1
            elif self._pending.add(request):
                requests += 1
                usage.add(self._budget.prompt_usage(request.body))
        if self._reused == len(self._queue) and self._answers.is_sorted:
            return None
        return {
            "action": "complete",
            "requests": requests,
            "reused": self._reused,
            "tokens_at_least": usage.total_tokens,
            "cost_at_least": self._budget.price(usage),
            "seconds_at_least": round(self._pending.required_seconds(), 1),
        }

    def _complete(self, task: Task) -> None:
        """Send a prompt, unless it has an answer."""
        request = self._queue.take_request(task.params["number"])
        if request is None:
            task.result["outcome"] = "reused"
            return
        task.result.update(outcome="failed", request=request.digest, attempts=0)
        request = dataclasses.replace(request, http=InferenceService(task).create_client(API_KEY))
        try:
            problem = self._completer.complete(task, request)
        except ToolchainError as error:
            self._reasons.add_error(error, request.body["model"])
            raise
        finally:
            self._pending.remove(request)
        task.changed = True
        if problem and not task.params["accept_incomplete"]:
            raise ToolchainError(problem)

    def _skip(self, task: Task) -> None:
        """Skip a prompt without an answer, because no more requests are sent."""
        if self._queue.take_request(task.params["number"]):
            raise ItemSkipped
        task.result["outcome"] = "reused"

    def _write_line(self, outcome: Params) -> None:
        """Write the line of a prompt that required a request."""
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
            if wait["seconds"] >= _LONG_WAIT:
                self._task.warn(
                    f"Waited {wait['seconds']:,.0f} s for the limit of {wait['model']}: {wait['limit']}. The last wait "
                    f"ended at {wait['until']}."
                )
        if self._budget.lost_requests:
            self._task.warn(
                f"{self._budget.lost_requests:,} request(s) had no usable response. The server may have charged "
                "for them. They are not included in 'usage' and 'cost'."
            )
