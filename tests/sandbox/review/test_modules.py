# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of modules."""

from __future__ import annotations

from typing import Any

from support.wire.review import Api

DEFAULT = {"name": "*default*", "allowAll": True, "paths": ["**/*"]}


def test_modules_are_listed(api: Api) -> None:
    assert api.records("modules", project="platform") == [
        DEFAULT,
        {"name": "third_party", "allowAll": True, "paths": ["**/3rdparty/*", "**/vendor/*"], "tags": ["external"]},
    ]


def test_module_is_created_updated_and_deleted(api: Api) -> None:
    module = {"project": "mobile-app", "name": "ui"}
    api.write("create_module", **module, paths="**/ui/*,**/a\\,b/*", tags="qt", allow_groups="developers")
    created = {"name": "ui", "allowAll": False, "paths": ["**/ui/*", "**/a,b/*"], "tags": ["qt"]}
    assert api.records("modules", project="mobile-app") == [DEFAULT, created]
    api.write("update_module", **module, allow_all="true", tags="")
    assert api.records("modules", project="mobile-app")[1] == {
        "name": "ui",
        "allowAll": True,
        "paths": ["**/ui/*", "**/a,b/*"],
    }
    api.write("update_module", **module, new_name="gui", paths="**/gui/*")
    assert api.records("modules", project="mobile-app")[1]["name"] == "gui"
    assert api.expect_error("update_module", **module) == (404, "Module not found: ui")
    api.write("delete_module", project="mobile-app", name="gui")
    assert api.records("modules", project="mobile-app") == [DEFAULT]
    assert api.expect_error("delete_module", **module) == (404, "Module not found: ui")


def test_access_lists_are_returned_when_the_switch_is_set(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", module_access_lists=True)
    module = {"project": "mobile-app", "name": "ui"}
    api.write("create_module", **module, paths="**/ui/*", allow_users="alice", deny_groups="developers")
    lists = {"allowUsers": ["alice"], "allowGroups": [], "denyUsers": [], "denyGroups": ["developers"]}
    assert api.records("modules", project="mobile-app")[1] == {
        "name": "ui",
        "allowAll": False,
        "paths": ["**/ui/*"],
        **lists,
    }
    api.write("update_module", **module, allow_users="")
    assert api.records("modules", project="mobile-app")[1]["allowUsers"] == []


def test_invalid_changes_are_rejected(api: Api, sandbox: Any) -> None:
    def expect_error(action: str, **fields: str) -> tuple[int, str]:
        return api.expect_error(action, **{"project": "platform", "name": "third_party", **fields})

    assert expect_error("create_module", paths="x") == (409, "Module already exists: third_party")
    assert expect_error("create_module", name="new") == (400, "Missing required parameter: paths")
    assert expect_error("update_module", paths="") == (400, "Missing required parameter: paths")
    assert expect_error("update_module", new_name="*default*") == (409, "Module already exists: *default*")
    assert expect_error("update_module", name="*default*") == (403, "Module is read-only: *default*")
    assert expect_error("delete_module", name="*default*") == (403, "Module is read-only: *default*")
    sandbox.seed({"review": {"roles": [{"name": "Project admin", "permissions": ["webapi_access"]}]}})
    api.user = "alice"
    assert expect_error("delete_module") == (403, "User alice does not have the manage_modules permission")
