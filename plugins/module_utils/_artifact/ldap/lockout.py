# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from losing its login with LDAP."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import own_account, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_REALM = "ldap"


def check(task: Task, artifact: ArtifactService, key: str, change: str) -> None:
    """Refuse to delete or disable an LDAP setting if the account of the task comes from LDAP.

    If this is unknown, the task only warns, because the setting could never be disabled otherwise.

    :arg change: what happens to the setting, such as `deleted`
    :raises ToolchainError: if the change is refused
    """
    name = own_account.find(artifact)
    if name is None:
        _warn(task, "its name is unknown")
        return
    try:
        user = users.find(artifact, name)
    except ToolchainError as error:
        _warn(task, str(error))
        return
    if user is None:
        _warn(task, f"user '{name}' does not exist")
    elif (user["realm"] or "").lower() == _REALM:
        consequence = f"it logs in with LDAP, and LDAP setting '{key}' would be {change}"
        raise own_account.lockout_error(artifact, consequence)


def _warn(task: Task, reason: str) -> None:
    task.warn(f"Cannot verify that the account of this task does not log in with LDAP: {reason.rstrip('.')}.")
