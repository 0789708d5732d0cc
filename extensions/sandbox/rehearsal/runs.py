# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ansible-playbook against a sandbox."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import client
from .environment import create_environment, filter_environment, join_values

CALLBACKS = pathlib.Path(__file__).parents[2] / "callback_plugins"


@dataclass(frozen=True)
class Run:
    """The result of one run of a playbook.

    :ivar status: exit status of ansible-playbook
    :ivar requests: number of requests by service and effect
    :ivar hosts: recap by host
    :ivar changes: changed tasks and items, each with `host`, `task` and `item`
    :ivar failures: the same for failures, with `outcome`; `item` is the message
    :ivar task_seconds: durations of the tasks that ran modules of the collection
    """

    status: int
    seconds: float
    requests: Counter[tuple[str, str]]
    hosts: dict[str, dict[str, int]] = field(default_factory=dict)
    changes: list[dict[str, str]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    task_seconds: list[float] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether ansible-playbook failed, or a host failed or was unreachable."""
        return self.status != 0 or not self.hosts or any(h["failures"] or h["unreachable"] for h in self.hosts.values())

    def select_failures(self, *outcomes: str) -> list[dict[str, str]]:
        """Return the failures with these outcomes: `failed`, `unreachable`, `rescued` or `ignored`."""
        return [failure for failure in self.failures if failure["outcome"] in outcomes]


def rehearse(sandbox: client.Sandbox, command: list[str], scratch: pathlib.Path) -> dict[str, Run]:
    """Run a playbook in check mode, then twice for real, and return the runs by title.

    :arg command: ansible-playbook with its arguments
    :arg scratch: empty directory
    """
    variables, settings = create_environment(sandbox, scratch)
    command = [*command, "--extra-vars", f"@{variables}"]
    return {
        title: run_playbook(sandbox, scratch, [*command, *options], title, **settings)
        for title, options in (("Check mode", ["--check"]), ("First run", []), ("Second run", []))
    }


def run_playbook(
    sandbox: client.Sandbox, scratch: pathlib.Path, command: Sequence[str], title: str, **settings: str
) -> Run:
    """Run ansible-playbook with the exports of a sandbox and a callback that records the result.

    :arg settings: further environment variables
    """
    print(f"\n##### {title}\n", flush=True)  # The command is not printed because its options may contain secrets.
    recap_file = scratch / "recap.json"
    recap_file.unlink(missing_ok=True)
    sandbox.clear_journal()
    inherited = filter_environment(os.environ)
    environment = {
        **inherited,
        **sandbox.environment,
        "no_proxy": "127.0.0.1",
        "RECAP_FILE": str(recap_file),
        "ANSIBLE_CALLBACK_PLUGINS": join_values(inherited.get("ANSIBLE_CALLBACK_PLUGINS"), str(CALLBACKS)),
        "ANSIBLE_CALLBACKS_ENABLED": "recap",  # Other callbacks may write files or send messages.
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
    recap: dict[str, Any] = json.loads(recap_file.read_text()) if recap_file.exists() else {}
    recap["task_seconds"] = recap.pop("seconds", [])
    return Run(status, seconds, requests, **recap)
