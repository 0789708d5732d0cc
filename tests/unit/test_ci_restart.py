# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.ci_server import (
    APP,
    NEW_SESSION,
    OLD_SESSION,
    TOKEN,
    back,
    computers,
    crumb,
    deny_permission,
    down,
    login,
    lost,
    page,
    quieting,
    state,
)
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

HUDSON = {"X-Hudson": "1.395"}
PLAN = {"action": "restart", "running_builds": [], "hidden_builds": 0}
KILLED = {**PLAN, "running_builds": [{"name": "app #42", "job": "app", "number": 42, "url": "http://ci/job/app/42/"}]}
RESTARTED = {
    "completed": True,
    "requested_by": "this task",
    "session_before": "5f0c9a3e",
    "session_after": "77aa01bc",
}
INSTEAD = "Use ci_safe_restart to wait for them, or set 'kill_builds'."


def restart(status: int = 302, **answer: Any) -> Call:
    """Return the restart request."""
    return call("POST", "/restart", status, **answer)


def form(action: str = "restart") -> Call:
    """Return the request for the restart form."""
    return call("GET", "/restart", text=page("Restart", "Restart", f'<form method="post" action="{action}"></form>'))


def test_idle_server_is_restarted() -> None:
    with conversation(computers(), restart(), down(), lost(), down(), *back()) as server:
        result = run("ci_restart", url=server.url, **TOKEN)
    assert result == {"changed": True, "plan": PLAN, "restart": RESTARTED}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("running", "unseen", "named"),
    [
        ((APP,), 0, "app #42"),
        ((APP,), 2, "app #42 and 2 build(s) that the account cannot read"),
        ((), 1, "1 build(s) that the account cannot read"),
        ((APP,) * 12, 0, ", ".join(["app #42"] * 10) + " and 2 more"),
    ],
    ids=["seen", "both", "unseen", "many"],
)
def test_builds_are_not_killed_by_default(
    running: tuple[dict[str, Any], ...], unseen: int, named: str, check_mode: bool
) -> None:
    with conversation(computers(running=running, unseen=unseen)) as server:
        result = run("ci_restart", url=server.url, check_mode=check_mode, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"] == f"Jenkins was not restarted: this would kill {named}. {INSTEAD}"
    assert len(result["plan"]["running_builds"]) == len(running)


def test_builds_are_killed_when_requested() -> None:
    with conversation(computers(running=(APP,), unseen=1), restart(), down(), *back()) as server:
        result = run("ci_restart", url=server.url, kill_builds=True, **TOKEN)
    assert result == {"changed": True, "plan": {**KILLED, "hidden_builds": 1}, "restart": RESTARTED}


def test_check_mode_returns_builds_to_kill() -> None:
    with conversation(computers(running=(APP,)), form()) as server:
        result = run("ci_restart", url=server.url, kill_builds=True, check_mode=True, **TOKEN)
    assert result == {"changed": True, "plan": KILLED, "restart": None}


def test_check_mode_fails_when_server_cannot_restart_itself() -> None:
    with conversation(computers(), form("safeRestart")) as server:
        result = run("ci_restart", url=server.url, check_mode=True, **TOKEN)
    assert result["msg"] == "Jenkins cannot restart itself in this environment. Restart its service instead."


def test_old_process_can_respond_for_a_while() -> None:
    lines: list[str] = []
    with conversation(computers(), restart(), login(), login(), down(), *back()) as server:
        result = run("ci_restart", url=server.url, display=lines.append, **TOKEN)
    assert result["restart"] == RESTARTED
    assert lines[0] == "waiting, the server has not shut down yet (0 of at most 600 s)"


def test_restart_is_verified_without_session_id() -> None:
    with conversation(
        computers(HUDSON),
        crumb("abc", ".crumb"),
        restart(sent_headers={".crumb": "abc"}),
        login(headers=HUDSON),
        down(),
        login(headers=HUDSON),
        state(),
    ) as server:
        result = run("ci_restart", url=server.url, username="admin", password="s3cret")
    assert result["restart"] == {**RESTARTED, "session_before": None, "session_after": None}


def test_restart_is_not_completed_when_not_waiting() -> None:
    with conversation(computers(), restart()) as server:
        result = run("ci_restart", url=server.url, wait=False, **TOKEN)
    assert result["changed"]
    assert result["restart"] == {**RESTARTED, "completed": False, "session_after": None}


def test_restart_in_progress_is_awaited() -> None:
    under_way = call("GET", computers().target, 503, text=page("Restarting Jenkins", "Jenkins is restarting"))
    with conversation(under_way, down(), *back()) as server:
        result = run("ci_restart", url=server.url, **TOKEN)
    assert not result["changed"]
    assert result["plan"]["action"] == "wait"


@pytest.mark.parametrize(
    "verification",
    [
        quieting(False, NEW_SESSION),
        state(503, tree="quietingDown", text=page("Restarting Jenkins", "Jenkins is restarting")),
        state(tree="quietingDown", drop=True),
    ],
    ids=["new-session", "unavailable", "gone"],
)
def test_restart_continues_when_response_is_lost(verification: Call) -> None:
    with conversation(computers(), restart(drop=True), verification, down(), *back()) as server:
        result = run("ci_restart", url=server.url, **TOKEN)
    assert result["changed"]
    assert result["restart"] == RESTARTED


@pytest.mark.parametrize("quiet", [True, False])
def test_task_fails_when_response_is_lost_and_server_does_not_restart(quiet: bool) -> None:
    with conversation(computers(), restart(drop=True), quieting(quiet, OLD_SESSION)) as server:
        result = run("ci_restart", url=server.url, **TOKEN)
    assert not result["changed"]
    assert "Whether the request had its effect is not known" in result["msg"]


@pytest.mark.parametrize(
    ("poll", "message"),
    [
        (login(), "the server has not shut down yet. The restart is still pending."),
        (down(), "the server returns 503. The restart has begun but is not complete."),
    ],
    ids=["before", "down"],
)
def test_timeout_reports_state_of_restart(poll: Call, message: str) -> None:
    with conversation(computers(), restart(), poll) as server:
        result = run("ci_restart", url=server.url, wait_timeout=0, **TOKEN)
    assert result["failed"]
    assert result["changed"]
    assert result["msg"].partition(", ")[2] == f"but {message}"


def test_interruption_reports_state_of_server(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    with conversation(computers(), restart(), down()) as server, pytest.raises(KeyboardInterrupt):
        run("ci_restart", url=server.url, display_interruption=lines.append, **TOKEN)
    assert lines == ["interrupted while the server is restarting."]


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (
            restart(403, text=deny_permission("reader", "Overall/Manage")),
            "reader is missing the Overall/Manage permission",
        ),
        (restart(500, text=page("Jenkins", "Oops!")), "Jenkins may be unable to restart itself in this environment."),
    ],
    ids=["right", "unable"],
)
def test_refusal_is_reported(refusal: Call, message: str) -> None:
    read_back = [quieting(False, OLD_SESSION)] if refusal.status == 500 else []
    with conversation(computers(), refusal, *read_back) as server:
        result = run("ci_restart", url=server.url, **TOKEN)
    assert result["failed"]
    assert not result["changed"]
    assert message in result["msg"]
