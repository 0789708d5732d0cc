# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of the central configuration: read and replace XML, merge YAML."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import yaml
from starlette.responses import PlainTextResponse, Response

from ....http.routing import Route
from ....parsing.documents import parse_xml
from ...call import Call
from ...protocol import feature_versions
from ...protocol.errors import ArtifactError
from ...replications.replications import list_replicated_repositories, list_replications
from .repository_elements import CLASSES, add_repositories, parse_repositories, replace_repositories
from .repository_references import check_repositories
from .schema import REPOSITORY_SECTIONS, SECTIONS, list_sections, select_members
from .store import check_references, complete_document
from .values import DELETIONS, UnknownMember, ViolatesSchema, count_leaves, merge
from .xml_format import add_value, encrypt, local_name, parse_value

XSD = "http://artifactory.jfrog.org/xsd/"
# Schemas of the latest recorded version before 7, and of version 7.
# The versions of the schema by the first version of the server that has them.
SCHEMA_VERSIONS = (("7.0", "3.1.32"), ("6.0", "2.2.5"), ("5.0", "2.0.5"), ("0", "1.6.9"))
KNOWN_NAMESPACE = re.compile(rf"\{{{re.escape(XSD)}[123]\.\d+\.\d+\}}config")
SCHEMA_VIOLATION = "Failed to read object from stream."
REPOSITORIES_IN_CONFIGURATION = (
    "Cannot import configuration: config descriptor contains old repositories configuration, please use the new"
    " repositories export format instead."
)
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


async def get_configuration(call: Call) -> Response:
    """Handle `GET /api/system/configuration`."""
    call.require_admin()
    schema_version = _schema_version(call)
    location = f"{XSD.replace('artifactory.', 'www.')}artifactory-v{schema_version.replace('.', '_')}.xsd"
    root = ET.Element(
        "config",
        {
            "xmlns": f"{XSD}{schema_version}",
            "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
            "xsi:schemaLocation": location,
        },
    )
    document = call.configuration.load()
    encrypts = call.supports(feature_versions.CONFIGURATION_SCHEMA_3)
    version = call.get_switch("version")
    for name in list_sections(version):
        if name in CLASSES:
            add_repositories(ET.SubElement(root, name), name, call.repositories)
        elif name == "revision":
            ET.SubElement(root, name).text = str(call.descriptor.revision)
        elif SECTIONS[name] is None:
            ET.SubElement(root, name)
        elif name in document:
            kind = select_members(version, name, SECTIONS[name])
            add_value(root, name, kind, document[name], encrypt if encrypts else str)
    ET.indent(root, "    ")
    return Response(f"{DECLARATION}{ET.tostring(root, 'unicode')}\n".encode(), media_type="application/xml")


async def replace_configuration(call: Call) -> Response:
    """Handle `POST /api/system/configuration`. Everything that the document does not contain is deleted."""
    call.require_admin()
    _require_media_type(call, "application/xml")
    root = _parse_document(call, await call.request.body())
    try:
        document, repository_sections = _parse_sections(call, root)
        repositories = parse_repositories(repository_sections)
        has_repositories = not call.supports(feature_versions.REPOSITORIES_OUTSIDE_CONFIGURATION)
        check_references(document, repositories if has_repositories else _list_keys(call))
        completed = complete_document(document)
        _check_repositories(call, completed, repositories if has_repositories else None)
    except ViolatesSchema:
        raise ArtifactError(500, SCHEMA_VIOLATION) from None
    call.begin_descriptor_write()
    call.configuration.save(completed)
    if has_repositories:
        await replace_repositories(call.repositories, repositories)
    return PlainTextResponse(_reload_message(call))


async def merge_configuration(call: Call) -> Response:
    """Handle `PATCH /api/system/configuration`."""
    call.require_admin()
    _require_media_type(call, "application/yaml")
    try:
        changes = yaml.safe_load(await call.request.body())
        count = count_leaves(changes) if changes else 0
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ArtifactError(400, f"Cannot parse the YAML document: {error}") from None
    if not isinstance(changes or {}, dict):
        raise ArtifactError(400, "Cannot deserialize the YAML document: it is not a map.")
    await _delete_repositories(call, changes or {})
    if changes:
        _merge_sections(call, changes)
    return PlainTextResponse(f"{count} changes to config merged successfully")


async def _delete_repositories(call: Call, changes: dict[str, Any]) -> None:
    """Delete the repositories of sections that are null, and without any section those of all classes."""
    if call.supports(feature_versions.REPOSITORIES_OUTSIDE_CONFIGURATION):
        return
    for repository in list(call.repositories.list_all()):
        section = changes.get(f"{repository.rclass}Repositories", {})
        if not changes or section in DELETIONS or section.get(repository.key, {}) in DELETIONS:
            await call.repositories.delete(repository)


def _merge_sections(call: Call, changes: dict[str, Any]) -> None:
    document, available = call.configuration.load(), set(list_sections(call.get_switch("version")))
    ignores_unknown = call.get_switch("configuration_unknown") == "ignore"
    try:
        for name, change in changes.items():
            if name in REPOSITORY_SECTIONS and name in available:
                continue
            if name not in available or SECTIONS[name] is None:
                if not ignores_unknown:
                    raise UnknownMember(name)
                continue
            by_index = call.get_switch("configuration_lists") == "by_index"
            merged = merge(SECTIONS[name], document.get(name), change, lists_by_index=by_index)
            document[name] = None if change in DELETIONS else merged
        check_references(document, _list_keys(call))
        completed = complete_document(document, ignores_unknown=ignores_unknown)
        _check_repositories(call, completed)
    except UnknownMember as error:
        raise ArtifactError(400, f"Could not find the property '{error.path}' in the configuration.") from None
    except ViolatesSchema:
        raise ArtifactError(500, SCHEMA_VIOLATION) from None
    call.begin_descriptor_write()
    call.configuration.save(completed)


def _parse_document(call: Call, body: bytes) -> ET.Element:
    try:
        root = parse_xml(body)
    except ET.ParseError:
        root = None
    if root is None or not KNOWN_NAMESPACE.fullmatch(root.tag):
        namespace = f"{XSD}{_schema_version(call)}"
        message = f"The current Artifactory config schema namespace is '{namespace}'"
        raise ArtifactError(500, f"{message} \nThe provided config does not seem to be compliant with it.")
    return root


def _parse_sections(call: Call, root: ET.Element) -> tuple[dict[str, Any], dict[str, ET.Element]]:
    """Return the values of the sections, and the elements of the sections with repositories."""
    names = [local_name(element) for element in root]
    if call.supports(feature_versions.REPOSITORIES_OUTSIDE_CONFIGURATION) and set(names) & set(REPOSITORY_SECTIONS):
        raise ArtifactError(400, REPOSITORIES_IN_CONFIGURATION)
    if names != [name for name in list_sections(call.get_switch("version")) if name in names]:
        raise ViolatesSchema
    elements, version = dict(zip(names, root, strict=True)), call.get_switch("version")
    document = {
        name: parse_value(select_members(version, name, SECTIONS[name]), element)
        for name, element in elements.items()
        if SECTIONS[name] is not None
    }
    return document, {name: element for name, element in elements.items() if name in REPOSITORY_SECTIONS}


def _check_repositories(
    call: Call, document: dict[str, Any], repositories: dict[str, dict[str, Any]] | None = None
) -> None:
    """Fail if a new configuration does not fit the repositories and replications.

    :arg repositories: fields of the repositories in the new configuration; by default, the existing ones
    """
    if call.supports(feature_versions.REPOSITORIES_OUTSIDE_CONFIGURATION) and not call.get_switch(
        "configuration_checks_repositories"
    ):
        return
    existing = {repository.key: repository.configuration for repository in call.repositories.list_all()}
    replications = [
        replication
        for key in list_replicated_repositories(call.state)
        for replication in list_replications(call.state, key)
    ]
    check_repositories(
        call.configuration.load(), document, existing if repositories is None else repositories, replications
    )


def _list_keys(call: Call) -> list[str]:
    return [repository.key for repository in call.repositories.list_all()]


def _require_media_type(call: Call, expected: str) -> None:
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() != expected:
        raise ArtifactError(415)


def _schema_version(call: Call) -> str:
    return next(schema for version, schema in SCHEMA_VERSIONS if call.supports(version))


def _reload_message(call: Call) -> str:
    if call.supports(feature_versions.CONFIGURATION_SCHEMA_3):
        return "Reload of new configuration succeeded"
    classes = [repository.rclass for repository in call.repositories.list_all()]
    counts = ", ".join(f"{classes.count(rclass)} {rclass} repos" for rclass in ("local", "remote", "virtual"))
    return f"Reload of new configuration ({counts}) succeeded"


PATH = "/api/system/configuration"
ROUTES = (
    Route("GET", PATH, get_configuration, "central_configuration"),
    Route("POST", PATH, replace_configuration, "replace_configuration"),
    Route("PATCH", PATH, merge_configuration, "merge_configuration", since=feature_versions.CONFIGURATION_PATCH),
)
