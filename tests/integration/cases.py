# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each module is run with, against the sandbox's default seed."""

from __future__ import annotations

import dataclasses
from typing import Any

import generate

MODULES = generate.modules()
PREFIX = "buildworks.toolchain."

_ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
_TOKEN = {"description": "build agents", "subject": "ci"}
_VIEW = {"project": "mobile-app", "name": "critical"}


@dataclasses.dataclass
class Resource:
    """A resource as it is made, then changed, then removed."""

    create: dict[str, Any]
    update: dict[str, Any]
    absent: dict[str, Any]


RESOURCES = {
    "artifact_properties": Resource(
        create={**_ITEM, "properties": {"qa": ["a,b", "c=d", "e;f|g", "h\\i", "100% +#é"]}},
        update={**_ITEM, "properties": {"qa": "passed"}},
        absent={**_ITEM, "keys": ["qa"], "state": "absent"},
    ),
    "access_token": Resource(
        create={**_TOKEN, "expires_in": 20000},
        update={**_TOKEN, "expires_in": 90000, "rotate_before": 30000},
        absent={**_TOKEN, "state": "absent"},
    ),
    "review_role": Resource(
        create={
            "name": "Triage + more",
            "permissions": {"change_issue_status": True, "webapi_access": False},
            "transitions": [{"from": "any", "to": "Fix in Next Release"}],
            "assignments": [{"group": "developers", "project": "mobile-app"}, {"account": "alice"}],
        },
        update={
            "name": "Triage + more",
            "permissions": {"access_source_files": True},
            "transitions": [],
            "assignments": [{"account": "alice"}],
            "purge": True,
        },
        absent={"name": "Triage + more", "state": "absent"},
    ),
    "review_view": Resource(
        create={**_VIEW, "query": "severity:1 status:+Analyze,+Fix", "tags": ["gate", "a & b"]},
        update={**_VIEW, "query": "severity:1-2", "tags": [], "public": False},
        absent={**_VIEW, "state": "absent"},
    ),
}

QUERIES: dict[str, dict[str, Any]] = {
    "access_token_info": {},
    "artifact_image_info": {"repo": "docker-local", "image": "acme/web", "page_size": 2},
    "artifact_properties_info": _ITEM,
    "artifact_repository_info": {"key": "libs-release"},
    "ci_info": {},
    "ci_plugin_info": {"names": ["git", "nothing"]},
    "inference_model_info": {"pattern": "gpt-4o*"},
    "review_project_info": {},
    "review_role_info": {},
    "review_view_info": {"project": "mobile-app"},
}

OPERATIONS: dict[str, dict[str, Any]] = {
    "ci_safe_restart": {"wait_timeout": 30, "wait_delay": 0.1},
    "inference_chat": {"model": "gpt-4o-mini", "prompt": "Hello"},
}


def parameters(module: str) -> dict[str, Any]:
    """What the module can be run with on a fresh sandbox; a resource is made then."""
    return RESOURCES[module].create if module in RESOURCES else {**QUERIES, **OPERATIONS}[module]


def task(module: str, step: str, options: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    """One task of a playbook."""
    return {"name": f"{module}: {step}", f"{PREFIX}{module}": options, **keywords}
