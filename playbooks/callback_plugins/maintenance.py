# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells at the end of a playbook, however it ends, which servers its tasks have left taking no builds."""

from __future__ import annotations

import atexit
import os
import shlex
import typing as t

from ansible import context
from ansible.plugins.callback import CallbackBase

PREFIX = "buildworks.toolchain."
RESTARTS = (f"{PREFIX}ci_restart", f"{PREFIX}ci_safe_restart")


class CallbackModule(CallbackBase):
    """Ansible itself tells nothing more once it is interrupted, and runs no `always`."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "maintenance"

    def __init__(self) -> None:
        super().__init__()
        self._left: set[str] = set()
        atexit.register(self._tell, os.getpid())

    def v2_runner_on_ok(self, result: t.Any) -> None:
        self._note(result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        self._note(result)

    def _note(self, result: t.Any) -> None:
        """Note what a task made of a server."""
        action, outcome, host = result._task.action, result._result, result._host.get_name()
        if action == f"{PREFIX}ci_quiet_down" and "quiet_down" in outcome and not result._task.check_mode:
            (self._left.discard if outcome["quiet_down"] is None else self._left.add)(host)
        elif action in RESTARTS and (outcome.get("restart") or {}).get("completed"):
            self._left.discard(host)

    def _tell(self, process: int) -> None:
        inventory = [word for source in context.CLIARGS.get("inventory") or () for word in ("-i", source)]
        for host in sorted(self._left) if os.getpid() == process else ():
            self._display.display(
                f"{host}: the server still takes no builds. "
                f"End that with: {shlex.join(['ansible', host, *inventory])} -m {PREFIX}ci_quiet_down -a state=absent",
                color="red",
                stderr=True,
            )
