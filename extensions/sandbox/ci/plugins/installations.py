# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of the update center: they run one after the other and take effect when they finish.

Jobs are kept until the next start. Unfinished ones are lost then.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, field

from ..state import State
from ..system.lifecycle import Lifecycle
from .installed_plugins import InstalledPlugins, LoadFailure
from .update_site import Offer, UpdateSite, archive, download_url
from .versions import is_older, is_same

GAP_SECONDS = 0.02  # between two jobs
UPLOADED = "0"  # version of an uploaded file
SKIPPED_PART = 0.1  # of a failing download
NOT_RESTARTABLE = "Jenkins cannot restart itself as currently configured."
NOT_DEPLOYED = "Failed to dynamically deploy this plugin"
# How a download `fails`; a `broken` plugin fails later
FAILURES = {
    "download": "Failed to download from {url}",
    "checksum": "Downloaded file {file} does not match expected SHA-256, expected '{expected}', actual '{actual}'",
    "no checksum": "Unable to confirm integrity of downloaded file, refusing installation",
}
_STATUS_OF = {"InstallationJob": "DownloadJob", "NoOpJob": "DownloadJob", "EnableJob": "DownloadJob"}


class NoSuchPlugin(Exception):
    """No update site offers a plugin of this name."""


@dataclass
class Job:
    """A job of the update center.

    :arg begins, ends: timestamps
    :arg outcome: the type of its final status
    """

    id: int
    type: str
    begins: float
    ends: float
    plugin: str | None = None
    version: str = ""
    title: str = ""
    offer: Offer = field(default_factory=dict)
    dynamic: bool = False
    correlation: str | None = None
    outcome: str | None = None
    error: str | None = None

    def status(self, now: float) -> str:
        """Return the type of the status at a time."""
        if self.outcome:
            return self.outcome
        if now < self.begins:
            return "Pending"
        if self.plugin is None:
            return "Running"
        skips = "fails" in self.offer and now >= self.ends - SKIPPED_PART * (self.ends - self.begins)
        return "Skipped" if skips else "Installing"

    @property
    def status_class(self) -> str:
        """Return the class of the status."""
        return f"hudson.model.UpdateCenter${_STATUS_OF.get(self.type, self.type)}"


class Installations:
    """The jobs since the last start."""

    def __init__(self, state: State, lifecycle: Lifecycle, plugins: InstalledPlugins, site: UpdateSite) -> None:
        self._state = state
        self._storage = state.storage
        self._lifecycle = lifecycle
        self._plugins = plugins
        self._site = site

    def jobs(self) -> list[Job]:
        """Return all jobs, oldest first."""
        return [Job(**job) for job in self._storage.setting("installations", [])]

    def _store_job(self, jobs: list[Job]) -> None:
        self._storage.set("installations", [asdict(job) for job in jobs])

    def start(self) -> None:
        """Discard all jobs, as a start does."""
        self._store_job([])

    @property
    def restart_required(self) -> bool:
        """Return whether an installation takes effect at the next start only."""
        return any(job.outcome == "SuccessButRequiresRestart" for job in self.jobs())

    @property
    def next_end(self) -> float | None:
        """Return the time at which the next job finishes."""
        return min((job.ends for job in self.jobs() if not job.outcome), default=None)

    def settle(self, now: float) -> None:
        """Finish the jobs that are due."""
        for job in self.jobs():
            if not job.outcome and job.ends <= now:
                job.outcome = self._carry_out(job, now)
                self._store_job([job if other.id == job.id else other for other in self.jobs()])

    def install(self, names: list[str], dynamic: bool, now: float, batch: bool = True) -> str:
        """Install plugins with their dependencies, and return the correlation id.

        :raises NoSuchPlugin: for the first unknown name; plugins before it are installed nevertheless
        """
        correlation = str(uuid.uuid4())
        for name in names:
            if name not in self._site.offers():
                raise NoSuchPlugin(name)
            self.deploy(self._site.offers()[name], dynamic, now, correlation)
        if batch and dynamic:
            self._add("CompleteBatchJob", now, title="Completing batch")
        return correlation

    def deploy(self, offer: Offer, dynamic: bool, now: float, correlation: str | None = None) -> None:
        """Install one plugin after its dependencies."""
        for needed in self.find_dependencies(offer):
            if not any(job.plugin == needed["name"] and job.outcome != "Failure" for job in self.jobs()):
                self.deploy(needed, dynamic, now)
        row = self._plugins.find(offer["name"])
        if not row or not is_same(row["version"], offer["version"]):
            self._add("InstallationJob", now, offer, dynamic, correlation)
        elif row.get("enabled", True):
            self._add("NoOpJob", now, offer, dynamic)
        else:
            self._add("EnableJob", now, offer, dynamic, correlation)

    def find_dependencies(self, offer: Offer) -> list[Offer]:
        """Return the offered dependencies that must be installed or enabled before a plugin."""
        dependencies = []
        for dependency in offer.get("dependencies", []):
            needed = self._site.offers().get(dependency["name"])
            row = self._plugins.find(dependency["name"])
            there = row and row.get("enabled", True) and not is_older(row["version"], dependency["version"])
            if needed and not there and not (dependency.get("optional") and not row):
                dependencies.append(needed)
        return dependencies

    def upload(self, offer: Offer, now: float) -> None:
        """Install an uploaded file."""
        for needed in self.find_dependencies(offer):
            self.deploy(needed, True, now)
        self._add("InstallationJob", now, offer, True, version=UPLOADED)

    def downgrade(self, name: str, now: float) -> None:
        """Restore the previous version of a plugin."""
        self._add("PluginDowngradeJob", now, title=name)

    def restart(self, now: float) -> None:
        """Schedule a restart after all jobs. A second request has no effect."""
        if not any(job.type == "RestartJenkinsJob" and not job.outcome for job in self.jobs()):
            self._add("RestartJenkinsJob", now)

    def cancel_restart(self) -> None:
        """Cancel a restart that has not begun."""
        jobs = self.jobs()
        for job in jobs:
            if job.type == "RestartJenkinsJob" and job.outcome in (None, "Running"):
                job.outcome = "Canceled"
                self._lifecycle.cancel()
        self._store_job(jobs)

    def _add(
        self,
        kind: str,
        now: float,
        offer: Offer | None = None,
        dynamic: bool = False,
        correlation: str | None = None,
        version: str | None = None,
        title: str = "",
    ) -> None:
        jobs = self.jobs()
        begins = max([now, *[job.ends for job in jobs]]) + GAP_SECONDS
        downloads = kind == "InstallationJob"
        seconds = float((offer or {}).get("seconds", self._state.switch("install_seconds"))) if downloads else 0.0
        job = Job(len(jobs) + 1, kind, begins, begins + seconds, title=title, dynamic=dynamic, correlation=correlation)
        if offer:
            job.plugin, job.offer = offer["name"], offer
            job.version = version or offer["version"]
            job.title = offer.get("long_name") or offer["name"]
        self._store_job([*jobs, job])

    def _carry_out(self, job: Job, now: float) -> str:
        """Apply a finished job and return the type of its final status."""
        if job.type == "InstallationJob":
            return self._install(job)
        if job.type == "EnableJob":
            self._plugins.change(str(job.plugin), enabled=True)
            return "Failure" if job.dynamic else "Success"
        if job.type == "PluginDowngradeJob":
            return "Success" if self._plugins.downgrade(job.title) else "Failure"
        if job.type == "RestartJenkinsJob":
            return self._restart(job, now)
        return "Success"

    def _install(self, job: Job) -> str:
        if self._was_installed(job):
            return "Success"
        offer = job.offer
        if "fails" in offer:
            url, expected = download_url(offer["name"], offer["version"]), "A" * 43 + "="
            file = f"/var/jenkins_home/plugins/{offer['name']}.jpi.tmp"
            template = FAILURES[offer["fails"]]
            job.error = template.format(url=url, file=file, expected=expected, actual=expected.lower())
            return "Failure"
        try:
            waits = self._plugins.deploy(archive(offer), job.dynamic)
        except LoadFailure:
            job.error = NOT_DEPLOYED
            return "Failure"
        return "SuccessButRequiresRestart" if waits else "Success"

    def _was_installed(self, job: Job) -> bool:
        """Return whether an earlier job installed the same plugin."""
        before = [other for other in self.jobs() if other.id < job.id and other.type == job.type]
        done = [other for other in before if other.outcome != "Failure" and other.version != UPLOADED]
        return any((other.plugin, other.version) == (job.plugin, job.version) for other in done)

    def _restart(self, job: Job, now: float) -> str:
        if not self._state.switch("restart_supported"):
            job.error = NOT_RESTARTABLE
            return "Failure"
        self._lifecycle.quiet_down(None, now, then="restart")
        return "Running"
