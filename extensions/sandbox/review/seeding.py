# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `review` section of a seed."""

from __future__ import annotations

import sqlite3
from typing import Any

from .accounts import set_members
from .storage import insert, slug
from .views import DEFAULT_VIEW

DEFAULT_MODULE = {"name": "*default*", "paths": ["**/*"]}


def plant(db: sqlite3.Connection, data: dict[str, Any]) -> None:
    """Add what the section describes; a name that exists already is described anew."""
    for user in data.get("users", []):
        insert(
            db,
            "review_users",
            name=user["name"],
            password=user.get("password", ""),
            ltoken=user.get("ltoken"),
            readonly=user.get("readonly", False),
        )
    for group in data.get("groups", []):
        insert(db, "review_groups", name=group["name"], readonly=group.get("readonly", False))
        set_members(db, group["name"], group.get("users", []))
    for project in data.get("projects", []):
        _plant_project(db, project)
    for role in data.get("roles", []):
        _plant_role(db, role)
    for item in data.get("licenses", []):
        insert(
            db,
            "review_licenses",
            feature=item["feature"],
            version=item["version"],
            count=item["count"],
            permanent=item.get("permanent", False),
            days_to_expiry=item["days_to_expiry"],
            servers=item.get("servers", []),
        )


def _plant_project(db: sqlite3.Connection, project: dict[str, Any], stream: bool = False) -> None:
    project_id = slug(project["name"])
    creator = project["creator"]
    insert(
        db,
        "review_projects",
        id=project_id,
        name=project["name"],
        creator=creator,
        description=project.get("description", ""),
        tags=project.get("tags", []),
        stream=stream,
    )
    for module in [DEFAULT_MODULE, *project.get("modules", [])]:
        insert(
            db,
            "review_modules",
            project=project_id,
            name=module["name"],
            allow_all=module.get("allow_all", True),
            paths=module["paths"],
            tags=module.get("tags", []),
        )
    for view in [{"name": DEFAULT_VIEW, "query": "", "is_public": True}, *project.get("views", [])]:
        insert(
            db,
            "review_views",
            project=project_id,
            name=view["name"],
            query=view["query"],
            creator=view.get("creator", creator),
            is_public=view.get("is_public", False),
            tags=view.get("tags", []),
        )
    for name in project.get("streams", []):
        _plant_project(db, {"name": f"{project['name']}/{name}", "creator": creator}, stream=True)


def _plant_role(db: sqlite3.Connection, role: dict[str, Any]) -> None:
    insert(
        db,
        "review_roles",
        name=role["name"],
        readonly=role.get("readonly", False),
        permissions=role.get("permissions", []),
        transitions=role.get("transitions", []),
    )
    for assignment in role.get("assignments", []):
        project = assignment.get("project")
        insert(
            db,
            "review_assignments",
            role=role["name"],
            account=assignment["account"],
            is_group=assignment.get("group", False),
            project=slug(project) if project else "",
        )
