# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from support.ci_server import NO_CRUMB, TOKEN, crumb, deny_permission, engine_error, page
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

TREE = quote("number,url,result,building,timestamp,duration,fullDisplayName", safe="")
ITEM = quote("cancelled,executable[number,url],task[url],why", safe="")
URL = "https://ci.example.com/job/app/7/"
PLAN = {"action": "stop", "job": "app", "number": 7, "queue_item": None, "methods": ["stop"]}
CANCEL = {"action": "cancel", "job": "app", "number": None, "queue_item": 5, "methods": []}


def build_state(result: str | None = None, build: str = "7", **answer: Any) -> Call:
    """Return the request for the build; without a result, it is running."""
    document = {"number": 7, "url": URL, "result": result, "building": result is None, "duration": 0}
    return call("GET", f"/job/app/{build}/api/json?tree={TREE}", **(answer or {"json": document}))


def stop_request(name: str = "stop", location: str = "/job/app/7/", status: int = 302, **answer: Any) -> Call:
    """Return the request for a method to stop the build."""
    return call("POST", f"/job/app/7/{name}", status, headers={"Location": location}, **answer)


def unsupported_method(name: str) -> Call:
    """Return the request for a method that the build does not support."""
    return stop_request(name, f"/job/app/7/{name}/")


def item(**members: Any) -> Call:
    """Return the request for queue item 5."""
    task = {"url": "https://ci.example.com/job/app/"}
    return call(
        "GET", f"/queue/item/5/api/json?tree={ITEM}", json={"task": task, "why": "In the quiet period.", **members}
    )


def forgotten_item() -> Call:
    return call("GET", f"/queue/item/5/api/json?tree={ITEM}", 404, text=page("Not Found", "Oops!"))


def cancel(status: int = 204, **answer: Any) -> Call:
    return call("POST", "/queue/cancelItem?id=5", status, **answer)


def stop_build(*calls: Call, **options: Any) -> dict[str, Any]:
    options = options if "queue_item" in options else {"job": "app", "build": "7", **options}
    with conversation(*calls) as server:
        return run("ci_build_stop", url=server.url, **TOKEN, **options)


def test_build_is_stopped() -> None:
    result = stop_build(build_state(), stop_request(), build_state(), build_state("ABORTED"))
    assert (result["changed"], result["plan"], result["stopped_by"]) == (True, PLAN, "stop")
    assert (result["build"]["result"], result["build"]["building"]) == ("ABORTED", False)
    assert result["cancelled"] is False


def test_completed_build_is_not_changed() -> None:
    result = stop_build(build_state("SUCCESS"))
    assert (result["changed"], result["plan"], result["stopped_by"]) == (False, None, None)
    assert result["build"]["result"] == "SUCCESS"


def test_check_mode_returns_plan() -> None:
    result = stop_build(build_state(), check_mode=True)
    assert (result["changed"], result["plan"]) == (True, PLAN)
    assert result["build"]["building"]


def test_stopped_by_is_null_when_build_finished_by_itself() -> None:
    result = stop_build(build_state(), stop_request(), build_state("SUCCESS"))
    assert (result["stopped_by"], result["build"]["result"]) == (None, "SUCCESS")


def test_selector_is_resolved_once() -> None:
    assert (
        stop_build(build_state(build="lastBuild"), stop_request(), build_state("ABORTED"), build="last")["stopped_by"]
        == "stop"
    )


def test_nothing_is_stopped_when_job_has_no_builds() -> None:
    nothing = build_state(build="lastBuild", status=404, text=page("Not Found", "Oops!"))
    result = stop_build(nothing, job_request(), build="last")
    assert (result["changed"], result["build"]) == (False, None)


def job_request(status: int = 200) -> Call:
    """Return the request for the existence of the job."""
    return call("GET", "/job/app/api/json?tree=name", status, json={"name": "app"})


def test_task_fails_when_build_does_not_exist() -> None:
    not_found = build_state(status=404, text=page("Not Found", "Oops!"))
    assert "'app' has no build 7" in stop_build(not_found, job_request())["msg"]


@pytest.mark.parametrize("build", ["7", "last"])
def test_task_fails_when_job_does_not_exist(build: str) -> None:
    not_found = build_state(
        build="lastBuild" if build == "last" else build, status=404, text=page("Not Found", "Oops!")
    )
    assert stop_build(not_found, job_request(404), build=build)["msg"].startswith("Job 'app' does not exist")


def test_methods_are_tried_in_order_and_verified() -> None:
    calls = [
        build_state(),
        stop_request(),
        build_state(),
        stop_request("term"),
        build_state(),
        stop_request("kill"),
        build_state("ABORTED"),
    ]
    result = stop_build(*calls, escalate_to="kill", wait_timeout=0)
    assert result["plan"]["methods"] == ["stop", "term", "kill"]
    assert result["stopped_by"] == "kill"


def test_methods_end_with_escalate_to() -> None:
    result = stop_build(build_state(), stop_request(), build_state(), build_state(), wait_timeout=0)
    assert (result["failed"], result["changed"]) == (True, True)
    assert result["msg"] == ("'app' #7 is still running 0 s after stop. For a Pipeline build, try 'escalate_to: term'.")


def test_unsupported_method_is_not_reported_as_success() -> None:
    result = stop_build(
        build_state(),
        stop_request(),
        build_state(),
        unsupported_method("term"),
        build_state(),
        escalate_to="kill",
        wait_timeout=0,
    )
    assert result["msg"] == (
        "'app' #7 is still running 0 s after stop. It is not a Pipeline build, so Jenkins does not "
        "support term and kill for it."
    )


def test_build_ends_after_unsupported_method() -> None:
    result = stop_build(
        build_state(),
        stop_request(),
        build_state(),
        unsupported_method("term"),
        build_state("ABORTED"),
        escalate_to="term",
        wait_timeout=0,
    )
    assert result["stopped_by"] == "stop"


def test_state_is_returned_when_not_waiting() -> None:
    result = stop_build(build_state(), stop_request(), build_state(), wait=False, escalate_to="kill")
    assert (result["changed"], result["stopped_by"], result["build"]["building"]) == (True, None, True)
    assert result["plan"]["methods"] == ["stop"]


def test_request_is_repeated_when_response_is_lost() -> None:
    assert (
        stop_build(build_state(), stop_request(drop=True), stop_request(), build_state("ABORTED"))["stopped_by"]
        == "stop"
    )


def test_build_is_read_back_when_response_is_lost() -> None:
    result = stop_build(build_state(), stop_request(drop=True), build_state("ABORTED"), retries=0)
    assert (result["changed"], result["stopped_by"]) == (True, "stop")


def test_nothing_changed_when_response_is_lost_and_build_finished_by_itself() -> None:
    result = stop_build(build_state(), stop_request(drop=True), build_state("SUCCESS"), retries=0)
    assert (result["changed"], result["stopped_by"]) == (False, None)


def test_nothing_changed_when_response_is_lost_and_build_is_running() -> None:
    result = stop_build(build_state(), stop_request(drop=True), build_state(), build_state(), retries=0, wait_timeout=0)
    assert "'app' #7 is still running 0 s after stop." in result["msg"]
    assert not result["changed"]


@pytest.mark.parametrize(
    ("wait", "read", "reason"),
    [(False, {}, ""), (True, {"drop": True}, "Reading back failed as well: ")],
    ids=["not waited for", "not readable"],
)
def test_outcome_is_unknown_when_response_is_lost(wait: bool, read: dict[str, Any], reason: str) -> None:
    result = stop_build(build_state(), stop_request(drop=True), build_state(**read), retries=0, wait=wait)
    assert reason in result["msg"]
    assert "Whether the request had its effect is not known." in result["msg"]
    assert not result["changed"]


def test_nothing_changed_when_response_is_lost_and_item_is_queued() -> None:
    result = stop_build(item(), cancel(drop=True), item(), queue_item=5, retries=0)
    assert "Queue item 5 was not canceled" in result["msg"]
    assert not result["changed"]


def test_expired_crumb_is_renewed() -> None:
    password = {"username": "admin", "api_token": None, "password": "secret"}
    refused = stop_request(status=403, json=engine_error(403, NO_CRUMB, "/job/app/7/stop"))
    calls = [
        build_state(),
        crumb("old"),
        refused,
        crumb("new"),
        stop_request(sent_headers={"Jenkins-Crumb": "new"}),
        build_state("ABORTED"),
    ]
    with conversation(*calls) as server:
        result = run("ci_build_stop", url=server.url, job="app", build="7", **password)
    assert result["stopped_by"] == "stop"


def test_interruption_reports_state_of_build() -> None:
    lines: list[str] = []
    with conversation(build_state(), stop_request(), build_state()) as server, pytest.raises(KeyboardInterrupt):
        run(
            "ci_build_stop",
            url=server.url,
            **TOKEN,
            job="app",
            build="7",
            display=send_ctrl_c,
            display_interruption=lines.append,
        )
    assert lines == ["interrupted after 'app' #7 was requested to end (stop). Its state is unknown."]


def test_task_fails_when_build_is_deleted() -> None:
    not_found = build_state(status=404, text=page("Not Found", "Oops!"))
    assert "'app' has no build 7" in stop_build(build_state(), stop_request(status=404), not_found)["msg"]


def test_missing_permission_is_reported() -> None:
    refused = stop_request(status=403, text=deny_permission("reader", "Job/Cancel"))
    assert "403 reader is missing the Job/Cancel permission" in stop_build(build_state(), refused)["msg"]


def test_queue_item_is_canceled() -> None:
    result = stop_build(item(), cancel(), queue_item=5)
    assert result == {"changed": True, "plan": CANCEL, "build": None, "stopped_by": None, "cancelled": True}


def test_check_mode_returns_plan_for_queue_item() -> None:
    result = stop_build(item(), queue_item=5, check_mode=True)
    assert (result["changed"], result["plan"], result["cancelled"]) == (True, CANCEL, False)


def test_canceled_item_is_not_changed() -> None:
    result = stop_build(item(cancelled=True), queue_item=5)
    assert result == {"changed": False, "plan": None, "build": None, "stopped_by": None, "cancelled": True}


def test_build_of_queue_item_is_stopped() -> None:
    executable = {"number": 7, "url": URL}
    result = stop_build(
        item(executable=executable), build_state(), stop_request(), build_state("ABORTED"), queue_item=5
    )
    assert (result["plan"], result["stopped_by"]) == (PLAN, "stop")


def test_build_is_stopped_when_item_starts_during_cancel() -> None:
    executable = {"number": 7, "url": URL}
    calls = [
        item(),
        cancel(500, text=page("Oops", "Oops!")),
        item(executable=executable),
        stop_request(),
        build_state("ABORTED"),
    ]
    result = stop_build(*calls, queue_item=5)
    assert (result["plan"], result["stopped_by"], result["cancelled"]) == (CANCEL, "stop", False)


@pytest.mark.parametrize("answer", [cancel(302), cancel(drop=True)])
def test_item_is_read_back_when_response_is_ambiguous(answer: Call) -> None:
    result = stop_build(item(), answer, item(cancelled=True), queue_item=5, retries=0)
    assert (result["changed"], result["cancelled"]) == (True, True)


def test_task_fails_when_item_cannot_be_canceled() -> None:
    result = stop_build(item(), cancel(422, text=page("Oops", "Oops!")), item(), queue_item=5)
    assert result["msg"].startswith("Queue item 5 was not canceled: POST /queue/cancelItem: 422. The account")
    assert result["changed"] is False


@pytest.mark.parametrize("state", [{}, {"cancelled": True}, {"executable": {"number": 7, "url": URL}}])
def test_item_of_another_job_is_not_canceled(state: dict[str, Any]) -> None:
    result = stop_build(item(**state), queue_item=5, job="folder/other")
    assert (result["failed"], result["changed"]) == (True, False)
    assert result["msg"] == (
        "Queue item 5 was not canceled: it belongs to 'app', not to 'folder/other'. "
        "Correct 'job', or omit it to cancel the item for any job."
    )


def test_item_of_the_job_is_canceled() -> None:
    assert stop_build(item(), cancel(), queue_item=5, job="App")["cancelled"] is True


def test_task_fails_when_item_is_forgotten_and_job_is_not_set() -> None:
    assert "Set 'job' to find" in stop_build(forgotten_item(), queue_item=5)["msg"]


@pytest.mark.parametrize("queue_id", [5, 6])
def test_forgotten_item_is_found_by_queue_id(queue_id: int) -> None:
    listed = call(
        "GET",
        f"/job/app/api/json?tree={quote('builds[number,queueId]', safe='')}",
        json={"builds": [{"number": 8, "queueId": 9}, {"number": 7, "queueId": queue_id}]},
    )
    more = [build_state(), stop_request(), build_state("ABORTED")] if queue_id == 5 else []
    assert stop_build(forgotten_item(), listed, *more, queue_item=5, job="app")["changed"] == (queue_id == 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one of the following is required: build, queue_item"),
        ({"build": "7"}, "missing parameter(s) required by 'build': job"),
        ({"job": "app", "build": "7", "queue_item": 5}, "parameters are mutually exclusive: build|queue_item"),
        ({"queue_item": 0}, "Option 'queue_item': must be 1 to"),
        ({"job": "app", "build": "7", "escalate_to": "exit"}, "value of escalate_to must be one of: stop, term, kill"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in run("ci_build_stop", url=server.url, **TOKEN, **options)["msg"]
