# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.ci_server import TOKEN, deny_permission, engine_error, page
from support.conversation import Call, call, conversation
from support.running import run

RESULT = "number,url,result"


def listing(builds: list[dict[str, Any]], part: str = "", name: str = "builds", members: str = RESULT) -> Call:
    """Return the request for a page of builds."""
    tree = quote(f"{name}[{members},timestamp]{part}", safe="")
    return call("GET", f"/job/app/api/json?tree={tree}", json={"_class": "hudson.model.FreeStyleProject", name: builds})


def build(number: int, result: str | None = "SUCCESS", ago: float = 0.0, **members: Any) -> dict[str, Any]:
    """Return a listed build."""
    url = f"https://ci.example.com/job/app/{number}/"
    return {"number": number, "url": url, "result": result, "timestamp": round((time.time() - ago) * 1000), **members}


def build_request(number: int | str = "lastBuild", members: str = RESULT, **answer: Any) -> Call:
    """Return the request for one build."""
    target = f"/job/app/{number}/api/json?tree={quote(members, safe='')}"
    return call("GET", target, **(answer or {"json": build(7)}))


def missing_build(path: str = "/job/app/lastBuild", members: str = RESULT) -> Call:
    """Return the request for a missing build."""
    answer = page("Not Found - Jenkins", "Oops! Not Found")
    return call("GET", f"{path}/api/json?tree={quote(members, safe='')}", 404, text=answer)


def numbers(*calls: Call, **options: Any) -> list[int]:
    """Return the numbers of the builds that a task lists."""
    with conversation(*calls) as server:
        result = run("ci_build_info", url=server.url, job="app", **TOKEN, **{"fields": ["result"], **options})
    assert "failed" not in result, result["msg"]
    assert result["count"] == len(result["builds"])
    return [entry["number"] for entry in result["builds"]]


def get_build(*calls: Call, **options: Any) -> dict[str, Any]:
    """Return the result of a task for one build."""
    with conversation(*calls) as server:
        options = {"build": "last", "fields": ["result"], **options}
        return run("ci_build_info", url=server.url, job="app", **TOKEN, **options)


def test_newest_builds_are_listed_with_one_request() -> None:
    assert numbers(listing([build(3), build(2), build(1)])) == [3, 2, 1]


def test_all_fields_except_artifacts_are_listed_by_default() -> None:
    members = (
        "number,url,result,building,timestamp,duration,estimatedDuration,id,displayName,fullDisplayName,description,"
        "queueId,builtOn,keepLog,actions[parameters[name,value],causes[shortDescription]]"
    )
    tree = quote(f"builds[{members}]", safe="")
    with conversation(call("GET", f"/job/app/api/json?tree={tree}", json={"builds": []})) as server:
        result = run("ci_build_info", url=server.url, job="app", **TOKEN)
    assert result == {"changed": False, "builds": [], "count": 0}


def test_limit_reduces_the_requested_range() -> None:
    assert numbers(listing([build(3), build(2)], "{1,3}"), offset=1, limit=2) == [3, 2]


def test_all_builds_are_read_in_pages() -> None:
    first = [build(number) for number in range(250, 150, -1)]
    second = [build(number) for number in range(151, 51, -1)]  # one has begun meanwhile
    third = [build(number) for number in range(52, 0, -1)]
    pages = [
        listing(first),
        listing(second, "{100,200}", "allBuilds"),
        listing(third, "{200,300}", "allBuilds"),
    ]
    assert numbers(*pages, all_builds=True) == list(range(250, 0, -1))


def test_only_newest_100_builds_are_read_by_default() -> None:
    assert len(numbers(listing([build(number) for number in range(200, 100, -1)]))) == 100


def test_builds_are_filtered_by_result() -> None:
    request = listing([build(3, None), build(2, "FAILURE"), build(1)])
    assert numbers(request, results=["FAILURE", "ABORTED"]) == [2]


def test_reading_stops_when_builds_are_too_old() -> None:
    full = [build(number, ago=60 * (100 - number)) for number in range(100, 0, -1)]
    assert numbers(listing(full), all_builds=False, newer_than=330, older_than=150) == [97, 96, 95]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"A": "x"}, [2, 1]),
        ({"A": "x", "DRY": True}, [2]),
        ({"DRY": "true"}, [2]),
        ({"N": 1}, [1]),
        ({"KEY": "secret"}, []),
        ({"OTHER": "x"}, []),
        ({"A": ["x"]}, [2, 1]),
    ],
)
def test_builds_are_filtered_by_parameters(parameters: dict[str, Any], expected: list[int]) -> None:
    def build_actions(**values: Any) -> list[dict[str, Any]]:
        return [{"parameters": [{"name": name, "value": value} for name, value in values.items()]}]

    answer = [
        build(3, actions=[{}, {"parameters": [{"name": "KEY"}]}]),
        build(2, actions=build_actions(A="x", DRY=True)),
        build(1, actions=build_actions(A="x", DRY=False, N="1")),
    ]
    members = f"{RESULT},actions[parameters[name,value]]"
    assert numbers(listing(answer, members=members), parameters=parameters) == expected


def test_builds_are_listed_when_server_does_not_support_ranges() -> None:
    whole = call(
        "GET",
        f"/job/app/api/json?tree={quote(f'builds[{RESULT},timestamp]', safe='')}",
        json={"builds": [build(2), build(1)]},
    )
    refused = call("GET", listing([], "{1,2}", "allBuilds").target, 500, text="<h1>HTTP ERROR 500</h1>")
    assert numbers(refused, whole, all_builds=True, offset=1, limit=1) == [1]


def test_listing_fails_when_job_does_not_exist() -> None:
    with conversation(call("GET", listing([]).target, 404, text=page("Not Found - Jenkins", "Oops!"))) as server:
        result = run("ci_build_info", url=server.url, job="app", fields=["result"], **TOKEN)
    assert result["msg"].startswith("Job 'app' does not exist, or the account has no Job/Read permission on it.")


def test_builds_are_written_to_file(tmp_path: Path) -> None:
    file = tmp_path / "builds"
    with conversation(listing([build(2), build(1)])) as server:
        result = run("ci_build_info", url=server.url, job="app", fields=["result"], to_file=str(file), **TOKEN)
    assert result == {"changed": False, "count": 2}
    assert len(file.read_text().splitlines()) == 2


def test_one_build_is_returned() -> None:
    expected = {"job": "app", "number": 7, "url": "https://ci.example.com/job/app/7/", "result": "SUCCESS"}
    assert get_build(build_request()) == {
        "changed": False,
        "build": expected,
        "xpath": None,
        "console": None,
        "console_file": None,
    }
    assert get_build(build_request(7), build=7)["build"] == expected


def test_build_is_null_when_job_has_no_such_build() -> None:
    there = call("GET", "/job/app/api/json?tree=name", json={"name": "app"})
    assert get_build(missing_build(), there)["build"] is None
    assert get_build(missing_build(), there, console_lines=5, xpath="number")["console"] is None


def test_reading_a_build_fails_when_job_does_not_exist() -> None:
    result = get_build(missing_build(), missing_build("/job/app", "name"))
    assert result["msg"].startswith("Job 'app' does not exist")


def xml(expression: str, status: int = 200, text: str = "", **answer: Any) -> Call:
    return call("GET", f"/job/app/7/api/xml?xpath={quote(expression, safe='')}", status, text=text, **answer)


@pytest.mark.parametrize(
    ("xpath", "sent"),
    [
        ("action/parameter[name='A']/value", "/*/action/parameter[name='A']/value"),
        ("/workflowRun/number", "/workflowRun/number"),
    ],
)
def test_xpath_selects_an_element(xpath: str, sent: str) -> None:
    result = get_build(build_request(), xml(sent, text="<value>a &amp; b</value>"), xpath=xpath)
    assert result["xpath"] == {"matched": True, "text": "a & b", "xml": "<value>a &amp; b</value>"}


def test_xpath_selects_an_attribute() -> None:
    text = ' _class="hudson.model.FreeStyleBuild"'
    assert get_build(build_request(), xml("/*/@_class", text=text), xpath="/*/@_class")["xpath"]["text"] == text


def test_xpath_without_match_is_not_an_error() -> None:
    answer = xml("/*/nope", 404, "XPath /*/nope didn?t match")
    assert get_build(build_request(), answer, xpath="nope")["xpath"] == {"matched": False, "text": None, "xml": None}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"status": 500, "text": 'XPath "/*/x" matched 3 nodes. Create XPath that only matches one, or ...'},
            "Option 'xpath': matches 3 elements. Narrow it to one, for example with '[1]'.",
        ),
        (
            {"status": 403, "json": engine_error(403, "primitive XPath result sets forbidden; implement ...", "/x")},
            "Option 'xpath': must select an element: Jenkins rejects strings, numbers and booleans.",
        ),
        (
            {"status": 500, "text": page("Oops", "Oops!", "A problem occurred. Logging ID=1-2")},
            "Option 'xpath': may be invalid. GET http",
        ),
        (
            {"status": 403, "text": deny_permission("reader", "Job/Read")},
            "403 reader is missing the Job/Read permission",
        ),
        ({"status": 404, "text": page("Not Found", "Oops!")}, "Job 'app' has no build 7, the job does not exist"),
    ],
)
def test_rejected_xpath_is_explained(answer: dict[str, Any], message: str) -> None:
    refused = call("GET", xml("/*/x").target, **answer)
    assert message in get_build(build_request(), refused, xpath="x")["msg"]


def progress(text: str, start: int, size: int) -> Call:
    path = f"/job/app/7/logText/progressiveText?start={start}"
    return call("GET", path, text=text, headers={"X-Text-Size": str(size)})


def test_last_console_lines_are_returned() -> None:
    log = [progress("", -1, 12), progress("one\r\n\x1b[8mha:AA==\x1b[0mtwo\r\nend\r\n", 0, 12)]
    assert get_build(build_request(), *log, console_lines=2)["console"] == ["two", "end"]


def test_console_is_written_to_file(tmp_path: Path) -> None:
    file = tmp_path / "log"
    result = get_build(
        build_request(), call("GET", "/job/app/7/consoleText", text="über\n"), console_file=str(file), mode="0640"
    )
    assert (result["changed"], result["console_file"]) == (False, {"path": str(file), "size": 6})
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("über\n", 0o640)


def test_console_file_is_not_written_in_check_mode(tmp_path: Path) -> None:
    file = tmp_path / "log"
    assert get_build(build_request(), console_file=str(file), check_mode=True)["console_file"] is None
    assert not file.exists()


def test_unwritable_file_is_rejected_before_the_first_request(tmp_path: Path) -> None:
    assert "Option 'console_file'" in get_build(console_file=str(tmp_path / "none" / "log"))["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"build": "lastBuild"}, "Option 'build': must be the number of a build, such as 42, or one of last, "),
        ({"build": "0"}, "Option 'build': must be"),
        ({"build": 1, "limit": 5}, "parameters are mutually exclusive: build|limit"),
        ({"xpath": "x"}, "missing parameter(s) required by 'xpath': build"),
        ({"console_file": "/tmp/x"}, "missing parameter(s) required by 'console_file': build"),
        ({"limit": 0}, "Option 'limit': must be 1 to 2,147,483,647"),
        ({"results": ["RED"]}, "value of results must be one or more of"),
        ({"job": "/app"}, "Option 'job': must be the full name"),
        ({"job": "../app"}, "Option 'job': '..' is not a valid part of a path"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = run("ci_build_info", **{"url": server.url, "job": "app", **TOKEN, **options})
    assert message in result["msg"]
