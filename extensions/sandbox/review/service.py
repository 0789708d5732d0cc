# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The review service: finds the action, asks who calls, and runs it."""

from __future__ import annotations

import pathlib
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from ..http.routing import Route, Routes
from ..http.streaming import stream_query
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from . import (
    accounts,
    administration,
    builds,
    ci_builds,
    compliance,
    defect_types,
    imports,
    issues,
    metrics,
    modules,
    not_served,
    projects,
    reports,
    roles,
    system,
    views,
)
from .access import Access, authenticate
from .call import API_PATH, Call, major_version
from .catalogue import ACTIONS, Action
from .protocol import HEADERS, ActionError, Parameters, empty, error_line, lines, missing_parameter, read_parameters
from .reference import reference_page
from .seeding import SEED_SHAPE, plant
from .snapshot import parts
from .storage import SCHEMA
from .summary import SUMMARY

PREFIX = "/analysis"
ADMIN_TOOL = pathlib.Path(__file__).with_name("kwadmin.py")

ROUTES = Routes(
    (
        *system.ROUTES,
        *roles.ROUTES,
        *accounts.ROUTES,
        *projects.ROUTES,
        *modules.ROUTES,
        *builds.ROUTES,
        *ci_builds.ROUTES,
        *defect_types.ROUTES,
        *issues.ROUTES,
        *views.ROUTES,
        *reports.ROUTES,
        *metrics.ROUTES,
        *compliance.ROUTES,
        *imports.ROUTES,
    )
)

PAGES = Routes(not_served.PAGES)

# The value may be empty: it then clears, or selects everything.
MAY_BE_EMPTY = ("query",)


class ReviewService(Service):
    """The code-analysis server's web API."""

    name: ClassVar[str] = "review"
    prefixes: ClassVar[tuple[str, ...]] = (PREFIX,)
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "access_control": True,
        "version_major": "20",
        "version_minor": "4",
        "streams": False,
        "module_access_told": False,  # whether a server tells it is not known
        "import_seconds": 0.1,  # how long an import takes
        "import_failure": "",  # what imports fail with at their end, if they do
        "imports_kept": True,  # those that have ended are told as well; whether a server does is not known
        "kwadmin_warnings": [],  # what the administration tool warns of, whatever it is asked for
        "grouping_by_default": True,  # as servers up to 2019 do
        "more_keywords": True,  # those of queries of which it is not known whether a server has them
        "all_failures_500": False,  # as some old servers are believed to answer
    }

    seed_schema = SEED_SHAPE
    state_queries = SUMMARY

    async def __call__(self, request: Request) -> Response:
        path = request.scope["raw_path"].decode("latin-1").removeprefix(PREFIX)
        if path == administration.ADMIN_PATH:
            return await self._administer(request)
        if path != API_PATH:
            return _page(request, path)
        if request.method in ("GET", "HEAD"):
            return reference_page(major_version(self.runtime))
        if request.method != "POST":
            page = "<html><body><h1>405 Method Not Allowed</h1></body></html>"
            return HTMLResponse(page, 405, {"Allow": "GET, HEAD, POST"})
        try:
            return await self._act(request)
        except ActionError as error:
            status = 500 if self.runtime.get_switch("review", "all_failures_500") else error.status
            return error_line(status, error.message)

    async def _act(self, request: Request) -> Response:
        parameters = await read_parameters(request)
        route = ROUTES.find("POST", API_PATH, parameters).route
        if route is not None:
            route.enter(request)
        access = self._caller(parameters)
        if not parameters.text("action"):
            raise missing_parameter("action")
        if route is None or ACTIONS[route.label].since > major_version(self.runtime):
            raise ActionError(400, f"Unknown action: {parameters.text('action')}")
        _require_parameters(ACTIONS[route.label], parameters)
        imports.settle(self.runtime)
        return await self._answer(route, access, parameters, self._address(request))

    async def _administer(self, request: Request) -> Response:
        """A sub-command of the administration tool."""
        warnings = self.runtime.get_switch("review", "kwadmin_warnings")
        try:
            parameters = await read_parameters(request)
            route = administration.ROUTES.find("POST", administration.ADMIN_PATH, parameters).route
            if route is not None:
                route.enter(request)
            access = authenticate(self.runtime, parameters.text("user"), parameters.text("ltoken"))
            if route is None:
                raise ActionError(400, f"Unknown command: {parameters.text('command')}")
            imports.settle(self.runtime)
            call = Call(self.runtime, self.runtime.db, access, parameters, self._address(request))
            with self.runtime.transaction():
                lines = list(route.handler(call) or ())
        except ActionError as error:
            return JSONResponse({"message": error.message, "warnings": warnings}, error.status)
        return JSONResponse({"lines": lines, "warnings": warnings})

    async def _answer(self, route: Route, access: Access, parameters: Parameters, url: str) -> Response:
        """Write at once, or read beside all else."""
        if ACTIONS[route.label].writes:
            with self.runtime.transaction():
                route.handler(Call(self.runtime, self.runtime.db, access, parameters, url))
            return empty()
        if ACTIONS[route.label].gives_file:
            content = route.handler(Call(self.runtime, self.runtime.db, access, parameters, url))
            return Response(content, media_type="application/octet-stream")

        def records(db: sqlite3.Connection) -> Iterator[str]:
            return lines(route.handler(Call(self.runtime, db, access, parameters, url)))

        return await stream_query(self.runtime.readers, records, HEADERS)

    def _address(self, request: Request) -> str:
        """Where the caller found the server."""
        return self.own_url or str(request.base_url).rstrip("/") + PREFIX

    def _caller(self, parameters: Parameters) -> Access:
        if not parameters.text("user"):
            raise missing_parameter("user")
        access = authenticate(self.runtime, parameters.text("user"), parameters.text("ltoken"))
        access.require_web_api()
        return access

    def reset(self) -> None:
        super().reset()
        self.runtime.db.execute("DELETE FROM sqlite_sequence WHERE name GLOB 'review_*'")  # ids begin anew, too

    def process_due_events(self) -> None:
        imports.settle(self.runtime)

    def seed(self, data: dict[str, Any]) -> None:
        told: dict[str, Any] = {name: data[name] for name in ("streams", "module_access_told") if name in data}
        if "version" in data:
            told["version_major"], told["version_minor"] = _major_and_minor(data["version"])
        self.runtime.set_switches({self.name: told})
        plant(self.runtime.db, data)

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        return parts(snapshot)

    def exports(self, base_url: str) -> dict[str, str]:
        url = self.own_url or f"{base_url}{PREFIX}"
        return {
            "KLOCWORK_URL": url,
            "KLOCWORK_LTOKEN": self._write_ltoken_file(base_url, url),
            "SANDBOX_KWADMIN": self._write_admin_tool(),
        }

    def _write_admin_tool(self) -> str:
        """A program that is called as the server's administration tool, and needs no other Python than this one."""
        path = self.runtime.state_path / "sandbox-kwadmin"
        words = [sys.executable, "-I", str(ADMIN_TOOL)]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        path.chmod(0o700)
        return str(path)

    def _write_ltoken_file(self, *urls: str) -> str:
        """A file like the login tool's, with a line for every address and user that has a token."""
        addresses = dict.fromkeys((url.hostname, url.port or 80) for url in map(urlsplit, urls))
        rows = self.runtime.db.execute("SELECT name, ltoken FROM review_users WHERE ltoken IS NOT NULL ORDER BY rowid")
        tokens = [(row["name"], row["ltoken"]) for row in rows]
        lines = [f"{host};{port};{name};{token}\n" for host, port in addresses for name, token in tokens]
        path = self.runtime.state_path / "ltoken"
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_text("".join(lines), encoding="utf-8")
        return str(path)


def _page(request: Request, path: str) -> Response:
    """Answer for any other path than those of the API."""
    route = PAGES.find(request.method, path, {}).route
    if route is None:
        return HTMLResponse("<html><body><h1>404 Not Found</h1></body></html>", 404)
    route.enter(request)
    refused: Response = route.handler(path)
    return refused


def _major_and_minor(version: Any) -> tuple[str, str]:
    """:raises ValueError: when it is no text, for 20.10 is another version than the number 20.1, or no version"""
    if not isinstance(version, str) or not version[:1].isdecimal():
        raise ValueError(f"version takes a text such as '20.4', in quotes, not {version!r}")
    major, _dot, minor = version.partition(".")
    return major, minor


def _require_parameters(action: Action, parameters: Parameters) -> None:
    for name in action.required:
        if name not in parameters or not (parameters.text(name) or name in MAY_BE_EMPTY):
            raise missing_parameter(name)
