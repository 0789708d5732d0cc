# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.ci_server import APP, TOKEN, computers, crumb, deny_permission, login, page
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

STATE = "/api/json?tree=quietDownReason%2CquietingDown"
BANNER = page("Hudson", "", '<div id="shutdown-msg">Hudson is going to shut down</div>')
RUNNING = [{"name": "app #42", "job": "app", "number": 42, "url": "http://ci/job/app/42/"}]
UNSEEN = {"running_builds": None, "hidden_builds": None}
STAYS = "Jenkins is still in quiet-down mode. Use ci_quiet_down with 'state: absent' to end it."


def quiet(reason: str | None = None, **answer: Any) -> Call:
    """Return the state in quiet-down mode."""
    state = {"_class": "hudson.model.Hudson", "quietDownReason": reason, "quietingDown": True}
    return call("GET", STATE, json=state, **answer)


def open_to_all() -> Call:
    """Return the state without quiet-down mode."""
    return call("GET", STATE, json={"_class": "hudson.model.Hudson", "quietDownReason": None, "quietingDown": False})


def begin(**sent: Any) -> Call:
    return call("POST", "/quietDown", 302, headers={"Location": "/"}, **sent)


def end(status: int = 302, **answer: Any) -> Call:
    return call("POST", "/cancelQuietDown", status, headers={"Location": "/"}, **answer)


def test_quiet_down_is_started() -> None:
    with conversation(
        open_to_all(),
        begin(sent_form={"message": "Disks & more\n\u2192 6 pm"}),
        quiet("Disks & more\n\u2192 6 pm"),
        computers(),
        quiet(),
    ) as server:
        result = run("ci_quiet_down", url=server.url, reason="Disks & more\n\u2192 6 pm", diff_mode=True, **TOKEN)
    assert result == {
        "changed": True,
        "quiet_down": {"reason": "Disks & more\n\u2192 6 pm"},
        "running_builds": [],
        "hidden_builds": 0,
        "diff": {
            "before": {"state": "absent"},
            "after": {"state": "present", "reason": "Disks & more\n\u2192 6 pm"},
        },
    }


def test_no_reason_is_sent_when_not_set() -> None:
    with conversation(open_to_all(), begin(sent_form={}), quiet()) as server:
        result = run("ci_quiet_down", url=server.url, wait=False, **TOKEN)
    assert result == {"changed": True, "quiet_down": {"reason": ""}, **UNSEEN}


@pytest.mark.parametrize("reason", [None, "Backup"])
def test_active_quiet_down_is_not_changed(reason: str | None) -> None:
    with conversation(quiet("Backup")) as server:
        result = run("ci_quiet_down", url=server.url, reason=reason, wait=False, **TOKEN)
    assert result == {"changed": False, "quiet_down": {"reason": "Backup"}, **UNSEEN}


@pytest.mark.parametrize(("reason", "form"), [("Disks", {"message": "Disks"}), ("", {})], ids=["other", "none"])
def test_reason_is_changed(reason: str, form: dict[str, str]) -> None:
    with conversation(quiet("Backup"), begin(sent_form=form), quiet(reason or None)) as server:
        result = run("ci_quiet_down", url=server.url, reason=reason, wait=False, **TOKEN)
    assert result["changed"]
    assert result["quiet_down"] == {"reason": reason}


def test_quiet_down_is_ended() -> None:
    with conversation(quiet("Backup"), end(), open_to_all()) as server:
        result = run("ci_quiet_down", url=server.url, state="absent", **TOKEN)
    assert result == {"changed": True, "quiet_down": None, **UNSEEN}


def test_nothing_changes_when_quiet_down_is_not_active() -> None:
    with conversation(open_to_all()) as server:
        result = run("ci_quiet_down", url=server.url, state="absent", **TOKEN)
    assert result == {"changed": False, "quiet_down": None, **UNSEEN}


def test_running_builds_are_awaited_and_shown() -> None:
    lines: list[str] = []
    with conversation(
        quiet(), computers(running=(APP,)), quiet(), computers(unseen=1), quiet(), computers(), quiet()
    ) as server:
        result = run("ci_quiet_down", url=server.url, display=lines.append, **TOKEN)
    assert not result["changed"]
    assert result["running_builds"] == []
    assert lines[0] == "waiting, 1 build(s) are still running: app #42 (0 of at most 600 s)"


def test_check_mode_only_reads_running_builds() -> None:
    form = call("GET", "/safeRestart", text=page("Safe restart", "Safe restart"))
    with conversation(open_to_all(), form, computers(running=(APP,), unseen=2)) as server:
        result = run("ci_quiet_down", url=server.url, reason="Disks", check_mode=True, **TOKEN)
    assert result["changed"]
    assert result["quiet_down"] == {"reason": "Disks"}
    assert (result["running_builds"], result["hidden_builds"]) == (RUNNING, 2)


def test_check_mode_fails_when_permission_is_missing() -> None:
    refused = call("GET", "/safeRestart", 403, text=deny_permission("reader", "Overall/Manage"))
    with conversation(open_to_all(), refused) as server:
        result = run("ci_quiet_down", url=server.url, check_mode=True, **TOKEN)
    assert "403 reader is missing the Overall/Manage permission" in result["msg"]


def test_task_fails_when_another_client_ends_the_quiet_down() -> None:
    with conversation(open_to_all(), begin(), quiet(), computers(), open_to_all()) as server:
        result = run("ci_quiet_down", url=server.url, **TOKEN)
    assert result["failed"]
    assert result["msg"] == "Waiting for running builds failed: another client ended the quiet-down mode."


LATE = "but 1 build(s) are still running: app #42."


def late(*rest: Call) -> tuple[Call, ...]:
    """Return the requests of a quiet-down during which a build runs until the timeout."""
    return open_to_all(), begin(), quiet(), computers(running=(APP,)), quiet(), *rest


def test_quiet_down_stays_active_on_timeout() -> None:
    with conversation(*late()) as server:
        result = run("ci_quiet_down", url=server.url, wait_timeout=0, **TOKEN)
    assert result["failed"]
    assert result["changed"]
    assert result["msg"].partition(", ")[2] == f"{LATE} {STAYS}"
    assert result["running_builds"] == RUNNING


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ((end(), open_to_all()), "The quiet-down mode was ended."),
        ((end(), quiet()), f"The server accepted the request to end it, but did not act. {STAYS}"),
    ],
    ids=["ended", "not"],
)
def test_quiet_down_is_ended_on_timeout_when_requested(rest: tuple[Call, ...], message: str) -> None:
    with conversation(*late(*rest)) as server:
        result = run("ci_quiet_down", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["msg"].partition(", ")[2] == f"{LATE} {message}"


def test_message_reports_when_ending_failed() -> None:
    with conversation(*late(end(403, text=deny_permission("ops", "Overall/Manage")))) as server:
        result = run("ci_quiet_down", url=server.url, wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["msg"].partition(", ")[2].startswith(f"{LATE} Ending the quiet-down mode failed: POST ")


def test_earlier_quiet_down_is_not_ended_on_timeout() -> None:
    with conversation(quiet("Backup"), begin(), quiet("Disks"), computers(running=(APP,)), quiet("Disks")) as server:
        result = run("ci_quiet_down", url=server.url, reason="Disks", wait_timeout=0, cancel_on_timeout=True, **TOKEN)
    assert result["msg"].partition(", ")[2] == f"{LATE} {STAYS} It was active before this task."


@pytest.mark.parametrize(
    ("cancel", "rest", "message"),
    [(False, (), STAYS), (True, (end(), open_to_all()), "The quiet-down mode was ended.")],
    ids=["stays", "cancelled"],
)
def test_interruption_reports_state_of_server(
    cancel: bool, rest: tuple[Call, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    with conversation(*late(*rest)) as server, pytest.raises(KeyboardInterrupt):
        run("ci_quiet_down", url=server.url, cancel_on_timeout=cancel, display_interruption=lines.append, **TOKEN)
    assert lines == [f"interrupted during the quiet-down. {message}"]


DOUBT = "interrupted during this: POST /quietDown. Whether it had its effect is not known."
ENDED = "interrupted during the quiet-down. The quiet-down mode was ended."


@pytest.mark.parametrize(
    ("requests", "cancel", "expected"),
    [
        ((begin(held=True, meanwhile=send_ctrl_c),), False, [DOUBT]),
        ((begin(held=True, meanwhile=send_ctrl_c), end(), open_to_all()), True, [DOUBT, ENDED]),
        ((begin(), quiet(held=True, meanwhile=send_ctrl_c), end(), open_to_all()), True, [ENDED]),
    ],
    ids=["request, stays", "request", "read back"],
)
def test_an_interruption_before_the_wait_ends_the_quiet_down(
    requests: tuple[Call, ...], cancel: bool, expected: list[str]
) -> None:
    lines: list[str] = []
    with conversation(open_to_all(), *requests) as server, pytest.raises(KeyboardInterrupt):
        run("ci_quiet_down", url=server.url, cancel_on_timeout=cancel, display_interruption=lines.append, **TOKEN)
    assert lines == expected


def test_request_is_repeated_when_response_is_lost() -> None:
    with conversation(open_to_all(), begin(drop=True), begin(), quiet()) as server:
        result = run("ci_quiet_down", url=server.url, wait=False, **TOKEN)
    assert result["changed"]
    assert not result.get("failed")


def test_task_fails_when_server_does_not_act() -> None:
    with conversation(open_to_all(), begin(), open_to_all()) as server:
        result = run("ci_quiet_down", url=server.url, wait=False, **TOKEN)
    assert result["msg"] == "The server accepted the change, but the quiet_down does not exist."


def old(text: str = "") -> tuple[Call, Call]:
    """Return the requests to a server that only shows the mode on its pages."""
    return call("GET", STATE, json={"mode": "NORMAL"}), login(
        headers={"X-Hudson": "1.395"}, text=text or page("Hudson", "")
    )


def test_quiet_down_is_read_from_pages_of_old_server() -> None:
    with conversation(
        *old(), crumb("abc", ".crumb"), begin(sent_form={"message": "Disks"}), *old(BANNER), computers(), *old(BANNER)
    ) as server:
        result = run("ci_quiet_down", url=server.url, reason="Disks", username="admin", password="s3cret")
    assert result == {"changed": True, "quiet_down": {}, "running_builds": [], "hidden_builds": 0}


def test_active_quiet_down_of_old_server_is_not_changed() -> None:
    with conversation(*old(BANNER)) as server:
        result = run("ci_quiet_down", url=server.url, reason="Disks", wait=False, **TOKEN)
    assert result == {"changed": False, "quiet_down": {}, **UNSEEN}
