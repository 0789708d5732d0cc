# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Imports from another Klocwork server.

The records of imports and tasks are not documented. They can contain an ID, the name of the project, the URL of the
source, and a status or state whose words say that the import finished or failed.
"""

from __future__ import annotations

import collections
import json
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, recover_write
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
        source_password=dict(type="str", no_log=True, unchecked="any text, also an empty one"),
    )
)

# The words of a status can be joined, as in IMPORT_FAILED
_FAILED = re.compile(r"(?<![a-z])(fail|unsuccessful|abort|cancel|(?<!without )(?<!no )(?<!\b0 )error)", re.IGNORECASE)
_FINISHED = re.compile(r"(?<![a-z])(complete|finish|succe|done|ended)", re.IGNORECASE)

_ID_MEMBERS = re.compile(r"((task|import|job)_?)?(id|number)|uuid", re.IGNORECASE)
_VOLATILE_MEMBERS = re.compile(r"status|state|progress|percent|message|time|date|end|finish|duration", re.IGNORECASE)
# An empty list can be a lost response, or precede the registration of the import
_MAX_EMPTY_POLLS = 2


class _ImportRecord(t.NamedTuple):
    """A record of an import or a task, with the identity that recognizes it in later responses."""

    action: str
    identity: str
    members: Fields

    @classmethod
    def from_record(cls, action: str, record: Fields) -> _ImportRecord:
        """Create an object whose identity is the ID of the record or, without an ID, its members that do not change."""
        ids = {name: value for name, value in record.items() if _ID_MEMBERS.fullmatch(name)}
        lasting = ids or {name: value for name, value in record.items() if not _VOLATILE_MEMBERS.search(name)}
        return cls(action, f"{action} {json.dumps(lasting, sort_keys=True)}", record)

    @property
    def is_running(self) -> bool:
        """Whether the import has neither finished nor failed."""
        return not _FINISHED.search(self.status) and not _FAILED.search(self.status)

    @property
    def status(self) -> str:
        """The values of status and state."""
        values = (value for name, value in self.members.items() if name.lower() in ("status", "state"))
        return " ".join(map(str, values))

    def __str__(self) -> str:
        return json.dumps(self.members, ensure_ascii=False)


class Import:
    """An import of a project or of a server configuration.

    :arg project: name of the project; `None` for a server configuration
    """

    def __init__(self, task: Task, review: ReviewService, project: str | None = None) -> None:
        self._task, self._review, self._project = task, review, project
        self._source = check_url(task.params["source_url"], "source_url")
        self._existing: collections.Counter[str] = collections.Counter()
        self._pinned: dict[str, set[str]] = {}
        self._has_run = self._existed = False
        self._empty_polls = 0
        self.should_start = True

    def plan(self) -> Fields | None:
        """Return the planned action, or `None` if the project exists. A running import of the project is awaited."""
        if self._project:
            project = self._find_project()
            self._existed = project is not None
            self._task.result["project"] = project
            if project and not self._task.params["force"]:
                return None
        records = self._list_records()
        running = [record for record in records if self._has_project(record.members) and record.is_running]
        self._existing.update(record.identity for record in records if record not in running)
        self.should_start = not running
        action = "import" if self.should_start else "wait"
        return {"action": action, "source": self._source, **({"project": self._project} if self._project else {})}

    def run(self) -> Fields:
        """Start the import unless it is running, and wait for it if `wait` is set.

        :raises ToolchainError: if the import fails
        """
        if self.should_start:
            self._start()
        if self._task.params["wait"]:
            message = "interrupted while the import was running. The server continues the import."
            wait_for(
                self._task,
                self._check_finished,
                timeout=self._task.params["wait_timeout"],
                delay=self._task.params["wait_delay"],
                start_fast=True,
                on_interrupt=lambda: [message],
            )
        return {"project": self._find_project()} if self._project else {}

    def _start(self) -> None:
        recover_write(self._task, self._post, lambda: self._has_started() or None)

    def _post(self) -> t.Any:
        return self._review.write(
            "import_project" if self._project else "import_server_configuration",
            project=self._project,
            sourceURL=self._source,
            sourceAdmin=self._task.params["source_username"],
            sourcePassword=self._task.params["source_password"],
        )

    def _has_started(self) -> bool:
        """Return whether a record certainly belongs to this import, or the missing project exists now."""
        if any(self._has_project(own.members) or self._has_source(own.members) for own in self._select_own()):
            return True
        return self._project is not None and not self._existed and self._find_project() is not None

    def _check_finished(self) -> None:
        """Raise an error unless the import has finished.

        :raises NotReady: if it is running
        :raises ToolchainError: if it failed
        """
        own = self._select_own()
        self._empty_polls = 0 if own else self._empty_polls + 1
        # Read after the list of imports: an import that is no longer listed has taken effect
        project = self._find_project() if self._project else None
        self._check_failed(own)
        running = next((record for record in own if record.is_running), None)
        if running:
            self._has_run = True
            raise NotReady(f"the import is running: {running}")
        is_created = project is not None and not self._existed
        if self._project and project is None and not (own or self._has_run):
            raise NotReady(f"project '{self._project}' does not exist, and the server lists no import of it")
        if not own and not is_created and self._empty_polls < _MAX_EMPTY_POLLS:
            raise NotReady("the server lists no import; it may be starting or finishing")
        if self._project and project is None:
            raise ToolchainError(
                f"The import has finished, but project '{self._project}' does not exist. See the log of the server."
            )

    def _check_failed(self, own: list[_ImportRecord]) -> None:
        """Raise an error if the import failed.

        :raises ToolchainError: if the import failed, or one of several imports that may be this one
        """
        failed = next((record for record in own if _FAILED.search(record.status)), None)
        if failed is None:
            return
        alternatives = [record for record in own if record.action == failed.action]
        if len(alternatives) > 1 and not self._has_project(failed.members):
            raise ToolchainError(
                f"One of {len(alternatives)} imports that started at the same time failed. The server does not report "
                f"which one belongs to this task. Its record: {failed}"
            )
        raise ToolchainError(f"The import failed. Its record: {failed}")

    def _find_project(self) -> Fields | None:
        matching = (project for project in projects.list_projects(self._review) if project["name"] == self._project)
        return next(matching, None)

    def _list_records(self) -> list[_ImportRecord]:
        """Return the records of imports and of tasks that import something."""
        tasks = server.read_records(self._review, "task_status")
        imports = server.read_records(self._review, "import_status")
        import_tasks = (
            record for record in tasks if self._has_project(record) or "import" in json.dumps(record).lower()
        )
        return [
            *(_ImportRecord.from_record("import_status", record) for record in imports),
            *(_ImportRecord.from_record("task_status", record) for record in import_tasks),
        ]

    def _select_own(self) -> list[_ImportRecord]:
        """Return the records of this import, which were not listed before it started.

        If several records match, all of them are returned, and later calls return only these.
        """
        new = self._exclude_existing(self._list_records())
        matching = [record for record in new if self._has_project(record.members)]
        candidates = matching or [record for record in new if not self._is_foreign(record.members)]
        own = []
        for action in ("import_status", "task_status"):
            records = [record for record in candidates if record.action == action]
            if records:
                pinned = self._pinned.setdefault(action, {record.identity for record in records})
                own += [record for record in records if record.identity in pinned]
        return own

    def _exclude_existing(self, records: list[_ImportRecord]) -> list[_ImportRecord]:
        """Remove as many records of each identity as existed before, finished ones first."""
        remaining, new = self._existing.copy(), []
        for record in sorted(records, key=lambda record: record.is_running):
            if remaining[record.identity] > 0:
                remaining[record.identity] -= 1
            else:
                new.append(record)
        return new

    def _has_project(self, record: Fields) -> bool:
        return self._project is not None and self._project in record.values()

    def _has_source(self, record: Fields) -> bool:
        return any(isinstance(value, str) and value.rstrip("/") == self._source for value in record.values())

    def _is_foreign(self, record: Fields) -> bool:
        """Return whether the record belongs to an import of another project or from another source."""
        texts = {name.lower(): value for name, value in record.items() if isinstance(value, str) and value}
        if any("project" in name for name in texts):
            return not self._has_project(record)
        return any("source" in name for name in texts) and not self._has_source(record)
