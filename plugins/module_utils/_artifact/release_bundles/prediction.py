# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prediction of refusals in check mode: editions, versions, and sources and environments that do not exist."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import (
    environments,
    platform,
    projects,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects.prediction import refuse_missing
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles import bundles
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles.bundles import Version
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_BATCH = 100
_BUILD_REPOSITORY = "-build-info"


def check(task: Task, artifact: ArtifactService, version: Version, source: Fields) -> None:
    """Verify that the server has the feature and, for a creation or a promotion, that the names in options exist.

    What the account may not read is not verified.

    :arg source: the declared source, empty if the release bundle exists
    :raises ToolchainError: if the server would refuse the change
    """
    editions.check(artifact, features.RELEASE_BUNDLES)
    if task.params["state"] == "absent" or task.predicts_missing:
        return
    if version.project:
        with platform.allow_forbidden():
            if projects.find(artifact, version.project) is None:
                raise MissingName("project", f"'{version.project}' does not exist on this server")
    for kind, entries in source.items():
        with platform.allow_forbidden():
            _CHECKS[kind](artifact, version, entries)
    keys = {name: task.params[name] for name in ("included_repository_keys", "excluded_repository_keys")}
    if any(keys.values()):
        with platform.allow_forbidden():
            existing = {entry["key"] for entry in queries.list_repositories(artifact)}
            for option, names in keys.items():
                refuse_missing(option, "repositories", set(names or ()) - existing)


def check_environment(task: Task, artifact: ArtifactService, version: Version) -> None:
    """Verify that the environment of a promotion exists, as far as the account can read it.

    :raises BadOption: if it does not exist
    """
    environment = task.params["environment"]
    if environment is None or task.predicts_missing:
        return
    try:
        names = {*environments.list_names(artifact)}
        if version.project:
            names.update(projects.read_environments(artifact, version.project))
    except ToolchainError:
        return
    refuse_missing("environment", "environments", {environment} - names)


def _check_artifacts(artifact: ArtifactService, _version: Version, entries: list[Fields]) -> None:
    stored: dict[str, str | None] = {}
    for begin in range(0, len(entries), _BATCH):
        stored.update(_find_checksums(artifact, [entry["path"] for entry in entries[begin : begin + _BATCH]]))
    refuse_missing("artifacts", "artifacts", [entry["path"] for entry in entries if entry["path"] not in stored])
    changed = [one["path"] for one in entries if one.get("sha256", stored[one["path"]]) != stored[one["path"]]]
    if changed:
        raise BadOption("artifacts", f"'{changed[0]}' has the SHA-256 checksum {stored[changed[0]]}")


def _find_checksums(artifact: ArtifactService, places: t.Iterable[str]) -> dict[str, str | None]:
    """Return the SHA-256 checksums of the files that exist, by repository and path."""
    conditions = []
    for place in places:
        repo, _slash, path = place.partition("/")
        folder, _slash, name = path.rpartition("/")
        conditions.append({"repo": repo, "path": folder or ".", "name": name})
    query = aql.Query("items", [{"$or": [{"$and": [one]} for one in conditions]}], ("repo", "path", "name", "sha256"))
    rows = aql.fetch_rows(artifact, aql.prepare(query), 0)
    return {
        "/".join(part for part in (row["repo"], row["path"], row["name"]) if part != "."): row.get("sha256")
        for row in rows
    }


def _check_builds(artifact: ArtifactService, _version: Version, entries: list[Fields]) -> None:
    missing = []
    for build in entries:
        if not build["repository"].endswith(_BUILD_REPOSITORY):
            continue
        key = build["repository"][: -len(_BUILD_REPOSITORY)]
        project = None if key == "artifactory" else key
        if build_info.find_run(artifact, build["name"], build["number"], project_key=project) is None:
            missing.append(f"{build['name']}/{build['number']}")
    refuse_missing("builds", "builds", missing)


def _check_bundles(artifact: ArtifactService, _version: Version, entries: list[Fields]) -> None:
    missing = []
    for bundle in entries:
        state = bundles.find_state(artifact, Version(bundle["name"], bundle["version"], bundle["project"]))
        if state is None or state.status != bundles.COMPLETED:
            missing.append(f"{bundle['name']}/{bundle['version']}")
    refuse_missing("release_bundles", "completed release bundles", missing)


_CHECKS: dict[str, t.Callable[[ArtifactService, Version, t.Any], None]] = {
    "artifacts": _check_artifacts,
    "aql": lambda _artifact, _version, _query: None,
    "builds": _check_builds,
    "release_bundles": _check_bundles,
}
