# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Collect the artifacts to which rules apply, by rule and repository, and decide in the store which to delete."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import FIELDS, Artifact
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.scan import (
    Condition,
    Scan,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import conditions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.rule import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_Row = tuple[Fields, Artifact]

_ADD_CANDIDATE = """
INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET old = min(old, excluded.old), moment = max(moment, excluded.moment)
"""
# Requires the counts of the table `folders`
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
_ADD_RETAINED = "INSERT OR IGNORE INTO kept VALUES (?, ?)"
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
# Tags that were pushed after the folders were listed have no row in `folders` and are kept as well
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
    """Collects the artifacts of one repository to which a rule applies.

    :arg tags: whether the repository stores container images, which are kept or deleted as tags
    """

    def __init__(self, scan: Scan, store: Store, rule: Rule, repo: str, tags: bool) -> None:
        self._scan = scan
        self._store = store
        self._rule = rule
        self._repo = repo
        self._tags = tags
        self._name = f"rules[{rule.index}] in {repo}"
        self._scope = conditions.scope_conditions(rule, repo, tags)

    def collect(self) -> None:
        """Write the artifacts to the store: those that compete to be kept, those that are old, and those kept by a
        property.
        """
        rule = self._rule
        if rule.keep_newest is None:
            self._read_pages("old", conditions.age_conditions(rule, self._tags), self._store_candidates)
        else:
            self._read_pages("all", conditions.group_conditions(rule), self._store_candidates)
        if rule.keep_properties:
            self._read_pages("kept", [conditions.has_any_property(rule.keep_properties)], self._store_retained)
        if self._tags:
            self._measure_tags()

    def collect_newest(self, pass_number: int) -> None:
        """Write only the artifacts that compete to be kept to the store.

        :arg turn: number of this pass, which distinguishes it from interrupted ones
        """
        self._read_pages(f"newest, {pass_number}", conditions.group_conditions(self._rule), self._store_competitors)

    def _measure_tags(self) -> None:
        where = [self._rule.index, self._repo]
        with self._store.transaction():
            self._store.execute(_SIZE_OF_TAGS, where)
            if self._rule.larger_than is not None:
                self._store.execute(_SMALL_TAGS, [*where, self._rule.larger_than])

    def _read_pages(
        self, what: str, more: list[Condition], take: t.Callable[[list[Condition], list[_Row]], None]
    ) -> None:
        find = [*self._scope, *more]
        self._scan.read_pages(
            f"{self._name}: {what}", find, FIELDS, lambda rows: take(find, list(self._parse_rows(rows)))
        )

    def _parse_rows(self, rows: list[Fields]) -> t.Iterator[_Row]:
        """Yield the artifacts to which the rule applies, each with its row."""
        for row in rows:
            if not aql.is_writable(row):
                continue  # it could not be verified before the deletion
            file = artifacts.parse_row(row)
            artifact = artifacts.to_tag(file) if self._tags else file
            if artifact and artifacts.is_addressable(artifact.repo, artifact.path) and self._rule.matches(artifact):
                yield row, artifact

    def _store_candidates(self, find: list[Condition], page: list[_Row]) -> None:
        """Store the artifacts to which the rule applies, and whether they are old."""
        groups = self._fetch_groups(find, page)
        candidates = [(row, artifact) for row, artifact in page if self._may_be_deleted(artifact)]
        downloads = self._fetch_values([*find, conditions.DOWNLOADED], candidates, artifacts.DOWNLOADED)
        self._store.execute_many(_ADD_CANDIDATE, self._to_store_rows(page, groups, downloads))

    def _store_competitors(self, find: list[Condition], page: list[_Row]) -> None:
        self._store.execute_many(_ADD_CANDIDATE, self._to_store_rows(page, self._fetch_groups(find, page), {}))

    def _fetch_groups(self, find: list[Condition], page: list[_Row]) -> dict[tuple[str, str], list[str]]:
        """Return the values of the property to group by, by path and name."""
        key = self._rule.group_property
        return self._fetch_values(find, page, f"@{key}") if key else {}

    def _may_be_deleted(self, artifact: Artifact) -> bool:
        """Return whether an artifact is old and large according to its row. The size of a tag is determined later."""
        return self._rule.is_old(artifact) and (artifact.manifest is not None or self._rule.is_large(artifact.size))

    def _fetch_values(self, find: list[Condition], page: list[_Row], field: str) -> dict[tuple[str, str], list[str]]:
        return self._scan.fetch_values(find, [row for row, _artifact in page], field)

    def _to_store_rows(
        self,
        page: list[_Row],
        values: dict[tuple[str, str], list[str]],
        downloads: dict[tuple[str, str], list[str]],
    ) -> t.Iterator[tuple[t.Any, ...]]:
        """Yield the rows to store.

        :arg downloads: last downloads of the artifacts that can be deleted, if they were downloaded
        """
        for row, artifact in page:
            place = (row["path"], row["name"])
            downloaded = artifacts.latest_download(downloads.get(place, []))
            is_old = self._may_be_deleted(artifact._replace(downloaded=downloaded))
            columns = (
                artifact.folder,
                artifact.moment,
                artifact.size,
                artifact.sha1,
                artifact.manifest,
                downloaded,
                is_old,
            )
            for group in self._rule.get_groups(artifact, values.get(place, [])):
                yield (self._rule.index, artifact.repo, artifact.path, group, *columns)

    def _store_retained(self, _find: list[Condition], page: list[_Row]) -> None:
        self._store.execute_many(_ADD_RETAINED, ((artifact.repo, artifact.path) for _row, artifact in page))


def decide(store: Store, rules: t.Sequence[Rule]) -> None:
    """Plan the artifacts that a rule selects and no rule keeps, and store separately the tags that are not safe to
    delete.
    """
    _keep_newest(store, rules)
    store.execute(_UNSAFE)
    store.execute(_PLAN)
    store.execute(_FILES_OF_TAGS)
    for rule in rules:
        for table in ("plan", "unsafe"):
            store.execute(f"UPDATE {table} SET rule = ? WHERE selected_by = ?", [rule.title, rule.index])
    _clear(store)


def start_pass(store: Store) -> int:
    """Delete what an interrupted search for the newest artifacts stored, and return the number of the next pass."""
    turn = (store.get_fact("turn") or 0) + 1
    with store.transaction():
        _clear(store)
        store.set_fact("turn", turn)
    return turn


def mark_newest(store: Store, rules: t.Sequence[Rule]) -> None:
    """Mark the planned items that are among the newest of the collected artifacts."""
    _keep_newest(store, rules)
    store.execute(_MARK_NEWEST)
    _clear(store)


def _clear(store: Store) -> None:
    store.execute("DELETE FROM seen")
    store.execute("DELETE FROM kept")


def _keep_newest(store: Store, rules: t.Sequence[Rule]) -> None:
    for rule in rules:
        if rule.keep_newest:
            store.execute(_KEEP_NEWEST, [rule.index, rule.keep_newest])
