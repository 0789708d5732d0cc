# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Groups of Artifactory."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import generation, memberships
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access.identity_fields import (
    GROUP_ROLES,
    INTERNAL_REALMS,
    IdentityFields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently, read_listed
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

BUILT_IN = "readers"
# The name of the field `resources_manager` in requests. Servers return one of both
RESOURCES_MEMBER = "manage_resources"
FIELDS = IdentityFields(
    texts={"description": "description", "external_id": "externalId"},
    flags={"auto_join": "autoJoin", "admin_privileges": "adminPrivileges"},
    roles=GROUP_ROLES,
)
_STATE_MEMBERS = ("realm", "realm_attributes")
# Number of names from which on all groups are listed instead of reading each
_MANY = 4


def find(artifact: ArtifactService, name: str) -> Fields | None:
    """Return a group, or `None` if it does not exist. Its members are a sorted list, or `None` if they are unknown."""
    response = generation.read_platform(artifact, f"/groups{encode_path(name, option='name')}")
    if response is not None:
        return _parse_platform(response.record()) if response.status == 200 else None
    address = generation.classic_address("groups", name)
    response = artifact.http.read("GET", address, query={"includeUsers": "true"}, accept=(200, 404))
    return _parse_classic(response.record()) if response.status == 200 else None


def list_names(artifact: ArtifactService) -> list[str]:
    """Return the names of all groups, sorted."""
    entries = generation.list_platform(artifact, "groups")
    if entries is not None:
        return sorted({entry.text("group_name") for entry in entries})
    entries = artifact.http.read("GET", generation.classic_address("groups")).records()
    return sorted({entry.text("name") for entry in entries})


def find_missing(artifact: ArtifactService, names: t.Sequence[str]) -> list[str]:
    """Return the names that do not belong to a group."""
    if len(names) < _MANY:
        return [name for name in names if find_in_any_case(artifact, name) is None]
    existing = set(list_names(artifact))
    if generation.is_platform(artifact):
        existing |= {name.lower() for name in existing}
        return [name for name in names if not {name, name.lower()} & existing]
    return [name for name in names if name not in existing]


def find_in_any_case(artifact: ArtifactService, name: str) -> Fields | None:
    """Return a group, or the one with this name in lower case, as newer versions of Artifactory store it."""
    group = find(artifact, name)
    if group is None and name != name.lower() and generation.is_platform(artifact):
        return find(artifact, name.lower())
    return group


def has_administrators(artifact: ArtifactService, names: t.Iterable[str]) -> bool:
    """Return whether members of at least one of the groups are administrators."""
    found = (find_in_any_case(artifact, name) for name in names)
    return any(group and group["admin_privileges"] for group in found)


def is_external(group: Fields) -> bool:
    """Return whether a group comes from an external directory."""
    return (group["realm"] or "").lower() not in INTERNAL_REALMS


def to_result(group: Fields) -> Fields:
    """Return a group as the module returns it, with all its members."""
    return {**to_options(group), **to_state(group)}


def to_options(group: Fields) -> Fields:
    """Return what the options of the module can set."""
    fields = {"name": group.get("name"), **{name: group.get(name) for name in FIELDS.names}}
    return {**fields, "members": memberships.to_list(group.get("members", []))}


def to_state(group: Fields) -> Fields:
    """Return what the options of the module cannot set."""
    return {name: group.get(name) for name in _STATE_MEMBERS}


def read_all(task: Task) -> list[Fields]:
    """Return all groups whose names requests can contain, with their members, sorted by name."""
    found = read_listed(task, list_names(ArtifactService(task)), _find_for_item)
    return [found[name] for name in sorted(found)]


def list_deletable(task: Task, items: t.Iterable[Fields]) -> list[str]:
    """Return the names of the groups that no item declares and that may be deleted.

    A group whose name differs from a declared one only in case is kept.
    """
    declared = {(item.get("name") or task.params["name"]).lower() for item in items} | {BUILT_IN}
    names = [name for name in list_names(ArtifactService(task)) if name.lower() not in declared]
    found = read_concurrently(task, names, _find_for_item)
    return [found[name]["name"] for name in names if name in found and not is_external(found[name])]


def _find_for_item(item_task: Task, name: str) -> Fields | None:
    return find(ArtifactService(item_task), name)


def _parse_platform(record: Record) -> Fields:
    is_documented = "resources_manager" in record
    return {
        "name": record.text("name"),
        **FIELDS.parse_platform(record),
        "resources_member": "resources_manager" if is_documented else RESOURCES_MEMBER,
        "members": sorted({member.lower() for member in record.maybe_texts("members")}),
        "realm": record.maybe_text("realm"),
        "realm_attributes": record.maybe_text("realm_attributes"),
    }


def _parse_classic(record: Record) -> Fields:
    has_members = "userNames" in record
    return {
        "name": record.text("name"),
        **FIELDS.parse_classic(record),
        "members": sorted({member.lower() for member in record.maybe_texts("userNames")}) if has_members else None,
        "realm": record.maybe_text("realm"),
        "realm_attributes": record.maybe_text("realmAttributes"),
        "record": {member: value for member, value in record.items() if value is not None},
    }
