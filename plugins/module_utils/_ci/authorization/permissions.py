# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names and IDs of permissions, such as `Job/Read` and `hudson.model.Item.Read`."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
    join_names,
)

ADMINISTER = "Overall/Administer"
_CREDENTIALS = "com.cloudbees.plugins.credentials.CredentialsProvider"
# Permissions that most servers have, by group, class and names. Others are requested from the server
_COMMON = {
    ("Overall", "hudson.model.Hudson"): "Administer Manage Read SystemRead",
    ("Agent", "hudson.model.Computer"): "Build Configure Connect Create Delete Disconnect ExtendedRead Provision",
    ("Credentials", _CREDENTIALS): "Create Delete ManageDomains Update View",
    ("Job", "hudson.model.Item"): (
        "Build Cancel Configure Create Delete Discover ExtendedRead Move Read WipeOut Workspace"
    ),
    ("Run", "hudson.model.Run"): "Artifacts Delete Replay Update",
    ("View", "hudson.model.View"): "Configure Create Delete Read",
    ("SCM", "hudson.scm.SCM"): "Tag",
}
IDS = {
    f"{group}/{name}": f"{class_name}.{name}"
    for (group, class_name), names in _COMMON.items()
    for name in names.split()
}
# Permissions that do not apply to the object that has a matrix, by the beginnings of their names. The scope of each is
# in its class (hudson.security.PermissionScope), and the scope of the object in its property of matrix-auth
_INAPPLICABLE = {
    "job": ("Agent/", "Overall/", "View/", "Job/Create"),
    "folder": ("Agent/", "Overall/"),
    "node": ("Agent/Create", "Agent/Provision"),
}
_NAMES = {identifier: name for name, identifier in IDS.items()}
_SCRIPT_NAME = "list permissions"
_SCRIPT = """\
hudson.security.PermissionGroup.all.collectMany { group ->
    group.permissions.collect { [it.id, group.title.toString(Locale.US) + '/' + it.name] }
}
"""


def applies(permission: str, kind: str) -> bool:
    """Return whether a permission applies to a kind of objects, as far as it is known.

    :arg permission: its name or ID
    :arg kind: `folder`, `job` or `node`
    """
    name = find_common_name(permission)
    is_of_others = kind == "node" and "/" in name and not name.startswith("Agent/")
    return not is_of_others and not name.startswith(_INAPPLICABLE[kind])


def find_common_name(permission: str) -> str:
    """Return the name of a permission that most servers have. Another one is returned as it is."""
    return _NAMES.get(permission, permission)


class Permissions:
    """The permissions of a server. The items of a task request them at most once.

    :arg shared: values that the items of a task share
    """

    def __init__(self, ci: CiService, shared: SharedValues) -> None:
        self._ci, self._shared = ci, shared

    def to_name(self, permission: str) -> str:
        """Return the name of a permission that is given by its name or ID. An unknown one is returned as it is."""
        name = find_common_name(permission)
        return name if name in IDS else self._names_by_id.get(name, name)

    def to_id(self, name: str) -> str:
        """Return the ID of a permission. If it is not known, return the name, which the server accepts as well."""
        return IDS.get(name) or next(
            (identifier for identifier, other in self._names_by_id.items() if other == name), name
        )

    def check_known(self, names: t.Iterable[str]) -> None:
        """Refuse unknown permissions, which Jenkins ignores without an error.

        Accounts without the permission Overall/Administer may not list the permissions of the server. For them, the
        read-back after the write decides. Plugins that check mode predicts can provide any permission.

        :raises ToolchainError: if a permission is unknown
        """
        if self._ci.predicted_plugins:
            return
        known = set(self._names_by_id.values())
        unknown = sorted(set(names) - known) if known else []
        if unknown:
            raise ToolchainError(
                f"Cannot grant permissions: Jenkins does not have {join_names(unknown)}. Check the names, such as "
                "Job/Read, and whether the plugin that provides the permission is installed."
            )

    @property
    def _names_by_id(self) -> dict[str, str]:
        return self._shared.get("permissions", self._fetch_names)

    def _fetch_names(self) -> dict[str, str]:
        """Return the names by ID; empty if the account may not read them."""
        try:
            return dict(run_internal(self._ci, _SCRIPT_NAME, _SCRIPT, read_only=True))
        except ServerRefusal as refusal:
            if refusal.status != 403:
                raise
            return {}
