# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from losing its login with an identity provider."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import own_account, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_LOST_GROUPS = "it could lose the groups that make it an administrator"


def check_groups(artifact: ArtifactService, realm: str) -> None:
    """Refuse a change that takes groups from accounts, if the account of the task logs in with the identity provider.

    An account that is an administrator itself does not need the groups.

    :arg realm: the realm of accounts whose groups the identity provider defines, such as `ldap`
    :raises ToolchainError: if the change is refused
    """
    user = _find_user_of_realm(artifact, realm, _LOST_GROUPS)
    if user is not None and not user["admin"]:
        raise own_account.lockout_error(artifact, _LOST_GROUPS)


def check(artifact: ArtifactService, realm: str) -> None:
    """Refuse a change that disables an identity provider if the account of the task logs in with it, or may do so.

    :arg realm: the realm of accounts that log in with the identity provider, such as `ldap`
    :raises ToolchainError: if the change is refused
    """
    consequence = f"it could no longer log in with {realm.upper()}"
    if _find_user_of_realm(artifact, realm, consequence) is not None:
        raise own_account.lockout_error(artifact, consequence)


def may_disable(task: Task, artifact: ArtifactService, realm: str, title: str) -> bool:
    """Return whether an identity provider can be disabled for the time of a change. If not, warn.

    The account of the task could not enable it again if it logs in with it.

    :arg title: the identity provider in messages
    """
    try:
        check(artifact, realm)
    except ToolchainError:
        task.warn(
            f"{title} was changed while it was enabled, because the account of this task may log in with "
            f"{realm.upper()}."
        )
        return False
    return True


def _find_user_of_realm(artifact: ArtifactService, realm: str, consequence: str) -> Fields | None:
    """Return the user of the task's account, or `None` if it does not log in with the identity provider.

    :raises ToolchainError: if the account or its realm is unknown
    """
    name = own_account.find(artifact)
    if name is None:
        raise own_account.lockout_error(artifact, consequence)
    try:
        user = users.find(artifact, name)
    except ToolchainError as error:
        raise _unknown_realm_error(realm, str(error)) from None
    if user is None:
        raise _unknown_realm_error(realm, f"user '{name}' does not exist.")
    return user if realm in (user["realm"] or "").lower() else None


def _unknown_realm_error(realm: str, reason: str) -> ToolchainError:
    return ToolchainError(
        f"Cannot verify that the account of this task does not log in with {realm.upper()}: {reason} Set "
        "'allow_lockout: true' to allow the change."
    )
