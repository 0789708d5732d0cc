# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: builds and their logs."""

from __future__ import annotations

import pytest
import requests

from support.wire.ci import CONFIG, FIRST, Ci


def test_members_of_a_running_build(ci: Ci) -> None:
    ci.create("slow")
    ci.start("slow")
    build = ci.json("/job/slow/1")
    assert list(build) == [
        "_class",
        "actions",
        "artifacts",
        "building",
        "description",
        "displayName",
        "duration",
        "estimatedDuration",
        "executor",
        "fullDisplayName",
        "id",
        "inProgress",
        "keepLog",
        "number",
        "queueId",
        "result",
        "timestamp",
        "url",
        "builtOn",
        "changeSet",
        "culprits",
    ]
    expected = {
        "_class": "hudson.model.FreeStyleBuild",
        "building": True,
        "inProgress": True,
        "result": None,
        "duration": 0,
        "estimatedDuration": -1,
        "executor": {},
        "id": "1",
        "number": 1,
        "queueId": FIRST,
        "displayName": "#1",
        "fullDisplayName": "slow #1",
        "builtOn": "",
        "keepLog": False,
    }
    assert expected.items() <= build.items()
    assert ci.members("/job/slow/1", "artifact") == {}
    assert ci.members("/job/slow", "color,inQueue,nextBuildNumber") == {
        "color": "notbuilt_anime",
        "inQueue": False,
        "nextBuildNumber": 2,
    }
    tree = "busyExecutors,totalExecutors,computer[displayName,idle,executors[currentExecutable[url,number]]]"
    computer = ci.members("/computer", tree)
    assert (computer["busyExecutors"], computer["totalExecutors"]) == (1, 2)
    assert computer["computer"][0]["executors"] == [
        {
            "currentExecutable": {
                "_class": "hudson.model.FreeStyleBuild",
                "number": 1,
                "url": f"{ci.url}/job/slow/1/",
            }
        },
        {"currentExecutable": None},
    ]
    for name in ("(built-in)", "(master)"):
        assert ci.members(f"/computer/{name}", "idle") == {"idle": False}
    ci.later(11)
    expected = {"building": False, "result": "SUCCESS", "duration": 10100, "executor": None}
    assert expected.items() <= ci.json("/job/slow/1").items()


def test_job_lists_its_newest_hundred_builds(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "many", "builds": [{}] * 112}]}})
    assert len(ci.json("/job/many")["builds"]) == 100
    assert len(ci.json("/job/many", tree="builds[number]{0,150}")["builds"]) == 100
    everything = ci.json("/job/many", tree="allBuilds[number]")["allBuilds"]
    assert [build["number"] for build in everything] == list(range(112, 0, -1))
    assert "allBuilds" not in ci.json("/job/many", depth="2")


def test_running_build_is_stopped(ci: Ci) -> None:
    ci.create("slow")
    ci.start("slow")
    assert ci.get("/job/slow/1/stop").status_code == 405
    assert ci.post("/job/slow/1/stop", "reader").status_code == 403
    assert ci.members("/job/slow/1", "building") == {"building": True}
    answer = ci.post("/job/slow/lastBuild/stop")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/slow/lastBuild/")
    ci.later(0.2)
    build = ci.json("/job/slow/1")
    assert (build["building"], build["result"]) == (False, "ABORTED")
    assert {"_class": "jenkins.model.InterruptedBuildAction"} in build["actions"]
    elsewhere = ci.post("/job/slow/1/stop", headers={"Referer": "http://elsewhere/"})
    assert (elsewhere.status_code, elsewhere.headers["Location"]) == (302, "http://elsewhere/")


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", ["term", "kill", "anything"])
def test_part_is_404_when_build_does_not_have_it(ci: Ci, method: str, name: str) -> None:
    answer = ci.request(method, f"/job/app/1/{name}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/ci/job/app/1/{name}/")
    assert ci.request(method, f"/job/app/1/{name}?a=b").headers["Location"] == f"/ci/job/app/1/{name}/?a=b"
    below = ci.request(method, f"/job/app/1/{name}/")
    assert (below.status_code, "Not found" in below.text) == (404, True)
    assert ci.request(method, f"/job/app/{name}").status_code == 404


def test_log_is_served_in_all_formats(ci: Ci) -> None:
    ci.create("talk", CONFIG.replace("sleep 10", "echo hello\nsleep 5\necho bye"))
    ci.start("talk")

    def progressive(start: str | None = None) -> requests.Response:
        return ci.get("/job/talk/1/logText/progressiveText", params={"start": start} if start is not None else {})

    ci.later(1)
    running = progressive()
    assert running.headers["X-More-Data"] == "true"
    size = int(running.headers["X-Text-Size"])
    assert b"hello\r\n" in running.content
    assert b"\x1b[8mha:" in running.content
    assert len(running.content.replace(b"\r\n", b"\n")) == size
    assert progressive(str(size)).content == b""
    ci.later(9)
    rest = progressive(str(size))
    assert "X-More-Data" not in rest.headers
    assert rest.content == b"+ echo bye\r\nbye\r\nFinished: SUCCESS\r\n"
    whole = progressive("0").content
    assert progressive("999999").content == whole
    assert progressive("-1").content == b""
    for bad in ("x", ""):
        assert progressive(bad).status_code == 500
    console = ci.get("/job/talk/1/consoleText")
    assert console.headers["Content-Type"] == "text/plain;charset=utf-8"
    assert "X-Jenkins" not in console.headers
    assert console.text.startswith("Started by user Sandbox Administrator\nRunning as SYSTEM\n")
    assert console.text.endswith("Finished: SUCCESS\n")
    assert "\r" not in console.text and "\x1b" not in console.text


def test_outcome_follows_the_shell_steps(ci: Ci) -> None:
    ci.create("bad", CONFIG.replace("sleep 10", "exit 3"))
    ci.start("bad")
    ci.later(1)
    assert ci.members("/job/bad/1", "result") == {"result": "FAILURE"}
    assert ci.members("/job/bad", "color,lastFailedBuild[number],lastSuccessfulBuild") == {
        "color": "red",
        "lastFailedBuild": {"_class": "hudson.model.FreeStyleBuild", "number": 1},
        "lastSuccessfulBuild": None,
    }


def test_build_can_be_deleted(ci: Ci) -> None:
    assert ci.post("/job/app/1/doDelete").status_code == 302
    assert ci.post("/job/app/1/doDelete").status_code == 404
    ci.sandbox.seed({"ci": {"jobs": [{"name": "kept", "builds": [{"keep": True}]}]}})
    response = ci.post("/job/kept/1/doDelete")
    assert (response.status_code, "X-Error" in response.headers) == (400, True)


def test_build_is_stopped_when_path_ends_with_a_slash(ci: Ci) -> None:
    ci.create("slow")
    ci.start("slow")
    below = ci.post("/job/slow/1/stop/")
    assert (below.status_code, below.headers["Location"]) == (302, "/ci/job/slow/1/stop/")
    ci.later(0.2)
    assert ci.members("/job/slow/1", "result") == {"result": "ABORTED"}
    assert ci.get("/job/slow/1/stop/").status_code == 405
    assert "\nTerminated\nBuild was aborted\nAborted by " in ci.get("/job/slow/1/consoleText").text


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/job/slow/1/executor/stop", "/ci/job/slow/1/executor/"),
        ("/computer/(built-in)/executors/0/stop", "/ci/computer/(built-in)/executors/0/"),
    ],
)
def test_executor_stop_ends_its_build(ci: Ci, path: str, location: str) -> None:
    ci.create("slow")
    ci.start("slow")
    assert ci.post(path, "reader").status_code == 403
    answer = ci.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, location)
    ci.later(0.2)
    assert ci.members("/job/slow/1", "result") == {"result": "ABORTED"}


def test_running_build_names_its_executor(ci: Ci) -> None:
    ci.create("slow")
    ci.start("slow")
    assert ci.members("/job/slow/1", "executor") == {"executor": {}}
    executor = ci.members("/job/slow/1", "executor[*]")["executor"]
    assert sorted(executor) == ["currentExecutable", "currentWorkUnit", "idle", "likelyStuck", "number", "progress"]
    assert (executor["idle"], executor["number"]) == (False, 0)


def test_build_can_be_kept_and_described(ci: Ci) -> None:
    assert ci.get("/job/app/2/toggleLogKeep").status_code == 405
    answer = ci.post("/job/app/2/toggleLogKeep")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app/2/")
    assert ci.members("/job/app/2", "keepLog") == {"keepLog": True}
    response = ci.post("/job/app/2/doDelete")
    assert response.status_code == 400
    assert response.headers["X-Error"] == "Unable to delete app #2: This record is explicitly marked to be kept."
    assert ci.post("/job/app/2/toggleLogKeep", "builder").status_code == 403
    ci.post("/job/app/lastBuild/toggleLogKeep")
    assert ci.members("/job/app/2", "keepLog") == {"keepLog": False}

    answer = ci.post("/job/app/lastBuild/submitDescription", data={"description": "the good one"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/app/lastBuild/")
    assert ci.members("/job/app/2", "description") == {"description": "the good one"}


def test_alias_is_resolved_to_a_number(ci: Ci) -> None:
    answer = ci.get("/job/app/lastSuccessfulBuild/buildNumber")
    assert (answer.status_code, answer.text) == (200, "2")
    assert answer.headers["Content-Type"] == "text/plain;charset=US-ASCII"


@pytest.mark.parametrize(
    ("command", "printed", "result", "seconds"),
    [
        ("echo a; sleep 12; echo b", ["+ echo a", "a", "+ sleep 12", "+ echo b", "b"], "SUCCESS", 12),
        ("echo 'a; b'", ["+ echo a; b", "a; b"], "SUCCESS", 0),
        ("false || echo so", ["+ false", "+ echo so", "so"], "SUCCESS", 0),
        ("true && false; echo never", ["+ true", "+ false"], "FAILURE", 0),
        ("echo 1; exit 3; echo never", ["+ echo 1", "1", "+ exit 3"], "FAILURE", 0),
    ],
)
def test_shell_steps_are_simulated(ci: Ci, command: str, printed: list[str], result: str, seconds: int) -> None:
    ci.create("steps", CONFIG.replace("sleep 10", command.replace("&", "&amp;")))
    ci.start("steps")
    ci.later(seconds + 1)
    build = ci.json("/job/steps/1")
    assert (build["result"], build["duration"] // 1000) == (result, seconds)
    log = ci.get("/job/steps/1/consoleText").text.splitlines()
    assert [line for line in log[4:] if not line.startswith(("Finished", "Build step"))] == printed
    assert log[2] == "Building in workspace /var/jenkins_home/workspace/steps"


@pytest.mark.parametrize(
    "path", ["console", "consoleFull", "progressiveLog?start=0", "logText/progressiveHtml?start=0"]
)
def test_log_permissions_are_enforced(ci: Ci, path: str) -> None:
    answer = ci.get(f"/job/app/1/{path}")
    assert (answer.status_code, "Finished: FAILURE" in answer.text) == (200, True)
