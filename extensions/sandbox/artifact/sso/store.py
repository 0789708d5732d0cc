# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of SAML settings, OIDC providers and their identity mappings."""

from __future__ import annotations

import json
from typing import Any

from ...runtime.runtime import Runtime

SCHEMA = """
CREATE TABLE artifact_saml_settings (name TEXT PRIMARY KEY, setting TEXT NOT NULL);
CREATE TABLE artifact_oidc_providers (name TEXT PRIMARY KEY, provider TEXT NOT NULL);
-- The project of a global mapping is empty
CREATE TABLE artifact_oidc_mappings (
    provider TEXT NOT NULL,
    name TEXT NOT NULL,
    project TEXT NOT NULL,
    mapping TEXT NOT NULL,
    PRIMARY KEY (provider, name)
);
"""
Members = dict[str, Any]


class SingleSignOn:
    """SAML settings, OIDC providers and identity mappings, as the API returns them."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the store."""
        self._db = runtime.db

    def list_saml(self) -> list[Members]:
        """Return the SAML settings, sorted by name."""
        rows = self._db.execute("SELECT setting FROM artifact_saml_settings ORDER BY name")
        return [json.loads(row["setting"]) for row in rows]

    def find_saml(self, name: str) -> Members | None:
        """Return a SAML setting."""
        row = self._db.execute("SELECT setting FROM artifact_saml_settings WHERE name = ?", (name,)).fetchone()
        return row and json.loads(row["setting"])

    def save_saml(self, setting: Members) -> None:
        """Create or replace a SAML setting."""
        values = (setting["name"], json.dumps(setting))
        self._db.execute("INSERT OR REPLACE INTO artifact_saml_settings VALUES (?, ?)", values)

    def delete_saml(self, name: str) -> None:
        """Delete a SAML setting."""
        self._db.execute("DELETE FROM artifact_saml_settings WHERE name = ?", (name,))

    def list_providers(self) -> list[Members]:
        """Return the OIDC providers, sorted by name."""
        rows = self._db.execute("SELECT provider FROM artifact_oidc_providers ORDER BY name")
        return [json.loads(row["provider"]) for row in rows]

    def find_provider(self, name: str) -> Members | None:
        """Return an OIDC provider."""
        row = self._db.execute("SELECT provider FROM artifact_oidc_providers WHERE name = ?", (name,)).fetchone()
        return row and json.loads(row["provider"])

    def save_provider(self, provider: Members) -> None:
        """Create or replace an OIDC provider."""
        values = (provider["name"], json.dumps(provider))
        self._db.execute("INSERT OR REPLACE INTO artifact_oidc_providers VALUES (?, ?)", values)

    def delete_provider(self, name: str) -> None:
        """Delete an OIDC provider with its mappings."""
        self._db.execute("DELETE FROM artifact_oidc_mappings WHERE provider = ?", (name,))
        self._db.execute("DELETE FROM artifact_oidc_providers WHERE name = ?", (name,))

    def list_mappings(self, provider: str, project: str | None = None) -> list[Members]:
        """Return the mappings of a provider, sorted by name.

        `project` selects those of a project, and the empty string global ones.
        """
        rows = self._db.execute(
            "SELECT mapping FROM artifact_oidc_mappings WHERE provider = ? AND project = coalesce(?, project)"
            " ORDER BY name",
            (provider, project),
        )
        return [json.loads(row["mapping"]) for row in rows]

    def find_mapping(self, provider: str, name: str) -> Members | None:
        """Return a mapping."""
        row = self._db.execute(
            "SELECT mapping FROM artifact_oidc_mappings WHERE provider = ? AND name = ?", (provider, name)
        ).fetchone()
        return row and json.loads(row["mapping"])

    def save_mapping(self, provider: str, mapping: Members) -> None:
        """Create or replace a mapping."""
        values = (provider, mapping["name"], mapping.get("project_key", ""), json.dumps(mapping))
        self._db.execute("INSERT OR REPLACE INTO artifact_oidc_mappings VALUES (?, ?, ?, ?)", values)

    def delete_mapping(self, provider: str, name: str) -> None:
        """Delete a mapping."""
        self._db.execute("DELETE FROM artifact_oidc_mappings WHERE provider = ? AND name = ?", (provider, name))
