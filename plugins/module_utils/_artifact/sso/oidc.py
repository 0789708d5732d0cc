# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for OIDC providers and their identity mappings in the Access API."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import sso_api
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_PATH = "/oidc"
_MAPPINGS = "identity_mappings"


def find(artifact: ArtifactService, name: str) -> Record | None:
    """Return a provider, or `None` if it does not exist."""
    response = sso_api.read(artifact, _locate(name), features.OIDC)
    return None if response.status == 404 else access_api.parse(response, name)


def list_all(artifact: ArtifactService) -> dict[str, Record]:
    """Return all providers by name, sorted."""
    response = sso_api.read(artifact, _PATH, features.OIDC)
    if response.status == 404:
        raise access_api.foreign_response_error(response)
    return access_api.index(response.records())


def create(artifact: ArtifactService, body: Fields) -> None:
    """Create a provider."""
    sso_api.create(artifact, _PATH, body, features.OIDC)


def replace(artifact: ArtifactService, name: str, body: Fields) -> None:
    """Replace a provider."""
    sso_api.replace(artifact, _locate(name), body)


def delete(artifact: ArtifactService, name: str) -> None:
    """Delete a provider with its identity mappings."""
    sso_api.delete(artifact, _locate(name))


def list_mappings(artifact: ArtifactService, provider: str, project: str) -> list[Record]:
    """Return the identity mappings of a provider, none if the provider does not exist.

    :arg project: key of the project of the mappings, empty for global ones
    """
    response = sso_api.read(artifact, _locate(provider, _MAPPINGS), features.OIDC, query=_select(project))
    return response.records() if response.status == 200 else []


def create_mapping(artifact: ArtifactService, provider: str, project: str, body: Fields) -> None:
    """Create an identity mapping."""
    sso_api.create(artifact, _locate(provider, _MAPPINGS), body, features.OIDC, query=_select(project))


def replace_mapping(artifact: ArtifactService, provider: str, project: str, body: Fields) -> None:
    """Replace an identity mapping."""
    sso_api.replace(artifact, _locate(provider, _MAPPINGS, body["name"]), body, query=_select(project))


def delete_mapping(artifact: ArtifactService, provider: str, project: str, name: str) -> None:
    """Delete an identity mapping."""
    sso_api.delete(artifact, _locate(provider, _MAPPINGS, name), query=_select(project))


def _select(project: str) -> dict[str, str | list[str] | None] | None:
    return {"project_key": project} if project else None


def _locate(*names: str) -> str:
    return f"{_PATH}{encode_path(*names, option='name')}"
