# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds: what they tell, their logs, stopping and deleting them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import islice
from typing import Any

from starlette.responses import Response

from . import pages
from .call import Call, Route
from .exposition import ALWAYS, Bean, Property, opaque
from .permissions import BUILD_DELETE, JOB_CANCEL
from .remote_api import API, serve
from .store import Build, Job

BUILD = r"/job/{job}/(?P<build>\d+|last\w*Build)"
SECRET_KIND = "hudson.model.PasswordParameterValue"
NEWEST = 100
Fits = Callable[[Build, bool], bool]
ALIASES: dict[str, Fits] = {
    "lastBuild": lambda build, running: True,
    "lastCompletedBuild": lambda build, running: not running,
    "lastFailedBuild": lambda build, running: not running and build.outcome == "FAILURE",
    "lastStableBuild": lambda build, running: not running and build.outcome == "SUCCESS",
    "lastSuccessfulBuild": lambda build, running: not running and build.outcome in ("SUCCESS", "UNSTABLE"),
    "lastUnstableBuild": lambda build, running: not running and build.outcome == "UNSTABLE",
    "lastUnsuccessfulBuild": lambda build, running: not running and build.outcome != "SUCCESS",
}


def find(call: Call, job: Job, alias: str) -> Build | None:
    """The newest build that an alias like `lastSuccessfulBuild` names."""
    fits = ALIASES[alias]
    return next((build for build in call.store.builds(job.name) if fits(build, build.running(call.now))), None)


def newest(call: Call, job: Job) -> list[Bean]:
    """The builds that a job shows by itself."""
    return [bean(call, build) for build in islice(call.store.builds(job.name), NEWEST)]


def _named(call: Call, job: str, build: str) -> Build:
    owner = call.job(job)
    if build.isdigit():
        found = call.store.build(owner.name, int(build))
    else:
        found = find(call, owner, build) if build in ALIASES else None
    if not found:
        raise pages.NotFound
    return found


def url(call: Call, build: Build) -> str:
    """A build's address."""
    return f"{call.job_url(build.job)}{build.number}/"


def bean(call: Call, build: Build) -> Bean:
    """A build as the remote API shows it."""
    running = build.running(call.now)
    name = f"#{build.number}"

    def estimated() -> int:
        seconds = call.service.scheduler.estimate(build.job)
        return -1 if seconds is None else round(seconds * 1000)

    return Bean(
        "hudson.model.FreeStyleBuild",
        Property("actions", lambda: _actions(build)),
        Property("artifacts", []),
        Property("building", running),
        Property("description", None),
        Property("displayName", name),
        Property("duration", 0 if running else round((build.ends - build.started) * 1000)),
        Property("estimatedDuration", estimated),
        Property("executor", opaque() if running else None),
        Property("fingerprint", [], visibility=-1),
        Property("fullDisplayName", f"{build.job} {name}"),
        Property("id", str(build.number)),
        Property("inProgress", running),
        Property("keepLog", build.keep),
        Property("number", build.number, visibility=2),
        Property("queueId", build.queue_id),
        Property("result", None if running else build.outcome),
        Property("timestamp", int(build.started * 1000)),
        Property("url", url(call, build), visibility=2),
        Property("builtOn", ""),
        Property(
            "changeSet",
            Bean(
                "hudson.scm.EmptyChangeLogSet",
                Property("items", [], visibility=ALWAYS),
                Property("kind", None, visibility=ALWAYS),
            ),
        ),
        Property("culprits", []),
    )


def _actions(build: Build) -> list[Bean]:
    interruption = [Bean("jenkins.model.InterruptedBuildAction")] if build.interrupted else []
    return [*parameter_actions(build.parameters), cause_action(build.causes), *interruption, opaque()]


def parameter_actions(parameters: list[dict[str, Any]] | None) -> list[Bean]:
    """The action that holds the parameters of a build or queue item, if it was given any."""
    if parameters is None:
        return []
    values = [parameter_bean(parameter) for parameter in parameters]
    return [Bean("hudson.model.ParametersAction", Property("parameters", values, visibility=2))]


def parameter_bean(parameter: dict[str, Any]) -> Bean:
    """A parameter's value; a secret one keeps the value to itself."""
    members = [Property("name", parameter["name"], visibility=4)]
    if parameter["_class"] != SECRET_KIND:
        members.append(Property("value", parameter["value"], visibility=4))
    return Bean(parameter["_class"], *members)


def cause_action(causes: list[dict[str, Any]]) -> Bean:
    """The action that tells why."""
    beans = [
        Bean(cause["_class"], *(Property(n, v, visibility=3) for n, v in cause.items() if n != "_class"))
        for cause in causes
    ]
    return Bean("hudson.model.CauseAction", Property("causes", beans, visibility=2))


def cause(call: Call) -> dict[str, Any]:
    """Why a build that this request asks for is built."""
    name = call.principal.name
    user = call.store.user(name)
    full_name = user.full_name if user else name
    return {
        "_class": "hudson.model.Cause$UserIdCause",
        "shortDescription": f"Started by user {full_name}",
        "userId": user.name if user else None,
        "userName": full_name,
    }


def _log(build: Build, now: float, notes: bool) -> str:
    starts = [_started_by(cause, notes) for cause in build.causes]
    lines = [
        *starts,
        "Running as SYSTEM",
        f"Building on the built-in node in workspace /var/jenkins_home/workspace/{build.job}",
        f"[{build.job}] $ /bin/sh -xe /tmp/jenkins{build.queue_id}.sh",
        *(line for second, line in build.lines if build.started + second <= now),
    ]
    if not build.running(now):
        lines.append(f"Finished: {build.outcome}")
    return "".join(f"{line}\n" for line in lines)


def _started_by(cause: dict[str, Any], notes: bool) -> str:
    description: str = cause["shortDescription"]
    name = cause.get("userName")
    if not notes or not name:
        return description
    note = base64.b64encode(b"\xff\xff\xff\xff" + f"user {name}".encode()).decode()
    return description.removesuffix(name) + f"\x1b[8mha:{note}\x1b[0m{name}"


def _show(call: Call, job: str, build: str, form: str) -> Response:
    return serve(call, bean(call, _named(call, job, build)), form)


def _page(call: Call, job: str, build: str) -> Response:
    title = f"{job} #{_named(call, job, build).number} - Jenkins"
    return pages.page(title, f"<h1>Build #{build}</h1>")


def _console_text(call: Call, job: str, build: str) -> Response:
    return pages.text(_log(_named(call, job, build), call.now, notes=False))


def _progressive_text(call: Call, job: str, build: str) -> Response:
    found = _named(call, job, build)
    try:
        start = int(call.parameters("start")[0]) if call.parameters("start") else 0
    except ValueError:
        raise pages.Oops from None
    log = _log(found, call.now, notes=True).encode()
    rest = b"" if start < 0 else log[start if start <= len(log) else 0 :]
    answer = Response(rest.replace(b"\n", b"\r\n"), headers={"Content-Type": "text/plain;charset=utf-8"})
    answer.headers["X-Text-Size"] = str(len(log))
    if found.running(call.now):
        answer.headers["X-More-Data"] = "true"
    return answer


def _stop(call: Call, job: str, build: str) -> Response:
    found = _named(call, job, build)
    call.require_post()
    if found.running(call.now):
        call.require(JOB_CANCEL)
        call.service.scheduler.stop(found, cause(call)["userName"], call.now)
    return pages.redirect(call.headers.get("Referer") or call.here)


def _stop_below(call: Call, job: str, build: str) -> Response:
    _named(call, job, build)
    call.require_post()
    return pages.redirect(call.request_uri)


def _delete(call: Call, job: str, build: str) -> Response:
    found = _named(call, job, build)
    call.require_post()
    call.require(BUILD_DELETE)
    if found.keep:
        raise pages.Failure(f"Unable to delete \u2018{found.job} #{found.number}\u2019 because it is marked to be kept")
    call.store.delete_build(found)
    return pages.redirect(f"{call.context}/job/{call.quoted(found.job)}/")


def _unknown(call: Call, job: str, build: str) -> Response:
    _named(call, job, build)
    return pages.redirect(call.with_slash)


def _unknown_below(call: Call, job: str, build: str) -> Response:
    _named(call, job, build)
    raise pages.Nothing


ROUTES = (
    Route(BUILD + API, _show, "build_info", reads=True),
    Route(BUILD + "/", _page, "build_page", reads=True),
    Route(BUILD + "/consoleText", _console_text, "console_text", reads=True),
    Route(BUILD + "/logText/progressiveText", _progressive_text, "progressive_text", reads=True),
    Route(BUILD + "/stop", _stop, "stop_build"),
    Route(BUILD + "/stop/", _stop_below, "stop_build", reads=True),
    Route(BUILD + "/doDelete", _delete, "delete_build"),
    Route(BUILD + "(/[^/]+)?", _unknown, "unknown_of_build", reads=True),
    Route(BUILD + "/[^/]+/.*", _unknown_below, "unknown_of_build", reads=True),
)
