# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference service: finds the endpoint, asks whose key it is, and answers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from ..http.routing import Routes
from ..runtime.runtime import Runtime
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from . import admin, chat, dashboards, models, not_served, stored
from .call import Call
from .errors import ApiError
from .keys import authenticate, key_class, require_scope
from .limits import RateLimits
from .protocol import PREFIX, json_response, public_path
from .replies import Replies
from .seeding import SEED_SHAPE, plant
from .snapshot import parts
from .storage import SCHEMA
from .summary import SUMMARY

ROUTES = Routes((*chat.ROUTES, *stored.ROUTES, *models.ROUTES, *admin.ROUTES, *dashboards.ROUTES, *not_served.ROUTES))


class InferenceService(Service):
    """The model-inference API."""

    name: ClassVar[str] = "inference"
    prefixes: ClassVar[tuple[str, ...]] = (PREFIX,)
    has_canonical_headers: ClassVar[bool] = False
    client_origins: ClassVar[frozenset[str]] = frozenset({"https://platform.openai.com"})
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "chat_failure": "",  # a name in errors.FAILURES, with which every chat request then fails,
        "chat_failure_headers": {},  # and headers of these failures, such as another Retry-After
        "enforce_rate_limits": False,
        "bare_scope_errors": False,
        "bare_admin_errors": False,
        "admin_calls_per_minute": 0,  # of each call; 0: as many as one likes
        "dashboards_want_browser": False,
    }

    seed_schema = SEED_SHAPE
    state_queries = SUMMARY

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._limits = RateLimits(runtime)
        self._replies = Replies(runtime)

    async def __call__(self, request: Request) -> Response:
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
        found = ROUTES.find(method, path, request.query_params)
        if found.route is None:
            raise _not_there(method, path, found.allowed_methods)
        found.route.enter(request)
        caller = authenticate(self.runtime, request)
        headers["openai-organization"] = caller.organization_name
        if found.route in admin.ROUTES:
            self._limits.count_admin_call(request.headers["authorization"], found.route.label)
        require_scope(self.runtime, caller, str(found.route.scope), f"{method} {path}")
        call = Call(request, caller, self.runtime, self._limits, self._replies)
        response: Response = await found.route.handler(call, **found.decoded_parameters)
        return response

    def seed(self, data: dict[str, Any]) -> None:
        plant(self.runtime.db, data)
        for reply in data.get("replies", []):
            self._replies.add(reply)

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        return parts(snapshot)

    def reset(self) -> None:
        super().reset()
        self._limits.clear()

    def exports(self, base_url: str) -> dict[str, str]:
        keys = [row["key"] for row in self.runtime.db.execute("SELECT key FROM inference_keys ORDER BY rowid")]
        first = {key_class(key): key for key in reversed(keys)}
        return {
            "OPENAI_BASE_URL": f"{base_url}{PREFIX}/v1",
            "OPENAI_API_KEY": first.get("secret", ""),
            "OPENAI_ADMIN_KEY": first.get("admin", ""),
            "SANDBOX_SESSION_TOKEN": first.get("session", ""),
            "TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE": "0",
        }

    def control_routes(self) -> list[BaseRoute]:
        return [self._replies.route(self.runtime)]


def _not_there(method: str, path: str, allowed: tuple[str, ...]) -> ApiError:
    """The refusal of a call that the API does not have."""
    if not allowed:
        return ApiError(404, f"Invalid URL ({method} {path})")
    message = f"Not allowed to {method} on {path} (HINT: Perhaps you meant to use a different HTTP method?)"
    return ApiError(405, message, code="method_not_supported", headers={"Allow": ", ".join(allowed)})
