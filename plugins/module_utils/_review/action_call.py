# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Calls of arbitrary actions of the Klocwork Web API."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_OWN_OPTIONS = {"action": "action", "user": "username", "ltoken": "ltoken"}
# Actions that surely change nothing
_READ_ONLY_ACTIONS = frozenset(
    (
        *("build_log_download", "builds", "ci_builds", "ci_issue_details", "compliance_download", "defect_types"),
        *("fchurns", "groups", "import_status", "issue_details", "license_count", "metrics", "modules"),
        *("project_configuration", "projects", "report", "role_assignments", "roles", "search", "task_status"),
        *("taxonomies", "users", "version", "views"),
    )
)
_WRITE_PREFIXES = ("create_", "update_", "delete_", "import_")


class ActionCall:
    """A call of an action with the parameters of the task.

    :ivar is_proven: whether the action surely only reads. Others are not called in check mode and not repeated
    :raises BadOption: for a parameter that is an option of the module or cannot be sent, for `read_only` with an action
        that writes, and for `dest` without `read_only`
    """

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review = task, review
        params = task.params
        self._action: str = params["action"]
        self._parameters: Fields = params["parameters"] or {}
        for name, value in self._parameters.items():
            _check_parameter(name, value)
            if value is None and not params["read_only"]:
                raise BadOption(f"parameters.{name}", "must not be null. Set a value or omit it")
        if params["dest"] and not params["read_only"]:
            raise BadOption("dest", "requires 'read_only: true'")
        self.is_proven: bool = params["read_only"] and self._action in _READ_ONLY_ACTIONS
        if params["read_only"] and self._action.startswith(_WRITE_PREFIXES) and self._action not in _READ_ONLY_ACTIONS:
            raise BadOption("read_only", f"must not be true for '{self._action}', which changes the server")

    def plan(self) -> Fields:
        """Return the action and the names of its parameters. The values can be secret."""
        return {"action": self._action, "parameters": sorted(self._parameters)}

    def read(self) -> Fields:
        """Call an action that the task declares as read-only. Its file is stored in `dest`, except in check mode."""
        if dest := self._task.params["dest"]:
            check_writable(self._task, dest, "dest")
            check_ownership(self._task)
            pieces = self._review.download(self._action, not self.is_proven, **self._parameters)
            store_output(self._task, Target.from_options(self._task, dest), pieces)
            return {"records": None}
        records = self._review.records(self._action, not self.is_proven, **self._parameters)
        return {"records": [dict(record) for record in records]}

    def write(self) -> Fields:
        """Call an action that changes the server."""
        return {"records": [dict(record) for record in self._review.write(self._action, **self._parameters)]}


def _check_parameter(name: str, value: t.Any) -> None:
    if name in _OWN_OPTIONS:
        raise BadOption(f"parameters.{name}", f"is not a parameter. Set the option '{_OWN_OPTIONS[name]}' instead")
    values = value if isinstance(value, list) else [value]
    if any(isinstance(one, (dict, list)) or (one is None and isinstance(value, list)) for one in values):
        raise BadOption(f"parameters.{name}", "must be a string, a number, true or false, or a list of strings")
