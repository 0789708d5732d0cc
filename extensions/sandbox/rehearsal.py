# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rehearses a playbook: `python -m sandbox.rehearsal` runs it against a sandbox in place of the inventory's services.

In check mode, for real, and again. Ends with status 1 when a task failed, or when the second run changed anything.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

from . import client, rehearsed

CALLBACKS = pathlib.Path(__file__).parents[1] / "callback_plugins"
SERVICES = ("artifact", "ci", "review", "inference")
# What the sandbox exports, under the names of hosts' variables
REACHED = {
    "toolchain_artifact_url": "JFROG_URL",
    "toolchain_artifact_token": "JFROG_ACCESS_TOKEN",
    "toolchain_ci_url": "JENKINS_URL",
    "toolchain_ci_username": "JENKINS_USER_ID",
    "toolchain_ci_api_token": "JENKINS_API_TOKEN",
    "toolchain_review_url": "KLOCWORK_URL",
    "toolchain_review_ltoken_file": "KLOCWORK_LTOKEN",
    "toolchain_inference_url": "OPENAI_BASE_URL",
    "toolchain_inference_api_key": "OPENAI_API_KEY",
    "toolchain_inference_admin_key": "OPENAI_ADMIN_KEY",
    "toolchain_inference_session_token": "SANDBOX_SESSION_TOKEN",
    "toolchain_inference_admin_requests_per_minute": "TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE",
}
# The rest of what hosts' variables say of how to reach a service: nothing of it is for the sandbox
NOT_FOR_THE_SANDBOX = {
    "artifact": ("username", "password", "api_key", "netrc_file"),
    "ci": ("password", "netrc_file"),
    "review": ("username", "ltoken"),
    "inference": ("organization", "project", "user_id", "group_id"),
}
OF_EACH_SERVICE = ("ca_path", "client_cert", "client_key")
# The same in the environment
FOREIGN = (
    "JFROG_",
    "JF_",
    "JENKINS_",
    "KLOCWORK_",
    "OPENAI_",
    "NETRC",
    "ALL_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
OUTCOMES = {
    "failed": "What failed",
    "unreachable": "What could not be reached",
    "rescued": "What failed, and was rescued",
    "ignored": "What failed, and was ignored",
}
TASKS_IN_VERDICT = 10
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
SSH = ("ssh", "scp", "sftp")
NOBODY = "http://127.0.0.1:9"
MACHINES = "#!/bin/sh\necho 'This is a rehearsal: it logs in to no machine.' >&2\nexit 255\n"


@dataclass(frozen=True)
class Run:
    """What one run of the playbook did."""

    status: int
    seconds: float
    requests: Counter[tuple[str, str]]
    hosts: dict[str, dict[str, int]] = field(default_factory=dict)
    changes: list[dict[str, str]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    task_seconds: list[float] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether anything went wrong, for ansible-playbook or for one of its hosts."""
        return self.status != 0 or not self.hosts or any(h["failures"] or h["unreachable"] for h in self.hosts.values())

    def failed_so(self, *outcomes: str) -> list[dict[str, str]]:
        """The failures of which one of these became."""
        return [failure for failure in self.failures if failure["outcome"] in outcomes]


def play(sandbox: client.Sandbox, scratch: pathlib.Path, command: Sequence[str], title: str, **settings: str) -> Run:
    """Run ansible-playbook as a user would, with a callback that takes notes.

    :arg settings: variables of the environment, besides those that lead to the sandbox
    """
    print(f"\n##### {title}\n", flush=True)  # and not the command, whose options may have secrets in them
    notes = scratch / "recap.json"
    notes.unlink(missing_ok=True)
    sandbox.clear_journal()
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(FOREIGN)}
    environment = {
        **kept,
        **sandbox.environment,
        "no_proxy": "127.0.0.1",
        "RECAP_FILE": str(notes),
        "ANSIBLE_CALLBACK_PLUGINS": _joined(os.pathsep, kept.get("ANSIBLE_CALLBACK_PLUGINS"), str(CALLBACKS)),
        "ANSIBLE_CALLBACKS_ENABLED": "recap",  # others can write files, or report to other machines
        "ANSIBLE_LOG_PATH": os.devnull,
        "ANSIBLE_CACHE_PLUGIN": "memory",
        "ANSIBLE_INVENTORY_CACHE": "false",
        "ANSIBLE_RETRY_FILES_ENABLED": "false",
        **settings,
    }
    start = time.monotonic()
    with subprocess.Popen(command, env=environment) as process:
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            raise
    seconds = time.monotonic() - start
    requests = Counter((request["service"], request["effect"]) for request in sandbox.journal())
    recap: dict[str, Any] = json.loads(notes.read_text()) if notes.exists() else {}
    recap["task_seconds"] = recap.pop("seconds", [])
    return Run(status, seconds, requests, **recap)


def _joined(separator: str, *parts: str | None) -> str:
    return separator.join(part for part in parts if part)


def requests(run: Run, service: str) -> str:
    """How many requests a service served, by kind."""
    return f"{run.requests[service, 'read']} read, {run.requests[service, 'write']} write"


def row(title: str, cells: list[str]) -> str:
    """A line of a table."""
    return f"{title:24}" + "".join(f"{cell:>20}" for cell in cells)


def listed(entries: list[dict[str, str]]) -> list[str]:
    """Tasks with their hosts, and what each was about."""
    return [f"{entry['host']:14}{entry['task']:36} {entry['item']}".rstrip() for entry in entries]


def summarize(entries: list[dict[str, str]]) -> str:
    """Return the first tasks with their hosts on one line, each once."""
    tasks = list(dict.fromkeys(f"{entry['task']} ({entry['host']})" for entry in entries))
    rest = len(tasks) - TASKS_IN_VERDICT
    return "; ".join([*tasks[:TASKS_IN_VERDICT], *([f"{rest} more"] if rest > 0 else [])])


def told_once(entries: dict[str, list[dict[str, str]]]) -> list[str]:
    """Entries of runs, by the runs' titles, each once and with the runs that it is of."""
    found: dict[str, list[str]] = {}
    for title, of_run in entries.items():
        for line in listed(of_run):
            found.setdefault(line, []).append(title.lower())
    return [f"{line} ({', '.join(titles)})" for line, titles in found.items()]


def rehearse(sandbox: client.Sandbox, command: list[str], scratch: pathlib.Path) -> dict[str, Run]:
    """The runs by their titles: in check mode, for real, and again."""
    programs, python = stand_ins(sandbox, scratch / "programs"), scratch / "python"
    python.mkdir()
    (python / "sitecustomize.py").symlink_to(rehearsed.__file__)
    variables, copies, temporary = scratch / "sandbox.json", scratch / "files", scratch / "tmp"
    for folder in (copies, temporary):
        folder.mkdir()
    no_login = {f"ansible_{name}_executable": str(programs / name) for name in SSH}
    # Another account would not have what the environment says
    no_login["ansible_paramiko_proxy_command"] = str(programs / "ssh")
    variables.write_text(
        json.dumps({**reached(sandbox), **no_login, "ansible_become": False, "ansible_remote_tmp": str(temporary)})
    )
    command = [*command, "--extra-vars", f"@{variables}"]
    settings = {
        "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "TOOLCHAIN_REHEARSAL_URL": sandbox.url,
        "TOOLCHAIN_REHEARSAL_FILES": str(copies),
        "TMPDIR": str(temporary),  # modules move files from here to where they belong
        "TOOLCHAIN_REHEARSAL_ADDRESSES": " ".join(sorted(addresses(sandbox))),
        "PYTHONPATH": _joined(os.pathsep, str(python), os.environ.get("PYTHONPATH")),
        "ANSIBLE_CALLBACKS_ENABLED": "recap,rehearsal",
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), NOBODY),
    }
    return {
        title: play(sandbox, scratch, [*command, *options], title, **settings)
        for title, options in (("Check mode", ["--check"]), ("First run", []), ("Second run", []))
    }


def addresses(sandbox: client.Sandbox) -> set[str]:
    """Return where programs may connect to: the ports of the sandbox, and the proxy that does not exist."""
    urls = (urlsplit(url) for url in (NOBODY, *sandbox.environment.values()) if url.startswith("http"))
    return {f"{url.hostname}:{url.port}" for url in urls}


def stand_ins(sandbox: client.Sandbox, folder: pathlib.Path) -> pathlib.Path:
    """A folder of programs in place of those that know servers by themselves."""
    folder.mkdir()
    (folder / "kwadmin").symlink_to(sandbox.environment["SANDBOX_KWADMIN"])
    for name in SSH:
        (folder / name).write_text(MACHINES)
        (folder / name).chmod(0o700)
    return folder


def reached(sandbox: client.Sandbox) -> dict[str, str | bool | None]:
    """The variables that lead each host to the sandbox; given on the command line they count for more than others."""
    others = [
        f"toolchain_{service}_{option}"
        for service in SERVICES
        for option in (*NOT_FOR_THE_SANDBOX[service], *OF_EACH_SERVICE)
    ]
    return {
        **dict.fromkeys(others),
        **{f"toolchain_{service}_use_proxy": False for service in SERVICES},
        **{variable: sandbox.environment.get(name) for variable, name in REACHED.items()},
    }


def report(runs: dict[str, Run]) -> str:
    """What the runs changed, what failed in them, and what they asked."""
    lines = ["", "##### What the first run changed", "", *(listed(runs["First run"].changes) or ["nothing"])]
    for outcome, heading in OUTCOMES.items():
        if failures := told_once({title: run.failed_so(outcome) for title, run in runs.items()}):
            lines += ["", f"##### {heading}", "", *failures]
    if runs["Second run"].changes:
        lines += ["", "##### What the second run changed again", "", *listed(runs["Second run"].changes)]
    lines += ["", row("", list(runs)), row("changes", [str(len(run.changes)) for run in runs.values()])]
    lines.append(row("failures", [str(len(run.failed_so("failed", "unreachable"))) for run in runs.values()]))
    lines += [row(f"requests, {name}", [requests(run, name) for run in runs.values()]) for name in SERVICES]
    return "\n".join(lines)


def verdict(runs: dict[str, Run]) -> str | None:
    """What is wrong, if anything is."""
    for title, run in runs.items():
        if run.failed:
            return f"\n{title}: a task failed." if run.hosts else f"\n{title}: the playbook did not run."
    return judge_repetition(runs["Second run"])


def judge_repetition(run: Run) -> str | None:
    """Return what a second run changed, if anything."""
    if run.changes:
        return f"\nThe second run changed something: {summarize(run.changes)}."
    print("\nThe second run had nothing to do.")
    return None


def _arguments() -> tuple[argparse.Namespace, list[str]]:
    about = "Rehearse a playbook on a sandbox in place of an inventory's services; takes options of ansible-playbook."
    parser = argparse.ArgumentParser(prog="python -m sandbox.rehearsal", description=about, allow_abbrev=False)
    parser.add_argument("-i", "--inventory", required=True, help="the inventory whose services are not to be reached")
    parser.add_argument("--playbook", required=True, help="path or full name")
    seed = "what the sandbox has: a snapshot, or another seed (default: the sandbox's own)"
    parser.add_argument("--snapshot", type=pathlib.Path, help=seed)
    return parser.parse_known_args()


def stop(number: int, _frame: FrameType | None) -> None:
    """Handle a signal: end the rehearsal, which removes its files.

    :raises SystemExit: always
    """
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(f"\nThe rehearsal was stopped by {signal.Signals(number).name}.")


def main() -> None:
    """Rehearse, and tell what came of it."""
    for each in SIGNALS:
        signal.signal(each, stop)
    arguments, others = _arguments()
    program = str(pathlib.Path(sys.executable).with_name("ansible-playbook"))
    command = [program, arguments.playbook, "-i", arguments.inventory, *others]
    try:
        with client.start(seed=arguments.snapshot) as sandbox, tempfile.TemporaryDirectory() as scratch:
            runs = rehearse(sandbox, command, pathlib.Path(scratch))
    except client.SandboxError as error:
        sys.exit(str(error))
    print(report(runs))
    sys.exit(verdict(runs))


if __name__ == "__main__":
    main()
