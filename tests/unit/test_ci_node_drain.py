# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.ci_nodes import BUILT_IN, computer, offline, state
from support.ci_server import APP, TOKEN, deny_permission
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

MARK = "Drained by buildworks.toolchain"
REASON = f"{MARK}: disks"
BUSY = [{"currentExecutable": APP, "idle": False}]
RUNNING = [{"name": "app #42", "job": "app", "number": 42, "url": "http://ci/job/app/42/"}]
STAYS = "Node 'n1' is still offline. Use ci_node_drain with 'state: resumed' to bring it online."


def online(**members: Any) -> Call:
    return state(computer(**members))


def drained(reason: str = REASON, **members: Any) -> Call:
    return state(offline(reason=reason, **members))


def taken_offline(reason: str = REASON, status: int = 302, **answer: Any) -> Call:
    headers = {"Location": "/computer/n1/"}
    form = {"offlineMessage": reason}
    return call("POST", "/computer/n1/changeOfflineCause", status, headers=headers, sent_form=form, **answer)


def toggled(status: int = 302, **answer: Any) -> Call:
    headers = {"Location": "/computer/n1/"}
    form = {"offlineMessage": MARK}
    return call("POST", "/computer/n1/toggleOffline", status, headers=headers, sent_form=form, **answer)


def task(**options: Any) -> dict[str, Any]:
    return {"name": "n1", "wait_delay": 0.1, **TOKEN, **options}


def test_node_is_drained() -> None:
    with conversation(
        online(executors=BUSY), taken_offline(), drained(executors=BUSY), drained(executors=BUSY), drained()
    ) as server:
        result = run("ci_node_drain", url=server.url, diff_mode=True, **task(reason="disks"))
    assert result == {
        "changed": True,
        "node": {"name": "n1", "offline": True, "temporarily_offline": True, "reason": REASON, "drained": True},
        "running_builds": [],
        "hidden_builds": 0,
        "diff": {
            "before": {"temporarily_offline": False, "reason": ""},
            "after": {"temporarily_offline": True, "reason": REASON},
        },
    }


def test_drained_node_is_not_changed() -> None:
    for options in ({}, {"reason": "disks"}):
        with conversation(drained(), drained()) as server:
            assert not run("ci_node_drain", url=server.url, **task(**options))["changed"]
    with conversation(drained()) as server:
        result = run("ci_node_drain", url=server.url, **task(wait=False))
    assert (result["changed"], result["running_builds"], result["hidden_builds"]) == (False, None, None)


def test_reason_is_changed() -> None:
    with conversation(drained(MARK), taken_offline(), drained()) as server:
        assert run("ci_node_drain", url=server.url, **task(reason="disks", wait=False))["changed"]


def test_check_mode_predicts_drain() -> None:
    with conversation(online(executors=BUSY), online(executors=BUSY)) as server:
        result = run("ci_node_drain", url=server.url, check_mode=True, **task(reason="disks"))
    assert (result["changed"], result["running_builds"]) == (True, RUNNING)
    expected = {"name": "n1", "offline": True, "temporarily_offline": True, "reason": REASON, "drained": True}
    assert result["node"] == expected


def test_node_of_another_client_is_kept() -> None:
    with conversation(drained("closed"), drained("closed")) as server:
        result = run("ci_node_drain", url=server.url, **task(reason="disks"))
    assert (result["changed"], result["node"]["drained"]) == (False, False)
    assert result["warnings"] == [
        "Node 'n1' was taken offline with the reason 'closed', but not by ci_node_drain. Its reason is kept."
    ]
    with conversation(drained("")) as server:
        result = run("ci_node_drain", url=server.url, **task(state="resumed"))
    assert (result["changed"], result["node"]["temporarily_offline"]) == (False, True)
    assert result["warnings"] == [
        "Node 'n1' was taken offline without a reason, but not by ci_node_drain. It stays offline."
    ]


def test_node_is_resumed() -> None:
    with conversation(drained(), toggled(), online()) as server:
        result = run("ci_node_drain", url=server.url, diff_mode=True, **task(state="resumed"))
    assert (result["changed"], result["node"]["offline"], result["running_builds"]) == (True, False, None)
    before_and_after = {"before": {"temporarily_offline": True}, "after": {"temporarily_offline": False}}
    assert result["diff"] == before_and_after
    for check_mode in (True, False):
        with conversation(online()) as server:
            options = task(state="resumed")
            assert not run("ci_node_drain", url=server.url, check_mode=check_mode, **options)["changed"]
    with conversation(drained()) as server:
        result = run("ci_node_drain", url=server.url, check_mode=True, **task(state="resumed"))
    assert (result["changed"], result["node"]["offline"]) == (True, False)


def test_node_is_resumed_when_another_client_has_toggled_it() -> None:
    """The request then takes the node offline, with the mark as reason."""
    with conversation(drained(), toggled(), drained(MARK), toggled(), online()) as server:
        result = run("ci_node_drain", url=server.url, **task(state="resumed"))
    assert (result["changed"], result["node"]["temporarily_offline"]) == (True, False)
    assert "another client may have changed it" in result["warnings"][0]


@pytest.mark.parametrize("after", [online(), drained()])
def test_toggle_is_not_repeated_when_its_response_is_lost(after: Call) -> None:
    with conversation(drained(), toggled(drop=True), after) as server:
        result = run("ci_node_drain", url=server.url, **task(state="resumed"))
    is_resumed = after == online()
    assert bool(result.get("failed")) is not is_resumed
    assert result["changed"] is is_resumed


def test_drain_is_repeated_when_its_response_is_lost() -> None:
    with conversation(online(), taken_offline(MARK, drop=True), taken_offline(MARK), drained(MARK)) as server:
        assert run("ci_node_drain", url=server.url, **task(wait=False))["changed"]


def test_built_in_node_is_drained() -> None:
    path = f"{BUILT_IN}/changeOfflineCause"
    write = call("POST", path, 302, headers={"Location": f"{BUILT_IN}/"}, sent_form={"offlineMessage": MARK})
    before, after = computer("built-in"), offline("built-in", MARK)
    with conversation(state(before, BUILT_IN), write, state(after, BUILT_IN)) as server:
        assert run("ci_node_drain", url=server.url, name="built-in", wait=False, **TOKEN)["changed"]


def test_missing_node_fails() -> None:
    for options in ({}, {"state": "resumed"}):
        with conversation(state(None)) as server:
            result = run("ci_node_drain", url=server.url, **task(**options))
        assert result["msg"] == "Node 'n1' does not exist. Check its name."


def test_missing_permission_is_named() -> None:
    refused = taken_offline(MARK, 403, text=deny_permission("x", "Agent/Disconnect"))
    with conversation(online(), refused) as server:
        result = run("ci_node_drain", url=server.url, **task())
    assert "x is missing the Agent/Disconnect permission" in result["msg"]


def test_wait_ends_when_another_client_resumes_the_node() -> None:
    with conversation(online(), taken_offline(MARK), drained(MARK), drained(MARK, executors=BUSY), online()) as server:
        result = run("ci_node_drain", url=server.url, **task())
    assert "Waiting for node 'n1' failed: another client brought it back online." in result["msg"]
    assert result["changed"]


def test_hidden_builds_are_waited_for() -> None:
    hidden = [{"currentExecutable": None, "idle": False}]
    with conversation(drained(executors=hidden), drained(executors=hidden)) as server:
        result = run("ci_node_drain", url=server.url, **task(wait_timeout=0))
    assert "1 build(s) that the account cannot read are still running" in result["msg"]
    assert (result["running_builds"], result["hidden_builds"]) == ([], 1)


def test_node_stays_offline_after_the_timeout() -> None:
    with conversation(online(), taken_offline(MARK), drained(MARK), drained(MARK, executors=BUSY)) as server:
        result = run("ci_node_drain", url=server.url, **task(wait_timeout=0))
    assert result["msg"] == f"Waited 0 s, but 1 build(s) are still running: app #42. {STAYS}"
    assert (result["changed"], result["running_builds"]) == (True, RUNNING)


def test_node_is_resumed_after_the_timeout() -> None:
    options = task(wait_timeout=0, cancel_on_timeout=True)
    busy = drained(MARK, executors=BUSY)
    with conversation(online(), taken_offline(MARK), busy, busy, busy, toggled(), online()) as server:
        result = run("ci_node_drain", url=server.url, **options)
    assert "Node 'n1' is back online." in result["msg"]
    with conversation(busy, busy) as server:
        result = run("ci_node_drain", url=server.url, **options)
    assert f"{STAYS} It was offline before this task." in result["msg"]
    with conversation(online(), taken_offline(MARK), busy, busy, drained("closed")) as server:
        result = run("ci_node_drain", url=server.url, **options)
    assert "Another client has changed the state of node 'n1'" in result["msg"]


def test_interruption_resumes_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    lines: list[str] = []
    busy = drained(MARK, executors=BUSY)
    with conversation(online(), taken_offline(MARK), busy, busy, busy, toggled(), online()) as server:
        options = task(cancel_on_timeout=True)
        with pytest.raises(BaseException):  # noqa: B017
            run("ci_node_drain", url=server.url, display_interruption=lines.append, **options)
    assert lines == ["interrupted while draining node 'n1'. Node 'n1' is back online."]
