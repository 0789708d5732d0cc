# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a group."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import (
    generation,
    groups,
    memberships,
    own_account,
    users,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access.administration import GroupGuard
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access.identity_fields import GROUP_ROLES
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_NEW_GROUP = {
    "description": "",
    "external_id": "",
    "auto_join": False,
    "admin_privileges": False,
    "realm": "internal",
}
# Values that give members of the group access
_GRANTS = dict.fromkeys(("auto_join", "admin_privileges", *GROUP_ROLES), True)


class ManagedGroup:
    """The group that a task manages.

    :arg guard: shared by all items of a task
    :arg desired: the desired fields, except the members
    """

    def __init__(self, task: Task, artifact: ArtifactService, guard: GroupGuard, desired: Fields) -> None:
        self._task, self._artifact, self._guard = task, artifact, guard
        self._name: str = task.params["name"]
        self._purge: bool = task.params["purge"]
        members = task.params["members"] if task.params["state"] == "present" else None
        self._declared = None if members is None else [name.lower() for name in members]
        self.desired = desired
        if self._declared is not None:
            self.desired = {**desired, "members": memberships.build(self._declared, self._purge)}
        self._current: Fields = {}
        self._is_spelling_reported = False

    def find(self) -> Fields | None:
        """Return the group, or `None` if it does not exist.

        If the group should exist, a group with this name in lower case is the same group.
        """
        group = groups.find_in_any_case(self._artifact, self._name)
        if group is not None and group["name"] != self._name and self._task.params["state"] == "absent":
            self._report_spelling(group["name"])
            group = None
        if self._declared is not None and self._lacks_members(group):
            raise BadOption(
                "members", f"requires Artifactory {features.GROUP_MEMBERS.since} or later, which returns the members"
            )
        if group is None:
            self._current = {"name": self._name, **_NEW_GROUP, "members": []} if self._is_created_earlier else {}
            return {**self._current, "members": memberships.build((), self._purge)} if self._current else None
        groups.FIELDS.complete(self._artifact, group, self.desired)
        self._current = group
        return {**group, "members": memberships.build(group["members"] or (), self._purge)}

    def _lacks_members(self, group: Fields | None) -> bool:
        """Return whether the server does not return the members of a group, or is not known to do so."""
        if group is not None:
            return group["members"] is None
        is_classic = not generation.is_platform(self._artifact)
        return is_classic and self._artifact.is_older_than(features.GROUP_MEMBERS.since)

    def desired_for(self, before: Fields | None) -> Fields:
        """Return the desired fields for the current group, without grants if they are withheld."""
        if not self._task.params["withhold_grants"]:
            return self.desired
        return memberships.withhold_grants(self.desired, before, "members", _GRANTS)

    def check(self, before: Fields | None, fields: Fields | None, allow_lockout: bool) -> None:
        """Refuse changes that the server would refuse, and that lock out the account of the task.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is not supported
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            if self._name.lower() == groups.BUILT_IN:
                raise BadOption("name", f"'{groups.BUILT_IN}' is built in and cannot be deleted")
        else:
            if before is None:
                groups.FIELDS.complete(self._artifact, None, fields)
            check_auto_join({**self._current, **fields})
            if not self._task.predicts_missing and not self._task.params["withhold_grants"]:
                self._check_members()
            if "members" in fields and self._current and groups.is_external(self._current):
                self._task.warn(
                    f"The group '{self._name}' comes from an external directory ({self._current['realm']}), which can "
                    "overwrite changes of its members. Change the members in this directory instead."
                )
        if before is not None and not allow_lockout and self._current["admin_privileges"]:
            self._check_lockout(fields)

    def _check_members(self) -> None:
        """Verify that the members to add exist.

        :raises BadOption: if a member does not exist
        """
        desired = self.desired.get("members", ())
        added, _removed = memberships.find_changes(self._current.get("members") or (), desired)
        if missing := users.find_missing(self._artifact, added):
            raise MissingName("members", f"these users do not exist: {', '.join(missing)}")

    @property
    def _is_created_earlier(self) -> bool:
        """Whether check mode assumes that an earlier task creates the group, to which this one only adds grants."""
        return self._task.predicts_missing and len(self.desired) > 0 and self.desired.keys() <= {"members", *_GRANTS}

    def create(self, fields: Fields) -> None:
        """Create the group with its members."""
        members = sorted(fields.get("members", ()))
        scalars = {name: value for name, value in fields.items() if name != "members"}
        if generation.is_platform(self._artifact):
            body = {"name": self._name, **_to_platform(scalars, groups.RESOURCES_MEMBER)}
            if self._declared is not None:
                body["members"] = members
            self._artifact.http.write("POST", "/access/api/v2/groups", json=body, accept=(200, 201))
            return
        body = {"name": self._name, **groups.FIELDS.to_classic(scalars)}
        if self._declared is not None:
            body["userNames"] = members
        self._artifact.http.write("PUT", self._classic_address(self._name), json=body, accept=(200, 201))

    def update(self, fields: Fields) -> None:
        """Write the fields that differ."""
        current, desired = self._current["members"], fields.get("members", {})
        scalars = {name: value for name, value in fields.items() if name != "members"}
        if not generation.is_platform(self._artifact):
            self._update_classic(scalars, desired if "members" in fields else None)
            return
        if scalars:
            body = _to_platform(scalars, self._current["resources_member"])
            self._artifact.http.write("PATCH", self._address(), json=body)
        added, removed = memberships.find_changes(current or (), desired)
        if added or removed:
            body = {"add": added, "remove": removed}
            self._artifact.http.write("PATCH", f"{self._address()}/members", json=body)

    def _update_classic(self, scalars: Fields, desired: t.Iterable[str] | None) -> None:
        """Write fields and, unless they are `None`, members. Only a replacement removes members."""
        address, current = self._classic_address(self._current["name"]), self._current["members"]
        body = groups.FIELDS.to_classic(scalars)
        if desired is not None:
            body["userNames"] = sorted({*(() if self._purge else current), *desired})
        if desired is None or set(current) <= set(body["userNames"]):
            self._artifact.http.write("POST", address, json=body)
        else:
            body = {**self._current["record"], **body}
            self._artifact.http.write("PUT", address, json=body, accept=(200, 201))

    def to_result(self, group: Fields) -> Fields:
        """Return the group as the module returns it; a predicted one with the values of a new group."""
        return groups.to_result({"name": self._name, **_NEW_GROUP, **group})

    def delete(self) -> None:
        """Delete the group."""
        is_platform = generation.is_platform(self._artifact)
        address = self._address() if is_platform else self._classic_address(self._current["name"])
        self._artifact.http.write("DELETE", address, accept=(200, 204))

    def _check_lockout(self, fields: Fields | None) -> None:
        """Refuse to take administration from the account of the task.

        :raises ToolchainError: if the change is refused
        """
        changes = fields or {}
        removed = memberships.find_changes(self._current["members"] or (), changes.get("members", {}))[1]
        affects_all = fields is None or changes.get("admin_privileges") is False
        if affects_all or (removed and own_account.find(self._artifact) in (None, *removed)):
            self._guard.check(self._artifact, self._current["name"])

    def _report_spelling(self, name: str) -> None:
        if not self._is_spelling_reported:
            self._is_spelling_reported = True
            self._task.warn(
                f"The group '{self._name}' does not exist, but '{name}' does and is kept. To delete it, write its name "
                "in lower case."
            )

    def _address(self) -> str:
        return f"/access/api/v2/groups{encode_path(self._current['name'], option='name')}"

    @staticmethod
    def _classic_address(name: str) -> str:
        return generation.classic_address("groups", name)


def check_auto_join(fields: Fields) -> None:
    """Refuse a group that new users join and that makes them administrators.

    :raises BadOption: if both flags are set
    """
    if fields.get("auto_join") and fields.get("admin_privileges"):
        raise BadOption(
            "auto_join", "must be false for a group with 'admin_privileges: true', or new users would be administrators"
        )


def _to_platform(fields: Fields, resources_member: str) -> Fields:
    names = {"resources_manager": resources_member}
    return {names.get(name, name): value for name, value in fields.items()}
