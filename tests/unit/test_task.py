# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import json
import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils import basic

from ansible_collections.buildworks.toolchain.plugins.module_utils import _task
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ToolchainError,
    WriteInCheckMode,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import Interrupted
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import (
    Run,
    Task,
    mask_secrets,
    run_as_module,
    run_in_process,
    to_json_types,
)

SPEC = ArgumentSpec(
    dict(
        name=dict(type="str", required=True),
        state=dict(type="str", choices=["present", "absent"], default="present"),
        count=dict(type="int"),
        flag=dict(type="bool"),
        query=dict(type="str"),
        username=dict(type="str"),
        password=dict(type="str", no_log=True),
        entries=dict(type="list", elements="dict", options=dict(key=dict(type="str", required=True, no_log=True))),
    ),
    required_together=[("username", "password")],
    mutually_exclusive=[("count", "flag")],
    required_if=[("state", "absent", ["query"])],
)
AsModule = Callable[..., dict[str, Any]]


@pytest.fixture
def as_module(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> AsModule:
    """Return a function that runs code as an ordinary module and returns the printed result."""

    def run(run: Run, check_mode: bool = False, diff_mode: bool = False, **parameters: Any) -> dict[str, Any]:
        internal = {"_ansible_check_mode": check_mode, "_ansible_diff": diff_mode, "_ansible_module_name": "sample"}
        arguments = json.dumps({"ANSIBLE_MODULE_ARGS": {**parameters, **internal}})
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", arguments.encode())
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)  # not in 2.18
        with pytest.raises(SystemExit) as end:
            run_as_module(SPEC, run)
        result = json.loads(capsys.readouterr().out)
        assert end.value.code == (1 if result.get("failed") else 0)
        # warnings belong to the whole process; the other members depend on the version of ansible-core
        others = ("warnings", "invocation", "_ansible_new_secrets")
        return {name: value for name, value in result.items() if name not in others}

    return run


def run_in_worker(run: Run, check_mode: bool = False, diff_mode: bool = False, **parameters: Any) -> dict[str, Any]:
    return run_in_process("sample", SPEC, run, parameters, check_mode=check_mode, diff_mode=diff_mode)


def idle(_task: Task) -> None:
    pass


def busy(task: Task) -> None:
    """Set each kind of result."""
    task.result["echo"] = f"I was told {task.params['password']}"
    task.result["made"] = task.register_secret("made-up-secret")
    task.result["number"] = 12
    task.result["nothing"] = None
    task.result["check_mode"] = task.check_mode
    task.record_change({"a": 1}, {"a": task.params["password"]})


def failing(task: Task) -> None:
    busy(task)
    raise ToolchainError(f"GET http://host/x: 401 not valid: {task.params['password']}")


# Both ways of running


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("diff_mode", [False, True])
@pytest.mark.parametrize("run", [idle, busy, failing])
def test_result_is_the_same_in_process_and_as_a_module(
    as_module: AsModule, run: Run, check_mode: bool, diff_mode: bool
) -> None:
    parameters = {"name": "n", "username": "u", "password": "open-sesame", "entries": [{"key": "hidden-key"}]}
    here, there = (
        run_in_worker(run, check_mode, diff_mode, **parameters),
        as_module(run, check_mode, diff_mode, **parameters),
    )
    for secret in ("open-sesame", "made-up-secret", "hidden-key"):
        assert secret not in f"{here} {there}"
    assert here == there


def test_ordinary_module_hides_secrets_when_ansible_core_does_not(
    as_module: AsModule, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        basic, "remove_values", lambda value, _secrets: value, raising=False
    )  # like ansible-core since 2.22
    result = as_module(busy, name="n", username="u", password="open-sesame")
    assert "open-sesame" not in str(result)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"name": "n", "state": "gone"},
        {"name": "n", "state": "absent"},
        {"name": "n", "username": "u"},
        {"name": "n", "count": 1, "flag": True},
        {"name": "n", "entries": [{}]},
        {"name": "n", "nmae": "mistyped"},
        {"name": "n", "entries": [{"key": "hidden-key", "kye": "mistyped"}]},
        {"name": "n", "nmae": "mistyped", "state": "gone"},
        {"nmae": "mistyped"},
    ],
)
def test_messages_are_the_same_in_process_and_as_a_module(as_module: AsModule, parameters: dict[str, Any]) -> None:
    def never(_task: Task) -> None:
        pytest.fail("it ran in spite of bad parameters")

    here, there = run_in_worker(never, **parameters), as_module(never, **parameters)
    assert here["failed"]
    assert here["msg"] == there["msg"]


@pytest.mark.parametrize(
    ("parameters", "place", "key"),
    [
        ({"properties": {True: "x"}}, "properties", "true"),
        ({"items": [{"path": "a"}, {"properties": {"k": {1: "x"}}}]}, "items[1].properties.k", "1"),
        ({"properties": {None: "x"}}, "properties", "null"),
        ({"properties": {datetime.date(2026, 1, 2): "x"}}, "properties", '"2026-01-02"'),
    ],
)
def test_key_is_refused_when_it_is_not_a_string(parameters: dict[str, Any], place: str, key: str) -> None:
    with pytest.raises(BadOption) as error:
        to_json_types(parameters)
    assert str(error.value).startswith(f"Option '{place}': has the key {key}, which is not a string: put it in quotes")


def test_warnings_are_in_the_result() -> None:
    def run(task: Task) -> None:
        task.warn(f"Do not tell {task.params['password']}.")
        task.record_retry("GET http://host/x: 503", 1, 3)
        task.record_retry("GET http://host/x: Connection refused.", 1, 3)
        task.record_retry("GET http://host/x: 503", 1, 3)

    assert run_in_worker(run, name="n", username="u", password="open-sesame")["warnings"] == [
        "Do not tell ********.",
        "3 request(s) were retried: GET http://host/x: 503 (2 times); GET http://host/x: Connection refused.",
    ]


def test_result_has_no_warnings_when_there_are_none() -> None:
    assert "warnings" not in run_in_worker(idle, name="n")


def test_invocation_contains_no_secrets() -> None:
    parameters = {"name": "n", "username": "u", "password": "open-sesame", "entries": [{"key": "hidden-key"}]}
    arguments = run_in_process("sample", SPEC, idle, parameters, include_invocation=True)["invocation"]["module_args"]
    assert arguments["name"] == "n"
    assert arguments["state"] == "present"
    assert arguments["password"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    assert arguments["entries"] == [{"key": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}]


def test_warning_is_short_when_there_are_many_reasons() -> None:
    task = Task({})
    for number in range(1000):
        task.record_retry(f"GET http://host/{number}: 503", 1, 3)
    (warning,) = task.collect_warnings()
    assert warning.startswith("1000 request(s) were retried: GET http://host/0: 503; ")
    assert warning.endswith("; GET http://host/19: 503; others (980 times)")
    assert len(task.retry_reasons) == 21


# The write guard


def test_action_is_refused_in_check_mode() -> None:
    task = Task({}, check_mode=True)
    with pytest.raises(WriteInCheckMode) as error, task.guard_write("POST /x"):
        pytest.fail("it was carried out")
    assert str(error.value) == "POST /x would write in check mode. Please report this defect."
    assert not task.has_written


def test_task_has_written_when_an_action_changes_state() -> None:
    task = Task({})
    with task.guard_action("POST /x"):
        pass
    assert not task.has_written
    with task.guard_write("POST /x"):
        pass
    assert task.has_written


@pytest.mark.parametrize("changes_state", [True, False])
def test_outcome_is_unknown_when_an_action_is_interrupted(changes_state: bool) -> None:
    lines: list[str] = []
    task = Task({}, display_interruption=lines.append)
    with pytest.raises(Interrupted), task.guard_action("PUT /x", changes_state=changes_state):
        raise Interrupted(signal.SIGINT)
    doubt = ["interrupted during this: PUT /x. Whether it had its effect is not known."]
    assert lines == (doubt if changes_state else [])
    assert not task.has_written


def test_interruption_ends_the_task_normally_when_nothing_handles_it(tmp_path: Path) -> None:
    file, before = tmp_path / "kept", signal.getsignal(signal.SIGINT)

    def run(_task: Task) -> None:
        with file.open("w") as stream:
            stream.write("flushed")
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_in_worker(run, name="n")
    assert file.read_text() == "flushed"
    assert signal.getsignal(signal.SIGINT) is before


def test_task_has_not_written_when_the_action_fails() -> None:
    task = Task({})
    with pytest.raises(ToolchainError), task.guard_write("POST /x"):
        raise ToolchainError("It failed.")
    assert not task.has_written


# Outcomes


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("open-sesame", "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"),
        ("say open-sesame, open", "say ********, ********"),
        ({"a": ["open", {"b": "(open)"}]}, {"a": ["VALUE_SPECIFIED_IN_NO_LOG_PARAMETER", {"b": "(********)"}]}),
        ([1, 2.5, True, None], [1, 2.5, True, None]),
    ],
)
def test_longest_secrets_are_masked_first(value: Any, expected: Any) -> None:
    assert mask_secrets(value, {"open", "open-sesame"}) == expected


@pytest.mark.parametrize(
    ("secret", "text", "expected"),
    [
        ("s", "Option 'scope': must be 5 s", "Option 'scope': must be 5 ********"),
        ("secret", "would set the secrets of /x?a=secret", "would set the secrets of /x?a=********"),
        ("p@ss!", "ap@ss!b p@ss!", "ap@ss!b ********"),
        ("!x", "a!x", "a********"),
        ("hunter2", '{"text": "a\\nhunter2"}', '{"text": "a\\n********"}'),
        ("open-sesame", "xopen-sesamex", "x********x"),
    ],
)
def test_short_secret_is_masked_only_as_a_word(secret: str, text: str, expected: str) -> None:
    assert mask_secrets(text, {secret}) == expected


def test_secret_that_equals_an_option_leaves_messages_readable() -> None:
    words = frozenset(["password"])
    assert mask_secrets("check 'password'", {"password"}, words) == "check 'password'"
    assert mask_secrets({"value": "password"}, {"password"}, words) == {"value": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}


def test_failure_keeps_results() -> None:
    task = Task({})
    task.result["items"] = ["one"]
    assert task.build_result("The second one failed.") == {
        "items": ["one"],
        "changed": False,
        "failed": True,
        "msg": "The second one failed.",
    }


def test_failure_reports_a_change_when_something_was_written() -> None:
    task = Task({})
    task.has_written = True
    assert task.build_result("It failed.")["changed"]


def test_difference_is_a_change_and_shown_only_in_diff_mode() -> None:
    plain, with_diff = Task({}), Task({}, diff_mode=True)
    for task in (plain, with_diff):
        task.record_change({"a": 1}, {"a": 2})
    assert plain.build_result() == {"changed": True}
    assert with_diff.build_result() == {"changed": True, "diff": {"before": {"a": 1}, "after": {"a": 2}}}


def test_task_is_unchanged_when_there_is_no_difference() -> None:
    task = Task({})
    task.record_change({"a": 1}, {"a": 1})
    assert task.build_result() == {"changed": False}


def test_change_remains_when_a_later_record_has_none() -> None:
    task = Task({})
    task.record_change({"a": 1}, {"a": 2})
    task.record_change({"b": 1}, {"b": 1})
    assert task.changed


def test_select_provided_omits_null() -> None:
    task = Task({"a": "", "b": [], "c": None, "d": False, "e": 0})
    assert task.select_provided("a", "b", "c", "d", "e") == {"a": "", "b": [], "d": False, "e": 0}
    assert task.select("a", "c") == {"a": "", "c": None}


# Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Set the time to the last item of the list."""
    now = [1000.0]
    monkeypatch.setattr(_task.time, "monotonic", lambda: now[-1])
    return now


def display_at(clock: list[float], state: str | None, seconds: Iterable[float]) -> list[str]:
    """Return the progress lines of these times that are displayed."""
    lines: list[str] = []
    task = Task({}, display=lines.append)
    for second in seconds:
        clock.append(1000 + second)
        task.report_progress(f"at {second:g}", state)
    return lines


def test_new_progress_is_displayed_at_most_once_a_second(clock: list[float]) -> None:
    assert display_at(clock, None, (0, 0.5, 0.99, 1, 1.5, 2)) == ["at 0", "at 1", "at 2"]


def test_unchanged_progress_is_displayed_at_growing_intervals(clock: list[float]) -> None:
    seconds = [0, 1, 3, 8, 18, 38, 68, 128, 188]
    assert display_at(clock, "waiting", range(200)) == [f"at {second}" for second in seconds]


def test_new_progress_is_displayed_at_once_after_a_long_wait(clock: list[float]) -> None:
    lines: list[str] = []
    task = Task({}, display=lines.append)
    for second in range(30):
        clock.append(1000 + second)
        task.report_progress(f"at {second}", "builds run" if second < 20 else "it restarts")
    assert lines == ["at 0", "at 1", "at 3", "at 8", "at 18", "at 20", "at 21", "at 23", "at 28"]


def test_progress_contains_no_secrets(clock: list[float]) -> None:
    lines: list[str] = []
    task = Task({}, display=lines.append)
    task.register_secret("open-sesame")
    task.report_progress("waiting for open-sesame")
    assert lines == ["waiting for ********"]


def test_retry_is_displayed_as_progress(clock: list[float]) -> None:
    lines: list[str] = []
    Task({}, display=lines.append).record_retry("GET http://host/x: no answer.", 1, 3)
    assert lines == ["GET http://host/x: no answer, retry 1 of 3"]


def test_progress_is_ignored_when_nothing_displays_it() -> None:
    Task({}).report_progress("waiting")


def test_empty_secret_masks_nothing() -> None:
    task = Task({})
    assert task.register_secret("") == ""
    assert task.secrets == set()
