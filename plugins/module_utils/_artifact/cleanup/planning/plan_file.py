# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan files in JSON Lines format. The first line describes the plan, each other line is an item."""

from __future__ import annotations

import hashlib
import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import rule_record
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable

Line = dict[str, t.Any]

_MARK = "artifact_cleanup"
_COLUMNS = ("kind", "repo", "path", "size", "rule", "selected_by", "sha1", "moment", "downloaded", "manifest", "files")
_ITEMS = f"SELECT {', '.join(_COLUMNS)} FROM plan ORDER BY id"
_INSERT = f"INSERT INTO plan ({', '.join(_COLUMNS)}, folder) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"
_TYPES: dict[str, t.Any] = {**dict.fromkeys(_COLUMNS, str), **dict.fromkeys(("size", "files", "selected_by"), int)}
_FILE = ("size", "selected_by", "sha1", "moment", "downloaded")
_REQUIRED = {"file": _FILE, "tag": (*_FILE, "manifest", "files"), "folder": ()}
_DUPLICATE = "SELECT max(id) FROM plan GROUP BY repo, path HAVING count(*) > 1 LIMIT 1"


def to_lines(store: Store, head: Line) -> t.Iterator[Line]:
    """Yield the lines of the plan in a store.

    :arg head: `url` of the service, the time at which the plan was `made`, and its `rules`
    """
    yield {"plan": _MARK, **head}
    for row in store.fetch_rows(_ITEMS):
        yield {name: value for name, value in zip(_COLUMNS, row) if value is not None}


def compute_digest(path: str, option: str) -> str:
    """Return a digest of the file's content.

    :raises BadOption: if the file cannot be read
    """
    hasher = hashlib.sha256()
    with _open(path, option) as file:
        while chunk := file.read(1 << 20):
            hasher.update(chunk)
    return hasher.hexdigest()


def load(store: Store, path: str, option: str, url: str) -> Line:
    """Read the plan in a file into a store, and return its first line.

    :arg url: URL of the service for which the plan must have been made
    :raises BadOption: if the file is not a plan or is a plan for another service, naming the line
    """
    with _open(path, option) as file:
        entries = ((number, _parse_line(line, number, path, option)) for number, line in enumerate(file, 1))
        _number, head = next(entries, (1, {}))
        if head.get("plan") != _MARK or not _are_records(head.get("rules")):
            raise BadOption(option, f"'{path}' is not a cleanup plan: its first line is missing or was changed")
        try:
            times.to_utc(head.get("made"))
        except ValueError:
            raise BadOption(option, f"the first line of '{path}' does not contain the time of the plan") from None
        if head.get("url") != url:
            raise BadOption(option, f"'{path}' is a plan for {head.get('url')}, not for {url}")
        with store.transaction():
            store.execute_many(_INSERT, (_to_row(entry, number, path, option) for number, entry in entries))
            if twice := store.fetch_one(_DUPLICATE):
                raise BadOption(option, f"line {twice[0] + 1} of '{path}' repeats another line")
    return head


def check_kinds(store: Store, kinds: t.Mapping[str, bool], path: str, option: str) -> None:
    """Verify that items have the right kind for their repository. Deleting a file in an image repository could delete a
    folder.

    :arg kinds: repository keys, and whether they store container images
    :raises BadOption: if a tag is in a repository of files, or a file in a repository of images
    """
    for number, kind, repo in store.fetch_rows(
        "SELECT min(id), kind, repo FROM plan WHERE kind <> 'folder' GROUP BY 2, 3"
    ):
        if repo in kinds and kinds[repo] is not (kind == "tag"):
            stored = "tags of images" if kinds[repo] else "files"
            raise BadOption(option, f"line {number + 1} of '{path}' is a {kind}, but '{repo}' stores {stored}")


def _are_records(value: t.Any) -> bool:
    return isinstance(value, list) and all(map(rule_record.is_record, value))


def _open(path: str, option: str) -> t.BinaryIO:
    check_readable(path, option)
    try:
        return open(rehearsal.resolve_read(path), "rb")
    except OSError as error:
        raise BadOption(option, f"cannot read '{path}': {error.strerror}") from None


def _parse_line(line: bytes, number: int, path: str, option: str) -> Line:
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise BadOption(option, f"line {number} of '{path}' is not a JSON object")
    return entry


def _to_row(entry: Line, number: int, path: str, option: str) -> list[t.Any]:
    for name, value in entry.items():
        if name not in _TYPES or not (registry.is_size(value) if _TYPES[name] is int else isinstance(value, str)):
            raise BadOption(option, f"line {number} of '{path}' has an invalid '{name}'")
    for name in ("kind", "repo", "path", *_REQUIRED.get(entry.get("kind", ""), ("kind of file, tag or folder",))):
        if name not in entry:
            raise BadOption(option, f"line {number} of '{path}' has no {name}")
    folder, _slash, name = entry["path"].rpartition("/")
    if not _is_valid_item(entry, folder, name):
        raise BadOption(option, f"line {number} of '{path}' has an invalid 'path'")
    values = {"size": 0, "files": 1, "rule": "", **entry}
    return [*map(values.get, _COLUMNS), entry["path"] if entry["kind"] != "file" else folder or "."]


def _is_valid_item(entry: Line, folder: str, name: str) -> bool:
    """Return whether a line identifies exactly one item that a plan can contain."""
    parts = [entry["repo"], *entry["path"].split("/")]
    if any(part in ("", ".", "..") for part in parts) or "/" in entry["repo"]:
        return False
    row = {"repo": entry["repo"], "path": folder or ".", "name": name}
    if not aql.is_writable(row) or not artifacts.is_addressable(entry["repo"], entry["path"]):
        return False
    if entry["kind"] != "tag":
        return not entry.get("manifest") and entry.get("files", 1) == (entry["kind"] == "file")
    return entry["manifest"] in registry.MANIFEST_FILES and artifacts.is_tag(entry["path"])
