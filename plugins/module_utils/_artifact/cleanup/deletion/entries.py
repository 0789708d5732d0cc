# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Items of a plan, read from the store in the order of the plan."""

from __future__ import annotations

import itertools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store

# Number of items that are verified together, shortly before the first of them is deleted
BATCH = 200


class Entry(t.NamedTuple):
    """An item of the plan."""

    id: int
    kind: str
    repo: str
    path: str
    manifest: str | None
    sha1: str
    moment: str
    downloaded: str
    size: int
    files: int
    rule: str
    selected_by: int
    is_newest: int

    @property
    def location(self) -> tuple[str, str]:
        """Return folder and name of the file to verify: the file itself, or the manifest of the tag."""
        return (self.path, self.manifest) if self.manifest else self.folder_and_name

    @property
    def folder_and_name(self) -> tuple[str, str]:
        """Return folder and name, or image and tag, as rules compare them."""
        folder, _slash, name = self.path.rpartition("/")
        return folder or ".", name

    def is_as_planned(self, current: artifacts.Artifact) -> bool:
        """Return whether a file, or the manifest of a tag, has not changed since it was planned."""
        return (self.sha1, self.moment) == (current.sha1, current.moment)


def read_entries(store: Store, where: str, values: t.Sequence[t.Any]) -> t.Iterator[Entry]:
    """Yield the first items that meet a condition, at most one batch."""
    for row in store.fetch_rows(
        f"SELECT {', '.join(Entry._fields)} FROM plan WHERE {where} ORDER BY id LIMIT {BATCH}", values
    ):
        yield Entry(*row)


def read_batches(store: Store, where: str) -> t.Iterator[list[Entry]]:
    """Yield all items that meet a condition in the order of the plan. Each batch has items of one repository."""
    last = 0
    while entries := list(read_entries(store, f"id > ? AND {where}", [last])):
        batch = list(itertools.takewhile(lambda entry: entry.repo == entries[0].repo, entries))
        yield batch
        last = batch[-1].id
