# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom roles of an organization and of its projects."""

from __future__ import annotations

from ..call import Call
from ..protocol.checks import check_string, check_strings
from . import objects
from .common import ORGANIZATION, Record, check_name
from .objects import Collection

# A project has these roles besides its custom ones.
PREDEFINED = ("role-api-project-owner", "role-api-project-member", "role-api-project-viewer")
PROJECT_ROLES = "/v1/projects/{project}"


def _build_role(scope: str, values: Record) -> Record:
    members = {"name" if name == "role_name" else name: value for name, value in values.items()}
    return {**members, "resource_type": f"api.{scope}", "predefined_role": False}


ROLE = Collection(
    "role",
    "role_",
    "role",
    {"role_name": check_name, "permissions": check_strings, "description": check_string},
    ("role_name", "permissions"),
    _build_role,
    {"name": "", "description": None},
    by_cursor=True,
)


def require_project_role(call: Call, project: str, role: str) -> None:
    """Check that a project has a role."""
    if role not in PREDEFINED:
        objects.require(call, ROLE.kind, project, role)


ROUTES = (*ROLE.build_routes(f"{ORGANIZATION}/roles"), *ROLE.build_routes(f"{PROJECT_ROLES}/roles"))
