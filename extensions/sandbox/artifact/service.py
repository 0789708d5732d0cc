# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service itself: which call goes where."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, NamedTuple
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ..seeding import keys
from ..service import Service
from ..world import World
from . import accounts, items, repositories, tokens
from .access import TokenService
from .accounts import ANONYMOUS, CHALLENGE, Accounts, Principal, WrongCredentials
from .call import Call, decoded
from .errors import AccessError, ArtifactError, Refusal
from .images import Images
from .items import ClientChecksums, Items
from .properties import Properties
from .repositories import Repositories
from .storage import Storage
from .tokens import Tokens
from .transfer import Transfer
from .version import at_least, revision

NODE_ID = "5f0e1ab1c3d24e6a"
ITEM = r"(?P<repo>[^/;]+)(?:/(?P<path>[^;]*))?"
STORAGE = rf"api/storage/{ITEM}(?:;.*)?"
DEPLOYED = r"(?P<repo>[^/;]+)/(?P<path>[^;]*[^;/])(?:;(?P<matrix>.*))?"
FOLDER = r"(?P<repo>[^/;]+)(?:/(?P<path>(?:[^;]*/)?))?(?:;(?P<matrix>.*))?"
DOCKER = r"api/docker/(?P<repo>[^/]+)/v2"
TOKENS = r"api/v1/tokens"


class Route(NamedTuple):
    """A call: its name, method, path below the prefix, handler, and the query argument that makes it this call."""

    label: str
    method: str
    path: str
    handler: Callable[..., Awaitable[Response]]
    argument: str | None = None

    def serves(self, method: str) -> bool:
        """Whether a method leads here; what can be read can be asked for its head."""
        return self.method == ("GET" if method == "HEAD" else method)


class ArtifactService(Service):
    """The artifact repository with its token service."""

    name = "artifact"
    prefixes = ("/artifactory", "/access")
    schema = "".join((items.SCHEMA, repositories.SCHEMA, accounts.SCHEMA, tokens.SCHEMA))
    switches: ClassVar[dict[str, Any]] = {
        "version": "7.77.3",
        "edition": "pro",  # or oss
        "anonymous": False,
        "hide_unauthorized": False,
        "trashcan": True,
        "disk_full": False,
        "image_marker": "offset",  # what `last` is in the pages of images: offset or name
        "persistency_threshold": 10800,  # tokens that live shorter (seconds) are not stored
        "default_token_expiry": 31536000,
        "basic_creates_tokens": True,
    }

    seed_shape = keys(
        "",
        groups=[keys("name! permissions")],
        users=[keys("name! password api_key admin locked groups permissions")],
        tokens=[keys("token! username! token_id scope expires_in description exported")],
        repositories=[keys(f"key! rclass! files images {' '.join(repositories.CONFIGURATION)}")],
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._items = Items(world)
        self._repositories = Repositories(world, self._items)
        self._tokens = Tokens(world)
        self._accounts = Accounts(world, self._tokens)
        self._images = Images(world, self._items, self._repositories, self._tokens)
        self._routes = [(re.compile(route.path), route) for route in self._artifact_routes()]
        self._access_routes = [(re.compile(route.path), route) for route in self._token_routes()]

    def seed(self, data: dict[str, Any]) -> None:
        self._accounts.seed(data)
        self._tokens.seed(data)
        self._repositories.seed(data)
        for repository in data.get("repositories", ()):
            key = repository["key"]
            storage = f"{key}-cache" if repository["rclass"] == "remote" else key
            for path, file in repository.get("files", {}).items():
                self._seed_file(storage, path, file if isinstance(file, dict) else {"content": file})
            self._images.seed(storage, repository.get("images", {}))

    def _seed_file(self, repo: str, path: str, file: dict[str, Any]) -> None:
        stored = self.world.files.put([str(file.get("content", "")).encode()])
        item = self._items.put_file(repo, path, stored, ClientChecksums(), file.get("by", "admin"))
        properties = {
            name: [str(value) for value in (values if isinstance(values, list) else [values])]
            for name, values in file.get("properties", {}).items()
        }
        self._items.set_properties(item, properties, recursive=False)

    def exports(self, base_url: str) -> dict[str, str]:
        token = self._tokens.exported()
        return {"JFROG_URL": base_url, **({"JFROG_ACCESS_TOKEN": token} if token else {})}

    async def __call__(self, request: Request) -> Response:
        path = request.scope["raw_path"].decode("latin-1")
        try:
            if path.startswith("/access"):
                response = await self._access(request, path.removeprefix("/access").strip("/"))
            else:
                response = await self._artifactory(request, path.removeprefix("/artifactory").lstrip("/"))
        except Refusal as refusal:
            response = refusal.response()
        version = self.world.switch("artifact", "version")
        response.headers["Server"] = f"Artifactory/{version}"
        response.headers["X-Artifactory-Id"] = NODE_ID
        response.headers["X-Artifactory-Node-Id"] = "sandbox"
        if at_least(version, "7.0"):
            response.headers["X-JFrog-Version"] = f"Artifactory/{version} {revision(version)}"
        return response

    async def _access(self, request: Request, path: str) -> Response:
        if not at_least(self.world.switch("artifact", "version"), "7.21.1"):
            raise AccessError(404, "HTTP 404 Not Found")
        matching = [(route, match) for pattern, route in self._access_routes if (match := pattern.fullmatch(path))]
        for route, match in matching:
            if route.serves(request.method):
                request.scope["sandbox.label"] = route.label
                return await route.handler(request, **match.groupdict())
        raise AccessError(405 if matching else 404, f"HTTP {405 if matching else 404}")

    async def _artifactory(self, request: Request, path: str) -> Response:
        # An encoded slash parts a path like a plain one.
        path = path.replace("%2F", "/").replace("%2f", "/")
        route, groups = self._route(request, path.rstrip("/") if path.startswith("api/") else path)
        request.scope["sandbox.label"] = route.label
        return await route.handler(Call(request, self._principal(request, route), self.world), **groups)

    def _principal(self, request: Request, route: Route) -> Principal:
        try:
            principal = self._accounts.identify(request)
        except WrongCredentials as error:
            raise error.refusal() from None
        if principal is not None:
            return principal
        if self.world.switch("artifact", "anonymous"):
            return self._accounts.nobody()
        if route.label.startswith("image_"):
            # The registry sends its clients for a token: it has a challenge of its own.
            return Principal(ANONYMOUS)
        raise ArtifactError(401, "Authentication is required", CHALLENGE)

    def _route(self, request: Request, path: str) -> tuple[Route, dict[str, str]]:
        allowed = set()
        for pattern, route in self._routes:
            match = pattern.fullmatch(path)
            if match is None or (route.argument is not None and route.argument not in request.query_params):
                continue
            if route.serves(request.method):
                return route, {name: _decoded(name, value or "") for name, value in match.groupdict().items()}
            allowed.add(route.method)
        # Nobody learns what is not there before it is known who asks.
        refusal = ArtifactError(405, headers={"Allow": ", ".join(sorted(allowed))}) if allowed else ArtifactError(404)
        return Route("unknown", request.method, path, _refusing(refusal)), {}

    def _token_routes(self) -> list[Route]:
        service = TokenService(self.world, self._accounts, self._tokens)
        return [
            Route("access_ping", "GET", "api/v1/system/ping", service.ping),
            Route("create_token", "POST", TOKENS, service.create),
            Route("list_tokens", "GET", TOKENS, service.list_tokens),
            Route("revoke_token_by_value", "DELETE", rf"{TOKENS}/revoke", service.revoke_by_value),
            Route("get_token", "GET", rf"{TOKENS}/(?P<token_id>[^/]+)", service.get),
            Route("revoke_token", "DELETE", rf"{TOKENS}/(?P<token_id>[^/]+)", service.revoke),
        ]

    def _artifact_routes(self) -> list[Route]:
        known, images = self._repositories, self._images
        storage = Storage(self.world, self._items, known)
        properties = Properties(self._items, known)
        transfer = Transfer(self.world, self._items, known, properties)
        return [
            Route("ping", "GET", "api/system/ping", self._ping),
            Route("version", "GET", "api/system/version", self._version),
            Route("list_repositories", "GET", "api/repositories", known.list_all),
            Route("repository_detail", "GET", "api/repositories/(?P<key>[^/]+)", known.detail),
            Route("create_repository", "PUT", "api/repositories/(?P<key>[^/]+)", known.create),
            Route("update_repository", "POST", "api/repositories/(?P<key>[^/]+)", known.update),
            Route("delete_repository", "DELETE", "api/repositories/(?P<key>[^/]+)", known.delete),
            # The first argument that is there decides, whatever its value.
            Route("list_files", "GET", STORAGE, storage.list_files, "list"),
            Route("item_storage", "GET", STORAGE, _not_served("The storage of an item"), "storageinfo"),
            Route("statistics", "GET", STORAGE, _not_served("Item statistics"), "stats"),
            Route("last_modified", "GET", STORAGE, storage.last_modified, "lastModified"),
            Route("get_properties", "GET", STORAGE, properties.get, "properties"),
            Route("properties_in_xml", "GET", STORAGE, _not_served("Properties in XML"), "propertiesXml"),
            Route("permissions", "GET", STORAGE, _not_served("The permissions on an item"), "permissions"),
            Route("set_properties", "PUT", STORAGE, properties.set),
            Route("delete_properties", "DELETE", STORAGE, properties.delete),
            Route("item_info", "GET", STORAGE, storage.info),
            Route("patch_metadata", "PATCH", f"api/metadata/{ITEM}", properties.patch),
            Route("docker_token", "GET", f"{DOCKER}/token", images.token),
            Route("image_base", "GET", DOCKER, images.base),
            Route("image_catalog", "GET", f"{DOCKER}/_catalog", images.catalog),
            Route("image_tags", "GET", rf"{DOCKER}/(?P<image>.+)/tags/list", images.tags),
            Route("image_manifest", "GET", rf"{DOCKER}/(?P<image>.+)/manifests/(?P<reference>[^/]+)", images.manifest),
            Route("promote_image", "POST", f"{DOCKER}/promote", _not_served("Image promotion")),
            Route("image_misplaced", "GET", "api/docker/v2(/.*)?", images.misplaced),
            Route("quick_search", "GET", "api/search/artifact", _not_served("Quick search")),
            Route("pattern_search", "GET", "api/search/pattern", _not_served("Pattern search")),
            Route("query", "POST", "api/search/aql", _not_served("The query language")),
            Route("storage_summary", "GET", "api/storageinfo", _not_served("The storage summary")),
            Route("promote_build", "POST", "api/build/promote/.+", _not_served("Build promotion")),
            Route("retain_builds", "POST", "api/build/retention/.+", _not_served("Build retention")),
            *_all_methods("builds", "api/build(/.*)?", _not_served("Build records")),
            *_all_methods("security", "api/security(/.*)?", _not_served("Users, groups, and tokens as of old")),
            Route("clean_trash", "DELETE", "api/trash/clean/.+", _not_served("Cleaning the trash can")),
            Route("empty_trash", "POST", "api/trash/empty", _not_served("Emptying the trash can")),
            Route("restore_trash", "POST", "api/trash/restore/.+", _not_served("Restoring from the trash can")),
            Route("copy_or_move", "POST", "api/(?:copy|move)/.+", _not_served("Copying and moving")),
            Route("download_file", "GET", rf"(?!api/){ITEM}(?:;.*)?", transfer.download),
            Route("deploy_file", "PUT", rf"(?!api/){DEPLOYED}", transfer.deploy),
            Route("create_folder", "PUT", rf"(?!api/){FOLDER}", transfer.create_folder),
            Route("delete_item", "DELETE", rf"(?!api/){ITEM}(?:;.*)?", transfer.delete),
        ]

    async def _ping(self, call: Call) -> Response:
        return PlainTextResponse("OK", headers={"Content-Type": "text/plain"})

    async def _version(self, call: Call) -> Response:
        version = call.switch("version")
        addons = ["build", "docker", "properties"] if call.switch("edition") == "pro" else []
        body = {"version": version, "revision": revision(version), "addons": addons, "license": "0" * 40}
        if call.principal.anonymous:
            del body["license"]
        return call.vnd("system.Version", body)


def _all_methods(label: str, path: str, handler: Callable[..., Awaitable[Response]]) -> list[Route]:
    return [Route(label, method, path, handler) for method in ("GET", "PUT", "POST", "DELETE")]


def _not_served(what: str) -> Callable[..., Awaitable[Response]]:
    return _refusing(ArtifactError(501, f"{what}: the sandbox does not serve this call yet."))


def _refusing(refusal: Refusal) -> Callable[..., Awaitable[Response]]:
    async def refuse(call: Call, **groups: str) -> Response:
        raise refusal

    return refuse


def _decoded(name: str, value: str) -> str:
    if name == "matrix":
        return value
    return decoded(value) if name == "path" else unquote(value)
