# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compliance reports of newer servers, stored as files of a project. Their content is a guess."""

from __future__ import annotations

from ..api.call import Call, action_route
from ..api.protocol import ActionError, not_found
from ..issues.issues import Issues, load_view_query
from ..projects.defect_types import load_taxonomies
from ..storage import insert, require_project, require_project_id


def compliance_report(call: Call) -> None:
    """Create a report with the number of issues of a taxonomy."""
    parameters = call.parameters
    project = require_project(call, "name", parameters.text("project"))
    taxonomy = parameters.text("taxonomy")
    if taxonomy not in load_taxonomies(call, project["id"]):
        raise not_found("Taxonomy", taxonomy)
    texts = [f'grouping:off taxonomy:+"{taxonomy}"']
    if view := parameters.text("view"):
        texts.append(load_view_query(call, view))
    total = Issues(call, *texts, build=parameters.text("build")).count()
    name = f"{parameters.text('outputFile') or 'report'}.{parameters.text('fileType') or 'txt'}"
    path = "/".join(filter(None, (parameters.text("outputFolder").strip("/"), name)))
    content = f"Project: {project['name']}\nTaxonomy: {taxonomy}\nIssues: {total}\n"
    insert(call.db, "review_compliance_reports", project=project["id"], path=path, content=content)


def compliance_download(call: Call) -> bytes:
    """Return the content of a report."""
    project, path = require_project_id(call), call.parameters.text("file_path")
    row = call.db.execute(
        "SELECT content FROM review_compliance_reports WHERE (project, path) = (?, ?)", (project, path)
    ).fetchone()
    if row is None:
        raise not_found("Compliance report", path)
    return bytes(row["content"], "utf-8")


def compliance_delete(call: Call) -> None:
    """Delete a report or, with `force`, a folder with its reports."""
    project, path = require_project_id(call), call.parameters.text("path").strip("/")
    rows = call.db.execute("SELECT path FROM review_compliance_reports WHERE project = ?", (project,))
    paths = [row["path"] for row in rows if row["path"] == path or row["path"].startswith(f"{path}/")]
    if not paths:
        raise not_found("Compliance report", path)
    if paths != [path] and not call.parameters.boolean("force"):
        raise ActionError(409, f"Folder is not empty: {path}")
    for each in paths:
        call.db.execute("DELETE FROM review_compliance_reports WHERE (project, path) = (?, ?)", (project, each))


ROUTES = tuple(map(action_route, (compliance_report, compliance_download, compliance_delete)))
