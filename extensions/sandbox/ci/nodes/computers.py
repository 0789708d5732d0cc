# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes: the built-in node with executors, labels and load; agents, which never run builds."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import AGENT_CONNECT, JOB_READ
from ..builds import build_api
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import NotFound
from ..jobs import job_api
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property, opaque_bean
from ..storage import Build
from . import executors

CONTROLLER = ("(built-in)", "(master)")
BUILT_IN = r"/computer/{:(?:\(|%28)(?:built-in|master)(?:\)|%29)}"
DESCRIPTION = "the Jenkins controller's built-in node"
GIB = 1024**3
LOADS = (
    "availableExecutors",
    "busyExecutors",
    "connectingExecutors",
    "definedExecutors",
    "idleExecutors",
    "onlineExecutors",
    "queueLength",
    "totalExecutors",
    "totalQueueLength",
)


def _executor_beans(call: Call) -> list[Build | None]:
    """Return the executors with their builds."""
    running = call.scheduler.occupying(call.now)
    return [*running, *[None] * (call.scheduler.executors - len(running))]


def _one_off_executor_beans(call: Call) -> list[Build]:
    """Return the builds that run without an executor."""
    occupying = call.scheduler.occupying(call.now)
    return [build for build in call.scheduler.running(call.now) if build not in occupying]


def label_bean(call: Call) -> Bean:
    """Return the label of the built-in node."""
    working = _executor_beans(call)
    busy = sum(build is not None for build in working)
    return Bean(
        "hudson.model.labels.LabelAtom",
        Property("actions", []),
        Property("busyExecutors", busy),
        Property("clouds", []),
        Property("description", None),
        Property("idleExecutors", len(working) - busy),
        Property("loadStatistics", Bean("hudson.model.Label$1")),
        Property("name", "built-in", visibility=2),
        Property("nodes", lambda: [_node(call)]),
        Property("offline", False),
        Property("tiedJobs", lambda: job_api.list_tied_jobs(call)),
        Property("totalExecutors", len(working)),
        Property("propertiesList", []),
        typed=False,
    )


def _node(call: Call) -> Bean:
    return Bean(
        "hudson.model.Hudson",
        Property("assignedLabels", lambda: [label_bean(call)]),
        Property("mode", "NORMAL"),
        Property("nodeDescription", DESCRIPTION),
        Property("nodeName", ""),
        Property("numExecutors", call.scheduler.executors),
    )


def load_bean(class_name: str) -> Bean:
    """Return the load statistics. Their values are not recorded."""
    return Bean(class_name, *(Property(name, opaque_bean()) for name in LOADS))


def _executor(call: Call, number: int, build: Build | None) -> Bean:
    visible_build = build if build and call.principal.may(JOB_READ) else None
    return executors.executor_bean(
        call, number, build, build_api.build_bean(call, visible_build) if visible_build else None
    )


def _monitors(call: Call) -> Bean:
    now = int(call.now * 1000)
    disk = _measurement(
        "DiskSpaceMonitorDescriptor$DiskSpace",
        timestamp=now,
        path="/var/jenkins_home",
        size=64 * GIB,
        threshold=GIB,
        totalSize=256 * GIB,
        warningThreshold=2 * GIB,
    )
    memory = _measurement(
        "SwapSpaceMonitor$MemoryUsage2",
        availablePhysicalMemory=8 * GIB,
        availableSwapSpace=0,
        totalPhysicalMemory=16 * GIB,
        totalSwapSpace=0,
    )
    monitors = {
        "SwapSpaceMonitor": memory,
        "TemporarySpaceMonitor": disk,
        "DiskSpaceMonitor": disk,
        "ArchitectureMonitor": "Linux (amd64)",
        "ResponseTimeMonitor": _measurement("ResponseTimeMonitor$Data", timestamp=now, average=0),
        "ClockMonitor": Bean("hudson.util.ClockDifference", Property("diff", 0, visibility=ALWAYS)),
    }
    visible_monitors = monitors.items() if call.principal.may(AGENT_CONNECT) else ()
    members = [Property(f"hudson.node_monitors.{name}", value) for name, value in visible_monitors]
    return Bean("java.util.Map", *members, typed=False)


def _measurement(class_name: str, **members: int | str) -> Bean:
    values = [Property(name, value, visibility=ALWAYS) for name, value in members.items()]
    return Bean(f"hudson.node_monitors.{class_name}", *values)


def _computer(call: Call) -> Bean:
    working = _executor_beans(call)
    return Bean(
        "hudson.model.Hudson$MasterComputer",
        Property("actions", []),
        Property("assignedLabels", [label_bean(call)]),
        Property("description", DESCRIPTION),
        Property("displayName", "Built-In Node"),
        Property("executors", lambda: [_executor(call, number, build) for number, build in enumerate(working)]),
        Property("icon", "symbol-computer"),
        Property("iconClassName", "symbol-computer"),
        Property("idle", not any(working) and not _one_off_executor_beans(call)),
        Property("jnlpAgent", False),
        Property("launchSupported", True),
        Property("loadStatistics", Bean("hudson.model.Label$1")),
        Property("manualLaunchAllowed", True),
        Property("monitorData", _monitors(call), inline=True),
        Property("numExecutors", len(working)),
        Property("offline", False),
        Property("offlineCause", None),
        Property("offlineCauseReason", ""),
        Property("oneOffExecutors", lambda: [_executor(call, -1, build) for build in _one_off_executor_beans(call)]),
        Property("temporarilyOffline", False),
    )


def find_agent(call: Call, name: str) -> dict[str, Any] | None:
    """Return the agent with a name."""
    return next((agent for agent in call.storage.setting("agents", []) if agent["name"] == name), None)


def _agent(call: Call, agent: dict[str, Any]) -> Bean:
    offline, put_offline = agent.get("offline", False), agent.get("put_offline")
    icon = "symbol-computer-offline" if offline or put_offline is not None else "symbol-computer"
    free: list[Build | None] = [None] * _agent_executors(agent)
    return Bean(
        "hudson.slaves.SlaveComputer",
        Property("actions", []),
        Property("assignedLabels", [_label_atom(label) for label in [*agent.get("label", "").split(), agent["name"]]]),
        Property("description", agent.get("description", "")),
        Property("displayName", agent["name"]),
        Property("executors", lambda: [_executor(call, number, build) for number, build in enumerate(free)]),
        Property("icon", icon),
        Property("iconClassName", icon),
        Property("idle", True),
        Property("jnlpAgent", True),
        Property("launchSupported", False),
        Property("loadStatistics", Bean("hudson.model.Label$1")),
        Property("manualLaunchAllowed", True),
        Property("monitorData", _monitors(call), inline=True),
        Property("numExecutors", len(free)),
        Property("offline", offline or put_offline is not None),
        Property("offlineCause", Bean("hudson.slaves.OfflineCause$UserCause") if put_offline is not None else None),
        Property("offlineCauseReason", put_offline or ""),
        Property("oneOffExecutors", []),
        Property("temporarilyOffline", put_offline is not None),
        Property("absoluteRemotePath", None),
    )


def _label_atom(name: str) -> Bean:
    return Bean("hudson.model.labels.LabelAtom", Property("name", name, visibility=2), typed=False)


def _agent_executors(agent: dict[str, Any]) -> int:
    count: int = agent.get("executors", 1)
    return count


def _show_all(call: Call, form: str) -> Answer:
    agents = call.storage.setting("agents", [])
    online = sum(_agent_executors(agent) for agent in agents if not agent.get("offline"))
    computers = Bean(
        "hudson.model.ComputerSet",
        Property("busyExecutors", len(call.scheduler.occupying(call.now))),
        Property("computer", [_computer(call), *(_agent(call, agent) for agent in agents)], inline=True),
        Property("displayName", "Nodes"),
        Property("totalExecutors", call.scheduler.executors + online),
    )
    return serve(call, computers, form)


def _show(call: Call, form: str) -> Answer:
    return serve(call, _computer(call), form)


def _show_agent(call: Call, name: str, form: str) -> Answer:
    found = find_agent(call, name)
    if not found:
        raise NotFound
    return serve(call, _agent(call, found), form)


def _page(call: Call) -> Response:
    return call.page("Nodes - Jenkins", "<h1>Nodes</h1><p>Built-In Node</p>")


def _page_without_slash(call: Call) -> Response:
    return pages.redirect(call.with_slash)


def _show_label(call: Call, name: str, form: str) -> Answer:
    if name != "built-in":
        raise NotFound
    return serve(call, label_bean(call), form)


def _show_load(call: Call, form: str) -> Answer:
    return serve(call, load_bean("hudson.model.OverallLoadStatistics"), form)


def _stop_executor(call: Call, number: str) -> Response:
    working = _executor_beans(call)
    if int(number) >= len(working):
        raise NotFound
    call.require_post()
    return build_api.stop_build(call, working[int(number)])


ROUTES = (
    Route(ANY, "/computer/", _page, "nodes", read_only=True),
    Route(ANY, BUILT_IN + "/", _page, "node", read_only=True),
    Route(ANY, BUILT_IN, _page_without_slash, "node", read_only=True),
    Route(ANY, "/computer", _page_without_slash, "nodes", read_only=True),
    Route(ANY, "/computer" + API, _show_all, "nodes", read_only=True),
    Route(ANY, BUILT_IN + API, _show, "node", read_only=True),
    Route(ANY, "/computer/{name}" + API, _show_agent, "node", read_only=True),
    Route(ANY, BUILT_IN + r"/executors/{number:\d+}/stop{:/?}", _stop_executor, "stop_build"),
    Route(ANY, "/label/{name}" + API, _show_label, "label", read_only=True),
    Route(ANY, "/overallLoad" + API, _show_load, "load", read_only=True),
)
