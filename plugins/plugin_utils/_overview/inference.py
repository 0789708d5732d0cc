# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OpenAI organizations: costs, usage, keys and rate limits."""

from __future__ import annotations

import math
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import charts, keys
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

_PROJECTS, _ADMIN_KEYS, _TUNING = "inference_project_info", "inference_admin_key_info", "inference_model_limit_info"
_COSTS, _USAGE = "inference_cost_info", "inference_usage_info"
_PERIOD = 30  # days, as the tasks of the role request
_WEEK_DAYS = 7
_OTHERS = "others"
_LIMITS = {
    "max_tokens_per_1_minute": "#Tokens per minute",
    "max_requests_per_1_minute": "#Requests per minute",
    "max_requests_per_1_day": "#Requests per day",
}
# Share of a daily limit from which it needs attention
_NEAR = 0.8
_SNAPSHOT = re.compile(r"-\d{4}-\d\d-\d\d$")


class DailyUse(t.NamedTuple):
    """The highest use of a daily limit in the period.

    :ivar subject: the limited object, in words
    """

    share: float
    used: int
    limit: int
    subject: str


def describe(state: State, scope: Scope) -> Service:
    """Return the state of an OpenAI organization."""
    all_keys = [
        *(_to_key(key, "admin_keys") for key in state["admin_keys"]),
        *(_to_key(key, "project_keys") for project in state["projects"] for key in project.get("api_keys", ())),
    ]
    uses = [*_list_request_use(state), *_list_tuning_use(state)]
    names = {project["id"]: project["name"] or project["id"] for project in state["projects"]}
    return Service(
        state["host"],
        "inference",
        units.pluralize(len(state["projects"]), "project") if state["projects"] else "",
        [*list_problems(state), *_check_limits(uses), *keys.list_findings(all_keys, "key", scope)],
        [
            _describe_costs(state, scope),
            _describe_tokens(state),
            _describe_requests(state),
            _describe_keys(state, all_keys, scope),
            _describe_limits(state, uses),
        ],
        [
            *_list_costs(state, scope),
            *_list_models(state, scope),
            *_list_projects(state, names, scope),
            *_list_keys(all_keys, scope),
            *_list_limits(state, scope),
        ],
        state["problems"],
    )


def _to_key(key: State, remedy: str) -> keys.Key:
    owner = key["owner"] or {}
    return keys.Key(
        key["name"] or key["id"],
        owner.get("name") or owner.get("id") or "",
        key["created"],
        key.get("expires"),
        key["last_used"],
        remedy,
    )


def _list_request_use(state: State) -> list[DailyUse]:
    """Return the highest daily number of requests of each project and model with a daily limit."""
    by_project = group_rows(state["usage"], lambda row: row["project_id"] or "")
    uses = []
    for project in state["projects"]:
        rate_limits = project.get("rate_limits", {})
        for model, days in _sum_daily_requests(by_project.get(project["id"], ()), rate_limits).items():
            limit = _read_limit(rate_limits[model], "max_requests_per_1_day")
            if limit:
                used = max(days.values())
                uses.append(DailyUse(used / limit, used, limit, f"requests per day to {model} in {project['name']}"))
    return uses


def _sum_daily_requests(usage: t.Sequence[State], rate_limits: t.Mapping[str, State]) -> dict[str, dict[int, int]]:
    """Return the requests by model with rate limits and by day."""
    requests: dict[str, dict[int, int]] = {}
    for row in usage:
        for model in _find_limited_models(row["model"] or "", rate_limits):
            days = requests.setdefault(model, {})
            days[row["start"]] = days.get(row["start"], 0) + (row.get("num_model_requests") or 0)
    return requests


def _find_limited_models(model: str, names: t.Iterable[str]) -> list[str]:
    """Return the names whose limits apply to a model: its own, that of its family, or those of its snapshots."""
    family = _to_family(model)
    return (
        [name for name in names if name == model]
        or [name for name in names if name == family]
        or [name for name in names if _to_family(name) == family]
    )


def _to_family(model: str) -> str:
    """Return a model without the date of its snapshot."""
    return _SNAPSHOT.sub("", model)


def _list_tuning_use(state: State) -> list[DailyUse]:
    return [
        DailyUse(used / limit, used, limit, f"fine-tuning jobs per day of {entry['id']}")
        for entry in state["model_limits"]
        if (limit := entry["max_jobs_per_day"]) and (used := entry["jobs_so_far_today"])
    ]


def _check_limits(uses: t.Sequence[DailyUse]) -> list[Finding]:
    near = sorted((use for use in uses if use.share >= _NEAR), reverse=True)
    return [
        Finding(
            "failing" if use.share >= 1 else "attention",
            f"{use.used:,} of {use.limit:,} {use.subject} were used.",
            "limits",
        )
        for use in near[:3]
    ]


def _describe_keys(state: State, all_keys: t.Sequence[keys.Key], scope: Scope) -> Figure:
    if failure := find_failure(state, _ADMIN_KEYS, _PROJECTS):
        return build_unknown_figure("Keys expiring", failure)
    return keys.describe_expiring({"key": all_keys}, "Keys expiring", scope)


def _describe_limits(state: State, uses: t.Sequence[DailyUse]) -> Figure:
    name = "Daily limit used"
    if failure := find_failure(state, _PROJECTS, _USAGE, _TUNING):
        return build_unknown_figure(name, failure)
    if not uses:
        return Figure(name, units.format_percent(0), "no limited model was used")
    use = max(uses)
    return Figure(name, units.format_percent(use.share), f"at most, {use.subject}")


def _describe_costs(state: State, scope: Scope) -> Figure:
    name = f"Cost in {_PERIOD} days"
    if failure := find_failure(state, _COSTS):
        return build_unknown_figure(name, failure)
    ages = [(scope.now - row["start"]) / DAY for row in state["costs"]]
    week, previous = (
        _sum_costs(
            row for row, age in zip(state["costs"], ages) if weeks * _WEEK_DAYS <= age < (weeks + 1) * _WEEK_DAYS
        )
        for weeks in (0, 1)
    )
    change = (
        f", {units.format_change((week - previous) / previous, units.format_percent)} on the week before"
        if previous
        else ""
    )
    note = f"{_format_costs(state, week)} in {_WEEK_DAYS} days{change}"
    by_model = _sum_costs_by(state["costs"], _get_model)
    if by_model:
        most = min(by_model, key=lambda model: (-by_model[model], model))
        note += f"; most for {most}: {_format_costs(state, by_model[most])}"
    return Figure(name, _format_costs(state, _sum_costs(state["costs"])), note)


def _sum_costs_by(costs: t.Iterable[State], get_name: t.Callable[[State], str]) -> dict[str, float]:
    return {name: _sum_costs(rows) for name, rows in group_rows(costs, get_name).items()}


def _sum_costs(rows: t.Iterable[State]) -> float:
    return math.fsum(row["amount"] for row in rows)


def _format_costs(state: State, amount: float) -> str:
    return units.format_money(amount, _get_currency(state))


def _get_currency(state: State) -> str:
    """Return the currency, which is the same for all costs of an organization."""
    return state["costs"][0]["currency"] if state["costs"] else "USD"


def _describe_tokens(state: State) -> Figure:
    name = f"Tokens in {_PERIOD} days"
    if failure := find_failure(state, _USAGE):
        return build_unknown_figure(name, failure)
    read, written = (_sum_usage(state["usage"], field) for field in ("input_tokens", "output_tokens"))
    note = f"{units.format_short_count(read)} input, {units.format_short_count(written)} output"
    return Figure(name, units.format_short_count(read + written), note)


def _describe_requests(state: State) -> Figure:
    name = f"Requests in {_PERIOD} days"
    if failure := find_failure(state, _USAGE):
        return build_unknown_figure(name, failure)
    models = {row["model"] for row in state["usage"] if row["model"]}
    total = _sum_usage(state["usage"], "num_model_requests")
    return Figure(name, units.format_short_count(total), f"to {units.pluralize(len(models), 'model')}")


def _sum_usage(rows: t.Iterable[State], field: str) -> int:
    return sum(row.get(field) or 0 for row in rows)


def _get_model(row: State) -> str:
    """Return the model of a line item, such as `gpt-4o` of `gpt-4o-2024-08-06, input`."""
    return _to_family((row["line_item"] or "unknown").split(",")[0].strip())


def _list_costs(state: State, scope: Scope) -> list[Section]:
    if not state["costs"]:
        return []
    totals = _sum_costs_by(state["costs"], _get_model)
    ranked = sorted(totals, key=lambda name: (-totals[name], name))
    names = ranked if len(ranked) <= charts.COLORS else [*ranked[: charts.COLORS - 1], _OTHERS]
    today = int(scope.now // DAY)
    first = min(int(row["start"] // DAY) for row in state["costs"])
    days: dict[int, dict[str, float]] = {day: {} for day in range(min(first, today - _WEEK_DAYS + 1), today + 1)}
    for row in state["costs"]:
        model = _get_model(row)
        name = model if model in names else _OTHERS
        numbers = days.setdefault(int(row["start"] // DAY), {})
        numbers[name] = numbers.get(name, 0) + row["amount"]
    chart = charts.build_columns(
        f"Cost of {state['host']} by day and model",
        [(units.format_day(day * DAY), numbers) for day, numbers in sorted(days.items())],
        names,
        lambda amount: _format_costs(state, amount),
        ("day", "days"),
    )
    return [Section("Cost by day", [_COSTS], chart)]


def _list_models(state: State, scope: Scope) -> list[Section]:
    used = group_rows(state["usage"], lambda row: _to_family(row["model"] or "unknown"))
    return _list_spending(
        "Models by cost", "Model", "models", _sum_costs_by(state["costs"], _get_model), used, state, scope
    )


def _list_projects(state: State, names: t.Mapping[str, str], scope: Scope) -> list[Section]:
    def get_name(row: State) -> str:
        return names.get(row["project_id"], row["project_id"] or "no project")

    costs, used = _sum_costs_by(state["costs"], get_name), group_rows(state["usage"], get_name)
    return _list_spending("Projects by cost", "Project", "projects", costs, used, state, scope)


def _list_spending(
    title: str,
    column: str,
    noun: str,
    costs: t.Mapping[str, float],
    used: t.Mapping[str, t.Sequence[State]],
    state: State,
    scope: Scope,
) -> list[Section]:
    """Return costs and usage by name, the highest costs on top."""
    ranked = sorted(
        costs.keys() | used.keys(),
        key=lambda name: (-costs.get(name, 0), -_sum_usage(used.get(name, ()), "input_tokens"), name),
    )
    largest = max(costs.values(), default=0) or 1
    rows = [
        (
            Cell(name),
            Cell(_format_costs(state, costs.get(name, 0)), max(costs.get(name, 0), 0) / largest),
            units.format_short_count(_sum_usage(used.get(name, ()), "num_model_requests")),
            units.format_short_count(_sum_usage(used.get(name, ()), "input_tokens")),
            units.format_short_count(_sum_usage(used.get(name, ()), "output_tokens")),
        )
        for name in ranked
    ]
    columns = (column, f"#Cost in {_PERIOD} days", "#Requests", "#Input tokens", "#Output tokens")
    return [Section(title, [_COSTS, _USAGE], table=Table(columns, rows, noun, scope.rows))] if rows else []


def _list_keys(all_keys: t.Sequence[keys.Key], scope: Scope) -> list[Section]:
    if not all_keys:
        return []
    return [Section("Keys", [_ADMIN_KEYS, _PROJECTS], table=keys.build_table(all_keys, "key", scope, "never"))]


def _list_limits(state: State, scope: Scope) -> list[Section]:
    """Return the rate limits, those of the most used models on top. Projects with equal limits share a row."""
    by_family = group_rows(state["usage"], lambda row: _to_family(row["model"] or ""))
    requests = {family: _sum_usage(rows, "num_model_requests") for family, rows in by_family.items()}
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for project in state["projects"]:
        for model, limits in project.get("rate_limits", {}).items():
            texts = tuple(_describe_limit(limits, name) for name in _LIMITS)
            groups.setdefault((model, texts), []).append(project["name"] or project["id"])
    rows: list[tuple[Cell | str, ...]] = [
        (Cell(model), "all" if len(projects) == len(state["projects"]) else join_names(projects), *texts)
        for (model, texts), projects in sorted(
            groups.items(), key=lambda item: (-requests.get(_to_family(item[0][0]), 0), item[0])
        )
    ]
    table = Table(("Model", "Projects", *_LIMITS.values()), rows, "models", scope.rows)
    return [Section("Rate limits", [_PROJECTS], table=table)] if rows else []


def _describe_limit(limits: State, name: str) -> str:
    limit = _read_limit(limits, name)
    return "no limit" if limit is None else units.format_short_count(limit)


def _read_limit(limits: State, name: str) -> int | None:
    return None if name in limits["unlimited"] else limits[name]
