# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and texts are stored on the Klocwork server unchanged, or refused with the name of the option.

The modules send requests to the sandbox in this process, and the test reads its database.
"""

from __future__ import annotations

import asyncio
import collections
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.http.app import App
from sandbox.sandbox import Sandbox
from support.running import run
from support.wire.review import LTOKENS

EXAMPLES = 150  # for each write
URL = "http://sandbox/analysis"
ACCOUNT = {"url": URL, "username": "admin", "ltoken": LTOKENS["admin"]}
APP = {"project": "mobile-app"}
SHARP = "+%,;\\'\"&=#?/|<>*`$ ü\u00df\u4e2d\U0001f600e\u0301"
LINE = st.text(st.one_of(st.sampled_from(SHARP), st.characters(exclude_categories=["C", "Z"])), min_size=1)
ANY = st.text(st.one_of(st.sampled_from(f"{SHARP}\r\n\t\0\x1b\u2028\ufeff"), st.characters(exclude_categories=["Cs"])))
TEXT = st.one_of(LINE.map(str.strip).filter(bool), ANY)


class Server:
    """The sandbox in this process, with access to the data that it stores."""

    def __init__(self) -> None:
        self._sandbox = Sandbox()
        self._sandbox.runtime.set_switches({"review": {"version_major": "24"}})
        self._app = App(self._sandbox, "secret", {})
        self._loop = asyncio.new_event_loop()
        self.db = self._sandbox.runtime.db

    def close(self) -> None:
        self._loop.run_until_complete(self._sandbox.stop())
        self._loop.close()

    def respond(self, request: Request, _timeout: Any) -> Response:
        """Replace `Connection.send`."""
        return self._loop.run_until_complete(self._send_request(request))

    async def _send_request(self, request: Request) -> Response:
        path = urlsplit(request.url).path
        headers = [(name.lower().encode(), value.encode()) for name, value in request.headers.items()]
        scope = {
            "type": "http",
            "method": request.method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": headers,
            "server": ("sandbox", 80),
            "scheme": "http",
            "sandbox.transport": asyncio.Transport(),
        }
        response_start: dict[str, Any] = {}
        body = bytearray()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": request.body}

        async def send(message: Any) -> None:
            response_start.update(message)
            body.extend(message.get("body", b""))

        await self._app(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in response_start["headers"]}
        return Response(request, response_start["status"], headers, bytes(body))

    def read_row(self, sql: str) -> list[Any]:
        """Return the values of the only row."""
        (row,) = self.db.execute(sql).fetchall()
        return list(row)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Provide one server for all examples."""
    server = Server()
    yield server
    server.close()


class Write(NamedTuple):
    """A module with options from three texts, the query for the stored row, and the statement that deletes it."""

    module: str
    options: Callable[[str, str, str], dict[str, Any]]
    sql: str
    expected: Callable[[str, str, str], list[Any]]
    forget: str


def join_sorted(*values: str) -> str:
    return json.dumps(sorted(set(values)))


WRITES = {
    "a view": Write(
        "review_view",
        lambda a, b, c: {**APP, "name": a, "query": b, "tags": [b or "x", c]},
        "SELECT name, query, tags FROM review_views WHERE name != '*default*'",
        lambda a, b, c: [a, b, join_sorted(b or "x", c)],
        "DELETE FROM review_views WHERE name != '*default*'",
    ),
    "a name of a view": Write(
        "review_view",
        lambda a, b, _c: {**APP, "name": a, "new_name": b, "query": "x"},
        "SELECT name FROM review_views WHERE name != '*default*'",
        lambda _a, b, _c: [b],
        "DELETE FROM review_views WHERE name != '*default*'",
    ),
    "a module": Write(
        "review_module",
        lambda a, b, c: {**APP, "name": a, "paths": [b, c], "tags": [c], "deny_users": [a, b]},
        "SELECT name, paths, tags, deny_users FROM review_modules WHERE name NOT IN ('*default*', 'third_party')",
        lambda a, b, c: [a, join_sorted(b, c), join_sorted(c), join_sorted(a, b)],
        "DELETE FROM review_modules WHERE name NOT IN ('*default*', 'third_party')",
    ),
    "a project": Write(
        "review_project",
        lambda a, b, c: {"name": f"p{a}", "description": b, "tags": [c, a]},
        "SELECT name, description, tags FROM review_projects WHERE name NOT IN ('platform', 'mobile-app')",
        lambda a, b, c: [f"p{a}", b, join_sorted(c, a)],
        "DELETE FROM review_projects WHERE name NOT IN ('platform', 'mobile-app')",
    ),
    "a group": Write(
        "review_group",
        lambda a, _b, _c: {"name": a, "users": ["alice"]},
        "SELECT name FROM review_groups WHERE name != 'developers'",
        lambda a, _b, _c: [a],
        "DELETE FROM review_groups WHERE name != 'developers'",
    ),
    "a user": Write(
        "review_user",
        lambda a, b, _c: {"name": a, "password": b},
        "SELECT name, password FROM review_users WHERE name NOT IN ('admin', 'alice', 'bob')",
        lambda a, b, _c: [a, b],
        "DELETE FROM review_users WHERE name NOT IN ('admin', 'alice', 'bob')",
    ),
    "a role": Write(
        "review_role",
        lambda a, _b, _c: {"name": a, "permissions": {"manage_users": True}},
        "SELECT name FROM review_roles WHERE NOT readonly",
        lambda a, _b, _c: [a],
        "DELETE FROM review_roles WHERE NOT readonly",
    ),
    "a citation": Write(
        "review_issue",
        lambda a, _b, _c: {**APP, "ids": [1], "status": "Fix", "comment": a},
        "SELECT comment FROM review_issues WHERE id = 1",
        lambda a, _b, _c: [a],
        "DELETE FROM review_history; UPDATE review_issues SET status = 'Analyze', comment = ''",
    ),
    "a call": Write(
        "review_call",
        lambda a, b, c: {
            "action": "create_view",
            "parameters": {**APP, "name": f"<{a}>", "query": b, "tags": [f"<{c}>"]},
        },
        "SELECT name, query, tags FROM review_views WHERE name != '*default*'",
        lambda a, b, c: [f"<{a}>", b, join_sorted(f"<{c}>")],
        "DELETE FROM review_views WHERE name != '*default*'",
    ),
}


@pytest.mark.parametrize("kind", WRITES)
def test_texts_are_stored_unchanged_or_refused(kind: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.Connection, "send", server.respond)
    write = WRITES[kind]
    outcomes: collections.Counter[str] = collections.Counter()

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.tuples(TEXT, TEXT, TEXT))
    def check(texts: tuple[str, str, str]) -> None:
        server.db.executescript(write.forget)
        options = write.options(*texts)
        result = run(write.module, **options, **ACCOUNT)
        if result.get("failed"):
            assert result["msg"].startswith(tuple(f"Option '{name}" for name in options)), result["msg"]
            assert not result["changed"]
            outcomes["refused"] += 1
        else:
            assert result["changed"]
            assert server.read_row(write.sql) == write.expected(*texts)
            outcomes["stored"] += 1

    check()
    server.db.executescript(write.forget)
    assert outcomes["stored"] > EXAMPLES / 4, outcomes
