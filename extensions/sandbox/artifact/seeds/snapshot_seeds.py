# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a snapshot says of this service, as seeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...seeds.snapshot import SnapshotDirectory
from ..repositories.repositories import CONFIGURATION, KINDS
from .bulk_insert import STATISTICS
from .seed import BUILD_RECORD, MODULE

ITEMS_AT_ONCE = 5000
# Who the sandbox lets in besides the accounts that tokens tell of
ADMIN = "snapshot-admin"
UNKNOWN = "https://unknown.invalid"
AS_THEY_ARE = ("created", "created_by", "modified", "modified_by", "updated", "sha256", "original_sha1", "original_md5")


def parts(folder: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """What is small, then the items, so many at once."""
    tokens = folder.manifest["tokens"]
    yield {
        "users": [_user(folder, name) for name in sorted({_account(token) for token in tokens} - {ADMIN})]
        + [{**_user(folder, ADMIN), "admin": True}],
        "tokens": [_token(folder, token) for token in tokens] + [_own_token(folder)],
        "repositories": [_repository(found) for found in folder.manifest["repositories"] if found["type"] in KINDS],
        "builds": [_build(record) for record in folder.manifest["builds"]],
    }
    rows = folder.read_records("items")
    while batch := [_item(row) for row in itertools.islice(rows, ITEMS_AT_ONCE)]:
        yield {"items": batch}


def _user(folder: SnapshotDirectory, name: str) -> dict[str, Any]:
    return {"name": name, "password": folder.derive_secret(f"artifact user {name}")}


def _account(token: dict[str, Any]) -> str:
    return str(token["username"] or (token["subject"] or "unknown").rpartition("/")[2])


def _token(folder: SnapshotDirectory, token: dict[str, Any]) -> dict[str, Any]:
    told = {name: token[name] for name in ("token_id", "scope", "description") if token[name] is not None}
    return {
        **told,
        "token": folder.derive_secret(f"artifact token {token['token_id']}"),
        "username": _account(token),
        "issued_at": token["issued_at"],
        "expiry": token["expiry"],
        "refreshable": token["refreshable"],
    }


def _own_token(folder: SnapshotDirectory) -> dict[str, Any]:
    return {
        "token": folder.derive_secret("artifact token"),
        "username": ADMIN,
        "scope": "applied-permissions/admin",
        "description": "of the snapshot, not of the server",
        "exported": True,
    }


def _repository(found: dict[str, Any]) -> dict[str, Any]:
    settings = found["settings"] or {}
    known = {name: settings[name] for name in CONFIGURATION if settings.get(name) is not None}
    told = {"description": found["description"], "packageType": found["package_type"]}
    address = {"url": found["url"] or UNKNOWN} if found["type"] == "remote" else {}
    return {**told, **known, **address, "key": found["key"], "rclass": found["type"]}


def _item(row: dict[str, Any]) -> dict[str, Any]:
    folder = row["type"] == "folder"
    properties: dict[str, list[str]] = {}
    for pair in row.get("properties", ()):
        properties.setdefault(pair["key"], []).append(pair.get("value", ""))
    counted = ({name: stat[name] for name in STATISTICS if name in stat} for stat in row.get("stats", ()))
    return {
        **{name: row[name] for name in AS_THEY_ARE if name in row},
        **{name: row[f"actual_{name}"] for name in ("sha1", "md5") if f"actual_{name}" in row},
        **({"folder": True} if folder else {"size": row["size"]}),
        "repo": row["repo"],
        "path": "/".join(part for part in (row["path"], row["name"]) if part != "."),
        "properties": properties,
        "statistics": [stat for stat in counted if stat.get("downloads") or stat.get("remote_downloads")],
    }


def _build(record: dict[str, Any]) -> dict[str, Any]:
    told = {name: record[name] for name in BUILD_RECORD.split() if name in record}
    if record.get("modules"):
        told["modules"] = [{name: m[name] for name in MODULE.split() if name in m} for m in record["modules"]]
    return {**told, "promotions": [_promotion(status) for status in record.get("statuses", ())]}


def _promotion(status: dict[str, Any]) -> dict[str, Any]:
    told = {
        "status": status["status"],
        "created": status.get("timestamp"),
        "created_by": status.get("user"),
        "repo": status.get("repository"),
        "comment": status.get("comment"),
        "ci_user": status.get("ciUser"),
    }
    return {name: value for name, value in told.items() if value is not None}
