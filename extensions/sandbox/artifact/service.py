# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service itself: which call goes where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote

from starlette.requests import Request
from starlette.responses import Response

from ..http.routing import (
    ANY,
    Route,
    RouteMatch,
    Routes,
)
from ..runtime.runtime import Runtime
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from .access import (
    legacy_token_api,
    permission_target_api,
    token_api,
    user_api,
)
from .access.accounts import (
    ANONYMOUS,
    CHALLENGE,
    InvalidCredentials,
    Principal,
)
from .builds import (
    build_api,
    build_promotion,
    pattern_artifacts,
    records,
    retention,
)
from .call import PRO_SCOPE, Call, decode_path
from .content import (
    content_path,
    download,
    upload,
    webdav,
)
from .images import (
    image_promotion,
    pull,
    push,
    registry,
)
from .items import (
    item_info,
    properties,
    relocation,
    trash,
)
from .maven import maven_api
from .protocol import feature_versions, methods
from .protocol.errors import (
    AccessError,
    ApiError,
    ArtifactError,
    RequestLineTooLong,
)
from .protocol.negotiation import PRODUCED, join_accept, negotiate
from .protocol.versions import is_at_least, revision
from .repositories import repository_api
from .schema import SCHEMA
from .search import aql_api, field_searches, name_search
from .seeds.seed import SEED_SHAPE, plant
from .seeds.snapshot_seeds import parts
from .state import State
from .state_queries import SUMMARY
from .system import (
    central_configuration,
    storage_summary,
    system_api,
    unimplemented,
)

# Where browsers are sent to the user interface
HOME = ("/", "/webapp")
NODE_ID = "5f0e1ab1c3d24e6a"

ROUTES = Routes(
    (
        *system_api.ROUTES,
        *central_configuration.ROUTES,
        *unimplemented.AHEAD,
        *repository_api.ROUTES,
        *item_info.ROUTES,
        *properties.ROUTES,
        *image_promotion.ROUTES,
        *pull.ROUTES,
        *push.ROUTES,
        *maven_api.ROUTES,
        *name_search.ROUTES,
        *field_searches.ROUTES,
        *aql_api.ROUTES,
        *build_promotion.ROUTES,
        *retention.ROUTES,
        *pattern_artifacts.ROUTES,
        *build_api.ROUTES,
        *trash.ROUTES,
        *relocation.ROUTES,
        *storage_summary.ROUTES,
        *legacy_token_api.ROUTES,
        *permission_target_api.ROUTES,
        *user_api.ROUTES,
        *upload.ROUTES,
        *download.ROUTES,
        *webdav.ROUTES,
        *unimplemented.ROUTES,
    )
)
ACCESS_ROUTES = Routes((*token_api.ROUTES, *unimplemented.ACCESS_ROUTES))


class ArtifactService(Service):
    """The artifact repository with its token service."""

    name = "artifact"
    prefixes = ("/artifactory", "/access", registry.ROOT)
    schema = SCHEMA + records.SCHEMA
    seed_schema = SEED_SHAPE
    state_queries = SUMMARY
    switches: ClassVar[dict[str, Any]] = {
        "version": "7.77.3",
        "edition": "pro",  # or oss
        "anonymous": False,
        "hide_unauthorized": False,
        "trashcan": True,
        "disk_full": False,
        "search_limit": 1000,  # results of a quick search that an ordinary account gets at most
        "pattern_search_times_out": False,
        "aql_hard_limit": 0,  # rows after which the answer to a query is trimmed; 0 is none
        "dry_run_promotes": "never",  # or with_status: when it comes with a status, or always
        "longest_request_line": 8192,  # bytes
        "image_marker": "offset",  # what `last` is in the pages of images: offset or name
        "persistency_threshold": 10800,  # tokens that live shorter (seconds) are not stored
        "default_token_expiry": 31536000,
        "basic_creates_tokens": True,
        "login_blocks": True,  # after several failed logins
    }

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._state = State(runtime)

    def seed(self, data: dict[str, Any]) -> None:
        plant(self._state, data)

    def reset(self) -> None:
        super().reset()
        self._state.accounts.logins.clear()
        self._state.uploads.clear()

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        return parts(snapshot)

    def uses_content(self, sha256: str) -> bool:
        found = self.runtime.db.execute("SELECT 1 FROM artifact_items WHERE sha256 = ?", (sha256,))
        return found.fetchone() is not None

    def exports(self, base_url: str) -> dict[str, str]:
        token = self._state.tokens.get_exported()
        return {"JFROG_URL": base_url, **({"JFROG_ACCESS_TOKEN": token} if token else {})}

    async def __call__(self, request: Request) -> Response:
        await self._state.uploads.remove_expired()
        path = request.scope["raw_path"].decode("latin-1")
        try:
            self._check_length(request)
            if path.startswith("/access"):
                response = await self._access(request, path.removeprefix("/access").rstrip("/"))
            else:
                content_path.check_encoding(path)
                at_root = path.startswith(registry.ROOT)
                below = registry.to_artifactory_path(path) if at_root else path.removeprefix("/artifactory")
                if request.method == "TRACE":
                    raise methods.refuse_trace(below)
                response = await self._artifactory(request, below)
        except ApiError as error:
            response = error.to_response()
        version = self.runtime.get_switch("artifact", "version")
        response.headers["Server"] = f"Artifactory/{version}"
        response.headers["X-Artifactory-Id"] = NODE_ID
        response.headers["X-Artifactory-Node-Id"] = system_api.NODE_NAME
        if is_at_least(version, feature_versions.VERSION_HEADER):
            response.headers["X-JFrog-Version"] = f"Artifactory/{version} {revision(version)}"
        return response

    def _check_length(self, request: Request) -> None:
        line = b" ".join((request.method.encode(), _target(request), b"HTTP/1.1"))
        if len(line) > self.runtime.get_switch("artifact", "longest_request_line"):
            raise RequestLineTooLong

    async def _access(self, request: Request, path: str) -> Response:
        is_oss = self.runtime.get_switch("artifact", "edition") == "oss"
        if is_oss or not is_at_least(self.runtime.get_switch("artifact", "version"), feature_versions.TOKENS):
            raise AccessError(404, "HTTP 404 Not Found")
        query = _query(request)
        found = ACCESS_ROUTES.find(request.method, path, query)
        if found.route is None:
            status = 405 if found.allowed_methods else 404
            raise AccessError(status, f"HTTP {status}")
        found.route.enter(request)
        return await found.route.handler(Call(request, self._state, query), **found.decoded_parameters)

    async def _artifactory(self, request: Request, path: str) -> Response:
        if not path:  # The web server sends the bare name of an application to its root, before any filter.
            return Response(status_code=302, headers={"Location": str(request.url.replace(path="/artifactory/"))})
        # An encoded slash parts a path like a plain one.
        if not path.startswith("/api/build/"):  # where it is a part of a name
            path = content_path.strip_browser_prefix("/" + path.replace("%2F", "/").replace("%2f", "/").lstrip("/"))
        if path in HOME and request.method == "GET":  # before it is asked who calls
            return Response(status_code=302, headers={"Location": f"{Call(request, self._state, {}).base}/webapp/"})
        query = _query(request)
        path = path.rstrip("/") if path.startswith("/api/") else path
        found = ROUTES.find(request.method, path, query)
        resource = _find_lacking_resource(path, found)
        if found.route is not None and not resource:
            found.route.enter(request)
        call = Call(request, self._state, query)
        # Nobody learns what is not there before it is known who asks.
        call.principal = self._principal(request, found.route)
        if found.route is None or resource:
            return _answer_without_route(call, resource)
        if call.is_oss and found.route.scope == PRO_SCOPE:
            raise ArtifactError(404)
        _check_accept(request, found.route)
        if "target" in found.parameters:
            call.require_known_repository(content_path.parse(found.parameters["target"]).repo)
        return await found.route.handler(
            call, **{name: _decoded(name, part) for name, part in found.parameters.items()}
        )

    def _principal(self, request: Request, route: Route | None) -> Principal:
        try:
            principal = self._state.accounts.identify(request)
        except InvalidCredentials as error:
            if route is not None and route.scope == registry.REGISTRY:
                raise registry.invalid_credentials_error(error.message) from None
            raise error.to_artifact_error() from None
        is_open = self.runtime.get_switch("artifact", "anonymous")
        if principal is not None and (is_open or not principal.anonymous):
            return principal
        if is_open:
            return self._state.accounts.get_anonymous()
        if route is not None and route.scope == registry.REGISTRY:
            return Principal(ANONYMOUS)
        raise ArtifactError(401, "Authentication is required", CHALLENGE)


def _find_lacking_resource(path: str, found: RouteMatch) -> list[Route]:
    """Return the resource at a path if it lacks the method, which is then not that of the family around it either."""
    if path.startswith("/api/") and (found.route is None or found.route.method == ANY):
        return ROUTES.find_resource(path)
    return []


def _answer_without_route(call: Call, resource: list[Route]) -> Response:
    """Describe the resource to OPTIONS; refuse other methods that it does not have."""
    known = [route for route in resource if not (call.is_oss and route.scope == PRO_SCOPE)]
    if not known or call.request.method != "OPTIONS":
        raise methods.refuse(known)
    return methods.describe(known, str(call.request.url))


def _check_accept(request: Request, route: Route) -> None:
    """Refuse a client that accepts no media type that the call produces."""
    produced = PRODUCED.get(route.label)
    if produced and negotiate(join_accept(request), produced) is None:
        raise ArtifactError(406)


def _target(request: Request) -> bytes:
    return b"?".join(filter(None, (request.scope["raw_path"], request.scope["query_string"])))


def _query(request: Request) -> dict[str, str]:
    """The arguments of the query; of one that is given twice, the first counts."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return dict(reversed(pairs))


def _decoded(name: str, part: str) -> str:
    if name == "target":
        return part
    return decode_path(part) if name == "path" else unquote(part)
