# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replace the response to a request that the server has processed, and run other clients before a request."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response

PAGE = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
Timeout = tuple[float, float, float]


@dataclasses.dataclass(frozen=True)
class Exchange:
    """A request and its response as the server sent it."""

    request: Request
    response: Response
    is_write: bool

    @property
    def key(self) -> tuple[str, str, Any]:
        """What two equal requests have in common."""
        return self.request.method, self.request.url, self.request.body


class Traffic:
    """The exchanges of a task so far.

    :arg answer: returns what the task receives instead of the response of the last exchange
    :arg before: called before each request
    """

    def __init__(
        self,
        answer: Callable[[Traffic], Response] = lambda traffic: traffic.last.response,
        before: Callable[[Traffic], None] = lambda _traffic: None,
    ) -> None:
        self.exchanges: list[Exchange] = []
        self.answer = answer
        self.before = before

    @property
    def last(self) -> Exchange:
        """The last exchange."""
        return self.exchanges[-1]

    @property
    def writes(self) -> list[int]:
        """The positions of writes among the exchanges."""
        return [position for position, exchange in enumerate(self.exchanges) if exchange.is_write]


@contextlib.contextmanager
def intercept(traffic: Traffic) -> Iterator[None]:
    """Record the exchanges of this process, and replace responses. Other clients are not recorded."""
    send, write = session.Connection.send, HttpClient.write
    writing = threading.local()

    def write_and_mark(client: HttpClient, *arguments: Any, **options: Any) -> Response:
        writing.now = options.get("changes_state", True)
        try:
            return write(client, *arguments, **options)
        finally:
            writing.now = False

    def send_and_replace(connection: session.Connection, request: Request, timeout: Timeout) -> Response:
        if getattr(threading.current_thread(), "is_rival", False):
            return send(connection, request, timeout)
        traffic.before(traffic)
        response = send(connection, request, timeout)
        traffic.exchanges.append(Exchange(request, response, getattr(writing, "now", False)))
        return traffic.answer(traffic)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session.Connection, "send", send_and_replace)
        patch.setattr(HttpClient, "write", write_and_mark)
        yield


def run_as_rival(action: Callable[[], None]) -> None:
    """Run an action with connections of its own, as another process has them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_CONNECTIONS", {})
        thread = threading.Thread(target=action)
        thread.is_rival = True  # type: ignore[attr-defined]
        thread.start()
        thread.join()
