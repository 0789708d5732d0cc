# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module when an answer is not as it should be: the sandbox's own answers, mutated, end in a clear message.

A conversation of each module with the sandbox is recorded. Then it is played back, many times, with one thing in one
answer changed: a member missing, null, of another type, huge, nested deeply; or the answer as a whole.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _wait
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry, session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.answer import Answer, Request
from sandbox.client import Sandbox
from support import running
from support.cases import SERVICES, SPEAKING, forget, parameters

CASES = 16_000
SECRETS = [name for service in SERVICES.values() for name in service.credentials.values()]
# Waiting ends soon, for most mutated answers mean "not yet"
SOON: dict[str, dict[str, Any]] = {
    module: {"wait_timeout": 0.02, "wait_delay": 0.1}
    for module in (
        "ci_build",
        "ci_plugin",
        "ci_quiet_down",
        "ci_restart",
        "ci_safe_restart",
        "review_project_import",
        "review_server_import",
    )
}

ONE_STOP = re.compile(r"[^.?!][.?!]$")

GONE = object()
# Those whose requests and answers go one after the other; a command is sent while its answer comes
RECORDABLE = [module for module in SPEAKING if module != "ci_cli"]
DEEP: Any = json.loads("[" * 300 + "]" * 300)
VALUES = [
    GONE,
    None,
    True,
    False,
    0,
    -1,
    7,
    2.5,
    1e300,
    10**30,
    "",
    "text",
    [],
    {},
    [None],
    ["text"],
    {"a": DEEP},
    DEEP,
]
WHOLES = [
    b"",
    b"null",
    b"7",
    b'"text"',
    b"[]",
    b"{}",
    b"[null]",
    b'{"a": NaN}',
    b"<!DOCTYPE html><html>Sign in</html>",
    b'{"error": {"message": "down for repair"}}',
    b'{"errors": [{"status": 503, "message": "down for repair"}]}',
    b'{"errors": 7, "error": [], "messages": {}, "message": {}, "error_description": []}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"1" * 5_000,
    b"\xff\xfe\x00",
]


class Exchange(NamedTuple):
    """A request, and the answer to it."""

    request: tuple[str, str, bytes]
    status: int
    headers: Mapping[str, str]
    body: bytes


class Tape:
    """Records what a module and the sandbox say; plays it back afterwards, with one answer in place of another.

    It takes the place of the transport alone, so that thousands of cases need no server.
    """

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self._recording = True
        self._send = session.Connection.send

    def rewind(self, number: int, body: bytes) -> None:
        """Play from the beginning, with another body of one answer."""
        self._recording = False
        self._changed = {number: body}
        self._played: set[int] = set()

    def answer(self, connection: session.Connection, request: Request, timeout: tuple[float, float]) -> Answer:
        """In place of `Connection.send`."""
        asked = (request.method, request.url, request.body or b"")
        if self._recording:
            answer = self._send(connection, request, timeout)
            body = b"".join(answer.chunks())
            self.exchanges.append(Exchange(asked, answer.status, answer.headers, body))
            return Answer(request, answer.status, answer.headers, body)
        same = [number for number, exchange in enumerate(self.exchanges) if exchange.request == asked]
        if not same:
            return Answer(request, 404, {}, b"{}")
        number = next((number for number in same if number not in self._played), same[-1])
        self._played.add(number)
        exchange = self.exchanges[number]
        return Answer(request, exchange.status, exchange.headers, self._changed.get(number, exchange.body))


@pytest.fixture(params=RECORDABLE)
def recorded(request: pytest.FixtureRequest, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Tape]:
    """A module, and its conversation with the sandbox."""
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
    monkeypatch.setattr(_wait.time, "sleep", lambda _seconds: None)
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    tape = Tape()

    def send(*sent: Any) -> Answer:
        return tape.answer(*sent)

    monkeypatch.setattr(session.Connection, "send", send)
    forget()
    result = running.run(request.param, **parameters(request.param))
    assert not result.get("failed"), result["msg"]
    return request.param, tape


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all members and elements of a document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def replaced(document: Any, path: tuple[Any, ...], value: Any) -> bytes:
    """The document with another value in one place."""
    document = copy.deepcopy(document)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if value is GONE:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(document).encode()


def mutated(chance: random.Random, body: bytes) -> bytes:
    """One thing in an answer otherwise; one line of it where it has a document a line."""
    lines = body.splitlines() or [b""]
    number = chance.randrange(len(lines))
    try:
        document = json.loads(lines[number])
    except ValueError:
        document = None
    inside = list(places(document)) if isinstance(document, (dict, list)) else []
    if inside and chance.random() < 0.8:
        lines[number] = replaced(document, chance.choice(inside), chance.choice(VALUES))
    else:
        whole = lines[number]
        lines[number] = chance.choice([*WHOLES, whole[: chance.randint(0, len(whole))]])
    return b"\n".join(lines)


def test_a_mutated_answer_ends_in_a_clear_message(recorded: tuple[str, Tape]) -> None:
    module, tape = recorded
    options = {**parameters(module), "retries": 0, **SOON.get(module, {})}
    secrets = [os.environ[name] for name in SECRETS]
    chance = random.Random(module)
    for _case in range(CASES // len(RECORDABLE) + 1):
        number = chance.randrange(len(tape.exchanges))
        body = mutated(chance, tape.exchanges[number].body)
        tape.rewind(number, body)
        forget()
        result = running.run(module, **options)
        case = f"answer {number}: {body[:500]!r}: {result.get('msg')}"
        assert not [secret for secret in secrets if secret in json.dumps(result)], case
        if result.get("failed"):
            assert "report this defect" not in result["msg"], case
            assert "Traceback" not in result["msg"], case
            assert " " in result["msg"], case
            assert ONE_STOP.search(result["msg"]), case
