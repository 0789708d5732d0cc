# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task never reports that nothing needs to change because a response with status 200 is empty.

Each task that changes, deletes or publishes something runs in check mode. One of its responses has an empty body, an
empty document or only its first half.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from support import running
from support.cases import CASES, OPERATIONS, RESOURCES, forget, module_of

STEPS = {"create": [], "update": ["create"], "absent": ["create", "update"]}
TASKS = [
    *[(module, step) for module, step in itertools.product(RESOURCES, STEPS) if not RESOURCES[module].by_program],
    *[(module, "options") for module, case in OPERATIONS.items() if case.reads],
]
BODIES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _body: b"",
    "empty object": lambda _body: b"{}",
    "empty list": lambda _body: b"[]",
    "null": lambda _body: b"null",
    "half": lambda body: body[: len(body) // 2],
}
# Lists that are empty on a server without such objects, and that no other request can confirm
MAY_BE_EMPTY = {("artifact_certificate", "absent", "empty list")}


class ResponseRecorder:
    """Records the responses of a run and can replace the body of one of them."""

    def __init__(self) -> None:
        self.responses: list[tuple[Request, int, bytes]] = []
        self._send = session.Connection.send
        self._change: tuple[int, Callable[[bytes], bytes]] | None = None

    def begin(self, nth: int | None = None, change: Callable[[bytes], bytes] = bytes) -> None:
        """Start a run whose nth response has a changed body."""
        self.responses = []
        self._change = None if nth is None else (nth, change)

    def send(self, connection: session.Connection, request: Request, timeout: tuple[float, float, float]) -> Response:
        """Send a request. This method replaces `Connection.send`."""
        response = self._send(connection, request, timeout)
        body = b"".join(response.chunks())
        if self._change and self._change[0] == len(self.responses) and response.status == 200:
            body = self._change[1](body)
        self.responses.append((request, response.status, body))
        return Response(request, response.status, response.headers, body)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> ResponseRecorder:
    recorder = ResponseRecorder()

    def send(*arguments: Any) -> Response:
        return recorder.send(*arguments)

    monkeypatch.setattr(session.Connection, "send", send)
    return recorder


def run(module: str, step: str, **options: Any) -> dict[str, Any]:
    return running.run(module_of(module), **{"retries": 0, **getattr(CASES[module], step), **options})


@pytest.mark.parametrize(("module", "step"), TASKS)
def test_change_is_predicted_when_a_response_is_empty(
    sandbox: Sandbox, recorder: ResponseRecorder, module: str, step: str
) -> None:
    forget()
    for earlier_step in STEPS.get(step, ()):
        assert not run(module, earlier_step).get("failed")
    recorder.begin()
    assert run(module, step, check_mode=True)["changed"]
    bodies = [body for _request, _status, body in recorder.responses]
    unchanged = []
    for nth, name in itertools.product(range(len(bodies)), BODIES):
        if BODIES[name](bodies[nth]) == bodies[nth] or (module, step, name) in MAY_BE_EMPTY:
            continue
        recorder.begin(nth, BODIES[name])
        result = run(module, step, check_mode=True)
        if not result.get("failed") and not result["changed"]:
            request, _status, _body = recorder.responses[nth]
            unchanged.append(f"{request.method} {request.url} {request.body!r}, {name}")
    assert not unchanged, unchanged
