# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork: open issues by severity, their trend over builds, and licenses."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import charts
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview.parts import (
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
    join_names,
    list_problems,
)

_MODULES = ("review_server_info", "review_project_info", "review_build_info", "review_report_info")
_SERVER, _PROJECTS, _BUILDS, _REPORTS = _MODULES
_SEVERITIES = ("Critical", "Error", "Warning", "Review")
_SEVERE = ("Critical", "Error")
# Red, orange, blue, gray, and purple and green for further ones
_PALETTE = (5, 2, 1, 6, 4, 3)
# Trends of further projects are in the JSON file
_MAX_CHARTS = 20


class Project(t.NamedTuple):
    """The open issues of a project.

    :ivar builds: names and times of the compared builds with the open issues by severity, oldest first
    :ivar by_module: report of the last build, if it was read
    """

    name: str
    builds: t.Sequence[tuple[str, str, t.Mapping[str, float]]]
    by_module: State | None

    @property
    def severe(self) -> float | None:
        """The open critical and error issues. `None` without builds."""
        return _count_severe(self.builds[-1][2]) if self.builds else None

    @property
    def changes(self) -> dict[str, float] | None:
        """The changes of critical and error issues against the previous build. `None` with fewer than two builds."""
        if len(self.builds) < 2:
            return None
        (_old, _old_date, before), (_new, _new_date, after) = self.builds[-2:]
        return {severity: after.get(severity, 0) - before.get(severity, 0) for severity in _SEVERE}

    @property
    def increases(self) -> tuple[float, ...]:
        """The increases of critical and error issues against the previous build."""
        changes = self.changes or {}
        return tuple(max(changes.get(severity, 0), 0) for severity in _SEVERE)

    @property
    def description(self) -> str:
        """The changes in words with the compared builds."""
        return f"{_describe_changes(self.changes or {})} in {self.builds[-1][0]} since {self.builds[-2][0]}"


def describe(state: State, scope: Scope) -> Service:
    """Return the state of a Klocwork host."""
    projects = sorted((_to_project(issues) for issues in state["issues"]), key=_rank_project)
    return Service(
        state["host"],
        "review",
        f"Klocwork {state['version']}" if state["version"] else "",
        [*list_problems(state), *_check_licenses(state["licenses"], scope), *_check_projects(projects)],
        [
            _describe_projects(state, projects),
            _describe_severe(state, projects),
            _describe_change(state, projects),
            _describe_last_load(state, projects, scope),
            _describe_licenses(state, scope),
        ],
        [
            *_list_projects(projects, scope),
            *(section for project in projects[:_MAX_CHARTS] for section in _list_issues(state["host"], project, scope)),
        ],
        state["problems"],
        _describe_ok(projects),
    )


def _describe_ok(projects: t.Sequence[Project]) -> str:
    """Return what it means that no issue needs attention."""
    compared = sum(project.changes is not None for project in projects)
    if not compared:
        return "No project has two builds to compare."
    note = "" if compared == len(projects) else f" Compared: {compared:,} of {len(projects):,} projects."
    return f"Critical and error issues have not increased since the previous build.{note}"


def _to_project(issues: State) -> Project:
    read = [build for build in issues["builds"] or () if build["name"] in issues["by_build"]]
    builds = [(build["name"], build["date"] or "", _count_open(issues["by_build"][build["name"]])) for build in read]
    return Project(issues["project"], builds[::-1], issues["by_module"])


def _count_open(report: State) -> dict[str, float]:
    """Return the issues by severity that are not fixed."""
    counts: dict[str, float] = {}
    for cell in report["counts"]:
        if cell["row"] != "Fixed":
            counts[cell["column"]] = counts.get(cell["column"], 0) + cell["count"]
    return counts


def _count_severe(counts: t.Mapping[str, float]) -> float:
    return sum(counts.get(severity, 0) for severity in _SEVERE)


def _rank_project(project: Project) -> tuple[list[float], float, str]:
    return [-increase for increase in project.increases], -(project.severe or 0), project.name


def _describe_changes(changes: t.Mapping[str, float]) -> str:
    """Return the changes by severity: `critical +1, error +2`, or `±0`."""
    parts = [
        f"{name.lower()} {units.format_change(change, units.format_count)}"
        for name, change in changes.items()
        if change
    ]
    return ", ".join(parts) or "±0"


def _check_licenses(licenses: t.Sequence[State], scope: Scope) -> list[Finding]:
    findings = []
    for entry in sorted(_list_expiring_licenses(licenses, scope), key=lambda entry: entry["days_to_expiry"]):
        days, is_over = entry["days_to_expiry"], entry["days_to_expiry"] <= 0
        when = "has expired" if is_over else f"expires in {units.pluralize(days, 'day')}"
        severity = "failing" if is_over else "attention"
        findings.append(Finding(severity, f"License '{entry['feature']}' {when}.", "licenses", days_left=max(days, 0)))
    unknown = sorted(entry["feature"] for entry in _list_unknown_licenses(licenses))
    if unknown:
        noun = units.pluralize(len(unknown), "license")
        findings.append(Finding("unknown", f"The expiry of {noun} is unknown: {join_names(unknown)}.", "licenses"))
    return findings


def _list_unknown_licenses(licenses: t.Sequence[State]) -> list[State]:
    return [entry for entry in licenses if not entry["permanent"] and entry["days_to_expiry"] is None]


def _list_expiring_licenses(licenses: t.Sequence[State], scope: Scope) -> list[State]:
    return [
        entry
        for entry in licenses
        if not entry["permanent"]
        and entry["days_to_expiry"] is not None
        and entry["days_to_expiry"] <= scope.expires_within_days
    ]


def _check_projects(projects: t.Sequence[Project]) -> list[Finding]:
    """Return projects with more critical or more error issues, even if the sum of both did not increase."""
    worse = [project for project in projects if any(project.increases)]
    findings = [_report_increase(f"{project.name}: {project.description}.", project) for project in worse[:3]]
    if worse[3:]:
        names = join_names([project.name for project in worse[3:]])
        findings.append(_report_increase(f"More critical or error issues in {names}.", worse[3]))
    return findings


def _report_increase(reason: str, project: Project) -> Finding:
    arguments = json.dumps({"project": project.name, "state": ["New"], "severity": ["1-2"]})
    return Finding("attention", reason, "issues", {"arguments": arguments})


def _describe_projects(state: State, projects: t.Sequence[Project]) -> Figure:
    if failure := find_failure(state, _SERVER, _PROJECTS):
        return build_unknown_figure("Projects", failure)
    return Figure("Projects", units.format_count(len(state["projects"])), f"issues of {len(projects):,} were read")


def _describe_severe(state: State, projects: t.Sequence[Project]) -> Figure:
    name = "Critical and error issues"
    if failure := find_failure(state, *_MODULES):
        return build_unknown_figure(name, failure)
    total = sum(project.severe or 0 for project in projects)
    worst = max(projects, key=lambda project: project.severe or 0, default=None)
    return Figure(name, units.format_count(total), f"most in {worst.name}" if worst and worst.severe else "open")


def _describe_change(state: State, projects: t.Sequence[Project]) -> Figure:
    name = "Change since previous build"
    if failure := find_failure(state, *_MODULES):
        return build_unknown_figure(name, failure)
    changed = [project for project in projects if project.changes is not None]
    if not changed:
        return Figure(name, "unknown", "known from the second build of a project on")
    sums = {severity: sum((project.changes or {})[severity] for project in changed) for severity in _SEVERE}
    is_worse = any(changed[0].increases)
    compared = f"critical and error, {units.pluralize(len(changed), 'project')} with two builds"
    note = f"{changed[0].name}: {changed[0].description}" if is_worse else compared
    return Figure(name, _describe_changes(sums), note)


def _describe_last_load(state: State, projects: t.Sequence[Project], scope: Scope) -> Figure:
    if failure := find_failure(state, *_MODULES):
        return build_unknown_figure("Last load", failure)
    loads = [
        (moment, project.name, project.builds[-1][0])
        for project in projects
        if project.builds and (moment := units.parse_time(project.builds[-1][1])) is not None
    ]
    if not loads:
        return Figure("Last load", "none", "no project has a build")
    moment, project, build = max(loads)
    oldest, oldest_project, _build = min(loads)
    note = f"{project}, {build}"
    if oldest < moment:
        note += f"; oldest: {oldest_project}, {units.format_distance(oldest, scope.now)}"
    if unloaded := len(projects) - len(loads):
        note += f"; {unloaded:,} without a load time"
    return Figure("Last load", units.format_distance(moment, scope.now), note)


def _describe_licenses(state: State, scope: Scope) -> Figure:
    if failure := find_failure(state, _SERVER):
        return build_unknown_figure("Licenses expiring", failure)
    within = units.pluralize(scope.expires_within_days, "day")
    note = f"within {within}, of {units.pluralize(len(state['licenses']), 'license')}"
    if unknown := len(_list_unknown_licenses(state["licenses"])):
        note += f"; {unknown:,} unknown"
    return Figure("Licenses expiring", units.format_count(len(_list_expiring_licenses(state["licenses"], scope))), note)


def _list_projects(projects: t.Sequence[Project], scope: Scope) -> list[Section]:
    if not projects:
        return []
    rows = [
        (
            Cell(project.name),
            *(_count_severity(project, severity) for severity in _SEVERE),
            "unknown" if project.changes is None else _describe_project_changes(project.changes),
            units.format_count(sum(project.builds[-1][2].values())) if project.builds else "",
            project.builds[-1][0] if project.builds else "no build",
            _describe_load(project.builds[-1][1]) if project.builds else "",
        )
        for project in projects
    ]
    columns = ("Project", "#Critical", "#Error", "Since previous build", "#All open", "Last build", "Loaded, UTC")
    return [Section("Projects", [_BUILDS, _REPORTS], table=Table(columns, rows, "projects", scope.rows))]


def _count_severity(project: Project, severity: str) -> str:
    return units.format_count(project.builds[-1][2].get(severity, 0)) if project.builds else ""


def _describe_project_changes(changes: t.Mapping[str, float]) -> Cell:
    values = changes.values()
    tone = "bad" if max(values) > 0 else "good" if min(values) < 0 else ""
    return Cell(_describe_changes(changes), tone=tone)


def _describe_load(date: str) -> str:
    moment = units.parse_time(date)
    return "unknown" if moment is None else units.format_minute(moment)


def _list_issues(host: str, project: Project, scope: Scope) -> t.Iterator[Section]:
    if not project.builds:
        return
    names = _list_severities(project)
    if any(project.builds[-1][2].values()) or len(project.builds) > 1:
        chart = charts.build_columns(
            f"Open issues of {project.name} on {host} by build and severity",
            [(name, counts) for name, _date, counts in project.builds],
            names,
            units.format_count,
            ("build", "builds"),
            _PALETTE,
            is_flow=False,
        )
        yield Section("Open issues by build", [_REPORTS], chart, group=project.name)
    report = project.by_module
    if report and report["counts"]:
        table = _build_module_table(report, [name for name in names if name in report["columns"]], scope)
        yield Section("Issues by module", [_REPORTS], table=table, group=project.name)


def _list_severities(project: Project) -> list[str]:
    """Return the usual severities and, if there are any, further ones."""
    used = {name for _build, _date, counts in project.builds for name in counts}
    return [*_SEVERITIES, *sorted(used - set(_SEVERITIES))][: len(_PALETTE)]


def _build_module_table(report: State, severities: list[str], scope: Scope) -> Table:
    """Return the modules, those with the most severe issues on top."""
    modules: dict[str, dict[str, float]] = {name: {} for name in report["rows"]}
    for cell in report["counts"]:
        modules[cell["row"]][cell["column"]] = cell["count"]
    ranked = sorted(modules.items(), key=lambda item: ([-item[1].get(name, 0) for name in severities], item[0]))
    largest = max(sum(counts.values()) for counts in modules.values()) or 1
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(name),
            *(units.format_count(counts.get(severity, 0)) for severity in severities),
            Cell(units.format_count(sum(counts.values())), sum(counts.values()) / largest),
        )
        for name, counts in ranked
    ]
    return Table(("Module", *(f"#{severity}" for severity in severities), "#All"), rows, "modules", scope.rows)
