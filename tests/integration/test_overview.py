# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `overview`: JSON and page show the state of the services, and name data that cannot be read."""

from __future__ import annotations

import collections
import html
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.browser import Chromium
from support.playbook import environment, run_command
from support.running import run
from support.session import Session
from support.toolchain_in_use import build_history, build_seed

SITE = "https://docs.example.com/toolchain/"
HOSTILE = '<b onclick="x">&amp; {{ 7 * 7 }} \'"'
ALL_HOSTS = {"artifact": ["repo"], "ci": ["jenkins"], "review": ["klocwork"], "inference": ["openai"]}
DAY = 86400


class Overview:
    """The output and the files of a run."""

    def __init__(self, folder: Path, output: str) -> None:
        self.output = output
        self.file = folder / "overview.html"
        self.page = self.file.read_text()
        self.json: dict[str, Any] = json.loads((folder / "overview.json").read_text())

    def get_service(self, host: str) -> dict[str, Any]:
        (state,) = (state for state in self.json["services"] if state["host"] == host)
        return state


def run_overview(
    sandbox: Sandbox,
    folder: Path,
    hosts: dict[str, list[str]] | None = None,
    settings: dict[str, str] | None = None,
    host_variables: dict[str, dict[str, Any]] | None = None,
    expected_status: int = 0,
    **variables: Any,
) -> Overview:
    """Run the playbook for hosts by group. It must end with the expected status and write to no service."""
    inventory = {
        group: {"hosts": {name: (host_variables or {}).get(name, {}) for name in names}}
        for group, names in (ALL_HOSTS if hosts is None else hosts).items()
    }
    (folder / "hosts.yml").write_text(yaml.safe_dump(inventory))
    files = {
        "overview_page_file": str(folder / "overview.html"),
        "overview_json_file": str(folder / "overview.json"),
        "overview_history_file": str(folder / "history.json"),
    }
    (folder / "variables.json").write_text(json.dumps({**files, **variables}))
    sandbox.clear_journal()
    command = ["buildworks.toolchain.overview", "-i", folder / "hosts.yml", "-e", f"@{folder}/variables.json"]
    output, status = run_command(command, environment(sandbox, **(settings or {})))
    output = re.sub(r"\s+", " ", output)
    assert status == expected_status, output
    assert not [request for request in sandbox.journal() if request["effect"] == "write"]
    return Overview(folder, output)


def test_page_and_json_show_the_state_of_all_services(sandbox: Sandbox, browser: Chromium, tmp_path: Path) -> None:
    now = int(sandbox.clock()["now"])
    sandbox.seed(
        {
            "artifact": {
                "repositories": [
                    {
                        "key": "nightly",
                        "rclass": "local",
                        "packageType": "generic",
                        "generate": [{"path": "{n}/app.bin", "count": 2000, "size": 1048576}],
                    }
                ],
                "tokens": [
                    {"token": "soon-1", "username": "ci", "description": HOSTILE, "expires_in": 10 * DAY},
                    {"token": "later-1", "username": "ci", "description": "agents", "expires_in": 200 * DAY},
                ],
                "certificates": [
                    {"alias": "mirror", "expires_in": 5 * DAY},
                    {"alias": HOSTILE, "valid_until": now - 3 * DAY},
                ],
            },
            "ci": {
                "jobs": [
                    {
                        "name": "team/site",
                        "builds": [
                            {"result": result, "seconds": seconds, "ago": 3600 - seconds}
                            for seconds, result in ((10, "SUCCESS"), (30, "UNSTABLE"), (50, "FAILURE"))
                        ],
                    }
                ]
            },
            "review": {
                "projects": [
                    {
                        "name": "odd",
                        "creator": "admin",
                        "modules": [{"name": HOSTILE, "paths": ["**/core/*"]}],
                        "builds": [{"name": "<i>1</i>", "date": 1619434216567}],
                        "issues": [{"code": "RLK.MAIN", "file": "src/core/a.c", "severity": 3, "found_in": "<i>1</i>"}],
                    }
                ]
            },
            "inference": {
                "keys": [
                    {
                        "key": "sk-admin-short0000000000000000000000009",
                        "organization": "org-sandbox",
                        "id": "key_short",
                        "name": "Short",
                        "owner": "user-sandbox-olivia",
                        "expires_at": now + 5 * DAY,
                    }
                ]
            },
        }
    )
    report = run_overview(
        sandbox, tmp_path, overview_title=f"Ours {HOSTILE}", overview_row_limit=10, overview_site=SITE
    )
    assert "WARNING" not in report.output
    assert not [state["problems"] for state in report.json["services"] if state["problems"]]

    keys = '<a href="https://docs.example.com/toolchain/collections/buildworks/toolchain/inference_admin_key_info_module.html">'
    assert f"Source: {keys}<code>inference_admin_key_info</code></a>, <a " in report.page
    assert f'<a href="{SITE}guides/rotate-tokens.html">Rotate declared admin keys</a>' in report.page

    repo = report.get_service("repo")
    used = {repository["key"]: repository["used"] for repository in repo["storage"]["repositories"]}
    assert used["nightly"] == 2000 * 1048576
    assert report.json["history"] == [
        {"at": report.json["at"], "host": "repo", "used": sum(used.values()), "repositories": used}
    ]
    assert {token["description"] for token in repo["tokens"]} == {"the sandbox's own", HOSTILE, "agents"}

    assert [certificate["alias"] for certificate in repo["certificates"]] == [HOSTILE, "mirror"]

    jenkins = report.get_service("jenkins")
    site = [(build["result"], build["duration"]) for build in jenkins["builds"] if build["job"] == "team/site"]
    assert sorted(site) == [("FAILURE", 50.0), ("SUCCESS", 10.0), ("UNSTABLE", 30.0)]
    assert [plugin["name"] for plugin in jenkins["plugins"] if plugin["has_update"]] == ["git"]
    _before, _title, failing_jobs = report.page.partition("<h3>Jobs by failed or unstable builds</h3>")
    assert find_row(failing_jobs, "team/site")[:3] == ["2 (67 %)", "3", "failure"]
    assert [node["name"] for node in jenkins["nodes"]] == ["built-in"]

    (mobile_app, special, _platform) = report.get_service("klocwork")["issues"]
    assert special["by_module"]["rows"] == [HOSTILE]
    assert list(mobile_app["by_build"]) == ["build_3", "build_2", "build_1"]
    assert find_row(report.page, "build_1") == ["1", "0", "0", "1", "2"]
    assert report.get_service("klocwork")["licenses"]

    openai = report.get_service("openai")
    assert {key["name"] for key in openai["admin_keys"]} == {"Main admin key", "Short"}
    assert openai["model_limits"]

    text = html.unescape(report.page)
    assert HOSTILE in text
    assert HOSTILE not in report.page
    reasons = [(entry["host"], entry["severity"], entry["reason"]) for entry in report.json["summary"]["attention"]]
    assert ("repo", "attention", f"Token '{HOSTILE}' of ci expires in 9 days.") in reasons
    assert ("repo", "attention", "Certificate 'mirror' expires in 4 days.") in reasons
    assert ("repo", "failing", f"Certificate '{HOSTILE}' expired 3 days ago.") in reasons
    assert ("openai", "attention", "Key 'Short' of Olivia Owner expires in 4 days.") in reasons
    assert ("jenkins", "attention", "1 of 2 built jobs is failing or unstable: team/site.") in reasons
    assert any(reason.startswith("5 keys are older than 365 days: ") for _host, _severity, reason in reasons)
    assert all(escape(reason) in report.page for *_, reason in reasons)
    assert escape(report.json["summary"]["verdict"]) in report.page
    assert json.dumps(report.json["summary"]["verdict"]) in report.output
    for secret in (value for name, value in sandbox.environment.items() if name.endswith(("TOKEN", "KEY"))):
        assert secret not in report.page + json.dumps(report.json)
    browser.check_page(report.file, "overview")


def escape(text: str) -> str:
    """Return a text as Jinja escapes it."""
    return html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


def find_row(page: str, name: str) -> list[str]:
    """Return the cells of the first row with this name."""
    match = re.search(rf'<th role="rowheader" scope="row">{re.escape(name)}</th>(.*?)</tr>', page, re.DOTALL)
    assert match
    return [re.sub("<[^>]+>", "", cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", match[1], re.DOTALL)]


@pytest.mark.ansible_core
def test_growth_since_the_last_run_is_shown_and_old_runs_are_deleted(
    sandbox: Sandbox, artifactory: Session, tmp_path: Path
) -> None:
    account = {"url": sandbox.environment["JFROG_URL"], "token": sandbox.environment["JFROG_ACCESS_TOKEN"]}
    storage = run("artifact_storage_info", **account)["storage"]
    used = {repository["key"]: repository["used"] for repository in storage["repositories"]}
    yesterday = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - DAY))
    previous_run = {"at": yesterday, "host": "repo", "used": storage["total"]["used"], "repositories": used}
    old_run = {"at": "2001-01-01T00:00:00Z", "host": "repo", "used": 1, "repositories": {}}
    (tmp_path / "history.json").write_text(json.dumps([old_run, previous_run]))
    sandbox.seed(
        {
            "artifact": {
                "items": [{"repo": "generic-local", "path": "new.bin", "size": 5000}],
                "repositories": [{"key": "fresh", "rclass": "local", "packageType": "generic"}],
            }
        }
    )
    artifactory.post("/api/storageinfo/calculate")
    report = run_overview(sandbox, tmp_path, {"artifact": ["repo"]})
    assert [each["used"] for each in report.json["history"]] == [1597, 6597]
    assert report.json["history"][0] == previous_run
    assert report.json["history"][1].keys() == previous_run.keys()  # so that the next run can read it
    assert "<h3>Storage over time</h3>" in report.page
    assert find_row(report.page, "generic-local")[:2] == ["+4.88 KB", "4.93 KB"]
    assert find_row(report.page, "docker-local")[0] == "±0 bytes"
    assert find_row(report.page, "libs-release-local")[1] == "27 bytes"
    assert find_row(report.page, "fresh")[0] == "±0 bytes (new)"
    (repo,) = report.json["summary"]["services"]
    assert repo["figures"][0] == {"name": "Storage used", "value": "1.55 KB", "note": "< 1 % of 200 GB"}
    assert repo["figures"][1]["value"] == "+4.88 KB"
    assert json.loads((tmp_path / "history.json").read_text()) == report.json["history"]
    assert report.json["history_problem"] is None


def test_page_of_a_toolchain_in_use_is_readable(
    sandbox: Sandbox, artifactory: Session, browser: Chromium, tmp_path: Path
) -> None:
    """Trends, costs and long tables of real modules."""
    now = float(sandbox.clock()["now"])
    sandbox.seed(build_seed(now))
    artifactory.post("/api/storageinfo/calculate")
    account = {"url": sandbox.environment["JFROG_URL"], "token": sandbox.environment["JFROG_ACCESS_TOKEN"]}
    repositories = run("artifact_storage_info", **account)["storage"]["repositories"]
    used = {repository["key"]: repository["used"] for repository in repositories}
    (tmp_path / "history.json").write_text(json.dumps(build_history("repo", now, used)))
    report = run_overview(sandbox, tmp_path)
    assert not [state["problems"] for state in report.json["services"] if state["problems"]]
    assert re.findall(r'role="img" aria-label="([^"]+)"', report.page) == [
        "Storage of repo over time",
        "Builds of jenkins by day and result",
        "Cost of openai by day and model",
        "Open issues of payments on klocwork by build and severity",
        "Open issues of mobile-app on klocwork by build and severity",
    ]
    assert "<summary>all 40 models</summary>" in report.page
    costs = sum(row["amount"] for row in report.get_service("openai")["costs"])
    assert f"${costs:,.2f}" in report.page
    assert len({row["start"] for row in report.get_service("openai")["costs"]}) == 30
    attention = [(entry["host"], entry["reason"]) for entry in report.json["summary"]["attention"]]
    worse = "payments: critical +1, error \N{MINUS SIGN}1 in release_5 since release_4."
    assert ("klocwork", worse) in attention[:2]
    assert attention[-1][1].startswith("4 keys are older than 365 days: ")
    requests = collections.Counter(request["service"] for request in sandbox.journal())
    assert requests == {"artifact": 3, "ci": 6 + 11, "review": 3 + 3 * 2 + 8, "inference": 5 + 2 * 2}
    browser.check_page(report.file, "overview-in-use")


def check_history_unchanged(report: Overview, content: str) -> None:
    """Verify that the run reported a file that is not a history, and did not change it."""
    file = report.file.with_name("history.json")
    assert file.read_text() == content
    assert f"Cannot use the history in '{file}': " in report.output
    assert html.escape(report.json["history_problem"]).replace("&#x27;", "&#39;") in report.page
    assert all(run["at"] == report.json["at"] for run in report.json["history"])
    assert "<h3>Storage over time</h3>" not in report.page
    assert "ERROR" not in report.output


def test_failed_requests_are_reported_beside_the_rest(sandbox: Sandbox, browser: Chromium, tmp_path: Path) -> None:
    hosts = {**ALL_HOSTS, "ci": ["jenkins", "down", "misspelt"]}
    host_variables = {
        "repo": {"toolchain_artifact_username": "reader", "toolchain_artifact_password": "sandbox-reader"},
        "jenkins": {"toolchain_ci_username": "reader", "toolchain_ci_api_token": "11c0ffee00sandbox00reader00token004"},
        "down": {"toolchain_ci_url": "http://127.0.0.1:1", "toolchain_ci_retries": 0},
        "misspelt": {"toolchain_ci_url": "{{ adress }}"},
        "klocwork": {
            "toolchain_review_username": "bob",
            "toolchain_review_ltoken": "b0b0000000000000000000000000000000000000000000000000000000000003",
        },
        "openai": {"toolchain_inference_api_key": "sk-nobody"},
    }
    host_variables["repo"]["toolchain_artifact_url"] = sandbox.environment["JFROG_URL"]
    host_variables["jenkins"]["toolchain_ci_url"] = sandbox.environment["JENKINS_URL"]
    host_variables["klocwork"]["toolchain_review_url"] = sandbox.environment["KLOCWORK_URL"]
    host_variables["openai"]["toolchain_inference_url"] = sandbox.environment["OPENAI_BASE_URL"]
    foreign = '[{"at": "2001-01-01T00:00:00Z", "host": "repo"}, "{{ 7 * 7 }}"]'
    (tmp_path / "history.json").write_text(foreign)
    report = run_overview(sandbox, tmp_path, hosts, None, host_variables)
    check_history_unchanged(report, foreign)
    failed_modules = {
        state["host"]: [problem["module"] for problem in state["problems"]] for state in report.json["services"]
    }
    assert failed_modules == {
        "repo": ["artifact_storage_info", "artifact_certificate_info"],
        "jenkins": ["ci_plugin_info"],
        "down": ["ci_info"],
        "misspelt": ["ci_info"],
        "klocwork": ["review_server_info"],
        "openai": [
            *("inference_project_info", "inference_admin_key_info", "inference_model_limit_info"),
            *("inference_cost_info", "inference_usage_info"),
        ],
    }
    assert {state["host"]: state["health"] for state in report.json["summary"]["services"]} == dict.fromkeys(
        failed_modules, "unknown"
    )
    assert "Connection refused" in report.get_service("down")["problems"][0]["problem"]
    assert "adress" in report.get_service("misspelt")["problems"][0]["problem"]
    assert report.get_service("jenkins")["builds"]
    for state in report.json["services"]:
        for problem in state["problems"]:
            assert html.escape(problem["problem"], quote=False)[:40] in report.page.replace("&#39;", "'").replace(
                "&#34;", '"'
            )
    browser.check_page(report.file, "overview-unread")


def test_certificates_are_unread_when_the_server_is_old(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("artifact", version="5.3.2")
    hosts = {"artifact": ["repo"]}
    report = run_overview(sandbox, tmp_path, hosts)
    problems = {problem["module"]: problem["problem"] for problem in report.get_service("repo")["problems"]}
    reason = "Managing client certificates requires Artifactory 5.4.0 or later."
    assert problems["artifact_certificate_info"] == reason
    (repo,) = report.json["summary"]["services"]
    assert repo["health"] == "unknown"


def test_host_is_unknown_when_it_becomes_unreachable_in_the_role(sandbox: Sandbox, tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nexit 255\n")
    ssh.chmod(0o700)
    hosts = {"artifact": ["repo", "gone"]}
    gone = {"ansible_connection": "ssh", "ansible_ssh_executable": str(ssh)}
    report = run_overview(sandbox, tmp_path, hosts, None, {"gone": gone}, expected_status=4)
    assert report.json["skipped_hosts"] == ["gone"]
    health = {state["host"]: state["health"] for state in report.json["summary"]["services"]}
    assert health == {"repo": "ok", "gone": "unknown"}
    assert report.json["summary"]["verdict"].startswith("1 of 2 services could not be checked completely: gone.")


def test_page_is_complete_when_services_are_empty(sandbox: Sandbox, browser: Chromium, tmp_path: Path) -> None:
    exported = {"token": sandbox.environment["JFROG_ACCESS_TOKEN"], "username": "admin", "exported": True}
    account = {"name": "admin", "password": "sandbox-admin"}
    sandbox.seed(
        {
            "artifact": {
                "users": [{**account, "admin": True}],
                "tokens": [{**exported, "scope": "applied-permissions/admin"}],
            },
            "ci": {
                "users": [
                    {
                        **account,
                        "tokens": [sandbox.environment["JENKINS_API_TOKEN"]],
                        "permissions": ["Overall/Administer"],
                    }
                ]
            },
        },
        reset=True,
    )
    hosts = {"artifact": ["repo"], "ci": ["jenkins"]}
    broken = '[{"at": "2001-01-01T00:'
    (tmp_path / "history.json").write_text(broken)
    at_home = {"overview_page_file": "~/overview.html", "overview_json_file": "~/overview.json"}
    report = run_overview(sandbox, tmp_path, hosts, {"HOME": str(tmp_path)}, None, **at_home)
    check_history_unchanged(report, broken)
    assert 'role="img"' not in report.page  # there are no trends
    assert report.json["summary"]["verdict"] == "All 2 services are OK."
    assert report.get_service("repo")["storage"]["repositories"] == []
    assert report.get_service("jenkins")["builds"] == []
    browser.check_page(report.file, "overview-empty")
