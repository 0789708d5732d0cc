# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Script of the modules that lists the plugins of the authorization strategy and the security realm."""

from __future__ import annotations

from ..access import accounts
from ..authorization.strategies import GLOBAL_MATRIX, PROJECT_MATRIX, ROLES, SEEDED, load_strategy
from ..call import Call
from ..scripts.known_scripts import Arguments, known_script

_STRATEGIES = {**dict.fromkeys((SEEDED, GLOBAL_MATRIX, PROJECT_MATRIX), "matrix-auth"), ROLES: "role-strategy"}
_REALMS = {"hudson.security.LDAPSecurityRealm": "ldap"}


@known_script("list plugins of the security settings", read_only=True)
def _list_providers(call: Call, _arguments: Arguments) -> list[str]:
    providers = [
        _STRATEGIES.get(load_strategy(call.storage).kind),
        _REALMS.get(accounts.find_realm(call.controller)),
    ]
    return [name for name in providers if name]
