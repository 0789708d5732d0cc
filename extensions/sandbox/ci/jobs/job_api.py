# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on the wire: show, describe, enable, wipe and delete."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...runtime.evaluator import EvaluationError
from ..access.permissions import JOB_BUILD, JOB_CONFIGURE, JOB_DELETE, JOB_WORKSPACE
from ..builds import actions, build_api
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import InternalError
from ..queue import queue_items
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property, opaque_bean
from ..storage import Build, Job, View
from ..xml import document
from . import configuration, folder_configuration
from .configuration import Definition, Parameter
from .item_kinds import FOLDER, FREESTYLE, PIPELINE

ALL = "hudson.model.AllView"
WORST_CHILD = "com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric"
COLORS = {"SUCCESS": "blue", "UNSTABLE": "yellow", "FAILURE": "red", "ABORTED": "aborted", "NOT_BUILT": "notbuilt"}
HEALTH_BUILDS = 5
HEALTH_ICONS = ((80, "80plus"), (60, "60to79"), (40, "40to59"), (20, "20to39"), (0, "00to19"))


def list_visible(call: Call, folder: str = "") -> list[Job]:
    """Return the items of a folder that the user may see."""
    return [job for job in call.storage.jobs(folder) if call.may_read(job)]


def job_bean(call: Call, job: Job) -> Bean:
    """Return a job or folder as the remote API shows it."""
    definition = configuration.parse_configuration(job.config)
    named = (
        Property("description", definition.description),
        Property("displayName", definition.display_name or job.leaf),
        Property("displayNameOrNull", definition.display_name),
        Property("fullDisplayName", lambda: configuration.full_display_name(call.storage, job.name)),
        Property("fullName", job.name),
        Property("name", job.leaf, visibility=ALWAYS),
        Property("url", call.job_url(job.name), visibility=ALWAYS),
    )
    own = _folder_members if definition.kind is FOLDER else _job_members
    return Bean(definition.kind.item_class, *own(call, job, definition, named))


def deleted_job_bean(call: Call, name: str) -> Bean:
    """Return a deleted job as the queue shows it."""
    return Bean(
        FREESTYLE.item_class,
        Property("name", name.rpartition("/")[2], visibility=ALWAYS),
        Property("url", call.job_url(name), visibility=ALWAYS),
        Property("color", "notbuilt", visibility=ALWAYS),
    )


def _folder_members(call: Call, job: Job, _definition: Definition, named: tuple[Property, ...]) -> list[Property]:
    all_jobs = all_view_bean(call, job.name)
    return [
        Property("actions", []),
        *named,
        Property("healthReport", lambda: _folder_health(call, job)),
        Property("jobs", lambda: [job_bean(call, inner) for inner in list_visible(call, job.name)]),
        Property("primaryView", lambda: _check_views(job, all_jobs)),
        Property("views", lambda: _check_views(job, list_views(call, job.name))),
    ]


def _check_views(folder: Job, views: Any) -> Any:
    if folder_configuration.is_broken(folder):
        raise InternalError
    return views


def _folder_health(call: Call, folder: Job) -> list[Bean]:
    """Return the worst health of the items in a folder, if the folder has this metric."""
    metric = document.parse(folder.config).find(f"healthMetrics/{WORST_CHILD}")
    if metric is None:
        return []
    names = [folder.name]
    if metric.findtext("nonRecursive") != "true":
        names += [other.name for other in call.storage.all_jobs() if other.name.startswith(f"{folder.name}/")]
    jobs = [job for name in names for job in call.storage.jobs(name)]
    reports = [(report, job) for job in jobs for report in _health_of(call, job)]
    if not reports:
        return []
    (score, description), worst = min(reports, key=lambda found: found[0][0])
    title = configuration.full_display_name(call.storage, worst.name)
    return [_health_bean(score, f"Worst health: {title}: {description}")]


def list_views(call: Call, folder: str = "") -> list[Bean]:
    """Return all views of a folder by name."""
    beans = [(view.name, list_view_bean(call, view)) for view in call.storage.views(folder)]
    return [bean for _name, bean in sorted([("all", all_view_bean(call, folder)), *beans], key=lambda named: named[0])]


def all_view_bean(call: Call, folder: str = "") -> Bean:
    """Return the view with all items of a folder."""
    return _view_bean(ALL, None, "all", lambda: list_visible(call, folder), call, _home(call, folder))


def list_view_bean(call: Call, view: View) -> Bean:
    """Return a created view: a list of jobs, or a view with all jobs."""
    root = document.parse(view.config)
    listed = {element.text for element in root.iterfind("jobNames/string")}
    pattern = root.findtext("includeRegex")

    def list_jobs() -> list[Job]:
        visible_jobs = list_visible(call, view.folder)
        if root.tag == ALL:
            return visible_jobs
        matching = _match_names(call, pattern, [job.leaf for job in visible_jobs]) if pattern else set()
        return [job for job in visible_jobs if job.leaf in listed or job.leaf in matching]

    url = f"{_home(call, view.folder)}view/{call.encode_name(view.name)}/"
    return _view_bean(root.tag, root.findtext("description"), view.name, list_jobs, call, url)


def _match_names(call: Call, pattern: str, names: list[str]) -> set[str]:
    """Return the names that a regular expression matches, none if it is invalid."""
    try:
        re.compile(pattern)
        matches = call.controller.runtime.evaluator.fullmatch(pattern, names)
    except (re.error, RecursionError):
        return set()
    except EvaluationError:
        raise InternalError from None
    return {name for name, is_match in zip(names, matches, strict=True) if is_match}


def _home(call: Call, folder: str) -> str:
    return call.job_url(folder) if folder else call.configured_root


def _view_bean(
    kind: str, description: str | None, name: str, list_jobs: Callable[[], list[Job]], call: Call, url: str
) -> Bean:
    return Bean(
        kind,
        Property("description", description),
        Property("jobs", lambda: [job_bean(call, job) for job in list_jobs()]),
        Property("name", name, visibility=ALWAYS),
        Property("property", []),
        Property("url", url, visibility=ALWAYS),
    )


def _job_members(call: Call, job: Job, definition: Definition, named: tuple[Property, ...]) -> list[Property]:
    def last(alias: str) -> Any:
        def fetch_build() -> Bean | None:
            build = build_api.find_by_alias(call, job, alias)
            return build_api.build_bean(call, build) if build else None

        return fetch_build

    def first_build() -> Bean | None:
        numbers = list(call.storage.builds(job.name))
        return build_api.build_bean(call, numbers[-1]) if numbers else None

    def queue_item() -> Bean | None:
        waiting = [item for item in call.storage.queue() if item.job == job.name]
        return queue_items.item_bean(call, waiting[0], job_bean(call, job)) if waiting else None

    return [
        Property("actions", lambda: [*_parameter_definitions(definition), *_opaque_actions(call)]),
        *named,
        Property(
            "allBuilds", lambda: [build_api.build_bean(call, b) for b in call.storage.builds(job.name)], visibility=-2
        ),
        Property("buildable", not definition.disabled),
        Property("builds", lambda: build_api.list_newest(call, job)),
        Property("color", lambda: _color(call, job, definition), visibility=2),
        Property("firstBuild", first_build),
        Property("healthReport", lambda: _health(call, job)),
        Property("inQueue", lambda: any(item.job == job.name for item in call.storage.queue())),
        Property("keepDependencies", False),
        *(Property(alias, last(alias)) for alias in build_api.ALIASES),
        Property("nextBuildNumber", job.next_build),
        Property("property", lambda: _parameter_definitions(definition)),
        Property("queueItem", queue_item),
        Property("concurrentBuild", definition.concurrent),
        Property("disabled", definition.disabled),
        *(_pipeline_members() if definition.kind is PIPELINE else _freestyle_members(definition)),
    ]


def _opaque_actions(call: Call) -> list[Bean]:
    """Return actions without exported members. Users who may configure the job get one more."""
    return [opaque_bean() for _unused in range(2 if call.principal.may(JOB_CONFIGURE) else 1)]


def list_tied_jobs(call: Call) -> list[Bean]:
    """Return the jobs that are restricted to the built-in node."""
    everything = [job for job in call.storage.all_jobs() if call.may_read(job)]
    return [
        job_bean(call, job)
        for job in everything
        if configuration.parse_configuration(job.config).label in ("", "built-in")
    ]


def _freestyle_members(definition: Definition) -> list[Property]:
    return [
        Property("downstreamProjects", []),
        Property("labelExpression", definition.label or None),
        Property("scm", Bean("hudson.scm.NullSCM")),
        Property("upstreamProjects", []),
    ]


def _pipeline_members() -> list[Property]:
    return [Property("resumeBlocked", False)]


def _parameter_definitions(definition: Definition) -> list[Bean]:
    if not definition.parameters:
        return []
    beans = [_definition_bean(parameter) for parameter in definition.parameters]
    members = Property("parameterDefinitions", beans, visibility=2)
    return [Bean("hudson.model.ParametersDefinitionProperty", members)]


def _definition_bean(parameter: Parameter) -> Bean:
    default = parameter.default_value()
    members = [
        Property("defaultParameterValue", actions.parameter_bean(default) if default else None, visibility=3),
        Property("description", parameter.description, visibility=3),
        Property("name", parameter.name, visibility=3),
        Property("type", f"{parameter.kind}ParameterDefinition", visibility=3),
    ]
    if parameter.kind == "Choice":
        members.append(Property("choices", list(parameter.choices), visibility=3))
    return Bean(parameter.class_name, *members)


def _color(call: Call, job: Job, definition: Definition) -> str:
    completed = build_api.find_by_alias(call, job, "lastCompletedBuild")
    color = COLORS[completed.outcome] if completed else "notbuilt"
    if definition.disabled:
        color = "disabled"
    running = any(build.job == job.name for build in call.scheduler.running(call.now))
    return f"{color}_anime" if running else color


def _health(call: Call, job: Job) -> list[Bean]:
    return [_health_bean(*report) for report in _health_of(call, job)]


def _health_of(call: Call, job: Job) -> list[tuple[int, str]]:
    """Return the score and the description of the health of a job, if it has completed builds."""
    completed: list[Build] = []
    for build in call.storage.builds(job.name):
        if not build.running(call.now):
            completed.append(build)
        if len(completed) == HEALTH_BUILDS:
            break
    if not completed:
        return []
    failed = sum(build.outcome == "FAILURE" for build in completed)
    score = 100 * (len(completed) - failed) // len(completed)
    counted = f"{failed} out of the last {len(completed)} builds failed." if failed else "No recent builds failed."
    if failed == len(completed):
        counted = "All recent builds failed."
    return [(score, f"Build stability: {counted}")]


def _health_bean(score: int, description: str) -> Bean:
    icon = next(name for limit, name in HEALTH_ICONS if score >= limit)
    return Bean(
        "hudson.model.HealthReport",
        Property("description", description, visibility=2),
        Property("iconClassName", f"icon-health-{icon}", visibility=2),
        Property("iconUrl", f"health-{icon}.png", visibility=2),
        Property("score", score, visibility=2),
        typed=False,
    )


def _show(call: Call, job: str, form: str) -> Answer:
    found = call.job(job)
    if configuration.parse_configuration(found.config).kind is FOLDER:
        folder_configuration.add_actions(call.storage, found)
    return serve(call, job_bean(call, found), form)


def _page(call: Call, job: str) -> Response:
    found = call.job(job)
    if call.method != "DELETE":
        return call.page(f"{found.name} - Jenkins", f"<h1>{found.name}</h1>")
    call.require(JOB_DELETE)
    call.storage.delete_job(found, call.now)
    return Response(status_code=204)


def _page_without_slash(call: Call, job: str) -> Response:
    call.job(job)
    return pages.redirect(call.with_slash)


def _changes(call: Call, job: str) -> Response:
    found = call.project(job)
    return call.page(f"{found.leaf} Changes - Jenkins", "<h1>Changes</h1><p>No changes.</p>")


def _configure_page(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require(JOB_CONFIGURE)
    return call.page(f"{found.name} Config - Jenkins", "<h1>Configuration</h1>")


def _delete(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require_post()
    call.require(JOB_DELETE)
    call.storage.delete_job(found, call.now)
    return pages.redirect(call.job_path(found.folder) if found.folder else f"{call.context}/")


def _change(call: Call, job: str, tag: str, text: str) -> None:
    found = call.job(job)
    call.require_post()
    call.require(JOB_CONFIGURE)
    try:
        found.config = configuration.set_text(found.config, tag, text, call.writer)
    except ValueError:
        raise InternalError from None
    call.storage.put_job(found)


def _enable(call: Call, job: str) -> Response:
    _change(call, job, "disabled", "false")
    return pages.redirect(call.current_folder_path)


def _disable(call: Call, job: str) -> Response:
    _change(call, job, "disabled", "true")
    call.storage.cancel_items(call.job(job), call.now)
    return pages.redirect(call.current_folder_path)


def _description(call: Call, job: str) -> Response:
    if call.method == "GET":
        return pages.plain_text(configuration.parse_configuration(call.job(job).config).description or "")
    _change(call, job, "description", call.parameter("description") or "")
    return Response(status_code=204)


def _submit_description(call: Call, job: str) -> Response:
    _change(call, job, "description", call.parameter("description") or "")
    return pages.redirect(call.current_folder_path)


def _workspace(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require(JOB_WORKSPACE)
    if not found.workspace:
        return call.page("Jenkins", "<h1>Error: no workspace</h1>", 404)
    return call.page(f"Workspace of {found.name} on Built-In Node : / - Jenkins", "<p>No files in directory</p>")


def _wipe_out_workspace(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require_post()
    call.require(JOB_BUILD)
    found.workspace = False
    call.storage.put_job(found)
    return pages.redirect(call.current_folder_path)


def _show_view(call: Call, job: str, form: str) -> Answer:
    return serve(call, all_view_bean(call, call.job(job).name), form)


ROUTES = (
    Route(ANY, JOB + "/view/{:[aA]ll}" + API, _show_view, "view", read_only=True),
    Route(ANY, JOB + API, _show, "job_info", read_only=True),
    Route(ANY, JOB + "/", _page, "job_page"),
    Route(ANY, JOB, _page_without_slash, "job_page", read_only=True),
    Route(ANY, JOB + "/changes{:/?}", _changes, "job_page", read_only=True),
    Route(ANY, JOB + "/configure", _configure_page, "job_page", read_only=True),
    Route(ANY, JOB + "/description", _description, "describe_job"),
    Route(ANY, JOB + "/submitDescription", _submit_description, "describe_job"),
    Route(ANY, JOB + "/doDelete", _delete, "delete_job"),
    Route(ANY, JOB + "/enable", _enable, "enable_job"),
    Route(ANY, JOB + "/disable", _disable, "disable_job"),
    Route(ANY, JOB + "/ws/", _workspace, "workspace", read_only=True),
    Route(ANY, JOB + "/doWipeOutWorkspace", _wipe_out_workspace, "wipe_out_workspace"),
)
