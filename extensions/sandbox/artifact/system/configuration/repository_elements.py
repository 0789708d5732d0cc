# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories in the central configuration, which contains them before Artifactory 7.49."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

from ...repositories.repositories import Repositories, Repository
from .schema import REPOSITORY_SECTIONS
from .values import ViolatesSchema
from .xml_format import local_name

COMMON_FIELDS = ("description", "notes", "includesPattern", "excludesPattern", "repoLayoutRef")
POLICY_FIELDS = (
    "blackedOut",
    "handleReleases",
    "handleSnapshots",
    "maxUniqueSnapshots",
    "suppressPomConsistencyChecks",
)
LOCAL_FIELDS = (
    *COMMON_FIELDS,
    *POLICY_FIELDS,
    "propertySets",
    "archiveBrowsingEnabled",
    "snapshotVersionBehavior",
    "checksumPolicyType",
)
FIELDS_BY_CLASS = {
    "local": LOCAL_FIELDS,
    "federated": LOCAL_FIELDS,
    "remote": (
        *(*COMMON_FIELDS, *POLICY_FIELDS, "propertySets", "archiveBrowsingEnabled", "url", "offline", "hardFail"),
        *("storeArtifactsLocally", "retrievalCachePeriodSecs", "missedRetrievalCachePeriodSecs", "username"),
        "socketTimeoutMillis",
    ),
    "virtual": (
        *(*COMMON_FIELDS, "artifactoryRequestsCanRetrieveRemoteArtifacts", "repositories", "defaultDeploymentRepo"),
    ),
}
ELEMENT_NAMES = {"checksumPolicyType": "localRepoChecksumPolicyType"}
REFERENCE_ELEMENTS = {"repositories": "repositoryRef", "propertySets": "propertySetRef"}
CLASSES = {f"{rclass}Repositories": rclass for rclass in FIELDS_BY_CLASS}
_BOOLEANS = {"true": True, "false": False}


def add_repositories(parent: ET.Element, section: str, repositories: Repositories) -> None:
    """Add the elements of the repositories of a class."""
    for repository in repositories.list_all():
        if repository.rclass == CLASSES[section]:
            _add_repository(parent, repository)


def _add_repository(parent: ET.Element, repository: Repository) -> None:
    configuration = repository.configuration
    element = ET.SubElement(parent, f"{repository.rclass}Repository")
    _add_elements(element, {"key": repository.key, "type": repository.package_type})
    for name in FIELDS_BY_CLASS[repository.rclass]:
        if name in REFERENCE_ELEMENTS:
            references = ET.SubElement(element, name)
            for key in configuration.get(name) or ():
                ET.SubElement(references, REFERENCE_ELEMENTS[name]).text = key
        elif configuration.get(name) not in (None, ""):
            _add_elements(element, {ELEMENT_NAMES.get(name, name): configuration[name]})


def _add_elements(parent: ET.Element, members: Mapping[str, Any]) -> None:
    for name, value in members.items():
        ET.SubElement(parent, name).text = str(value).lower() if isinstance(value, bool) else str(value)


def parse_repositories(sections: Mapping[str, ET.Element]) -> dict[str, dict[str, Any]]:
    """Return the fields of all repositories by key.

    :arg sections: elements such as `localRepositories` by name
    :raises ViolatesSchema: if a key is missing or occurs twice
    """
    parsed: dict[str, dict[str, Any]] = {}
    for section in REPOSITORY_SECTIONS:
        for element in sections.get(section, ()):
            fields = _parse_repository(element, CLASSES[section])
            key = fields.pop("key", None)
            if not key or key in parsed:
                raise ViolatesSchema(section)
            parsed[key] = fields
    return parsed


def _parse_repository(element: ET.Element, rclass: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"rclass": rclass}
    names = {ELEMENT_NAMES.get(name, name): name for name in FIELDS_BY_CLASS[rclass]}
    for child in element:
        text = (child.text or "").strip()
        tag = local_name(child)
        if tag in ("key", "type"):
            fields["key" if tag == "key" else "packageType"] = text
        elif tag in REFERENCE_ELEMENTS:
            fields[tag] = [(reference.text or "").strip() for reference in child]
        elif tag in names:
            fields[names[tag]] = int(text) if text.isdigit() else _BOOLEANS.get(text, text)
    return fields


async def replace_repositories(repositories: Repositories, desired: Mapping[str, dict[str, Any]]) -> None:
    """Create, change and delete repositories, so that only the desired ones are left."""
    for repository in list(repositories.list_all()):
        if repository.key not in desired:
            await repositories.delete(repository)
    for key, fields in desired.items():
        existing = repositories.find(key)
        kept = existing.configuration if existing and existing.rclass == fields["rclass"] else {}
        repositories.save(key, {**kept, **fields})
