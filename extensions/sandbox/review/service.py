# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The review service, which simulates Klocwork."""

from __future__ import annotations

import pathlib
import shlex
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from ..http.routing import Route, Routes
from ..http.streaming import stream_query
from ..runtime.switch_rules import Rules, check_texts, check_version
from ..seeds.export import SeedExport
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from .access import accounts, roles
from .access.permissions import Access, authenticate
from .admin_tool import commands
from .api import not_served, system
from .api.actions import ACTIONS, Action
from .api.call import API_PATH, Call, major_version
from .api.protocol import (
    HEADERS,
    ActionError,
    Parameters,
    empty_response,
    encode_records,
    error_response,
    missing_parameter,
    read_parameters,
)
from .api.reference_page import render_reference_page
from .failures import FAILURES
from .issues import issues
from .projects import builds, ci_builds, defect_types, imports, modules, projects, views
from .reports import compliance, metrics, reports
from .seeds.export import export_seed
from .seeds.seed import SEED_SCHEMA, add_seed
from .seeds.snapshot import convert_snapshot
from .state_tables import STATE_TABLES
from .storage import SCHEMA

PREFIX = "/analysis"
ADMIN_TOOL = pathlib.Path(__file__).with_name("admin_tool") / "kwadmin.py"

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

# Required parameters that may be empty
MAY_BE_EMPTY = ("query",)


class ReviewService(Service):
    """The web API of Klocwork, and the server's side of kwadmin."""

    name: ClassVar[str] = "review"
    prefixes: ClassVar[tuple[str, ...]] = (PREFIX,)
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "access_control": True,
        "version_major": "20",
        "version_minor": "4",
        "streams": False,
        "module_access_lists": False,  # whether access lists are returned; not known for real servers
        "import_seconds": 0.1,  # duration of an import
        "import_failure": "",  # message with which imports fail; empty if they succeed
        "list_completed_imports": True,  # whether completed imports are listed; not known for real servers
        "kwadmin_warnings": [],  # warnings that kwadmin prints with every command
        "grouping_by_default": True,  # like servers up to 2019
        "extended_keywords": True,  # keywords of queries that real servers may not have
        "all_failures_500": False,  # status 500 for all errors, like some old servers
    }
    switch_rules: ClassVar[Rules] = {
        "version_major": check_version,
        "version_minor": check_version,
        "kwadmin_warnings": check_texts,
    }

    seed_schema = SEED_SCHEMA
    state_tables = STATE_TABLES
    failures = FAILURES

    async def __call__(self, request: Request) -> Response:
        """Serve a request."""
        path = request.scope["raw_path"].decode("latin-1").removeprefix(PREFIX)
        if path == commands.ADMIN_PATH:
            return await self._run_command(request)
        if path != API_PATH:
            return _serve_page(request, path)
        if request.method in ("GET", "HEAD"):
            return render_reference_page(major_version(self.runtime))
        if request.method != "POST":
            page = "<html><body><h1>405 Method Not Allowed</h1></body></html>"
            return HTMLResponse(page, 405, {"Allow": "GET, HEAD, POST"})
        try:
            return await self._run_action(request)
        except ActionError as error:
            status = 500 if self.runtime.get_switch("review", "all_failures_500") else error.status
            return error_response(status, error.message)

    async def _run_action(self, request: Request) -> Response:
        parameters = await read_parameters(request)
        route = ROUTES.find("POST", API_PATH, parameters).route
        if route is not None:
            route.enter(request)
        access = self._authenticate(parameters)
        if not parameters.text("action"):
            raise missing_parameter("action")
        if route is None or ACTIONS[route.label].since_version > major_version(self.runtime):
            raise ActionError(400, f"Unknown action: {parameters.text('action')}")
        _require_parameters(ACTIONS[route.label], parameters)
        imports.complete_due_imports(self.runtime)
        return await self._respond(route, access, parameters, self._client_url(request))

    async def _run_command(self, request: Request) -> Response:
        """Run a command of kwadmin."""
        warnings = self.runtime.get_switch("review", "kwadmin_warnings")
        try:
            parameters = await read_parameters(request)
            route = commands.ROUTES.find("POST", commands.ADMIN_PATH, parameters).route
            if route is not None:
                route.enter(request)
            access = authenticate(self.runtime, parameters.text("user"), parameters.text("ltoken"))
            if route is None:
                raise ActionError(400, f"Unknown command: {parameters.text('command')}")
            imports.complete_due_imports(self.runtime)
            call = Call(self.runtime, self.runtime.db, access, parameters, self._client_url(request))
            with self.runtime.transaction():
                encode_records = list(route.handler(call) or ())
        except ActionError as error:
            return JSONResponse({"message": error.message, "warnings": warnings}, error.status)
        return JSONResponse({"lines": encode_records, "warnings": warnings})

    async def _respond(self, route: Route, access: Access, parameters: Parameters, url: str) -> Response:
        """Run an action. Actions that read run in a thread if they can take long."""
        if ACTIONS[route.label].is_write:
            with self.runtime.transaction():
                route.handler(Call(self.runtime, self.runtime.db, access, parameters, url))
            return empty_response()
        if ACTIONS[route.label].returns_file:
            content = route.handler(Call(self.runtime, self.runtime.db, access, parameters, url))
            return Response(content, media_type="application/octet-stream")

        def records(db: sqlite3.Connection) -> Iterator[str]:
            return encode_records(route.handler(Call(self.runtime, db, access, parameters, url)))

        return await stream_query(self.runtime.readers, records, HEADERS)

    def _client_url(self, request: Request) -> str:
        """Return the address of the server, as the caller uses it."""
        return self.own_url or str(request.base_url).rstrip("/") + PREFIX

    def _authenticate(self, parameters: Parameters) -> Access:
        if not parameters.text("user"):
            raise missing_parameter("user")
        access = authenticate(self.runtime, parameters.text("user"), parameters.text("ltoken"))
        access.require_web_api()
        return access

    def reset(self) -> None:
        """Delete all data."""
        super().reset()
        self.runtime.db.execute("DELETE FROM sqlite_sequence WHERE name GLOB 'review_*'")  # restart IDs at 1

    def process_due_events(self) -> None:
        """Complete the imports that are due."""
        imports.complete_due_imports(self.runtime)

    def seed(self, data: dict[str, Any]) -> None:
        """Add the contents of a section of a seed."""
        switches: dict[str, Any] = {name: data[name] for name in ("streams", "module_access_lists") if name in data}
        if "version" in data:
            switches["version_major"], switches["version_minor"] = _split_version(data["version"])
        self.runtime.set_switches({self.name: switches})
        add_seed(self.runtime.db, data)

    def export_seed(self) -> SeedExport:
        """Return the contents as a section of a seed."""
        return export_seed(self.runtime)

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        """Yield sections of seeds with the contents of a snapshot."""
        return convert_snapshot(snapshot)

    def exports(self, base_url: str) -> dict[str, str]:
        """Write the ltoken file and the kwadmin program, and return the environment variables."""
        url = self.own_url or f"{base_url}{PREFIX}"
        return {
            "KLOCWORK_URL": url,
            "KLOCWORK_LTOKEN": self._write_ltoken_file(base_url, url),
            "SANDBOX_KWADMIN": self._write_admin_tool(),
        }

    def list_secrets(self) -> Iterable[str]:
        """Return the passwords and tokens of the users."""
        rows = self.runtime.db.execute("SELECT password, ltoken FROM review_users")
        return filter(None, (secret for row in rows for secret in row))

    def _write_admin_tool(self) -> str:
        """Write a program in place of kwadmin that runs with this Python, and return its path."""
        path = self.runtime.state_path / "sandbox-kwadmin"
        command = [sys.executable, "-I", str(ADMIN_TOOL)]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
        path.chmod(0o700)
        return str(path)

    def _write_ltoken_file(self, *urls: str) -> str:
        """Write an ltoken file with a line for each address and each user with a token, and return its path."""
        addresses = dict.fromkeys((url.hostname, url.port or 80) for url in map(urlsplit, urls))
        rows = self.runtime.db.execute("SELECT name, ltoken FROM review_users WHERE ltoken IS NOT NULL ORDER BY rowid")
        tokens = [(row["name"], row["ltoken"]) for row in rows]
        encode_records = [f"{host};{port};{name};{token}\n" for host, port in addresses for name, token in tokens]
        path = self.runtime.state_path / "ltoken"
        path.touch(mode=0o600)
        path.chmod(0o600)
        path.write_text("".join(encode_records), encoding="utf-8")
        return str(path)


def _serve_page(request: Request, path: str) -> Response:
    """Serve a path outside the API."""
    route = PAGES.find(request.method, path, {}).route
    if route is None:
        return HTMLResponse("<html><body><h1>404 Not Found</h1></body></html>", 404)
    route.enter(request)
    response: Response = route.handler(path)
    return response


def _split_version(version: Any) -> tuple[str, str]:
    """Return the major and minor version.

    :raises ValueError: if it is not a string such as '20.4'; the numbers 20.10 and 20.1 are equal
    """
    if not isinstance(version, str) or not version[:1].isdecimal():
        raise ValueError(f"version must be a string such as '20.4', in quotes, not {version!r}")
    major, _dot, minor = version.partition(".")
    return major, minor


def _require_parameters(action: Action, parameters: Parameters) -> None:
    for name in action.required:
        if name not in parameters or not (parameters.text(name) or name in MAY_BE_EMPTY):
            raise missing_parameter(name)
