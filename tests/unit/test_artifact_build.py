# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.aql_answer import aql_body
from support.artifact_edition import OPEN_SOURCE, PRO_ONLY, edition
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

BUILD = "/artifactory/api/build"
PAGE = '.sort({"$asc":["repo","path","name"]}).limit(10000)'
AQL = "/artifactory/api/search/aql"
RUN = f"{BUILD}/my-build/51?started=2024-05-01T10%3A11%3A12.345%2B0000"
STARTED = "2024-05-01T10:11:12.345+0000"
RECORD: dict[str, Any] = {
    "name": "my-build",
    "number": "51",
    "started": STARTED,
    "modules": [{"id": "a", "artifacts": [{"name": "a.jar", "sha1": "aa"}]}],
}
ABSENT: dict[str, Any] = {"build": "my-build", "number": "51", "state": "absent"}


def none(target: str) -> Call:
    error = {"status": 404, "message": "No build was found for build name: my-build, build number: 51 "}
    return call("GET", target, 404, json={"errors": [error]})


def existing(record: dict[str, Any], target: str = RUN) -> Call:
    return call("GET", target, json={"uri": "…", "buildInfo": record})


def put(record: dict[str, Any], target: str = BUILD, **answer: Any) -> Call:
    return call("PUT", target, answer.pop("status", 204), sent_json=record, **answer)


def runs(*numbers: str, build: str = "my-build") -> Call:
    entries = [{"uri": f"/{number}", "started": STARTED} for number in numbers]
    return call("GET", f"{BUILD}/{build}", json={"uri": "…", "buildsNumbers": entries})


def files(*names: str, build: str = "my-build", number: str = "51", **more: Any) -> Call:
    condition = f'{{"@build.name":"{build}"}},{{"$or":[{{"@build.number":"{number}"}}]}}'
    query = f'items.find({condition}).include("repo","path","name"){PAGE}'
    rows = [{"repo": "libs", "path": "org/acme", "name": name} for name in names]
    sent = {"sent_body": query.encode(), "sent_headers": {"Content-Type": "text/plain; charset=utf-8"}}
    return call("POST", AQL, json=aql_body(rows, **more), **sent)


def delete(artifacts: bool = False, **answer: Any) -> Call:
    target = f"{BUILD}/my-build?buildNumbers=51&artifacts={int(artifacts)}"
    return call("DELETE", target, text="The following builds has been deleted successfully: 'my-build#51'.", **answer)


def test_build_info_is_published_and_read_back() -> None:
    content = {**RECORD, "number": 51, "started": "2024-05-01T12:11:12.345+02:00", "url": None, "statuses": []}
    with conversation(none(RUN), put(RECORD), existing({**RECORD, "artifactoryPrincipal": "ci"})) as server:
        result = run("artifact_build", url=server.url, content=content, diff_mode=True)
    assert result["changed"]
    assert result["build"]["started"] == "2024-05-01T10:11:12.345Z"
    assert result["build"]["principal"] == "ci"
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", "record": RECORD}}


def test_check_mode_predicts_the_published_build_info() -> None:
    with conversation(none(RUN)) as server:
        checked = run("artifact_build", url=server.url, content=RECORD, check_mode=True, diff_mode=True)
    predicted = {"version": "1.0.1", "durationMillis": 0, "artifactoryPrincipal": None, **RECORD}
    assert checked["build"]["record"] == predicted
    assert (checked["build"]["duration_ms"], checked["build"]["principal"]) == (0, None)
    with conversation(none(RUN), put(RECORD), existing({**predicted, "artifactoryPrincipal": "ci"})) as server:
        done = run("artifact_build", url=server.url, content=RECORD, diff_mode=True)
    assert done["build"].pop("principal") == done["build"]["record"].pop("artifactoryPrincipal") == "ci"
    del checked["build"]["principal"], checked["build"]["record"]["artifactoryPrincipal"]
    assert done == checked


def test_principal_in_build_info_is_not_compared() -> None:
    with conversation(existing({**RECORD, "artifactoryPrincipal": "ci"})) as server:
        content = {**RECORD, "artifactoryPrincipal": "somebody"}
        assert not run("artifact_build", url=server.url, content=content)["changed"]


def test_run_is_unchanged_when_the_server_has_more_members() -> None:
    stored = {
        **RECORD,
        "started": "2024-05-01T12:11:12.345+0200",
        "durationMillis": 0,
        "modules": [{"id": "a", "properties": {}, "artifacts": [{"name": "a.jar", "sha1": "aa", "md5": "bb"}]}],
        "statuses": [{"status": "staged"}],
    }
    with conversation(existing(stored)) as server:
        result = run("artifact_build", url=server.url, content=RECORD)
    assert not result["changed"]
    assert [status["status"] for status in result["build"]["statuses"]] == ["staged"]


def test_run_is_replaced_when_its_build_info_differs() -> None:
    stored = {**RECORD, "modules": []}
    with conversation(existing(stored), put(RECORD), existing(RECORD)) as server:
        result = run("artifact_build", url=server.url, content=RECORD, diff_mode=True)
    assert result["changed"]
    assert result["diff"]["before"]["record"]["modules"] == []
    assert result["build"]["artifacts"] == 1


@pytest.mark.parametrize("check_mode", [True, False])
def test_task_fails_when_a_promoted_run_would_be_replaced(check_mode: bool) -> None:
    stored = {**RECORD, "modules": [], "statuses": [{"status": "staged"}]}
    with conversation(existing(stored)) as server:
        result = run("artifact_build", url=server.url, content=RECORD, check_mode=check_mode)
    assert result["failed"]
    assert "was promoted ('staged'). Publishing it again would delete its history" in result["msg"]


def test_task_fails_when_a_success_has_no_effect() -> None:
    with conversation(none(RUN), put(RECORD), existing({**RECORD, "modules": []})) as server:
        result = run("artifact_build", url=server.url, content=RECORD)
    assert result["msg"] == (
        "The server accepted the change, but these fields of the build do not have the requested values: "
        "record (modules)."
    )


def test_build_info_is_read_from_a_file_when_src_is_set(tmp_path: Path) -> None:
    source = tmp_path / "build.json"
    source.write_text(json.dumps(RECORD))
    target = RUN.replace("?", "?project=p&")
    with conversation(none(target), put(RECORD, f"{BUILD}?project=p"), existing(RECORD, target)) as server:
        result = run("artifact_build", url=server.url, src=str(source), build="my-build", number="51", project_key="p")
    assert result["changed"]


def test_publication_is_retried_when_the_response_is_lost() -> None:
    lost = put(RECORD, drop=True)
    with conversation(none(RUN), lost, put(RECORD), existing(RECORD)) as server:
        assert run("artifact_build", url=server.url, content=RECORD)["changed"]


def test_run_is_deleted_with_its_files_when_requested() -> None:
    before = [files("b.jar", "a.jar"), runs("50", "51", "51")]
    with conversation(*before, delete(artifacts=True), files(), runs("50")) as server:
        result = run("artifact_build", url=server.url, artifacts=True, **ABSENT)
    assert result == {
        "changed": True,
        "build": None,
        "runs": [{"number": "51", "started": "2024-05-01T10:11:12.345Z"}] * 2,
        "files": [{"repo": "libs", "path": "org/acme/a.jar"}, {"repo": "libs", "path": "org/acme/b.jar"}],
    }


@pytest.mark.parametrize("check_mode", [False, True])
def test_deletion_fails_when_a_run_outside_the_project_has_the_number(check_mode: bool) -> None:
    listed = {"buildsNumbers": [{"uri": "/51", "started": STARTED}]}
    inside = call("GET", f"{BUILD}/my-build?project=p", json=listed)
    with conversation(files("a.jar"), inside, runs("50", "51")) as server:
        options = {**ABSENT, "artifacts": True, "project_key": "p", "check_mode": check_mode}
        result = run("artifact_build", url=server.url, **options)
    assert result["failed"]
    assert not result["changed"]
    assert "'51' of 2024-05-01T10:11:12.345Z outside the project 'p'" in result["msg"]


def test_check_mode_returns_the_runs_and_files_to_delete() -> None:
    with conversation(files("a.jar"), runs("51"), edition()) as server:
        result = run("artifact_build", url=server.url, artifacts=True, check_mode=True, diff_mode=True, **ABSENT)
    assert result["changed"]
    assert result["files"] == [{"repo": "libs", "path": "org/acme/a.jar"}]
    assert result["diff"]["before"]["runs"] == result["runs"]
    assert result["diff"]["after"] == {"state": "absent"}


def test_deletion_fails_when_the_server_is_the_open_source_edition() -> None:
    with conversation(runs("51"), edition(OPEN_SOURCE)) as server:
        predicted = run("artifact_build", url=server.url, check_mode=True, **ABSENT)
    assert "Deleting builds requires Artifactory Pro" in predicted["msg"]
    refused = call("DELETE", f"{BUILD}/my-build?buildNumbers=51&artifacts=0", 400, json=PRO_ONLY)
    with conversation(runs("51"), refused, runs("51")) as server:
        result = run("artifact_build", url=server.url, **ABSENT)
    assert "This requires Artifactory Pro" in result["msg"]
    assert not predicted["changed"]
    assert not result["changed"]


def test_task_fails_now_and_later_when_the_server_keeps_files() -> None:
    with conversation(files("a.jar"), runs("51"), delete(artifacts=True), files("a.jar"), runs("50")) as server:
        result = run("artifact_build", url=server.url, artifacts=True, **ABSENT)
    assert result["changed"]
    assert "1 of its files still exist, the first of them libs/org/acme/a.jar" in result["msg"]
    with conversation(files("a.jar"), runs("50")) as server:
        again = run("artifact_build", url=server.url, artifacts=True, **ABSENT)
    assert result["msg"] == f"The server accepted the change, but reading back failed: {again['msg']}"


def test_task_fails_when_the_list_of_files_is_truncated() -> None:
    note = "AQL query reached the search hard limit, results are trimmed."
    with conversation(files("a.jar", notification=note)) as server:
        result = run("artifact_build", url=server.url, artifacts=True, **ABSENT)
    assert result["failed"]
    assert note in result["msg"]


def test_task_fails_when_the_run_still_exists() -> None:
    with conversation(runs("51"), delete(), runs("51")) as server:
        result = run("artifact_build", url=server.url, **ABSENT)
    assert result["msg"] == "The server accepted the change, but the build still exists."


def test_absent_changes_nothing_when_the_run_does_not_exist() -> None:
    with conversation(none(f"{BUILD}/my-build")) as server:
        assert run("artifact_build", url=server.url, **ABSENT) == {
            "changed": False,
            "build": None,
            "runs": [],
            "files": [],
        }


def test_deletion_succeeds_when_another_client_was_faster() -> None:
    with conversation(runs("51"), delete(status=404), none(f"{BUILD}/my-build")) as server:
        assert run("artifact_build", url=server.url, **ABSENT)["changed"]


@pytest.mark.parametrize(
    ("build", "path", "number"), [("team/my build", "team%2Fmy%20build", "51"), ("my-build", "my-build", "5,1")]
)
def test_name_is_sent_in_the_body_when_a_url_cannot_contain_it(build: str, path: str, number: str) -> None:
    order = {"buildName": build, "buildNumbers": [number], "deleteArtifacts": False, "deleteAll": False, "project": "p"}
    posted = call("POST", f"{BUILD}/delete", text="…", sent_json=order)
    listing = runs(number.replace(",", "%2C"), build=f"{path}?project=p")
    with conversation(listing, posted, none(f"{BUILD}/{path}?project=p")) as server:
        assert run("artifact_build", url=server.url, build=build, number=number, project_key="p", state="absent")[
            "changed"
        ]


def test_error_contains_the_servers_message_when_permission_is_missing() -> None:
    text = "The user: 'x' is not authorized to delete build info. Delete permission is needed."
    refused = call(
        "DELETE",
        f"{BUILD}/my-build?buildNumbers=51&artifacts=0",
        403,
        json={"errors": [{"status": 403, "message": text}]},
    )
    with conversation(runs("51"), refused) as server:
        result = run("artifact_build", url=server.url, **ABSENT)
    assert text in result["msg"]
    assert not result["changed"]


def test_several_runs_are_processed_in_one_task() -> None:
    second = call("DELETE", f"{BUILD}/my-build?buildNumbers=52&artifacts=0", text="…")
    with conversation(runs("51", "52"), delete(), runs("52"), runs("52"), second, runs("50")) as server:
        result = run(
            "artifact_build",
            url=server.url,
            build="my-build",
            state="absent",
            items=[{"number": "51"}, {"number": "52"}],
            workers=1,
        )
    assert result["counts"]["changed"] == 2
    assert [outcome["runs"][0]["number"] for outcome in result["outcomes"]] == ["51", "52"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "state is present but any of the following are missing: src, content"),
        ({"state": "absent", "build": "b"}, "state is absent but all of the following are missing: number"),
        ({"content": {}}, "Option 'content': without 'name'"),
        ({"content": {"name": "b", "number": "1"}}, "Option 'content': without 'started'"),
        ({"content": {**RECORD, "started": "today"}}, "Option 'content': 'started' is a text instead of a date and"),
        ({"content": {**RECORD, "modules": {}}}, "Option 'content': 'modules' is an object instead of a list"),
        ({"content": {**RECORD, "modules": [1]}}, "Option 'content': 'modules[0]' is the number 1 instead of an"),
        ({"content": RECORD, "build": "other"}, "has the name 'my-build', but 'build' is 'other'"),
        ({"content": RECORD, "number": "52"}, "has the number '51', but 'number' is '52'"),
        ({"content": {**RECORD, "name": ".."}}, "'..' is not a valid part of a path"),
        ({"src": "/nowhere"}, "Option 'src': '/nowhere' cannot be read: it does not exist"),
        ({"src": "/"}, "Option 'src': '/' cannot be read: it is not a regular file"),
        (
            {**ABSENT, "build": 'a"b', "artifacts": True},
            "Option 'artifacts': the files of 'a\"b' cannot be found: a",
        ),
        ({"items": [{"content": RECORD}, {"content": RECORD}]}, "items[1]: duplicate of items[0]."),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_build", url=server.url, **options)
    assert result["failed"]
    assert problem in result["msg"]


def test_build_info_is_refused_when_its_file_is_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with conversation() as server:
        result = run("artifact_build", url=server.url, src=str(pipe))
    assert result["msg"] == f"Option 'src': '{pipe}' cannot be read: it is not a regular file."
