# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries for the state overview, without secrets."""

from __future__ import annotations

SUMMARY = {
    "projects": """
        SELECT id, name, organization, CASE WHEN archived_at IS NULL THEN 'active' ELSE 'archived' END AS status
        FROM inference_projects ORDER BY rowid
    """,
    "models": "SELECT id, owned_by FROM inference_models ORDER BY id",
    "keys": """
        SELECT name,
            CASE WHEN key GLOB 'sk-admin-*' THEN 'admin' WHEN key GLOB 'sess-*' THEN 'session' ELSE 'secret' END
                AS class,
            coalesce(project, organization) AS belongs_to,
            strftime('%Y-%m-%dT%H:%M:%SZ', expires_at, 'unixepoch') AS expires
        FROM inference_keys ORDER BY rowid
    """,
}
