# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for the tasks of roles."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.role_secrets import ROLES, variables_with_secrets

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def list_tasks(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield tasks and those in their blocks."""
    for task in tasks:
        yield task
        for section in ("block", "rescue", "always"):
            yield from list_tasks(task.get(section, []))


def tasks_of(role: str) -> list[dict[str, Any]]:
    """Return all tasks of a role."""
    files = sorted((ROOT / "roles" / role / "tasks").glob("*.yml"))
    return [task for file in files for task in list_tasks(yaml.safe_load(file.read_text()))]


def raw_loops(role: str, tasks: list[dict[str, Any]]) -> list[str]:
    """Return the names of tasks whose loop items contain secrets, which Ansible shows in each result."""
    secret = variables_with_secrets(role)
    return [
        task["name"]
        for task in tasks
        for name in re.findall(r"\w+", str(task.get("loop", "")))
        if name in secret and not re.search(rf"{name} \| map\(attribute='name'\) }}}}$", task["loop"])
    ]


@pytest.mark.parametrize("role", ROLES)
def test_loop_items_contain_no_secrets(role: str) -> None:
    assert raw_loops(role, tasks_of(role)) == []


def test_loops_over_lists_with_secrets_are_found() -> None:
    loop = {"name": "Run scripts", "loop": "{{ ci_provision_scripts | selectattr('name') }}"}
    assert raw_loops(
        "ci_provision", [loop, {**loop, "loop": "{{ ci_provision_scripts | map(attribute='name') }}"}]
    ) == ["Run scripts"]
