# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters `overview_summary` and `overview_page`: health, findings, figures, order, folding and escaping."""

from __future__ import annotations

import html
import json
import re
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.buildworks.toolchain.plugins.filter.overview_page import overview_page
from ansible_collections.buildworks.toolchain.plugins.filter.overview_summary import overview_summary
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import charts
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview.parts import REMEDIES
from support.playbook import ROOT

NOW = 1_767_268_800  # 2026-01-01T12:00:00Z
DAY = 86_400
GIGABYTE = 1 << 30
HOSTILE = "<script>alert(1)</script> `a|b` {{ 7 * 7 }}\n\x00 \"'&"
SITE = "https://docs.example.com/toolchain/"

State = dict[str, Any]


def to_text(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def overview(*services: State, **more: Any) -> State:
    return {
        "title": "Toolchain",
        "at": to_text(NOW),
        "expires_within_days": 30,
        "max_age_days": 365,
        "services": list(services),
        "skipped_hosts": [],
        "keeps_history": True,
        "history": [],
        "history_problem": None,
        **more,
    }


def store(**more: Any) -> State:
    names = ("used_percent", "used", "used_text", "total", "total_text", "free")
    return {"file_store": {**dict.fromkeys(names), **more}, "total": {"used": 0, "files": 0}, "repositories": []}


def artifact(percent: float = 40.0, **more: Any) -> State:
    sizes = {"used": 2 * GIGABYTE * percent, "total": 200 * GIGABYTE, "free": 2 * GIGABYTE * (100 - percent)}
    return {
        "host": "repo",
        "service": "artifact",
        "problems": [],
        "storage": store(used_percent=percent, total_text="200 GB", used_text="80 GB", **sizes),
        "tokens": [],
        "certificates": [],
        **more,
    }


def repository(key: str, used: int) -> State:
    return {"key": key, "used": used, "files": 1, "type": "local", "package_type": "generic"}


def token(name: str, **more: Any) -> State:
    times = {"issued_at": NOW - DAY, "expiry": None, "last_used": None, **more}
    return {"description": name, "token_id": "1", "username": "ci", "subject": "", **times}


def certificate(alias: str, valid_until: float, **more: Any) -> State:
    names = {"alias": alias, "issued_to": "repo.example.com", "issued_by": "Example CA", **more}
    return {**names, "issued_on": to_text(NOW - 1000 * DAY), "valid_until": to_text(valid_until), "fingerprint": "00"}


def ci(**more: Any) -> State:
    server = {"product": "jenkins", "version": "2.579", "quieting_down": False, "quiet_down_reason": None}
    nodes = [node("built-in")]
    state = {"server": server, "plugins": [], "jobs": [], "builds": [], "builds_limit": 50, "nodes": nodes}
    return {"host": "jenkins", "service": "ci", "problems": [], **state, **more}


def job(name: str, result: str = "SUCCESS", **more: Any) -> State:
    last = {"result": result, "timestamp": to_text(NOW - 60), "url": f"https://ci.example.com/job/{name}/1/"}
    return {"name": name, "in_queue": False, "queue_item": None, "last_completed": last, **more}


def build(name: str, result: str = "SUCCESS", seconds: float = 10, days: float = 0) -> State:
    started = to_text(NOW - days * DAY - 60)
    return {"job": name, "result": result, "building": False, "duration": seconds, "timestamp": started}


def node(name: str, **more: Any) -> State:
    return {"name": name, "offline": False, "offline_reason": "", "executors": 2, "busy_executors": 1, **more}


def review(*issues: State, **more: Any) -> State:
    names = [project["project"] for project in issues]
    state = {"version": "20.4", "licenses": [], "projects": names, "issues": list(issues)}
    return {"host": "klocwork", "service": "review", "problems": [], **state, **more}


def project(name: str, *builds: dict[str, int]) -> State:
    """Return a project with the open issues by severity of each build, oldest first."""
    reports = {
        f"build_{number}": {
            "counts": [{"row": "Existing", "column": severity, "count": count} for severity, count in counts.items()]
            + [{"row": "Fixed", "column": "Critical", "count": 99}]
        }
        for number, counts in enumerate(builds, 1)
    }
    dates = [{"name": each, "date": to_text(NOW - DAY)} for each in reversed(reports)]
    return {"project": name, "by_module": None, "builds": dates, "by_build": reports}


def inference(**more: Any) -> State:
    state = {"projects": [], "admin_keys": [], "model_limits": [], "costs": [], "usage": []}
    return {"host": "openai", "service": "inference", "problems": [], **state, **more}


def key(name: str, **more: Any) -> State:
    times = {"created": NOW - DAY, "expires": None, "last_used": None, **more}
    return {"id": "key_1", "name": name, "owner": {"name": "Olivia", "id": "user-1"}, **times}


def cost(item: str, amount: float, days: int = 0, owner: str = "proj_1") -> State:
    start = NOW // DAY * DAY - days * DAY
    return {
        "start": start,
        "end": start + DAY,
        "amount": amount,
        "currency": "USD",
        "line_item": item,
        "project_id": owner,
    }


def used(model: str, requests: int, days: int = 0, owner: str = "proj_1") -> State:
    counts = {"num_model_requests": requests, "input_tokens": 100 * requests, "output_tokens": 10 * requests}
    return {"start": NOW // DAY * DAY - days * DAY, "model": model, "project_id": owner, **counts}


def limits(**more: int) -> State:
    names = ("max_tokens_per_1_minute", "max_requests_per_1_minute", "max_requests_per_1_day")
    return {"unlimited": [], **dict.fromkeys(names), **more}


def summarize(*services: State, **more: Any) -> State:
    return overview_summary(overview(*services, **more))


def get_figures(service: State) -> dict[str, tuple[str, str]]:
    """Return value and note of each figure of a service."""
    (entry,) = summarize(service)["services"]
    assert len(entry["figures"]) == 5
    return {figure["name"]: (figure["value"], figure["note"]) for figure in entry["figures"]}


def list_reasons(*services: State) -> list[tuple[str, str]]:
    return [(entry["severity"], entry["reason"]) for entry in summarize(*services)["attention"]]


def render(*services: State, site: str = "", **more: Any) -> str:
    return overview_page(overview(*services, **more), site)


def list_rows(page: str, title: str) -> list[list[str]]:
    """Return the cells of the tables of a section."""
    (section,) = re.findall(rf"<h3>{re.escape(title)}</h3>(.*?)</figure>", page, re.DOTALL)
    rows = re.findall(r'<tr role="row"><th role="rowheader"(.*?)</tr>', section, re.DOTALL)
    return [[to_plain(cell) for cell in re.findall(r">(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]


def to_plain(fragment: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>|^[^<]*>", "", fragment)).strip()


@pytest.mark.parametrize(
    ("service", "health", "reason"),
    [
        (artifact(), "ok", "Everything that was checked is in order."),
        (artifact(85), "attention", "The storage is 85 % full. 30 GB are free."),
        (artifact(96), "failing", "The storage is 96 % full. 8 GB are free."),
        (artifact(storage=store(used=90, total=100)), "attention", "The storage is 90 % full."),
        (artifact(storage=store(used=90)), "unknown", "Artifactory does not report how full the storage is."),
        (artifact(storage=store(total=0, used=0)), "unknown", "Artifactory does not report how full the storage is."),
        (artifact(storage=store(used=90, total_text="Infinite")), "ok", "Everything that was checked is in order."),
        (artifact(tokens=[token("a", expiry=NOW + 5 * DAY)]), "attention", "Token 'a' of ci expires in 5 days."),
        (artifact(tokens=[token("a", expiry=NOW - DAY)]), "failing", "Token 'a' of ci expired 1 day ago."),
        (artifact(tokens=[token("a", expiry=NOW + 31 * DAY)]), "ok", "Everything that was checked is in order."),
        (artifact(tokens=[token("a", issued_at=NOW - 366 * DAY)]), "notice", "1 token is older than 365 days: a."),
        (
            artifact(tokens=[token(name, expiry=NOW + 5 * DAY) for name in "abcde"]),
            "attention",
            "5 tokens expire within 30 days: a, b, c and 2 more.",
        ),
        (
            artifact(certificates=[certificate("mirror", NOW + 5 * DAY)]),
            "attention",
            "Certificate 'mirror' expires in 5 days.",
        ),
        (
            artifact(certificates=[certificate("mirror", NOW - DAY)]),
            "failing",
            "Certificate 'mirror' expired 1 day ago.",
        ),
        (
            artifact(certificates=[certificate("mirror", NOW + 31 * DAY)]),  # and older than a year
            "ok",
            "Everything that was checked is in order.",
        ),
        (
            artifact(certificates=[certificate(name, NOW - DAY) for name in "abcde"]),
            "failing",
            "5 certificates have expired: a, b, c and 2 more.",
        ),
        (
            artifact(storage=None, problems=[{"module": "artifact_storage_info", "problem": "GET x: 403 Forbidden"}]),
            "unknown",
            "artifact_storage_info failed: GET x: 403 Forbidden",
        ),
        (ci(), "ok", "Everything that was checked is in order."),
        (
            ci(jobs=[job("a", "FAILURE"), job("b"), job("c")]),
            "attention",
            "1 of 3 built jobs is failing or unstable: a.",
        ),
        (
            ci(jobs=[job("a", "FAILURE"), job("b", "UNSTABLE"), job("c", "ABORTED")]),
            "failing",
            "2 of 3 built jobs are failing or unstable: a and b.",
        ),
        (
            ci(nodes=[node("built-in"), node("n1", offline=True, offline_reason="disk full")]),
            "attention",
            "1 of 2 nodes is offline: n1 (disk full).",
        ),
        (ci(nodes=[node("n1", offline=True)]), "failing", "1 of 1 node is offline: n1."),
        (
            ci(server={"product": "jenkins", "version": None, "quieting_down": True, "quiet_down_reason": "upgrade"}),
            "attention",
            "Jenkins is in quiet-down mode and starts no builds: upgrade.",
        ),
        (
            ci(plugins=[{"name": "git", "title": "Git", "version": "1", "has_update": True}]),
            "notice",
            "1 plugin has an update: git.",
        ),
        (
            ci(server=None, nodes=[], problems=[{"module": "ci_info", "problem": "Connection refused."}]),
            "unknown",
            "ci_info failed: Connection refused.",
        ),
        (
            review(project("app", {"Critical": 1}, {"Critical": 1})),
            "ok",
            "Critical and error issues have not increased since the previous build.",
        ),
        (
            review(project("app", {"Error": 2}, {"Error": 1}), project("new", {"Error": 1}), project("empty")),
            "ok",
            "Critical and error issues have not increased since the previous build. Compared: 1 of 3 projects.",
        ),
        (
            review(project("app", {"Critical": 1, "Error": 2}, {"Critical": 3, "Error": 1})),
            "attention",
            "app: critical +2, error \N{MINUS SIGN}1 in build_2 since build_1.",
        ),
        (
            review(project("app", {"Critical": 1, "Error": 2}, {"Critical": 2})),
            "attention",
            "app: critical +1, error \N{MINUS SIGN}2 in build_2 since build_1.",
        ),
        (
            review(licenses=[{"feature": "kwadmin", "permanent": False, "days_to_expiry": 9}]),
            "attention",
            "License 'kwadmin' expires in 9 days.",
        ),
        (
            review(licenses=[{"feature": "kwadmin", "permanent": False, "days_to_expiry": 0}]),
            "failing",
            "License 'kwadmin' has expired.",
        ),
        (
            review(licenses=[{"feature": name, "permanent": False, "days_to_expiry": None} for name in ("b", "a")]),
            "unknown",
            "The expiry of 2 licenses is unknown: a and b.",
        ),
        (
            review(licenses=[{"feature": "kwadmin", "permanent": True, "days_to_expiry": None}]),
            "ok",
            "No project has two builds to compare.",
        ),
        (
            review(licenses=[{"feature": "kwadmin", "permanent": True, "days_to_expiry": 0}]),
            "ok",
            "No project has two builds to compare.",
        ),
        (inference(), "ok", "Everything that was checked is in order."),
        (inference(admin_keys=[key("a", expires=NOW + DAY)]), "attention", "Key 'a' of Olivia expires in 1 day."),
        (
            inference(
                projects=[{"id": "proj_1", "name": "App", "rate_limits": {"o3": limits(max_requests_per_1_day=100)}}],
                usage=[used("o3-2025-04-16", 85), used("o3", 20, days=1)],
            ),
            "attention",
            "85 of 100 requests per day to o3 in App were used.",
        ),
        (
            inference(
                projects=[
                    {
                        "id": "proj_1",
                        "name": "App",
                        "rate_limits": {
                            "o3": limits(max_requests_per_1_day=1000),
                            "o3-2025-04-16": limits(max_requests_per_1_day=100),
                        },
                    }
                ],
                usage=[used("o3-2025-04-16", 85), used("o3", 20)],
            ),
            "attention",
            "85 of 100 requests per day to o3-2025-04-16 in App were used.",
        ),
        (
            inference(
                projects=[
                    {
                        "id": "proj_1",
                        "name": "App",
                        "rate_limits": {"o3-2025-04-16": limits(max_requests_per_1_day=100)},
                    }
                ],
                usage=[used("o3", 85)],
            ),
            "attention",
            "85 of 100 requests per day to o3-2025-04-16 in App were used.",
        ),
        (
            inference(model_limits=[{"id": "gpt-4o", "max_jobs_per_day": 8, "jobs_so_far_today": 8}]),
            "failing",
            "8 of 8 fine-tuning jobs per day of gpt-4o were used.",
        ),
    ],
)
def test_health_has_a_reason(service: State, health: str, reason: str) -> None:
    summary = summarize(service)
    (entry,) = summary["services"]
    assert (entry["health"], entry["reason"]) == (health, reason)
    assert summary["health"] == health
    assert [finding["reason"] for finding in summary["attention"]] == ([] if health == "ok" else [reason])


def test_service_is_not_ok_when_a_part_could_not_be_read() -> None:
    """A finding does not hide that the state is incomplete, but a failure is more important."""
    problems = [{"module": "ci_plugin_info", "problem": "403"}]
    assert summarize(ci(problems=problems))["health"] == "unknown"
    assert summarize(ci(problems=problems, jobs=[job("a", "FAILURE"), job("b"), job("c")]))["health"] == "unknown"
    failing = [job("a", "FAILURE"), job("b", "FAILURE")]
    assert summarize(ci(problems=problems, jobs=failing))["health"] == "failing"


def test_host_is_unknown_when_it_was_skipped() -> None:
    summary = summarize(skipped_hosts=["lost"])
    (entry,) = summary["services"]
    assert (entry["host"], entry["health"]) == ("lost", "unknown")
    assert "was not checked" in entry["reason"]


@pytest.mark.parametrize(
    ("services", "verdict"),
    [
        ([], "There are no services to check."),
        ([artifact()], "The service is OK."),
        ([artifact(), ci()], "All 2 services are OK."),
        (
            [artifact(85), ci()],
            "1 of 2 services needs attention: repo. First on repo: The storage is 85 % full. 30 GB are free.",
        ),
        (
            [artifact(tokens=[token("a", issued_at=NOW - 366 * DAY)]), ci()],
            "1 of 2 services has notices: repo. First on repo: 1 token is older than 365 days: a.",
        ),
        (
            [artifact(85), ci(nodes=[node("n", offline=True)]), inference(), review(project("a", {}, {"Error": 1}))],
            "1 of 4 services is failing: jenkins. 2 of 4 services need attention: repo and klocwork. "
            "First on jenkins: 1 of 1 node is offline: n.",
        ),
        (
            [artifact(problems=[{"module": "access_token_info", "problem": "403"}]), ci()],
            "1 of 2 services could not be checked completely: repo. First on repo: access_token_info failed: 403",
        ),
    ],
)
def test_verdict_counts_services(services: list[State], verdict: str) -> None:
    assert summarize(*services)["verdict"] == verdict


def test_findings_are_sorted_by_severity() -> None:
    severities = [
        entry[0]
        for entry in list_reasons(
            artifact(85), review(problems=[{"module": "m", "problem": "x"}]), ci(nodes=[node("n", offline=True)])
        )
    ]
    assert severities == ["failing", "unknown", "attention"]


def test_findings_are_sorted_by_urgency() -> None:
    services = [
        artifact(
            85,
            tokens=[
                token("old", issued_at=NOW - 400 * DAY),
                token("later", expiry=NOW + 9 * DAY),
                token("expired", expiry=NOW - 9 * DAY),
            ],
        ),
        ci(plugins=[{"name": "git", "title": "Git", "version": "1", "has_update": True}], jobs=[job("a", "FAILURE")]),
        review(licenses=[{"feature": "kwadmin", "permanent": False, "days_to_expiry": 5}]),
        inference(admin_keys=[key("soon", expires=NOW + DAY)]),
    ]
    assert [reason for _severity, reason in list_reasons(*services)] == [
        "Token 'expired' of ci expired 9 days ago.",
        "The storage is 85 % full. 30 GB are free.",
        "1 of 1 built job is failing or unstable: a.",
        "Key 'soon' of Olivia expires in 1 day.",
        "License 'kwadmin' expires in 5 days.",
        "Token 'later' of ci expires in 9 days.",
        "1 plugin has an update: git.",
        "1 token is older than 365 days: old.",
    ]
    assert "Most urgent first." in render(*services)


def test_service_names_its_most_urgent_finding() -> None:
    tokens = [token("later", expiry=NOW + 9 * DAY), token("soon", expiry=NOW + DAY)]
    (entry,) = summarize(artifact(tokens=tokens))["services"]
    assert entry["reason"] == "Token 'soon' of ci expires in 1 day. And 1 more item."


def test_figures_of_artifactory() -> None:
    repositories = [repository("small", 5), repository("large", GIGABYTE)]
    storage = {**artifact()["storage"], "repositories": repositories, "total": {"used": GIGABYTE + 5, "files": 1234}}
    tokens = [token("a", expiry=NOW + DAY), token("b")]
    certificates = [certificate("a", NOW + DAY)]
    assert get_figures(artifact(storage=storage, tokens=tokens, certificates=certificates)) == {
        "Storage used": ("80 GB", "40 % of 200 GB"),
        "Growth": ("unknown", "known after the next run"),
        "Artifacts": ("1,234", "1 GB with duplicates"),
        "Repositories": ("2", "largest: large"),
        "Tokens and certificates expiring": ("2", "within 30 days, of 2 tokens and 1 certificate"),
    }


@pytest.mark.parametrize(
    ("sizes", "value", "note"),
    [
        ({}, "unknown", "of unknown size"),
        ({"used_text": "1 GB", "total_text": "Infinite"}, "1 GB", "of Infinite"),
    ],
)
def test_storage_used_is_unknown_without_sizes(sizes: State, value: str, note: str) -> None:
    assert get_figures(artifact(storage=store(**sizes)))["Storage used"] == (value, note)


def test_certificates_are_listed_by_expiry() -> None:
    certificates = [
        certificate(HOSTILE, NOW + 400 * DAY, issued_to=None),
        certificate("mirror", NOW + 5 * DAY),
        certificate("old", NOW - 2 * DAY, issued_by=None),
    ]
    page = render(artifact(certificates=certificates))
    assert list_rows(page, "Client certificates") == [
        ["old", "repo.example.com", "unknown", "2025-12-30 (2 days ago)"],
        ["mirror", "repo.example.com", "Example CA", "2026-01-06 (in 5 days)"],
        [HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}"), "unknown", "Example CA", "2027-02-05 (in 400 days)"],
    ]
    assert "<script>" not in page


def test_figures_of_jenkins() -> None:
    waiting = job("b", in_queue=True, queue_item={"id": 1, "why": "Waiting for an executor"})
    builds = [build("a"), build("a", "FAILURE"), build("a", days=8), build("b", "SUCCESS")]
    plugins = [{"name": "git", "title": "Git", "version": "1", "has_update": update} for update in (True, False)]
    state = ci(jobs=[job("a", "FAILURE"), waiting, job("c", last_completed=None)], builds=builds, plugins=plugins)
    assert get_figures(state) == {
        "Jobs failing or unstable": ("1", "of 2 built, 3 jobs in total"),
        "Builds in 7 days": ("3", "67 % successful, in 2 jobs"),
        "Queue": ("1", "b: Waiting for an executor"),
        "Nodes offline": ("0", "of 1, 1 of 2 executors busy"),
        "Plugin updates": ("1", "of 2 plugins"),
    }


def test_builds_are_counted_in_the_jobs_of_the_period() -> None:
    builds = [build("a"), build("old", days=8)]
    assert get_figures(ci(builds=builds))["Builds in 7 days"] == ("1", "100 % successful, in 1 job")


@pytest.mark.parametrize(
    ("ages", "value"), [((0, 1, 2), "at least 3"), ((0, 1, 8), "2"), ((0, 1), "2"), ((0, 7.5, 8), "1")]
)
def test_builds_are_at_least_those_read_when_the_limit_was_reached(ages: tuple[float, ...], value: str) -> None:
    builds = [build("a", days=days) for days in ages]
    assert get_figures(ci(builds=builds, builds_limit=3))["Builds in 7 days"][0] == value


@pytest.mark.parametrize(
    ("items", "note"),
    [
        ([None, {"id": 2, "why": "No executor"}], "b: No executor"),
        ([{"id": 1, "why": None}, {"id": 2, "why": "No executor"}], "b: No executor"),
        ([None, None], "jobs are waiting"),
    ],
)
def test_reason_in_the_queue_is_that_of_the_named_job(items: list[State | None], note: str) -> None:
    jobs = [job(name, in_queue=True, queue_item=item) for name, item in zip("ab", items, strict=True)]
    assert get_figures(ci(jobs=jobs))["Queue"] == ("2", note)


def test_figures_of_klocwork() -> None:
    app = project("app", {"Critical": 1}, {"Critical": 2, "Error": 3, "Review": 9})
    app["builds"][0]["date"] = to_text(NOW - 4.5 * 365 * DAY)
    issues = [app, project("lib", {"Error": 1}), project("empty")]
    licenses = [{"feature": "a", "permanent": False, "days_to_expiry": days} for days in (9, 300, None)]
    assert get_figures(review(*issues, licenses=licenses)) == {
        "Projects": ("3", "issues of 3 were read"),
        "Critical and error issues": ("6", "most in app"),
        "Change since previous build": (
            "critical +1, error +3",
            "app: critical +1, error +3 in build_2 since build_1",
        ),
        "Last load": ("1 day ago", "lib, build_1; oldest: app, 4 years ago; 1 without a load time"),
        "Licenses expiring": ("1", "within 30 days, of 3 licenses; 1 unknown"),
    }


def test_figures_of_openai() -> None:
    costs = [cost("o3, input", 10, days=1), cost("o3, output", 5, days=8), cost("gpt-4o", 100, days=20)]
    projects = [{"id": "proj_1", "name": "App", "rate_limits": {"o3": limits(max_requests_per_1_day=1000)}}]
    usage = [used("o3", 250), used("gpt-4o", 9_750, days=3)]
    state = inference(costs=costs, usage=usage, projects=projects, admin_keys=[key("a", expires=NOW + DAY), key("b")])
    assert get_figures(state) == {
        "Cost in 30 days": ("$115.00", "$10.00 in 7 days, +100 % on the week before; most for gpt-4o: $100.00"),
        "Tokens in 30 days": ("1.1 M", "1 M input, 100 k output"),
        "Requests in 30 days": ("10 k", "to 2 models"),
        "Keys expiring": ("1", "within 30 days, of 2 keys"),
        "Daily limit used": ("25 %", "at most, requests per day to o3 in App"),
    }


@pytest.mark.parametrize(
    ("state", "module", "unknown"),
    [
        (artifact(storage=None), "artifact_storage_info", 4),
        (artifact(), "access_token_info", 1),
        (artifact(), "artifact_certificate_info", 1),
        (ci(server=None), "ci_info", 5),
        (ci(), "ci_job_info", 3),
        (ci(), "ci_build_info", 1),
        (ci(), "ci_node_info", 1),
        (ci(), "ci_plugin_info", 1),
        (review(version=None), "review_server_info", 5),
        (review(), "review_report_info", 3),
        (inference(), "inference_cost_info", 1),
        (inference(), "inference_usage_info", 3),
        (inference(), "inference_admin_key_info", 1),
        (inference(), "inference_project_info", 2),
        (inference(), "inference_model_limit_info", 1),
    ],
)
def test_figure_is_unknown_when_its_module_failed(state: State, module: str, unknown: int) -> None:
    figures = get_figures({**state, "problems": [{"module": module, "problem": "403"}]})
    assert [note for value, note in figures.values() if value == "unknown"].count(f"{module} failed") == unknown


def history(*runs: tuple[float, dict[str, int]]) -> list[State]:
    return [
        {"at": to_text(NOW - days * DAY), "host": "repo", "used": sum(sizes.values()), "repositories": sizes}
        for days, sizes in runs
    ]


def test_repositories_are_sorted_by_growth_over_a_week() -> None:
    sizes = {"a": 5 * GIGABYTE, "b": 3 * GIGABYTE, "c": GIGABYTE, "d": 10}
    storage = {**artifact()["storage"], "repositories": [repository(key, size) for key, size in sizes.items()]}
    storage["total"] = {"used": sum(sizes.values()), "files": 4}
    runs = history(
        (20, {"a": 0, "b": 0, "c": 0}),
        (7, {"a": 5 * GIGABYTE, "b": GIGABYTE, "c": 2 * GIGABYTE}),
        (1, {"a": 5 * GIGABYTE, "b": 3 * GIGABYTE, "c": GIGABYTE}),
        (0, sizes),
    )
    page = render(artifact(storage=storage), history=runs)
    assert [row[:2] for row in list_rows(page, "Repositories by growth since 2025-12-25")] == [
        ["b", "+2 GB"],
        ["d", "+10 bytes (new)"],
        ["a", "±0 bytes"],
        ["c", "\N{MINUS SIGN}1 GB"],
    ]
    (entry,) = summarize(artifact(storage=storage), history=runs)["services"]
    note = "since 2025-12-25: +2 GB and \N{MINUS SIGN}1 GB"
    assert entry["figures"][1] == {"name": "Growth", "value": "+1 GB", "note": note}
    assert list_rows(page, "Storage over time")[0] == ["2026-01-01 12:00", "9 GB"]


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({}, "known after the next run"),
        ({"keeps_history": False}, "&#39;overview_history_file&#39; is not set"),
        ({"history_problem": "Cannot use the history."}, "the history cannot be used"),
    ],
)
def test_page_says_when_growth_is_known(more: State, note: str) -> None:
    storage = {**artifact()["storage"], "repositories": [repository("a", 5)]}
    page = render(artifact(storage=storage), **more)
    assert f"<small>{note}</small>" in page
    assert f"Growth: {note}." in page


def test_failed_modules_are_one_finding() -> None:
    problems = [{"module": f"inference_{name}_info", "problem": "401"} for name in ("project", "cost", "usage")]
    (finding,) = list_reasons(inference(problems=problems))
    assert finding == ("unknown", "inference_project_info and 2 other modules failed: 401")


def test_growth_per_week_is_estimated_when_the_history_is_short() -> None:
    storage = {**artifact()["storage"], "total": {"used": 3 * GIGABYTE, "files": 0}}
    runs = history((1, {"a": 2 * GIGABYTE}), (0, {"a": 3 * GIGABYTE}))
    (entry,) = summarize(artifact(storage=storage), history=runs)["services"]
    assert entry["figures"][1]["note"] == "since 2025-12-31, +7 GB per week"


def test_growth_counts_deleted_repositories() -> None:
    storage = {**artifact()["storage"], "repositories": [repository("a", 5)], "total": {"used": 5, "files": 0}}
    (entry,) = summarize(artifact(storage=storage), history=history((7, {"a": 2, "gone": 9}), (0, {"a": 5})))[
        "services"
    ]
    assert (entry["figures"][1]["value"], entry["figures"][1]["note"]) == (
        "\N{MINUS SIGN}6 bytes",
        "since 2025-12-25: +3 bytes and \N{MINUS SIGN}9 bytes",
    )


def test_fastest_growing_repository_is_named() -> None:
    storage = {**artifact()["storage"], "repositories": [repository("large", GIGABYTE), repository("new", 3_000)]}
    sizes = history((7, {"large": GIGABYTE - 1_000}), (0, {"large": GIGABYTE, "new": 3_000}))
    (entry,) = summarize(artifact(storage=storage), history=sizes)["services"]
    assert entry["figures"][3]["note"] == "fastest growing: new, +2.93 KB"


def test_old_keys_are_marked_beside_their_creation() -> None:
    keys = [key("old", created=NOW - 400 * DAY), key("soon", expires=NOW + DAY), key("odd", created=None)]
    assert [row[:4] for row in list_rows(render(inference(admin_keys=keys)), "Keys")] == [
        ["soon", "Olivia", "2026-01-02 (in 1 day)", "2025-12-31"],
        ["odd", "Olivia", "never", "unknown"],
        ["old", "Olivia", "never", "2024-11-27 (old)"],
    ]


def test_failing_and_slow_jobs_are_sorted() -> None:
    builds = [
        *(build("often", "FAILURE", 5) for _number in range(3)),
        *(build("slow", "SUCCESS", seconds) for seconds in (3900, 3900, 10)),
        *(build("once", result, 72) for result in ("FAILURE", "SUCCESS")),
    ]
    page = render(ci(jobs=[job("often", "FAILURE"), job("slow"), job("once")], builds=builds))
    assert list_rows(page, "Jobs by failed or unstable builds") == [
        ["often", "3 (100 %)", "3", "failure", "2026-01-01 11:59"],
        ["once", "1 (50 %)", "2", "success", "2026-01-01 11:59"],
    ]
    assert [row[:3] for row in list_rows(page, "Slowest jobs")] == [
        ["slow", "1 h 5 min", "1 h 5 min"],
        ["once", "1 min 12 s", "1 min 12 s"],
        ["often", "5 s", "5 s"],
    ]
    assert list_rows(page, "Builds by day")[0] == ["2026-01-01", "4", "4", "8"]
    assert 'href="https://ci.example.com/job/often/1/"' in page


def test_link_of_a_build_must_be_a_web_address() -> None:
    last = {"result": "FAILURE", "timestamp": None, "url": "javascript:alert(1)"}
    assert "javascript:" not in render(ci(jobs=[job("a", last_completed=last)]))


def test_issues_are_shown_by_build_and_severity() -> None:
    page = render(review(project("app", {"Critical": 1, "Warning": 5}, {"Critical": 2, "Error": 3})))
    assert list_rows(page, "app: open issues by build") == [
        ["build_2", "2", "3", "0", "5"],
        ["build_1", "1", "0", "5", "6"],
    ]
    assert list_rows(page, "Projects")[0][:5] == ["app", "2", "3", "critical +1, error +3", "5"]


def test_projects_that_got_worse_are_first() -> None:
    issues = [
        project("better", {"Error": 5}, {"Error": 1}),
        project("equal", {"Error": 9}, {"Error": 9}),
        project("errors", {"Error": 1}, {"Error": 7}),
        project("critical", {"Error": 9}, {"Critical": 1}),
        project("empty"),
    ]
    page = render(review(*issues))
    rows = list_rows(page, "Projects")
    assert [row[0] for row in rows] == ["critical", "errors", "equal", "better", "empty"]
    assert [row[3] for row in rows[1:]] == ["error +6", "±0", "error \N{MINUS SIGN}4", "unknown"]
    reasons = [reason for _severity, reason in list_reasons(review(*issues))]
    assert reasons == [
        "critical: critical +1, error \N{MINUS SIGN}9 in build_2 since build_1.",
        "errors: error +6 in build_2 since build_1.",
    ]


def test_change_of_klocwork_names_the_worst_project_when_sums_cancel() -> None:
    issues = [project("a", {"Critical": 1}, {}), project("b", {}, {"Critical": 1})]
    assert get_figures(review(*issues))["Change since previous build"] == (
        "±0",
        "b: critical +1 in build_2 since build_1",
    )


def test_spending_is_sorted_by_cost() -> None:
    costs = [cost("o3-2025-04-16, input", 1), cost("gpt-4o, input", 5), cost("gpt-4o, output", 5, owner="proj_2")]
    projects = [{"id": "proj_1", "name": "App"}, {"id": "proj_2", "name": "Web"}]
    page = render(inference(costs=costs, usage=[used("o3", 20)], projects=projects))
    assert list_rows(page, "Models by cost") == [
        ["gpt-4o", "$10.00", "0", "0", "0"],
        ["o3", "$1.00", "20", "2 k", "200"],
    ]
    assert [row[:2] for row in list_rows(page, "Projects by cost")] == [["App", "$6.00"], ["Web", "$5.00"]]
    assert list_rows(page, "Cost by day")[0] == ["2026-01-01", "$10.00", "$1.00", "$11.00"]


def test_cheap_models_are_added_up_in_the_chart() -> None:
    page = render(inference(costs=[cost(f"model-{number}", number + 1) for number in range(9)]))
    assert list_rows(page, "Cost by day")[0][-2:] == ["$10.00", "$45.00"]
    assert len(list_rows(page, "Models by cost")) == 9


def test_equal_rate_limits_share_a_row() -> None:
    same, other = limits(max_tokens_per_1_minute=200_000), limits(max_tokens_per_1_minute=5)
    projects = [
        {"id": name, "name": name, "rate_limits": {"o3": same, "gpt-4o": same if name == "a" else other}}
        for name in ("a", "b", "c")
    ]
    page = render(inference(projects=projects, usage=[used("o3", 5, owner="a")]))
    assert list_rows(page, "Rate limits") == [
        ["o3", "all", "200 k", "no limit", "no limit"],
        ["gpt-4o", "a", "200 k", "no limit", "no limit"],
        ["gpt-4o", "b and c", "5", "no limit", "no limit"],
    ]


@pytest.mark.parametrize(("count", "summary"), [(8, None), (9, "all 9 models"), (40, "all 40 models")])
def test_long_table_is_folded(count: int, summary: str | None) -> None:
    rate_limits = {f"model-{number}": limits() for number in range(count)}
    page = render(inference(projects=[{"id": "a", "name": "a", "rate_limits": rate_limits}]))
    assert (f"<summary>{summary}</summary>" in page) == bool(summary)
    visible, _fold, folded = page.partition("<details>\n<summary>all")
    assert (visible.count(">model-"), folded.count(">model-")) == (8, count - 8)


def test_long_list_of_findings_is_folded() -> None:
    services = [artifact(85, host=f"repo-{number}") for number in range(20)]
    page = render(*services)
    assert "<summary>all 20 items</summary>" in page
    attention = page.partition("<main>")[2].partition("<summary>all 20 items")[0]
    assert attention.count('<li class="attention">') == 8


@pytest.mark.parametrize(("count", "is_open"), [(6, True), (7, False)])
def test_details_are_folded_when_there_are_many_services(count: int, is_open: bool) -> None:
    page = render(*(artifact(host=f"repo-{number}") for number in range(count)))
    assert page.count('<details class="service"') == count
    assert (" open>\n<summary><h2>" in page) == is_open


def test_worst_service_is_first() -> None:
    names = [
        entry["host"] for entry in summarize(artifact(), review(), ci(nodes=[node("n", offline=True)]))["services"]
    ]
    assert names == ["jenkins", "repo", "klocwork"]


def test_finding_links_the_guide_or_names_a_command() -> None:
    state = artifact(85)
    linked, plain = render(state, site=SITE), render(state)
    assert '<a href="https://docs.example.com/toolchain/guides/clean-up.html">Clean up old artifacts</a>' in linked
    assert "<code>ansible-playbook buildworks.toolchain.housekeeping --limit repo</code>" in plain
    assert "Guide: <code>docs/site/guides/clean-up.rst</code> in the collection" in plain
    assert '<a href="https' not in plain


def test_links_lead_to_the_details_of_their_service() -> None:
    """A skipped host has no details."""
    page = render(ci(nodes=[node("n", offline=True)]), artifact(), review(), skipped_hosts=["lost"])
    details = dict(re.findall(r'<details class="service" id="([^"]+)" open>\n<summary><h2>(\w+)</h2>', page))
    assert list(details.values()) == ["jenkins", "repo", "klocwork"]
    header, _main, cards = page.partition("<main>")
    for part, pattern in ((header, r'href="#([^"]+)"><svg.*?</svg>(\w+) '), (cards, r'href="#([^"]+)">(\w+)</a>')):
        assert dict(re.findall(pattern, part, re.DOTALL)) == details


def test_command_quotes_names() -> None:
    (entry,) = summarize(ci(host="a b", jobs=[job("x; rm -rf '", "FAILURE"), job("b"), job("c")]))["attention"]
    *command, arguments = shlex.split(entry["command"])
    assert command == ["ansible", "a b", "-m", "buildworks.toolchain.ci_build_info", "-a"]
    assert json.loads(arguments) == {"job": "x; rm -rf '", "build": "last_unsuccessful", "console_lines": 50}


def test_command_lists_the_new_issues_of_a_project() -> None:
    issues = [project(f"{name} '$HOME'", {}, {"Critical": 1}) for name in "abcd"]
    commands = [shlex.split(entry["command"]) for entry in summarize(review(*issues))["attention"]]
    assert {tuple(command[:-1]) for command in commands} == {
        ("ansible", "klocwork", "-m", "buildworks.toolchain.review_issue_info", "-a")
    }
    names = [json.loads(command[-1])["project"] for command in commands]
    assert names == [f"{name} '$HOME'" for name in "abcd"]


@pytest.mark.parametrize("remedy", REMEDIES.values(), ids=list(REMEDIES))
def test_remedy_exists(remedy: Any) -> None:
    if module := re.fullmatch(r"collections/buildworks/toolchain/(\w+)_module", remedy.page):
        assert Path(ROOT, "plugins", "modules", f"{module[1]}.py").exists()
    else:
        assert Path(ROOT, "docs", "site", f"{remedy.page}.rst").exists()
    program, *_rest = remedy.command.split()
    for name in re.findall(r"buildworks\.toolchain\.(\w+)", remedy.command):
        folder, suffix = ("playbooks", "yml") if program == "ansible-playbook" else ("plugins/modules", "py")
        assert Path(ROOT, folder, f"{name}.{suffix}").exists()


def test_hostile_names_are_escaped() -> None:
    storage = {**artifact()["storage"], "repositories": [repository(HOSTILE, 5)]}
    services = [
        artifact(host=HOSTILE, storage=storage, tokens=[token(HOSTILE, expiry=NOW + DAY, username=HOSTILE)]),
        ci(
            jobs=[job(HOSTILE, "FAILURE", in_queue=True, queue_item={"id": 1, "why": HOSTILE})],
            builds=[build(HOSTILE, HOSTILE), build(HOSTILE, "FAILURE")],
            nodes=[node(HOSTILE, offline=True, offline_reason=HOSTILE)],
            plugins=[{"name": HOSTILE, "title": HOSTILE, "version": HOSTILE, "has_update": True}],
        ),
        review(project(HOSTILE, {HOSTILE: 1}, {"Error": 2})),
        inference(
            projects=[{"id": "a", "name": HOSTILE, "rate_limits": {HOSTILE: limits()}}],
            costs=[cost(HOSTILE, 1, owner=HOSTILE)],
            usage=[used(HOSTILE, 1)],
            admin_keys=[key(HOSTILE, expires=NOW - DAY)],
        ),
        artifact(problems=[{"module": HOSTILE, "problem": HOSTILE}]),
    ]
    page = render(*services, title=HOSTILE, skipped_hosts=[HOSTILE], history_problem=HOSTILE, site=f"{SITE}{HOSTILE}")
    assert "<script" not in page
    assert "\x00" not in page
    assert page.count("&lt;script&gt;") > 40


@pytest.mark.parametrize("filter_function", [overview_page, overview_summary])
@pytest.mark.parametrize(
    "data",
    [{}, None, [], "x", overview({"service": "ci"}), overview({"service": "odd"}), overview(artifact(), history=None)],
)
def test_input_that_is_no_overview_is_refused(filter_function: Any, data: Any) -> None:
    with pytest.raises(AnsibleFilterError, match=r"Cannot read the overview: .* Run the role again"):
        filter_function(data)


def test_page_has_no_scripts_and_no_external_resources() -> None:
    page = render(artifact(), ci(), review(), inference())
    assert not re.findall(r"<script|<link|<img|src=|@import|url\(", page)


def test_empty_services_say_so() -> None:
    page = render(artifact(), ci(), review(), inference())
    assert page.count("is empty: there is nothing to show yet.") == 4
    json.dumps(summarize(artifact(), ci(), review(), inference()))


@pytest.mark.parametrize(
    ("low", "high", "options", "ticks"),
    [
        (0, 21, {"is_whole": True}, [0, 10, 20, 30]),
        (0, 1, {"is_whole": True}, [0, 1]),
        (0, 0, {"is_whole": True}, [0, 1]),
        (0, 0.013, {}, [0, 0.005, 0.01, 0.015]),
        (90, 100, {}, [90, 95, 100]),
        (5, 5, {}, [5, 5.5, 6]),
        (0, 150 * GIGABYTE, {"is_size": True}, [0, 50 * GIGABYTE, 100 * GIGABYTE, 150 * GIGABYTE]),
        (0, 0, {"is_size": True}, [0, 1]),
    ],
)
def test_ticks_are_round_and_cover_the_numbers(low: float, high: float, options: State, ticks: list[float]) -> None:
    found = charts.find_ticks(low, high, **options)
    assert found == pytest.approx(ticks)


@pytest.mark.parametrize(
    "site", ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "//x", "docs", "http:"]
)
def test_site_is_refused_when_it_is_no_url_of_a_site(site: str) -> None:
    with pytest.raises(AnsibleFilterError, match="'overview_site' must be a URL that begins with http://"):
        render(artifact(), site=site)
