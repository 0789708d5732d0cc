# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork roles with their permissions, status transitions and assignments."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import accounts, grants
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query import STATUSES
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

PERMISSIONS = (
    "access_source_files",
    "assign_role",
    "change_issue_status",
    "change_project_settings",
    "create_build",
    "create_project",
    "create_stream",
    "delete_build",
    "delete_project",
    "delete_stream",
    "execute_kwxsync",
    "manage_modules",
    "manage_roles",
    "manage_users",
    "use_local_configuration",
    "webapi_access",
)
# Not known to servers before Klocwork 2023
_STREAM_PERMISSIONS = ("create_stream", "delete_stream")
# A server does not grant permissions that it does not know
_NO_PERMISSIONS = dict.fromkeys(PERMISSIONS, False)
# Predicted assignments lack members without a value
_NO_ASSIGNMENT = dict.fromkeys(("account", "group", "project"))
_TRANSITION_STATUSES = {status.lower(): status for status in ("Any", *STATUSES)}


class Roles:
    """The roles of a server.

    A role is `{name, readonly, permissions: {name: bool}, transitions: [{from, to}]}`. If assignments are requested, it
    also has `assignments`, which maps labels to `{account or group, project}`; the `project` of global assignments is
    `None`.

    :arg may_be_missing: whether to accept assignments of accounts, groups and projects that do not exist
    """

    def __init__(self, review: ReviewService, may_be_missing: bool = False) -> None:
        self._review, self._may_be_missing = review, may_be_missing
        self._project_ids: dict[str, str] | None = None
        self._current_assignments: Fields = {}
        self._known_permissions: set[str] = set()

    def find(self, name: str, with_assignments: bool, prove_absence: bool = False) -> Fields | None:
        """Return the role with this name, or `None`.

        :arg prove_absence: whether to search the list of all roles if the server finds nothing. An empty search result
            looks like a lost response.
        """
        matches = self.search(f"+{name}", with_assignments)
        if prove_absence and not matches:
            matches = self.search(None, with_assignments)
        return next((role for role in matches if role["name"] == name), None)

    def search(self, search: str | None, with_assignments: bool) -> list[Fields]:
        """Return the roles that match, sorted by name.

        :arg search: part of the name, or the whole name after a `+`; `None` for all roles
        :raises ToolchainError: if the body of the response with all roles or with their assignments was lost
        """
        if search is None:
            records = self._review.list_nonempty("roles", always="the built-in roles")
        else:
            records = list(self._review.records("roles", search=search))
        for record in records:
            self._known_permissions.update(flag.text("name") for flag in record.maybe_records("permissions"))
        roles = [_parse_role(record) for record in records]
        if with_assignments and roles:
            assignments = self._read_assignments(search)
            for role in roles:
                role["assignments"] = self._label_assignments(assignments.get(role["name"], []))
        return sorted(roles, key=lambda role: role["name"])

    def _read_assignments(self, search: str | None) -> dict[str, list[Record]]:
        """Return the assignments of the roles that match, by role name."""
        records = list(self._review.records("role_assignments", search=search)) if search else []
        if not records:
            records = self._review.list_nonempty("role_assignments", always=f"a role of '{self._review.user}'")
        return {record.text("name"): record.maybe_records("assignments") for record in records}

    def search_text(self, text: str | None) -> list[Fields]:
        """Return the roles whose name contains a text, or all roles, with their assignments."""
        # The server would interpret a leading plus as a search for the whole name
        matches = self.search((text or "").lstrip("+") or None, with_assignments=True)
        return [role for role in matches if (text or "") in role["name"]]

    def check_change(self, before: Fields | None, desired: Fields | None, allow_lockout: bool) -> None:
        """Refuse changes that the server would refuse, or that lock out the account of the task.

        :arg before: current role
        :arg desired: fields to write; `None` for a deletion
        :arg allow_lockout: whether the account of the task may lose its administrative permissions
        :raises ToolchainError: if the change is refused
        """
        if before and before["readonly"] and (desired is None or desired.keys() & {"permissions", "transitions"}):
            raise ToolchainError(
                f"Cannot change or delete role '{before['name']}': it is built in. Only its assignments can change."
            )
        change = self._to_change(before["name"] if before else "", desired)
        self._check_permissions(change.permissions or {})
        self._check_accounts([] if self._may_be_missing else change.added)
        if before and not allow_lockout:
            grants.check_role_change(self._review, change, self.read_permissions)

    def create(self, name: str, fields: Fields) -> None:
        """Create and assign a role."""
        self._review.write("create_role", name=name, **_to_wire(fields))
        self._assign(name, fields)

    def update(self, name: str, fields: Fields) -> None:
        """Update permissions, transitions and assignments of a role."""
        if flags := _to_wire(fields):
            self._review.write("update_role_permissions", name=name, **flags)
        self._assign(name, fields)

    def delete(self, name: str) -> None:
        """Delete a role with its assignments."""
        self._review.write("delete_role", name=name)

    def parse_assignments(self, assignments: list[Fields]) -> Fields:
        """Return the assignments of the option by label.

        :raises BadOption: if a project does not exist
        """
        for assignment in [] if self._may_be_missing else assignments:
            if assignment["project"] is not None and assignment["project"] not in self._get_project_ids():
                raise MissingName(
                    "assignments",
                    f"project '{assignment['project']}' does not exist, or the account has no access to it",
                )
        return {_format_label(assignment): dict(assignment) for assignment in assignments}

    def _label_assignments(self, records: list[Record]) -> Fields:
        has_project = any(record.maybe_text("projectId") for record in records)
        names = {project_id: name for name, project_id in self._get_project_ids().items()} if has_project else {}
        labels = {}
        for record in records:
            kind, other = ("group", "account") if record.maybe_flag("group") else ("account", "group")
            project_id = record.maybe_text("projectId") or None
            assignment = {kind: record.text("name"), other: None, "project": names.get(project_id or "", project_id)}
            labels[_format_label(assignment)] = assignment
        self._current_assignments.update(labels)
        return labels

    def _assign(self, name: str, fields: Fields) -> None:
        """Add assignments before removing others, so that a failure does not leave the role unassigned."""
        change = self._to_change(name, fields)
        for grants_to_write, remove in ((change.added, False), (change.removed, True)):
            for grant in grants_to_write:
                self._review.write(
                    "update_role_assignment",
                    name=name,
                    account=grant.holder,
                    group=grant.kind == "group",
                    project=grant.project or None,
                    remove=remove,
                )

    def _to_change(self, name: str, fields: Fields | None) -> grants.RoleChange:
        if fields is None:
            return grants.RoleChange(name, [], [], None)
        assignments = fields.get("assignments", {}).items()
        added = [self._to_grant(name, desired) for _label, desired in assignments if desired]
        removed = [
            self._to_grant(name, self._current_assignments[label]) for label, desired in assignments if not desired
        ]
        return grants.RoleChange(name, added, removed, fields.get("permissions", {}))

    def _to_grant(self, role: str, assignment: Fields) -> grants.Grant:
        kind, project = "account" if assignment["account"] else "group", assignment["project"]
        return grants.Grant(
            role, kind, assignment[kind], (self._get_project_ids().get(project) or project) if project else ""
        )

    def _check_permissions(self, desired: dict[str, bool]) -> None:
        """Verify that the server has the desired permissions.

        :raises BadOption: if the server does not list a permission
        """
        unverified = {
            flag for flag, on in desired.items() if flag not in PERMISSIONS or (on and flag in _STREAM_PERMISSIONS)
        }
        if unverified - self._known_permissions:
            self.search(None, with_assignments=False)
        if unknown := unverified - self._known_permissions:
            permissions = ", ".join(sorted(self._known_permissions))
            raise BadOption(
                "permissions", f"unknown to this server: {', '.join(sorted(unknown))}. It has {permissions}"
            )

    def _check_accounts(self, desired: list[grants.Grant]) -> None:
        """Verify that the accounts and groups of new assignments exist.

        :raises BadOption: if one does not exist
        """
        for kind, name in dict.fromkeys((grant.kind, grant.holder) for grant in desired):
            if accounts.find(self._review, kind, name) is None:
                raise BadOption("assignments", f"{kind} '{name}' does not exist")

    def is_known_permission(self, permission: str) -> bool:
        """Return whether a role read so far lists the permission, granted or not."""
        return permission in self._known_permissions

    def read_permissions(self) -> grants.Permissions:
        """Return the permissions of all roles, by role name."""
        return {role["name"]: role["permissions"] for role in self.search(None, with_assignments=False)}

    def _get_project_ids(self) -> dict[str, str]:
        if self._project_ids is None:
            self._project_ids = projects.project_ids(self._review)
        return self._project_ids


def parse_role(params: Fields) -> Fields:
    """Return the desired fields of a role except its assignments.

    :raises BadOption: if a permission is not a boolean, or a transition has an unknown status
    """
    role: Fields = {"name": params["name"]}
    if params["permissions"] is not None:
        role["permissions"] = {
            flag: _parse_switch(flag, on) for flag, on in params["permissions"].items() if on is not None
        }
    if params["transitions"] is not None:
        role["transitions"] = normalize_transitions(params["transitions"])
    return role


def _parse_switch(flag: str, value: t.Any) -> bool:
    try:
        return bool(boolean(value))
    except TypeError:
        raise BadOption(f"permissions.{flag}", f"must be true or false, not {value!r}") from None


def add_purge(before: Fields | None, desired: Fields, purge: bool) -> Fields:
    """Return the desired fields of a role. With `purge`, assignments that are not desired are marked for removal."""
    if purge and "assignments" in desired:
        return {**desired, "assignments": add_removals((before or {}).get("assignments"), desired["assignments"])}
    return desired


def to_result(role: Fields) -> Fields:
    """Return the role with all fields of the result, its assignments as a list."""
    result = {
        "name": role["name"],
        "readonly": role.get("readonly", False),
        "permissions": {**_NO_PERMISSIONS, **role.get("permissions", {})},
        "transitions": role.get("transitions", []),
    }
    if "assignments" in role:
        assignments = role["assignments"]
        result["assignments"] = [{**_NO_ASSIGNMENT, **assignments[label]} for label in sorted(assignments)]
    return result


def normalize_transitions(transitions: list[Fields]) -> list[Fields]:
    """Return the status transitions in the server's spelling, sorted and without duplicates.

    :raises BadOption: if a status is unknown
    """
    normalized = {(_parse_status(transition["from"]), _parse_status(transition["to"])) for transition in transitions}
    return [{"from": before, "to": after} for before, after in sorted(normalized)]


def _parse_status(name: str) -> str:
    if name.lower() not in _TRANSITION_STATUSES:
        statuses = ", ".join(_TRANSITION_STATUSES.values())
        raise BadOption("transitions", f"'{name}' is not a status. The statuses are {statuses}")
    return _TRANSITION_STATUSES[name.lower()]


def _normalize_status(status: str) -> str:
    return _TRANSITION_STATUSES.get(status.lower(), status)


def _parse_role(record: Record) -> Fields:
    transitions = {
        (_normalize_status(entry.text("from")), _normalize_status(entry.text("to")))
        for entry in record.maybe_records("statusPermissions")
    }
    flags = {entry.text("name"): entry.flag("enabled") for entry in record.maybe_records("permissions")}
    return {
        "name": record.text("name"),
        "readonly": record.maybe_flag("readonly"),
        "permissions": {**_NO_PERMISSIONS, **flags},
        "transitions": [{"from": before, "to": after} for before, after in sorted(transitions)],
    }


def _to_wire(fields: Fields) -> dict[str, t.Any]:
    flags = dict(fields.get("permissions", {}))
    if "transitions" in fields:
        pairs = (f"{transition['from']},{transition['to']}" for transition in fields["transitions"])
        flags["allowed_status_transitions"] = ";".join(pairs)
    return flags


def _format_label(assignment: Fields) -> str:
    who = f"account {assignment['account']}" if assignment["account"] else f"group {assignment['group']}"
    return f"{who} everywhere" if assignment["project"] is None else f"{who} on {assignment['project']}"
