# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: Pipeline jobs, and how their builds are stopped."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.ci import Ci

SCRIPT = """
node {
  sh 'echo built > out/app.txt'
  echo "made"
  sleep 10
  archiveArtifacts 'out/*.txt'
}
"""


@pytest.fixture
def pipeline(ci: Ci) -> Ci:
    """Client with a Pipeline that runs for ten seconds."""
    parameters = [{"name": "A", "default": "d"}]
    ci.sandbox.seed(
        {"ci": {"jobs": [{"name": "pipe", "kind": "pipeline", "script": SCRIPT, "parameters": parameters}]}}
    )
    return ci


def start_build(ci: Ci, job: str = "pipe", **parameters: str) -> None:
    assert ci.post(f"/job/{job}/buildWithParameters?delay=0sec", data=parameters).status_code == 201


def log(ci: Ci, path: str = "/job/pipe/1") -> str:
    return ci.get(f"{path}/consoleText").text


def test_pipeline_has_its_members(pipeline: Ci) -> None:
    job = pipeline.json("/job/pipe")
    assert job["_class"] == "org.jenkinsci.plugins.workflow.job.WorkflowJob"
    assert list(job)[-3:] == ["concurrentBuild", "disabled", "resumeBlocked"]
    assert job["concurrentBuild"] is True
    start_build(pipeline)
    start_build(pipeline, A="e")
    build = pipeline.json("/job/pipe/1")
    assert build["_class"] == "org.jenkinsci.plugins.workflow.job.WorkflowRun"
    assert list(build)[-4:] == ["changeSets", "culprits", "nextBuild", "previousBuild"]
    assert "builtOn" not in build
    assert build["nextBuild"] == {"number": 2, "url": f"{pipeline.url}/job/pipe/2/"}
    assert build["previousBuild"] is None
    assert pipeline.members("/job/pipe/1", "builtOn,changeSet,result") == {"result": None}


def test_pipeline_occupies_no_executor(pipeline: Ci) -> None:
    start_build(pipeline)
    tree = "busyExecutors,computer[idle,executors[currentExecutable[url]],oneOffExecutors[currentExecutable[url]]]"
    computers = pipeline.members("/computer", tree)
    assert computers["busyExecutors"] == 0
    [computer] = computers["computer"]
    assert computer["idle"] is False
    assert [executor["currentExecutable"] for executor in computer["executors"]] == [None, None]
    [executor] = computer["oneOffExecutors"]
    assert executor["currentExecutable"]["url"] == f"{pipeline.url}/job/pipe/1/"


def test_log_contains_pipeline_messages(pipeline: Ci) -> None:
    start_build(pipeline)
    pipeline.later(11)
    assert log(pipeline).splitlines()[1:] == [
        "[Pipeline] Start of Pipeline",
        "[Pipeline] node",
        "Running on Jenkins in /var/jenkins_home/workspace/pipe",
        "[Pipeline] {",
        "[Pipeline] sh",
        "+ echo built",
        "[Pipeline] echo",
        "made",
        "[Pipeline] sleep",
        "Sleeping for 10 sec",
        "[Pipeline] archiveArtifacts",
        "Archiving artifacts",
        "[Pipeline] }",
        "[Pipeline] // node",
        "[Pipeline] End of Pipeline",
        "Finished: SUCCESS",
    ]
    noted = pipeline.get("/job/pipe/1/logText/progressiveText").text
    assert "\x1b[0m[Pipeline] node\r\n" in noted


@pytest.mark.parametrize(
    ("step", "result", "line"),
    [
        ("sh 'false'", "FAILURE", "ERROR: script returned exit code 1"),
        ("error('no way')", "FAILURE", "ERROR: no way"),
        ("unstable 'shaky'", "UNSTABLE", "WARNING: shaky"),
    ],
)
def test_outcome_follows_the_steps(ci: Ci, step: str, result: str, line: str) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "pipe", "kind": "pipeline", "script": f"node {{ {step} }}"}]}})
    ci.start("pipe")
    ci.later(1)
    assert ci.members("/job/pipe/1", "result") == {"result": result}
    assert line in log(ci).splitlines()


def test_parameters_are_read_from_workflow_root(pipeline: Ci) -> None:
    start_build(pipeline, A="x")
    for root in ("workflowRun", "*"):
        answer = pipeline.get("/job/pipe/1/api/xml", params={"xpath": f"/{root}/action/parameter[name='A']/value"})
        assert answer.text == "<value>x</value>"
    answer = pipeline.get("/job/pipe/1/api/xml", params={"xpath": "/freeStyleBuild/action/parameter[name='A']/value"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("resists", "ended_by"), [("", "stop"), ('trap "" TERM', "term"), ('trap "" TERM KILL', "kill")]
)
def test_build_ends_by_stop_term_and_kill(ci: Ci, resists: str, ended_by: str) -> None:
    script = f"node {{ sh '''{resists}\nsleep 100''' }}"
    ci.sandbox.seed({"ci": {"jobs": [{"name": "pipe", "kind": "pipeline", "script": script}]}})
    ci.start("pipe")
    for way in ("stop", "term", "kill"):
        answer = ci.post(f"/job/pipe/1/{way}")
        assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/job/pipe/1/")
        ci.later(0.2)
        ended = ci.members("/job/pipe/1", "building,result")
        if way == ended_by:
            break
        assert ended == {"building": True, "result": None}
    assert ended == {"building": False, "result": "ABORTED"}
    assert ("Hard kill!" in log(ci)) == (ended_by == "kill")
    assert log(ci).endswith("Finished: ABORTED\n")


def test_kill_ends_build_immediately(pipeline: Ci) -> None:
    start_build(pipeline)
    pipeline.post("/job/pipe/1/kill")
    assert pipeline.members("/job/pipe/1", "building,result") == {"building": False, "result": "ABORTED"}
    assert "Hard kill!\nAborted by Sandbox Administrator\nFinished: ABORTED\n" in log(pipeline)


@pytest.mark.parametrize("way", ["term", "kill"])
def test_stop_requires_post_and_permission(pipeline: Ci, way: str) -> None:
    start_build(pipeline)
    assert pipeline.get(f"/job/pipe/1/{way}").status_code == 405
    assert pipeline.post(f"/job/pipe/1/{way}", user="reader").status_code == 403
    assert pipeline.members("/job/pipe/1", "building") == {"building": True}


def test_freestyle_build_continues_when_it_ignores_stop(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "deaf", "command": 'trap "" TERM\nsleep 100'}]}})
    ci.start("deaf")
    for _time in range(2):
        assert ci.post("/job/deaf/1/stop").status_code == 302
        ci.later(1)
    assert ci.members("/job/deaf/1", "building") == {"building": True}


def test_artifacts_are_archived(pipeline: Ci) -> None:
    start_build(pipeline)
    assert pipeline.json("/job/pipe/1")["artifacts"] == []
    assert pipeline.get("/job/pipe/1/artifact/out/app.txt").status_code == 404
    pipeline.later(11)
    expected: list[dict[str, Any]] = [{"displayPath": "app.txt", "fileName": "app.txt", "relativePath": "out/app.txt"}]
    assert pipeline.json("/job/pipe/1")["artifacts"] == expected
    answer = pipeline.get("/job/pipe/1/artifact/out/app.txt")
    assert (answer.text, answer.headers["Content-Type"]) == ("built\n", "text/plain")
    assert answer.headers["Content-Security-Policy"].startswith("sandbox allow-same-origin")
    assert pipeline.get("/job/pipe/1/artifact/*zip*/archive.zip").content.startswith(b"PK")
    assert "out/app.txt" in pipeline.get("/job/pipe/1/artifact/").text
    assert pipeline.get("/job/pipe/1/artifact/other").status_code == 404


def test_artifacts_and_logs_can_be_seeded(ci: Ci) -> None:
    build = {"artifacts": {"a b/c.json": "{}"}, "log": "one\ntwo", "result": "FAILURE"}
    jobs = [
        {"name": "old", "builds": [build]},
        {"name": "made", "command": "echo x > y.bin", "archive": "*.bin, *.txt"},
    ]
    ci.sandbox.seed({"ci": {"jobs": jobs}})
    assert ci.get("/job/old/1/artifact/a%20b/c.json").headers["Content-Type"] == "application/json"
    assert log(ci, "/job/old/1").endswith("\none\ntwo\nFinished: FAILURE\n")
    ci.start("made")
    ci.later(1)
    assert ci.get("/job/made/1/artifact/y.bin").headers["Content-Type"] == "application/octet-stream"


def test_all_builds_lists_more_than_the_newest(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"jobs": [{"name": "many", "builds": [{"seconds": 0}] * 130}]}})
    assert len(ci.members("/job/many", "builds[number]{0,150}")["builds"]) == 100
    numbers = [build["number"] for build in ci.members("/job/many", "allBuilds[number]{100,120}")["allBuilds"]]
    assert numbers == list(range(30, 10, -1))
