# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Trial logins with a password or an API token."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import basic_auth
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def can_log_in(task: Task, ci: CiService, name: str, secret: str) -> bool:
    """Return whether a user can log in with a password or API token."""
    response = ci.view(
        "/whoAmI",
        "anonymous,name",
        accept=(200, 401),
        anonymous=True,
        headers=basic_auth(task, name, secret).headers,
        label=f"trial login of '{name}'",
    )
    if response.status != 200:
        return False
    account = response.record()
    return not account.flag("anonymous") and account.text("name").lower() == name.lower()
