# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cleanup of container images: deleting a tag never deletes anything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.cleanup.world import LAYER, Artifact, call, deletes, paths_in, run, store_artifacts

RULES = [{"repos": ["dn"], "older_than": "30d"}]
WEB = "its folder contains '1.0', which is not part of the tag"

pytestmark = pytest.mark.usefixtures("as_a_user")


def tag(name: str, age: float = 90, manifest: str = "manifest.json") -> list[Artifact]:
    return [
        Artifact("dn", f"{name}/{manifest}", age, age, size=70),
        Artifact("dn", f"{name}/{LAYER}", age, age, size=300),
    ]


def push(sandbox: Sandbox, *artifacts: Artifact) -> None:
    sandbox.seed({"artifact": {"repositories": [{"key": "dn", "rclass": "local", "packageType": "docker"}]}})
    store_artifacts(sandbox, artifacts, [])


def write_plan(path: Path, rules: list[dict[str, Any]] = RULES) -> str:
    file = str(path / "plan.jsonl")
    assert run(rules=rules, plan_file=file, check_mode=True)["plan"]
    return file


@pytest.mark.parametrize("check_mode", [True, False])
def test_tag_is_kept_when_an_image_is_nested_in_its_folder(sandbox: Sandbox, check_mode: bool) -> None:
    push(sandbox, *tag("team/web"), *tag("team/b", age=1), *tag("team/web/1.0"))
    before = paths_in(sandbox, "dn")
    rules = [{"repos": ["dn"], "keep_newest": 1, "exclude_paths": ["team/web"]}]
    result = run(rules=rules, max_items=1, check_mode=check_mode)
    assert result["changed"] is False
    assert result["plan"] is None
    place = {"repo": "dn", "path": "team/web", "rule": "rules[0]"}
    assert result["unsafe"] == {"items": 1, "first": [{**place, "reason": WEB}]}
    assert deletes(sandbox) == []
    assert paths_in(sandbox, "dn") == before


@pytest.mark.parametrize("name", ["notes.txt", "sha256__00", "list.manifest.json", "deep/er/notes.txt"])
def test_tag_is_kept_when_its_folder_contains_another_file(sandbox: Sandbox, name: str) -> None:
    push(sandbox, *tag("team/web"), *tag("team/b"), Artifact("dn", f"team/web/{name}", 90, 90))
    result = run(rules=RULES)
    assert [entry["path"] for entry in result["plan"]["first"]] == ["team/b"]
    assert result["deleted"]["bytes"] == 370
    assert result["unsafe"]["items"] == 1
    stays = [f"team/web/{entry}" for entry in ("manifest.json", LAYER, name)]
    assert paths_in(sandbox, "dn") == sorted(stays)


def test_tag_is_kept_when_its_folder_contains_an_empty_folder(sandbox: Sandbox) -> None:
    push(sandbox, *tag("team/web"))
    call(sandbox, "PUT", "/dn/team/web/1.0/")
    assert run(rules=RULES)["unsafe"]["first"][0]["reason"] == WEB
    assert deletes(sandbox) == []


def nest(sandbox: Sandbox) -> None:
    call(sandbox, "PUT", "/dn/team/web/1.0/notes.txt", b"new")


def add_layer(sandbox: Sandbox) -> None:
    call(sandbox, "PUT", f"/dn/team/web/sha256__{'0b' * 32}", b"new")


@pytest.mark.parametrize(("act", "why"), [(nest, WEB), (add_layer, "changed since it was planned")])
def test_tag_is_kept_when_a_file_was_added_after_planning(
    sandbox: Sandbox, tmp_path: Path, act: Callable[[Sandbox], None], why: str
) -> None:
    push(sandbox, *tag("team/web"), *tag("team/b"))
    file = write_plan(tmp_path)
    act(sandbox)
    result = run(from_plan=file)
    assert {one["item"]["path"]: one["keep_reason"] for one in result["outcomes"]} == {"team/b": None, "team/web": why}
    assert "team/web/manifest.json" in paths_in(sandbox, "dn")


def test_trash_can_keeps_other_deleted_items_below_a_tag(sandbox: Sandbox) -> None:
    push(sandbox, *tag("team/web"), *tag("team/b"), *tag("team/web/1.0", age=1))
    call(sandbox, "DELETE", "/dn/team/web/1.0")
    result = run(rules=RULES, clean_trash=True)
    assert result["deleted"]["items"] == 2
    assert result["warnings"] == [f"'dn/team/web' is kept in the trash can: {WEB}."]
    trashed = [path for path in paths_in(sandbox, "auto-trashcan") if path.startswith("dn/")]
    assert trashed == [f"dn/team/web/1.0/{name}" for name in ("manifest.json", LAYER)] + [
        f"dn/team/web/{name}" for name in ("manifest.json", LAYER)
    ]


def test_trash_can_keeps_an_item_that_another_client_deleted(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, [Artifact("old-local", "a/b.bin", 90, 90)])
    file = write_plan(tmp_path, [{"repos": ["old-local"], "older_than": "30d"}])
    call(sandbox, "DELETE", "/old-local/a/b.bin")
    result = run(from_plan=file, clean_trash=True)
    assert result["outcomes"][0]["outcome"] == "missing"
    assert "old-local/a/b.bin" in paths_in(sandbox, "auto-trashcan")


def test_trash_can_keeps_other_deleted_items_below_an_empty_folder(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, [Artifact("old-local", "a/old.bin", 90, 90), Artifact("old-local", "a/b/new.bin", 1, 1)])
    call(sandbox, "DELETE", "/old-local/a/b/new.bin")
    result = run(rules=[{"repos": ["old-local"], "older_than": "30d"}], clean_trash=True, empty_folders=True)
    assert result["deleted"]["folders"] == 1
    trashed = [path for path in paths_in(sandbox, "auto-trashcan") if path.startswith("old-local/")]
    assert trashed == ["old-local/a/b/new.bin"]


@pytest.mark.parametrize("lists_first", [True, False])
def test_tag_is_kept_when_its_folder_was_not_listed(sandbox: Sandbox, tmp_path: Path, lists_first: bool) -> None:
    """Folders are listed before tags, so that the contents of a tag pushed in between are unknown."""
    push(sandbox, *tag("team/b"))
    options = {"rules": RULES, "state_file": str(tmp_path / "state"), "retries": 0}
    if lists_first:
        sandbox.fault(kind="reset_before", path="search/aql", nth=2)
        assert run(**options)["failed"]
    store_artifacts(sandbox, tag("team/web"), [])
    result = run(**options)
    assert result["deleted"]["items"] == 2 - lists_first
    reason = {"repo": "dn", "path": "team/web", "rule": "rules[0]", "reason": "the contents of its folder are unknown"}
    assert result["unsafe"]["first"] == ([reason] if lists_first else [])


def test_a_tag_of_several_platforms_is_deleted_without_the_folders_of_its_platforms(sandbox: Sandbox) -> None:
    platform = Artifact("dn", f"team/sha256:{'0c' * 32}/manifest.json", 90, 90)
    push(sandbox, *tag("team/web", manifest="list.manifest.json"), platform)
    assert run(rules=RULES)["deleted"]["items"] == 1
    assert paths_in(sandbox, "dn") == [platform.path]


def test_a_plan_lists_the_files_and_bytes_of_a_tag(sandbox: Sandbox, tmp_path: Path) -> None:
    push(sandbox, *tag("team/web"))
    _head, line = Path(write_plan(tmp_path)).read_text().splitlines()
    entry = json.loads(line)
    assert (entry["kind"], entry["files"], entry["size"]) == ("tag", 2, 370)


def test_example_of_the_guide_works(sandbox: Sandbox) -> None:
    push(sandbox, *tag("team/b", age=1), *tag("team/a"), *tag("team/web"), *tag("team/web/1.0"))
    result = run(rules=[{"repos": ["dn"], "older_than": "30d", "keep_newest": 1}])
    assert [entry["path"] for entry in result["plan"]["first"]] == ["team/a"]
    assert [entry["path"] for entry in result["unsafe"]["first"]] == ["team/web"]
    assert result["counts"]["changed"] == 1


def test_tags_are_deleted_when_the_server_trims_its_responses(sandbox: Sandbox) -> None:
    push(sandbox, *(artifact for number in range(60) for artifact in tag(f"team/{number}")))
    sandbox.switch("artifact", aql_hard_limit=100)
    result = run(rules=RULES, page_size=100)
    assert result["counts"]["changed"] == 60, result
    assert paths_in(sandbox, "dn") == []
