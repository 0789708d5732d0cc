# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Executors of nodes."""

from __future__ import annotations

from ..call import Call
from ..remote_api.beans import Bean, Property, opaque_bean
from ..storage import Build


def executor_bean(call: Call, number: int, build: Build | None, executable: Bean | None) -> Bean:
    """Return an executor with its build, or without if the user may not see it."""

    def progress() -> int:
        estimate = call.scheduler.estimate(build.job) if build else None
        return min(99, int(100 * (call.now - build.started) / estimate)) if build and estimate else -1

    return Bean(
        "hudson.model.Executor",
        Property("currentExecutable", executable),
        Property("currentWorkUnit", opaque_bean() if build else None),
        Property("idle", build is None),
        Property("likelyStuck", False),
        Property("number", number),
        Property("progress", progress),
        typed=False,
    )


def find_executor_number(call: Call, build: Build) -> int:
    """Return the number of the executor that runs a build."""
    running = [(other.job, other.number) for other in call.scheduler.list_occupying(call.now, build.node)]
    return running.index((build.job, build.number)) if (build.job, build.number) in running else 0
