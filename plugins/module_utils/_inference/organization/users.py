# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Users and invitations of an OpenAI organization, with their roles in the organization and in its projects."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingName,
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
EMAIL = (r"[^@\s]+@[^@\s]+", "an email address")
# Option for the projects of a user
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
_FIELDS = (
    *("id", "email", "name", "role", "status", "projects"),
    *("added", "added_at", "invite_id", "expires", "expires_at"),
)
_USER_PATH = "/organization/users/{}"
_INVITES_PATH = "/organization/invites"
_PROJECT_USERS_PATH = "/organization/projects/{}/users"


class User:
    """The user or invitation with the email address in the task's options.

    It is represented by `{id, email, name, role, status, projects, added, added_at, invite_id, expires, expires_at}`.
    The status is `member`, `pending` or `expired`. Projects are `[{id, role}]`, sorted by ID, `None` if the option
    `projects` is not set.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._admin = AdminClient(task)
        self._email: str = task.params["email"]
        self._is_present = task.params["state"] == "present"
        self._users: list[Fields] = []
        self._invites: list[Fields] = []  # invitations that are not accepted
        self._current: Fields = {}
        self._projects: list[Fields] | None = None

    def find(self) -> Fields | None:
        """Return the user or the invitation, `None` if neither exists."""
        self._users = listings.list_users(self._admin)
        users = listings.filter_by_email(self._users, [self._email])
        if not users or not self._is_present:
            invites = listings.filter_by_email(listings.list_invites(self._admin), [self._email])
            self._invites = [invite for invite in invites if invite["status"] != "accepted"]
        if len(users) > 1:
            ids = ", ".join(user["id"] for user in users)
            raise ToolchainError(
                f"{len(users)} users have the email address '{self._email}': {ids}. Remove all but one of them."
            )
        if users:
            user = users[0]
            self._current = {**user, "status": "member", "projects": self._fetch_projects(user["id"])}
        else:
            self._current = _from_invitation(self._invites[-1]) if self._invites else {}
        return self._current or None

    def desired(self, before: Fields | None) -> Fields:
        """Return the desired fields. A new invitation keeps the role and projects of the one it replaces."""
        desired = self._task.select_provided("role")
        if self._task.params["projects"] is not None:
            desired["projects"] = self._desired_projects()
        if before is None:
            return {"role": _READER, **desired}
        if self.replace_reason(before):
            return {**_select_roles(before), **desired}
        return desired

    def replace_reason(self, before: Fields) -> str | None:
        """Return the reason for which the invitation must be replaced."""
        if before["status"] == "expired":
            return "the invitation has expired"
        if before["status"] == "pending" and len(self._invites) > 1:
            return "several invitations exist"
        return None

    def check(self, before: Fields | None, desired: Fields | None) -> None:
        """Check that the change is possible and safe.

        :raises ToolchainError: if it would remove or demote the last owner or the owner of the admin key, if it would
            change or remove a project of an owner, or if the API would refuse the new invitation
        """
        if before is None:
            return
        if before["status"] != "member":
            self._check_projects({**_select_roles(before), **desired} if desired is not None else {})
            return
        was_owner = before["role"] == _OWNER
        remains_owner = was_owner and desired is not None and "role" not in desired
        if desired is None or (was_owner and not remains_owner):
            self._check_dispensable(before)
        elif remains_owner and "projects" in desired:
            unchanged = [project for project in before["projects"] if project in desired["projects"]]
            if unchanged != before["projects"]:
                raise ToolchainError(
                    f"Cannot change the projects of {self._email}: owners of the organization cannot be removed from "
                    "projects or get another role in them. Omit 'projects', or set another 'role'."
                )

    def create(self, fields: Fields) -> None:
        """Send an invitation."""
        self._admin.post(_INVITES_PATH, json={"email": self._email, **fields})

    def replace(self, fields: Fields) -> None:
        """Delete the invitations and send a new one."""
        self._delete_invitations()
        self.create(fields)

    def update(self, changes: Fields) -> None:
        """Change roles and projects. The API cannot change an invitation, so it is replaced.

        The projects of owners cannot be changed. A user is promoted to owner after, and demoted before, that change.
        """
        if self._current["status"] != "member":
            self.replace({**_select_roles(self._current), **changes})
            return
        becomes_owner = changes.get("role") == _OWNER
        if "role" in changes and not becomes_owner:
            self._set_role(changes["role"])
        if "projects" in changes:
            self._set_projects(changes["projects"])
        if becomes_owner:
            self._set_role(_OWNER)

    def remove(self) -> None:
        """Delete the invitations and remove the user."""
        self._delete_invitations()
        if self._current["status"] == "member":
            self._admin.delete(_USER_PATH, self._current["id"])

    def to_result(self, person: Fields) -> Fields:
        """Return the fields of the result, also for an invitation that does not exist yet."""
        return {**dict.fromkeys(_FIELDS), "email": self._email, "status": "pending", **person}

    def _list_projects(self) -> list[Fields]:
        if self._projects is None:
            self._projects = projects.list_projects(self._admin)
        return self._projects

    def _fetch_projects(self, user_id: str) -> list[Fields] | None:
        """Return the projects of a user. The API does not list them, so each project is requested."""
        if not self._is_present or self._task.params["projects"] is None:
            return None
        memberships = []
        for project in self._list_projects():
            if entry := self._admin.find(f"{_PROJECT_USERS_PATH}/{{}}", project["id"], user_id):
                memberships.append({"id": project["id"], "role": entry.text("role")})
        return sorted(memberships, key=lambda project: project["id"])

    def _desired_projects(self) -> list[Fields]:
        """Return the declared projects with their IDs, sorted by ID.

        :raises BadOption: if a project does not exist, is ambiguous, or is listed twice
        """
        desired: dict[str, Fields] = {}
        for number, project in enumerate(self._task.params["projects"]):
            id_ = self._resolve_id(project, f"projects[{number}]")
            if id_ in desired:
                raise BadOption(f"projects[{number}]", f"the project '{id_}' is listed twice")
            desired[id_] = {"id": id_, "role": project["role"]}
        return [desired[id_] for id_ in sorted(desired)]

    def _resolve_id(self, declared: Fields, option: str) -> str:
        """Return the ID of a declared project. In place of that of a project to be created, return its name."""
        field = "id" if declared["id"] is not None else "name"
        ids = [project["id"] for project in self._list_projects() if project[field] == declared[field]]
        if not ids and field == "name" and self._task.predicts_missing:
            return str(declared["name"])
        if not ids:
            missing = MissingName if field == "name" else BadOption
            raise missing(option, f"no active project has the {field} '{declared[field]}'")
        if len(ids) > 1:
            raise BadOption(
                option, f"{len(ids)} projects have this name. Specify the ID of one of them: {', '.join(ids)}"
            )
        return ids[0]

    def _check_projects(self, invitation: Fields) -> None:
        ids = [project["id"] for project in invitation.get("projects") or ()]
        active = {project["id"] for project in self._list_projects()} if ids else set()
        if self._task.predicts_missing:
            active.update(project["name"] for project in self._task.params["projects"] or ())
        if inactive := [id_ for id_ in ids if id_ not in active]:
            raise ToolchainError(
                f"{self._email} is invited to projects that are archived or do not exist: {', '.join(inactive)}. Set "
                "'projects' without them."
            )

    def _check_dispensable(self, before: Fields) -> None:
        """Check that the organization and the admin key do not depend on a user who is removed or demoted."""
        owners = [user["id"] for user in self._users if user["role"] == _OWNER]
        if owners == [before["id"]]:
            raise ToolchainError(
                f"{self._email} is the last owner of the organization. Make another user an owner first."
            )
        if self._task.params["allow_lockout"]:
            return
        keys = redacted_keys.find_keys(self._task.params["admin_key"], listings.list_admin_keys(self._admin))
        key_owners = {key["owner"]["id"] for key in keys}
        if before["id"] in key_owners:
            raise ToolchainError(
                f"{self._email} is the owner of the admin key. Use the admin key of another owner, or set "
                "'allow_lockout: true'."
            )
        if not keys or None in key_owners:
            raise ToolchainError(
                f"Cannot verify that {self._email} is not the owner of the admin key: the API does not return the "
                "owner of the key that this task uses. Set 'allow_lockout: true' to allow the change."
            )

    def _delete_invitations(self) -> None:
        for invitation in self._invites:
            self._admin.delete(f"{_INVITES_PATH}/{{}}", invitation["id"])

    def _set_role(self, role: str) -> None:
        self._admin.post(_USER_PATH, self._current["id"], json={"role": role}, is_idempotent=True)

    def _set_projects(self, desired: list[Fields]) -> None:
        user = self._current["id"]
        current = {project["id"]: project["role"] for project in self._current["projects"]}
        roles = {project["id"]: project["role"] for project in desired}
        for project in sorted(current.keys() - roles.keys()):
            self._admin.delete(f"{_PROJECT_USERS_PATH}/{{}}", project, user)
        for project, role in roles.items():
            if project not in current:
                self._add_to_project(project, user, role)
            elif current[project] != role:
                path = f"{_PROJECT_USERS_PATH}/{{}}"
                self._admin.post(path, project, user, json={"role": role}, is_idempotent=True)

    def _add_to_project(self, project: str, user: str, role: str) -> None:
        """Add the user to a project. If that is refused, accept the membership that another client created."""
        try:
            self._admin.post(_PROJECT_USERS_PATH, project, json={"user_id": user, "role": role})
        except ServerRefusal:
            member = self._admin.find(f"{_PROJECT_USERS_PATH}/{{}}", project, user)
            if member is None or member.text("role") != role:
                raise


def _select_roles(invitation: Fields) -> Fields:
    """Return the fields that a new invitation takes over."""
    return {name: invitation[name] for name in ("role", "projects") if invitation[name] is not None}


def _from_invitation(invitation: Fields) -> Fields:
    fields: dict[str, t.Any] = {name: invitation[name] for name in _FIELDS if name in invitation}
    return {**fields, "id": None, "invite_id": invitation["id"]}
