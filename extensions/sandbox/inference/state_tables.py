# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the state in the control API."""

from __future__ import annotations

from ..runtime.state_tables import StateTables

_KEY_COLUMNS = """
    name,
    CASE WHEN key GLOB 'sk-admin-*' THEN 'admin' WHEN key GLOB 'sess-*' THEN 'session' ELSE 'secret' END AS class,
    coalesce(project, organization) AS belongs_to,
    strftime('%Y-%m-%dT%H:%M:%SZ', expires_at, 'unixepoch') AS expires
"""
_QUERIES = {
    "projects": """
        SELECT id, name, organization, CASE WHEN archived_at IS NULL THEN 'active' ELSE 'archived' END AS status
        FROM inference_projects ORDER BY rowid
    """,
    "models": "SELECT id, owned_by FROM inference_models ORDER BY id",
    "keys": f"SELECT {_KEY_COLUMNS} FROM inference_keys ORDER BY rowid",
    "users": "SELECT id, email, name, organization, role FROM inference_users ORDER BY rowid",
    "invites": """
        SELECT id, email, role, CASE WHEN accepted_at IS NULL THEN 'open' ELSE 'accepted' END AS status
        FROM inference_invites ORDER BY rowid
    """,
}
_NESTED_QUERIES = {
    "members": """
        SELECT member.id, email, member.role
        FROM inference_members AS member LEFT JOIN inference_users AS user ON user.id = member.id
        WHERE project = :parent ORDER BY member.rowid
    """,
    "service_accounts": "SELECT id, name, role FROM inference_service_accounts WHERE project = :parent ORDER BY rowid",
    "project_keys": f"SELECT {_KEY_COLUMNS} FROM inference_keys WHERE project = :parent ORDER BY rowid",
    "limits": "SELECT id AS model, name, value FROM inference_project_limits WHERE project = :parent ORDER BY id, name",
}
STATE_TABLES = StateTables(
    _QUERIES, _NESTED_QUERIES, {"projects": ("members", "service_accounts", "project_keys", "limits")}
)
