# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The database schema of items, repositories and accounts."""

from __future__ import annotations

SCHEMA = """
CREATE TABLE artifact_items (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL,
    path TEXT NOT NULL,
    parent TEXT,
    name TEXT NOT NULL,
    folder INTEGER NOT NULL,
    created REAL NOT NULL,
    created_by TEXT,
    modified REAL NOT NULL,
    modified_by TEXT,
    updated REAL NOT NULL,
    properties_modified REAL,
    sha256 TEXT,
    sha1 TEXT,
    md5 TEXT,
    size INTEGER,
    client_sha256 TEXT,
    client_sha1 TEXT,
    client_md5 TEXT,
    -- Path and name as AQL returns them
    aql_path TEXT GENERATED ALWAYS AS (CASE WHEN coalesce(parent, '') = '' THEN '.' ELSE parent END) VIRTUAL,
    aql_name TEXT GENERATED ALWAYS AS (CASE WHEN path = '' THEN '.' ELSE name END) VIRTUAL,
    depth INTEGER GENERATED ALWAYS AS (
        CASE WHEN path = '' THEN 0 ELSE length(path) - length(replace(path, '/', '')) + 1 END
    ) VIRTUAL
);
CREATE UNIQUE INDEX artifact_items_path ON artifact_items (repo, path);
CREATE INDEX artifact_items_folder ON artifact_items (repo, aql_path, aql_name, folder);
-- The first serves sorted pages, the second unsorted queries in the order of creation
CREATE INDEX artifact_items_kind ON artifact_items (repo, folder, aql_path, aql_name);
CREATE INDEX artifact_items_repo ON artifact_items (repo, folder);
CREATE INDEX artifact_items_sha256 ON artifact_items (sha256);
CREATE INDEX artifact_items_sha1 ON artifact_items (sha1);
CREATE INDEX artifact_items_name ON artifact_items (aql_name);
CREATE INDEX artifact_items_manifests ON artifact_items (repo, parent)
    WHERE name IN ('manifest.json', 'list.manifest.json');
CREATE TABLE artifact_properties (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (item, name, value)
);
CREATE INDEX artifact_properties_value ON artifact_properties (name, value);
-- One row for each item, and one for each additional origin of remote downloads
CREATE TABLE artifact_statistics (
    item INTEGER NOT NULL,
    downloads INTEGER,
    downloaded REAL,
    downloaded_by TEXT,
    remote_downloads INTEGER,
    remote_downloaded REAL,
    remote_downloaded_by TEXT,
    remote_origin TEXT,
    remote_path TEXT
);
CREATE INDEX artifact_statistics_item ON artifact_statistics (item);
CREATE TABLE artifact_archives (sha1 TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE artifact_archive_entries (sha1 TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL);
CREATE INDEX artifact_archive_entries_archive ON artifact_archive_entries (sha1);
CREATE INDEX artifact_archive_entries_name ON artifact_archive_entries (name);
-- Contents that lost an item and may be unreferenced now
CREATE TABLE artifact_released (sha256 TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TRIGGER artifact_items_deleted AFTER DELETE ON artifact_items
BEGIN
    DELETE FROM artifact_properties WHERE item = OLD.id;
    DELETE FROM artifact_statistics WHERE item = OLD.id;
    INSERT OR IGNORE INTO artifact_released SELECT OLD.sha256 WHERE OLD.sha256 IS NOT NULL;
END;
CREATE TABLE artifact_repositories (key TEXT PRIMARY KEY, configuration TEXT NOT NULL);
-- The URL of a pull replication is empty
CREATE TABLE artifact_replications (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL,
    url TEXT NOT NULL,
    configuration TEXT NOT NULL,
    UNIQUE (repo, url)
);
CREATE TABLE artifact_webhooks (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, subscription TEXT NOT NULL);
CREATE TABLE artifact_certificates (
    alias TEXT PRIMARY KEY,
    issued_to TEXT NOT NULL,
    issued_by TEXT NOT NULL,
    issued_on REAL NOT NULL,
    valid_until REAL NOT NULL,
    fingerprint TEXT NOT NULL
);
CREATE TABLE artifact_users (
    name TEXT PRIMARY KEY,
    password TEXT,
    api_key TEXT,
    admin INTEGER NOT NULL,
    locked INTEGER NOT NULL,
    groups TEXT NOT NULL,
    permissions TEXT NOT NULL,
    about TEXT NOT NULL
);
CREATE INDEX artifact_users_api_key ON artifact_users (api_key);
CREATE TABLE artifact_groups (name TEXT PRIMARY KEY, permissions TEXT NOT NULL, about TEXT NOT NULL);
CREATE TABLE artifact_tokens (token_id TEXT PRIMARY KEY, claims TEXT NOT NULL, last_used INTEGER);
CREATE TABLE artifact_token_secrets (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    token_id TEXT NOT NULL,
    claims TEXT NOT NULL
);
CREATE TABLE artifact_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
