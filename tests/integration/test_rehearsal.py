# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `rehearse`: it tells what a playbook would do, and nobody in production hears of it."""

from __future__ import annotations

import socketserver
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from integration.playbook import played
from sandbox.rehearsal import Run, report, verdict

MARK = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz", "properties": {"qa.status": "passed"}}
SECRET = "hunter2-of-production"


class Production:
    """Servers that know no more than what somebody said to them."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []
        calls = self.calls

        class Called(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                calls.append(b"somebody called")

        # what is at the second address is asked for through proxies
        self._servers = [socketserver.ThreadingTCPServer((host, 0), Called) for host in ("127.0.0.1", "127.0.0.2")]
        self.addresses = ["http://{}:{}".format(*server.server_address) for server in self._servers]

    def __enter__(self) -> Production:
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


@pytest.fixture
def production() -> Iterator[Production]:
    with Production() as servers:
        yield servers


def inventory(url: str) -> dict[str, Any]:
    """Services in production, and a machine."""
    own = {"toolchain_artifact_url": url, "toolchain_artifact_username": "root", "toolchain_artifact_password": SECRET}
    ci = {"toolchain_ci_url": url, "toolchain_ci_username": "root", "toolchain_ci_api_token": "{{ nobody_has_it }}"}
    machine = {"ansible_host": "127.0.0.1", "ansible_port": int(url.rpartition(":")[2])}
    hosts = {"artifact": {"repo": own}, "ci": {"jenkins": ci}, "machines": {"web": machine}}
    return {"all": {"children": {group: {"hosts": members} for group, members in hosts.items()}}}


def site(url: str, by_proxy: str, program: Path) -> list[dict[str, Any]]:
    """Tasks that are as they should be, and all that could lead to production, which is let fail."""
    mark, info = "buildworks.toolchain.artifact_properties", "buildworks.toolchain.ci_info"
    files = {"url": url, "project": "platform", "admin_tool": str(program)}
    wrong: dict[str, dict[str, Any]] = {
        "by the task": {info: {"url": url}},
        "by defaults": {info: {}, "module_defaults": {"group/buildworks.toolchain.ci": {"url": url}}},
        "by another module": {"ansible.builtin.uri": {"url": by_proxy}, "delegate_to": "localhost"},
        "by a program": {"buildworks.toolchain.review_config_file_info": files},
        "by an ordinary module": {info: {"url": url}, "vars": {"toolchain_in_process": False}},
        "by a machine": {"ansible.builtin.ping": {}, "delegate_to": "web", "ignore_unreachable": True},
    }
    tasks = [{"name": name, "ignore_errors": True, **task} for name, task in wrong.items()]
    return [
        {"hosts": "artifact", "gather_facts": False, "tasks": [{"name": "Mark it", mark: MARK}]},
        {"hosts": "ci", "gather_facts": False, "tasks": [{"name": "Look", info: {}}, *tasks]},
    ]


def test_a_rehearsal_does_not_reach_production(
    production: Production, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, by_proxy = production.addresses
    for variable in ("JFROG_URL", "JENKINS_URL", "KLOCWORK_URL", "OPENAI_BASE_URL", "HTTP_PROXY"):
        monkeypatch.setenv(variable, url)
    hosts, playbook, program = tmp_path / "hosts.yml", tmp_path / "site.yml", tmp_path / "kwadmin"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/called\n")
    program.chmod(0o700)
    hosts.write_text(yaml.safe_dump(inventory(url)))
    playbook.write_text(yaml.safe_dump(site(url, by_proxy, program), sort_keys=False))
    output, good = played(
        ["buildworks.toolchain.rehearse", "-e", f"rehearse_inventory={hosts}", "-e", f"rehearse_playbook={playbook}"]
    )
    assert good, output
    assert production.calls == []
    assert not (tmp_path / "called").exists()
    # in check mode and in two runs
    assert output.count(f"This is a rehearsal, so {url} is not asked") >= 12
    assert output.count("This is a rehearsal: it logs in to no machine.") >= 3
    assert "Connection refused" in output
    assert "repo Mark it" in output.partition("What the first run changed")[2]
    assert "The second run had nothing to do." in output
    assert SECRET not in output


def run(status: int = 0, failed: int = 0, changed: tuple[str, ...] = ()) -> Run:
    changes = [{"host": "repo", "task": task, "item": ""} for task in changed]
    failures = [{"host": "repo", "task": "Break", "item": "It broke."}] * failed
    hosts = {"repo": {"failures": failed, "unreachable": 0, "changed": len(changed)}}
    return Run(status, 1.0, Counter({("artifact", "read"): 2}), hosts, changes, failures)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run(), run(changed=("Mark",)), run()], None),
        ([run(), run(changed=("Mark",)), run(changed=("Mark",))], "The second run changed something."),
        ([run(2, 1), run(), run()], "Check mode: a task failed."),
        ([run(), run(2, 1), run()], "First run: a task failed."),
        ([run(), run(), Run(4, 1.0, Counter())], "Second run: the playbook did not run."),
    ],
)
def test_the_verdict(runs: list[Run], expected: str | None) -> None:
    titled = dict(zip(("Check mode", "First run", "Second run"), runs, strict=True))
    assert (verdict(titled) or "").strip() == (expected or "")


def test_the_report() -> None:
    told = report({"Check mode": run(2, 1), "First run": run(2, 1, ("Mark",)), "Second run": run(changed=("Mark",))})
    lines = [" ".join(line.split()) for line in told.splitlines()]
    for line in ("repo Break It broke. (check mode, first run)", "changes 0 1 1", "failures 1 1 0"):
        assert line in lines
    assert "requests, artifact 2 read, 0 write 2 read, 0 write 2 read, 0 write" in lines
    assert lines[lines.index("##### What the first run changed") + 2] == "repo Mark"
    assert lines[lines.index("##### What the second run changed again") + 2] == "repo Mark"
