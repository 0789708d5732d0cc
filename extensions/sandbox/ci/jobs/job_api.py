# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on the wire: show, describe, enable, wipe and delete."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...runtime.evaluator import EvaluationError
from ..access.permissions import (
    JOB_BUILD,
    JOB_CONFIGURE,
    JOB_DELETE,
    JOB_WORKSPACE,
    VIEW_CONFIGURE,
    VIEW_READ,
)
from ..builds import actions, build_api
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import InternalError
from ..java_patterns import PatternError, compile_pattern, translate
from ..nodes.stored_nodes import SELF_LABEL
from ..queue import queue_items
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property, opaque_bean
from ..storage import Build, Job
from ..xml import document
from . import configuration, folder_configuration, stored_views
from .configuration import Definition, Parameter
from .item_actions import list_actions
from .item_kinds import CONTAINERS, FOLDER, FREESTYLE, MULTIBRANCH, PIPELINE
from .stored_views import ALL, LIST, MY, NESTED, FoundView

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
    own = _folder_members if definition.kind in CONTAINERS else _job_members
    return Bean(definition.kind.item_class, *own(call, job, definition, named))


def deleted_job_bean(call: Call, name: str) -> Bean:
    """Return a deleted job as the queue shows it."""
    return Bean(
        FREESTYLE.item_class,
        Property("name", name.rpartition("/")[2], visibility=ALWAYS),
        Property("url", call.job_url(name), visibility=ALWAYS),
        Property("color", "notbuilt", visibility=ALWAYS),
    )


def _folder_members(call: Call, job: Job, definition: Definition, named: tuple[Property, ...]) -> list[Property]:
    return [
        Property("actions", lambda: list_actions(call, job)),
        *named,
        Property("healthReport", lambda: _folder_health(call, job)),
        Property("jobs", lambda: [job_bean(call, inner) for inner in list_visible(call, job.name)]),
        Property("primaryView", lambda: _check_views(job, primary_view_bean(call, job.name))),
        Property("views", lambda: _check_views(job, list_views(call, job.name))),
        *([Property("sources", [opaque_bean()])] if definition.kind is MULTIBRANCH else []),
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


def list_views(call: Call, folder: str = "", parent: FoundView | None = None) -> list[Bean]:
    """Return the views of Jenkins, a folder or a nested view that the user may see, by name."""
    views = [view for view in stored_views.list_views(call.storage, folder, parent) if may_see(call, view)]
    return [view_bean(call, view) for view in sorted(views, key=lambda view: view.name)]


def primary_view_bean(call: Call, folder: str = "") -> Bean | None:
    """Return the view that Jenkins or a folder shows by default."""
    primary = stored_views.find_primary(call.storage, folder)
    return view_bean(call, primary) if primary else None


def view_bean(call: Call, view: FoundView) -> Bean:
    """Return a view as the remote API shows it."""
    members = [
        Property("description", view.element.findtext("description")),
        Property("jobs", lambda: [job_bean(call, job) for job in _list_shown(call, view)]),
        Property("name", view.name, visibility=ALWAYS),
        Property("property", []),
        Property("url", _view_url(call, view), visibility=ALWAYS),
    ]
    if view.element.tag == NESTED:
        members.append(Property("views", lambda: list_views(call, view.folder, view)))
    return Bean(view.element.tag.replace("__", "_"), *members)


def may_see(call: Call, view: FoundView) -> bool:
    """Return whether the user may read a view. Without a permission on views, those that show jobs are visible."""
    permissions = (VIEW_READ, VIEW_CONFIGURE)
    return any(map(call.principal.may, permissions)) or bool(_list_shown(call, view))


def shows(call: Call, view: FoundView, job: Job) -> bool:
    """Return whether a view shows a job."""
    return any(other.name == job.name for other in _list_shown(call, view))


def _list_shown(call: Call, view: FoundView) -> list[Job]:
    """Return the jobs in a view that the user may see."""
    visible_jobs = list_visible(call, view.folder)
    if view.element.tag != LIST:
        is_complete = view.element.tag == ALL or (view.element.tag == MY and call.principal.may(JOB_CONFIGURE))
        return visible_jobs if is_complete else []
    if view.element.findtext("recurse") == "true":
        prefix = f"{view.folder}/" if view.folder else ""
        visible_jobs = [job for job in call.storage.all_jobs() if job.name.startswith(prefix) and call.may_read(job)]
    by_name = {job.name.removeprefix(f"{view.folder}/"): job for job in visible_jobs}
    listed = {element.text for element in view.element.iterfind("jobNames/string")}
    pattern = view.element.findtext("includeRegex")
    listed |= _match_names(call, pattern, list(by_name)) if pattern else set()
    shown = [job for name, job in by_name.items() if name in listed]
    status = view.element.findtext(f"jobFilters/{stored_views.STATUS_FILTER}/statusFilter")
    if status is None:
        return shown
    disabled = {job.name for job in shown if configuration.parse_configuration(job.config).disabled}
    return [job for job in shown if (job.name in disabled) == (status != "true")]


def _view_url(call: Call, view: FoundView) -> str:
    home = _home(call, view.folder)
    primary = stored_views.find_primary(call.storage, view.folder)
    if primary and view.path == primary.path and view.element.tag != NESTED:
        return home
    return home + "".join(f"view/{call.encode_name(name)}/" for name in view.path)


def _match_names(call: Call, pattern: str, names: list[str]) -> set[str]:
    """Return the names that a regular expression matches, none if it is invalid."""
    try:
        compile_pattern(pattern)
        matches = call.controller.runtime.evaluator.fullmatch(translate(pattern), names)
    except PatternError:
        return set()
    except EvaluationError:
        raise InternalError from None
    return {name for name, is_match in zip(names, matches, strict=True) if is_match}


def _home(call: Call, folder: str) -> str:
    return call.job_url(folder) if folder else call.configured_root


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
        Property("actions", lambda: [*_parameter_definitions(definition), *list_actions(call, job)]),
        *named,
        Property(
            "allBuilds", lambda: [build_api.build_bean(call, b) for b in call.storage.builds(job.name)], visibility=-2
        ),
        Property("buildable", not definition.disabled and not job.on_hold),
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


def list_tied_jobs(call: Call, label: str) -> list[Bean]:
    """Return the jobs that are restricted to a label. An empty one is that of the built-in node."""
    labels = (label, "") if label == SELF_LABEL else (label,)
    visible = [job for job in call.storage.all_jobs() if call.may_read(job)]
    return [job_bean(call, job) for job in visible if configuration.parse_configuration(job.config).label in labels]


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
    stored_views.remove_job(call.storage, found.name)
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
    stored_views.remove_job(call.storage, found.name)
    return pages.redirect(call.job_path(found.folder) if found.folder else f"{call.context}/")


def _change(call: Call, job: str, tag: str, text: str | None) -> None:
    """Change an element and save the job, which releases a copy."""
    found = call.job(job)
    call.require_post()
    call.require(JOB_CONFIGURE)
    try:
        found.config = configuration.set_text(found.config, tag, text, call.writer)
    except ValueError:
        raise InternalError from None
    found.on_hold = False
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
    _change(call, job, "description", call.parameter("description"))
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


ROUTES = (
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
