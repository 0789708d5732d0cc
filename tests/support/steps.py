# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a role several times in one start of ansible-playbook."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from sandbox.client import Sandbox
from support.playbook import SUPPORT, environment
from support.warm import run_playbook

Call = tuple[str, str, Any]  # method, path and body of a call of the control API
RESET: Call = ("POST", "reset", None)


def fault(**fields: Any) -> Call:
    """Return the call that injects a fault."""
    return ("POST", "faults", fields)


@dataclasses.dataclass
class Step:
    """A run of a role with these variables, after these calls of the control API."""

    variables: dict[str, Any]
    calls: Sequence[Call] = ()


@dataclasses.dataclass
class StepResult:
    """The result of a step.

    :arg output: the output of ansible-playbook in one line
    :arg failure: the message of the last failed task, or an empty text
    :arg changed: the number of changed tasks
    :arg requests: the requests to the sandbox, oldest first
    """

    output: str
    failure: str
    changed: int
    requests: list[dict[str, Any]]

    @property
    def reads(self) -> list[str]:
        """Return the labels of the read requests."""
        return [request["label"] for request in self.requests if request["effect"] == "read"]

    @property
    def writes(self) -> list[str]:
        """Return the labels of the write requests."""
        return [request["label"] for request in self.requests if request["effect"] == "write"]


def run_role(sandbox: Sandbox, role: str, steps: Sequence[Step], folder: Path, *options: str) -> list[StepResult]:
    """Run a role once for each step, each on a separate host. A failed step does not stop the next one.

    :arg folder: the place of the playbook and its inventory
    """
    hosts = [f"step{number}" for number in range(len(steps))]
    plays = [_play(host, role, step.variables) for host, step in zip(hosts, steps, strict=True)]
    playbook, inventory, record = (folder / name for name in ("steps.yml", "steps.ini", "steps.jsonl"))
    playbook.write_text(yaml.safe_dump(plays, sort_keys=False, allow_unicode=True))
    inventory.write_text("\n".join(hosts))
    variables = environment(
        sandbox,
        ANSIBLE_CALLBACK_PLUGINS=str(SUPPORT / "callback_plugins"),
        ANSIBLE_CALLBACKS_ENABLED="steps",
        RECORD_FILE=str(record),
        STEP_CALLS=json.dumps([step.calls for step in steps]),
    )
    text, _status = run_playbook([playbook, "-i", inventory, *options], variables)
    assert "WARNING" not in text, text
    outputs = [" ".join(output.split()) for output in text.partition("PLAY RECAP")[0].split("PLAY [step")[1:]]
    results = [json.loads(line) for line in record.read_text().splitlines()]
    return [StepResult(output, **result) for output, result in zip(outputs, results, strict=True)]


def _play(host: str, role: str, variables: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": host,
        "hosts": host,
        "gather_facts": False,
        "connection": "local",
        "vars": {**variables, "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "tasks": [
            {
                "block": [{"ansible.builtin.include_role": {"name": f"buildworks.toolchain.{role}"}}],
                "rescue": [{"ansible.builtin.meta": "noop"}],
            }
        ],
    }
