# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: the queue."""

from __future__ import annotations

import pytest

from support.wire.ci import FIRST, Ci, oops


def test_queue_item_has_its_members(ci: Ci) -> None:
    ci.create("slow")
    answer = ci.post("/job/slow/build")
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{ci.url}/queue/item/{FIRST}/"
    assert "X-Jenkins" not in answer.headers
    ci.later(0.1)
    item = ci.item(FIRST)
    assert list(item) == [
        "_class",
        "actions",
        "blocked",
        "buildable",
        "id",
        "inQueueSince",
        "params",
        "stuck",
        "task",
        "url",
        "why",
        "timestamp",
    ]
    assert (item["_class"], item["params"]) == ("hudson.model.Queue$WaitingItem", "")
    assert item["why"] == "In the quiet period. Expires in 4.9 sec"
    assert item["url"] == f"queue/item/{FIRST}/"
    assert item["task"] == {
        "_class": "hudson.model.FreeStyleProject",
        "name": "slow",
        "url": f"{ci.url}/job/slow/",
        "color": "notbuilt",
    }


def test_waiting_item_absorbs_equal_requests(ci: Ci) -> None:
    ci.create("slow")
    for user in ("admin", "builder"):
        assert ci.post("/job/slow/build", user).headers["Location"] == f"{ci.url}/queue/item/{FIRST}/"
    causes = ci.item(FIRST)["actions"][0]["causes"]
    assert [cause["userId"] for cause in causes] == ["admin", "builder"]
    ci.post("/job/slow/build?delay=0sec")
    assert ci.item(FIRST)["executable"] == {
        "_class": "hudson.model.FreeStyleBuild",
        "number": 1,
        "url": f"{ci.url}/job/slow/1/",
    }


def test_item_class_follows_its_state(ci: Ci) -> None:
    ci.create("slow")
    ci.start("slow")
    ci.start("slow")
    blocked = ci.item(FIRST + 1)
    assert blocked["_class"] == "hudson.model.Queue$BlockedItem"
    assert blocked["why"] == "Build #1 is already in progress (ETA: N/A)"
    assert "buildableStartMilliseconds" in blocked
    item = ci.item(FIRST)
    assert (item["_class"], item["why"], item["cancelled"]) == ("hudson.model.Queue$LeftItem", None, False)
    ci.later(301)
    assert ci.get(f"/queue/item/{FIRST}/api/json").status_code == 404
    assert ci.get("/queue/item/99/api/json").status_code == 404
    assert ci.get("/queue/item/x/api/json").status_code == 500
    assert ci.get(f"/queue/item/{FIRST + 1}/").text.startswith("Queue item exists. ")


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [("5sec", 5), ("5secs", 5), ("5 secs", 5), (" 5sec ", 5), ("2999", 2), ("3", 0), ("-1sec", 0)],
)
def test_delay_sets_the_quiet_period(ci: Ci, delay: str, seconds: int) -> None:
    assert ci.post("/job/app/build", params={"delay": delay}).status_code == 201
    item = ci.item(FIRST)
    waits = (item["timestamp"] - item["inQueueSince"]) / 1000 if "timestamp" in item else 0
    assert waits == pytest.approx(seconds, abs=0.01)


def test_quiet_period_of_job_is_used(ci: Ci) -> None:
    ci.create("slow")
    ci.post("/job/slow/build")
    item = ci.item(FIRST)
    assert item["timestamp"] - item["inQueueSince"] == pytest.approx(5000, abs=1)
    ci.later(5)
    assert ci.item(FIRST)["executable"]["number"] == 1
    ci.create("quick")
    ci.sandbox.switch("ci", quiet_period=0)
    ci.post("/job/quick/build")
    assert ci.item(FIRST + 1)["executable"]["number"] == 1


@pytest.mark.parametrize("delay", ["1min", "5s", "1h", "", "x"])
def test_request_is_refused_when_delay_is_malformed(ci: Ci, delay: str) -> None:
    assert oops(ci.post("/job/app/build", params={"delay": delay}))


def test_build_is_refused_when_job_is_disabled(ci: Ci) -> None:
    for path in ("disable", "disable", "enable", "disable"):
        answer = ci.post(f"/job/app/{path}")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app/")
    for method in ("GET", "POST"):
        answer = ci.request(method, "/job/app/build")
        assert (answer.status_code, "app is not buildable" in answer.text) == (409, True)
    assert ci.members("/job/app", "buildable,color") == {"buildable": False, "color": "disabled"}


def test_trigger_token_permits_builds(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "hook", "trigger_token": "t0"}]}})
    assert ci.get("/job/hook/build?token=t0", "reader").status_code == 201
    wrong = ci.post("/job/hook/build?token=no")
    assert (wrong.status_code, "Invalid token provided." in wrong.text) == (403, True)
    assert ci.get("/job/app/build?token=t0").status_code == 405
    assert ci.post("/job/app/build?token=t0").status_code == 201


def test_queue_item_is_cancelled(ci: Ci) -> None:
    ci.create("slow")
    ci.post("/job/slow/build")
    assert ci.get(f"/queue/cancelItem?id={FIRST}").status_code == 405
    assert oops(ci.post(f"/queue/cancelItem?id={FIRST}", "reader"))
    assert ci.post(f"/queue/cancelItem?id={FIRST}", "reader").status_code == 422
    assert ci.post("/queue/cancelItem", data={"id": str(FIRST)}).status_code == 204
    assert ci.post(f"/queue/cancelItem?id={FIRST}").status_code == 500
    for unknown in ("?id=99", "?id=x", ""):
        assert ci.post("/queue/cancelItem" + unknown).status_code == 404
    item = ci.item(FIRST)
    assert (item["cancelled"], item["executable"], item["why"]) == (True, None, None)
    ci.post("/job/slow/build")
    assert ci.post(f"/queue/item/{FIRST + 1}/cancelQueue").status_code == 204
    assert ci.item(FIRST + 1)["cancelled"] is True


def test_queue_items_of_a_job_are_cancelled(ci: Ci) -> None:
    location = ci.post("/job/app/build?delay=20sec").headers["Location"].removeprefix(ci.url)
    answer = ci.get(location.rstrip("/"))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci" + location)
    assert ci.get("/job/app/cancelQueue").status_code == 405
    assert ci.post("/job/app/cancelQueue", "reader").status_code == 403
    answer = ci.post("/job/app/cancelQueue")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app/")
    assert ci.json(location.rstrip("/"))["cancelled"] is True


def test_cause_names_remote_host_when_trigger_token_is_used(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "tokened", "trigger_token": "sesame"}]}})
    item = ci.get("/job/tokened/build?token=sesame&cause=why", "reader").headers["Location"].removeprefix(ci.url)
    cause = ci.json(item.rstrip("/"))["actions"][0]["causes"][0]
    assert cause["_class"] == "hudson.model.Cause$RemoteCause"
    assert cause["shortDescription"] == "Started by remote host 127.0.0.1"


@pytest.mark.parametrize(
    ("number", "status"), [("-1", 404), ("9223372036854775807", 404), ("9223372036854775808", 500)]
)
def test_item_ids_are_never_reused(ci: Ci, number: str, status: int) -> None:
    assert ci.get(f"/queue/item/{number}/api/json").status_code == status
    assert ci.post(f"/queue/cancelItem?id={number}").status_code == 404


@pytest.mark.parametrize("way", ["disable", "doDelete"])
def test_queue_items_are_cancelled_when_job_is_disabled_or_deleted(ci: Ci, way: str) -> None:
    ci.post("/job/app/build?delay=20sec")
    assert ci.post(f"/job/app/{way}").status_code == 302
    item = ci.item(FIRST)
    assert (item["cancelled"], item["executable"], item["task"]["url"]) == (True, None, f"{ci.url}/job/app/")
    ci.later(30)
    assert ci.get("/job/app/3/api/json").status_code == 404
