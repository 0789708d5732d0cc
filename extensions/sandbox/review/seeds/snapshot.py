# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of snapshots to seeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ...seeds.snapshot import SnapshotDirectory
from ..access.permissions import ROOT_ADMIN
from ..api.actions import PERMISSIONS, STREAM_PERMISSIONS
from ..storage import ACCESS_LISTS

BATCH_SIZE = 5000
ADMIN = "snapshot-admin"
UNKNOWN_BUILD = "snapshot"
COPIED_FIELDS = ("id", "code", "title", "message", "file", "method", "line", "status", "owner", "reference", "comment")
# Values that the sandbox calculates
GENERATED_FIGURES = ("build", "creationDate")

Fields = dict[str, Any]


def convert_snapshot(directory: SnapshotDirectory) -> Iterator[Fields]:
    """Yield sections of seeds: accounts, then each project, then roles, which refer to projects."""
    manifest = directory.manifest
    names = {project["name"] for project in manifest["projects"]}
    modules = [module for project in manifest["projects"] for module in project["modules"]]
    yield {
        "version": manifest["server"]["version"]["text"],
        "streams": any(_is_stream(name, names) for name in names) or any(map(_has_streams, manifest["roles"])),
        "module_access_lists": any(_has_access_lists(module) for module in modules),
        "users": [_convert_user(directory, {"name": ADMIN})]
        + [_convert_user(directory, u) for u in manifest["users"] if u["name"] != ADMIN],
        "groups": [{name: group[name] for name in ("name", "users", "readonly")} for group in manifest["groups"]],
        "licenses": manifest["licenses"],
    }
    for index, project in enumerate(manifest["projects"]):
        checks = {
            "taxonomies": project["taxonomies"],
            "defect_types": list(_read_list(directory, "defect_types", project)),
        }
        builds = _convert_builds(directory, project)
        yield {
            **(checks if index == 0 else {}),  # also the defaults for new projects
            "projects": [{**_convert_project(project, _is_stream(project["name"], names)), "builds": builds, **checks}],
        }
        issues = _convert_issues(directory, project, builds)
        while batch := list(itertools.islice(issues, BATCH_SIZE)):
            yield {"issues": batch}
    yield {"roles": [*_convert_roles(manifest["roles"], names)]}


def _read_list(directory: SnapshotDirectory, name: str, project: Fields) -> Iterator[Fields]:
    """Yield the records of a list of a project."""
    if name in directory.manifest["lists"]:
        yield from directory.read_records(f"{name}-{quote(project['id'], safe='')}")


def _is_stream(name: str, names: set[str]) -> bool:
    return name.rpartition("/")[0] in names


def _has_streams(role: Fields) -> bool:
    return any(role["permissions"].get(permission) for permission in STREAM_PERMISSIONS)


def _convert_user(directory: SnapshotDirectory, user: Fields) -> Fields:
    return {
        "name": user["name"],
        "readonly": user.get("readonly") or False,
        "ltoken": directory.derive_secret(f"review {user['name']}"),
    }


def _convert_roles(roles: list[Fields], names: set[str]) -> Iterator[Fields]:
    """Yield the roles of the server, and the assignment that the administrator of the sandbox needs."""
    everything = {"name": ROOT_ADMIN, "readonly": True, "permissions": [*PERMISSIONS, *STREAM_PERMISSIONS]}
    own = {**everything, "transitions": [["Any", "Any"]], "assignments": []}
    converted = {role["name"]: _convert_role(role, names) for role in roles}
    for name, role in {ROOT_ADMIN: own, **converted}.items():
        yield {**role, "assignments": [*role["assignments"], *([{"account": ADMIN}] if name == ROOT_ADMIN else [])]}


def _convert_role(role: Fields, names: set[str]) -> Fields:
    return {
        "name": role["name"],
        "readonly": role["readonly"] or False,
        "permissions": [permission for permission, on in role["permissions"].items() if on],
        "transitions": [[transition["from"], transition["to"]] for transition in role["transitions"]],
        "assignments": [
            {"account": one["account"] or one["group"], "group": one["account"] is None, "project": one["project"]}
            for one in role["assignments"]
            if one["project"] is None or one["project"] in names
        ],
    }


def _convert_project(project: Fields, stream: bool) -> Fields:
    creator = project["creator"] or ""
    return {
        **{name: project[name] for name in ("id", "name", "description", "tags")},
        "creator": creator,
        "stream": stream,
        "modules": [_convert_module(module) for module in project["modules"]],
        "views": [_convert_view(view, creator) for view in project["views"]],
    }


def _convert_module(module: Fields) -> Fields:
    access = {name: module[name] or [] for name in ACCESS_LISTS}
    return {
        **access,
        "allow_all": bool(module["allow_all"]),
        **{name: module[name] for name in ("name", "paths", "tags")},
    }


def _has_access_lists(module: Fields) -> bool:
    return any(module[name] is not None for name in ACCESS_LISTS)


def _convert_view(view: Fields, creator: str) -> Fields:
    return {
        **{name: view[name] for name in ("name", "query", "tags")},
        "creator": view["creator"] or creator,
        "is_public": bool(view["public"]),
    }


def _convert_builds(directory: SnapshotDirectory, project: Fields) -> list[Fields]:
    """Return the builds, oldest first. If the account saw issues but no builds, return one build for them."""
    if project["builds"]:
        return [_convert_build(build, project["configuration"]) for build in reversed(project["builds"])]
    issues = itertools.chain.from_iterable(_read_list(directory, name, project) for name in ("issues", "fixed"))
    newest = max((_to_milliseconds(issue["date"]) for issue in issues), default=None)
    if newest is None:
        return []
    # The details of issues contain the name of the last build.
    names = filter(None, (row["build"] for row in _read_list(directory, "histories", project)))
    return [{"name": next(names, UNKNOWN_BUILD), "date": newest}]


def _convert_build(build: Fields, configuration: Fields | None) -> Fields:
    fields = {"name": build["name"], "date": _to_milliseconds(build["date"]), "keepit": bool(build["keep"])}
    if configuration is None or configuration["build"] != build["name"]:
        return fields
    figures = {name: value for name, value in configuration["raw"].items() if name not in GENERATED_FIGURES}
    return {**fields, "figures": figures}


def _convert_issues(directory: SnapshotDirectory, project: Fields, builds: list[Fields]) -> Iterator[Fields]:
    """Yield the issues of the last build, then those that unknown earlier builds fixed."""
    dates = [(build["name"], build["date"]) for build in builds]
    histories = {row["id"]: row["history"] for row in _read_list(directory, "histories", project)}
    seen: set[int] = set()
    for name, find_builds in (("issues", _find_builds), ("fixed", _earlier_builds)):
        for issue in _read_list(directory, name, project):
            if issue["id"] not in seen:
                seen.add(issue["id"])
                history = [_convert_history_entry(entry) for entry in histories.get(issue["id"], ())]
                yield {
                    "project": project["name"],
                    **_convert_issue(issue),
                    **find_builds(issue, dates),
                    "history": history,
                }


def _convert_issue(issue: Fields) -> Fields:
    values = {
        **{name: issue[name] for name in COPIED_FIELDS},
        "severity": issue["severity_level"],
        "taxonomy": issue["taxonomy"],
        "date": _to_milliseconds(issue["date"]),
    }
    required = {"code": "", "file": ""}
    return {**required, **{name: value for name, value in values.items() if value is not None}}


def _find_builds(issue: Fields, builds: list[tuple[str, int]]) -> Fields:
    """Return the builds that found and fixed an issue, estimated from its date and state."""
    last, date = builds[-1][0], _to_milliseconds(issue["date"])
    if issue["state"] == "New":
        return {"found_in": last}
    earlier = builds[:-1] if date >= builds[0][1] else []
    found_in = next((name for name, build_date in earlier if build_date >= date), earlier[-1][0] if earlier else None)
    return {"found_in": found_in, **({"fixed_in": last} if issue["state"] == "Fixed" else {})}


def _earlier_builds(_issue: Fields, _builds: list[tuple[str, int]]) -> Fields:
    return {"found_in": None, "fixed_in": None}


def _convert_history_entry(entry: Fields) -> Fields:
    fields = {name: entry[name] or "" for name in ("account", "status", "comment")}
    return {**fields, "date": _to_milliseconds(entry["date"])}


def _to_milliseconds(timestamp: str | None) -> int:
    return int(datetime.fromisoformat(timestamp).timestamp() * 1000) if timestamp else 0
