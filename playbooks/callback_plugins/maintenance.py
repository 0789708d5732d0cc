# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Report the Jenkins servers that are still in quiet-down mode when a playbook ends, even if it was interrupted."""

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
    """Report at exit, because an interrupted Ansible calls no more callbacks and runs no `always` section."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "maintenance"

    def __init__(self) -> None:
        super().__init__()
        self._quiet_hosts: set[str] = set()
        atexit.register(self._report, os.getpid())

    def v2_runner_on_ok(self, result: t.Any) -> None:
        """Record a successful task."""
        self._record(result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        """Record a failed task."""
        self._record(result)

    def _record(self, result: t.Any) -> None:
        """Record whether a task left the server in quiet-down mode."""
        action, outcome, host = result._task.action, result._result, result._host.get_name()
        if action == f"{PREFIX}ci_quiet_down" and "quiet_down" in outcome and not result._task.check_mode:
            (self._quiet_hosts.discard if outcome["quiet_down"] is None else self._quiet_hosts.add)(host)
        elif action in RESTARTS and (outcome.get("restart") or {}).get("completed"):
            self._quiet_hosts.discard(host)

    def _report(self, process: int) -> None:
        inventory = [word for source in context.CLIARGS.get("inventory") or () for word in ("-i", source)]
        for host in sorted(self._quiet_hosts) if os.getpid() == process else ():
            self._display.display(
                f"{host}: Jenkins is still in quiet-down mode. "
                f"Resume it with: {shlex.join(['ansible', host, *inventory])} -m {PREFIX}ci_quiet_down -a state=absent",
                color="red",
                stderr=True,
            )
