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


# Options beside `items` that narrow what is undeclared: themselves, or as the place of the items
NARROWING = {
    "artifact_cleanup_policy": {"project"},
    "artifact_keypair": {"type"},
    "artifact_oidc": {"provider_type"},
    "artifact_replication": {"type"},
    "artifact_repository": {"type", "package_type"},
    "artifact_webhook": {"domain", "project"},
    "ci_credential": {"folder", "user", "domain"},
    "ci_folder": {"undeclared_in"},
    "ci_job": {"type"},
    "ci_view": {"folder", "parent", "type"},
}
REFUSED = {
    "artifact_oidc": {"project"},
    "artifact_repository": {"project", "environments"},
    "artifact_user": {"groups"},
    "artifact_webhook": {"handler"},
    "ci_credential": {"type", "scope"},
    "ci_lockable_resource": {"labels"},
    "ci_node": {"labels"},
}
# Words for sets of objects. Options with one of them need a decision
SETS = {"type", "class", "kind", "project", "projects", "domain", "folder", "parent", "scope", "environments", "labels"}
SETS |= {"label", "groups", "group", "handler", "user", "owner", "undeclared_in", "provider_type", "package_type"}
SETS |= {"team", "namespace", "tags", "category", "realm", "view", "store", "organization", "prefix", "pattern"}
# Values of the objects, or of the file of a task, that do not describe a set
VALUES = {
    "artifact_ldap": {"groups"},
    "artifact_oidc": {"organization"},
    "artifact_project": {"environments"},
    "ci_node": {"owner", "group"},
    "ci_job": {"label"},
}
WITH_UNDECLARED = [
    name for name in generate.list_modules() if {"undeclared", "items"} <= code(name).SPEC.options.keys()
]


@pytest.mark.parametrize("module", WITH_UNDECLARED)
def test_each_option_that_describes_a_set_narrows_what_is_undeclared_or_is_refused(module: str) -> None:
    options = code(module).SPEC.options
    sets = {name for name in options if name in SETS}
    decided = {name for table in (NARROWING, REFUSED, VALUES) for name in table.get(module, ())}
    assert sets == decided
    assert REFUSED.get(module, set()) == {name for name, opt in options.items() if opt.get("refused_with_undeclared")}


@pytest.mark.parametrize("mode", ["report", "remove"])
@pytest.mark.parametrize(("module", "option"), [(name, option) for name in REFUSED for option in sorted(REFUSED[name])])
def test_option_that_does_not_narrow_is_refused_beside_the_items(module: str, option: str, mode: str) -> None:
    spec = code(module).SPEC.options
    identity = next(name for name, value in code(module).ITEM.options.items() if value.get("required"))
    value = spec[option].get("choices", ["any"])[0]
    with conversation() as server:
        beside = {option: [value] if spec[option]["type"] == "list" else value}
        result = run(module, url=server.url, items=[{identity: "one", "state": "present"}], undeclared=mode, **beside)
    assert result["msg"] == f"Option '{option}': does not narrow 'undeclared: {mode}'. Set it in 'items'."


@pytest.mark.parametrize(
    ("module", "option"), [(name, option) for name in NARROWING for option in sorted(NARROWING[name])]
)
def test_null_is_refused_in_an_option_that_narrows_what_is_undeclared(module: str, option: str) -> None:
    identity = next(name for name, value in code(module).ITEM.options.items() if value.get("required"))
    with conversation() as server:
        result = run(module, url=server.url, items=[{identity: "one"}], undeclared="remove", **{option: None})
    assert result["msg"] == f"Option '{option}': must not be null. Set a value or omit the option."


def test_all_objects_are_not_deleted_when_no_item_should_exist() -> None:
    with conversation() as server:
        items = [{"name": "one", "state": "absent"}, {"name": "two"}]
        result = run("ci_node", url=server.url, items=items, state="absent", undeclared="remove")
    assert result["msg"] == (
        "Option 'undeclared': must not be 'remove' if all items are absent. List at least one that should exist."
    )


def test_object_that_the_task_names_beside_the_items_is_kept() -> None:
    task = Task({"undeclared": "remove", "name": "Erin"})
    items = append_undeclared(task, "users", [{"name": "carol"}], "name", lambda: ["carol", "erin"], str.lower)
    assert (items, task.result) == ([{"name": "carol"}], {"undeclared": []})


def test_message_says_that_an_item_inherits_the_option() -> None:
    with conversation() as server:
        item = {"key": "npm", "type": "virtual", "package_type": "npm"}
        result = run("artifact_repository", url=server.url, xray_index=True, items=[item])
    assert result["msg"] == (
        "Option 'items[0].xray_index': does not apply to virtual npm repositories. The item inherits the option from "
        "the task. Set it in the items that need it."
    )
