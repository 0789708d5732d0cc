# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write meta/runtime.yml: the action groups, and the routing of every module to the in-process action.

A module belongs to the service whose doc fragment it extends, and to the group C(all).
"""

from __future__ import annotations

import ast
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "meta" / "runtime.yml"
SERVICES = ("artifact", "ci", "inference", "review")
HEADER = """\
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Written by tools/runtime.py, from the modules.
---
"""


def services_of_modules() -> dict[str, str]:
    """Module name to the service that it talks to."""
    return {path.stem: _service_of(path) for path in sorted((ROOT / "plugins" / "modules").glob("*.py"))}


def _service_of(path: pathlib.Path) -> str:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOCUMENTATION":
            fragments = yaml.safe_load(ast.literal_eval(node.value))["extends_documentation_fragment"]
            names = {fragment.rpartition(".")[2] for fragment in fragments}
            return next(service for service in SERVICES if service in names)
    raise SystemExit(f"{path} has no DOCUMENTATION")


def text() -> str:
    """The content of meta/runtime.yml."""
    services = services_of_modules()
    groups = {service: [name for name, owner in services.items() if owner == service] for service in SERVICES}
    runtime = {
        "requires_ansible": ">=2.18.0",
        "action_groups": {"all": list(services), **groups},
        "plugin_routing": {
            "action": {name: {"redirect": "buildworks.toolchain.in_process"} for name in services},
        },
    }
    return HEADER + yaml.dump(runtime, sort_keys=False, Dumper=_IndentedDumper)


class _IndentedDumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        return super().increase_indent(flow, False)


if __name__ == "__main__":
    TARGET.write_text(text())
    sys.stdout.write(f"{TARGET.relative_to(ROOT)} written\n")
