# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who and what belongs to an organization or a project: users, service accounts and keys."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)

_DAY = 86_400
_PROJECT = "/organization/projects/{}"


def list_users(admin: AdminClient, project: str | None = None) -> list[dict[str, t.Any]]:
    """The users of the organization, or of a project."""
    if project is None:
        return [_parse_user(entry) for entry in admin.list_nonempty("/organization/users")]
    return [_parse_user(entry) for entry in admin.iter_entries(f"{_PROJECT}/users", project)]


def list_invites(admin: AdminClient) -> list[dict[str, t.Any]]:
    """The invites into the organization, whatever became of them."""
    return [_parse_invitation(entry) for entry in admin.iter_entries("/organization/invites")]


def filter_by_email(people: list[dict[str, t.Any]], emails: list[str] | None) -> list[dict[str, t.Any]]:
    """Those with one of these addresses, in upper or lower case; all when none are given."""
    wanted = {email.casefold() for email in emails or ()}
    return [person for person in people if emails is None or (person["email"] or "").casefold() in wanted]


def filter_by_name(entries: list[dict[str, t.Any]], name: str) -> list[dict[str, t.Any]]:
    """The accounts or keys of a name, newest first."""
    found = [entry for entry in entries if entry["name"] == name]
    return sorted(found, key=lambda entry: (entry["created"] or 0, entry["id"]), reverse=True)


def list_service_accounts(admin: AdminClient, project: str) -> list[dict[str, t.Any]]:
    """The service accounts of a project."""
    return [parse_service_account(entry) for entry in admin.iter_entries(f"{_PROJECT}/service_accounts", project)]


def parse_service_account(entry: Record) -> dict[str, t.Any]:
    """A service account, as a list or the answer to its making has it."""
    return {
        "id": entry.text("id"),
        "name": entry.text("name"),
        "role": entry.text("role"),
        **_parse_time(entry, "created"),
    }


def list_project_keys(admin: AdminClient, project: str) -> list[dict[str, t.Any]]:
    """The keys of a project, without their values."""
    return [_parse_key(entry, admin.now()) for entry in admin.iter_entries(f"{_PROJECT}/api_keys", project)]


def list_admin_keys(admin: AdminClient) -> list[dict[str, t.Any]]:
    """The admin keys of the organization, without their values."""
    return [parse_admin_key(entry, admin.now()) for entry in admin.iter_entries("/organization/admin_api_keys")]


def parse_admin_key(entry: Record, now: float) -> dict[str, t.Any]:
    """An admin key, as a list or the answer to its making has it.

    :arg now: seconds since 1970 by the service's clock
    """
    return {**_parse_key(entry, now), **_parse_time(entry, "expires")}


def _parse_user(entry: Record) -> dict[str, t.Any]:
    person = entry.maybe_record("user")  # newer servers may tell name and address in here
    told = {name: entry.maybe_text(name) or (person and person.maybe_text(name)) for name in ("name", "email")}
    return {
        "id": entry.text("id"),
        **told,
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
        # none told is not the same as told that there are none
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
    """Whose key it is; that of a project has the owner inside a member of its kind."""
    kind = None if owner is None else owner.maybe_text("type")
    told = None if owner is None else owner.maybe_record(kind or "") or owner
    return {"type": kind, **{name: told and told.maybe_text(name) for name in ("id", "name", "email", "role")}}


def _parse_time(entry: Record, what: str) -> dict[str, t.Any]:
    """A moment both ways: in seconds since 1970, and as a date and time."""
    return {what: entry.maybe_integer(f"{what}_at"), f"{what}_at": entry.maybe_timestamp(f"{what}_at")}
