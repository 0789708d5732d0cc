# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs: what they tell, and creating, configuring, enabling and deleting them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from . import builds, configuration, pages, queue
from .call import Call, Route
from .configuration import Definition, Parameter
from .exposition import ALWAYS, Bean, Property, opaque
from .permissions import JOB_CONFIGURE, JOB_CREATE, JOB_DELETE, JOB_READ
from .remote_api import API, serve
from .store import Build, Job

JOB = "/job/{job}"
UNSAFE = "?*/\\%!@#$^&|<>[]:;"
COLORS = {"SUCCESS": "blue", "UNSTABLE": "yellow", "FAILURE": "red", "ABORTED": "aborted", "NOT_BUILT": "notbuilt"}
HEALTH_BUILDS = 5
HEALTH_ICONS = ((80, "80plus"), (60, "60to79"), (40, "40to59"), (20, "20to39"), (0, "00to19"))


def visible(call: Call) -> list[Job]:
    """The jobs that the user may see."""
    return call.store.jobs() if call.principal.may(JOB_READ) else []


def bean(call: Call, job: Job) -> Bean:
    """A job as the remote API shows it."""
    definition = configuration.parse(job.config)

    def last(alias: str) -> Any:
        def found() -> Bean | None:
            build = builds.find(call, job, alias)
            return builds.bean(call, build) if build else None

        return found

    def first_build() -> Bean | None:
        numbers = list(call.store.builds(job.name))
        return builds.bean(call, numbers[-1]) if numbers else None

    def queue_item() -> Bean | None:
        waiting = [item for item in call.store.queue() if item.job == job.name]
        return queue.bean(call, waiting[0]) if waiting else None

    return Bean(
        "hudson.model.FreeStyleProject",
        Property("actions", lambda: [*_parameter_definitions(definition), opaque()]),
        Property("description", definition.description),
        Property("displayName", job.name),
        Property("displayNameOrNull", None),
        Property("fullDisplayName", job.name),
        Property("fullName", job.name),
        Property("name", job.name, visibility=ALWAYS),
        Property("url", call.job_url(job.name), visibility=ALWAYS),
        Property("allBuilds", lambda: [builds.bean(call, b) for b in call.store.builds(job.name)], visibility=-2),
        Property("buildable", not definition.disabled),
        Property("builds", lambda: builds.newest(call, job)),
        Property("color", lambda: _color(call, job, definition), visibility=2),
        Property("firstBuild", first_build),
        Property("healthReport", lambda: _health(call, job)),
        Property("inQueue", lambda: any(item.job == job.name for item in call.store.queue())),
        Property("keepDependencies", False),
        *(Property(alias, last(alias)) for alias in builds.ALIASES),
        Property("nextBuildNumber", job.next_build),
        Property("property", lambda: _parameter_definitions(definition)),
        Property("queueItem", queue_item),
        Property("concurrentBuild", definition.concurrent),
        Property("disabled", definition.disabled),
        Property("downstreamProjects", []),
        Property("labelExpression", None),
        Property("scm", Bean("hudson.scm.NullSCM")),
        Property("upstreamProjects", []),
    )


def _parameter_definitions(definition: Definition) -> list[Bean]:
    if not definition.parameters:
        return []
    beans = [_definition_bean(parameter) for parameter in definition.parameters]
    members = Property("parameterDefinitions", beans, visibility=2)
    return [Bean("hudson.model.ParametersDefinitionProperty", members)]


def _definition_bean(parameter: Parameter) -> Bean:
    members = [
        Property("defaultParameterValue", builds.parameter_bean(parameter.default_value()), visibility=3),
        Property("description", parameter.description, visibility=3),
        Property("name", parameter.name, visibility=3),
        Property("type", f"{parameter.kind}ParameterDefinition", visibility=3),
    ]
    if parameter.kind == "Choice":
        members.append(Property("choices", list(parameter.choices), visibility=3))
    return Bean(parameter.class_name, *members)


def _color(call: Call, job: Job, definition: Definition) -> str:
    completed = builds.find(call, job, "lastCompletedBuild")
    color = COLORS[completed.outcome] if completed else "notbuilt"
    if definition.disabled:
        color = "disabled"
    running = any(build.job == job.name for build in call.service.scheduler.running(call.now))
    return f"{color}_anime" if running else color


def _health(call: Call, job: Job) -> list[Bean]:
    completed: list[Build] = []
    for build in call.store.builds(job.name):
        if not build.running(call.now):
            completed.append(build)
        if len(completed) == HEALTH_BUILDS:
            break
    if not completed:
        return []
    failed = sum(build.outcome == "FAILURE" for build in completed)
    score = 100 * (len(completed) - failed) // len(completed)
    icon = next(name for limit, name in HEALTH_ICONS if score >= limit)
    counted = f"{failed} out of the last {len(completed)} builds failed." if failed else "No recent builds failed."
    return [
        Bean(
            "hudson.model.HealthReport",
            Property("description", f"Build stability: {counted}", visibility=2),
            Property("iconClassName", f"icon-health-{icon}", visibility=2),
            Property("iconUrl", f"health-{icon}.png", visibility=2),
            Property("score", score, visibility=2),
            typed=False,
        )
    ]


def _show(call: Call, job: str, form: str) -> Response:
    return serve(call, bean(call, call.job(job)), form)


def _page(call: Call, job: str) -> Response:
    found = call.job(job)
    if call.method != "DELETE":
        return pages.page(f"{found.name} - Jenkins", f"<h1>{found.name}</h1>")
    call.require(JOB_DELETE)
    call.store.delete_job(found)
    return Response(status_code=204)


def _page_without_slash(call: Call, job: str) -> Response:
    call.job(job)
    return pages.redirect(call.with_slash)


def _configure_page(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require(JOB_CONFIGURE)
    return pages.page(f"{found.name} Config - Jenkins", "<h1>Configuration</h1>")


def _config(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require(JOB_CONFIGURE)
    if call.method in ("GET", "HEAD"):
        return Response(found.config.encode(), headers={"Content-Type": "application/xml"})
    if call.method != "POST":
        raise pages.EngineError(400)
    if call.content_type == "application/x-www-form-urlencoded":
        raise pages.Oops
    found.config = _submitted_config(call)
    call.store.put_job(found)
    return Response()


def _submitted_config(call: Call) -> str:
    try:
        return configuration.normalized(call.body.decode("utf-8"))
    except ValueError:
        raise pages.Oops from None


def _delete(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require_post()
    call.require(JOB_DELETE)
    call.store.delete_job(found)
    return pages.redirect(f"{call.context}/")


def _change(call: Call, job: str, tag: str, text: str) -> None:
    found = call.job(job)
    call.require_post()
    call.require(JOB_CONFIGURE)
    found.config = configuration.with_text(found.config, tag, text)
    call.store.put_job(found)


def _enable(call: Call, job: str) -> Response:
    _change(call, job, "disabled", "false")
    return pages.redirect(call.here)


def _disable(call: Call, job: str) -> Response:
    _change(call, job, "disabled", "true")
    return pages.redirect(call.here)


def _description(call: Call, job: str) -> Response:
    if call.method == "GET":
        return pages.text(configuration.parse(call.job(job).config).description)
    _change(call, job, "description", call.parameter("description") or "")
    return Response(status_code=204)


def _create(call: Call) -> Response:
    call.require_post()
    call.require(JOB_CREATE)
    mode = call.parameter("mode")
    if not call.content_type and mode != "copy":
        raise pages.Failure("No Content-Type header set")
    name = _good_name(call)
    if mode == "copy":
        return _copy(call, name)
    if call.content_type in ("application/xml", "text/xml"):
        call.store.put_job(Job(name, _submitted_config(call)))
        return Response()
    if mode is None:
        raise pages.Failure("No mode given")
    if mode not in ("hudson.model.FreeStyleProject", "Freestyle project"):
        raise pages.Failure(f"No item type \u2018{mode}\u2019 is known")
    call.store.put_job(Job(name, configuration.from_seed({})))
    return pages.redirect(f"{call.context}/job/{call.quoted(name)}/configure")


def _good_name(call: Call) -> str:
    name = call.parameter("name")
    if name is None:
        raise pages.Failure("Query parameter 'name' is required")
    name = name.strip()
    if not name:
        raise pages.Failure("No name is specified")
    if name in (".", ".."):
        raise pages.Failure(f"\u2018{name}\u2019 is not an allowed name")
    unsafe = next((character for character in name if character in UNSAFE), None)
    if unsafe:
        raise pages.Failure(f"\u2018{unsafe}\u2019 is an unsafe character")
    if call.store.job(name):
        raise pages.Failure(f"A job already exists with the name \u2018{name}\u2019")
    return name


def _copy(call: Call, name: str) -> Response:
    source = call.parameter("from")
    if not source:
        raise pages.Failure("Specify which job to copy")
    original = call.store.job(source)
    if not original:
        raise pages.Failure(f"No such job: {source}")
    call.store.put_job(Job(name, original.config))
    return pages.redirect(f"{call.context}/job/{call.quoted(name)}/configure")


ROUTES = (
    Route("/createItem", _create, "create_job"),
    Route(JOB + API, _show, "job_info", reads=True),
    Route(JOB + "/", _page, "job_page"),
    Route(JOB, _page_without_slash, "job_page", reads=True),
    Route(JOB + "/configure", _configure_page, "job_page", reads=True),
    Route(JOB + "/config.xml", _config, "job_config"),
    Route(JOB + "/description", _description, "job_description"),
    Route(JOB + "/doDelete", _delete, "delete_job"),
    Route(JOB + "/enable", _enable, "enable_job"),
    Route(JOB + "/disable", _disable, "disable_job"),
)
