# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: quieting down and restarting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from support.wire.ci import CONFIG, FIRST, NO_CRUMB, Ci, has_header


def test_quiet_down_prevents_new_builds(ci: Ci) -> None:
    for path in ("/quietDown?message=Backup&reason=x", "/quietDown?message=Backup"):
        answer = ci.post(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
        assert "X-Jenkins" not in answer.headers
    assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": True, "quietDownReason": "Backup"}
    assert ci.post("/job/app/build").status_code == 201
    waiting = ci.json("/queue")["items"][-1]
    assert waiting["_class"] == "hudson.model.Queue$BuildableItem"
    assert waiting["why"] == "Jenkins is about to shut down"
    for _unused in range(2):
        assert ci.post("/cancelQuietDown").headers["Location"] == "/ci/"
    assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": False, "quietDownReason": None}
    assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 1}


def test_quiet_down_blocks_until_builds_finish(ci: Ci) -> None:
    ci.create("long", CONFIG.replace("10", "3600"))
    ci.start("long")
    assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 1}
    for parameters in ("block", "block=on", "block=TRUE&timeout=x"):
        assert ci.post(f"/quietDown?{parameters}").status_code == 302
    ci.sandbox.clock(frozen=False)
    assert ci.post("/quietDown?block=1&timeout=50").status_code == 302
    assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 1}
    with ThreadPoolExecutor() as pool:
        blocked = pool.submit(ci.post, "/quietDown?block=true&timeout=x")
        ci.later(3600)
        assert blocked.result().status_code == 302
    assert ci.members("/computer", "busyExecutors") == {"busyExecutors": 0}


@pytest.mark.parametrize("path", ["/safeRestart", "/restart"])
def test_get_shows_a_confirmation_page(ci: Ci, path: str) -> None:
    assert ci.get(path).status_code == 200
    assert ci.request("HEAD", path).status_code == 302
    assert ci.request("PUT", path).status_code == 302
    assert ci.members("", "quietingDown") == {"quietingDown": False}
    ci.sandbox.switch("ci", restart_supported=False)
    assert ci.post(path).status_code == 500


@pytest.mark.parametrize(
    ("path", "phases"),
    [
        (
            "/safeRestart",
            [
                (0, 503, 503, "Restarting"),
                (10.05, 401, 503, "Restarting"),
                (10.5, 0, 0, ""),
                (12, 503, 503, "Starting"),
                (14.4, 401, 503, "Starting"),
                (14.7, 503, 503, "Starting"),
            ],
        ),
        (
            "/restart",
            [
                (0, 503, 503, "Restarting"),
                (5.05, 401, 503, "Restarting"),
                (5.5, 0, 0, ""),
                (7, 503, 503, "Starting"),
                (9.5, 401, 503, "Starting"),
                (10, 503, 503, "Starting"),
            ],
        ),
    ],
)
def test_restart_goes_through_its_stages(ci: Ci, path: str, phases: list[tuple[float, int, int, str]]) -> None:
    whole = 14.8 if path == "/safeRestart" else 10.4
    ci.sandbox.switch("ci", restart_seconds=whole)
    before = ci.get("/api/json").headers
    session = ci.password("admin")
    crumb = session.get(ci.url + "/crumbIssuer/api/json").json()["crumb"]
    answer = ci.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/")
    elapsed = 0.0
    for second, with_login, anonymous, title in phases:
        ci.later(second - elapsed)
        elapsed = second
        for status, user in ((with_login, "admin"), (anonymous, None)):
            if status == 0:
                with pytest.raises(requests.ConnectionError):
                    ci.get("/login", user)
                continue
            down = ci.get("/login", user)
            assert down.status_code == status
            assert not has_header(down, "X-Jenkins", "X-Jenkins-Session", "Retry-After")
            if status == 503:
                assert f"<title>{title} Jenkins</title>" in down.text
    ci.later(whole - elapsed)
    after = ci.get("/api/json")
    assert after.status_code == 200
    assert after.headers["X-Jenkins-Session"] != before["X-Jenkins-Session"]
    assert after.json()["quietingDown"] is False
    assert NO_CRUMB in session.post(ci.url + "/quietDown", headers={"Jenkins-Crumb": crumb}).text
    new = session.get(ci.url + "/crumbIssuer/api/json").json()["crumb"]
    assert session.post(ci.url + "/api/json", headers={"Jenkins-Crumb": new}).status_code == 200
    assert len({cookie.name for cookie in session.cookies}) == 2


def test_restart_pages_have_their_texts(ci: Ci) -> None:
    ci.post("/safeRestart")
    down = ci.get("/nope", None)
    assert "Jenkins is restarting" in down.text
    assert "Safe Restart – Builds on agents can usually continue." in down.text
    assert down.headers["Cache-Control"] == "no-cache,no-store,must-revalidate"
    ci.later(10.05 / 14.8)
    assert ci.get("/login", None, headers={"Authorization": "Bearer x"}).status_code == 503
    ci.later(0.12)
    assert "Jenkins is getting ready to work" in ci.get("/login", None).text


def test_safe_restart_waits_for_running_builds(ci: Ci) -> None:
    ci.create("long")
    ci.start("long")
    assert ci.post("/safeRestart?message=first").status_code == 302
    assert ci.post("/safeRestart?message=second").status_code == 302
    ci.later(9)
    assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": True, "quietDownReason": "second"}
    ci.later(1.3)
    assert ci.get("/api/json").status_code == 503
    ci.later(1)
    assert ci.members("/job/long/1", "result") == {"result": "SUCCESS"}


def test_safe_restart_can_be_cancelled(ci: Ci) -> None:
    ci.create("long")
    ci.start("long")
    session = ci.get("/login").headers["X-Jenkins-Session"]
    for method, path in (
        ("POST", "/safeRestart?cancel="),
        ("POST", "/cancelQuietDown"),
        ("PUT", "/safeRestart?cancel"),
    ):
        ci.post("/safeRestart")
        assert ci.members("", "quietingDown") == {"quietingDown": True}
        assert ci.request(method, path).status_code == 302
        assert ci.members("", "quietingDown") == {"quietingDown": False}
    ci.later(20)
    assert ci.get("/login").headers["X-Jenkins-Session"] == session


def test_restart_aborts_running_builds(ci: Ci) -> None:
    ci.create("long")
    ci.start("long")
    ci.post("/restart")
    ci.later(1)
    assert ci.members("/job/long/1", "building,result") == {"building": False, "result": "ABORTED"}


def test_queue_survives_a_restart(ci: Ci) -> None:
    ci.create("long")
    ci.start("long")
    ci.post("/job/long/build?delay=60sec")
    assert ci.item(FIRST)["_class"] == "hudson.model.Queue$LeftItem"
    ci.post("/restart")
    ci.later(1)
    assert ci.get(f"/queue/item/{FIRST}/api/json").status_code == 404
    assert ci.item(FIRST + 1)["_class"] == "hudson.model.Queue$WaitingItem"
    ci.later(60)
    assert ci.item(FIRST + 1)["executable"]["number"] == 2


def test_restart_required_is_true_until_restart(ci: Ci) -> None:
    ci.sandbox.switch("ci", restart_required=True)
    assert ci.members("/updateCenter", "restartRequiredForCompletion,jobs[*]") == {
        "jobs": [],
        "restartRequiredForCompletion": True,
    }
    ci.post("/safeRestart")
    ci.later(1)
    assert ci.members("/updateCenter", "restartRequiredForCompletion") == {"restartRequiredForCompletion": False}


def test_old_server_without_session_id(ci: Ci) -> None:
    ci.sandbox.switch("ci", session_id_header=False, version="1.395")
    for path in ("/login", "/api/json"):
        headers = ci.get(path).headers
        assert headers["X-Jenkins"] == "1.395"
        assert "X-Jenkins-Session" not in headers


def test_restart_stages_can_be_configured(ci: Ci) -> None:
    stages = [{"stage": "unauthorized", "seconds": 5}, {"stage": "hanging", "seconds": 5}]
    ci.sandbox.switch("ci", restart_stages=stages)
    ci.post("/restart")
    assert ci.get("/login").status_code == 401
    assert ci.get("/login", None).status_code == 503
    ci.later(6)
    with pytest.raises(requests.ReadTimeout):
        requests.get(ci.url + "/login", timeout=0.3)
    ci.later(4)
    assert ci.get("/login").status_code == 200


def test_quiet_down_is_cancelled_by_switch(ci: Ci) -> None:
    ci.create("slow")
    ci.start("slow")
    ci.sandbox.switch("ci", quiet_down_seconds=3)
    ci.post("/safeRestart")
    ci.later(2)
    assert ci.members("", "quietingDown") == {"quietingDown": True}
    ci.later(1)
    assert ci.members("", "quietingDown") == {"quietingDown": False}
    ci.later(10)
    assert ci.get("/api/json").status_code == 200


def test_quiet_down_can_be_seeded(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"quieting_down": "Backup"}})
    assert ci.members("", "quietingDown,quietDownReason") == {"quietingDown": True, "quietDownReason": "Backup"}


def test_hidden_builds_are_counted(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"users": [{"name": "ops", "password": "ops", "permissions": ["Overall/Read"]}]}})
    ci.create("slow")
    ci.start("slow")
    tree = "busyExecutors,computer[executors[currentExecutable[url],idle]]"
    document = ci.get(f"/computer/api/json?tree={tree}", auth=("ops", "ops")).json()
    assert document["busyExecutors"] == 1
    assert document["computer"][0]["executors"][0] == {"currentExecutable": None, "idle": False}


@pytest.mark.parametrize("path", ["safeRestart", "restart"])
def test_restart_support_can_be_checked(ci: Ci, path: str) -> None:
    form = f'<form method="post" action="{path}">'
    assert form in ci.get(f"/{path}", "manager").text
    refused = ci.request("HEAD", f"/{path}", "builder")
    assert (refused.status_code, refused.headers["X-Required-Permission"]) == (403, "hudson.model.Hudson.Manage")
    ci.sandbox.switch("ci", restart_supported=False)
    page = ci.get(f"/{path}")
    assert (form in page.text, "Jenkins cannot restart itself as currently configured" in page.text) == (False, True)
    assert ci.request("HEAD", f"/{path}").status_code == 302
