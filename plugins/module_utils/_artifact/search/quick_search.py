# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Search for files by a part of their name or by a pattern of their path."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Users who are not administrators get at most this number of results, without notice
MAX_RESULTS = 1000


class _AmbiguousAddress(Exception):
    """The address of a file contains '%', which is ambiguous because only some servers encode addresses."""


def search_by_name(
    artifact: ArtifactService,
    name: str,
    places: t.Sequence[str],
    detail: t.Sequence[str],
    *,
    counts: dict[str, int],
    streamed: bool = False,
) -> t.Iterator[Fields]:
    """Yield the files whose name contains a text, in the server's order.

    :arg places: repository keys, or `key/path` for a folder
    :arg detail: `info` and `properties`, the details to return
    :arg counts: receives the number of results `reported` by the server, before they are filtered by folder
    :arg streamed: whether to yield results as they arrive, with constant memory; this requires `info` from the server
    """
    folders = [_split_place(place) for place in places]
    keys = ",".join(dict.fromkeys(key for key, _folder in folders))
    with_info = detail if "info" in detail else ("info", *detail)
    if streamed:
        matches = _search(artifact, name, keys, detail, with_info)
    else:
        try:
            matches = iter(list(_search(artifact, name, keys, detail, detail)))
        except _AmbiguousAddress:
            matches = _search(artifact, name, keys, detail, with_info)
    is_selected = _make_folder_filter(folders)
    for match in matches:
        counts["reported"] += 1
        if is_selected(match):
            yield match


def search_by_pattern(artifact: ArtifactService, pattern: str) -> t.Iterator[Fields]:
    """Yield the files whose path matches a pattern `repository:path` with `*` and `?`, in the server's order.

    :raises ToolchainError: if the search times out on the server
    """
    repo = pattern.partition(":")[0]
    response = artifact.http.read(
        "GET", "/artifactory/api/search/pattern", query={"pattern": pattern}, accept=(200, 408), stream=True
    )
    if response.status == 408:
        cause = (response.server_message or "Request Timeout").rstrip(".")
        raise ToolchainError(
            f"GET /artifactory/api/search/pattern: 408 {cause}. The server limits searches to 30 s. Specify more "
            "of the path before the first wildcard, or use artifact_query_info, which uses an index."
        )
    for path in response.texts("files"):
        yield {"repo": repo, "path": path.strip("/")}


def check_pattern(pattern: str, option: str) -> None:
    """Validate the form of a pattern.

    :raises BadOption: if it is invalid
    """
    repo, _colon, path = pattern.partition(":")
    if not repo or "/" in repo or not path or ":" in path:
        raise BadOption(option, f"must be a repository key, a colon and a path with '*' and '?', not '{pattern}'")


def check_name(name: str, option: str) -> None:
    """Validate a part of a name.

    :raises BadOption: if the server would refuse it
    """
    if not name.strip() or not name.strip("*?"):
        raise BadOption(option, "must contain more than spaces, '*' and '?'")


def _search(
    artifact: ArtifactService, name: str, keys: str, detail: t.Sequence[str], requested: t.Sequence[str]
) -> t.Iterator[Fields]:
    """Yield the files of one response.

    :arg detail: the details to return
    :arg requested: the details to request
    :raises _AmbiguousAddress: if an address is ambiguous and `asked` is without `info`
    """
    response = artifact.http.read(
        "GET",
        "/artifactory/api/search/artifact",
        query={"name": name, **({"repos": keys} if keys else {})},
        headers={"X-Result-Detail": ", ".join(requested)} if requested else {},
        stream=True,
    )
    for entry in response.entries("results"):
        if "path" not in entry and "info" not in requested and "%" in entry.text("uri"):
            raise _AmbiguousAddress
        yield _to_match(entry, detail)


def _to_match(record: Record, detail: t.Sequence[str]) -> Fields:
    if "path" in record:
        repo, path = record.text("repo"), record.text("path").strip("/")
    else:
        repo, path = item_info.parse_location(record, "uri")
    match: Fields = {"repo": repo, "path": path}
    if "info" in detail:
        match["info"] = item_info.from_record(record)
    if "properties" in detail:
        properties = record.maybe_record("properties")
        match["properties"] = {key: sorted(properties.texts(key)) for key in properties} if properties else {}
    return match


def _split_place(place: str) -> tuple[str, str]:
    key, _slash, folder = place.strip("/").partition("/")
    return key, folder.strip("/")


def _make_folder_filter(folders: list[tuple[str, str]]) -> t.Callable[[Fields], bool]:
    """Return a function that decides whether a file is in one of the folders, because some servers ignore folders."""
    of_repository: dict[str, list[str]] = {}
    for key, folder in folders:
        for name in (key, f"{key}-cache"):
            of_repository.setdefault(name, []).append(f"{folder}/" if folder else "")
    # files in other repositories belong to a virtual repository
    all_folders = [f"{folder}/" if folder else "" for _key, folder in folders] or [""]

    def is_in_one(match: Fields) -> bool:
        path = f"{match['path']}/"
        return any(path.startswith(folder) for folder in of_repository.get(match["repo"], all_folders))

    return is_in_one
