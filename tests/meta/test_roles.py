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

from support.role_secrets import ROLES, argument_spec, variables_with_secrets

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def list_tasks(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield tasks and those in their blocks, with the conditions of the blocks."""
    for task in tasks:
        yield task
        for section in ("block", "rescue", "always"):
            for inner in list_tasks(task.get(section, [])):
                yield {**inner, "when": [*conditions_of(task), *conditions_of(inner)]}


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


# Kinds of declared objects without `undeclared`, and why
NOT_LISTED = {
    "artifact_provision": {
        "files": "most files come from builds",
        "properties": "they belong to files",
    },
    "ci_provision": {
        "api_tokens": "the tokens of a user are deleted with the user",
        "scripts": "they are not objects",
        "credential_domains": "they only group credentials",
        "script_approvals": "users approve scripts in the web interface",
        "authorization": "its entries have `purge`",
        "required_plugins": "they are only checked",
        "required_jobs": "they are only checked",
    },
}


@pytest.mark.parametrize("role", NOT_LISTED)
def test_undeclared_objects_of_each_kind_can_be_deleted(role: str) -> None:
    options = argument_spec(role)["options"]
    kinds = {name.removeprefix(f"{role}_") for name, option in options.items() if option["type"] == "list"}
    assert kinds - NOT_LISTED[role].keys() == set(options[f"{role}_undeclared"]["options"])


@pytest.mark.parametrize("role", NOT_LISTED)
def test_result_limit_reaches_each_task_with_items(role: str) -> None:
    tasks = [next(iter(module.values())) for task in tasks_of(role) if (module := modules_of(task))]
    limits = {task.get("result_limit") for task in tasks if "items" in task}
    assert limits == {f"{{{{ {role}_result_limit }}}}"}


@pytest.mark.parametrize("role", [role for role in ROLES if role.endswith("_provision")])
def test_failed_section_is_reported_at_the_end(role: str) -> None:
    variables = yaml.safe_load((ROOT / "roles" / role / "vars/main.yml").read_text())
    sections = variables[f"__{role}_sections"]
    ignoring = {task["name"]: task["register"] for task in tasks_of(role) if task.get("ignore_errors")}
    assert sections.keys() == ignoring.keys()
    assert [name for name, result in ignoring.items() if result not in sections[name]] == []
    for name in (f"__{role}_still_open", f"__{role}_still_used"):
        assert set(re.findall(r"'([A-Z][^']+)'", variables.get(name, ""))) <= sections.keys()


@pytest.mark.parametrize("role", [role for role in ROLES if role.endswith("_provision")])
def test_no_section_runs_when_the_server_is_lost(role: str) -> None:
    without = [
        task["name"]
        for task in tasks_of(role)
        if task.get("ignore_errors") and f"not __{role}_lost_server" not in conditions_of(task)
    ]
    assert without == []


def conditions_of(task: dict[str, Any]) -> list[str]:
    """Return the conditions of a task."""
    conditions = task.get("when", [])
    return [conditions] if isinstance(conditions, str) else conditions


def modules_of(task: dict[str, Any]) -> dict[str, Any]:
    """Return the module of this collection that a task uses, with its options."""
    return {name: options or {} for name, options in task.items() if name.startswith("buildworks.toolchain.")}
