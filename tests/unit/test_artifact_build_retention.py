# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.aql_answer import aql_body
from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

pytestmark = pytest.mark.usefixtures("reported_version")

BUILD = "/artifactory/api/build"
PAGE = '.sort({"$asc":["repo","path","name"]}).limit(10000)'
MAY = 1714521600000  # 2024-05-01 in milliseconds
DAY = 86400000


def start_time(number: str) -> str:
    """Return the start time of a run in the server's format: the day in May 2024 is its number."""
    return f"2024-05-0{number}T00:00:00.000+0000"


def entry(number: str) -> dict[str, str]:
    return {"number": number, "started": f"2024-05-0{number}T00:00:00.000Z"}


def runs(*numbers: str) -> Call:
    entries = [{"uri": f"/{number}", "started": start_time(number)} for number in numbers]
    return call("GET", f"{BUILD}/web", json={"uri": "…", "buildsNumbers": entries})


def read_run(number: str, status: str | None = None) -> Call:
    record = {"name": "web", "number": number, "started": start_time(number)}
    if status:
        record["statuses"] = [{"status": "staged"}, {"status": status}]
    query = f"?started=2024-05-0{number}T00%3A00%3A00.000%2B0000"
    return call("GET", f"{BUILD}/web/{number}{query}", json={"uri": "…", "buildInfo": record})


def order(how: str = "async=false", **answer: Any) -> tuple[Call, Call]:
    """Return the check of the edition and the request."""
    sent = {"deleteBuildArtifacts": False, "count": 1, **answer.pop("more", {})}
    request = call("POST", f"{BUILD}/retention/web?{how}", answer.pop("status", 204), sent_json=sent, **answer)
    return (request,)


def files(*names: str, numbers: tuple[str, ...]) -> Call:
    of_numbers = ",".join(f'{{"@build.number":"{number}"}}' for number in numbers)
    condition = f'{{"@build.name":"web"}},{{"$or":[{of_numbers}]}}'
    query = f'items.find({condition}).include("repo","path","name"){PAGE}'
    rows = [{"repo": "libs", "path": ".", "name": name} for name in names]
    return call("POST", "/artifactory/api/search/aql", json=aql_body(rows), sent_body=query.encode())


def test_old_runs_are_discarded_except_promoted_ones() -> None:
    before = [runs("1", "3", "2"), read_run("2", "released"), read_run("1")]
    with conversation(*before, *order(), runs("2", "3")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert result == {
        "changed": True,
        "plan": {"counts": {"discard run": 1}, "first": [{"action": "discard run", **entry("1")}]},
        "promoted": [{**entry("2"), "status": "released"}],
        "discarded": [entry("1")],
    }


def test_check_mode_returns_the_runs_to_discard() -> None:
    with conversation(runs("1", "2"), read_run("1")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, check_mode=True)
    assert result["changed"]
    assert result["plan"]["first"] == [{"action": "discard run", **entry("1")}]
    assert result["discarded"] is None


def test_check_mode_fails_when_the_server_is_the_open_source_edition() -> None:
    with conversation(runs("1", "2"), read_run("1"), edition(OPEN_SOURCE)) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, check_mode=True)
    assert "Build retention requires Artifactory Pro" in result["msg"]
    assert not result["changed"]


def test_task_sends_one_read_when_there_is_nothing_to_discard() -> None:
    with conversation(runs("1")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert result == {"changed": False, "plan": None, "promoted": [], "discarded": None}


def test_nothing_is_discarded_when_all_old_runs_are_promoted() -> None:
    with conversation(runs("1", "2"), read_run("1", "released")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert not result["changed"]
    assert result["promoted"] == [{**entry("1"), "status": "released"}]


def test_runs_are_kept_by_count_date_and_number() -> None:
    more = {"minimumBuildDate": MAY + 2 * DAY, "buildNumbersNotToBeDiscarded": ["2"], "deleteBuildArtifacts": True}
    before = [runs("1", "2", "3", "4"), read_run("1"), files("a.jar", numbers=("1",))]
    with conversation(*before, *order(more=more), runs("2", "3", "4"), files(numbers=("1",))) as server:
        result = run(
            "artifact_build_retention",
            url=server.url,
            build="web",
            count=1,
            minimum_date="2024-05-03T02:00:00+02:00",
            keep=[2],
            artifacts=True,
        )
    assert result["plan"] == {
        "counts": {"discard run": 1, "delete file": 1},
        "first": [
            {"action": "discard run", **entry("1")},
            {"action": "delete file", "repo": "libs", "path": "a.jar"},
        ],
    }
    assert result["discarded"] == [entry("1")]


def list_runs(*numbers_and_days: tuple[str, str], project: str = "") -> Call:
    """Return the read of a build whose runs are pairs of number and day in May."""
    listed = [{"uri": f"/{number}", "started": start_time(day)} for number, day in numbers_and_days]
    return call("GET", f"{BUILD}/web{project}", json={"uri": "…", "buildsNumbers": listed})


def record(number: str, day: str, status: str | None = None, project: str = "") -> Call:
    document = {
        "name": "web",
        "number": number,
        "started": start_time(day),
        "statuses": [{"status": status}] * bool(status),
    }
    query = f"?{project}started=2024-05-0{day}T00%3A00%3A00.000%2B0000"
    return call("GET", f"{BUILD}/web/{number}{query}", json={"uri": "…", "buildInfo": document})


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("limit", [{"count": 2}, {"minimum_date": "2024-05-02T00:00:00Z"}])
def test_retention_fails_when_a_kept_run_has_the_number_of_a_discarded_one(
    limit: dict[str, Any], check_mode: bool
) -> None:
    with conversation(list_runs(("7", "1"), ("7", "5"), ("8", "6")), record("7", "1")) as server:
        options = {**limit, "artifacts": True, "check_mode": check_mode}
        result = run("artifact_build_retention", url=server.url, build="web", **options)
    assert result["failed"]
    assert not result["changed"]
    assert "have the number of a run to delete: '7' of 2024-05-05T00:00:00.000Z." in result["msg"]
    assert "'artifacts: false'" in result["msg"]


def test_retention_fails_when_a_promoted_run_has_the_number_of_a_discarded_one() -> None:
    before = [list_runs(("7", "1"), ("7", "2"), ("8", "6")), record("7", "2", "released"), record("7", "1")]
    with conversation(*before) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, artifacts=True)
    assert "have the number of a run to delete: '7' of 2024-05-02T00:00:00.000Z." in result["msg"]


def test_retention_fails_when_a_run_outside_the_project_has_the_number_of_a_discarded_one() -> None:
    inside = [list_runs(("7", "1"), ("8", "6"), project="?project=p"), record("7", "1", project="project=p&")]
    with conversation(*inside, list_runs(("7", "3"))) as server:
        options = {"count": 1, "artifacts": True, "project_key": "p"}
        result = run("artifact_build_retention", url=server.url, build="web", **options)
    assert "'7' of 2024-05-03T00:00:00.000Z outside the project 'p'" in result["msg"]


def test_run_is_discarded_when_it_shares_its_number_but_keeps_its_files() -> None:
    before = [list_runs(("7", "1"), ("7", "5")), record("7", "1")]
    with conversation(*before, *order(), list_runs(("7", "5"))) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert result["discarded"] == [{**entry("1"), "number": "7"}]


def test_runs_of_one_number_are_discarded_when_none_of_them_is_kept() -> None:
    before = [list_runs(("7", "1"), ("7", "2"), ("8", "6")), record("7", "2"), record("7", "1")]
    number = files("a.jar", numbers=("7",))
    after = [list_runs(("8", "6")), files(numbers=("7",))]
    ordered = order(more={"deleteBuildArtifacts": True})
    with conversation(*before, number, *ordered, *after) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, artifacts=True)
    assert len(result["discarded"]) == 2


def test_special_characters_in_build_names_are_encoded() -> None:
    listing = call("GET", f"{BUILD}/team%2Fmy%20web?project=p", json={"buildsNumbers": []})
    with conversation(listing) as server:
        result = run("artifact_build_retention", url=server.url, build="team/my web", count=1, project_key="p")
    assert result["msg"] == "Build 'team/my web' does not exist, or the account has no Read permission on it."


def test_task_fails_when_nothing_was_discarded() -> None:
    with conversation(runs("1", "2"), read_run("1"), *order(), runs("1", "2")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, wait_timeout=0)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"].startswith("The server accepted the request, but 1 of 1 runs still exist: '1'.")
    assert result["discarded"] == []


def test_result_has_discarded_runs_when_the_task_fails() -> None:
    old = [read_run("2"), read_run("1")]
    with conversation(runs("1", "2", "3"), *old, *order(), runs("1", "3")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, wait_timeout=0)
    assert result["failed"]
    assert result["changed"]
    assert result["discarded"] == [entry("2")]


def test_task_waits_when_the_server_responds_before_it_acts(delays: list[float]) -> None:
    with conversation(runs("1", "2"), read_run("1"), *order(), runs("1", "2"), runs("2")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert result["discarded"] == [entry("1")]
    assert delays == [1.0]


def test_interruption_is_reported_when_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    calls = [runs("1", "2"), read_run("1"), *order(), runs("1", "2")]
    with conversation(*calls) as server, pytest.raises(KeyboardInterrupt):
        run("artifact_build_retention", url=server.url, build="web", count=1, display_interruption=words.append)
    assert words == ["interrupted while the server discards 1 run(s). The server continues."]


def test_task_fails_when_files_still_exist() -> None:
    more = {"deleteBuildArtifacts": True}
    before = [runs("1", "2"), read_run("1"), files("a.jar", numbers=("1",))]
    with conversation(*before, *order(more=more), runs("2"), files("a.jar", numbers=("1",))) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, artifacts=True)
    assert result["failed"]
    assert "1 of its files still exist, the first of them libs/a.jar" in result["msg"]
    assert result["discarded"] == [entry("1")]


def test_error_contains_the_servers_message_in_any_form() -> None:
    body = {
        "errors": [{"status": 404, "message": "Errors have occurred while maintaining build retention."}],
        "error massages": [{"level": "ERROR", "message": "No right to delete web#1"}],
    }
    with conversation(runs("1", "2"), read_run("1"), *order(status=404, json=body), runs("1", "2")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert "Errors have occurred while maintaining build retention.; No right to delete web#1." in result["msg"]
    assert not result["changed"]


def test_refusal_is_a_warning_when_all_runs_are_discarded() -> None:
    body = {"errors": [{"status": 500, "message": "Warnings encountered while performing build retention."}]}
    with conversation(runs("1", "2"), read_run("1"), *order(status=500, json=body), runs("2")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert result["changed"]
    assert "Warnings encountered" in result["warnings"][0]
    assert "Reading back shows that all runs were discarded." in result["warnings"][0]


def test_result_is_read_when_the_response_is_lost() -> None:
    with conversation(runs("1", "2"), read_run("1"), *order(drop=True), runs("2")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, retries=0)
    assert result["changed"]
    assert result["warnings"][0].endswith("Connection reset by peer. Reading back shows that all runs were discarded.")


def test_error_names_remaining_runs_when_the_response_is_lost() -> None:
    lost = order(drop=True)
    with conversation(runs("1", "2", "3"), read_run("2"), read_run("1"), *lost, runs("2", "3")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, retries=0)
    assert result["failed"]
    assert result["changed"]
    assert result["discarded"] == [entry("1")]
    assert result["msg"].endswith("Connection reset by peer. 1 of 2 runs still exist: '2'.")


def test_warning_names_runs_that_were_discarded_unexpectedly() -> None:
    with conversation(runs("1", "2", "3"), read_run("2", "released"), read_run("1"), *order(), runs("3")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1)
    assert result["discarded"] == [entry("1")]
    assert result["warnings"] == ["These runs were also discarded, although they were not planned: '2'."]


def test_result_is_null_when_the_task_does_not_wait() -> None:
    with conversation(runs("1", "2"), read_run("1"), *order("async=true")) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, wait=False)
    assert result["changed"]
    assert result["discarded"] is None


def test_refusal_fails_when_the_task_does_not_wait() -> None:
    with conversation(runs("1", "2"), read_run("1"), *order("async=true", status=403)) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=1, wait=False)
    assert "403" in result["msg"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"build": "b"}, "one of the following is required: count, minimum_date"),
        ({"build": "b", "count": 0}, "Option 'count': must be 1 to 1,000,000, not 0"),
        ({"build": "b", "count": -1}, "Option 'count': must be 1 to 1,000,000"),
        ({"build": "b", "minimum_date": "4w"}, "Option 'minimum_date': must be a date and time with a time zone"),
        ({"build": "b", "minimum_date": "2024-02-30T00:00:00Z"}, "Option 'minimum_date': must be a date and time"),
        ({"build": "b", "count": 1, "keep": [""]}, "Option 'keep[0]': must not be empty"),
        ({"build": "..", "count": 1}, "Option 'build': '..' is not a valid part of a path"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_build_retention", url=server.url, **options)
    assert result["failed"]
    assert problem in result["msg"]


# Several builds


def test_each_build_has_an_outcome() -> None:
    absent = call("GET", f"{BUILD}/api", json={"buildsNumbers": []})
    with conversation(runs("1", "2"), read_run("1"), *order(), runs("2"), absent) as server:
        result = run(
            "artifact_build_retention",
            url=server.url,
            count=1,
            items=[{"build": "web"}, {"build": "api", "count": 3}],
            workers=1,
        )
    assert result["msg"].startswith("1 of 2 items failed. The first failure is items[1]: Build 'api' does not exist")
    assert result["changed"]
    assert (result["counts"]["changed"], result["counts"]["failed"]) == (1, 1)
    assert result["outcomes"][1]["discarded"] == [entry("1")]


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([{"build": "b", "count": 1}, {"build": "b", "count": 2}], "items[1]: duplicate of items[0]."),
        ([{"build": "b"}], "items[0]: one of the following is required: count, minimum_date"),
        ([{"count": 1}], "items[0]: missing required arguments: build"),
        ([{"build": "b", "count": 0}], "Option 'items[0].count': must be 1 to 1,000,000, not 0"),
        ([{"build": "..", "count": 1}], "Option 'items[0].build': '..' is not a valid part of a path"),
    ],
)
def test_wrong_items_are_refused_before_any_request(items: list[dict[str, Any]], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_build_retention", url=server.url, items=items)
    assert problem in result["msg"]


@pytest.mark.parametrize(("surplus", "suffix"), [(9, ""), (10, ""), (11, " and 1 more"), (12, " and 2 more")])
def test_warning_names_at_most_ten_runs(surplus: int, suffix: str) -> None:
    numbers = [f"{number}" for number in range(3, 3 + surplus)]
    entries = [{"uri": f"/{number}", "started": start_time("2")} for number in numbers]
    oldest = {"uri": "/1", "started": start_time("1")}
    before = call("GET", f"{BUILD}/web", json={"uri": "…", "buildsNumbers": [oldest, *entries]})
    with conversation(before, read_run("1"), *order(more={"count": surplus}), runs()) as server:
        result = run("artifact_build_retention", url=server.url, build="web", count=surplus)
    named = ", ".join(f"'{number}'" for number in numbers[:10])
    assert result["warnings"] == [f"These runs were also discarded, although they were not planned: {named}{suffix}."]


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("check_mode", [True, False])
def test_open_source_edition_is_refused_before_the_request(wait: bool, check_mode: bool) -> None:
    """It accepts the request and ignores it."""
    with conversation(runs("1", "2"), read_run("1"), edition(OPEN_SOURCE)) as server:
        options = {"build": "web", "count": 1, "wait": wait}
        result = run("artifact_build_retention", url=server.url, check_mode=check_mode, **options)
    assert "Build retention requires Artifactory Pro, but the server is the open-source edition." in result["msg"]
    assert not result["changed"]
