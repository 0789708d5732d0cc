# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of a repository, and the fields that they desire."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import members
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.package_types import (
    CLASSES,
    PACKAGE_TYPES,
    Members,
    members_of,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.suggestion import suggest
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record, describe_type
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, XML_NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, UPDATE_SECRET
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option, Options
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_MAX = 2**31 - 1
_KEY = dict(NAME, matches=(r'[^/\\:|?*"<>;\s]{1,64}', 'at most 64 characters without spaces and / \\ : | ? * " < > ;'))
_HTTP = re.compile("https?://", re.IGNORECASE)
_RESERVED_KEYS = ("api", "ui", "webapp", "list", "simple", "repo", "favicon.ico", "trash", "auto-trashcan")
_FLAGS = (
    *("allow_any_host_auth", "archive_browsing_enabled", "artifactory_requests_can_retrieve_remote_artifacts"),
    *("blacked_out", "block_mismatching_mime_types", "block_pushing_schema1", "bypass_head_requests"),
    *("calculate_yum_metadata", "cdn_redirect", "ddeb_supported", "debian_trivial_layout", "disable_proxy"),
    *("disable_url_normalization", "download_redirect", "enable_cookie_management", "enable_file_lists_indexing"),
    *("external_dependencies_enabled", "fetch_jars_eagerly", "fetch_sources_eagerly", "force_maven_authentication"),
    *("force_metadata_name_version", "force_non_duplicate_chart", "force_nuget_authentication", "handle_releases"),
    *("handle_snapshots", "hard_fail", "list_remote_folder_items", "offline", "priority_resolution"),
    *("propagate_query_params", "reject_invalid_jars", "resolve_docker_tags_by_timestamp"),
    *("retrieve_sha256_from_server", "share_configuration", "store_artifacts_locally"),
    *("suppress_pom_consistency_checks", "synchronize_properties", "use_namespaces", "xray_index"),
)
_NUMBERS = (
    *("assumed_offline_period_secs", "docker_tag_retention", "max_unique_snapshots", "max_unique_tags"),
    *("metadata_retrieval_timeout_secs", "missed_retrieval_cache_period_secs", "retrieval_cache_period_secs"),
    *("socket_timeout_millis", "unused_artifacts_cleanup_period_hours", "virtual_retrieval_cache_period_secs"),
    "yum_root_depth",
)
_TEXTS = (
    *("charts_base_url", "client_tls_certificate", "debian_default_architectures", "docker_project_id"),
    *("download_context_path", "excludes_pattern", "feed_context_path", "includes_pattern", "local_address"),
    *("mismatching_mime_types_override_list", "proxy", "pypi_registry_url", "pypi_repository_suffix", "query_params"),
    *("remote_layout", "remote_repo_checksum_policy_type", "remote_username", "symbol_server_url", "v3_feed_url"),
    *("vcs_git_download_url", "vcs_git_provider", "vcs_type", "yum_group_file_names", "default_deployment_repo"),
    *("external_dependencies_remote_repo", "primary_key_pair_ref", "secondary_key_pair_ref", "key_pair", "project"),
)
_LISTS = ("environments", "external_dependencies_patterns", "optional_index_compression_formats", "property_sets")
_CHOICES = {
    "checksum_policy_type": ["client-checksums", "server-generated-checksums"],
    "docker_api_version": ["V1", "V2"],
    "pom_repository_references_cleanup_policy": ["discard_active_reference", "discard_any_reference", "nothing"],
    "snapshot_version_behavior": ["unique", "non-unique", "deployer"],
    "terraform_type": ["module", "provider"],
}
_ANY_TEXT = "may be any text"
_HOSTS_WITHOUT_HEAD = ("galaxy.ansible.com", "registry.terraform.io", "registry.opentofu.org")
# Options whose names look like those of secrets
_NOT_SECRET = {"no_log": False}
# Options that limit which files a repository accepts and serves
_PATTERNS = ("includes_pattern", "excludes_pattern")
_KEY_PAIRS = ("primary_key_pair_ref", "secondary_key_pair_ref", "key_pair", "enable_token_authentication")


def _text_option(name: str) -> Option:
    narrows = {"narrows_scope": True} if name in _PATTERNS else {}
    return {"type": "str", "one_line": True, **narrows, **(_NOT_SECRET if name in _KEY_PAIRS else {})}


_OPTIONS: Options = {
    "key": dict(type="str", required=True, no_log=False, **_KEY),
    "type": dict(type="str", choices=list(CLASSES), narrows_scope=True),
    "package_type": dict(type="str", **NAME, narrows_scope=True),
    "description": dict(type="str", unchecked=_ANY_TEXT),
    "notes": dict(type="str", unchecked=_ANY_TEXT),
    "layout": dict(type="str", **NAME),
    "remote_url": dict(type="str", address=True, **NAME),
    "remote_password": dict(type="str", no_log=True, unchecked="a password may be any text"),
    "enable_token_authentication": dict(type="bool", **_NOT_SECRET),
    "repositories": dict(type="list", elements="str", each_element=NAME),
    "members": dict(
        type="list",
        elements="dict",
        unchecked="the options of the elements have limits",
        options=dict(
            url=dict(type="str", address=True, **NAME),
            enabled=dict(type="bool", default=True),
        ),
    ),
    "custom_http_headers": dict(
        type="list",
        elements="dict",
        unchecked="the options of the elements have limits",
        options=dict(
            name=dict(type="str", **NAME),
            value=dict(type="str", one_line=True),
            secret_value=dict(type="str", no_log=True, one_line=True),
        ),
    ),
    "content_synchronisation": dict(
        type="dict",
        unchecked="the options of the dictionary have limits",
        options={
            name: dict(type="bool") for name in ("enabled", "statistics", "properties", "origin_absence_detection")
        },
    ),
    "settings": dict(
        type="dict",
        refuses_null=True,
        secret_members=True,
        unchecked="checked against the members of the package type",
    ),
    "allow_delete_content": dict(type="bool", default=False, narrows_scope=True),
    "test_connection": dict(type="bool", default=False),
    **{name: dict(type="bool") for name in _FLAGS},
    **{name: dict(type="int", at_least=0, at_most=_MAX) for name in _NUMBERS},
    **{name: _text_option(name) for name in _TEXTS},
    **{name: dict(type="list", elements="str", each_element=NAME) for name in _LISTS},
    **{name: dict(type="str", choices=choices) for name, choices in _CHOICES.items()},
}
# Without them, a repository belongs to no project, or requests more from other servers
for name in ("project", "external_dependencies_patterns"):
    _OPTIONS[name]["narrows_scope"] = True
# The list of repositories does not have them
for name in ("project", "environments"):
    _OPTIONS[name]["refused_with_undeclared"] = True
ITEM = STATE + UPDATE_SECRET + ArgumentSpec(_OPTIONS)

# Options of fields whose names are those of connection options
_PARAMETERS = {"url": "remote_url", "username": "remote_username", "password": "remote_password"}
# Names of these options in `items`
NAMES_IN_ITEMS = {option: field for field, option in _PARAMETERS.items()}
_IDENTITY_MEMBERS = {**members.IDENTITY, "password": "remote_password", "customHttpHeaders": "custom_http_headers"}


def rename_in_item(item: Fields) -> None:
    """Rename the options of an item whose names are those of connection options."""
    for option, name in NAMES_IN_ITEMS.items():
        item[option] = item.pop(name)


def check_options(params: Fields) -> None:
    """Verify the options of a repository before the first request.

    :raises BadOption: if an option does not fit the class and package type, or `settings` has an unknown member
    """
    if params["state"] == "absent":
        return
    _check_key(params["key"])
    if params["type"] == "remote" and not _HTTP.match(params["remote_url"] or "http://"):
        raise BadOption("remote_url", "must start with 'http://' or 'https://'")
    for option in ("type", "package_type"):
        if not params[option]:
            raise BadOption(option, "is required if the repository should exist")
    classes = PACKAGE_TYPES.get(params["package_type"])
    if classes is None:
        name = params["package_type"]
        raise BadOption("package_type", f"'{name}' is not a package type{suggest(name, PACKAGE_TYPES)}")
    if params["type"] not in classes:
        raise BadOption(
            "type", f"'{params['type']}' does not exist for {params['package_type']}. It has {', '.join(classes)}"
        )
    fields = desired_fields(params)
    if params["type"] == "remote" and not fields.get("url"):
        raise BadOption("remote_url", "is required for remote repositories. In 'items', the option is 'url'")
    _check_head_requests(fields)
    if params["package_type"] == "terraform" and params["type"] == "local" and not params["terraform_type"]:
        raise BadOption("terraform_type", "is required for local Terraform repositories")
    if params["key"] in fields.get("repositories", ()):
        raise BadOption("repositories", "must not contain the repository itself")


def _check_head_requests(fields: Fields) -> None:
    """Refuse HEAD requests to registries for which Artifactory disables them. Source: JFrog's Terraform provider."""
    urls = (fields.get("url"), (fields.get("settings") or {}).get("terraformRegistryUrl"))
    host = next((host for host in _HOSTS_WITHOUT_HEAD for url in urls if f"//{host}" in (url or "")), None)
    if host and fields.get("bypass_head_requests") is False:
        raise BadOption("bypass_head_requests", f"must be true for {host}, because Artifactory always enables it")


def desired_fields(params: Fields) -> Fields:
    """Return the fields that the options desire, normalized.

    :raises BadOption: if an option does not fit the class and package type, or `settings` has an unknown member
    """
    rclass, package_type = params["type"], params["package_type"]
    known = members_of(rclass, package_type)
    fields: Fields = {"key": params["key"], "type": rclass, "package_type": package_type}
    for name, member in members.MEMBER_NAMES.items():
        option = _PARAMETERS.get(name, name)
        if (value := params[option]) is not None:
            if member not in known:
                raise BadOption(option, f"does not apply to {rclass} {package_type} repositories")
            fields[name] = _normalize_option(member, value)
    settings: Fields = {}
    for member, value in (params.get("settings") or {}).items():
        normalized = _check_setting(member, value, known, f"{rclass} {package_type} repositories")
        field = members.OPTION_NAMES.get(member)
        if field is None:
            settings[member] = normalized
        elif field in fields:
            option = _PARAMETERS.get(field, field)
            raise BadOption(f"settings.{member}", f"is set by the option '{option}' as well. Remove one of them")
        else:
            fields[field] = normalized
    return {**fields, "settings": settings} if settings else fields


def _normalize_option(member: str, value: t.Any) -> t.Any:
    if member == "customHttpHeaders":
        _require(value, "custom_http_headers", "name")
        for number, header in enumerate(value):
            if header["value"] is not None and header["secret_value"] is not None:
                raise BadOption(f"custom_http_headers[{number}].value", "cannot be combined with 'secret_value'")
        return members.parse_headers(value)
    if member == "members":
        _require(value, "members", "url")
    if member == "contentSynchronisation":
        return {name: flag for name, flag in value.items() if flag is not None}
    return members.normalize(member, value)


def _require(elements: list[Fields], option: str, name: str) -> None:
    for number, element in enumerate(elements):
        if not element[name]:
            raise BadOption(f"{option}[{number}].{name}", "is required")


def _check_key(key: str) -> None:
    """Verify a key as Artifactory does when it creates a repository. Repositories with other keys can be deleted."""
    pattern, description = XML_NAME["matches"]
    if not re.fullmatch(pattern, key):
        raise BadOption("key", f"must be {description}, not '{key}'")
    if key.lower() in _RESERVED_KEYS:
        raise BadOption("key", f"'{key}' is reserved by Artifactory")


def _check_setting(member: str, value: t.Any, known: Members, subject: str) -> t.Any:
    """Return the normalized value of a member in `settings`."""
    if member in _IDENTITY_MEMBERS:
        raise BadOption(f"settings.{member}", f"must be set with the option '{_IDENTITY_MEMBERS[member]}'")
    if member not in known:
        raise BadOption(f"settings.{member}", f"is not a member of {subject}{suggest(member, known)}")
    if value is None:
        raise BadOption(f"settings.{member}", "must not be null. Omit it to leave the member unchanged")
    record = Record({member: value}, _unexpected_setting, "settings")
    try:
        return members.read_value(record, member, known[member])
    except UnexpectedResponse as error:
        raise BadOption(f"settings.{member}", str(error).rstrip(".")) from None


def _unexpected_setting(_path: str, expected: str, value: t.Any) -> UnexpectedResponse:
    return UnexpectedResponse(f"must be {expected}, not {describe_type(value)}")
