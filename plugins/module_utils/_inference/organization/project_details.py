# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Functions that fetch the details of a project."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import listings, rate_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)

# Functions by detail. The string argument is the ID of the project
FETCHERS: dict[str, t.Callable[[AdminClient, str], t.Any]] = {
    "rate_limits": rate_limits.fetch_project_limits,
    "users": listings.list_users,
    "service_accounts": listings.list_service_accounts,
    "api_keys": listings.list_project_keys,
}
