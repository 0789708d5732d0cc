# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare artifact_cleanup with an independent model of its documentation, for generated rule sets.

RULE_SETS is the number of rule sets, RULE_SETS_SEED the seed of the generator.
"""

from __future__ import annotations

import json
import os
import pathlib
import time
from collections.abc import Hashable, Iterable
from random import Random
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.cleanup import model
from support.cleanup.generate import generate_options, generate_rules, generate_world
from support.cleanup.model import Folder, PlannedItem, Prediction, Repository, StoredFile, predict
from support.cleanup.world import files_and_folders_in, paths_in, run, store_files

RULE_SETS = int(os.environ.get("RULE_SETS", "200"))
SEED = os.environ.get("RULE_SETS_SEED", "artifact_cleanup")
RULE_SETS_PER_WORLD = 4
RESULT_LIMIT = 10_000

pytestmark = pytest.mark.usefixtures("as_a_user")


@pytest.mark.parametrize("world", range(-(-RULE_SETS // RULE_SETS_PER_WORLD)))
def test_plan_and_remaining_files_match_the_model_when_rules_are_generated(
    sandbox: Sandbox, tmp_path: pathlib.Path, world: int
) -> None:
    random = Random(f"{SEED}-{world}")
    prefix = f"w{world:04d}-"
    # No outcome changes within some hours after this time, see the module generate.
    now = time.time_ns() // 1_000_000
    repositories, files = generate_world(random, now, prefix)
    store_files(sandbox, repositories, files)
    folders: set[Folder] = set()

    for position in range(min(RULE_SETS_PER_WORLD, RULE_SETS - world * RULE_SETS_PER_WORLD)):
        rules = generate_rules(random, repositories, files, now, prefix)
        plan = predict(repositories, files, rules, now, folders=folders)
        options = generate_options(random, plan)
        guards = {name: options[name] for name in ("max_items", "max_bytes") if name in options}
        prediction = predict(repositories, files, rules, now, folders=folders, **guards)
        should_delete_folders = options.get("empty_folders", False)
        case = Case(world, position, rules, options)

        plan_file = tmp_path / f"plan-{position}.jsonl"
        result = run(rules=rules, **options, result_limit=RESULT_LIMIT, plan_file=str(plan_file), check_mode=True)
        case.name = "check mode"
        compare_result(case, result, prediction, should_delete_folders)
        if not prediction.refused:
            compare_plan_file(case, plan_file, prediction, should_delete_folders)
        compare_files(case, sandbox, repositories, files)

        result = run(rules=rules, **options, result_limit=RESULT_LIMIT)
        case.name = "run"
        compare_result(case, result, prediction, should_delete_folders)
        if not prediction.refused:
            compare_deletions(case, result, prediction, should_delete_folders)
        folders = model.find_remaining_folders(files, folders, prediction, should_delete_folders)
        files = prediction.remaining
        compare_files_and_folders(case, sandbox, repositories, files, folders)


class Case:
    """A rule set, and the description of a difference."""

    def __init__(self, world: int, position: int, rules: list[model.Rule], options: dict[str, Any]) -> None:
        self.name = ""
        self._description = "\n".join(
            [
                f"RULE_SETS_SEED={SEED} world {world}, rule set {position}",
                *(f"rules[{number}]: {json.dumps(rule)}" for number, rule in enumerate(rules)),
                f"options: {json.dumps(options)}",
            ]
        )

    def compare(self, what: str, actual: Any, expected: Any) -> None:
        """Fail if two values differ."""
        assert actual == expected, f"{self.name}: {what}: {actual!r}, the model has {expected!r}\n{self._description}"

    def compare_members(self, what: str, actual: Iterable[Hashable], expected: Iterable[Hashable]) -> None:
        """Fail if two collections have different members, or the same members in different numbers."""
        actual, expected = list(actual), list(expected)
        surplus, omitted = _find_surplus(actual, expected), _find_surplus(expected, actual)
        difference = "".join(
            f"\n  {label}: {one!r}"
            for label, members in (("only the module", surplus), ("only the model", omitted))
            for one in members
        )
        assert not difference, f"{self.name}: {what}:{difference}\n{self._description}"


def _find_surplus(members: list[Hashable], others: list[Hashable]) -> list[Hashable]:
    others = list(others)
    surplus = []
    for one in members:
        if one in others:
            others.remove(one)
        else:
            surplus.append(one)
    return surplus


def compare_result(case: Case, result: dict[str, Any], prediction: Prediction, should_delete_folders: bool) -> None:
    """Compare what a task returns, in check mode or not, with the prediction."""
    is_failed = bool(result.get("failed", False))
    if is_failed != prediction.refused:
        case.compare(f"failed ({result.get('msg')})", is_failed, prediction.refused)
    if not prediction.refused:
        case.compare("changed", result["changed"], bool(prediction.planned))

    plan = result["plan"] or {"first": [], "items": 0, "bytes": 0, "folders": 0, "rules": [], "repositories": []}
    first = [_parse_item(one) for one in plan["first"] if one["kind"] != "folder"]
    case.compare_members("items of the plan", first, prediction.planned)
    case.compare("order of the plan", first, prediction.planned)
    case.compare("number of items", plan["items"], len(prediction.planned))
    case.compare("bytes", plan["bytes"], sum(item.size for item in prediction.planned))
    case.compare("number of folders", plan["folders"], len(prediction.empty_folders) if should_delete_folders else 0)
    case.compare("rules", _collect_totals(plan["rules"], "rule"), _sum_totals(prediction.planned, "rule"))
    case.compare("repositories", _collect_totals(plan["repositories"], "repo"), _sum_totals(prediction.planned, "repo"))

    unsafe = result["unsafe"] or {"first": [], "items": 0}
    tags = [model.UnsafeTag(one["repo"], one["path"], one["rule"]) for one in unsafe["first"]]
    case.compare_members("unsafe tags", tags, prediction.unsafe)
    case.compare("number of unsafe tags", unsafe["items"], len(prediction.unsafe))
    case.compare("unsafe tags without a reason", [one for one in unsafe["first"] if not one["reason"]], [])


def _parse_item(item: dict[str, Any]) -> PlannedItem:
    return PlannedItem(item["repo"], item["path"], item["kind"], item["size"], item["rule"])


def _collect_totals(parts: list[dict[str, Any]], key: str) -> dict[str, tuple[int, int]]:
    return {part[key]: (part["items"], part["bytes"]) for part in parts if part["items"]}


def _sum_totals(planned: list[PlannedItem], key: str) -> dict[str, tuple[int, int]]:
    totals: dict[str, tuple[int, int]] = {}
    for item in planned:
        items, size = totals.get(getattr(item, key), (0, 0))
        totals[getattr(item, key)] = (items + 1, size + item.size)
    return totals


def compare_plan_file(case: Case, path: pathlib.Path, prediction: Prediction, should_delete_folders: bool) -> None:
    """Compare the lines of the plan, after the first one, with the prediction."""
    # The documentation does not say whether the file is written if nothing is planned.
    text = path.read_text(encoding="utf-8") if path.exists() or prediction.planned else ""
    lines = [json.loads(line) for line in text.split("\n")[1:] if line]
    items = [_parse_item(line) for line in lines if line["kind"] != "folder"]
    folders = [(line["repo"], line["path"]) for line in lines if line["kind"] == "folder"]
    case.compare_members("items of the plan file", items, prediction.planned)
    case.compare_members("folders of the plan file", folders, prediction.empty_folders if should_delete_folders else [])


def compare_deletions(case: Case, result: dict[str, Any], prediction: Prediction, should_delete_folders: bool) -> None:
    """Compare what a run reports as deleted with the prediction."""
    case.compare("failures", result["failures"] or [], [])
    deleted = result["deleted"] or {"items": 0, "bytes": 0, "folders": 0}
    case.compare("number of deleted items", deleted["items"], len(prediction.planned))
    case.compare("deleted bytes", deleted["bytes"], sum(item.size for item in prediction.planned))
    expected_folders = len(prediction.empty_folders) if should_delete_folders else 0
    case.compare("number of deleted folders", deleted["folders"], expected_folders)


def compare_files(
    case: Case, sandbox: Sandbox, repositories: Iterable[Repository], files: Iterable[StoredFile]
) -> None:
    """Compare the files in the sandbox with the expected ones."""
    actual = [(key, path) for key in list_content_keys(repositories) for path in paths_in(sandbox, key)]
    case.compare_members("files", actual, [(file.repo, file.path) for file in files])


def compare_files_and_folders(
    case: Case,
    sandbox: Sandbox,
    repositories: Iterable[Repository],
    files: Iterable[StoredFile],
    folders: Iterable[Folder],
) -> None:
    """Compare the files and folders in the sandbox with the expected ones."""
    contents = {key: files_and_folders_in(sandbox, key) for key in list_content_keys(repositories)}
    actual_files = [(key, path) for key, (paths, _unused) in contents.items() for path in paths]
    actual_folders = [(key, path) for key, (_unused, paths) in contents.items() for path in paths]
    case.compare_members("files", actual_files, [(file.repo, file.path) for file in files])
    case.compare_members("folders", actual_folders, folders)


def list_content_keys(repositories: Iterable[Repository]) -> list[str]:
    """Return the keys of the repositories that have contents."""
    return [key for key in map(model.get_content_key, repositories) if key]
