# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""People in an organization: users, and those who are invited, with their roles in it and in its projects."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import (
    listings,
    projects,
    redacted_keys,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ROLES = ("owner", "reader")
PROJECT_ROLES = ("owner", "member")
EMAIL = (r"[^@\s]+@[^@\s]+", "an e-mail address")
# Those that somebody belongs to
PROJECT_OPTIONS = dict(
    type="list",
    elements="dict",
    options=dict(
        id=dict(type="str", **NAME),
        name=dict(type="str", **NAME),
        role=dict(type="str", choices=list(PROJECT_ROLES), default="member"),
    ),
    mutually_exclusive=[("id", "name")],
    required_one_of=[("id", "name")],
)

_OWNER, _READER = ROLES
_MEMBERS = (
    *("id", "email", "name", "role", "status", "projects"),
    *("added", "added_at", "invite_id", "expires", "expires_at"),
)
_USER = "/organization/users/{}"
_INVITES = "/organization/invites"
_PROJECT_USERS = "/organization/projects/{}/users"


class User:
    """One person, known by an e-mail address: a user of the organization, or somebody who is invited.

    A person is `{id, email, name, role, status, projects, added, added_at, invite_id, expires, expires_at}`, with the
    status `member`, `pending` or `expired`, and projects as `[{id, role}]`, by id; `None` where nobody asked for them.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._admin = AdminClient(task)
        self._email: str = task.params["email"]
        self._there = task.params["state"] == "present"
        self._users: list[Fields] = []
        self._invites: list[Fields] = []  # those that nobody has accepted
        self._found: Fields = {}
        self._projects: list[Fields] | None = None

    def find(self) -> Fields | None:
        """The person, or `None`."""
        self._users = listings.list_users(self._admin)
        theirs = listings.filter_by_email(self._users, [self._email])
        if not theirs or not self._there:
            invites = listings.filter_by_email(listings.list_invites(self._admin), [self._email])
            self._invites = [invite for invite in invites if invite["status"] != "accepted"]
        if len(theirs) > 1:
            these = ", ".join(user["id"] for user in theirs)
            raise ToolchainError(f"{len(theirs)} users have the e-mail address '{self._email}': {these}.")
        if theirs:
            user = theirs[0]
            self._found = {**user, "status": "member", "projects": self._projects_of(user["id"])}
        else:
            self._found = _invited(self._invites[-1]) if self._invites else {}
        return self._found or None

    def desired(self, before: Fields | None) -> Fields:
        """What the user gives; an invite gets the rest from those it replaces, a first one the least role."""
        wanted = self._task.select_provided("role")
        if self._task.params["projects"] is not None:
            wanted["projects"] = self._wanted_projects()
        if before is None:
            return {"role": _READER, **wanted}
        if self.stale(before):
            return {**_roles(before), **wanted}
        return wanted

    def stale(self, before: Fields) -> str | None:
        """Why another invite is needed, if it is."""
        if before["status"] == "expired":
            return "the invite has expired"
        if before["status"] == "pending" and len(self._invites) > 1:
            return "there is more than one invite"
        return None

    def check(self, before: Fields | None, wanted: Fields | None) -> None:
        """
        :raises ToolchainError: when nobody could administrate the organization afterwards, or not with this key; when
            the projects of an owner of the organization would change; when an invite would be withdrawn although the
            service refuses the one that replaces it
        """
        if before is None:
            return
        if before["status"] != "member":
            self._check_projects({**_roles(before), **wanted} if wanted is not None else {})
            return
        was_owner = before["role"] == _OWNER
        stays_owner = was_owner and wanted is not None and "role" not in wanted
        if wanted is None or (was_owner and not stays_owner):
            self._check_not_needed(before)
        elif stays_owner and "projects" in wanted:
            kept = [project for project in before["projects"] if project in wanted["projects"]]
            if kept != before["projects"]:
                raise ToolchainError(
                    f"{self._email} is an owner of the organization, who can be neither changed in nor removed from "
                    "its projects: leave out 'projects', or give another 'role'."
                )

    def create(self, fields: Fields) -> None:
        """Invite."""
        self._admin.post(_INVITES, json={"email": self._email, **fields})

    def renew(self, fields: Fields) -> None:
        """Invite anew."""
        self._withdraw()
        self.create(fields)

    def update(self, changes: Fields) -> None:
        """Change roles. An invite cannot be changed, so it is made anew.

        Owners of the organization cannot be moved in projects: who becomes one is moved before, who was one after.
        """
        if self._found["status"] != "member":
            self.renew({**_roles(self._found), **changes})
            return
        becomes_owner = changes.get("role") == _OWNER
        if "role" in changes and not becomes_owner:
            self._set_role(changes["role"])
        if "projects" in changes:
            self._set_projects(changes["projects"])
        if becomes_owner:
            self._set_role(_OWNER)

    def remove(self) -> None:
        """Take back the invites, and remove the user."""
        self._withdraw()
        if self._found["status"] == "member":
            self._admin.delete(_USER, self._found["id"])

    def to_result(self, person: Fields) -> Fields:
        """The person with all members, also before there is an invite."""
        return {**dict.fromkeys(_MEMBERS), "email": self._email, "status": "pending", **person}

    def _known_projects(self) -> list[Fields]:
        if self._projects is None:
            self._projects = projects.list_projects(self._admin)
        return self._projects

    def _projects_of(self, user: str) -> list[Fields] | None:
        """Projects with the role in each. Nobody tells them together, so each one is asked."""
        if not self._there or self._task.params["projects"] is None:
            return None
        found = []
        for project in self._known_projects():
            if entry := self._admin.find(f"{_PROJECT_USERS}/{{}}", project["id"], user):
                found.append({"id": project["id"], "role": entry.text("role")})
        return sorted(found, key=lambda project: project["id"])

    def _wanted_projects(self) -> list[Fields]:
        """
        :raises BadOption: when there is no such project, or it is given twice
        """
        wanted: dict[str, Fields] = {}
        for number, given in enumerate(self._task.params["projects"]):
            id_ = self._id_of(given, f"projects[{number}]")
            if id_ in wanted:
                raise BadOption(f"projects[{number}]", "is there already")
            wanted[id_] = {"id": id_, "role": given["role"]}
        return [wanted[id_] for id_ in sorted(wanted)]

    def _id_of(self, given: Fields, option: str) -> str:
        by = "id" if given["id"] is not None else "name"
        found = [project["id"] for project in self._known_projects() if project[by] == given[by]]
        if not found:
            raise BadOption(option, f"there is no project '{given[by]}' that is not archived")
        if len(found) > 1:
            raise BadOption(option, f"{len(found)} projects have this name: choose by id, one of {', '.join(found)}")
        return found[0]

    def _check_projects(self, invite: Fields) -> None:
        ids = [project["id"] for project in invite.get("projects") or ()]
        active = {project["id"] for project in self._known_projects()} if ids else set()
        if gone := [id_ for id_ in ids if id_ not in active]:
            raise ToolchainError(
                f"{self._email} is invited to projects that are archived or do not exist: {', '.join(gone)}. Give "
                "'projects' without them."
            )

    def _check_not_needed(self, before: Fields) -> None:
        owners = [user["id"] for user in self._users if user["role"] == _OWNER]
        if owners == [before["id"]]:
            raise ToolchainError(f"{self._email} is the last owner of the organization, which needs one.")
        own = redacted_keys.find_key(self._task.params["admin_key"], listings.list_admin_keys(self._admin))
        if own is None:
            self._task.warn(f"The service does not tell whose the admin key is, so it may be that of {self._email}.")
        elif own["owner"]["id"] == before["id"]:
            raise ToolchainError(f"The admin key is that of {self._email}: another owner's is needed for this.")

    def _withdraw(self) -> None:
        for invite in self._invites:
            self._admin.delete(f"{_INVITES}/{{}}", invite["id"])

    def _set_role(self, role: str) -> None:
        self._admin.post(_USER, self._found["id"], json={"role": role}, repeatable=True)

    def _set_projects(self, wanted: list[Fields]) -> None:
        user = self._found["id"]
        had = {project["id"]: project["role"] for project in self._found["projects"]}
        roles = {project["id"]: project["role"] for project in wanted}
        for project in sorted(had.keys() - roles.keys()):
            self._admin.delete(f"{_PROJECT_USERS}/{{}}", project, user)
        for project, role in roles.items():
            if project not in had:
                self._join(project, user, role)
            elif had[project] != role:
                path = f"{_PROJECT_USERS}/{{}}"
                self._admin.post(path, project, user, json={"role": role}, repeatable=True)

    def _join(self, project: str, user: str, role: str) -> None:
        """Add the user to a project, unless another client did so in between."""
        try:
            self._admin.post(_PROJECT_USERS, project, json={"user_id": user, "role": role})
        except ServerRefusal:
            member = self._admin.find(f"{_PROJECT_USERS}/{{}}", project, user)
            if member is None or member.text("role") != role:
                raise


def _roles(invited: Fields) -> Fields:
    """What another invite gets from one, as far as that tells."""
    return {name: invited[name] for name in ("role", "projects") if invited[name] is not None}


def _invited(invite: Fields) -> Fields:
    told: dict[str, t.Any] = {name: invite[name] for name in _MEMBERS if name in invite}
    return {**told, "id": None, "invite_id": invite["id"]}
