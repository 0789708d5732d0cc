# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds on the wire: show, stop, keep, describe and delete."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.integers import parse_integer
from ..access.permissions import BUILD_DELETE, BUILD_UPDATE, JOB_CANCEL
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import Failure, NotFound, PartNotFound
from ..jobs import configuration
from ..jobs.item_kinds import BY_NAME, PIPELINE
from ..nodes import executors
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property, opaque_bean
from ..storage import Build, Job
from . import actions

PATH = JOB + r"/{build:\d+|last\w*Build}"
NEWEST = 100
Fits = Callable[[Build, bool], bool]
ALIASES: dict[str, Fits] = {
    "lastBuild": lambda _build, _running: True,
    "lastCompletedBuild": lambda _build, running: not running,
    "lastFailedBuild": lambda build, running: not running and build.outcome == "FAILURE",
    "lastStableBuild": lambda build, running: not running and build.outcome == "SUCCESS",
    "lastSuccessfulBuild": lambda build, running: not running and build.outcome in ("SUCCESS", "UNSTABLE"),
    "lastUnstableBuild": lambda build, running: not running and build.outcome == "UNSTABLE",
    "lastUnsuccessfulBuild": lambda build, running: not running and build.outcome != "SUCCESS",
}


def find_by_alias(call: Call, job: Job, alias: str) -> Build | None:
    """Return the newest build for an alias such as `lastSuccessfulBuild`."""
    fits = ALIASES[alias]
    return next((build for build in call.storage.builds(job.name) if fits(build, build.running(call.now))), None)


def list_newest(call: Call, job: Job) -> list[Bean]:
    """Return the builds that a job lists."""
    return [build_bean(call, build) for build in islice(call.storage.builds(job.name), NEWEST)]


def find_by_path(call: Call, job: str, build: str) -> Build:
    """Return the build of a path, by number or alias."""
    owner = call.job(job)
    try:
        found = call.storage.build(owner.name, parse_integer(build))
    except ValueError:
        found = find_by_alias(call, owner, build) if build in ALIASES else None
    if not found:
        raise NotFound
    return found


def build_url(call: Call, build: Build) -> str:
    """Return the URL of a build."""
    return f"{call.job_url(build.job)}{build.number}/"


def build_bean(call: Call, build: Build) -> Bean:
    """Return a build as the remote API shows it."""
    running = build.running(call.now)
    name = f"#{build.number}"

    def estimated() -> int:
        seconds = call.scheduler.estimate(build.job)
        return -1 if seconds is None else round(seconds * 1000)

    def executor() -> Bean | None:
        return (
            executors.executor_bean(call, executors.find_executor_number(call, build), build, build_bean(call, build))
            if running
            else None
        )

    return Bean(
        BY_NAME[build.kind].build_class,
        Property("actions", lambda: _actions(build)),
        Property("artifacts", [_artifact(path) for path in build.artifacts] if not running else []),
        Property("building", running),
        Property("description", build.description),
        Property("displayName", name),
        Property("duration", 0 if running else round((build.ends - build.started) * 1000)),
        Property("estimatedDuration", estimated),
        Property("executor", executor),
        Property("fingerprint", [], visibility=-1),
        Property("fullDisplayName", lambda: f"{configuration.full_display_name(call.storage, build.job)} {name}"),
        Property("id", str(build.number)),
        Property("inProgress", running),
        Property("keepLog", build.keep),
        Property("number", build.number, visibility=2),
        Property("queueId", build.queue_id),
        Property("result", None if running else build.outcome),
        Property("timestamp", int(build.started * 1000)),
        Property("url", build_url(call, build), visibility=2),
        *(_pipeline_members(call, build) if build.kind == PIPELINE.name else _freestyle_members(build)),
    )


def _freestyle_members(build: Build) -> list[Property]:
    members = (Property("items", [], visibility=ALWAYS), Property("kind", None, visibility=ALWAYS))
    return [
        Property("builtOn", build.node),
        Property("changeSet", Bean("hudson.scm.EmptyChangeLogSet", *members)),
        Property("culprits", []),
    ]


def _pipeline_members(call: Call, build: Build) -> list[Property]:
    def neighbour(distance: int) -> Bean | None:
        found = call.storage.build(build.job, build.number + distance)
        if not found:
            return None
        members = (
            Property("number", found.number, visibility=2),
            Property("url", build_url(call, found), visibility=2),
        )
        return Bean(BY_NAME[found.kind].build_class, *members, typed=False)

    return [
        Property("changeSets", []),
        Property("culprits", []),
        Property("nextBuild", lambda: neighbour(1)),
        Property("previousBuild", lambda: neighbour(-1)),
    ]


def _artifact(path: str) -> Bean:
    name = path.rpartition("/")[2]
    members = {"displayPath": name, "fileName": name, "relativePath": path}
    return Bean("hudson.model.Run$Artifact", *(Property(n, v, visibility=3) for n, v in members.items()), typed=False)


def _actions(build: Build) -> list[Bean]:
    interruption = [Bean("jenkins.model.InterruptedBuildAction")] if build.interrupted else []
    return [
        *actions.parameter_actions(build.parameters),
        actions.cause_action(build.causes),
        *interruption,
        opaque_bean(),
    ]


def _show(call: Call, job: str, build: str, form: str) -> Answer:
    return serve(call, build_bean(call, find_by_path(call, job, build)), form)


def _page(call: Call, job: str, build: str) -> Response:
    found = find_by_path(call, job, build)
    return call.page(f"{found.job} #{found.number} - Jenkins", f"<h1>Build #{found.number}</h1>")


def _number(call: Call, job: str, build: str) -> Response:
    number = str(find_by_path(call, job, build).number)
    return Response(number.encode(), headers={"Content-Type": "text/plain;charset=US-ASCII"})


def stop_build(call: Call, build: Build | None, way: str = "stop") -> Response:
    """Stop a build if it is running, and redirect to the page that the client came from."""
    if build and build.running(call.now):
        call.require(JOB_CANCEL)
        call.scheduler.stop(build, actions.user_cause(call)["userName"], call.now, way)
    return pages.redirect(call.headers.get("Referer") or call.current_folder_path)


def _stop(call: Call, job: str, build: str) -> Response:
    found = find_by_path(call, job, build)
    call.require_post()
    return stop_build(call, found)


def _end(call: Call, job: str, build: str, way: str) -> Response:
    """Handle `term` and `kill`, which only Pipelines support. Other builds handle them like any unknown name."""
    found = find_by_path(call, job, build)
    if found.kind != PIPELINE.name:
        return handle_unknown(call, job, build)
    call.require_post()
    return stop_build(call, found, way)


def _stop_executor(call: Call, job: str, build: str) -> Response:
    if not find_by_path(call, job, build).running(call.now):
        raise PartNotFound
    return _stop(call, job, build)


def _delete(call: Call, job: str, build: str) -> Response:
    found = find_by_path(call, job, build)
    call.require_post()
    call.require(BUILD_DELETE)
    if found.keep:
        raise Failure(f"Unable to delete {found.job} #{found.number}: This record is explicitly marked to be kept.")
    call.storage.delete_build(found)
    return pages.redirect(call.job_path(found.job))


def _toggle_keep(call: Call, job: str, build: str) -> Response:
    found = find_by_path(call, job, build)
    call.require_post()
    call.require(BUILD_UPDATE)
    found.keep = not found.keep
    call.storage.put_build(found)
    return pages.redirect(call.current_folder_path)


def _describe(call: Call, job: str, build: str) -> Response:
    found = find_by_path(call, job, build)
    call.require_post()
    call.require(BUILD_UPDATE)
    found.description = call.parameter("description")
    call.storage.put_build(found)
    return pages.redirect(call.current_folder_path)


def handle_unknown(call: Call, job: str, build: str) -> Response:
    """Respond to an unknown part of a build: a redirect to the path with a slash, which is a 404."""
    find_by_path(call, job, build)
    segments = call.path.count("/") - f"/job/{job}/{build}".count("/")
    if segments > 1:
        raise PartNotFound
    return pages.redirect(call.with_slash)


ROUTES = (
    Route(ANY, PATH + API, _show, "build_info", read_only=True),
    Route(ANY, PATH + "/", _page, "build_page", read_only=True),
    Route(ANY, PATH + "/changes{:/?}", _page, "build_page", read_only=True),
    Route(ANY, PATH + "/buildNumber", _number, "build_info", read_only=True),
    Route(ANY, PATH + "/stop{:/?}", _stop, "stop_build"),
    Route(ANY, PATH + "/{way:term|kill}{:/?}", _end, "stop_build"),
    Route(ANY, PATH + "/executor/stop{:/?}", _stop_executor, "stop_build"),
    Route(ANY, PATH + "/doDelete", _delete, "delete_build"),
    Route(ANY, PATH + "/toggleLogKeep", _toggle_keep, "keep_build"),
    Route(ANY, PATH + "/submitDescription", _describe, "describe_build"),
)

# After all other routes of a build
UNKNOWN = (Route(ANY, PATH + "{:(?:/.+)?}", handle_unknown, "unknown_of_build", read_only=True),)
