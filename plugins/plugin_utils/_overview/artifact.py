# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Artifactory: storage and its growth, repositories, tokens and certificates."""

from __future__ import annotations

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
    list_problems,
)

_STORAGE = "artifact_storage_info"
_TOKENS = "access_token_info"
_CERTIFICATES = "artifact_certificate_info"
_EXPIRING = "Tokens and certificates expiring"
# Used shares of the storage from which it needs attention, and from which it fails soon
_HIGH, _FULL = 80, 95
# The total space of an object storage
_NO_LIMIT = "Infinite"
_WEEK = 7 * DAY


def describe(state: State, scope: Scope) -> Service:
    """Return the state of an Artifactory host."""
    storage, tokens = state["storage"], [_to_key(token) for token in state["tokens"]]
    certificates = [_to_certificate_key(certificate) for certificate in state["certificates"]]
    runs = [run for run in scope.history if run["host"] == state["host"]]
    sections: list[Section] = []
    if storage:
        sections += _describe_growth(storage, runs, scope)
    if tokens:
        sections.append(Section("Tokens", [_TOKENS], table=keys.build_table(tokens, "token", scope, "unknown")))
    if certificates:
        sections.append(_list_certificates(state["certificates"], scope))
    return Service(
        state["host"],
        "artifact",
        "",
        [
            *list_problems(state),
            *(_check_storage(storage) if storage else ()),
            *keys.list_findings(tokens, "token", scope),
            *keys.list_expiring(certificates, "certificate", scope),
        ],
        [
            *(_describe_storage(storage, runs, scope) if storage else _build_unknown_figures()),
            _describe_expiring(state, tokens, certificates, scope),
        ],
        sections,
        state["problems"],
    )


def _describe_expiring(state: State, tokens: list[keys.Key], certificates: list[keys.Key], scope: Scope) -> Figure:
    failure = find_failure(state, _TOKENS, _CERTIFICATES)
    if failure:
        return build_unknown_figure(_EXPIRING, failure)
    return keys.describe_expiring({"token": tokens, "certificate": certificates}, _EXPIRING, scope)


def _to_key(token: State) -> keys.Key:
    owner = token["username"] or token["subject"] or ""
    name = token["description"] or token["token_id"]
    return keys.Key(name, owner, token["issued_at"], token["expiry"], token["last_used"], "tokens")


def _to_certificate_key(certificate: State) -> keys.Key:
    created, expires = (units.parse_time(certificate[name]) for name in ("issued_on", "valid_until"))
    return keys.Key(certificate["alias"], "", created, expires, None, "certificates")


def _list_certificates(certificates: t.Sequence[State], scope: Scope) -> Section:
    rows = [
        (
            Cell(certificate["alias"]),
            certificate["issued_to"] or "unknown",
            certificate["issued_by"] or "unknown",
            keys.describe_expiry(_to_certificate_key(certificate), scope),
        )
        for certificate in sorted(certificates, key=lambda certificate: certificate["valid_until"])
    ]
    columns = ("Certificate", "Issued to", "Issued by", "Expires")
    return Section("Client certificates", [_CERTIFICATES], table=Table(columns, rows, "certificates", scope.rows))


def _check_storage(storage: State) -> list[Finding]:
    store = storage["file_store"]
    percent = _find_used_percent(store)
    if percent is None:
        reason = "Artifactory does not report how full the storage is."
        return [] if store["total_text"] == _NO_LIMIT else [Finding("unknown", reason, "storage_size")]
    if percent < _HIGH:
        return []
    free = "" if store["free"] is None else f" {units.format_bytes(store['free'])} are free."
    return [
        Finding(
            "failing" if percent >= _FULL else "attention",
            f"The storage is {units.format_percent(percent / 100)} full.{free}",
            "storage",
        )
    ]


def _find_used_percent(store: State) -> float | None:
    if store["used_percent"] is None and store["used"] is not None and store["total"]:
        return 100.0 * store["used"] / store["total"]
    percent: float | None = store["used_percent"]
    return percent


def _build_unknown_figures() -> list[Figure]:
    return [build_unknown_figure(name, _STORAGE) for name in ("Storage used", "Growth", "Artifacts", "Repositories")]


def _describe_storage(storage: State, runs: t.Sequence[State], scope: Scope) -> list[Figure]:
    store, total = storage["file_store"], storage["total"]
    is_sized = store["used"] is not None and store["total"] is not None
    quota = (
        f"{units.format_percent(store['used'] / max(store['total'], 1))} of {units.format_bytes(store['total'])}"
        if is_sized
        else f"of {store['total_text'] or 'unknown size'}"
    )
    return [
        Figure(
            "Storage used", units.format_bytes(store["used"]) if is_sized else store["used_text"] or "unknown", quota
        ),
        _describe_total_growth(storage, runs, scope),
        Figure("Artifacts", units.format_count(total["files"]), f"{units.format_bytes(total['used'])} with duplicates"),
        _describe_repositories(storage["repositories"], _find_baseline(runs, scope)),
    ]


def _describe_total_growth(storage: State, runs: t.Sequence[State], scope: Scope) -> Figure:
    before = _find_baseline(runs, scope)
    if before is None:
        return Figure("Growth", "unknown", scope.growth_note)
    moment = units.parse_time(before["at"]) or scope.now
    elapsed = scope.now - moment
    change = storage["total"]["used"] - before["used"]
    weekly = f", {units.format_change(round(change * _WEEK / elapsed), units.format_bytes)} per week" if elapsed else ""
    since = f"since {units.format_day(moment)}{_describe_shrinking(storage, before)}"
    is_week = abs(elapsed - _WEEK) < DAY / 2
    return Figure("Growth", units.format_change(change, units.format_bytes), since if is_week else since + weekly)


def _describe_shrinking(storage: State, before: State) -> str:
    """Return both sums if some repositories grew and others shrank or were deleted."""
    sizes = {repository["key"]: repository["used"] for repository in storage["repositories"]}
    changes = [sizes.get(key, 0) - before["repositories"].get(key, 0) for key in {*sizes, *before["repositories"]}]
    grown, shrunk = sum(max(change, 0) for change in changes), sum(min(change, 0) for change in changes)
    if not grown or not shrunk:
        return ""
    return f": {' and '.join(units.format_change(change, units.format_bytes) for change in (grown, shrunk))}"


def _describe_repositories(repositories: t.Sequence[State], before: State | None) -> Figure:
    """Return the number of repositories, and the one that grew most or, without earlier sizes, the largest one."""
    earlier = before["repositories"] if before else {}
    growth = {item["key"]: item["used"] - earlier.get(item["key"], 0) for item in repositories}
    first = min(growth, key=lambda key: (-growth[key], key), default="")
    if not first or growth[first] <= 0:
        note = ""
    elif before:
        note = f"fastest growing: {first}, {units.format_change(growth[first], units.format_bytes)}"
    else:
        note = f"largest: {first}"
    return Figure("Repositories", units.format_count(len(repositories)), note)


def _find_baseline(runs: t.Sequence[State], scope: Scope) -> State | None:
    """Return the newest earlier run that is at least a week old, or the oldest one. The last run is this one."""
    earlier = runs[:-1]
    week_old = [run for run in earlier if (units.parse_time(run["at"]) or 0) <= scope.now - _WEEK + DAY / 2]
    return week_old[-1] if week_old else earlier[0] if earlier else None


def _describe_growth(storage: State, runs: t.Sequence[State], scope: Scope) -> t.Iterator[Section]:
    points = [(units.parse_time(run["at"]) or 0.0, run["used"]) for run in runs]
    if len(points) > 1:
        yield Section(
            "Storage over time",
            [_STORAGE],
            charts.build_line(f"Storage of {runs[0]['host']} over time", points, units.format_bytes),
        )
    if not storage["repositories"]:
        return
    before = _find_baseline(runs, scope)
    yield _list_by_size(storage["repositories"], scope) if before is None else _list_by_growth(storage, before, scope)


def _list_by_size(repositories: t.Sequence[State], scope: Scope) -> Section:
    largest = max((repository["used"] for repository in repositories), default=0) or 1
    rows = [
        (
            Cell(repository["key"]),
            Cell(units.format_bytes(repository["used"]), repository["used"] / largest),
            *_describe_repository(repository),
        )
        for repository in sorted(repositories, key=lambda repository: (-repository["used"], repository["key"]))
    ]
    return Section(
        "Repositories by size",
        [_STORAGE],
        table=Table(("Repository", "#Size", "#Files", "Type"), rows, "repositories", scope.rows),
        note=f"Growth: {scope.growth_note}.",
    )


def _list_by_growth(storage: State, before: State, scope: Scope) -> Section:
    grown = [
        (repository["used"] - before["repositories"].get(repository["key"], 0), repository)
        for repository in storage["repositories"]
    ]
    largest = max((change for change, _repository in grown), default=0) or 1
    rows = [
        (
            Cell(repository["key"]),
            Cell(_describe_change(change, repository, before), max(change, 0) / largest),
            units.format_bytes(repository["used"]),
            *_describe_repository(repository),
        )
        for change, repository in sorted(grown, key=lambda row: (-row[0], -row[1]["used"], row[1]["key"]))
    ]
    day = units.format_day(units.parse_time(before["at"]) or 0)
    return Section(
        f"Repositories by growth since {day}",
        [_STORAGE],
        table=Table(("Repository", "#Growth", "#Size", "#Files", "Type"), rows, "repositories", scope.rows),
    )


def _describe_change(change: int, repository: State, before: State) -> str:
    text = units.format_change(change, units.format_bytes)
    return text if repository["key"] in before["repositories"] else f"{text} (new)"


def _describe_repository(repository: State) -> tuple[str, str]:
    """Return the number of files and the type of a repository."""
    kinds = [kind for kind in (repository["type"], repository["package_type"]) if kind]
    return units.format_count(repository["files"]), ", ".join(kinds)
