# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference service: routing, authentication and error responses."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from ..http.routing import Routes
from ..runtime.runtime import Runtime
from ..runtime.switch_rules import Rules, check_headers
from ..seeds.export import SeedExport
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from . import admin, dashboards, models, not_served
from .call import Call
from .chat import completions, stored_completions
from .chat.scripted_replies import ScriptedReplies
from .failures import FAILURES
from .keys import authenticate, get_key_class, require_scope
from .protocol.errors import FAILURES as CHAT_FAILURES
from .protocol.errors import ApiError
from .protocol.json_bodies import PREFIX, json_response, public_path
from .rate_limits import RateLimits
from .schema import SCHEMA
from .seeds.export import export_seed
from .seeds.seed import SEED_SHAPE, apply_seed
from .seeds.snapshot_seeds import convert_snapshot
from .state_tables import STATE_TABLES

ROUTES = Routes(
    (
        *completions.ROUTES,
        *stored_completions.ROUTES,
        *models.ROUTES,
        *not_served.ROUTES,
        *admin.ROUTES,
        *dashboards.ROUTES,
    )
)


class InferenceService(Service):
    """The OpenAI-compatible API."""

    name: ClassVar[str] = "inference"
    prefixes: ClassVar[tuple[str, ...]] = (PREFIX,)
    has_canonical_headers: ClassVar[bool] = False
    client_origins: ClassVar[frozenset[str]] = frozenset({"https://platform.openai.com"})
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "chat_failure": "",  # name of errors.FAILURES with which every chat request fails
        "chat_failure_headers": {},  # headers of these failures, such as Retry-After
        "enforce_rate_limits": False,
        "bare_scope_errors": False,
        "bare_admin_errors": False,
        "admin_calls_per_minute": 0,  # per endpoint; 0: unlimited
        "dashboards_want_browser": False,
    }
    switch_rules: ClassVar[Rules] = {
        "chat_failure": ("", *CHAT_FAILURES),
        "chat_failure_headers": check_headers,
    }

    seed_schema = SEED_SHAPE
    state_tables = STATE_TABLES
    failures = FAILURES

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._limits = RateLimits(runtime)
        self._replies = ScriptedReplies(runtime)

    async def __call__(self, request: Request) -> Response:
        """Respond to a request."""
        began = time.perf_counter()
        headers = {"x-request-id": f"req_{uuid.uuid4().hex}", "openai-version": "2020-10-01"}
        try:
            response = await self._serve(request, headers)
        except ApiError as error:
            response = json_response(error.body, error.status, error.headers)
        headers["openai-processing-ms"] = str(round((time.perf_counter() - began) * 1000))
        response.headers.update(headers)
        return response

    async def _serve(self, request: Request, headers: dict[str, str]) -> Response:
        method, path = request.method, public_path(request)
        match = ROUTES.find(method, path, request.query_params)
        if match.route is None:
            raise _unknown_path_error(method, path, match.allowed_methods)
        match.route.enter(request)
        caller = authenticate(self.runtime, request)
        headers["openai-organization"] = caller.organization_name
        if match.route in admin.ROUTES:
            self._limits.count_admin_call(request.headers["authorization"], match.route.label)
        require_scope(self.runtime, caller, str(match.route.scope), f"{method} {path}")
        call = Call(request, caller, self.runtime, self._limits, self._replies)
        response: Response = await match.route.handler(call, **match.decoded_parameters)
        return response

    def seed(self, data: dict[str, Any]) -> None:
        """Add the objects and replies of a seed."""
        apply_seed(self.runtime.db, data, int(self.runtime.clock.now()))
        for reply in data.get("replies", []):
            self._replies.add(reply)

    def export_seed(self) -> SeedExport:
        """Return the contents as a section of a seed."""
        return export_seed(self.runtime.db)

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        """Convert a snapshot to seeds."""
        return convert_snapshot(snapshot)

    def forget(self) -> None:
        """Refill the rate limits."""
        self._limits.clear()

    def exports(self, base_url: str) -> dict[str, str]:
        """Return the environment variables for clients, with the first key of each class."""
        keys = [row["key"] for row in self.runtime.db.execute("SELECT key FROM inference_keys ORDER BY rowid")]
        first = {get_key_class(key): key for key in reversed(keys)}
        return {
            "OPENAI_BASE_URL": f"{base_url}{PREFIX}/v1",
            "OPENAI_API_KEY": first.get("secret", ""),
            "OPENAI_ADMIN_KEY": first.get("admin", ""),
            "SANDBOX_SESSION_TOKEN": first.get("session", ""),
            "TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE": "0",
        }

    def list_secrets(self) -> Iterable[str]:
        """Return all keys."""
        return [row["key"] for row in self.runtime.db.execute("SELECT key FROM inference_keys")]

    def control_routes(self) -> list[BaseRoute]:
        """Return the routes of the control API for scripted replies."""
        return [self._replies.route(self.runtime)]


def _unknown_path_error(method: str, path: str, allowed: tuple[str, ...]) -> ApiError:
    """Return the 404 or 405 error of a call that the API does not have."""
    if not allowed:
        return ApiError(404, f"Invalid URL ({method} {path})")
    message = f"Not allowed to {method} on {path} (HINT: Perhaps you meant to use a different HTTP method?)"
    return ApiError(405, message, code="method_not_supported", headers={"Allow": ", ".join(allowed)})
