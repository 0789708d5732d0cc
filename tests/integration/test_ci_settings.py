# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role `ci_settings` on this machine, with its files in a folder of the test and the sandbox as the server."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import SUPPORT, Done, environment, list_failures, run_ansible, run_command

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="CANNOT RUN HERE: no systemd-analyze")
SESSIONS = {"ci_settings_session_timeout": 1440, "ci_settings_session_eviction": 43200}
POLICY = "sandbox;  default-src * 'self' data:; img-src [a-z]* \"$HOME\" `id` %n \\n ?"
SET = "System.setProperty(args.name, args.value)"
NOT_SAFELY = ["quiet_down", "restart"]
SAFELY = ["quiet_down", "safe_restart"]
END = "End the run"


@dataclasses.dataclass
class Round:
    """The outcome of one run of the role."""

    failure: str = ""
    changed: list[str] = dataclasses.field(default_factory=list)
    written: list[str] = dataclasses.field(default_factory=list)

    def add(self, done: Done) -> None:
        """Add the outcome of a task."""
        if done.status == "failed":
            self.failure += str(done.result["msg"])
        if done.result.get("changed"):
            self.changed.append(done.task)
        labels = [entry["label"] for entry in done.requests if entry["effect"] == "write"]
        self.written += [label for label in labels if label != "script"]  # the sandbox counts all scripts as writes


class Host:
    """This machine as the host of Jenkins."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.drop_in = folder / "jenkins.service.d" / "toolchain.conf"
        self.environment = folder / "default"
        self.variables: dict[str, Any] = {
            "ansible_connection": "local",
            "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
            "toolchain_ci_username": sandbox.environment["JENKINS_USER_ID"],
            "toolchain_ci_api_token": sandbox.environment["JENKINS_API_TOKEN"],
            "ci_settings_systemd": False,
            "ci_settings_drop_in": str(self.drop_in),
            "ci_settings_environment_file": str(self.environment),
            "ci_settings_variables": {"java_options": "JAVA_ARGS", "launch_options": "JENKINS_ARGS"},
            "ci_settings_restart_command": "",
            "ci_settings_wait_timeout": 60,
            "ci_settings_restart_timeout": 120,
        }

    def run(self, *rounds: dict[str, Any]) -> list[Round]:
        """Run the role several times with these variables, also after a failure; return what each run did."""
        role = {"ansible.builtin.import_role": {"name": "buildworks.toolchain.ci_settings"}}
        end = [{"name": END, "ansible.builtin.command": "{{ at_the_end }}", "when": "at_the_end is defined"}]
        tasks = [{"block": [role], "rescue": [{"ansible.builtin.meta": "noop"}], "always": end}]
        plays = [
            {"hosts": "ci", "gather_facts": False, "vars": play_variables, "tasks": tasks} for play_variables in rounds
        ]
        record = self.folder / "record.jsonl"
        variables = environment(
            self.sandbox,
            ANSIBLE_CALLBACK_PLUGINS=str(SUPPORT / "callback_plugins"),
            ANSIBLE_CALLBACKS_ENABLED="record",
            RECORD_FILE=str(record),
        )
        output, status = run_command(self.write_playbook({"jenkins": {}}, plays), variables)
        assert (status, "WARNING" in output) == (0, False), output
        results = [Round()]
        for done in (Done(**json.loads(line)) for line in record.read_text().splitlines()):
            if done.task == END:
                results.append(Round())
            else:
                results[-1].add(done)
        assert len(results) == len(rounds) + 1, output
        return results[:-1]

    def write_playbook(self, hosts: dict[str, dict[str, Any]], plays: list[dict[str, Any]]) -> list[str | Path]:
        """Write the playbook and its inventory, and return them as arguments."""
        inventory, playbook = self.folder / "hosts.json", self.folder / "play.yml"
        hostvars = {name: {**self.variables, **variables} for name, variables in hosts.items()}
        inventory.write_text(json.dumps({"ci": {"hosts": hostvars}}))
        playbook.write_text(yaml.safe_dump(plays))
        return [playbook, "-i", inventory]

    def play(self, hosts: dict[str, dict[str, Any]]) -> str:
        """Run the role for all hosts at once; return the output in one line."""
        play = {"hosts": "ci", "gather_facts": False, "roles": ["buildworks.toolchain.ci_settings"]}
        self.sandbox.clear_journal()
        return run_ansible(self.write_playbook(hosts, [play]))[0]

    def post_command(self, path: str) -> str:
        """Return a command that sends a POST request to the server."""
        variables = self.sandbox.environment
        login = f"{variables['JENKINS_USER_ID']}:{variables['JENKINS_API_TOKEN']}"
        return f"curl -s -u {login} -X POST {variables['JENKINS_URL']}{path}"


@pytest.fixture
def host(sandbox: Sandbox, tmp_path: Path) -> Host:
    return Host(sandbox, tmp_path)


def split_launch_options(source: str, variable: str) -> list[str]:
    """Return the words into which the launch scripts of the packages split a variable."""
    done = subprocess.run(
        ["sh", "-c", f"{source}; eval exec printf '%s\\\\n' ${variable}"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def read_drop_in(path: Path) -> str:
    """Return the environment of a drop-in file as shell code."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("Environment=")]
    variables = (json.loads(line.partition("=")[2]).replace("%%", "%").partition("=") for line in lines)
    return "; ".join(
        f"{name}='{text.replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}'" for name, _equals, text in variables
    )


def define_script_results(host: Host, policy: str) -> None:
    """Define the results of the role's scripts; after a change, the server has this policy."""
    script = "System.getProperty(args.name) == args.value"
    table = [
        {"name": "set", "script": SET},
        {"script": script, "value": True, "after": "set"},
        {"script": script, "value": False},
        {"script": "return System.getProperty(args.name)", "value": policy},
    ]
    host.sandbox.seed({"ci": {"scripts": table}})


@needs_systemd
def test_drop_in_contains_policy_and_command_restarts_server(host: Host) -> None:
    variables: dict[str, Any] = {
        **SESSIONS,
        "ci_settings_systemd": True,
        "ci_settings_variables": {},
        "ci_settings_java_options": ['-Da=50% of "all"'],
        "ci_settings_java_command": shutil.which("true"),
        "ci_settings_restart_command": host.post_command("/restart"),
        "ci_settings_content_security_policy": POLICY,
    }
    policy = " ".join(POLICY.split())
    define_script_results(host, policy)
    first, again = host.run(variables, variables)
    assert (first.failure, first.written) == ("", NOT_SAFELY)
    source = f"cd {host.folder}; touch 'a b'; {read_drop_in(host.drop_in)}"
    assert split_launch_options(source, "JENKINS_OPTS") == ["--sessionTimeout=1440", "--sessionEviction=43200"]
    java = ["-Djava.awt.headless=true", '-Da=50% of "all"', f"-Dhudson.model.DirectoryBrowserSupport.CSP={policy}"]
    assert split_launch_options(source, "JAVA_OPTS") == java
    assert split_launch_options(source, "JENKINS_JAVA_CMD") == [shutil.which("true")]
    assert again == Round()


def test_role_fails_when_policy_is_not_set(host: Host) -> None:
    define_script_results(host, "sandbox;")
    output = host.play({"jenkins": {"ci_settings_content_security_policy": "", "ci_settings_restart": False}})
    assert "Setting the content security policy failed: Jenkins has 'sandbox;' instead of ''." in output
    assert split_launch_options(f". {host.environment}", "JAVA_ARGS") == ["-Dhudson.model.DirectoryBrowserSupport.CSP="]


@needs_systemd
def test_conflicting_drop_in_is_reported(host: Host) -> None:
    paths = {name: host.folder / f"{name}.d" / "toolchain.conf" for name in ("overruled", "invalid")}
    paths["overruled"].parent.mkdir()
    (paths["overruled"].parent / "override.conf").write_text('[Service]\nEnvironment="JENKINS_OPTS=--prefix=/ci"\n')
    names: dict[str, dict[str, str]] = {"overruled": {}, "invalid": {"launch_options": "NO NAME"}}
    hosts = {
        name: {"ci_settings_drop_in": str(path), "ci_settings_systemd": True, "ci_settings_variables": names[name]}
        for name, path in paths.items()
    }
    failures = list_failures(host.play({name: {**SESSIONS, **variables} for name, variables in hosts.items()}))
    assert "override.conf sets JAVA_OPTS or JENKINS_OPTS too" in failures["overruled"]
    assert "failed to validate" in failures["invalid"]
    assert not any(path.exists() for path in paths.values())


def test_failed_restart_is_repeated_by_next_run(host: Host) -> None:
    host.sandbox.seed({"ci": {"jobs": [{"name": "slow", "seconds": 3600, "quiet_period": 0}]}})
    subprocess.run(shlex.split(host.post_command("/job/slow/build")), check=True)
    host.environment.write_text("JENKINS_HOME=/srv\nJENKINS_ARGS='--prefix=/ci'\n")
    variables = {**SESSIONS, "ci_settings_java_options": ["-Xmx4g"]}
    later, overrun, failed, restarted = host.run(
        {"ci_settings_session_timeout": 60, "ci_settings_restart": False},
        {**variables, "ci_settings_wait_timeout": 0.5, "at_the_end": host.post_command("/job/slow/1/stop")},
        {**variables, "ci_settings_restart_command": "exit 3"},
        variables,
    )
    assert (later.failure, later.written) == ("", [])
    assert later.changed
    assert "1 build(s) are still running: slow #1. The quiet-down mode was ended." in overrun.failure
    assert failed.failure
    assert overrun.written == failed.written == ["quiet_down", "cancel_quiet_down"]
    assert (restarted.failure, restarted.written) == ("", SAFELY)
    read = f". {host.environment}"
    assert split_launch_options(read, "JENKINS_ARGS") == [
        "--prefix=/ci",
        "--sessionTimeout=1440",
        "--sessionEviction=43200",
    ]
    assert split_launch_options(read, "JAVA_ARGS") == ["-Xmx4g"]
    assert split_launch_options(read, "JENKINS_HOME") == ["/srv"]


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "java": ({"ci_settings_java": "maybe"}, "value of ci_settings_java must be one of"),
    "timeout": ({"ci_settings_session_timeout": "a day"}, "ci_settings_session_timeout"),
    "options": (
        {"ci_settings_session_timeout": 5, "ci_settings_launch_options": ["{{ mistyped }}"]},
        "'mistyped' is undefined",
    ),
}


def test_nothing_changes_without_settings_or_with_invalid_ones(host: Host) -> None:
    mistakes = {name: variables for name, (variables, _problem) in MISTAKES.items()}
    output = host.play({**mistakes, "without": {}})
    failures = list_failures(output)
    assert failures.keys() == MISTAKES.keys(), output
    for name, (_variables, problem) in MISTAKES.items():
        assert problem in failures[name]
    assert set(re.findall(r"changed=(\d+)", output)) == {"0"}
    assert not host.environment.exists()
    assert not host.sandbox.journal("ci")


def java(folder: Path, version: str) -> str:
    """Create a Java program of this version and return its name."""
    program = folder / f"java-{version}"
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2024-01-16' >&2\n")
    program.chmod(0o755)
    return program.name


def test_java_release_is_checked(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    hosts: dict[str, dict[str, Any]] = {
        "new": {"ci_settings_java_command": java(tmp_path, "21.0.2")},
        "old": {"ci_settings_java_command": java(tmp_path, "17.0.9")},
        "allowed": {"ci_settings_java_command": java(tmp_path, "17.0.9"), "ci_settings_java_releases": [11, 17]},
        "oldest": {"ci_settings_java_command": java(tmp_path, "1.8.0_392"), "ci_settings_java_releases": [8]},
        "early": {"ci_settings_java_command": java(tmp_path, "25-ea")},
        "missing": {"ci_settings_java_command": "no-java-here"},
    }
    check = {"ci_settings_java": "check", "ci_settings_restart": False}
    output = host.play({name: {**check, **variables} for name, variables in hosts.items()})
    failures = list_failures(output)
    assert failures.keys() == {"old", "missing"}, output
    assert "Jenkins requires Java 21 or 25, but" in failures["old"]
    assert "but 'no-java-here' is not installed." in failures["missing"]
