# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The two APIs for users and groups: the Access API since Artifactory 7.49.3, and that of Artifactory before."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_HAS_PLATFORM_API = "has users and groups in the Access API"


def is_platform(artifact: ArtifactService) -> bool:
    """Return whether to use the Access API. True until the server is known to lack it."""
    return bool(artifact.http.get_cached(_HAS_PLATFORM_API, lambda: True))


def read_platform(artifact: ArtifactService, path: str, **query: str) -> Response | None:
    """Return the response of the Access API, which can be 404, or `None` if the server lacks the API.

    :arg path: path below `/access/api/v2`
    :raises ToolchainError: if the server should have the API, but it cannot be reached or requires Artifactory Pro
    """
    if not is_platform(artifact):
        return None
    response = artifact.http.read("GET", f"/access/api/v2{path}", query=query, accept=(200, 404))
    if response.status == 200:
        return response
    if not artifact.supports(features.USERS.since):
        artifact.http.get_cached(_HAS_PLATFORM_API, lambda: False, invalid=True)
        return None
    editions.check(artifact, features.USERS)
    access_api.check_origin(response)
    return response


def list_platform(artifact: ArtifactService, kind: str) -> list[Record] | None:
    """Return all entries of a list of the Access API, or `None` if the server lacks the API.

    :arg kind: `users` or `groups`
    """
    return access_api.list_entries(lambda **query: read_platform(artifact, f"/{kind}", **query), kind)


def classic_address(kind: str, name: str = "") -> str:
    """Return the address of a user or group, or of the list, in the API before Artifactory 7.49.3.

    :raises BadOption: if the server would misread the name
    """
    if "+" in name:
        raise BadOption("name", "must not contain '+', which Artifactory before 7.49.3 reads as a space")
    return f"/artifactory/api/security/{kind}" + (encode_path(name, option="name") if name else "")
