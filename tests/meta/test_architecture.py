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
from typing import Any

import pytest
import yaml

import generate
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import LIMITS, SEGMENT, numbers_taken

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLUGINS = ROOT / "plugins"
MODULES = generate.modules()
README = (ROOT / "README.md").read_text()
COLLECTION = "ansible_collections.buildworks.toolchain.plugins"

# From the ground up: a file knows only those above it in this list
LAYERS = (
    "_errors",
    "_interruption",
    "_limits",
    "_argspec",
    "_options",
    "_task",
    "_private_file",
    "_local_file",
    "_address",
    "_credential",
    "_http",
    "_reconcile",
    "_issued",
    "_wait",
    "_bulk",
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
def test_only_one_package_speaks_http(path: pathlib.Path) -> None:
    relative = str(path.relative_to(PLUGINS / "module_utils"))
    if not relative.startswith("_http/"):
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
def test_a_module_says_whose_function_it_calls(module: str) -> None:
    """`tokens.listed(...)`, not a bare `listed(...)`; a class has a name of its own."""
    for node in ast.walk(ast.parse((PLUGINS / "modules" / f"{module}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and re.search(rf"\._({'|'.join(generate.SERVICES)})\.", str(node.module)):
            names = [alias.name for alias in node.names]
            assert not [name for name in names if name.islower()], f"import the file, not {names} of it"


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


@pytest.mark.parametrize("module", MODULES)
def test_connection_variables_are_documented_with_their_options(module: str) -> None:
    service = importlib.import_module(f"{COLLECTION}.modules.{module}").SPEC.service
    documented = options_of(module)
    own = (*service.login, *service.habits)
    for option in own:
        assert f"C({service.variable(option)})" in str(documented[option]["description"]), option
    for option in service.transport:
        assert f"C(toolchain_<service>_{option})" in str(documented[option]["description"]), option
    rows = dict(re.findall(r"^\| (`toolchain_\w+_\.\.\.`|each of the four) \| (.*) \|$", README, re.MULTILINE))
    assert rows[f"`toolchain_{service.name}_...`"] == ", ".join(f"`{option}`" for option in own)
    assert rows["each of the four"] == ", ".join(f"`{option}`" for option in service.transport)


def options_of(module: str) -> dict[str, dict[str, Any]]:
    """The documented options of a module, with what its fragments say of them where it does not say otherwise."""
    documentation = yaml.safe_load(importlib.import_module(f"{COLLECTION}.modules.{module}").DOCUMENTATION)
    options = dict(documentation["options"] or {})
    for fragment in documentation["extends_documentation_fragment"]:
        name = fragment.rpartition(".")[2]
        text = importlib.import_module(f"{COLLECTION}.doc_fragments.{name}").ModuleDocFragment.DOCUMENTATION
        for option, shared in (yaml.safe_load(text)["options"] or {}).items():
            options[option] = {**shared, **options.get(option, {})}
    return options


def every_option(
    options: dict[str, dict[str, Any]], documented: dict[str, dict[str, Any]], inside: str = ""
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each option with its path and its documentation, those inside others too."""
    for name, option in options.items():
        yield inside + name, option, documented[name]
        if option.get("options"):
            yield from every_option(option["options"], documented[name]["suboptions"], f"{inside}{name}.")


@pytest.mark.parametrize("module", MODULES)
def test_each_option_has_limits_or_says_why_not(module: str) -> None:
    code = importlib.import_module(f"{COLLECTION}.modules.{module}")
    for path, option, documented in every_option(code.SPEC.options, options_of(module)):
        if option.get("type", "str") == "bool" or "choices" in option or "options" in option:
            continue
        assert set(option) & set(LIMITS), f"{path}: which values does it take?"
        if option["type"] in ("int", "float"):
            assert "at_least" in option, path
            assert "at_most" in option, path
            assert numbers_taken(option) in str(documented["description"]), f"{path}: {numbers_taken(option)}"
        said = documented["description"]
        description = said if isinstance(said, str) else " ".join(said)
        if "matches" in option and option["matches"] != SEGMENT["matches"]:
            takes = option["matches"][1].partition(", such as")[0]
            assert takes in description.lower(), f"{path}: {takes}"
        if option.get("not_empty") and not option.get("one_line") and option["type"] != "path":
            assert "not be empty" in description, path


def test_what_holds_for_all_names_and_paths_is_said_once() -> None:
    notes = importlib.import_module(f"{COLLECTION}.doc_fragments.connection").ModuleDocFragment.DOCUMENTATION
    assert "is one line, without blanks at its ends; neither it nor a path must be empty" in " ".join(notes.split())
    assert "of a repository has no slash" in notes


@pytest.mark.parametrize("module", MODULES)
def test_secrets_are_marked_as_such(module: str) -> None:
    code = importlib.import_module(f"{COLLECTION}.modules.{module}")
    for name, option in code.SPEC.options.items():
        if re.search(r"password|secret|token|_key$", name):
            assert "no_log" in option or name in ("client_key",), f"{name}: say whether it is a secret"


SANDBOX = ROOT / "extensions" / "sandbox"
SANDBOX_PARTS = sorted({path.relative_to(SANDBOX).parts[0] for path in SANDBOX.rglob("*.py")})
SERVICES = {"artifact", "ci", "review", "inference"}


def neighbours(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The files of the sandbox that one of them imports, if only for their types."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = [folder.with_suffix(".py")] if node.module else []
            names += [folder / f"{alias.name}.py" for alias in node.names]
            yield from (name for name in names if name.exists())


def circle(path: pathlib.Path, way: tuple[pathlib.Path, ...] = (), seen: set[pathlib.Path] | None = None) -> list[str]:
    """The files on a way from a file back to itself, or none."""
    seen = set() if seen is None else seen
    for other in neighbours(path):
        if other == (*way, path)[0]:
            return [step.stem for step in (*way, path)]
        if other not in seen:
            seen.add(other)
            found = circle(other, (*way, path), seen)
            if found:
                return found
    return []


@pytest.mark.parametrize(
    "path", sorted(SANDBOX.rglob("*.py")), ids=lambda path: str(path.relative_to(SANDBOX).with_suffix(""))
)
def test_the_sandbox_has_no_import_circles(path: pathlib.Path) -> None:
    assert circle(path) == []


@pytest.mark.parametrize("part", SANDBOX_PARTS)
def test_services_of_the_sandbox_do_not_know_each_other(part: str) -> None:
    files = (SANDBOX / part).rglob("*.py") if (SANDBOX / part).is_dir() else [SANDBOX / part]
    known = {other.relative_to(SANDBOX).parts[0] for path in files for other in neighbours(path)}
    assert not known & (SERVICES - {part})
