# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests and responses of Klocwork: actions as forms, records as lines."""

from __future__ import annotations

import json
from typing import Any

from support.conversation import Call, call

LTOKEN = "3f9a61c08d5e4b7792d14a6efb0c8d25a7e1936c5b4f2d8e90a1b2c3d4e5f607"
ACCOUNT = {"username": "admin", "ltoken": LTOKEN}
NO_PERMISSIONS = {
    "access_source_files": False,
    "assign_role": False,
    "change_issue_status": False,
    "change_project_settings": False,
    "create_build": False,
    "create_project": False,
    "create_stream": False,
    "delete_build": False,
    "delete_project": False,
    "delete_stream": False,
    "execute_kwxsync": False,
    "manage_modules": False,
    "manage_roles": False,
    "manage_users": False,
    "use_local_configuration": False,
    "webapi_access": False,
}
FORM_TYPE = "application/x-www-form-urlencoded;charset=UTF-8"


def act(action: str, status: int = 200, /, *, text: str = "", drop: bool = False, **fields: str) -> Call:
    """Return the request of an action with exactly these fields. Without records, the response is empty."""
    form = {"action": action, "user": "admin", "ltoken": LTOKEN, **fields}
    headers = {"Content-Type": "application/json;charset=UTF-8"}
    sent = {"sent_form": form, "sent_headers": {"Content-Type": FORM_TYPE}}
    return call("POST", "/review/api", status, text=text, headers=headers, drop=drop, **sent)


def records(*values: dict[str, Any]) -> str:
    """Return records in the server's format: one per line, with escaped equals signs."""
    return "".join(json.dumps(value).replace("=", "\\u003d") + "\n" for value in values)


def refusal(status: int, message: str) -> str:
    """Return an error object."""
    return records({"status": status, "message": message})


def projects(*names_and_ids: tuple[str, str]) -> Call:
    """Return the request for projects."""
    entries = ({"id": id_, "name": name, "creator": "admin", "description": ""} for name, id_ in names_and_ids)
    return act("projects", text=records(*entries))


ISSUE = {
    "id": 552,
    "status": "Analyze",
    "severity": "Unexpected",
    "severityCode": 4,
    "state": "Existing",
    "code": "MISRA.DEFINE.NOTGLOBAL",
    "title": "Define not at the global level",
    "message": "a = b",
    "file": "src/gthread.h",
    "method": "gthread.h",
    "owner": "unowned",
    "taxonomyName": "MISRA C++ 2008",
    "reference": "16-0-2",
    "dateOriginated": 1484055504368,
    "line": 243,
    "url": "http://kw/review#problemid=552",
    "issueIds": [],
    "trace": [],
}
FOUND = {
    "id": 552,
    "status": "Analyze",
    "severity": "Unexpected",
    "severity_level": 4,
    "state": "Existing",
    "code": "MISRA.DEFINE.NOTGLOBAL",
    "title": "Define not at the global level",
    "message": "a = b",
    "file": "src/gthread.h",
    "line": 243,
    "method": "gthread.h",
    "owner": "unowned",
    "taxonomy": "MISRA C++ 2008",
    "reference": "16-0-2",
    "comment": "",
    "date": "2017-01-10T13:38:24Z",
    "url": "http://kw/review#problemid=552",
    "issue_ids": [],
}


def summary(total: int, *warnings: str) -> dict[str, Any]:
    return {"summary": {"query": "", "project": "mobile-app", "total": total, "warnings": list(warnings)}}
