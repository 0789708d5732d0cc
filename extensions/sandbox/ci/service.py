# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ci service: restarts, authentication, crumbs and routing."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from ..http.routing import READ_METHODS, Route, RouteMatch, Routes
from ..runtime.runtime import Runtime
from ..runtime.switch_rules import Rules, check_version
from ..seeds.export import SeedExport
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from . import not_served
from .access import account_scripts, accounts, accounts_api, api_tokens, crumbs, login, users
from .access.permissions import READ
from .authorization import roles_api
from .builds import artifacts, build_api, logs
from .call import Call
from .cli import cli_api, jar
from .configuration import api as configuration_api
from .configuration import configuration
from .controller import Controller
from .credentials import credential_scripts, credentials_api
from .failures import FAILURES
from .http import error_pages
from .http.refusals import NotFound, Refusal
from .jobs import class_scripts, config_api, folder_api, job_api, views
from .lockable_resources import resources_api
from .nodes import agents, computers
from .plugins import install_api, plugin_api, security_scripts, update_center
from .queue import queue_api, triggers
from .script_security import approvals
from .scripts import console_api
from .seeds.export import export_seed
from .seeds.seed import SHAPE, Seeder
from .seeds.snapshot_seeds import convert_snapshot
from .state import NAME
from .state_tables import STATE_TABLES
from .storage import SCHEMA
from .system import management, restart_api, root
from .system.lifecycle import check_stages

# Registered by their import
MODULES_WITH_SCRIPTS = (account_scripts, approvals, class_scripts, credential_scripts, security_scripts)
ROUTES = Routes(
    (
        *root.ROUTES,
        *roles_api.ROUTES,
        *login.ROUTES,
        *crumbs.ROUTES,
        *users.ROUTES,
        *api_tokens.ROUTES,
        *accounts_api.ROUTES,
        *restart_api.ROUTES,
        *job_api.ROUTES,
        *config_api.ROUTES,
        *views.ROUTES,
        *credentials_api.ROUTES,
        *triggers.ROUTES,
        *queue_api.ROUTES,
        *build_api.ROUTES,
        *logs.ROUTES,
        *not_served.AHEAD,
        *artifacts.ROUTES,
        *build_api.UNKNOWN,
        *agents.ROUTES,
        *computers.ROUTES,
        *agents.PAGES,
        *console_api.ROUTES,
        *resources_api.ROUTES,
        *plugin_api.ROUTES,
        *install_api.ROUTES,
        *update_center.ROUTES,
        *cli_api.ROUTES,
        *configuration_api.ROUTES,
        *management.ROUTES,
        *folder_api.ROUTES,
        *not_served.ROUTES,
    )
)


class CiService(Service):
    """The simulated Jenkins."""

    name: ClassVar[str] = NAME
    prefixes: ClassVar[tuple[str, ...]] = (Call.context,)
    origin_check_paths: ClassVar[frozenset[str]] = frozenset({Call.context + cli_api.WEB_SOCKET_PATH})
    schema: ClassVar[str] = SCHEMA
    seed_schema = SHAPE
    state_tables = STATE_TABLES
    failures = FAILURES
    switches: ClassVar[dict[str, Any]] = {
        "version": "2.579",
        "csrf": True,
        "security": True,
        "anonymous_read": False,
        "security_realm": accounts.OWN_DATABASE,
        "admin_can_generate_tokens": False,
        "quiet_period": 5,
        "quiet_down_seconds": 0.0,
        "restart_seconds": 1.0,
        "restart_stages": [],
        "restart_supported": True,
        "restart_required": False,
        "install_seconds": 0.1,
        "session_id_header": True,
        "ssh_endpoint": "",
        "groovy_jar": "",
        "cli_upload_seconds": 15.0,
    }
    switch_rules: ClassVar[Rules] = {"version": check_version, "restart_stages": check_stages}

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._controller = Controller(runtime)
        self._controller.lifecycle.on_start(lambda: configuration.apply_at_start(self._controller))
        self._ssh: Any = None

    def forget(self) -> None:
        """Forget the sessions and the time of the last update."""
        self._controller.forget()

    def reset(self) -> None:
        """Reset to a server without any configuration."""
        super().reset()
        self._controller.reset()

    def process_due_events(self) -> None:
        """Process everything that is due."""
        self._controller.scheduler.settle(self.runtime.clock.now())

    def seed(self, data: dict[str, Any]) -> None:
        """Add the objects of a seed."""
        Seeder(self._controller).add(data)

    def export_seed(self) -> SeedExport:
        """Return the contents as a section of a seed."""
        return export_seed(self._controller)

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        """Convert a snapshot to seeds."""
        return convert_snapshot(snapshot)

    def uses_content(self, sha256: str) -> bool:
        """Return whether a build, a queue item or a setting refers to this content."""
        return self._controller.storage.mentions(sha256)

    def exports(self, base_url: str) -> dict[str, str]:
        """Return the URL, and the first administrator with an API token."""
        variables = {"JENKINS_URL": base_url + Call.context}
        if self._ssh:
            variables["SANDBOX_SSH_KNOWN_HOST"] = self._ssh.known_host
        for user in self._controller.storage.users():
            if user.tokens and "Overall/Administer" in user.permissions:
                return {**variables, "JENKINS_USER_ID": user.name, "JENKINS_API_TOKEN": user.tokens[0].value}
        return variables

    def list_secrets(self) -> Iterable[str]:
        """Return the passwords and API tokens of the users."""
        users = self._controller.storage.users()
        passwords = [user.password for user in users if user.password]
        return [*passwords, *(token.value for user in users for token in user.tokens)]

    async def start(self) -> None:
        """Start the SSH server, if it is enabled."""
        if self.ssh_address:
            from .cli import ssh

            self._ssh = ssh.Server(self._controller)
            self._controller.ssh_endpoint = await self._ssh.start(*self.ssh_address)

    async def stop(self) -> None:
        """Stop the Groovy process and the SSH server."""
        await self._controller.groovy.stop()
        if self._ssh:
            await self._ssh.stop()

    def control_routes(self) -> list[BaseRoute]:
        """Return the route of the control API for the client program."""
        return [jar.control_route(self._controller)]

    async def __call__(self, request: Request) -> Response:
        """Respond to a request."""
        now = self.runtime.clock.now()
        self._controller.scheduler.settle(now)
        call = Call(self._controller, request, now)
        views.redirect_through_view(call)
        found = _find_route(request.method, call.path)
        if found.route:
            found.route.enter(request)
        answer = restart_api.outage_response(call)
        if answer is None:
            answer = self._respond(call, found.route, found.decoded_parameters)
        return call.finish(await answer if inspect.isawaitable(answer) else answer)

    async def _respond(self, call: Call, route: Route | None, arguments: dict[str, str]) -> Response:
        try:
            call.principal = login.authenticate(call)
            if not route or not route.streams_body:
                await call.read_form()
            login.check_crumb(call)
            if not route or route.scope != "open":
                call.require(READ)
            if not route:
                raise NotFound
            if not route.streams_body and call.principal.may(READ):
                await call.read()
            with self.runtime.transaction():
                answer = route.handler(call, **arguments)
                self._controller.scheduler.settle(call.now)
            return await answer if inspect.isawaitable(answer) else answer
        except Refusal as refusal:
            return error_pages.to_response(refusal, call)


def _find_route(method: str, path: str) -> RouteMatch:
    """Return the route of a path. Below /manage/ are the paths of the server (hudson.model.ManageJenkinsAction).

    The sandbox has one page for all pages of the administration that it does not serve otherwise.
    """
    found = _match(method, path)
    if found.route not in (None, management.PAGE) or not path.startswith("/manage/") or path == "/manage/":
        return found
    below = _match(method, path.removeprefix("/manage"))
    is_page = below.route is not None and below.route.label == not_served.LABEL and method in READ_METHODS
    return found if is_page else below


def _match(method: str, path: str) -> RouteMatch:
    """Return the route of a path. Stapler ignores a slash at the end of a path, except for pages of objects.

    A route for all paths below an object must not hide the route of the path without the slash.
    """
    found, without_slash = ROUTES.find(method, path, {}), ROUTES.find(method, path.rstrip("/"), {})
    return without_slash if without_slash.precision > found.precision else found
