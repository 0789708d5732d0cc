# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who and what belongs to an organization or a project: users, service accounts and keys."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin

_DAY = 86_400
_PROJECT = "/organization/projects/{}"


def users(admin: Admin, project: str | None = None) -> list[dict[str, t.Any]]:
    """The users of the organization, or of a project."""
    if project is None:
        return [_user(entry) for entry in admin.list_nonempty("/organization/users")]
    return [_user(entry) for entry in admin.listed(f"{_PROJECT}/users", project)]


def invites(admin: Admin) -> list[dict[str, t.Any]]:
    """The invites into the organization, whatever became of them."""
    return [_invite(entry) for entry in admin.listed("/organization/invites")]


def with_emails(people: list[dict[str, t.Any]], emails: list[str] | None) -> list[dict[str, t.Any]]:
    """Those with one of these addresses, in upper or lower case; all when none are given."""
    wanted = {email.casefold() for email in emails or ()}
    return [person for person in people if emails is None or (person["email"] or "").casefold() in wanted]


def named(entries: list[dict[str, t.Any]], name: str) -> list[dict[str, t.Any]]:
    """The accounts or keys of a name, newest first."""
    found = [entry for entry in entries if entry["name"] == name]
    return sorted(found, key=lambda entry: (entry["created"] or 0, entry["id"]), reverse=True)


def service_accounts(admin: Admin, project: str) -> list[dict[str, t.Any]]:
    """The service accounts of a project."""
    return [service_account(entry) for entry in admin.listed(f"{_PROJECT}/service_accounts", project)]


def service_account(entry: Record) -> dict[str, t.Any]:
    """A service account, as a list or the answer to its making has it."""
    return {"id": entry.text("id"), "name": entry.text("name"), "role": entry.text("role"), **_since(entry, "created")}


def project_keys(admin: Admin, project: str) -> list[dict[str, t.Any]]:
    """The keys of a project, without their values."""
    return [_key(entry, admin.now()) for entry in admin.listed(f"{_PROJECT}/api_keys", project)]


def admin_keys(admin: Admin) -> list[dict[str, t.Any]]:
    """The admin keys of the organization, without their values."""
    return [admin_key(entry, admin.now()) for entry in admin.listed("/organization/admin_api_keys")]


def admin_key(entry: Record, now: float) -> dict[str, t.Any]:
    """An admin key, as a list or the answer to its making has it.

    :arg now: seconds since 1970 by the service's clock
    """
    return {**_key(entry, now), **_since(entry, "expires")}


def _user(entry: Record) -> dict[str, t.Any]:
    person = entry.maybe_record("user")  # newer servers may tell name and address in here
    told = {name: entry.maybe_text(name) or (person and person.maybe_text(name)) for name in ("name", "email")}
    return {
        "id": entry.text("id"),
        **told,
        "role": entry.maybe_text("role"),
        **_since(entry, "added"),
    }


def _invite(entry: Record) -> dict[str, t.Any]:
    projects = [{name: project.text(name) for name in ("id", "role")} for project in entry.maybe_records("projects")]
    return {
        "id": entry.text("id"),
        "email": entry.text("email"),
        "role": entry.maybe_text("role"),
        "status": entry.text("status"),
        # none told is not the same as told that there are none
        "projects": None if entry.get("projects") is None else sorted(projects, key=lambda project: project["id"]),
        **_since(entry, "created"),
        **_since(entry, "expires"),
        **_since(entry, "accepted"),
    }


def _key(entry: Record, now: float) -> dict[str, t.Any]:
    created = entry.maybe_integer("created_at")
    return {
        "id": entry.text("id"),
        "name": entry.maybe_text("name"),
        "redacted_value": entry.maybe_text("redacted_value"),
        **_since(entry, "created"),
        **_since(entry, "last_used"),
        "age_days": None if created is None else max(0, int(now - created) // _DAY),
        "owner": _owner(entry.maybe_record("owner")),
    }


def _owner(owner: Record | None) -> dict[str, t.Any]:
    """Whose key it is; that of a project has the owner inside a member of its kind."""
    kind = None if owner is None else owner.maybe_text("type")
    told = None if owner is None else owner.maybe_record(kind or "") or owner
    return {"type": kind, **{name: told and told.maybe_text(name) for name in ("id", "name", "email", "role")}}


def _since(entry: Record, what: str) -> dict[str, t.Any]:
    """A moment both ways: in seconds since 1970, and as a date and time."""
    return {what: entry.maybe_integer(f"{what}_at"), f"{what}_at": entry.maybe_timestamp(f"{what}_at")}
