# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for OIDC providers and their identity mappings in the Access API."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import sso_api
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

FEATURE = editions.Feature(
    "Managing OIDC providers",
    editions.Edition.ENTERPRISE,
    "With other editions, let pipelines use access tokens of the module access_token.",
)
_SINCE = "7.73.1"
_PATH = "/oidc"
_MAPPINGS = "identity_mappings"


def find(artifact: ArtifactService, name: str) -> Record | None:
    """Return a provider, or `None` if it does not exist."""
    response = sso_api.read(artifact, f"{_PATH}{encode_path(name, option='name')}", FEATURE, _SINCE)
    if response.status == 404:
        return None
    record = response.record()
    if (stored := record.text("name")) != name:
        raise response.unexpected_value("name", f"'{name}'", stored)
    return record


def list_all(artifact: ArtifactService) -> dict[str, Record]:
    """Return all providers by name, sorted."""
    response = sso_api.read(artifact, _PATH, FEATURE, _SINCE)
    if response.status == 404:
        raise access_api.foreign_response_error(response)
    providers = {record.text("name"): record for record in response.records()}
    return {name: providers[name] for name in sorted(providers)}


def create(artifact: ArtifactService, body: Fields) -> None:
    """Create a provider."""
    sso_api.create(artifact, _PATH, body, FEATURE)


def replace(artifact: ArtifactService, name: str, body: Fields) -> None:
    """Replace a provider."""
    artifact.http.write("PUT", _address(name), json=body, accept=(200, 201, 204), policy=IDEMPOTENT)


def delete(artifact: ArtifactService, name: str) -> None:
    """Delete a provider with its identity mappings."""
    artifact.http.write("DELETE", _address(name), accept=(200, 204))


def list_mappings(artifact: ArtifactService, provider: str, project: str) -> list[Record]:
    """Return the identity mappings of a provider, none if the provider does not exist.

    :arg project: key of the project of the mappings, empty for global ones
    """
    path = f"{_PATH}{encode_path(provider, option='name')}/{_MAPPINGS}"
    response = sso_api.read(artifact, path, FEATURE, _SINCE, query=_select(project))
    return response.records() if response.status == 200 else []


def create_mapping(artifact: ArtifactService, provider: str, project: str, body: Fields) -> None:
    """Create an identity mapping."""
    path = f"{_PATH}{encode_path(provider, option='name')}/{_MAPPINGS}"
    sso_api.create(artifact, path, body, FEATURE, query=_select(project))


def replace_mapping(artifact: ArtifactService, provider: str, project: str, body: Fields) -> None:
    """Replace an identity mapping."""
    address = _address(provider, _MAPPINGS, body["name"])
    artifact.http.write("PUT", address, json=body, accept=(200, 201, 204), policy=IDEMPOTENT, query=_select(project))


def delete_mapping(artifact: ArtifactService, provider: str, project: str, name: str) -> None:
    """Delete an identity mapping."""
    address = _address(provider, _MAPPINGS, name)
    artifact.http.write("DELETE", address, accept=(200, 204), query=_select(project))


def _select(project: str) -> dict[str, str | list[str] | None] | None:
    return {"project_key": project} if project else None


def _address(*names: str) -> str:
    return f"{sso_api.API}{_PATH}{encode_path(*names, option='name')}"
