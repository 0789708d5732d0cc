# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import stat
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

Search = Callable[[str], tuple[Call, dict[str, Any]]]

STORAGE = "http://host/artifactory/api/storage"
TIME = "2024-05-01T10:11:12.345Z"
PLACES = [{"repo": "a", "path": "x/y.txt"}, {"repo": "b", "path": "x/y.txt"}]


def matching_file(repo: str, path: str, **more: Any) -> dict[str, Any]:
    info = {"repo": repo, "path": f"/{path}", "size": "7", "created": TIME, "lastModified": TIME, "lastUpdated": TIME}
    return {**info, "uri": f"{STORAGE}/{repo}/{path}", **more}


def quick(query: str, *results: dict[str, Any], detail: str | None = None) -> Call:
    return call(
        "GET",
        f"/artifactory/api/search/artifact?{query}",
        json={"results": list(results)},
        sent_headers={"X-Result-Detail": detail},
    )


def pattern(of: str, status: int = 200, **answer: Any) -> Call:
    return call("GET", f"/artifactory/api/search/pattern?pattern={of}", status, **answer)


@pytest.mark.parametrize("check_mode", [False, True])
def test_files_found_by_name_are_sorted(check_mode: bool) -> None:
    with conversation(quick("name=y", matching_file("b", "x/y.txt"), matching_file("a", "x/y.txt"))) as server:
        result = run("artifact_search_info", url=server.url, name="y", check_mode=check_mode)
    assert result == {"changed": False, "matches": PLACES, "count": 2, "capped": False}


def test_result_is_empty_when_no_file_matches() -> None:
    with conversation(quick("name=y")) as server:
        assert run("artifact_search_info", url=server.url, name="y")["matches"] == []


def test_files_are_filtered_by_folder() -> None:
    """The whole repository is searched, because some servers ignore folders."""
    results = [
        matching_file("a", "x/y.txt"),
        matching_file("a", "xx/y.txt"),
        matching_file("b", "q/y.txt"),
        matching_file("a", "x/z/y.txt"),
    ]
    with conversation(quick("name=y&repos=a%2Cc", *results)) as server:
        result = run("artifact_search_info", url=server.url, name="y", repos=["a/x/", "c/x/z", "a/x"])
    assert [match["path"] for match in result["matches"]] == ["x/y.txt", "x/z/y.txt"]


def test_repository_and_folder_can_be_combined() -> None:
    results = [
        matching_file("a", "x/y.txt"),
        matching_file("a", "q/y.txt"),
        matching_file("libs-remote-cache", "q/y.txt"),
    ]
    with conversation(quick("name=y&repos=a%2Clibs-remote", *results)) as server:
        result = run("artifact_search_info", url=server.url, name="y", repos=["a/x", "libs-remote"])
    assert [(match["repo"], match["path"]) for match in result["matches"]] == [
        ("a", "x/y.txt"),
        ("libs-remote-cache", "q/y.txt"),
    ]


def test_files_are_filtered_by_folder_when_the_repository_is_virtual() -> None:
    results = [matching_file("libs-local", "x/y.txt"), matching_file("libs-local", "q/y.txt")]
    with conversation(quick("name=y&repos=libs", *results)) as server:
        result = run("artifact_search_info", url=server.url, name="y", repos=["libs/x"])
    assert result["matches"] == [{"repo": "libs-local", "path": "x/y.txt"}]


def test_details_are_returned_when_requested() -> None:
    properties = {"qa": ["passed", "a"]}
    results = [matching_file("a", "x/y.txt", properties=properties), matching_file("b", "x/y.txt")]
    with conversation(quick("name=y", *results, detail="properties, info")) as server:
        result = run("artifact_search_info", url=server.url, name="y", detail=["properties", "info"])
    one, other = result["matches"]
    assert (one["info"]["size"], one["info"]["modified"]) == (7, TIME)
    assert (one["properties"], other["properties"]) == ({"qa": ["a", "passed"]}, {})


def test_path_is_exact_when_an_address_can_be_read_in_two_ways() -> None:
    address = {"uri": f"{STORAGE}/a/x%20y.txt"}
    with conversation(
        quick("name=y", address), quick("name=y", matching_file("a", "x%20y.txt"), detail="info")
    ) as server:
        result = run("artifact_search_info", url=server.url, name="y")
    assert result["matches"] == [{"repo": "a", "path": "x%20y.txt"}]


@pytest.mark.parametrize("uri", ["a/x%20y/100%25.txt", "a/x y/100%.txt"])
def test_details_are_requested_when_an_address_is_ambiguous(uri: str) -> None:
    address = {"uri": f"{STORAGE}/{uri}"}
    with conversation(quick("name=y", address), quick("name=y", address, detail="info")) as server:
        result = run("artifact_search_info", url=server.url, name="y")
    assert result["matches"] == [{"repo": "a", "path": "x y/100%.txt"}]


@pytest.mark.parametrize(("count", "capped"), [(999, False), (1000, True), (1001, False)])
def test_task_warns_when_the_maximum_number_of_results_is_returned(count: int, capped: bool) -> None:
    with conversation(quick("name=y", *(matching_file("a", f"y{n}") for n in range(count)))) as server:
        result = run("artifact_search_info", url=server.url, name="y")
    assert (result["capped"], len(result["matches"])) == (capped, count)
    assert ("warnings" in result) is capped
    if capped:
        assert "There may be more" in result["warnings"][0]


def test_task_fails_when_the_repository_is_unknown() -> None:
    refusal = {"errors": [{"status": 404, "message": "Repository 'a' does not exist."}]}
    target = "/artifactory/api/search/artifact?name=y&repos=a"
    with conversation(call("GET", target, 404, json=refusal)) as server:
        result = run("artifact_search_info", url=server.url, name="y", repos=["a"])
    assert "404 Repository 'a' does not exist." in result["msg"]


def test_files_found_by_pattern_have_the_same_form() -> None:
    files = {"repoUri": "http://host/artifactory/a", "sourcePattern": "a:x/*", "files": ["x/z", "x/y.txt"]}
    with conversation(pattern("a-cache%3Ax%2F%2A", json=files)) as server:
        result = run("artifact_search_info", url=server.url, pattern="a-cache:x/*")
    places = [{"repo": "a-cache", "path": path} for path in ("x/y.txt", "x/z")]
    assert result == {"changed": False, "matches": places, "count": 2, "capped": False}


def test_task_fails_when_the_search_times_out() -> None:
    refusal = {"errors": [{"status": 408, "message": "The search took longer than 30 seconds."}]}
    with conversation(pattern("a%3A%2A", 408, json=refusal)) as server:
        result = run("artifact_search_info", url=server.url, pattern="a:*")
    assert result["msg"] == (
        "GET /artifactory/api/search/pattern: 408 The search took longer than 30 seconds. The server limits "
        "searches to 30 s. Specify more of the path before the first wildcard, or use artifact_query_info, which "
        "uses an index."
    )


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_result_is_written_to_a_file_when_requested(tmp_path: Path) -> None:
    """Details are requested, because only they contain unambiguous paths."""
    target = tmp_path / "found"
    target.write_text("old")
    results = [
        matching_file("b", "x/y.txt"),
        matching_file("a", "q/y.txt"),
        matching_file("a", "x/y%20.txt"),
        matching_file("a", "x/y.txt"),
    ]
    with conversation(quick("name=y&repos=a%2Cb", *results, detail="info, properties")) as server:
        result = run(
            "artifact_search_info",
            url=server.url,
            name="y",
            repos=["a/x", "b"],
            detail=["properties"],
            to_file=str(target),
            mode="0640",
        )
    assert result == {"changed": False, "count": 3, "capped": False}
    places = [("b", "x/y.txt"), ("a", "x/y%20.txt"), ("a", "x/y.txt")]
    assert lines(target) == [{"repo": repo, "path": path, "properties": {}} for repo, path in places]
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_details_are_written_to_a_file_when_requested(tmp_path: Path) -> None:
    target = tmp_path / "found"
    with conversation(quick("name=y", matching_file("a", "y"), detail="info")) as server:
        run("artifact_search_info", url=server.url, name="y", detail=["info"], to_file=str(target))
    assert lines(target)[0]["info"]["size"] == 7


def test_files_found_by_pattern_are_written_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "found"
    with conversation(pattern("a%3Ax%2F%2A", json={"files": ["x/z", "x/y.txt"]})) as server:
        result = run("artifact_search_info", url=server.url, pattern="a:x/*", to_file=str(target))
    assert result == {"changed": False, "count": 2, "capped": False}
    assert lines(target) == [{"repo": "a", "path": "x/z"}, {"repo": "a", "path": "x/y.txt"}]


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"name": "y"}, quick("name=y", matching_file("a", "y"), detail="info")),
        ({"pattern": "a:*"}, pattern("a%3A%2A", json={"files": ["y"]})),
    ],
)
def test_file_is_not_written_when_in_check_mode(options: dict[str, Any], answer: Call, tmp_path: Path) -> None:
    target = tmp_path / "found"
    with conversation(answer) as server:
        result = run("artifact_search_info", url=server.url, to_file=str(target), check_mode=True, **options)
    assert result == {"changed": False, "count": 1, "capped": False}
    assert not target.exists()


def test_task_warns_when_the_maximum_number_of_results_is_written(tmp_path: Path) -> None:
    results = [matching_file("a" if n else "b", f"x/y{n}") for n in range(1000)]
    with conversation(quick("name=y&repos=a%2Cb", *results, detail="info")) as server:
        result = run("artifact_search_info", url=server.url, name="y", repos=["a", "b/q"], to_file=str(tmp_path / "f"))
    assert (result["count"], result["capped"], len(result["warnings"])) == (999, True, 1)


def search_by_name(text: str) -> tuple[Call, dict[str, Any]]:
    return call("GET", "/artifactory/api/search/artifact?name=y", text=text), {"name": "y"}


def search_by_pattern(text: str) -> tuple[Call, dict[str, Any]]:
    return pattern("a%3A%2A", text=text), {"pattern": "a:*"}


@pytest.mark.parametrize(
    ("search", "answer"),
    [
        (search_by_name, {"results": [matching_file("a", f"y{n:0100}") for n in range(15_000)]}),
        (search_by_pattern, {"files": [f"y{n:0100}" for n in range(50_000)]}),
    ],
    ids=["name", "pattern"],
)
def test_memory_is_constant_when_there_are_many_files(search: Search, answer: dict[str, Any], tmp_path: Path) -> None:
    body = json.dumps(answer)
    request, options = search(body)
    with conversation(request) as server:
        tracemalloc.start()
        try:
            result = run("artifact_search_info", url=server.url, to_file=str(tmp_path / "found"), **options)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert result["count"] == sum(map(len, answer.values()))
    assert peak < 2_500_000 < len(body)


@pytest.mark.parametrize(
    ("search", "answer"),
    [(search_by_name, {"results": [matching_file("a", "x/y")]}), (search_by_pattern, {"files": ["x/y"]})],
    ids=["name", "pattern"],
)
def test_old_file_remains_when_the_response_is_incomplete(
    search: Search, answer: dict[str, Any], tmp_path: Path
) -> None:
    target = tmp_path / "found"
    target.write_text("old")
    request, options = search(json.dumps(answer)[:-1])
    with conversation(request) as server:
        result = run("artifact_search_info", url=server.url, to_file=str(target), **options)
    assert result["failed"]
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "Option 'name': must not be empty"),
        ({"name": "*?"}, "Option 'name': must contain more than spaces, '*' and '?'"),
        ({"name": "  "}, "Option 'name': must contain more than spaces, '*' and '?'"),
        ({"name": "x", "repos": ["a,b"]}, "Option 'repos[0]': must be a repository key, or key/path"),
        ({"name": "x", "repos": [""]}, "Option 'repos[0]': must be a repository key, or key/path"),
        ({"pattern": "x"}, "Option 'pattern': must be a repository key, a colon and a path"),
        ({"pattern": "a/b:x"}, "Option 'pattern': must be a repository key"),
        ({"pattern": "a:b:x"}, "Option 'pattern': must be a repository key"),
        ({"pattern": ":x"}, "Option 'pattern': must be a repository key"),
        ({"pattern": "a:"}, "Option 'pattern': must be a repository key"),
        ({"name": "x", "to_file": "/nowhere/found"}, "Option 'to_file': '/nowhere/found' cannot be written"),
        ({"pattern": "a:x", "to_file": "/nowhere/found"}, "Option 'to_file': '/nowhere/found' cannot be written"),
        ({"pattern": "a:x", "detail": ["info"]}, "mutually exclusive"),
        ({"pattern": "a:x", "name": "x"}, "mutually exclusive"),
        ({}, "one of the following is required: name, pattern"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in run("artifact_search_info", url=server.url, **options)["msg"]
