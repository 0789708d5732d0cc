# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verify items of a plan shortly before they are deleted. Only items that meet all conditions again are deleted."""

from __future__ import annotations

import collections
import contextlib
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion import entries as plan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion.entries import Entry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.scan import Condition
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import conditions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.rule import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

# Verdicts. All other verdicts are reasons why an item is kept
DELETE = "delete"
MISSING = "missing"
NOT_VERIFIED = "it could not be verified"
_CHANGED = "changed since it was planned"
_MAX_BATCHES = 8
# Verdicts are determined again after this time. Pauses can make the deletion of a batch take longer
_SECONDS_VALID = 60.0


class Verification:
    """Verifies items against the plan and its rules.

    :arg rules: the rules with which the plan was made
    :arg kinds: repository keys, and whether they store container images
    """

    def __init__(self, artifact: ArtifactService, rules: t.Sequence[Rule], kinds: t.Mapping[str, bool]) -> None:
        self._artifact = artifact
        self._rules = rules
        self._kinds = kinds

    def verdicts(self, batch: t.Sequence[Entry]) -> dict[int, str]:
        """Return a verdict on each file and tag by ID. Folders are verified one by one, see `is_empty`."""
        verdicts: dict[int, str] = {}
        for repo in {entry.repo for entry in batch}:
            verdicts.update(self._verdicts([entry for entry in batch if entry.repo == repo and entry.kind != "folder"]))
        return verdicts

    def _verdicts(self, entries: t.Sequence[Entry]) -> dict[int, str]:
        current = find_existing(self._artifact, entries)
        tags = [entry.path for entry in entries if entry.kind == "tag" and entry.id in current]
        contents = registry.fetch_contents(self._artifact, entries[0].repo, tags) if tags else {}
        verdicts = {
            entry.id: self._verdict(entry, current.get(entry.id), contents.get(entry.path)) for entry in entries
        }
        for rule in self._rules:
            self._apply(rule, [entry for entry in entries if verdicts[entry.id] == DELETE], verdicts)
        return verdicts

    def _verdict(self, entry: Entry, current: artifacts.Artifact | None, content: registry.TagContent | None) -> str:
        """Return the verdict on an item, regardless of properties."""
        if self._kinds.get(entry.repo) is not (entry.kind == "tag"):
            return "its repository is missing, or stores another kind of artifacts"
        if current is None:
            return MISSING
        if not entry.is_as_planned(current):
            return _CHANGED
        if entry.is_newest:
            return "now among the newest of its group"
        if current.downloaded != entry.downloaded:
            return "downloaded since it was planned"
        if entry.kind == "tag" and content is None:
            return NOT_VERIFIED
        if content and content.surplus is not None:
            return surplus_reason(content.surplus)
        size, files = (content.size, content.files) if content else (current.size, 1)
        if (size, files) != (entry.size, entry.files):
            return _CHANGED
        return self._verdict_by_rule(entry, current, size)

    def _verdict_by_rule(self, entry: Entry, current: artifacts.Artifact, size: int) -> str:
        if not 0 <= entry.selected_by < len(self._rules):
            return NOT_VERIFIED
        rule = self._rules[entry.selected_by]
        selects = _applies(rule, entry) and rule.is_old(current) and rule.is_large(size)
        return DELETE if selects else f"no longer selected by '{rule.title}'"

    def _apply(self, rule: Rule, entries: t.Sequence[Entry], verdicts: dict[int, str]) -> None:
        """Query the properties by which a rule selects and keeps artifacts, and update the verdicts."""
        selected = [entry for entry in entries if entry.selected_by == rule.index]
        if selecting := conditions.selecting_properties(rule):
            existing = find_existing(self._artifact, selected, *selecting)
            lost = [entry.id for entry in selected if entry.id not in existing]
            verdicts.update(dict.fromkeys(lost, f"it no longer has the properties that '{rule.title}' selects"))
        if keeping := conditions.keeping_properties(rule):
            candidates = [entry for entry in entries if verdicts[entry.id] == DELETE and _applies(rule, entry)]
            verdicts.update(
                dict.fromkeys(find_existing(self._artifact, candidates, *keeping), "kept because of a property")
            )


def find_existing(
    artifact: ArtifactService, batch: t.Sequence[Entry], *more: Condition
) -> dict[int, artifacts.Artifact]:
    """Return the items of one repository that exist and meet all conditions, by ID."""

    def find_part(part: t.Sequence[Entry]) -> dict[int, artifacts.Artifact]:
        places = {entry.location: entry.id for entry in part}
        find = [{"repo": part[0].repo}, conditions.is_at(places), *more]
        aql_query = aql.Query("items", find, (*artifacts.FIELDS, artifacts.DOWNLOADED))
        rows = aql.fetch_rows(artifact, aql_query, 0)
        existing = (artifacts.parse_row(artifacts.check_row(row)) for row in rows)
        return {places[file.folder, file.name]: file for file in existing if (file.folder, file.name) in places}

    return aql.fetch_in_parts(find_part, batch) if batch else {}


def is_empty(artifact: ArtifactService, folder: Entry) -> bool:
    """Return whether there is no file in or below a folder."""
    below: list[Condition] = [{"path": folder.path}, {"path": {"$match": aql.widen_pattern(f"{folder.path}/*")}}]
    find = [{"repo": folder.repo}, conditions.any_of(below)]
    return not list(aql.fetch_rows(artifact, aql.Query("items", find, ("repo", "path", "name"), limit=1), 0))


def surplus_reason(surplus: str | None) -> str:
    """Return why deleting a tag is not safe.

    :arg surplus: the entry of its folder that does not belong to the tag, `None` if the folder is unknown
    """
    if surplus is None:
        return "the contents of its folder are unknown"
    return f"its folder contains '{surplus}', which is not part of the tag"


def _applies(rule: Rule, entry: Entry) -> bool:
    """Return whether a rule applies to an item by its repository, folder and name."""
    folder, name = entry.folder_and_name
    return rule.repos.match(entry.repo) and rule.paths.match(folder) and rule.names.match(name)


class Verdicts:
    """Verdicts on items, determined batch by batch."""

    def __init__(self, store: Store, rules: t.Sequence[Rule], kinds: t.Mapping[str, bool]) -> None:
        self._store = store
        self._rules = rules
        self._kinds = kinds
        self._lock = threading.Lock()
        self._batches: collections.OrderedDict[int, _Batch] = collections.OrderedDict()

    def get(self, artifact: ArtifactService, entry: Entry) -> str:
        """Return the verdict on an item. An item that was not verified is kept."""
        number, place = divmod(entry.id, plan.BATCH)
        if place == plan.BATCH // 2:  # while other workers delete; if this fails, it is repeated when it is needed
            with contextlib.suppress(ToolchainError):
                self._read_batch(artifact, number + 1)
        return self._read_batch(artifact, number).get(entry.id, NOT_VERIFIED)

    def renew(self, artifact: ArtifactService, entry: Entry) -> str:
        """Return a new verdict on an item."""
        return self._verification(artifact).verdicts([entry]).get(entry.id, NOT_VERIFIED)

    def _verification(self, artifact: ArtifactService) -> Verification:
        return Verification(artifact, self._rules, self._kinds)

    def _read_batch(self, artifact: ArtifactService, number: int) -> dict[int, str]:
        with self._lock:
            batch = self._batches.setdefault(number, _Batch())
            if len(self._batches) > _MAX_BATCHES:
                self._batches.popitem(last=False)
        with batch.lock:
            if time.monotonic() > batch.valid_until:
                first = number * plan.BATCH
                where = "id BETWEEN ? AND ? AND outcome IS NULL"
                entries = list(plan.read_entries(self._store, where, [first, first + plan.BATCH - 1]))
                valid_until = time.monotonic() + _SECONDS_VALID
                batch.verdicts = self._verification(artifact).verdicts(entries)
                batch.valid_until = valid_until
        return batch.verdicts


class _Batch:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.verdicts: dict[int, str] = {}
        self.valid_until = float("-inf")
