# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The overview of all services as data and as an HTML page."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import typing as t

import jinja2
from ansible.errors import AnsibleFilterError

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import artifact, ci, inference, review
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview.parts import (
    HEALTH,
    HEALTH_WORDS,
    Finding,
    Scope,
    Service,
    State,
    join_names,
    shorten,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._pages import Templates
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._products import PRODUCTS

_DESCRIBE: dict[str, t.Callable[[State, Scope], Service]] = {
    "artifact": artifact.describe,
    "ci": ci.describe,
    "review": review.describe,
    "inference": inference.describe,
}
_SITE = re.compile(r"(https?://[^\s/]|file:///)", re.IGNORECASE)
# Findings that are visible without unfolding, and services whose details are
VISIBLE_FINDINGS = 8
VISIBLE_SERVICES = 6
# Characters of the most urgent finding in the verdict
_MAX_FIRST = 160
_COMMENT = re.compile(r"/\*.*?\*/\n?", re.DOTALL)  # of a style sheet


@contextlib.contextmanager
def report_invalid_input() -> t.Iterator[None]:
    """Raise an error that a user understands if the input of a filter does not have the expected members."""
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise AnsibleFilterError(
            "Cannot read the overview: the input is not the content of a JSON file that this version of the role "
            "'overview' wrote. Run the role again."
        ) from error


def summarize(overview: State) -> dict[str, t.Any]:
    """Return verdict, health of each service and findings.

    :arg overview: content of the JSON file of the role
    """
    services = _describe_services(overview, 0)
    return {**_summarize(services), "services": [service.to_entry() for service in services]}


def _summarize(services: t.Sequence[Service]) -> dict[str, t.Any]:
    findings = _list_findings(services)
    return {
        "verdict": _describe_verdict(services, findings),
        "health": min((service.health for service in services), key=HEALTH.index, default="unknown"),
        "attention": findings,
    }


def render_page(overview: State, site: str, rows: int) -> str:
    """Return the overview as an HTML page.

    :arg site: URL of the documentation site, or an empty text
    :arg rows: number of rows of a table that are not folded
    :raises AnsibleFilterError: if `site` is not the URL of a site, but for example runs a script
    """
    if site and not _SITE.match(site):
        raise AnsibleFilterError("'overview_site' must be a URL that begins with http://, https:// or file://.")
    folder = os.path.dirname(__file__)
    templates = Templates(folder, os.path.dirname(folder), undefined=jinja2.StrictUndefined)
    services = _describe_services(overview, rows)
    return templates.render(
        "overview.html.j2",
        **_summarize(services),
        overview=overview,
        time=units.format_minute(units.parse_time(overview["at"]) or 0),
        words=HEALTH_WORDS,
        products=PRODUCTS,
        services=services,
        visible_findings=VISIBLE_FINDINGS,
        is_open=len(services) <= VISIBLE_SERVICES,
        site=site.rstrip("/"),
        style="\n".join(_COMMENT.sub("", templates.read(name)) for name in ("_page.css", "style.css")),
    )


def _describe_services(overview: State, rows: int) -> list[Service]:
    scope = Scope(
        units.parse_time(overview["at"]) or 0,
        overview["expires_within_days"],
        overview["max_age_days"],
        rows,
        overview["history"],
        _describe_growth_time(overview),
    )
    services = [_DESCRIBE[state["service"]](state, scope) for state in overview["services"]]
    skipped = [
        Service(
            host,
            "host",
            "",
            [
                Finding(
                    "unknown",
                    "The host was not checked completely, because a task failed or the host is unreachable.",
                    "host",
                )
            ],
            [],
        )
        for host in overview["skipped_hosts"]
    ]
    ranked = sorted([*services, *skipped], key=lambda service: HEALTH.index(service.health))
    return [dataclasses.replace(service, anchor=f"service-{number}") for number, service in enumerate(ranked, 1)]


def _describe_growth_time(overview: State) -> str:
    if overview["history_problem"]:
        return "the history cannot be used"
    return "known after the next run" if overview["keeps_history"] else "'overview_history_file' is not set"


def _list_findings(services: t.Sequence[Service]) -> list[dict[str, t.Any]]:
    """Return the findings of all services, the most urgent first."""
    findings = [(finding, service) for service in services for finding in service.findings]
    findings.sort(key=lambda row: row[0].urgency)
    return [finding.to_entry(service.host, service.product) for finding, service in findings]


def _describe_verdict(services: t.Sequence[Service], findings: t.Sequence[State]) -> str:
    """Return the state of all services, and the most urgent finding, in a few sentences."""
    total = units.pluralize(len(services), "service")
    if not services:
        return "There are no services to check."
    hosts = {
        health: list(dict.fromkeys(service.host for service in services if service.health == health))
        for health in HEALTH
    }
    counts = {health: sum(service.health == health for service in services) for health in HEALTH}
    sentences = []
    for health, verbs in (
        ("failing", ("is failing", "are failing")),
        ("attention", ("needs attention", "need attention")),
        ("unknown", ("could not be checked completely", "could not be checked completely")),
        ("notice", ("has notices", "have notices")),
    ):
        if counts[health]:
            sentences.append(
                f"{counts[health]:,} of {total} {verbs[counts[health] > 1]}: {join_names(hosts[health], 5)}."
            )
    if not sentences:
        return "The service is OK." if len(services) == 1 else f"All {total} are OK."
    first = findings[0]
    return " ".join([*sentences, f"First on {first['host']}: {shorten(first['reason'], _MAX_FIRST)}"])
