# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of the web API with their parameters. The suffix `*` marks required ones."""

from __future__ import annotations

from typing import NamedTuple

PERMISSIONS = (
    "create_project",
    "manage_roles",
    "manage_users",
    "access_source_files",
    "assign_role",
    "change_project_settings",
    "create_build",
    "delete_build",
    "delete_project",
    "manage_modules",
    "use_local_configuration",
    "change_issue_status",
    "webapi_access",
    "execute_kwxsync",
)
STREAM_PERMISSIONS = ("create_stream", "delete_stream")

STATUSES = (
    "Analyze",
    "Ignore",
    "Not a Problem",
    "Fix",
    "Fix in Next Release",
    "Fix in Later Release",
    "Defer",
    "Filter",
)

_ROLE = f"name* {' '.join(PERMISSIONS)} allowed_status_transitions"
_MODULE_ACCESS = "allow_all allow_users allow_groups deny_users deny_groups"


class Action(NamedTuple):
    """The declaration of an action."""

    group: str
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    is_write: bool
    since_version: int  # first major version of the server that has the action
    returns_file: bool = False  # The response is a file instead of records.


def _read(group: str, parameters: str = "", since: int = 0) -> Action:
    return _action(group, parameters, is_write=False, since=since)


def _write(group: str, parameters: str, since: int = 0) -> Action:
    return _action(group, parameters, is_write=True, since=since)


def _download(group: str, parameters: str, since: int) -> Action:
    return _read(group, parameters, since)._replace(returns_file=True)


def _action(group: str, parameters: str, *, is_write: bool, since: int) -> Action:
    words = parameters.split()
    return Action(
        group,
        parameters=tuple(word.rstrip("*") for word in words),
        required=tuple(word[:-1] for word in words if word.endswith("*")),
        is_write=is_write,
        since_version=since,
    )


ACTIONS = {
    "builds": _read("builds", "project*"),
    "create_group": _write("project", "name* users"),
    "create_module": _write("project", f"project* name* {_MODULE_ACCESS} paths* tags"),
    "create_role": _write("access", _ROLE),
    "create_user": _write("access", "name* password"),
    "create_view": _write("report", "project* name* query* tags is_public"),
    "defect_types": _read("builds", "project* taxonomy"),
    "delete_build": _write("builds", "project* name*"),
    "delete_group": _write("project", "name*"),
    "delete_module": _write("project", "project* name*"),
    "delete_project": _write("project", "name*"),
    "delete_role": _write("access", "name*"),
    "delete_user": _write("access", "name*"),
    "delete_view": _write("report", "project* name*"),
    "fchurns": _read("report", "project* view viewCreator latestBuilds component"),
    "groups": _read("project", "search list_users limit"),
    "import_project": _write("project", "project* sourceURL* sourceAdmin* sourcePassword"),
    "import_server_configuration": _write("server", "sourceURL* sourceAdmin* sourcePassword"),
    "import_status": _read("project"),
    "issue_details": _read("issue", "project* id* include_xsync"),
    "license_count": _read("server", "feature"),
    "metrics": _read("report", "project* query view limit aggregate exclude_system_files"),
    "modules": _read("project", "project*"),
    "project_configuration": _read("project", "project* build"),
    "projects": _read("project"),
    "report": _read("report", "project* build filterQuery view x xDrilldown y yDrilldown group_issues"),
    "role_assignments": _read("access", "search"),
    "roles": _read("access", "search"),
    "search": _read("issue", "project* query view limit summary"),
    "task_status": _read("server"),
    "taxonomies": _read("project", "project*"),
    "update_build": _write("builds", "project* name* new_name keepit"),
    "update_defect_type": _write("builds", "project* code* enabled severity"),
    "update_group": _write("project", "name* users remove_all"),
    "update_module": _write("project", f"project* name* new_name {_MODULE_ACCESS} paths tags"),
    "update_project": _write("project", "name* new_name description tags auto_delete_builds auto_delete_threshold"),
    "update_role_assignment": _write("access", "name* project account* group remove"),
    "update_role_permissions": _write("access", _ROLE),
    "update_status": _write("issue", "project* ids* status comment owner bug_tracker_id"),
    "update_view": _write("report", "project* name* new_name query tags is_public"),
    "users": _read("access", "search limit"),
    "version": _read("server"),
    "views": _read("report", "project*"),
    "build_log_download": _download("builds", "project* name*", since=23),
    "ci_builds": _read("builds", "project*", since=23),
    "ci_issue_details": _read("issue", "project* id*", since=23),
    "compliance_delete": _write("report", "project* path* force", since=23),
    "compliance_download": _download("report", "project* file_path*", since=23),
    "compliance_report": _write(
        "report",
        "project* taxonomy* outputFile fileType summaryOnly defectLimit outputFolder view build reportFormat",
        since=23,
    ),
    "create_project": _write("project", "name*", since=23),
    "delete_ci_build": _write("builds", "project* name*", since=23),
    "update_ci_build": _write("builds", "project* name* new_name tags", since=23),
}
