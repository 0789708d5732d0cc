# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles of the review service: permissions, status transitions and assignments, as the server reads and writes them."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, differences, purged
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import Record, ReviewService

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
STATUSES = (
    "Analyze",
    "Ignore",
    "Not a Problem",
    "Fix",
    "Fix in Next Release",
    "Fix in Later Release",
    "Defer",
    "Filter",
)
# A server that does not know a permission does not grant it
_NO_PERMISSIONS = dict.fromkeys(PERMISSIONS, False)
_TRANSITION_STATUSES = {status.lower(): status for status in ("Any", *STATUSES)}


class Roles:
    """The roles of a server.

    A role is C({name, readonly, permissions: {flag: bool}, transitions: [{from, to}]}); when assignments are asked for,
    also C(assignments), a label to C({account or group, project}) each, C(project) being none for everywhere.
    """

    def __init__(self, review: ReviewService) -> None:
        self._review = review
        self._project_ids: dict[str, str] | None = None
        self._assigned: Fields = {}

    def find(self, name: str, with_assignments: bool) -> Fields | None:
        """The role of that name, or C(None)."""
        return next((role for role in self.matching(f"+{name}", with_assignments) if role["name"] == name), None)

    def matching(self, search: str | None, with_assignments: bool) -> list[Fields]:
        """The roles whose names have I(search) in them, by name; a leading plus asks for exactly that name."""
        roles = [_role(record) for record in self._review.records("roles", search=search)]
        if with_assignments and roles:
            assignments = {
                record["name"]: record.get("assignments") or []
                for record in self._review.records("role_assignments", search=search)
            }
            for role in roles:
                role["assignments"] = self._labelled(assignments.get(role["name"], []))
        return sorted(roles, key=lambda role: role["name"])

    def create(self, name: str, fields: Fields) -> None:
        """Create the role, then assign it."""
        self._review.write("create_role", name=name, **_flags(fields))
        self._assign(name, fields)

    def update(self, name: str, fields: Fields) -> None:
        """Change those permissions, transitions and assignments that differ."""
        if flags := _flags(fields):
            self._review.write("update_role_permissions", name=name, **flags)
        self._assign(name, fields)

    def delete(self, name: str) -> None:
        """Remove the role, and so all its assignments."""
        self._review.write("delete_role", name=name)

    def wanted(self, assignments: list[Record]) -> Fields:
        """Assignments as the user gives them, under their labels.

        :raises BadOption: when one names a project that is not there
        """
        for assignment in assignments:
            if assignment["project"] is not None and assignment["project"] not in self._projects():
                raise BadOption(
                    "assignments", f"there is no project '{assignment['project']}', or this account may not see it"
                )
        return {_label(assignment): dict(assignment) for assignment in assignments}

    def _labelled(self, records: list[Record]) -> Fields:
        somewhere = any(record.get("projectId") for record in records)
        names = {project_id: name for name, project_id in self._projects().items()} if somewhere else {}
        found = {}
        for record in records:
            kind, other = ("group", "account") if record.get("group") else ("account", "group")
            project_id = record.get("projectId") or None
            assignment = {kind: record["name"], other: None, "project": names.get(project_id or "", project_id)}
            found[_label(assignment)] = assignment
        self._assigned.update(found)
        return found

    def _assign(self, name: str, fields: Fields) -> None:
        for label, wanted in fields.get("assignments", {}).items():
            assignment = wanted or self._assigned[label]
            project = assignment["project"]
            self._review.write(
                "update_role_assignment",
                name=name,
                account=assignment["account"] or assignment["group"],
                group=assignment["group"] is not None,
                project=project and self._projects().get(project, project),
                remove=wanted is None,
            )

    def _projects(self) -> dict[str, str]:
        if self._project_ids is None:
            self._project_ids = self._review.project_ids()
        return self._project_ids


def given_role(params: Fields) -> Fields:
    """The fields of a role that the user gave, but for its assignments.

    :raises BadOption: when a transition has a status that the server does not know
    """
    role: Fields = {"name": params["name"]}
    if params["permissions"] is not None:
        role["permissions"] = {flag: on for flag, on in params["permissions"].items() if on is not None}
    if params["transitions"] is not None:
        role["transitions"] = as_transitions(params["transitions"])
    return role


def desired_role(before: Fields | None, given: Fields, purge: bool) -> Fields:
    """The desired fields of a role; with I(purge) it has no other assignments than those given.

    :raises ToolchainError: when a role that the server keeps itself would have to be changed
    """
    own: Fields = {field: given[field] for field in ("permissions", "transitions") if field in given}
    if before and before["readonly"] and differences(before, own):
        raise ToolchainError(f"The role '{before['name']}' is the server's own: it can be assigned, but not changed.")
    if purge and "assignments" in given:
        return {**given, "assignments": purged((before or {}).get("assignments"), given["assignments"])}
    return given


def as_result(role: Fields | None) -> Fields | None:
    """The role as the user sees it: its assignments without their labels."""
    if role is None or "assignments" not in role:
        return role
    return {**role, "assignments": [role["assignments"][label] for label in sorted(role["assignments"])]}


def as_transitions(transitions: list[Record]) -> list[Record]:
    """Status transitions in the server's spelling and in a fixed order, each once.

    :raises BadOption: when a status is none of the server's
    """
    spelt = {(_status(transition["from"]), _status(transition["to"])) for transition in transitions}
    return [{"from": before, "to": after} for before, after in sorted(spelt)]


def _status(name: str) -> str:
    if name.lower() not in _TRANSITION_STATUSES:
        raise BadOption("transitions", f"'{name}' is no status; there are {', '.join(_TRANSITION_STATUSES.values())}")
    return _TRANSITION_STATUSES[name.lower()]


def _role(record: Record) -> Fields:
    transitions = {(entry["from"], entry["to"]) for entry in record.get("statusPermissions") or []}
    listed = record.get("permissions") or []
    return {
        "name": record["name"],
        "readonly": record.get("readonly"),
        "permissions": {**_NO_PERMISSIONS, **{entry["name"]: entry["enabled"] for entry in listed}},
        "transitions": [{"from": before, "to": after} for before, after in sorted(transitions)],
    }


def _flags(fields: Fields) -> dict[str, t.Any]:
    flags = dict(fields.get("permissions", {}))
    if "transitions" in fields:
        pairs = (f"{transition['from']},{transition['to']}" for transition in fields["transitions"])
        flags["allowed_status_transitions"] = ";".join(pairs)
    return flags


def _label(assignment: Record) -> str:
    who = f"account {assignment['account']}" if assignment["account"] else f"group {assignment['group']}"
    return f"{who} everywhere" if assignment["project"] is None else f"{who} on {assignment['project']}"
