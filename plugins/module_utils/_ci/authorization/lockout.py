# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from losing Overall/Administer or its login, which no request can restore.

Strategies, security realms and users have the form of the Configuration as Code plugin (JCasC).
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.casc import (
    EITHER,
    GROUP,
    MATRICES,
    USER,
    list_grants,
    list_objects,
    list_texts,
    split_symbol,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import ADMINISTER
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_ALLOW = "or set 'allow_lockout: true' to allow the change."
# Kinds of the members of roles
_KINDS = {"user": USER, "group": GROUP, "either": EITHER}
# Jenkins grants to everybody what it grants to anonymous users, and each account is in the group
_ANONYMOUS, _AUTHENTICATED = "anonymous", "authenticated"
_LOCAL = "local"
_VARIABLE = "${"

Holder = tuple[str, str]


class SecurityChange(t.NamedTuple):
    """The part of the security settings that a task changes.

    :ivar strategy: the authorization strategy after the task
    :ivar changes_strategy: whether the task changes it
    :ivar realm_before: the current security realm
    :ivar realm: the security realm after the task
    :ivar changes_realm: whether the task changes it
    :ivar users: the users of the realm that the task applies
    """

    strategy: t.Any
    changes_strategy: bool = True
    realm_before: t.Any = None
    realm: t.Any = None
    changes_realm: bool = False
    users: t.Any = None


def check(ci: CiService, change: SecurityChange) -> None:
    """Refuse a change after which the account of the task is not an administrator or cannot log in.

    :raises ToolchainError: if the account would lose the permission or the login, or if this cannot be verified
    """
    replaces_realm = change.changes_realm and _replaces_accounts(change)
    if not (change.changes_strategy or replaces_realm):
        _check_own_user(ci, change.users)
        return
    administrators = _list_administrators(change.strategy)
    if {(USER, _ANONYMOUS), (EITHER, _ANONYMOUS)} & administrators:
        return
    if replaces_realm:
        _check_new_realm(ci, change)
    else:
        _check_own_user(ci, change.users)
    _check_permission(ci, administrators, replaces_realm)


def _list_administrators(strategy: t.Any) -> set[Holder]:
    """Return the kinds and names of the users and groups with Overall/Administer.

    :raises ToolchainError: if the strategy is unknown
    """
    symbol, members = split_symbol(strategy)
    if symbol == "unsecured":
        return {(USER, _ANONYMOUS)}
    if symbol == "loggedInUsersCanDoAnything":
        return {(GROUP, _AUTHENTICATED)}
    if symbol in MATRICES:
        return {(grant.kind, grant.holder) for grant in list_grants(members) if grant.permission == ADMINISTER}
    if symbol == "roleBased":
        return set(_list_in_roles(members))
    raise ToolchainError(
        "Cannot verify that the account of this task keeps Overall/Administer with the authorization strategy "
        f"'{symbol}'. Use a matrix or roles, {_ALLOW}"
    )


def _list_in_roles(members: Fields) -> t.Iterator[Holder]:
    """Yield the members of the global roles with the permission. Of two roles with one name, Jenkins drops a part."""
    lists = members.get("roles")
    roles = list_objects(lists.get("global")) if isinstance(lists, dict) else []
    names = [role.get("name") for role in roles]
    for role in roles:
        if names.count(role.get("name")) == 1 and _has_administer(role, members.get("permissionTemplates")):
            for entry in list_objects(role.get("entries")):
                yield from ((_KINDS[kind], str(name)) for kind, name in entry.items() if kind in _KINDS)


def _has_administer(role: Fields, templates: t.Any) -> bool:
    """Return whether a role has the permission. The permissions of a template replace those of the role."""
    sources = [role]
    if role.get("templateName"):
        sources.append(
            next((entry for entry in list_objects(templates) if entry.get("name") == role["templateName"]), {})
        )
    return all(ADMINISTER in list_texts(source.get("permissions")) for source in sources)


def _replaces_accounts(change: SecurityChange) -> bool:
    """Return whether other users can log in afterwards. Jenkins' own database keeps its users."""
    return not split_symbol(change.realm_before)[0] == split_symbol(change.realm)[0] == _LOCAL


def _check_new_realm(ci: CiService, change: SecurityChange) -> None:
    symbol, _members = split_symbol(change.realm)
    login, secret = ci.account or ("", "")
    passwords = [user.get("password") for user in _list_own(login, change.users)]
    if symbol != _LOCAL or passwords != [secret]:
        raise ToolchainError(
            f"Cannot verify that the account of this task can log in with the security realm '{symbol}'. Declare it "
            f"with its current password in the users of the realm 'local', {_ALLOW}"
        )


def _check_own_user(ci: CiService, users: t.Any) -> None:
    """Refuse users that would replace the password or the API token with which the task logs in."""
    login, secret = ci.account or ("", "")
    for user in _list_own(login, users):
        if user.get("password", secret) == secret and not user.get("properties"):
            continue
        account = accounts.fetch(ci, login, predicts_database=True).users.get(login.lower())
        uses_token = accounts.uses_token(ci, account)
        if user.get("properties") if uses_token else user.get("password", secret) != secret:
            raise ToolchainError(
                f"The change would lock out '{login}', the account of this task: it would replace the "
                f"{'API token' if uses_token else 'password'} with which the task logs in. Remove the user from the "
                f"declaration, {_ALLOW}"
            )


def _list_own(login: str, users: t.Any) -> list[Fields]:
    """Return the declared users that are the account of the task, or can be it because their ID has a variable."""
    return [
        user
        for user in list_objects(users)
        if login and (str(user.get("id")).lower() == login.lower() or _VARIABLE in str(user.get("id")))
    ]


def _check_permission(ci: CiService, administrators: set[Holder], replaces_realm: bool) -> None:
    account = server.fetch_user(ci)
    is_known = account is not None and not account["anonymous"]
    login = ci.account[0] if ci.account and replaces_realm else None
    name = account["name"] if account and is_known else login
    if not name:
        raise ToolchainError(
            "Cannot verify that the account of this task keeps Overall/Administer: the server does not name it. "
            f"Set 'username', {_ALLOW}"
        )
    groups = [_AUTHENTICATED] if replaces_realm or account is None else account["authorities"]
    own = {(USER, name), (EITHER, name), *((kind, group) for kind in (GROUP, EITHER) for group in groups)}
    if not own & administrators:
        raise ToolchainError(
            f"The change would lock out '{name}', the account of this task: it would lose "
            f"Overall/Administer. Grant this permission to it, {_ALLOW}"
        )
