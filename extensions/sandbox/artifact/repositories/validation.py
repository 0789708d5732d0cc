# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the server before it creates or changes a repository: key, class, package type and references.

The wording of the errors is that of recorded responses, unless a comment says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..call import Call
from ..keys.keypairs import REFERENCES, list_keypairs
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_package_type
from .configurations import normalize_package_type
from .package_types import CLASSES, MAVEN_TYPES, PACKAGE_TYPES
from .repositories import Repository

LONGEST_KEY = 64
RESERVED_KEYS = ("api", "ui", "webapp", "list", "simple", "repo", "favicon.ico", "trash", "auto-trashcan")
ILLEGAL_CHARACTER = re.compile(r'[/\\:|?*"<>]')
ALLOWED_SCHEMES = ("http", "https")
# Package types whose virtual repositories may contain repositories of any type.
UNRESTRICTED_TYPES = ("generic", "p2")
BUNDLE_SUFFIX = "release-bundles-v2"


def check_class(fields: Mapping[str, Any]) -> None:
    """Fail unless the fields name a class, and a package type that exists in it."""
    rclass = str(fields.get("rclass") or "").lower()
    if not rclass:
        raise ArtifactError(400, "Missing repository type")
    if rclass not in CLASSES:
        raise ArtifactError(400, f"Invalid repository type: {fields['rclass']}")  # wording not known
    package_type = normalize_package_type(fields.get("packageType"))
    if package_type not in PACKAGE_TYPES:
        raise ArtifactError(400, f"Invalid package type: {fields['packageType']}")  # wording not known
    if rclass not in PACKAGE_TYPES[package_type].classes:
        label = format_package_type(package_type)
        raise ArtifactError(400, f"Package type {label} is unsupported in {rclass} repositories")


def check_new_key(call: Call, key: str) -> None:
    """Fail if a repository cannot have this key."""
    reason = find_key_conflict(call, key) or find_key_defect(key)
    if not reason and call.descriptor.has_id(key):
        reason = "Repository name is already in use"
    if reason:
        has_prefix = call.supports(feature_versions.REPOSITORY_NAME_MESSAGES)
        raise ArtifactError(400, f"error when validating repository name: {key} : {reason}" if has_prefix else reason)


def find_key_conflict(call: Call, key: str) -> str | None:
    """Return the message about an existing repository whose key is equal, except for case."""
    existing = call.repositories.find_key(key)
    if existing == key and call.supports(feature_versions.REPOSITORY_NAME_MESSAGES):
        return "Repository key already exists"
    return "Case insensitive repository key already exists" if existing else None


def find_key_defect(key: str) -> str | None:
    """Return why a text cannot be the key of a repository."""
    if not key.strip():
        return "Repository key cannot be empty"
    if len(key) > LONGEST_KEY:
        return f"Repository key '{key}' exceed maximum length"
    if key.lower() in RESERVED_KEYS:
        return f"Repository key '{key}' is a reserved name"
    if key in (".", "..", "&"):
        return "Invalid Repository name"
    illegal = ILLEGAL_CHARACTER.search(key)
    if illegal:
        return f"Illegal character: '{illegal[0]}'"
    return _find_xml_name_defect(key)


def _find_xml_name_defect(key: str) -> str | None:
    if not (key[0].isalpha() or key[0] == "_"):
        return f'Invalid Repository name: XML names cannot begin with the character "{key[0]}"'
    for character in key:
        if not (character.isalnum() or character in "._-"):
            return f'Invalid Repository name: XML names cannot contain the character "{character}"'
    return None


def check_identity(repository: Repository, fields: Mapping[str, Any]) -> None:
    """Fail if an update would change the key, the class or the package type."""
    key, rclass, package_type = (fields.get(name) for name in ("key", "rclass", "packageType"))
    if key not in (None, "", repository.key):
        raise ArtifactError(
            409, f"Repository key '{key}' does not match the path '{repository.key}'"
        )  # wording not known
    if rclass not in (None, "") and str(rclass).lower() != repository.rclass:
        raise ArtifactError(400, f"Repository '{repository.key}' class cannot be updated")
    if package_type not in (None, "") and normalize_package_type(package_type) != repository.package_type:
        raise ArtifactError(400, "Changing a repository's type once it's set is not supported")


def check_references(call: Call, configuration: dict[str, Any]) -> None:
    """Fail if a configuration refers to something that does not exist."""
    layouts = call.descriptor.list_names("repoLayouts")
    layout = configuration.get("repoLayoutRef")
    if layout and layout not in layouts:
        raise ArtifactError(400, f"Unable to find repository layout by the name: {layout}")
    remote_layout = configuration.get("remoteRepoLayoutRef")
    if remote_layout and remote_layout not in layouts:
        raise ArtifactError(400, "Invalid remote repository layout")
    if configuration.get("proxy") and configuration["proxy"] not in call.descriptor.list_names("proxies"):
        raise ArtifactError(400, "Invalid proxy configuration")
    property_sets = configuration.get("propertySets") or ()
    if property_sets:
        known_sets = call.descriptor.list_names("propertySets")
        for name in property_sets:
            if name not in known_sets:
                raise ArtifactError(400, f"Property set {name} doesn't exist")
    _check_key_pairs(call, configuration)
    if configuration["rclass"] == "remote":
        _check_remote(configuration)
    if configuration["rclass"] == "virtual":
        _check_virtual(call, configuration)
    if configuration["rclass"] == "federated":
        _check_federated(configuration)


def _check_key_pairs(call: Call, configuration: Mapping[str, Any]) -> None:
    """Fail if a key pair does not exist. Whether the server checks this is not known."""
    if not call.get_switch("repository_checks_key_pairs"):
        return
    known = list_keypairs(call.state)
    for member in REFERENCES:
        name = configuration.get(member)
        if name and name not in known:
            raise ArtifactError(400, f"Key pair '{name}' does not exist")  # wording not known


def _check_remote(configuration: Mapping[str, Any]) -> None:
    url = str(configuration.get("url") or "").strip()
    if not url:
        raise ArtifactError(400, "URL cannot be empty")
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        raise ArtifactError(400, f"Invalid URL: {url}") from None  # wording not known
    if scheme not in ALLOWED_SCHEMES:
        allowed = ", ".join(ALLOWED_SCHEMES)
        message = f"Scheme '{scheme}' is not allowed. The following schemes are allowed: [{allowed}]"
        raise ArtifactError(400, f"Invalid URL: {message}")
    if configuration["packageType"] == "hex" and not configuration.get("hexPublicKey"):
        raise ArtifactError(400, "hexPublicKey is required")  # wording not known


def _check_virtual(call: Call, configuration: dict[str, Any]) -> None:
    package_type = configuration["packageType"]
    for key in configuration["repositories"]:
        member = call.repositories.find_stored(key)
        if member is None:
            raise ArtifactError(400, f"Repository {key} does not exist\n")
        if not _may_aggregate(package_type, member.package_type):
            label = format_package_type(member.package_type)
            message = f"aggregates another repository '{key}' that has a mismatching package type {label}"
            raise ArtifactError(400, f"Repository '{configuration['key']}' {message}")
    # Clients clear the default deployment repository with the key of a repository that does not exist.
    if call.repositories.find_stored(configuration["defaultDeploymentRepo"]) is None:
        configuration["defaultDeploymentRepo"] = ""


def _may_aggregate(package_type: str, member_type: str) -> bool:
    if package_type in UNRESTRICTED_TYPES:
        return True
    return member_type in MAVEN_TYPES if package_type in MAVEN_TYPES else member_type == package_type


def _check_federated(configuration: Mapping[str, Any]) -> None:
    if configuration["packageType"] == "releasebundles" and not configuration["key"].endswith(BUNDLE_SUFFIX):
        raise ArtifactError(400, f"The repository key must end with '{BUNDLE_SUFFIX}'")  # wording not known
    for member in configuration["members"]:
        if not isinstance(member, Mapping) or not str(member.get("url") or ""):
            raise ArtifactError(400, "URL cannot be empty")
