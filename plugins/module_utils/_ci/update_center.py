# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The update centre: what its site offers, how old that is, and what is being installed."""

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

_CENTER = "jobs[*,plugin[name,version],status[*]],restartRequiredForCompletion,sites[dataTimestamp,id]"
_OFFER = "compatible,dependencies,name,neededDependencies[name],requiredCore,url,version"
# While it restarts, it may not know its users either
_DOWN = (401, 502, 503, 504)
_UNDER_WAY = ("Pending", "Installing", "Skipped", "Running")
_ERRORS = re.compile(r"There were errors checking the update sites:\s*([^<]*)")
# What is told as the version of a file that was handed in
UPLOADED = "0"


class Job(t.NamedTuple):
    """A job of the update centre; they are kept until the server restarts."""

    id: int
    type: str
    plugin: str | None
    version: str | None
    status: str | None
    error: str | None

    @property
    def under_way(self) -> bool:
        """Whether it has not come to its end. `Skipped` is a moment before that, whatever it says."""
        return self.type != "RestartJenkinsJob" and self.status in _UNDER_WAY

    @property
    def waits_for_restart(self) -> bool:
        """Whether what it has brought is used from the next start on."""
        return self.status == "SuccessButRequiresRestart"


class Center(t.NamedTuple):
    """The update centre at a moment.

    :ivar restart_required: whether an installation waits for a restart; other changes are not told
    :ivar stamp: when the site's metadata came, in seconds since 1970; 0 when none did since the server's start
    :ivar now: the server's time, in seconds since 1970
    :ivar session: which process of the server it is, if that tells
    """

    jobs: list[Job]
    restart_required: bool
    stamp: float
    now: float
    session: str | None

    @property
    def last_id(self) -> int:
        """The largest id so far."""
        return max((job.id for job in self.jobs), default=0)


class Offer(t.NamedTuple):
    """What the site offers under a name.

    :ivar needs: versions by name of the plugins that it needs at least
    :ivar installs: names of those that would be installed, upgraded or enabled before it
    """

    name: str
    version: str
    url: str | None
    compatible: bool
    required_core: str | None
    needs: dict[str, str]
    installs: list[str]


def center(ci: CiService) -> Center:
    """The update centre, now.

    :raises ToolchainError: when the server has none
    """
    response = asked(ci, accept=(200, 404))
    if response.status == 404:
        raise ToolchainError("This server has no update centre (Hudson has none). Or is the path in 'url' right?")
    return told(response)


def asked(ci: CiService, **options: t.Unpack[RequestOptions]) -> Response:
    """The answer of the update centre."""
    return ci.view("/updateCenter", _CENTER, **options)


def told(response: Response) -> Center:
    """What an answer of the update centre tells."""
    found = response.record()
    stamp = max((site.maybe_integer("dataTimestamp") or 0 for site in found.maybe_records("sites")), default=0)
    return Center(
        jobs=[_job(job) for job in found.records("jobs")],
        restart_required=found.flag("restartRequiredForCompletion"),
        stamp=stamp / 1000,
        now=time.time() if response.date is None else response.date,
        session=response.headers.get("X-Jenkins-Session"),
    )


def _job(job: Record) -> Job:
    plugin, status = job.maybe_record("plugin"), job.maybe_record("status")
    return Job(
        id=job.integer("id"),
        type=job.text("type"),
        plugin=plugin.maybe_text("name") if plugin else None,
        version=plugin.maybe_text("version") if plugin else None,
        status=status.text("_class").rpartition("$")[2] if status else None,
        error=job.maybe_text("errorMessage"),
    )


def offer(ci: CiService, name: str) -> Offer | None:
    """What the site offers under a name, as far as the server knows."""
    response = ci.view(f"/updateCenter/plugin{encode_path(name, option='plugins')}", _OFFER, accept=(200, 404))
    if response.status == 404:
        return None
    found = response.record()
    return Offer(
        name=found.text("name"),
        version=found.text("version"),
        url=found.maybe_text("url"),
        compatible=found.maybe_flag("compatible") is not False,
        required_core=found.maybe_text("requiredCore"),
        needs={name: str(version) for name, version in (found.maybe_record("dependencies") or {}).items()},
        installs=[needed.text("name") for needed in found.maybe_records("neededDependencies")],
    )


def has_offers(ci: CiService) -> bool:
    """Whether Jenkins knows anything of what its update site offers; a new server does not before it reads the site."""
    return bool(ci.view("/updateCenter", "availables[name]{0,1}").record().records("availables"))


def refresh(ci: CiService, before: Center) -> str | None:
    """Have the server fetch the site's metadata; gives why it could not.

    The answer is the same whether that worked or not. The time of the metadata tells, but it moves for a bad signature
    as well, which only the page of the plugins knows of.
    """
    ci.post("/pluginManager/checkUpdatesServer", policy=IDEMPOTENT, changes_state=False, accept=(302,))
    error = _ERRORS.search(ci.http.read("GET", "/pluginManager/").text)
    if error:
        return unescape(error.group(1)).strip() or "it does not say why"
    return None if center(ci).stamp > before.stamp else "nothing came"


def wait_until_installed(task: Task, ci: CiService, before: Center) -> None:
    """Follow the installations to their end, those of other clients too, for one comes after the other.

    :raises ToolchainError: when the server restarts meanwhile, which loses what has not been installed
    """

    def look() -> None:
        try:
            response = asked(ci, accept=(200, *_DOWN))
        except ServerUnreachable:
            raise NotReady("the server is down") from None
        if response.status in _DOWN:
            raise NotReady(f"the server answers {response.status}")
        found = told(response)
        if found.session != before.session:
            raise ToolchainError(
                "The server restarted meanwhile, which loses installations without a trace. Run again."
            )
        if under_way := [job for job in found.jobs if job.under_way]:
            names = ", ".join(f"{job.plugin} {job.status}" for job in under_way if job.plugin) or "the last step"
            raise NotReady(f"{len(under_way)} installation(s) are under way: {names}")

    left = "interrupted while plugins are being installed. The server goes on with it."
    wait_for(
        task,
        look,
        timeout=task.params["wait_timeout"],
        delay=task.params["wait_delay"],
        on_interrupt=lambda: [left],
    )
