# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verification of a user's password with a trial login."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import generation, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    VERSION_ADDRESS,
    ArtifactService,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import basic_auth
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_ENABLED = "enabled"


def is_current(task: Task, artifact: ArtifactService, user: Fields, desired: Fields) -> bool:
    """Return whether a user can log in with the desired password.

    A failed login can lock a user. Therefore, only one login is attempted, and none for users that cannot log in.

    :arg user: the current user
    :arg desired: the desired fields with the password
    :raises ToolchainError: if a login cannot show whether the password is current
    """
    name = user["name"]
    if user["internal_password_disabled"]:
        if desired.get("internal_password_disabled") is False:
            return False
        raise _unverifiable_error(name, "its password is disabled. Set 'internal_password_disabled: false'")
    status = user["status"]
    if status is None and not generation.is_platform(artifact) and users.is_locked(artifact, name):
        status = users.LOCKED
    if status == users.LOCKED:
        if desired.get("locked") is False:  # a login before the user is unlocked would fail
            return False
        raise _unverifiable_error(name, "it is locked. Set 'locked: false' to unlock it and to set the password")
    if status not in (None, _ENABLED):
        raise _unverifiable_error(name, f"its status is {status}, so that it cannot log in")
    return is_accepted(task, artifact, name, desired["password"])


def is_accepted(task: Task, artifact: ArtifactService, name: str, password: str) -> bool:
    """Return whether a user can log in with a password. Only one login is attempted.

    :raises ToolchainError: if the server blocks the login
    """
    credential = basic_auth(task, name, password)
    response = artifact.http.read(
        "GET",
        VERSION_ADDRESS,
        accept=(200, 401, 403),
        anonymous=True,
        headers=credential.headers,
        label=f"trial login of '{name}'",
        no_retry=True,
    )
    if response.status == 403:
        raise _unverifiable_error(name, f"the server refused the login: {response.server_message}. Try again later")
    return response.status == 200


def _unverifiable_error(name: str, cause: str) -> ToolchainError:
    return ToolchainError(f"Cannot verify the password of user '{name}': {cause}")
