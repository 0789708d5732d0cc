# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles of the review service: permissions, status transitions and assignments, as the server reads and writes them."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
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
# A server from before 2023 does not know these
_STREAM_PERMISSIONS = ("create_stream", "delete_stream")
# A server that does not know a permission does not grant it
_NO_PERMISSIONS = dict.fromkeys(PERMISSIONS, False)
# A prediction leaves out members without a value
_NO_ASSIGNMENT = dict.fromkeys(("account", "group", "project"))
_TRANSITION_STATUSES = {status.lower(): status for status in ("Any", *STATUSES)}


class Roles:
    """The roles of a server.

    A role is C({name, readonly, permissions: {flag: bool}, transitions: [{from, to}]}); when assignments are asked for,
    also `assignments`, a label to `{account or group, project}` each, `project` being none for everywhere.
    """

    def __init__(self, review: ReviewService, may_be_missing: bool = False) -> None:
        """
        :arg may_be_missing: whether accounts, groups and projects of assignments need not be there
        """
        self._review, self._may_be_missing = review, may_be_missing
        self._project_ids: dict[str, str] | None = None
        self._current_assignments: Fields = {}
        self._known_permissions: set[str] = set()

    def find(self, name: str, with_assignments: bool, prove_absence: bool = False) -> Fields | None:
        """Return the role of that name.

        :arg prove_absence: look into the list of all roles if the server finds nothing, because a search that finds
            nothing and a lost response look the same
        """
        found = self.search(f"+{name}", with_assignments)
        if prove_absence and not found:
            found = self.search(None, with_assignments)
        return next((role for role in found if role["name"] == name), None)

    def search(self, search: str | None, with_assignments: bool) -> list[Fields]:
        """The roles that the server finds, by name: by a part of their names, or with a leading plus by the whole.

        :raises ToolchainError: if the response with all roles, or with their assignments, was lost
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
        """Return the assignments of the roles that a search finds, by the names of the roles."""
        found = list(self._review.records("role_assignments", search=search)) if search else []
        if not found:
            found = self._review.list_nonempty("role_assignments", always=f"a role of '{self._review.user}'")
        return {record.text("name"): record.maybe_records("assignments") for record in found}

    def search_text(self, text: str | None) -> list[Fields]:
        """The roles with this text in their names, or all, with their assignments."""
        # A leading plus would ask the server for a whole name.
        found = self.search((text or "").lstrip("+") or None, with_assignments=True)
        return [role for role in found if (text or "") in role["name"]]

    def check_change(self, before: Fields | None, wanted: Fields | None, allow_lockout: bool) -> None:
        """
        :arg before: the role as it is
        :arg wanted: the fields that will be written; `None` when the role will be removed
        :arg allow_lockout: whether the account of this task may lose what it needs to manage roles
        :raises ToolchainError: with what speaks against it
        """
        if before and before["readonly"] and (wanted is None or wanted.keys() & {"permissions", "transitions"}):
            raise ToolchainError(
                f"The role '{before['name']}' is the server's own: it can be assigned, but neither changed nor removed."
            )
        change = self._to_change(before["name"] if before else "", wanted)
        self._check_permissions(change.permissions or {})
        self._check_accounts([] if self._may_be_missing else change.added)
        if before and not allow_lockout:
            grants.check_role_change(self._review, change, self.read_permissions)

    def create(self, name: str, fields: Fields) -> None:
        """Create the role, then assign it."""
        self._review.write("create_role", name=name, **_to_wire(fields))
        self._assign(name, fields)

    def update(self, name: str, fields: Fields) -> None:
        """Change those permissions, transitions and assignments that differ."""
        if flags := _to_wire(fields):
            self._review.write("update_role_permissions", name=name, **flags)
        self._assign(name, fields)

    def delete(self, name: str) -> None:
        """Remove the role, and so all its assignments."""
        self._review.write("delete_role", name=name)

    def parse_assignments(self, assignments: list[Fields]) -> Fields:
        """Assignments as the user gives them, under their labels.

        :raises BadOption: when one names a project that is not there
        """
        for assignment in [] if self._may_be_missing else assignments:
            if assignment["project"] is not None and assignment["project"] not in self._get_project_ids():
                raise BadOption(
                    "assignments", f"there is no project '{assignment['project']}', or this account may not see it"
                )
        return {_format_label(assignment): dict(assignment) for assignment in assignments}

    def _label_assignments(self, records: list[Record]) -> Fields:
        somewhere = any(record.maybe_text("projectId") for record in records)
        names = {project_id: name for name, project_id in self._get_project_ids().items()} if somewhere else {}
        found = {}
        for record in records:
            kind, other = ("group", "account") if record.maybe_flag("group") else ("account", "group")
            project_id = record.maybe_text("projectId") or None
            assignment = {kind: record.text("name"), other: None, "project": names.get(project_id or "", project_id)}
            found[_format_label(assignment)] = assignment
        self._current_assignments.update(found)
        return found

    def _assign(self, name: str, fields: Fields) -> None:
        """Give the role first and take it last: when giving fails, nobody has lost it."""
        change = self._to_change(name, fields)
        for concerned, remove in ((change.added, False), (change.removed, True)):
            for grant in concerned:
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
        given = [self._to_grant(name, wanted) for _label, wanted in assignments if wanted]
        taken = [self._to_grant(name, self._current_assignments[label]) for label, wanted in assignments if not wanted]
        return grants.RoleChange(name, given, taken, fields.get("permissions", {}))

    def _to_grant(self, role: str, assignment: Fields) -> grants.Grant:
        kind, project = "account" if assignment["account"] else "group", assignment["project"]
        return grants.Grant(
            role, kind, assignment[kind], (self._get_project_ids().get(project) or project) if project else ""
        )

    def _check_permissions(self, desired: dict[str, bool]) -> None:
        """
        :raises BadOption: for a permission that the server does not list
        """
        asked = {
            flag for flag, on in desired.items() if flag not in PERMISSIONS or (on and flag in _STREAM_PERMISSIONS)
        }
        if asked - self._known_permissions:
            self.search(None, with_assignments=False)
        if unknown := asked - self._known_permissions:
            known = ", ".join(sorted(self._known_permissions))
            raise BadOption("permissions", f"this server has no {', '.join(sorted(unknown))}. It has {known}")

    def _check_accounts(self, wanted: list[grants.Grant]) -> None:
        """
        :raises BadOption: when one that is to get the role is not there
        """
        for kind, name in dict.fromkeys((grant.kind, grant.holder) for grant in wanted):
            if accounts.find(self._review, kind, name) is None:
                raise BadOption("assignments", f"there is no {kind} '{name}'")

    def is_known_permission(self, permission: str) -> bool:
        """Return whether one of the roles that were listed so far has the permission, on or off."""
        return permission in self._known_permissions

    def read_permissions(self) -> grants.Permissions:
        """What each role permits."""
        return {role["name"]: role["permissions"] for role in self.search(None, with_assignments=False)}

    def _get_project_ids(self) -> dict[str, str]:
        if self._project_ids is None:
            self._project_ids = projects.project_ids(self._review)
        return self._project_ids


def parse_role(params: Fields) -> Fields:
    """The fields of a role that the user gave, but for its assignments.

    :raises BadOption: if a permission is neither on nor off, or a transition has a status that the server does not know
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
        raise BadOption(f"permissions.{flag}", f"takes true or false, not {value!r}") from None


def add_purge(before: Fields | None, given: Fields, purge: bool) -> Fields:
    """The desired fields of a role; with `purge` it has no other assignments than those given."""
    if purge and "assignments" in given:
        return {**given, "assignments": add_removals((before or {}).get("assignments"), given["assignments"])}
    return given


def to_result(role: Fields) -> Fields:
    """The role as the user sees it: whole, and its assignments without their labels."""
    shown = {
        "name": role["name"],
        "readonly": role.get("readonly", False),
        "permissions": {**_NO_PERMISSIONS, **role.get("permissions", {})},
        "transitions": role.get("transitions", []),
    }
    if "assignments" in role:
        found = role["assignments"]
        shown["assignments"] = [{**_NO_ASSIGNMENT, **found[label]} for label in sorted(found)]
    return shown


def normalize_transitions(transitions: list[Fields]) -> list[Fields]:
    """Status transitions in the server's spelling and in a fixed order, each once.

    :raises BadOption: when a status is none of the server's
    """
    spelt = {(_parse_status(transition["from"]), _parse_status(transition["to"])) for transition in transitions}
    return [{"from": before, "to": after} for before, after in sorted(spelt)]


def _parse_status(name: str) -> str:
    if name.lower() not in _TRANSITION_STATUSES:
        raise BadOption("transitions", f"'{name}' is no status; there are {', '.join(_TRANSITION_STATUSES.values())}")
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
