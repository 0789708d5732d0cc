# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that use a layout, a proxy or a property set of the central configuration."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features, replications
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import configurations, queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.webhooks import webhooks
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues, read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_SECTIONS = tuple(f"{rclass}Repositories" for rclass in ("local", "remote", "virtual", "federated"))
# By section: the members of a repository that refer to its objects, as JSON and as XML
_MEMBERS = {
    "repoLayouts": (("repoLayoutRef", "remoteRepoLayoutRef"), ("repoLayoutRef", "remoteRepoLayoutRef")),
    "proxies": (("proxy", "proxyRef"), ("proxyRef",)),
    "propertySets": (("propertySets",), ("propertySets/{*}propertySetRef",)),
}
# The Event API


class References:
    """The references to objects of the configuration, read once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def check_unused(
        self, task: Task, artifact: ArtifactService, root: ET.Element, section: str, noun: str, name: str
    ) -> None:
        """Verify that nothing uses an object, as far as this can be read.

        :arg root: the descriptor
        :arg section: the section of the object
        :raises ToolchainError: if something uses it, or it is unknown whether something does
        """
        sources: dict[str, t.Callable[[], t.Iterable[str]]] = {
            "repositories": lambda: self._find_repositories(task, artifact, root, section, name),
        }
        if section == "proxies" and not artifact.is_open_source():
            sources["replications"] = lambda: self._find_replications(artifact, name)
            if artifact.supports(features.WEBHOOKS.since):
                sources["webhooks"] = lambda: self._find_webhooks(artifact, name)
        for users, find in sources.items():
            try:
                found = sorted(find())
            except ToolchainError as error:
                raise ToolchainError(
                    f"Cannot delete {noun} '{name}': it is unknown whether {users} use it. {error} Check this, and "
                    "delete it with artifact_configuration or in the administration pages."
                ) from None
            if found:
                raise ToolchainError(f"Cannot delete {noun} '{name}': these {users} use it: {join_names(found)}.")

    def _find_repositories(
        self, task: Task, artifact: ArtifactService, root: ET.Element, section: str, name: str
    ) -> t.Iterator[str]:
        of_record, of_element = _MEMBERS[section]
        elements = _find_repository_elements(root)
        for element in elements:
            found = [(node.text or "").strip() for path in of_element for node in element.findall(f"{{*}}{path}")]
            if name in found:
                yield (element.findtext("{*}key") or "").strip()
        if elements:  # the server keeps repositories in the descriptor
            return
        for record in self._values.get("repositories", lambda: _read_repositories(task, artifact)):
            if any(
                name == value or (isinstance(value, list) and name in value) for value in map(record.get, of_record)
            ):
                yield record.text("key")

    def _find_replications(self, artifact: ArtifactService, proxy: str) -> t.Iterator[str]:
        for replication in self._values.get("replications", lambda: replications.list_replications(artifact)):
            if any(target["proxy"] == proxy for target in replication.get("targets", {}).values()):
                yield replication["repo"]

    def _find_webhooks(self, artifact: ArtifactService, proxy: str) -> t.Iterator[str]:
        for key, webhook in self._values.get("webhooks", lambda: webhooks.list_all(artifact)).items():
            if any(handler.get("proxy") == proxy for handler in webhook.maybe_records("handlers")):
                yield key


def list_repositories(root: ET.Element) -> set[str]:
    """Return the keys of the repositories in the descriptor, which has none since Artifactory 7.49.1."""
    return {(element.findtext("{*}key") or "").strip() for element in _find_repository_elements(root)}


def _find_repository_elements(root: ET.Element) -> list[ET.Element]:
    return [element for section in _SECTIONS for element in root.findall(f"{{*}}{section}/*")]


def _read_repositories(task: Task, artifact: ArtifactService) -> list[Record]:
    """Return the configurations of all repositories.

    :raises ToolchainError: if the account or the edition gets only a part of a configuration
    """
    records = configurations.list_configurations(artifact)
    if not records:  # an empty list is not trusted either
        keys = [entry["key"] for entry in queries.list_repositories(artifact)]
        records = list(read_concurrently(task, keys, _read_repository).values())
    for record in records:
        key = record.text("key")
        if configurations.is_partial(record):
            raise ToolchainError(f"Artifactory returns only a part of the configuration of '{key}'.")
    return records


def _read_repository(task: Task, key: str) -> Record | None:
    try:
        return ArtifactService(task).http.read("GET", configurations.address_of(key)).record()
    except ServerRefusal as refusal:
        if configurations.is_missing(refusal):  # deleted since the list was read
            return None
        raise


def list_ids(descriptor: Fields) -> dict[str, str]:
    """Return the names of all objects that must be unique in the configuration, each with its section."""
    security = descriptor.get("security")
    sections = {
        **{name: descriptor.get(name) for name in ("backups", "proxies", "propertySets", "repoLayouts")},
        "security.ldapSettings": security.get("ldapSettings") if isinstance(security, dict) else None,
    }
    return {key: name for name, section in sections.items() if isinstance(section, dict) for key in section}
