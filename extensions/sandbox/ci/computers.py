# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one node of the server, its executors, and what they run."""

from __future__ import annotations

from starlette.responses import Response

from . import builds
from .call import Call, Route
from .exposition import Bean, Property, opaque
from .remote_api import API, serve
from .store import Build

BUILT_IN = r"/computer/(\(|%28)(built-in|master)(\)|%29)"
DESCRIPTION = "the Jenkins controller's built-in node"


def labels() -> list[Bean]:
    """The label of the built-in node."""
    return [Bean("hudson.model.labels.LabelAtom", Property("name", "built-in", visibility=2), typed=False)]


def _executor(call: Call, number: int, build: Build | None) -> Bean:
    def progress() -> int:
        estimate = call.service.scheduler.estimate(build.job) if build else None
        return min(99, int(100 * (call.now - build.started) / estimate)) if build and estimate else -1

    return Bean(
        "hudson.model.Executor",
        Property("currentExecutable", builds.bean(call, build) if build else None),
        Property("currentWorkUnit", opaque() if build else None),
        Property("idle", build is None),
        Property("likelyStuck", False),
        Property("number", number),
        Property("progress", progress),
        typed=False,
    )


def _computer(call: Call) -> Bean:
    scheduler = call.service.scheduler
    running = scheduler.running(call.now)
    working: list[Build | None] = [*running, *[None] * (scheduler.executors - len(running))]
    return Bean(
        "hudson.model.Hudson$MasterComputer",
        Property("actions", []),
        Property("assignedLabels", labels()),
        Property("description", DESCRIPTION),
        Property("displayName", "Built-In Node"),
        Property("executors", [_executor(call, number, build) for number, build in enumerate(working)]),
        Property("icon", "symbol-computer"),
        Property("iconClassName", "symbol-computer"),
        Property("idle", not running),
        Property("jnlpAgent", False),
        Property("launchSupported", True),
        Property("loadStatistics", Bean("hudson.model.Label$1")),
        Property("manualLaunchAllowed", True),
        Property("monitorData", {}),
        Property("numExecutors", scheduler.executors),
        Property("offline", False),
        Property("offlineCause", None),
        Property("offlineCauseReason", ""),
        Property("oneOffExecutors", []),
        Property("temporarilyOffline", False),
    )


def _show_all(call: Call, form: str) -> Response:
    scheduler = call.service.scheduler
    computers = Bean(
        "hudson.model.ComputerSet",
        Property("busyExecutors", len(scheduler.running(call.now))),
        Property("computer", [_computer(call)], inline=True),
        Property("displayName", "Nodes"),
        Property("totalExecutors", scheduler.executors),
    )
    return serve(call, computers, form)


def _show(call: Call, form: str) -> Response:
    return serve(call, _computer(call), form)


ROUTES = (
    Route("/computer" + API, _show_all, "nodes", reads=True),
    Route(BUILT_IN + API, _show, "node", reads=True),
)
