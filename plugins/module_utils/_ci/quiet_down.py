# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The quiet-down: a server that takes no builds, until that is cancelled or it restarts."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.running import RUNNING, Builds, builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_STATE = "quietDownReason,quietingDown"
# On the pages of a server that does not say it in JSON (as seen on 1.395)
_BANNER = 'id="shutdown-msg"'
_STAYS = "The server takes no builds; ci_quiet_down with 'state: absent' ends that."


class QuietDown:
    """The quiet-down of a server."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._tells_reason = False
        self._quiets = False
        self._began = False

    def read(self) -> dict[str, t.Any] | None:
        """Its `reason`, as far as the server tells one; `None` when the server takes builds."""
        response = self._ci.view("", _STATE)
        state = response.record()
        self._tells_reason = "quietDownReason" in state
        # Hudson has no such member; without it a response of Jenkins is not the expected one
        quieting = state.flag("quietingDown") if "X-Jenkins" in response.headers else state.maybe_flag("quietingDown")
        if quieting is None:
            quieting = _BANNER in self._ci.http.read("GET", "/login", anonymous=True).text
        self._quiets = bool(quieting)
        if not quieting:
            return None
        return {"reason": state.maybe_text("quietDownReason") or ""} if self._tells_reason else {}

    def desired(self, _before: dict[str, t.Any] | None) -> dict[str, t.Any]:
        """What is asked for, as far as it can be read back."""
        return self._task.select_provided("reason") if self._tells_reason else {}

    def begin(self, fields: dict[str, t.Any]) -> None:
        """Let the server take no builds."""
        self._began = True  # before the answer, which may never be seen
        self.announce(fields)

    def announce(self, _fields: dict[str, t.Any]) -> None:
        """Ask for the quiet-down; one that has begun gets the reason that comes with it."""
        reason = self._task.params["reason"]
        form = {"message": reason} if reason else {}
        self._ci.post("/quietDown", form=form, accept=(302,), policy=IDEMPOTENT)
        self._quiets = True

    def end(self) -> None:
        """Let the server take builds again."""
        self._ci.post("/cancelQuietDown", accept=(302,), policy=IDEMPOTENT)

    def show(self, fields: dict[str, t.Any]) -> dict[str, t.Any]:
        """The quiet-down as results show it; Jenkins reads a missing reason back as an empty one."""
        return {"reason": "", **fields} if self._tells_reason else fields

    def foresee(self) -> None:
        """Read a page that needs the same permission."""
        self._ci.http.read("GET", "/safeRestart")

    def wait(self) -> None:
        """Wait until nothing runs. What was seen last is in the result; in check mode it is what runs now."""
        if self._task.check_mode:
            self._running()
            return
        params = self._task.params
        try:
            wait_for(self._task, self._idle, timeout=params["wait_timeout"], delay=params["wait_delay"])
        except WaitTimeout as late:
            raise ToolchainError(f"{late} {self._give_up()}") from None

    def _running(self) -> Builds:
        running = builds(self._ci.view("/computer", RUNNING).record())
        self._task.result.update(running_builds=running.seen, hidden_builds=running.unseen)
        return running

    def _idle(self) -> None:
        running = self._running()
        if self.read() is None:  # looked at last, for only so nothing can have begun since
            raise ToolchainError("Another client ended the quiet-down: the server takes builds again.")
        if running:
            raise NotReady(str(running))

    def interrupted(self) -> t.Iterator[str]:
        """Give the quiet-down up, from its request on; for `Task.when_interrupted`."""
        ends = self._began and self._task.params["cancel_on_timeout"]
        if ends or (self._quiets and self._task.params["state"] == "present"):
            yield f"interrupted while the server quiets down. {self._give_up()}"

    def _give_up(self) -> str:
        """End the quiet-down that this task began, if that is wanted; tells in what state the server is left."""
        if not self._task.params["cancel_on_timeout"]:
            return _STAYS
        if not self._began:
            return f"{_STAYS} It did so before this task."
        try:
            self.end()
            ended = self.read() is None
        except ToolchainError as error:
            return f"Whether it takes builds again is not known: {error}"
        return "It takes builds again." if ended else f"It accepted the end of the quiet-down without acting. {_STAYS}"
