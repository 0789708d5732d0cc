# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The quiet-down mode, in which the server starts no builds until the mode is ended or the server restarts."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import running
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.running import RunningBuilds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_STATE = "quietDownReason,quietingDown"
# Part of the pages of servers that do not report the mode in JSON (as seen on 1.395)
_BANNER = 'id="shutdown-msg"'
_STILL_ACTIVE = "Jenkins is still in quiet-down mode. Use ci_quiet_down with 'state: absent' to end it."
_ENDED = "The quiet-down mode was ended."


class QuietDown:
    """The quiet-down mode of a server."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._has_reason = False
        self._is_active = False
        self._was_started = False

    def read(self) -> dict[str, t.Any] | None:
        """Return the `reason`, if the server reports one; `None` if the server is not in quiet-down mode."""
        response = self._ci.view("", _STATE)
        state = response.record()
        self._has_reason = "quietDownReason" in state
        # Only Hudson may omit the member
        is_active = state.flag("quietingDown") if "X-Jenkins" in response.headers else state.maybe_flag("quietingDown")
        if is_active is None:
            is_active = _BANNER in self._ci.http.read("GET", "/login", anonymous=True).text
        self._is_active = bool(is_active)
        if not is_active:
            return None
        return {"reason": state.maybe_text("quietDownReason") or ""} if self._has_reason else {}

    def desired(self, _before: dict[str, t.Any] | None) -> dict[str, t.Any]:
        """Return the desired fields that can be read back."""
        return self._task.select_provided("reason") if self._has_reason else {}

    def start(self, fields: dict[str, t.Any]) -> None:
        """Start the quiet-down."""
        self._was_started = True  # before the request, because its response may be lost
        self.update_reason(fields)

    def update_reason(self, _fields: dict[str, t.Any]) -> None:
        """Request the quiet-down; if it is active, this changes its reason."""
        reason = self._task.params["reason"]
        form = {"message": reason} if reason else {}
        self._ci.post("/quietDown", form=form, accept=(302,), policy=IDEMPOTENT)
        self._is_active = True

    def end(self) -> None:
        """End the quiet-down."""
        self._ci.post("/cancelQuietDown", accept=(302,), policy=IDEMPOTENT)

    def to_result(self, fields: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the result; Jenkins returns an empty reason if none is set."""
        return {"reason": "", **fields} if self._has_reason else fields

    def predict_refusal(self) -> None:
        """Read a page that requires the same permission."""
        self._ci.http.read("GET", "/safeRestart")

    def wait(self) -> None:
        """Wait until no build is running, and add the running builds to the result."""
        params = self._task.params
        try:
            wait_for(self._task, self._check_idle, timeout=params["wait_timeout"], delay=params["wait_delay"])
        except WaitTimeout as timeout:
            raise ToolchainError(f"{timeout} {self._clean_up()}") from None

    def fetch_running_builds(self) -> RunningBuilds:
        """Add the running builds to the result, and return them."""
        builds = running.read_running_builds(self._ci.view("/computer", running.TREE).record())
        self._task.result.update(running_builds=builds.visible, hidden_builds=builds.hidden_count)
        return builds

    def _check_idle(self) -> None:
        builds = self.fetch_running_builds()
        # Read after the builds, so that no build can have started in between
        if self.read() is None:
            raise ToolchainError("Waiting for running builds failed: another client ended the quiet-down mode.")
        if builds:
            raise NotReady(str(builds))

    def handle_interrupt(self) -> t.Iterator[str]:
        """Clean up after an interruption; for `Task.on_interrupt`."""
        should_end = self._was_started and self._task.params["cancel_on_timeout"]
        if should_end or (self._is_active and self._task.params["state"] == "present"):
            yield f"interrupted during the quiet-down. {self._clean_up()}"

    def _clean_up(self) -> str:
        """End the quiet-down that this task started, if requested; return a message about the state of the server."""
        if not self._task.params["cancel_on_timeout"]:
            return _STILL_ACTIVE
        if not self._was_started:
            return f"{_STILL_ACTIVE} It was active before this task."
        try:
            self.end()
            has_ended = self.read() is None
        except ToolchainError as error:
            return f"Ending the quiet-down mode failed: {error}"
        return _ENDED if has_ended else f"The server accepted the request to end it, but did not act. {_STILL_ACTIVE}"
