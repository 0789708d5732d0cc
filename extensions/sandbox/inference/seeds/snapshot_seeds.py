# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of a snapshot to seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...seeds.snapshot import SnapshotDirectory
from ..schema import LIMITS

Record = dict[str, Any]

# Owner of the keys of the sandbox, which no list contains
ADMIN = "snapshot-admin"
OWN_PREFIXES = ("sk-", "sk-admin-", "sess-")
# Organization if neither an admin key nor a session returned one
UNKNOWN: Record = {"id": "org-unknown", "name": "unknown", "projects": []}
# Name of the default project; the service does not mark it otherwise
DEFAULT_PROJECT = "Default project"
UNLIMITED: Record = dict.fromkeys(LIMITS)


def convert_snapshot(folder: SnapshotDirectory) -> Iterator[Record]:
    """Yield the whole snapshot as one seed."""
    about = folder.manifest
    organization = _organization(about)
    limits = _limits(about)
    own = {"organization": organization["id"], "name": ADMIN, "listed": False}
    yield {
        "organizations": [
            {
                **_select_fields(organization, "id", "title", "description", "created"),
                "name": organization["name"] or organization["id"],
                "users": _users(about),
                "invites": [_invite(invite) for invite in about["invites"]],
                "projects": [_project(project, limits) for project in _projects(about, organization)],
            }
        ],
        "keys": [{"key": prefix + folder.derive_secret(f"inference {prefix}"), **own} for prefix in OWN_PREFIXES]
        + [{"organization": organization["id"], **key} for key in _keys(folder)],
        "models": [_model(model, UNLIMITED if limits else {}, about["model_limits"]) for model in about["models"]],
        "limits": [{"id": model, **row} for model, row in limits.items()],
    }


def _select_fields(record: Record, *names: str, **renamed: str) -> Record:
    """Return the fields of a record with these names, and renamed ones."""
    mapping = {**dict(zip(names, names, strict=True)), **renamed}
    return {name: record[member] for name, member in mapping.items() if record.get(member) is not None}


def _organization(about: Record) -> Record:
    """Return the organization of the projects. A session can see several, an admin key only one."""
    projects = {project["id"] for project in about["projects"]}
    organizations: list[Record] = about["organizations"] or [UNKNOWN]
    return next(
        (one for one in organizations if projects & {project["id"] for project in one["projects"]}), organizations[0]
    )


def _projects(about: Record, organization: Record) -> list[Record]:
    """Return the projects from the administration API, or else from the organization list."""
    return about["projects"] or [
        {"id": project["id"], "name": project["title"]} for project in organization["projects"]
    ]


def _project(project: Record, limits: dict[str, Record]) -> Record:
    accounts, members = project.get("service_accounts", ()), project.get("users", ())
    return {
        **_select_fields(project, "id", "external_key_id", created_at="created", archived_at="archived"),
        "name": project["name"] or "",
        "default": project["name"] == DEFAULT_PROJECT,
        "members": [_select_fields(member, "id", "role", added_at="added") for member in members],
        "service_accounts": [
            _select_fields(account, "id", "name", "role", created_at="created") for account in accounts
        ],
        "limits": [
            {"id": model, **lowered}
            for model, row in project.get("rate_limits", {}).items()
            if (lowered := dict(_columns(row).items() - limits[model].items()))
        ],
    }


def _limits(about: Record) -> dict[str, Record]:
    """Return the organization's limits by model. Unknown ones are the highest of any project."""
    limits: dict[str, Record] = {}
    for project in about["projects"]:
        for model, row in project.get("rate_limits", {}).items():
            most = limits.setdefault(model, {})
            most.update({name: max(value, most.get(name, 0)) for name, value in _columns(row).items()})
    for model, row in about["rate_limits"].items():
        limits.setdefault(model, {}).update(_columns(row))
    return limits


def _columns(row: Record) -> Record:
    return _select_fields(row, **LIMITS)


def _users(about: Record) -> list[Record]:
    """Return the users of the organization, and users that only projects list."""
    people = {user["id"]: user for user in about["users"]}
    for project in about["projects"]:
        for member in project.get("users", ()):
            people.setdefault(member["id"], {**member, "role": None})
    return [
        {"email": "", **_select_fields(person, "id", "email", "name", "role", added_at="added")}
        for person in people.values()
    ]


def _invite(invite: Record) -> Record:
    moments = {"created_at": "created", "expires_at": "expires", "accepted_at": "accepted"}
    return {**_select_fields(invite, "id", "email", "role", **moments), "projects": invite["projects"]}


def _keys(folder: SnapshotDirectory) -> Iterator[Record]:
    for project in folder.manifest["projects"]:
        for key in project.get("api_keys", ()):
            prefix = "sk-svcacct-" if key["owner"]["type"] == "service_account" else "sk-proj-"
            yield {**_key(folder, prefix, key), "project": project["id"]}
    for key in folder.manifest["admin_keys"]:
        yield _key(folder, "sk-admin-", key)
    for number, key in enumerate(folder.manifest["user_keys"]):
        yield {
            "key": f"sk-{folder.derive_secret(f'inference user key {number}')}",
            **_select_fields(key, created_at="created", last_used_at="last_use"),
            "name": key["name"] or "",
        }


def _key(folder: SnapshotDirectory, prefix: str, key: Record) -> Record:
    moments = {"created_at": "created", "last_used_at": "last_used", "expires_at": "expires"}
    return {
        "key": prefix + folder.derive_secret(f"inference key {key['id']}"),
        **_select_fields(key, "id", **moments),
        "name": key["name"] or "",
        "owner": key["owner"]["id"],
    }


def _model(model: Record, limits: Record, tuning: list[Record]) -> Record:
    own = (_select_fields(row, "max_pending_jobs", "max_jobs_per_day") for row in tuning if row["id"] == model["id"])
    return {
        **_select_fields(model, "id", "owned_by", "shutdown_date"),
        **limits,
        "created": model["created"] or 0,
        "fine_tuning": next(own, {}),
    }
