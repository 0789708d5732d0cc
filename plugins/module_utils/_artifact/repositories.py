# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repositories: the list and the detail have different shapes, which become one here."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_ADDRESS = "/artifactory/api/repositories"


def listed(artifact: ArtifactService, **filters: str) -> list[Fields]:
    """The repositories that the account may see, by key, without their settings.

    :arg filters: C(type), C(packageType), C(project), as the server takes them
    """
    repositories = artifact.http.read("GET", _ADDRESS, query=filters).json(list)
    return sorted(map(_repository, repositories), key=lambda repository: repository["key"])


def find(artifact: ArtifactService, key: str) -> Fields | None:
    """One repository with its settings, or C(None).

    The detail of an unknown key is answered with 400, and so is any detail by an edition that has none. So after a 400
    or 404 the list decides.
    """
    answer = artifact.http.read("GET", _ADDRESS + segments(key, option="key"), accept=(200, 400, 404))
    if answer.status == 200:
        return _repository(answer.json())
    return next((repository for repository in listed(artifact) if repository["key"] == key), None)


def _repository(found: Fields) -> Fields:
    detailed = "rclass" in found
    return {
        "key": found["key"],
        "type": (found["rclass"] if detailed else found["type"]).lower(),
        "package_type": (found.get("packageType") or "").lower(),
        "description": found.get("description") or "",
        "url": found.get("url"),
        "default_deployment_repo": found.get("defaultDeploymentRepo") or None,
        "settings": found if detailed else None,
    }
