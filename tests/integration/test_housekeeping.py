# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `housekeeping`: plan, approve, run, and continue after a failure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.cleanup.world import Artifact, store_artifacts
from support.playbook import play_mistakes, run_ansible
from support.steps import RESET, Step, fault, run_role

OLD = {
    "title": "old releases",
    "repos": ["generic-local"],
    "names": ["app-*.tar.gz"],
    "keep_newest": 1,
    "group_by": "name",
    "group_pattern": "(.*)-[0-9.]+[.]tar[.]gz",
}
HOUSEKEEPING: dict[str, Any] = {
    "artifact_housekeeping_rules": [OLD],
    "artifact_housekeeping_cleanup": {"empty_folders": True, "max_share": 90},
    "artifact_housekeeping_builds": [{"build": "acme/nightly of web", "count": 1}, {"build": "app", "count": 1}],
    "artifact_housekeeping_trash": [{"action": "clean", "repo": "generic-local", "path": "tools"}],
    "artifact_housekeeping_refresh_timeout": 1,
}
PATH = "app/1.0/app-1.0.tar.gz"


pytestmark = pytest.mark.usefixtures("sandbox_environment")


def run_housekeeping(sandbox: Sandbox, folder: Path, *options: str, **variables: Any) -> tuple[str, list[str], bool]:
    """Run the playbook and return its output in one line, the sorted writes, and whether it succeeded."""
    inventory, values = folder / "hosts.ini", folder / "housekeeping.json"
    inventory.write_text("[artifact]\nartifactory\n")
    files = {f"artifact_housekeeping_{name}_file": str(folder / name) for name in ("plan", "summary")}
    values.write_text(json.dumps({**HOUSEKEEPING, **files, **variables}))
    sandbox.clear_journal()
    output, good = run_ansible(
        ["buildworks.toolchain.housekeeping", "-i", inventory, "-e", f"@{values}", *options], sandbox
    )
    written = [entry["label"] for entry in sandbox.journal("artifact") if entry["effect"] == "write"]
    return output, sorted(written), good


def is_there(path: str) -> bool:
    return running.run("artifact_item_info", repo="generic-local", path=path)["item"] is not None


def plan(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "plan").read_text().splitlines()[1:]]


def test_check_mode_only_plans_and_a_run_executes_the_approved_part(sandbox: Sandbox, tmp_path: Path) -> None:
    rules = [OLD, {"title": "readme", "repos": ["generic-local"], "names": ["README.txt"], "larger_than": 1}]
    tags = ("--tags", "cleanup,builds,trash")
    output, written, well = run_housekeeping(sandbox, tmp_path, "--check", *tags, artifact_housekeeping_rules=rules)
    assert well, output
    assert not written
    assert [(line["kind"], line["path"]) for line in plan(tmp_path)] == [
        *[("file", PATH), ("file", "app/README.txt"), ("folder", "app/1.0")]
    ]
    assert not (tmp_path / "summary").exists()
    assert '"artifacts": "2 to be deleted, ' in output
    assert '"runs": "2 to be discarded"' in output
    assert '"trash": "1 to be changed"' in output
    approved = tmp_path / "approved"
    head, *lines = (tmp_path / "plan").read_text().splitlines(keepends=True)
    approved.write_text("".join([head, *(line for line in lines if "README" not in line)]))
    output, written, well = run_housekeeping(
        sandbox, tmp_path, "--tags", "cleanup", artifact_housekeeping_from_plan=str(approved)
    )
    assert well, output
    assert written == ["delete_item", "delete_item"]
    assert not is_there(PATH)
    assert is_there("app/README.txt")


def test_runs_that_fail_end_incomplete_or_have_nothing_to_do(sandbox: Sandbox, tmp_path: Path) -> None:
    every_file = {"repos": ["generic-local"], "names": ["*"], "larger_than": 1}
    refused = {**HOUSEKEEPING, "artifact_housekeeping_rules": [every_file]}
    refused["artifact_housekeeping_cleanup"] = {"workers": 1}
    nothing = {name: [] for name, value in HOUSEKEEPING.items() if isinstance(value, list)}
    nothing["artifact_housekeeping_measure"] = False
    no_right = {"service": "artifact", "kind": "status", "status": 403, "body": "no right"}
    not_counted = fault(service="artifact", kind="status", status=202, label="calculate_storage_summary", nth=2)
    files = [tmp_path / name for name in ("counted", "uncounted")]
    counted, uncounted = ({**HOUSEKEEPING, "artifact_housekeeping_summary_file": str(file)} for file in files)
    stopped, continued, repeated, _uncounted, refused_item, empty = run_role(
        sandbox,
        "artifact_housekeeping",
        [
            Step(counted, [fault(label="retain_builds", **no_right)]),
            Step(counted),
            Step(counted),
            Step(uncounted, [RESET, not_counted]),
            Step(refused, [RESET, fault(label="delete_item", nth=2, **no_right)]),
            Step(nothing),
        ],
        tmp_path,
    )
    assert "'Discard old builds' failed: 1 of 2 items failed." in stopped.failure
    assert "403 no right" in stopped.failure
    assert "Done so far: 1 artifacts deleted. Run the role again to continue." in stopped.failure
    assert not continued.failure
    assert sorted(continued.writes) == ["clean_trash", "retain_builds"]
    assert (repeated.failure, repeated.writes, repeated.changed) == ("", [], 0)
    summary = json.loads(files[0].read_text())
    assert summary["trash"][0]["status"] == "changed"  # not replaced by the run that changed nothing
    summary = json.loads(files[1].read_text())
    assert [(row["repo"], row["after"]) for row in summary["repositories"]] == [("generic-local", None)]
    assert summary["total"]["after"] is None
    assert "'Delete old artifacts' failed: 1 of 3 items failed." in refused_item.failure
    assert "Done so far: 2 artifacts deleted." in refused_item.failure
    assert not empty.failure
    assert not empty.requests
    assert '"repositories": []' in empty.output


def test_the_summary_lists_the_tags_that_are_not_safe_to_delete(sandbox: Sandbox, tmp_path: Path) -> None:
    paths = ("team/web/manifest.json", "team/web/1.0/manifest.json")
    store_artifacts(sandbox, [Artifact("docker-local", path, 90, 90) for path in paths], [])
    rules = [{"title": "web", "repos": ["docker-local"], "paths": ["team"], "older_than": "30d"}]
    output, _written, well = run_housekeeping(
        sandbox, tmp_path, "--check", "--tags", "cleanup", artifact_housekeeping_rules=rules
    )
    assert well, output
    reason = "its folder contains '1.0', which is not part of the tag"
    assert re.search(rf'"unsafe": {{ "first": \[ .*"path": "team/web", "reason": "{reason}"', output), output


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"artifact_housekeeping_cleanup": {"max_items": 0}},
        "The plan has 1 items, more than 'max_items' allows (0).",
    ),
    (
        {
            "artifact_housekeeping_rules": [{"repos": ["*-local"], "names": ["app-*"], "larger_than": 1}],
            "artifact_housekeeping_cleanup": {"max_share": 50},
        },
        "The plan has 70 % of 'generic-local' and 100 % of 'libs-release-local', more than 'max_share' allows",
    ),
    ({"artifact_housekeeping_rules": [{**OLD, "older": "30d"}]}, "older. Supported parameters include"),
    ({"artifact_housekeeping_rules": [{**OLD, "older_than": "30 moons"}]}, "Option 'rules[0].older_than'"),
    (
        {"artifact_housekeeping_rules": [{**OLD, "repos": ["generic-locl"]}]},
        "the repository 'generic-locl' does not exist",
    ),
    ({"artifact_housekeeping_rules": [{**OLD, "older_than": "{{ retention_age }}"}]}, "'retention_age' is undefined"),
    ({"artifact_housekeeping_rules": None}, "argument 'artifact_housekeeping_rules' is of type"),
    ({"artifact_housekeeping_builds": [{"count": 1}]}, "missing required arguments: build"),
    ({"artifact_housekeeping_from_plan": ""}, "Option 'from_plan': must not be empty"),
    ({"artifact_housekeeping_from_plan": "nowhere"}, "Option 'from_plan': 'nowhere' cannot be read"),
]


def test_role_fails_before_any_deletion_when_a_variable_is_wrong(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [{**HOUSEKEEPING, **variables} for variables, _problem in MISTAKES]
    playbook = "buildworks.toolchain.housekeeping"
    messages = play_mistakes(playbook, "artifact", mistakes, tmp_path, sandbox=sandbox)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
        assert "Done so far" not in message
    assert {entry["effect"] for entry in sandbox.journal("artifact")} == {"read"}


def test_summary_is_written_when_something_was_deleted(sandbox: Sandbox, tmp_path: Path) -> None:
    output, written, well = run_housekeeping(sandbox, tmp_path, "--tags", "builds,cleanup")
    assert well, output
    assert written == ["delete_item", "delete_item", "retain_builds"]
    assert '"artifacts": "1 deleted, 17 bytes"' in output
    summary = json.loads((tmp_path / "summary").read_text())
    (row,) = summary["repositories"]
    assert row["repo"] == "generic-local"
    assert row["before"] - row["after"] == summary["total"]["before"] - summary["total"]["after"] == 17
    assert summary["cleanup"]["deleted"]["items"] == 1
    assert [run["number"] for run in summary["builds"][0]["discarded"]] == ["3", "1"]
