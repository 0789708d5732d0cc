# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting builds avoids the known problems of other Jenkins clients."""

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
def configure_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, and disable retry delays."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)


def send_request(sandbox: Sandbox, method: str, path: str, **options: Any) -> requests.Response:
    """Send a request of another client."""
    variables = sandbox.environment
    auth = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    url = variables["JENKINS_URL"] + path
    return requests.request(method, url, auth=auth, timeout=60, allow_redirects=False, **options)


def create_job(sandbox: Sandbox, name: str = "mine", **traits: Any) -> None:
    job_definition = {"name": name, "seconds": 0, "quiet_period": 0, **traits}
    sandbox.seed({"ci": {"executors": 200, "jobs": [job_definition]}})


def run_build(name: str = "mine", **options: Any) -> dict[str, Any]:
    return run("ci_build", job=name, **{"wait_timeout": 120, "wait_delay": 0.1, **options})


def call_before(monkeypatch: pytest.MonkeyPatch, part: str, function: Callable[[], None]) -> None:
    """Call a function right before the first request whose path contains a text."""
    send, is_called = session.Connection.send, threading.Event()

    def send_after_call(connection: session.Connection, request: Request, timeout: tuple[float, float]) -> Response:
        if part in request.url and not is_called.is_set():
            is_called.set()
            function()
        return send(connection, request, timeout)

    monkeypatch.setattr(session.Connection, "send", send_after_call)


# --- Builds of other users


@pytest.mark.parametrize("form", ["fields", "json"])
def test_own_build_is_returned_when_others_start_builds(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    create_job(sandbox, parameters=[{"name": "VERSION", "default": "1"}], concurrent=True)

    def start_other_builds() -> None:
        for version in ("theirs", "also theirs"):
            assert (
                send_request(sandbox, "POST", "/job/mine/buildWithParameters", data={"VERSION": version}).status_code
                == 201
            )

    call_before(monkeypatch, "/mine/build", start_other_builds)
    result = run_build(parameters={"VERSION": "ours"}, form=form)
    assert (result["build"]["number"], result["build"]["parameters"]) == (3, {"VERSION": "ours"})


def test_new_build_is_returned_when_an_earlier_build_exists(sandbox: Sandbox) -> None:
    create_job(sandbox, quiet_period=1, builds=[{"result": "FAILURE"}])
    result = run_build()
    assert (result["build"]["number"], result["build"]["result"]) == (2, "SUCCESS")


def test_build_is_found_when_its_queue_item_has_expired(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    create_job(sandbox, concurrent=True, parameters=[{"name": "VERSION", "default": "1"}])

    def start_many_builds() -> None:
        for number in range(120):
            send_request(sandbox, "POST", "/job/mine/buildWithParameters", data={"VERSION": str(number)})
        sandbox.clock(advance=301)

    call_before(monkeypatch, "/queue/item/", start_many_builds)
    result = run_build(parameters={"VERSION": "ours"})
    assert (result["build"]["number"], result["build"]["parameters"]) == (1, {"VERSION": "ours"})
    assert result["build"]["queue_id"] == result["queue_item"]


def test_task_fails_when_the_queue_item_is_cancelled(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    create_job(sandbox, quiet_period=3600)
    call_before(monkeypatch, "/queue/item/", lambda: send_request(sandbox, "POST", "/job/mine/cancelQueue"))
    result = run_build()
    assert "was canceled before its build started" in result["msg"]
    assert result["changed"]


def test_task_fails_when_the_build_is_stopped(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    create_job(sandbox, seconds=3600)
    call_before(monkeypatch, "/logText/", lambda: send_request(sandbox, "POST", "/job/mine/1/stop"))
    result = run_build()
    assert "The result of 'mine' #1 is ABORTED, not SUCCESS" in result["msg"]
    assert result["console"][-1] == "Finished: ABORTED"


def test_build_is_found_when_jenkins_restarts(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    create_job(sandbox, quiet_period=2)
    call_before(monkeypatch, "/queue/item/", lambda: send_request(sandbox, "POST", "/safeRestart"))
    result = run_build(retries=0)
    assert (result["build"]["number"], result["build"]["queue_id"]) == (1, result["queue_item"])


@pytest.mark.parametrize("version", ["2.300", "2.579"])
def test_task_reports_no_change_when_an_equal_build_is_queued(sandbox: Sandbox, version: str) -> None:
    sandbox.switch("ci", version=version)
    create_job(sandbox, quiet_period=3600, parameters=[{"name": "VERSION", "default": "1"}])
    changed = [
        run_build(parameters={"VERSION": number}, form=form, wait=False)["changed"]
        for form in ("fields", "fields", "json")
        for number in ("1", "2")
    ]
    assert changed == [True, True, False, False, False, False]


# --- Crumbs


@pytest.mark.parametrize("csrf", [True, False])
def test_password_is_accepted_with_and_without_crumbs(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, csrf: bool
) -> None:
    monkeypatch.delenv("JENKINS_API_TOKEN")
    sandbox.switch("ci", csrf=csrf)
    create_job(sandbox)
    assert run_build(**PASSWORD)["build"]["result"] == "SUCCESS"


def test_crumb_is_renewed_when_the_session_expires_before_a_stop(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JENKINS_API_TOKEN")
    create_job(sandbox, seconds=3600)
    call_before(
        monkeypatch,
        "/mine/1/stop",
        lambda: [connection.cookies.clear() for connection in session._CONNECTIONS.values()],
    )
    result = run_build(wait_timeout=0.2, on_timeout="stop", **PASSWORD)
    refused = [entry for entry in sandbox.journal("ci") if entry["status"] == 403]
    assert refused[-1]["path"] == "/ci/job/mine/1/stop"
    assert result["msg"].endswith("It was stopped: ABORTED.")


# --- Parameters


@pytest.mark.parametrize("form", ["fields", "json"])
def test_long_parameter_is_unchanged(sandbox: Sandbox, form: str) -> None:
    create_job(sandbox, parameters=[{"name": "TEXT", "type": "text"}])
    text = "line with 'quotes'\n" * 50_000
    assert run_build(parameters={"TEXT": text}, form=form)["build"]["parameters"] == {"TEXT": text}


def test_list_is_joined_when_it_is_the_value_of_a_parameter(sandbox: Sandbox) -> None:
    create_job(sandbox, parameters=[{"name": "TARGETS"}])
    assert run_build(parameters={"TARGETS": ["a", "b", 3]})["build"]["parameters"] == {"TARGETS": "a,b,3"}


def test_job_is_found_when_its_name_needs_encoding(sandbox: Sandbox) -> None:
    name = "team ü/a&b=c/feature%2Flogin #1"
    create_job(sandbox, name=name)
    result = run_build(name)
    assert (result["build"]["job"], result["build"]["result"]) == (name, "SUCCESS")


def test_console_is_returned_when_the_job_is_a_pipeline(sandbox: Sandbox) -> None:
    create_job(sandbox, kind="pipeline", script="node { echo 'built here' }", seconds=None)
    result = run_build()
    assert (result["build"]["result"], result["build"]["built_on"]) == ("SUCCESS", None)
    assert "built here" in result["console"]


def test_refusal_is_explained_when_the_trigger_token_is_wrong(sandbox: Sandbox) -> None:
    create_job(sandbox, trigger_token="sesame")
    reader = {"username": "reader", "api_token": "11c0ffee00sandbox00reader00token004"}
    assert run_build(token="sesame", **reader)["build"]["causes"] == ["Started by remote host 127.0.0.1"]
    result = run_build(token="open", **reader)
    assert "403" in result["msg"]
    assert "Invalid token provided." in result["msg"]
    assert "reader is missing the Job/Build permission" in run_build(**reader)["msg"]


# --- Load on large servers


def test_requests_select_the_required_members(sandbox: Sandbox) -> None:
    create_job(sandbox, builds=[{"result": "SUCCESS"}] * 150)
    sandbox.clear_journal()
    run_build()
    for request in sandbox.journal("ci"):
        assert not request["path"].endswith("/api/json") or "tree=" in request["query"], request
        assert "uilds" not in request["query"]


# --- With ansible-playbook


def test_result_is_the_same_in_process_and_as_a_module(sandbox: Sandbox) -> None:
    create_job(
        sandbox, command="echo working\nexit 3", parameters=[{"name": "DRY", "type": "boolean", "default": False}]
    )
    build_task = {MODULE: {"job": "mine", "parameters": {"DRY": "{{ dry }}"}, "wait_delay": 0.1}}
    tasks = [
        {**build_task, "check_mode": check_mode, "vars": {"toolchain_in_process": in_process}}
        for in_process in (True, False)
        for check_mode in (True, False)
    ]
    run = run_tasks(sandbox, tasks, name="build both ways", dry=True)
    for planned in run.done[::2]:
        assert planned.result["plan"]["parameters"] == {"DRY": "true"}
        assert not planned.writes
    for done in run.done[1::2]:
        result = done.result
        assert (result["changed"], result["build"]["parameters"]) == (True, {"DRY": True})
        assert result["msg"].endswith("\nBuild step 'Execute shell' marked build as failure\nFinished: FAILURE.")
    # Only the worker shows the console while the build runs
    assert run.output.replace("localhost: ci_build", "mine").count("mine: working") == 1


def test_build_is_stopped_when_the_task_is_interrupted(sandbox: Sandbox) -> None:
    create_job(sandbox, seconds=600)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    playbook = SCRATCH / "build_interrupted.yml"
    task = {MODULE: {"job": "mine", "on_timeout": "stop"}}
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]))
    output = interrupt_playbook(
        [playbook],
        environment(sandbox),
        lambda: any("/job/mine/1/" in entry["path"] for entry in sandbox.journal("ci")),
    )
    wait_until(lambda: send_request(sandbox, "GET", "/job/mine/1/api/json").json()["result"] == "ABORTED", output)
    assert "interrupted, stopping 'mine' #1." in output
    assert "It was stopped: ABORTED." in output
