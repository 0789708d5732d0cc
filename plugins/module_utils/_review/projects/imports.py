# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Imports from another server of the review service: begun, and waited for.

The members of the records of imports and tasks are not documented. They are read for what they can contain: an id, the
name of the project, the address of the source, and a status or state whose words say that the import ended or failed.
"""

from __future__ import annotations

import collections
import json
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import OutcomeUnknown, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

SOURCE = WAIT + ArgumentSpec(
    dict(
        source_url=dict(type="str", address=True, required=True, one_line=True),
        source_username=dict(type="str", required=True, **NAME),
        source_password=dict(type="str", no_log=True, unchecked="any text; empty is one, too"),
    )
)

# Words of a status may also hang together, as in IMPORT_FAILED
_FAILED = re.compile(r"(?<![a-z])(fail|unsuccessful|abort|cancel|(?<!without )(?<!no )(?<!\b0 )error)", re.IGNORECASE)
_FINISHED = re.compile(r"(?<![a-z])(complete|finish|succe|done|ended)", re.IGNORECASE)

_ID_MEMBERS = re.compile(r"((task|import|job)_?)?(id|number)|uuid", re.IGNORECASE)
_VOLATILE_MEMBERS = re.compile(r"status|state|progress|percent|message|time|date|end|finish|duration", re.IGNORECASE)
# An empty list can be a lost response, or come before the server has noted the import
_MAX_EMPTY_POLLS = 2


class _ImportRecord(t.NamedTuple):
    """A record of an import or a task, and what it is recognized by in a later response."""

    action: str
    identity: str
    record: Fields

    @classmethod
    def from_record(cls, action: str, record: Fields) -> _ImportRecord:
        """Recognize a record by its id; without one by the members that stay the same."""
        ids = {name: value for name, value in record.items() if _ID_MEMBERS.fullmatch(name)}
        lasting = ids or {name: value for name, value in record.items() if not _VOLATILE_MEMBERS.search(name)}
        return cls(action, f"{action} {json.dumps(lasting, sort_keys=True)}", record)

    @property
    def is_running(self) -> bool:
        """Whether it has neither ended nor failed."""
        return not _FINISHED.search(self.status) and not _FAILED.search(self.status)

    @property
    def status(self) -> str:
        """The words that say how it stands."""
        words = (value for name, value in self.record.items() if name.lower() in ("status", "state"))
        return " ".join(map(str, words))

    def __str__(self) -> str:
        return json.dumps(self.record, ensure_ascii=False)


class Import:
    """An import as a task describes it, of a project or of the configuration of a server."""

    def __init__(self, task: Task, review: ReviewService, project: str | None = None) -> None:
        self._task, self._review, self._project = task, review, project
        self._source = check_url(task.params["source_url"], "source_url")
        self._known: collections.Counter[str] = collections.Counter()
        self._pinned: dict[str, set[str]] = {}
        self._was_seen_running = self._existed = False
        self._empty_polls = 0
        self.should_start = True

    def plan(self) -> Fields | None:
        """What would be done; `None` when the project is there. One that is being imported is only waited for."""
        if self._project:
            found = self._find_project()
            self._existed = found is not None
            self._task.result["project"] = found
            if found and not self._task.params["force"]:
                return None
        listed = self._list_records()
        under_way = [one for one in listed if self._names_project(one.record) and one.is_running]
        self._known.update(one.identity for one in listed if one not in under_way)
        self.should_start = not under_way
        of_what = {"project": self._project} if self._project else {}
        return {"action": "import" if self.should_start else "wait", "source": self._source, **of_what}

    def run(self) -> Fields:
        """Begin it, unless it is under way, and wait for its end where that is asked for.

        :raises ToolchainError: when it fails
        """
        if self.should_start:
            self._start()
        if self._task.params["wait"]:
            left = "interrupted while the import is under way. The server goes on with it."
            wait_for(
                self._task,
                self._check_finished,
                timeout=self._task.params["wait_timeout"],
                delay=self._task.params["wait_delay"],
                start_fast=True,
                on_interrupt=lambda: [left],
            )
        return {"project": self._find_project()} if self._project else {}

    def _start(self) -> None:
        action = "import_project" if self._project else "import_server_configuration"
        try:
            self._review.write(
                action,
                project=self._project,
                sourceURL=self._source,
                sourceAdmin=self._task.params["source_username"],
                sourcePassword=self._task.params["source_password"],
            )
        except OutcomeUnknown as lost:
            if not self._has_started():
                raise
            self._task.has_written = True
            self._task.warn(f"{lost.cause} The server tells that the import was begun all the same.")

    def _has_started(self) -> bool:
        """Return whether a record surely belongs to this import, or the project that was missing exists."""
        if any(self._names_project(one.record) or self._names_source(one.record) for one in self._select_own()):
            return True
        return self._project is not None and not self._existed and self._find_project() is not None

    def _check_finished(self) -> None:
        """
        :raises NotYet: while it is under way
        :raises ToolchainError: when it failed
        """
        own = self._select_own()
        self._empty_polls = 0 if own else self._empty_polls + 1
        # after the list of imports: what is not in there any more has had its effect
        found = self._find_project() if self._project else None
        self._check_failed(own)
        under_way = next((one for one in own if one.is_running), None)
        if under_way:
            self._was_seen_running = True
            raise NotReady(f"the import is under way: {under_way}")
        is_created = found is not None and not self._existed
        if self._project and found is None and not (own or self._was_seen_running):
            raise NotReady(f"there is no project '{self._project}', and the server names no import of it")
        if not own and not is_created and self._empty_polls < _MAX_EMPTY_POLLS:
            raise NotReady("the server lists no import, which may begin or end just now")
        if self._project and found is None:
            raise ToolchainError(f"The import has ended, but there is no project '{self._project}'.")

    def _check_failed(self, own: list[_ImportRecord]) -> None:
        """
        :raises ToolchainError: if the import failed, or one of several imports that may be this one
        """
        failed = next((one for one in own if _FAILED.search(one.status)), None)
        if failed is None:
            return
        alternatives = [one for one in own if one.action == failed.action]
        if len(alternatives) > 1 and not self._names_project(failed.record):
            raise ToolchainError(
                f"One of {len(alternatives)} imports that began at the same time failed, and the server does not tell "
                f"which of them is this one. The server says of it: {failed}"
            )
        raise ToolchainError(f"The import failed. The server says of it: {failed}")

    def _find_project(self) -> Fields | None:
        named = (one for one in projects.list_projects(self._review) if one["name"] == self._project)
        return next(named, None)

    def _list_records(self) -> list[_ImportRecord]:
        """What the server tells of imports, and of tasks that are such."""
        tasks = server.read_records(self._review, "task_status")
        imports = server.read_records(self._review, "import_status")
        of_imports = (one for one in tasks if self._names_project(one) or "import" in json.dumps(one).lower())
        return [
            *(_ImportRecord.from_record("import_status", record) for record in imports),
            *(_ImportRecord.from_record("task_status", record) for record in of_imports),
        ]

    def _select_own(self) -> list[_ImportRecord]:
        """Return the records of this import: of those that were not listed before it began.

        If several can be meant, all are; later only those that were listed first.
        """
        new = self._exclude_known(self._list_records())
        named = [one for one in new if self._names_project(one.record)]
        candidates = named or [one for one in new if not self._is_foreign(one.record)]
        own = []
        for action in ("import_status", "task_status"):
            listed = [one for one in candidates if one.action == action]
            if listed:
                pinned = self._pinned.setdefault(action, {one.identity for one in listed})
                own += [one for one in listed if one.identity in pinned]
        return own

    def _exclude_known(self, listed: list[_ImportRecord]) -> list[_ImportRecord]:
        """Leave out as many records of each identity as there were before, those that have ended first."""
        left, new = self._known.copy(), []
        for one in sorted(listed, key=lambda one: one.is_running):
            if left[one.identity] > 0:
                left[one.identity] -= 1
            else:
                new.append(one)
        return new

    def _names_project(self, record: Fields) -> bool:
        return self._project is not None and self._project in record.values()

    def _names_source(self, record: Fields) -> bool:
        return any(isinstance(value, str) and value.rstrip("/") == self._source for value in record.values())

    def _is_foreign(self, record: Fields) -> bool:
        """Return whether the record is that of an import of something else, or from somewhere else."""
        texts = {name.lower(): value for name, value in record.items() if isinstance(value, str) and value}
        if any("project" in name for name in texts):
            return not self._names_project(record)
        return any("source" in name for name in texts) and not self._names_source(record)
