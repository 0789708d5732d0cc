# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the three APIs of permissions share: views of a permission for a caller, and checks of its references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..call import Call
from . import scopes
from .accounts import Principal
from .permissions import ALL_WILDCARDS, CACHE, REPOSITORY_WILDCARDS, Permission, Resources

# A section that servers add by themselves, with the switch `permission_destinations`.
ADDED_DESTINATIONS = {"*": {"include_patterns": ["**/undefined"], "exclude_patterns": []}}


def list_manageable(call: Call, caller: Principal) -> list[str]:
    """Return the names of the permissions that the caller may read, sorted."""
    if caller.admin:
        return call.accounts.permissions.list_names()
    return [item.name for item in call.accounts.permissions.list_all() if manages(call, caller, item)]


def manages(call: Call, caller: Principal, permission: Permission, resource_type: str | None = None) -> bool:
    """Return whether the caller may change the actions of a resource type, or of any if none is given."""
    user = call.accounts.find_user(caller.name)
    groups = set(user["groups"] if user else ())
    if caller.claims is not None:
        scope_list = scopes.split_scopes(caller.claims.scope)
        groups = groups if "applied-permissions/user" in scope_list else set()
        groups.update(group for scope in scope_list for group in scopes.parse_groups(scope))
    resources = permission.resources.items()
    actions = [resource["actions"] for name, resource in resources if resource_type in (None, name)]
    return caller.admin or any(
        "MANAGE" in names
        for kinds in actions
        for kind, principals in (("users", {caller.name}), ("groups", groups))
        for principal, names in kinds[kind].items()
        if principal in principals
    )


def to_stored_target(call: Call, key: str) -> str:
    """Return the target that is stored for a key: the cache of a remote repository."""
    return f"{key}{CACHE}" if call.accounts.permissions.is_remote(key) else key


def find_unknown_repository(call: Call, keys: Iterable[str]) -> str | None:
    """Return the first key that belongs neither to a repository nor to its cache."""
    unknown = (key for key in keys if key not in ALL_WILDCARDS and call.repositories.resolve(key) is None)
    return next(unknown, None)


def find_unknown_principal(call: Call, resources: Resources) -> str | None:
    """Return the first user or group that does not exist, such as `user 'alice'`."""
    for resource in resources.values():
        for user in resource["actions"]["users"]:
            if call.accounts.find_user(user) is None:
                return f"user '{user}'"
        for group in resource["actions"]["groups"]:
            if call.accounts.find_group(group) is None:
                return f"group '{group}'"
    return None


def as_returned(call: Call, permission: Permission) -> Permission:
    """Return a permission as servers return it, with the sections and targets that they add according to switches."""
    resources = dict(permission.resources)
    if call.get_switch("expanded_wildcards") and "artifact" in resources:
        targets = {}
        for target, patterns in resources["artifact"]["targets"].items():
            is_wildcard = target in REPOSITORY_WILDCARDS
            keys = call.accounts.permissions.expand_target(target) if is_wildcard else [target]
            targets.update({to_stored_target(call, key): patterns for key in keys})
        resources["artifact"] = {**resources["artifact"], "targets": targets}
    if call.get_switch("permission_destinations") and "destination" not in resources and resources:
        first = next(iter(resources.values()))
        resources["destination"] = {"actions": first["actions"], "targets": ADDED_DESTINATIONS}
    return replace(permission, resources=resources)
