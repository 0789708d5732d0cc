# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a seed's `ci` section says.

url: address for the server's own documents, if not the one that the client uses
executors: how many builds may run at once (2)
restart_required: whether plugins wait for a restart
users: [{name, password, full_name, tokens: [...], permissions: [Overall/Administer, ...]}]
plugins: [{name, version, long_name, active, enabled, dependencies: [{name, version, optional}], ...}]
jobs: [{name, description, disabled, concurrent, quiet_period, trigger_token,
        seconds or command (shell lines; sleep, echo and exit count) or config (the XML as it is),
        parameters: [{name, type: string|text|boolean|choice|password, default, choices, description}],
        builds: [{result, seconds, ago, keep, parameters: {name: text}}]}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import configuration
from .permissions import BY_TITLE
from .store import Build, Job, User

if TYPE_CHECKING:
    from .server import CiService

STARTED_BY_TIMER = {"_class": "hudson.triggers.TimerTrigger$TimerTriggerCause", "shortDescription": "Started by timer"}
DEFAULT_AGO_SECONDS = 3600


class Seeder:
    """Adds the section of a seed."""

    def __init__(self, service: CiService) -> None:
        self._service = service
        self._store = service.store

    def add(self, data: dict[str, Any]) -> None:
        """Add everything that the section describes."""
        for name in ("url", "executors"):
            if name in data:
                self._store.set(name, data[name])
        if "restart_required" in data:
            self._service.world.set_switches({self._service.name: {"restart_required": data["restart_required"]}})
        for user in data.get("users", []):
            self._add_user(user)
        for plugin in data.get("plugins", []):
            self._store.put_plugin({**plugin, "version": str(plugin["version"])})
        for job in data.get("jobs", []):
            self._add_job(job)

    def _add_user(self, user: dict[str, Any]) -> None:
        permissions = user.get("permissions", [])
        unknown = [title for title in permissions if title not in BY_TITLE]
        if unknown:
            raise ValueError(f"User {user['name']}: there is no permission {', '.join(unknown)}.")
        full_name = user.get("full_name", user["name"])
        self._store.put_user(User(user["name"], user["password"], full_name, user.get("tokens", []), permissions))

    def _add_job(self, job: dict[str, Any]) -> None:
        config = configuration.normalized(job["config"]) if "config" in job else configuration.from_seed(job)
        builds = job.get("builds", [])
        self._store.put_job(Job(job["name"], config, next_build=len(builds) + 1))
        definition = configuration.parse(config)
        for number, build in enumerate(builds, 1):
            self._add_build(job["name"], number, build, definition)

    def _add_build(self, job: str, number: int, build: dict[str, Any], definition: configuration.Definition) -> None:
        started = self._service.world.clock.now() - build.get("ago", DEFAULT_AGO_SECONDS)
        given = build.get("parameters", {})
        values = [
            parameter.value(given[parameter.name]) if parameter.name in given else parameter.default_value()
            for parameter in definition.parameters
        ]
        self._store.put_build(
            Build(
                job=job,
                number=number,
                queue_id=self._store.next_item_id(),
                started=started,
                ends=started + build.get("seconds", 1),
                outcome=build.get("result", "SUCCESS"),
                causes=[STARTED_BY_TIMER],
                parameters=values or None,
                keep=build.get("keep", False),
            )
        )
