# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for clean-up policies for packages."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    add_advice,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/artifactory/api/cleanup/packages/policies"
_SERVICE = "artifactory"


def find(artifact: ArtifactService, key: str) -> Record | None:
    """Return a policy, or `None` if it does not exist."""
    response = _read(artifact, _address(key))
    return None if response.status == 404 else access_api.parse(response, key, "key")


def list_all(artifact: ArtifactService) -> dict[str, Record]:
    """Return all policies that the account may manage, by key and sorted."""
    response = _read(artifact, _ADDRESS)
    if response.status == 404:
        raise access_api.foreign_response_error(response, _SERVICE)
    return access_api.index(response.records(), "key")


def create(artifact: ArtifactService, key: str, body: Fields) -> None:
    """Create a policy, which must be disabled."""
    response = artifact.http.write("POST", _address(key), json=body, accept=(200, 201))
    access_api.verify_accepted(response)


def replace(artifact: ArtifactService, key: str, body: Fields) -> None:
    """Replace a policy, except that it cannot be enabled or disabled."""
    with _explain_running():
        artifact.http.write("PUT", _address(key), json=body, accept=(200, 204), policy=IDEMPOTENT)


def set_enabled(artifact: ArtifactService, key: str, enabled: bool) -> None:
    """Enable or disable a policy."""
    body = {"enabled": enabled}
    with _explain_running():
        artifact.http.write("POST", f"{_address(key)}/enablement", json=body, accept=(200, 201, 204), policy=IDEMPOTENT)


def delete(artifact: ArtifactService, key: str) -> None:
    """Delete a policy."""
    with _explain_running():
        artifact.http.write("DELETE", _address(key), accept=(200, 204))


def _read(artifact: ArtifactService, address: str) -> Response:
    """Return the response, which can be 404 if a policy does not exist.

    :raises ToolchainError: if the version or the edition of the server lacks policies
    """
    with editions.explain_refusal(artifact, features.CLEANUP_POLICIES):
        response = artifact.http.read("GET", address, accept=(200, 404))
    if response.status == 404:
        editions.check(artifact, features.CLEANUP_POLICIES)
        artifact.check_version_known()
        access_api.check_origin(response, _SERVICE)
    return response


@contextlib.contextmanager
def _explain_running() -> t.Iterator[None]:
    """Add the remedy to the error of a write that the server refuses because the policy runs."""
    try:
        yield
    except ServerRefusal as refusal:
        if "running" in refusal.text.lower():
            advice = "Artifactory does not change a policy while it runs. Wait until the run ends, or stop it."
            raise add_advice(refusal, advice) from None
        raise


def _address(key: str) -> str:
    return f"{_ADDRESS}{encode_path(key, option='key')}"
