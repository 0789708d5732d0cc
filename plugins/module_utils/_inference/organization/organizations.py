# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The organizations that a credential belongs to."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import (
    ADMIN_KEY,
    SESSION_TOKEN,
    InferenceService,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def list_organizations(task: Task) -> list[dict[str, t.Any]]:
    """Return the organizations with their projects, sorted by ID. An admin key takes precedence over a session."""
    uses_session = bool(task.params["session_token"]) and not task.params["admin_key"]
    http = InferenceService(task).create_client(SESSION_TOKEN if uses_session else ADMIN_KEY)
    entries = http.read("GET", "/organizations").record().records("data")
    return sorted(map(_parse_organization, entries), key=lambda organization: organization["id"])


def _parse_organization(entry: Record) -> dict[str, t.Any]:
    projects = entry.maybe_record("projects")
    return {
        "id": entry.text("id"),
        "title": entry.maybe_text("title"),
        "name": entry.maybe_text("name"),
        "description": entry.maybe_text("description"),
        "created": entry.maybe_integer("created"),
        "created_at": entry.maybe_timestamp("created"),
        "projects": [
            {"id": project.text("id"), "title": project.maybe_text("title")}
            for project in (projects.maybe_records("data") if projects else [])
        ],
    }
