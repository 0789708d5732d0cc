# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Responses of the Access API for single sign-on, and URLs in its settings."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import split_url

API = "/access/api/v1"


def read(
    artifact: ArtifactService,
    path: str,
    feature: editions.Feature,
    query: access_api.Query | None = None,
) -> Response:
    """Return the response of the Access API, which can be 404 if something does not exist.

    :arg path: path below `/access/api/v1`
    :raises ToolchainError: if the server does not have the path
    """
    return access_api.read(artifact, f"{API}{path}", feature, query=query)


def create(artifact: ArtifactService, path: str, body: Fields, feature: editions.Feature, **options: t.Any) -> None:
    """Create something.

    :arg path: path below `/access/api/v1`
    """
    with editions.explain_refusal(artifact, feature):
        response = artifact.http.write("POST", f"{API}{path}", json=body, accept=(200, 201), **options)
    access_api.verify_accepted(response)


def replace(artifact: ArtifactService, path: str, body: Fields, **options: t.Any) -> None:
    """Replace an object.

    :arg path: path below `/access/api/v1`
    """
    artifact.http.write("PUT", f"{API}{path}", json=body, accept=(200, 201, 204), policy=IDEMPOTENT, **options)


def delete(artifact: ArtifactService, path: str, **options: t.Any) -> None:
    """Delete an object.

    :arg path: path below `/access/api/v1`
    """
    artifact.http.write("DELETE", f"{API}{path}", accept=(200, 204), **options)


def check_web_url(option: str, url: str, schemes: t.Sequence[str] = ("http", "https")) -> None:
    """Verify that a text is the URL of a page without a password.

    :raises BadOption: if it is not
    """
    parts = split_url(url)
    if parts is None or parts.scheme not in schemes or not parts.hostname:
        raise BadOption(option, f"must be a URL such as {schemes[-1]}://idp.example.com/path")
    if "@" in parts.netloc:
        raise BadOption(option, "must not contain a user name or password")
