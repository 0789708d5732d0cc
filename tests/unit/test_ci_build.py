# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.ci_server import OLD_SESSION, basic, crumb, engine_error, page
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
HUDSON = {"X-Hudson": "1.395"}
DEFINITIONS = "property[parameterDefinitions[choices,defaultParameterValue[value],name,type]]"
BUILD = (
    "number,url,result,building,timestamp,duration,estimatedDuration,id,displayName,fullDisplayName,description,queueId,"
    "builtOn,keepLog,actions[parameters[name,value],causes[shortDescription]],artifacts[fileName,relativePath]"
)
ITEM = "cancelled,executable[number],stuck,why"
TRACES = "actions[parameters[name,value],causes[userId]]"
DEPLOY = [
    {"name": "VERSION", "type": "StringParameterDefinition", "defaultParameterValue": {"value": "1.0"}},
    {
        "name": "TARGET",
        "type": "ChoiceParameterDefinition",
        "defaultParameterValue": {"value": "staging"},
        "choices": ["staging", "production"],
    },
    {"name": "DRY", "type": "BooleanParameterDefinition", "defaultParameterValue": {"value": False}},
    {"name": "SECRET", "type": "PasswordParameterDefinition", "defaultParameterValue": {}},
]
FILE = {"name": "PACKAGE", "type": "FileParameterDefinition", "defaultParameterValue": None}
LOG = "Started by user \x1b[8mha:////4Bdg==\x1b[0madmin\r\nworking\r\nFinished: {}\r\n"
PARAMETERS = {"VERSION": "1.0", "TARGET": "staging", "DRY": "false", "SECRET": None}


def view(path: str, tree: str, **answer: Any) -> Call:
    return call("GET", f"{path}/api/json?tree={quote(tree, safe='')}", **answer)


def job(*parameters: dict[str, Any], name: str = "app", headers: dict[str, str] = OLD_SESSION, **members: Any) -> Call:
    """Return the first request for the job."""
    described = {
        "buildable": True,
        "fullName": name,
        "nextBuildNumber": 3,
        "queueItem": None,
        "property": [{"parameterDefinitions": list(parameters)}] if parameters else [],
        **members,
    }
    path = "".join(f"/job/{quote(part, safe='')}" for part in name.split("/"))
    return view(
        path, f"buildable,fullName,nextBuildNumber,queueItem[id],{DEFINITIONS}", json=described, headers=headers
    )


def start(status: int = 201, path: str = "/job/app/build", location: str | None = "queue/item/7/", **sent: Any) -> Call:
    """Return the build request."""
    headers = {} if location is None else {"Location": f"http://ci.example.com/{location}"}
    return call("POST", path, status, headers=headers, **sent)


def deploy(form: dict[str, str], **answer: Any) -> Call:
    return start(path="/job/app/buildWithParameters", sent_form=form, **answer)


def item(status: int = 200, **members: Any) -> Call:
    return view("/queue/item/7", ITEM, status=status, json=members)


def started_item(number: int = 3) -> Call:
    """Return the request for a queue item whose build has started."""
    return item(cancelled=False, executable={"number": number}, why=None)


def log(text: str, start: int = 0, more: bool = False, number: int = 3, size: int | None = None) -> Call:
    """Return a part of the console; its bytes are counted without carriage returns."""
    size = start + len(text.replace("\r", "")) if size is None else size
    headers = {"X-Text-Size": str(size), **({"X-More-Data": "true"} if more else {})}
    return call("GET", f"/job/app/{number}/logText/progressiveText?start={start}", text=text, headers=headers)


def build(result: str | None = "SUCCESS", number: int = 3, path: str = "/job/app", **members: Any) -> Call:
    described = {
        "number": number,
        "url": f"http://ci.example.com/job/app/{number}/",
        "result": result,
        "building": result is None,
        "timestamp": 1767225600000,
        "duration": 1500,
        "queueId": 7,
        "actions": [
            {"parameters": [{"name": "VERSION", "value": "2"}]},
            {"causes": [{"shortDescription": "By admin"}]},
        ],
        **members,
    }
    return view(f"{path}/{number}", BUILD, json=described)


def to_the_end(result: str = "SUCCESS") -> tuple[Call, ...]:
    return started_item(), log(LOG.format(result)), build(result)


def build_list(
    *entries: dict[str, Any], members: str = f"queueId,{TRACES}", name: str = "builds", part: str = ""
) -> Call:
    return view("/job/app", f"{name}[number,{members}]{part}", json={name: list(entries)})


def queue_list(*items: dict[str, Any], members: str = TRACES) -> Call:
    return view("/queue", f"items[id,task[url],{members}]", json={"items": list(items)})


def matching_actions(user: str | None = "admin", **parameters: Any) -> list[dict[str, Any]]:
    """Return the actions of a build or queue item."""
    values = [{"name": name, "value": value} for name, value in parameters.items()]
    return [{"parameters": values}, {"causes": [{"userId": user}]}]


def run_build(url: str, **options: Any) -> dict[str, Any]:
    return run("ci_build", **{"url": url, "job": "app", **TOKEN, **options})


def test_build_is_queued_with_two_requests_when_not_waiting() -> None:
    with conversation(job(), start(sent_headers={"Authorization": basic(*TOKEN.values())})) as server:
        result = run_build(server.url, wait=False)
    assert result == {
        "changed": True,
        "plan": {"action": "start", "job": "app", "parameters": {}},
        "build": None,
        "queue_item": 7,
        "matched_by": "queue_item",
        "console": [],
    }


def test_build_of_the_queue_item_is_followed_until_finished() -> None:
    lines: list[str] = []
    beginning = "Started by user \x1b[8mha:////4Bdg==\x1b[0madmin\r\nwork"
    size = len(beginning) - 1
    with conversation(
        job(),
        start(),
        item(cancelled=False, executable=None, why="In the quiet period. Expires in 4.9 sec"),
        item(cancelled=False, executable=None, why=None),
        started_item(5),
        log(beginning, more=True, number=5),
        log("ing\r\n\x1b[1;31mred\x07\x1b[0m\r\n", size, more=True, number=5, size=size + 10),
        log("Finished: SUCCESS\r\n", size + 10, number=5),
        build(None, number=5),
        build(number=5),
    ) as server:
        result = run_build(server.url, display=lines.append)
    assert result["build"] == {
        "job": "app",
        "number": 5,
        "url": "http://ci.example.com/job/app/5/",
        "result": "SUCCESS",
        "building": False,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "duration": 1.5,
        "estimated_duration": None,
        "id": None,
        "display_name": None,
        "full_display_name": None,
        "description": None,
        "queue_id": 7,
        "built_on": None,
        "keep_log": None,
        "parameters": {"VERSION": "2"},
        "causes": ["By admin"],
        "artifacts": [],
    }
    assert result["changed"]
    console = ["Started by user admin", "working", "red", "Finished: SUCCESS"]
    assert result["console"] == console
    assert [line for line in lines if not line.startswith("waiting")] == console


def test_parameters_are_sent_as_form_fields() -> None:
    sent = {"VERSION": "2", "DRY": "true", "SECRET": "hush-hush", "delay": "0sec", "token": "t0ken-of-app"}
    with conversation(job(*DEPLOY), deploy(sent), *to_the_end()) as server:
        result = run_build(
            server.url,
            parameters={"VERSION": 2, "DRY": True},
            secret_parameters={"SECRET": "hush-hush"},
            delay=0,
            token="t0ken-of-app",
        )
    assert result["plan"]["parameters"] == {
        "VERSION": "2",
        "TARGET": "staging",
        "DRY": "true",
        "SECRET": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER",
    }


def test_json_form_includes_defaults_and_names_the_queue_item() -> None:
    with conversation() as server:
        sent = {
            "parameter": [
                {"name": "VERSION", "value": "1.0"},
                {"name": "TARGET", "value": "production"},
                {"name": "DRY", "value": "false"},
                {"name": "SECRET", "value": "hush-hush"},
            ],
            "redirectTo": server.url,
        }
        server.calls += [job(*DEPLOY), start(sent_form={"json": json.dumps(sent)}), *to_the_end()]
        options = {"parameters": {"TARGET": "production"}, "secret_parameters": {"SECRET": "hush-hush"}}
        assert run_build(server.url, form="json", **options)["matched_by"] == "queue_item"


@pytest.mark.parametrize("form", ["fields", "json"])
def test_files_are_sent_as_multipart(form: str, tmp_path: Path) -> None:
    file = tmp_path / "package.zip"
    file.write_bytes(bytes(range(256)))
    path = "/job/app/buildWithParameters" if form == "fields" else "/job/app/build"
    with conversation(job(DEPLOY[0], FILE), start(path=path), *to_the_end()) as server:
        result = run_build(server.url, files={"PACKAGE": str(file)}, form=form)
    assert result["plan"]["parameters"] == {"VERSION": "1.0", "PACKAGE": str(file)}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"parameters": {"VERSON": "2"}},
            "'app' has no parameter 'VERSON'. Its parameters are 'VERSION', 'TARGET', 'DRY'",
        ),
        ({"parameters": {"TARGET": "moon"}}, "'TARGET' must be one of 'staging', 'production', not 'moon'"),
        ({"parameters": {"DRY": "on"}}, "'DRY' must be true or false, not 'on'"),
        ({"parameters": {"PACKAGE": "x"}}, "'PACKAGE' is a file parameter. Set its path in 'files'"),
        ({}, "Option 'files': must have a value for 'PACKAGE', because 'app' has no default for it"),
        ({"files": {"VERSION": __file__}}, "'VERSION' is not a file parameter of 'app'"),
        ({"files": {"OTHER": __file__}}, "'app' has no parameter 'OTHER'"),
        (
            {"files": {"PACKAGE": __file__}, "form": "json"},
            "must have a value for 'SECRET': the server does not return its",
        ),
    ],
)
def test_invalid_parameters_are_rejected_before_the_build_request(options: dict[str, Any], problem: str) -> None:
    for check_mode in (True, False):
        with conversation(job(*DEPLOY, FILE)) as server:
            result = run_build(server.url, check_mode=check_mode, **options)
        assert problem in result["msg"]
        assert not result["changed"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"parameters": {"A": None}},
            "Option 'parameters.A': must be a string, a number, true, false or a list of these",
        ),
        ({"parameters": {"A": {"b": 1}}}, "not a dictionary"),
        ({"parameters": {"A": ["x,y"]}}, "must not have elements with commas"),
        ({"parameters": {"A": "x\0"}}, "must not contain NUL"),
        ({"parameters": {"A": "x"}, "secret_parameters": {"A": "y"}}, "'A' is set in more than one of"),
        ({"files": {"A": "/nowhere"}}, "Option 'files.A': '/nowhere' cannot be read: it does not exist"),
        ({"files": {"A": 7}}, "Option 'files.A': must be a path"),
        ({"job": "/app"}, "must be the full name"),
        ({"job": "a/../b"}, "'..' is not a valid part of a path"),
        ({"accept": []}, "Option 'accept': must not be empty"),
    ],
)
def test_invalid_options_are_rejected_before_the_first_request(options: dict[str, Any], problem: str) -> None:
    with conversation() as server:
        assert problem in run_build(server.url, **options)["msg"]


def test_values_are_converted_to_strings() -> None:
    definitions = [{**DEPLOY[0], "name": name} for name in "ABCD"]
    with conversation(job(*definitions), deploy({"A": "15", "B": "true", "C": "a,2,false", "D": ""})) as server:
        run_build(server.url, wait=False, parameters={"A": 15, "B": True, "C": ["a", 2, False], "D": ""})


def test_boolean_parameter_accepts_any_spelling_of_true() -> None:
    with conversation(job(*DEPLOY), deploy({"DRY": "true"})) as server:
        run_build(server.url, wait=False, parameters={"DRY": "True"})


@pytest.mark.parametrize("option", [{"delay": 5}, {"parameters": {"delay": "x"}}])
def test_reserved_parameter_requires_the_json_form(option: dict[str, Any]) -> None:
    with conversation(job({**DEPLOY[0], "name": "delay"})) as server:
        assert "must be 'json'" in run_build(server.url, **option)["msg"]
    with conversation(job({**DEPLOY[0], "name": "delay"}), start()) as server:
        assert not run_build(server.url, wait=False, form="json", **option).get("failed")


@pytest.mark.parametrize("members", [{"buildable": False}, {"buildable": None}])
def test_build_fails_when_job_cannot_be_built(members: dict[str, Any]) -> None:
    with conversation(job(**members)) as server:
        assert "Job 'app' cannot be built: it is disabled" in run_build(server.url)["msg"]


def test_task_fails_when_job_does_not_exist() -> None:
    with conversation(
        view("/job/app", f"buildable,fullName,nextBuildNumber,queueItem[id],{DEFINITIONS}", status=404)
    ) as server:
        assert (
            "Job 'app' does not exist, or the account has no Job/Read permission on it." in run_build(server.url)["msg"]
        )


def test_names_are_percent_encoded() -> None:
    name = "team blue/app/feature%2Fx"
    path = "/job/team%20blue/job/app/job/feature%252Fx"
    with conversation(job(name=name), start(path=f"{path}/build")) as server:
        assert run_build(server.url, job=name, wait=False)["changed"]


@pytest.mark.parametrize(
    ("answer", "before"),
    [({"status": 303}, None), ({"status": 201}, {"id": 7})],
    ids=["see other", "the item from before"],
)
def test_identical_queued_build_is_followed(answer: dict[str, Any], before: Any) -> None:
    with conversation(job(*DEPLOY, queueItem=before), deploy({}, **answer), *to_the_end()) as server:
        result = run_build(server.url)
    assert not result["changed"]
    assert result["plan"]["action"] == "join"
    assert result["build"]["number"] == 3


@pytest.mark.parametrize(("causes", "joined"), [(1, False), (2, True)])
def test_merged_request_is_detected_by_causes_on_old_server(causes: int, joined: bool) -> None:
    with conversation(job(*DEPLOY, queueItem={"id": 5}), deploy({}), cause_list("/queue/item/7", causes)) as server:
        assert run_build(server.url, wait=False)["changed"] is not joined


def test_queued_build_is_found_when_json_form_does_not_name_it() -> None:
    other = {"id": 8, "task": {"url": "http://ci/job/app/"}, "actions": matching_actions(VERSION="9")}
    own_item = {"id": 7, "task": {"url": "http://ci/job/app/"}, "actions": matching_actions(VERSION="1.0")}
    elsewhere = {"id": 6, "task": {"url": "http://ci/job/other/"}, "actions": matching_actions(VERSION="1.0")}
    with conversation(
        job(DEPLOY[0]),
        start(302, location="job/app/"),
        build_list(),
        queue_list(elsewhere, other, own_item),
        *to_the_end(),
    ) as server:
        result = run_build(server.url, form="json")
    assert (result["changed"], result["queue_item"], result["matched_by"]) == (False, 7, "parameters")
    assert "warnings" not in result


def test_build_is_found_by_parameters_when_json_form_does_not_name_it() -> None:
    own_build = {"number": 4, "queueId": 7, "actions": matching_actions(VERSION="1.0")}
    foreign_build = {"number": 5, "queueId": 8, "actions": matching_actions(VERSION="1.0", user="somebody")}
    old = {"number": 2, "queueId": 2, "actions": matching_actions(VERSION="1.0")}
    with conversation(
        job(DEPLOY[0]),
        start(location="job/app/"),
        build_list(foreign_build, own_build, old),
        queue_list(),
        log(LOG.format("SUCCESS"), number=4),
        build(number=4),
    ) as server:
        result = run_build(server.url, form="json")
    assert (result["changed"], result["build"]["number"], result["matched_by"]) == (True, 4, "parameters")
    assert result["warnings"][0].startswith("The server did not name the build.")


def test_task_fails_when_several_builds_match() -> None:
    builds = [{"number": number, "queueId": number, "actions": matching_actions(VERSION="1.0")} for number in (5, 4)]
    with conversation(job(DEPLOY[0]), start(location="job/app/"), build_list(*builds), queue_list()) as server:
        result = run_build(server.url, form="json")
    assert "#4, #5 have the same parameters and account." in result["msg"]
    assert result["changed"]  # for the server took the request


def test_task_fails_when_server_dropped_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.trigger._SEARCH_TIMEOUT", 0
    )
    with conversation(job(*DEPLOY), deploy({}, status=302, location="job/app/"), build_list(), queue_list()) as server:
        result = run_build(server.url)
    assert "the server returned 302 without naming it, and neither the queue nor the job contains" in result["msg"]
    assert not result["changed"]


def test_build_is_found_when_response_is_lost() -> None:
    own_item = {"id": 7, "task": {"url": "http://ci/job/app/"}, "actions": matching_actions()}
    with conversation(
        job(),
        start(drop=True),
        view("/job/app", "nextBuildNumber", json={"nextBuildNumber": 3}),
        build_list(),
        queue_list(),
        build_list(),
        queue_list(own_item),
        *to_the_end(),
    ) as server:
        result = run_build(server.url)
    assert (result["changed"], result["build"]["number"], result["matched_by"]) == (True, 3, "parameters")
    assert "Reading back shows that the request had its effect." in result["warnings"][0]


def test_nothing_changed_when_response_is_lost_and_build_was_queued_before() -> None:
    foreign_item = {"id": 7, "task": {"url": "http://ci/job/app/"}, "actions": matching_actions()}
    with conversation(
        job(queueItem={"id": 7}),
        start(drop=True),
        view("/job/app", "nextBuildNumber", json={"nextBuildNumber": 3}),
        build_list(),
        queue_list(foreign_item),
    ) as server:
        result = run_build(server.url, wait=False)
    assert (result["changed"], result["queue_item"]) == (False, 7)


def test_outcome_is_unknown_when_response_is_lost_and_no_build_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.trigger._SEARCH_TIMEOUT", 0
    )
    next_number = view("/job/app", "nextBuildNumber", json={"nextBuildNumber": 3})
    with conversation(job(), start(drop=True), next_number, build_list(), queue_list()) as server:
        result = run_build(server.url)
    assert "no matching build exists. Whether the request had its effect is not known." in result["msg"]


def test_build_is_found_by_queue_id_when_item_is_forgotten() -> None:
    queue_ids = [{"number": number, "queueId": number + 1} for number in (105, *range(104, 5, -1))]
    older = [{"number": number, "queueId": number + 1} for number in range(5, 1, -1)]
    with conversation(
        job(),
        start(location="queue/item/6/"),
        view("/queue/item/6", ITEM, status=404),
        build_list(*queue_ids, members="queueId"),
        build_list(*older, members="queueId", name="allBuilds", part="{100,200}"),
        log(LOG.format("SUCCESS"), number=5),
        build(number=5),
    ) as server:
        assert run_build(server.url)["build"]["number"] == 5


def test_task_fails_when_forgotten_item_has_no_build() -> None:
    with conversation(job(), start(), item(404), build_list({"number": 2, "queueId": 7}, members="queueId")) as server:
        result = run_build(server.url)
    assert "Cannot find the build of queue item 7: the server has forgotten the item" in result["msg"]
    assert result["changed"]


def test_waiting_is_not_limited_by_number_of_polls() -> None:
    """Other tools give up after a thousand polls."""
    waits = item(cancelled=False, executable=None, stuck=True, why="Waiting for next available executor")
    lines: list[str] = []
    with conversation(job(), start(), *[waits] * 1100, *to_the_end()) as server:
        assert run_build(server.url, display=lines.append)["build"]["number"] == 3
    assert "queue item 7 is stuck: Waiting for next available executor" in lines[0]


def test_task_fails_when_queue_item_was_canceled() -> None:
    with conversation(job(), start(), item(cancelled=True, executable=None, why=None)) as server:
        assert "Queue item 7 was canceled before its build started." in run_build(server.url)["msg"]


def test_failure_message_contains_last_console_lines() -> None:
    with conversation(job(), start(), *to_the_end("FAILURE")) as server:
        result = run_build(server.url, console_lines=2)
    assert result["msg"] == (
        "The result of 'app' #3 is FAILURE, not SUCCESS. See http://ci.example.com/job/app/3/console. "
        "Last lines of the console:\nworking\nFinished: FAILURE."
    )
    assert result["changed"]
    assert result["build"]["result"] == "FAILURE"
    assert result["console"] == ["working", "Finished: FAILURE"]


def test_other_results_can_be_accepted() -> None:
    with conversation(job(), start(), *to_the_end("UNSTABLE")) as server:
        assert not run_build(server.url, accept=["SUCCESS", "UNSTABLE"]).get("failed")


def test_secrets_are_masked_in_console_output() -> None:
    printed = "hush-hush\r\nFinished: SUCCESS\r\n"
    with conversation(job(*DEPLOY), deploy({"SECRET": "hush-hush"}), started_item(), log(printed), build()) as server:
        lines: list[str] = []
        result = run_build(server.url, parameters={"SECRET": "hush-hush"}, display=lines.append)
    assert "hush-hush" not in json.dumps(result)
    assert not [line for line in lines if "hush-hush" in line]


def test_waiting_continues_when_server_restarts() -> None:
    down = {"status": 503, "text": page("Restarting Jenkins", "Jenkins is restarting")}
    again = item(404)
    unauthorized = view("/queue/item/7", ITEM, status=401, json=engine_error(401, "Unauthorized", "/"))
    progress = "/job/app/3/logText/progressiveText?start=0"
    with conversation(
        job(),
        start(),
        view("/queue/item/7", ITEM, **down),
        view("/queue/item/7", ITEM, drop=True),
        unauthorized,
        again,
        build_list({"number": 3, "queueId": 7}, members="queueId"),
        call("GET", progress, **down),
        call("GET", progress, drop=True),
        log(LOG.format("SUCCESS")),
        view("/job/app/3", BUILD, **down),
        build(),
    ) as server:
        assert run_build(server.url)["build"]["number"] == 3


def test_console_continues_when_response_is_incomplete() -> None:
    text = "one\r\ntwo\r\nFinished: SUCCESS\r\n"
    part = log(text)
    part.headers["Content-Length"] = str(len(text))
    part.body = text[:8].encode()
    with conversation(job(), start(), started_item(), part, log(text), build()) as server:
        assert run_build(server.url)["console"] == ["one", "two", "Finished: SUCCESS"]


@pytest.mark.parametrize("answer", [log("", number=3), build()], ids=["log", "build"])
def test_task_fails_when_build_is_deleted(answer: Call) -> None:
    answer.status, answer.body = 404, b""
    calls = [log(LOG.format("SUCCESS")), answer] if "logText" not in answer.target else [answer]
    with conversation(job(), start(), started_item(), *calls) as server:
        assert "Waiting for 'app' #3 failed: the build was deleted." in run_build(server.url)["msg"]


def running(more: str = "working\r\n") -> tuple[Call, ...]:
    return job(), start(), started_item(), log(more, more=True)


def test_build_keeps_running_on_timeout() -> None:
    with conversation(*running(), build(None)) as server:
        result = run_build(server.url, wait_timeout=0)
    assert result["msg"] == "Waited 0 s, but 'app' #3 is running. It was not stopped."
    assert (result["build"]["building"], result["console"]) == (True, ["working"])


def test_task_succeeds_on_timeout_when_detaching() -> None:
    with conversation(*running(), build(None)) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="detach")
    assert not result.get("failed")
    assert result["build"]["building"]


def stop(status: int = 302, **answer: Any) -> Call:
    return call("POST", "/job/app/3/stop", status, headers={"Location": "/job/app/3/"}, **answer)


def cause_list(path: str, causes: int = 1, **answer: Any) -> Call:
    """Return the request for the causes of a queue item or a build."""
    document = {"actions": [{"causes": [{"shortDescription": "By admin"}] * causes}]}
    return view(path, "actions[causes[shortDescription]]", json=document, **answer)


def build_state(result: str | None, **members: Any) -> Call:
    """Return the request for a build that is being stopped."""
    described = {"number": 3, "url": "http://ci.example.com/job/app/3/", "result": result, "building": result is None}
    tree = "number,url,result,building,timestamp,duration,fullDisplayName"
    return view("/job/app/3", tree, json={**described, **members})


def test_build_is_stopped_on_timeout() -> None:
    polls = (
        cause_list("/job/app/3"),
        build_state(None),
        stop(),
        build_state(None),
        build_state("ABORTED"),
        build("ABORTED"),
    )
    with conversation(*running(), *polls) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="stop")
    assert result["msg"] == "Waited 0 s, but 'app' #3 is running. It was stopped: ABORTED."
    assert result["build"]["result"] == "ABORTED"


def test_nothing_is_stopped_on_timeout_when_build_has_finished() -> None:
    with conversation(*running(), cause_list("/job/app/3"), build_state("SUCCESS"), build()) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="stop")
    assert result["msg"] == "Waited 0 s, but 'app' #3 is running. It has finished in the meantime."


def test_queue_item_is_canceled_on_timeout() -> None:
    why = "In the quiet period."
    waits = item(cancelled=False, executable=None, why=why)
    tree = "cancelled,executable[number,url],task[url],why"
    with conversation(
        job(),
        start(),
        waits,
        cause_list("/queue/item/7"),
        view("/queue/item/7", tree, json={"cancelled": False, "task": {"url": "http://ci/job/app/"}, "why": why}),
        call("POST", "/queue/cancelItem?id=7", 204),
    ) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="stop")
    assert result["msg"].endswith("queue item 7 is waiting: In the quiet period. Its queue item was canceled.")
    assert result["build"] is None


@pytest.mark.parametrize(
    ("before", "answer"),
    [(None, {"status": 303}), ({"id": 7}, {"status": 201}), ({"id": 7}, {"status": 302, "location": "job/app/"})],
    ids=["see other", "the item from before", "not named"],
)
def test_merged_build_is_not_stopped_on_timeout(before: Any, answer: dict[str, Any]) -> None:
    foreign_item = {"id": 7, "task": {"url": "http://ci/job/app/"}, "actions": matching_actions(VERSION="1.0")}
    lookups = [build_list(), queue_list(foreign_item)] if "location" in answer else []
    waits = item(cancelled=False, executable=None, why="In the quiet period.")
    with conversation(job(DEPLOY[0], queueItem=before), start(**answer), *lookups, waits) as server:
        result = run_build(server.url, form="json", wait_timeout=0, on_timeout="stop")
    assert result["msg"].endswith(
        "It was not stopped: it was already in the queue, and the server merged this request with it."
    )
    assert not result["changed"]


def test_merged_build_is_not_stopped_when_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    waits = item(cancelled=False, executable=None, why="In the quiet period.")
    with conversation(job(), start(303), waits) as server, pytest.raises(KeyboardInterrupt):
        run_build(server.url, on_timeout="stop", display_interruption=words.append)
    assert words[-1].startswith("It was not stopped: it was already in the queue")


@pytest.mark.parametrize(
    ("lookup", "reason"),
    [
        ({"causes": 2}, "it has 2 causes, not only this request."),
        ({"causes": 0}, "it has 0 causes, not only this request."),
        ({"status": 404}, "reading its causes failed: GET "),
    ],
)
def test_build_is_not_stopped_when_others_may_have_requested_it(lookup: dict[str, Any], reason: str) -> None:
    with conversation(*running(), cause_list("/job/app/3", **lookup), build(None)) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="stop")
    assert f"'app' #3 is running. It was not stopped: {reason}" in result["msg"]


def test_build_is_not_stopped_when_response_was_lost() -> None:
    queue_item = {"id": 7, "task": {"url": "http://ci/job/app/"}, "actions": matching_actions()}
    next_number = view("/job/app", "nextBuildNumber", json={"nextBuildNumber": 3})
    waits = item(cancelled=False, executable=None, why="In the quiet period.")
    with conversation(job(), start(drop=True), next_number, build_list(), queue_list(queue_item), waits) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="stop")
    assert "It was not stopped: the response to the request was lost" in result["msg"]
    assert result["changed"]


def test_message_reports_when_stopping_failed() -> None:
    refused = stop(403, text=page("Access Denied", "Access Denied"))
    with conversation(*running(), cause_list("/job/app/3"), build_state(None), refused, build(None)) as server:
        result = run_build(server.url, wait_timeout=0, on_timeout="stop")
    assert "Stopping it failed: POST " in result["msg"]


@pytest.mark.parametrize("on_timeout", ["fail", "stop"])
def test_interruption_reports_state_of_build(on_timeout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    polls = (
        [cause_list("/job/app/3"), build_state(None), stop(), build_state("ABORTED")] if on_timeout == "stop" else []
    )
    with conversation(*running(), *polls) as server, pytest.raises(KeyboardInterrupt):
        run_build(server.url, on_timeout=on_timeout, display_interruption=words.append)
    assert words == (
        ["interrupted, stopping 'app' #3.", "It was stopped: ABORTED."]
        if on_timeout == "stop"
        else ["interrupted, 'app' #3 continues to run."]
    )


def test_interruption_of_request_reports_possible_build() -> None:
    words: list[str] = []
    request = start(held=True, meanwhile=send_ctrl_c)
    with conversation(job(), request) as server, pytest.raises(KeyboardInterrupt):
        run_build(server.url, on_timeout="stop", display_interruption=words.append)
    assert words == ["interrupted while a build of 'app' was requested. If it starts, it continues to run."]


def test_no_build_is_started_when_accepted_build_exists() -> None:
    now = int(time.time() * 1000)
    members = "duration,result,timestamp,actions[parameters[name,value]]"

    def past(number: int, ago: int, result: str | None = "SUCCESS", **parameters: Any) -> dict[str, Any]:
        values = {"VERSION": "1.0", "TARGET": "staging", "DRY": False, "SECRET": None, **parameters}
        times = {"timestamp": now - ago * 1000, "duration": 1000}
        return {"number": number, "result": result, **times, "actions": matching_actions(**values)}

    builds = [past(7, 5, None), past(6, 10, "FAILURE"), past(5, 20, VERSION="2"), past(4, 3600)]
    for max_age in (86_400, None):
        with conversation(job(*DEPLOY), build_list(*builds, members=members), build(number=4)) as server:
            result = run_build(server.url, skip_if_built={"max_age": max_age})
        assert (result["changed"], result["plan"], result["build"]["number"]) == (False, None, 4)
    for skip in ({"max_age": 30}, {"results": ["UNSTABLE"]}):
        with conversation(job(*DEPLOY), build_list(*builds, members=members), deploy({})) as server:
            assert run_build(server.url, skip_if_built=skip, wait=False)["changed"]


@pytest.mark.parametrize(
    ("name", "requested", "stored", "same"),
    [
        ("TEXT", " 1.0\t", "1.0", True),
        ("TEXT", "1.0", " 1.0", False),  # such a job does not trim
        ("TEXT", "\u00a01.0", "1.0", False),  # Java's trim leaves it
        ("TARGET", " b", "b", False),
        ("TARGET", " b", " b", True),
    ],
)
def test_existing_build_matches_when_jenkins_trims_values(name: str, requested: str, stored: str, same: bool) -> None:
    members = "duration,result,timestamp,actions[parameters[name,value]]"
    declared = [
        {"name": "TEXT", "type": "TextParameterDefinition", "defaultParameterValue": {"value": ""}},
        {**DEPLOY[1], "defaultParameterValue": {"value": "b"}, "choices": ["b", " b"]},
    ]
    past = {"number": 2, "result": "SUCCESS", "timestamp": 0, "duration": 0}
    actions = matching_actions(**{"TEXT": "", "TARGET": "b", name: stored})
    last = build(number=2) if same else deploy({name: requested})
    with conversation(job(*declared), build_list({**past, "actions": actions}, members=members), last) as server:
        result = run_build(server.url, parameters={name: requested}, skip_if_built={}, wait=False)
    assert result["changed"] is not same


def test_age_of_existing_build_counts_from_its_end() -> None:
    members = "duration,result,timestamp,actions[parameters[name,value]]"
    begin = int((time.time() - 3600) * 1000)
    past = {"number": 4, "result": "SUCCESS", "timestamp": begin, "duration": 3_590_000}
    with conversation(job(), build_list(past, members=members), build(number=4)) as server:
        result = run_build(server.url, skip_if_built={"max_age": 600}, wait=False)
    assert (result["changed"], result["build"]["number"]) == (False, 4)


def permission(status: int = 405, action: str = "buildWithParameters", **answer: Any) -> Call:
    """Return the request that checks the Job/Build permission."""
    return call("GET", f"/job/app/{action}", status, **answer)


@pytest.mark.parametrize("form", ["fields", "json"])
@pytest.mark.parametrize(("parameters", "action"), [([], "build"), (DEPLOY[:1], "buildWithParameters")])
def test_check_mode_predicts_the_refusal_when_the_account_may_not_build(
    parameters: list[dict[str, Any]], action: str, form: str
) -> None:
    refusal = page("Access Denied", "Access Denied", "reader is missing the Job/Build permission")
    with conversation(job(*parameters), permission(403, action, text=refusal)) as server:
        result = run_build(server.url, check_mode=True, form=form)
    assert "403 reader is missing the Job/Build permission" in result["msg"]
    assert not result["changed"]


@pytest.mark.parametrize(
    ("headers", "options"),
    [({"X-Jenkins": "2.560.1"}, {}), (HUDSON, {}), (OLD_SESSION, {"token": "t"})],
    ids=["older Jenkins", "Hudson", "trigger token"],
)
def test_check_mode_sends_no_get_that_could_build(headers: dict[str, str], options: dict[str, Any]) -> None:
    with conversation(job(headers=headers)) as server:
        assert run_build(server.url, check_mode=True, **options)["changed"]


def test_check_mode_returns_plan() -> None:
    with conversation(job(*DEPLOY), permission()) as server:
        result = run_build(server.url, parameters={"VERSION": "2"}, check_mode=True)
    assert result["changed"]
    assert result["plan"] == {"action": "start", "job": "app", "parameters": {**PARAMETERS, "VERSION": "2"}}


@pytest.mark.parametrize(("version", "joins"), [("1.0", True), ("2", False)])
def test_check_mode_predicts_join_when_identical_build_is_queued(version: str, joins: bool) -> None:
    item = {
        "id": 7,
        "task": {"url": "http://ci/job/app/"},
        "actions": matching_actions(**{**PARAMETERS, "VERSION": version}),
    }
    queue = queue_list(item, members="actions[parameters[name,value]]")
    with conversation(job(*DEPLOY, queueItem={"id": 7}), permission(), queue) as server:
        result = run_build(server.url, check_mode=True)
    assert result["changed"] is not joins
    assert result["plan"]["action"] == ("join" if joins else "start")


def test_invalid_trigger_token_is_reported() -> None:
    refused = start(403, text=page("Access Denied", "Access Denied", "Invalid token provided."))
    with conversation(job(), refused) as server:
        assert "403 Invalid token provided." in run_build(server.url, token="open")["msg"]


def test_crumb_is_requested_once_with_password() -> None:
    sent = {"sent_headers": {"Jenkins-Crumb": "c0ffee" * 10}}
    with conversation(job(), crumb(), start(**sent)) as server:
        run("ci_build", url=server.url, job="app", username="admin", password="secret", wait=False)


def test_build_is_found_on_hudson_without_queue_ids() -> None:
    queued = {"task": {"url": "http://ci/job/app/"}, "actions": [{"causes": [{}]}]}
    built = {"number": 3, "actions": [{"causes": [{}]}]}
    with conversation(
        job(headers=HUDSON),
        start(302, location="job/app/"),
        build_list(),
        queue_list(queued),
        build_list(),
        queue_list(queued),
        build_list(built),
        queue_list(),
        log(LOG.format("SUCCESS")),
        build(),
    ) as server:
        result = run_build(server.url)
    assert (result["changed"], result["build"]["number"], result["matched_by"]) == (True, 3, "parameters")
    assert result["queue_item"] is None


def test_items_run_in_sequence_until_max_failures() -> None:
    items = [{"parameters": {"VERSION": version}, "console_lines": 1} for version in ("1", "2", "3")]
    first = (job(*DEPLOY), deploy({"VERSION": "1"}), *to_the_end())
    with conversation(*first, job(*DEPLOY), deploy({"VERSION": "2"}), *to_the_end("FAILURE")) as server:
        result = run_build(server.url, items=items, workers=1, max_failures=1)
    assert result["failed"]
    assert result["changed"]
    assert result["counts"] == {"changed": 1, "ok": 0, "failed": 1, "unknown": 0, "skipped": 1}
    assert [outcome["status"] for outcome in result["outcomes"]] == ["failed", "changed", "skipped"]
    assert result["outcomes"][1]["build"]["number"] == 3
    assert result["failures"][0]["console"] == ["Finished: FAILURE"]
    assert "items[1]: The result of 'app' #3 is FAILURE" in result["msg"]


def test_items_can_have_different_jobs() -> None:
    with conversation(
        job(),
        start(),
        job(name="folder/lib"),
        start(path="/job/folder/job/lib/build", location="queue/item/8/"),
    ) as server:
        result = run_build(server.url, items=[{}, {"job": "folder/lib"}], workers=1, wait=False)
    assert [outcome["queue_item"] for outcome in result["outcomes"]] == [7, 8]


def test_identical_items_are_rejected() -> None:
    with conversation() as server:
        result = run_build(server.url, items=[{"parameters": {"A": 1}}, {"job": "app", "parameters": {"A": 1}}])
    assert result["msg"] == "items[1]: duplicate of items[0]."


def test_item_requires_a_job() -> None:
    with conversation() as server:
        result = run("ci_build", url=server.url, items=[{"parameters": {"A": 1}}], **TOKEN)
    assert "job" in result["msg"]
