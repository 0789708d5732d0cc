# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from losing the administration of a project."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import token_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups, own_account, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


def check(artifact: ArtifactService, before: Fields, after: Fields) -> None:
    """Refuse a change of members that takes the role Project Admin from the account of the task.

    Administrators of the platform keep their rights. No request is sent if nobody loses the role.

    :arg before: roles by `users/NAME` or `groups/NAME` before the change
    :arg after: the same after the change
    :raises ToolchainError: if the change is refused
    """
    losers = _list_administrators(before) - _list_administrators(after)
    if not losers:
        return
    own = own_account.find(artifact)
    if own is not None and f"users/{own}" not in losers and all(name.startswith("users/") for name in losers):
        return
    if own is not None and not _is_loss(artifact, own, losers, after):
        return
    raise own_account.lockout_error(artifact, "it would not be an administrator of the project")


def _is_loss(artifact: ArtifactService, own: str, losers: set[str], after: Fields) -> bool:
    """Return whether the account loses the role, which is assumed if its groups are unknown."""
    if artifact.own_token and token_secret.has_admin_scope(artifact.own_token):
        return False
    try:
        user = users.find(artifact, own)
    except ServerRefusal:
        return f"users/{own}" not in _list_administrators(after)
    if user is None:
        return f"users/{own}" in losers
    own_groups = user["groups"]
    if user["admin"] or user["effective_admin"] or groups.has_administrators(artifact, own_groups):
        return False
    own_names = {f"users/{own}", *(f"groups/{group.lower()}" for group in own_groups)}
    return bool(own_names & losers) and not own_names & _list_administrators(after)


def _list_administrators(members: Fields) -> set[str]:
    return {name.lower() for name, roles in members.items() if form.ADMIN_ROLE in (roles or ())}
