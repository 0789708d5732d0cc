# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes with executors, labels and load."""

from __future__ import annotations

import functools

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
from . import executors, stored_nodes
from .stored_nodes import Node

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


def _list_executors(call: Call, node: Node) -> list[Build | None]:
    """Return the executors of a node with their builds."""
    running = call.scheduler.list_occupying(call.now, node.name)
    return [*running, *[None] * (node.executors - len(running))]


def _list_one_off_executors(call: Call, node: Node) -> list[Build]:
    """Return the builds that run on a node without an executor."""
    occupying = call.scheduler.list_occupying(call.now, node.name)
    running = call.scheduler.running(call.now)
    return [build for build in running if build.node == node.name and build not in occupying]


def label_bean(call: Call, name: str) -> Bean:
    """Return a label of the nodes."""

    @functools.cache
    def nodes() -> list[Node]:
        return [node for node in _list_all_nodes(call) if name in node.labels]

    def total() -> int:
        return sum(node.executors for node in nodes() if not node.offline)

    def busy() -> int:
        return sum(len(call.scheduler.list_occupying(call.now, node.name)) for node in nodes() if not node.offline)

    return Bean(
        "hudson.model.labels.LabelAtom",
        Property("actions", []),
        Property("busyExecutors", busy),
        Property("clouds", []),
        Property("description", None),
        Property("idleExecutors", lambda: total() - busy()),
        Property("loadStatistics", Bean("hudson.model.Label$1")),
        Property("name", name, visibility=2),
        Property("nodes", lambda: [_node(call, node) for node in nodes()]),
        Property("offline", lambda: all(node.offline for node in nodes())),
        Property("tiedJobs", lambda: job_api.list_tied_jobs(call, name)),
        Property("totalExecutors", total),
        Property("propertiesList", []),
        typed=False,
    )


def _list_all_nodes(call: Call) -> list[Node]:
    return [stored_nodes.find_built_in(call.storage), *stored_nodes.list_nodes(call.storage)]


def _node(call: Call, node: Node) -> Bean:
    return Bean("hudson.slaves.DumbSlave" if node.name else "hudson.model.Hudson", *node_members(call, node))


def node_members(call: Call, node: Node) -> tuple[Property, ...]:
    """Return the members of a node."""
    return (
        Property("assignedLabels", lambda: [label_bean(call, label) for label in node.labels]),
        Property("mode", node.text("mode") or None),
        Property("nodeDescription", node.text("description") if node.name else DESCRIPTION),
        Property("nodeName", node.name, visibility=ALWAYS),
        Property("numExecutors", node.executors),
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


def _computer(call: Call, node: Node) -> Bean:
    executors = _list_executors(call, node)
    one_off = _list_one_off_executors(call, node)
    launcher = node.root.find("launcher")
    is_inbound = bool(node.name) and (launcher is None or launcher.get("class") == stored_nodes.INBOUND)
    icon = "symbol-computer-offline" if node.offline else "symbol-computer"
    agent_members = (Property("absoluteRemotePath", None),) if node.name else ()
    return Bean(
        "hudson.slaves.SlaveComputer" if node.name else "hudson.model.Hudson$MasterComputer",
        Property("actions", []),
        Property("assignedLabels", lambda: [label_bean(call, label) for label in node.labels]),
        Property("description", node.text("description") if node.name else DESCRIPTION),
        Property("displayName", node.name or "Built-In Node"),
        Property("executors", lambda: [_executor(call, number, build) for number, build in enumerate(executors)]),
        Property("icon", icon),
        Property("iconClassName", icon),
        Property("idle", not any(executors) and not one_off),
        Property("jnlpAgent", is_inbound),
        Property("launchSupported", not is_inbound),
        Property("loadStatistics", Bean("hudson.model.Label$1")),
        Property("manualLaunchAllowed", True),
        Property("monitorData", _monitors(call), inline=True),
        Property("numExecutors", len(executors)),
        Property("offline", node.offline),
        Property("offlineCause", _offline_cause(node)),
        Property("offlineCauseReason", "" if node.cause is None else node.cause.findtext("message") or ""),
        Property("oneOffExecutors", lambda: [_executor(call, -1, build) for build in one_off]),
        Property("temporarilyOffline", node.cause is not None),
        *agent_members,
    )


def _offline_cause(node: Node) -> Bean | None:
    if node.cause is None:
        return None
    arguments = "".join(text.text or "" for text in node.cause.iterfind("description/args/string"))
    return Bean(
        "hudson.slaves.OfflineCause$UserCause",
        Property("timestamp", int(node.cause.findtext("timestamp") or "0")),
        Property("description", f"Disconnected by {arguments}"),
    )


def find_agent(call: Call, name: str) -> Node | None:
    """Return the agent with a name. The API hides agents without executors."""
    node = stored_nodes.find_node(call.storage, name)
    return node if node and node.executors else None


def _show_all(call: Call, form: str) -> Answer:
    nodes = [node for node in _list_all_nodes(call) if node.executors or not node.name]
    online = [node for node in nodes if not node.offline]
    computers = Bean(
        "hudson.model.ComputerSet",
        Property("busyExecutors", sum(len(call.scheduler.list_occupying(call.now, node.name)) for node in nodes)),
        Property("computer", [_computer(call, node) for node in nodes], inline=True),
        Property("displayName", "Nodes"),
        Property("totalExecutors", sum(node.executors for node in online)),
    )
    return serve(call, computers, form)


def _show(call: Call, form: str) -> Answer:
    return serve(call, _computer(call, stored_nodes.find_built_in(call.storage)), form)


def _show_agent(call: Call, name: str, form: str) -> Answer:
    found = find_agent(call, name)
    if not found:
        raise NotFound
    return serve(call, _computer(call, found), form)


def _page(call: Call) -> Response:
    return call.page("Nodes - Jenkins", "<h1>Nodes</h1><p>Built-In Node</p>")


def _page_without_slash(call: Call) -> Response:
    return pages.redirect(call.with_slash)


def _show_label(call: Call, name: str, form: str) -> Answer:
    if not any(name in node.labels for node in _list_all_nodes(call)):
        raise NotFound
    return serve(call, label_bean(call, name), form)


def _show_load(call: Call, form: str) -> Answer:
    return serve(call, load_bean("hudson.model.OverallLoadStatistics"), form)


def _stop_executor(call: Call, number: str) -> Response:
    working = _list_executors(call, stored_nodes.find_built_in(call.storage))
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
