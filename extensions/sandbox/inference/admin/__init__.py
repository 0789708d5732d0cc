# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Administrative calls: organization, users, projects and keys."""

from __future__ import annotations

from . import (
    admin_keys,
    certificates,
    groups,
    invites,
    members,
    project_keys,
    project_limits,
    projects,
    role_assignments,
    roles,
    service_accounts,
    settings,
    spending,
    usage,
    users,
)

ROUTES = (
    *users.ROUTES,
    *invites.ROUTES,
    *projects.ROUTES,
    *members.ROUTES,
    *service_accounts.ROUTES,
    *project_keys.ROUTES,
    *project_limits.ROUTES,
    *admin_keys.ROUTES,
    *usage.ROUTES,
    *groups.ROUTES,
    *roles.ROUTES,
    *role_assignments.ROUTES,
    *settings.ROUTES,
    *spending.ROUTES,
    *certificates.ROUTES,
)
