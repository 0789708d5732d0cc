# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the administration of the task's account from all items of a task together."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups, own_account, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_CONSEQUENCE = "it would not be an administrator"


class GroupGuard:
    """The groups that a task changes, and whether its account remains an administrator after all these changes.

    Administration that the task adds does not count, because the item that adds it may fail.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._items: list[Fields] = [{}]
        self._values = SharedValues()

    def watch(self, items: list[Fields]) -> list[Fields]:
        """Remember all items of the task, and return them."""
        self._items = items
        return items

    def check(self, artifact: ArtifactService, name: str) -> None:
        """Refuse to take administration from the account of the task. The first call decides for all items.

        :arg name: name of a group that loses administration or members
        :raises ToolchainError: if the change is refused
        """
        own = own_account.find(artifact)
        if own is None or name.lower() in self._values.get("required", lambda: self._find_required(artifact, own)):
            raise own_account.lockout_error(artifact, _CONSEQUENCE)

    def _find_required(self, artifact: ArtifactService, own: str) -> set[str]:
        """Return the groups in lower case without which the account would not be an administrator."""
        if token_groups := own_account.find_token_groups(artifact):
            return self._find_lost(artifact, token_groups, None)
        user = _find_user(artifact, own)
        if user is None or user["admin"]:
            return set()
        return self._find_lost(artifact, user["groups"], own)

    def _find_lost(self, artifact: ArtifactService, names: list[str], member: str | None) -> set[str]:
        """Return the groups that the task takes from the account, unless an administrator group remains.

        :arg names: groups of the account
        :arg member: the user; `None` for a token that names the groups
        """
        params = [inherit_options(self._task.params, item) for item in self._items]
        losses = {entry["name"].lower() for entry in params if _is_loss(entry, member)}
        lost = losses & set(map(str.lower, names))
        kept = [name for name in names if name.lower() not in lost]
        return lost if lost and not groups.has_administrators(artifact, kept) else set()


def _is_loss(params: Fields, member: str | None) -> bool:
    """Return whether a group does not make the account an administrator after the task."""
    if params["state"] == "absent" or params["admin_privileges"] is False:
        return True
    members = params["members"]
    return bool(member and params["purge"] and members is not None and member not in map(str.lower, members))


def _find_user(artifact: ArtifactService, own: str) -> Fields | None:
    """Return the user of the account, or `None` for a token of a missing user that is an administrator by its scope.

    :raises ToolchainError: if the administration of the account is unknown
    """
    try:
        user = users.find(artifact, own)
    except ToolchainError as error:
        raise _unknown_error(own, str(error)) from None
    if user is None and not own_account.has_admin_scope(artifact):
        raise _unknown_error(own, "the user does not exist.")
    return user


def _unknown_error(own: str, reason: str) -> ToolchainError:
    return ToolchainError(
        f"Cannot verify that '{own}', the account of this task, remains an administrator: {reason} Set "
        "'allow_lockout: true' to allow the change."
    )
