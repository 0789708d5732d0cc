# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prediction of refusals in check mode: edition, and references to other objects of the server."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.package_types import (
    STORED_CLASSES,
    may_contain,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.provisioning import (
    Provisioning,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    MissingObject,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_DESCRIPTOR = "/artifactory/api/system/configuration"
# Options that refer to an object in the central configuration: its section and the element with its name
_SECTIONS = {
    "layout": ("repoLayouts", "name", "layout"),
    "remote_layout": ("repoLayouts", "name", "layout"),
    "proxy": ("proxies", "key", "proxy"),
    "property_sets": ("propertySets", "name", "property set"),
}


def check_references(
    task: Task, artifact: ArtifactService, shared: Provisioning, options: Fields, pending: Fields
) -> None:
    """Predict whether Artifactory accepts a repository, as far as the account can read what it refers to.

    :arg options: the desired fields
    :arg pending: the fields that would be written
    :raises ToolchainError: if Artifactory would refuse it
    """
    editions.check(artifact, features.REPOSITORIES)
    if task.predicts_missing:
        return
    names = {option: options[option] for option in _SECTIONS if options.get(option) and option in pending}
    if names:
        _check_descriptor(shared.values.get("names", lambda: read_names(artifact)), names, options["key"])
    if "repositories" in pending or "default_deployment_repo" in pending:
        types = {**shared.values.get("types", lambda: _read_types(artifact, shared)), **shared.declared}
        _check_members(types, options, pending)


def check_new_key(artifact: ArtifactService, shared: Provisioning, key: str) -> None:
    """Predict whether Artifactory accepts the key of a new repository. Keys that differ only in case are the same.

    :raises ToolchainError: if the key exists
    """
    types = shared.values.get("types", lambda: _read_types(artifact, shared))
    existing = next((name for name in types if name.lower() == key.lower()), None)
    if existing is not None:
        raise ToolchainError(
            f"Repository '{key}' cannot be created: '{existing}' exists. The keys must not differ only in case."
        )


def read_names(artifact: ArtifactService) -> dict[str, set[str]] | None:
    """Return the names in each section of the central configuration, or `None` if the account may not read it."""
    try:
        response = artifact.http.read("GET", _DESCRIPTOR, label="central configuration")
    except ServerRefusal:
        return None
    root = response.xml("config")
    sections = {section: member for section, member, _kind in _SECTIONS.values()}
    return {section: set(_find_names(root, section, member)) for section, member in sections.items()}


def _check_descriptor(known: dict[str, set[str]] | None, names: Fields, key: str) -> None:
    for option, value in names.items() if known else ():
        section, _member, kind = _SECTIONS[option]
        for name in [value] if isinstance(value, str) else value:
            if known and name not in known[section]:
                raise MissingObject(f"Repository '{key}': the {kind} '{name}' does not exist.")


def _check_members(types: dict[str, tuple[str, str] | None], options: Fields, pending: Fields) -> None:
    key, package_type = options["key"], options["package_type"]
    for member in pending.get("repositories") or ():
        found = types.get(member)
        if found is None:
            raise MissingObject(f"Repository '{key}': the member '{member}' does not exist.")
        if not may_contain(package_type, found[1]):
            raise ToolchainError(
                f"Repository '{key}': the member '{member}' has the package type {found[1]} instead of {package_type}."
            )
    target = pending.get("default_deployment_repo")
    if target and (found := types.get(target)) is None:
        raise MissingObject(f"Repository '{key}': the default deployment repository '{target}' does not exist.")
    if target and found and found[0] not in STORED_CLASSES:
        raise ToolchainError(
            f"Repository '{key}': the default deployment repository '{target}' is {found[0]}. "
            "It must be local or federated."
        )


def _read_types(artifact: ArtifactService, shared: Provisioning) -> dict[str, tuple[str, str]]:
    if shared.has_snapshot:
        return shared.types
    return {entry["key"]: (entry["type"], entry["package_type"]) for entry in queries.list_repositories(artifact)}


def _find_names(root: ET.Element, section: str, member: str) -> t.Iterator[str]:
    for element in root.findall(f"{{*}}{section}/*/{{*}}{member}"):
        yield (element.text or "").strip()
