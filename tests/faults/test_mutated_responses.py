# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module that receives a malformed response succeeds or fails with a clear message.

The requests and responses of each module are recorded with the sandbox. They are then replayed many times, each time
with one change in one response: a member that is missing, null, huge, deeply nested or of another type, or another
body.

The default run changes each member of each response once, and uses each value and each body with each module. All
elements of a list count as one member. `make faults ALL=1` tries each value for each member, and each body for each
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
SHORT_WAITS: dict[str, dict[str, Any]] = {
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

ENDS_WITH_STOP = re.compile(r"[^.?!][.?!]$")

REMOVED = object()
# Modules with one request at a time; ci_cli sends a command while its response arrives
RECORDABLE = [module for module in SPEAKING if module != "ci_cli"]
DEEP: Any = json.loads("[" * 300 + "]" * 300)
VALUES: dict[str, Any] = {
    "removed": REMOVED,
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
    """A clock that `sleep` advances immediately."""

    def __init__(self) -> None:
        self._slept = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self._slept

    def sleep(self, seconds: float) -> None:
        self._slept += seconds


class Exchange(NamedTuple):
    """A request and its response."""

    request: tuple[str, str, bytes]
    status: int
    headers: Mapping[str, str]
    body: bytes


class Tape:
    """Records the requests and responses of a module, and replays them with one changed body.

    It replaces the transport, so that thousands of cases need no server.
    """

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self._recording = True
        self._send = session.Connection.send

    def rewind(self, number: int, body: bytes) -> None:
        """Replay from the beginning, with another body in one response."""
        self._recording = False
        self._changed = {number: body}
        self._played: set[int] = set()

    def send(self, connection: session.Connection, request: Request, timeout: tuple[float, float]) -> Response:
        """Record or replay a request. This method replaces `Connection.send`."""
        key = (request.method, request.url, request.body or b"")
        if self._recording:
            response = self._send(connection, request, timeout)
            body = b"".join(response.chunks())
            self.exchanges.append(Exchange(key, response.status, response.headers, body))
            return Response(request, response.status, response.headers, body)
        matches = [number for number, exchange in enumerate(self.exchanges) if exchange.request == key]
        if not matches:
            return Response(request, 404, {}, b"{}")
        number = next((number for number in matches if number not in self._played), matches[-1])
        self._played.add(number)
        exchange = self.exchanges[number]
        return Response(request, exchange.status, exchange.headers, self._changed.get(number, exchange.body))


@pytest.fixture(params=RECORDABLE)
def recording(request: pytest.FixtureRequest, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Tape]:
    """Return a module and the recording of its requests and responses."""
    tape = Tape()

    def send(*arguments: Any) -> Response:
        return tape.send(*arguments)

    monkeypatch.setattr(session.Connection, "send", send)
    forget()
    result = running.run(request.param, **parameters(request.param))
    assert not result.get("failed"), result["msg"]
    monkeypatch.setattr(_wait, "time", Clock())
    return request.param, tape


def list_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all members and elements of a document."""
    for key, child in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(child, (dict, list)):
            yield from list_paths(child, (*path, key))


def list_members(body: bytes) -> list[tuple[int, tuple[Any, ...]]]:
    """Return a location for each member of a response: the line number and the path in the document of this line."""
    locations: dict[tuple[Any, ...], tuple[int, tuple[Any, ...]]] = {}
    for number, line in enumerate(body.splitlines()):
        try:
            document = json.loads(line)
        except ValueError:
            continue
        for path in list_paths(document) if isinstance(document, (dict, list)) else ():
            locations.setdefault(tuple("*" if isinstance(key, int) else key for key in path), (number, path))
    return list(locations.values())


def replace_value(document: Any, path: tuple[Any, ...], value: Any) -> bytes:
    """Return the document with another value at a path."""
    document = copy.deepcopy(document)
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    if value is REMOVED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return json.dumps(document).encode()


def replace_member(body: bytes, location: tuple[int, tuple[Any, ...]], value: Any) -> bytes:
    """Return the response with another value at a location."""
    lines = body.splitlines()
    number, path = location
    lines[number] = replace_value(json.loads(lines[number]), path, value)
    return b"\n".join(lines)


def list_mutations(exchanges: list[Exchange]) -> Iterator[tuple[str, int, bytes]]:
    """Yield changes of a recording: a name, the number of the response, and its new body."""
    members = [(number, location) for number, item in enumerate(exchanges) for location in list_members(item.body)]
    for (number, location), name in select_pairs(itertools.product(members, VALUES), single_layer):
        yield f"{name} at {location}", number, replace_member(exchanges[number].body, location, VALUES[name])
    for number, name in select_pairs(itertools.product(range(len(exchanges)), BODIES), single_layer):
        yield name, number, BODIES[name](exchanges[number].body)


def single_layer(_case: object) -> None:
    """Return the same layer for all responses of a module."""


def test_module_explains_a_mutated_response(recording: tuple[str, Tape]) -> None:
    module, tape = recording
    options = {**parameters(module), "retries": 0, **SHORT_WAITS.get(module, {})}
    secrets = [os.environ[name] for name in SECRETS]
    for name, number, body in list_mutations(tape.exchanges):
        tape.rewind(number, body)
        forget()
        result = running.run(module, **options)
        case = f"response {number}, {name}: {body[:500]!r}: {result.get('msg')}"
        assert not [secret for secret in secrets if secret in json.dumps(result)], case
        if result.get("failed"):
            assert "report this defect" not in result["msg"], case
            assert "Traceback" not in result["msg"], case
            assert " " in result["msg"], case
            assert ENDS_WITH_STOP.search(result["msg"]), case
