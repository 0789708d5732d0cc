# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of users and groups, by the names of the Access API."""

from __future__ import annotations

from typing import Any

from ..call import Call
from ..protocol import feature_versions

REALM = "internal"
ENABLED, LOCKED = "enabled", "locked"
USER_DEFAULTS: dict[str, Any] = {
    "email": None,
    "admin": False,
    "profile_updatable": True,
    "disable_ui_access": False,
    "internal_password_disabled": False,
}
GROUP_DEFAULTS: dict[str, Any] = {
    "description": None,
    "external_id": None,
    "auto_join": False,
    "admin_privileges": False,
}
# Roles on the platform, with the versions that introduced them.
_ROLES = dict.fromkeys(
    ("watch_manager", "policy_viewer", "policy_manager", "reports_manager", "manage_webhook"),
    feature_versions.PLATFORM_ROLES,
)
USER_ROLES = {
    **_ROLES,
    "resources_manager": feature_versions.PLATFORM_ROLES,
    "platform_auditor": feature_versions.PLATFORM_AUDITORS,
}
GROUP_ROLES = {**_ROLES, "manage_resources": feature_versions.PLATFORM_ROLES}
# Fields that only seeds can set.
SEED_USER_FIELDS = (*USER_DEFAULTS, *USER_ROLES, "status", "realm", "last_logged_in")
SEED_GROUP_FIELDS = (*GROUP_DEFAULTS, *GROUP_ROLES, "realm", "realm_attributes")


def supported_user_fields(call: Call) -> dict[str, Any]:
    """Return the fields of a user in the emulated version, with their defaults."""
    return {**USER_DEFAULTS, **_supported_roles(call, USER_ROLES)}


def supported_group_fields(call: Call) -> dict[str, Any]:
    """Return the fields of a group in the emulated version, with their defaults."""
    return {**GROUP_DEFAULTS, **_supported_roles(call, GROUP_ROLES)}


def select_seed_fields(entry: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a user or group in a seed that are stored together."""
    return {name: entry[name] for name in names if name != "admin" and name in entry}


def _supported_roles(call: Call, roles: dict[str, str]) -> dict[str, Any]:
    return {name: False for name, version in roles.items() if call.supports(version)}
