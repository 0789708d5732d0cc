# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of rehearsals: their report, and their isolation from production."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socketserver
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from sandbox.rehearsal import __main__ as program
from sandbox.rehearsal.report import find_problem, render_report
from sandbox.rehearsal.runs import Run, run_playbook
from support import running
from support.cases import RESOURCES
from support.playbook import ROOT, environment, run_ansible

ITEM = "app/1.0/app-1.0.tar.gz"
MARK = {"repo": "generic-local", "path": ITEM, "properties": {"qa.status": "passed"}}
ON_CONTROLLER = {"delegate_to": "localhost"}
COMPARED = {
    "vars": {
        "it": "{{ lookup('ansible.builtin.file', playbook_dir ~ '/token') }}",
        "is_ours": "{{ it == (read.content | b64decode | trim) }}",
    },
    "when": "not ansible_check_mode",
}
OWNED = {"description": "rehearsed", "subject": "svc-rehearsed", "token_file": "token"}
STORED = {"repo": "generic-local", "path": "token.txt", "src": "token"}
REPORT = {"content": "rehearsed", "dest": "{{ playbook_dir }}/report", "mode": "0600"}
LINE = {"path": "{{ playbook_dir }}/lines", "line": "rehearsed", "validate": "test -f %s"}
TOKEN: list[dict[str, Any]] = [
    {"name": "Create a token", "buildworks.toolchain.access_token": OWNED},
    {"name": "Upload it", "buildworks.toolchain.artifact_file": STORED},
    {
        "name": "Read it",
        "ansible.builtin.slurp": {"src": "{{ playbook_dir }}/token"},
        "register": "read",
        **ON_CONTROLLER,
    },
    {"name": "Write a report", "ansible.builtin.copy": REPORT, **ON_CONTROLLER},
    {"name": "Append a line", "ansible.builtin.lineinfile": LINE, **ON_CONTROLLER},
    {"name": "Compare", "ansible.builtin.assert": {"that": ["is_ours", "it != 'production'"]}, **COMPARED},
]
MARKING = "buildworks.toolchain.artifact_properties"
SECRET = "hunter2-of-production"
PRODUCTION_SECRET = "hunter3-of-production"


class Production:
    """Servers that record connections."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []
        calls = self.calls

        class Called(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                calls.append(b"connection")

        # Requests to the second address use proxies.
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
    """Return an inventory with services in production and a machine."""
    own = {"toolchain_artifact_url": url, "toolchain_artifact_username": "root", "toolchain_artifact_password": SECRET}
    ci = {"toolchain_ci_url": url, "toolchain_ci_username": "root", "toolchain_ci_api_token": "{{ nobody_has_it }}"}
    machine = {"ansible_host": "127.0.0.1", "ansible_port": int(url.rpartition(":")[2])}
    hosts = {"artifact": {"repo": own}, "ci": {"jenkins": ci}, "machines": {"web": machine}}
    return {"all": {"children": {group: {"hosts": members} for group, members in hosts.items()}}}


def site(url: str, by_proxy: str, program: Path, existing: Path) -> list[dict[str, Any]]:
    """Return valid tasks, and failing tasks that try to reach production in all ways."""
    info = "buildworks.toolchain.ci_info"
    files, here = {"url": url, "project": "platform", "admin_tool": str(program)}, {"delegate_to": "localhost"}
    nobody = {"become": True, "become_user": "nobody"}
    machine: dict[str, Any] = {"delegate_to": "web", "ignore_unreachable": True}
    place = {"host": "127.0.0.1", "port": int(url.rpartition(":")[2])}
    wrong: dict[str, dict[str, Any]] = {
        "by the task": {info: {"url": url}},
        "by defaults": {info: {}, "module_defaults": {"group/buildworks.toolchain.ci": {"url": url}}},
        "by another module": {"ansible.builtin.uri": {"url": by_proxy}, **here},
        "by a program": {"buildworks.toolchain.review_config_file_info": files},
        "by an ordinary module": {info: {"url": url}, "vars": {"toolchain_in_process": False}},
        "by another account": {"ansible.builtin.uri": {"url": by_proxy}, **here, **nobody},
        "by a machine": {"ansible.builtin.ping": {}, **machine},
        "by its start": {"ansible.builtin.wait_for_connection": {"timeout": 3600, "delay": 3600}, **machine},
        "by waiting": {"ansible.builtin.wait_for": {**place, "timeout": 3600}, **here},
        "by its end": {"ansible.builtin.wait_for": {**place, "state": "stopped"}, **here},
        "without a proxy": {"ansible.builtin.uri": {"url": url, "use_proxy": False}, **here},
        "by a lookup": {
            "ansible.builtin.debug": {"msg": f"{{{{ lookup('ansible.builtin.url', '{url}', use_proxy=false) }}}}"}
        },
        "by a program's login": {"ansible.builtin.command": "ssh web", **here, "changed_when": False},
    }
    tasks: list[dict[str, Any]] = [{"name": name, "ignore_errors": True, **task} for name, task in wrong.items()]
    failing = {"name": "Try", "ansible.builtin.fail": {"msg": "It has {{ given | length }} characters."}}
    jar = {"buildworks.toolchain.ci_cli_jar": {"dest": str(existing)}}
    tasks.append({"name": "Download in process", **jar})
    tasks.append({"name": "Download", **jar, "vars": {"toolchain_in_process": False}})
    tasks.append({"block": [failing], "rescue": [{"name": "Try another", "ansible.builtin.debug": {}}]})
    return [
        {"hosts": "artifact", "gather_facts": False, "roles": ["marked"]},
        {"hosts": "ci", "gather_facts": False, "tasks": [{"name": "Look", info: {}}, *tasks]},
    ]


@pytest.mark.ansible_core
def test_rehearsal_does_not_reach_production(
    production: Production, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, by_proxy = production.addresses
    for variable in ("JFROG_URL", "JENKINS_URL", "KLOCWORK_URL", "OPENAI_BASE_URL", "HTTP_PROXY"):
        monkeypatch.setenv(variable, url)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    hosts, playbook, program = tmp_path / "hosts.yml", tmp_path / "site.yml", tmp_path / "kwadmin"
    program.write_text(f"#!/bin/sh\necho $0 >> {tmp_path}/called\n")
    program.chmod(0o700)
    for other in ("sudo", "ssh"):
        (tmp_path / other).symlink_to(program)
    hosts.write_text(yaml.safe_dump(inventory(url)))
    existing = tmp_path / "cli.jar"
    existing.write_text("production")
    playbook.write_text(yaml.safe_dump(site(url, by_proxy, program, existing), sort_keys=False))
    tasks = tmp_path / "ours" / "marked" / "tasks"
    tasks.mkdir(parents=True)
    for name in ("token", "report", "lines"):
        (tmp_path / name).write_text("production")
    (tmp_path / "token").chmod(0o600)
    (tasks / "main.yml").write_text(yaml.safe_dump([{"name": "Mark it", MARKING: MARK}, *TOKEN], sort_keys=False))
    (tmp_path / "ansible.cfg").write_text("[defaults]\nroles_path = ours\n")
    values = {"inventory": hosts.name, "playbook": playbook.name, "options": ["-e", f"given={PRODUCTION_SECRET}"]}
    variables = tmp_path / "variables.yml"
    variables.write_text(yaml.safe_dump({f"rehearse_{name}": value for name, value in values.items()}))
    output, good = run_ansible(["buildworks.toolchain.rehearse", "-v", "-e", f"@{variables}"], folder=tmp_path)
    assert good, output
    assert production.calls == []
    called = tmp_path / "called"
    assert not called.exists(), called.read_text()
    assert existing.read_text() == "production"
    for name in ("token", "report", "lines"):
        assert (tmp_path / name).read_text() == "production"
    # in check mode and in both runs
    assert output.count(f"This is a rehearsal, so no request is sent to {url}") >= 12
    place = url.partition("//")[2]
    for task in ("by waiting", "by its end", "without a proxy", "by a lookup"):
        assert re.search(rf"jenkins {task} .*Connections to {place} are disabled during a rehearsal", output), task
    assert "jenkins by its start" in output
    assert output.count("SSH connections are disabled during a rehearsal.") >= 3
    changed = output.partition("Changes of the first run")[2].partition("#####")[0]
    for task in ("Mark it", "Create a token", "Upload it", "Write a report", "Append a line"):
        assert f"repo {task}" in changed
    assert "jenkins Download in process" in changed
    assert "jenkins Download " not in changed.replace("Download in process", "")
    assert "The second run changed nothing." in output
    assert SECRET not in output
    ignored, rescued = (output.partition(f"{outcome} failures")[2] for outcome in ("Ignored", "Rescued"))
    assert f"jenkins Try It has {len(PRODUCTION_SECRET)} characters. (check mode, first run, second run)" in rescued
    assert "jenkins by the task" in ignored and "jenkins by a machine" in ignored
    for task in ("by another module", "by another account"):
        assert re.search(rf"jenkins {task} [^()]*Connection refused[^()]* \(first run, second run\)", ignored)
    assert "jenkins by a program's login" in ignored
    assert '"##### Failed tasks"' not in output
    assert PRODUCTION_SECRET not in output


def test_rehearsal_writes_no_log_cache_or_report_when_the_user_configures_them(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site.yml").write_text(yaml.safe_dump([{"hosts": "localhost", "connection": "local"}]))
    written = {name: tmp_path / name for name in ("log", "facts", "report", "created")}
    monkeypatch.setenv("ANSIBLE_LOG_PATH", str(written["log"]))
    monkeypatch.setenv("ANSIBLE_CACHE_PLUGIN", "jsonfile")
    monkeypatch.setenv("ANSIBLE_CACHE_PLUGIN_CONNECTION", str(written["facts"]))
    monkeypatch.setenv("ANSIBLE_CALLBACKS_ENABLED", "buildworks.toolchain.report")
    monkeypatch.setenv("TOOLCHAIN_REPORT_JSON", str(written["report"]))
    for name, value in environment(None).items():
        monkeypatch.setenv(name, value)
    run = run_playbook(sandbox, tmp_path, ["ansible-playbook", str(tmp_path / "site.yml")], "Check mode")
    assert not run.has_failed
    assert [name for name, path in written.items() if path.exists()] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_rehearsal_removes_its_files_when_it_is_stopped(number: signal.Signals, tmp_path: Path) -> None:
    site, temporary = tmp_path / "site.yml", tmp_path / "temporary"
    temporary.mkdir()
    task = {"name": "Sleep", "ansible.builtin.command": {"argv": ["sleep", "600"]}}
    site.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "tasks": [task]}]))
    process = subprocess.Popen(
        [sys.executable, "-m", "sandbox.rehearsal", "-i", "localhost,", "--playbook", str(site)],
        env={**environment(), "PYTHONPATH": str(ROOT / "extensions"), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout
    starts = (line for line in process.stdout if line.startswith("TASK [Sleep]"))
    assert [next(starts), next(starts)]  # in check mode and in the first run
    process.send_signal(number)
    _output, errors = process.communicate(timeout=60)
    last_line = errors.strip().splitlines()[-1]  # ansible-core may print a traceback of a worker that was just started
    assert (process.returncode, last_line) == (1, f"The rehearsal was stopped by {number.name}.")
    assert list(temporary.iterdir()) == []


ORGANIZATION = {
    "inference_governance_projects": [
        {"name": "Sandbox", "limits": [{"model": "gpt-4o", "max_requests_per_1_minute": 100}]},
        {"name": "Search"},
    ],
    "inference_governance_users": [
        {"email": "olivia@sandbox.example", "role": "owner"},
        {"email": "alice@sandbox.example", "projects": [{"name": "Search"}]},
        {"email": "bob@sandbox.example", "role": "owner"},
    ],
    "inference_governance_max_key_age_days": 90,
    "inference_governance_remediate": ["projects", "limits", "users", "keys"],
}
REMEDIATIONS = (
    "projects Search",
    "rate limits proj_sandbox",
    "users bob@sandbox.example",
    "users alice@sandbox.example",
)


def test_rehearsal_on_a_snapshot_changes_objects_of_production(
    production: Production, sandbox: Sandbox, tmp_path: Path
) -> None:
    hosts, site, folder = tmp_path / "hosts.yml", tmp_path / "site.yml", tmp_path / "snapshot"
    review_url = sandbox.environment["KLOCWORK_URL"]
    klocwork = {
        "toolchain_review_url": review_url,
        "toolchain_review_ltoken_file": sandbox.environment["KLOCWORK_LTOKEN"],
        "toolchain_review_username": "admin",
    }
    hosts.write_text(yaml.safe_dump(group_hosts({}, klocwork)))
    output, good = run_ansible(
        ["buildworks.toolchain.snapshot", "-i", hosts, "-e", f"snapshot_folder={folder}"], sandbox
    )
    assert good, output
    [url, _by_proxy] = production.addresses
    keys = {"api_key": f"sk-{SECRET}", "admin_key": f"sk-admin-{SECRET}", "session_token": f"sess-{SECRET}"}
    login = {"url": url, **keys, "organization": "org-of-others", "project": "proj_of_others"}
    openai = {f"toolchain_inference_{option}": value for option, value in login.items()}
    hosts.write_text(yaml.safe_dump(group_hosts({**openai, **ORGANIZATION}, klocwork)))
    site.write_text(yaml.safe_dump(list_plays(review_url)))
    sandbox.clear_journal()
    files = {"inventory": hosts, "playbook": site, "snapshot": folder}
    options = [word for name, path in files.items() for word in ("-e", f"rehearse_{name}={path}")]
    output, good = run_ansible(["buildworks.toolchain.rehearse", *options], sandbox)
    assert good, output
    assert production.calls == []
    assert sandbox.journal() == []
    assert SECRET not in output
    changed = output.partition("Changes of the first run")[2]
    assert [change for change in REMEDIATIONS if f"openai Remediate {change}" not in changed] == []
    assert "openai Revoke old admin keys Main admin key" in changed
    assert "klocwork Change issues" in changed
    assert "klocwork Create a project" in changed
    assert "The second run changed nothing." in output
    assert output.count(f"Connections to {review_url} are disabled during a rehearsal.") >= 2


REPLICATED = {"url": "https://other.example/artifactory/generic-local", "username": "ci", "password": SECRET}
PROXY = {"host": "proxy.example", "port": 3128, "username": "artifactory", "password": SECRET}
ADMINISTRATION: dict[str, Any] = {
    "repositories": [
        {"key": "mirror", "rclass": "remote", "url": "https://up.example", "username": "ci", "password": SECRET},
        {"key": "web-local", "rclass": "local", "projectKey": "web"},
    ],
    "environments": ["QA"],
    "projects": [{"project_key": "web", "display_name": "Web", "users": [{"name": "reader", "roles": ["Viewer"]}]}],
    "configuration": {"proxies": {"corporate": PROXY}},
    "replications": [
        {"repoKey": "generic-local", "cronExp": "0 0 2 * * ?", **REPLICATED},
        {"repoKey": "mirror", "cronExp": "0 0 3 * * ?"},
    ],
    "webhooks": [
        {
            "key": "deploy",
            "event_filter": {"domain": "artifact", "event_types": ["deployed"], "criteria": {"anyLocal": True}},
            "handlers": [{"handler_type": "webhook", "url": "https://deploy.example/", "secret": SECRET}],
        }
    ],
}
WEB = {
    "key": "web",
    "members": [{"user": "reader", "roles": ["Viewer"]}, {"group": "readers", "roles": ["deployer"]}],
    "roles": [{"name": "deployer", "environments": ["DEV", "QA"], "actions": ["READ_REPOSITORY"]}],
    "repositories": ["web-local", "generic-local"],
}
API = {"key": "api", "display_name": "Interfaces", "environments": ["api-load"]}
PUSH = {"repo": "generic-local", "cron": "0 0 2 * * ?", "targets": [REPLICATED]}
PULL = {"repo": "mirror", "type": "pull", "cron": "0 0 3 * * ?"}
WEBHOOK = {"key": "deploy", "domain": "artifact", "webhook_url": "https://deploy.example/", "secret": SECRET}
OTHER_PROXY = {**PROXY, "host": "other.example"}
# Tasks for the administration of Artifactory, and whether they change what production has
DECLARED: dict[str, tuple[str, dict[str, Any], bool]] = {
    "Keep the environment": ("environment", {"name": "QA"}, False),
    "Add an environment": ("environment", {"name": "LOAD"}, True),
    "Keep the project": ("project", {"key": "web", "display_name": "Web", "members": WEB["members"][:1]}, False),
    "Manage projects": ("project", {"items": [WEB, API], "undeclared": "report"}, True),
    "Keep the replications": ("replication", {"items": [PUSH, PULL]}, False),
    "Change a replication": ("replication", {**PULL, "sync_deletes": True}, True),
    "Keep the webhook": ("webhook", WEBHOOK, False),
    "Change the webhook": ("webhook", {**WEBHOOK, "event_types": ["deployed", "moved"]}, True),
    "Keep the proxy": ("configuration", {"configuration": {"proxies": {"corporate": PROXY}}}, False),
    "Configure": ("configuration", {"configuration": {"proxies": {"other": OTHER_PROXY}, "footer": "Ours"}}, True),
}


def test_rehearsal_on_a_snapshot_changes_the_administration_of_artifactory(sandbox: Sandbox, tmp_path: Path) -> None:
    hosts, site, folder = tmp_path / "hosts.yml", tmp_path / "site.yml", tmp_path / "snapshot"
    sandbox.seed({"artifact": ADMINISTRATION})
    hosts.write_text(yaml.safe_dump({"artifact": {"hosts": {"repo": None}}}))
    output, good = run_ansible(
        ["buildworks.toolchain.snapshot", "-i", hosts, "-e", f"snapshot_folder={folder}"], sandbox
    )
    assert good, output
    tasks = [
        {"name": name, f"buildworks.toolchain.artifact_{kind}": options}
        for name, (kind, options, _is_change) in DECLARED.items()
    ]
    site.write_text(yaml.safe_dump([{"hosts": "artifact", "gather_facts": False, "tasks": tasks}]))
    sandbox.clear_journal()
    files = {"inventory": hosts, "playbook": site, "snapshot": folder}
    options = [word for name, path in files.items() for word in ("-e", f"rehearse_{name}={path}")]
    output, good = run_ansible(["buildworks.toolchain.rehearse", *options], sandbox)
    assert good, output
    assert sandbox.journal() == []
    assert SECRET not in output
    changed = output.partition("Changes of the first run")[2]
    assert {name for name in DECLARED if f"repo {name}" in changed} == {
        name for name, (_kind, _options, is_change) in DECLARED.items() if is_change
    }
    reads, changes = r"\d+ read, 0 write", r"\d+ read, [1-9]\d* write"
    assert re.search(rf"requests, artifact\s+{reads}\s+{changes}\s+{reads}\b", output), output
    assert "The second run changed nothing." in output


# Modules whose cases create what production has
DESCRIBED = (
    *("saml", "oidc", "ldap", "keypair", "certificate", "trusted_key", "cleanup_policy"),
    *("backup", "layout", "mail", "property_set", "proxy"),
)


def test_rehearsal_on_a_snapshot_finds_the_single_sign_on_keys_and_policies_of_artifactory(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    hosts, site, folder = tmp_path / "hosts.yml", tmp_path / "site.yml", tmp_path / "snapshot"
    sandbox.switch("artifact", version="7.111.4", edition="enterprise", trusted_keys_require_enterprise=True)
    hosts.write_text(yaml.safe_dump({"artifact": {"hosts": {"repo": {"ansible_connection": "local"}}}}))
    created = {name: RESOURCES[f"artifact_{name}"].create for name in DESCRIBED}
    tasks = [
        {"name": f"Keep {name}", f"buildworks.toolchain.artifact_{name}": options} for name, options in created.items()
    ]
    site.write_text(yaml.safe_dump([{"hosts": "artifact", "gather_facts": False, "tasks": tasks}]))
    for playbook in ([site], ["buildworks.toolchain.snapshot", "-e", f"snapshot_folder={folder}"]):
        output, good = run_ansible([*playbook, "-i", hosts], sandbox)
        assert good, output
    manifest = (folder / "artifact" / "manifest.json").read_text()
    for options in created.values():
        secrets = [options[name] for name in options if re.search("private_key|pass", name) and options[name]]
        assert not [secret for secret in secrets if json.dumps(secret)[1:-1] in manifest]
    assert "PRIVATE KEY" not in manifest
    sandbox.clear_journal()
    files = {"inventory": hosts, "playbook": site, "snapshot": folder}
    options = [word for name, path in files.items() for word in ("-e", f"rehearse_{name}={path}")]
    output, good = run_ansible(["buildworks.toolchain.rehearse", *options], sandbox)
    assert good, output
    assert sandbox.journal() == []
    reads = r"\d+ read, 0 write"
    assert re.search(rf"requests, artifact\s+{reads}\s+{reads}\s+{reads}\b", output), output


LIBRARY = {"name": "library", "type": "multibranch", "git": {"url": "https://git.example/library.git"}}
BUILT = {"name": "team/app", "type": "freestyle", "triggers": {"cron": "H 2 * * *"}, "shell": ["make"]}
AGENT = {"name": "linux-1", "remote_root": "/srv", "labels": ["linux"], "environment_variables": {"LANG": "C"}}
REGISTRY = {"type": "username_password", "credential_username": "ci", "credential_password": SECRET}
GRANTS = {"admin": ["Overall/Administer"], "carol": ["Overall/Read"]}
MESSAGE = {"systemMessage": "Managed", "numExecutors": 3}
# Tasks that create what production has
CONTROLLER: dict[str, tuple[str, dict[str, Any]]] = {
    "Keep the folder": ("folder", {"name": "team", "display_name": "The Team"}),
    "Keep the job": ("job", BUILT),
    "Keep the library": ("job", LIBRARY),
    "Keep the view": ("view", {"name": "Ours", "jobs": ["app"], "regex": "a.*"}),
    "Keep the view of the folder": ("view", {"name": "Ours", "folder": "team", "jobs": ["app"]}),
    "Keep the agent": ("node", AGENT),
    "Keep the domain": ("credential_domain", {"name": "example", "hostname": {"includes": ["*.example"]}}),
    "Keep the login": ("credential", {**REGISTRY, "id": "registry", "domain": "example", "scope": "system"}),
    "Keep the login of the folder": ("credential", {**REGISTRY, "id": "registry", "folder": "team"}),
    "Keep the user": ("user", {"name": "carol", "full_name": "Carol Jones", "user_password": SECRET}),
    "Keep the permissions": ("authorization", {"strategy": "project_matrix", "users": GRANTS, "purge": True}),
    "Keep the permissions of the folder": ("authorization", {"folder": "team", "users": {"carol": ["Job/Read"]}}),
    "Keep the configuration": ("configuration", {"configuration": {"jenkins": MESSAGE}}),
    "Keep the approval": ("script_approval", {"signature": "method java.lang.String trim"}),
    "Keep the resource": ("lockable_resource", {"name": "printer", "labels": ["office"]}),
}
CONTROLLER_CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "Change the folder": ("folder", {"name": "team", "display_name": "Our Team"}),
    "Change the job": ("job", {**BUILT, "shell": ["make check"]}),
    "Change the view": ("view", {"name": "Ours", "regex": "b.*"}),
    "Change the agent": ("node", {**AGENT, "labels": ["linux", "gpu"]}),
    "Change the login": ("credential", {**REGISTRY, "id": "registry", "folder": "team", "description": "Registry"}),
    "Change the user": ("user", {"name": "carol", "full_name": "Carol Smith"}),
    "Delete other users": ("user", {"items": [{"name": "admin"}, {"name": "carol"}], "undeclared": "remove"}),
    "Change the permissions": ("authorization", {"folder": "team", "users": {"carol": ["Job/Build", "Job/Read"]}}),
    "Change the configuration": ("configuration", {"configuration": {"jenkins": {"mode": "EXCLUSIVE"}}}),
}


def play_ci(tasks: dict[str, tuple[str, dict[str, Any]]]) -> str:
    """Return a playbook with tasks for Jenkins."""
    described = [{"name": name, f"buildworks.toolchain.ci_{kind}": options} for name, (kind, options) in tasks.items()]
    return str(yaml.safe_dump([{"hosts": "ci", "gather_facts": False, "tasks": described}]))


def test_rehearsal_on_a_snapshot_predicts_the_changes_of_jenkins(sandbox: Sandbox, tmp_path: Path) -> None:
    hosts, site, folder = tmp_path / "hosts.yml", tmp_path / "site.yml", tmp_path / "snapshot"
    hosts.write_text(yaml.safe_dump({"ci": {"hosts": {"jenkins": {"ansible_connection": "local"}}}}))
    site.write_text(play_ci(CONTROLLER))
    output, good = run_ansible([site, "-i", hosts], sandbox)
    assert good, output
    command = ["buildworks.toolchain.snapshot", "-i", hosts, "-e", f"snapshot_folder={folder}"]
    output, good = run_ansible(command, sandbox)
    assert good, output
    site.write_text(play_ci(CONTROLLER | CONTROLLER_CHANGES))
    sandbox.clear_journal()
    files = {"inventory": hosts, "playbook": site, "snapshot": folder}
    options = [word for name, path in files.items() for word in ("-e", f"rehearse_{name}={path}")]
    output, _good = run_ansible(["buildworks.toolchain.rehearse", *options], sandbox)
    assert sandbox.journal() == []
    assert SECRET not in output
    changed = output.partition("Changes of the first run")[2].partition("Changes of the second run")[0]
    tasks = CONTROLLER | CONTROLLER_CHANGES
    assert {name for name in tasks if f"jenkins {name}" in changed} == set(CONTROLLER_CHANGES), output


def group_hosts(openai: dict[str, Any], klocwork: dict[str, Any]) -> dict[str, Any]:
    """Return an inventory of two services."""
    return {"inference": {"hosts": {"openai": openai}}, "review": {"hosts": {"klocwork": klocwork}}}


def list_plays(url: str) -> list[dict[str, Any]]:
    """Return plays that change both services, and call a program with the address of production."""
    rule = {"query": "code:RLK", "from_owner": ["unowned"], "owner": "alice", "status": "Fix"}
    program = {"argv": ["kwadmin", "--url", url, "list-projects"]}
    project = {"name": "payments", "use_admin_tool": True}
    tasks = [
        {"name": "Change issues", "buildworks.toolchain.review_issue": {"project": "mobile-app", "rules": [rule]}},
        {"name": "Create a project", "buildworks.toolchain.review_project": project},
        {"name": "Use a program", "ansible.builtin.command": program, "ignore_errors": True, "changed_when": False},
    ]
    return [
        {"ansible.builtin.import_playbook": "buildworks.toolchain.governance"},
        {"hosts": "review", "connection": "local", "gather_facts": False, "tasks": tasks},
    ]


CHANGE = {"ansible.builtin.command": "true"}
FAIL = {"ansible.builtin.command": "false"}
CHANGES: list[dict[str, Any]] = [
    {"name": "Run {{ inventory_hostname }}", **CHANGE, "notify": "Handle"},
    {"name": "Loop", **CHANGE, "loop": ["one", "two"], "changed_when": "item == 'two'"},
    {"name": "Hide", **CHANGE, "loop": ["three", "four"], "no_log": True},
    {"name": "Ignore", **FAIL, "ignore_errors": True},
    {"name": "Fail an item", "ansible.builtin.command": "{{ item }}", "loop": ["true", "false"], "ignore_errors": True},
    {"block": [{"name": "Rescue", **FAIL}], "rescue": [{"name": "Keep", **CHANGE, "changed_when": False}]},
    {"name": "Start", **CHANGE, "async": 10, "poll": 1},
    {**CHANGE, "loop": []},
    {**CHANGE},
]


@pytest.mark.ansible_core
def test_changes_are_listed_when_their_tasks_loop_fail_or_hide(sandbox: Sandbox, tmp_path: Path) -> None:
    handlers = [{"name": "Handle", **CHANGE}]
    site = {"hosts": "localhost", "gather_facts": False, "tasks": CHANGES, "handlers": handlers}
    (tmp_path / "site.yml").write_text(yaml.safe_dump([site]))
    done = run_playbook(sandbox, tmp_path, ["ansible-playbook", str(tmp_path / "site.yml")], "Second run")
    assert [(change["task"], change["item"]) for change in done.changes] == [
        ("Run localhost", ""),
        ("Loop", "two"),
        ("Hide", "hidden by no_log"),
        ("Hide", "hidden by no_log"),
        ("Ignore", ""),
        ("Fail an item", "true"),
        ("Fail an item", "false"),
        ("Rescue", ""),
        ("Start", ""),
        ("ansible.builtin.command", ""),
        ("Handle", ""),
    ]


ARTIFACT = {"repo": "generic-local", "path": ITEM}
PROMPTS = {"model": "gpt-4o-mini", "prompts": [{"id": "greeting", "prompt": "Hello"}]}
CHECKS = [{"query": "severity:1-4"}]
RULES = [{"repos": ["generic-local"], "older_than": "1d"}]
# Modules with the options for files that they write. An empty file is one of each kind
WRITERS: dict[str, tuple[str, dict[str, Any]]] = {
    "a download": ("artifact_download", {**ARTIFACT, "dest": "file"}),
    "a download into a folder": ("artifact_download", {**ARTIFACT, "dest": "new/"}),
    "a list": ("artifact_query_info", {"find": {}, "to_file": "file"}),
    "a plan": ("artifact_cleanup", {"rules": RULES, "plan_file": "file", "state_file": "state", "to_file": "outcomes"}),
    "outcomes": ("artifact_properties", {"items": [ARTIFACT], "properties": {"a": "b"}, "to_file": "file"}),
    "a client": ("ci_cli_jar", {"dest": "file"}),
    "a log": ("ci_build_info", {"job": "app", "build": "last", "console_file": "file"}),
    "a gate": (
        "review_gate_info",
        {"project": "mobile-app", "checks": CHECKS, "json_file": "file", "sarif_file": "new"},
    ),
    "answers": ("inference_chat_batch", {**PROMPTS, "to_file": "file"}),
    "kept answers": ("inference_chat", {"model": "gpt-4o-mini", "prompt": "Hello", "cache": "new/folder"}),
}
FILES = ("dest", "to_file", "plan_file", "state_file", "console_file", "json_file", "sarif_file", "cache")


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("case", WRITERS)
def test_module_writes_nothing_but_copies_in_a_rehearsal(
    case: str, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, options = WRITERS[case]
    copies, folder = tmp_path / "copies", tmp_path / "folder"
    for path in (copies, folder):
        path.mkdir()
    (folder / "file").touch(mode=0o600)
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", sandbox.url)
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_FILES", str(copies))
    named = {name: f"{folder}/{value}" if name in FILES else value for name, value in options.items()}
    results = [running.run(module, **named) for _run in range(2)]
    assert [result.get("failed") for result in results] == [None, None], results
    assert [(path.name, path.read_bytes()) for path in folder.rglob("*")] == [("file", b"")]
    assert [path for path in copies.rglob("*") if path.is_file() and path.stat().st_size]
    assert str(copies) not in str(results)


def run(status: int = 0, failed: int = 0, changed: tuple[str, ...] = ()) -> Run:
    changes = [{"host": "repo", "task": task, "item": ""} for task in changed]
    failures = [{"host": "repo", "task": "Break", "item": "It broke.", "outcome": "failed"}] * failed
    failures.append({"host": "repo", "task": "Try", "item": "No.", "outcome": "rescued"})
    hosts = {"repo": {"failures": failed, "unreachable": 0, "changed": len(changed)}}
    return Run(status, 1.0, Counter({("artifact", "read"): 2}), hosts, changes, failures)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run(), run(changed=("Mark",)), run()], None),
        (
            [run(), run(changed=("Mark",)), run(changed=("Mark",))],
            "The second run was not idempotent. It changed: Mark (repo).",
        ),
        (
            [run(), run(), run(changed=("Mark", "Mark", *"abcdefghijk"))],
            "The second run was not idempotent. It changed: "
            + "".join(f"{task} (repo); " for task in ("Mark", *"abcdefghi"))
            + "2 more.",
        ),
        ([run(2, 1), run(), run()], "Check mode: a task failed."),
        ([run(), run(2, 1), run()], "First run: a task failed."),
        ([run(), run(), Run(4, 1.0, Counter())], "Second run: the playbook did not run."),
    ],
)
def test_problem_is_reported_when_a_run_failed_or_changed_anything_again(runs: list[Run], expected: str | None) -> None:
    titled = dict(zip(("Check mode", "First run", "Second run"), runs, strict=True))
    assert (find_problem(titled) or "").strip() == (expected or "")


def test_report_lists_changes_and_failures() -> None:
    text = render_report(
        {"Check mode": run(2, 1), "First run": run(2, 1, ("Mark",)), "Second run": run(changed=("Mark",))}
    )
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for line in ("repo Break It broke. (check mode, first run)", "changes 0 1 1", "failures 1 1 0"):
        assert line in lines
    assert "requests, artifact 2 read, 0 write 2 read, 0 write 2 read, 0 write" in lines
    assert lines[lines.index("##### Changes of the first run") + 2] == "repo Mark"
    assert lines[lines.index("##### Rescued failures") + 2].startswith("repo Try No. (check mode, first")
    assert lines[lines.index("##### Changes of the second run (not idempotent)") + 2] == "repo Mark"


@pytest.mark.parametrize(
    ("skipped", "warnings"),
    [
        (
            [{"list": "users", "reason": "Managing users and groups requires Artifactory Pro."}],
            [
                "Warning: the snapshot of repo lacks users, so the sandbox behaves as if there were none. Managing "
                "users and groups requires Artifactory Pro."
            ],
        ),
        ([], []),
    ],
)
def test_missing_lists_of_a_snapshot_are_warnings(
    skipped: list[dict[str, str]],
    warnings: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "artifact").mkdir()
    manifest = {"format": 1, "host": "repo", "skipped_lists": skipped}
    (tmp_path / "artifact/manifest.json").write_text(json.dumps(manifest))
    monkeypatch.setattr(
        sys, "argv", ["rehearsal", "--playbook", "site.yml", "-i", "hosts", "--snapshot", str(tmp_path)]
    )
    monkeypatch.setattr(signal, "signal", lambda *_arguments: None)
    monkeypatch.setattr(program.client, "start", lambda **_options: contextlib.nullcontext())
    monkeypatch.setattr(
        program, "rehearse", lambda *_arguments: {"Check mode": run(), "First run": run(), "Second run": run()}
    )
    with pytest.raises(SystemExit):
        program.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("Warning")] == warnings
