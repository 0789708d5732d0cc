# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a snapshot says of this service, as seeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ..seeds.snapshot import SnapshotDirectory
from .access import ROOT_ADMIN
from .catalogue import PERMISSIONS, STREAM_PERMISSIONS
from .storage import ACCESS_LISTS

ISSUES_AT_ONCE = 5000
ADMIN = "snapshot-admin"
UNKNOWN_BUILD = "snapshot"
AS_THEY_ARE = ("id", "code", "title", "message", "file", "method", "line", "status", "owner", "reference", "comment")
# The sandbox tells these by itself
NO_FIGURES = ("build", "creationDate")

Fields = dict[str, Any]


def parts(folder: SnapshotDirectory) -> Iterator[Fields]:
    """Accounts, then project after project, and roles when the projects are there."""
    about = folder.manifest
    names = {project["name"] for project in about["projects"]}
    modules = [module for project in about["projects"] for module in project["modules"]]
    yield {
        "version": about["server"]["version"]["text"],
        "streams": any(_is_stream(name, names) for name in names) or any(map(_has_streams, about["roles"])),
        "module_access_told": any(_tells_access(module) for module in modules),
        "users": [_user(folder, {"name": ADMIN})] + [_user(folder, u) for u in about["users"] if u["name"] != ADMIN],
        "groups": [{name: group[name] for name in ("name", "users", "readonly")} for group in about["groups"]],
        "licenses": about["licenses"],
    }
    for place, project in enumerate(about["projects"]):
        checks = {"taxonomies": project["taxonomies"], "defect_types": list(_listed(folder, "defect_types", project))}
        builds = _builds(folder, project)
        yield {
            **(checks if place == 0 else {}),  # a new project has what others have
            "projects": [{**_project(project, _is_stream(project["name"], names)), "builds": builds, **checks}],
        }
        issues = _issues(folder, project, builds)
        while batch := list(itertools.islice(issues, ISSUES_AT_ONCE)):
            yield {"issues": batch}
    yield {"roles": [*_roles(about["roles"], names)]}


def _listed(folder: SnapshotDirectory, name: str, project: Fields) -> Iterator[Fields]:
    """A long list of a project."""
    if name in folder.manifest["lists"]:
        yield from folder.read_records(f"{name}-{quote(project['id'], safe='')}")


def _is_stream(name: str, names: set[str]) -> bool:
    return name.rpartition("/")[0] in names


def _has_streams(role: Fields) -> bool:
    return any(role["permissions"].get(permission) for permission in STREAM_PERMISSIONS)


def _user(folder: SnapshotDirectory, user: Fields) -> Fields:
    return {
        "name": user["name"],
        "readonly": user.get("readonly") or False,
        "ltoken": folder.derive_secret(f"review {user['name']}"),
    }


def _roles(roles: list[Fields], names: set[str]) -> Iterator[Fields]:
    """Those of the server, and what the administrator of the sandbox needs."""
    everything = {"name": ROOT_ADMIN, "readonly": True, "permissions": [*PERMISSIONS, *STREAM_PERMISSIONS]}
    own = {**everything, "transitions": [["Any", "Any"]], "assignments": []}
    found = {role["name"]: _role(role, names) for role in roles}
    for name, role in {ROOT_ADMIN: own, **found}.items():
        yield {**role, "assignments": [*role["assignments"], *([{"account": ADMIN}] if name == ROOT_ADMIN else [])]}


def _role(role: Fields, names: set[str]) -> Fields:
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


def _project(project: Fields, stream: bool) -> Fields:
    creator = project["creator"] or ""
    return {
        **{name: project[name] for name in ("id", "name", "description", "tags")},
        "creator": creator,
        "stream": stream,
        "modules": [_module(module) for module in project["modules"]],
        "views": [_view(view, creator) for view in project["views"]],
    }


def _module(module: Fields) -> Fields:
    told = {name: module[name] or [] for name in ACCESS_LISTS}
    return {
        **told,
        "allow_all": bool(module["allow_all"]),
        **{name: module[name] for name in ("name", "paths", "tags")},
    }


def _tells_access(module: Fields) -> bool:
    return any(module[name] is not None for name in ACCESS_LISTS)


def _view(view: Fields, creator: str) -> Fields:
    return {
        **{name: view[name] for name in ("name", "query", "tags")},
        "creator": view["creator"] or creator,
        "is_public": bool(view["public"]),
    }


def _builds(folder: SnapshotDirectory, project: Fields) -> list[Fields]:
    """From the first to the last; where none may be seen but issues may, one that has these."""
    if project["builds"]:
        return [_build(build, project["configuration"]) for build in reversed(project["builds"])]
    issues = itertools.chain.from_iterable(_listed(folder, name, project) for name in ("issues", "fixed"))
    newest = max((_milliseconds(issue["date"]) for issue in issues), default=None)
    if newest is None:
        return []
    # The details of an issue name the last build
    names = filter(None, (row["build"] for row in _listed(folder, "histories", project)))
    return [{"name": next(names, UNKNOWN_BUILD), "date": newest}]


def _build(build: Fields, configuration: Fields | None) -> Fields:
    told = {"name": build["name"], "date": _milliseconds(build["date"]), "keepit": bool(build["keep"])}
    if configuration is None or configuration["build"] != build["name"]:
        return told
    figures = {name: value for name, value in configuration["raw"].items() if name not in NO_FIGURES}
    return {**told, "figures": figures}


def _issues(folder: SnapshotDirectory, project: Fields, builds: list[Fields]) -> Iterator[Fields]:
    """Those of the last build, then what earlier ones fixed, of which nobody tells in which."""
    loaded = [(build["name"], build["date"]) for build in builds]
    histories = {row["id"]: row["history"] for row in _listed(folder, "histories", project)}
    there: set[int] = set()
    for name, of_builds in (("issues", _of_builds), ("fixed", _of_earlier_builds)):
        for issue in _listed(folder, name, project):
            if issue["id"] not in there:
                there.add(issue["id"])
                history = [_entry(entry) for entry in histories.get(issue["id"], ())]
                yield {"project": project["name"], **_issue(issue), **of_builds(issue, loaded), "history": history}


def _issue(issue: Fields) -> Fields:
    told = {
        **{name: issue[name] for name in AS_THEY_ARE},
        "severity": issue["severity_level"],
        "taxonomy": issue["taxonomy"],
        "date": _milliseconds(issue["date"]),
    }
    needed = {"code": "", "file": ""}
    return {**needed, **{name: value for name, value in told.items() if value is not None}}


def _of_builds(issue: Fields, builds: list[tuple[str, int]]) -> Fields:
    """An issue was found in the first build since its date, but what is not new was there before the last one."""
    last, date = builds[-1][0], _milliseconds(issue["date"])
    if issue["state"] == "New":
        return {"found_in": last}
    earlier = builds[:-1] if date >= builds[0][1] else []
    found = next((name for name, loaded in earlier if loaded >= date), earlier[-1][0] if earlier else None)
    return {"found_in": found, **({"fixed_in": last} if issue["state"] == "Fixed" else {})}


def _of_earlier_builds(_issue: Fields, _builds: list[tuple[str, int]]) -> Fields:
    return {"found_in": None, "fixed_in": None}


def _entry(entry: Fields) -> Fields:
    told = {name: entry[name] or "" for name in ("account", "status", "comment")}
    return {**told, "date": _milliseconds(entry["date"])}


def _milliseconds(moment: str | None) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000) if moment else 0
