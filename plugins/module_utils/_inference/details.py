# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be told of a project besides the project itself."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import members, rate_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin

# By its name; each takes the id of the project
DETAILS: dict[str, t.Callable[[Admin, str], t.Any]] = {
    "rate_limits": rate_limits.of_project,
    "users": members.users,
    "service_accounts": members.service_accounts,
    "api_keys": members.project_keys,
}
