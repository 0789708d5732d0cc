# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Protection of the account of the task from losing its administrator permission, which no request can restore."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import ADMINISTER
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


def check(ci: CiService, after: Fields) -> None:
    """Refuse a strategy in which the account of the task is not an administrator.

    :arg after: the strategy after the change
    :raises ToolchainError: if the account would lose the permission, or if it is unknown
    """
    account = server.fetch_user(ci)
    if account is None or account["anonymous"]:
        raise ToolchainError(
            "Cannot verify that the account of this task keeps Overall/Administer: the server does not name it. "
            "Set 'username', or 'allow_lockout: true' to allow the change."
        )
    names = {account["name"], *account["authorities"]}
    kinds = {"users": {account["name"]}, "groups": set(account["authorities"]), "users_or_groups": names}
    if not any(names & kinds[kind] for kind, names in _list_administrators(after)):
        raise ToolchainError(
            f"The change would lock out '{account['name']}', the account of this task: it would lose "
            "Overall/Administer. Grant this permission to it, or set 'allow_lockout: true' to allow the change."
        )


def _list_administrators(strategy: Fields) -> t.Iterator[tuple[str, set[str]]]:
    """Yield the holders of Overall/Administer with their kind."""
    for kind in ("users", "groups", "users_or_groups"):
        yield kind, {name for name, permissions in strategy.get(kind, {}).items() if ADMINISTER in permissions}
        for role in strategy.get("roles", {}).get("global", {}).values():
            if ADMINISTER in role.get("permissions", ()):
                yield kind, set(role.get(kind, ()))
