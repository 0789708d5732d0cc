# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prompts of a batch with their requests: first to assign existing answers, then to send the others."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.answers_file import AnswersFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.prompts import Prompts
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.completions import ChatRequest
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.request_body import build_body

Params = dict[str, t.Any]


class PromptQueue:
    """The prompts of a task. Only the requests of prompts in progress are kept in memory."""

    def __init__(self, prompts: Prompts, http: HttpClient, answers: AnswersFile) -> None:
        self._prompts = prompts
        self._http = http
        self._answers = answers
        self._requests: dict[int, ChatRequest] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def assign_answers(self) -> t.Iterator[tuple[ChatRequest, str | None]]:
        """Assign the existing answers to the prompts, and yield each request with the outcome of its answer.

        :raises BadOption: if a prompt is invalid
        """
        for prompt in self._prompts:
            self._count += 1
            request = self._build_request(prompt)
            yield request, self._answers.assign(request.digest, prompt["id"])

    def __iter__(self) -> t.Iterator[Params]:
        """Yield the number and the ID of each prompt, after its request can be taken.

        :raises ToolchainError: if the file of prompts has changed
        """
        for number, prompt in zip(range(self._count), self._prompts):
            if not self._answers.outcome(number):
                request = self._build_request(prompt)
                if not self._answers.is_assigned(number, request.digest):
                    raise self._prompts.change_error()
                self._requests[number] = request
            yield {"number": number, "id": prompt["id"]}

    def take_request(self, number: int) -> ChatRequest | None:
        """Remove and return the request of a prompt, `None` if it has an answer."""
        return self._requests.pop(number, None)

    def _build_request(self, prompt: Params) -> ChatRequest:
        try:
            return ChatRequest(self._http, build_body(prompt), prompt["response_schema"])
        except BadOption as error:
            raise BadOption(prompt["path"], str(error)) from None
