# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries for the overview of the state in the control API."""

from __future__ import annotations

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
    "builds": "SELECT name, count(*) AS runs FROM artifact_builds GROUP BY name ORDER BY name",
}
