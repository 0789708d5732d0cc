# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ordinary modules, each in a separate process, without an import of ansible-core and requests for each.

Each line of the standard input is a JSON object with a module and its arguments. The output of the module follows,
then a line with END. Any supported Python can run this program.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

import requests  # noqa: F401
from ansible.module_utils import basic

MODULES = "ansible_collections.buildworks.toolchain.plugins.modules"
END = "end of module"


def main() -> None:
    """Run the modules that the standard input names."""
    for line in sys.stdin:
        task = json.loads(line)
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.exit(run_module(task["module"], task["arguments"]))
        os.waitpid(child, 0)
        print(f"\n{END}", flush=True)


def run_module(name: str, arguments: dict[str, object]) -> None:
    """Run the main function of a module with the arguments that Ansible would put into its archive."""
    basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
    basic._ANSIBLE_PROFILE = "legacy"
    importlib.import_module(f"{MODULES}.{name}").main()


if __name__ == "__main__":
    main()
