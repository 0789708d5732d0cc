# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verification before a deletion, after artifacts changed or a plan was edited."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion import deleter
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from sandbox.client import Sandbox
from support.cleanup.world import LAYER, Artifact, call, deletes, paths_in, run, store_artifacts

Line = dict[str, Any]
OBSOLETE = {"obsolete": ["yes"]}
RULES = [{"repos": ["old-local"], "properties": {"obsolete": "yes"}}]
ITEM = Artifact("old-local", "app/1.bin", 90, 90, size=10, properties=OBSOLETE)

pytestmark = pytest.mark.usefixtures("as_a_user")


def write_plan(path: Path, rules: list[dict[str, Any]], **options: Any) -> str:
    file = str(path / "plan.jsonl")
    assert run(rules=rules, plan_file=file, check_mode=True, **options)["plan"]
    return file


def reasons(result: dict[str, Any]) -> dict[str, str | None]:
    """Return by path why items were kept."""
    return {outcome["item"]["path"]: outcome["keep_reason"] for outcome in result["outcomes"]}


def test_artifact_is_kept_when_it_lost_the_property_that_selected_it(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [ITEM, Artifact("old-local", "app/2.bin", 90, 90, properties=OBSOLETE)])
    file = write_plan(tmp_path, RULES)
    call(sandbox, "PUT", "/api/storage/old-local/app/1.bin?properties=obsolete=no")
    assert reasons(run(from_plan=file)) == {
        "app/1.bin": "it no longer has the properties that 'rules[0]' selects",
        "app/2.bin": None,
    }
    assert paths_in(sandbox, "old-local") == ["app/1.bin"]


def test_artifact_is_kept_when_it_lost_the_property_of_its_group(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [ITEM, Artifact("old-local", "app/2.bin", 9, 9, properties=OBSOLETE)])
    rules = [{"repos": ["old-local"], "keep_newest": 1, "group_by": "property", "group_property": "obsolete"}]
    file = write_plan(tmp_path, rules)
    call(sandbox, "DELETE", "/api/storage/old-local/app/1.bin?properties=obsolete")
    assert reasons(run(from_plan=file)) == {"app/1.bin": "it no longer has the properties that 'rules[0]' selects"}


def test_properties_are_verified_again_when_a_run_is_resumed(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [ITEM])
    options = {"rules": RULES, "state_file": str(tmp_path / "state"), "retries": 0, "max_failures": 1}
    sandbox.fault(kind="reset_before", method="DELETE")
    sandbox.fault(kind="reset_before", path="search/aql", nth=5)  # the look after the lost reply
    assert run(**options)["counts"]["unknown"] == 1
    sandbox.clear_faults()
    call(sandbox, "PUT", "/api/storage/old-local/app/1.bin?properties=obsolete=no")
    assert run(**options)["outcomes"][0]["outcome"] == "kept"
    assert paths_in(sandbox, "old-local") == ["app/1.bin"]


@pytest.mark.parametrize("hours", [-3, 3])
def test_a_download_counts_when_the_clock_of_the_server_differs(sandbox: Sandbox, tmp_path: Path, hours: int) -> None:
    store_artifacts(sandbox, [], ["old-local"])
    sandbox.clock(set=time.time() + hours * 3600)
    for name in ("1.bin", "2.bin"):
        call(sandbox, "PUT", f"/old-local/app/{name}", b"content")
    call(sandbox, "GET", "/old-local/app/2.bin")
    file = write_plan(tmp_path, [{"repos": ["old-local"], "names": ["*.bin"]}])
    sandbox.clock(advance=1)
    call(sandbox, "GET", "/old-local/app/1.bin")
    assert reasons(run(from_plan=file)) == {"app/1.bin": "downloaded since it was planned", "app/2.bin": None}


def test_check_mode_counts_kept_artifacts_when_they_have_no_group(sandbox: Sandbox) -> None:
    keep = {"keep": ["yes"]}
    store_artifacts(sandbox, [ITEM, Artifact("old-local", "app/2.bin", 90, 90, properties=keep)])
    group = {"keep_newest": 1, "group_by": "property", "group_property": "build", "keep_properties": {"keep": None}}
    rules = [{"repos": ["old-local"], "older_than": "30d"}, {"repos": ["old-local"], **group}]
    assert run(rules=rules, check_mode=True)["plan"]["items"] == 1
    assert run(rules=rules)["deleted"]["items"] == 1
    assert paths_in(sandbox, "old-local") == ["app/2.bin"]


def edit_plan(file: str, change: Callable[[Line], None], number: int = 1) -> str:
    """Change a line of the plan."""
    lines = [json.loads(line) for line in Path(file).read_text().splitlines()]
    change(lines[number])
    Path(file).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


OTHER = Artifact("old-local", "app/other.txt", 90, 90, size=10)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"size": 0}, "changed since it was planned"),
        ({"repo": "generic-local"}, "missing"),
        ({"repo": "nowhere"}, "its repository is missing, or stores another kind of artifacts"),
        ({"path": "app/other.txt"}, "changed since it was planned"),
        ({"selected_by": 7}, "it could not be verified"),
        ({"selected_by": 1}, "no longer selected by 'rules[1]' any more"),
        ({"downloaded": "2026-01-01T00:00:00.000Z"}, "downloaded since it was planned"),
    ],
)
def test_artifact_is_kept_when_its_line_in_the_plan_was_edited(
    sandbox: Sandbox, tmp_path: Path, change: Line, why: str
) -> None:
    store_artifacts(sandbox, [ITEM, OTHER])
    rules = [{"repos": ["old-local"], "names": ["*.bin"], "older_than": "30d"}, {**RULES[0], "names": ["x"]}]
    file = edit_plan(write_plan(tmp_path, rules), lambda line: line.update(change))
    outcome = run(from_plan=file)["outcomes"][0]
    assert outcome["keep_reason"] or outcome["outcome"] == why
    assert outcome["changed"] is False
    assert deletes(sandbox) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"kind": "tag", "manifest": "manifest.json", "path": "app/1"}, "is a tag, but 'old-local' stores files"),
        ({"kind": "tag", "path": "app/1"}, "has no manifest"),
        ({"manifest": "manifest.json"}, "has an invalid 'path'"),
        ({"files": 2}, "has an invalid 'path'"),
        ({"path": "app/"}, "has an invalid 'path'"),
        ({"path": "app/../app/1.bin"}, "has an invalid 'path'"),
        ({"path": "app/1.bin!x"}, "has an invalid 'path'"),
        ({"path": "app/1.bin:properties"}, "has an invalid 'path'"),
        ({"repo": "old-local/app"}, "has an invalid 'path'"),
        ({"kind": ["file"]}, "has an invalid 'kind'"),
        ({"size": None}, "has an invalid 'size'"),
        ({"size": -1}, "has an invalid 'size'"),
        ({"size": 2**63}, "has an invalid 'size'"),
        ({"size": True}, "has an invalid 'size'"),
        ({"selected_by": -1}, "has an invalid 'selected_by'"),
        ({"selected_by": None}, "has an invalid 'selected_by'"),
    ],
)
def test_plan_is_refused_when_a_line_is_invalid(sandbox: Sandbox, tmp_path: Path, change: Line, problem: str) -> None:
    store_artifacts(sandbox, [ITEM])
    file = edit_plan(write_plan(tmp_path, RULES), lambda line: line.update(change))
    result = run(from_plan=file)
    assert result["msg"].startswith(f"Option 'from_plan': line 2 of '{file}' ")
    assert problem in result["msg"]
    assert deletes(sandbox) == []


def test_folders_are_deleted_last_when_the_plan_lists_them_first(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [ITEM])
    file = Path(write_plan(tmp_path, RULES, empty_folders=True))
    head, item, folder = file.read_text().splitlines(keepends=True)
    assert '"folder"' in folder
    file.write_text(head + folder + item)
    result = run(from_plan=str(file), workers=1)
    assert [outcome["item"]["kind"] for outcome in result["outcomes"]] == ["file", "folder"]
    assert result["counts"]["changed"] == 2


def test_folders_are_tried_when_the_state_of_a_file_cannot_be_read(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_artifacts(sandbox, [ITEM])
    file = write_plan(tmp_path, RULES, empty_folders=True)
    read_entries = deleter.read_entries

    def read(store: Any, where: str, values: list[int]) -> Any:
        if values == [1]:
            raise ToolchainError("the disk is broken")
        return read_entries(store, where, values)

    monkeypatch.setattr(deleter, "read_entries", read)
    result = run(from_plan=file, workers=1)
    assert [(outcome["status"], outcome["reason"] or outcome["keep_reason"]) for outcome in result["outcomes"]] == [
        ("failed", "the disk is broken."),
        ("ok", "no longer empty"),
    ]


def test_plan_is_refused_when_it_contains_a_file_of_a_tag(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed({"artifact": {"repositories": [{"key": "dn", "rclass": "local", "packageType": "docker"}]}})
    store_artifacts(sandbox, [Artifact("dn", f"team/web/{name}", 90, 90) for name in ("manifest.json", LAYER)], [])
    file = write_plan(tmp_path, [{"repos": ["dn"], "older_than": "30d"}])
    manifest = {"kind": "file", "path": "team/web/manifest.json", "files": 1}
    edit_plan(file, lambda line: (line.update(manifest), line.pop("manifest")))
    assert "is a file, but 'dn' stores tags of images" in run(from_plan=file)["msg"]


def test_plan_is_refused_when_it_repeats_an_item(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [ITEM])
    file = Path(write_plan(tmp_path, RULES))
    head, line = file.read_text().splitlines(keepends=True)
    file.write_text(head + line + line)
    assert f"line 3 of '{file}' repeats another line" in run(from_plan=str(file))["msg"]


@pytest.mark.parametrize(
    "change",
    [
        {"rules": None},
        {"rules": [{}]},
        {"rules": [{"title": "all"}]},
        {"keep": [], "rules": None},
    ],
)
def test_plan_is_refused_when_its_rules_are_missing(sandbox: Sandbox, tmp_path: Path, change: Line) -> None:
    store_artifacts(sandbox, [ITEM])
    file = edit_plan(write_plan(tmp_path, RULES), lambda line: line.update(change), number=0)
    assert "is not a cleanup plan" in run(from_plan=file)["msg"]


@pytest.mark.parametrize(
    ("member", "value"),
    [("older_than", "soon"), ("larger_than", "1"), ("repos", []), ("names", "*"), ("properties", {"k": "v"})],
)
def test_plan_is_refused_when_a_rule_is_malformed(sandbox: Sandbox, tmp_path: Path, member: str, value: Any) -> None:
    store_artifacts(sandbox, [ITEM])
    file = edit_plan(write_plan(tmp_path, RULES), lambda line: line["rules"][0].update({member: value}), number=0)
    assert "is not a cleanup plan" in run(from_plan=file)["msg"]


@pytest.mark.parametrize("name", ["victim!x.txt", "victim:properties", "victim;x", "victim "])
def test_artifact_is_kept_when_its_path_refers_to_another_item(sandbox: Sandbox, name: str) -> None:
    store_artifacts(sandbox, [Artifact("old-local", f"v/{name}", 90, 90), Artifact("old-local", "v/victim", 1, 1)])
    assert run(rules=[{"repos": ["old-local"], "older_than": "30d"}])["plan"] is None
    assert deletes(sandbox) == []


# Special repositories


SPECIAL = [
    ("artifactory-build-info", "buildinfo"),
    ("team-build-info", "buildinfo"),
    ("records", "buildinfo"),
    ("release-bundles-v2", "releasebundles"),
    ("jfrog-usage-logs", "generic"),
]


def test_a_pattern_does_not_match_special_repositories(sandbox: Sandbox) -> None:
    keys = [key for key, _kind in SPECIAL]
    repositories = [{"key": key, "rclass": "local", "packageType": kind} for key, kind in SPECIAL]
    sandbox.seed({"artifact": {"repositories": repositories}})
    store_artifacts(sandbox, [Artifact(key, "a/1.json", 90, 90) for key in [*keys, "old-local"]])
    rule = {"repos": ["*"], "names": ["1.json"]}
    planned = run(rules=[rule], check_mode=True)["plan"]["repositories"]
    assert [entry["repo"] for entry in planned] == ["old-local"]
    named = run(rules=[{**rule, "repos": ["*", *keys]}], check_mode=True)["plan"]["repositories"]
    assert [entry["repo"] for entry in named] == sorted(["old-local", *keys])
    assert "no repository" in run(rules=[{**rule, "repos": ["*-info"]}], check_mode=True)["msg"]


# The newest of a group


@pytest.mark.parametrize("group", [{}, {"group_by": "name", "group_pattern": "(.).*"}])
def test_artifact_is_kept_when_newer_ones_were_deleted_after_planning(
    sandbox: Sandbox, tmp_path: Path, group: Line
) -> None:
    store_artifacts(sandbox, [Artifact("old-local", f"app/a{age}.bin", age, age) for age in (1, 2, 3, 4)])
    file = write_plan(tmp_path, [{"repos": ["old-local"], "keep_newest": 2, **group}])
    call(sandbox, "DELETE", "/old-local/app/a1.bin")
    assert reasons(run(from_plan=file)) == {"app/a3.bin": "now among the newest of its group", "app/a4.bin": None}
    assert paths_in(sandbox, "old-local") == ["app/a2.bin", "app/a3.bin"]


def test_tag_is_kept_when_newer_ones_were_deleted_after_planning(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed({"artifact": {"repositories": [{"key": "dn", "rclass": "local", "packageType": "docker"}]}})
    store_artifacts(sandbox, [Artifact("dn", f"web/{age}/manifest.json", age, age) for age in (1, 2)], [])
    file = write_plan(tmp_path, [{"repos": ["dn"], "keep_newest": 1}])
    call(sandbox, "DELETE", "/dn/web/1")
    assert reasons(run(from_plan=file)) == {"web/2": "now among the newest of its group"}


def test_newest_artifacts_are_determined_again_when_a_run_is_resumed(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [Artifact("old-local", f"app/a{age}.bin", age, age) for age in (1, 2, 3)])
    options = {"rules": [{"repos": ["old-local"], "keep_newest": 1}], "state_file": str(tmp_path / "state")}
    sandbox.fault(kind="status", status=403, method="DELETE", path="app/a2.bin", times=0)
    assert run(max_failures=1, workers=1, **options)["counts"]["failed"] == 1
    sandbox.clear_faults()
    call(sandbox, "DELETE", "/old-local/app/a1.bin")
    run(workers=1, **options)
    assert paths_in(sandbox, "old-local")[0] == "app/a2.bin"


def test_rules_with_the_same_title_are_all_applied(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, [Artifact("old-local", f"app/{name}.bin", 90, 90) for name in "abc"])
    rules = [
        {"title": "t", "repos": ["old-local"], "names": ["a.bin", "b.bin"], "older_than": "30d"},
        {"title": "t", "repos": ["old-local"], "names": ["b.bin", "c.bin"], "older_than": "30d"},
    ]
    assert run(rules=rules)["deleted"]["items"] == 3
