# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import signal
import time
from typing import Any

import pytest

from support.ci_server import (
    APP,
    IDLE,
    NEW_SESSION,
    OLD_SESSION,
    TOKEN,
    back,
    computers,
    crumb,
    deny_permission,
    down,
    engine_error,
    login,
    lost,
    page,
    quieting,
    restart,
    state,
)
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

HUDSON = {"X-Hudson": "1.395"}
REQUIRED = "/updateCenter/api/json?tree=restartRequiredForCompletion"
FLOW = {"_class": "org.jenkinsci.plugins.workflow.job.WorkflowRun", "number": 7, "url": "http://ci/job/flow/7/"}
MAINTENANCE = "<html><body><h1>Maintenance</h1></body></html>"
PLAN = {"action": "safe_restart", "running_builds": [], "hidden_builds": 0}
RESTARTED = {
    "completed": True,
    "requested_by": "this task",
    "session_before": "5f0c9a3e",
    "session_after": "77aa01bc",
}
FORM = '<form method="post" action="safeRestart"><button>Yes</button></form>'


def restart_form() -> Call:
    """Return the request for the restart form."""
    return call("GET", "/safeRestart", text=page("Safe restart - Jenkins", "Safe restart", FORM))


def cancel(status: int = 302, **answer: Any) -> Call:
    return call("POST", "/cancelQuietDown", status, **answer)


def changed_plugins(*plugins: dict[str, bool]) -> Call:
    answer = {"_class": "hudson.LocalPluginManager", "plugins": list(plugins)}
    return call("GET", "/pluginManager/api/json?tree=plugins%5Bactive%2Cdeleted%2Cenabled%5D", json=answer)


def unauthorized_login() -> Call:
    return state(401, json=engine_error(401, "Unauthorized", "/api/json"))


def required_restart(value: bool) -> Call:
    answer = {"_class": "hudson.model.UpdateCenter", "restartRequiredForCompletion": value}
    return call("GET", REQUIRED, json=answer)


def test_idle_server_is_restarted() -> None:
    with conversation(computers(), restart(), down(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result == {"changed": True, "plan": PLAN, "restart": RESTARTED}


def test_only_a_new_session_completes_the_restart(delays: list[float]) -> None:
    with conversation(
        computers(),
        restart(),
        login(),
        quieting(),
        computers(),
        down(),
        lost(),
        down(),
        login(headers=NEW_SESSION),
        unauthorized_login(),
        down(),
        login(headers=NEW_SESSION),
        state(503, text=page("Starting Jenkins", "Jenkins is getting ready to work")),
        *back(),
    ) as server:
        result = run("ci_safe_restart", url=server.url, wait_delay=0.25, **TOKEN)
    assert result == {"changed": True, "plan": PLAN, "restart": RESTARTED}
    assert delays == [0.25] * 7


def test_reading_running_builds_can_fail_during_restart() -> None:
    shutting_down = call("GET", computers().target, 401, json=engine_error(401, "Unauthorized", "/computer/api/json"))
    lost_response = call("GET", computers().target, drop=True)
    with conversation(
        computers(),
        restart(),
        login(),
        state(401, tree="quietingDown"),
        shutting_down,
        login(),
        quieting(),
        lost_response,
        *back(),
    ) as server:
        assert run("ci_safe_restart", url=server.url, **TOKEN)["restart"] == RESTARTED


def test_running_builds_are_awaited_and_shown() -> None:
    lines: list[str] = []
    with conversation(
        computers(running=(APP, FLOW)), restart(), login(), quieting(), computers(running=(APP,)), *back()
    ) as server:
        result = run("ci_safe_restart", url=server.url, display=lines.append, **TOKEN)
    assert result["plan"]["running_builds"] == [
        {"name": "app #42", "job": "app", "number": 42, "url": "http://ci/job/app/42/"},
        {"name": "http://ci/job/flow/7/", "job": "flow", "number": 7, "url": "http://ci/job/flow/7/"},
    ]
    assert lines == ["waiting, 1 build(s) are still running: app #42 (0 of at most 600 s)"]


def test_check_mode_only_reads() -> None:
    with conversation(computers(running=(APP,)), restart_form()) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, **TOKEN)
    running = [{"name": "app #42", "job": "app", "number": 42, "url": "http://ci/job/app/42/"}]
    assert result == {"changed": True, "plan": {**PLAN, "running_builds": running}, "restart": None}


def test_server_is_not_restarted_when_not_required() -> None:
    settled = changed_plugins({"active": True, "deleted": False, "enabled": True}, {"active": False, "enabled": False})
    with conversation(computers(), required_restart(False), settled) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result == {"changed": False, "plan": None, "restart": None}


@pytest.mark.parametrize(
    "plugin",
    [
        {"active": True, "deleted": True, "enabled": True},
        {"active": True, "deleted": False, "enabled": False},
        {"active": False, "deleted": False, "enabled": True},
    ],
    ids=["uninstalled", "disabled", "enabled"],
)
def test_changed_plugin_requires_restart(plugin: dict[str, bool]) -> None:
    with conversation(computers(), required_restart(False), changed_plugins(plugin), restart(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result["restart"] == RESTARTED


def test_server_is_restarted_when_required() -> None:
    with conversation(computers(), required_restart(True), restart(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result["restart"] == RESTARTED


@pytest.mark.parametrize(("value", "plan"), [(True, PLAN), (False, None)])
def test_check_mode_reads_whether_restart_is_required(value: bool, plan: dict[str, Any] | None) -> None:
    rest = [restart_form()] if value else [changed_plugins()]
    with conversation(computers(), required_restart(value), *rest) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, check_mode=True, **TOKEN)
    assert result == {"changed": value, "plan": plan, "restart": None}


def test_task_fails_when_server_does_not_report_pending_restart() -> None:
    with conversation(computers(HUDSON), call("GET", REQUIRED, 404, text="<html>Not Found</html>")) as server:
        result = run("ci_safe_restart", url=server.url, only_if_required=True, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert "does not report whether a restart is pending" in result["msg"]


def test_restart_is_not_completed_when_not_waiting() -> None:
    with conversation(computers(), restart()) as server:
        result = run("ci_safe_restart", url=server.url, wait=False, **TOKEN)
    assert result["changed"]
    assert result["restart"] == {**RESTARTED, "completed": False, "session_after": None}


def late(*rest: Call) -> tuple[Call, ...]:
    """Return the requests of a restart that a build delays until the timeout."""
    running = computers(running=(APP,))
    return running, quieting(False), restart(), login(), quieting(), running, *rest


STILL = "Waited 0 s, but 1 build(s) are still running: app #42."


def test_restart_stays_pending_on_timeout() -> None:
    running = computers(running=(APP,))
    with conversation(running, restart(), login(), quieting(), running) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["failed"]
    assert result["changed"]
    assert result["msg"] == f"{STILL} The restart is still pending."


NOT_CANCELLED = "The restart is about to begin and was not canceled."


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (
            (computers(running=(APP,)), cancel(), quieting(False)),
            "The restart was canceled.",
        ),
        (
            (computers(running=(APP,)), cancel(drop=True), quieting(False)),
            "The restart was canceled.",
        ),
        (
            (computers(running=(APP,)), cancel(401), state(503, tree="quietingDown")),
            "The restart began before it could be canceled.",
        ),
        (
            (computers(running=(APP,)), cancel(), quieting(False, NEW_SESSION)),
            "Jenkins restarted before the restart could be canceled.",
        ),
        (
            (computers(running=(APP,)), cancel(), quieting()),
            "The restart is still pending, although the server accepted the request to cancel it.",
        ),
        ((computers(),), NOT_CANCELLED),
        ((computers(NEW_SESSION, running=(APP,)),), NOT_CANCELLED),
        ((call("GET", computers().target, 503),), NOT_CANCELLED),
        ((call("GET", computers().target, drop=True),), NOT_CANCELLED),
    ],
    ids=["cancelled", "lost", "begun", "restarted", "still", "no-build", "new", "down", "gone"],
)
def test_restart_is_canceled_on_timeout_when_builds_are_running(rest: tuple[Call, ...], message: str) -> None:
    with conversation(*late(*rest)) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["failed"]
    assert result["msg"] == f"{STILL} {message}"


def test_refused_cancellation_is_reported() -> None:
    refused = cancel(403, text=deny_permission("reader", "Overall/Manage"))
    with conversation(*late(computers(running=(APP,)), refused, quieting())) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert "Canceling the restart failed: POST " in result["msg"]
    assert "reader is missing the Overall/Manage permission" in result["msg"]


def test_restart_is_not_canceled_when_quiet_down_was_active() -> None:
    running = computers(running=(APP,))
    with conversation(running, quieting(), restart(), login(), quieting(), running) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["msg"].startswith(f"{STILL} The restart is still pending: Jenkins was in quiet-down mode before")


def test_restart_is_not_canceled_when_it_has_begun() -> None:
    with conversation(computers(), quieting(False), restart(), down()) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["failed"]
    assert result["msg"] == "Waited 0 s, but the server returns 503. The restart has begun but is not complete."


def test_task_fails_when_another_client_cancels_the_restart() -> None:
    running = computers(running=(APP,))
    with conversation(running, restart(), login(), quieting(), running, login(), quieting(False)) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert result["msg"] == "The restart did not take place: another client canceled it."


def test_hidden_builds_are_counted() -> None:
    lines: list[str] = []
    with conversation(
        computers(unseen=2),
        restart(),
        login(),
        quieting(),
        computers(running=(APP,), unseen=1),
        *back(),
    ) as server:
        result = run("ci_safe_restart", url=server.url, display=lines.append, **TOKEN)
    assert result["plan"] == {**PLAN, "hidden_builds": 2}
    assert lines == [
        "waiting, 1 build(s) are still running: app #42; and 1 build(s) that the account cannot read "
        "(0 of at most 600 s)"
    ]


@pytest.mark.parametrize("title", ["Restarting Jenkins", "Starting Jenkins"])
def test_restart_in_progress_is_awaited(title: str) -> None:
    under_way = call("GET", computers().target, 503, text=page(title, title))
    with conversation(under_way, lost(), down(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result == {
        "changed": False,
        "plan": {**PLAN, "action": "wait"},
        "restart": {**RESTARTED, "requested_by": "another client", "session_before": None},
    }


def test_restart_in_progress_is_not_predicted_as_change() -> None:
    under_way = call("GET", computers().target, 503, text=page("Starting Jenkins", "Jenkins is getting ready to work"))
    with conversation(under_way) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, only_if_required=True, **TOKEN)
    assert not result["changed"]
    assert result["plan"]["action"] == "wait"


def test_check_mode_fails_when_server_cannot_restart_itself() -> None:
    page_without_form = page("Restart Jenkins - Jenkins", "Jenkins cannot restart itself as currently configured.")
    with conversation(computers(), call("GET", "/safeRestart", text=page_without_form)) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, **TOKEN)
    assert result["failed"]
    assert result["msg"] == "Jenkins cannot restart itself in this environment. Restart its service instead."


def test_check_mode_fails_when_permission_is_missing() -> None:
    refused = call("GET", "/safeRestart", 403, text=deny_permission("reader", "Overall/Manage"))
    with conversation(computers(), refused) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, **TOKEN)
    assert result["failed"]
    assert "403 reader is missing the Overall/Manage permission" in result["msg"]


def test_no_request_outlasts_the_deadline() -> None:
    with conversation(computers(), restart(), login(held=True)) as server:
        result = run("ci_safe_restart", url=server.url, timeout=3600, wait_timeout=0.2, wait_delay=0.1, **TOKEN)
    assert "but the server is down. The restart has begun" in result["msg"]


def test_interruption_reports_state_of_server(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    with (
        conversation(*late(computers(running=(APP,)), cancel(), quieting(False))) as server,
        pytest.raises(KeyboardInterrupt),
    ):
        run("ci_safe_restart", url=server.url, cancel_on_timeout=True, display_interruption=lines.append, **TOKEN)
    assert lines == [
        "interrupted while the restart is pending, canceling it.",
        "The restart was canceled.",
    ]
    assert signal.getsignal(signal.SIGINT) is before


def test_interruption_of_request_cancels_possible_restart() -> None:
    lines: list[str] = []
    running = computers(running=(APP,))
    request = restart(held=True, meanwhile=send_ctrl_c)
    with (
        conversation(running, quieting(False), request, running, cancel(), quieting(False)) as server,
        pytest.raises(KeyboardInterrupt),
    ):
        run("ci_safe_restart", url=server.url, cancel_on_timeout=True, display_interruption=lines.append, **TOKEN)
    assert lines == [
        "interrupted during this: POST /safeRestart. Whether it had its effect is not known.",
        "interrupted while the restart may be pending, canceling it.",
        "The restart was canceled.",
    ]


def test_rejected_password_is_reported_on_timeout() -> None:
    with conversation(computers(), restart(), login(headers=NEW_SESSION), unauthorized_login()) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["msg"].startswith("Waited 0 s, but the server returns 401.")


@pytest.mark.parametrize(
    "verification",
    [
        state(tree="quietingDown", json={"quietingDown": True}, headers=OLD_SESSION),
        state(tree="quietingDown", json={"quietingDown": False}, headers=NEW_SESSION),
        state(503, tree="quietingDown", text=page("Restarting Jenkins", "Jenkins is restarting")),
        state(tree="quietingDown", drop=True),
    ],
    ids=["quieting-down", "new-session", "unavailable", "gone"],
)
def test_restart_continues_when_response_is_lost(verification: Call) -> None:
    with conversation(computers(), restart(drop=True), verification, down(), *back()) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["changed"]
    assert result["restart"] == RESTARTED


def test_restart_is_not_assumed_when_crumb_is_unreadable() -> None:
    unreadable = call("GET", "/crumbIssuer/api/json", text=MAINTENANCE)
    with conversation(computers(), unreadable) as server:
        result = run("ci_safe_restart", url=server.url, username="admin", password="secret", wait=False)
    assert result["failed"]
    assert not result["changed"]


def test_task_fails_when_response_is_lost_and_server_does_not_restart() -> None:
    in_service = state(tree="quietingDown", json={"quietingDown": False}, headers=OLD_SESSION)
    with conversation(computers(), restart(drop=True), in_service) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert "Whether the request had its effect is not known" in result["msg"]


def test_restart_is_verified_without_session_id() -> None:
    lines: list[str] = []
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
        result = run("ci_safe_restart", url=server.url, username="admin", password="s3cret", display=lines.append)
    assert result["changed"]
    assert result["restart"] == {**RESTARTED, "session_before": None, "session_after": None}
    assert "1 build(s) are still running: app #42" in lines[0]


def test_task_fails_when_server_without_session_id_was_not_down() -> None:
    with conversation(computers(HUDSON), restart(), login(headers=HUDSON), computers(HUDSON)) as server:
        result = run("ci_safe_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["failed"]
    assert "the server has not shut down yet" in result["msg"]


def test_proxy_page_is_not_a_new_process() -> None:
    proxy = login(headers={}, text=MAINTENANCE)
    proxied = call("GET", computers().target, text=MAINTENANCE)
    with conversation(computers(), restart(), proxy, proxied, *back()) as server:
        assert run("ci_safe_restart", url=server.url, **TOKEN)["restart"] == RESTARTED


def test_proxy_page_is_not_a_new_process_without_session_id() -> None:
    proxy = login(headers={}, text=MAINTENANCE)
    with conversation(
        computers(HUDSON), restart(), down(), proxy, state(text=MAINTENANCE), login(headers=HUDSON), state()
    ) as server:
        assert run("ci_safe_restart", url=server.url, **TOKEN)["restart"]["completed"]


def test_server_that_cannot_restart_itself_is_reported() -> None:
    refusal = restart(500, text=page("Jenkins", "Oops! A problem occurred while processing the request."))
    with conversation(computers(), refusal, quieting(False)) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"].endswith("Jenkins may be unable to restart itself in this environment.")


def test_missing_permission_is_reported() -> None:
    with conversation(computers(), restart(403, text=deny_permission("reader", "Overall/Manage"))) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"] == (
        f"POST {server.url}/safeRestart: 403 reader is missing the Overall/Manage permission. "
        "The account lacks the required permission."
    )


def test_confirmation_page_is_not_a_restart() -> None:
    with conversation(computers(), restart(200, text=page("Jenkins", "Are you sure?"))) as server:
        result = run("ci_safe_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert "safeRestart: 200 Are you sure?" in result["msg"]


def test_idle_executors_are_not_running_builds() -> None:
    offline = {"_class": "hudson.slaves.SlaveComputer"}
    empty = call(
        "GET", computers().target, json={**IDLE, "computer": [*IDLE["computer"], offline]}, headers=OLD_SESSION
    )
    with conversation(empty, restart_form()) as server:
        result = run("ci_safe_restart", url=server.url, check_mode=True, **TOKEN)
    assert result["plan"] == PLAN
