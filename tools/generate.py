# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generate files from the modules: action groups in meta/runtime.yml, action plugins, the order of options in editors,
and options of roles.

A module belongs to the service whose doc fragment it extends, and to the group `all`.
"""

from __future__ import annotations

import ast
import functools
import pathlib
from typing import Any

import yaml

from role_options import load_documentation, load_yaml, update_roles

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


class ActionModule(InProcessAction):
    module = {module}


def main() -> None:
    ActionModule.check_options()
"""

ORDER_FRAGMENT = '''
from __future__ import annotations


class ModuleDocFragment:
    """The names of the options of each module, except connection options.

    Editors list options in the order in which they first occur: in the fragments of a module, then in the module. Each
    module extends its part of this fragment first, so that its connection options are listed last.
    """
'''


def list_modules() -> list[str]:
    """Return the names of all modules, sorted."""
    return sorted(path.stem for path in MODULES.glob("*.py"))


def generate_files() -> dict[pathlib.Path, str]:
    """Return each generated file with its content."""
    names = list_modules()
    files = {ROOT / "plugins" / "action" / f"{name}.py": HEADER + NOTE + ACTION.format(module=name) for name in names}
    files[ROOT / "meta" / "runtime.yml"] = HEADER + NOTE + _runtime(names)
    files[ROOT / "plugins" / "doc_fragments" / "option_order.py"] = (
        HEADER + NOTE + ORDER_FRAGMENT + _option_order(names)
    )
    files[ROOT / ".gitattributes"] = HEADER + NOTE + _attributes(files)
    return {**files, **update_roles(HEADER, _IndentedDumper)}


def _attributes(files: dict[pathlib.Path, str]) -> str:
    """Return the Git attributes that hide generated files in reviews."""
    patterns = {
        f"{path.parent.relative_to(ROOT)}/*.py" if path.parent.name == "action" else str(path.relative_to(ROOT))
        for path in files
    }
    return "".join(f"{pattern} linguist-generated=true\n" for pattern in sorted(patterns))


def _option_order(names: list[str]) -> str:
    """Return an attribute with option names for each module: those of the module, then those of its fragments."""
    return "".join(f'\n    {name.upper()} = r"""\n{_dump_names(list_options(name))}"""\n' for name in names)


def _dump_names(names: list[str]) -> str:
    return yaml.dump({"options": {name: {} for name in names}}, sort_keys=False, default_flow_style=True, width=60)


def list_options(module: str) -> list[str]:
    """Return the names of the options of a module, except connection options."""
    options = dict.fromkeys(read_documentation(module, "DOCUMENTATION")["options"] or ())
    for name in list_fragments(module):
        if name not in (*SERVICES, "connection", f"option_order.{module}"):
            options.update(dict.fromkeys(read_fragment(name)["options"] or ()))
    return list(options)


def _runtime(names: list[str]) -> str:
    services = {name: find_service(name) for name in names}
    groups = {service: [name for name in names if services[name] == service] for service in SERVICES}
    runtime = {"requires_ansible": ">=2.18.0", "action_groups": {"all": names, **groups}}
    return "---\n" + yaml.dump(runtime, sort_keys=False, Dumper=_IndentedDumper)


def find_service(module: str) -> str:
    """Return the service of a module."""
    return next(service for service in SERVICES if service in list_fragments(module))


def list_fragments(module: str) -> list[str]:
    """Return the names of the documentation fragments of a module, without the collection."""
    fragments = read_documentation(module, "DOCUMENTATION")["extends_documentation_fragment"]
    return [fragment.removeprefix("buildworks.toolchain.") for fragment in fragments]


@functools.cache
def read_documentation(module: str, name: str) -> Any:
    """Return a documentation block of a module, such as `EXAMPLES`. Do not modify it."""
    for node in ast.parse((MODULES / f"{module}.py").read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return load_yaml(ast.literal_eval(node.value))
    raise SystemExit(f"{module} has no {name}")


@functools.cache
def read_fragment(name: str) -> Any:
    """Return the documentation of a fragment. Do not modify it."""
    return load_yaml(load_documentation(ROOT / "plugins" / "doc_fragments" / f"{name}.py"))


class _IndentedDumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        return super().increase_indent(flow, False)


if __name__ == "__main__":
    for path, text in generate_files().items():
        path.write_text(text)
