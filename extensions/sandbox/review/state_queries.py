# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries for the control path `state`."""

from __future__ import annotations

STATE_QUERIES = {
    "projects": """
        SELECT name,
            (SELECT count(*) FROM review_builds WHERE project = review_projects.id) AS builds,
            (SELECT count(*) FROM review_issues WHERE project = review_projects.id) AS issues
        FROM review_projects ORDER BY name
    """,
    "roles": """
        SELECT name, (SELECT count(*) FROM review_assignments WHERE role = name) AS assignments
        FROM review_roles ORDER BY name
    """,
}
