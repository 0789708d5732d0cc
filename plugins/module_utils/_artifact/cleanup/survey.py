# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is in whole repositories: sizes of tags, shares that a plan takes, and folders that it leaves empty."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import images
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import is_addressable
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_FIELDS = ("repo", "path", "name", "size")
_COUNT = """
INSERT INTO folders VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    files = files + excluded.files, bytes = bytes + excluded.bytes, surplus = coalesce(surplus, excluded.surplus)
"""
_Found = tuple[int, int, t.Optional[str]]
# Folders with a file that is not planned
_STAYING = """
SELECT folders.folder FROM folders LEFT JOIN (
    SELECT folder, sum(files) AS files FROM plan WHERE repo = ?1 AND kind <> 'folder' GROUP BY folder
) AS going ON going.folder = folders.folder
WHERE folders.repo = ?1 AND folders.files > coalesce(going.files, 0)
"""
_PLAN_FOLDER = "INSERT INTO plan (kind, repo, path, folder, size, files, rule) VALUES ('folder', ?1, ?2, ?2, 0, 0, '')"


def survey(scan: Scan, store: Store, repo: str, tags: bool) -> None:
    """Count all files of a repository, by folder.

    :arg tags: whether the repository holds images, so that it matters what is in the folder of a tag beside the tag
    """

    def count(rows: list[Fields]) -> None:
        store.write_all(_COUNT, ((repo, folder, *found) for folder, found in (_tags if tags else _files)(rows)))

    kind, fields = ([{"type": "any"}], images.CONTENT_FIELDS) if tags else ([], _FIELDS)
    scan.each_page(f"all of {repo}", [{"repo": repo}, *kind], fields, count)


def _files(rows: list[Fields]) -> t.Iterator[tuple[str, _Found]]:
    sizes: dict[str, list[int]] = collections.defaultdict(list)
    for row in rows:
        sizes[row["path"]].append(row["size"])
    for folder, found in sizes.items():
        yield folder, (len(found), sum(found), None)


def _tags(rows: list[Fields]) -> t.Iterator[tuple[str, _Found]]:
    contents: dict[str, images.TagContent] = collections.defaultdict(images.TagContent)
    for row in rows:
        contents[row["path"]].add(row)
    for folder, found in contents.items():
        yield folder, (found.files, found.size, found.surplus)


def plan_folders(store: Store, repo: str) -> None:
    """Add to the plan the folders in which the plan leaves no file: of those in each other, the uppermost."""
    store.write("CREATE TEMP TABLE staying (folder TEXT PRIMARY KEY) WITHOUT ROWID")
    store.write("CREATE TEMP TABLE emptied (folder TEXT PRIMARY KEY) WITHOUT ROWID")
    for (folder,) in store.rows(_STAYING, [repo]):
        _add_with_ancestors(store, "staying", folder)
    for kind, folder in store.rows(
        "SELECT DISTINCT kind, folder FROM plan WHERE repo = ? AND kind <> 'folder'", [repo]
    ):
        _add_with_ancestors(store, "emptied", _above(folder) if kind == "tag" else folder)
    store.write("DELETE FROM emptied WHERE folder IN (SELECT folder FROM staying)")
    for (folder,) in store.rows("SELECT folder FROM emptied ORDER BY folder"):
        is_uppermost = not store.one("SELECT 1 FROM emptied WHERE folder = ?", [_above(folder)])
        if is_uppermost and is_addressable(repo, folder):
            store.write(_PLAN_FOLDER, [repo, folder])
    store.write("DROP TABLE staying")
    store.write("DROP TABLE emptied")


def share(store: Store, repo: str) -> float:
    """Which part of a repository is planned, of its files or of its bytes, whichever is more; in percent."""
    has = store.one("SELECT sum(files), sum(bytes) FROM folders WHERE repo = ?", [repo])
    goes = store.one("SELECT sum(files), sum(size) FROM plan WHERE repo = ?", [repo])
    return max(100 * part / whole if whole else 0.0 for part, whole in zip(map(_number, goes), map(_number, has)))


def _add_with_ancestors(store: Store, table: str, folder: str) -> None:
    """Note a folder and those above it, up to one that is noted already; the root is none that could go."""
    while folder != "." and store.write(f"INSERT OR IGNORE INTO {table} VALUES (?)", [folder]):
        folder = _above(folder)


def _above(folder: str) -> str:
    return folder.rpartition("/")[0] or "."


def _number(value: t.Any) -> int:
    return value or 0
