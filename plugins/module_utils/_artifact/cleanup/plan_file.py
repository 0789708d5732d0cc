# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as a file of JSON lines: the first says where it is for and when it was made, then a line for each item."""

from __future__ import annotations

import hashlib
import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import images, query, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import rule_records
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
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
_NEEDED = {"file": _FILE, "tag": (*_FILE, "manifest", "files"), "folder": ()}
_TWICE = "SELECT max(id) FROM plan GROUP BY repo, path HAVING count(*) > 1 LIMIT 1"


def lines(store: Store, head: Line) -> t.Iterator[Line]:
    """Yield the lines of the plan in a store.

    :arg head: `url` of the service, when it was `made`, and the `rules` that it was made with
    """
    yield {"plan": _MARK, **head}
    for row in store.rows(_ITEMS):
        yield {name: value for name, value in zip(_COLUMNS, row) if value is not None}


def digest(path: str, option: str) -> str:
    """Return what distinguishes one content of the file from another.

    :raises BadOption: when it cannot be read
    """
    found = hashlib.sha256()
    with _opened(path, option) as file:
        while chunk := file.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()


def load(store: Store, path: str, option: str, url: str) -> Line:
    """Put the plan in a file into a store, and give its head.

    :arg url: of the service that it has to be for
    :raises BadOption: when it is no plan, or one for another service, naming the line
    """
    with _opened(path, option) as file:
        entries = ((number, _entry(line, number, path, option)) for number, line in enumerate(file, 1))
        _number, head = next(entries, (1, {}))
        if head.get("plan") != _MARK or not _are_records(head.get("rules")):
            raise BadOption(option, f"'{path}' is no plan of a clean-up: its first line must be as the task wrote it")
        try:
            times.utc(head.get("made"))
        except ValueError:
            raise BadOption(option, f"the first line of '{path}' does not say when the plan was made") from None
        if head.get("url") != url:
            raise BadOption(option, f"'{path}' is a plan for {head.get('url')}, not for {url}")
        with store.transaction():
            store.write_all(_INSERT, (_row(entry, number, path, option) for number, entry in entries))
            if twice := store.one(_TWICE):
                raise BadOption(option, f"line {twice[0] + 1} of '{path}' repeats another line")
    return head


def check_kinds(store: Store, kinds: t.Mapping[str, bool], path: str, option: str) -> None:
    """
    :arg kinds: keys of the repositories, and whether they hold images
    :raises BadOption: when there is a tag among files, or a file among images, which would take its folder along
    """
    for number, kind, repo in store.rows("SELECT min(id), kind, repo FROM plan WHERE kind <> 'folder' GROUP BY 2, 3"):
        if repo in kinds and kinds[repo] is not (kind == "tag"):
            stored = "tags of images" if kinds[repo] else "files"
            raise BadOption(option, f"line {number + 1} of '{path}' is a {kind}, but '{repo}' stores {stored}")


def _are_records(value: t.Any) -> bool:
    return isinstance(value, list) and all(map(rule_records.is_record, value))


def _opened(path: str, option: str) -> t.BinaryIO:
    check_readable(path, option)
    try:
        return open(rehearsal.resolve_read(path), "rb")
    except OSError as error:
        raise BadOption(option, f"cannot read '{path}': {error.strerror}") from None


def _entry(line: bytes, number: int, path: str, option: str) -> Line:
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise BadOption(option, f"line {number} of '{path}' is no JSON object")
    return entry


def _row(entry: Line, number: int, path: str, option: str) -> list[t.Any]:
    for name, value in entry.items():
        if name not in _TYPES or not (images.is_size(value) if _TYPES[name] is int else isinstance(value, str)):
            raise BadOption(option, f"line {number} of '{path}' has a '{name}' that no plan has")
    for name in ("kind", "repo", "path", *_NEEDED.get(entry.get("kind", ""), ("kind of file, tag or folder",))):
        if name not in entry:
            raise BadOption(option, f"line {number} of '{path}' has no {name}")
    folder, _slash, name = entry["path"].rpartition("/")
    if not _is_place(entry, folder, name):
        raise BadOption(option, f"line {number} of '{path}' has a 'path' that no plan has")
    values = {"size": 0, "files": 1, "rule": "", **entry}
    return [*map(values.get, _COLUMNS), entry["path"] if entry["kind"] != "file" else folder or "."]


def _is_place(entry: Line, folder: str, name: str) -> bool:
    """Return whether a line is about one item that a plan can have, and about no other one below or above it."""
    parts = [entry["repo"], *entry["path"].split("/")]
    if any(part in ("", ".", "..") for part in parts) or "/" in entry["repo"]:
        return False
    row = {"repo": entry["repo"], "path": folder or ".", "name": name}
    if not query.is_writable(row) or not artifacts.is_addressable(entry["repo"], entry["path"]):
        return False
    if entry["kind"] != "tag":
        return not entry.get("manifest") and entry.get("files", 1) == (entry["kind"] == "file")
    return entry["manifest"] in images.MANIFEST_FILES and artifacts.is_tag(entry["path"])
