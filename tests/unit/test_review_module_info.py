# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

UI = {"name": "ui", "allowAll": False, "paths": ["b", "a"], "tags": ["qt"], "allowUsers": ["x"]}
DEFAULT = {"name": "*default*", "allowAll": True, "paths": ["**/*"]}
UNTOLD = dict.fromkeys(("allow_users", "allow_groups", "deny_users", "deny_groups"))


def run_task(answer: Call, **options: Any) -> dict[str, Any]:
    with conversation(answer) as server:
        return run("review_module_info", url=server.url, project="a+b;ü", **options, **ACCOUNT)


def test_modules_are_listed_by_name() -> None:
    assert run_task(act("modules", project="a+b;ü", text=records(UI, DEFAULT))) == {
        "changed": False,
        "modules": [
            {"name": "*default*", "paths": ["**/*"], "tags": [], "allow_all": True, **UNTOLD},
            {**UNTOLD, "name": "ui", "paths": ["a", "b"], "tags": ["qt"], "allow_all": False, "allow_users": ["x"]},
        ],
    }


def test_name_is_compared_exactly() -> None:
    answer = act("modules", project="a+b;ü", text=records(UI, DEFAULT))
    assert [module["name"] for module in run_task(answer, name="*default*")["modules"]] == ["*default*"]
    assert run_task(answer, name="u")["modules"] == []


def test_task_fails_when_project_is_unknown() -> None:
    result = run_task(act("modules", 404, project="a+b;ü", text=refusal(404, "Project not found: a+b;ü")))
    assert "404 Project not found: a+b;ü." in result["msg"]
