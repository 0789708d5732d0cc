# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Issues as SARIF 2.1.0, the form in which tools tell each other of what an analysis found."""

from __future__ import annotations

import json
import typing as t
import urllib.parse

from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_TOOL = {"name": "Klocwork", "informationUri": "https://www.perforce.com/products/klocwork"}
_LEVELS = {1: "error", 2: "error", 3: "warning"}
_BASELINE = {"New": "new", "Existing": "unchanged", "Fixed": "absent"}
# Statuses by which people say that nothing has to be done
_ACCEPTED = ("Ignore", "Not a Problem", "Filter")


def pieces(issues: t.Iterable[Fields]) -> t.Iterator[bytes]:
    """The text of a SARIF file, each issue once; memory grows with their checkers and ids alone."""
    rules: dict[str, Fields] = {}
    ids: set[int] = set()
    yield f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{"results": ['.encode()
    for issue in issues:
        if issue["id"] not in ids:
            yield (b",\n" if ids else b"\n") + json.dumps(_result(issue)).encode()
            ids.add(issue["id"])
            rules.setdefault(issue["code"] or "", _rule(issue))
    yield f'\n], "tool": {{"driver": {json.dumps({**_TOOL, "rules": list(rules.values())})}}}}}]}}\n'.encode()


def page(url: str) -> str:
    """The address of an issue's page, in which the server leaves the blanks of the query."""
    return urllib.parse.quote(url, safe=":/?#[]@!$&'()*+,;=%", errors="replace")


def _rule(issue: Fields) -> Fields:
    known = {name: issue[name] for name in ("taxonomy", "reference") if issue[name]}
    return {"id": issue["code"] or "", "shortDescription": {"text": _text_of(issue, "title")}, "properties": known}


def _result(issue: Fields) -> Fields:
    place: Fields = {"artifactLocation": {"uri": _uri(issue["file"] or "")}}
    if (issue["line"] or 0) > 0:
        place["region"] = {"startLine": issue["line"]}
    location: Fields = {"physicalLocation": place}
    if issue["method"]:
        location["logicalLocations"] = [{"name": issue["method"]}]
    told: Fields = {
        "ruleId": issue["code"] or "",
        "level": _LEVELS.get(issue["severity_level"], "note"),
        "message": {"text": _text_of(issue, "message", "title")},
        "locations": [location],
        "partialFingerprints": {"klocworkIssue/v1": str(issue["id"])},
        "properties": {name: issue[name] for name in ("severity", "status", "owner")},
    }
    if issue["state"] in _BASELINE:
        told["baselineState"] = _BASELINE[issue["state"]]
    if issue["url"]:
        told["hostedViewerUri"] = page(issue["url"])
    if issue["status"] in _ACCEPTED:
        told["suppressions"] = [{"kind": "external", "justification": issue["comment"] or issue["status"]}]
    return told


def _text_of(issue: Fields, *names: str) -> str:
    return next((issue[name] for name in names if issue[name]), issue["code"] or "unknown")


def _uri(path: str) -> str:
    """A path as a reference; one from the root, also that of a drive, as a whole address."""
    quoted = urllib.parse.quote(path.replace("\\", "/"), safe="/", errors="replace")
    if quoted[1:4] == "%3A":
        return f"file:///{path[0]}:{quoted[4:]}"
    return f"file://{quoted}" if quoted.startswith("/") else quoted
