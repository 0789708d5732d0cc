# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of a snapshot into seeds."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from typing import Any

from ...seeds.snapshot import SnapshotDirectory
from ..identities.fields import SEED_GROUP_FIELDS, SEED_USER_FIELDS
from ..repositories.repositories import CLASS_LABELS, CONFIGURATION_FIELDS
from .bulk_insert import STATISTICS
from .seed import BUILD_FIELDS, MODULE_FIELDS
from .snapshot_administration import (
    UNKNOWN,
    convert_configuration,
    iterate_cleanup_policies,
    iterate_projects,
    iterate_replications,
    iterate_webhooks,
    list_environments,
    list_member_names,
    list_pull_replications,
)
from .snapshot_security import (
    UNKNOWN_URL,
    iterate_certificates,
    iterate_keypairs,
    iterate_oidc_providers,
    iterate_saml_settings,
    iterate_trusted_keys,
)

BATCH_SIZE = 5000
VERSION = re.compile(r"\d+(\.\d+)+")
# The administrator that is added to the accounts of the snapshot's tokens.
ADMIN = "snapshot-admin"
# Types of permissions in the manifest and in seeds.
RESOURCE_TYPES = {
    "repositories": "artifact",
    "builds": "build",
    "release_bundles": "release_bundle",
    "destinations": "destination",
    "pipeline_sources": "pipeline_source",
}
# Editions of the licenses in the manifest, from the highest, with the values of the switch
EDITIONS = {"enterprise": "enterprise", "pro": "pro", "open_source": "oss"}
USER_FIELDS = (*SEED_USER_FIELDS, "groups", "locked")
COPIED_FIELDS = (
    "created",
    "created_by",
    "modified",
    "modified_by",
    "updated",
    "sha256",
    "original_sha1",
    "original_md5",
)


def iterate_seeds(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield a seed without items, then seeds with batches of items."""
    manifest, tokens = snapshot.manifest, snapshot.manifest["tokens"]
    repositories = list(_convert_repositories(snapshot))
    keys = {repository["key"] for repository in repositories}
    storing = {repository["key"] for repository in repositories if repository["rclass"] in ("local", "federated")}
    configuration = convert_configuration(snapshot, keys)
    yield {
        **_convert_server(manifest.get("server") or {}, manifest.get("licenses", ())),
        "groups": list(_convert_groups(snapshot)),
        "users": [*_convert_users(snapshot), {**_create_user(snapshot, ADMIN), "admin": True}],
        "permissions": [_convert_permission(permission) for permission in manifest.get("permissions", ())],
        "tokens": [_convert_token(snapshot, token) for token in tokens] + [_create_admin_token(snapshot)],
        "repositories": repositories,
        "environments": list_environments(snapshot),
        "projects": list(iterate_projects(snapshot)),
        **({"configuration": configuration} if configuration else {}),
        "replications": list(iterate_replications(snapshot, keys)),
        "cleanup_policies": list(iterate_cleanup_policies(snapshot, storing)),
        "webhooks": list(iterate_webhooks(snapshot)),
        "certificates": list(iterate_certificates(snapshot)),
        "keypairs": list(iterate_keypairs(snapshot)),
        "trusted_keys": list(iterate_trusted_keys(snapshot)),
        "saml_settings": list(iterate_saml_settings(snapshot)),
        "oidc_providers": list(iterate_oidc_providers(snapshot)),
        "builds": [_convert_build(record) for record in manifest["builds"]],
    }
    rows = snapshot.read_records("items")
    while batch := [_convert_item(row) for row in itertools.islice(rows, BATCH_SIZE)]:
        yield {"items": batch}


def _convert_server(server: dict[str, Any], licenses: Collection[dict[str, Any]]) -> dict[str, Any]:
    """Return the version and, if the server reports it, the edition."""
    version = {"version": server["version"]} if VERSION.fullmatch(server.get("version", "")) else {}
    edition = _find_edition(licenses) or ("oss" if server.get("open_source") else None)
    return {**version, "edition": edition} if edition else version


def _find_edition(licenses: Collection[dict[str, Any]]) -> str | None:
    """Return the highest edition of the valid licenses, or of all if none is valid.

    A license whose type does not show its edition, such as a trial, may be of the highest one.
    """
    valid = [entry for entry in licenses if not entry["expired"]] or licenses
    found = {entry["edition"] or "enterprise" for entry in valid}
    return next((edition for name, edition in EDITIONS.items() if name in found), None)


def _convert_users(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the users, and the subjects of tokens and members of projects that are not among them."""
    users = {user["name"]: user for user in snapshot.manifest.get("users", ())}
    subjects = {_account_name(token) for token in snapshot.manifest["tokens"]}
    for name in sorted({*users, *subjects, *list_member_names(snapshot, "user")} - {ADMIN}):
        state = snapshot.manifest.get("user_states", {}).get(name, {})
        fields = {"realm": state.get("realm"), "last_logged_in": state.get("last_logged_in")}
        fields |= {"locked": True} if state.get("status") == "locked" else {"status": state.get("status")}
        settings = {
            field: value
            for field, value in {**fields, **users.get(name, {})}.items()
            if field in USER_FIELDS and value is not None
        }
        yield {**settings, **_create_user(snapshot, name)}


def _create_user(snapshot: SnapshotDirectory, name: str) -> dict[str, Any]:
    return {"name": name, "password": snapshot.derive_secret(f"artifact user {name}")}


def _convert_groups(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the groups, and the members of projects that are not among them."""
    groups = snapshot.manifest.get("groups", ())
    yield from (_convert_group(group, snapshot.manifest["group_states"]) for group in groups)
    for name in sorted(list_member_names(snapshot, "group") - {group["name"] for group in groups}):
        yield {"name": name}


def _convert_group(group: dict[str, Any], states: dict[str, Any]) -> dict[str, Any]:
    fields = {**states.get(group["name"], {}), **group, "manage_resources": group["resources_manager"]}
    settings = {field: fields[field] for field in SEED_GROUP_FIELDS if fields.get(field) not in (None, "")}
    return {"name": group["name"], **settings}


def _convert_permission(permission: dict[str, Any]) -> dict[str, Any]:
    sections = {name: permission[kind] for kind, name in RESOURCE_TYPES.items() if permission.get(kind)}
    resources = {
        name: {
            "actions": {principals: _convert_actions(section[principals]) for principals in ("users", "groups")},
            "targets": section["targets"],
        }
        for name, section in sections.items()
    }
    return {"name": permission["name"], "resources": resources}


def _convert_actions(principals: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: [action.upper() for action in actions] for name, actions in principals.items()}


def _account_name(token: dict[str, Any]) -> str:
    return str(token["username"] or (token["subject"] or "unknown").rpartition("/")[2])


def _convert_token(snapshot: SnapshotDirectory, token: dict[str, Any]) -> dict[str, Any]:
    fields = {name: token[name] for name in ("token_id", "scope", "description") if token[name] is not None}
    return {
        **fields,
        "token": snapshot.derive_secret(f"artifact token {token['token_id']}"),
        "username": _account_name(token),
        "issued_at": token["issued_at"],
        "expiry": token["expiry"],
        "refreshable": token["refreshable"],
    }


def _create_admin_token(snapshot: SnapshotDirectory) -> dict[str, Any]:
    return {
        "token": snapshot.derive_secret("artifact token"),
        "username": ADMIN,
        "scope": "applied-permissions/admin",
        "description": "of the snapshot, not of the server",
        "exported": True,
    }


def _convert_repositories(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    sharing, replicated = snapshot.manifest.get("sharing", {}), list_pull_replications(snapshot)
    projects = {project["key"] for project in snapshot.manifest.get("projects", ())}
    for repository in snapshot.manifest["repositories"]:
        key = repository["key"]
        if repository["type"] in CLASS_LABELS:
            login = {"password": snapshot.derive_secret(f"artifact repository {key}"), "username": UNKNOWN}
            yield {
                **(login if key in replicated else {}),
                **_convert_repository(repository),
                **(_convert_sharing(sharing[key], projects) if key in sharing else {}),
            }


def _convert_sharing(sharing: dict[str, Any], projects: set[str]) -> dict[str, Any]:
    return {
        "shared_with_projects": [project for project in sharing["projects"] if project in projects],
        "shared_with_all_projects": sharing["all_projects"],
        "shared_read_only": sharing["read_only"],
    }


def _convert_repository(repository: dict[str, Any]) -> dict[str, Any]:
    settings = repository["settings"] or {}
    configuration = {name: settings[name] for name in CONFIGURATION_FIELDS if settings.get(name) is not None}
    fields = {"description": repository["description"], "packageType": repository["package_type"]}
    upstream = {"url": repository["url"] or UNKNOWN_URL} if repository["type"] == "remote" else {}
    return {**fields, **configuration, **upstream, "key": repository["key"], "rclass": repository["type"]}


def _convert_item(row: dict[str, Any]) -> dict[str, Any]:
    is_folder = row["type"] == "folder"
    properties: dict[str, list[str]] = {}
    for pair in row.get("properties", ()):
        properties.setdefault(pair["key"], []).append(pair.get("value", ""))
    statistics = (
        {name: row_statistics[name] for name in STATISTICS if name in row_statistics}
        for row_statistics in row.get("stats", ())
    )
    return {
        **{name: row[name] for name in COPIED_FIELDS if name in row},
        **{name: row[f"actual_{name}"] for name in ("sha1", "md5") if f"actual_{name}" in row},
        **({"folder": True} if is_folder else {"size": row["size"]}),
        "repo": row["repo"],
        "path": "/".join(part for part in (row["path"], row["name"]) if part != "."),
        "properties": properties,
        "statistics": [
            row_statistics
            for row_statistics in statistics
            if row_statistics.get("downloads") or row_statistics.get("remote_downloads")
        ],
    }


def _convert_build(record: dict[str, Any]) -> dict[str, Any]:
    fields = {name: record[name] for name in BUILD_FIELDS.split() if name in record}
    if record.get("modules"):
        fields["modules"] = [{name: m[name] for name in MODULE_FIELDS.split() if name in m} for m in record["modules"]]
    return {**fields, "promotions": [_convert_promotion(status) for status in record.get("statuses", ())]}


def _convert_promotion(status: dict[str, Any]) -> dict[str, Any]:
    fields = {
        "status": status["status"],
        "created": status.get("timestamp"),
        "created_by": status.get("user"),
        "repo": status.get("repository"),
        "comment": status.get("comment"),
        "ci_user": status.get("ciUser"),
    }
    return {name: value for name, value in fields.items() if value is not None}
