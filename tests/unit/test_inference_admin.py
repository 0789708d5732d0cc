# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pathlib
import tempfile
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import admin_rate_limiter
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_rate_limiter import (
    AdminRateLimiter,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation
from support.inference_server import ADMIN, error, page
from support.running import run

USERS = "/v1/organization/users?limit=100"


def user(number: int) -> dict[str, Any]:
    return {"object": "organization.user", "id": f"user-{number}", "email": f"{number}@x.y", "added_at": 1735689600}


def list_users(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("inference_user_info", url=f"{server.url}/v1", admin_key=ADMIN, **parameters)


def ids(result: dict[str, Any]) -> list[str]:
    return [entry["id"] for entry in result["users"]]


def test_all_pages_are_read() -> None:
    pages = (
        page("/users", user(1), user(2), more=True),
        page("/users", user(3), more=True, after="user-2"),
        page("/users", user(4), after="user-3"),
    )
    assert ids(list_users(*pages)) == ["user-1", "user-2", "user-3", "user-4"]


@pytest.mark.parametrize("rest", [{"has_more": True}, {"has_more": None}, {"last_id": None}, {}])
def test_page_is_the_last_when_it_is_empty_or_has_no_more(rest: dict[str, Any]) -> None:
    rest_page = call("GET", f"{USERS}&after=user-1", json={"data": [], **rest})
    assert ids(list_users(page("/users", user(1), more=True), rest_page)) == ["user-1"]


@pytest.mark.parametrize("module", ["inference_user", "inference_project"])
def test_task_fails_when_a_list_is_empty_that_never_is(module: str) -> None:
    path, named = ("/users", {"email": "a@b.c"}) if module == "inference_user" else ("/projects", {"name": "Find"})
    with conversation(page(path)) as server:
        parameters = {
            "url": f"{server.url}/v1",
            "admin_key": ADMIN,
            "admin_requests_per_minute": 0,
            "state": "absent",
            **named,
        }
        result = run(module, **parameters)
    assert result["failed"]
    assert "the list is empty, but each organization has at least one entry" in result["msg"]


def test_cursor_is_the_last_entry() -> None:
    first = call("GET", USERS, json={"data": [user(1)], "has_more": True, "last_id": "user_wrong"})
    assert ids(list_users(first, page("/users", user(2), after="user-1"))) == ["user-1", "user-2"]


def test_entry_is_listed_once_when_it_moves_to_the_next_page() -> None:
    first, second = page("/users", user(1), user(2), more=True), page("/users", user(2), user(3), after="user-2")
    assert ids(list_users(first, second)) == ["user-1", "user-2", "user-3"]
    assert ids(list_users(page("/users", user(1), user(1)))) == ["user-1"]


def test_task_fails_when_a_page_ends_with_an_earlier_entry() -> None:
    pages = (
        page("/users", user(1), user(2), user(3), more=True),
        page("/users", user(4), user(2), more=True, after="user-3"),
    )
    assert "its pages repeat after 'user-2'" in list_users(*pages)["msg"]


def test_task_fails_when_pages_repeat() -> None:
    result = list_users(page("/users", user(1), more=True), page("/users", user(1), more=True, after="user-1"))
    assert result["failed"]
    assert result["msg"].endswith("because its pages repeat after 'user-1'. Run the task again.")


def test_retry_delay_is_long_when_status_429_has_no_retry_after(delays: list[float]) -> None:
    busy = call("GET", USERS, 429, json=error("Rate limit reached", "requests", "rate_limit_exceeded"))
    assert ids(list_users(busy, busy, page("/users", user(1)))) == ["user-1"]
    assert delays == [10.0, 20.0]


@pytest.mark.parametrize(
    "shape", [error("Project old is archived"), {"code": 400, "message": "Project old is archived"}]
)
def test_both_error_formats_are_understood(shape: dict[str, Any]) -> None:
    assert "400 Project old is archived." in list_users(call("GET", USERS, 400, json=shape))["msg"]


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """Return the directory for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replace the clock by one that only advances when it is set or the code sleeps."""
    now = [1_800_000_000.0]
    monkeypatch.setattr(admin_rate_limiter.time, "time", lambda: now[0])

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(admin_rate_limiter.time, "sleep", sleep)
    return now


def schedule_of(clock: list[float], calls: list[str], quota_key: str = "key", per_minute: float = 6.0) -> list[float]:
    """Return the seconds after which each request is sent, each by a separate task."""
    began, turns = clock[0], []
    for name in calls:
        AdminRateLimiter(Task({"admin_requests_per_minute": per_minute}), [quota_key]).wait(name)
        turns.append(round(clock[0] - began, 3))
    return turns


def test_requests_are_limited_to_six_per_minute_after_a_burst_of_four(folder: pathlib.Path, clock: list[float]) -> None:
    assert schedule_of(clock, ["list"] * 7) == [0, 0, 0, 0, 10, 20, 30]
    clock[0] += 60
    assert schedule_of(clock, ["list"] * 5) == [0, 0, 0, 0, 10]


def test_requests_of_other_kinds_and_keys_are_limited_separately(folder: pathlib.Path, clock: list[float]) -> None:
    assert schedule_of(clock, ["list"] * 4) == [0, 0, 0, 0]
    assert schedule_of(clock, ["create"] * 4) == [0, 0, 0, 0]
    assert schedule_of(clock, ["list"] * 4, quota_key="another") == [0, 0, 0, 0]


def test_rate_is_the_value_of_the_option(folder: pathlib.Path, clock: list[float]) -> None:
    assert schedule_of(clock, ["list"] * 50, per_minute=0) == [0] * 50
    assert schedule_of(clock, ["list"] * 6, per_minute=60) == [0, 0, 0, 0, 1, 2]


def test_wait_is_short_when_the_clock_was_set_back(folder: pathlib.Path, clock: list[float]) -> None:
    schedule_of(clock, ["list"] * 9)
    clock[0] -= 1_000_000
    assert schedule_of(clock, ["list"])[0] <= 3600


def test_file_is_private_and_contains_no_key(folder: pathlib.Path, clock: list[float]) -> None:
    schedule_of(clock, ["list"], quota_key=ADMIN)
    (file,) = folder.glob("buildworks-toolchain-*/*")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert ADMIN not in file.name + file.read_text()


@pytest.mark.parametrize("content", ["", "no JSON", "[]", '{"list": "soon"}'])
def test_file_is_replaced_when_it_is_invalid(folder: pathlib.Path, clock: list[float], content: str) -> None:
    schedule_of(clock, ["list"] * 4)
    (file,) = folder.glob("buildworks-toolchain-*/*")
    file.write_text(content)
    assert schedule_of(clock, ["list"]) == [0]


def test_each_process_is_limited_separately_when_no_file_can_be_created(
    folder: pathlib.Path, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_rate_limiter, "_PROCESS_SCHEDULES", {})
    folder.chmod(0o500)
    monkeypatch.setattr(admin_rate_limiter.os, "mkdir", _refuse)
    assert schedule_of(clock, ["list"] * 5) == [0, 0, 0, 0, 10]


def _refuse(*_arguments: Any) -> None:
    raise PermissionError


def test_wait_is_displayed(folder: pathlib.Path, clock: list[float]) -> None:
    displayed: list[str] = []
    task = Task({"admin_requests_per_minute": 6.0}, display=displayed.append)
    for _number in range(5):
        AdminRateLimiter(task, ["k"]).wait("GET /organization/users")
    assert displayed == ["waiting 10 s before GET /organization/users (admin_requests_per_minute)"]
