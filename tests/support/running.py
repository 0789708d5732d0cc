# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module in this process, as the in-process action does."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable
from typing import Any

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_in_process, to_json_types


def send_ctrl_c(*_args: object) -> None:
    """Interrupt this process as Ctrl-C does. Also usable instead of `sleep`."""
    os.kill(os.getpid(), signal.SIGINT)


def run(
    module: str,
    /,
    *,
    check_mode: bool = False,
    diff_mode: bool = False,
    no_log: bool = False,
    display: Callable[[str], None] | None = None,
    display_interruption: Callable[[str], None] | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Run a module and return its result without the invocation.

    A change is read back once, unless the parameters contain `visibility_timeout`.
    """
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")
    if "visibility_timeout" in code.SPEC.options:
        parameters = {"visibility_timeout": 0, **parameters}
    try:
        arguments = to_json_types(parameters)
    except ToolchainError as error:
        return {"changed": False, "failed": True, "msg": str(error)}
    displays = {"display": display, "display_interruption": display_interruption}
    modes = {"check_mode": check_mode, "diff_mode": diff_mode, "no_log": no_log}
    return run_in_process(module, code.SPEC, code.run, arguments, **modes, **displays)
