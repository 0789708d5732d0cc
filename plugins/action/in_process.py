# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the collection's modules inside the controller's worker.

meta/runtime.yml redirects the action of each module to this plugin. Where the work must not be done here, the ordinary
module runs instead, with the same result.
"""

from __future__ import annotations

import importlib
import json
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

# Imported here, that is once in the controller, and not in each of its workers.
from ansible_collections.buildworks.toolchain.plugins.module_utils import _http, _reconcile, _wait  # noqa: F401
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_in_process

_MODULES = "ansible_collections.buildworks.toolchain.plugins.modules"


class ActionModule(ActionBase):
    """The action of every module of the collection."""

    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """The result of the module, run here or as an ordinary module."""
        task_vars = task_vars or {}
        result = super().run(tmp, task_vars)
        if self._must_run_elsewhere(task_vars):
            module = f"buildworks.toolchain.{self._module_name()}"
            result.update(self._execute_module(module, task_vars=task_vars, wrap_async=self._task.async_val))
        else:
            result.update(self._run_here(task_vars))
        return result

    def _must_run_elsewhere(self, task_vars: dict[str, t.Any]) -> bool:
        return bool(
            self._connection.transport != "local"
            or self._connection.become
            or self._task.async_val
            or any(self._task.environment or ())
            or not boolean(self._templar.template(task_vars.get("toolchain_in_process", True)))
        )

    def _module_name(self) -> str:
        return self._task.action.rpartition(".")[2]

    def _run_here(self, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        name = self._module_name()
        module = importlib.import_module(f"{_MODULES}.{name}")
        return run_in_process(
            name,
            module.SPEC,
            module.run,
            _plain(self._task.args),
            check_mode=self._task.check_mode,
            diff_mode=self._task.diff,
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
