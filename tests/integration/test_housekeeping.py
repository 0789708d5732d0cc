# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `housekeeping`: planned, approved, done once, also after a failure in the middle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.playbook import play_mistakes, played

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
WRITES = ["delete_item", "delete_item", "clean_trash", "retain_builds"]
PATH = "app/1.0/app-1.0.tar.gz"


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


def keep_house(sandbox: Sandbox, folder: Path, *options: str, **variables: Any) -> tuple[str, list[str], bool]:
    """The output in one line, the writes, sorted, and whether all went well."""
    inventory, values = folder / "hosts.ini", folder / "housekeeping.json"
    inventory.write_text("[artifact]\nartifactory\n")
    files = {f"artifact_housekeeping_{name}_file": str(folder / name) for name in ("plan", "summary")}
    values.write_text(json.dumps({**HOUSEKEEPING, **files, **variables}))
    sandbox.clear_journal()
    output, good = played(["buildworks.toolchain.housekeeping", "-i", inventory, "-e", f"@{values}", *options], sandbox)
    written = [entry["label"] for entry in sandbox.journal("artifact") if entry["effect"] == "write"]
    return output, sorted(written), good


def is_there(path: str) -> bool:
    return running.run("artifact_item_info", repo="generic-local", path=path)["item"] is not None


def plan(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "plan").read_text().splitlines()[1:]]


def test_check_mode_only_plans(sandbox: Sandbox, tmp_path: Path) -> None:
    output, written, well = keep_house(sandbox, tmp_path, "--check")
    assert well, output
    assert not written
    assert [(line["kind"], line["path"]) for line in plan(tmp_path)] == [("file", PATH), ("folder", "app/1.0")]
    assert not (tmp_path / "summary").exists()
    assert '"artifacts": "1 to be deleted, 17 bytes"' in output
    assert '"runs": "2 to be discarded"' in output
    assert '"trash": "1 to be changed"' in output


@pytest.mark.ansible_core
def test_it_is_done_once_and_summed_up(sandbox: Sandbox, tmp_path: Path) -> None:
    output, written, well = keep_house(sandbox, tmp_path)
    assert well, output
    assert written == sorted(WRITES)
    assert '"artifacts": "1 deleted, 17 bytes"' in output
    summary = json.loads((tmp_path / "summary").read_text())
    (row,) = summary["repositories"]
    assert row["repo"] == "generic-local"
    assert row["before"] - row["after"] == summary["total"]["before"] - summary["total"]["after"] == 17
    assert summary["cleanup"]["deleted"]["items"] == 1
    assert [run["number"] for run in summary["builds"][0]["discarded"]] == ["3", "1"]
    assert summary["trash"][0]["status"] == "changed"
    output, written, well = keep_house(sandbox, tmp_path)
    assert well, output
    assert not written
    assert "changed=0" in output
    assert json.loads((tmp_path / "summary").read_text()) == summary


def test_what_the_server_did_not_count_again_is_not_told(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.fault(service="artifact", kind="status", status=202, label="calculate_storage_summary", nth=2)
    output, _written, well = keep_house(sandbox, tmp_path)
    assert well, output
    summary = json.loads((tmp_path / "summary").read_text())
    assert [(row["repo"], row["after"]) for row in summary["repositories"]] == [("generic-local", None)]
    assert summary["total"]["after"] is None


def test_what_was_approved_is_done_and_no_more(sandbox: Sandbox, tmp_path: Path) -> None:
    more = {**OLD, "title": "readme", "names": ["README.txt"], "keep_newest": None, "larger_than": 1}
    more = {name: value for name, value in more.items() if value and not name.startswith("group")}
    rules = {"artifact_housekeeping_rules": [OLD, more], "artifact_housekeeping_builds": []}
    _output, _written, well = keep_house(sandbox, tmp_path, "--check", **rules)
    assert well
    assert {line["path"] for line in plan(tmp_path)} == {PATH, "app/1.0", "app/README.txt"}
    approved = tmp_path / "approved"
    lines = (tmp_path / "plan").read_text().splitlines(keepends=True)
    approved.write_text("".join(line for line in lines if "README" not in line))
    output, written, well = keep_house(
        sandbox, tmp_path, "--tags", "cleanup", artifact_housekeeping_from_plan=str(approved), **rules
    )
    assert well, output
    assert written == ["delete_item", "delete_item"]
    assert not is_there(PATH)
    assert is_there("app/README.txt")


def test_a_failure_in_the_middle_says_what_is_done_and_another_run_goes_on(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.fault(service="artifact", kind="status", status=403, label="retain_builds", body="no right")
    output, _written, well = keep_house(sandbox, tmp_path)
    assert not well
    assert "'Discard old runs of builds' failed: 1 of 2 items failed." in output
    assert "403 no right" in output
    assert "Done so far: 1 artifacts deleted. Run the role again to go on from there." in output
    output, written, well = keep_house(sandbox, tmp_path)
    assert well, output
    assert written == ["clean_trash", "retain_builds"]


def test_an_artifact_that_cannot_be_deleted_is_told_and_what_went_too(sandbox: Sandbox, tmp_path: Path) -> None:
    both = {**OLD, "keep_newest": None, "larger_than": 1, "names": ["*"]}
    rules = [{name: value for name, value in both.items() if value and not name.startswith("group")}]
    sandbox.fault(service="artifact", kind="status", status=403, label="delete_item", nth=2, body="no right")
    output, _written, well = keep_house(
        sandbox, tmp_path, artifact_housekeeping_rules=rules, artifact_housekeeping_cleanup={"workers": 1}
    )
    assert not well
    assert "'Clean up the artifacts' failed: 1 of 3 items failed." in output
    assert "Done so far: 2 artifacts deleted." in output


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
    ({"artifact_housekeeping_rules": [{**OLD, "repos": ["generic-locl"]}]}, "no repository 'generic-locl'"),
    ({"artifact_housekeeping_rules": [{**OLD, "older_than": "{{ retention_age }}"}]}, "'retention_age' is undefined"),
    ({"artifact_housekeeping_rules": None}, "argument 'artifact_housekeeping_rules' is of type"),
    ({"artifact_housekeeping_builds": [{"count": 1}]}, "missing required arguments: build"),
    ({"artifact_housekeeping_from_plan": "nowhere"}, "Option 'from_plan': cannot read 'nowhere'"),
]


def test_mistakes_are_reported_before_anything_is_deleted(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [{**HOUSEKEEPING, **variables} for variables, _problem in MISTAKES]
    playbook = "buildworks.toolchain.housekeeping"
    messages = play_mistakes(playbook, "artifact", mistakes, tmp_path, sandbox=sandbox)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
        assert "Done so far" not in message
    assert {entry["effect"] for entry in sandbox.journal("artifact")} == {"read"}


@pytest.mark.parametrize(("tag", "expected"), [("builds", ["retain_builds"]), ("trash", ["clean_trash"])])
def test_a_part_is_done_alone(tag: str, expected: list[str], sandbox: Sandbox, tmp_path: Path) -> None:
    output, written, well = keep_house(sandbox, tmp_path, "--tags", tag)
    assert well, output
    assert sorted(set(written)) == expected
    assert '"artifacts": "0 deleted, 0 bytes"' in output


def test_nothing_is_asked_for_nothing_and_who_is_no_administrator_does_not_measure(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    empty = {name: [] for name, value in HOUSEKEEPING.items() if isinstance(value, list)}
    unmeasured = ("-e", "artifact_housekeeping_measure=false")
    output, _written, well = keep_house(sandbox, tmp_path, *unmeasured, **empty)
    assert well, output
    assert not sandbox.journal("artifact")
    assert '"repositories": []' in output
