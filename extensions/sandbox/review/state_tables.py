# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the state in the control API."""

from __future__ import annotations

from ..runtime.state_tables import StateTables

_QUERIES = {
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
    "users": """
        SELECT name, CASE WHEN ltoken IS NULL THEN 'no' ELSE 'yes' END AS has_ltoken,
            (SELECT group_concat(group_name, ', ') FROM review_members WHERE user_name = name) AS groups
        FROM review_users ORDER BY name
    """,
    "groups": """
        SELECT name, (SELECT count(*) FROM review_members WHERE group_name = name) AS members
        FROM review_groups ORDER BY name
    """,
}
# The ID of a project with a status is `status/project`, because a status contains no slash.
_NESTED_QUERIES = {
    "builds": """
        SELECT build.name, strftime('%Y-%m-%dT%H:%M:%SZ', date / 1000, 'unixepoch') AS date,
            CASE WHEN keepit THEN 'yes' ELSE 'no' END AS kept
        FROM review_builds AS build JOIN review_projects AS project ON project.id = build.project
        WHERE project.name = :parent ORDER BY build.id DESC
    """,
    "issues_by_status": """
        SELECT status || '/' || project.name AS _id, status, count(*) AS issues
        FROM review_issues JOIN review_projects AS project ON project.id = review_issues.project
        WHERE project.name = :parent GROUP BY status ORDER BY status
    """,
    "issues": """
        SELECT review_issues.id, code, severity, file, line, owner
        FROM review_issues JOIN review_projects AS project ON project.id = review_issues.project
        WHERE project.name = substr(:parent, instr(:parent, '/') + 1)
            AND status = substr(:parent, 1, instr(:parent, '/') - 1)
        ORDER BY review_issues.id
    """,
    "modules": """
        SELECT module.name, (SELECT group_concat(value, ', ') FROM json_each(paths)) AS paths
        FROM review_modules AS module JOIN review_projects AS project ON project.id = module.project
        WHERE project.name = :parent ORDER BY module.name
    """,
    "assignments": """
        SELECT account, CASE WHEN is_group THEN 'group' ELSE 'user' END AS kind,
            CASE project WHEN '' THEN 'all projects' ELSE project END AS project
        FROM review_assignments WHERE role = :parent ORDER BY account
    """,
    "members": "SELECT user_name AS user FROM review_members WHERE group_name = :parent ORDER BY user_name",
}
STATE_TABLES = StateTables(
    _QUERIES,
    _NESTED_QUERIES,
    {
        "projects": ("builds", "issues_by_status", "modules"),
        "issues_by_status": ("issues",),
        "roles": ("assignments",),
        "groups": ("members",),
    },
)
