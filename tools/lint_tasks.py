# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sees to it that ansible-lint checks the options of users' tasks, and that it sends no request doing so.

Each module has two tasks in one playbook: one is well, the other has a mistyped option and must be reported.
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

from generate import documentation, modules

# The variables with the addresses of the services, all of which are that of a server that only listens
ADDRESSES = ("JFROG_URL", "JENKINS_URL", "KLOCWORK_URL", "OPENAI_BASE_URL")


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        findings = lint(f"http://127.0.0.1:{listener.getsockname()[1]}")
        try:
            listener.accept()
        except BlockingIOError:
            pass
        else:
            sys.exit("ansible-lint made a module send a request.")
    mistakes = [finding for finding in findings if "module: time_out." in finding["description"]]
    if len(mistakes) != len(modules()) or len(findings) != len(mistakes):
        sys.exit(f"ansible-lint has to report one option of each module, but says: {json.dumps(findings, indent=2)}")
    print(f"ansible-lint checks the options of all {len(mistakes)} modules, and sends nothing.")


def lint(address: str) -> list[dict[str, Any]]:
    """What ansible-lint says of the options of the tasks."""
    tasks = [task for module in modules() for task in (example(module), mistyped(module))]
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
        sys.exit(f"ansible-lint did not run:\n{done.stdout}{done.stderr}")


def example(module: str) -> dict[str, Any]:
    """The first example that is a task of the module itself."""
    return next(task for task in documentation(module, "EXAMPLES") if f"buildworks.toolchain.{module}" in task)


def mistyped(module: str) -> dict[str, Any]:
    name = f"buildworks.toolchain.{module}"
    return {"name": f"Mistype an option of {module}", name: {**(example(module)[name] or {}), "time_out": 10}}


if __name__ == "__main__":
    main()
