# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Carry out a plan: look again, delete what is still as planned, and verify that it is gone."""

from __future__ import annotations

import collections
import contextlib
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import conditions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.keeping import Keeping
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Condition
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, each
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import REPEATABLE, Policy
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# A lost reply is no reason to delete again: what is there by then may be new
_UNTIL_HEARD = Policy(frozenset((429, 503)), acted=False)
# Items that are looked at together, just before the first of them is deleted
_BATCH = 200
_BATCHES_KNOWN = 8
_ITEM = ("id", "kind", "repo", "path", "size", "rule")
_COLUMNS = "id, kind, repo, path, manifest, sha1, moment, size, rule"
GONE = "gone"
_LONGEST_PAUSE = 10.0
_NOTHING_TO_DELETE = "Nothing to delete"


class Entry(t.NamedTuple):
    """A line of the plan that is to be carried out."""

    id: int
    kind: str
    repo: str
    path: str
    manifest: str | None
    sha1: str
    moment: str
    size: int
    rule: str

    @property
    def place(self) -> tuple[str, str]:
        """Folder and name of the file that is looked at: its own, or the manifest of the tag."""
        if self.manifest:
            return self.path, self.manifest
        folder, _slash, name = self.path.rpartition("/")
        return folder or ".", name

    def is_as_planned(self, found: artifacts.Artifact) -> bool:
        return (self.sha1, self.moment) == (found.sha1, found.moment)


class Look:
    """Asks in what state planned items are now."""

    def __init__(self, artifact: ArtifactService) -> None:
        self._artifact = artifact

    def verdicts(self, batch: t.Sequence[Entry], made: str, keep: t.Sequence[Keeping]) -> dict[int, str]:
        """By id, why an item is not to be deleted; `GONE` for one that is not there.

        :arg batch: files and tags; folders are looked at one by one
        :arg made: when the plan was made
        :arg keep: what rules keep for a property
        """
        found: dict[int, str] = {}
        for repo in {entry.repo for entry in batch}:
            files = [entry for entry in batch if entry.repo == repo and entry.kind != "folder"]
            found.update(self._verdicts(files, made, keep))
        return found

    def _verdicts(self, files: t.Sequence[Entry], made: str, keep: t.Sequence[Keeping]) -> dict[int, str]:
        there = self.there(files)
        verdicts = ((entry.id, _verdict(entry, there.get(entry.id), made)) for entry in files)
        found = {number: verdict for number, verdict in verdicts if verdict}
        for kept in keep:
            about = [entry for entry in files if entry.id not in found and kept.is_about(entry.repo, entry.path)]
            found.update(dict.fromkeys(self.there(about, *kept.conditions()), "marked to be kept"))
        return found

    def there(self, batch: t.Sequence[Entry], *more: Condition) -> dict[int, artifacts.Artifact]:
        """By id, those of the items, all of one repository, that are there and meet a condition."""
        if not batch:
            return {}
        places = {entry.place: entry.id for entry in batch}
        fields = (*artifacts.FIELDS, artifacts.DOWNLOADED)
        asked = query.Query("items", [{"repo": batch[0].repo}, conditions.one_of(places), *more], fields)
        found = (artifacts.read(artifacts.checked(row)) for row in query.rows(self._artifact, asked, 0))
        return {places[one.folder, one.name]: one for one in found if (one.folder, one.name) in places}

    def is_empty(self, folder: Entry) -> bool:
        """Whether there is no file in or below a folder."""
        below: list[Condition] = [{"path": folder.path}, {"path": {"$match": query.wide(f"{folder.path}/*")}}]
        find = [{"repo": folder.repo}, conditions.either(below)]
        return not list(query.rows(self._artifact, query.Query("items", find, ("repo", "path", "name"), limit=1), 0))


def _verdict(entry: Entry, found: artifacts.Artifact | None, made: str) -> str | None:
    if found is None:
        return GONE
    if not entry.is_as_planned(found):
        return "changed since it was planned"
    return "downloaded since it was planned" if found.downloaded > made else None


class Verdicts:
    """Why items are not to be deleted, found out for a batch at a time."""

    def __init__(self, store: Store, made: str, keep: t.Sequence[Keeping]) -> None:
        self._store = store
        self._since = (made, keep)
        self._lock = threading.Lock()
        self._batches: collections.OrderedDict[int, _Batch] = collections.OrderedDict()

    def of(self, artifact: ArtifactService, entry: Entry) -> str | None:
        """Why not to delete an item; `None` when it shall be."""
        number, place = divmod(entry.id, _BATCH)
        if place == _BATCH // 2:  # while others go on deleting; who needs it asks again if this fails
            with contextlib.suppress(ToolchainError):
                self._found(artifact, number + 1)
        return self._found(artifact, number).get(entry.id)

    def _found(self, artifact: ArtifactService, number: int) -> dict[int, str]:
        with self._lock:
            batch = self._batches.setdefault(number, _Batch())
            if len(self._batches) > _BATCHES_KNOWN:
                self._batches.popitem(last=False)
        with batch.lock:
            if batch.found is None:
                first = number * _BATCH
                entries = _entries(self._store, "id BETWEEN ? AND ? AND outcome IS NULL", [first, first + _BATCH - 1])
                batch.found = Look(artifact).verdicts(list(entries), *self._since)
        return batch.found


class _Batch:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.found: dict[int, str] | None = None


class Pace:
    """How long to wait before a delete: as long as was asked for, and longer while the server is overburdened."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._more = 0.0

    def wait(self) -> None:
        if seconds := min(self._pause + self._more, _LONGEST_PAUSE):
            time.sleep(seconds)

    def heard(self, overburdened: bool) -> None:
        """Take into account how a delete was answered; all workers go by it."""
        more = min(2 * self._more + 0.1, _LONGEST_PAUSE) if overburdened else self._more * 0.9
        self._more = more if more > 0.01 else 0.0


class Pending:
    """The items of the plan that are not done yet."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __len__(self) -> int:
        return self._store.one("SELECT count(*) FROM plan WHERE outcome IS NULL")[0]

    def __iter__(self) -> t.Iterator[Item]:
        for batch in _batches(self._store, "outcome IS NULL"):
            for entry in batch:
                yield {name: getattr(entry, name) for name in _ITEM}


class Deletion:
    """Deletes what the store has planned, with one outcome for each item."""

    def __init__(self, task: Task, store: Store) -> None:
        self._task = task
        self._store = store
        self._verdicts = Verdicts(store, times.utc(store.fact("made")), [*map(Keeping, store.fact("keep"))])
        self._pace = Pace(task.params["pause"])
        self._lock = threading.Lock()
        self._untried = len(Pending(store))
        self._files = store.one("SELECT count(*) FROM plan WHERE outcome IS NULL AND kind <> 'folder'")[0]
        self._sure = False
        self._files_done = threading.Event()
        if not self._files:
            self._files_done.set()

    @property
    def complete(self) -> bool:
        """Whether there is nothing to go on with: each item was tried, and what became of it is known."""
        return self._sure and not self._untried

    def carry_out(self) -> Fields:
        """Delete, verify, and give what was deleted.

        :raises ToolchainError: when items failed, unless the task goes on with them
        """
        failure: ToolchainError | None = None
        try:
            each(self._task, Pending(self._store), self._take)
        except ToolchainError as error:
            failure = error
        still_there = self._verified()
        self._sure = not self._task.result["counts"]["unknown"]
        self._task.result["deleted"] = self._sum()
        if failure:
            raise failure
        if still_there and self._task.params["on_error"] == "fail":
            raise ToolchainError(f"{len(still_there):,} items are still there. The first: {still_there[0]['reason']}")
        return {}

    def _take(self, task: Task) -> None:
        """Bring one item to its end, in a thread."""
        (entry,) = _entries(self._store, "id = ?", [task.params["id"]])
        try:
            if entry.kind == "folder":
                self._files_done.wait()
            outcome, why = self._ended(task, ArtifactService(task), entry)
            task.result.update({"outcome": outcome, "why": why})
            self._store.write("UPDATE plan SET outcome = ? WHERE id = ?", [outcome, entry.id])
        finally:
            with self._lock:
                self._untried -= 1
                self._files -= entry.kind != "folder"
                if not self._files:
                    self._files_done.set()

    def _ended(self, task: Task, artifact: ArtifactService, entry: Entry) -> tuple[str, str | None]:
        """How it ends: `deleted`, `gone` before, or `left`, and why."""
        look = Look(artifact)
        if entry.kind == "folder":
            why = None if look.is_empty(entry) else "not empty any more"
        else:
            why = self._verdicts.of(artifact, entry)
        if why and why != GONE:
            return "left", why
        outcome = "gone" if why == GONE else self._delete(task, artifact, entry)
        if task.params["clean_trash"]:
            _clean_trash(artifact, entry)
        task.changed = outcome == "deleted"
        return outcome, None

    def _delete(self, task: Task, artifact: ArtifactService, entry: Entry) -> str:
        """Delete an item, once: when a reply was lost or says nothing for sure, look before the next try."""
        for tries_left in reversed(range(task.params["retries"] + 1)):
            self._pace.wait()
            try:
                artifact.http.write("DELETE", _address(entry), accept=(200, 204), policy=_UNTIL_HEARD)
                return "deleted"
            except (OutcomeUnknown, ServerRefusal) as error:
                missing = isinstance(error, ServerRefusal) and error.status == 404
                if isinstance(error, ServerRefusal) and error.status < 500 and not missing:
                    raise
                if not _is_there(artifact, entry, error):
                    return "gone" if missing else "deleted"
                if missing:
                    raise ToolchainError(f"{error} But it is there: the account may read it, not delete it.") from None
                if tries_left == 0 or isinstance(error, ServerRefusal):
                    raise ToolchainError(f"{error} It is still there.") from None
            finally:
                self._pace.heard(overburdened=bool(task.repeats))
        raise AssertionError("the last try returns or raises")

    def _verified(self) -> list[Item]:
        """Ask whether what was answered as deleted is gone; put what is not into the result as failed, and give it."""
        look, found = Look(ArtifactService(self._task)), []
        for batch in _batches(self._store, "outcome = 'deleted' AND kind <> 'folder'"):
            there = look.there(batch)
            found += [entry for entry in batch if entry.id in there and entry.is_as_planned(there[entry.id])]
            self._store.write_all("UPDATE plan SET outcome = 'verified' WHERE id = ?", ([entry.id] for entry in batch))
        failures = [_still_there(entry) for entry in found]
        self._store.write_all("UPDATE plan SET outcome = 'failed' WHERE id = ?", ([entry.id] for entry in found))
        counts = self._task.result["counts"]
        counts["changed"] -= len(found)
        counts["failed"] += len(found)
        self._task.result["failures"] += failures
        return failures

    def _sum(self) -> Fields:
        """What went, by repository."""
        rows = self._store.rows(
            "SELECT repo, sum(kind <> 'folder'), sum(size), sum(kind = 'folder') FROM plan "
            "WHERE outcome IN ('deleted', 'verified') GROUP BY repo ORDER BY repo"
        )
        by_repository = [dict(zip(("repo", "items", "bytes", "folders"), row)) for row in rows]
        total = {name: sum(entry[name] for entry in by_repository) for name in ("items", "bytes", "folders")}
        return {**total, "repositories": by_repository}


def _is_there(artifact: ArtifactService, entry: Entry, doubt: ToolchainError) -> bool:
    """Whether the item is there as it was planned; another one in its place is not it.

    :arg doubt: what made that unclear, and is told when it stays so
    """
    try:
        if entry.kind == "folder":
            return artifact.http.read("GET", artifact.item(entry.repo, entry.path), accept=(200, 404)).status == 200
        there = Look(artifact).there([entry])
    except ToolchainError:
        raise doubt if isinstance(doubt, OutcomeUnknown) else OutcomeUnknown(str(doubt)) from None
    return entry.id in there and entry.is_as_planned(there[entry.id])


def _clean_trash(artifact: ArtifactService, entry: Entry) -> None:
    """Delete for good what lies in the trash can; what is not there (that of a cache never is) is no failure."""
    address = f"/artifactory/api/trash/clean{_below(entry)}"
    try:
        artifact.http.write("DELETE", address, accept=(200, 204), policy=REPEATABLE)
    except ServerRefusal as refusal:
        if refusal.status != 400 or _NOTHING_TO_DELETE not in refusal.text:
            raise


def _address(entry: Entry) -> str:
    return f"/artifactory{_below(entry)}"


def _below(entry: Entry) -> str:
    return segments(entry.repo, option="repo") + segments(*entry.path.split("/"), option="path")


def _still_there(entry: Entry) -> Item:
    item = {name: getattr(entry, name) for name in _ITEM}
    reason = f"The server answered that '{entry.repo}/{entry.path}' was deleted, but it is still there."
    return {"index": entry.id - 1, "item": item, "status": "failed", "changed": False, "reason": reason}


def _batches(store: Store, where: str) -> t.Iterator[list[Entry]]:
    """Items of the plan, in its order, each batch of one repository."""
    last = 0
    while batch := list(_entries(store, f"id > ? AND {where}", [last])):
        batch = [entry for entry in batch if entry.repo == batch[0].repo]
        yield batch
        last = batch[-1].id


def _entries(store: Store, where: str, values: t.Sequence[t.Any]) -> t.Iterator[Entry]:
    for row in store.rows(f"SELECT {_COLUMNS} FROM plan WHERE {where} ORDER BY id LIMIT {_BATCH}", values):
        yield Entry(*row)
