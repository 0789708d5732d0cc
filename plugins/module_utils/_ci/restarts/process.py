# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server process: its session, its state, and the proof that a new process has replaced it."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import running
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.running import RunningBuilds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerUnreachable, UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady

ANY_STATUS = range(100, 600)
_RESTARTING = re.compile(r"(Restarting|Starting) Jenkins|Jenkins is restarting|getting ready to work")
STILL_UP = "the server has not shut down yet"


class ProcessState(t.NamedTuple):
    """The state of a process that responds.

    :ivar session: session ID, if the server has session IDs
    :ivar is_quieting: whether it is in quiet-down mode; `None` if the server does not report it
    """

    session: str | None
    is_quieting: bool | None


class ServerProcess:
    """The process that served the first request, and probes that detect its successor.

    During a restart, the server returns 503, refuses or drops connections, times out, and even returns 401 for valid
    credentials (as seen on 1.395 and 2.579). A new session ID proves the restart. On a server without session IDs, the
    proof is that it was down and responds again.

    :ivar is_restarting: whether a restart was in progress at the first request
    :ivar was_down: whether the server was seen to be down
    :ivar session: session ID at the first request
    :ivar builds: running builds at the first request
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._ci = ci
        response = ci.view("/computer", running.TREE, accept=(200, 503))
        self.is_restarting = response.status == 503 and bool(_RESTARTING.search(response.text))
        if response.status == 503 and not self.is_restarting:
            task.record_retry(f"GET {ci.http.base_url}/computer/api/json: 503", 1, task.params["retries"] + 1)
            response = ci.view("/computer", running.TREE)
        self.was_down = self.is_restarting
        self.session = response.headers.get("X-Jenkins-Session")
        self.builds = RunningBuilds([], 0) if self.is_restarting else running.read_running_builds(response.record())

    def fetch_state(self) -> ProcessState | None:
        """Return the current state, or `None` if the server does not respond normally."""
        try:
            response = self._ci.view("", "quietingDown", no_retry=True, accept=ANY_STATUS)
        except ServerUnreachable:
            return None
        if response.status != 200 or not isinstance(response.json_or_none(), dict):
            return None
        return ProcessState(response.headers.get("X-Jenkins-Session"), response.record().maybe_flag("quietingDown"))

    def fetch_new_session(self, explain_delay: t.Callable[[str | None], str]) -> str | None:
        """Return the session ID of the new process, if the server has session IDs.

        :arg explain_delay: takes the current session ID, returns why the old process still responds
        :raises NotReady: if there is no new process yet
        """
        session = self._request("/login", anonymous=True).headers.get("X-Jenkins-Session")
        if not self._is_new(session):
            raise NotReady(explain_delay(session))
        if self._request("/api/json", query={"tree": "mode"}).json_or_none() is None:
            raise NotReady("something else responds at this URL")
        return session

    def _is_new(self, session: str | None) -> bool:
        if self.session is None:
            return self.was_down
        return session not in (None, self.session)

    def _request(self, path: str, **options: t.Unpack[RequestOptions]) -> Response:
        request_options: RequestOptions = {**options, "no_retry": True, "accept": ANY_STATUS}
        try:
            response = self._ci.http.read("GET", path, **request_options)
        except ServerUnreachable:
            self.was_down = True
            raise NotReady("the server is down") from None
        if response.status != 200:
            self.was_down = self.was_down or response.status in (502, 503, 504)
            raise NotReady(f"the server returns {response.status}")
        return response

    def describe_running_builds(self) -> str:
        """Return why the old process still responds after a safe restart."""
        try:
            response = self._ci.view("/computer", running.TREE, no_retry=True, accept=ANY_STATUS)
        except ServerUnreachable:
            self.was_down = True
            return "the server is down"
        if response.status != 200:
            return STILL_UP
        try:
            builds = running.read_running_builds(response.record())
        except UnexpectedResponse:
            return "something else responds at this URL"
        return str(builds) if builds else STILL_UP

    def is_held_up_by_builds(self) -> bool:
        """Return whether the old process still responds and builds are running."""
        try:
            response = self._ci.view("/computer", running.TREE, no_retry=True, accept=ANY_STATUS)
        except ServerUnreachable:
            return False
        if response.status != 200 or response.headers.get("X-Jenkins-Session") != self.session:
            return False
        return bool(running.read_running_builds(response.record()))
