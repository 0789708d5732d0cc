# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from changes of security settings in the central configuration."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import own_account, realm_lockout
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Realms of the accounts that log in with an identity provider, by the member of `security`
_REALMS = {
    "ldapSettings": "ldap",
    "ldapGroupSettings": "ldap",
    "samlSettings": "saml",
    "oauthSettings": "oauth",
    "crowdSettings": "crowd",
    "httpSsoSettings": "sso",
}
_SWITCHES = ("enabled", "enableIntegration", "httpSsoProxied")
_EMPTY: tuple[t.Any, ...] = (None, "", [], {})


def check(artifact: ArtifactService, current: Fields, changes: Fields) -> None:
    """Refuse changes after which the account of the task could not log in.

    :arg current: the whole configuration
    :arg changes: the members that change; `None` for one that is deleted
    :raises ToolchainError: if the change is refused
    """
    if "security" not in changes:
        return
    before, after = _to_dict(current.get("security")), changes["security"]
    if artifact.own_user is not None and isinstance(after, dict):
        _check_basic_auth(artifact, before, after)
    for member, realm in _REALMS.items():
        change = after.get(member, {}) if isinstance(after, dict) else after
        if _closes(before.get(member), change):
            realm_lockout.check(artifact, realm)


def _check_basic_auth(artifact: ArtifactService, before: Fields, after: Fields) -> None:
    """Refuse changes after which the server would not accept the user name and password of the task."""
    if _is_switched_off(before, after, "basicAuthEnabled"):
        raise own_account.lockout_error(artifact, "it could not log in with its user name and password")
    if artifact.own_token is not None:
        return
    old, new = _to_dict(before.get("passwordSettings")), _to_dict(after.get("passwordSettings"))
    if str(new.get("encryptionPolicy")).casefold() == "required":
        raise own_account.lockout_error(artifact, "the server would accept only its encrypted password")
    old_policy, new_policy = _to_dict(old.get("expirationPolicy")), _to_dict(new.get("expirationPolicy"))
    if _is_true({**old_policy, **new_policy}.get("enabled")) and new_policy.keys() & {"enabled", "passwordMaxAge"}:
        raise own_account.lockout_error(artifact, "its password may be older than the server would allow")


def _closes(before: t.Any, after: t.Any) -> bool:
    """Return whether a change disables or deletes an identity provider or one of its settings."""
    if before in _EMPTY or (after is not None and not isinstance(after, dict)):
        return False
    if after is None or not isinstance(before, dict):
        return after is None
    return any(
        _closes(before.get(name), value) or (name in _SWITCHES and _is_switched_off(before, after, name))
        for name, value in after.items()
    )


def _is_switched_off(before: Fields, after: Fields, name: str) -> bool:
    return name in after and not _is_true(after[name]) and _is_true(before.get(name, True))


def _is_true(value: t.Any) -> bool:
    return str(value).casefold() == "true"


def _to_dict(value: t.Any) -> Fields:
    return value if isinstance(value, dict) else {}
