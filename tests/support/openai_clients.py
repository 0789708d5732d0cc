# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The synchronous and the asynchronous client of the OpenAI SDK."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import openai

Connect = Callable[..., Any]


class Waiting:
    """The asynchronous client with a synchronous interface. Lists and streams are read completely."""

    def __init__(self, runner: asyncio.Runner, part: Any) -> None:
        self._runner = runner
        self._part = part

    def __getattr__(self, name: str) -> Waiting:
        return Waiting(self._runner, getattr(self._part, name))

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._runner.run(call_and_wait(self._part(*arguments, **options)))


async def call_and_wait(answer: Any) -> Any:
    if inspect.isawaitable(answer) and not hasattr(answer, "__aiter__"):
        answer = await answer
    return [entry async for entry in answer] if hasattr(answer, "__aiter__") else answer


@contextlib.contextmanager
def connecting(kind: str, sandbox: Any) -> Iterator[Connect]:
    """Return a factory for clients, by default with the keys of the sandbox."""
    environment = sandbox.environment
    usual = {
        "api_key": environment["OPENAI_API_KEY"],
        "admin_api_key": environment["OPENAI_ADMIN_KEY"],
        "base_url": environment["OPENAI_BASE_URL"],
        "max_retries": 0,
    }
    with contextlib.ExitStack() as clients:
        if kind == "waits":
            yield lambda **options: clients.enter_context(openai.OpenAI(**{**usual, **options}))
            return
        runner = clients.enter_context(asyncio.Runner())

        def waiting(**options: Any) -> Waiting:
            client = Waiting(runner, openai.AsyncOpenAI(**{**usual, **options}))
            clients.callback(client.close)
            return client

        yield waiting
