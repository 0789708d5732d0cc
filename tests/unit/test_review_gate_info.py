# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, FOUND, ISSUE, act, records, summary
from support.running import run

NEW = {**ISSUE, "id": 1, "severityCode": 1, "state": "New", "file": "/src/a b.c", "url": "http://kw/x?q=a b"}
IGNORED = {**ISSUE, "id": 2, "severityCode": 3, "status": "Ignore", "comment": "theirs", "file": "C:\\src\\ä.c"}

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}


def shape(required: str, **properties: Any) -> dict[str, Any]:
    """An object of the standard, which has these members and no other."""
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


# The part of SARIF 2.1.0 that is written
PLACE = shape(
    "artifactLocation",
    artifactLocation=shape("uri", uri={"type": "string", "pattern": "^[!-~]*$"}),
    region=shape("startLine", startLine={"type": "integer", "minimum": 1}),
)
LOGICAL = {"type": "array", "items": shape("name", name={"type": "string"})}
RESULT = shape(
    "ruleId level message locations",
    ruleId={"type": "string"},
    level={"enum": ["none", "note", "warning", "error"]},
    message=TEXT,
    locations={"type": "array", "items": shape("", physicalLocation=PLACE, logicalLocations=LOGICAL)},
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    hostedViewerUri={"type": "string", "pattern": "^[!-~]+$"},
    suppressions={
        "type": "array",
        "items": shape("kind", kind={"enum": ["inSource", "external"]}, justification={"type": "string"}),
    },
    properties={"type": "object"},
)
RULE = shape("id", id={"type": "string"}, shortDescription=TEXT, properties={"type": "object"})
DRIVER = shape(
    "name", name={"type": "string"}, informationUri={"type": "string"}, rules={"type": "array", "items": RULE}
)
SARIF = shape(
    "version runs",
    **{"$schema": {"type": "string"}},
    version={"const": "2.1.0"},
    runs={
        "type": "array",
        "items": shape("tool", tool=shape("driver", driver=DRIVER), results={"type": "array", "items": RESULT}),
    },
)


def search(query: str, *found: dict[str, Any], warnings: tuple[str, ...] = (), **fields: str) -> Call:
    told = records(*found, summary(len(found), *warnings))
    return act(
        "search", project="mobile-app", query=f"grouping:off {query}".rstrip(), summary="true", text=told, **fields
    )


def gate(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_gate_info", url=server.url, **{"project": "mobile-app", **parameters}, **ACCOUNT)


CHECKS = [{"title": "new", "query": "state:New", "view": "mine"}, {"query": "code:MISRA", "allowed": 2}]


def test_each_check_is_counted() -> None:
    result = gate(search("state:New", NEW, view="mine"), search("code:MISRA", NEW, IGNORED), checks=CHECKS, shown=1)
    assert not result["passed"]
    one, other = result["checks"]
    assert (one["title"], one["allowed"], one["count"], one["passed"]) == ("new", 0, 1, False)
    assert (other["title"], other["allowed"], other["count"], other["passed"]) == ("code:MISRA", 2, 2, True)
    assert [issue["id"] for issue in other["issues"]] == [1]
    assert one["issues"][0].keys() == FOUND.keys()
    assert one["lines"] == ["/src/a b.c:243: Unexpected MISRA.DEFINE.NOTGLOBAL a = b (http://kw/x?q=a%20b)"]


def test_two_builds_are_compared() -> None:
    diff = 'diff:+"build_1",+"build_3"'
    result = gate(
        search(f"severity:1 {diff}"),
        search(f"state:New,Fixed {diff}", NEW, {**NEW, "state": "Fixed"}, NEW),
        checks=[{"query": "severity:1"}],
        compare={"from": "build_1", "to": "build_3"},
    )
    assert result["passed"]
    assert result["comparison"] == {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
    told = gate(checks=[{"query": "severity:1"}, {"query": "grouping:on code:RLK"}])
    assert told["msg"] == "Option 'checks[1].query': leaves 'grouping:' to the module, which adds it."
    told = gate(checks=[{"query": "build:x"}], compare={"from": "build_1", "to": "build_3"})
    assert told["msg"] == "Option 'checks[0].query': names no build beside 'compare', which names two."


def test_files_for_other_tools(tmp_path: Path) -> None:
    files = {f"{kind}_file": str(tmp_path / kind) for kind in ("json", "sarif")}
    searches = search("state:New", NEW, view="mine"), search("code:MISRA", NEW, IGNORED)
    assert not gate(*searches, checks=CHECKS, check_mode=True, **files)["changed"]
    assert list(tmp_path.iterdir()) == []
    result = gate(*searches, checks=CHECKS, **files)
    told = json.loads((tmp_path / "json").read_text())
    assert told == {"project": "mobile-app", "passed": False, "checks": result["checks"]}
    sarif = json.loads((tmp_path / "sarif").read_text())
    jsonschema.validate(sarif, SARIF)
    (made,) = sarif["runs"]
    one, other = made["results"]
    assert [rule["id"] for rule in made["tool"]["driver"]["rules"]] == [one["ruleId"]]
    assert (one["level"], one["baselineState"], one["hostedViewerUri"]) == ("error", "new", "http://kw/x?q=a%20b")
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in (one, other)]
    assert uris == ["file:///src/a%20b.c", "file:///C:/src/%C3%A4.c"]
    assert other["suppressions"] == [{"kind": "external", "justification": "theirs"}]
    assert "suppressions" not in one


def test_one_file_cannot_be_both(tmp_path: Path) -> None:
    file, same = str(tmp_path / "found"), str(tmp_path / "elsewhere")
    (tmp_path / "found").symlink_to("elsewhere")
    told = gate(checks=CHECKS, json_file=file, sarif_file=same)
    assert told["msg"] == "Option 'sarif_file': must be another file than 'json_file'."


def test_no_issues_and_issues_of_which_little_is_told_are_sarif_as_well(tmp_path: Path) -> None:
    file = tmp_path / "sarif"
    for found in ([], [{"id": 1, "status": "Fix"}]):
        result = gate(search("", *found), checks=[{"query": ""}], sarif_file=str(file))
        assert result["checks"][0]["lines"] == ["(1)"] * len(found)
        jsonschema.validate(json.loads(file.read_text()), SARIF)


def test_half_of_a_surrogate_pair_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "sarif"
    gate(
        search("", {**NEW, "file": "a\ud83d.c", "url": "http://kw/\ud83d"}),
        checks=[{"query": ""}],
        sarif_file=str(file),
    )
    (made,) = json.loads(file.read_text())["runs"][0]["results"]
    assert made["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%3F.c"
    assert made["hostedViewerUri"] == "http://kw/?"


def test_what_is_understood_in_part_is_no_gate(tmp_path: Path) -> None:
    file = tmp_path / "sarif"
    call = search("cod:X", NEW, warnings=("Unknown keyword: cod",))
    told = gate(call, checks=[{"query": "cod:X"}], sarif_file=str(file))
    assert told["msg"] == (
        "The server about the query 'grouping:off cod:X': Unknown keyword: cod. So nobody knows what the check counts."
    )
    assert not file.exists()
