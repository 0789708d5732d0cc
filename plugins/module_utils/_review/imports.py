# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Imports from another server of the review service: begun, and waited for.

Nobody tells what is in the records of imports and tasks. So they are read for what can be in them: a member with the
name of the project, and a status or state whose words say that it has ended or failed.
"""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import check_url
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import OutcomeUnknown, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import projects, server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotYet, wait_for

SOURCE = WAIT + ArgumentSpec(
    dict(
        source_url=dict(type="str", required=True, one_line=True),
        source_username=dict(type="str", required=True, **NAME),
        source_password=dict(type="str", no_log=True, free="any text; empty is one, too"),
    )
)

# Words of a status may also hang together, as in IMPORT_FAILED
_FAILED = re.compile(r"(?<![a-z])(fail|unsuccessful|abort|cancel|(?<!without )(?<!no )(?<!\b0 )error)", re.IGNORECASE)
_ENDED = re.compile(r"(?<![a-z])(complete|finish|succe|done|ended)", re.IGNORECASE)


class Import:
    """An import as a task describes it, of a project or of the configuration of a server."""

    def __init__(self, task: Task, review: ReviewService, project: str | None = None) -> None:
        self._task, self._review, self._project = task, review, project
        self._source = check_url(task.params["source_url"], "source_url")
        self._known: list[Fields] = []
        self._seen = False
        self.begins = True

    def plan(self) -> Fields | None:
        """What would be done; `None` when the project is there. One that is being imported is only waited for."""
        if self._project:
            found = self._found()
            self._task.result["project"] = found
            if found and not self._task.params["force"]:
                return None
        listed = self._listed()
        under_way = [record for record in listed if self._names(record) and _is_under_way(record)]
        self._known = [record for record in listed if record not in under_way]
        self.begins = not under_way
        of_what = {"project": self._project} if self._project else {}
        return {"action": "import" if self.begins else "wait", "source": self._source, **of_what}

    def carry_out(self) -> Fields:
        """Begin it, unless it is under way, and wait for its end where that is asked for.

        :raises ToolchainError: when it fails
        """
        if self.begins:
            self._begin()
        if self._task.params["wait"]:
            left = "interrupted while the import is under way. The server goes on with it."
            wait_for(
                self._task,
                self._ended,
                timeout=self._task.params["wait_timeout"],
                delay=self._task.params["wait_delay"],
                soon=True,
                interrupted=lambda: [left],
            )
        return {"project": self._found()} if self._project else {}

    def _begin(self) -> None:
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
            if not self._own(self._listed()) and not (self._project and self._found()):
                raise
            self._task.wrote = True
            self._task.warn(f"{lost.what} The server tells that the import was begun all the same.")

    def _ended(self) -> None:
        """
        :raises NotYet: while it is under way
        :raises ToolchainError: when it failed
        """
        records = self._own(self._listed())
        # after the list of imports: what is not in there any more has had its effect
        found = self._found() if self._project else None
        failed = next((record for record in records if _FAILED.search(_status(record))), None)
        if failed:
            raise ToolchainError(f"The import failed. The server says of it: {json.dumps(failed, ensure_ascii=False)}")
        under_way = [record for record in records if _is_under_way(record)]
        if under_way:
            self._seen = True
            raise NotYet(f"the import is under way: {json.dumps(under_way[0], ensure_ascii=False)}")
        if self._project and found is None:
            if self._seen or records:
                raise ToolchainError(f"The import has ended, but there is no project '{self._project}'.")
            raise NotYet(f"there is no project '{self._project}', and the server names no import of it")

    def _found(self) -> Fields | None:
        named = (one for one in projects.listed(self._review) if one["name"] == self._project)
        return next(named, None)

    def _listed(self) -> list[Fields]:
        """What the server tells of imports, and of tasks that are such."""
        tasks = server.raw(self._review, "task_status")
        imports = server.raw(self._review, "import_status")
        return [*imports, *(one for one in tasks if self._names(one) or "import" in json.dumps(one).lower())]

    def _own(self, records: list[Fields]) -> list[Fields]:
        """Those that were not told of before: of this project, or where none names it, all."""
        new = [record for record in records if record not in self._known]
        return [record for record in new if self._names(record)] or new

    def _names(self, record: Fields) -> bool:
        return self._project is not None and self._project in record.values()


def _is_under_way(record: Fields) -> bool:
    status = _status(record)
    return not _ENDED.search(status) and not _FAILED.search(status)


def _status(record: Fields) -> str:
    """What a record says of how it stands."""
    said: t.Iterable[t.Any] = (value for name, value in record.items() if name.lower() in ("status", "state"))
    return " ".join(map(str, said))
