# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the collection's modules inside the controller's worker.

Each module has an action plugin that says no more than which module it is. Where the work must not be done here, the
ordinary module runs instead, with the same result.
"""

from __future__ import annotations

import json
import types
import typing as t

from ansible import constants
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_in_process

# Before 2.21 there was no such setting, and modules always told how they were called
_WITH_INVOCATION = bool(getattr(constants, "INJECT_INVOCATION", True))


class InProcessAction(ActionBase):
    """The action of a module, which is imported with it: once in the controller, not in each of its workers."""

    module: types.ModuleType

    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """The result of the module, run here or as an ordinary module."""
        task_vars = task_vars or {}
        result = super().run(tmp, task_vars)
        name = self.module.__name__.rpartition(".")[2]
        if self._must_run_elsewhere(task_vars):
            fqcn = f"buildworks.toolchain.{name}"
            result.update(self._execute_module(fqcn, task_vars=task_vars, wrap_async=self._task.async_val))
        else:
            result.update(self._run_here(name, task_vars))
        return result

    def _must_run_elsewhere(self, task_vars: dict[str, t.Any]) -> bool:
        return bool(
            self._connection.transport != "local"
            or self._connection.become
            or self._task.async_val
            or any(self._task.environment or ())
            or not boolean(self._templar.template(task_vars.get("toolchain_in_process", True)))
        )

    def _run_here(self, name: str, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        return run_in_process(
            name,
            self.module.SPEC,
            self.module.run,
            _plain(self._task.args),
            check_mode=self._task.check_mode,
            diff_mode=self._task.diff,
            with_invocation=_WITH_INVOCATION,
            tell=None if self._task.no_log else _teller(task_vars.get("inventory_hostname", ""), name),
        )


def _teller(host: str, name: str) -> t.Callable[[str], None]:
    display = Display()
    return lambda text: display.display(f"{host}: {name}: {text}")


def _plain(args: dict[str, t.Any]) -> dict[str, t.Any]:
    """The parameters as plain Python values, as an ordinary module gets them: without marks of where they came from."""
    return json.loads(json.dumps(args, default=_text))


def _text(value: t.Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
