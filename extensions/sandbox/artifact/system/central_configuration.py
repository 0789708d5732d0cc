# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The central configuration as XML: what the sandbox has of it, in the order of the server's schema.

What the sandbox has no setting for has the server's default, or is left out.
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

# The schema of the last version that was looked at, and of version 7
NAMESPACE = "http://artifactory.jfrog.org/xsd/1.6.9"
NAMESPACE_OF_7 = "http://artifactory.jfrog.org/xsd/3.1.32"
GENERAL = ("description", "notes", "includesPattern", "excludesPattern", "repoLayoutRef")
HANDLING = ("blackedOut", "handleReleases", "handleSnapshots", "maxUniqueSnapshots", "suppressPomConsistencyChecks")
LOCAL = (*GENERAL, *HANDLING, "propertySets", "archiveBrowsingEnabled", "snapshotVersionBehavior", "checksumPolicyType")
MEMBERS = {
    "local": LOCAL,
    "federated": LOCAL,
    "remote": (
        *(*GENERAL, *HANDLING, "propertySets", "archiveBrowsingEnabled", "url", "offline", "hardFail"),
        *("storeArtifactsLocally", "retrievalCachePeriodSecs", "missedRetrievalCachePeriodSecs", "username"),
        "socketTimeoutMillis",
    ),
    "virtual": (*(*GENERAL, "artifactoryRequestsCanRetrieveRemoteArtifacts", "repositories", "defaultDeploymentRepo"),),
}
NAMES = {"checksumPolicyType": "localRepoChecksumPolicyType"}
REFERENCES = {"repositories": "repositoryRef", "propertySets": "propertySetRef"}


async def show(call: Call) -> Response:
    """GET /api/system/configuration"""
    call.require_admin()
    namespace = NAMESPACE_OF_7 if call.supports(feature_versions.CONFIGURATION_SCHEMA_3) else NAMESPACE
    root = ET.Element("config", {"xmlns": namespace})
    _add(root, {"offlineMode": False, "fileUploadMaxSizeMb": 100, "dateFormat": "dd-MM-yy HH:mm:ss z"})
    security = {
        "anonAccessEnabled": call.get_switch("anonymous"),
        "hideUnauthorizedResources": call.get_switch("hide_unauthorized"),
    }
    _add(root, {"security": security})
    repositories = list(call.repositories.list_all())
    for rclass in ("local", "remote", "virtual", "federated"):
        of_class = [repository for repository in repositories if repository.rclass == rclass]
        if of_class or rclass != "federated":
            parent = ET.SubElement(root, f"{rclass}Repositories")
            for repository in of_class:
                _add_repository(parent, repository)
    _add(root, {"gcConfig": {"cronExp": "0 0 /4 * * ?"}, "cleanupConfig": {"cronExp": "0 12 5 * * ?"}})
    _add(root, {"trashcanConfig": {"enabled": call.get_switch("trashcan"), "retentionPeriodDays": 14}})
    ET.indent(root, "    ")
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return Response(f"{head}{ET.tostring(root, 'unicode')}\n".encode(), media_type="application/xml")


def _add_repository(parent: ET.Element, repository: Repository) -> None:
    configuration = repository.configuration
    element = ET.SubElement(parent, f"{repository.rclass}Repository")
    _add(element, {"key": repository.key, "type": repository.package_type})
    for name in MEMBERS[repository.rclass]:
        if name in REFERENCES:
            references = ET.SubElement(element, name)
            for key in configuration.get(name) or ():
                ET.SubElement(references, REFERENCES[name]).text = key
        elif configuration.get(name) not in (None, ""):
            _add(element, {NAMES.get(name, name): configuration[name]})


def _add(parent: ET.Element, members: Mapping[str, Any]) -> None:
    for name, value in members.items():
        element = ET.SubElement(parent, name)
        if isinstance(value, Mapping):
            _add(element, value)
        else:
            element.text = str(value).lower() if isinstance(value, bool) else str(value)


ROUTES = (Route("GET", "/api/system/configuration", show, "central_configuration"),)
