# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The callback `report`: it reports what happened, without secrets, on an accessible page."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from sandbox.client import Sandbox
from support.browser import Chromium
from support.playbook import PLAYBOOK, environment, run_command

ITEM = "app/1.0/app-1.0.tar.gz"
SECRETS = {"hidden": "second-secret", "in a loop": "third-secret"}
HIDDEN = r"(\*{8}|\$REDACTED\$)"
PROPERTIES = "buildworks.toolchain.artifact_properties"
QUERY = "buildworks.toolchain.artifact_properties_info"
ON_ONE_HOST = {"when": "inventory_hostname == 'repo-eu'"}


def set_properties(name: str, properties: str | dict[str, str], **keywords: Any) -> dict[str, Any]:
    return {"name": name, PROPERTIES: {"repo": "generic-local", "path": ITEM, "properties": properties}, **keywords}


def fail_with(name: str, text: Any, **keywords: Any) -> dict[str, Any]:
    return {"name": name, "ansible.builtin.fail": {"msg": text}, **keywords}


TASKS = [
    set_properties("mark", "{{ {inventory_hostname: '<b>&' ~ inventory_hostname} }}"),
    set_properties(
        "by a loop",
        {"loop": "{{ item.name | default(item) }}"},
        loop=["x", {"name": "y", "password": SECRETS["in a loop"]}],
        **ON_ONE_HOST,
    ),
    {
        "name": "many",
        PROPERTIES: {
            "repo": "generic-local",
            "properties": {"many": "1"},
            "items": [{"path": ITEM}, {"path": "none"}],
            "on_error": "report",
        },
        **ON_ONE_HOST,
    },
    {"name": "missing", PROPERTIES: {"repo": "generic-local", "path": "none", "properties": {}}, "ignore_errors": True},
    {
        "name": "as a module",
        QUERY: {"repo": "generic-local", "path": ITEM},
        "vars": {"toolchain_in_process": False},
        **ON_ONE_HOST,
    },
    set_properties("hidden", {"hidden": "{{ item }}"}, no_log=True, loop=[SECRETS["hidden"]], **ON_ONE_HOST),
    {
        "name": "writes a secret",
        "ansible.builtin.copy": {"content": "{{ toolchain_artifact_token }}\n", "dest": "{{ folder }}/token"},
        **ON_ONE_HOST,
    },
    {
        "block": [fail_with("rescued", "{{ toolchain_artifact_token }} and {{ lookup('env', 'OPENAI_API_KEY') }}")],
        "rescue": [{"name": "rescue", "ansible.builtin.debug": {"msg": "saved"}}],
        **ON_ONE_HOST,
    },
    {
        "block": [fail_with("the end", "no more")],
        "always": [{"name": "at last", "ansible.builtin.debug": {"msg": "done"}}],
        **ON_ONE_HOST,
    },
]
# An environment variable with characters that JSON escapes, and a variable that a task sets
SPECIAL_SECRET, LATE_SECRET = 'sk-a"b\\c-ü', "made-later"
SECRET_TASKS = [
    {"name": "make", "ansible.builtin.set_fact": {"toolchain_ci_api_token": LATE_SECRET}},
    *(
        fail_with(f"print {number}", text, ignore_errors=True)
        for number, text in enumerate(
            [
                {"of the environment": "{{ lookup('env', 'OPENAI_API_KEY') }}"},
                "{{ 'x' * 3995 }}{{ lookup('env', 'OPENAI_API_KEY') }}",
                "it was {{ toolchain_ci_api_token }}",
                "Basic {{ ('bob:' ~ toolchain_ci_api_token) | b64encode }}",
                "{{ 'x' * 3990 }}{{ ('another:' ~ toolchain_ci_api_token) | b64encode }}",
            ]
        )
    ),
]
FOREIGN = '{"a": "history of something else"}'
# An incomplete line, as a killed run leaves it
INCOMPLETE_LINE = '{"started": "2026-01-01T00:'
INTERRUPTED = [
    set_properties("mark again", {"mark": "again"}),
    {
        "name": "endless {{ inventory_hostname }}",
        "ansible.builtin.shell": "{{ item }}",
        "loop": ["true", "touch started && exec sleep 600"],
    },
]
INCLUDE_TASKS = [
    {"name": "include", "ansible.builtin.include_tasks": "included.yml", "loop": [1, 2]},
]


@dataclass
class ReportedRun:
    """The output and the files of a run, and the number of requests that the sandbox received."""

    output: str
    report: dict[str, Any]
    page: str
    markdown: str
    junit: str
    requests: int

    def of(self, kind: str, task: str) -> list[dict[str, Any]]:
        return [entry for entry in self.report[kind] if entry["task"] == task]


class Workspace:
    """A directory with playbooks and an inventory of two services and an unreachable machine."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox, self.folder = sandbox, folder
        values = sandbox.environment
        repo = {
            "toolchain_artifact_url": values["JFROG_URL"],
            "toolchain_artifact_token": "{{ token }}",
            "token": values["JFROG_ACCESS_TOKEN"],
            "ansible_connection": "local",
            "folder": str(folder),
        }
        unreachable = {"ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_ssh_retries": 0}
        self._write("inventory.yml", {"all": {"hosts": {"repo-eu": repo, "repo-us": repo, "off": unreachable}}})
        plays = [
            {"hosts": "repo-*", "gather_facts": False, "tasks": TASKS},
            {"hosts": "repo-us", "gather_facts": False, "strategy": "free", "tasks": INCLUDE_TASKS},
            {"hosts": "off", "gather_facts": False, "tasks": [{"name": "ping", "ansible.builtin.ping": {}}]},
        ]
        self._write("site.yml", plays)
        self._write("nothing.yml", [{"hosts": "repo-us", "gather_facts": False}])
        self._write("secrets.yml", [{"hosts": "repo-us", "gather_facts": False, "tasks": SECRET_TASKS}])
        self._write("interrupted.yml", [{"hosts": "repo-eu", "gather_facts": False, "tasks": INTERRUPTED}])
        self._write("included.yml", [set_properties("included {{ item }}", {"included": "{{ item }}"})])

    def _write(self, name: str, content: Any) -> None:
        (self.folder / name).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def play(self, *options: str, playbook: str = "site.yml", **settings: str) -> str:
        """Run a playbook and return its output."""
        variables = environment(self.sandbox, ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report", **settings)
        output, _status = run_command(["-i", "inventory.yml", playbook, *options], variables, self.folder)
        return output

    def interrupt(self, **settings: str) -> None:
        """Run two playbooks and press Ctrl-C when the endless task of the second has reported its first item."""
        command = [PLAYBOOK, "-i", "inventory.yml", "nothing.yml", "interrupted.yml"]
        variables = environment(self.sandbox, ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report", **settings)
        started, log = self.folder / "started", self.folder / "log"
        with (
            log.open("w") as output,
            subprocess.Popen(
                command, cwd=self.folder, env=variables, stdout=output, stderr=output, start_new_session=True
            ) as process,
        ):
            while not (started.exists() and "(item=true)" in log.read_text()):
                assert process.poll() is None, log.read_text()
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it
        assert process.returncode == 99

    def run_and_read(self, *options: str, **settings: str) -> ReportedRun:
        self.sandbox.clear_journal()
        output = self.play(
            *options, TOOLCHAIN_REPORT_MARKDOWN="comment.md", TOOLCHAIN_REPORT_JUNIT="junit.xml", **settings
        )
        report = json.loads((self.folder / "toolchain-report.json").read_text())
        names = ("toolchain-report.html", "comment.md", "junit.xml")
        page, markdown, junit = ((self.folder / name).read_text() for name in names)
        return ReportedRun(output, report, page, markdown, junit, len(self.sandbox.journal()))


@pytest.fixture(scope="module")
def workspace(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    running_sandbox.reset()
    folder = tmp_path_factory.mktemp("report")
    (folder / "history").mkdir()
    (folder / "history" / "runs.jsonl").write_text(INCOMPLETE_LINE)
    return Workspace(running_sandbox, folder)


@pytest.fixture(scope="module")
def dry_run(workspace: Workspace) -> ReportedRun:
    return workspace.run_and_read("--check", "--diff", TOOLCHAIN_REPORT_HISTORY="history/runs.jsonl")


@pytest.fixture(scope="module")
def done(workspace: Workspace, dry_run: ReportedRun) -> ReportedRun:
    workspace.sandbox.fault(kind="status", status=503, service="artifact", times=1)
    return workspace.run_and_read("--diff", "-e", "toolchain_report_history=history/runs.jsonl")


def output_files(name: str) -> dict[str, str]:
    """Return settings that keep the files of other runs."""
    return {"TOOLCHAIN_REPORT_HTML": f"{name}.html", "TOOLCHAIN_REPORT_JSON": f"{name}.json"}


def changes(run: ReportedRun) -> list[tuple[str, str, str]]:
    return sorted((change["host"], change["task"], change["item"] or "") for change in run.report["changes"])


CHANGES = [
    ("repo-eu", "by a loop", "item 2"),
    ("repo-eu", "by a loop", "x"),
    ("repo-eu", "hidden", "item 1"),
    ("repo-eu", "many", ""),
    ("repo-eu", "mark", ""),
    ("repo-eu", "writes a secret", ""),
    ("repo-us", "included 1", ""),
    ("repo-us", "included 2", ""),
    ("repo-us", "mark", ""),
]


@pytest.mark.ansible_core
def test_predicted_changes_are_reported_in_check_mode(dry_run: ReportedRun) -> None:
    assert changes(dry_run) == CHANGES
    assert dry_run.report["check_mode"] and all(change["check_mode"] for change in dry_run.report["changes"])
    assert f"{len(CHANGES)} changes planned on 2 of 3 hosts" in dry_run.page


@pytest.mark.ansible_core
def test_changes_are_reported_with_diffs(done: ReportedRun) -> None:
    assert changes(done) == CHANGES
    assert {change["service"] for change in done.report["changes"]} == {"artifact", "other"}
    assert not any(change["check_mode"] for change in done.report["changes"])
    diffs = {change["host"]: change["diff"].splitlines() for change in done.of("changes", "mark")}
    assert all(f'+    "<b>&{host}"' in lines for host, lines in diffs.items())
    assert "changes on 2 of 3 hosts" in done.page and "&lt;b&gt;&amp;repo-us" in done.page


@pytest.mark.ansible_core
def test_each_failure_is_reported_with_its_state(dry_run: ReportedRun, done: ReportedRun) -> None:
    for run in (dry_run, done):
        states = [(entry["host"], entry["task"], entry["state"]) for entry in run.report["failures"]]
        assert sorted(states) == [
            ("off", "ping", "unreachable"),
            ("repo-eu", "missing", "ignored"),
            ("repo-eu", "rescued", "rescued"),
            ("repo-eu", "the end", "failed"),
            ("repo-us", "missing", "ignored"),
        ]
        hosts = run.report["hosts"]
        assert [hosts["repo-eu"][name] for name in ("failures", "rescued", "ignored")] == [1, 1, 1]
        assert run.of("failures", "the end")[0]["message"] == "no more"
        assert "Item 'none' does not exist" in run.of("failures", "missing")[0]["message"]


@pytest.mark.ansible_core
def test_markdown_lists_failures_and_changes(dry_run: ReportedRun, done: ReportedRun) -> None:
    assert done.markdown.startswith("## 2 of 3 hosts failed (1 unreachable); 2 distinct errors\n")
    assert "**2 hosts failed, ignored** (Artifactory), `missing`:\n" in done.markdown
    assert "<details><summary>Artifactory: <code>mark</code>, 2 hosts</summary>" in done.markdown
    assert "### Planned changes" in dry_run.markdown


@pytest.mark.ansible_core
def test_junit_has_a_case_for_each_task_of_a_host(done: ReportedRun) -> None:
    root = ElementTree.fromstring(done.junit)
    assert {suite.get("name"): (suite.get("failures"), suite.get("errors")) for suite in root} == {
        "repo-eu": ("1", "0"),
        "repo-us": ("0", "0"),
        "off": ("0", "1"),
    }
    assert root.get("tests") == str(len(root.findall(".//testcase")))
    run = sum(task[name] for task in done.report["tasks"] for name in ("ok", "failed", "unreachable", "skipped"))
    assert root.get("tests") == str(run)
    (rescued,) = root.findall(".//testcase[@name='rescued']/system-out")
    assert rescued.text and rescued.text.startswith("rescued: ")


@pytest.mark.ansible_core
def test_tasks_are_located(done: ReportedRun) -> None:
    (failure,) = done.of("failures", "the end")
    assert re.fullmatch(r"site\.yml:\d+", failure["path"])


@pytest.mark.ansible_core
def test_outcomes_of_items_are_listed_with_failures_first(done: ReportedRun) -> None:
    (bulk,) = done.report["bulk"]
    assert bulk["counts"] == {"changed": 1, "ok": 0, "failed": 1, "unknown": 0, "skipped": 0}
    assert [(line["status"], line["item"]) for line in bulk["outcomes"]] == [
        ("failed", "path: none"),
        ("changed", f"path: {ITEM}"),
    ]


@pytest.mark.ansible_core
def test_request_counts_match_the_requests_sent(dry_run: ReportedRun, done: ReportedRun) -> None:
    for run in (dry_run, done):
        requests = {task["task"]: task["requests"] for task in run.report["tasks"]}
        unknown = {"as a module", "writes a secret", "rescued", "rescue", "the end", "at last", "ping"}
        assert {task for task, number in requests.items() if number is None} == unknown
        assert run.report["requests"] == sum(filter(None, requests.values()))
        # the callback cannot know the request of the ordinary module
        assert run.report["requests"] == run.requests - 1
        assert requests["many"] and requests["by a loop"]
        assert not run.report["requests_known"]


@pytest.mark.ansible_core
def test_warnings_are_reported(done: ReportedRun) -> None:
    if done.report["ansible_core"].startswith("2.18."):
        assert not done.report["warnings_known"]
        assert "does not pass all warnings" in done.page
    else:
        (warning,) = done.report["warnings"]
        assert "1 request(s) were retried" in warning["message"]


@pytest.mark.ansible_core
def test_report_contains_no_secrets(workspace: Workspace, dry_run: ReportedRun, done: ReportedRun) -> None:
    secrets = [*SECRETS.values(), workspace.sandbox.environment["JFROG_ACCESS_TOKEN"]]
    secrets.append(workspace.sandbox.environment["OPENAI_API_KEY"])
    for run in (dry_run, done):
        output = run.page + run.markdown + run.junit + json.dumps(run.report)
        assert [secret for secret in secrets if secret in output] == []
        # instead of the secrets, some of which ansible-core itself hides since 2.22
        assert re.fullmatch(f"{HIDDEN} and {HIDDEN}", run.of("failures", "rescued")[0]["message"])
        assert re.fullmatch(rf"\+{HIDDEN}", run.of("changes", "writes a secret")[0]["diff"].splitlines()[-1])
        assert run.of("changes", "hidden")[0]["hidden"]


@pytest.fixture(scope="module")
def two_playbooks(workspace: Workspace) -> str:
    """Run two playbooks with late secrets and a foreign history file, and return the output."""
    (workspace.folder / "foreign").write_text(FOREIGN)
    settings = {"TOOLCHAIN_REPORT_HISTORY": "foreign", "OPENAI_API_KEY": SPECIAL_SECRET, **output_files("several")}
    return workspace.play("secrets.yml", playbook="nothing.yml", **settings)


@pytest.mark.ansible_core
def test_secrets_are_hidden_when_they_are_late_truncated_or_escaped(workspace: Workspace, two_playbooks: str) -> None:
    output = (workspace.folder / "several.json").read_text()
    assert len(json.loads(output)["failures"]) == 5
    assert "sk-a" not in output
    assert LATE_SECRET not in output
    for username in ("bob", "another"):
        assert b64encode(f"{username}:{LATE_SECRET}".encode()).decode()[-8:] not in output


@pytest.mark.ansible_core
def test_several_playbooks_are_reported_as_one_run(workspace: Workspace, two_playbooks: str) -> None:
    report = json.loads((workspace.folder / "several.json").read_text())
    assert report["playbook"] == report["title"] == "nothing.yml secrets.yml"
    assert report["complete"] and report["hosts"]["repo-us"]["ignored"] == len(report["failures"])


@pytest.mark.ansible_core
def test_history_has_a_line_for_each_run(workspace: Workspace, done: ReportedRun) -> None:
    incomplete, *complete = (workspace.folder / "history" / "runs.jsonl").read_text().splitlines()
    assert incomplete == INCOMPLETE_LINE
    lines = [json.loads(line) for line in complete]
    assert [line["check_mode"] for line in lines] == [True, False]
    assert [line["changes"] for line in lines][1] == len(done.report["changes"])
    assert [line["failures"] for line in lines] == [2, 2]
    assert len(re.findall("<rect", done.page)) == 4
    assert len(re.findall("<rect [^>]*hollow", done.page)) == 2


@pytest.mark.ansible_core
def test_foreign_history_file_is_not_changed(workspace: Workspace, two_playbooks: str) -> None:
    assert "'foreign' is not a history of runs, and was left unchanged" in " ".join(two_playbooks.split())
    assert (workspace.folder / "foreign").read_text() == FOREIGN


@pytest.fixture(scope="module")
def interrupted_run(workspace: Workspace) -> None:
    """Interrupt a run."""
    workspace.interrupt(TOOLCHAIN_REPORT_HISTORY="interrupted.jsonl", **output_files("interrupted"))


@pytest.mark.ansible_core
def test_completed_tasks_are_reported_when_a_run_is_interrupted(workspace: Workspace, interrupted_run: None) -> None:
    report = json.loads((workspace.folder / "interrupted.json").read_text())
    assert report["playbook"] == "nothing.yml interrupted.yml"
    assert not report["complete"]
    assert [(entry["host"], entry["task"]) for entry in report["under_way"]] == [("repo-eu", "endless repo-eu")]
    assert [(entry["task"], entry["item"]) for entry in report["changes"]] == [
        ("mark again", None),
        ("endless repo-eu", "true"),
    ]
    assert report["failures"] == []
    assert [report["hosts"]["repo-eu"][name] for name in ("ok", "changed", "failures")] == [1, 1, 0]
    assert report["tasks"][0]["requests"]
    [line] = (workspace.folder / "interrupted.jsonl").read_text().splitlines()
    assert json.loads(line)["complete"] is False
    assert json.loads(line)["playbook"] == report["playbook"]
    assert (
        workspace.sandbox.environment["JFROG_ACCESS_TOKEN"] not in (workspace.folder / "interrupted.html").read_text()
    )


def test_page_is_accessible_when_a_run_is_interrupted(
    browser: Chromium, workspace: Workspace, interrupted_run: None
) -> None:
    browser.check_page(workspace.folder / "interrupted.html", "report-interrupted")


def test_page_is_accessible(browser: Chromium, workspace: Workspace, done: ReportedRun) -> None:
    assert "repo-eu" in (workspace.folder / "toolchain-report.html").read_text()  # not the page of another run
    browser.check_page(workspace.folder / "toolchain-report.html", "report")


def test_collapsed_details_are_printed(browser: Chromium, workspace: Workspace, done: ReportedRun) -> None:
    def check_print(page: Any) -> None:
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = false)")
        assert not page.locator("details pre").first.is_visible()
        page.emulate_media(media="print")
        assert page.locator("details pre").first.is_visible()

    assert browser.visit((workspace.folder / "toolchain-report.html").as_uri(), check_print) == []


def test_warning_is_printed_when_a_file_cannot_be_written(workspace: Workspace, done: ReportedRun) -> None:
    (workspace.folder / "a-file").write_text("")
    names = {"html": "x.html", "json": "x.json", "history": "x.jsonl", "markdown": "x.md", "junit": "x.xml"}
    options = [f"-etoolchain_report_{kind}=a-file/{name}" for kind, name in names.items()]
    output = " ".join(workspace.play(*options, playbook="nothing.yml").split())
    assert output.count("[WARNING]") == len(names)
    for name in names.values():
        assert output.count(f"a-file/{name}'") == 1
