# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users of other clients complain of when they start builds does not happen here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import requests
import yaml

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry, session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from sandbox.client import Sandbox
from support.playbook import SCRATCH, environment, interrupt_playbook, run_tasks, wait_until
from support.running import run

MODULE = "buildworks.toolchain.ci_build"
PASSWORD = {"username": "admin", "password": "sandbox-admin"}


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment, and lose no time between two tries."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)


def api(sandbox: Sandbox, method: str, path: str, **options: Any) -> requests.Response:
    """A request of another client."""
    variables = sandbox.environment
    auth = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    url = variables["JENKINS_URL"] + path
    return requests.request(method, url, auth=auth, timeout=60, allow_redirects=False, **options)


def job(sandbox: Sandbox, name: str = "mine", **traits: Any) -> None:
    described = {"name": name, "seconds": 0, "quiet_period": 0, **traits}
    sandbox.seed({"ci": {"executors": 200, "jobs": [described]}})


def build(name: str = "mine", **options: Any) -> dict[str, Any]:
    return run("ci_build", job=name, **{"wait_timeout": 120, "wait_delay": 0.1, **options})


def before(monkeypatch: pytest.MonkeyPatch, part: str, act: Callable[[], None]) -> None:
    """Something happens right before the first request whose path has this part."""
    send, done = session.Connection.send, threading.Event()

    def sent(connection: session.Connection, request: Request, timeout: tuple[float, float]) -> Response:
        if part in request.url and not done.is_set():
            done.set()
            act()
        return send(connection, request, timeout)

    monkeypatch.setattr(session.Connection, "send", sent)


# --- The build of another user is not ours


@pytest.mark.parametrize("form", ["fields", "json"])
def test_builds_that_others_start_meanwhile_are_not_ours(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    job(sandbox, parameters=[{"name": "VERSION", "default": "1"}], concurrent=True)

    def others() -> None:
        for version in ("theirs", "theirs too"):
            assert api(sandbox, "POST", "/job/mine/buildWithParameters", data={"VERSION": version}).status_code == 201

    before(monkeypatch, "/mine/build", others)
    result = build(parameters={"VERSION": "ours"}, form=form)
    assert (result["build"]["number"], result["build"]["parameters"]) == (3, {"VERSION": "ours"})


def test_a_build_that_is_still_pending_has_its_own_number(sandbox: Sandbox) -> None:
    job(sandbox, quiet_period=1, builds=[{"result": "FAILURE"}])
    result = build()
    assert (result["build"]["number"], result["build"]["result"]) == (2, "SUCCESS")


def test_an_item_that_has_expired_is_found_behind_hundreds_of_builds(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    job(sandbox, concurrent=True, parameters=[{"name": "VERSION", "default": "1"}])

    def much_happens() -> None:
        for number in range(120):
            api(sandbox, "POST", "/job/mine/buildWithParameters", data={"VERSION": str(number)})
        sandbox.clock(advance=301)

    before(monkeypatch, "/queue/item/", much_happens)
    result = build(parameters={"VERSION": "ours"})
    assert (result["build"]["number"], result["build"]["parameters"]) == (1, {"VERSION": "ours"})
    assert result["build"]["queue_id"] == result["queue_item"]


def test_somebody_cancels_what_waits(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    job(sandbox, quiet_period=3600)
    before(monkeypatch, "/queue/item/", lambda: api(sandbox, "POST", "/job/mine/cancelQueue"))
    result = build()
    assert "was cancelled before it became a build" in result["msg"]
    assert result["changed"]


def test_somebody_stops_it(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    job(sandbox, seconds=3600)
    before(monkeypatch, "/logText/", lambda: api(sandbox, "POST", "/job/mine/1/stop"))
    result = build()
    assert "'mine' #1 ended with ABORTED, not with SUCCESS" in result["msg"]
    assert result["console"][-1] == "Finished: ABORTED"


def test_what_waits_outlasts_a_restart(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    job(sandbox, quiet_period=2)
    before(monkeypatch, "/queue/item/", lambda: api(sandbox, "POST", "/safeRestart"))
    result = build(retries=0)
    assert (result["build"]["number"], result["build"]["queue_id"]) == (1, result["queue_item"])


@pytest.mark.parametrize("version", ["2.300", "2.579"])
def test_what_is_added_to_one_that_waits_is_no_change(sandbox: Sandbox, version: str) -> None:
    sandbox.switch("ci", version=version)
    job(sandbox, quiet_period=3600, parameters=[{"name": "VERSION", "default": "1"}])
    changed = [
        build(parameters={"VERSION": number}, form=form, wait=False)["changed"]
        for form in ("fields", "fields", "json")
        for number in ("1", "2")
    ]
    assert changed == [True, True, False, False, False, False]


# --- Crumbs


@pytest.mark.parametrize("csrf", [True, False])
def test_a_password_will_do_whatever_the_server_protects_itself_with(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, csrf: bool
) -> None:
    monkeypatch.delenv("JENKINS_API_TOKEN")
    sandbox.switch("ci", csrf=csrf)
    job(sandbox)
    assert build(**PASSWORD)["build"]["result"] == "SUCCESS"


def test_a_crumb_whose_session_is_over_is_renewed_for_the_stop_as_well(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JENKINS_API_TOKEN")
    job(sandbox, seconds=3600)
    before(monkeypatch, "/mine/1/stop", lambda: [one.cookies.clear() for one in session._CONNECTIONS.values()])
    result = build(wait_timeout=0.2, on_timeout="stop", **PASSWORD)
    refused = [entry for entry in sandbox.journal("ci") if entry["status"] == 403]
    assert refused[-1]["path"] == "/ci/job/mine/1/stop"
    assert result["msg"].endswith("It was stopped: ABORTED.")


# --- Parameters


@pytest.mark.parametrize("form", ["fields", "json"])
def test_a_parameter_may_be_long(sandbox: Sandbox, form: str) -> None:
    job(sandbox, parameters=[{"name": "TEXT", "type": "text"}])
    text = "line with 'quotes'\n" * 50_000
    assert build(parameters={"TEXT": text}, form=form)["build"]["parameters"] == {"TEXT": text}


def test_several_values_in_one_parameter(sandbox: Sandbox) -> None:
    job(sandbox, parameters=[{"name": "TARGETS"}])
    assert build(parameters={"TARGETS": ["a", "b", 3]})["build"]["parameters"] == {"TARGETS": "a,b,3"}


def test_a_job_in_folders_with_names_that_need_care(sandbox: Sandbox) -> None:
    name = "team ü/a&b=c/feature%2Flogin #1"
    job(sandbox, name=name)
    result = build(name)
    assert (result["build"]["job"], result["build"]["result"]) == (name, "SUCCESS")


def test_a_pipeline(sandbox: Sandbox) -> None:
    job(sandbox, kind="pipeline", script="node { echo 'built here' }", seconds=None)
    result = build()
    assert (result["build"]["result"], result["build"]["built_on"]) == ("SUCCESS", None)
    assert "built here" in result["console"]


def test_a_wrong_trigger_token_is_told(sandbox: Sandbox) -> None:
    job(sandbox, trigger_token="sesame")
    reader = {"username": "reader", "api_token": "11c0ffee00sandbox00reader00token004"}
    assert build(token="sesame", **reader)["build"]["causes"] == ["Started by remote host 127.0.0.1"]
    result = build(token="open", **reader)
    assert "403" in result["msg"]
    assert "Invalid token provided." in result["msg"]
    assert "reader is missing the Job/Build permission" in build(**reader)["msg"]


# --- What a big server is asked


def test_no_more_is_asked_for_than_is_needed(sandbox: Sandbox) -> None:
    job(sandbox, builds=[{"result": "SUCCESS"}] * 150)
    sandbox.clear_journal()
    build()
    for request in sandbox.journal("ci"):
        assert not request["path"].endswith("/api/json") or "tree=" in request["query"], request
        assert "uilds" not in request["query"]


# --- By ansible-playbook


def test_both_ways_tell_the_same(sandbox: Sandbox) -> None:
    job(sandbox, command="echo working\nexit 3", parameters=[{"name": "DRY", "type": "boolean", "default": False}])
    build_task = {MODULE: {"job": "mine", "parameters": {"DRY": "{{ dry }}"}, "wait_delay": 0.1}}
    tasks = [
        {**build_task, "check_mode": check_mode, "vars": {"toolchain_in_process": in_process}}
        for in_process in (True, False)
        for check_mode in (True, False)
    ]
    ran = run_tasks(sandbox, tasks, name="build both ways", dry=True)
    for planned in ran.done[::2]:
        assert planned.result["plan"]["parameters"] == {"DRY": "true"}
        assert not planned.writes
    for done in ran.done[1::2]:
        result = done.result
        assert (result["changed"], result["build"]["parameters"]) == (True, {"DRY": True})
        assert result["msg"].endswith("\nBuild step 'Execute shell' marked build as failure\nFinished: FAILURE.")
    # Only the worker shows the console while the build runs
    assert ran.output.replace("localhost: ci_build", "mine").count("mine: working") == 1


def test_an_interruption_stops_the_build_and_tells(sandbox: Sandbox) -> None:
    job(sandbox, seconds=600)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    playbook = SCRATCH / "build_interrupted.yml"
    task = {MODULE: {"job": "mine", "on_timeout": "stop"}}
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]))
    output = interrupt_playbook(
        [playbook],
        environment(sandbox),
        lambda: any("/job/mine/1/" in entry["path"] for entry in sandbox.journal("ci")),
    )
    wait_until(lambda: api(sandbox, "GET", "/job/mine/1/api/json").json()["result"] == "ABORTED", output)
    assert "interrupted, stopping 'mine' #1." in output
    assert "It was stopped: ABORTED." in output
