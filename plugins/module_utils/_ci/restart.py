# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Restarts, safe and hard: ask for one, wait for it, and prove that a new process answers."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.running import RUNNING, Builds, builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_CHANGES = "plugins[active,deleted,enabled]"
_ANY_STATUS = range(100, 600)
_RESTARTS = re.compile(r"(Restarting|Starting) Jenkins|Jenkins is restarting|getting ready to work")
_BUILDS_TOLD = 10


class State(t.NamedTuple):
    """A server that answers: which process it is, and whether it quiets down (`None`: it does not tell)."""

    session: str | None
    quieting: bool | None


class Restart:
    """One restart of a server, of this task or of somebody else.

    While it restarts, 503, refused and dropped connections, time-outs and even 401 with good credentials all mean "not
    yet" (as seen on servers 1.395 and 2.579). The end is proven by another session id; on a server without one, by
    having been down after the request was accepted, and answering again.
    """

    ACTION: str
    PATH: str

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        response = ci.view("/computer", RUNNING, accept=(200, 503))
        self.under_way = response.status == 503 and bool(_RESTARTS.search(response.text))
        if response.status == 503 and not self.under_way:
            task.record_retry(f"GET {ci.http.base_url}/computer/api/json: 503", 1, task.params["retries"] + 1)
            response = ci.view("/computer", RUNNING)
        self._was_down = self.under_way
        self._session_before = response.headers.get("X-Jenkins-Session")
        self._builds = Builds([], 0) if self.under_way else builds(response.record())

    def plan(self) -> dict[str, t.Any] | None:
        """What the task does: restart, wait for a restart that is under way, or nothing."""
        if not self.under_way and not self._is_wanted():
            return None
        action = "wait" if self.under_way else self.ACTION
        return {"action": action, "running_builds": self._builds.seen, "hidden_builds": self._builds.unseen}

    def rehearse(self) -> dict[str, t.Any]:
        """Look in check mode at the form for restarts: it needs the permission, and a server that can restart.

        :raises ToolchainError: when the restart would be refused
        """
        if not self.under_way:
            self._check()
            page = self._ci.http.read("GET", self.PATH)
            if self._session_before and not re.search(rf"<form[^>]*\saction=.?{self.PATH[1:]}\b", page.text):
                raise ToolchainError("This server cannot restart itself in the way in which it runs.")
        return {}

    def carry_out(self) -> dict[str, t.Any]:
        """Ask for the restart and wait for it as the task's options say; gives what is known of it."""
        if not self.under_way:
            self._check()
        outcome: dict[str, t.Any] = {
            "completed": False,
            "requested_by": "another client" if self.under_way else "this task",
            "session_before": self._session_before,
            "session_after": None,
        }
        with self._task.on_interrupt(self._interrupted):
            if not self.under_way:
                self._request()
            if self._task.params.get("wait", True):
                outcome.update(completed=True, session_after=self._wait())
        return outcome

    def _is_wanted(self) -> bool:
        return True

    def _check(self) -> None:
        """Called before the request; raises what speaks against it."""

    def _is_preparing(self, state: State) -> bool:
        """Whether a process that answers is about to restart."""
        return False

    def _request(self) -> None:
        """Ask for the restart. A lost reply is resolved by looking whether the server prepares to go down."""
        try:
            self._ci.post(self.PATH, accept=(302,))
        except OutcomeUnknown:
            state = self._state()
            if state and state.session == self._session_before and not self._is_preparing(state):
                raise
            self._task.has_written = True
        except ServerRefusal as refusal:
            if refusal.status == 500:
                raise ToolchainError(f"{refusal} Perhaps it runs in a way in which it cannot restart itself.") from None
            raise

    def _wait(self) -> str | None:
        params = self._task.params
        try:
            return wait_for(self._task, self._new_session, timeout=params["wait_timeout"], delay=params["wait_delay"])
        except WaitTimeout as late:
            raise ToolchainError(f"{late} {self._give_up()}") from None

    def _interrupted(self) -> t.Iterator[str]:
        """In what state the server is left."""
        yield f"interrupted while {self._left()}."

    def _left(self) -> str:
        if self._was_down:
            return "the server restarts"
        return "the restart is still asked for" if self._task.has_written else "the restart is perhaps asked for"

    def _give_up(self) -> str:
        """In what state the server is left when the time is over."""
        if self._was_down:
            return "The restart has begun, but has not come to its end."
        return "The restart is still asked for."

    def _state(self) -> State | None:
        """The server's state; `None` when it does not answer as one that is in service."""
        try:
            response = self._ci.view("", "quietingDown", no_retry=True, accept=_ANY_STATUS)
        except ServerUnreachable:
            return None
        if response.status != 200 or not isinstance(response.json_or_none(), dict):
            return None
        return State(response.headers.get("X-Jenkins-Session"), response.record().maybe_flag("quietingDown"))

    def _new_session(self) -> str | None:
        login = self._ask("/login", anonymous=True)
        session = login.headers.get("X-Jenkins-Session")
        if not self._is_new(session):
            raise NotReady(self._what_holds_it_up(session))
        if self._ask("/api/json", query={"tree": "mode"}).json_or_none() is None:
            raise NotReady("something else answers in its place")
        return session

    def _is_new(self, session: str | None) -> bool:
        if self._session_before is None:
            return self._was_down
        return session not in (None, self._session_before)

    def _ask(self, path: str, **options: t.Unpack[RequestOptions]) -> Response:
        asked: RequestOptions = {**options, "no_retry": True, "accept": _ANY_STATUS}
        try:
            response = self._ci.http.read("GET", path, **asked)
        except ServerUnreachable:
            self._was_down = True
            raise NotReady("the server is down") from None
        if response.status != 200:
            self._was_down = self._was_down or response.status in (502, 503, 504)
            raise NotReady(f"the server answers {response.status}")
        return response

    def _what_holds_it_up(self, session: str | None) -> str:
        """Why the old process answers still.

        :arg session: its id, if it tells one
        :raises ToolchainError: when it goes on for good
        """
        return "the server has not gone down yet"


class HardRestart(Restart):
    """Restarts at once, which kills what runs."""

    ACTION = "restart"
    PATH = "/restart"

    def _check(self) -> None:
        if self._builds and not self._task.params["kill_builds"]:
            raise ToolchainError(
                f"{self._what_is_killed()}. Wait for the end of what runs with ci_safe_restart, or give 'kill_builds'."
            )

    def _what_is_killed(self) -> str:
        names = self._builds.names(_BUILDS_TOLD)
        more = len(self._builds.seen) - _BUILDS_TOLD
        parts = [
            names,
            f"{more} more" if more > 0 else "",
            f"{self._builds.unseen} build(s) that this account may not see" if self._builds.unseen else "",
        ]
        return f"A restart now would kill {' and '.join(filter(None, parts))}"


class PatientRestart(Restart):
    """Restarts once the running builds have ended."""

    ACTION = "safe_restart"

    def _what_holds_it_up(self, session: str | None) -> str:
        self._check_still_asked_for(session)
        try:
            response = self._ci.view("/computer", RUNNING, no_retry=True, accept=_ANY_STATUS)
        except ServerUnreachable:
            self._was_down = True
            return "the server is down"
        try:
            running = builds(response.record()) if response.status == 200 else Builds([], 0)
        except UnexpectedResponse:
            return "something else answers in its place"
        return str(running) if running else super()._what_holds_it_up(session)

    def _check_still_asked_for(self, session: str | None) -> None:
        """Find out when another client has cancelled the restart, for then it never comes.

        :arg session: the id of the process that answers, if it tells one
        """


class SafeRestart(PatientRestart):
    """A restart that can be cancelled until it begins, by whomever."""

    PATH = "/safeRestart"

    def __init__(self, task: Task, ci: CiService) -> None:
        super().__init__(task, ci)
        self._was_quieting = False

    def _is_wanted(self) -> bool:
        return not self._task.params["only_if_required"] or self._is_required()

    def _is_required(self) -> bool:
        """Whether a restart is pending, after plugins were installed, changed or taken away."""
        response = self._ci.view("/updateCenter", "restartRequiredForCompletion", accept=(200, 404))
        if response.status == 404:
            raise ToolchainError(
                "This server does not tell whether a restart is pending, so 'only_if_required' cannot be used with it."
            )
        if response.record().maybe_flag("restartRequiredForCompletion"):
            return True
        return any(map(_waits_for_restart, self._ci.view("/pluginManager", _CHANGES).record().records("plugins")))

    def carry_out(self) -> dict[str, t.Any]:
        if self._task.params["cancel_on_timeout"] and not self.under_way:
            self._was_quieting = bool(self._ci.view("", "quietingDown").record().maybe_flag("quietingDown"))
        return super().carry_out()

    def _is_preparing(self, state: State) -> bool:
        return bool(state.quieting)

    def _interrupted(self) -> t.Iterator[str]:
        cancels = self._task.params["cancel_on_timeout"] and not self._was_down
        yield f"interrupted while {self._left()}{', cancelling it' if cancels else ''}."
        if cancels:
            yield self._give_up()

    def _give_up(self) -> str:
        """Cancel the restart, if that is wanted and builds still hold it up; tells in what state the server is left."""
        if self._was_down or not self._task.params["cancel_on_timeout"]:
            return super()._give_up()
        if self._was_quieting:
            return (
                "The restart is still asked for: the server was quieting down before, and cancelling ends that as well."
            )
        if not self._is_held_up():
            return "The restart is about to begin, and was not cancelled."
        failure = None
        try:
            self._ci.post("/cancelQuietDown", accept=(302,), no_retry=True)
        except ToolchainError as error:
            failure = error
        return self._after_cancelling(failure)

    def _is_held_up(self) -> bool:
        """Whether the old process answers still, and builds run."""
        try:
            response = self._ci.view("/computer", RUNNING, no_retry=True, accept=_ANY_STATUS)
        except ServerUnreachable:
            return False
        if response.status != 200 or response.headers.get("X-Jenkins-Session") != self._session_before:
            return False
        return bool(builds(response.record()))

    def _after_cancelling(self, failure: ToolchainError | None) -> str:
        state = self._state()
        if state is None:
            return "The restart began before it could be cancelled."
        if state.session != self._session_before:
            return "The server restarted before the restart could be cancelled."
        if failure and state.quieting is not False:
            return f"The restart could not be cancelled: {failure}"
        if state.quieting:
            return "The restart is still asked for, although the server accepted the request to cancel it."
        return "The restart was cancelled, the server takes builds again."

    def _check_still_asked_for(self, session: str | None) -> None:
        state = self._state() if session else None
        if state and state.session == self._session_before and state.quieting is False:
            raise ToolchainError("Another client cancelled the restart: the server takes builds again.")


def _waits_for_restart(plugin: Record) -> bool:
    """Whether a plugin was disabled, enabled or uninstalled, which the server itself does not count."""
    return bool(plugin.maybe_flag("deleted") or plugin.maybe_flag("active") != plugin.maybe_flag("enabled"))
