# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The restart that goes behind the installations which are under way."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import update_center
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restart import PatientRestart, State
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.update_center import Job
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerUnreachable, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady


class RestartBehindInstallations(PatientRestart):
    """A safe restart as a job of the update centre: no download is cut off, no other client's either."""

    PATH = "/updateCenter/safeRestart"

    def _job(self) -> Job | None:
        """The job of the restart, while the old process answers."""
        try:
            response = update_center.asked(self._ci, no_retry=True, accept=range(100, 600))
        except ServerUnreachable:
            raise NotReady("the server is about to go down") from None
        if response.status != 200 or response.headers.get("X-Jenkins-Session") != self._session_before:
            raise NotReady("the server is about to go down")
        jobs = update_center.told(response).jobs
        return next((job for job in reversed(jobs) if job.type == "RestartJenkinsJob"), None)

    def _is_preparing(self, state: State) -> bool:
        try:
            return bool(state.quieting) or self._job() is not None
        except NotReady:
            return True

    def _check_still_asked_for(self, session: str | None) -> None:
        state = self._state() if session else None
        if not state or state.session != self._session_before or state.quieting is not False:
            return
        job = self._job()
        if job and job.status == "Failure":
            raise ToolchainError(f"The server could not restart: {job.error or 'it does not say why'}.")
        if not job or job.status not in ("Pending", "Running"):
            raise ToolchainError("Another client cancelled the restart: the server takes builds again.")
