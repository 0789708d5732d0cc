# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write what follows from the modules: action groups in meta/runtime.yml, an action plugin a module, roles' options.

A module belongs to the service whose doc fragment it extends, and to the group `all`.
"""

from __future__ import annotations

import ast
import functools
import pathlib
from typing import Any

import yaml

from role_options import load_yaml, mirrored

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULES = ROOT / "plugins" / "modules"
SERVICES = ("artifact", "ci", "inference", "review")
HEADER = """\
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""
NOTE = "# Written by tools/generate.py.\n"
ACTION = """
from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.modules import {module}
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._in_process import InProcessAction

# By this ansible-lint checks the options of tasks
main = {module}.main


class ActionModule(InProcessAction):
    module = {module}
"""


def modules() -> list[str]:
    """The names of all modules, sorted."""
    return sorted(path.stem for path in MODULES.glob("*.py"))


def generated() -> dict[pathlib.Path, str]:
    """Each file that follows from the modules, with its content."""
    names = modules()
    files = {ROOT / "plugins" / "action" / f"{name}.py": HEADER + NOTE + ACTION.format(module=name) for name in names}
    files[ROOT / "meta" / "runtime.yml"] = HEADER + NOTE + _runtime(names)
    files[ROOT / ".gitattributes"] = HEADER + NOTE + _attributes(files)
    return {**files, **mirrored(HEADER, _IndentedDumper)}


def _attributes(files: dict[pathlib.Path, str]) -> str:
    """Reviews pass over what is generated as a whole."""
    patterns = {
        f"{path.parent.relative_to(ROOT)}/*.py" if path.suffix == ".py" else str(path.relative_to(ROOT))
        for path in files
    }
    return "".join(f"{pattern} linguist-generated=true\n" for pattern in sorted(patterns))


def _runtime(names: list[str]) -> str:
    services = {name: service_of(name) for name in names}
    groups = {service: [name for name in names if services[name] == service] for service in SERVICES}
    runtime = {"requires_ansible": ">=2.18.0", "action_groups": {"all": names, **groups}}
    return "---\n" + yaml.dump(runtime, sort_keys=False, Dumper=_IndentedDumper)


def service_of(module: str) -> str:
    """The service that a module talks to."""
    fragments = documentation(module, "DOCUMENTATION")["extends_documentation_fragment"]
    names = {fragment.rpartition(".")[2] for fragment in fragments}
    return next(service for service in SERVICES if service in names)


@functools.cache
def documentation(module: str, name: str) -> Any:
    """Return what a module declares under a name such as `EXAMPLES`; do not change it."""
    for node in ast.parse((MODULES / f"{module}.py").read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return load_yaml(ast.literal_eval(node.value))
    raise SystemExit(f"{module} has no {name}")


class _IndentedDumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        return super().increase_indent(flow, False)


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text)
