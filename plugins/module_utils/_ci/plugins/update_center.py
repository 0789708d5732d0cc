# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The update center: available plugins, the age of its metadata, and installations in progress."""

from __future__ import annotations

import re
import time
import typing as t
from html import unescape

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerUnreachable, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

_TREE = "jobs[*,plugin[name,version],status[*]],restartRequiredForCompletion,sites[dataTimestamp,id]"
_OFFER = "compatible,dependencies,name,neededDependencies[name],requiredCore,url,version"
# During a restart, Jenkins may also reject valid credentials
_UNAVAILABLE = (401, 502, 503, 504)
_IN_PROGRESS = ("Pending", "Installing", "Skipped", "Running")
_ERRORS = re.compile(r"There were errors checking the update sites:\s*([^<]*)")
# The version that the update center reports for uploaded files
UPLOADED = "0"


class Job(t.NamedTuple):
    """A job of the update center. Jobs are kept until the server restarts."""

    id: int
    type: str
    plugin: str | None
    version: str | None
    status: str | None
    error: str | None

    @property
    def is_in_progress(self) -> bool:
        """Whether an installation has not finished. `Skipped` is a transient status despite its name."""
        return self.type != "RestartJenkinsJob" and self.status in _IN_PROGRESS

    @property
    def needs_restart(self) -> bool:
        """Whether the installed version is used after the next restart."""
        return self.status == "SuccessButRequiresRestart"


class UpdateCenter(t.NamedTuple):
    """The state of the update center.

    :ivar is_restart_required: whether an installation requires a restart; other changes are not reported
    :ivar metadata_time: when the site's metadata was fetched, in seconds since 1970; 0 if not since the last start
    :ivar server_time: time of the server, in seconds since 1970
    :ivar session: session ID, if the server has session IDs
    """

    jobs: list[Job]
    is_restart_required: bool
    metadata_time: float
    server_time: float
    session: str | None

    @property
    def last_job_id(self) -> int:
        """The highest job ID."""
        return max((job.id for job in self.jobs), default=0)


class Offer(t.NamedTuple):
    """An available plugin.

    :ivar dependencies: minimum versions by name
    :ivar installs: names of the dependencies that would be installed, upgraded or enabled first
    """

    name: str
    version: str
    url: str | None
    is_compatible: bool
    required_core: str | None
    dependencies: dict[str, str]
    installs: list[str]


def fetch_update_center(ci: CiService) -> UpdateCenter:
    """Return the current state of the update center.

    :raises ToolchainError: if the server does not provide it
    """
    response = request_update_center(ci, accept=(200, 404))
    if response.status == 404:
        raise ToolchainError(
            "The server has no update center. Hudson is not supported; for Jenkins, check the path in 'url'."
        )
    return parse_update_center(response)


def request_update_center(ci: CiService, **options: t.Unpack[RequestOptions]) -> Response:
    """Return the response of the update center."""
    return ci.view("/updateCenter", _TREE, **options)


def parse_update_center(response: Response) -> UpdateCenter:
    """Return the state of the update center in a response."""
    record = response.record()
    timestamps = (site.maybe_integer("dataTimestamp") or 0 for site in record.maybe_records("sites"))
    return UpdateCenter(
        jobs=[_parse_job(job) for job in record.records("jobs")],
        is_restart_required=record.flag("restartRequiredForCompletion"),
        metadata_time=max(timestamps, default=0) / 1000,
        server_time=time.time() if response.date is None else response.date,
        session=response.headers.get("X-Jenkins-Session"),
    )


def _parse_job(job: Record) -> Job:
    plugin, status = job.maybe_record("plugin"), job.maybe_record("status")
    return Job(
        id=job.integer("id"),
        type=job.text("type"),
        plugin=plugin.maybe_text("name") if plugin else None,
        version=plugin.maybe_text("version") if plugin else None,
        status=status.text("_class").rpartition("$")[2] if status else None,
        error=job.maybe_text("errorMessage"),
    )


def fetch_offer(ci: CiService, name: str) -> Offer | None:
    """Return an available plugin, or `None` if the metadata does not contain it."""
    path = f"/updateCenter/plugin{encode_path(name, option='plugins')}"
    response = ci.view(path, _OFFER, accept=(200, 404))
    if response.status == 404:
        return None
    record = response.record()
    dependencies: t.Mapping[str, t.Any] = record.maybe_record("dependencies") or {}
    return Offer(
        name=record.text("name"),
        version=record.text("version"),
        url=record.maybe_text("url"),
        is_compatible=record.maybe_flag("compatible") is not False,
        required_core=record.maybe_text("requiredCore"),
        dependencies={dependency: str(version) for dependency, version in dependencies.items()},
        installs=[dependency.text("name") for dependency in record.maybe_records("neededDependencies")],
    )


def has_metadata(ci: CiService) -> bool:
    """Return whether Jenkins has any metadata. A new server has not read its update site yet."""
    return bool(ci.view("/updateCenter", "availables[name]{0,1}").record().records("availables"))


def refresh_metadata(ci: CiService, before: UpdateCenter) -> str | None:
    """Make the server fetch the metadata of its update site; return why this failed, or `None`.

    The response is the same in both cases. The time of the metadata shows the success, but it also changes if the
    signature is invalid, which only the plugin page reports.
    """
    ci.post("/pluginManager/checkUpdatesServer", policy=IDEMPOTENT, changes_state=False, accept=(302,))
    error = _ERRORS.search(ci.http.read("GET", "/pluginManager/").text)
    if error:
        return unescape(error.group(1)).strip() or "Jenkins gave no reason"
    if fetch_update_center(ci).metadata_time > before.metadata_time:
        return None
    return "the metadata did not change"


def wait_until_installed(task: Task, ci: CiService, before: UpdateCenter) -> None:
    """Wait until all installations have finished, including those of other clients, because they run in sequence.

    :raises ToolchainError: if the server restarts, which discards queued installations
    """

    def probe() -> None:
        try:
            response = request_update_center(ci, accept=(200, *_UNAVAILABLE))
        except ServerUnreachable:
            raise NotReady("the server is down") from None
        if response.status in _UNAVAILABLE:
            raise NotReady(f"the server returns {response.status}")
        current = parse_update_center(response)
        if current.session != before.session:
            raise ToolchainError(
                "Installing plugins failed: the server restarted, which discards queued installations. Run the task "
                "again."
            )
        if jobs := [job for job in current.jobs if job.is_in_progress]:
            names = ", ".join(f"{job.plugin} {job.status}" for job in jobs if job.plugin) or "the last step"
            raise NotReady(f"{len(jobs)} installation(s) are in progress: {names}")

    message = "interrupted while plugins are being installed. Jenkins continues the installation."
    wait_for(
        task,
        probe,
        timeout=task.params["wait_timeout"],
        delay=task.params["wait_delay"],
        on_interrupt=lambda: [message],
    )
