# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section `review` of a seed."""

from __future__ import annotations

import itertools
import sqlite3
from typing import Any

from ...seeds.schema import mapping_schema
from ..access.accounts import set_members
from ..storage import ALL_PROJECTS, DEFAULT_VIEW, add_module, add_project, add_view, insert
from .issues import add_issues, generate_issues

_ISSUE = (
    "id code! file! title message method line severity status owner category taxonomy reference comment bug_id date"
    " found_in fixed_in"
)
_HISTORY = [mapping_schema("date! account! status! comment")]
_TAXONOMIES = [mapping_schema("name! custom")]
_DEFECT_TYPES = [mapping_schema("code! name! severity! taxonomies! enabled support_level")]

SEED_SCHEMA = mapping_schema(
    "version streams module_access_lists",
    users=[mapping_schema("name! password ltoken readonly")],
    groups=[mapping_schema("name! users readonly")],
    projects=[
        mapping_schema(
            "name! creator! id description tags stream streams generate_issues",
            taxonomies=_TAXONOMIES,
            defect_types=_DEFECT_TYPES,
            modules=[mapping_schema("name! paths! allow_all allow_users allow_groups deny_users deny_groups tags")],
            builds=[mapping_schema("name! date! keepit figures")],
            ci_builds=[mapping_schema("name! date! tags")],
            metrics=[mapping_schema("file! tag! value! entity system")],
            issues=[mapping_schema(_ISSUE, history=_HISTORY)],
            views=[mapping_schema("name! query! creator is_public tags")],
        )
    ],
    roles=[
        mapping_schema(
            "name! readonly permissions transitions", assignments=[mapping_schema("account! group project")]
        ),
    ],
    taxonomies=_TAXONOMIES,
    defect_types=_DEFECT_TYPES,
    issues=[mapping_schema(f"project! {_ISSUE}", history=_HISTORY)],
    licenses=[mapping_schema("feature! version! count! days_to_expiry! permanent servers")],
)


def add_seed(db: sqlite3.Connection, data: dict[str, Any]) -> None:
    """Add the contents of a section. Objects with existing names are replaced."""
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
        _add_project(db, project)
    _add_checkers(db, ALL_PROJECTS, data)
    for name, issues in itertools.groupby(data.get("issues", []), key=lambda issue: issue["project"]):
        add_issues(db, _require_project_id(db, name, "an issue"), list(issues))
    for role in data.get("roles", []):
        _add_role(db, role)
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


def _add_project(db: sqlite3.Connection, project: dict[str, Any]) -> None:
    options = {key: project[key] for key in ("id", "description", "tags", "stream") if key in project}
    name, creator = project["name"], project["creator"]
    project_id = add_project(db, name, creator, **options)
    for module in project.get("modules", []):
        add_module(db, project_id, **{"allow_all": True, **module})
    if any(view["name"] == DEFAULT_VIEW for view in project.get("views", [])):
        db.execute("DELETE FROM review_views WHERE (project, name) = (?, ?)", (project_id, DEFAULT_VIEW))
    for view in project.get("views", []):
        add_view(db, project_id, **{"creator": creator, **view})
    for build in project.get("builds", []):
        insert(db, "review_builds", project=project_id, **{"keepit": False, "figures": {}, **build})
    for build in project.get("ci_builds", []):
        insert(db, "review_ci_builds", project=project_id, **{"tags": [], **build})
    for metric in project.get("metrics", []):
        insert(db, "review_metrics", project=project_id, **{"entity": metric["file"], "system": False, **metric})
    _add_checkers(db, project_id, project)
    add_issues(db, project_id, project.get("issues", []))
    if "generate_issues" in project:
        generate_issues(db, project_id, project["generate_issues"])
    for stream in project.get("streams", []):
        add_project(db, f"{name}/{stream}", creator, stream=True)


def _add_checkers(db: sqlite3.Connection, project: str, data: dict[str, Any]) -> None:
    for taxonomy in data.get("taxonomies", []):
        insert(db, "review_taxonomies", project=project, **{"custom": False, **taxonomy})
    for checker in data.get("defect_types", []):
        insert(db, "review_checkers", project=project, **{"enabled": True, **checker})


def _require_project_id(db: sqlite3.Connection, name: str, subject: str) -> str:
    row = db.execute("SELECT id FROM review_projects WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise ValueError(f"{subject} names the project {name!r}, which does not exist")
    return str(row["id"])


def _add_role(db: sqlite3.Connection, role: dict[str, Any]) -> None:
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
            project=_require_project_id(db, project, "an assignment of a role") if project else "",
        )
