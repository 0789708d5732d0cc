# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds in folders: their details, and stopping them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import requests

from sandbox.client import Sandbox
from support.playbook import wait_until
from support.running import run
from support.wire.ci import TOKENS

SPECIAL_JOB = "team/a b (é)/feature%2Flogin"
PATH = "/job/team/job/a%20b%20(%C3%A9)/job/feature%252Flogin"


def start(sandbox: Sandbox, path: str, **job: Any) -> None:
    """Start a build of a new job."""
    sandbox.seed({"ci": {"jobs": [{"quiet_period": 0, **job}]}})
    variables = sandbox.environment
    auth = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    answer = requests.post(f"{variables['JENKINS_URL']}{path}/build", auth=auth, timeout=60, allow_redirects=False)
    assert answer.status_code == 201


def start_pipeline(sandbox: Sandbox, script: str) -> None:
    """Start a build of a Pipeline in folders with special characters."""
    start(sandbox, PATH, name=SPECIAL_JOB, kind="pipeline", script=script)


pytestmark = pytest.mark.usefixtures("sandbox_environment")


@pytest.mark.parametrize(
    ("signals", "stopped_by"), [("", "stop"), ("trap '' TERM; ", "term"), ("trap '' TERM KILL; ", "kill")]
)
def test_build_is_stopped_with_as_much_force_as_needed(sandbox: Sandbox, signals: str, stopped_by: str) -> None:
    start_pipeline(sandbox, f'node {{ sh "{signals}sleep 600" }}')
    options = {"job": SPECIAL_JOB, "build": "last", "escalate_to": "kill", "wait_timeout": 1, "wait_delay": 0.1}
    first, second = run("ci_build_stop", **options), run("ci_build_stop", **options)
    assert (first["changed"], first["stopped_by"], first["build"]["result"]) == (True, stopped_by, "ABORTED")
    assert (second["changed"], second["plan"]) == (False, None)


def test_task_fails_when_freestyle_build_does_not_end(sandbox: Sandbox) -> None:
    start(sandbox, "/job/deaf", name="deaf", command="trap '' TERM\nsleep 600")
    options = {"job": "deaf", "build": "1", "escalate_to": "kill", "wait_timeout": 0.5, "wait_delay": 0.1}
    result = run("ci_build_stop", **options)
    assert "'deaf' #1 is still running 0.5 s after stop. It is not a Pipeline build" in result["msg"]


def has_ended(result: dict[str, Any]) -> bool:
    """Return whether the build has ended."""
    return bool((result.get("build") or {}).get("result"))


def test_build_details_are_returned(sandbox: Sandbox, tmp_path: Path) -> None:
    start_pipeline(sandbox, "node { sh 'echo built > out/app.txt'; archiveArtifacts 'out/*'; echo 'done' }")
    file = tmp_path / "log"
    options = {"job": SPECIAL_JOB, "build": "last", "console_file": str(file), "console_lines": 3, "xpath": "number"}
    wait_until(lambda: has_ended(run("ci_build_info", job=SPECIAL_JOB, build="last")), "the build does not end")
    result = run("ci_build_info", **options)
    listed = run("ci_build_info", job=SPECIAL_JOB, all_builds=True, fields=["result"])
    jobs = run("ci_job_info", depth=9, fields=["last"])
    assert result["build"]["artifacts"][0]["path"] == "out/app.txt"
    assert result["xpath"]["text"] == "1"
    assert result["console"][-1] == "Finished: SUCCESS"
    assert "\ndone\n" in file.read_text()
    assert "\x1b" not in file.read_text()
    assert [build["number"] for build in listed["builds"]] == [1]
    [job] = [job for job in jobs["jobs"] if job["name"] == SPECIAL_JOB]
    assert job["last"]["result"] == "SUCCESS"


def waiting_job(sandbox: Sandbox, **job: Any) -> None:
    """Create a job whose builds stay in the queue."""
    sandbox.seed({"ci": {"jobs": [{"name": "later", "quiet_period": 3600, **job}]}})


TRIMMED = [{"name": "VERSION", "default": " 1.0 ", "trim": True}, {"name": "NOTE", "type": "text", "trim": True}]


@pytest.mark.parametrize("form", ["fields", "json"])
@pytest.mark.parametrize("parameters", [{"VERSION": " 2\n", "NOTE": "\t"}, {}], ids=["given", "defaults"])
def test_existing_build_is_found_when_jenkins_trims_parameters(
    sandbox: Sandbox, form: str, parameters: dict[str, str]
) -> None:
    waiting_job(sandbox, parameters=TRIMMED)
    options = {"job": "later", "parameters": parameters, "form": form}
    first = run("ci_build", **options, wait=False)
    predicted, second = run("ci_build", **options, check_mode=True), run("ci_build", **options, wait=False)
    assert (predicted["changed"], predicted["plan"]) == (second["changed"], second["plan"])
    assert (second["changed"], second["queue_item"]) == (False, first["queue_item"])
    sandbox.clock(advance=3700)
    built = run("ci_build", **options, skip_if_built={"results": ["SUCCESS"]}, delay=0)
    assert (built["changed"], built["build"]["queue_id"]) == (False, first["queue_item"])


@pytest.mark.parametrize("form", ["fields", "json"])
def test_build_of_another_user_is_not_stopped_on_timeout(sandbox: Sandbox, form: str) -> None:
    waiting_job(sandbox, parameters=[{"name": "VERSION", "default": "1.0"}])
    options = {"job": "later", "form": form, "delay": 600}
    foreign = run("ci_build", **options, username="builder", api_token=TOKENS["builder"], wait=False)
    result = run("ci_build", **options, wait_timeout=0, on_timeout="stop")
    assert "It was not stopped: it was already in the queue" in result["msg"]
    assert not result["changed"]
    predicted = run("ci_build_stop", queue_item=foreign["queue_item"], check_mode=True)
    assert predicted["plan"]["action"] == "cancel"


def test_build_is_not_stopped_when_another_user_has_joined_it(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_job(sandbox)
    monkeypatch.setattr(time, "sleep", lambda _seconds: join())

    def join() -> None:
        monkeypatch.undo()
        run("ci_build", **reached, job="later", username="builder", api_token=TOKENS["builder"], wait=False)

    reached = {"url": sandbox.environment["JENKINS_URL"]}
    admin = {"username": sandbox.environment["JENKINS_USER_ID"], "api_token": sandbox.environment["JENKINS_API_TOKEN"]}
    result = run("ci_build", **reached, **admin, job="later", wait_timeout=0.2, on_timeout="stop")
    assert "It was not stopped: it has 2 causes, not only this request." in result["msg"]
    assert result["changed"]
