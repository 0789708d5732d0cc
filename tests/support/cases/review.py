# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of the code-analysis server's modules."""

from __future__ import annotations

import sys
from pathlib import Path

from sandbox import client
from support.cases.form import FILES, Case, Operation, Query, Resource, Service, Write

_ADMIN_TOOL = [sys.executable, "-I", str(Path(client.__file__).with_name("review") / "admin_tool/kwadmin.py")]
_BUILD = {"project": "mobile-app", "name": "build_2"}
_ISSUES = {"project": "mobile-app", "query": "severity:1-3"}
_MODULE = {"project": "mobile-app", "name": "ui, & more"}
_ROLE = {"name": "Triage + more"}
_SOURCE = {"source_url": "https://old.example.com", "source_username": "root", "source_password": "sandbox-old"}
_VIEW = {"project": "mobile-app", "name": "critical"}
_FOLDER = FILES / "review"
_CONFIG = {"project": "mobile-app", "admin_tool": _ADMIN_TOOL}
_CHECKSUMS = {"checksum_file": str(_FOLDER / "sent")}
for _name in ("old", "new"):
    (_FOLDER / _name).mkdir(parents=True, exist_ok=True)
    (_FOLDER / _name / "analysis profile.pconf").write_text(f"<config of='{_name}'/>")

CASES: dict[str, Case] = {
    "review_build": Resource(
        create={**_BUILD, "keep": False},
        update={**_BUILD, "new_name": "release, 1 + 2", "keep": True},
        absent={"project": "mobile-app", "name": "release, 1 + 2", "state": "absent"},
        write=Write("update_build"),
        look=("review_build_info", {"project": "mobile-app"}),
    ),
    "review_build keep_newest": Operation(
        {"project": "mobile-app", "keep_newest": 1},
        Write("delete_build"),
        lasting=True,
        look=("review_build_info", {"project": "mobile-app"}),
    ),
    "review_build_info": Query({"project": "mobile-app"}),
    "review_build_info via admin_tool": Query({**_CONFIG, "via": "admin_tool"}, by_program=True),
    "review_call": Query({"action": "builds", "parameters": {"project": "mobile-app"}, "read_only": True}),
    "review_call that_changes": Operation(
        {"action": "update_build", "parameters": {"project": "mobile-app", "name": "build_3", "keepit": True}},
        Write("update_build", irretrievable="Whether the request had its effect is not known"),
        reads=False,
    ),
    "review_churn_info": Query({"project": "mobile-app", "latest_builds": 2}),
    "review_config_file": Resource(
        create={**_CONFIG, **_CHECKSUMS, "src": str(_FOLDER / "old" / "analysis profile.pconf")},
        update={**_CONFIG, **_CHECKSUMS, "src": str(_FOLDER / "new" / "analysis profile.pconf")},
        absent={**_CONFIG, "name": "analysis profile.pconf", "state": "absent"},
        write=Write("kwadmin import-config"),
        look=("review_config_file_info", _CONFIG),
        by_program=True,
    ),
    "review_config_file_info": Query({**_CONFIG, "types": True}, by_program=True),
    "review_defect_type": Resource(
        create={"project": "mobile-app", "defect_types": [{"code": "MISRA.G*", "enabled": True, "severity": 3}]},
        update={"project": "mobile-app", "defect_types": [{"taxonomy": "C and C++", "severity": 2}]},
        absent={"project": "mobile-app", "defect_types": [{"code": "*", "enabled": False}]},
        write=Write("update_defect_type", repeatable=True),
        look=("review_defect_type_info", {"project": "mobile-app"}),
    ),
    "review_defect_type_info": Query({"project": "mobile-app", "code": "ABV.*"}),
    "review_gate_info": Query(
        {
            "project": "mobile-app",
            "checks": [{"query": "state:New"}, {"query": "severity:1", "allowed": 1}],
            "compare": {"from": "build_1", "to": "build_3"},
        }
    ),
    "review_group": Resource(
        create={"name": "leads, and more", "users": ["alice"]},
        update={"name": "leads, and more", "users": ["bob"], "append": True},
        absent={"name": "leads, and more", "state": "absent"},
        write=Write("create_group"),
        look=("review_group_info", {"name": "leads, and more"}),
        empty_first=True,
    ),
    # issues cannot be created or deleted
    "review_issue": Resource(
        create={**_ISSUES, "status": "Defer", "comment": "later, please"},
        update={**_ISSUES, "owner": "bob"},
        absent={**_ISSUES, "status": "Analyze", "owner": "unowned"},
        write=Write("update_status", first_of_several=True),
        look=("review_issue_info", {"project": "mobile-app"}),
    ),
    "review_issue_info": Query({"project": "mobile-app"}),
    "review_group_info": Query({}),
    "review_metric_info": Query({"project": "mobile-app", "tags": ["NCNBLOC_FILE"]}),
    "review_metric_info aggregate": Query({"project": "mobile-app", "aggregate": True}),
    "review_module": Resource(
        create={**_MODULE, "paths": ["**/ui/*", "**/a, b/*"], "tags": ["qt"]},
        update={**_MODULE, "paths": ["**/gui/*"], "tags": [], "allow_all": True},
        absent={**_MODULE, "state": "absent"},
        write=Write("create_module"),
        look=("review_module_info", {"project": "mobile-app"}),
    ),
    "review_module_info": Query({"project": "mobile-app"}),
    "review_project": Resource(
        create={"name": "platform", "description": "Services, & more", "tags": ["c", "a, b"]},
        update={"name": "platform", "new_name": "services", "description": "", "tags": []},
        absent={"name": "services", "state": "absent"},
        write=Write("update_project"),
        look=("review_project_info", {}),
    ),
    "review_project_info": Query({"name": "mobile-app", "configuration": True, "taxonomies": True}),
    "review_project_import": Operation(
        {"name": "old, & app", **_SOURCE},
        Write("import_project"),
        lasting=True,
        look=("review_project_info", {}),
        polls=True,
    ),
    "review_report_info": Query(
        {
            "project": "mobile-app",
            "rows": "category",
            "rows_drilldown": ["C and C++"],
            "columns": "state",
            "counts": {"fix": "status:+Fix"},
        }
    ),
    "review_role": Resource(
        create={
            **_ROLE,
            "permissions": {"change_issue_status": True, "webapi_access": False},
            "transitions": [{"from": "any", "to": "Fix in Next Release"}],
            "assignments": [{"group": "developers", "project": "mobile-app"}, {"account": "alice"}],
        },
        update={
            **_ROLE,
            "permissions": {"access_source_files": True},
            "transitions": [],
            "assignments": [{"account": "alice"}],
            "purge": True,
        },
        absent={**_ROLE, "state": "absent"},
        write=Write("create_role", first_of_several=True),
        look=("review_role_info", {"name": _ROLE["name"]}),
    ),
    "review_role_info": Query({}),
    "review_server_import": Operation(_SOURCE, Write("import_server_configuration"), polls=True, empty_first=True),
    "review_server_info": Query({"gather": ["version", "licenses", "tasks", "imports"]}),
    # users cannot be updated, so that the update creates another one
    "review_user": Resource(
        create={"name": "new user", "password": "sandbox-new"},
        update={"name": "new user + 1"},
        absent={"name": "new user", "state": "absent"},
        write=Write("create_user"),
        look=("review_user_info", {"search": "new *"}),
        empty_first=True,
    ),
    "review_user_info": Query({}),
    "review_view": Resource(
        create={**_VIEW, "query": "severity:1 status:+Analyze,+Fix", "tags": ["gate", "a & b"]},
        update={**_VIEW, "query": "severity:1-2", "tags": [], "public": False},
        absent={**_VIEW, "state": "absent"},
        write=Write("create_view"),
        look=("review_view_info", _VIEW),
    ),
    "review_view_info": Query({"project": "mobile-app"}),
}

SERVICE = Service(CASES, elsewhere={"username": "admin", "ltoken": "t0ken"})
