# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries for the state overview."""

from __future__ import annotations

SUMMARY = {
    "jobs": """
        SELECT name, max(number) AS last_build,
            CASE WHEN finished THEN json_extract(data, '$.outcome') WHEN number THEN 'running' END AS result
        FROM ci_jobs LEFT JOIN ci_builds ON job = name
        GROUP BY name ORDER BY name
    """,
    "queue": """
        SELECT id, job,
            strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(data, '$.since'), 'unixepoch') AS waits_since,
            strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(data, '$.due'), 'unixepoch') AS not_before
        FROM ci_items WHERE NOT gone ORDER BY id
    """,
}
