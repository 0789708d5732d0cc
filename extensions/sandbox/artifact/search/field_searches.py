# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The searches that the query language has made superfluous, and that clients still ask."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ...parsing import globs
from ...parsing.globs import Glob
from ...parsing.integers import parse_integer
from ..builds import build_api, build_promotion
from ..builds.records import Build
from ..call import Call
from ..items.tree import (
    TRASH_REPO,
    Item,
    Statistics,
    Tree,
)
from ..maven.metadata_document import version_sort_key
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time
from .name_search import result, searched

# The times of an item by the names of date fields, and whether one is asked for
Times = dict[str, float | None]
IsInInterval = Callable[[float | None], bool]
Counted = Iterable[tuple[Item, Statistics]]

NOT_FOUND = "No results found."
EMPTY = "The search term cannot be empty"
WILDCARDS_ONLY = "Search term containing only wildcards is not permitted"
CHECKSUMS = {"md5": 32, "sha1": 40, "sha256": 64}
BAD = {"md5": "Md5", "sha1": "Sha1", "sha256": "Sha2"}
DATE_FIELDS = ("lastModified", "created", "lastDownloaded", "remote_last_downloaded")
SNAPSHOT = "-SNAPSHOT"
SHORTEST_ENTRY = 3  # characters of the name of an entry that is searched for, without wildcards at its ends
BOTH = (
    "Cannot search with both build number and build status parameters, please omit build number if your are looking for"
    " latest build by status or omit build status to search for specific build version."
)


async def gavc(call: Call) -> Response:
    """GET /api/search/gavc?g=...&a=...&v=...&c=..."""
    group, name, version, classifier = (call.query.get(argument, "").strip() for argument in "gavc")
    if not (group or name or version or classifier):
        raise ArtifactError(400, "Missing groupId or artifactId or version or classifier")
    _check_term(group + name + version + classifier)
    parts = [*_parts(group.replace(".", "/"), globs.ANY)]
    for text in (name, version, f"*-{classifier}*" if classifier else ""):
        parts += ["/", *_parts(text, globs.IN_FOLDER)]
    wanted = Glob(parts)
    return await _infos(call, "GavcSearchResult", lambda item: wanted.fullmatch(item.path))


async def properties(call: Call) -> Response:
    """GET /api/search/prop?key=value&..."""
    if not call.query:
        raise ArtifactError(404, NOT_FOUND)
    asked = {name: value for name, value in call.query.items() if name not in ("repos", "properties")}
    if not any(name.strip() for name in asked):
        raise ArtifactError(400, EMPTY)
    wanted = {name: Glob(_parts(value, globs.ANY)) for name, value in asked.items()}

    def fits(found: dict[str, list[str]]) -> bool:
        return all(any(map(one.fullmatch, found.get(name, ()))) for name, one in wanted.items())

    where = searched(call)

    def question(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        items = (
            item
            for storage, folder in where
            for item in tree.find_by_property(storage, next(iter(wanted)))
            if _is_below(item, folder) and fits(tree.get_properties(item))
        )
        is_filtered = call.supports(feature_versions.PROPERTY_SEARCH_PERMISSIONS)
        return {"results": _results(call, tree, _readable(call, items) if is_filtered else items)}

    return await call.stream_vendor_json("search.MetadataSearchResult", question)


async def checksum(call: Call) -> Response:
    """GET /api/search/checksum?sha256=..."""
    call.require_pro()
    given = [(name, call.query[name].lower()) for name in CHECKSUMS if call.query.get(name)]
    if not given or any(not re.fullmatch(f"[0-9a-f]{{{CHECKSUMS[name]}}}", value) for name, value in given):
        raise ArtifactError(400, "A valid md5, sha1 or sha256 checksum is needed.")
    (name, value), where = given[0], searched(call)

    def question(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        items = (
            item
            for item in tree.find_by_content(name, value)
            if any(item.repo == storage and _is_below(item, folder) for storage, folder in where)
        )
        return {"results": _results(call, tree, _readable(call, items))}

    return await call.stream_vendor_json("search.ChecksumSearchResult", question)


async def bad_checksums(call: Call) -> Response:
    """GET /api/search/badChecksum?type=sha1: where the client told another checksum than the server has, or none"""
    call.require_pro()
    algorithm = call.query.get("type", "")
    if algorithm not in BAD:
        raise ArtifactError(400, f"The checksum type '{algorithm}' is not known.")
    where = searched(call)

    def question(db: sqlite3.Connection) -> dict[str, Any]:
        return {
            "results": (
                _bad(call, item, algorithm) for item in _files(call, Tree(db), where) if _is_bad(item, algorithm)
            )
        }

    return await call.stream_vendor_json("search.BadChecksumSearchResult", question)


async def archives(call: Call) -> Response:
    """GET /api/search/archive?name=*Logger.class"""
    name = call.query.get("name", "")
    _check_term(name)
    if len(name.strip().removeprefix("*").removesuffix("*")) < SHORTEST_ENTRY:
        raise ArtifactError(404, f"Search term must be at least {SHORTEST_ENTRY} characters long.")
    expression, where = Glob(_parts(name, "")), searched(call)

    def question(db: sqlite3.Connection) -> list[dict[str, Any]]:
        tree, found = Tree(db), dict[str, list[str]]()
        for item in _files(call, tree, where):
            for folder, entry in tree.list_archive_entries(item):
                if expression.fullmatch(entry):
                    found.setdefault(entry if folder == "." else f"{folder}/{entry}", []).append(_uri(call, item))
        return [{"entry": entry, "archiveUris": uris} for entry, uris in sorted(found.items())]

    return await _some(call, "ArchiveEntrySearchResult", question)


async def not_used(call: Call) -> Response:
    """GET /api/search/usage?notUsedSince=...[&createdBefore=...], in milliseconds"""
    call.require_login()
    threshold = _millis(call, "notUsedSince")
    if threshold is None:
        raise ArtifactError(404, NOT_FOUND)
    created = _millis(call, "createdBefore")
    before, where = threshold if created is None else created, searched(call)

    def question(db: sqlite3.Connection) -> list[dict[str, Any]]:
        tree = Tree(db)
        counted = ((item, tree.get_statistics(item)) for item in _files(call, tree, where))
        find = _unused if call.supports(feature_versions.USAGE_SEARCH_COUNTS) else _unused_before_counts
        return find(call, counted, threshold, before)

    return await _some(call, "ArtifactUsageResult", question)


def _unused(call: Call, counted: Counted, threshold: float, before: float) -> list[dict[str, Any]]:
    unused = [
        (item, used)
        for item, used in counted
        if item.created < before and max(used.downloaded or 0, used.remote_downloaded or 0) < threshold
    ]
    unused.sort(key=lambda found: (found[1].downloaded or 0, found[1].remote_downloaded or 0))
    return [
        {
            "uri": _uri(call, item),
            "downloadCount": used.downloads or 0,
            "lastDownloaded": format_time(used.downloaded or 0),
            "remoteDownloadCount": used.remote_downloads or 0,
            "remoteLastDownloaded": format_time(used.remote_downloaded or 0),
        }
        for item, used in unused
    ]


def _unused_before_counts(call: Call, counted: Counted, threshold: float, before: float) -> list[dict[str, Any]]:
    """Return the same as old versions: the time of creation counts only for files that were never downloaded."""
    return [
        {"uri": _uri(call, item), "lastDownloaded": format_time(used.downloaded or item.created)}
        for item, used in counted
        if (used.downloaded < threshold if used.downloaded else item.created < before)
    ]


async def created(call: Call) -> Response:
    """GET /api/search/creation?from=...[&to=...], in milliseconds: created or modified then"""

    def told(times: Times, within: IsInInterval) -> dict[str, Any]:
        return {"created": format_time(times["created" if within(times["created"]) else "lastModified"] or 0)}

    return await _dated(call, "ArtifactCreationResult", ("created", "lastModified"), _millis, told)


async def dated(call: Call) -> Response:
    """GET /api/search/dates?dateFields=created,lastModified&from=...[&to=...], in milliseconds or ISO 8601"""
    fields = [field for field in call.query.get("dateFields", "").split(",") if field]
    if not fields:
        raise ArtifactError(400, "'dateFields' parameter cannot be empty!")
    for field in fields:
        if field not in DATE_FIELDS:
            known = ", ".join(DATE_FIELDS)
            raise ArtifactError(400, f"Date field name '{field}' unknown!, possible values are: [{known}]")

    def told(times: Times, _within: IsInInterval) -> dict[str, Any]:
        return {
            field: format_time(times[field] or 0) if times[field] else ""
            for field in ("created", "lastModified", "lastDownloaded")
            if field in fields
        }

    return await _dated(call, "ArtifactResult", fields, _moment, told)


async def versions(call: Call) -> Response:
    """GET /api/search/versions?g=...&a=...[&v=...]"""
    found = await _versions(call)
    wanted = call.query.get("v", "")
    if set("*?") & set(wanted):
        found = list(filter(Glob(_parts(wanted, "")).fullmatch, found))
    elif wanted:
        found = [version for version in found if version.endswith(SNAPSHOT)]
    entries = [{"version": version, "integration": version.endswith(SNAPSHOT)} for version in found]
    return call.vendor_json("search.ArtifactVersionsResult", {"results": entries})


async def latest_version(call: Call) -> Response:
    """GET /api/search/latestVersion?g=...&a=...[&v=...]"""
    found = await _versions(call)
    wanted = call.query.get("v", "").strip()
    if set("*?") & set(wanted):
        fits = list(filter(Glob(_parts(wanted, "")).fullmatch, found))
    else:
        fits = [version for version in found if version.endswith(SNAPSHOT) == bool(wanted)]
    if not fits:
        raise ArtifactError(404, f"Latest {'integration' if wanted else 'release'} version not found")
    return PlainTextResponse(fits[0], headers={"Content-Type": "text/plain"})


async def build_artifacts(call: Call) -> Response:
    """POST /api/search/buildArtifacts"""
    call.require_pro()
    order = await build_api.read_json_body(call, dict)
    name, number, status = (str(order.get(member) or "") for member in ("buildName", "buildNumber", "buildStatus"))
    if not name.strip():
        raise ArtifactError(400, "Cannot search without build name.")
    if bool(number.strip()) == bool(status.strip()):
        raise ArtifactError(400, BOTH if number.strip() else "Cannot search without build number or build status.")
    run = next(
        (
            run
            for run in call.builds.list_runs(build_api.get_project(call), name)
            if matches_run(call, run, number, status)
        ),
        None,
    )
    items = build_promotion.find_artifacts(call, run) if run else []
    repos = order.get("repos") or ()
    uris = [f"{call.base}/{item.repo}/{item.path}" for item in items if not repos or item.repo in repos]
    if not uris:
        which = f"number '{number}'" if number else f"status '{status}'"
        raise ArtifactError(404, f"Could not find any build artifacts for build '{name}' {which}")
    return call.vendor_json("search.BuildArtifactsSearchResult", {"results": [{"downloadUri": uri} for uri in uris]})


def matches_run(call: Call, run: Build, number: str, status: str) -> bool:
    """Return whether a run has this number, which may be LATEST or LAST_RELEASE, or without a number this status."""
    statuses = [entry.status for entry in call.builds.list_promotions(run)]
    if number in ("LATEST", "LAST_RELEASE"):
        return number == "LATEST" or bool(statuses)
    return run.number == number if number else status in statuses


async def _versions(call: Call) -> list[str]:
    """The versions that there are of a module, the newest first."""
    call.require_pro()
    group, name = call.query.get("g", "").strip(), call.query.get("a", "").strip()
    if not (group and name):
        raise ArtifactError(400, "The groupId and the artifactId are needed.")
    where, folder = searched(call), f"{group.replace('.', '/')}/{name}"

    def question(db: sqlite3.Connection) -> set[str]:
        return {
            child.name
            for storage, _folder in where
            if storage != TRASH_REPO
            for child in Tree(db).list_children(storage, folder)
            if child.folder and call.principal.may("r", storage, child.path)
        }

    found = await call.runtime.readers.read(question)
    if not found:
        raise ArtifactError(404, "Unable to find artifact versions")
    return sorted(found, key=version_sort_key, reverse=True)


async def _dated(
    call: Call,
    kind: str,
    fields: Iterable[str],
    read: Callable[[Call, str], float | None],
    told: Callable[[Times, IsInInterval], dict[str, Any]],
) -> Response:
    call.require_login()
    begin, end = read(call, "from"), read(call, "to")
    if begin is None:
        raise ArtifactError(400, "'from' parameter cannot be empty!")
    where = searched(call)

    def within(time: float | None) -> bool:
        return time is not None and begin < time and (end is None or time <= end)

    def question(db: sqlite3.Connection) -> list[dict[str, Any]]:
        tree = Tree(db)
        timed = ((item, _times(item, tree)) for item in _files(call, tree, where))
        return [
            {"uri": _uri(call, item), **told(times, within)}
            for item, times in timed
            if any(within(times[field]) for field in fields)
        ]

    return await _some(call, kind, question)


def _times(item: Item, tree: Tree) -> Times:
    used = tree.get_statistics(item)
    times = (item.modified, item.created, used.downloaded, used.remote_downloaded)
    return dict(zip(DATE_FIELDS, times, strict=True))


async def _infos(call: Call, kind: str, fits: Callable[[Item], bool]) -> Response:
    where = searched(call)

    def question(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        return {"results": _results(call, tree, filter(fits, _files(call, tree, where)))}

    return await call.stream_vendor_json(f"search.{kind}", question)


def _results(call: Call, tree: Tree, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    return (result(call, tree, item) for item in items)


def _readable(call: Call, items: Iterable[Item]) -> Iterator[Item]:
    return (item for item in items if call.principal.may("r", item.repo, item.path))


async def _some(call: Call, kind: str, question: Callable[[sqlite3.Connection], list[dict[str, Any]]]) -> Response:
    """Results of a search that does not answer when there are none."""
    found = await call.runtime.readers.read(question)
    if not found:
        raise ArtifactError(404, NOT_FOUND)
    return call.vendor_json(f"search.{kind}", {"results": found})


def _files(call: Call, tree: Tree, where: Iterable[tuple[str, str]]) -> Iterator[Item]:
    """The files that the caller may read there; the trash can is not searched."""
    for storage, folder in dict.fromkeys(where):
        if storage != TRASH_REPO:
            yield from _readable(call, tree.find_files(storage, folder, "*"))


def _is_below(item: Item, folder: str) -> bool:
    return not folder or item.path.startswith(f"{folder}/")


def _is_bad(item: Item, algorithm: str) -> bool:
    return getattr(item, f"client_{algorithm}") != getattr(item, algorithm)


def _bad(call: Call, item: Item, algorithm: str) -> dict[str, Any]:
    name = BAD[algorithm]
    client, server = getattr(item, f"client_{algorithm}") or "", getattr(item, algorithm) or ""
    return {"uri": _uri(call, item), f"server{name}": server, f"client{name}": client}


def _uri(call: Call, item: Item) -> str:
    return f"{call.base}/api/storage/{item.repo}/{item.path}"


def _check_term(term: str) -> None:
    if not term.strip():
        raise ArtifactError(400, EMPTY)
    if not term.strip("*?"):
        raise ArtifactError(400, WILDCARDS_ONLY)


def _parts(text: str, otherwise: str) -> list[str]:
    """Return the parts of a text with wildcards; without a text there is one other part."""
    wildcards = {"*": globs.ANY, "?": globs.ONE}
    return [wildcards.get(part, part) for part in re.split(r"([*?])", text)] if text else [otherwise]


def _millis(call: Call, name: str) -> float | None:
    text = call.query.get(name, "").strip()
    if not text:
        return None
    try:
        return parse_integer(text, 64) / 1000
    except ValueError:
        raise ArtifactError(404) from None  # what JAX-RS makes of an argument that is no number


def _moment(call: Call, name: str) -> float | None:
    text = call.query.get(name, "").strip()
    if not text or text.isdecimal():
        return _millis(call, name)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ArtifactError(400, f'Invalid format: "{text}"') from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


SEARCH = "/api/search"
ROUTES = (
    Route("GET", f"{SEARCH}/gavc", gavc, "gavc_search"),
    Route("GET", f"{SEARCH}/prop", properties, "property_search"),
    Route("GET", f"{SEARCH}/checksum", checksum, "checksum_search"),
    Route("GET", f"{SEARCH}/badChecksum", bad_checksums, "bad_checksum_search"),
    Route("GET", f"{SEARCH}/archive", archives, "archive_search"),
    Route("GET", f"{SEARCH}/usage", not_used, "usage_search"),
    Route("GET", f"{SEARCH}/creation", created, "creation_search"),
    Route("GET", f"{SEARCH}/dates", dated, "dates_search"),
    Route("GET", f"{SEARCH}/versions", versions, "versions_search"),
    Route("GET", f"{SEARCH}/latestVersion", latest_version, "latest_version_search"),
    Route("POST", f"{SEARCH}/buildArtifacts", build_artifacts, "build_artifacts_search", read_only=True),
)
