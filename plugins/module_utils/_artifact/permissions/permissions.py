# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Permissions of Artifactory, with the newest API that the server has."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions.platform import (
    ApiMissing,
    PlatformPermissions,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions.targets import (
    Targets1,
    Targets2,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Permissions of a new server, which administrators may delete, but which are never undeclared
BUILT_IN = ("Anything", "Any Remote")
_API = "API of permissions"
_Api = t.Union[PlatformPermissions, Targets2, Targets1]


def get_api(artifact: ArtifactService) -> _Api:
    """Return the API of the server. It is the newest one until the server is known to lack it."""
    return t.cast("_Api", artifact.http.get_cached(_API, lambda: PlatformPermissions)(artifact))


def find(artifact: ArtifactService, name: str) -> Fields | None:
    """Return the resources of a permission, or `None` if it does not exist."""
    try:
        return get_api(artifact).find(name)
    except ApiMissing:
        return _select_older(artifact).find(name)


def list_names(artifact: ArtifactService) -> list[str]:
    """Return the names of all permissions, sorted."""
    try:
        return get_api(artifact).list_names()
    except ApiMissing:
        return _select_older(artifact).list_names()


def list_deletable(artifact: ArtifactService) -> list[str]:
    """Return the names of the permissions that may be deleted if they are not declared."""
    return [name for name in list_names(artifact) if name not in BUILT_IN]


def _select_older(artifact: ArtifactService) -> _Api:
    older = Targets2 if artifact.supports(features.PERMISSION_TARGETS_2.since) else Targets1
    artifact.http.get_cached(_API, lambda: older, invalid=PlatformPermissions)
    return older(artifact)
