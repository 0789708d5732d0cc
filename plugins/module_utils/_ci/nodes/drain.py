# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Take a node offline, wait for its builds, and bring it back online."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.running import read_node_builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

# Start of the reasons that this module sets
MARK = "Drained by buildworks.toolchain"


class Drain:
    """The offline state of a node."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task, self._ci = task, ci
        self._name: str = task.params["name"]
        self._path = nodes.node_path(self._name)
        self._should_drain = task.params["state"] == "drained"
        self._is_drained = False
        self._was_drained = False

    def read(self) -> Fields:
        """Return the state of the node.

        :raises ToolchainError: if it does not exist
        """
        computer = self._fetch()
        is_offline = computer.flag("temporarilyOffline")
        reason = (computer.maybe_text("offlineCauseReason") or "") if is_offline else ""
        self._is_drained = is_offline and is_own_reason(reason)
        return {
            "name": self._name,
            "offline": computer.flag("offline"),
            "temporarily_offline": is_offline,
            "reason": reason,
            "drained": self._is_drained,
        }

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare. What another client has set is kept."""
        current: Fields = before or {}
        is_foreign = current["temporarily_offline"] and not current["drained"]
        if is_foreign:
            self._warn_of_foreign(current["reason"])
            return {}
        if not self._should_drain:
            return {"temporarily_offline": False}
        reason = self._task.params["reason"]
        if reason is None and current["drained"]:
            return {}
        return {"temporarily_offline": True, "reason": build_reason(reason)}

    def update(self, _fields: Fields) -> None:
        """Take the node offline, change the reason, or bring the node back online."""
        if self._should_drain:
            self._was_drained = not self._is_drained  # before the request, because its response may be lost
            # Unlike the toggle, this request has the same effect in each state
            form = {"offlineMessage": build_reason(self._task.params["reason"])}
            self._ci.post(f"{self._path}/changeOfflineCause", form=form, accept=(302,), policy=IDEMPOTENT)
        else:
            self._resume()

    def to_result(self, fields: Fields) -> Fields:
        """Return the state; a predicted one with the fields that follow from the change."""
        is_offline = fields["temporarily_offline"]
        reason = fields["reason"] if is_offline else ""
        offline = is_offline or (fields["offline"] and not self._is_drained)
        return {**fields, "offline": offline, "reason": reason, "drained": is_offline and is_own_reason(reason)}

    def wait(self) -> None:
        """Wait until the node runs no builds, and add the running builds to the result."""
        params = self._task.params
        try:
            wait_for(self._task, self._check_idle, timeout=params["wait_timeout"], delay=params["wait_delay"])
        except WaitTimeout as timeout:
            raise ToolchainError(f"{timeout} {self._clean_up()}") from None

    def fetch_running_builds(self) -> Record:
        """Add the running builds to the result, and return the state of the node."""
        computer = self._fetch()
        builds = read_node_builds(computer)
        self._task.result.update(running_builds=builds.visible, hidden_builds=builds.hidden_count)
        return computer

    def handle_interrupt(self) -> t.Iterator[str]:
        """Clean up after an interruption; for `Task.on_interrupt`."""
        if self._should_drain and (self._is_drained or self._was_drained):
            yield f"interrupted while draining node '{self._name}'. {self._clean_up()}"

    def _fetch(self) -> Record:
        computer = nodes.find_computer(self._ci, self._name)
        if computer is None:
            raise ToolchainError(f"Node '{self._name}' does not exist. Check its name.")
        return computer

    def _check_idle(self) -> None:
        computer = self.fetch_running_builds()
        if not computer.flag("temporarilyOffline"):
            raise ToolchainError(
                f"Waiting for node '{self._name}' failed: another client brought it back online. Run the task again."
            )
        if not computer.flag("idle"):
            raise NotReady(str(read_node_builds(computer)) or "the node is not idle")

    def _resume(self) -> None:
        """Bring the node back online. If another client was faster, the message marks the node as drained again."""
        self._ci.post(f"{self._path}/toggleOffline", form={"offlineMessage": MARK}, accept=(302,))

    def _clean_up(self) -> str:
        """Bring the node back online if requested; return a message about its state."""
        still = f"Node '{self._name}' is still offline. Use ci_node_drain with 'state: resumed' to bring it online."
        if not self._task.params["cancel_on_timeout"]:
            return still
        if not self._was_drained:
            return f"{still} It was offline before this task."
        try:
            if not self.read()["drained"]:
                return f"Another client has changed the state of node '{self._name}', so it was not changed again."
            self._resume()
            self._task.result["node"] = self.read()
        except ToolchainError as error:
            return f"Bringing node '{self._name}' back online failed: {error}"
        is_offline = self._task.result["node"]["temporarily_offline"]
        return f"The server did not act. {still}" if is_offline else f"Node '{self._name}' is back online."

    def _warn_of_foreign(self, reason: str) -> None:
        quoted = f"with the reason '{reason}'" if reason else "without a reason"
        self._task.warn(
            f"Node '{self._name}' was taken offline {quoted}, but not by ci_node_drain. "
            + ("Its reason is kept." if self._should_drain else "It stays offline.")
        )


def build_reason(reason: str | None) -> str:
    """Return a reason that `is_own_reason` recognizes."""
    return f"{MARK}: {reason}" if reason else MARK


def is_own_reason(reason: str) -> bool:
    """Return whether a reason was set by this module."""
    return reason == MARK or reason.startswith(f"{MARK}: ")
