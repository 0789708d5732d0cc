# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request, as the handlers see it."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from ..world import World
from .accounts import CHALLENGE, Principal
from .errors import ArtifactError
from .formats import jackson

BASE_URL_HEADERS = ("x-jfrog-override-base-url", "x-artifactory-override-base-url")
VND = "application/vnd.org.jfrog.artifactory."
PRO_ONLY = (
    "This REST API is available only in Artifactory Pro (see: jfrog.com/artifactory/features). If you are already"
    " running Artifactory Pro please make sure your server is activated with a valid license key."
)


class Call:
    """A request to the repository service, from a caller who is known."""

    def __init__(self, request: Request, principal: Principal, world: World) -> None:
        self.request = request
        self.principal = principal
        # Of an argument that is given twice, the first counts.
        self.query = dict(reversed(request.query_params.multi_items()))
        self._world = world
        override = next((request.headers[name] for name in BASE_URL_HEADERS if request.headers.get(name)), None)
        asked = f"{request.url.scheme}://{request.url.netloc}/artifactory"
        self.base = override.rstrip("/") if override else asked

    def switch(self, name: str) -> Any:
        """A switch of this service."""
        return self._world.switch("artifact", name)

    def permit(self, action: str, repo: str, path: str, refusal: str) -> None:
        """Refuse the call if the caller may not do this."""
        if self.principal.may(action, repo, path):
            return
        if self.switch("hide_unauthorized") and not self.principal.may("r", repo, path):
            raise ArtifactError(404, "Resource not found")
        if self.principal.anonymous:
            raise ArtifactError(401, headers=CHALLENGE)
        raise ArtifactError(403, refusal)

    def permit_reading(self, repo: str, path: str) -> None:
        """Refuse the call if the caller may not read this."""
        self.permit("r", repo, path, f"Request for '{repo}:{path}' is forbidden for user: '{self.principal.name}'.")

    def need_login(self) -> None:
        """Refuse anonymous callers."""
        if self.principal.anonymous:
            raise ArtifactError(401, "This resource is available to authenticated users only.", CHALLENGE)

    def need_admin(self, refusal: str | None = None) -> None:
        """Refuse all but administrators."""
        self.need_login()
        if not self.principal.admin:
            raise ArtifactError(403, refusal)

    def need_pro(self) -> None:
        """Refuse what only the paid edition does."""
        if self.switch("edition") == "oss":
            raise ArtifactError(400, PRO_ONLY)

    def vnd(self, kind: str, value: Mapping[str, Any] | list[Any], **headers: str) -> Response:
        """An answer in one of the vendor's JSON types; it fits the Accept header or is refused."""
        produced = f"{VND}{kind}+json"
        accepted = self.request.headers.get("accept", "*/*")
        if not any(kind in accepted for kind in (produced, "application/json", "*/*", "application/*")):
            raise ArtifactError(406, f"Resource produces {produced} but client only accepts [{accepted}]")
        return Response(jackson(value).encode(), 200, {"Content-Type": produced, **headers})


def decoded(path: str) -> str:
    """The path that a request target means: decoded, without empty and dot segments."""
    return posixpath.normpath("/" + unquote(path)).strip("/")
