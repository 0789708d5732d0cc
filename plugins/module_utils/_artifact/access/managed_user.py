# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a user."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import (
    generation,
    groups,
    memberships,
    own_account,
    password_check,
    users,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access.identity_fields import USER_ROLES
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingName,
    OutcomeUnknown,
    ToolchainError,
    describe_cause,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

# The option outside of `items`, where `password` belongs to the connection
USER_PASSWORD, PASSWORD = "user_password", "password"
_LOCKED = "locked"
_NEW_USER = {
    "admin": False,
    "profile_updatable": True,
    "disable_ui_access": False,
    "internal_password_disabled": False,
    "status": "enabled",
    "realm": "internal",
    _LOCKED: False,
}
# Values that give the user access
_GRANTS: Fields = {**dict.fromkeys(("admin", *USER_ROLES), True), "disable_ui_access": False, _LOCKED: False}


class ManagedUser:
    """The user that a task manages.

    :arg desired: the desired fields, except the groups
    :ivar current: the current user, empty if it does not exist
    """

    def __init__(self, task: Task, artifact: ArtifactService, desired: Fields) -> None:
        params = task.params
        self._task, self._artifact, self._name = task, artifact, params["name"].lower()
        self._declared: list[str] | None = params["groups"] if params["state"] == "present" else None
        self._purge: bool = params["purge"]
        self._password_option = USER_PASSWORD if params["items"] is None else PASSWORD
        self.desired = desired
        if self._declared is not None:
            self.desired = {**desired, "groups": memberships.build(self._declared, self._purge)}
        self.current: Fields = {}

    def find(self) -> Fields | None:
        """Return the user, or `None` if it does not exist."""
        user = users.find(self._artifact, self._name)
        if user is None:
            self.current = {"name": self._name, **_NEW_USER, "groups": []} if self._is_created_earlier else {}
            return {**self.current, "groups": memberships.build((), self._purge)} if self.current else None
        if generation.is_platform(self._artifact):
            user["groups"] = memberships.respell(user["groups"], self._declared or ())
            user[_LOCKED] = None if user["status"] is None else user["status"] == users.LOCKED
        elif _LOCKED in self.desired:
            user[_LOCKED] = users.is_locked(self._artifact, self._name)
        users.FIELDS.complete(self._artifact, user, self.desired)
        self.current = user
        return {**user, "groups": memberships.build(user["groups"], self._purge)}

    def desired_for(self, before: Fields | None) -> Fields:
        """Return the desired fields for the current user, without grants if they are withheld."""
        if not self._task.params["withhold_grants"]:
            return self.desired
        return memberships.withhold_grants(self.desired, before, "groups", _GRANTS)

    def check(self, before: Fields | None, fields: Fields | None, allow_lockout: bool) -> None:
        """Refuse changes that the server would refuse, and that lock out the account of the task.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or not supported
        :raises ToolchainError: if the change is refused
        """
        if fields is None and self._name == users.ANONYMOUS:
            raise BadOption("name", f"'{users.ANONYMOUS}' is built in and cannot be deleted")
        if before is None and fields is not None:
            users.FIELDS.complete(self._artifact, None, fields)
            if "email" not in fields:
                raise BadOption("email", "is required for a new user")
        if fields is not None and self._requires_password(before, fields):
            purpose = "for a new user" if before is None else "when it was disabled"
            raise BadOption(self._password_option, f"is required {purpose}, unless 'internal_password_disabled: true'")
        if fields is not None:
            self._check_ui_access(fields)
            if not self._task.predicts_missing and not self._task.params["withhold_grants"]:
                self._check_groups()
        if before is not None and not allow_lockout:
            self._check_lockout(fields)

    def _check_ui_access(self, fields: Fields) -> None:
        """Refuse to disable the web interface for an administrator, as the Access API does.

        :raises BadOption: if both are set
        """
        after = {**self.current, **fields}
        is_refused = after.get("admin") and after.get("disable_ui_access") and generation.is_platform(self._artifact)
        if is_refused and fields.keys() & {"admin", "disable_ui_access"}:
            raise BadOption("disable_ui_access", "must be false for a user with 'admin: true'")

    def _check_groups(self) -> None:
        """Verify that the groups to add exist.

        :raises BadOption: if a group does not exist
        """
        desired = self.desired.get("groups", ())
        added, _removed = memberships.find_changes(self.current.get("groups", ()), desired)
        if missing := groups.find_missing(self._artifact, added):
            raise MissingName("groups", f"these groups do not exist: {', '.join(missing)}")

    @property
    def _is_created_earlier(self) -> bool:
        """Whether check mode assumes that an earlier task creates the user, to whom this one only adds grants."""
        return self._task.predicts_missing and len(self.desired) > 0 and self.desired.keys() <= {"groups", *_GRANTS}

    def create(self, fields: Fields) -> None:
        """Create the user. With `purge`, remove it from the undeclared groups that new users join."""
        scalars = {name: value for name, value in fields.items() if name not in (_LOCKED, "groups")}
        declared = sorted(fields.get("groups", ()))
        is_exact = self._purge and self._declared is not None
        if generation.is_platform(self._artifact):
            body = {"username": self._name, **scalars, "groups": declared}
            response = self._artifact.http.write("POST", "/access/api/v2/users", json=body, accept=(200, 201))
            if is_exact:
                joined = memberships.respell(response.record().maybe_texts("groups"), declared)
                self._write_groups([], sorted(set(joined) - set(declared)))
            return
        body = {"name": self._name, **_to_classic({**scalars, "groups": declared})}
        self._artifact.http.write("PUT", self._classic_address(), json=body, accept=(200, 201))
        created = users.find(self._artifact, self._name) if is_exact else None
        if created and created["groups"] != declared:
            self._write_classic({"groups": declared})

    def update(self, fields: Fields) -> None:
        """Unlock the user, and write the fields that differ."""
        scalars = {name: value for name, value in fields.items() if name not in (_LOCKED, "groups")}
        if _LOCKED in fields:
            self._artifact.http.write("POST", generation.classic_address("unlockUsers", self._name))
        if fields.get("internal_password_disabled") is False:  # the server requires a new password
            scalars[PASSWORD] = self.desired[PASSWORD]
        current, desired = self.current["groups"], fields.get("groups", {})
        if not generation.is_platform(self._artifact):
            kept = [] if self._purge else current
            self._write_classic({**scalars, "groups": sorted({*kept, *desired})} if "groups" in fields else scalars)
            return
        added, removed = memberships.find_changes(current, desired)
        if scalars:
            self._write_groups([], removed)  # first, because the other changes may give permissions
            removed = []
            self._write_fields(scalars, lambda: self._artifact.http.write("PATCH", self._address(), json=scalars))
        self._write_groups(added, removed)

    def to_result(self, user: Fields) -> Fields:
        """Return the user as the module returns it; a predicted one with the values of a new user."""
        completed = {"name": self._name, **_NEW_USER, **user}
        return {**users.to_result(completed), _LOCKED: completed.get(_LOCKED)}

    def delete(self) -> None:
        """Delete the user."""
        is_platform = generation.is_platform(self._artifact)
        address = self._address() if is_platform else self._classic_address()
        self._artifact.http.write("DELETE", address, accept=(200, 204))

    def _requires_password(self, before: Fields | None, fields: Fields) -> bool:
        """Return whether the server requires a password that is not set."""
        if PASSWORD in self.desired or fields.get("internal_password_disabled"):
            return False
        return before is None or fields.get("internal_password_disabled") is False

    def _check_lockout(self, fields: Fields | None) -> None:
        """Refuse to delete the account of the task, to disable its password, and to take its administration.

        :raises ToolchainError: if the change is refused
        """
        changes = fields or {}
        removed = memberships.find_changes(self.current["groups"], changes.get("groups", {}))[1]
        loses_password = changes.get("internal_password_disabled") is True and self._artifact.own_token is None
        if fields is not None and not loses_password and not removed and changes.get("admin") is not False:
            return
        if not own_account.is_possibly_own(self._artifact, self._name) or not self._may_administer():
            return
        if fields is None:
            raise own_account.lockout_error(self._artifact, "it would be deleted")
        if loses_password:
            raise own_account.lockout_error(self._artifact, "it could not log in with its password")
        if self._would_lose_administration(changes, removed):
            raise own_account.lockout_error(self._artifact, "it would not be an administrator")

    def _may_administer(self) -> bool:
        """Return whether the user can be the account of the task, which is an administrator or has a token."""
        if own_account.find(self._artifact) is not None or self._artifact.own_token is not None:
            return True
        return self.current["admin"] or groups.has_administrators(self._artifact, self.current["groups"])

    def _would_lose_administration(self, changes: Fields, removed: list[str]) -> bool:
        if changes.get("admin", self.current["admin"]):
            return False
        kept = [group for group in self.current["groups"] if group not in removed]
        is_admin = self.current["admin"] or groups.has_administrators(self._artifact, removed)
        return is_admin and not groups.has_administrators(self._artifact, kept)

    def _write_groups(self, added: list[str], removed: list[str]) -> None:
        if added or removed:
            body = {"add": added, "remove": removed}
            self._artifact.http.write("PATCH", f"{self._address()}/groups", json=body)

    def _write_classic(self, fields: Fields) -> None:
        if fields:
            body = _to_classic(fields)
            self._write_fields(fields, lambda: self._artifact.http.write("POST", self._classic_address(), json=body))

    def _write_fields(self, fields: Fields, send: t.Callable[[], t.Any]) -> None:
        """Send fields. If they contain the password with which the task logs in, log in with the new one.

        :raises ToolchainError: if the server does not accept the new password
        """
        if not self._has_own_password(fields):
            send()
            return
        lost = None
        try:
            send()
        except OutcomeUnknown as error:
            lost = error
        if not password_check.is_accepted(self._task, self._artifact, self._name, fields[PASSWORD]):
            cause = f"{describe_cause(lost)} " if lost else ""
            raise ToolchainError(
                f"{cause}The server does not accept the new password of '{self._name}', the account of this task. Find "
                "out which password is valid before you run the task again."
            )
        self._artifact.log_in_again(fields[PASSWORD])
        if lost:
            raise lost

    def _has_own_password(self, fields: Fields) -> bool:
        """Return whether fields contain the password with which the task logs in."""
        return PASSWORD in fields and own_account.has_password(self._artifact, self._name)

    def _address(self) -> str:
        return f"/access/api/v2/users{encode_path(self._name, option='name')}"

    def _classic_address(self) -> str:
        return generation.classic_address("users", self._name)


def _to_classic(fields: Fields) -> Fields:
    unchanged = {name: fields[name] for name in (PASSWORD, "groups") if name in fields}
    return {**users.FIELDS.to_classic(fields), **unchanged}
