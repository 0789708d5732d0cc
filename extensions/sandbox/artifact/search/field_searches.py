# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches by coordinates, properties, checksums, dates, versions, usage and archive entries.

AQL replaces them, but clients still use them.
"""

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
from ..items.tree import TRASH_REPO, Item, Statistics, Tree
from ..maven.metadata_document import version_sort_key
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time
from ..protocol.request_body import read_json_body
from .name_search import build_entry, parse_storages

# Times of an item by date field, and a predicate for times in the requested interval.
Times = dict[str, float | None]
IsInInterval = Callable[[float | None], bool]
ItemUsage = Iterable[tuple[Item, Statistics]]

NOT_FOUND = "No results found."
EMPTY_TERM = "The search term cannot be empty"
WILDCARDS_ONLY = "Search term containing only wildcards is not permitted"
CHECKSUM_LENGTHS = {"md5": 32, "sha1": 40, "sha256": 64}
CHECKSUM_LABELS = {"md5": "Md5", "sha1": "Sha1", "sha256": "Sha2"}
DATE_FIELDS = ("lastModified", "created", "lastDownloaded", "remote_last_downloaded")
SNAPSHOT_SUFFIX = "-SNAPSHOT"
MIN_ENTRY_LENGTH = 3  # characters of an entry's name, without leading and trailing wildcards
NUMBER_AND_STATUS = (
    "Cannot search with both build number and build status parameters, please omit build number if your are looking for"
    " latest build by status or omit build status to search for specific build version."
)


async def search_coordinates(call: Call) -> Response:
    """Handle `GET /api/search/gavc?g=...&a=...&v=...&c=...`."""
    group, name, version, classifier = (call.query.get(argument, "").strip() for argument in "gavc")
    if not (group or name or version or classifier):
        raise ArtifactError(400, "Missing groupId or artifactId or version or classifier")
    _validate_term(group + name + version + classifier)
    parts = [*_split_wildcards(group.replace(".", "/"), globs.ANY)]
    for text in (name, version, f"*-{classifier}*" if classifier else ""):
        parts += ["/", *_split_wildcards(text, globs.IN_FOLDER)]
    pattern = Glob(parts)
    return await _search_files(call, "GavcSearchResult", lambda item: pattern.fullmatch(item.path))


async def search_properties(call: Call) -> Response:
    """Handle `GET /api/search/prop?key=value&...`."""
    if not call.query:
        raise ArtifactError(404, NOT_FOUND)
    criteria = {name: value for name, value in call.query.items() if name not in ("repos", "properties")}
    if not any(name.strip() for name in criteria):
        raise ArtifactError(400, EMPTY_TERM)
    patterns = {name: Glob(_split_wildcards(value, globs.ANY)) for name, value in criteria.items()}

    def matches(item_properties: dict[str, list[str]]) -> bool:
        return all(any(map(pattern.fullmatch, item_properties.get(name, ()))) for name, pattern in patterns.items())

    storages = parse_storages(call)

    def query(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        items = (
            item
            for storage, folder in storages
            for item in tree.find_by_property(storage, next(iter(patterns)))
            if _is_below(item, folder) and matches(tree.get_properties(item))
        )
        is_filtered = call.supports(feature_versions.PROPERTY_SEARCH_PERMISSIONS)
        return {"results": _result_entries(call, tree, _filter_readable(call, items) if is_filtered else items)}

    return await call.stream_vendor_json("search.MetadataSearchResult", query)


async def search_checksum(call: Call) -> Response:
    """Handle `GET /api/search/checksum?sha256=...`."""
    call.require_pro()
    checksums = [(name, call.query[name].lower()) for name in CHECKSUM_LENGTHS if call.query.get(name)]
    if not checksums or any(
        not re.fullmatch(f"[0-9a-f]{{{CHECKSUM_LENGTHS[name]}}}", value) for name, value in checksums
    ):
        raise ArtifactError(400, "A valid md5, sha1 or sha256 checksum is needed.")
    (name, value), storages = checksums[0], parse_storages(call)

    def query(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        items = (
            item
            for item in tree.find_by_content(name, value)
            if any(item.repo == storage and _is_below(item, folder) for storage, folder in storages)
        )
        return {"results": _result_entries(call, tree, _filter_readable(call, items))}

    return await call.stream_vendor_json("search.ChecksumSearchResult", query)


async def search_bad_checksums(call: Call) -> Response:
    """Handle `GET /api/search/badChecksum?type=sha1`.

    It finds files whose client checksum is missing or differs from that of the server.
    """
    call.require_pro()
    algorithm = call.query.get("type", "")
    if algorithm not in CHECKSUM_LABELS:
        raise ArtifactError(400, f"The checksum type '{algorithm}' is not known.")
    storages = parse_storages(call)

    def query(db: sqlite3.Connection) -> dict[str, Any]:
        return {
            "results": (
                _bad_checksum_entry(call, item, algorithm)
                for item in _iterate_files(call, Tree(db), storages)
                if _is_bad_checksum(item, algorithm)
            )
        }

    return await call.stream_vendor_json("search.BadChecksumSearchResult", query)


async def search_archives(call: Call) -> Response:
    """Handle `GET /api/search/archive?name=*Logger.class`."""
    name = call.query.get("name", "")
    _validate_term(name)
    if len(name.strip().removeprefix("*").removesuffix("*")) < MIN_ENTRY_LENGTH:
        raise ArtifactError(404, f"Search term must be at least {MIN_ENTRY_LENGTH} characters long.")
    expression, storages = Glob(_split_wildcards(name, "")), parse_storages(call)

    def query(db: sqlite3.Connection) -> list[dict[str, Any]]:
        tree, uris_by_entry = Tree(db), dict[str, list[str]]()
        for item in _iterate_files(call, tree, storages):
            for folder, entry in tree.list_archive_entries(item):
                if expression.fullmatch(entry):
                    uris_by_entry.setdefault(entry if folder == "." else f"{folder}/{entry}", []).append(
                        _item_uri(call, item)
                    )
        return [{"entry": entry, "archiveUris": uris} for entry, uris in sorted(uris_by_entry.items())]

    return await _require_results(call, "ArchiveEntrySearchResult", query)


async def search_unused(call: Call) -> Response:
    """Handle `GET /api/search/usage?notUsedSince=...[&createdBefore=...]`. Times are in milliseconds."""
    call.require_login()
    threshold = _parse_millis(call, "notUsedSince")
    if threshold is None:
        raise ArtifactError(404, NOT_FOUND)
    created_before = _parse_millis(call, "createdBefore")
    creation_limit, storages = threshold if created_before is None else created_before, parse_storages(call)

    def query(db: sqlite3.Connection) -> list[dict[str, Any]]:
        tree = Tree(db)
        usage = ((item, tree.get_statistics(item)) for item in _iterate_files(call, tree, storages))
        find = _find_unused if call.supports(feature_versions.USAGE_SEARCH_COUNTS) else _find_unused_in_old_versions
        return find(call, usage, threshold, creation_limit)

    return await _require_results(call, "ArtifactUsageResult", query)


def _find_unused(call: Call, usage: ItemUsage, threshold: float, creation_limit: float) -> list[dict[str, Any]]:
    unused = [
        (item, statistics)
        for item, statistics in usage
        if item.created < creation_limit
        and max(statistics.downloaded or 0, statistics.remote_downloaded or 0) < threshold
    ]
    unused.sort(key=lambda entry: (entry[1].downloaded or 0, entry[1].remote_downloaded or 0))
    return [
        {
            "uri": _item_uri(call, item),
            "downloadCount": statistics.downloads or 0,
            "lastDownloaded": format_time(statistics.downloaded or 0),
            "remoteDownloadCount": statistics.remote_downloads or 0,
            "remoteLastDownloaded": format_time(statistics.remote_downloaded or 0),
        }
        for item, statistics in unused
    ]


def _find_unused_in_old_versions(
    call: Call, usage: ItemUsage, threshold: float, creation_limit: float
) -> list[dict[str, Any]]:
    """Return unused files as old versions do: the creation time applies to files that were never downloaded."""
    return [
        {"uri": _item_uri(call, item), "lastDownloaded": format_time(statistics.downloaded or item.created)}
        for item, statistics in usage
        if (statistics.downloaded < threshold if statistics.downloaded else item.created < creation_limit)
    ]


async def search_created(call: Call) -> Response:
    """Handle `GET /api/search/creation?from=...[&to=...]`. Times are in milliseconds.

    It finds files that were created or modified in the interval.
    """

    def format_times(times: Times, is_in_interval: IsInInterval) -> dict[str, Any]:
        return {"created": format_time(times["created" if is_in_interval(times["created"]) else "lastModified"] or 0)}

    return await _search_by_dates(
        call, "ArtifactCreationResult", ("created", "lastModified"), _parse_millis, format_times
    )


async def search_dates(call: Call) -> Response:
    """Handle `GET /api/search/dates?dateFields=created,lastModified&from=...[&to=...]`.

    Times are in milliseconds or ISO 8601.
    """
    fields = [field for field in call.query.get("dateFields", "").split(",") if field]
    if not fields:
        raise ArtifactError(400, "'dateFields' parameter cannot be empty!")
    for field in fields:
        if field not in DATE_FIELDS:
            names = ", ".join(DATE_FIELDS)
            raise ArtifactError(400, f"Date field name '{field}' unknown!, possible values are: [{names}]")

    def format_times(times: Times, _is_in_interval: IsInInterval) -> dict[str, Any]:
        return {
            field: format_time(times[field] or 0) if times[field] else ""
            for field in ("created", "lastModified", "lastDownloaded")
            if field in fields
        }

    return await _search_by_dates(call, "ArtifactResult", fields, _parse_time, format_times)


async def list_versions(call: Call) -> Response:
    """Handle `GET /api/search/versions?g=...&a=...[&v=...]`."""
    versions = await _find_versions(call)
    pattern = call.query.get("v", "")
    if set("*?") & set(pattern):
        versions = list(filter(Glob(_split_wildcards(pattern, "")).fullmatch, versions))
    elif pattern:
        versions = [version for version in versions if version.endswith(SNAPSHOT_SUFFIX)]
    entries = [{"version": version, "integration": version.endswith(SNAPSHOT_SUFFIX)} for version in versions]
    return call.vendor_json("search.ArtifactVersionsResult", {"results": entries})


async def get_latest_version(call: Call) -> Response:
    """Handle `GET /api/search/latestVersion?g=...&a=...[&v=...]`."""
    versions = await _find_versions(call)
    pattern = call.query.get("v", "").strip()
    if set("*?") & set(pattern):
        matching = list(filter(Glob(_split_wildcards(pattern, "")).fullmatch, versions))
    else:
        matching = [version for version in versions if version.endswith(SNAPSHOT_SUFFIX) == bool(pattern)]
    if not matching:
        raise ArtifactError(404, f"Latest {'integration' if pattern else 'release'} version not found")
    return PlainTextResponse(matching[0], headers={"Content-Type": "text/plain"})


async def search_build_artifacts(call: Call) -> Response:
    """Handle `POST /api/search/buildArtifacts`."""
    call.require_pro()
    request = await read_json_body(call, dict)
    name, number, status = (str(request.get(member) or "") for member in ("buildName", "buildNumber", "buildStatus"))
    if not name.strip():
        raise ArtifactError(400, "Cannot search without build name.")
    if bool(number.strip()) == bool(status.strip()):
        raise ArtifactError(
            400, NUMBER_AND_STATUS if number.strip() else "Cannot search without build number or build status."
        )
    run = next(
        (
            run
            for run in call.builds.list_runs(build_api.get_project(call), name)
            if matches_run(call, run, number, status)
        ),
        None,
    )
    items = build_promotion.find_artifacts(call, run) if run else []
    repos = request.get("repos") or ()
    uris = [f"{call.base}/{item.repo}/{item.path}" for item in items if not repos or item.repo in repos]
    if not uris:
        criterion = f"number '{number}'" if number else f"status '{status}'"
        raise ArtifactError(404, f"Could not find any build artifacts for build '{name}' {criterion}")
    return call.vendor_json("search.BuildArtifactsSearchResult", {"results": [{"downloadUri": uri} for uri in uris]})


def matches_run(call: Call, run: Build, number: str, status: str) -> bool:
    """Return whether a run has this number, which may be LATEST or LAST_RELEASE, or else this status."""
    statuses = [entry.status for entry in call.builds.list_promotions(run)]
    if number in ("LATEST", "LAST_RELEASE"):
        return number == "LATEST" or bool(statuses)
    return run.number == number if number else status in statuses


async def _find_versions(call: Call) -> list[str]:
    """Return the versions of a module, newest first."""
    call.require_pro()
    group, name = call.query.get("g", "").strip(), call.query.get("a", "").strip()
    if not (group and name):
        raise ArtifactError(400, "The groupId and the artifactId are needed.")
    storages, folder = parse_storages(call), f"{group.replace('.', '/')}/{name}"

    def query(db: sqlite3.Connection) -> set[str]:
        return {
            child.name
            for storage, _folder in storages
            if storage != TRASH_REPO
            for child in Tree(db).list_children(storage, folder)
            if child.folder and call.principal.may("r", storage, child.path)
        }

    names = await call.runtime.readers.read(query)
    if not names:
        raise ArtifactError(404, "Unable to find artifact versions")
    return sorted(names, key=version_sort_key, reverse=True)


async def _search_by_dates(
    call: Call,
    kind: str,
    fields: Iterable[str],
    parse: Callable[[Call, str], float | None],
    format_times: Callable[[Times, IsInInterval], dict[str, Any]],
) -> Response:
    call.require_login()
    start, end = parse(call, "from"), parse(call, "to")
    if start is None:
        raise ArtifactError(400, "'from' parameter cannot be empty!")
    storages = parse_storages(call)

    def is_in_interval(time: float | None) -> bool:
        return time is not None and start < time and (end is None or time <= end)

    def query(db: sqlite3.Connection) -> list[dict[str, Any]]:
        tree = Tree(db)
        items_with_times = ((item, _item_times(item, tree)) for item in _iterate_files(call, tree, storages))
        return [
            {"uri": _item_uri(call, item), **format_times(times, is_in_interval)}
            for item, times in items_with_times
            if any(is_in_interval(times[field]) for field in fields)
        ]

    return await _require_results(call, kind, query)


def _item_times(item: Item, tree: Tree) -> Times:
    statistics = tree.get_statistics(item)
    times = (item.modified, item.created, statistics.downloaded, statistics.remote_downloaded)
    return dict(zip(DATE_FIELDS, times, strict=True))


async def _search_files(call: Call, kind: str, matches: Callable[[Item], bool]) -> Response:
    storages = parse_storages(call)

    def query(db: sqlite3.Connection) -> dict[str, Any]:
        tree = Tree(db)
        return {"results": _result_entries(call, tree, filter(matches, _iterate_files(call, tree, storages)))}

    return await call.stream_vendor_json(f"search.{kind}", query)


def _result_entries(call: Call, tree: Tree, items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    return (build_entry(call, tree, item) for item in items)


def _filter_readable(call: Call, items: Iterable[Item]) -> Iterator[Item]:
    return (item for item in items if call.principal.may("r", item.repo, item.path))


async def _require_results(
    call: Call, kind: str, query: Callable[[sqlite3.Connection], list[dict[str, Any]]]
) -> Response:
    """Return the results of a search, or fail with 404 if nothing was found."""
    results = await call.runtime.readers.read(query)
    if not results:
        raise ArtifactError(404, NOT_FOUND)
    return call.vendor_json(f"search.{kind}", {"results": results})


def _iterate_files(call: Call, tree: Tree, storages: Iterable[tuple[str, str]]) -> Iterator[Item]:
    """Yield the readable files in the storages, except those in the trash can."""
    for storage, folder in dict.fromkeys(storages):
        if storage != TRASH_REPO:
            yield from _filter_readable(call, tree.find_files(storage, folder, "*"))


def _is_below(item: Item, folder: str) -> bool:
    return not folder or item.path.startswith(f"{folder}/")


def _is_bad_checksum(item: Item, algorithm: str) -> bool:
    return getattr(item, f"client_{algorithm}") != getattr(item, algorithm)


def _bad_checksum_entry(call: Call, item: Item, algorithm: str) -> dict[str, Any]:
    name = CHECKSUM_LABELS[algorithm]
    client, server = getattr(item, f"client_{algorithm}") or "", getattr(item, algorithm) or ""
    return {"uri": _item_uri(call, item), f"server{name}": server, f"client{name}": client}


def _item_uri(call: Call, item: Item) -> str:
    return f"{call.base}/api/storage/{item.repo}/{item.path}"


def _validate_term(term: str) -> None:
    if not term.strip():
        raise ArtifactError(400, EMPTY_TERM)
    if not term.strip("*?"):
        raise ArtifactError(400, WILDCARDS_ONLY)


def _split_wildcards(text: str, default: str) -> list[str]:
    """Return the literals and wildcards of a text, or `default` if the text is empty."""
    wildcards = {"*": globs.ANY, "?": globs.ONE}
    return [wildcards.get(piece, piece) for piece in re.split(r"([*?])", text)] if text else [default]


def _parse_millis(call: Call, name: str) -> float | None:
    text = call.query.get(name, "").strip()
    if not text:
        return None
    try:
        return parse_integer(text, 64) / 1000
    except ValueError:
        raise ArtifactError(404) from None  # the response of JAX-RS to a parameter that is not a number


def _parse_time(call: Call, name: str) -> float | None:
    text = call.query.get(name, "").strip()
    if not text or text.isdecimal():
        return _parse_millis(call, name)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ArtifactError(400, f'Invalid format: "{text}"') from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


SEARCH_PATH = "/api/search"
ROUTES = (
    Route("GET", f"{SEARCH_PATH}/gavc", search_coordinates, "gavc_search"),
    Route("GET", f"{SEARCH_PATH}/prop", search_properties, "property_search"),
    Route("GET", f"{SEARCH_PATH}/checksum", search_checksum, "checksum_search"),
    Route("GET", f"{SEARCH_PATH}/badChecksum", search_bad_checksums, "bad_checksum_search"),
    Route("GET", f"{SEARCH_PATH}/archive", search_archives, "archive_search"),
    Route("GET", f"{SEARCH_PATH}/usage", search_unused, "usage_search"),
    Route("GET", f"{SEARCH_PATH}/creation", search_created, "creation_search"),
    Route("GET", f"{SEARCH_PATH}/dates", search_dates, "dates_search"),
    Route("GET", f"{SEARCH_PATH}/versions", list_versions, "versions_search"),
    Route("GET", f"{SEARCH_PATH}/latestVersion", get_latest_version, "latest_version_search"),
    Route("POST", f"{SEARCH_PATH}/buildArtifacts", search_build_artifacts, "build_artifacts_search", read_only=True),
)
