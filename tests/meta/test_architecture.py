# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The architecture holds: generated files are up to date, imports go one way, each layer does its own work."""

from __future__ import annotations

import ast
import importlib
import pathlib
import re
from collections.abc import Iterator

import pytest
import yaml

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLUGINS = ROOT / "plugins"
MODULES = generate.modules()
COLLECTION = "ansible_collections.buildworks.toolchain.plugins"

# From the ground up: a file knows only those above it in this list
LAYERS = (
    "_errors",
    "_argspec",
    "_task",
    "_private_file",
    "_address",
    "_credential",
    "_http",
    "_reconcile",
    "_wait",
    ("_artifact", "_ci", "_review", "_inference"),
)
HTTP_LIBRARIES = {"requests", "urllib3", "urllib.request", "http.client", "socket", "ansible.module_utils.urls"}
MAY_USE_SOCKETS = {"_review/ltoken.py"}  # looks up the names of a host


def test_what_is_generated_is_up_to_date() -> None:
    for path, text in generate.generated().items():
        assert path.read_text() == text, f"run tools/generate.py: {path} is out of date"


def test_nothing_is_left_over_from_former_modules() -> None:
    actions = {path.stem for path in (PLUGINS / "action").glob("*.py")}
    assert actions == set(MODULES)


def test_every_module_belongs_to_two_action_groups() -> None:
    groups = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["action_groups"]
    assert sorted(groups.pop("all")) == MODULES
    assert sorted(module for members in groups.values() for module in members) == MODULES


def layer(name: str) -> int:
    """The number of a file's layer, from the ground up."""
    for number, names in enumerate(LAYERS):
        if name in ((names,) if isinstance(names, str) else names):
            return number
    raise AssertionError(f"{name} has no place in the architecture")


def imported(path: pathlib.Path) -> Iterator[str]:
    """The full names of the modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


UTILS = sorted((PLUGINS / "module_utils").rglob("*.py"))


@pytest.mark.parametrize("path", UTILS, ids=lambda path: str(path.relative_to(PLUGINS / "module_utils")))
def test_imports_go_one_way(path: pathlib.Path) -> None:
    own = path.relative_to(PLUGINS / "module_utils").parts[0].removesuffix(".py")
    for name in imported(path):
        if name.startswith(f"{COLLECTION}."):
            kind, _unused, rest = name.removeprefix(f"{COLLECTION}.").partition(".")
            assert kind == "module_utils"
            other = rest.partition(".")[0]
            assert other == own or layer(other) < layer(own), f"{own} must not know {other}"


@pytest.mark.parametrize("path", UTILS, ids=lambda path: str(path.relative_to(PLUGINS / "module_utils")))
def test_only_one_file_speaks_http(path: pathlib.Path) -> None:
    relative = str(path.relative_to(PLUGINS / "module_utils"))
    if relative != "_http.py":
        allowed = {"socket"} if relative in MAY_USE_SOCKETS else set()
        assert not (set(imported(path)) & HTTP_LIBRARIES) - allowed


def body(module: str) -> str:
    """The code of a module, without its documentation."""
    text = (PLUGINS / "modules" / f"{module}.py").read_text()
    return text[text.index("\nSPEC = ") :]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_a_spec_and_a_run(module: str) -> None:
    code = body(module)
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 70
    for forbidden in ("check_mode", "exit_json", "fail_json", "AnsibleModule", ".http", "try:"):
        assert forbidden not in code, f"{module} does the work of a layer below: {forbidden}"
    assert not set(imported(PLUGINS / "modules" / f"{module}.py")) & HTTP_LIBRARIES


@pytest.mark.parametrize("module", MODULES)
def test_options_are_documented_as_they_are(module: str) -> None:
    code = importlib.import_module(f"{COLLECTION}.modules.{module}")
    documented = options_of(module)
    assert sorted(documented) == sorted(code.SPEC.options)
    for name, option in code.SPEC.options.items():
        assert documented[name].get("default") == option.get("default"), name
        assert documented[name].get("type", "str") == option.get("type", "str"), name
        for variable in (option.get("fallback") or (None, ()))[1]:
            assert f"E({variable})" in str(documented[name]["description"]), f"{name} does not name {variable}"


def options_of(module: str) -> dict[str, dict[str, object]]:
    """The documented options of a module, with those of its fragments."""
    documentation = yaml.safe_load(importlib.import_module(f"{COLLECTION}.modules.{module}").DOCUMENTATION)
    options = dict(documentation["options"] or {})
    for fragment in documentation["extends_documentation_fragment"]:
        name = fragment.rpartition(".")[2]
        text = importlib.import_module(f"{COLLECTION}.doc_fragments.{name}").ModuleDocFragment.DOCUMENTATION
        options.update(yaml.safe_load(text)["options"] or {})
    return options


@pytest.mark.parametrize("module", MODULES)
def test_secrets_are_marked_as_such(module: str) -> None:
    code = importlib.import_module(f"{COLLECTION}.modules.{module}")
    for name, option in code.SPEC.options.items():
        if re.search(r"password|secret|token|_key$", name):
            assert "no_log" in option or name in ("client_key",), f"{name}: say whether it is a secret"
