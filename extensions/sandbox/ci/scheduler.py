# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens as time goes by: items become builds, builds end, a pending restart begins, a restart ends.

Nothing runs in the background. Each request first settles everything that was due since the last one, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import configuration
from .store import Build, Item, Job

if TYPE_CHECKING:
    from .server import CiService

ITEM_KEPT_SECONDS = 300
STOP_SECONDS = 0.1
ESTIMATED_FROM = 3


class Scheduler:
    """The queue and the executors."""

    def __init__(self, service: CiService) -> None:
        self._service = service
        self._store = service.store
        self._settled = 0.0

    def reset(self) -> None:
        """Forget how far the time has come."""
        self._settled = 0.0

    def settle(self, now: float) -> None:
        """Let everything happen that is due."""
        self._settled = min(self._settled, now)
        with self._service.world.transaction():
            while (moment := self._next_moment(now)) is not None:
                self._let_happen(moment)
            self._let_happen(now)

    def _next_moment(self, now: float) -> float | None:
        moments = [build.ends for build in self._store.unfinished()]
        moments += [item.due for item in self._store.queue() if item.due > self._settled]
        if (back_at := self._service.lifecycle.back_at) is not None:
            moments.append(back_at)
        return min((moment for moment in moments if moment <= now), default=None)

    def _let_happen(self, moment: float) -> None:
        self._settled = moment
        lifecycle = self._service.lifecycle
        self._finish_builds(moment)
        if lifecycle.back_at is not None:
            if moment < lifecycle.back_at:
                return
            lifecycle.finish_restart()
        if not lifecycle.quieting:
            self._start_builds(moment)
        elif lifecycle.restart_pending and not self.running(moment):
            lifecycle.begin_restart("safe", moment)

    def _finish_builds(self, moment: float) -> None:
        for build in self._store.unfinished():
            if not build.running(moment):
                build.finished = True
                self._store.put_build(build)

    def _start_builds(self, moment: float) -> None:
        for item in self._store.queue():
            free = self.executors - len(self.running(moment))
            if free > 0 and item.due <= moment and not self.blocking(item, moment):
                self._start_build(item, moment)

    def _start_build(self, item: Item, moment: float) -> None:
        job = self._store.job(item.job)
        assert job is not None, "a job takes its items with it when it is deleted"
        environment = {p["name"]: _shell_text(p["value"]) for p in item.parameters or []}
        environment |= {"JOB_NAME": job.name, "BUILD_NUMBER": str(job.next_build)}
        plan = configuration.plan(configuration.parse(job.config), environment)
        build = Build(
            job=job.name,
            number=job.next_build,
            queue_id=item.id,
            started=moment,
            ends=moment + plan.seconds,
            outcome=plan.outcome,
            causes=item.causes,
            parameters=item.parameters,
            lines=plan.lines,
        )
        item.left, item.number = moment, build.number
        job.next_build += 1
        self._store.put_build(build)
        self._store.put_item(item)
        self._store.put_job(job)

    @property
    def executors(self) -> int:
        """How many builds may run at once."""
        number: int = self._store.setting("executors")
        return number

    def running(self, now: float) -> list[Build]:
        """The builds that run at a moment."""
        return [build for build in self._store.unfinished() if build.running(now)]

    def blocking(self, item: Item, now: float) -> Build | None:
        """The running build of the same job that an item waits for."""
        job = self._store.job(item.job)
        if not job or configuration.parse(job.config).concurrent:
            return None
        return next((build for build in self.running(now) if build.job == job.name), None)

    def estimate(self, job: str) -> float | None:
        """How long a build of a job will take, in seconds, by the latest that succeeded."""
        seconds: list[float] = []
        for build in self._store.builds(job):
            if build.finished and build.outcome == "SUCCESS":
                seconds.append(build.ends - build.started)
            if len(seconds) == ESTIMATED_FROM:
                break
        return sum(seconds) / len(seconds) if seconds else None

    def schedule(
        self, job: Job, due: float, parameters: list[dict[str, Any]] | None, cause: dict[str, Any], now: float
    ) -> tuple[Item, bool]:
        """Ask for a build; tells the queue item and whether it had been waiting already."""
        for item in self._store.queue():
            if item.job == job.name and item.parameters == parameters:
                item.causes.append(cause)
                item.due = min(item.due, due)
                self._store.put_item(item)
                return item, True
        item = Item(self._store.next_item_id(), job.name, now, due, [cause], parameters)
        self._store.put_item(item)
        return item, False

    def stop(self, build: Build, user: str, now: float) -> None:
        """Abort a running build; it takes a moment to end."""
        if build.interrupted:
            return
        build.interrupted, build.outcome = True, "ABORTED"
        build.ends = min(build.ends, now + STOP_SECONDS)
        build.lines = [(second, line) for second, line in build.lines if build.started + second <= now]
        build.lines += [(now - build.started, "Build was aborted"), (now - build.started, f"Aborted by {user}")]
        self._store.put_build(build)

    def item(self, number: int, now: float) -> Item | None:
        """A queue item, for as long as the server remembers it."""
        item = self._store.item(number)
        return None if item and item.left is not None and now - item.left > ITEM_KEPT_SECONDS else item


def _shell_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
