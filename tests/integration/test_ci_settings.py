# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role `ci_settings` on this machine, with its files in a folder of the test and the sandbox as the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from sandbox.client import Sandbox
from support.playbook import PLAYBOOK, environment, list_failures

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="CANNOT RUN HERE: no systemd-analyze")
SESSIONS = {"ci_settings_session_timeout": 1440, "ci_settings_session_eviction": 43200}
POLICY = "sandbox;  default-src * 'self' data:; img-src [a-z]* \"$HOME\" `id` %n \\n ?"
SET = "System.setProperty(args.name, args.value)"
NOT_SAFELY: list[str] = ["quiet_down", "restart"]
SAFELY = ["quiet_down", "safe_restart"]


class Host:
    """This machine as the server's host."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.drop_in = folder / "jenkins.service.d" / "toolchain.conf"
        self.environment = folder / "default"
        self.written: list[str] = []
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

    def run(self, *options: str, **variables: Any) -> tuple[bool, str, int]:
        """Whether the role did well, its output in one line, and how many of its tasks changed something."""
        well, output = self.play({"jenkins": variables}, *options)
        changed = re.search(r"changed=(\d+)", output)
        assert changed, output
        return well, output, int(changed[1])

    def play(self, hosts: dict[str, dict[str, Any]], *options: str) -> tuple[bool, str]:
        """Run the role for hosts with these variables; return whether all succeeded, and the output in one line."""
        inventory, playbook = self.folder / "hosts.json", self.folder / "play.yml"
        given = {name: {**self.variables, **variables} for name, variables in hosts.items()}
        inventory.write_text(json.dumps({"ci": {"hosts": given}}))
        play = {"hosts": "ci", "gather_facts": False, "roles": ["buildworks.toolchain.ci_settings"]}
        playbook.write_text(yaml.safe_dump([play]))
        self.sandbox.clear_journal()
        done = subprocess.run(
            [PLAYBOOK, playbook, "-i", inventory, *options],
            env=environment(),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        labels = [entry["label"] for entry in self.sandbox.journal("ci") if entry["effect"] == "write"]
        self.written = [label for label in labels if label != "script"]  # what one does is not known to the sandbox
        output = re.sub(r"\s+", " ", done.stdout + done.stderr)
        assert "WARNING" not in output
        return done.returncode == 0, output

    def restart_command(self) -> str:
        variables = self.sandbox.environment
        login = f"{variables['JENKINS_USER_ID']}:{variables['JENKINS_API_TOKEN']}"
        return f"curl -s -u {login} -X POST {variables['JENKINS_URL']}/restart"


@pytest.fixture
def host(sandbox: Sandbox, tmp_path: Path) -> Host:
    return Host(sandbox, tmp_path)


def launched(source: str, variable: str) -> list[str]:
    """The words that a launch script makes of a variable, as those of the packages do."""
    done = subprocess.run(
        ["sh", "-c", f"{source}; eval exec printf '%s\\\\n' ${variable}"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def of_unit(path: Path) -> str:
    """The environment that a drop-in sets, for a shell."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("Environment=")]
    variables = (json.loads(line.partition("=")[2]).replace("%%", "%").partition("=") for line in lines)
    return "; ".join(
        f"{name}='{text.replace(chr(39), chr(39) + chr(92) + chr(39) + chr(39))}'" for name, _equals, text in variables
    )


def test_without_settings_nothing_is_done(host: Host) -> None:
    well, output, changed = host.run()
    assert (well, changed) == (True, 0), output
    assert not host.sandbox.journal("ci")


def test_an_environment_file_keeps_what_others_wrote(host: Host) -> None:
    host.environment.write_text("JENKINS_HOME=/srv\nJENKINS_ARGS='--prefix=/ci'\n")
    well, output, _changed = host.run("--check", **SESSIONS)
    assert well, output
    assert not host.written
    well, output, changed = host.run(**SESSIONS, ci_settings_java_options=["-Xmx4g"])
    assert well, output
    assert host.written == SAFELY
    read = f". {host.environment}"
    assert launched(read, "JENKINS_ARGS") == ["--prefix=/ci", "--sessionTimeout=1440", "--sessionEviction=43200"]
    assert launched(read, "JAVA_ARGS") == ["-Xmx4g"]
    assert launched(read, "JENKINS_HOME") == ["/srv"]
    well, output, changed = host.run(**SESSIONS, ci_settings_java_options=["-Xmx4g"])
    assert (well, changed, host.written) == (True, 0, []), output
    well, output, changed = host.run(ci_settings_session_timeout=60)
    assert launched(read, "JENKINS_ARGS") == ["--prefix=/ci", "--sessionTimeout=60"]
    assert host.written == SAFELY


@needs_systemd
def test_a_drop_in_and_the_command_that_restarts(host: Host) -> None:
    given = {
        **SESSIONS,
        "ci_settings_systemd": True,
        "ci_settings_variables": {},
        "ci_settings_java_options": ['-Da=50% of "all"'],
        "ci_settings_java_command": shutil.which("true"),
        "ci_settings_restart_command": host.restart_command(),
    }
    well, output, _changed = host.run(**given)
    assert well, output
    assert host.written == NOT_SAFELY
    source = of_unit(host.drop_in)
    assert launched(source, "JENKINS_OPTS") == ["--sessionTimeout=1440", "--sessionEviction=43200"]
    assert launched(source, "JAVA_OPTS") == ["-Djava.awt.headless=true", '-Da=50% of "all"']
    assert launched(source, "JENKINS_JAVA_CMD") == [shutil.which("true")]
    well, output, changed = host.run(**given)
    assert (well, changed, host.written) == (True, 0, []), output


def knows(host: Host, policy: str) -> None:
    """The server's console knows the role's scripts; once set, it has this policy."""
    asked = "System.getProperty(args.name) == args.value"
    table = [
        {"name": "set", "script": SET},
        {"script": asked, "value": True, "after": "set"},
        {"script": asked, "value": False},
        {"script": "return System.getProperty(args.name)", "value": policy},
    ]
    host.sandbox.seed({"ci": {"scripts": table}})


@needs_systemd
def test_a_policy_is_set_at_once_and_for_good(host: Host) -> None:
    given = {"ci_settings_systemd": True, "ci_settings_variables": {}, "ci_settings_content_security_policy": POLICY}
    knows(host, " ".join(POLICY.split()))
    well, output, _changed = host.run("--check", **given)
    assert (well, host.written) == (True, []), output
    well, output, _changed = host.run(**given)
    assert well, output
    words = launched(f"cd {host.folder}; touch 'a b'; {of_unit(host.drop_in)}", "JAVA_OPTS")
    policy = f"-Dhudson.model.DirectoryBrowserSupport.CSP={' '.join(POLICY.split())}"
    assert words == ["-Djava.awt.headless=true", policy]
    well, output, changed = host.run(**given)
    assert (well, changed) == (True, 0), output


@pytest.mark.ansible_core
def test_a_policy_that_the_server_does_not_have_is_told(host: Host) -> None:
    knows(host, "sandbox;")
    well, output, _changed = host.run(ci_settings_content_security_policy="")
    assert not well
    assert "The server has the content-security policy 'sandbox;', and not ''." in output
    assert launched(f". {host.environment}", "JAVA_ARGS") == ["-Dhudson.model.DirectoryBrowserSupport.CSP="]


@needs_systemd
def test_a_drop_in_of_others_is_not_overruled(host: Host) -> None:
    host.drop_in.parent.mkdir()
    (host.drop_in.parent / "override.conf").write_text('[Service]\nEnvironment="JENKINS_OPTS=--prefix=/ci"\n')
    well, output, _changed = host.run(**SESSIONS, ci_settings_systemd=True, ci_settings_variables={})
    assert not well
    assert "override.conf sets JAVA_OPTS or JENKINS_OPTS too" in output
    assert not host.drop_in.exists()


@needs_systemd
def test_a_drop_in_that_systemd_does_not_take_is_not_written(host: Host) -> None:
    given = {"ci_settings_systemd": True, "ci_settings_variables": {"launch_options": "NO NAME"}}
    well, output, _changed = host.run(**SESSIONS, **given)
    assert not well
    assert "failed to validate" in output
    assert not host.drop_in.exists()


def test_a_restart_that_did_not_take_place_is_made_up_for(host: Host) -> None:
    well, output, _changed = host.run(**SESSIONS, ci_settings_restart=False)
    assert (well, host.written) == (True, []), output
    well, output, _changed = host.run(**SESSIONS, ci_settings_restart_command="exit 3")
    assert not well
    assert host.written == ["quiet_down", "cancel_quiet_down"]
    well, output, _changed = host.run(**SESSIONS)
    assert (well, host.written) == (True, SAFELY), output
    well, output, changed = host.run(**SESSIONS)
    assert (well, changed, host.written) == (True, 0, []), output


def test_builds_that_run_too_long_put_the_restart_off(host: Host) -> None:
    host.sandbox.seed({"ci": {"jobs": [{"name": "slow", "seconds": 3600, "quiet_period": 0}]}})
    variables = host.sandbox.environment
    auth = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    requests.post(f"{variables['JENKINS_URL']}/job/slow/build", auth=auth, timeout=60).raise_for_status()
    well, output, _changed = host.run(**SESSIONS, ci_settings_wait_timeout=0.5)
    assert not well
    assert "1 build(s) still run: slow #1. It takes builds again." in output


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "java": ({"ci_settings_java": "maybe"}, "value of ci_settings_java must be one of"),
    "timeout": ({"ci_settings_session_timeout": "a day"}, "ci_settings_session_timeout"),
    "options": (
        {"ci_settings_session_timeout": 5, "ci_settings_launch_options": ["{{ mistyped }}"]},
        "'mistyped' is undefined",
    ),
}


def test_mistakes_are_reported_before_anything_is_written(host: Host) -> None:
    _well, output = host.play({name: variables for name, (variables, _problem) in MISTAKES.items()})
    failures = list_failures(output)
    for name, (_variables, problem) in MISTAKES.items():
        assert problem in failures[name]
    assert not host.environment.exists()
    assert not host.written


def java(folder: Path, version: str) -> str:
    """A Java that is known by what it says of itself."""
    program = folder / f"java-{version}"
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2024-01-16' >&2\n")
    program.chmod(0o755)
    return str(program)


def test_java_is_checked_against_what_the_server_needs(host: Host, tmp_path: Path) -> None:
    hosts = {
        "new": {"ci_settings_java_command": java(tmp_path, "21.0.2")},
        "old": {"ci_settings_java_command": java(tmp_path, "17.0.9")},
        "allowed": {"ci_settings_java_command": java(tmp_path, "17.0.9"), "ci_settings_java_releases": [11, 17]},
        "oldest": {"ci_settings_java_command": java(tmp_path, "1.8.0_392"), "ci_settings_java_releases": [8]},
        "early": {"ci_settings_java_command": java(tmp_path, "25-ea")},
        "missing": {"ci_settings_java_command": "no-java-here"},
    }
    check = {"ci_settings_java": "check", "ci_settings_restart": False}
    _well, output = host.play({name: {**check, **variables} for name, variables in hosts.items()})
    failures = list_failures(output)
    assert failures.keys() == {"old", "missing"}, output
    assert "The server runs on Java 21 or 25, but" in failures["old"]
    assert "but 'no-java-here' is none." in failures["missing"]
