# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Users of Artifactory."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import (
    generation,
    memberships,
    own_account,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access.identity_fields import (
    INTERNAL_REALMS,
    USER_ROLES,
    IdentityFields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

ANONYMOUS = "anonymous"
FIELDS = IdentityFields(
    texts={"email": "email"},
    flags={
        "admin": "admin",
        "profile_updatable": "profileUpdatable",
        "disable_ui_access": "disableUIAccess",
        "internal_password_disabled": "internalPasswordDisabled",
    },
    roles=USER_ROLES,
)
# The users of a new server
_BUILT_IN = ("admin", ANONYMOUS)
LOCKED = "locked"
_STATE_MEMBERS = ("status", "realm", "effective_admin", "last_logged_in")
# Number of names from which on all users are listed instead of reading each
_MANY = 4


def find(artifact: ArtifactService, name: str) -> Fields | None:
    """Return a user, or `None` if it does not exist. Its groups are a sorted list.

    :arg name: name in lower case
    """
    response = generation.read_platform(artifact, f"/users{encode_path(name, option='name')}")
    if response is not None:
        return _parse_platform(response.record()) if response.status == 200 else None
    response = artifact.http.read("GET", generation.classic_address("users", name), accept=(200, 404))
    return _parse_classic(response.record()) if response.status == 200 else None


def list_names(artifact: ArtifactService, internal_only: bool = False) -> list[str]:
    """Return the names of all users, sorted.

    :arg internal_only: whether to leave out users of external directories
    """
    entries, member = generation.list_platform(artifact, "users"), "username"
    if entries is None:
        entries, member = artifact.http.read("GET", generation.classic_address("users")).records(), "name"
    return sorted({entry.text(member).lower() for entry in entries if not internal_only or _is_internal(entry)})


def list_deletable(task: Task, artifact: ArtifactService) -> list[str]:
    """Return the names of the users that may be deleted if they are not declared.

    :raises ToolchainError: if users would be deleted and the account of the task, which must be kept, is unknown
    """
    own = own_account.find(artifact)
    if own is None and task.params["undeclared"] == "remove":
        raise ToolchainError(
            "Undeclared users cannot be deleted: the name of the account of this task, which must be kept, is unknown. "
            "Use 'token', or 'username' and 'password'."
        )
    return [name for name in list_names(artifact, internal_only=True) if name not in (own, *_BUILT_IN)]


def find_missing(artifact: ArtifactService, names: t.Sequence[str]) -> list[str]:
    """Return the names that do not belong to a user."""
    if len(names) < _MANY:
        return [name for name in names if find(artifact, name) is None]
    existing = set(list_names(artifact))
    return [name for name in names if name not in existing]


def is_locked(artifact: ArtifactService, name: str) -> bool:
    """Return whether failed logins have locked a user. For servers that do not return the status of users."""
    locked = artifact.http.read("GET", generation.classic_address("lockedUsers")).json(list)
    return name in [str(entry).lower() for entry in locked]


def to_result(user: Fields) -> Fields:
    """Return a user as the module returns it, with all its members."""
    return {**to_options(user), **to_state(user)}


def to_options(user: Fields) -> Fields:
    """Return what the options of the module can set."""
    fields = {"name": user.get("name"), **{name: user.get(name) for name in FIELDS.names}}
    return {**fields, "email": user.get("email") or None, "groups": memberships.to_list(user.get("groups", []))}


def to_state(user: Fields) -> Fields:
    """Return what the options of the module cannot set."""
    return {name: user.get(name) for name in _STATE_MEMBERS}


def _is_internal(entry: Record) -> bool:
    return (entry.maybe_text("realm") or "").lower() in INTERNAL_REALMS


def _parse_platform(record: Record) -> Fields:
    return {
        "name": record.text("username").lower(),
        **FIELDS.parse_platform(record),
        "groups": sorted(set(record.maybe_texts("groups"))),
        "status": record.maybe_text("status"),
        "realm": record.maybe_text("realm"),
        "effective_admin": record.maybe_flag("effective_admin"),
        "last_logged_in": record.maybe_text("last_logged_in"),
    }


def _parse_classic(record: Record) -> Fields:
    return {
        "name": record.text("name").lower(),
        **FIELDS.parse_classic(record),
        "groups": sorted(set(record.maybe_texts("groups"))),
        "status": (record.maybe_text("status") or "").lower() or None,
        "realm": record.maybe_text("realm"),
        "effective_admin": None,
        "last_logged_in": record.maybe_text("lastLoggedIn"),
    }
