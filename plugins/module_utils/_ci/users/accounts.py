# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The accounts of Jenkins' own user database. The remote API lists neither them nor their API tokens."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.token_list import (
    TOKENS_OF_USER,
    hash_token,
    parse_token,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Jenkins uses these names for requests without an account
RESERVED = ("anonymous", "system", "unknown")

LIST_USERS = (
    TOKENS_OF_USER
    + """
def realm = Jenkins.instance.securityRealm
def mailer = null
try {
    mailer = Jenkins.instance.pluginManager.uberClassLoader.loadClass('hudson.tasks.Mailer$UserProperty')
} catch (ClassNotFoundException missing) { }
def rules = [
    realm: realm.class.name,
    mailer: mailer != null,
    name_pattern: System.getProperty('hudson.security.HudsonPrivateSecurityRealm.ID_REGEX'),
]
if (!(realm instanceof hudson.security.HudsonPrivateSecurityRealm)) {
    return rules + [users: null]
}
def users = realm.allUsers.findAll { args.name == null || it.id.equalsIgnoreCase(args.name) }.collect { user ->
    def address = mailer ? user.getProperty(mailer) : null
    return [
        name: user.id,
        full_name: user.fullName,
        description: user.description,
        email: address?.hasExplicitlyConfiguredAddress() ? address.configuredAddress : null,
        tokens: tokensOf(user),
    ]
}
return rules + [users: users]
"""
)
# The new seed ends the sessions of the user, as on the page of the user
CHANGE_USER = """
def user = User.getById(args.name, false)
if (user?.getProperty(hudson.security.HudsonPrivateSecurityRealm.Details) == null) {
    throw new IllegalStateException("the user '${args.name}' has no account")
}
def changes = args.changes
if (changes.containsKey('full_name')) { user.setFullName(changes.full_name) }
if (changes.containsKey('description')) { user.setDescription(changes.description) }
if (changes.containsKey('email')) {
    def mailer = Jenkins.instance.pluginManager.uberClassLoader.loadClass('hudson.tasks.Mailer$UserProperty')
    user.addProperty(mailer.getConstructor(String).newInstance(changes.email))
}
if (changes.containsKey('password')) {
    user.addProperty(hudson.security.HudsonPrivateSecurityRealm.Details.fromPlainPassword(changes.password))
    user.allProperties.find { it.class.name == 'jenkins.security.seed.UserSeedProperty' }?.renewSeed()
}
user.save()
null
"""


class Accounts(t.NamedTuple):
    """The accounts of a server.

    :ivar users: the users by name in lower case, because Jenkins ignores the case of user names
    :ivar has_mailer: whether the plugin is active that stores email addresses
    :ivar name_pattern: the configured regular expression for new names; `None` for the default
    """

    users: dict[str, Fields]
    has_mailer: bool
    name_pattern: str | None


class SharedAccounts:
    """The accounts as they were before the task, requested once for all items.

    :arg predicts_database: whether a server with another user database has no accounts
    :ivar sources: the configuration sources
    """

    def __init__(self, *, predicts_database: bool) -> None:
        self._predicts_database = predicts_database
        self._values = SharedValues()
        self.sources = SharedSources()

    def fetch(self, ci: CiService) -> Accounts:
        """Return the accounts."""
        return self._values.get("accounts", lambda: fetch(ci, predicts_database=self._predicts_database))

    def fetch_again(self, ci: CiService, name: str) -> Accounts:
        """Return the current account of a user, if it has one."""
        return fetch(ci, name, predicts_database=self._predicts_database)

    def list_deletable(self, ci: CiService) -> set[str]:
        """Return the names, in lower case, of the accounts that may be deleted if they are not declared.

        Not the account of the task, and not those that configuration sources would create again.
        """
        return set(self.fetch(ci).users) - {own_name(ci)} - self.sources.list_users(ci)


def fetch(ci: CiService, name: str | None = None, *, predicts_database: bool = False) -> Accounts:
    """Return all accounts. Users without an account, such as the authors of commits, are omitted.

    :arg name: return only this user
    :arg predicts_database: whether a server with another user database has no accounts
    :raises ToolchainError: if the server does not use its own user database
    """
    listing = run_internal(ci, "list users", LIST_USERS, {"name": name}, read_only=True)
    if listing["users"] is None and not predicts_database:
        raise ToolchainError(
            f"Cannot manage users: Jenkins does not use its own user database. Its security realm is "
            f"{listing['realm']}. Manage the users there."
        )
    users = {user["name"].lower(): _to_user(user) for user in listing["users"] or ()}
    has_mailer = listing["mailer"] or "mailer" in ci.predicted_plugins
    return Accounts(users, has_mailer, listing["name_pattern"])


def change(ci: CiService, name: str, changes: Fields) -> None:
    """Change fields of a user: `full_name`, `description`, `email` or `password`. API tokens remain valid."""
    args = {"name": name, "changes": {field: value or "" for field, value in changes.items()}}
    run_internal(ci, "change a user", CHANGE_USER, args, read_only=False)


def own_name(ci: CiService) -> str | None:
    """Return the name of the account of the task in lower case, or `None` without a login."""
    return ci.account[0].lower() if ci.account else None


def uses_token(ci: CiService, user: Fields | None) -> bool:
    """Return whether the task logs in with an API token of a user."""
    secret = ci.account[1] if ci.account else ""
    return user is not None and hash_token(secret) in [token["hash"] for token in user["tokens"]]


def _to_user(user: Fields) -> Fields:
    texts = {name: user[name] or None for name in ("description", "email")}
    return {**user, **texts, "tokens": [parse_token(token) for token in user["tokens"]]}
