# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

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
