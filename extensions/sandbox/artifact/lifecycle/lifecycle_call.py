# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the calls for release bundles share: callers, projects, pages and delays.

The status and the message with which servers refuse these calls without an Enterprise license are not known.
"""

from __future__ import annotations

from typing import Any

from ..access.token_api import require_caller
from ..call import ENTERPRISE_ONLY_MESSAGE, Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.formats import format_time
from .bundles import Bundle, Promotion, find_repository_key

LIFECYCLE = "/api/v2"
DEFAULT_PROJECT = "default"
MAX_LIMIT = 1000


def begin(call: Call) -> None:
    """Identify the caller, or fail if version, edition or credentials do not permit the call."""
    if not call.supports(feature_versions.RELEASE_BUNDLES):
        raise AccessError(404, "HTTP 404 Not Found")
    call.principal = require_caller(call)
    if call.get_switch("edition") != "enterprise":
        raise AccessError(403, ENTERPRISE_ONLY_MESSAGE)


def find_project(call: Call) -> str:
    """Return the project that the query selects, which is empty for global release bundles, or fail with 404."""
    repository = call.query.get("repository_key")
    project = call.query.get("project", "")
    if not project and repository:
        project = repository.removesuffix(find_repository_key("")).removesuffix("-")
        if find_repository_key(project) != repository:
            raise AccessError(404, f"Repository {repository} not found")
    project = "" if project == DEFAULT_PROJECT else project
    if project and call.projects.find(project) is None:
        raise AccessError(404, f"Project {project} not found")
    return project


def require_permission(call: Call, action: str, project: str, name: str = "", version: str = "") -> None:
    """Fail unless the caller has a permission on a release bundle."""
    if not call.principal.may(action, find_repository_key(project), f"{name}/{version}".strip("/")):
        raise AccessError(403, "Forbidden")


def require_bundle(call: Call, name: str, version: str, action: str = "r") -> Bundle:
    """Return a version on which the caller has a permission, or fail."""
    begin(call)
    project = find_project(call)
    require_permission(call, action, project, name, version)
    bundle = call.release_bundles.find(project, name, version)
    if bundle is None:
        raise AccessError(404, f"Release bundle {name}/{version} not found")
    return bundle


def is_asynchronous(call: Call) -> bool:
    """Return whether the call ends before the operation is complete, which is the default."""
    return call.query.get("async", "true").lower() != "false"


def find_delay(call: Call) -> float:
    """Return the seconds after which the operation of an asynchronous call is complete."""
    return float(call.get_switch("release_bundle_seconds")) if is_asynchronous(call) else 0.0


def find_success_status(call: Call) -> int:
    """Return the status with which the server accepts an operation."""
    return int(call.get_switch("release_bundle_submitted_status")) if is_asynchronous(call) else 201


def refuse_failure(call: Call, messages: list[str]) -> None:
    """Fail with 400 if an operation failed that is not asynchronous. Its record exists nevertheless."""
    if messages and not is_asynchronous(call):
        raise AccessError(400, "; ".join(messages))


def list_page(call: Call, member: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a page of the entries, which are ordered from the newest to the oldest."""
    numbers = {"limit": MAX_LIMIT, "offset": 0}
    for name in numbers:
        text = call.query.get(name)
        if text is not None and not text.isdecimal():
            raise AccessError(400, f"Invalid {name}: {text}")
        numbers[name] = int(text) if text else numbers[name]
    if call.query.get("order_asc") == "true":
        entries = entries[::-1]
    page = entries[numbers["offset"] :][: numbers["limit"]]
    return {member: page, "total": len(entries), **numbers}


def describe_messages(call: Call, entry: Bundle | Promotion, always: bool = False) -> dict[str, Any]:
    """Return the member with the reasons of a failure, as far as the query asks for it."""
    is_failed = entry.messages and entry.completed <= call.runtime.clock.now()
    if not is_failed or not (always or "messages" in call.query.get("include", "")):
        return {}
    created = format_time(entry.completed)
    return {"messages": [{"source": "System", "text": text, "created": created} for text in entry.messages]}
