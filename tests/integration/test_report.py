# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The callback `report`: what it writes of a run is what happened, without secrets, on a page that people can use."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
OF_ONE = {"when": "inventory_hostname == 'repo-eu'"}


def marked(name: str, properties: str | dict[str, str], **keywords: Any) -> dict[str, Any]:
    return {"name": name, PROPERTIES: {"repo": "generic-local", "path": ITEM, "properties": properties}, **keywords}


def said(name: str, text: Any, **keywords: Any) -> dict[str, Any]:
    return {"name": name, "ansible.builtin.fail": {"msg": text}, **keywords}


TASKS = [
    marked("mark", "{{ {inventory_hostname: '<b>&' ~ inventory_hostname} }}"),
    marked(
        "by a loop",
        {"loop": "{{ item.name | default(item) }}"},
        loop=["x", {"name": "y", "password": SECRETS["in a loop"]}],
        **OF_ONE,
    ),
    {
        "name": "many",
        PROPERTIES: {
            "repo": "generic-local",
            "properties": {"many": "1"},
            "items": [{"path": ITEM}, {"path": "none"}],
            "on_error": "report",
        },
        **OF_ONE,
    },
    {"name": "missing", PROPERTIES: {"repo": "generic-local", "path": "none", "properties": {}}, "ignore_errors": True},
    {
        "name": "as a module",
        QUERY: {"repo": "generic-local", "path": ITEM},
        "vars": {"toolchain_in_process": False},
        **OF_ONE,
    },
    marked("hidden", {"hidden": "{{ item }}"}, no_log=True, loop=[SECRETS["hidden"]], **OF_ONE),
    {
        "name": "tells a secret",
        "ansible.builtin.copy": {"content": "{{ toolchain_artifact_token }}\n", "dest": "{{ folder }}/token"},
        **OF_ONE,
    },
    {
        "block": [said("rescued", "{{ toolchain_artifact_token }} and {{ lookup('env', 'OPENAI_API_KEY') }}")],
        "rescue": [{"name": "rescue", "ansible.builtin.debug": {"msg": "saved"}}],
        **OF_ONE,
    },
    {
        "block": [said("the end", "no more")],
        "always": [{"name": "at last", "ansible.builtin.debug": {"msg": "told"}}],
        **OF_ONE,
    },
]
# An environment variable with what JSON escapes, and a variable that is set by a task
ODD_SECRET, LATE_SECRET = 'sk-a"b\\c-ü', "made-later"
TELLING = [
    {"name": "make", "ansible.builtin.set_fact": {"toolchain_ci_api_token": LATE_SECRET}},
    *(
        said(f"tell {number}", text, ignore_errors=True)
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
# What a run leaves that is killed as it writes
HALF_A_LINE = '{"started": "2026-01-01T00:'
INTERRUPTED = [
    marked("mark again", {"mark": "again"}),
    {
        "name": "endless {{ inventory_hostname }}",
        "ansible.builtin.shell": "{{ item }}",
        "loop": ["true", "touch started && exec sleep 600"],
    },
]
AFTERWARDS = [
    {"name": "include", "ansible.builtin.include_tasks": "included.yml", "loop": [1, 2]},
]


@dataclass
class Written:
    """What a run printed, what it wrote, and the requests that the sandbox served."""

    output: str
    report: dict[str, Any]
    page: str
    requests: int

    def of(self, kind: str, task: str) -> list[dict[str, Any]]:
        return [entry for entry in self.report[kind] if entry["task"] == task]


class Place:
    """A folder with a playbook, an inventory of two services and a machine that is off, and what runs leave there."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox, self.folder = sandbox, folder
        of = sandbox.environment
        repo = {
            "toolchain_artifact_url": of["JFROG_URL"],
            "toolchain_artifact_token": "{{ token }}",
            "token": of["JFROG_ACCESS_TOKEN"],
            "ansible_connection": "local",
            "folder": str(folder),
        }
        off = {"ansible_host": "127.0.0.1", "ansible_port": 1, "ansible_ssh_retries": 0}
        self._write("inventory.yml", {"all": {"hosts": {"repo-eu": repo, "repo-us": repo, "off": off}}})
        plays = [
            {"hosts": "repo-*", "gather_facts": False, "tasks": TASKS},
            {"hosts": "repo-us", "gather_facts": False, "strategy": "free", "tasks": AFTERWARDS},
            {"hosts": "off", "gather_facts": False, "tasks": [{"name": "ping", "ansible.builtin.ping": {}}]},
        ]
        self._write("site.yml", plays)
        self._write("nothing.yml", [{"hosts": "repo-us", "gather_facts": False}])
        self._write("secrets.yml", [{"hosts": "repo-us", "gather_facts": False, "tasks": TELLING}])
        self._write("interrupted.yml", [{"hosts": "repo-eu", "gather_facts": False, "tasks": INTERRUPTED}])
        self._write("included.yml", [marked("included {{ item }}", {"included": "{{ item }}"})])

    def _write(self, name: str, content: Any) -> None:
        (self.folder / name).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def play(self, *options: str, playbook: str = "site.yml", **settings: str) -> str:
        """Run the playbook; what it prints."""
        variables = environment(self.sandbox, ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report", **settings)
        output, _status = run_command(["-i", "inventory.yml", playbook, *options], variables, self.folder)
        return output

    def interrupt(self, **settings: str) -> None:
        """Run a playbook and another until its endless task runs and has told of its first item, and press Ctrl-C."""
        command = [PLAYBOOK, "-i", "inventory.yml", "nothing.yml", "interrupted.yml"]
        variables = environment(self.sandbox, ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report", **settings)
        started, told = self.folder / "started", self.folder / "told"
        with (
            told.open("w") as output,
            subprocess.Popen(
                command, cwd=self.folder, env=variables, stdout=output, stderr=output, start_new_session=True
            ) as process,
        ):
            while not (started.exists() and "(item=true)" in told.read_text()):
                assert process.poll() is None, told.read_text()
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.returncode == 99

    def written(self, *options: str, **settings: str) -> Written:
        self.sandbox.clear_journal()
        output = self.play(*options, **settings)
        report = json.loads((self.folder / "toolchain-report.json").read_text())
        page = (self.folder / "toolchain-report.html").read_text()
        return Written(output, report, page, len(self.sandbox.journal()))


@pytest.fixture(scope="module")
def place(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Place:
    running_sandbox.reset()
    folder = tmp_path_factory.mktemp("report")
    (folder / "history").mkdir()
    (folder / "history" / "runs.jsonl").write_text(HALF_A_LINE)
    return Place(running_sandbox, folder)


@pytest.fixture(scope="module")
def checked(place: Place) -> Written:
    return place.written("--check", "--diff", TOOLCHAIN_REPORT_HISTORY="history/runs.jsonl")


@pytest.fixture(scope="module")
def done(place: Place, checked: Written) -> Written:
    place.sandbox.fault(kind="status", status=503, service="artifact", times=1)
    return place.written("--diff", "-e", "toolchain_report_history=history/runs.jsonl")


def elsewhere(name: str) -> dict[str, str]:
    """Settings that leave the files of other runs alone."""
    return {"TOOLCHAIN_REPORT_HTML": f"{name}.html", "TOOLCHAIN_REPORT_JSON": f"{name}.json"}


def changes(written: Written) -> list[tuple[str, str, str]]:
    return sorted((change["host"], change["task"], change["item"] or "") for change in written.report["changes"])


CHANGES = [
    ("repo-eu", "by a loop", "item 2"),
    ("repo-eu", "by a loop", "x"),
    ("repo-eu", "hidden", "item 1"),
    ("repo-eu", "many", ""),
    ("repo-eu", "mark", ""),
    ("repo-eu", "tells a secret", ""),
    ("repo-us", "included 1", ""),
    ("repo-us", "included 2", ""),
    ("repo-us", "mark", ""),
]


@pytest.mark.ansible_core
def test_check_mode_tells_what_would_change(checked: Written) -> None:
    assert changes(checked) == CHANGES
    assert checked.report["check_mode"] and all(change["check_mode"] for change in checked.report["changes"])
    assert "What would change" in checked.page


@pytest.mark.ansible_core
def test_a_run_tells_what_changed(done: Written) -> None:
    assert changes(done) == CHANGES
    assert {change["service"] for change in done.report["changes"]} == {"artifact", "other"}
    assert not any(change["check_mode"] for change in done.report["changes"])
    diffs = {change["host"]: change["diff"].splitlines() for change in done.of("changes", "mark")}
    assert all(f'+    "<b>&{host}"' in lines for host, lines in diffs.items())
    assert "What changed" in done.page and "&lt;b&gt;&amp;repo-us" in done.page


@pytest.mark.ansible_core
def test_each_failure_is_told_with_what_became_of_it(checked: Written, done: Written) -> None:
    for written in (checked, done):
        states = [(each["host"], each["task"], each["state"]) for each in written.report["failures"]]
        assert sorted(states) == [
            ("off", "ping", "unreachable"),
            ("repo-eu", "missing", "ignored"),
            ("repo-eu", "rescued", "rescued"),
            ("repo-eu", "the end", "failed"),
            ("repo-us", "missing", "ignored"),
        ]
        hosts = written.report["hosts"]
        assert [hosts["repo-eu"][name] for name in ("failures", "rescued", "ignored")] == [1, 1, 1]
        assert written.of("failures", "the end")[0]["message"] == "no more"
        assert "Item 'none' does not exist" in written.of("failures", "missing")[0]["message"]


@pytest.mark.ansible_core
def test_bulk_tasks_tell_of_each_item_and_of_failures_first(done: Written) -> None:
    (bulk,) = done.report["bulk"]
    assert bulk["counts"] == {"changed": 1, "ok": 0, "failed": 1, "unknown": 0, "skipped": 0}
    assert [(line["status"], line["item"]) for line in bulk["outcomes"]] == [
        ("failed", "path: none"),
        ("changed", f"path: {ITEM}"),
    ]


@pytest.mark.ansible_core
def test_requests_are_those_that_were_sent(checked: Written, done: Written) -> None:
    for written in (checked, done):
        requests = {task["task"]: task["requests"] for task in written.report["tasks"]}
        unknown = {"as a module", "tells a secret", "rescued", "rescue", "the end", "at last", "ping"}
        assert {task for task, number in requests.items() if number is None} == unknown
        assert written.report["requests"] == sum(filter(None, requests.values()))
        # the ordinary module sends one, which nobody can know of
        assert written.report["requests"] == written.requests - 1
        assert requests["many"] and requests["by a loop"]
        assert not written.report["requests_known"]


@pytest.mark.ansible_core
def test_warnings_are_told(done: Written) -> None:
    if done.report["ansible_core"].startswith("2.18."):
        assert not done.report["warnings_known"]
        assert "keeps warnings from callbacks" in done.page
    else:
        (warning,) = done.report["warnings"]
        assert "1 request(s) had to be repeated" in warning["message"]


@pytest.mark.ansible_core
def test_no_secret_is_told(place: Place, checked: Written, done: Written) -> None:
    secrets = [*SECRETS.values(), place.sandbox.environment["JFROG_ACCESS_TOKEN"]]
    secrets.append(place.sandbox.environment["OPENAI_API_KEY"])
    for written in (checked, done):
        told = written.page + json.dumps(written.report)
        assert [secret for secret in secrets if secret in told] == []
        # where the secrets stood; ansible-core hides some of them itself since 2.22, in its own way
        assert re.fullmatch(f"{HIDDEN} and {HIDDEN}", written.of("failures", "rescued")[0]["message"])
        assert re.fullmatch(rf"\+{HIDDEN}", written.of("changes", "tells a secret")[0]["diff"].splitlines()[-1])
        assert written.of("changes", "hidden")[0]["hidden"]


@pytest.fixture(scope="module")
def several(place: Place) -> str:
    """Run two playbooks, with secrets that come late and a history of something else; return the output."""
    (place.folder / "foreign").write_text(FOREIGN)
    settings = {"TOOLCHAIN_REPORT_HISTORY": "foreign", "OPENAI_API_KEY": ODD_SECRET, **elsewhere("several")}
    return place.play("secrets.yml", playbook="nothing.yml", **settings)


@pytest.mark.ansible_core
def test_secrets_that_come_late_are_cut_off_or_look_odd_are_hidden(place: Place, several: str) -> None:
    told = (place.folder / "several.json").read_text()
    assert len(json.loads(told)["failures"]) == 5
    assert "sk-a" not in told
    assert LATE_SECRET not in told
    for username in ("bob", "another"):
        assert b64encode(f"{username}:{LATE_SECRET}".encode()).decode()[-8:] not in told


@pytest.mark.ansible_core
def test_several_playbooks_are_one_run(place: Place, several: str) -> None:
    report = json.loads((place.folder / "several.json").read_text())
    assert report["playbook"] == report["title"] == "nothing.yml secrets.yml"
    assert report["complete"] and report["hosts"]["repo-us"]["ignored"] == len(report["failures"])


@pytest.mark.ansible_core
def test_the_history_has_a_line_for_each_run(place: Place, done: Written) -> None:
    spoilt, *whole = (place.folder / "history" / "runs.jsonl").read_text().splitlines()
    assert spoilt == HALF_A_LINE
    lines = [json.loads(line) for line in whole]
    assert [line["check_mode"] for line in lines] == [True, False]
    assert [line["changes"] for line in lines][1] == len(done.report["changes"])
    assert [line["failures"] for line in lines] == [2, 2]
    assert len(re.findall("<rect", done.page)) == 4
    assert len(re.findall("<rect [^>]*hollow", done.page)) == 2


@pytest.mark.ansible_core
def test_a_history_of_something_else_is_left_as_it_is(place: Place, several: str) -> None:
    assert "'foreign' is not a history of runs, and was left unchanged" in " ".join(several.split())
    assert (place.folder / "foreign").read_text() == FOREIGN


@pytest.fixture(scope="module")
def interrupted(place: Place) -> None:
    """Interrupt a run."""
    place.interrupt(TOOLCHAIN_REPORT_HISTORY="interrupted.jsonl", **elsewhere("interrupted"))


@pytest.mark.ansible_core
def test_an_interrupted_run_tells_what_was_done_until_then(place: Place, interrupted: None) -> None:
    report = json.loads((place.folder / "interrupted.json").read_text())
    assert report["playbook"] == "nothing.yml interrupted.yml"
    assert not report["complete"]
    assert [(each["host"], each["task"]) for each in report["under_way"]] == [("repo-eu", "endless repo-eu")]
    assert [(each["task"], each["item"]) for each in report["changes"]] == [
        ("mark again", None),
        ("endless repo-eu", "true"),
    ]
    assert report["failures"] == []
    assert [report["hosts"]["repo-eu"][name] for name in ("ok", "changed", "failures")] == [1, 1, 0]
    assert report["tasks"][0]["requests"]
    [line] = (place.folder / "interrupted.jsonl").read_text().splitlines()
    assert json.loads(line)["complete"] is False
    assert json.loads(line)["playbook"] == report["playbook"]
    assert place.sandbox.environment["JFROG_ACCESS_TOKEN"] not in (place.folder / "interrupted.html").read_text()


def test_people_can_use_the_page_of_an_interrupted_run(browser: Chromium, place: Place, interrupted: None) -> None:
    browser.check_page(place.folder / "interrupted.html", "report-interrupted")


def test_people_can_use_the_page(browser: Chromium, place: Place, done: Written) -> None:
    assert "repo-eu" in (place.folder / "toolchain-report.html").read_text()  # no other run has written it
    browser.check_page(place.folder / "toolchain-report.html", "report")


def test_what_is_folded_is_printed(browser: Chromium, place: Place, done: Written) -> None:
    def on_paper(page: Any) -> None:
        page.evaluate("document.querySelectorAll('details').forEach(details => details.open = false)")
        assert not page.locator("details pre").first.is_visible()
        page.emulate_media(media="print")
        assert page.locator("details pre").first.is_visible()

    assert browser.visit((place.folder / "toolchain-report.html").as_uri(), on_paper) == []


def test_what_cannot_be_written_gives_a_warning(place: Place, done: Written) -> None:
    (place.folder / "a-file").write_text("")
    options: Sequence[str] = [
        f"-etoolchain_report_{name}={path}"
        for name, path in {"html": "a-file/x.html", "json": "a-file/x.json", "history": "a-file/x.jsonl"}.items()
    ]
    output = " ".join(place.play(*options, playbook="nothing.yml").split())
    assert output.count("[WARNING]") == 3
    for name in ("x.html", "x.json", "x.jsonl"):
        assert output.count(f"a-file/{name}'") == 1
