# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The central configuration as XML.

It contains what the sandbox supports. Other elements have the server's default or are omitted.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..repositories.repositories import Repository

# Schemas of the latest recorded version before 7, and of version 7.
NAMESPACE = "http://artifactory.jfrog.org/xsd/1.6.9"
NAMESPACE_7 = "http://artifactory.jfrog.org/xsd/3.1.32"
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


async def get_configuration(call: Call) -> Response:
    """Handle `GET /api/system/configuration`."""
    call.require_admin()
    namespace = NAMESPACE_7 if call.supports(feature_versions.CONFIGURATION_SCHEMA_3) else NAMESPACE
    root = ET.Element("config", {"xmlns": namespace})
    _add_elements(root, {"offlineMode": False, "fileUploadMaxSizeMb": 100, "dateFormat": "dd-MM-yy HH:mm:ss z"})
    security = {
        "anonAccessEnabled": call.get_switch("anonymous"),
        "hideUnauthorizedResources": call.get_switch("hide_unauthorized"),
    }
    _add_elements(root, {"security": security})
    repositories = list(call.repositories.list_all())
    for rclass in ("local", "remote", "virtual", "federated"):
        class_repositories = [repository for repository in repositories if repository.rclass == rclass]
        if class_repositories or rclass != "federated":
            parent = ET.SubElement(root, f"{rclass}Repositories")
            for repository in class_repositories:
                _add_repository(parent, repository)
    _add_elements(root, {"gcConfig": {"cronExp": "0 0 /4 * * ?"}, "cleanupConfig": {"cronExp": "0 12 5 * * ?"}})
    _add_elements(root, {"trashcanConfig": {"enabled": call.get_switch("trashcan"), "retentionPeriodDays": 14}})
    ET.indent(root, "    ")
    declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return Response(f"{declaration}{ET.tostring(root, 'unicode')}\n".encode(), media_type="application/xml")


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
        element = ET.SubElement(parent, name)
        if isinstance(value, Mapping):
            _add_elements(element, value)
        else:
            element.text = str(value).lower() if isinstance(value, bool) else str(value)


ROUTES = (Route("GET", "/api/system/configuration", get_configuration, "central_configuration"),)
