# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import importlib
from typing import Any

import pytest

import generate
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared
from support.conversation import conversation
from support.running import run

RECONCILE = ("reconcile_job", "reconcile_node", "reconcile_environment", "reconcile_resource")
BULK = {"workers": 4, "on_error": "fail", "max_failures": None, "result_limit": 10, "to_file": None}
ITEMS = [{"name": "Carol"}, {"name": "dave", "state": "absent"}, {"email": "e@example.com"}]


def append(undeclared: str, existing: list[str]) -> tuple[Task, list[dict[str, Any]]]:
    """Return the task and the items that it appended."""
    task = Task({"undeclared": undeclared, "name": "erin"})
    items = append_undeclared(task, "users", ITEMS, "name", lambda: existing, normalize=str.lower)
    assert items[: len(ITEMS)] == ITEMS
    return task, items[len(ITEMS) :]


def test_undeclared_objects_are_deleted_when_they_should_be_removed() -> None:
    task, appended = append("remove", ["zoe", "carol", "dave", "erin", "adam"])
    assert appended == [{"name": "adam", "state": "absent"}, {"name": "zoe", "state": "absent"}]
    assert task.result == {"undeclared": ["adam", "zoe"]}
    assert not task.warnings


def test_undeclared_objects_are_only_listed_when_they_should_be_reported() -> None:
    task, appended = append("report", [f"user{number:02}" for number in range(12)])
    assert not appended
    assert len(task.result["undeclared"]) == 12
    assert task.warnings[0].startswith("These users exist, but are not declared: user00, user01, ")
    assert task.warnings[0].endswith("user09 and 2 more.")


def test_there_is_no_warning_when_all_objects_are_declared() -> None:
    task, appended = append("report", ["carol"])
    assert (task.warnings, appended, task.result) == ([], [], {"undeclared": []})


def test_objects_are_not_listed_when_they_should_be_kept() -> None:
    task = Task({"undeclared": "keep", "name": None})
    assert append_undeclared(task, "users", ITEMS, "name", lambda: pytest.fail("it listed")) == ITEMS
    assert task.result == {}


def list_modules_that_rename() -> list[str]:
    specs = {name: code(name).SPEC.options for name in generate.list_modules()}
    return [name for name, options in specs.items() if {"previous_name", "undeclared"} <= options.keys()]


def code(module: str) -> Any:
    return importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")


@pytest.mark.parametrize("module", list_modules_that_rename())
def test_name_to_rename_is_not_inherited_by_objects_to_delete(module: str) -> None:
    with conversation() as server:
        options = {"items": [{"name": "new"}], "previous_name": "old", "undeclared": "remove"}
        result = run(module, url=server.url, **options)
    assert result["msg"] == (
        "Option 'previous_name': must be set in 'items' with 'undeclared: remove', not for all objects."
    )


@pytest.mark.parametrize("module", ["ci_job", "ci_node", "artifact_environment", "ci_lockable_resource"])
def test_object_is_not_deleted_when_it_inherits_contradicting_options(module: str) -> None:
    inherited = {"reserved": False} if module == "ci_lockable_resource" else {"previous_name": "old"}
    options = dict.fromkeys(code(module).ITEM.options)
    task = Task({**options, **inherited, "name": "old", "state": "absent"})
    (reconcile,) = (value for name, value in vars(code(module)).items() if name in RECONCILE)
    with pytest.raises(BadOption, match="must not be set with 'state: absent'"):
        reconcile(task, None)


def delete_only(items: list[dict[str, Any]], **options: Any) -> list[tuple[str, str]]:
    """Return the names and states of the items that are processed."""
    processed: list[tuple[str, str]] = []
    task = Task({**BULK, "state": "present", "name": None, "deletions_only": True, "items": items, **options})
    process_one_or_items(
        task,
        lambda item_task: processed.append((item_task.params["name"], item_task.params["state"])),
        name_option="name",
        expand_all=lambda work: append_undeclared(task, "users", work, "name", lambda: ["erin", "old", "zoe"]),
    )
    return sorted(processed)


def test_other_items_only_count_as_declared_when_only_deletions_are_wanted() -> None:
    items = [{"name": "erin"}, {"name": "old", "state": "absent"}]
    assert delete_only(items, undeclared="remove") == [("old", "absent"), ("zoe", "absent")]
    assert delete_only(items, undeclared="keep") == [("old", "absent")]
    assert delete_only(items[:1], undeclared="keep") == []
    assert delete_only(items, undeclared="keep", state="absent") == [("erin", "absent"), ("old", "absent")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "web"}, "Option 'deletions_only': requires 'items'."),
        ({"items": [{"name": ""}]}, "items[0]"),
    ],
)
def test_deletions_only_requires_valid_items(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = run("artifact_group", url=server.url, deletions_only=True, **options)
    assert message in result["msg"]
