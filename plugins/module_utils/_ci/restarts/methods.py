# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The methods to restart a server: immediately, after running builds, or after the installations of plugins."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import update_center
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.update_center import Job
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.process import (
    ANY_STATUS,
    STILL_UP,
    ProcessState,
    ServerProcess,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerUnreachable, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady

_MAX_NAMES = 10
_CANCELED = "The restart did not take place: another client canceled it."


class RestartMethod(t.Protocol):
    """One method to restart a server."""

    action: str
    path: str

    def check_allowed(self) -> None:
        """Check that the restart is allowed.

        :raises ToolchainError: if it is not
        """

    def is_pending(self, state: ProcessState, /) -> bool:
        """Return whether the process is about to restart."""

    def explain_delay(self, session: str | None, /) -> str:
        """Return why the old process still responds.

        :arg session: the current session ID, if the server has session IDs
        :raises ToolchainError: if the restart will not take place
        """


class HardRestart:
    """Restarts immediately and kills running builds."""

    action = "restart"
    path = "/restart"

    def __init__(self, task: Task, process: ServerProcess) -> None:
        self._task = task
        self._process = process

    def check_allowed(self) -> None:
        """See `RestartMethod`."""
        if self._process.builds and not self._task.params["kill_builds"]:
            raise ToolchainError(
                f"Jenkins was not restarted: this would kill {self._running_builds()}. "
                "Use ci_safe_restart to wait for them, or set 'kill_builds'."
            )

    def _running_builds(self) -> str:
        builds = self._process.builds
        more = len(builds.visible) - _MAX_NAMES
        parts = [
            builds.names(_MAX_NAMES),
            f"{more} more" if more > 0 else "",
            builds.describe_hidden() if builds.hidden_count else "",
        ]
        return " and ".join(filter(None, parts))

    def is_pending(self, _state: ProcessState) -> bool:
        """See `RestartMethod`. The old process does not show that it is about to restart."""
        return False

    def explain_delay(self, _session: str | None) -> str:
        """See `RestartMethod`."""
        return STILL_UP


class SafeRestart:
    """Restarts after all running builds have finished. Any client can cancel it until then."""

    action = "safe_restart"
    path = "/safeRestart"

    def __init__(self, process: ServerProcess) -> None:
        self._process = process

    def check_allowed(self) -> None:
        """See `RestartMethod`."""

    def is_pending(self, state: ProcessState) -> bool:
        """See `RestartMethod`."""
        return bool(state.is_quieting)

    def explain_delay(self, session: str | None) -> str:
        """See `RestartMethod`."""
        if _has_left_quiet_down(self._process, session):
            raise ToolchainError(_CANCELED)
        return self._process.describe_running_builds()


class UpdateCenterRestart:
    """A safe restart as a job of the update center, which runs after all installations of all clients."""

    action = "safe_restart"
    path = "/updateCenter/safeRestart"

    def __init__(self, ci: CiService, process: ServerProcess) -> None:
        self._ci = ci
        self._process = process

    def check_allowed(self) -> None:
        """See `RestartMethod`."""

    def is_pending(self, state: ProcessState) -> bool:
        """See `RestartMethod`."""
        try:
            return bool(state.is_quieting) or self._fetch_job() is not None
        except NotReady:
            return True

    def explain_delay(self, session: str | None) -> str:
        """See `RestartMethod`."""
        if _has_left_quiet_down(self._process, session):
            self._check_job()
        return self._process.describe_running_builds()

    def _check_job(self) -> None:
        job = self._fetch_job()
        if job and job.status == "Failure":
            raise ToolchainError(f"The restart failed: {job.error or 'Jenkins gave no reason; see its log'}.")
        if not job or job.status not in ("Pending", "Running"):
            raise ToolchainError(_CANCELED)

    def _fetch_job(self) -> Job | None:
        """Return the job of the restart.

        :raises NotReady: if the old process does not respond any more
        """
        try:
            response = update_center.request_update_center(self._ci, no_retry=True, accept=ANY_STATUS)
        except ServerUnreachable:
            raise NotReady("the server is about to shut down") from None
        if response.status != 200 or response.headers.get("X-Jenkins-Session") != self._process.session:
            raise NotReady("the server is about to shut down")
        jobs = update_center.parse_update_center(response).jobs
        return next((job for job in reversed(jobs) if job.type == "RestartJenkinsJob"), None)


def _has_left_quiet_down(process: ServerProcess, session: str | None) -> bool:
    """Return whether the old process is not in quiet-down mode, as it would be before a safe restart."""
    state = process.fetch_state() if session else None
    return state is not None and state.session == process.session and state.is_quieting is False
