# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode of a promotion on servers that ignore the dry run."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running

TASK = {"build": "app", "number": "1", "status": "released", "target_repo": "generic-release-local"}


pytestmark = pytest.mark.usefixtures("sandbox_environment")


def read_statuses() -> list[dict[str, Any]]:
    return running.run("artifact_build_info", build="app", number="1")["build"]["statuses"]


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("switch", ["never", "with_status"])
def test_check_mode_promotes_nothing(sandbox: Sandbox, switch: str, copy: bool) -> None:
    sandbox.switch("artifact", dry_run_promotes=switch)
    before = read_statuses()
    sandbox.clear_journal()
    checked = running.run("artifact_build_promotion", check_mode=True, copy=copy, **TASK)
    assert {entry["effect"] for entry in sandbox.journal("artifact")} == {"read"}
    assert read_statuses() == before
    done = running.run("artifact_build_promotion", copy=copy, **TASK)
    assert (checked["changed"], checked["plan"], checked["messages"]) == (True, done["plan"], done["messages"])


def test_task_fails_when_the_server_ignores_the_dry_run(sandbox: Sandbox) -> None:
    sandbox.switch("artifact", dry_run_promotes="always")
    result = running.run("artifact_build_promotion", check_mode=True, **TASK)
    assert result["failed"]
    assert "was promoted, although only a dry run was requested" in result["msg"]
