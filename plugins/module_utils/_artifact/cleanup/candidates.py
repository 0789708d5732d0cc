# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules are about: asked of the server rule by rule and repository by repository, and decided in the store."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import conditions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import FIELDS, Artifact
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Condition, Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_Page = list[tuple[Artifact, list[str]]]

_SEEN = """
INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET old = {old}, moment = max(moment, excluded.moment)
"""
# What a tag's folder has in it was counted before
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
_PLAN = """
INSERT INTO plan (kind, repo, path, folder, manifest, size, files, sha1, moment, rule)
SELECT CASE WHEN manifest IS NULL THEN 'file' ELSE 'tag' END, repo, path,
    CASE WHEN manifest IS NULL THEN folder ELSE path END, manifest, size, 1, sha1, moment, CAST(min(rule) AS TEXT)
FROM seen WHERE old AND NOT EXISTS (SELECT 1 FROM kept WHERE kept.repo = seen.repo AND kept.path = seen.path)
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
        self._name = f"{rule.title} in {repo}"
        self._scope = conditions.scope(rule, repo, tags)

    def gather(self) -> None:
        """Put them into the store: what competes to be kept, what is old, and what is kept for a property."""
        rule = self._rule
        if rule.keep_newest is None:
            self._each("old", conditions.old(rule, self._tags), functools.partial(self._note, old=True))
        else:
            self._each("all", [], functools.partial(self._note, old=rule.unused_since is None))
            if rule.unused_since:
                self._each("unused", conditions.old(rule, self._tags), self._mark_old)
        if rule.keep_properties:
            self._each("kept", [conditions.any_property(rule.keep_properties)], self._keep)
        if self._tags:
            self._measure_tags()

    def _measure_tags(self) -> None:
        where = [self._rule.index, self._repo]
        with self._store.at_once():
            self._store.write(_SIZE_OF_TAGS, where)
            if self._rule.larger_than is not None:
                self._store.write(_SMALL_TAGS, [*where, self._rule.larger_than])

    def _each(self, what: str, more: list[Condition], take: t.Callable[[_Page], None]) -> None:
        find = [*self._scope, *more]
        self._scan.each_page(f"{self._name}: {what}", find, FIELDS, lambda rows: take(list(self._read(find, rows))))

    def _read(self, find: list[Condition], rows: list[Fields]) -> t.Iterator[tuple[Artifact, list[str]]]:
        """The artifacts that the rule takes, each with its values to group by."""
        by = self._rule.group_property
        values = self._scan.values(find, rows, by) if by else {}
        for row in rows:
            if not query.is_writable(row):
                continue  # it could not be looked at again before it is deleted
            file = artifacts.read(row)
            found = artifacts.as_tag(file) if self._tags else file
            if found and self._rule.takes(found):
                yield found, values.get((file.folder, file.name), [])

    def _note(self, page: _Page, old: bool) -> None:
        """Remember what the rule is about; with its age where that decides."""
        self._store.write_all(_SEEN.format(old="min(old, excluded.old)"), self._lines(page, old))

    def _mark_old(self, page: _Page) -> None:
        self._store.write_all(_SEEN.format(old="excluded.old"), self._lines(page, True))

    def _lines(self, page: _Page, old: bool) -> t.Iterator[tuple[t.Any, ...]]:
        rule = self._rule
        for one, values in page:
            is_old = old and rule.is_old(one)
            for group in rule.groups(one, values):
                what = (one.folder, one.moment, one.size, one.sha1, one.manifest)
                yield (rule.index, one.repo, one.path, group, *what, is_old)

    def _keep(self, page: _Page) -> None:
        self._store.write_all(_KEPT, ((one.repo, one.path) for one, _values in page))


def decide(store: Store, rules: t.Sequence[Rule]) -> None:
    """Make the plan of what rules were found to be about: what is old to one of them and kept by none."""
    for rule in rules:
        if rule.keep_newest:
            store.write(_KEEP_NEWEST, [rule.index, rule.keep_newest])
    store.write(_PLAN)
    store.write(_FILES_OF_TAGS)
    for rule in rules:
        store.write("UPDATE plan SET rule = ? WHERE rule = ?", [rule.title, str(rule.index)])
    store.write("DELETE FROM seen")
    store.write("DELETE FROM kept")
