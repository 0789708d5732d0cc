# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion import (
    deleter,
    entries,
    verification,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning import planner
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import ages
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import private
from support.aql_answer import aql_body
from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run

AQL = "/artifactory/api/search/aql"
LISTED = call(
    "GET",
    "/artifactory/api/repositories",
    json=[
        {"key": "app-local", "type": "LOCAL", "packageType": "Generic", "url": "…"},
        {"key": "npm", "type": "REMOTE", "packageType": "Npm", "url": "…"},
        {"key": "all", "type": "VIRTUAL", "packageType": "Generic", "url": "…"},
    ],
)
FIELDS = '"repo","path","name","size","created","modified","actual_sha1"'
RULE = {"repos": ["app-local"], "older_than": "2026-01-01"}
SCAN = (
    'items.find({"repo":"app-local"},{"created":{"$lt":"2026-01-01T00:00:00.000Z"}},'
    '{"modified":{"$lt":"2026-01-01T00:00:00.000Z"}})'
    f'.include({FIELDS}).sort({{"$asc":["path","name"]}}).limit(5000)'
)
LOOKED_AT = f'{FIELDS},"stat.downloaded"'
THERE = f'items.find({{"repo":"app-local"}},{{"path":"a"}},{{"name":"old.bin"}}).include({LOOKED_AT})'


def row(path: str, name: str, **more: Any) -> dict[str, Any]:
    times = dict.fromkeys(("created", "modified"), "2025-01-01T00:00:00.000Z")
    return {"repo": "app-local", "path": path, "name": name, "size": 10, **times, "actual_sha1": "5ba9", **more}


def aql_query(text: str | None, *rows: dict[str, Any], **other: Any) -> Call:
    """Return a query with its rows."""
    sent = {} if text is None else {"sent_body": text.encode()}
    return call("POST", AQL, json=aql_body(rows, **other), **sent)


def downloads(scan: str, first: dict[str, Any], last: dict[str, Any]) -> str:
    """Return the query for the last downloads of the artifacts between two rows of a scan."""
    bounds = ",".join(
        f'{{"path":{{"{strict}e":"{row["path"]}"}}}},'
        f'{{"$or":[{{"path":{{"{strict}":"{row["path"]}"}}}},{{"name":{{"{strict}e":"{row["name"]}"}}}}]}}'
        for strict, row in (("$gt", first), ("$lt", last))
    )
    find = f'{scan.partition(").include")[0]},{{"stat.downloaded":{{"$ne":null}}}}'
    return f'{find},{bounds}).include("repo","path","name","stat.downloaded")'


def scan_page(*rows: dict[str, Any], scan: str = SCAN) -> list[Call]:
    """Return the queries for a page of artifacts and their last downloads."""
    stats = [{name: row[name] for name in ("repo", "path", "name", "stats")} for row in rows if "stats" in row]
    return [aql_query(scan, *rows), aql_query(downloads(scan, rows[0], rows[-1]), *stats)]


def clean_up(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(LISTED, edition(), *calls) as server:
        return run("artifact_cleanup", url=server.url, **{"rules": [RULE], "workers": 1, **options})


def test_check_mode_only_sends_required_reads() -> None:
    result = clean_up(*scan_page(row("a", "old.bin")), check_mode=True)
    assert result == {
        "changed": True,
        "plan": {
            "items": 1,
            "bytes": 10,
            "folders": 0,
            "rules": [{"rule": "rules[0]", "items": 1, "bytes": 10}],
            "repositories": [{"repo": "app-local", "items": 1, "bytes": 10, "share": None}],
            "first": [{"kind": "file", "repo": "app-local", "path": "a/old.bin", "size": 10, "rule": "rules[0]"}],
        },
        "unsafe": {"items": 0, "first": []},
        "counts": None,
        "failures": None,
        "outcomes": None,
        "hidden": None,
        "deleted": None,
    }


def test_task_fails_before_the_first_query_when_the_server_is_the_open_source_edition() -> None:
    with conversation(LISTED, edition(OPEN_SOURCE)) as server:
        result = run("artifact_cleanup", url=server.url, rules=[RULE], check_mode=True)
    assert result["failed"]
    assert result["msg"] == (
        "Listing artifacts page by page requires Artifactory Pro, but the server is the open-source edition."
    )


def test_item_is_verified_deleted_and_verified_again() -> None:
    old = row("a", "old.bin")
    delete = call("DELETE", "/artifactory/app-local/a/old.bin", 204)
    result = clean_up(*scan_page(old), aql_query(THERE, old), delete, aql_query(THERE))
    assert result["changed"]
    assert result["counts"] == {"changed": 1, "ok": 0, "failed": 0, "unknown": 0, "skipped": 0}
    assert result["outcomes"][0]["outcome"] == "deleted"
    assert result["deleted"] == {
        "items": 1,
        "bytes": 10,
        "folders": 0,
        "repositories": [{"repo": "app-local", "items": 1, "bytes": 10, "folders": 0}],
    }


def test_one_query_verifies_files_of_several_folders() -> None:
    rows = [row("a", "1.bin"), row("a", "2.bin"), row("b", "1.bin")]
    in_a = '{"$and":[{"path":"a"},{"$or":[{"name":"1.bin"},{"name":"2.bin"}]}]}'
    in_b = '{"$and":[{"path":"b"},{"name":"1.bin"}]}'
    lookup = f'items.find({{"repo":"app-local"}},{{"$or":[{in_a},{in_b}]}}).include({LOOKED_AT})'
    changed = {**rows[1], "actual_sha1": "0e57"}
    downloaded = {**rows[2], "stats": [{"downloaded": "2999-01-01T00:00:00.000Z"}]}
    delete = call("DELETE", "/artifactory/app-local/a/1.bin", 204)
    after = THERE.replace("old.bin", "1.bin")
    result = clean_up(*scan_page(*rows), aql_query(lookup, rows[0], changed, downloaded), delete, aql_query(after))
    reasons = [None, "changed since it was planned", "downloaded since it was planned"]
    assert [outcome["keep_reason"] for outcome in result["outcomes"]] == reasons


def query_folder_a(*names: str) -> str:
    """Return the query for several files of one folder."""
    any_of = ",".join(f'{{"name":"{name}"}}' for name in names)
    return f'items.find({{"repo":"app-local"}},{{"path":"a"}},{{"$or":[{any_of}]}}).include({LOOKED_AT})'


def test_each_item_is_verified_before_its_deletion_when_batches_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "BATCH", 4)
    rows = [row("a", f"{number}.bin") for number in (1, 2, 3, 4, 5)]
    delete = [call("DELETE", f"/artifactory/app-local/a/{number}.bin", 204) for number in (1, 2, 3, 4, 5)]
    result = clean_up(
        *scan_page(*rows),
        aql_query(query_folder_a("1.bin", "2.bin", "3.bin"), *rows[:2], {**rows[2], "actual_sha1": "0e57"}),
        delete[0],
        aql_query(query_folder_a("4.bin", "5.bin"), rows[3], {**rows[4], "actual_sha1": "0e57"}),
        delete[1],
        delete[3],
        aql_query(query_folder_a("1.bin", "2.bin", "4.bin")),
    )
    outcomes = [outcome["outcome"] for outcome in result["outcomes"]]
    assert outcomes == ["deleted", "deleted", "deleted", "kept", "kept"]


def test_task_sends_two_reads_when_nothing_is_old() -> None:
    result = clean_up(aql_query(SCAN))
    assert result["changed"] is False
    assert result["plan"] is None


SURVEY = (
    'items.find({"repo":"app-local"}).include("repo","path","name","size").sort({"$asc":["path","name"]}).limit(5000)'
)


@pytest.mark.parametrize(
    ("sizes", "share"),
    [([10, 10, 10, 10], 25.0), ([10, 2, 2, 2], 62.5), ([10, 90], 50.0), ([10, 10, 9], 34.48), ([10], 100.0), ([], 0.0)],
)
def test_share_is_the_larger_one_of_files_and_bytes(sizes: list[int], share: float) -> None:
    stored = [row("a", f"{number}.bin", size=size) for number, size in enumerate(sizes)]
    result = clean_up(*scan_page(row("a", "0.bin")), aql_query(SURVEY, *stored), max_share=share, check_mode=True)
    assert result["plan"]["repositories"] == [{"repo": "app-local", "items": 1, "bytes": 10, "share": share}]
    assert "msg" not in result


def test_nothing_is_deleted_when_the_share_is_exceeded() -> None:
    stored = [row("a", "0.bin"), row("b", "1.bin")]
    result = clean_up(*scan_page(row("a", "0.bin")), aql_query(SURVEY, *stored), max_share=49.9)
    problem = "The plan has 50 % of 'app-local', more than 'max_share' allows (49.9 %). Nothing was deleted."
    assert problem in result["msg"]
    assert result["plan"]["items"] == 1


def test_item_is_verified_again_when_its_verdict_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "_SECONDS_VALID", -1.0)
    rows = [row("a", "1.bin"), row("a", "2.bin")]
    calls = [
        aql_query(query_folder_a("1.bin", "2.bin"), *rows),
        call("DELETE", "/artifactory/app-local/a/1.bin", 204),
        aql_query(THERE.replace("old.bin", "2.bin"), {**rows[1], "actual_sha1": "0e57"}),
        aql_query(THERE.replace("old.bin", "1.bin")),
    ]
    result = clean_up(*scan_page(*rows), *calls)
    assert [outcome["outcome"] for outcome in result["outcomes"]] == ["deleted", "kept"]


def test_item_is_kept_when_it_has_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification.Verification, "verdicts", lambda _self, _batch: {})
    result = clean_up(*scan_page(row("a", "old.bin")))
    assert result["outcomes"][0]["keep_reason"] == "it could not be verified"
    assert result["changed"] is False


def test_properties_are_verified_by_one_query_for_a_batch_and_rule() -> None:
    rows = [row("a", f"{number}.bin") for number in (1, 2, 3)]
    selects, keeps = '{"@obsolete":"yes"}', '{"@keep":"*"}'
    scan = (
        f'items.find({{"repo":"app-local"}},{selects}).include({FIELDS}).sort({{"$asc":["path","name"]}}).limit(5000)'
    )
    keep_query = scan.replace(").include", f",{keeps}).include")
    lookup = query_folder_a("1.bin", "2.bin", "3.bin")
    calls = [
        *scan_page(*rows, scan=scan),
        aql_query(keep_query),
        aql_query(lookup, *rows),
        aql_query(lookup.replace(").include", f",{selects}).include"), rows[1], rows[2]),
        aql_query(query_folder_a("2.bin", "3.bin").replace(").include", f",{selects},{keeps}).include"), rows[2]),
        call("DELETE", "/artifactory/app-local/a/2.bin", 204),
        aql_query(THERE.replace("old.bin", "2.bin")),
    ]
    rule = {"repos": ["app-local"], "properties": {"obsolete": "yes"}, "keep_properties": {"keep": None}}
    reasons = [outcome["keep_reason"] for outcome in clean_up(*calls, rules=[rule])["outcomes"]]
    assert reasons == [None, "it no longer has the properties that 'rules[0]' selects", "kept because of a property"]


def test_item_is_kept_when_the_property_query_has_no_range() -> None:
    old = row("a", "old.bin")
    keep_query = f'items.find({{"repo":"app-local"}},{{"@keep":"*"}}){SCAN[SCAN.index(".include") :]}'
    keeps = THERE.replace(").include", ',{"@keep":"*"}).include')
    rule = {**RULE, "keep_properties": {"keep": None}}
    broken = call("POST", AQL, json={"results": []}, sent_body=keeps.encode())
    result = clean_up(*scan_page(old), aql_query(keep_query), aql_query(THERE, old), broken, rules=[rule])
    assert (result["failed"], result["changed"]) == (True, False)
    assert "200, but without 'range'" in result["failures"][0]["reason"]


@pytest.mark.parametrize("option", ["from_plan", "state_file", "plan_file", "to_file"])
def test_a_file_option_is_refused_when_it_names_a_pipe(tmp_path: Path, option: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    options = {"state_file": None, option: str(pipe), **({} if option == "from_plan" else {"rules": [RULE]})}
    with conversation() as server:
        result = run("artifact_cleanup", url=server.url, **options)
    assert result["msg"].startswith(f"Option '{option}': '{pipe}' ")
    assert "it is not a regular file" in result["msg"]


def test_nothing_is_deleted_when_the_outcomes_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "check_writable", lambda *_arguments: None)
    result = clean_up(*scan_page(row("a", "old.bin")), to_file=str(tmp_path / "gone" / "outcomes"))
    assert result["msg"].startswith("Option 'to_file': ")
    assert (result["changed"], result["deleted"]) == (False, None)


def test_tag_folders_are_verified_by_one_query_for_a_batch() -> None:
    images = call(
        "GET", "/artifactory/api/repositories", json=[{"key": "app-local", "type": "LOCAL", "packageType": "Docker"}]
    )
    tags = [row(f"web/{tag}", "manifest.json") for tag in (1, 2, 3)]
    entries = [{**tag, "type": "file"} for tag in tags]
    layer = {**entries[0], "name": "sha256__" + "0" * 64}
    nested = {**entries[1], "name": "api", "type": "folder", "size": 0}
    survey = SURVEY.replace("}).include", '},{"type":"any"}).include').replace('"name","size"', '"name","type","size"')
    scan = SCAN.replace('"app-local"}', '"app-local"},{"$or":[{"name":"manifest.json"},{"name":"list.manifest.json"}]}')
    places = ",".join(f'{{"$and":[{{"path":"web/{tag}"}},{{"name":"manifest.json"}}]}}' for tag in (1, 2, 3))
    folders = ",".join(f'{{"path":"web/{tag}"}}' for tag in (1, 2, 3))
    calls = [
        aql_query(survey, *entries, layer),
        *scan_page(*tags, scan=scan),
        aql_query(f'items.find({{"repo":"app-local"}},{{"$or":[{places}]}}).include({LOOKED_AT})', *tags),
        aql_query(
            f'items.find({{"repo":"app-local"}},{{"type":"any"}},{{"$or":[{folders}]}})'
            '.include("repo","path","name","type","size")',
            *(entries[0], layer, entries[1], nested),
        ),
        call("DELETE", "/artifactory/app-local/web/1", 204),
        aql_query(THERE.replace('"a"', '"web/1"').replace("old.bin", "manifest.json")),
    ]
    with conversation(images, edition(), *calls) as server:
        result = run("artifact_cleanup", url=server.url, rules=[RULE], workers=1)
    contains_more = "its folder contains 'api', which is not part of the tag"
    assert [outcome["keep_reason"] for outcome in result["outcomes"]] == [
        None,
        contains_more,
        "it could not be verified",
    ]
    assert result["deleted"]["bytes"] == 20


def page_of(folder: str, first: int, end: int) -> list[dict[str, Any]]:
    return [row(folder, f"{number:03}.bin") for number in range(first, end)]


def test_folder_is_read_completely_when_it_exceeds_a_page() -> None:
    first = SCAN.replace("5000", "100")

    def scanned_after(conditions: str, *rows: dict[str, Any]) -> list[Call]:
        _page, more = scan_page(*rows, scan=first)
        return [aql_query(first.replace(").include", f",{conditions}).include"), *rows), more]

    pages = [
        *scan_page(*page_of("a", 0, 100), scan=first),
        *scanned_after('{"path":"a"},{"name":{"$gt":"099.bin"}}', *page_of("a", 100, 200)),
        *scanned_after('{"path":"a"},{"name":{"$gt":"199.bin"}}', *page_of("a", 200, 250)),
        *scanned_after('{"path":{"$gt":"a"}}', *page_of("b", 0, 99)),
    ]
    plan = clean_up(*pages, page_size=100, check_mode=True, result_limit=1000)["plan"]
    assert [entry["path"] for entry in plan["first"]] == [
        f"{entry['path']}/{entry['name']}" for entry in page_of("a", 0, 250) + page_of("b", 0, 99)
    ]


def test_rows_are_checked_again_when_the_query_is_imprecise() -> None:
    newer = row("a", "new.bin", modified="2026-03-01T00:00:00.000Z")
    assert clean_up(aql_query(SCAN, newer))["plan"] is None


def test_item_is_missing_when_its_folder_was_deleted_before() -> None:
    old = row("a", "old.bin")
    nothing = {"errors": [{"status": 404, "message": "Could not locate artifact (Nothing to delete)."}]}
    not_found = call("DELETE", "/artifactory/app-local/a/old.bin", 404, json=nothing)
    result = clean_up(*scan_page(old), aql_query(THERE, old), not_found, aql_query(THERE))
    assert not result.get("failed")
    assert result["changed"] is False
    assert result["counts"]["ok"] == 1
    assert result["outcomes"][0]["outcome"] == "missing"


def test_deletion_fails_when_an_existing_item_returns_404() -> None:
    old = row("a", "old.bin")
    hidden = call("DELETE", "/artifactory/app-local/a/old.bin", 404)
    result = clean_up(*scan_page(old), aql_query(THERE, old), hidden, aql_query(THERE, old))
    assert "But the item exists. Check that the account has the Delete permission on it" in result["msg"]
    assert result["changed"] is False


def test_outcome_is_unknown_when_reading_back_fails() -> None:
    old = row("a", "old.bin")
    lost = call("DELETE", "/artifactory/app-local/a/old.bin", drop=True)
    refused = call("POST", AQL, 403)
    result = clean_up(*scan_page(old), aql_query(THERE, old), lost, refused, retries=0, on_error="report")
    assert result["counts"]["unknown"] == 1
    assert "is not known" in result["failures"][0]["reason"]


def delete_old(status: int = 204, **more: Any) -> Call:
    return call("DELETE", "/artifactory/app-local/a/old.bin", status, **more)


def test_refused_deletion_fails_without_another_request() -> None:
    old = row("a", "old.bin")
    result = clean_up(*scan_page(old), aql_query(THERE, old), delete_old(403), on_error="report")
    assert result["counts"]["failed"] == 1
    assert "403" in result["failures"][0]["reason"]
    assert result["changed"] is False


def test_item_is_deleted_when_it_is_missing_after_a_server_error() -> None:
    old = row("a", "old.bin")
    result = clean_up(*scan_page(old), aql_query(THERE, old), delete_old(500), aql_query(THERE), aql_query(THERE))
    assert result["outcomes"][0]["outcome"] == "deleted"


def test_deletion_fails_when_the_item_exists_after_a_server_error() -> None:
    old = row("a", "old.bin")
    result = clean_up(*scan_page(old), aql_query(THERE, old), delete_old(500), aql_query(THERE, old), on_error="report")
    assert "It still exists." in result["failures"][0]["reason"]


def test_deletion_is_retried_when_the_response_is_lost_and_the_item_exists() -> None:
    old = row("a", "old.bin")
    lost, exists = delete_old(drop=True), aql_query(THERE, old)
    result = clean_up(*scan_page(old), exists, lost, exists, exists, delete_old(), aql_query(THERE), retries=1)
    assert result["outcomes"][0]["outcome"] == "deleted"
    result = clean_up(*scan_page(old), exists, lost, exists, exists, lost, exists, retries=1, on_error="report")
    assert "It still exists." in result["failures"][0]["reason"]


def test_deletion_is_not_retried_when_the_item_was_downloaded_meanwhile() -> None:
    old = row("a", "old.bin")
    lost, exists = delete_old(drop=True), aql_query(THERE, old)
    downloaded = aql_query(THERE, {**old, "stats": [{"downloaded": "2026-02-01T00:00:00.000Z"}]})
    result = clean_up(*scan_page(old), exists, lost, exists, downloaded, retries=1)
    assert result["outcomes"][0]["keep_reason"] == "downloaded since it was planned"
    assert result["changed"] is False


def test_query_contains_each_condition_of_a_rule() -> None:
    text = (
        'items.find({"repo":"app-local"},{"$or":[{"path":{"$match":"a/*"}},{"path":{"$match":"50?"}}]},'
        '{"name":{"$match":"*.bin"}},{"$or":[{"@qa":"failed"},{"@qa":"none"}]},{"@old":"*"},'
        '{"created":{"$lt":"2026-01-01T00:00:00.000Z"}},{"modified":{"$lt":"2026-01-01T00:00:00.000Z"}},'
        '{"$or":[{"stat.downloaded":{"$lt":"2026-01-01T00:00:00.000Z"}},{"stat.downloaded":null}]},'
        f'{{"size":{{"$gt":"100"}}}}).include({FIELDS}).sort({{"$asc":["path","name"]}}).limit(200)'
    )
    rule = {
        "repos": ["*-local"],
        "paths": ["a/*", "50%"],
        "names": ["*.bin"],
        "properties": {"qa": ["failed", "none"], "old": "*"},
        "not_downloaded_since": "2026-01-01",
        "larger_than": 100,
    }
    assert clean_up(aql_query(text), rules=[rule], page_size=200)["plan"] is None


def test_cache_is_queried_by_its_key_when_the_repository_is_remote() -> None:
    result = clean_up(aql_query(None), rules=[{**RULE, "repos": ["npm-cache"]}])
    assert result["plan"] is None


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"repos": ["a"]}, "rules[0]: one of the following is required: paths, names"),
        ({"older_than": "30d"}, "missing required arguments: repos found in rules"),
        ({"repos": ["a"], "older_than": "30"}, "Option 'rules[0].older_than': must be an age such as 30d"),
        ({"repos": ["a"], "older_than": "3m"}, "Option 'rules[0].older_than': must be an age"),
        (
            {"repos": ["a"], "not_downloaded_since": "yesterday"},
            "Option 'rules[0].not_downloaded_since': must be an age",
        ),
        ({"repos": ["a"], "keep_newest": 0}, "Option 'rules[0].keep_newest': must be 1 to 1,000,000"),
        ({"repos": [], "older_than": "1d"}, "Option 'rules[0].repos': must not be empty"),
        ({"repos": ['a"'], "older_than": "1d"}, "Option 'rules[0].repos[0]': must be a pattern without double quotes"),
        ({"repos": ["a"], "properties": {"k": 'a"b'}}, "Option 'rules[0].properties': 'k' must be a string"),
        ({"repos": ["a"], "properties": {"k": {}}}, "Option 'rules[0].properties': 'k' must be a string"),
        ({"repos": ["a"], "properties": {"k": []}}, "Option 'rules[0].properties': 'k' must be a string"),
        ({"repos": ["a"], "properties": {"k": None}}, "Option 'rules[0].properties': 'k' must be a string"),
        ({"repos": ["a"], "properties": {"k": ["v", None]}}, "Option 'rules[0].properties': 'k' must be a string"),
        ({"repos": ["a"], "properties": {"k": ["v", "* "]}}, "Option 'rules[0].properties': 'k' must be a string"),
        ({"repos": ["a"], "properties": {"k": 1.1}}, "'rules[0].properties.k': must be a string, not a number with"),
        ({"repos": ["a"], "properties": {"k": [1.1]}}, "must be a string, not a number with a fraction"),
        ({"repos": ["a"], "properties": {"*": "v"}}, "'*' cannot be the key of a property"),
        ({"repos": ["a"], "older_than": "1d", "group_by": "folder"}, "'rules[0].group_by': needs 'keep_newest'"),
        ({"repos": ["a"], "keep_newest": 1, "group_by": "name"}, "group_pattern"),
        ({"repos": ["a"], "keep_newest": 1, "group_pattern": "(a)"}, "needs 'group_by: name'"),
        ({"repos": ["a"], "keep_newest": 1, "group_by": "name", "group_pattern": "("}, "is not a regular expression"),
        (
            {"repos": ["a"], "keep_newest": 1, "group_by": "name", "group_pattern": "a"},
            "must contain a group in parentheses",
        ),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_invalid_rule_fails_before_any_request(rule: dict[str, Any], problem: str, check_mode: bool) -> None:
    with conversation() as server:
        result = run("artifact_cleanup", url=server.url, rules=[rule], check_mode=check_mode)
    assert result["failed"]
    assert problem in result["msg"]


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("30d", "2026-09-01T12:00:00.000Z"),
        ("1weeks", "2026-09-24T12:00:00.000Z"),
        ("2mo", "2026-08-02T12:00:00.000Z"),
        ("1y", "2025-10-01T12:00:00.000Z"),
        ("90mi", "2026-10-01T10:30:00.000Z"),
        ("2026-01-02", "2026-01-02T00:00:00.000Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"),
        ("999999999y", "1970-01-01T00:00:00.000Z"),
    ],
)
def test_ages(text: str, timestamp: str) -> None:
    assert ages.parse_age(text, "2026-10-01T12:00:00.000Z", "older_than") == timestamp


@pytest.mark.parametrize("content", ["no database", None])
def test_state_file_is_refused_when_it_is_invalid(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "state"
    if content is None:
        path.mkdir()
    else:
        path.write_text(content * 100)
    with conversation() as server:
        result = run("artifact_cleanup", url=server.url, rules=[RULE], state_file=str(path))
    assert result["msg"].startswith(f"Option 'state_file': '{path}' cannot be used: ")


def test_a_state_file_of_another_version_is_refused_before_any_request(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE plan (id INTEGER PRIMARY KEY)")
    with conversation() as server:
        result = run("artifact_cleanup", url=server.url, rules=[RULE], state_file=str(path))
    assert "another version of this module wrote it. Delete it to create a new plan" in result["msg"]
    assert path.exists()


def test_state_file_is_not_written_when_in_check_mode(tmp_path: Path) -> None:
    clean_up(aql_query(SCAN), check_mode=True, state_file=str(tmp_path / "state"))
    assert not list(tmp_path.iterdir())


def test_state_file_is_deleted_when_nothing_was_done(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    with conversation() as server:
        assert run("artifact_cleanup", url=server.url, rules=[{"repos": ["a"]}], state_file=state)["failed"]
    with conversation(call("GET", "/artifactory/api/repositories", 403)) as server:
        assert run("artifact_cleanup", url=server.url, rules=[RULE], state_file=state)["failed"]
    assert not list(tmp_path.iterdir())


def test_state_file_is_deleted_when_a_limit_rejects_the_plan(tmp_path: Path) -> None:
    old, state = row("a", "old.bin"), str(tmp_path / "state")
    refused = clean_up(*scan_page(old), state_file=state, max_items=0)
    assert "more than 'max_items' allows" in refused["msg"]
    assert not list(tmp_path.iterdir())
    assert clean_up(aql_query(SCAN), state_file=state, max_items=0)["plan"] is None


@pytest.mark.parametrize("spelling", ["same", "dots", "link", "hard link"])
@pytest.mark.parametrize("options", [("from_plan", "to_file"), ("state_file", "to_file"), ("plan_file", "state_file")])
@pytest.mark.parametrize("check_mode", [True, False])
def test_two_options_with_the_same_file_are_refused_before_any_request(
    spelling: str, options: tuple[str, str], check_mode: bool, tmp_path: Path
) -> None:
    path, other = tmp_path / "file", tmp_path / "other"
    path.write_text("content")
    if spelling == "link":
        other.symlink_to(path)
    elif spelling == "hard link":
        other.hardlink_to(path)
    else:
        other = tmp_path / "x" / ".." / "file" if spelling == "dots" else path
    files = {options[0]: str(path), options[1]: str(other)}
    rules = {} if "from_plan" in files else {"rules": [RULE]}
    with conversation() as server:
        result = run("artifact_cleanup", url=server.url, check_mode=check_mode, **rules, **files)
    assert result["msg"].startswith(f"Option '{options[1]}': '{other}' is the same file as in '{options[0]}'")
    assert path.read_text() == "content"


@pytest.mark.parametrize("where", ["name", "path"])
@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "a\x85b"])
@pytest.mark.parametrize("options", [{}, {"empty_folders": True}, {"max_share": 99}])
def test_artifact_is_kept_when_aql_cannot_express_its_name(where: str, text: str, options: dict[str, Any]) -> None:
    old = row("a", "old.bin")
    unsupported = {**old, where: text}
    survey = [aql_query(SURVEY, unsupported, old)] if options else []
    _page, stats = scan_page(old)
    result = clean_up(aql_query(SCAN, unsupported, old), stats, *survey, check_mode=True, **options)
    assert [entry["path"] for entry in result["plan"]["first"] if entry["kind"] == "file"] == ["a/old.bin"]


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"])
def test_artifact_is_kept_when_aql_cannot_express_its_group(text: str) -> None:
    rows = [row("a", name) for name in ("1.bin", "2.bin", text)]
    groups = [{**one, "properties": [{"key": "build", "value": text}]} for one in rows[:2]]
    rule = {"repos": ["app-local"], "keep_newest": 1, "group_by": "property", "group_property": "build"}
    result = clean_up(
        aql_query(None, *rows), aql_query(None, *groups), aql_query(None, *rows[:2]), rules=[rule], check_mode=True
    )
    assert [entry["path"] for entry in result["plan"]["first"]] == ["a/1.bin"]


class SmallDisk(sqlite3.Connection):
    """A database on a disk that becomes full."""

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        cursor = super().execute(statement, *values)
        if statement.startswith("PRAGMA user_version ="):
            super().execute("PRAGMA max_page_count = 20")
        return cursor


@pytest.mark.parametrize("has_state_file", [True, False])
def test_error_has_a_remedy_when_the_disk_is_full(
    has_state_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, factory=SmallDisk, **more))
    state = str(tmp_path / "state")
    rows = [row("a" * 200, f"{number:04}.bin") for number in range(1000)]
    result = clean_up(*scan_page(*rows), **({"state_file": state} if has_state_file else {}))
    assert "the disk is full or defective (database or disk is full). Free disk space" in result["msg"]
    assert ("run the task again" if has_state_file else "set TMPDIR to a directory with more space") in result["msg"]
    assert (f"Cannot write '{state}'" in result["msg"]) is has_state_file
    assert Path(state).exists() is has_state_file


@pytest.mark.parametrize("option", ["plan_file", "to_file"])
def test_error_names_the_file_when_the_disk_is_full(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_args: Any) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(private, "_to_line", no_space)
    path, old = str(tmp_path / "lines"), row("a", "old.bin")
    deletion = [aql_query(THERE, old), delete_old(), aql_query(THERE)] if option == "to_file" else []
    result = clean_up(*scan_page(old), *deletion, **{option: path})
    assert result["msg"] == f"Cannot write '{path}': No space left on device."
    assert result["changed"] is (option == "to_file")
    if deletion:
        assert result["deleted"]["items"] == 1


@pytest.mark.parametrize("size", [-1, 2**63, True, "10"])
def test_task_fails_when_a_size_is_invalid(size: Any) -> None:
    assert "as an artifact" in clean_up(aql_query(SCAN, row("a", "old.bin", size=size)))["msg"]


@pytest.mark.parametrize("timestamp", ["", "soon", None])
@pytest.mark.parametrize("member", ["created", "modified"])
def test_task_fails_when_a_time_is_invalid(member: str, timestamp: Any) -> None:
    invalid = {**row("a", "old.bin"), member: timestamp}
    assert "as an artifact" in clean_up(aql_query(SCAN, invalid))["msg"]


def test_task_fails_when_neither_rules_nor_a_plan_are_set() -> None:
    with conversation() as server:
        assert "rules, from_plan" in run("artifact_cleanup", url=server.url)["msg"]


def test_pause_grows_when_the_server_is_overloaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(deleter.time, "sleep", lambda seconds: waited.append(round(seconds, 3)))
    throttle = deleter.Throttle(0.5)
    for overburdened in (False, True, True, False):
        throttle.wait()
        throttle.adjust(overburdened)
    throttle.wait()
    assert waited == [0.5, 0.5, 0.6, 0.8, 0.77]
    for _time in range(100):
        throttle.adjust(is_overloaded=True)
    throttle.wait()
    assert waited[-1] == 10.0
    for _time in range(66):
        throttle.adjust(is_overloaded=False)
    throttle.wait()
    assert waited[-1] == 0.5


def test_throttle_does_not_wait_when_the_pause_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deleter.time, "sleep", lambda _seconds: pytest.fail("it waits"))
    deleter.Throttle(0).wait()
