# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes over time: items become builds, builds finish, restarts begin and end.

Nothing runs in the background. Each request first processes everything that was due since the last one, in order.
"""

from __future__ import annotations

from typing import Any

from ..builds import pipeline, shell
from ..jobs import configuration
from ..jobs.item_kinds import FREESTYLE, PIPELINE
from ..nodes import stored_nodes
from ..nodes.stored_nodes import Node
from ..plugins.installations import Installations
from ..state import State
from ..storage import Build, Item, Job
from ..system.lifecycle import Lifecycle

ITEM_RETENTION = 300
STOP_SECONDS = 0.1
ESTIMATED_FROM = 3
# Log lines by stop method
STOP_LINES: dict[str, dict[str, list[str]]] = {
    "stop": {
        FREESTYLE.name: ["Terminated", "Build was aborted"],
        PIPELINE.name: ["Sending interrupt signal to process", "Terminated"],
    },
    "term": {PIPELINE.name: ["Click here to forcibly kill entire build"]},
    "kill": {PIPELINE.name: ["Hard kill!"]},
}


class Scheduler:
    """The queue and the executors."""

    def __init__(self, state: State, lifecycle: Lifecycle, installations: Installations) -> None:
        self._runtime = state.runtime
        self._storage = state.storage
        self._lifecycle = lifecycle
        self._installations = installations
        self._settled = 0.0

    def reset(self) -> None:
        """Reset the time of the last update."""
        self._settled = 0.0

    def settle(self, now: float) -> None:
        """Process everything that is due."""
        self._settled = min(self._settled, now)
        with self._runtime.transaction():
            while (due := self._find_next_event(now)) is not None:
                self._process_events(due)
            self._process_events(now)

    def _find_next_event(self, now: float) -> float | None:
        times = [build.ends for build in self._storage.list_unfinished()]
        times += [item.due for item in self._storage.queue() if item.due > self._settled]
        back_at = self._lifecycle.back_at
        installed_at = self._installations.next_end if back_at is None else None  # a restart discards pending jobs
        timed = (back_at, self._lifecycle.cancelled_at, installed_at)
        times += [at for at in timed if at is not None]
        return min((time for time in times if time <= now), default=None)

    def _process_events(self, now: float) -> None:
        self._settled = now
        self._finish_builds(now)
        if self._lifecycle.back_at is not None:
            if now < self._lifecycle.back_at:
                return
            self._lifecycle.finish_restart()
        self._installations.settle(now)
        if self._lifecycle.cancelled_at is not None and now >= self._lifecycle.cancelled_at:
            self._lifecycle.cancel()
        if not self._lifecycle.quieting:
            self._start_builds(now)
        elif self._lifecycle.pending and not self.running(now):
            if self._lifecycle.pending == "exit":
                self._lifecycle.begin_exit(now)
            else:
                self._lifecycle.begin_restart("safe", now)

    def _finish_builds(self, now: float) -> None:
        for build in self._storage.list_unfinished():
            if not build.running(now):
                build.finished = True
                self._storage.put_build(build)

    def _start_builds(self, now: float) -> None:
        for item in self._storage.queue():
            if item.due <= now and not self.blocking(item, now):
                node = self._find_free_node(item, now)
                if node:
                    self._start_build(item, node, now)

    def _find_free_node(self, item: Item, now: float) -> Node | None:
        """Return a node with a free executor."""
        nodes = self.list_suitable_nodes(item)
        return next(
            (node for node in nodes if not node.offline and len(self.list_occupying(now, node.name)) < node.executors),
            None,
        )

    def list_suitable_nodes(self, item: Item) -> list[Node]:
        """Return the nodes that can run a build, the built-in one first."""
        label = self.find_label(item)
        nodes = [stored_nodes.find_built_in(self._storage), *stored_nodes.list_nodes(self._storage)]
        if label is None:
            return [node for node in nodes if not node.is_exclusive]
        return [node for node in nodes if label in node.labels]

    def find_label(self, item: Item) -> str | None:
        """Return the label that a job requires, or None. Pipelines start on the built-in node."""
        job = self._storage.job(item.job)
        assert job is not None, "a job takes its items with it when it is deleted"
        definition = configuration.parse_configuration(job.config)
        if definition.kind is PIPELINE or definition.label == "":
            return stored_nodes.SELF_LABEL
        return definition.label

    def _start_build(self, item: Item, node: Node, now: float) -> None:
        job = self._storage.job(item.job)
        assert job is not None, "a job takes its items with it when it is deleted"
        environment = {p["name"]: _shell_text(p["value"]) for p in item.parameters or []}
        environment |= {"JOB_NAME": job.name, "JOB_BASE_NAME": job.leaf, "BUILD_NUMBER": str(job.next_build)}
        definition = configuration.parse_configuration(job.config)
        plan = self._plan(definition, environment, job)
        build = Build(
            job=job.name,
            number=job.next_build,
            queue_id=item.id,
            started=now,
            ends=now + plan.seconds,
            outcome=plan.outcome,
            causes=item.causes,
            parameters=item.parameters,
            lines=plan.lines,
            kind=definition.kind.name,
            artifacts=plan.artifacts,
            resists=plan.resists,
            node=node.name,
        )
        item.left, item.number = now, build.number
        job.next_build += 1
        job.workspace = True
        self._storage.put_build(build)
        self._storage.put_item(item)
        self._storage.put_job(job)

    def running(self, now: float) -> list[Build]:
        """Return the builds that run at a time."""
        return [build for build in self._storage.list_unfinished() if build.running(now)]

    def list_occupying(self, now: float, node: str) -> list[Build]:
        """Return the builds that occupy an executor of a node. Pipelines do not.

        :arg node: name of the agent, empty for the built-in node
        """
        return [build for build in self.running(now) if build.kind != PIPELINE.name and build.node == node]

    def abort_builds(self, node: str, now: float) -> None:
        """Abort the builds on an agent that disappears."""
        for build in self.list_occupying(now, node):
            build.outcome, build.ends = "ABORTED", now
            self._storage.put_build(build)

    def blocking(self, item: Item, now: float) -> Build | None:
        """Return the running build of the same job that blocks an item."""
        job = self._storage.job(item.job)
        if not job or configuration.parse_configuration(job.config).concurrent:
            return None
        return next((build for build in self.running(now) if build.job == job.name), None)

    def estimate(self, job: str) -> float | None:
        """Return the estimated duration of a build in seconds, from the last successful one."""
        seconds: list[float] = []
        for build in self._storage.builds(job):
            if build.finished and build.outcome == "SUCCESS":
                seconds.append(build.ends - build.started)
            if len(seconds) == ESTIMATED_FROM:
                break
        return sum(seconds) / len(seconds) if seconds else None

    def schedule(
        self, job: Job, due: float, parameters: list[dict[str, Any]] | None, cause: dict[str, Any], now: float
    ) -> tuple[Item, bool]:
        """Queue a build. Return the item and whether an equal one was already queued."""
        for item in self._storage.queue():
            if item.job == job.name and _equal(item.parameters, parameters):
                item.causes.append(cause)
                item.due = min(item.due, due)
                self._storage.put_item(item)
                return item, True
        item = Item(self._storage.next_item_id(), job.name, now, due, [cause], parameters)
        self._storage.put_item(item)
        return item, False

    def stop(self, build: Build, user: str, now: float, way: str = "stop") -> None:
        """Stop a build. `kill` ends it immediately, other methods after a moment unless the build ignores them."""
        ends = now if way == "kill" else now + STOP_SECONDS
        if build.interrupted and build.ends <= ends:
            return
        build.interrupted = True
        messages = [*STOP_LINES[way].get(build.kind, []), f"Aborted by {user}"]
        lines = build.lines
        if way not in build.resists:
            build.outcome, build.ends = "ABORTED", min(build.ends, ends)
            lines = [(second, line) for second, line in lines if build.started + second <= now]
        build.lines = sorted([*lines, *((now - build.started, line) for line in messages)], key=lambda line: line[0])
        self._storage.put_build(build)

    def item(self, number: int, now: float) -> Item | None:
        """Return a queue item while Jenkins remembers it."""
        item = self._storage.item(number)
        return None if item and item.left is not None and now - item.left > ITEM_RETENTION else item

    def _plan(self, definition: configuration.Definition, environment: dict[str, str], job: Job) -> shell.Plan:
        seconds = self._storage.setting("build_seconds")
        if seconds is not None:
            return shell.plan_build((f"sleep {seconds}",), environment, ())
        if definition.kind is PIPELINE:
            return pipeline.plan_build(definition.script, environment, f"/var/jenkins_home/workspace/{job.name}")
        return shell.plan_build(definition.commands, environment, definition.archived)


def _equal(one: list[dict[str, Any]] | None, other: list[dict[str, Any]] | None) -> bool:
    """Return whether two items are equal. Items with files never are."""
    return one == other and not any("file" in parameter for parameter in one or [])


def _shell_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
