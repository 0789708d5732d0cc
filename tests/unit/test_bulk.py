# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many items in one task: the outcome of each, and the result of the task."""

from __future__ import annotations

import json
import signal
import stat
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _bulk
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import (
    Act,
    ItemSkipped,
    SharedValues,
    process_items,
    read_concurrently,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import Interrupted
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import has_grown
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

DEFAULTS = {
    "workers": 4,
    "on_error": "fail",
    "max_failures": None,
    "result_limit": 10,
    "to_file": None,
    "colour": "red",
}


def run_bulk(
    items: Any,
    process_item: Act,
    *,
    display: Callable[[str], None] | None = None,
    display_interruption: Callable[[str], None] | None = None,
    check_mode: bool = False,
    diff_mode: bool = False,
    **more: Any,
) -> tuple[Task, str | None]:
    """Return the task after its items, and the message of its failure."""
    task = Task(
        {**DEFAULTS, **more},
        check_mode=check_mode,
        diff_mode=diff_mode,
        display=display,
        display_interruption=display_interruption,
    )
    task.register_secret("open-sesame")
    try:
        process_items(task, items, process_item)
    except ToolchainError as error:
        return task, str(error)
    return task, None


def process_item(task: Task) -> None:
    """Process an item as its kind requests."""
    kind = task.params.get("kind")
    task.result["echo"] = [task.params["n"], task.params["colour"]]
    if kind == "change":
        task.record_change({"n": 0}, {"n": task.params["n"] + 1})
        task.has_written = not task.check_mode
    elif kind == "half":
        task.has_written = True
        raise ToolchainError("Half of it failed.")
    elif kind == "fail":
        raise ToolchainError(f"It failed with open-sesame for {task.params['n']}.")
    elif kind == "lose":
        raise OutcomeUnknown("The reply was lost.")


def items(*kinds: str) -> list[dict[str, Any]]:
    return [{"n": number, "kind": kind} for number, kind in enumerate(kinds)]


def counts(task: Task) -> dict[str, int]:
    return {status: count for status, count in task.result["counts"].items() if count}


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


# Outcomes


def test_each_item_has_one_outcome() -> None:
    task, failure = run_bulk(items("change", "ok", "half", "lose", "change"), process_item)
    assert task.result["counts"] == {"changed": 2, "ok": 1, "failed": 1, "unknown": 1, "skipped": 0}
    assert [one["status"] for one in task.result["outcomes"]] == ["failed", "unknown", "changed", "changed", "ok"]
    assert [one["index"] for one in task.result["failures"]] == [2, 3]
    assert task.result["failures"][0] == {
        "index": 2,
        "item": {"n": 2, "kind": "half"},
        "status": "failed",
        "changed": True,
        "reason": "Half of it failed.",
        "echo": [2, "red"],
    }
    assert failure == (
        "2 of 5 items failed (1 of them with unknown effect). The first failure is items[2]: Half of it failed."
    )
    assert task.changed


def test_messages_and_diffs_name_the_item_if_it_has_a_name() -> None:
    task = Task(DEFAULTS, check_mode=False, diff_mode=True)
    with pytest.raises(ToolchainError) as failure:
        process_items(task, items("change", "half", "half"), process_item, "kind")
    assert "The first failure is items[1] (half): Half of it failed." in str(failure.value)
    assert [diff["before_header"] for diff in task.result["diff"]] == ["items[0] (change)"]


def test_options_of_an_item_have_precedence() -> None:
    task, _failure = run_bulk([{"n": 1, "colour": "blue"}, {"n": 2, "colour": None}], process_item)
    assert [one["echo"] for one in task.result["outcomes"]] == [[1, "blue"], [2, "red"]]


def test_task_succeeds_when_there_are_no_items() -> None:
    task, failure = run_bulk([], process_item)
    assert failure is None
    assert not task.changed
    assert counts(task) == {}
    assert task.result["outcomes"] == []


def test_task_is_unchanged_when_all_items_are() -> None:
    task, failure = run_bulk(items("ok", "ok"), process_item)
    assert failure is None
    assert not task.changed


def test_task_succeeds_when_failures_are_only_reported() -> None:
    task, failure = run_bulk(items("fail", "change"), process_item, on_error="report")
    assert failure is None
    assert counts(task) == {"changed": 1, "failed": 1}


def test_check_mode_predicts_each_item() -> None:
    task, failure = run_bulk(items("change", "ok"), process_item, check_mode=True)
    assert failure is None
    assert task.changed
    assert counts(task) == {"changed": 1, "ok": 1}


@pytest.mark.parametrize("on_error", ["fail", "report"])
def test_task_ends_when_too_many_items_fail(on_error: str) -> None:
    kinds = items("ok", "fail", "fail", "change", "change")
    task, failure = run_bulk(kinds, process_item, max_failures=2, workers=1, on_error=on_error)
    assert counts(task) == {"ok": 1, "failed": 2, "skipped": 2}
    assert task.result["outcomes"][4]["reason"] == "2 item(s) had failed"
    assert failure is not None
    assert failure.startswith("2 of 5 items failed, 2 were skipped. The first failure is items[1]: It failed with")


def test_exception_is_a_failure_of_its_item() -> None:
    def defective(task: Task) -> None:
        raise KeyError("name")

    task, failure = run_bulk(items("ok", "ok"), defective)
    assert counts(task) == {"failed": 2}
    assert failure is not None
    assert "KeyError in test_bulk.py" in failure


def test_exception_in_the_item_list_ends_the_task() -> None:
    def reading() -> Iterator[dict[str, Any]]:
        yield {"n": 1}
        raise KeyError("name")

    with pytest.raises(KeyError, match="name"):
        run_bulk(reading(), process_item)


def test_refused_credential_is_reported_for_the_task() -> None:
    def refused(_task: Task) -> None:
        raise ServerRefusal("GET /x: 401 no", 401, "", "token")

    task, _failure = run_bulk(items("ok"), refused)
    assert task.result["refused_credential"] == "token"
    assert "refused_credential" not in task.result["outcomes"][0]
    task, _failure = run_bulk(items("ok"), refused, on_error="report")
    assert "refused_credential" not in task.result


def refuse_credential(_task: Task) -> None:
    raise ServerRefusal("GET http://host/x: 401 no", 401, "", "token")


@pytest.mark.parametrize("on_error", ["fail", "report"])
@pytest.mark.parametrize("make", [list, iter])
def test_remaining_items_are_skipped_when_the_credential_is_refused(make: Callable[[Any], Any], on_error: str) -> None:
    task, failure = run_bulk(make(items(*["ok"] * 10)), refuse_credential, workers=1, on_error=on_error)
    assert task.result["counts"]["failed"] == 1
    assert task.result["counts"]["skipped"] == (9 if make is list else 0)
    assert failure is not None
    assert "items[0]: GET http://host/x: 401 no." in failure


def test_equal_failures_are_counted_in_the_message() -> None:
    def fail(task: Task) -> None:
        kind = "Full" if task.params["n"] < 3 else "Wrong" if task.params["n"] < 5 else "Odd"
        raise ToolchainError(f"PUT http://host/{task.params['n']}: {kind} (request {task.params['n']:x}1).")

    _task, failure = run_bulk(items(*["ok"] * 6), fail)
    assert failure == (
        "6 of 6 items failed. The first failure is items[0]: PUT http://host/0: Full (request 01). 2 more failed in "
        "the same way. 2 failed as items[3]: PUT http://host/3: Wrong (request 31)."
    )


def test_item_is_skipped_when_the_function_requests_it() -> None:
    def give_up(task: Task) -> None:
        raise ItemSkipped(f"not tried, like {task.params['n']}")

    task, failure = run_bulk(items("ok", "ok"), give_up)
    assert failure is None
    assert counts(task) == {"skipped": 2}
    assert [one["reason"] for one in task.result["outcomes"]] == ["not tried, like 0", "not tried, like 1"]


def test_retries_and_warnings_of_items_are_reported_once() -> None:
    def shaky(task: Task) -> None:
        task.record_retry("GET http://host/x: 503", 1, 3)
        task.warn("It is old.")

    task, _failure = run_bulk(items("ok", "ok", "ok"), shaky)
    assert task.collect_warnings() == [
        "It is old. (3 times)",
        "3 request(s) were retried: GET http://host/x: 503 (3 times)",
    ]


# Results


def test_result_has_the_most_relevant_outcomes_and_all_diffs() -> None:
    kinds = ["ok", *["change"] * 20]
    kinds[15] = "fail"
    task, _failure = run_bulk(items(*kinds), process_item, result_limit=3, diff_mode=True)
    assert [one["index"] for one in task.result["outcomes"]] == [15, 1, 2]
    assert task.result["hidden"] == {"changes": 17, "unchanged": 1}
    assert [one["index"] for one in task.result["failures"]] == [15]
    assert [diff["before_header"] for diff in task.result["diff"]] == [
        f"items[{n}]" for n in range(21) if kinds[n] == "change"
    ]


def record_effect(task: Task) -> None:
    before = {"state": "present", "members": ["ann"]}
    effects = {
        "delete": {"state": "absent"},
        "open": {"state": "present", "members": ["ann", "bob"]},
        "close": {"state": "present", "members": []},
        "ok": before,
    }
    after = effects[task.params["kind"]]
    task.record_change(before, after, opens_access=has_grown(before, after))


def test_deletions_and_openings_are_shown_before_other_changes() -> None:
    kinds = ["ok", "close", "open", "close", "delete"]
    task, _failure = run_bulk(items(*kinds), record_effect, result_limit=3, diff_mode=True)
    assert [one["item"]["kind"] for one in task.result["outcomes"]] == ["delete", "open", "close"]
    assert task.result["hidden"] == {"changes": 1, "unchanged": 1}
    assert [diff["before_header"] for diff in task.result["diff"]] == ["items[4]", "items[2]", "items[1]", "items[3]"]


def test_last_diff_counts_the_hidden_ones_when_many_items_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bulk, "_MAX_DIFFS", 2)
    task, _failure = run_bulk(items("close", "open", "close", "delete"), record_effect, diff_mode=True)
    shown, hidden = task.result["diff"][:-1], task.result["diff"][-1]
    assert [diff["before_header"] for diff in shown] == ["items[3]", "items[1]"]
    assert hidden == {"prepared": "The diffs of further items are not shown: 2 changes.\n"}


def test_all_outcomes_are_written_to_a_private_file_without_secrets(tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    file.write_text("old")
    file.chmod(0o644)
    run_bulk(items("change", "fail", "ok"), process_item, result_limit=0, to_file=str(file))
    reasons = {line["index"]: line["reason"] for line in read_lines(file)}
    assert reasons == {0: None, 1: "It failed with ******** for 1.", 2: None}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_no_file_is_written_in_check_mode(tmp_path: Path) -> None:
    _task, failure = run_bulk(items("change"), process_item, check_mode=True, to_file=str(tmp_path / "all.jsonl"))
    assert failure is None
    assert list(tmp_path.iterdir()) == []


def test_unwritable_file_is_reported_before_the_first_item(tmp_path: Path) -> None:
    def never(_task: Task) -> None:
        pytest.fail("it began")

    _task, failure = run_bulk(items("ok"), never, to_file=str(tmp_path / "none" / "all.jsonl"))
    assert failure is not None
    assert failure.startswith("Option 'to_file': ")


def test_task_fails_when_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fchmod", lambda _handle, _mode: None)
    monkeypatch.setattr(_bulk, "check_writable", lambda _task, _path, _option: None)
    _task, failure = run_bulk(({"n": number} for number in range(10000)), process_item, to_file="/dev/full")
    assert failure == "Cannot write '/dev/full': No space left on device."


def test_memory_is_constant_when_there_are_many_items(tmp_path: Path) -> None:
    def peak(number: int) -> int:
        tracemalloc.start()
        run_bulk(({"n": index} for index in range(number)), process_item, to_file=str(tmp_path / "all.jsonl"))
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    peak(100)
    assert peak(10000) < 2 * peak(500)


class ProgressLines:
    """Progress lines, and an event for the first of them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.first = threading.Event()

    def __call__(self, line: str) -> None:
        self.lines.append(line)
        self.first.set()


def test_progress_shows_count_and_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    progress = ProgressLines()
    monkeypatch.setattr(_bulk.time, "monotonic", lambda: now[0])

    def slow(task: Task) -> None:
        if task.params["n"] == 1200:
            progress.first.wait(60)
        now[0] += 2
        process_item(task)

    # no progress before the last item waits for it
    monkeypatch.setattr(
        Task, "report_progress", lambda task, text, _state: task.display(text) if text.startswith("1,200") else None
    )
    run_bulk(items(*["fail"] * 3, *["ok"] * 1237), slow, display=progress, workers=1)
    assert progress.lines[0] == "1,200 of 1,240 done, 3 failed, 80 s left"


# Concurrency


def test_items_are_processed_in_parallel_by_the_workers() -> None:
    together = threading.Barrier(3)

    def meet(_task: Task) -> None:
        together.wait(60)

    task, failure = run_bulk(items("ok", "ok", "ok"), meet, workers=3)
    assert failure is None
    assert counts(task) == {"ok": 3}


def test_items_are_read_lazily() -> None:
    ahead = []
    done = 0

    def reading() -> Iterator[dict[str, Any]]:
        for number in range(100):
            ahead.append(number - done)
            yield {"n": number}

    def count(_task: Task) -> None:
        nonlocal done
        done += 1

    run_bulk(reading(), count, workers=1)
    assert max(ahead) == 0


def test_task_fails_when_reading_the_items_fails() -> None:
    def reading() -> Iterator[dict[str, Any]]:
        yield {"n": 1}
        raise ToolchainError("The list broke off.")

    task, failure = run_bulk(reading(), process_item, workers=1)
    assert failure == "The list broke off."
    assert counts(task) == {"ok": 1}


# Interruption


@pytest.fixture
def raise_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate Ctrl-C at the first progress report."""

    def progress(_task: Task, _text: str, _state: str) -> None:
        raise Interrupted(signal.SIGINT)

    monkeypatch.setattr(Task, "report_progress", progress)


@pytest.mark.usefixtures("raise_interrupt")
def test_secret_with_several_lines_is_masked_when_the_task_is_interrupted() -> None:
    progress = ProgressLines()

    def waits(task: Task) -> None:
        task.register_secret("first\nsecond")
        progress.first.wait(60)

    with pytest.raises(Interrupted):
        run_bulk([{"n": 0, "kind": "first\nsecond"}], waits, display_interruption=progress, workers=1)
    assert progress.lines[0].endswith('unfinished: {"n": 0, "kind": "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"}')


@pytest.mark.usefixtures("raise_interrupt")
def test_running_items_are_completed_when_the_task_is_interrupted(tmp_path: Path) -> None:
    progress, file = ProgressLines(), tmp_path / "all.jsonl"

    def waits(task: Task) -> None:
        progress.first.wait(60)
        process_item(task)

    with pytest.raises(Interrupted):
        run_bulk(items("change", "ok", "ok"), waits, display_interruption=progress, workers=1, to_file=str(file))
    assert progress.lines[0] == 'interrupted: 0 of 3 done; unfinished: {"n": 0, "kind": "change"}'
    assert progress.lines[1].startswith("interrupted: 1 of 3 done")
    assert progress.lines[1].endswith("; unknown effect: none")
    assert [line["status"] for line in read_lines(file)] == ["changed", "skipped", "skipped"]


@pytest.mark.usefixtures("raise_interrupt")
def test_outcome_of_an_item_is_unknown_when_it_does_not_complete(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_bulk, "SECONDS_TO_CLEAN_UP", 0.1)
    progress, file, gate = ProgressLines(), tmp_path / "all.jsonl", threading.Event()

    def waits(_task: Task) -> None:
        gate.wait(60)

    with pytest.raises(Interrupted):
        run_bulk(items("change", "ok"), waits, display_interruption=progress, workers=1, to_file=str(file))
    gate.set()
    assert progress.lines[-1].endswith('; unknown effect: {"n": 0, "kind": "change"}')
    assert [line["status"] for line in read_lines(file)] == ["unknown", "skipped"]
    assert read_lines(file)[0]["reason"] == "interrupted before it was finished"


def test_objects_are_read_concurrently() -> None:
    together = threading.Barrier(3, timeout=10)

    def read(task: Task, key: str) -> str | None:
        together.wait()
        task.retry_reasons.add("late")
        return None if key == "missing" else key.upper()

    task = Task({"workers": 3})
    assert read_concurrently(task, ["b", "missing", "a"], read) == {"b": "B", "a": "A"}
    assert task.retry_reasons == {"late": 3}


@pytest.mark.parametrize("failure", [ToolchainError("refused"), KeyError("a defect")])
def test_no_more_objects_are_read_after_a_failure(failure: Exception) -> None:
    read_keys: list[str] = []

    def read(_task: Task, key: str) -> str:
        read_keys.append(key)
        if key == "b":
            raise failure
        return key

    with pytest.raises(type(failure)):
        read_concurrently(Task({"workers": 1}), "abcd", read)
    assert read_keys == ["a", "b"]


@pytest.mark.parametrize("workers", [1, 4])
def test_items_start_after_those_of_lower_levels(workers: int) -> None:
    started, ended = [], []
    items = [{"n": number, "level": level} for number, level in enumerate((2, 0, 1, 0, 2, 1))]

    def act(task: Task) -> None:
        started.append((task.params["level"], len(ended)))
        threading.Event().wait(0.01)
        ended.append(task.params["level"])

    task = Task({**DEFAULTS, "workers": workers}, check_mode=False, diff_mode=False)
    process_items(task, items, act, level_of=lambda item: item["level"])
    assert ended == sorted(ended)
    assert all(count >= 2 * level for level, count in started)
    assert [outcome["index"] for outcome in task.result["outcomes"]] == [0, 1, 2, 3, 4, 5]


def test_items_of_higher_levels_are_skipped_after_a_stop() -> None:
    items = [{"n": 0, "level": 1}, {"n": 1, "level": 0, "kind": "fail"}, {"n": 2, "level": 1}]
    task = Task({**DEFAULTS, "max_failures": 1}, check_mode=False, diff_mode=False)
    with pytest.raises(ToolchainError, match="2 were skipped"):
        process_items(task, items, process_item, level_of=lambda item: item["level"])
    assert [outcome["status"] for outcome in task.result["outcomes"]] == ["failed", "skipped", "skipped"]


def test_different_shared_values_are_created_concurrently() -> None:
    shared, both_started, names = SharedValues(), threading.Barrier(2, timeout=10), ["a", "b"]

    def create(name: str) -> str:
        both_started.wait()
        return name

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda name: shared.get(name, lambda: create(name)), names)) == names


def test_shared_value_is_created_once() -> None:
    shared, created = SharedValues(), []

    def create() -> int:
        created.append(1)
        time.sleep(0.05)
        return len(created)

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda _number: shared.get("a", create), range(4))] == [1, 1, 1, 1]
