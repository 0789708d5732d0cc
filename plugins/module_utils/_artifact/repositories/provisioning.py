# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the items of a task share: one snapshot of the server, and the outcomes of writes that were sent together."""

from __future__ import annotations

import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.batches import Sender, Write
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.configurations import Snapshot
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.members import SECRETS
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, ItemSkipped, SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import drop_null
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    find_differences,
    run_or_predict,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets


class PlannedWrite(Exception):
    """Raised instead of a write while the writes of all items are planned."""

    def __init__(self, write: Write) -> None:
        super().__init__(write.key)
        self.write = write


class Provisioning:
    """The state that the items of a task share.

    The items are compared twice. The first pass collects their writes, which are then sent in batches and in the order
    of their references. In the second pass, each item takes the outcome of its write and reads the repository back.

    :arg reconcile_item: reconciles the repository of an item's task
    :ivar declared: class and package type of the repositories that the items declare; `None` for absent ones
    :ivar values: further values that are read once for all items
    """

    def __init__(
        self, task: Task, artifact: ArtifactService, reconcile_item: t.Callable[[Task, Provisioning], None]
    ) -> None:
        self._task = task
        self._artifact = artifact
        self._reconcile_item = reconcile_item
        self._lock = threading.Lock()
        self._snapshots: list[Snapshot] = []
        self._is_planning = False
        self._outcomes: dict[str, Exception | None] = {}
        self._failures = 0
        self._is_refused = False
        self._failed_virtuals: set[str] = set()
        self._total = 0
        self._keys: tuple[str, ...] = ()
        self._members: dict[str, list[str]] = {}
        self.declared: dict[str, tuple[str, str] | None] = {}
        self.values = SharedValues()

    def prepare(self, items: list[Item]) -> list[Item]:
        """Read the current state and, outside of check mode, send the writes of all items. Return the items."""
        tasks = [self._create_task(item) for item in items]
        self._keys = tuple(task.params["key"] for task in tasks)
        for task in tasks:
            is_absent = task.params["state"] == "absent"
            self.declared[task.params["key"]] = (
                None if is_absent else (task.params["type"], task.params["package_type"])
            )
        self._snapshots.append(Snapshot(self._task, self._artifact, self._keys))
        self._members = self._predict_members(tasks)
        run_or_predict(self._task, lambda: self._send(self._plan(tasks)), lambda: None)
        return items

    @property
    def has_snapshot(self) -> bool:
        """Whether the task has items, so that they share a snapshot."""
        return bool(self._snapshots)

    @property
    def types(self) -> dict[str, tuple[str, str]]:
        """Class and package type of all existing repositories by key."""
        return self._snapshots[0].types

    def find(self, key: str, generation: int | None) -> tuple[int, Fields | None]:
        """Return a repository and the generation of the snapshot that has it.

        :arg generation: the generation that the item has seen; the first one if it has not read the repository yet
        """
        if generation is None:
            return 0, self._snapshots[0].find(key)
        with self._lock:
            if generation == len(self._snapshots) - 1:
                self._snapshots.append(self._read_snapshot())
            latest = len(self._snapshots) - 1
        return latest, self._snapshots[latest].find(key)

    def list_containing(self, key: str) -> list[str] | None:
        """Return the virtual repositories that contain a repository after the task, or `None` if they are unknown."""
        if not self._snapshots or not self._snapshots[0].is_complete:
            return None
        return sorted(name for name, members in self._members.items() if key in members)

    def has_outcome(self, key: str) -> bool:
        """Return whether the write of a repository was sent with those of other items."""
        return key in self._outcomes

    def claim(self, task: Task, write: Write) -> bool:
        """Take the outcome of a write that was sent with those of other items. Return whether there is one.

        :raises PlannedWrite: while the writes of all items are planned
        :raises ToolchainError: if the write failed
        :raises ItemSkipped: if it was not sent, because too many writes had failed
        """
        if self._is_planning:
            raise PlannedWrite(write)
        if write.key not in self._outcomes:
            return False
        error = self._outcomes.pop(write.key)
        if error is not None:
            raise error
        task.has_written = True
        return True

    def _create_task(self, item: Item) -> Task:
        return self._task.create_item_task(drop_null(item), diff_mode=False)

    def _read_snapshot(self) -> Snapshot:
        return Snapshot(self._task, self._artifact, self._keys)

    def _predict_members(self, tasks: list[Task]) -> dict[str, list[str]]:
        """Return the members of all virtual repositories after the task."""
        members = self._snapshots[0].members_by_virtual()
        for task in tasks:
            key = task.params["key"]
            if task.params["state"] == "absent":
                members.pop(key, None)
            elif task.params["type"] == "virtual":
                declared = task.params["repositories"] or (task.params["settings"] or {}).get("repositories")
                members[key] = members.get(key, []) if declared is None else declared
        return members

    def _plan(self, tasks: list[Task]) -> list[Write]:
        """Return the writes of all items. Items that fail before they write fail again when they are processed."""
        writes = []
        self._is_planning = True
        try:
            for task in tasks:
                try:
                    self._reconcile_item(task, self)
                except PlannedWrite as planned:
                    writes.append(planned.write)
                except ToolchainError:
                    self._failures += 1
        finally:
            self._is_planning = False
        return writes

    def _send(self, writes: list[Write]) -> None:
        if not writes:
            return
        self._total = len(writes)
        Sender(self._artifact, self).send_all(writes)
        for write in writes:
            self._outcomes.setdefault(write.key, ItemSkipped("other items failed before"))

    def record(self, write: Write, error: ToolchainError | None) -> None:
        """Record a write and its error, which is `None` after a success."""
        self._outcomes[write.key] = error
        self._failures += error is not None
        self._is_refused = self._is_refused or bool(error and error.affects_all_items)
        if error and write.is_virtual:
            self._failed_virtuals.add(write.key)
        if len(self._outcomes) < self._total:
            self._task.report_progress(f"{len(self._outcomes):,} of {self._total:,} repositories written", "writing")

    def should_stop(self) -> bool:
        """Return whether no more writes should be sent."""
        limit = self._task.params["max_failures"]
        return self._is_refused or bool(limit and self._failures >= limit)

    def list_done(self, writes: t.Sequence[Write]) -> set[str]:
        """Return the keys of the writes that had their effect although their batch was refused."""
        try:
            snapshot = Snapshot(self._task, self._artifact, [write.key for write in writes])
            return {write.key for write in writes if _is_done(snapshot.find(write.key), write)}
        except ToolchainError:
            return set()

    def find_obstacle(self, write: Write) -> ToolchainError | None:
        """Return the reason why a repository must not be deleted after all."""
        members = self._snapshots[0].members_by_virtual() if self._failed_virtuals else {}
        names = sorted(name for name in self._failed_virtuals if write.key in members.get(name, ()))
        if not names:
            return None
        return ToolchainError(
            f"Repository '{write.key}' is still a member of '{names[0]}', which could not be changed. It is kept."
        )


def _is_done(current: Fields | None, write: Write) -> bool:
    fields = WriteOnlySecrets(SECRETS).strip(write.fields)
    return current is not None and not find_differences(current, fields)
