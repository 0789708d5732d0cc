# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jenkins: jobs, builds, queue, nodes and plugins."""

from __future__ import annotations

import json
import statistics
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import charts
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview.parts import (
    DAY,
    Cell,
    Figure,
    Finding,
    Scope,
    Section,
    Service,
    State,
    Table,
    build_unknown_figure,
    find_failure,
    group_rows,
    join_names,
    list_problems,
)

_JOBS, _BUILDS, _NODES, _PLUGINS = "ci_job_info", "ci_build_info", "ci_node_info", "ci_plugin_info"
# Results of builds that need attention
_FAILED = ("FAILURE", "UNSTABLE")
_RESULTS = ("SUCCESS", "UNSTABLE", "FAILURE", "ABORTED", "NOT_BUILT")
_WEEK_DAYS = 7
_MAX_CHART_DAYS = 30
# Green, orange, red, gray and purple
_PALETTE = (3, 2, 5, 6, 4)
_TONES = {"SUCCESS": "good", "UNSTABLE": "changed", "FAILURE": "bad"}


def describe(state: State, scope: Scope) -> Service:
    """Return the state of a Jenkins host."""
    server, jobs = state["server"], state["jobs"]
    completed = [build for build in state["builds"] if not build["building"]]
    return Service(
        state["host"],
        "ci",
        f"{server['product'].capitalize()} {server['version'] or ''}".strip() if server else "",
        [
            *list_problems(state),
            *(_check_server(server) if server else ()),
            *_check_jobs(jobs),
            *_check_nodes(state["nodes"]),
            *_check_plugins(state["plugins"]),
        ],
        [
            _describe_jobs(state),
            _describe_builds(state, completed, scope),
            _describe_queue(state),
            _describe_nodes(state),
            _describe_plugins(state),
        ],
        [
            *_list_builds(state["host"], completed, scope),
            *_list_failing(jobs, completed, scope),
            *_list_slowest(completed, scope),
            *_list_offline(state["nodes"], scope),
            *_list_updates(state["plugins"], scope),
        ],
        state["problems"],
    )


def _check_server(server: State) -> list[Finding]:
    if not server["quieting_down"]:
        return []
    reason = f": {server['quiet_down_reason']}" if server["quiet_down_reason"] else ""
    return [Finding("attention", f"Jenkins is in quiet-down mode and starts no builds{reason}.", "quiet_down")]


def _list_built_jobs(jobs: t.Sequence[State]) -> list[State]:
    """Return the jobs with a completed build."""
    return [job for job in jobs if job["last_completed"]]


def _list_failing_jobs(jobs: t.Sequence[State]) -> list[State]:
    """Return the jobs whose last build failed or is unstable, the most recent build first."""
    failing = [job for job in _list_built_jobs(jobs) if job["last_completed"]["result"] in _FAILED]
    return sorted(failing, key=lambda job: job["last_completed"]["timestamp"] or "", reverse=True)


def _check_jobs(jobs: t.Sequence[State]) -> list[Finding]:
    failing, built = _list_failing_jobs(jobs), _list_built_jobs(jobs)
    if not failing:
        return []
    names = join_names([job["name"] for job in failing])
    verb = "is" if len(failing) == 1 else "are"
    arguments = json.dumps({"job": failing[0]["name"], "build": "last_unsuccessful", "console_lines": 50})
    return [
        Finding(
            "failing" if len(failing) > len(built) / 2 and len(failing) > 1 else "attention",
            f"{len(failing):,} of {units.pluralize(len(built), 'built job')} {verb} failing or unstable: {names}.",
            "jobs",
            {"arguments": arguments},
        )
    ]


def _check_nodes(nodes: t.Sequence[State]) -> list[Finding]:
    offline = [node for node in nodes if node["offline"]]
    if not offline:
        return []
    reasons = [
        f"{node['name']} ({node['offline_reason']})" if node["offline_reason"] else node["name"] for node in offline
    ]
    verb = "is" if len(offline) == 1 else "are"
    is_all = len(offline) == len(nodes)
    return [
        Finding(
            "failing" if is_all else "attention",
            f"{len(offline):,} of {units.pluralize(len(nodes), 'node')} {verb} offline: {join_names(reasons)}.",
            "nodes",
        )
    ]


def _check_plugins(plugins: t.Sequence[State]) -> list[Finding]:
    updates = [plugin["name"] for plugin in plugins if plugin["has_update"]]
    if not updates:
        return []
    verb = "has an update" if len(updates) == 1 else "have updates"
    return [Finding("notice", f"{units.pluralize(len(updates), 'plugin')} {verb}: {join_names(updates)}.", "plugins")]


def _describe_jobs(state: State) -> Figure:
    if failure := find_failure(state, "ci_info", _JOBS):
        return build_unknown_figure("Jobs failing or unstable", failure)
    built = _list_built_jobs(state["jobs"])
    note = f"of {len(built):,} built, {units.pluralize(len(state['jobs']), 'job')} in total"
    return Figure("Jobs failing or unstable", units.format_count(len(_list_failing_jobs(state["jobs"]))), note)


def _describe_builds(state: State, completed: t.Sequence[State], scope: Scope) -> Figure:
    name = f"Builds in {_WEEK_DAYS} days"
    if failure := find_failure(state, "ci_info", _JOBS, _BUILDS):
        return build_unknown_figure(name, failure)
    start = scope.now - _WEEK_DAYS * DAY
    recent = [build for build in completed if _get_start(build) >= start]
    if not recent:
        return Figure(name, "0", "no success rate")
    successful = sum(build["result"] == "SUCCESS" for build in recent)
    jobs = len({build["job"] for build in recent})
    at_least = "at least " if _has_unread_builds(state, start) else ""
    return Figure(
        name,
        f"{at_least}{units.format_count(len(recent))}",
        f"{units.format_percent(successful / len(recent))} successful, in {units.pluralize(jobs, 'job')}",
    )


def _has_unread_builds(state: State, start: float) -> bool:
    """Return whether a job can have further builds since a time, because only its newest builds were read."""
    return any(
        len(builds) >= state["builds_limit"] and min(map(_get_start, builds)) >= start
        for builds in _group_by_job(state["builds"]).values()
    )


def _describe_queue(state: State) -> Figure:
    if failure := find_failure(state, "ci_info", _JOBS):
        return build_unknown_figure("Queue", failure)
    waiting = [job for job in state["jobs"] if job["in_queue"]]
    reasons = [
        f"{job['name']}: {job['queue_item']['why']}"
        for job in waiting
        if job["queue_item"] and job["queue_item"]["why"]
    ]
    note = reasons[0] if reasons else "jobs are waiting" if waiting else "no job is waiting"
    return Figure("Queue", units.format_count(len(waiting)), note)


def _describe_nodes(state: State) -> Figure:
    if failure := find_failure(state, "ci_info", _NODES):
        return build_unknown_figure("Nodes offline", failure)
    nodes = state["nodes"]
    executors, busy = (sum(node[name] for node in nodes) for name in ("executors", "busy_executors"))
    note = f"of {len(nodes):,}, {busy:,} of {units.pluralize(executors, 'executor')} busy"
    return Figure("Nodes offline", units.format_count(sum(node["offline"] for node in nodes)), note)


def _describe_plugins(state: State) -> Figure:
    if failure := find_failure(state, "ci_info", _PLUGINS):
        return build_unknown_figure("Plugin updates", failure)
    updates = sum(bool(plugin["has_update"]) for plugin in state["plugins"])
    return Figure(
        "Plugin updates", units.format_count(updates), f"of {units.pluralize(len(state['plugins']), 'plugin')}"
    )


def _list_builds(host: str, completed: t.Sequence[State], scope: Scope) -> list[Section]:
    if not completed:
        return []
    today = int(scope.now // DAY)
    oldest = int(min(_get_start(build) for build in completed) // DAY)
    first = min(max(oldest, today - _MAX_CHART_DAYS + 1), today - _WEEK_DAYS + 1)
    counts: dict[int, dict[str, float]] = {day: {} for day in range(first, today + 1)}
    for build in completed:
        if (day := int(_get_start(build) // DAY)) in counts:
            result = _describe_result(build["result"])
            counts[day][result] = counts[day].get(result, 0) + 1
    chart = charts.build_columns(
        f"Builds of {host} by day and result",
        [(units.format_day(day * DAY), numbers) for day, numbers in counts.items()],
        [_describe_result(result) for result in _RESULTS],
        units.format_count,
        ("day", "days"),
        _PALETTE,
    )
    return [Section("Builds by day", [_BUILDS], chart, note="Newest builds of the jobs that were built last.")]


def _list_failing(jobs: t.Sequence[State], completed: t.Sequence[State], scope: Scope) -> list[Section]:
    last = {job["name"]: job["last_completed"] for job in _list_built_jobs(jobs)}
    by_job = _group_by_job(completed)
    names = sorted({*by_job, *(job["name"] for job in _list_failing_jobs(jobs))})
    rows = []
    for name in names:
        builds = by_job.get(name, [])
        failed = [build for build in builds if build["result"] in _FAILED]
        newest = last.get(name)
        if not failed and (newest is None or newest["result"] not in _FAILED):
            continue
        rows.append((-len(failed), len(builds), name))
    if not rows:
        return []
    most = max(-failed for failed, _builds, _name in rows) or 1
    return [
        Section(
            "Jobs by failed or unstable builds",
            [_JOBS, _BUILDS],
            table=Table(
                ("Job", "#Failed or unstable", "#Of builds", "Last result", "Last build, UTC"),
                [
                    (
                        Cell(name),
                        Cell(f"{-failed:,} ({units.format_percent(-failed / builds)})", -failed / most)
                        if builds
                        else "not read",
                        units.format_count(builds) if builds else "not read",
                        *_describe_last(last.get(name)),
                    )
                    for failed, builds, name in sorted(rows)
                ],
                "jobs with failures",
                scope.rows,
            ),
        )
    ]


def _list_slowest(completed: t.Sequence[State], scope: Scope) -> list[Section]:
    rows = []
    for name, builds in _group_by_job(completed).items():
        seconds = [build["duration"] or 0 for build in builds]
        rows.append((statistics.median(seconds), max(seconds), sum(seconds), name))
    if not rows:
        return []
    rows.sort(key=lambda row: (-row[0], row[3]))
    slowest = rows[0][0] or 1
    return [
        Section(
            "Slowest jobs",
            [_BUILDS],
            table=Table(
                ("Job", "#Median duration", "#Longest", "#Total"),
                [
                    (
                        Cell(name),
                        Cell(units.format_duration(median), median / slowest),
                        units.format_duration(longest),
                        units.format_duration(total),
                    )
                    for median, longest, total, name in rows
                ],
                "jobs",
                scope.rows,
            ),
        )
    ]


def _list_offline(nodes: t.Sequence[State], scope: Scope) -> list[Section]:
    rows = [
        (Cell(node["name"]), node["offline_reason"] or "no reason given", units.format_count(node["executors"]))
        for node in nodes
        if node["offline"]
    ]
    table = Table(("Node", "Reason", "#Executors"), rows, "offline nodes", scope.rows)
    return [Section("Offline nodes", [_NODES], table=table)] if rows else []


def _list_updates(plugins: t.Sequence[State], scope: Scope) -> list[Section]:
    rows = [
        (Cell(plugin["name"]), plugin["title"] or "", plugin["version"] or "unknown")
        for plugin in plugins
        if plugin["has_update"]
    ]
    table = Table(("Plugin", "Title", "Installed version"), rows, "plugins with updates", scope.rows)
    return [Section("Plugin updates", [_PLUGINS], table=table)] if rows else []


def _group_by_job(builds: t.Sequence[State]) -> dict[str, list[State]]:
    return group_rows(builds, lambda build: build["job"])


def _describe_last(build: State | None) -> tuple[Cell, str]:
    if build is None:
        return Cell("unknown"), "unknown"
    result, url = build["result"] or "", build.get("url") or ""
    link = url if url.startswith(("http://", "https://")) else ""
    moment = units.parse_time(build["timestamp"])
    when = "unknown" if moment is None else units.format_minute(moment)
    return Cell(_describe_result(result), tone=_TONES.get(result, ""), link=link), when


def _describe_result(result: str | None) -> str:
    """Return a result in words, such as `not built`."""
    return (result or "unknown").replace("_", " ").lower()


def _get_start(build: State) -> float:
    return units.parse_time(build["timestamp"]) or 0.0
