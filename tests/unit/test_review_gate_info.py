# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, FOUND, ISSUE, act, records, refusal, summary
from support.running import run

NEW = {**ISSUE, "id": 1, "severityCode": 1, "state": "New", "file": "/src/a b.c", "url": "http://kw/x?q=a b"}
IGNORED = {**ISSUE, "id": 2, "severityCode": 3, "status": "Ignore", "comment": "theirs", "file": "C:\\src\\ä.c"}

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}


def shape(required: str, **properties: Any) -> dict[str, Any]:
    """Return the JSON schema of an object that requires these members and allows no others."""
    return {"type": "object", "required": required.split(), "properties": properties, "additionalProperties": False}


# The part of SARIF 2.1.0 that the module writes, with the members that GitHub code scanning requires
PLACE = shape(
    "artifactLocation region",
    artifactLocation=shape("uri", uri={"type": "string", "pattern": "^[!-~]*$"}),
    region=shape("startLine", startLine={"type": "integer", "minimum": 1}),
)
LOGICAL = {"type": "array", "items": shape("name", name={"type": "string"})}
RESULT = shape(
    "ruleId level message locations",
    ruleId={"type": "string", "minLength": 1},
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
RULE = shape(
    "id shortDescription fullDescription help",
    id={"type": "string", "minLength": 1},
    shortDescription=TEXT,
    fullDescription=TEXT,
    help=TEXT,
    properties={"type": "object"},
)
DRIVER = shape(
    "name version rules",
    name={"type": "string"},
    version={"type": "string", "minLength": 1},
    informationUri={"type": "string"},
    rules={"type": "array", "items": RULE},
)
NOTE = shape("message", level={"const": "note"}, message=TEXT)
INVOCATION = shape(
    "executionSuccessful",
    executionSuccessful={"const": True},
    toolExecutionNotifications={"type": "array", "items": NOTE},
)
SARIF = shape(
    "version runs",
    **{"$schema": {"type": "string"}},
    version={"const": "2.1.0"},
    runs={
        "type": "array",
        "items": shape(
            "tool results",
            tool=shape("driver", driver=DRIVER),
            invocations={"type": "array", "items": INVOCATION},
            results={"type": "array", "items": RESULT},
        ),
    },
)


def search(query: str, *entries: dict[str, Any], warnings: tuple[str, ...] = (), **fields: str) -> Call:
    text = records(*entries, summary(len(entries), *warnings))
    return act(
        "search", project="mobile-app", query=f"grouping:off {query}".rstrip(), summary="true", text=text, **fields
    )


def listing(action: str, *entries: dict[str, Any]) -> Call:
    return act(action, project="mobile-app", text=records(*entries))


BUILDS = listing("builds", *({"id": number, "name": f"build_{number}", "date": number} for number in (3, 2, 1)))
VIEWS = listing("views", {"name": "mine", "query": "severity:1"}, {"name": "broken", "query": 'code:"RLK'})
CODES = listing(
    "defect_types",
    *({"code": code, "enabled": code != "RLK.OFF", "severity": 1} for code in ("MISRA.X", "RLK.MAIN", "RLK.OFF")),
)
MODULES = listing("modules", *({"name": name, "allowAll": True} for name in ("*default*", "Core UI")))
TAXONOMIES = listing("taxonomies", {"name": "MISRA C++ 2008", "is_custom": False})
VERSION = act("version", text=records({"majorVersion": "24", "minorVersion": "3"}))
OLD, EXACT = (act("version", text=records({"majorVersion": major})) for major in ("20", "24"))


def gate(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*([BUILDS, *calls] if calls else [])) as server:
        return run("review_gate_info", url=server.url, **{"project": "mobile-app", **parameters}, **ACCOUNT)


CHECKS = [{"title": "new", "query": "state:New", "view": "mine"}, {"query": "code:MISRA", "allowed": 2}]


def test_each_check_is_counted() -> None:
    searches = search("state:New", NEW, view="mine"), search("code:MISRA", NEW, IGNORED)
    result = gate(VIEWS, CODES, *searches, checks=CHECKS, result_limit=1)
    assert not result["passed"]
    one, other = result["checks"]
    assert (one["title"], one["allowed"], one["count"], one["passed"]) == ("new", 0, 1, False)
    assert (other["title"], other["allowed"], other["count"], other["passed"]) == ("code:MISRA", 2, 2, True)
    assert [issue["id"] for issue in other["issues"]] == [1]
    assert one["issues"][0].keys() == FOUND.keys()
    assert one["lines"] == ["/src/a b.c:243: Unexpected MISRA.DEFINE.NOTGLOBAL a = b (http://kw/x?q=a%20b)"]


def test_builds_are_compared() -> None:
    diff = 'diff:+"build_1",+"build_3"'
    result = gate(
        search(f"severity:1 {diff}"),
        search(f"state:New,Fixed {diff}", NEW, {**NEW, "state": "Fixed"}, NEW),
        checks=[{"query": "severity:1"}],
        compare={"from": "build_1", "to": "build_3"},
    )
    assert result["passed"]
    assert result["comparison"] == {"from": "build_1", "to": "build_3", "new": 2, "fixed": 1}
    rejected = gate(checks=[{"query": "severity:1"}, {"query": "grouping:on code:RLK"}])
    assert (
        rejected["msg"] == "Option 'checks[1].query': must not contain 'grouping:', which the module adds. Remove it."
    )
    rejected = gate(checks=[{"query": "build:x"}], compare={"from": "build_1", "to": "build_3"})
    assert rejected["msg"] == "Option 'checks[0].query': must not contain a build if 'compare' is set."


def test_json_and_sarif_files_are_written(tmp_path: Path) -> None:
    files = {f"{kind}_file": str(tmp_path / kind) for kind in ("json", "sarif")}
    searches = VIEWS, CODES, VERSION, search("state:New", NEW, view="mine"), search("code:MISRA", NEW, IGNORED)
    assert not gate(*searches, checks=CHECKS, check_mode=True, **files)["changed"]
    assert list(tmp_path.iterdir()) == []
    result = gate(*searches, checks=CHECKS, **files)
    document = json.loads((tmp_path / "json").read_text())
    assert document == {"project": "mobile-app", **{name: result[name] for name in ("passed", "checks", "sarif")}}
    sarif = json.loads((tmp_path / "sarif").read_text())
    jsonschema.validate(sarif, SARIF)
    (sarif_run,) = sarif["runs"]
    one, other = sarif_run["results"]
    assert [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]] == [one["ruleId"]]
    assert (one["level"], one["baselineState"], one["hostedViewerUri"]) == ("error", "new", "http://kw/x?q=a%20b")
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in (one, other)]
    assert uris == ["file:///src/a%20b.c", "file:///C:/src/%C3%A4.c"]
    assert other["suppressions"] == [{"kind": "external", "justification": "theirs"}]
    assert "suppressions" not in one


def write_sarif(file: Path, *issues: dict[str, Any], **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    result = gate(VERSION, search("", *issues), checks=[{"query": ""}], sarif_file=str(file), **options)
    text = json.loads(file.read_text())
    jsonschema.validate(text, SARIF)
    return result, text["runs"][0]


def uris(run: dict[str, Any]) -> list[str]:
    places = (result["locations"][0]["physicalLocation"] for result in run["results"])
    return [place["artifactLocation"]["uri"] for place in places]


def test_sarif_contains_version_and_checkers(tmp_path: Path) -> None:
    _result, run = write_sarif(tmp_path / "sarif", {**NEW, "line": 0})
    driver = run["tool"]["driver"]
    assert driver["version"] == "24.3"
    (rule,) = driver["rules"]
    assert rule["fullDescription"]["text"] == "Define not at the global level (MISRA C++ 2008 16-0-2)"
    assert rule["help"]["text"] == "See MISRA.DEFINE.NOTGLOBAL in the checker reference of Klocwork."
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_sarif_contains_most_severe_issues_when_limit_is_exceeded(tmp_path: Path) -> None:
    issues = [
        {**ISSUE, "id": number, "severityCode": code} for number, code in ((1, 3), (2, 1), (3, 2), (4, 1), (2, 1))
    ]
    result, run = write_sarif(tmp_path / "sarif", *issues, sarif_limit=2)
    assert [issue["partialFingerprints"]["klocworkIssue/v1"] for issue in run["results"]] == ["2", "4"]
    assert result["sarif"] == {"issues": 2, "omitted": 2, "absolute_paths": 0}
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "2 less severe issues are omitted."
    assert result["warnings"] == [
        "The SARIF file contains only the 2 most severe issues and omits 2. Raise 'sarif_limit' to write more."
    ]
    assert result["checks"][0]["count"] == 5


@pytest.mark.parametrize(
    ("root", "file", "uri"),
    [
        ("/home/build/app", "/home/build/app/src/a b.c", "src/a%20b.c"),
        ("/home/build/app/", "/home/build/app//src/a.c", "src/a.c"),
        ("/", "/src/a.c", "src/a.c"),
        ("C:\\work\\App", "c:\\Work\\app\\src\\a.c", "src/a.c"),
        ("/home/build/app", "src/a.c", "src/a.c"),
        ("/home/build/app", "a:b.c", "a%3Ab.c"),
    ],
)
def test_paths_below_source_root_are_relative(root: str, file: str, uri: str, tmp_path: Path) -> None:
    result, run = write_sarif(tmp_path / "sarif", {**NEW, "file": file}, source_root=root)
    assert uris(run) == [uri]
    assert result["sarif"]["absolute_paths"] == 0
    assert not result.get("warnings")


@pytest.mark.parametrize("file", ["/home/build/app2/a.c", "/home/Build/app/a.c", "D:\\home\\build\\app\\a.c"])
def test_task_warns_when_files_are_outside_source_root(file: str, tmp_path: Path) -> None:
    result, run = write_sarif(tmp_path / "sarif", {**NEW, "file": file}, source_root="/home/build/app")
    assert uris(run)[0].startswith("file:///")
    assert result["sarif"]["absolute_paths"] == 1
    (warning,) = result["warnings"]
    assert warning.startswith("Issues in files outside 'source_root': 1. GitHub does not show them.")


def test_json_and_sarif_files_must_differ(tmp_path: Path) -> None:
    file, same = str(tmp_path / "found"), str(tmp_path / "elsewhere")
    (tmp_path / "found").symlink_to("elsewhere")
    result = gate(checks=CHECKS, json_file=file, sarif_file=same)
    assert result["msg"] == "Option 'sarif_file': must differ from 'json_file'."


def test_sarif_is_valid_without_issues_or_details(tmp_path: Path) -> None:
    file = tmp_path / "sarif"
    for issues in ([], [{"id": 1, "status": "Fix"}]):
        result = gate(VERSION, search("", *issues), checks=[{"query": ""}], sarif_file=str(file))
        assert result["checks"][0]["lines"] == ["(1)"] * len(issues)
        jsonschema.validate(json.loads(file.read_text()), SARIF)


def test_lone_surrogates_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "sarif"
    gate(
        VERSION,
        search("", {**NEW, "file": "a\ud83d.c", "url": "http://kw/\ud83d"}),
        checks=[{"query": ""}],
        sarif_file=str(file),
    )
    (sarif_result,) = json.loads(file.read_text())["runs"][0]["results"]
    assert sarif_result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%3F.c"
    assert sarif_result["hostedViewerUri"] == "http://kw/?"


def test_task_fails_when_server_warns_about_query(tmp_path: Path) -> None:
    file = tmp_path / "sarif"
    call = search("cod:X", NEW, warnings=("Unknown keyword: cod",))
    result = gate(VERSION, call, checks=[{"query": "cod:X"}], sarif_file=str(file))
    assert result["msg"] == (
        "Warning of the server about the query 'grouping:off cod:X': Unknown keyword: cod. "
        "The result of the check would be unreliable. Correct the query."
    )
    assert not file.exists()


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("code:ABV.*", "contains the wildcard '*' in 'ABV.*', which Klocwork treats as a literal character"),
        ("state:New *", "contains the wildcard '*' in '*'"),
        ("file:src/?.c", "contains the wildcard '?' in 'src/?.c'"),
        ("code:ABV AND severity:1", "contains the operator 'AND', which Klocwork treats as a text"),
        ("code:ABV && severity:1", "contains the operator '&&'"),
        ("(severity:1)", "contains the operator '(severity:1)'"),
        ("!severity:1", "contains the operator '!severity:1'"),
        ("code=ABV", "contains the operator 'code=ABV'"),
        ('code:"RLK', "contains an unbalanced quotation mark"),
        ("message:don't", "contains an unbalanced quotation mark"),
        ("status:Not a Problem", "contains the text 'a' without quotation marks"),
        ("New", "contains the text 'New' without quotation marks"),
        ("module:core,*", "contains the wildcard '*' in '*'"),
        ('file:"src/*"', "contains the wildcard '*' in 'src/*'"),
        ("severity: 1", "contains an empty value after 'severity:'"),
        ("state:New, Existing", "contains an empty value after 'state:'"),
        ("state:New ,Existing", "contains a space before ',Existing'"),
        ("state :New", "contains a space before ':New'"),
        ("+state:New", "contains a '+' before 'state:'"),
        ("state:Nwe", "contains the unknown state 'Nwe'. Use one of: New, Existing, Fixed"),
        ("status:+Fix,+Analyse", "contains the unknown status 'Analyse'"),
        ("severity:0-4", "contains the unknown severity '0-4'"),
        ("severity:4-1", "contains the unknown severity '4-1'"),
        (f"severity:{'9' * 5000}", "contains the unknown severity '999"),
        ("severity:1-", "contains the unknown severity '1-'"),
    ],
)
def test_invalid_query_is_refused_before_first_request(query: str, problem: str) -> None:
    message = gate(checks=[{"query": "state:New"}, {"query": query}])["msg"]
    assert message.startswith(f"Option 'checks[1].query': {problem}")


@pytest.mark.parametrize(
    ("check", "listings", "problem"),
    [
        ({"query": "module:ui,cor"}, [MODULES], ""),
        (
            {"query": "module:+cor"},
            [MODULES],
            "query': contains the module 'cor', which does not exist in project 'mobile-app'",
        ),
        ({"query": "-module:+cor -code:XYZ"}, [], ""),
        (
            {"query": "module:*default*,uu"},
            [MODULES],
            "query': contains the module 'uu', which does not exist in project",
        ),
        ({"query": 'taxonomy:"MISRA C++"'}, [TAXONOMIES], ""),
        (
            {"query": "taxonomy:MISRE"},
            [TAXONOMIES],
            "query': contains the taxonomy 'MISRE', which does not exist in project",
        ),
        ({"query": "code:rlk"}, [CODES], ""),
        ({"query": "code:MISRA,RLK.O"}, [CODES], "query': contains the defect type 'RLK.O', which is disabled in"),
        (
            {"query": "code:RLKS"},
            [CODES],
            "query': contains the defect type 'RLKS', which does not exist in project 'mobile-app'",
        ),
        ({"query": "build:+build_2"}, [], ""),
        ({"query": "build:2 state:Fixed"}, [], ""),
        ({"query": "build:any state:Fixed"}, [], ""),
        ({"query": "build:+build_"}, [], "query': contains the build 'build_', which does not exist in project"),
        ({"query": "diff:build_1,3"}, [], ""),
        ({"query": "diff:build_1,build_1"}, [], "query': requires two different builds after 'diff:'"),
        ({"query": "diff:build_1,1"}, [], "query': requires two different builds after 'diff:'"),
        ({"query": "diff:build_1"}, [], "query': requires two different builds after 'diff:'"),
        ({"query": "build:'last'"}, [EXACT], "query': contains the build 'last', which does not exist in project"),
        ({"query": "build:'2'"}, [EXACT], "query': contains the build '2', which does not exist in project"),
        ({"query": 'severity:critical,"Severity 5",2'}, [], ""),
        ({"query": "severity:Critical -severity:Minor,1"}, [], ""),
        (
            {"query": "severity:1 -severity:1-2"},
            [],
            "query': cannot find an issue: no severity matches all 'severity:'",
        ),
        ({"query": "severity:1-3 -severity:2"}, [], ""),
        (
            {"query": "state:New -state:new,Existing"},
            [],
            "query': cannot find an issue: no state matches all 'state:' terms",
        ),
        (
            {"query": "code:RLK -code:RLK.,MISRA"},
            [CODES],
            "query': cannot find an issue: no code matches all 'code:' terms",
        ),
        (
            {"query": "severity:2-4", "view": "mine"},
            [VIEWS],
            "view': cannot find an issue: no severity matches all 'severity:'",
        ),
        ({"query": "severity:Critcal"}, [], "query': contains the unknown severity 'Critcal'"),
        ({"query": "'::size' -vendor state:New"}, [], ""),
        ({"query": "build:build_"}, [OLD], ""),
        ({"query": "build:build_"}, [EXACT], "query': contains the build 'build_', which does not exist in project"),
        (
            {"query": "", "view": "mien"},
            [VIEWS],
            "view': contains the view 'mien', which does not exist in project 'mobile-app'",
        ),
        ({"query": "", "view": "broken"}, [VIEWS], "view': contains an unbalanced quotation mark"),
    ],
)
def test_unknown_names_are_refused(check: dict[str, str], listings: list[Call], problem: str) -> None:
    searches = [] if problem else [search(check["query"])]
    with conversation(BUILDS, *listings, *searches) as server:
        result = run("review_gate_info", url=server.url, project="mobile-app", checks=[check], **ACCOUNT)
    assert problem in result.get("msg", "")
    assert result.get("passed", False) is not bool(problem)


def test_project_without_builds_is_refused() -> None:
    configuration = act("project_configuration", 404, project="mobile-app", text=refusal(404, "Build not found"))
    with conversation(listing("builds"), configuration) as server:
        result = run("review_gate_info", url=server.url, project="mobile-app", checks=[{"query": ""}], **ACCOUNT)
    assert (
        result["msg"]
        == "Option 'project': 'mobile-app' has no build, so that nothing was analyzed. Load a build first."
    )


@pytest.mark.parametrize(
    ("builds", "message"),
    [
        (("build_2", "build_2"), "Option 'compare': 'from' and 'to' must be different builds"),
        (("build_3", "build_1"), "Option 'compare': 'from' must be the earlier build"),
        (("build_0", "build_1"), "Option 'compare.from': contains the build 'build_0'"),
        (("build_1", "build_9"), "Option 'compare.to': contains the build 'build_9'"),
    ],
)
def test_builds_that_cannot_be_compared_are_refused(builds: tuple[str, str], message: str) -> None:
    compare = dict(zip(("from", "to"), builds, strict=True))
    with conversation(*([BUILDS] if builds[0] != builds[1] else [])) as server:
        result = run(
            "review_gate_info",
            url=server.url,
            project="mobile-app",
            checks=[{"query": ""}],
            compare=compare,
            **ACCOUNT,
        )
    assert result["msg"].startswith(message)


def test_task_fails_when_summary_is_missing() -> None:
    lost = act("search", project="mobile-app", query="grouping:off state:New", summary="true")
    result = gate(lost, checks=[{"query": "state:New"}])
    assert result["failed"]
    assert "without a summary" in result["msg"]
    assert "passed" not in result


@pytest.mark.parametrize("options", [{"checks": []}, {"checks": None}, {}])
def test_empty_checks_are_refused(options: dict[str, Any]) -> None:
    result = gate(**options)
    assert result["failed"]
    assert "checks" in result["msg"]
