# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names, versions, promotions and artifacts of release bundles, in the form of the result."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles import bundles, sources
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles.bundles import (
    COMPLETED,
    Version,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique


def list_names(artifact: ArtifactService, project: str) -> list[Fields]:
    """Return the names of release bundles with their projects, sorted. Of all projects if none is given."""
    names = [
        {
            "name": record.text("release_bundle_name"),
            "project": sources.normalize_project(record.maybe_text("project_key")),
        }
        for record in bundles.list_names(artifact, project)
    ]
    return sorted(names, key=lambda entry: (entry["project"], entry["name"]))


def list_versions(artifact: ArtifactService, name: str, version: str | None, project: str) -> list[Fields]:
    """Return the versions of a release bundle, newest first, or only the given one."""
    return [
        {
            "name": name,
            "version": record.text("release_bundle_version"),
            "project": sources.normalize_project(project),
            **bundles.describe(record),
        }
        for record in bundles.list_versions(artifact, name, project)
        if version in (None, record.text("release_bundle_version"))
    ]


def _read_promotions(artifact: ArtifactService, version: Version) -> Fields:
    promotions = [
        {"environment": record.text("environment"), **bundles.describe(record)}
        for record in bundles.list_promotions(artifact, version)
    ]
    completed = sort_unique(one["environment"] for one in promotions if one["status"] == COMPLETED)
    return {"environments": completed, "promotions": promotions}


def _read_artifacts(artifact: ArtifactService, version: Version) -> Fields:
    contents = bundles.find_contents(artifact, version)
    return {"artifacts": [] if contents is None else sources.list_artifacts(contents)}


# Functions that read a part of a version
READERS: dict[str, t.Callable[[ArtifactService, Version], Fields]] = {
    "promotions": _read_promotions,
    "artifacts": _read_artifacts,
}
