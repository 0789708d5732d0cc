# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

DEFAULT = records({"name": "*default*", "allowAll": True})
B1 = {"id": 1, "name": "b 1", "date": 1619434216567, "keepit": False}
B2 = {"id": 2, "name": "b2", "date": 1619436216567, "keepit": True}
B3 = {"id": 3, "name": "b3", "date": 1619437882164, "keepit": False}
B4 = {"id": 4, "name": "b4", "date": 1619437892164, "keepit": False, "tags": []}
SHOWN = {"id": 1, "name": "b 1", "date": "2021-04-26T10:50:16Z", "keep": False}


def builds(*entries: dict[str, Any]) -> Call:
    return act("builds", project="app", text=records(*entries))


def configuration(status: int = 200, **answer: Any) -> Call:
    return act("project_configuration", status, project="app", **answer)


def no_builds() -> list[Call]:
    return [builds(), configuration(404, text=refusal(404, "Build not found: latest"))]


def update(name: str = "b 1", **fields: str) -> Call:
    return act("update_build", project="app", name=name, **fields)


def delete(name: str, status: int = 200, **answer: Any) -> Call:
    return act("delete_build", status, project="app", name=name, **answer)


def build(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_build", url=server.url, project="app", **options, **ACCOUNT)


@pytest.mark.parametrize("options", [{}, {"keep": False}, {"new_name": "b 1"}])
def test_second_run_sends_one_read(options: dict[str, Any]) -> None:
    assert build(builds(B2, B1), name="b 1", **options) == {"changed": False, "build": SHOWN}


def test_keep_is_sent_as_keepit() -> None:
    result = build(builds(B1), update(keepit="true"), builds({**B1, "keepit": True}), name="b 1", keep=True)
    assert result == {"changed": True, "build": {**SHOWN, "keep": True}}


def test_build_is_renamed_once() -> None:
    renamed = {**B1, "name": "r", "keepit": True}
    done = build(builds(B1), update(new_name="r", keepit="true"), builds(renamed), name="b 1", new_name="r", keep=True)
    assert (done["changed"], done["build"]["name"]) == (True, "r")
    assert not build(builds(renamed), name="b 1", new_name="r", keep=True)["changed"]
    result = build(builds(B1, B2), name="b 1", new_name="b2")
    assert result["msg"] == "Option 'new_name': another build 'b2' already exists."


def test_rename_succeeds_when_response_is_lost() -> None:
    lost = act("update_build", drop=True, project="app", name="b 1", new_name="r")
    result = build(builds(B1), lost, builds({**B1, "name": "r"}), name="b 1", new_name="r")
    assert result["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_task_fails_when_build_does_not_exist(check_mode: bool) -> None:
    result = build(builds(B2), name="b 1", keep=True, check_mode=check_mode)
    assert result["msg"] == "Option 'name': build 'b 1' does not exist. Load it with 'kwadmin load' first."


def test_build_is_deleted_once() -> None:
    assert build(builds(B2, B1), delete("b 1"), builds(B2), name="b 1", state="absent")["changed"]
    assert build(builds(B2), name="b 1", state="absent") == {"changed": False, "build": None}
    still = build(builds(B2, B1), delete("b 1"), builds(B2, B1), name="b 1", state="absent")
    assert "but the build still exists" in still["msg"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_last_build_is_kept_without_allow_last(check_mode: bool) -> None:
    result = build(builds(B1), name="b 1", state="absent", check_mode=check_mode)
    assert result["msg"].startswith("Option 'allow_last': must be true to delete 'b 1'")
    assert build(builds(B1), delete("b 1"), *no_builds(), name="b 1", state="absent", allow_last=True)["changed"]


@pytest.mark.parametrize("options", [{"name": "b 1", "state": "absent"}, {"keep_newest": 1}])
def test_nothing_changes_when_project_has_no_builds(options: dict[str, Any]) -> None:
    assert build(*no_builds(), **options)["changed"] is False
    # some servers return no error
    assert build(
        builds(), configuration(text=""), act("modules", text=DEFAULT, project="app"), builds(), **options
    ) == (build(*no_builds(), **options))


@pytest.mark.parametrize("options", [{"name": "b 1", "state": "absent", "allow_last": True}, {"keep_newest": 1}])
def test_absence_is_not_assumed_when_response_is_empty(options: dict[str, Any]) -> None:
    deleted = [delete("b 1"), builds(B4)]
    configured = configuration(text=records({"build": "b4"}))
    assert build(builds(), configured, builds(B4, B1), *deleted, **options)["changed"]
    assert build(builds(), configured, builds(), **options)["msg"].startswith(
        "Cannot list the builds of project 'app': the body of the response was lost. The list is empty, but the "
        "server has the configuration of build 'b4'"
    )
    failed = configuration(500, text=refusal(500, "Internal error"))
    default = act("modules", text=DEFAULT, project="app")
    assert build(builds(), failed, default, builds(B4, B1), *deleted, **options)["changed"]
    lost = [builds(), configuration(text=""), act("modules", project="app")]
    assert "'modules' returned an empty list, but always returns" in build(*lost, **options)["msg"]
    assert "403 no" in build(builds(), configuration(403, text=refusal(403, "no")), **options)["msg"]


def test_keep_newest_deletes_older_builds_and_reads_back() -> None:
    result = build(builds(B1, B2, B3, B4), delete("b 1"), delete("b3"), builds(B4, B2), keep_newest=1)
    assert result == {
        "changed": True,
        "plan": {"counts": {"delete": 2}, "first": [{"action": "delete", "name": name} for name in ("b3", "b 1")]},
        "deleted": ["b3", "b 1"],
        "not_deleted": [],
    }


def test_check_mode_returns_plan() -> None:
    rights = act("users", 403, search="admin", text=refusal(403, "No."))
    result = build(builds(B4, B3, B1), rights, keep_newest=2, check_mode=True)
    plan = {"counts": {"delete": 1}, "first": [{"action": "delete", "name": "b 1"}]}
    assert result == {"changed": True, "plan": plan, "deleted": None, "not_deleted": None}


def test_plan_is_null_when_no_build_is_old() -> None:
    result = build(builds(B4, B2, B3), keep_newest=2)
    assert result == {"changed": False, "plan": None, "deleted": None, "not_deleted": None}


def test_other_builds_are_deleted_when_one_is_refused() -> None:
    refused = delete("b 1", 403, text=refusal(403, "Build is being loaded"))
    result = build(builds(B4, B3, B1), refused, delete("b3"), builds(B4, B1), keep_newest=1)
    assert result["failed"]
    assert result["changed"]
    assert (result["deleted"], result["not_deleted"]) == (["b3"], ["b 1"])
    assert "Could not delete 1 of 2 builds: b 1." in result["msg"]
    assert "403 Build is being loaded" in result["msg"]


def test_deletion_succeeds_when_response_is_lost() -> None:
    result = build(builds(B4, B1), delete("b 1", drop=True), builds(B4), keep_newest=1)
    assert (result["changed"], result["deleted"]) == (True, ["b 1"])


def test_task_fails_when_accepted_deletions_have_no_effect() -> None:
    result = build(builds(B4, B1), delete("b 1"), builds(B4, B1), keep_newest=1)
    assert "1 of 2" not in result["msg"]
    assert (
        "Could not delete 1 of 1 builds: b 1. The server accepted the requests, but still lists the builds."
        in result["msg"]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one of the following is required: name, keep_newest"),
        ({"name": "x", "keep_newest": 1}, "mutually exclusive"),
        ({"keep": True, "keep_newest": 1}, "mutually exclusive"),
        ({"keep_newest": 0}, "Option 'keep_newest': must be 1 to 1,000,000"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], message: str) -> None:
    assert message in build(**options)["msg"]
