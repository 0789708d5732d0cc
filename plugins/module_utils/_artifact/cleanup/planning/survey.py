# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Count the files of whole repositories: sizes of tags, shares of the plan, and folders that it leaves empty."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import is_addressable
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.scan import Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_FIELDS = ("repo", "path", "name", "size")
_COUNT = """
INSERT INTO folders VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    files = files + excluded.files, bytes = bytes + excluded.bytes, surplus = coalesce(surplus, excluded.surplus)
"""
_Totals = tuple[int, int, t.Optional[str]]
# Folders that contain a file outside the plan
_STAYING = """
SELECT folders.folder FROM folders LEFT JOIN (
    SELECT folder, sum(files) AS files FROM plan WHERE repo = ?1 AND kind <> 'folder' GROUP BY folder
) AS going ON going.folder = folders.folder
WHERE folders.repo = ?1 AND folders.files > coalesce(going.files, 0)
"""
_PLAN_FOLDER = "INSERT INTO plan (kind, repo, path, folder, size, files, rule) VALUES ('folder', ?1, ?2, ?2, 0, 0, '')"


def count_files(scan: Scan, store: Store, repo: str, tags: bool) -> None:
    """Count all files of a repository by folder.

    :arg tags: whether the repository stores container images; the contents of tag folders are recorded then
    """

    def count(rows: list[Fields]) -> None:
        store.execute_many(
            _COUNT, ((repo, folder, *totals) for folder, totals in (_sum_tags if tags else _sum_files)(rows))
        )

    kind, fields = ([{"type": "any"}], registry.CONTENT_FIELDS) if tags else ([], _FIELDS)
    scan.read_pages(f"all of {repo}", [{"repo": repo}, *kind], fields, count)


def _sum_files(rows: list[Fields]) -> t.Iterator[tuple[str, _Totals]]:
    sizes: dict[str, list[int]] = collections.defaultdict(list)
    for row in rows:
        sizes[row["path"]].append(row["size"])
    for folder, folder_sizes in sizes.items():
        yield folder, (len(folder_sizes), sum(folder_sizes), None)


def _sum_tags(rows: list[Fields]) -> t.Iterator[tuple[str, _Totals]]:
    contents: dict[str, registry.TagContent] = collections.defaultdict(registry.TagContent)
    for row in rows:
        contents[row["path"]].add(row)
    for folder, content in contents.items():
        yield folder, (content.files, content.size, content.surplus)


def plan_folders(store: Store, repo: str) -> None:
    """Add the folders in which the plan leaves no file to the plan. Of nested folders, only the topmost is added."""
    store.execute("CREATE TEMP TABLE staying (folder TEXT PRIMARY KEY) WITHOUT ROWID")
    store.execute("CREATE TEMP TABLE emptied (folder TEXT PRIMARY KEY) WITHOUT ROWID")
    for (folder,) in store.fetch_rows(_STAYING, [repo]):
        _add_with_ancestors(store, "staying", folder)
    for kind, folder in store.fetch_rows(
        "SELECT DISTINCT kind, folder FROM plan WHERE repo = ? AND kind <> 'folder'", [repo]
    ):
        _add_with_ancestors(store, "emptied", _parent(folder) if kind == "tag" else folder)
    store.execute("DELETE FROM emptied WHERE folder IN (SELECT folder FROM staying)")
    for (folder,) in store.fetch_rows("SELECT folder FROM emptied ORDER BY folder"):
        is_uppermost = not store.fetch_one("SELECT 1 FROM emptied WHERE folder = ?", [_parent(folder)])
        if is_uppermost and is_addressable(repo, folder):
            store.execute(_PLAN_FOLDER, [repo, folder])
    store.execute("DROP TABLE staying")
    store.execute("DROP TABLE emptied")


def compute_share(store: Store, repo: str) -> float:
    """Return the percentage of the files or bytes of a repository that is planned, whichever is larger."""
    has = store.fetch_one("SELECT sum(files), sum(bytes) FROM folders WHERE repo = ?", [repo])
    goes = store.fetch_one("SELECT sum(files), sum(size) FROM plan WHERE repo = ?", [repo])
    return max(100 * part / whole if whole else 0.0 for part, whole in zip(map(_or_zero, goes), map(_or_zero, has)))


def _add_with_ancestors(store: Store, table: str, folder: str) -> None:
    """Add a folder and its ancestors, up to one that was added before. The root is never added."""
    while folder != "." and store.execute(f"INSERT OR IGNORE INTO {table} VALUES (?)", [folder]):
        folder = _parent(folder)


def _parent(folder: str) -> str:
    return folder.rpartition("/")[0] or "."


def _or_zero(value: t.Any) -> int:
    return value or 0
