# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compliance reports of newer servers: made, downloaded and deleted as files of a project. Their text is invented."""

from __future__ import annotations

from .call import Call, action
from .defect_types import taxonomies_of
from .issues import Issues, query_of_view
from .protocol import ActionError, not_found
from .storage import insert, project_by


def compliance_report(call: Call) -> None:
    """Count the issues of a taxonomy, and keep the figure as a file."""
    parameters = call.parameters
    project = project_by(call, "name", parameters.text("project"))
    taxonomy = parameters.text("taxonomy")
    if taxonomy not in taxonomies_of(call, project["id"]):
        raise not_found("Taxonomy", taxonomy)
    texts = [f'grouping:off taxonomy:+"{taxonomy}"']
    if view := parameters.text("view"):
        texts.append(query_of_view(call, view))
    total = Issues(call, *texts, build=parameters.text("build")).total()
    name = f"{parameters.text('outputFile') or 'report'}.{parameters.text('fileType') or 'txt'}"
    path = "/".join(filter(None, (parameters.text("outputFolder").strip("/"), name)))
    content = f"Project: {project['name']}\nTaxonomy: {taxonomy}\nIssues: {total}\n"
    insert(call.db, "review_compliance_reports", project=project["id"], path=path, content=content)


def compliance_download(call: Call) -> bytes:
    project, path = _project(call), call.parameters.text("file_path")
    found = call.db.execute(
        "SELECT content FROM review_compliance_reports WHERE (project, path) = (?, ?)", (project, path)
    ).fetchone()
    if found is None:
        raise not_found("Compliance report", path)
    return bytes(found["content"], "utf-8")


def compliance_delete(call: Call) -> None:
    """A file, or with `force` a folder with all that is in it."""
    project, path = _project(call), call.parameters.text("path").strip("/")
    rows = call.db.execute("SELECT path FROM review_compliance_reports WHERE project = ?", (project,))
    paths = [row["path"] for row in rows if row["path"] == path or row["path"].startswith(f"{path}/")]
    if not paths:
        raise not_found("Compliance report", path)
    if paths != [path] and not call.parameters.boolean("force"):
        raise ActionError(409, f"Folder is not empty: {path}")
    for gone in paths:
        call.db.execute("DELETE FROM review_compliance_reports WHERE (project, path) = (?, ?)", (project, gone))


def _project(call: Call) -> str:
    project_id: str = project_by(call, "name", call.parameters.text("project"))["id"]
    return project_id


ROUTES = tuple(map(action, (compliance_report, compliance_download, compliance_delete)))
