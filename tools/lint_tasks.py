# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check that ansible-lint validates the options of users' tasks without sending requests.

Each module has two tasks in a playbook: a valid one, and one with a mistyped option that must be reported.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from generate import list_modules, read_documentation

# URL variables of the services, set to a server that only listens
ADDRESSES = ("JFROG_URL", "JENKINS_URL", "KLOCWORK_URL", "OPENAI_BASE_URL")


def main() -> None:
    """Run ansible-lint on tasks with mistyped options."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        findings = run_ansible_lint(f"http://127.0.0.1:{listener.getsockname()[1]}")
        try:
            listener.accept()
        except BlockingIOError:
            pass
        else:
            sys.exit("A module sent a request during ansible-lint.")
    mistakes = [finding for finding in findings if "module: time_out." in finding["description"]]
    if len(mistakes) != len(list_modules()) or len(findings) != len(mistakes):
        sys.exit(
            f"Expected one mistyped option per module, but ansible-lint reported: {json.dumps(findings, indent=2)}"
        )
    print(f"ansible-lint checks the options of all {len(mistakes)} modules, without requests.")


def run_ansible_lint(address: str) -> list[dict[str, Any]]:
    """Return the findings of ansible-lint about options."""
    tasks = [task for module in list_modules() for task in (find_example(module), add_mistyped_option(module))]
    with tempfile.TemporaryDirectory(prefix="toolchain-lint-") as folder:
        Path(folder, "playbook.yml").write_text(
            yaml.safe_dump([{"name": "Play", "hosts": "localhost", "tasks": tasks}])
        )
        done = subprocess.run(
            ["ansible-lint", "--offline", "--format", "json", "playbook.yml"],
            cwd=folder,
            env={**os.environ, **dict.fromkeys(ADDRESSES, address)},
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        return [finding for finding in json.loads(done.stdout) if finding["check_name"].startswith("args")]
    except ValueError:
        sys.exit(f"ansible-lint failed:\n{done.stdout}{done.stderr}")


def find_example(module: str) -> dict[str, Any]:
    """Return the first example that is a task of the module."""
    return next(task for task in read_documentation(module, "EXAMPLES") if f"buildworks.toolchain.{module}" in task)


def add_mistyped_option(module: str) -> dict[str, Any]:
    """Return a task of a module with an option that does not exist."""
    name = f"buildworks.toolchain.{module}"
    return {"name": f"Mistype an option of {module}", name: {**(find_example(module)[name] or {}), "time_out": 10}}


if __name__ == "__main__":
    main()
