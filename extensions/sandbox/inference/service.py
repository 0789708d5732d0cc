# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference service: finds the endpoint, asks whose key it is, and answers."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any, ClassVar, NamedTuple
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from ..seeding import keys
from ..service import Service
from ..world import World
from .chat import complete
from .errors import ApiError
from .keys import Caller, authenticate, key_class, require_scope
from .limits import RateLimits
from .models import delete_model, list_models, retrieve_model, tuning_limits
from .protocol import json_response, require_json
from .replies import Replies
from .storage import SCHEMA, plant

PREFIX = "/inference"


class Endpoint(NamedTuple):
    """A path with the methods that it takes: for each the label in the journal, and the scope that it needs."""

    path: re.Pattern[str]
    methods: dict[str, tuple[str, str]]


def _endpoint(path: str, **methods: tuple[str, str]) -> Endpoint:
    return Endpoint(re.compile(path), methods)


ENDPOINTS = (
    _endpoint("/v1/chat/completions", POST=("chat", "model.request")),
    _endpoint("/v1/models", GET=("list_models", "api.model.read")),
    _endpoint("/v1/models/([^/]+)", GET=("retrieve_model", "api.model.read"), DELETE=("delete_model", "api.delete")),
    _endpoint("/v1/fine_tuning/model_limits", GET=("tuning_limits", "api.model.read")),
    _endpoint("/v1/organization/users", GET=("organization_users", "api.management.read")),
    _endpoint("/v1/organization/admin_api_keys", GET=("admin_api_keys", "api.management.read")),
    _endpoint("/v1/organization/projects", GET=("organization_projects", "api.management.read")),
    _endpoint("/v1/organizations", GET=("organizations", "api.management.read")),
    _endpoint("/v1/dashboard/organizations/[^/]+/projects/[^/]+/users", GET=("project_users", "session")),
    _endpoint("/dashboard/rate_limits", GET=("rate_limits", "session")),
    _endpoint("/dashboard/billing/subscription", GET=("subscription", "session")),
    _endpoint("/dashboard/user/api_keys", GET=("user_api_keys", "session")),
    _endpoint("/dashboard/feature_flags", GET=("feature_flags", "session")),
)


class InferenceService(Service):
    """The model-inference API."""

    name: ClassVar[str] = "inference"
    prefixes: ClassVar[tuple[str, ...]] = (PREFIX,)
    spells_headers: ClassVar[bool] = False
    schema: ClassVar[str] = SCHEMA
    switches: ClassVar[dict[str, Any]] = {
        "chat_failure": "",  # a name in errors.FAILURES, with which every chat request then fails,
        "chat_failure_headers": {},  # and headers of these failures, such as another Retry-After
        "enforce_rate_limits": False,
        "bare_scope_errors": False,
    }

    seed_shape = keys(
        "replies",
        organizations=[keys("id! name!", projects=[keys("id! name!")])],
        keys=[keys("key! organization! project scopes")],
        models=[
            keys(
                "id! created! owned_by snapshot chat reasoning requests_per_minute tokens_per_minute",
                fine_tuning=keys("max_pending_jobs max_jobs_per_day"),
            )
        ],
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._limits = RateLimits(world)
        self._replies = Replies(world)

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
        path = request.scope["raw_path"].decode("latin-1").removeprefix(PREFIX)
        call = f"{request.method} {path}"
        label, scope, argument = _find(request.method, path)
        request.scope["sandbox.effect"] = "write" if label in ("chat", "delete_model") else "read"
        request.scope["sandbox.label"] = label
        caller = authenticate(self.world, request)
        headers["openai-organization"] = caller.organization_name
        require_scope(self.world, caller, scope, call)
        return await self._answer(request, caller, label, argument)

    async def _answer(self, request: Request, caller: Caller, label: str, argument: str) -> Response:
        match label:
            case "chat":
                require_json(request)
                return complete(self.world, self._limits, self._replies, caller, await request.body())
            case "list_models":
                return json_response(list_models(self.world))
            case "retrieve_model":
                return json_response(retrieve_model(self.world, argument))
            case "delete_model":
                return json_response(delete_model(self.world, argument))
            case "tuning_limits":
                return json_response(tuning_limits(self.world))
        message = f"The sandbox does not serve this call yet: {request.method} {request.url.path.removeprefix(PREFIX)}"
        raise ApiError(501, message, type="not_implemented", code="not_implemented")

    def seed(self, data: dict[str, Any]) -> None:
        plant(self.world.db, data)
        for reply in data.get("replies", []):
            self._replies.add(reply)

    def reset(self) -> None:
        super().reset()
        self._limits.clear()

    def exports(self, base_url: str) -> dict[str, str]:
        keys = [row["key"] for row in self.world.db.execute("SELECT key FROM inference_keys ORDER BY rowid")]
        return {
            "OPENAI_BASE_URL": f"{base_url}{PREFIX}/v1",
            "OPENAI_API_KEY": next((key for key in keys if key_class(key) == "secret"), ""),
            "OPENAI_ADMIN_KEY": next((key for key in keys if key_class(key) == "admin"), ""),
        }

    def control_routes(self) -> list[BaseRoute]:
        return [self._replies.route(self.world)]


def _find(method: str, path: str) -> tuple[str, str, str]:
    """The label and scope of a call, and the argument that is in its path."""
    for endpoint in ENDPOINTS:
        found = endpoint.path.fullmatch(path)
        if found is None:
            continue
        if method not in endpoint.methods:
            message = f"Not allowed to {method} on {path} (HINT: Perhaps you meant to use a different HTTP method?)"
            raise ApiError(405, message, code="method_not_supported", headers={"Allow": ", ".join(endpoint.methods)})
        return *endpoint.methods[method], unquote(found[1]) if found.groups() else ""
    raise ApiError(404, f"Invalid URL ({method} {path})")
