# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules are about: asked of the server rule by rule and repository by repository, and decided in the store."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import conditions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import FIELDS, Artifact
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Condition, Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_Row = tuple[Fields, Artifact]

_SEEN = """
INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET old = min(old, excluded.old), moment = max(moment, excluded.moment)
"""
# What the folder of a tag contains was counted before
_SIZE_OF_TAGS = """
UPDATE seen SET size = coalesce(
    (SELECT bytes FROM folders WHERE folders.repo = seen.repo AND folders.folder = seen.path), size
) WHERE rule = ? AND repo = ?
"""
_SMALL_TAGS = "UPDATE seen SET old = 0 WHERE rule = ? AND repo = ? AND size <= ?"
_FILES_OF_TAGS = """
UPDATE plan SET files = coalesce(
    (SELECT files FROM folders WHERE folders.repo = plan.repo AND folders.folder = plan.folder), 1
) WHERE kind = 'tag'
"""
_KEPT = "INSERT OR IGNORE INTO kept VALUES (?, ?)"
_KEEP_NEWEST = """
INSERT OR IGNORE INTO kept SELECT repo, path FROM (
    SELECT repo, path, row_number() OVER (PARTITION BY repo, team ORDER BY moment DESC, path DESC) AS place
    FROM seen WHERE rule = ?
) WHERE place <= ?
"""
_MARK_NEWEST = """
UPDATE plan SET is_newest = EXISTS (SELECT 1 FROM kept WHERE kept.repo = plan.repo AND kept.path = plan.path)
"""
_SELECTED = """
FROM seen WHERE old AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.repo = seen.repo AND kept.path = seen.path)
"""
# A tag that was pushed after the folders were listed has no folder here: it stays as well
_UNSAFE = f"""
INSERT INTO unsafe SELECT repo, path, '', min(rule), (
    SELECT surplus FROM folders WHERE folders.repo = seen.repo AND folders.folder = seen.path
) {_SELECTED} AND manifest IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM folders WHERE folders.repo = seen.repo AND folders.folder = seen.path AND surplus IS NULL
) GROUP BY repo, path
"""
_PLAN = f"""
INSERT INTO plan (kind, repo, path, folder, manifest, size, files, sha1, moment, downloaded, rule, selected_by)
SELECT CASE WHEN manifest IS NULL THEN 'file' ELSE 'tag' END, repo, path,
    CASE WHEN manifest IS NULL THEN folder ELSE path END, manifest, size, 1, sha1, moment, downloaded, '', min(rule)
{_SELECTED} AND NOT EXISTS (SELECT 1 FROM unsafe WHERE unsafe.repo = seen.repo AND unsafe.path = seen.path)
GROUP BY repo, path ORDER BY repo, path
"""


class Candidates:
    """Asks for what one rule is about in one repository.

    :arg tags: whether the repository holds images, which are kept or deleted by whole tags
    """

    def __init__(self, scan: Scan, store: Store, rule: Rule, repo: str, tags: bool) -> None:
        self._scan = scan
        self._store = store
        self._rule = rule
        self._repo = repo
        self._tags = tags
        self._name = f"rules[{rule.index}] in {repo}"
        self._scope = conditions.scope(rule, repo, tags)

    def gather(self) -> None:
        """Put them into the store: what competes to be kept, what is old, and what is kept for a property."""
        rule = self._rule
        if rule.keep_newest is None:
            self._each("old", conditions.old(rule, self._tags), self._note)
        else:
            self._each("all", conditions.groups(rule), self._note)
        if rule.keep_properties:
            self._each("kept", [conditions.any_property(rule.keep_properties)], self._keep)
        if self._tags:
            self._measure_tags()

    def gather_newest(self, turn: int) -> None:
        """Put only what competes to be kept into the store.

        :arg turn: number of this look, which distinguishes it from interrupted ones
        """
        self._each(f"newest, {turn}", conditions.groups(self._rule), self._note_competitors)

    def _measure_tags(self) -> None:
        where = [self._rule.index, self._repo]
        with self._store.transaction():
            self._store.write(_SIZE_OF_TAGS, where)
            if self._rule.larger_than is not None:
                self._store.write(_SMALL_TAGS, [*where, self._rule.larger_than])

    def _each(self, what: str, more: list[Condition], take: t.Callable[[list[Condition], list[_Row]], None]) -> None:
        find = [*self._scope, *more]
        self._scan.each_page(f"{self._name}: {what}", find, FIELDS, lambda rows: take(find, list(self._read(rows))))

    def _read(self, rows: list[Fields]) -> t.Iterator[_Row]:
        """Yield the artifacts that the rule applies to, each with its row."""
        for row in rows:
            if not query.is_writable(row):
                continue  # it could not be verified before it is deleted
            file = artifacts.parse(row)
            found = artifacts.as_tag(file) if self._tags else file
            if found and artifacts.is_addressable(found.repo, found.path) and self._rule.takes(found):
                yield row, found

    def _note(self, find: list[Condition], page: list[_Row]) -> None:
        """Remember what the rule applies to, and whether it is old."""
        groups = self._groups(find, page)
        candidates = [(row, one) for row, one in page if self._may_be_deleted(one)]
        downloads = self._values([*find, conditions.DOWNLOADED], candidates, artifacts.DOWNLOADED)
        self._store.write_all(_SEEN, self._lines(page, groups, downloads))

    def _note_competitors(self, find: list[Condition], page: list[_Row]) -> None:
        self._store.write_all(_SEEN, self._lines(page, self._groups(find, page), {}))

    def _groups(self, find: list[Condition], page: list[_Row]) -> dict[tuple[str, str], list[str]]:
        """Return the values of the property to group by, by path and name."""
        key = self._rule.group_property
        return self._values(find, page, f"@{key}") if key else {}

    def _may_be_deleted(self, one: Artifact) -> bool:
        """Return whether it is old and large as far as its row says; the size of a tag is known only later."""
        return self._rule.is_old(one) and (one.manifest is not None or self._rule.is_large(one.size))

    def _values(self, find: list[Condition], page: list[_Row], field: str) -> dict[tuple[str, str], list[str]]:
        return self._scan.values(find, [row for row, _one in page], field)

    def _lines(
        self,
        page: list[_Row],
        values: dict[tuple[str, str], list[str]],
        downloads: dict[tuple[str, str], list[str]],
    ) -> t.Iterator[tuple[t.Any, ...]]:
        """:arg downloads: the last downloads of the artifacts that may go, as far as they were downloaded at all"""
        for row, one in page:
            place = (row["path"], row["name"])
            downloaded = artifacts.last_download(downloads.get(place, []))
            is_old = self._may_be_deleted(one._replace(downloaded=downloaded))
            what = (one.folder, one.moment, one.size, one.sha1, one.manifest, downloaded, is_old)
            for group in self._rule.groups(one, values.get(place, [])):
                yield (self._rule.index, one.repo, one.path, group, *what)

    def _keep(self, _find: list[Condition], page: list[_Row]) -> None:
        self._store.write_all(_KEPT, ((one.repo, one.path) for _row, one in page))


def decide(store: Store, rules: t.Sequence[Rule]) -> None:
    """Make the plan of what one rule selects and no rule keeps, and note what of that is not safe to delete."""
    _keep_newest(store, rules)
    store.write(_UNSAFE)
    store.write(_PLAN)
    store.write(_FILES_OF_TAGS)
    for rule in rules:
        for table in ("plan", "unsafe"):
            store.write(f"UPDATE {table} SET rule = ? WHERE selected_by = ?", [rule.title, rule.index])
    _forget(store)


def begin_again(store: Store) -> int:
    """Forget what an interrupted look at the newest gathered, and return the number of the next one."""
    turn = (store.fact("turn") or 0) + 1
    with store.transaction():
        _forget(store)
        store.remember("turn", turn)
    return turn


def mark_newest(store: Store, rules: t.Sequence[Rule]) -> None:
    """Mark the planned items that are among the newest of what was gathered."""
    _keep_newest(store, rules)
    store.write(_MARK_NEWEST)
    _forget(store)


def _forget(store: Store) -> None:
    store.write("DELETE FROM seen")
    store.write("DELETE FROM kept")


def _keep_newest(store: Store, rules: t.Sequence[Rule]) -> None:
    for rule in rules:
        if rule.keep_newest:
            store.write(_KEEP_NEWEST, [rule.index, rule.keep_newest])
