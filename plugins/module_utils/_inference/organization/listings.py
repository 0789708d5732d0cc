# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of users, invitations, service accounts and API keys of an organization or a project."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)

_DAY = 86_400
_PROJECT = "/organization/projects/{}"


def list_users(admin: AdminClient, project: str | None = None) -> list[dict[str, t.Any]]:
    """Return the users of the organization or of a project."""
    if project is None:
        return [_parse_user(entry) for entry in admin.list_nonempty("/organization/users")]
    return [_parse_user(entry) for entry in admin.iter_entries(f"{_PROJECT}/users", project)]


def list_invites(admin: AdminClient) -> list[dict[str, t.Any]]:
    """Return all invitations, including accepted and expired ones."""
    return [_parse_invitation(entry) for entry in admin.iter_entries("/organization/invites")]


def filter_by_email(entries: list[dict[str, t.Any]], emails: list[str] | None) -> list[dict[str, t.Any]]:
    """Return the users or invitations with one of the email addresses, ignoring case. `None` matches all."""
    addresses = {email.casefold() for email in emails or ()}
    return [entry for entry in entries if emails is None or (entry["email"] or "").casefold() in addresses]


def filter_by_name(entries: list[dict[str, t.Any]], name: str) -> list[dict[str, t.Any]]:
    """Return the accounts or keys with a name, newest first."""
    matches = [entry for entry in entries if entry["name"] == name]
    return sorted(matches, key=lambda entry: (entry["created"] or 0, entry["id"]), reverse=True)


def list_service_accounts(admin: AdminClient, project: str) -> list[dict[str, t.Any]]:
    """Return the service accounts of a project."""
    return [parse_service_account(entry) for entry in admin.iter_entries(f"{_PROJECT}/service_accounts", project)]


def parse_service_account(entry: Record) -> dict[str, t.Any]:
    """Return a service account from an entry of a list or the response to a create request."""
    return {
        "id": entry.text("id"),
        "name": entry.text("name"),
        "role": entry.text("role"),
        **_parse_time(entry, "created"),
    }


def list_project_keys(admin: AdminClient, project: str) -> list[dict[str, t.Any]]:
    """Return the API keys of a project, without their values."""
    return [_parse_key(entry, admin.now()) for entry in admin.iter_entries(f"{_PROJECT}/api_keys", project)]


def list_admin_keys(admin: AdminClient) -> list[dict[str, t.Any]]:
    """Return the admin keys of the organization, without their values."""
    return [parse_admin_key(entry, admin.now()) for entry in admin.iter_entries("/organization/admin_api_keys")]


def parse_admin_key(entry: Record, now: float) -> dict[str, t.Any]:
    """Return an admin key from an entry of a list or the response to a create request.

    :arg now: time of the server as a Unix timestamp
    """
    return {**_parse_key(entry, now), **_parse_time(entry, "expires")}


def _parse_user(entry: Record) -> dict[str, t.Any]:
    nested = entry.maybe_record("user")  # newer versions of the API move name and address here
    texts = {name: entry.maybe_text(name) or (nested and nested.maybe_text(name)) for name in ("name", "email")}
    return {
        "id": entry.text("id"),
        **texts,
        "role": entry.maybe_text("role"),
        **_parse_time(entry, "added"),
    }


def _parse_invitation(entry: Record) -> dict[str, t.Any]:
    projects = [{name: project.text(name) for name in ("id", "role")} for project in entry.maybe_records("projects")]
    return {
        "id": entry.text("id"),
        "email": entry.text("email"),
        "role": entry.maybe_text("role"),
        "status": entry.text("status"),
        # a missing list does not mean that there are no projects
        "projects": None if entry.get("projects") is None else sorted(projects, key=lambda project: project["id"]),
        **_parse_time(entry, "created"),
        **_parse_time(entry, "expires"),
        **_parse_time(entry, "accepted"),
    }


def _parse_key(entry: Record, now: float) -> dict[str, t.Any]:
    created = entry.maybe_integer("created_at")
    return {
        "id": entry.text("id"),
        "name": entry.maybe_text("name"),
        "redacted_value": entry.maybe_text("redacted_value"),
        **_parse_time(entry, "created"),
        **_parse_time(entry, "last_used"),
        "age_days": None if created is None else max(0, int(now - created) // _DAY),
        "owner": _parse_owner(entry.maybe_record("owner")),
    }


def _parse_owner(owner: Record | None) -> dict[str, t.Any]:
    """Return the owner of a key. Project keys have it in a nested object named by its type."""
    kind = None if owner is None else owner.maybe_text("type")
    record = None if owner is None else owner.maybe_record(kind or "") or owner
    return {"type": kind, **{name: record and record.maybe_text(name) for name in ("id", "name", "email", "role")}}


def _parse_time(entry: Record, name: str) -> dict[str, t.Any]:
    """Return a time as a Unix timestamp and in ISO 8601 format."""
    return {name: entry.maybe_integer(f"{name}_at"), f"{name}_at": entry.maybe_timestamp(f"{name}_at")}
