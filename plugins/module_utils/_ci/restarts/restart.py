# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Restart a server, or wait for a restart that is already in progress, and verify that a new process responds."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.cancellation import RestartCancellation
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.methods import (
    HardRestart,
    RestartMethod,
    SafeRestart,
    UpdateCenterRestart,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.process import ServerProcess
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
    add_advice,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import recover_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import WaitTimeout, wait_for

_PLUGINS = "plugins[active,deleted,enabled]"


class Restart:
    """One restart of a server by a method.

    :arg is_required: returns whether a restart is required; only called if none is in progress
    :arg cancellation: cancels the restart on timeout and on interruption
    """

    def __init__(
        self,
        task: Task,
        ci: CiService,
        process: ServerProcess,
        method: RestartMethod,
        is_required: t.Callable[[], bool] = lambda: True,
        cancellation: RestartCancellation | None = None,
    ) -> None:
        self._task = task
        self._ci = ci
        self._process = process
        self._method = method
        self._is_required = is_required
        self._cancellation = cancellation
        self.is_in_progress = process.is_restarting

    def plan(self) -> dict[str, t.Any] | None:
        """Return the action of the task, or `None` if no restart is required."""
        if not self.is_in_progress and not self._is_required():
            return None
        action = "wait" if self.is_in_progress else self._method.action
        builds = self._process.builds
        return {"action": action, "running_builds": builds.visible, "hidden_builds": builds.hidden_count}

    def predict(self) -> dict[str, t.Any]:
        """Read the restart form in check mode, which requires the permission and a server that can restart.

        :raises ToolchainError: if the restart would be refused
        """
        if not self.is_in_progress:
            self._method.check_allowed()
            path = self._method.path
            page = self._ci.http.read("GET", path)
            if self._process.session and not re.search(rf"<form[^>]*\saction=.?{path[1:]}\b", page.text):
                raise ToolchainError("Jenkins cannot restart itself in this environment. Restart its service instead.")
        return {}

    def apply(self) -> dict[str, t.Any]:
        """Restart the server and, if requested, wait for the new process; return the result for `restart`."""
        if not self.is_in_progress:
            self._method.check_allowed()
            if self._cancellation:
                self._cancellation.prepare()
        result: dict[str, t.Any] = {
            "completed": False,
            "requested_by": "another client" if self.is_in_progress else "this task",
            "session_before": self._process.session,
            "session_after": None,
        }
        with self._task.on_interrupt(self._handle_interrupt):
            if not self.is_in_progress:
                self._request()
            if self._task.params.get("wait", True):
                result.update(completed=True, session_after=self._wait())
        return result

    def _request(self) -> None:
        """Request the restart. If the response is lost, check whether the server is about to restart."""
        recover_write(self._task, self._send_request, lambda: self._is_pending() or None)

    def _send_request(self) -> bool:
        try:
            self._ci.post(self._method.path, accept=(302,))
            return True
        except ServerRefusal as refusal:
            if refusal.status == 500:
                raise add_advice(refusal, "Jenkins may be unable to restart itself in this environment.") from None
            raise

    def _is_pending(self) -> bool:
        """Return whether the server is about to restart, or has begun to."""
        state = self._process.fetch_state()
        return state is None or state.session != self._process.session or self._method.is_pending(state)

    def _wait(self) -> str | None:
        params = self._task.params
        try:
            return wait_for(
                self._task,
                lambda: self._process.fetch_new_session(self._method.explain_delay),
                timeout=params["wait_timeout"],
                delay=params["wait_delay"],
            )
        except WaitTimeout as timeout:
            raise ToolchainError(f"{timeout} {self._clean_up()}") from None

    def _clean_up(self) -> str:
        """Cancel the restart if requested; return a message about the state of the server."""
        if self._process.was_down:
            return "The restart has begun but is not complete."
        return self._cancellation.cancel() if self._cancellation else "The restart is still pending."

    def _handle_interrupt(self) -> t.Iterator[str]:
        """Clean up after an interruption; yield messages about the state of the server."""
        if self._process.was_down:
            yield "interrupted while the server is restarting."
            return
        state = "the restart is pending" if self._task.has_written else "the restart may be pending"
        if not self._cancellation:
            yield f"interrupted while {state}."
            return
        yield f"interrupted while {state}, canceling it."
        yield self._clean_up()


def hard_restart(task: Task, ci: CiService) -> Restart:
    """Return an immediate restart."""
    process = ServerProcess(task, ci)
    return Restart(task, ci, process, HardRestart(task, process))


def safe_restart(task: Task, ci: CiService) -> Restart:
    """Return a restart after all running builds, with the options of ci_safe_restart."""
    process = ServerProcess(task, ci)
    return Restart(
        task,
        ci,
        process,
        SafeRestart(process),
        is_required=lambda: not task.params["only_if_required"] or _is_restart_required(ci),
        cancellation=RestartCancellation(ci, process) if task.params["cancel_on_timeout"] else None,
    )


def update_center_restart(task: Task, ci: CiService) -> Restart:
    """Return a restart after all installations and running builds."""
    process = ServerProcess(task, ci)
    return Restart(task, ci, process, UpdateCenterRestart(ci, process))


def _is_restart_required(ci: CiService) -> bool:
    """Return whether a restart is pending because plugins were installed or changed.

    :raises ToolchainError: if the server does not report it
    """
    response = ci.view("/updateCenter", "restartRequiredForCompletion", accept=(200, 404))
    if response.status == 404:
        raise ToolchainError(
            "'only_if_required' is not supported: the server does not report whether a restart is pending."
        )
    if response.record().maybe_flag("restartRequiredForCompletion"):
        return True
    return any(map(_has_pending_change, ci.view("/pluginManager", _PLUGINS).record().records("plugins")))


def _has_pending_change(plugin: Record) -> bool:
    """Return whether a plugin was enabled, disabled or uninstalled, which `restartRequiredForCompletion` ignores."""
    return bool(plugin.maybe_flag("deleted") or plugin.maybe_flag("active") != plugin.maybe_flag("enabled"))
