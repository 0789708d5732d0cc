# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ci service: takes a request through outage, login and crumb to its handler."""

from __future__ import annotations

import inspect
import secrets
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import Response

from ..seeding import keys
from ..service import Service
from ..world import World
from . import builds, computers, jobs, lifecycle, pages, plugins, queue, root, security
from .call import Call, Route
from .permissions import READ
from .scheduler import Scheduler
from .seeding import Seeder
from .store import SCHEMA, Store

ROUTES: tuple[Route, ...] = (
    *root.ROUTES,
    *lifecycle.ROUTES,
    *jobs.ROUTES,
    *queue.ROUTES,
    *builds.ROUTES,
    *computers.ROUTES,
    *plugins.ROUTES,
    *root.NOT_SERVED,
)


class CiService(Service):
    """A stand-in for Jenkins."""

    name: ClassVar[str] = "ci"
    prefixes: ClassVar[tuple[str, ...]] = (Call.context,)
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "version": "2.579",
        "csrf": True,
        "security": True,
        "anonymous_read": False,
        "quiet_period": 5,
        "restart_seconds": 1.0,
        "restart_supported": True,
        "restart_required": False,
        "session_id_header": True,
        "ssh_endpoint": "",
    }

    seed_shape = keys(
        "url executors restart_required",
        users=[keys("name! password! full_name tokens permissions")],
        plugins=[
            keys(
                "name! version! long_name active enabled deleted pinned has_update backup_version url"
                " required_core_version minimum_java_version supports_dynamic_load",
                dependencies=[keys("name! version! optional")],
            )
        ],
        jobs=[
            keys(
                "name! config description command seconds quiet_period trigger_token disabled concurrent",
                parameters=[keys("name! type default choices description")],
                builds=[keys("result seconds ago keep parameters")],
            )
        ],
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.store = Store(world.db)
        self.sessions = security.Sessions()
        self.lifecycle = lifecycle.Lifecycle(self)
        self.scheduler = Scheduler(self)

    def reset(self) -> None:
        super().reset()
        self.scheduler.reset()
        self.store.set("crumb_salt", secrets.token_hex(16))
        self.store.set("executors", 2)
        self.lifecycle.boot()

    def seed(self, data: dict[str, Any]) -> None:
        Seeder(self).add(data)

    def exports(self, base_url: str) -> dict[str, str]:
        """The address, and the first administrator with an API token."""
        variables = {"JENKINS_URL": base_url + Call.context}
        for user in self.store.users():
            if user.tokens and "Overall/Administer" in user.permissions:
                return {**variables, "JENKINS_USER_ID": user.name, "JENKINS_API_TOKEN": user.tokens[0]}
        return variables

    async def __call__(self, request: Request) -> Response:
        now = self.world.clock.now()
        self.scheduler.settle(now)
        call = Call(self, request, now)
        route, arguments = _find(call.path)
        if route:
            _note(request, route)
        outage = self.lifecycle.outage(call)
        if outage is None:
            return call.finish(await self._answer(call, route, arguments))
        return call.finish(outage)

    async def _answer(self, call: Call, route: Route | None, arguments: dict[str, str]) -> Response:
        await call.read()
        try:
            call.principal = security.authenticate(call)
            security.check_crumb(call)
            call.read_parts()
            if not route or not route.open:
                call.require(READ)
            if not route:
                raise pages.NotFound
            with self.world.transaction():
                answer = route.handler(call, **arguments)
                self.scheduler.settle(call.now)
            return await answer if inspect.isawaitable(answer) else answer
        except pages.Refusal as refusal:
            return refusal.answer(call)


def _find(path: str) -> tuple[Route | None, dict[str, str]]:
    for route in ROUTES:
        arguments = route.match(path)
        if arguments is not None:
            return route, arguments
    return None, {}


def _note(request: Request, route: Route) -> None:
    """Tell the journal, before anything has happened."""
    if route.reads:
        request.scope["sandbox.effect"] = "read"
    request.scope["sandbox.label"] = route.label
