# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

OVERFLOW = {"code": "ABV.GENERAL", "name": "Overflow", "enabled": True, "severity": 1}
ITERATOR = {"code": "ABV.ITERATOR", "name": "Iterator", "enabled": True, "severity": 1}
LEAK = {"code": "RLK.MAIN", "name": "Leak", "enabled": False, "severity": 3, "supportLevel": 2}


def list_call(*entries: dict[str, Any], **fields: str) -> Call:
    return act("defect_types", project="app", **fields, text=records(*(entries or (LEAK, OVERFLOW, ITERATOR))))


def update(code: str, **fields: str) -> Call:
    return act("update_defect_type", project="app", code=code, **fields)


def defect_type(*calls: Call, rules: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_defect_type", url=server.url, project="app", defect_types=rules, **options, **ACCOUNT)


def test_second_run_sends_one_read() -> None:
    result = defect_type(list_call(), rules=[{"code": "RLK.MAIN", "enabled": False, "severity": 3}])
    expected = {"name": "Leak", "enabled": False, "severity": 3, "support_level": 2}
    assert result == {"changed": False, "defect_types": {"RLK.MAIN": expected}}


def test_duplicate_records_count_once() -> None:
    result = defect_type(
        list_call(LEAK, OVERFLOW, {**LEAK, "name": "Lost"}), rules=[{"code": "*", "severity": 3}], check_mode=True
    )
    assert list(result["defect_types"]) == ["ABV.GENERAL", "RLK.MAIN"]


def test_only_differences_of_matching_types_are_sent() -> None:
    after = list_call({**OVERFLOW, "severity": 2}, {**ITERATOR, "severity": 2, "enabled": False}, LEAK)
    calls = [list_call(), update("ABV.GENERAL", severity="2"), update("ABV.ITERATOR", severity="2", enabled="false")]
    rules = [{"code": "ABV.*", "severity": 2, "enabled": True}, {"code": "ABV.ITERATOR", "enabled": False}]
    result = defect_type(*calls, after, rules=rules, diff_mode=True)
    assert result["changed"]
    assert result["diff"] == {
        "before": {
            "ABV.GENERAL": {"enabled": True, "severity": 1},
            "ABV.ITERATOR": {"enabled": True, "severity": 1},
        },
        "after": {
            "ABV.GENERAL": {"enabled": True, "severity": 2},
            "ABV.ITERATOR": {"enabled": False, "severity": 2},
        },
    }
    assert set(result["defect_types"]) == {"ABV.GENERAL", "ABV.ITERATOR"}


def test_taxonomy_is_resolved_with_one_request() -> None:
    within = list_call(LEAK, OVERFLOW, taxonomy="C and C++")
    after = list_call({**LEAK, "enabled": True}, OVERFLOW, ITERATOR)
    calls = [list_call(), within, update("RLK.MAIN", enabled="true"), after]
    result = defect_type(*calls, rules=[{"taxonomy": "C and C++", "enabled": True}])
    assert set(result["defect_types"]) == {"ABV.GENERAL", "RLK.MAIN"}
    narrowed = defect_type(list_call(), within, rules=[{"taxonomy": "C and C++", "code": "ABV.*", "enabled": True}])
    assert (narrowed["changed"], list(narrowed["defect_types"])) == (False, ["ABV.GENERAL"])


def test_check_mode_predicts_change() -> None:
    result = defect_type(list_call(), rules=[{"code": "ABV.G*", "enabled": False}], check_mode=True)
    assert result["changed"]
    assert result["defect_types"]["ABV.GENERAL"]["enabled"] is False


@pytest.mark.parametrize("check_mode", [True, False])
def test_rule_without_match_is_refused_before_first_write(check_mode: bool) -> None:
    rules = [{"code": "ABV.*", "enabled": False}, {"code": "abv.*", "enabled": False}]
    result = defect_type(list_call(), rules=rules, check_mode=check_mode)
    assert result["msg"] == "Option 'defect_types[1]': matches no defect type of project 'app'."


def test_update_is_retried_when_response_is_lost() -> None:
    lost = act("update_defect_type", drop=True, project="app", code="ABV.GENERAL", severity="4")
    calls = [list_call(), lost, update("ABV.GENERAL", severity="4"), list_call({**OVERFLOW, "severity": 4})]
    assert defect_type(*calls, rules=[{"code": "ABV.GENERAL", "severity": 4}])["changed"]


def test_refusal_reports_updates_made_before() -> None:
    refused = act("update_defect_type", 403, project="app", code="ABV.ITERATOR", severity="2", text=refusal(403, "No"))
    calls = [
        list_call(),
        update("ABV.GENERAL", severity="2"),
        refused,
        list_call({**OVERFLOW, "severity": 2}, ITERATOR),
    ]
    result = defect_type(*calls, rules=[{"code": "ABV.*", "severity": 2}])
    assert result["changed"]
    assert "403 No." in result["msg"]
    assert [one["severity"] for one in result["defect_types"].values()] == [2, 1]


def test_task_fails_when_update_has_no_effect() -> None:
    calls = [list_call(), update("ABV.GENERAL", severity="4"), list_call()]
    result = defect_type(*calls, rules=[{"code": "ABV.GENERAL", "severity": 4}])
    assert result["msg"].startswith("The server accepted the change, but these fields")


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"enabled": True}, "one of the following is required: code, taxonomy"),
        ({"code": "A"}, "one of the following is required: enabled, severity"),
        ({"code": "A", "severity": 11}, "Option 'defect_types[0].severity': must be 1 to 10"),
        ({"code": " ", "severity": 1}, "Option 'defect_types[0].code': must not start or end"),
    ],
)
def test_invalid_options_are_refused_before_first_request(rule: dict[str, Any], problem: str) -> None:
    assert problem in defect_type(rules=[rule])["msg"]
    assert "must not be empty" in defect_type(rules=[])["msg"]


@pytest.mark.parametrize(
    ("options", "sent", "codes"),
    [
        ({}, {}, ["ABV.GENERAL", "ABV.ITERATOR", "RLK.MAIN"]),
        ({"enabled": False}, {}, ["RLK.MAIN"]),
        ({"code": "ABV.?*R"}, {}, ["ABV.ITERATOR"]),
        ({"taxonomy": "C + C++"}, {"taxonomy": "C + C++"}, ["ABV.GENERAL", "ABV.ITERATOR", "RLK.MAIN"]),
    ],
)
def test_defect_types_are_listed(options: dict[str, Any], sent: dict[str, str], codes: list[str]) -> None:
    with conversation(list_call(**sent)) as server:
        result = run("review_defect_type_info", url=server.url, project="app", **options, **ACCOUNT)
    assert list(result["defect_types"]) == codes
    first = {"name": "Overflow", "enabled": True, "severity": 1, "support_level": None}
    assert result["defect_types"].get("ABV.GENERAL", first) == first
    assert result["count"] == len(codes)


def test_result_is_empty_when_nothing_matches() -> None:
    with conversation(list_call()) as server:
        result = run("review_defect_type_info", url=server.url, project="app", code="X", **ACCOUNT)
    assert (result["defect_types"], result["count"]) == ({}, 0)


def test_taxonomies_are_returned_and_file_contains_codes(tmp_path: Path) -> None:
    names = records({"name": "C and C++", "is_custom": False}, {"name": "House rules", "is_custom": True})
    calls = [
        list_call(),
        act("taxonomies", project="app", text=names),
        list_call(LEAK, OVERFLOW, taxonomy="C and C++"),
        list_call(OVERFLOW, taxonomy="House rules"),
    ]
    file = tmp_path / "types.jsonl"
    with conversation(*calls) as server:
        options = {"taxonomies": True, "to_file": str(file), "project": "app", **ACCOUNT}
        result = run("review_defect_type_info", url=server.url, **options)
    assert result == {"changed": False, "count": 3}
    taxonomies = {line["code"]: line["taxonomies"] for line in map(json.loads, file.read_text().splitlines())}
    assert taxonomies == {"ABV.GENERAL": ["C and C++", "House rules"], "ABV.ITERATOR": [], "RLK.MAIN": ["C and C++"]}
