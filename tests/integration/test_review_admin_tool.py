# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects of an older Klocwork server, managed with the sandbox's kwadmin."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox
from support.running import run

pytestmark = pytest.mark.usefixtures("sandbox_environment")


def test_project_is_created_and_auto_delete_settings_are_compared(sandbox: Sandbox) -> None:
    def project(**options: Any) -> tuple[bool, dict[str, Any]]:
        tool = {"use_admin_tool": True, "admin_tool": [sandbox.environment["SANDBOX_KWADMIN"]], "username": "admin"}
        result = run("review_project", **{"name": "firmware + more", **tool, **options})
        assert not result.get("failed"), result["msg"]
        assert "warnings" not in result
        return result["changed"], result["project"]

    desired = {"description": "of devices", "auto_delete_builds": True, "auto_delete_threshold": 5}
    assert project(**desired, check_mode=True)[0]
    assert project(**desired)[0]
    sandbox.clear_journal()
    changed, settings = project(**desired)
    assert (changed, {name: settings[name] for name in desired}) == (False, desired)
    assert {entry["effect"] for entry in sandbox.journal("review")} == {"read"}
    assert project(auto_delete_builds=False)[1]["auto_delete_builds"] is False
    assert not project(auto_delete_builds=False)[0]
