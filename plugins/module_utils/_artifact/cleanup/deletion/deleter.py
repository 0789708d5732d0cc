# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Delete the items of a plan: verify each item again, delete it, and verify that it no longer exists."""

from __future__ import annotations

import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion.entries import (
    Entry,
    read_batches,
    read_entries,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion.verification import (
    DELETE,
    MISSING,
    Verdicts,
    find_existing,
    is_empty,
    surplus_reason,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import rule_record
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import trash
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, process_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT, Policy
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

# After a lost response, the item is verified before the next attempt, because another client may have replaced it
_REFUSED_ONLY = Policy(frozenset((429, 503)), is_idempotent=False)
_ITEM = ("id", "kind", "repo", "path", "size", "rule")
_MAX_PAUSE = 10.0
_NOTHING_TO_DELETE = "Nothing to delete"


class Throttle:
    """The pause before each deletion, which grows while the server is overloaded."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._more = 0.0

    def wait(self) -> None:
        if seconds := min(self._pause + self._more, _MAX_PAUSE):
            time.sleep(seconds)

    def adjust(self, is_overloaded: bool) -> None:
        """Adjust the pause of all workers after a deletion."""
        more = min(2 * self._more + 0.1, _MAX_PAUSE) if is_overloaded else self._more * 0.9
        self._more = more if more > 0.01 else 0.0


class PendingItems:
    """The items of the plan that have no outcome yet."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __len__(self) -> int:
        return self._store.fetch_one("SELECT count(*) FROM plan WHERE outcome IS NULL")[0]

    def __iter__(self) -> t.Iterator[Item]:
        """Yield files and tags before folders, regardless of their order in the plan."""
        for kind in ("kind <> 'folder'", "kind = 'folder'"):
            for batch in read_batches(self._store, f"outcome IS NULL AND {kind}"):
                for entry in batch:
                    yield {name: getattr(entry, name) for name in _ITEM}


class Deletion:
    """Deletes the items of the plan and records one outcome for each."""

    def __init__(self, task: Task, store: Store) -> None:
        self._task = task
        self._store = store
        self._verdicts = Verdicts(store, rule_record.from_records(store.get_fact("rules")), store.get_fact("kinds"))
        self._throttle = Throttle(task.params["pause"])
        self._lock = threading.Lock()
        self._untried = len(PendingItems(store))
        self._files = store.fetch_one("SELECT count(*) FROM plan WHERE outcome IS NULL AND kind <> 'folder'")[0]
        self._has_no_unknown = False
        self._files_done = threading.Event()
        if not self._files:
            self._files_done.set()

    @property
    def is_complete(self) -> bool:
        """Return whether there is nothing to continue: each item was tried and its outcome is known."""
        return self._has_no_unknown and not self._untried

    def run(self) -> Fields:
        """Delete all items, verify that they no longer exist, and add the totals to the result.

        :raises ToolchainError: if items failed, unless the task tolerates failures
        """
        failure: ToolchainError | None = None
        try:
            process_items(self._task, PendingItems(self._store), self._process)
        except ToolchainError as error:
            if not self._task.result["counts"]:
                raise  # nothing was started
            failure = error
        remaining = self._verify_deleted()
        self._has_no_unknown = not self._task.result["counts"]["unknown"]
        self._task.result["deleted"] = self._sum_up()
        if failure:
            raise failure
        if remaining and self._task.params["on_error"] == "fail":
            raise ToolchainError(f"{len(remaining):,} items still exist. The first: {remaining[0]['reason']}")
        return {}

    def _process(self, task: Task) -> None:
        """Verify and delete one item. Called in worker threads."""
        is_folder = task.params["kind"] == "folder"
        try:
            if is_folder:
                self._files_done.wait()
            (entry,) = read_entries(self._store, "id = ?", [task.params["id"]])
            artifact = ArtifactService(task)
            outcome, reason = self._delete_verified(task, artifact, entry)
            task.result.update({"outcome": outcome, "keep_reason": reason})
            self._store.execute("UPDATE plan SET outcome = ? WHERE id = ?", [outcome, entry.id])
            if outcome == "deleted" and task.params["clean_trash"]:
                _clean_trash(task, artifact, entry)
        finally:
            with self._lock:
                self._untried -= 1
                self._files -= not is_folder
                if not self._files:
                    self._files_done.set()

    def _delete_verified(self, task: Task, artifact: ArtifactService, entry: Entry) -> tuple[str, str | None]:
        """Return the outcome of an item, `deleted`, `missing` (deleted before) or `kept`, and the reason for keeping
        it.
        """
        verdict = self._verdict(artifact, entry, self._verdicts.get)
        if verdict == MISSING:
            return "missing", None
        if verdict != DELETE:
            return "kept", verdict
        outcome, reason = self._delete(task, artifact, entry)
        task.changed = outcome == "deleted"
        return outcome, reason

    def _verdict(
        self, artifact: ArtifactService, entry: Entry, of_artifact: t.Callable[[ArtifactService, Entry], str]
    ) -> str:
        if entry.kind == "folder":
            return DELETE if is_empty(artifact, entry) else "no longer empty"
        return of_artifact(artifact, entry)

    def _delete(self, task: Task, artifact: ArtifactService, entry: Entry) -> tuple[str, str | None]:
        """Delete an item. If the response is lost or inconclusive, verify the item again before the next attempt."""
        for remaining_retries in reversed(range(task.params["retries"] + 1)):
            self._throttle.wait()
            try:
                artifact.http.write("DELETE", _address(entry), accept=(200, 204), policy=_REFUSED_ONLY)
                return "deleted", None
            except (OutcomeUnknown, ServerRefusal) as error:
                is_missing = isinstance(error, ServerRefusal) and error.status == 404
                if isinstance(error, ServerRefusal) and error.status < 500 and not is_missing:
                    raise
                if not _still_exists(artifact, entry, error):
                    return "missing" if is_missing else "deleted", None
                if is_missing:
                    raise ToolchainError(
                        f"{error} But the item exists. Check that the account has the Delete permission on it."
                    ) from None
                if remaining_retries == 0 or isinstance(error, ServerRefusal):
                    raise ToolchainError(f"{error} It still exists.") from None
                verdict = self._verdict(artifact, entry, self._verdicts.renew)
                if verdict != DELETE:
                    return ("deleted", None) if verdict == MISSING else ("kept", verdict)
            finally:
                self._throttle.adjust(is_overloaded=bool(task.retry_reasons))
        raise AssertionError("the last try returns or raises")

    def _verify_deleted(self) -> list[Item]:
        """Return the items that still exist although the server confirmed their deletion, and record them as failed."""
        artifact, remaining = ArtifactService(self._task), []
        for batch in read_batches(self._store, "outcome = 'deleted' AND kind <> 'folder'"):
            existing = find_existing(artifact, batch)
            remaining += [entry for entry in batch if entry.id in existing and entry.is_as_planned(existing[entry.id])]
            self._store.execute_many(
                "UPDATE plan SET outcome = 'verified' WHERE id = ?", ([entry.id] for entry in batch)
            )
        failures = [_describe_failure(entry) for entry in remaining]
        self._store.execute_many("UPDATE plan SET outcome = 'failed' WHERE id = ?", ([entry.id] for entry in remaining))
        counts = self._task.result["counts"]
        counts["changed"] -= len(remaining)
        counts["failed"] += len(remaining)
        self._task.result["failures"] += failures
        return failures

    def _sum_up(self) -> Fields:
        """Return the deleted items by repository."""
        rows = self._store.fetch_rows(
            "SELECT repo, sum(kind <> 'folder'), sum(size), sum(kind = 'folder') FROM plan "
            "WHERE outcome IN ('deleted', 'verified') GROUP BY repo ORDER BY repo"
        )
        by_repository = [dict(zip(("repo", "items", "bytes", "folders"), row)) for row in rows]
        total = {name: sum(entry[name] for entry in by_repository) for name in ("items", "bytes", "folders")}
        return {**total, "repositories": by_repository}


def _still_exists(artifact: ArtifactService, entry: Entry, error: ToolchainError) -> bool:
    """Return whether the item exists as planned. Another item at the same path does not count.

    :arg doubt: the error because of which this is unknown; it is raised if reading fails as well
    """
    try:
        if entry.kind == "folder":
            return (
                artifact.http.read("GET", artifact.info_address(entry.repo, entry.path), accept=(200, 404)).status
                == 200
            )
        existing = find_existing(artifact, [entry])
    except ToolchainError:
        raise error if isinstance(error, OutcomeUnknown) else OutcomeUnknown(str(error)) from None
    return entry.id in existing and entry.is_as_planned(existing[entry.id])


def _clean_trash(task: Task, artifact: ArtifactService, entry: Entry) -> None:
    """Delete an item from the trash can, unless that would delete other items at the same path.

    If the trash can does not contain the item, this is not an error: items of caches are never moved there. Empty
    folders occupy no space and are skipped.
    """
    if entry.kind == "folder":
        return
    if entry.kind == "tag":
        path = f"{entry.repo}/{entry.path}"
        content = registry.fetch_contents(artifact, trash.TRASH, [path]).get(path)
        if content and content.surplus is not None:
            task.warn(f"'{path}' is kept in the trash can: {surplus_reason(content.surplus)}.")
            return
    address = f"/artifactory/api/trash/clean{_item_path(entry)}"
    try:
        artifact.http.write("DELETE", address, accept=(200, 204), policy=IDEMPOTENT)
    except ServerRefusal as refusal:
        if refusal.status != 400 or _NOTHING_TO_DELETE not in refusal.text:
            raise


def _address(entry: Entry) -> str:
    return f"/artifactory{_item_path(entry)}"


def _item_path(entry: Entry) -> str:
    return encode_path(entry.repo, option="repo") + encode_path(*entry.path.split("/"), option="path")


def _describe_failure(entry: Entry) -> Item:
    item = {name: getattr(entry, name) for name in _ITEM}
    reason = f"The server confirmed the deletion of '{entry.repo}/{entry.path}', but it still exists."
    return {"index": entry.id - 1, "item": item, "status": "failed", "changed": False, "reason": reason}
