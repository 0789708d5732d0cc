# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many items in one task, run by ansible-playbook."""

from __future__ import annotations

import collections
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import (
    Run,
    environment,
    interrupt_playbook,
    run_tasks,
)

PATHS = [f"many/{number:03}.txt" for number in range(60)]
SET = {
    "repo": "generic-local",
    "properties": {"qa": "passed"},
    "items": [{"path": path} for path in PATHS],
    "result_limit": 3,
}
NIGHTLY = "acme/nightly of web"
STEPS = {
    "check": {"check_mode": True},
    "set": {},
    "again": {},
}

OPERATIONS: dict[str, dict[str, Any]] = {
    "artifact_build_promotion": {"status": "tested", "number": "2", "items": [{"build": "app"}, {"build": NIGHTLY}]},
    "artifact_build_retention": {"count": 1, "items": [{"build": "app"}, {"build": NIGHTLY, "keep": ["3"]}]},
    "artifact_image_promotion": {
        "repo": "docker-local",
        "target_repo": "docker-release-local",
        "items": [{"image": "acme/web", "tag": "1.0.0", "copy": True}, {"image": "acme/worker"}],
    },
    "artifact_trash": {
        "action": "clean",
        "repo": "generic-local",
        "items": [{"path": "tools/0.9"}, {"path": "tools/0.8"}],
    },
}


def task(name: str, options: dict[str, Any], module: str = "artifact_properties", **keywords: Any) -> dict[str, Any]:
    return {"name": name, f"buildworks.toolchain.{module}": options, **keywords}


@pytest.fixture(scope="module")
def run(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run all tasks with one start of ansible-playbook."""
    running_sandbox.reset()
    seed_files(running_sandbox)
    file = tmp_path_factory.mktemp("bulk") / "all.jsonl"
    tasks = [task(name, SET, **keywords) for name, keywords in STEPS.items()]
    tasks.append(task("query", {**SET, "to_file": str(file), "properties": "{{ omit }}"}, "artifact_properties_info"))
    broken = [{"path": "many/000.txt"}, {"path": "many/none.txt"}]
    tasks.append(task("one fails", {**SET, "items": broken}))
    tasks.append(task("one fails as a module", {**SET, "items": broken}, vars={"toolchain_in_process": False}))
    tasks.append(task("one fails, reported", {**SET, "items": broken, "on_error": "report"}))
    for module, options in OPERATIONS.items():
        tasks += [task(f"{module}: {name}", options, module, **keywords) for name, keywords in STEPS.items()]
    done = run_tasks(running_sandbox, tasks, "--diff", name="bulk")
    done.of("query").result["lines"] = [json.loads(line) for line in file.read_text().splitlines()]
    return done


def seed_files(sandbox: Sandbox) -> None:
    files = dict.fromkeys(PATHS, "content")
    sandbox.seed({"artifact": {"repositories": [{"key": "generic-local", "rclass": "local", "files": files}]}})


def test_second_run_only_reads(run: Run) -> None:
    check, done, again = (run.of(name) for name in STEPS)
    for step in (check, done, again):
        assert step.status == "ok", step.result
    assert check.result["changed"]
    assert not check.writes
    assert done.result["counts"] == check.result["counts"]
    assert done.result["counts"]["changed"] == len(done.writes) == 60
    assert done.result["diff"] == check.result["diff"]
    assert [diff["before_header"] for diff in done.result["diff"]] == [f"items[{number}]" for number in range(60)]
    assert not again.result["changed"]
    assert not again.writes
    assert len(again.reads) == 60


def test_file_has_all_outcomes_and_result_has_the_first(run: Run) -> None:
    query = run.of("query").result
    assert [outcome["item"]["path"] for outcome in query["outcomes"]] == PATHS[:3]
    assert {line["item"]["path"]: line["properties"] for line in query["lines"]} == {
        path: {"qa": ["passed"]} for path in PATHS
    }


def test_task_fails_when_an_item_fails_unless_errors_are_reported(run: Run) -> None:
    failed, reported = run.of("one fails"), run.of("one fails, reported")
    assert failed.status == "failed"
    assert failed.result["counts"] == reported.result["counts"]
    assert failed.result["counts"]["ok"] == failed.result["counts"]["failed"] == 1
    assert failed.result["msg"].startswith(
        "1 of 2 items failed. The first failure is items[1]: Item 'many/none.txt' does not exist"
    )
    assert reported.status == "ok"
    assert reported.result["failures"][0]["item"] == {"path": "many/none.txt"}


def test_result_is_the_same_in_process_and_as_a_module(run: Run) -> None:
    in_process, as_module = run.of("one fails"), run.of("one fails as a module")
    assert as_module.status == "failed"
    assert in_process.result["outcomes"] == as_module.result["outcomes"]
    assert in_process.result["failures"] == as_module.result["failures"]
    assert in_process.result["counts"] == as_module.result["counts"]
    assert in_process.result["msg"] == as_module.result["msg"]


def test_bulk_tasks_print_no_warnings(run: Run) -> None:
    assert "[WARNING]" not in run.output


@pytest.mark.parametrize("module", OPERATIONS)
def test_operations_on_items_are_predicted_and_executed_once(module: str, run: Run) -> None:
    check, done, again = (run.of(f"{module}: {name}") for name in STEPS)
    for step in (check, done, again):
        assert step.status == "ok", step.result
    assert not check.writes
    plans = [[outcome["plan"] for outcome in step.result["outcomes"]] for step in (check, done)]
    assert plans[0] == plans[1]
    assert check.result["counts"] == done.result["counts"]
    assert done.result["counts"]["changed"] == len(done.writes) > 0
    assert again.result["counts"]["ok"] == 2
    assert not again.writes


def list_writes(sandbox: Sandbox) -> list[dict[str, Any]]:
    """Return the completed requests that set properties."""
    return [entry for entry in sandbox.journal("artifact") if entry["label"] == "patch_metadata"]


def test_unfinished_items_are_listed_when_the_task_is_interrupted(sandbox: Sandbox, tmp_path: Path) -> None:
    seed_files(sandbox)
    sandbox.fault(service="artifact", kind="latency", seconds=3.0, times=0, label="patch_metadata")
    playbook, file = tmp_path / "play.yml", tmp_path / "all.jsonl"
    tasks = [task("set", {**SET, "to_file": str(file)})]
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]))
    sandbox.clear_journal()
    output = interrupt_playbook([playbook], environment(sandbox), lambda: len(list_writes(sandbox)) > 0)
    lines = [line for line in output.splitlines() if "interrupted: " in line]
    assert lines[0].startswith("localhost: artifact_properties: interrupted: "), output
    assert '; unfinished: {"path": "many/0' in lines[0]
    assert lines[1].endswith("; unknown effect: none"), output
    counts = collections.Counter(json.loads(line)["status"] for line in file.read_text().splitlines())
    done = len(list_writes(sandbox))
    assert counts == {"changed": done, "skipped": len(PATHS) - done}
    assert 0 < done < len(PATHS)
