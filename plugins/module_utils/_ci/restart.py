# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The safe restart: ask for it, wait for the running builds, and prove that a new process answers."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotYet, WaitedTooLong, wait_for

_BUILD = "currentExecutable[fullDisplayName,number,url]"
_RUNNING = f"computer[executors[{_BUILD}],oneOffExecutors[{_BUILD}]]"
_ANY_STATUS = range(100, 600)


class Restart:
    """One safe restart of a server.

    While it restarts, 503, refused and dropped connections, time-outs and even 401 with good credentials all mean "not
    yet" (as seen on servers 1.395 and 2.579). The end is proven by another session id; on a server without one, by
    having been down after the request was accepted, and answering again.
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        answer = ci.view("/computer", _RUNNING)
        self.session_before = answer.headers.get("X-Jenkins-Session")
        self.running_builds = _builds(answer.json())
        self._was_down = False

    def is_required(self) -> bool:
        """Whether the server says that it waits for a restart, after plugins were installed or changed."""
        answer = self._ci.view("/updateCenter", "restartRequiredForCompletion", accept=(200, 404))
        if answer.status == 404:
            raise ToolchainError(
                "This server does not tell whether a restart is pending, so 'only_if_required' cannot be used with it."
            )
        return bool(answer.json().get("restartRequiredForCompletion"))

    def carry_out(self) -> dict[str, t.Any]:
        """Ask for the restart and wait for it as the task's options say; gives what is known of it."""
        self._request()
        outcome = {"completed": False, "session_before": self.session_before, "session_after": None}
        if self._task.params["wait"]:
            outcome.update(completed=True, session_after=self._wait())
        return outcome

    def _request(self) -> None:
        """Ask for the restart. A lost reply is resolved by looking whether the server prepares to go down."""
        try:
            self._ci.post("/safeRestart", accept=(302,))
        except OutcomeUnknown:
            if self._still_in_service():
                raise
            self._task.wrote = True
        except ServerRefusal as refusal:
            if refusal.status == 500:
                raise ToolchainError(f"{refusal} Perhaps it runs in a way in which it cannot restart itself.") from None
            raise

    def _wait(self) -> str | None:
        params = self._task.params
        try:
            return wait_for(self._task, self._new_session, timeout=params["wait_timeout"], delay=params["wait_delay"])
        except WaitedTooLong as late:
            if not params["cancel_on_timeout"]:
                raise ToolchainError(f"{late} The restart is still asked for.") from None
            self._cancel(late)
            raise ToolchainError(f"{late} The restart was cancelled, the server takes builds again.") from None

    def _cancel(self, late: WaitedTooLong) -> None:
        try:
            self._ci.post("/cancelQuietDown", accept=(302,), repeatable=True)
        except ToolchainError as error:
            raise ToolchainError(f"{late} The restart could not be cancelled: {error}") from None

    def _still_in_service(self) -> bool:
        try:
            answer = self._ci.view("", "quietingDown", once=True, accept=_ANY_STATUS)
        except ServerUnreachable:
            return False
        same_process = answer.headers.get("X-Jenkins-Session") == self.session_before
        return answer.status == 200 and same_process and not answer.json().get("quietingDown")

    def _new_session(self) -> str | None:
        login = self._ask("/login", anonymous=True)
        session = login.headers.get("X-Jenkins-Session")
        if not self._is_new(session):
            raise NotYet(self._what_holds_it_up())
        if self._ask("/api/json", query={"tree": "mode"}).json_or_none() is None:
            raise NotYet("something else answers in its place")
        return session

    def _is_new(self, session: str | None) -> bool:
        if self.session_before is None:
            return self._was_down
        return session not in (None, self.session_before)

    def _ask(self, path: str, **options: t.Any) -> t.Any:
        try:
            answer = self._ci.http.read("GET", path, once=True, accept=_ANY_STATUS, **options)
        except ServerUnreachable:
            self._was_down = True
            raise NotYet("the server is down") from None
        if answer.status != 200:
            self._was_down = self._was_down or answer.status in (502, 503, 504)
            raise NotYet(f"the server answers {answer.status}")
        return answer

    def _what_holds_it_up(self) -> str:
        try:
            answer = self._ci.view("/computer", _RUNNING, once=True, accept=_ANY_STATUS)
        except ServerUnreachable:
            self._was_down = True
            return "the server is down"
        builds = _builds(answer.json_or_none() or {}) if answer.status == 200 else []
        names = ", ".join(build["name"] for build in builds[:3])
        return f"{len(builds)} build(s) still run: {names}" if builds else "the server has not gone down yet"


def _builds(computers: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    executors = [
        executor
        for computer in computers.get("computer", [])
        for executor in computer.get("executors", []) + computer.get("oneOffExecutors", [])
    ]
    current = [executor["currentExecutable"] for executor in executors if executor.get("currentExecutable")]
    return [
        {"name": build.get("fullDisplayName") or build["url"], "number": build["number"], "url": build["url"]}
        for build in current
        if build.get("url")
    ]
