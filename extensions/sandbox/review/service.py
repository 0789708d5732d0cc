# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The review service: finds the action, asks who calls, and runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..seeding import keys
from ..service import Service
from . import accounts, projects, roles, server, views
from .access import authenticate
from .call import Call, Handler
from .catalogue import ACTIONS, Action
from .protocol import ActionError, Parameters, error_line, missing_parameter, read_parameters, record_lines
from .reference import reference_page
from .seeding import plant
from .storage import SCHEMA

API_PATH = b"/analysis/review/api"

HANDLERS: Mapping[str, Handler] = {
    **server.HANDLERS,
    **roles.HANDLERS,
    **accounts.HANDLERS,
    **projects.HANDLERS,
    **views.HANDLERS,
}

# The value may be empty: it then clears, or selects everything.
MAY_BE_EMPTY = ("query",)


class ReviewService(Service):
    """The code-analysis server's web API."""

    name: ClassVar[str] = "review"
    prefixes: ClassVar[tuple[str, ...]] = ("/analysis",)
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "access_control": True,
        "version_major": "20",
        "version_minor": "4",
        "streams": False,
        "all_failures_500": False,  # as some old servers are believed to answer
    }

    seed_shape = keys(
        "",
        users=[keys("name! password ltoken readonly")],
        groups=[keys("name! users readonly")],
        projects=[
            keys(
                "name! creator! description tags streams",
                modules=[keys("name! paths! allow_all tags")],
                views=[keys("name! query! creator is_public tags")],
            )
        ],
        roles=[
            keys("name! readonly permissions transitions", assignments=[keys("account! group project")]),
        ],
        licenses=[keys("feature! version! count! days_to_expiry! permanent servers")],
    )

    async def __call__(self, request: Request) -> Response:
        if request.scope["raw_path"] != API_PATH:
            return HTMLResponse("<html><body><h1>404 Not Found</h1></body></html>", 404)
        if request.method in ("GET", "HEAD"):
            return reference_page()
        if request.method != "POST":
            page = "<html><body><h1>405 Method Not Allowed</h1></body></html>"
            return HTMLResponse(page, 405, {"Allow": "GET, HEAD, POST"})
        try:
            return await self._act(request)
        except ActionError as error:
            status = 500 if self.world.switch("review", "all_failures_500") else error.status
            return error_line(status, error.message)

    async def _act(self, request: Request) -> Response:
        parameters = await read_parameters(request)
        name = parameters.text("action")
        action = ACTIONS.get(name)
        request.scope["sandbox.effect"] = "write" if action and action.writes else "read"
        if name:
            request.scope["sandbox.label"] = name
        if not parameters.text("user"):
            raise missing_parameter("user")
        access = authenticate(self.world, parameters.text("user"), parameters.text("ltoken"))
        access.require_web_api()
        if not name:
            raise missing_parameter("action")
        if action is None:
            raise ActionError(400, f"Unknown action: {name}")
        if name not in HANDLERS:
            raise ActionError(501, f"The sandbox does not serve this action yet: {name}")
        _require_parameters(action, parameters)
        with self.world.transaction():
            return record_lines(HANDLERS[name](Call(self.world, access, parameters)) or ())

    def seed(self, data: dict[str, Any]) -> None:
        plant(self.world.db, data)

    def exports(self, base_url: str) -> dict[str, str]:
        return {"KLOCWORK_URL": f"{base_url}/analysis", "KLOCWORK_LTOKEN": self._write_ltoken_file(base_url)}

    def _write_ltoken_file(self, base_url: str) -> str:
        """A file like the login tool's, with a line for every user that has a token."""
        address = urlsplit(base_url)
        rows = self.world.db.execute("SELECT name, ltoken FROM review_users WHERE ltoken IS NOT NULL ORDER BY rowid")
        lines = [f"{address.hostname};{address.port or 80};{row['name']};{row['ltoken']}\n" for row in rows]
        path = self.world.state / "ltoken"
        path.touch(mode=0o600)
        path.write_text("".join(lines), encoding="utf-8")
        return str(path)


def _require_parameters(action: Action, parameters: Parameters) -> None:
    for name in action.required:
        if name not in parameters or not (parameters.text(name) or name in MAY_BE_EMPTY):
            raise missing_parameter(name)
