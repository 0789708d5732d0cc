# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of requests of a task."""

from __future__ import annotations

import os
from typing import Any

from bench.row import Figure, Row
from sandbox.client import Sandbox
from support import running
from support.cases import review
from support.cases.form import Resource

ROWS = (
    Row("requests_noop", "requests if nothing changes, at most", "<=", 1),
    Row("requests_change", "requests if something changes, at most", "<=", 3),
    Row("noop_requests", "requests of an unchanged Klocwork resource, at most", "<=", 1),
    Row("noop_requests_role", "the same for a role: roles, assignments and project IDs", "<=", 3),
)
CASES: dict[str, dict[str, Any]] = {
    "artifact_properties": {
        "repo": "generic-local",
        "path": "app/1.0/app-1.0.tar.gz",
        "properties": {"qa": "failed"},
    },
    "review_view": {"project": "mobile-app", "name": "bench", "query": "severity:1"},
    "access_token": {"description": "bench", "subject": "ci", "expires_in": 20000},
}
RESOURCES = {
    name: case.options for name, case in review.CASES.items() if isinstance(case, Resource) and not case.by_program
}


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run each module twice: the first run changes something, the second finds it unchanged."""
    os.environ.update(sandbox.environment)
    change, noop = ({name: count_requests(sandbox, name, task) for name, task in CASES.items()} for _run in range(2))
    _change, resources = (
        {name: count_requests(sandbox, name, task) for name, task in RESOURCES.items()} for _run in range(2)
    )
    role = resources.pop("review_role")
    return {
        "requests_noop": Figure(max(noop.values()), details=noop),
        "requests_change": Figure(max(change.values()), details=change),
        "noop_requests": Figure(max(resources.values()), details=resources),
        "noop_requests_role": Figure(role),
    }


def count_requests(sandbox: Sandbox, name: str, task: dict[str, Any]) -> int:
    """Run a module and return the number of requests that the sandbox received."""
    sandbox.clear_journal()
    result = running.run(name.split()[0], **task)
    if result.get("failed"):
        raise SystemExit(result["msg"])
    return len(sandbox.journal())
