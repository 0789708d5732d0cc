# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Cancel a safe restart that takes too long."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.process import ServerProcess
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError


class RestartCancellation:
    """Cancels a safe restart, unless the server was in quiet-down mode before or has begun to restart."""

    def __init__(self, ci: CiService, process: ServerProcess) -> None:
        self._ci = ci
        self._process = process
        self._was_quieting = False

    def prepare(self) -> None:
        """Remember before the restart whether the server is in quiet-down mode."""
        self._was_quieting = bool(self._ci.view("", "quietingDown").record().maybe_flag("quietingDown"))

    def cancel(self) -> str:
        """Cancel the restart if builds hold it up; return a message about the state of the server."""
        if self._was_quieting:
            return (
                "The restart is still pending: Jenkins was in quiet-down mode before, and canceling the restart would "
                "also end this mode."
            )
        if not self._process.is_held_up_by_builds():
            return "The restart is about to begin and was not canceled."
        failure = None
        try:
            self._ci.post("/cancelQuietDown", accept=(302,), no_retry=True)
        except ToolchainError as error:
            failure = error
        return self._describe_state(failure)

    def _describe_state(self, failure: ToolchainError | None) -> str:
        state = self._process.fetch_state()
        if state is None:
            return "The restart began before it could be canceled."
        if state.session != self._process.session:
            return "Jenkins restarted before the restart could be canceled."
        if failure and state.is_quieting is not False:
            return f"Canceling the restart failed: {failure}"
        if state.is_quieting:
            return "The restart is still pending, although the server accepted the request to cancel it."
        return "The restart was canceled."
