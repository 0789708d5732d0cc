# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.aql_answer import aql_body
from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

BUILD = "/artifactory/api/build"
PAGE = '.sort({"$asc":["repo","path","name"]}).limit(10000)'
ORDER = {
    "status": "released",
    "targetRepo": "prod",
    "copy": True,
    "artifacts": True,
    "dependencies": False,
    "failFast": True,
}
TASK: dict[str, Any] = {"build": "web", "number": "7", "status": "released", "target_repo": "prod", "copy": True}
MODULES = [
    {
        "id": "m",
        "artifacts": [{"name": "a.jar", "sha1": "aa"}, {"name": "b.jar", "sha1": "bb"}, {"name": "c.jar"}],
        "dependencies": [{"id": "d", "sha1": "dd", "scopes": ["test"]}, {"id": "e", "sha1": "ee"}],
    }
]


def status(name: str, repository: str | None = "prod") -> dict[str, Any]:
    return {"status": name, "repository": repository, "timestamp": "2024-05-03T10:00:00.000+0000", "user": "ci"}


def status_result(name: str, repository: str | None = "prod") -> dict[str, Any]:
    more = {"comment": None, "ci_user": None, "timestamp": "2024-05-03T10:00:00.000Z", "user": "ci"}
    return {"status": name, "repository": repository, **more}


def read_run(*statuses: dict[str, Any]) -> Call:
    record = {"name": "web", "number": "7", "started": "2024-05-01T10:11:12.345+0000", "modules": MODULES}
    if statuses:
        record["statuses"] = list(statuses)
    return call("GET", f"{BUILD}/web/7", json={"uri": "…", "buildInfo": record})


def promote(order: dict[str, Any] | None = None, *messages: tuple[str, str], status: int = 200, **answer: Any) -> Call:
    body = {"messages": [{"level": level, "message": message} for level, message in messages]}
    return call("POST", f"{BUILD}/promote/web/7", status, sent_json=order or ORDER, **{"json": body, **answer})


def find_files(*checksums: str, of: tuple[str, ...] = ("aa", "bb")) -> Call:
    any_checksum = ",".join(f'{{"actual_sha1":"{checksum}"}}' for checksum in of)
    condition = f'{{"repo":"prod"}},{{"$or":[{any_checksum}]}}'
    query = f'items.find({condition}).include("repo","path","name","actual_sha1"){PAGE}'
    rows = [{"repo": "prod", "path": ".", "name": "a", "actual_sha1": checksum} for checksum in checksums]
    return call("POST", "/artifactory/api/search/aql", json=aql_body(rows), sent_body=query.encode())


def test_build_is_promoted_and_verified() -> None:
    with conversation(
        read_run(status("staged")), promote(), read_run(status("staged"), status("released")), find_files("bb", "aa")
    ) as s:
        result = run("artifact_build_promotion", url=s.url, from_status="staged", **TASK)
    assert result == {
        "changed": True,
        "plan": {"action": "copy", "status": "released", "target_repo": "prod", "files": 2},
        "promotion": status_result("released"),
        "messages": [],
    }


def test_build_is_unchanged_when_the_last_promotion_is_the_same() -> None:
    with conversation(read_run(status("staged"), status("released"))) as server:
        result = run("artifact_build_promotion", url=server.url, from_status="staged", **TASK)
    assert result == {"changed": False, "plan": None, "promotion": status_result("released"), "messages": None}


@pytest.mark.parametrize("last", [status("released", "other"), status("staged")])
def test_build_is_promoted_when_the_last_promotion_differs(last: dict[str, Any]) -> None:
    before = [status("released"), last]
    with conversation(
        read_run(*before), promote(), read_run(*before, status("released")), find_files("aa", "bb")
    ) as server:
        assert run("artifact_build_promotion", url=server.url, **TASK)["changed"]


def test_request_contains_all_options() -> None:
    order = {
        **ORDER,
        "copy": False,
        "comment": "Approved, at last",
        "ciUser": "alice",
        "sourceRepo": "stage",
        "dependencies": True,
        "scopes": ["test"],
        "properties": {"qa": ["a,b", "c"], "released": ["true"]},
    }
    file_query = find_files("aa", "bb", "dd", of=("aa", "bb", "dd"))
    with conversation(read_run(), promote(order), read_run(status("released")), file_query) as server:
        result = run(
            "artifact_build_promotion",
            url=server.url,
            **{**TASK, "copy": False},
            comment="Approved, at last",
            ci_user="alice",
            repo="stage",
            dependencies=True,
            scopes=["test"],
            properties={"qa": ["c", "a,b"], "released": True},
        )
    assert result["plan"] == {"action": "move", "status": "released", "target_repo": "prod", "files": 3}


def test_status_is_set_when_no_repository_is_given() -> None:
    order = {"status": "tested", "copy": False, "artifacts": True, "dependencies": False, "failFast": True}
    with conversation(read_run(), promote(order), read_run(status("tested", None))) as server:
        result = run("artifact_build_promotion", url=server.url, build="web", number="7", status="tested")
    assert result["plan"] == {"action": "set status", "status": "tested", "target_repo": None, "files": 0}
    assert result["promotion"] == status_result("tested", None)


def test_dry_run_has_no_status_when_in_check_mode() -> None:
    dry = {**{name: value for name, value in ORDER.items() if name != "status"}, "dryRun": True}
    with conversation(read_run(), find_files(), promote(dry, ("INFO", "fine")), read_run(), find_files()) as server:
        result = run("artifact_build_promotion", url=server.url, check_mode=True, **TASK)
    assert result == {
        "changed": True,
        "plan": {"action": "copy", "status": "released", "target_repo": "prod", "files": 2},
        "promotion": {
            **dict.fromkeys(("comment", "ci_user", "user", "timestamp")),
            "status": "released",
            "repository": "prod",
        },
        "messages": [{"level": "INFO", "message": "fine"}],
    }


@pytest.mark.parametrize(
    "verification", [[read_run(status("released"))], [read_run(), find_files("aa")]], ids=["history", "files"]
)
def test_task_fails_when_a_dry_run_promotes(verification: list[Call]) -> None:
    dry = {**{name: value for name, value in ORDER.items() if name != "status"}, "dryRun": True}
    with conversation(read_run(), find_files(), promote(dry), *verification) as server:
        result = run("artifact_build_promotion", url=server.url, check_mode=True, **TASK)
    assert result["failed"]
    assert "was promoted, although only a dry run was requested" in result["msg"]


def test_check_mode_fails_when_the_dry_run_fails() -> None:
    dry = {**{name: value for name, value in ORDER.items() if name != "status"}, "dryRun": True}
    with conversation(read_run(), find_files(), promote(dry, ("ERROR", "No such repository"), status=400)) as server:
        result = run("artifact_build_promotion", url=server.url, check_mode=True, **TASK)
    assert "400 No such repository." in result["msg"]


def test_check_mode_sends_no_dry_run_when_only_the_status_changes() -> None:
    options = {"build": "web", "number": "7", "status": "ok", "check_mode": True}
    with conversation(read_run(), edition(OPEN_SOURCE)) as server:
        assert "requires Artifactory Pro" in run("artifact_build_promotion", url=server.url, **options)["msg"]
    with conversation(read_run(), edition()) as server:
        result = run("artifact_build_promotion", url=server.url, **options)
    assert result["changed"]
    assert result["messages"] == []


@pytest.mark.parametrize("fail_fast", [True, False])
def test_check_mode_predicts_partial_changes_when_fail_fast_is_false(fail_fast: bool) -> None:
    wishes = {**ORDER, "failFast": fail_fast}
    dry = {**{name: value for name, value in wishes.items() if name != "status"}, "dryRun": True}
    with conversation(
        read_run(), find_files(), promote(dry, ("ERROR", "Not found: a.jar")), read_run(), find_files()
    ) as server:
        result = run("artifact_build_promotion", url=server.url, check_mode=True, fail_fast=fail_fast, **TASK)
    assert result["failed"]
    assert result["changed"] is not fail_fast
    assert result["messages"] == [{"level": "ERROR", "message": "Not found: a.jar"}]


def test_error_contains_all_messages_of_the_server() -> None:
    refusal = promote(ORDER, ("ERROR", "Not found: a.jar"), ("WARNING", "b.jar is old"), status=400)
    with conversation(read_run(), refusal) as server:
        result = run("artifact_build_promotion", url=server.url, **TASK)
    assert "400 Not found: a.jar; b.jar is old." in result["msg"]
    assert not result["changed"]


def test_task_fails_when_a_success_contains_errors() -> None:
    order = {**ORDER, "failFast": False}
    answer = promote(order, ("ERROR", "Not found: a.jar"), ("WARNING", "b.jar is old"))
    with conversation(read_run(), answer, read_run(status("released"))) as server:
        result = run("artifact_build_promotion", url=server.url, fail_fast=False, **TASK)
    assert result["msg"] == "The run '7' of 'web' could not be promoted completely: Not found: a.jar."
    assert result["warnings"] == ["b.jar is old"]
    assert result["changed"]
    assert result["promotion"] == status_result("released")
    assert [message["level"] for message in result["messages"]] == ["ERROR", "WARNING"]


def test_promotion_is_repeated_when_it_was_partial() -> None:
    order = {**ORDER, "failFast": False}
    before = status("released")
    with conversation(
        read_run(before), find_files("bb"), promote(order), read_run(before, before), find_files("aa", "bb")
    ) as server:
        assert run("artifact_build_promotion", url=server.url, fail_fast=False, **TASK)["changed"]
    with conversation(read_run(before), find_files("aa", "bb")) as server:
        assert not run("artifact_build_promotion", url=server.url, fail_fast=False, **TASK)["changed"]


def test_task_fails_when_a_file_is_missing_in_the_target() -> None:
    with conversation(read_run(), promote(), read_run(status("released")), find_files("bb")) as server:
        result = run("artifact_build_promotion", url=server.url, **TASK)
    assert result["changed"]
    assert "1 of its 2 files are not in 'prod', the first of them with the SHA-1 aa" in result["msg"]


def test_task_fails_when_the_history_has_no_entry() -> None:
    answer = promote(ORDER, ("ERROR", "Skipping promotion status update: invalid unparsable timestamp x"))
    with conversation(read_run(status("staged")), answer, read_run(status("staged"))) as server:
        result = run("artifact_build_promotion", url=server.url, **TASK)
    assert (
        "promotion history does not contain it. Messages of the server: Skipping promotion status update"
        in result["msg"]
    )


def test_history_is_read_when_the_response_is_lost() -> None:
    with conversation(read_run(), promote(drop=True), read_run(status("released")), find_files("aa", "bb")) as server:
        result = run("artifact_build_promotion", url=server.url, **TASK)
    assert result["changed"]
    assert "Reading back shows that the request had its effect." in result["warnings"][0]
    with conversation(read_run(), promote(drop=True), read_run()) as server:
        result = run("artifact_build_promotion", url=server.url, **TASK)
    assert "Whether the request had its effect is not known." in result["msg"]


@pytest.mark.parametrize(
    ("statuses", "has"), [([], "no status"), ([status("built")], "the status 'built'")], ids=["none", "another"]
)
def test_task_fails_when_the_current_status_differs(statuses: list[dict[str, Any]], has: str) -> None:
    with conversation(read_run(*statuses)) as server:
        result = run("artifact_build_promotion", url=server.url, from_status="staged", **TASK)
    assert f"has {has}, but 'from_status' requires 'staged'." in result["msg"]


def test_task_fails_when_the_run_does_not_exist() -> None:
    error = {"errors": [{"status": 404, "message": "No build was found"}]}
    with conversation(call("GET", f"{BUILD}/team%2Fmy%20web/1%2F2?project=p", 404, json=error)) as server:
        result = run(
            "artifact_build_promotion", url=server.url, build="team/my web", number="1/2", status="x", project_key="p"
        )
    assert (
        result["msg"] == "The run '1/2' of 'team/my web' does not exist, or the account has no Read permission on it."
    )


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"status": ""}, "Option 'status': must not be empty"),
        ({"target_repo": None, "repo": "stage"}, "missing parameter(s) required by 'repo': target_repo"),
        ({"properties": {"1st": "x"}}, "Option 'properties': '1st' cannot be a key"),
        ({"number": ".."}, "Option 'number': '..' is not a valid part of a path"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_build_promotion", url=server.url, **{**TASK, **options})
    assert result["failed"]
    assert problem in result["msg"]


# Several runs


def test_each_run_has_an_outcome() -> None:
    absent = call("GET", f"{BUILD}/api/7", 404, json={"errors": [{"status": 404, "message": "No build was found"}]})
    with conversation(read_run(status("released")), absent) as server:
        result = run(
            "artifact_build_promotion",
            url=server.url,
            **TASK,
            items=[{}, {"build": "api"}],
            workers=1,
            on_error="report",
        )
    assert (result["counts"]["ok"], result["counts"]["failed"]) == (1, 1)
    assert result["outcomes"][1]["promotion"] == status_result("released")
    assert (
        result["failures"][0]["reason"]
        == "The run '7' of 'api' does not exist, or the account has no Read permission on it."
    )


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([{}, {"status": "tested"}], "items[1]: duplicate of items[0]."),
        ([{"number": ".."}], "Option 'items[0].number': '..' is not a valid part of a path"),
        ([{"properties": {"1st": "v"}}], "Option 'items[0].properties': '1st' cannot be"),
    ],
)
def test_wrong_items_are_refused_before_any_request(items: list[dict[str, Any]], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_build_promotion", url=server.url, **TASK, items=items)
    assert problem in result["msg"]


def test_item_is_refused_when_a_required_option_is_missing() -> None:
    with conversation() as server:
        result = run("artifact_build_promotion", url=server.url, build="web", items=[{"number": "7"}])
    assert result["msg"] == "items[0]: missing required arguments: status."
