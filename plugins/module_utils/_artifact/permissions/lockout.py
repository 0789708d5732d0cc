# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from losing its access to a permission."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import token_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups, own_account, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


def check(artifact: ArtifactService, before: Fields, after: Fields) -> None:
    """Refuse a change that takes Manage, or all actions, from the account of the task.

    An administrator can always restore them. No request is sent if the change takes nothing from a group or the
    account.

    :arg before: resources before the change
    :arg after: resources after the change
    :raises ToolchainError: if the change is refused
    """
    losers = _list_losers(before, after)
    own = own_account.find(artifact) if losers else None
    if not losers or (
        own is not None and not losers & {("users", own)} and all(kind == "users" for kind, _name in losers)
    ):
        return
    if own is None:
        raise own_account.lockout_error(artifact, "it would lose access")
    if artifact.own_token and token_secret.has_admin_scope(artifact.own_token):
        return
    try:
        user = users.find(artifact, own)
    except ServerRefusal as refusal:
        if ("users", own) not in losers:
            raise ToolchainError(
                f"Cannot verify that '{own}', the account of this task, keeps its access: its groups are unknown. "
                f"{refusal} Set 'allow_lockout: true' to allow the change."
            ) from None
        raise own_account.lockout_error(artifact, "it would lose access to this permission") from None
    own_groups = user["groups"] if user else []
    if user and (user["admin"] or user["effective_admin"] or groups.has_administrators(artifact, own_groups)):
        return
    if _loses_access(before, after, own, own_groups):
        raise own_account.lockout_error(artifact, "it would lose access to this permission")


def _list_losers(before: Fields, after: Fields) -> set[tuple[str, str]]:
    """Return the kinds and names of the users and groups that lose Manage, or all actions, on a target."""
    return {
        (kind, name)
        for option, resource in before.items()
        for kind in form.PRINCIPALS
        for name, actions in resource[kind].items()
        if _is_loss(actions, _get_actions(resource, after.get(option), kind, name))
    }


def _loses_access(before: Fields, after: Fields, own: str, own_groups: list[str]) -> bool:
    # a group can be declared in another case than the server stores it
    own_names = {("users", own), *(("groups", group.lower()) for group in own_groups)}
    for option, resource in before.items():
        had = _collect_actions(resource, own_names)
        keeps = _collect_actions(after[option], own_names) if _has_all_targets(resource, after.get(option)) else set()
        if _is_loss(had, keeps):
            return True
    return False


def _collect_actions(resource: Fields, principals: set[tuple[str, str]]) -> set[str]:
    """Return all actions of users and groups, given with names in lower case."""
    return {
        action
        for kind in form.PRINCIPALS
        for name, actions in resource[kind].items()
        if (kind, name.lower()) in principals
        for action in actions
    }


def _get_actions(before: Fields, after: Fields | None, kind: str, name: str) -> list[str]:
    """Return the actions that a user or group keeps on all targets that a resource had."""
    return after[kind].get(name, []) if after and _has_all_targets(before, after) else []


def _has_all_targets(before: Fields, after: Fields | None) -> bool:
    return after is not None and not before["targets"].keys() - after["targets"].keys()


def _is_loss(had: set[str] | list[str], keeps: set[str] | list[str]) -> bool:
    return bool(had) and (not keeps or ("manage" in had and "manage" not in keeps))
