# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of repositories: defaults, conversion of values, merging, and the forms in responses."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from ...parsing import integers
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from .package_types import (
    ALIASES,
    CLASS_MEMBERS,
    COMMON_MEMBERS,
    CONTENT_SYNCHRONISATION,
    FOREIGN_MEMBERS_BY_CLASS,
    OMITTED_IF_EMPTY,
    PACKAGE_TYPES,
    POLICY_MEMBERS,
    REST_LAYOUT,
    SUPPORT_FLAGS,
    TERRAFORM_LAYOUTS,
    TYPE_MEMBERS,
)

Supports = Callable[[str], bool]
# Members that identify a repository. They never change.
IDENTITY = ("key", "rclass", "packageType")
CACHE_SUFFIX = " (local file cache)"
# Members for which an update ignores an empty value, so that they cannot be cleared.
KEPT_IF_EMPTY = ("customHttpHeaders", "defaultDeploymentRepo", "remoteRepoLayoutRef", "repoLayoutRef")
TRUE_WORDS = ("true", "on", "yes", "y", "t", "1")
FALSE_WORDS = ("false", "off", "no", "n", "f", "0")
# Members that a version added.
MEMBER_VERSIONS = {
    "disableProxy": feature_versions.DISABLE_PROXY,
    "environments": feature_versions.PROJECTS,
    "projectKey": feature_versions.PROJECTS,
}
DEFAULT_ENVIRONMENTS = ("DEV", "PROD")
# Hosts of registries that do not support HEAD requests.
HOSTS_WITHOUT_HEAD = ("galaxy.ansible.com", "registry.terraform.io", "registry.opentofu.org")
# The same for the registry of a Terraform repository, since WIZ_HEAD_BYPASSED.
WIZ_REGISTRY = "https://tf.app.wiz.io"
ENCRYPTION_PREFIX = "AM."


def normalize_package_type(package_type: Any) -> str:
    """Return the name of a package type in lower case; `generic` if it is not set."""
    name = str(package_type or "generic").lower()
    return ALIASES.get(name, name)


def default_layout(package_type: str, terraform_type: Any = None) -> str:
    """Return the layout that the user interface proposes for a package type."""
    if package_type == "terraform" and terraform_type:
        return TERRAFORM_LAYOUTS.get(str(terraform_type).lower(), "simple-default")
    known = PACKAGE_TYPES.get(package_type)
    return known.layout if known else "simple-default"


@functools.cache
def relevant_members(rclass: str, package_type: str) -> dict[str, Any]:
    """Return the members of a class and package type with their defaults."""
    return {**COMMON_MEMBERS, **CLASS_MEMBERS[rclass], **TYPE_MEMBERS[rclass].get(package_type, {})}


@functools.cache
def stored_members(rclass: str, package_type: str) -> dict[str, Any]:
    """Return the members that the server stores for a class and package type, with their defaults."""
    return {**POLICY_MEMBERS[rclass], **relevant_members(rclass, package_type)}


def list_member_names() -> list[str]:
    """Return the names of all members of all classes and package types."""
    names = {"projectKey", *IDENTITY}
    for rclass, by_type in TYPE_MEMBERS.items():
        names.update(*(stored_members(rclass, package_type) for package_type in ("generic", *by_type)))
    return sorted(names)


def rest_defaults(rclass: str, package_type: str, supports: Supports) -> dict[str, Any]:
    """Return the configuration of a repository that is created over REST without further members."""
    defaults = dict(stored_members(rclass, package_type))
    if rclass != "virtual":
        defaults["repoLayoutRef"] = REST_LAYOUT
    if "snapshotVersionBehavior" in defaults and not supports(feature_versions.UNIQUE_SNAPSHOTS):
        defaults["snapshotVersionBehavior"] = "non-unique"
    if "listRemoteFolderItems" in defaults and not supports(feature_versions.LIST_REMOTE_FOLDERS_OFF):
        defaults["listRemoteFolderItems"] = True
    return {name: value for name, value in defaults.items() if is_supported_member(name, supports)}


def is_supported_member(name: str, supports: Supports) -> bool:
    """Return whether the version has a member."""
    version = MEMBER_VERSIONS.get(name)
    return version is None or supports(version)


def create_configuration(key: str, fields: Mapping[str, Any], supports: Supports) -> dict[str, Any]:
    """Return the configuration of a new repository; members that are unknown or null are ignored."""
    rclass, package_type = str(fields["rclass"]).lower(), normalize_package_type(fields.get("packageType"))
    defaults = rest_defaults(rclass, package_type, supports)
    given = {
        name: convert_value(name, fields[name], defaults[name])
        for name in defaults
        if fields.get(name) is not None and (fields[name] != "" or name != "repoLayoutRef")
    }
    project = _project_of(fields, supports)
    configuration = {"key": key, "packageType": package_type, **defaults, **given, **project, "rclass": rclass}
    _check_environments(configuration, supports)
    return normalize(configuration, supports)


def update_configuration(current: Mapping[str, Any], fields: Mapping[str, Any], supports: Supports) -> dict[str, Any]:
    """Return the configuration after an update, which changes the given members only.

    In version 7, null clears texts. In other members, and in earlier versions, it is ignored.
    """
    members = stored_members(current["rclass"], current["packageType"])
    changed = dict(current)
    for name in members.keys() & fields.keys():
        value = fields[name]
        if not is_supported_member(name, supports) or (not value and name in KEPT_IF_EMPTY and value is not False):
            continue
        if value is None:
            value = "" if isinstance(members[name], str) and supports(feature_versions.NULL_CLEARS_TEXT) else None
        if value is None or (name == "password" and value == encrypt(current.get(name))):
            continue
        changed[name] = convert_value(name, value, members[name])
    if "environments" in fields:
        _check_environments(changed, supports)
    return normalize(changed, supports)


def normalize(configuration: dict[str, Any], supports: Supports) -> dict[str, Any]:
    """Apply the rules of the server to a configuration that it is about to store."""
    configuration["includesPattern"] = configuration["includesPattern"] or "**/*"
    configuration["description"] = configuration["description"].removesuffix(CACHE_SUFFIX)
    if configuration.get("externalDependenciesEnabled") and not configuration.get("externalDependenciesPatterns"):
        configuration["externalDependenciesPatterns"] = ["**"]
    if any(f"//{host}" in str(configuration.get("url")) for host in HOSTS_WITHOUT_HEAD):
        configuration["bypassHeadRequests"] = True
    if configuration.get("terraformRegistryUrl") == WIZ_REGISTRY and supports(feature_versions.WIZ_HEAD_BYPASSED):
        configuration["bypassHeadRequests"] = True
    return configuration


def _project_of(fields: Mapping[str, Any], supports: Supports) -> dict[str, Any]:
    project = fields.get("projectKey")
    is_assigned = project not in (None, "", "default") and supports(feature_versions.PROJECTS)
    return {"projectKey": str(project)} if is_assigned else {}


def _check_environments(configuration: Mapping[str, Any], supports: Supports) -> None:
    """Fail if the version does not support the environments of a project's repository.

    The wording of the errors is not known.
    """
    environments = configuration.get("environments", ())
    if not configuration.get("projectKey"):
        return
    if not supports(feature_versions.CUSTOM_ENVIRONMENTS):
        unknown = [name for name in environments if name not in DEFAULT_ENVIRONMENTS]
        if unknown:
            raise ArtifactError(400, f"Environment {unknown[0]} does not exist")
    elif len(environments) > 1 and not supports(feature_versions.SEVERAL_ENVIRONMENTS):
        raise ArtifactError(400, "A repository can be assigned to one environment only")


def convert_value(name: str, value: Any, default: Any) -> Any:
    """Return a value of a request in the type of the member, converted like the server does."""
    if isinstance(default, bool):
        return _convert_boolean(value)
    if isinstance(default, int):
        return _convert_integer(value)
    if isinstance(default, Mapping):
        return _convert_content_synchronisation(value)
    if isinstance(default, list):
        if not isinstance(value, list):
            raise ArtifactError(400, f"Can't convert value '{value}' to type interface java.util.List")
        return value if name in ("members", "customHttpHeaders") else [str(element) for element in value]
    return str(value)


def _convert_boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in (*TRUE_WORDS, *FALSE_WORDS):
        raise ArtifactError(400, f"Can't convert value '{value}' to type class java.lang.Boolean")
    return word in TRUE_WORDS


def _convert_integer(value: Any) -> int:
    try:
        return integers.parse_integer(str(value), 32)
    except ValueError:
        raise ArtifactError(500, f"Error converting from 'String' to 'Integer' For input string: \"{value}\"") from None


def _convert_content_synchronisation(value: Any) -> dict[str, Any]:
    """Return the synchronization settings: the whole object is replaced, so that members left out are false."""
    given = value if isinstance(value, Mapping) else {}
    return {
        name: _convert_flags(given.get(name), default)
        if isinstance(default, Mapping)
        else _convert_boolean(given.get(name, default))
        for name, default in CONTENT_SYNCHRONISATION.items()
    }


def _convert_flags(value: Any, defaults: Mapping[str, bool]) -> dict[str, bool]:
    given = value if isinstance(value, Mapping) else {}
    return {name: _convert_boolean(given.get(name, default)) for name, default in defaults.items()}


def encrypt(password: Any) -> str | None:
    """Return the encrypted form of a password in responses, which differs for each password."""
    if not password:
        return None
    digest = hashlib.sha256(f"sandbox:{password}".encode()).digest()
    return f"{ENCRYPTION_PREFIX}{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def relevant_form(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration as the second version of the API does: members of the class and package type."""
    names = relevant_members(configuration["rclass"], configuration["packageType"]).keys()
    return _omit_members({n: v for n, v in configuration.items() if n in names or n in (*IDENTITY, "projectKey")})


def complete_form(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration as the first version of the API does: also members of other package types."""
    package_type = configuration["packageType"]
    foreign = {
        **{flag: name == package_type for flag, name in SUPPORT_FLAGS.items()},
        **FOREIGN_MEMBERS_BY_CLASS[configuration["rclass"]],
    }
    added = {name: value for name, value in foreign.items() if name not in configuration}
    return {**_omit_members(configuration), **added}


def _omit_members(configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in configuration.items() if value or name not in OMITTED_IF_EMPTY}
