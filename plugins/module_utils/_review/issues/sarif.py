# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Export of issues as SARIF 2.1.0, following the additional rules of GitHub code scanning."""

from __future__ import annotations

import heapq
import json
import typing as t
import urllib.parse

from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_TOOL = {"name": "Klocwork", "informationUri": "https://www.perforce.com/products/klocwork"}
_LEVELS = {1: "error", 2: "error", 3: "warning"}
_UNKNOWN_SEVERITY = 99
_BASELINE = {"New": "new", "Existing": "unchanged", "Fixed": "absent"}
# Statuses of issues that need no action
_SUPPRESSED_STATUSES = ("Ignore", "Not a Problem", "Filter")


def select(issues: t.Iterable[Fields], limit: int) -> tuple[list[Fields], int]:
    """Return the most severe issues without duplicates, and the number of omitted issues."""
    ids: set[int] = set()

    def unique() -> t.Iterator[Fields]:
        for issue in issues:
            if issue["id"] not in ids:
                ids.add(issue["id"])
                yield issue

    selected = heapq.nsmallest(limit, unique(), key=lambda issue: issue["severity_level"] or _UNKNOWN_SEVERITY)
    return selected, len(ids) - len(selected)


def encode(issues: list[Fields], omitted: int, version: str, source_root: str | None) -> t.Iterator[bytes]:
    """Yield a SARIF file in chunks.

    :arg omitted: number of issues that are not in the file, reported in a note
    :arg version: version of Klocwork
    :arg source_root: directory of the sources on the analyzed machine; paths of files in it become relative
    """
    rules: dict[str, Fields] = {}
    for issue in issues:
        rules.setdefault(_rule_id(issue), _to_rule(issue))
    driver = {**_TOOL, "version": version, "rules": list(rules.values())}
    run = {"tool": {"driver": driver}, "invocations": [_describe_invocation(omitted)]}
    yield f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{json.dumps(run)[:-1]}, "results": ['.encode()
    for place, issue in enumerate(issues):
        yield (b",\n" if place else b"\n") + json.dumps(_to_result(issue, source_root)).encode()
    yield b"\n]}]}\n"


def summarize(issues: list[Fields], omitted: int, source_root: str | None) -> dict[str, int]:
    """Return the number of issues in the file, of omitted issues, and of issues with an absolute path."""
    absolute = sum(_is_absolute(_relative_path(issue["file"] or "", source_root)) for issue in issues)
    return {"issues": len(issues), "omitted": omitted, "absolute_paths": absolute}


def encode_url(url: str) -> str:
    """Encode the URL of an issue. The server returns it with unencoded spaces."""
    return urllib.parse.quote(url, safe=":/?#[]@!$&'()*+,;=%", errors="replace")


def _relative_path(path: str, root: str | None) -> str:
    """Return the path of a file with slashes, relative to the root if the file is below it.

    Windows paths are compared case-insensitively.
    """
    path = path.replace("\\", "/")
    if root is None:
        return path
    prefix = root.replace("\\", "/").rstrip("/") + "/"
    has_drive = prefix[1:2] == ":"
    is_below = path.lower().startswith(prefix.lower()) if has_drive else path.startswith(prefix)
    return path[len(prefix) :].lstrip("/") if is_below else path


def _is_absolute(path: str) -> bool:
    """Return whether a path with slashes begins with a slash or a drive letter."""
    return path.startswith("/") or path[1:3] == ":/"


def _describe_invocation(omitted: int) -> Fields:
    if not omitted:
        return {"executionSuccessful": True}
    text = f"{omitted} less severe issues are omitted."
    note = {"level": "note", "message": {"text": text}}
    return {"executionSuccessful": True, "toolExecutionNotifications": [note]}


def _rule_id(issue: Fields) -> str:
    return issue["code"] or "unknown"


def _to_rule(issue: Fields) -> Fields:
    properties = {name: issue[name] for name in ("taxonomy", "reference") if issue[name]}
    title, code = _first_text(issue, "title"), _rule_id(issue)
    source = " ".join(properties.values())
    return {
        "id": code,
        "shortDescription": {"text": title},
        "fullDescription": {"text": f"{title} ({source})" if source else title},
        "help": {"text": f"See {code} in the checker reference of Klocwork."},
        "properties": properties,
    }


def _to_result(issue: Fields, source_root: str | None) -> Fields:
    place: Fields = {
        "artifactLocation": {"uri": _to_uri(_relative_path(issue["file"] or "", source_root))},
        "region": {"startLine": max(issue["line"] or 1, 1)},
    }
    location: Fields = {"physicalLocation": place}
    if issue["method"]:
        location["logicalLocations"] = [{"name": issue["method"]}]
    result: Fields = {
        "ruleId": _rule_id(issue),
        "level": _LEVELS.get(issue["severity_level"], "note"),
        "message": {"text": _first_text(issue, "message", "title")},
        "locations": [location],
        "partialFingerprints": {"klocworkIssue/v1": str(issue["id"])},
        "properties": {name: issue[name] for name in ("severity", "status", "owner")},
    }
    if issue["state"] in _BASELINE:
        result["baselineState"] = _BASELINE[issue["state"]]
    if issue["url"]:
        result["hostedViewerUri"] = encode_url(issue["url"])
    if issue["status"] in _SUPPRESSED_STATUSES:
        result["suppressions"] = [{"kind": "external", "justification": issue["comment"] or issue["status"]}]
    return result


def _first_text(issue: Fields, *names: str) -> str:
    return next((issue[name] for name in names if issue[name]), _rule_id(issue))


def _to_uri(path: str) -> str:
    """Return the URI reference of a path with slashes, absolute if the path is absolute."""
    quoted = urllib.parse.quote(path, safe="/", errors="replace")
    if not _is_absolute(path):
        return quoted
    return f"file:///{path[0]}:{quoted[4:]}" if path[1] == ":" else f"file://{quoted}"
