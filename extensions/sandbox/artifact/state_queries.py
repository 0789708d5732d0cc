# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries for the overview of the state in the control API."""

from __future__ import annotations

# The names in a member of a permission, for all resource types.
_NAMES = """
    SELECT DISTINCT entry.key AS name
    FROM json_each(resources) AS resource, json_each(resource.value, '$.{path}') AS entry
"""
STATE_QUERIES = {
    "repositories": """
        SELECT key,
            json_extract(configuration, '$.rclass') AS class,
            json_extract(configuration, '$.packageType') AS package_type,
            coalesce(files, 0) AS files
        FROM artifact_repositories LEFT JOIN (
            SELECT repo, count(*) AS files FROM artifact_items WHERE NOT folder GROUP BY repo
        ) ON repo = CASE json_extract(configuration, '$.rclass') WHEN 'remote' THEN key || '-cache' ELSE key END
        ORDER BY key
    """,
    "users": """
        SELECT name,
            CASE WHEN admin THEN 'yes' ELSE 'no' END AS admin,
            CASE WHEN locked THEN 'yes' ELSE 'no' END AS locked,
            (SELECT group_concat(value, ', ') FROM json_each(artifact_users.groups)) AS groups
        FROM artifact_users ORDER BY name
    """,
    "groups": """
        SELECT name,
            CASE WHEN json_extract(about, '$.admin_privileges') THEN 'yes' ELSE 'no' END AS admin,
            CASE WHEN json_extract(about, '$.auto_join') THEN 'yes' ELSE 'no' END AS auto_join,
            coalesce(members, 0) AS members
        FROM artifact_groups LEFT JOIN (
            SELECT value AS member_of, count(*) AS members
            FROM artifact_users, json_each(artifact_users.groups) GROUP BY value
        ) ON member_of = name
        ORDER BY name
    """,
    "permissions": f"""
        SELECT name,
            (SELECT group_concat(name, ', ') FROM ({_NAMES.format(path="targets")})) AS targets,
            (SELECT count(*) FROM ({_NAMES.format(path="actions.users")})) AS users,
            (SELECT count(*) FROM ({_NAMES.format(path="actions.groups")})) AS groups
        FROM artifact_permissions ORDER BY name
    """,
    "projects": """
        SELECT key,
            json_extract(project, '$.display_name') AS display_name,
            (SELECT count(*) FROM artifact_project_members WHERE project = key) AS members,
            (
                SELECT count(*) FROM artifact_repositories
                WHERE json_extract(configuration, '$.projectKey') = artifact_projects.key
            ) AS repositories
        FROM artifact_projects ORDER BY key
    """,
    "replications": """
        SELECT repo AS repository,
            CASE WHEN url = '' THEN 'pull' ELSE 'push' END AS type,
            CASE WHEN json_extract(configuration, '$.enabled') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(configuration, '$.cronExp') AS schedule
        FROM artifact_replications ORDER BY repo, id
    """,
    "webhooks": """
        SELECT key,
            CASE WHEN json_extract(subscription, '$.enabled') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(subscription, '$.event_filter.domain') AS domain,
            json_array_length(subscription, '$.handlers') AS handlers
        FROM artifact_webhooks ORDER BY id
    """,
    "builds": "SELECT name, count(*) AS runs FROM artifact_builds GROUP BY name ORDER BY name",
}
