# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the state in the control API."""

from __future__ import annotations

import sqlite3
from typing import Any

from ..runtime.state_tables import Query, StateTables
from .credentials import stores
from .storage import Storage


def _list_credentials(db: sqlite3.Connection) -> list[dict[str, Any]]:
    """Return the credentials of all stores, without their secrets."""
    storage = Storage(db)
    folders = [job.name for job in storage.all_jobs() if f"<{stores.FOLDER_PROPERTY}" in job.config]
    all_stores = {
        "Jenkins": stores.system_store(storage),
        **{f"user {user.name}": stores.user_store(storage, user.name) for user in storage.users()},
        **{f"folder {folder}": stores.folder_store(storage, folder) for folder in folders},
    }
    return [
        {
            "id": credential.findtext("id"),
            "type": credential.tag.rpartition(".")[2],
            "store": name,
            "domain": domain.name or "global",
            "description": credential.findtext("description"),
        }
        for name, store in all_stores.items()
        for domain in store.domains()
        for credential in domain.credentials
    ]


_QUERIES: dict[str, Query] = {
    "jobs": """
        SELECT name, max(number) AS last_build,
            CASE WHEN finished THEN json_extract(data, '$.outcome') WHEN number THEN 'running' END AS result,
            CASE WHEN number THEN 'builds' ELSE '' END AS _nested
        FROM ci_jobs LEFT JOIN ci_builds ON job = name
        GROUP BY name ORDER BY name
    """,
    "queue": """
        SELECT id, job,
            strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(data, '$.since'), 'unixepoch') AS waits_since,
            strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(data, '$.due'), 'unixepoch') AS not_before
        FROM ci_items WHERE NOT gone ORDER BY id
    """,
    "nodes": """
        SELECT json_extract(agent.value, '$.name') AS name,
            CASE WHEN json_extract(agent.value, '$.connected') THEN 'yes' ELSE 'no' END AS connected
        FROM ci_settings, json_each(ci_settings.value) AS agent WHERE ci_settings.name = 'agents'
    """,
    "credentials": _list_credentials,
    "users": """
        SELECT name, json_extract(data, '$.full_name') AS full_name,
            json_array_length(data, '$.tokens') AS api_tokens,
            (SELECT group_concat(value, ', ') FROM json_each(data, '$.permissions')) AS permissions
        FROM ci_users ORDER BY rowid
    """,
    "plugins": """
        SELECT name, json_extract(data, '$.version') AS version,
            CASE WHEN coalesce(json_extract(data, '$.enabled'), 1) THEN 'yes' ELSE 'no' END AS enabled
        FROM ci_plugins ORDER BY name
    """,
}
_NESTED_QUERIES = {
    "builds": """
        SELECT number,
            CASE WHEN finished THEN json_extract(data, '$.outcome') ELSE 'running' END AS result,
            strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(data, '$.started'), 'unixepoch') AS started,
            round(json_extract(data, '$.ends') - json_extract(data, '$.started'), 1) AS seconds,
            json_extract(data, '$.description') AS description
        FROM ci_builds WHERE job = :parent ORDER BY number DESC
    """,
}
STATE_TABLES = StateTables(_QUERIES, _NESTED_QUERIES, {"jobs": ("builds",)})
