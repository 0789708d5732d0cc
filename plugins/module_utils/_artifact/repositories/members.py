# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Members of repository configurations: names and values in the REST API and in the options of modules.

A field is a member under the name of its option. Members without an option are in the field `settings`, under the
names of the REST API. Values are normalized, so that fields can be compared.
"""

from __future__ import annotations

import functools
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.package_types import (
    CLASSES,
    Members,
    default_layout,
    members_of,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

# Package types whose members all have an option
_TYPED = ("docker", "generic", "go", "gradle", "helm", "maven", "npm", "nuget", "pypi", "debian", "rpm", "terraform")
_UNTYPED = frozenset(
    (
        *("signedUrlTtl", "xrayDataTtl", "hideUnauthorizedResources", "terraformRegistryUrl", "terraformProvidersUrl"),
        *("curated", "passThrough"),
    )
)
_SPECIAL_NAMES = {
    "projectKey": "project",
    "pyPIRegistryUrl": "pypi_registry_url",
    "pyPIRepositorySuffix": "pypi_repository_suffix",
    "remoteRepoLayoutRef": "remote_layout",
    "repoLayoutRef": "layout",
}
# Package types with another name in old versions
_ALIASES = {"yum": "rpm"}
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Fields that the server does not return, or only encrypted
SECRETS = ("password", "secret_value", "v3_feed_url", "symbol_server_url")
_NOT_RETURNED = (*SECRETS, "is_own_listed")
# Lists with a default that configurations do not have while they are empty
_OMITTED_IF_EMPTY = ("externalDependenciesPatterns",)
# Members that are compared sorted, but that other clients compare in order
_ORDERED_ELSEWHERE = ("debianDefaultArchitectures", "externalDependenciesPatterns")
_CACHE_SUFFIX = " (local file cache)"
# Fields of `content_synchronisation`, and their places in the member of the REST API
_SYNCHRONISATION = {
    "enabled": ("enabled",),
    "statistics": ("statistics", "enabled"),
    "properties": ("properties", "enabled"),
    "origin_absence_detection": ("source", "originAbsenceDetection"),
}
IDENTITY = {"key": "key", "rclass": "type", "packageType": "package_type"}


def _option_name(member: str) -> str:
    return _SPECIAL_NAMES.get(member) or _WORD_START.sub("_", member).lower()


def _find_option_names() -> dict[str, str]:
    members = {name for rclass in CLASSES for package_type in _TYPED for name in members_of(rclass, package_type)}
    return {name: _option_name(name) for name in sorted(members - _UNTYPED)}


# Names of options by the name of the member
OPTION_NAMES = _find_option_names()
MEMBER_NAMES = {option: member for member, option in OPTION_NAMES.items()}


def normalize(member: str, value: t.Any) -> t.Any:
    """Return a value as the server stores it, in a form that can be compared."""
    convert = _NORMALIZERS.get(member)
    return convert(value) if convert else value


def read_fields(record: Record, own_url: str) -> Fields:
    """Return the fields of a configuration. Members that are missing have the defaults of the server.

    :arg own_url: URL of the repository, which the server adds to the members of a federated repository
    """
    rclass = record.text("rclass").lower()
    package_type = read_package_type(record)
    fields: Fields = {"key": record.text("key"), "type": rclass, "package_type": package_type}
    settings: Fields = {}
    for member, option, default in _layout_of(rclass, package_type):
        if record.get(member) is None:
            value = [] if member in _OMITTED_IF_EMPTY else default
        else:
            value = read_value(record, member, default)
        if option:
            fields[option] = value
        else:
            settings[member] = value
    fields.pop("password", None)
    if "members" in fields:
        others = [member for member in fields["members"] if not is_same_url(member["url"], own_url)]
        fields["is_own_listed"] = len(others) < len(fields["members"])
        fields["members"] = others
    for option in SECRETS:
        if option in fields and record.get(MEMBER_NAMES[option]) is None:
            fields[option] = None
    fields["settings"] = settings
    return fields


def read_package_type(record: Record) -> str:
    """Return the package type of a configuration or list entry in lower case."""
    return normalize_package_type(record.maybe_text("packageType") or "generic")


def normalize_package_type(package_type: str) -> str:
    """Return a package type in lower case, by its name in new versions."""
    return _ALIASES.get(package_type.lower(), package_type.lower())


def default_fields(rclass: str, package_type: str) -> Fields:
    """Return the fields of a repository with the defaults of the server."""
    fields: Fields = {}
    settings: Fields = {}
    for member, option, default in _layout_of(rclass, package_type):
        if option:
            fields[option] = default
        else:
            settings[member] = default
    return {**fields, "settings": settings}


def to_members(fields: Fields, current: Fields | None) -> Fields:
    """Return fields as members of the REST API.

    :arg current: the existing fields, which complete members that the server replaces as a whole
    """
    members: Fields = dict(fields.get("settings") or {})
    for option, value in fields.items():
        if option in MEMBER_NAMES:
            members[MEMBER_NAMES[option]] = value
    if "contentSynchronisation" in members:
        before = (current or {}).get("content_synchronisation") or {}
        members["contentSynchronisation"] = _to_synchronisation({**before, **members["contentSynchronisation"]})
    if "customHttpHeaders" in members:
        members["customHttpHeaders"] = [_to_header(header) for header in members["customHttpHeaders"]]
    return members


def restore_order(members: Fields, params: Fields) -> Fields:
    """Return members of the REST API with lists in the order of the options, because other clients compare the order.

    :arg params: the options of the task
    """
    declared = {name: params[OPTION_NAMES[name]] for name in _ORDERED_ELSEWHERE}
    declared.update((name, value) for name, value in (params["settings"] or {}).items() if name in declared)
    ordered = {
        name: value
        for name, value in declared.items()
        if name in members and value is not None and normalize(name, value) == members[name]
    }
    return {**members, **ordered}


def to_result(fields: Fields) -> Fields:
    """Return fields in the form of the options: complete, without secrets."""
    defaults = default_fields(fields["type"], fields["package_type"])
    identity = {option: fields[option] for option in IDENTITY.values()}
    result = {**identity, **defaults, **fields}
    for option in _NOT_RETURNED:
        result.pop(option, None)
    if result.get("custom_http_headers"):
        result["custom_http_headers"] = [_to_option(header) for header in result["custom_http_headers"]]
    return {**result, "settings": {**defaults["settings"], **fields.get("settings", {})}}


def layout_for(fields: Fields) -> str:
    """Return the layout of a new repository."""
    return default_layout(fields["package_type"], fields.get("terraform_type"))


def is_same_url(url: str, other: str) -> bool:
    """Return whether two URLs are equal, except for a final slash."""
    return url.rstrip("/") == other.rstrip("/")


def parse_headers(headers: list[Fields]) -> list[Fields]:
    """Return headers of the option as fields. A header without `value` is sensitive."""
    fields = []
    for header in sorted(headers, key=lambda header: str(header["name"])):
        value = header.get("value")
        kept = {"value": value} if value is not None else {"secret_value": header.get("secret_value") or ""}
        fields.append({"name": header["name"], "sensitive": value is None, **kept})
    return fields


def read_value(record: Record, member: str, default: t.Any) -> t.Any:
    """Return a normalized member. Its type is that of the default."""
    if isinstance(default, bool):
        return record.flag(member)
    if isinstance(default, int):
        return record.integer(member)
    if isinstance(default, str):
        return normalize(member, record.text(member))
    if member == "contentSynchronisation":
        return _read_synchronisation(record.record(member))
    if member == "members":
        return normalize(member, [_read_federated(entry) for entry in record.records(member)])
    if member == "customHttpHeaders":
        return sorted(map(_read_header, record.records(member)), key=lambda header: str(header["name"]))
    return normalize(member, record.texts(member))


@functools.cache
def _layout_of(rclass: str, package_type: str) -> tuple[tuple[str, str | None, t.Any], ...]:
    """Return member, option and normalized default of each member."""
    members: Members = members_of(rclass, package_type)
    return tuple((name, OPTION_NAMES.get(name), normalize(name, default)) for name, default in members.items())


def _read_header(record: Record) -> Fields:
    if record.maybe_flag("sensitive"):
        return {"name": record.text("name"), "sensitive": True}
    return {"name": record.text("name"), "sensitive": False, "value": record.maybe_text("value") or ""}


def _read_federated(record: Record) -> Fields:
    return {"url": record.text("url"), "enabled": record.maybe_flag("enabled") is not False}


def _read_synchronisation(record: Record) -> Fields:
    fields = {}
    for option, (name, *inner) in _SYNCHRONISATION.items():
        place = record.maybe_record(name) if inner else record
        fields[option] = bool(place and place.maybe_flag(inner[0] if inner else name))
    return fields


def _to_synchronisation(fields: Fields) -> Fields:
    members: Fields = {"enabled": bool(fields.get("enabled"))}
    for option, (name, *inner) in _SYNCHRONISATION.items():
        if inner:
            members[name] = {inner[0]: bool(fields.get(option))}
    return members


def _to_header(header: Fields) -> Fields:
    value = header.get("secret_value") if header["sensitive"] else header.get("value")
    return {"name": header["name"], "value": value or "", "sensitive": header["sensitive"]}


def _to_option(header: Fields) -> Fields:
    return {"name": header["name"], "value": header.get("value")}


def _strip_suffix(description: str) -> str:
    return description[: -len(_CACHE_SUFFIX)] if description.endswith(_CACHE_SUFFIX) else description


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _join_in_order(text: str) -> str:
    return ",".join(_split(text))


def _join_sorted(text: str) -> str:
    return ",".join(sort_unique(_split(text)))


def _sort_members(members: list[Fields]) -> list[Fields]:
    unique = {member["url"].rstrip("/"): member for member in members}
    return [{"url": url, "enabled": member.get("enabled") is not False} for url, member in sorted(unique.items())]


def _normalize_synchronisation(fields: Fields) -> Fields:
    return {option: bool(fields.get(option)) for option in _SYNCHRONISATION}


def _normalize_project(project: str) -> str:
    return "" if project == "default" else project


_NORMALIZERS: dict[str, t.Callable[[t.Any], t.Any]] = {
    "contentSynchronisation": _normalize_synchronisation,
    "debianDefaultArchitectures": _join_sorted,
    "description": _strip_suffix,
    "environments": sort_unique,
    "excludesPattern": _join_in_order,
    "externalDependenciesPatterns": sort_unique,
    "includesPattern": lambda text: _join_in_order(text) or "**/*",
    "members": _sort_members,
    "mismatchingMimeTypesOverrideList": _join_in_order,
    "optionalIndexCompressionFormats": sort_unique,
    "projectKey": _normalize_project,
    "propertySets": sort_unique,
    "terraformType": str.lower,
    "yumGroupFileNames": _join_in_order,
}
