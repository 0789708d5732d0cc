# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module that receives a malformed response ends in a clear message.

A conversation of each module with the sandbox is recorded. Then it is played back, many times, with one change in one
response: a member missing, null, of another type, huge, nested deeply; or another body.

The default run changes each member of each response once, and uses each value, and each body, with each module. All
elements of a list are one member. `make faults ALL=1` tries each value for each member, and each body for each
response.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _wait
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from support import running
from support.cases import SERVICES, SPEAKING, forget, parameters
from support.faults import select_pairs

SECRETS = [name for service in SERVICES.values() for name in service.credentials.values()]
# A few polls, because most mutated responses mean "not yet"
SOON: dict[str, dict[str, Any]] = {
    module: {"wait_timeout": 1, "wait_delay": 0.1}
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
VALUES: dict[str, Any] = {
    "gone": GONE,
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "negative": -1,
    "number": 7,
    "fraction": 2.5,
    "huge fraction": 1e300,
    "huge number": 10**30,
    "empty text": "",
    "text": "text",
    "empty list": [],
    "empty object": {},
    "list of null": [None],
    "list of text": ["text"],
    "object with a deep list": {"a": DEEP},
    "deep list": DEEP,
}
BODIES: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda body: body[: len(body) // 2],
    "cut off at the end": lambda body: body[:-1],
    **{
        name: lambda _body, instead=instead: instead  # type: ignore[misc]
        for name, instead in {
            "empty": b"",
            "null": b"null",
            "number": b"7",
            "text": b'"text"',
            "empty list": b"[]",
            "empty object": b"{}",
            "list of null": b"[null]",
            "not a number": b'{"a": NaN}',
            "page": b"<!DOCTYPE html><html>Sign in</html>",
            "error": b'{"error": {"message": "down for repair"}}',
            "list of errors": b'{"errors": [{"status": 503, "message": "down for repair"}]}',
            "errors of other types": b'{"errors": 7, "error": [], "message": {}, "error_description": []}',
            "messages of another type": b'{"messages": {}, "message": 7}',
            "deep list": b"[" * 100_000,
            "deep object": b'{"a":' * 100_000,
            "long number": b"1" * 5_000,
            "not UTF-8": b"\xff\xfe\x00",
        }.items()
    },
}


class Clock:
    """A clock that sleeping moves forward at once."""

    def __init__(self) -> None:
        self._slept = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._slept

    def sleep(self, seconds: float) -> None:
        self._slept += seconds


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

    def answer(self, connection: session.Connection, request: Request, timeout: tuple[float, float]) -> Response:
        """In place of `Connection.send`."""
        asked = (request.method, request.url, request.body or b"")
        if self._recording:
            answer = self._send(connection, request, timeout)
            body = b"".join(answer.chunks())
            self.exchanges.append(Exchange(asked, answer.status, answer.headers, body))
            return Response(request, answer.status, answer.headers, body)
        same = [number for number, exchange in enumerate(self.exchanges) if exchange.request == asked]
        if not same:
            return Response(request, 404, {}, b"{}")
        number = next((number for number in same if number not in self._played), same[-1])
        self._played.add(number)
        exchange = self.exchanges[number]
        return Response(request, exchange.status, exchange.headers, self._changed.get(number, exchange.body))


@pytest.fixture(params=RECORDABLE)
def recorded(request: pytest.FixtureRequest, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Tape]:
    """A module, and its conversation with the sandbox."""
    tape = Tape()

    def send(*sent: Any) -> Response:
        return tape.answer(*sent)

    monkeypatch.setattr(session.Connection, "send", send)
    forget()
    result = running.run(request.param, **parameters(request.param))
    assert not result.get("failed"), result["msg"]
    monkeypatch.setattr(_wait, "time", Clock())
    return request.param, tape


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the paths of all members and elements of a document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def members(body: bytes) -> list[tuple[int, tuple[Any, ...]]]:
    """Return one place for each member of a response: the number of a line, and a path in the document of this line."""
    found: dict[tuple[Any, ...], tuple[int, tuple[Any, ...]]] = {}
    for number, line in enumerate(body.splitlines()):
        try:
            document = json.loads(line)
        except ValueError:
            continue
        for path in places(document) if isinstance(document, (dict, list)) else ():
            found.setdefault(tuple("*" if isinstance(key, int) else key for key in path), (number, path))
    return list(found.values())


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


def with_value(body: bytes, place: tuple[int, tuple[Any, ...]], value: Any) -> bytes:
    """Return the response with another value at a place."""
    lines = body.splitlines()
    number, path = place
    lines[number] = replaced(json.loads(lines[number]), path, value)
    return b"\n".join(lines)


def mutated(exchanges: list[Exchange]) -> Iterator[tuple[str, int, bytes]]:
    """Return the changes to a conversation: a name, the number of the response, and its new body."""
    in_members = [(number, place) for number, exchange in enumerate(exchanges) for place in members(exchange.body)]
    for (number, place), name in select_pairs(itertools.product(in_members, VALUES), conversation):
        yield f"{name} at {place}", number, with_value(exchanges[number].body, place, VALUES[name])
    for number, name in select_pairs(itertools.product(range(len(exchanges)), BODIES), conversation):
        yield name, number, BODIES[name](exchanges[number].body)


def conversation(_case: object) -> None:
    """Return the one layer of a conversation: its module."""


def test_module_explains_a_mutated_response(recorded: tuple[str, Tape]) -> None:
    module, tape = recorded
    options = {**parameters(module), "retries": 0, **SOON.get(module, {})}
    secrets = [os.environ[name] for name in SECRETS]
    for name, number, body in mutated(tape.exchanges):
        tape.rewind(number, body)
        forget()
        result = running.run(module, **options)
        case = f"answer {number}, {name}: {body[:500]!r}: {result.get('msg')}"
        assert not [secret for secret in secrets if secret in json.dumps(result)], case
        if result.get("failed"):
            assert "report this defect" not in result["msg"], case
            assert "Traceback" not in result["msg"], case
            assert " " in result["msg"], case
            assert ONE_STOP.search(result["msg"]), case
