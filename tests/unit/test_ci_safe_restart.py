# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from unit.ci_server import (
    IDLE,
    NEW_SESSION,
    OLD_SESSION,
    computers,
    crumb,
    engine_error,
    missing,
    page,
    restart,
)
from unit.conversation import Call, call, conversation
from unit.running import run

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
HUDSON = {"X-Hudson": "1.395"}
REQUIRED = "/updateCenter/api/json?tree=restartRequiredForCompletion"
APP = {
    "_class": "hudson.model.FreeStyleBuild",
    "fullDisplayName": "app #42",
    "number": 42,
    "url": "http://ci/job/app/42/",
}
FLOW = {"_class": "org.jenkinsci.plugins.workflow.job.WorkflowRun", "number": 7, "url": "http://ci/job/flow/7/"}
MAINTENANCE = "<html><body><h1>Maintenance</h1></body></html>"
PLAN = {"action": "safe restart", "running_builds": []}
RESTARTED = {"completed": True, "session_before": "5f0c9a3e", "session_after": "77aa01bc"}


def login(status: int = 200, headers: dict[str, str] = OLD_SESSION, **answer: Any) -> Call:
    """The login page, which is asked without credentials."""
    if status == 200:
        answer.setdefault("text", page("Sign in - Jenkins", "Sign in to Jenkins"))
    return call("GET", "/login", status, headers=headers, sent_without=["Authorization"], **answer)


def down() -> Call:
    return login(503, {}, text=page("Restarting Jenkins", "Jenkins is restarting"))


def lost() -> Call:
    return login(headers={}, drop=True)


def state(status: int = 200, tree: str = "mode", **answer: Any) -> Call:
    if not answer:
        answer = {"json": {"_class": "hudson.model.Hudson", "mode": "NORMAL"}}
    return call("GET", f"/api/json?tree={tree}", status, **answer)


def unauthorized() -> Call:
    return state(401, json=engine_error(401, "Unauthorized", "/api/json"))


def back() -> tuple[Call, Call]:
    """The new process answers, with and without credentials."""
    return login(headers=NEW_SESSION), state()


def required(value: bool) -> Call:
    answer = {"_class": "hudson.model.UpdateCenter", "restartRequiredForCompletion": value}
    return call("GET", REQUIRED, json=answer)


def test_an_idle_server_restarts() -> None:
    with conversation(computers(), restart(), down(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result == {"changed": True, "plan": PLAN, "restart": RESTARTED}


def test_nothing_on_the_way_is_the_end_but_another_session(naps: list[float]) -> None:
    with conversation(
        computers(),
        restart(),
        login(),
        computers(),
        down(),
        lost(),
        down(),
        login(headers=NEW_SESSION),
        unauthorized(),
        down(),
        login(headers=NEW_SESSION),
        state(503, text=page("Starting Jenkins", "Jenkins is getting ready to work")),
        *back(),
    ) as server:
        result = run("ci_safe_restart", url=server.url, wait_delay=0.25, **TOKEN)
    assert result == {"changed": True, "plan": PLAN, "restart": RESTARTED}
    assert naps == [0.25] * 7


def test_the_listing_of_builds_may_fail_on_the_way() -> None:
    shutting_down = call("GET", computers().target, 401, json=engine_error(401, "Unauthorized", "/computer/api/json"))
    gone = call("GET", computers().target, drop=True)
    with conversation(computers(), restart(), login(), shutting_down, login(), gone, *back()) as server:
        assert run("ci_safe_restart", url=server.url, **TOKEN)["restart"] == RESTARTED


def test_running_builds_are_waited_for_and_told() -> None:
    told: list[str] = []
    with conversation(computers(running=(APP, FLOW)), restart(), login(), computers(running=(APP,)), *back()) as server:
        result = run("ci_safe_restart", url=server.url, tell=told.append, **TOKEN)
    assert result["plan"]["running_builds"] == [
        {"name": "app #42", "number": 42, "url": "http://ci/job/app/42/"},
        {"name": "http://ci/job/flow/7/", "number": 7, "url": "http://ci/job/flow/7/"},
    ]
    assert told == ["waiting, 1 build(s) still run: app #42 (0 of at most 600 s)"]


def test_check_mode_only_reads() -> None:
    with conversation(computers(running=(APP,))) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, **TOKEN)
    running = [{"name": "app #42", "number": 42, "url": "http://ci/job/app/42/"}]
    assert result == {"changed": True, "plan": {"action": "safe restart", "running_builds": running}}


def test_a_server_that_needs_no_restart_is_left_alone() -> None:
    with conversation(computers(), required(False)) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result == {"changed": False, "plan": None}


def test_a_server_that_needs_a_restart_gets_it() -> None:
    with conversation(computers(), required(True), restart(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result["restart"] == RESTARTED


@pytest.mark.parametrize(("value", "plan"), [(True, PLAN), (False, None)])
def test_check_mode_asks_whether_a_restart_is_required(value: bool, plan: dict[str, Any] | None) -> None:
    with conversation(computers(), required(value)) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, check_mode=True, **TOKEN)
    assert result == {"changed": value, "plan": plan}


def test_a_server_that_does_not_tell_whether_a_restart_is_required_is_not_restarted() -> None:
    with conversation(computers(HUDSON), call("GET", REQUIRED, 404, text="<html>Not Found</html>")) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert "does not tell whether a restart is pending" in result["msg"]


def test_without_waiting_the_result_does_not_claim_a_restart() -> None:
    with conversation(computers(), restart()) as server:
        result = run("ci_safe_restart", url=server.url, wait=False, **TOKEN)
    assert result["changed"]
    assert result["restart"] == {"completed": False, "session_before": "5f0c9a3e", "session_after": None}


def test_when_the_time_is_over_the_restart_stays_asked_for() -> None:
    with conversation(computers(running=(APP,)), restart(), login(), computers(running=(APP,))) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["failed"]
    assert result["changed"]
    assert result["msg"] == "Waited 0 s, but 1 build(s) still run: app #42. The restart is still asked for."


def test_when_the_time_is_over_the_restart_is_cancelled_if_asked() -> None:
    cancel = call("POST", "/cancelQuietDown", 302, headers={"Location": "/"})
    with conversation(computers(running=(APP,)), restart(), login(), computers(running=(APP,)), cancel) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["failed"]
    assert result["msg"] == (
        "Waited 0 s, but 1 build(s) still run: app #42. The restart was cancelled, the server takes builds again."
    )


def test_a_restart_that_cannot_be_cancelled_any_more_is_told() -> None:
    cancel = call("POST", "/cancelQuietDown", 503, text=page("Restarting Jenkins", "Jenkins is restarting"))
    with conversation(computers(), restart(), down(), cancel) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, cancel_on_timeout=True, retries=0, **TOKEN)
    assert result["failed"]
    assert result["msg"].startswith("Waited 0 s, but the server answers 503. The restart could not be cancelled: POST ")


def test_a_password_that_is_wrong_for_good_is_told_at_the_end() -> None:
    with conversation(computers(), restart(), login(headers=NEW_SESSION), unauthorized()) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["msg"].startswith("Waited 0 s, but the server answers 401.")


@pytest.mark.parametrize(
    "seen",
    [
        state(tree="quietingDown", json={"quietingDown": True}, headers=OLD_SESSION),
        state(tree="quietingDown", json={"quietingDown": False}, headers=NEW_SESSION),
        state(503, tree="quietingDown", text=page("Restarting Jenkins", "Jenkins is restarting")),
        state(tree="quietingDown", drop=True),
    ],
    ids=["quieting-down", "new-session", "unavailable", "gone"],
)
def test_a_lost_reply_to_a_request_that_acted_is_resolved(seen: Call) -> None:
    with conversation(computers(), restart(drop=True), seen, down(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["changed"]
    assert result["restart"] == RESTARTED


def test_a_lost_reply_to_a_request_that_did_not_act_is_a_failure() -> None:
    in_service = state(tree="quietingDown", json={"quietingDown": False}, headers=OLD_SESSION)
    with conversation(computers(), restart(drop=True), in_service) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert "Whether the request had its effect is not known" in result["msg"]


def test_a_server_without_session_id_must_have_been_down() -> None:
    told: list[str] = []
    with conversation(
        computers(HUDSON),
        crumb("abc", ".crumb"),
        restart(sent_headers={".crumb": "abc"}),
        login(headers=HUDSON),
        computers(HUDSON, running=(APP,)),
        login(headers=HUDSON),
        computers(HUDSON),
        down(),
        lost(),
        down(),
        login(headers=HUDSON),
        state(),
    ) as server:
        result = run("ci_safe_restart", url=server.url, username="admin", password="s3cret", tell=told.append)
    assert result["changed"]
    assert result["restart"] == {"completed": True, "session_before": None, "session_after": None}
    assert "1 build(s) still run: app #42" in told[0]


def test_a_server_without_session_id_that_never_went_down_has_not_restarted() -> None:
    with conversation(computers(HUDSON), restart(), login(headers=HUDSON), computers(HUDSON)) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["failed"]
    assert "the server has not gone down yet" in result["msg"]


def test_a_page_of_a_proxy_is_no_new_process() -> None:
    proxy = login(headers={}, text=MAINTENANCE)
    proxied = call("GET", computers().target, text=MAINTENANCE)
    with conversation(computers(), restart(), proxy, proxied, *back()) as server:
        assert run("ci_safe_restart", url=server.url, **TOKEN)["restart"] == RESTARTED


def test_a_page_of_a_proxy_is_no_end_on_a_server_without_session_id() -> None:
    proxy = login(headers={}, text=MAINTENANCE)
    with conversation(
        computers(HUDSON), restart(), down(), proxy, state(text=MAINTENANCE), login(headers=HUDSON), state()
    ) as server:
        assert run("ci_safe_restart", url=server.url, **TOKEN)["restart"]["completed"]


def test_a_server_that_cannot_restart_itself_is_told() -> None:
    refusal = restart(500, text=page("Jenkins", "Oops! A problem occurred while processing the request."))
    with conversation(computers(), refusal) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"].endswith("Perhaps it runs in a way in which it cannot restart itself.")


def test_a_missing_permission_is_told() -> None:
    with conversation(computers(), restart(403, text=missing("reader", "Overall/Manage"))) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"] == (
        f"POST {server.url}/safeRestart: 403 reader is missing the Overall/Manage permission. "
        "The account lacks a permission for this."
    )


def test_a_confirmation_page_is_no_restart() -> None:
    with conversation(computers(), restart(200, text=page("Jenkins", "Are you sure?"))) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert "safeRestart: 200 Are you sure?" in result["msg"]


def test_executors_without_builds_are_no_running_builds() -> None:
    offline = {"_class": "hudson.slaves.SlaveComputer"}
    empty = call(
        "GET", computers().target, json={**IDLE, "computer": [*IDLE["computer"], offline]}, headers=OLD_SESSION
    )
    with conversation(empty) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, **TOKEN)
    assert result["plan"] == PLAN
