# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode predicts that Klocwork refuses a deletion if the account lacks a permission."""

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import run

BUILDS = ({"id": number, "name": f"b{number}", "date": number, "keepit": False} for number in (1, 2))
MODULES = ({"name": name, "allowAll": True, "paths": ["*"]} for name in ("*default*", "ui"))
ROLE = {"name": "Empty", "readonly": False, "permissions": [], "statusPermissions": []}
BUILD_LIST = act("builds", project="app", text=records(*BUILDS))
REMOVALS: dict[str, tuple[str, dict[str, Any], list[Call]]] = {
    "review_user": ("manage_users", {"name": "eve"}, [act("users", search="eve", text=records({"name": "eve"}))]),
    "review_group": (
        "manage_users",
        {"name": "devs"},
        [act("groups", search="devs", list_users="true", text=records({"name": "devs", "users": []}))],
    ),
    "review_role": (
        "manage_roles",
        {"name": "Empty", "allow_lockout": True},
        [act("roles", search="+Empty", text=records(ROLE))],
    ),
    "review_project": ("delete_project", {"name": "app", "allow_delete": True}, [projects(("app", "a"))]),
    "review_build": ("delete_build", {"project": "app", "name": "b1"}, [BUILD_LIST]),
    "review_module": (
        "manage_modules",
        {"project": "app", "name": "ui"},
        [act("modules", project="app", text=records(*MODULES))],
    ),
}
OF_SERVER = ("review_user", "review_group", "review_role")


def rights(module: str, *permissions: dict[str, Any], project: str = "a") -> list[Call]:
    """Return the responses with the roles of the account, on a project or global."""
    role = {"name": "Own", **({} if module in OF_SERVER else {"projectId": project})}
    lookups = [] if module in OF_SERVER else [projects(("app", "a"), ("else", "e"))]
    return [
        act("users", search="admin", text=records({"name": "admin", "roles": [role], "groups": []})),
        *lookups,
        act("roles", text=records({"name": "Own", "readonly": False, "permissions": list(permissions)})),
    ]


def delete(module: str, *calls: Call) -> dict[str, Any]:
    _permission, options, reads = REMOVALS[module]
    with conversation(*reads, *calls) as server:
        return run(module, url=server.url, state="absent", check_mode=True, **options, **ACCOUNT)


@pytest.mark.parametrize("module", REMOVALS)
def test_check_mode_predicts_refused_deletion(module: str) -> None:
    permission = REMOVALS[module][0]
    refused = delete(module, *rights(module, {"name": permission, "enabled": False}))
    assert not refused["changed"]
    assert f"'admin', the account of this task, lacks the permission '{permission}'" in refused["msg"]
    assert delete(module, *rights(module, {"name": permission, "enabled": True}))["changed"]
    if module not in OF_SERVER:
        elsewhere = rights(module, {"name": permission, "enabled": True}, project="e")
        assert "on the project 'app'" in delete(module, *elsewhere)["msg"]


@pytest.mark.parametrize("module", REMOVALS)
def test_no_refusal_is_predicted_when_permissions_are_unknown(module: str) -> None:
    assert delete(module, *rights(module, {"name": "Benutzer verwalten", "enabled": False}))["changed"]
    assert delete(module, act("users", 403, search="admin", text=refusal(403, "No.")))["changed"]
    unlisted = act("users", limit="1000000", text=records({"name": "someone"}))
    assert delete(module, act("users", search="admin"), unlisted)["changed"]


def test_check_mode_predicts_refused_build_cleanup() -> None:
    for enabled in (True, False):
        calls = rights("review_build", {"name": "delete_build", "enabled": enabled})
        with conversation(BUILD_LIST, *calls) as server:
            options = {"project": "app", "keep_newest": 1, "check_mode": True}
            result = run("review_build", url=server.url, **options, **ACCOUNT)
        assert result["changed"] is enabled
