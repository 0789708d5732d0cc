# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form in which clean-up policies are compared, and its conversion from options, from responses and to requests.

The fields of a policy have the names of the options. A condition that is not set is 0.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cron import check_cron
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

ALL = "**"
# Options, with the members of the API and their defaults
_MEMBERS: dict[str, tuple[str, t.Any]] = {
    "description": ("description", ""),
    "cron": ("cronExp", ""),
    "duration_in_minutes": ("durationInMinutes", 0),
    "enabled": ("enabled", False),
    "skip_trashcan": ("skipTrashcan", False),
    "project": ("projectKey", ""),
}
# Suboptions of `criteria`, with the members of the API and their defaults
_CRITERIA: dict[str, tuple[str, t.Any]] = {
    "package_types": ("packageTypes", []),
    "repositories": ("repos", []),
    "excluded_repositories": ("excludedRepos", []),
    "included_packages": ("includedPackages", [ALL]),
    "excluded_packages": ("excludedPackages", []),
    "include_all_projects": ("includeAllProjects", False),
    "included_projects": ("includedProjects", []),
    "created_before_days": ("createdBeforeInDays", 0),
    "created_before_months": ("createdBeforeInMonths", 0),
    "last_downloaded_before_days": ("lastDownloadedBeforeInDays", 0),
    "last_downloaded_before_months": ("lastDownloadedBeforeInMonths", 0),
    "keep_last_versions": ("keepLastNVersions", 0),
    "included_properties": ("includedProperties", {}),
    "excluded_properties": ("excludedProperties", {}),
}
# Conditions of which Artifactory accepts only those of one group
_DAYS = ("created_before_days", "last_downloaded_before_days")
_MONTHS = ("created_before_months", "last_downloaded_before_months")
_VERSIONS = ("keep_last_versions",)
_GROUPS = (_DAYS, _MONTHS, _VERSIONS)
_OTHER_UNIT = {**dict(zip(_DAYS, _MONTHS)), **dict(zip(_MONTHS, _DAYS))}
# Members that requests omit while they are empty, as JFrog's Terraform provider does, which expects none of them
_OMITTED_IF_EMPTY = frozenset(
    ("cronExp", "projectKey", "excludedRepos", "excludedPackages", "includedProperties", "excludedProperties")
)
_NO_PROJECT = "default"
_PATTERNS_OF_ALL = ("*", ALL)


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare.

    :raises BadOption: if an option is invalid, or excludes another one
    """
    fields: Fields = {name: params[name] for name in _MEMBERS if params[name] is not None}
    if fields.get("cron"):
        check_cron("cron", fields["cron"])
    if "project" in fields:
        fields["project"] = parse_project(fields["project"])
    if params["criteria"] is not None:
        fields["criteria"] = {
            name: _parse_criterion(name, value) for name, value in params["criteria"].items() if value is not None
        }
        check_conditions(fields["criteria"], fields["criteria"])
    return fields


def parse_project(project: str) -> str:
    """Return the key of a project, or an empty string for global policies."""
    return "" if project == _NO_PROJECT else project


def _parse_criterion(name: str, value: t.Any) -> t.Any:
    if isinstance(value, dict):
        if not all(value):
            raise BadOption(f"criteria.{name}", "must not contain an empty name")
        return {key: _parse_values(f"criteria.{name}.{key}", values) for key, values in value.items()}
    return sort_unique(value) if isinstance(value, list) else value


def _parse_values(option: str, values: t.Any) -> list[str]:
    listed = values if isinstance(values, list) else [values]
    if not listed or not all(isinstance(value, (str, int)) and not isinstance(value, bool) for value in listed):
        raise BadOption(option, "must be a string or a list of strings. Quote values such as true")
    texts = sort_unique(map(str, listed))
    if "" in texts:
        raise BadOption(option, "must not contain an empty string")
    return texts


def defaults() -> Fields:
    """Return the fields of a new policy whose options are not set."""
    criteria = {name: default for name, (_member, default) in _CRITERIA.items()}
    return {**{name: default for name, (_member, default) in _MEMBERS.items()}, "criteria": criteria}


def read_fields(record: Record) -> Fields:
    """Return the fields of a policy in a response."""
    fields = {name: _read(record, member, default) for name, (member, default) in _MEMBERS.items()}
    fields["project"] = parse_project(fields["project"])
    criteria = record.record("searchCriteria")
    return {**fields, "criteria": {name: _read(criteria, *member) for name, member in _CRITERIA.items()}}


def _read(record: Record, member: str, default: t.Any) -> t.Any:
    """Return a normalized member. Its type is that of the default."""
    if record.get(member) is None:
        return default
    if isinstance(default, dict):
        properties = record.record(member)
        return {name: sort_unique(properties.texts(name)) for name in properties}
    return sort_unique(record.texts(member)) if isinstance(default, list) else record.scalar(member, default)


def replace_units(before: Fields, declared: Fields) -> Fields:
    """Return the declared criteria, and 0 for the same condition in another unit if the condition changes.

    :arg before: criteria of the existing policy
    """
    changed = [name for name in declared if name in _OTHER_UNIT and declared[name] not in (0, before[name])]
    return {**{_OTHER_UNIT[name]: 0 for name in changed}, **declared}


def check_conditions(criteria: Fields, declared: Fields) -> None:
    """Verify that no declared condition excludes another one.

    :arg criteria: criteria of the policy after the change
    :raises BadOption: if Artifactory does not accept the conditions together
    """
    used = [name for group in _GROUPS for name in group if criteria.get(name)]
    for name in used:
        group = next(group for group in _GROUPS if name in group)
        if name in declared and (others := [other for other in used if other not in group]):
            advice = "Set only one of them"
            if others[0] not in declared:
                advice = f"The existing policy has the latter. Set 'criteria.{others[0]}' to 0 to remove it"
            raise BadOption(f"criteria.{name}", f"excludes 'criteria.{others[0]}'. {advice}")


def find_broad_criterion(criteria: Fields) -> str | None:
    """Return why criteria select too much, or `None` if they are narrow enough."""
    conditions = (*_DAYS, *_MONTHS, *_VERSIONS, "included_properties")
    if not any(criteria[name] for name in conditions):
        return "it would delete packages regardless of age, versions and properties"
    if all(set(_PATTERNS_OF_ALL) & set(criteria[name]) for name in ("package_types", "repositories")):
        return "it would apply to all package types in all repositories"
    return None


def to_result(key: str, fields: Fields) -> Fields:
    """Return a policy in the form of the options."""
    return {"key": key, **{name: fields[name] for name in _MEMBERS}, "criteria": fields["criteria"]}


def to_body(key: str, fields: Fields, stored: Record | None) -> Fields:
    """Return the body of a request. Members of the API that have no option keep their value.

    :arg fields: all fields of the policy after the change
    :arg stored: the existing policy
    """
    before: Fields = stored or {}
    body = {**before, "key": key, **_to_members(fields, _MEMBERS)}
    criteria = {**(before.get("searchCriteria") or {}), **_to_members(fields["criteria"], _CRITERIA)}
    body["searchCriteria"] = _drop_null(criteria)
    return _drop_null(body)


def _to_members(fields: Fields, members: dict[str, tuple[str, t.Any]]) -> Fields:
    """Return the members of the API, with null for those that are omitted."""
    values = {member: fields[name] for name, (member, _default) in members.items()}
    return {
        member: None if not value and (member in _OMITTED_IF_EMPTY or _is_number(value)) else value
        for member, value in values.items()
    }


def _is_number(value: t.Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _drop_null(members: Fields) -> Fields:
    return {name: value for name, value in members.items() if value is not None}
