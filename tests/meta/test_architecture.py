# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The architecture: generated files are up to date, imports point downwards, each layer does its own work."""

from __future__ import annotations

import ast
import functools
import graphlib
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.yaml import yaml_load

import generate
import role_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import LIMITS
from imports import find_imports
from support.nulls import NULLS

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = generate.list_modules()
COLLECTION = "ansible_collections.buildworks.toolchain.plugins"
MODULE_UTILS = f"{COLLECTION}.module_utils"

# Bottom-up: a file imports only files above it in this list
LAYERS = (
    {"_errors"},
    {"_interruption", "_secret_patterns"},
    {"_options"},
    {"_task"},
    {"_files"},
    {"_url"},
    {"_credential"},
    {"_http"},
    {"_write_only_secrets"},
    {"_reconcile"},
    {"_issued_secret"},
    {"_wait"},
    {"_bulk"},
    {"_undeclared"},
    {"_artifact", "_ci", "_review", "_inference"},
)
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}
TOP = len(LAYERS)
HTTP_LIBRARIES = {"requests", "urllib3", "urllib.request", "http.client", "socket", "ansible.module_utils.urls"}
# It resolves host names
MAY_IMPORT = {f"{MODULE_UTILS}._review.ltoken": {"socket"}}
FORBIDDEN_IN_MODULES = ("check_mode", "exit_json", "fail_json", "AnsibleModule", ".http", "try:")


def sources(folder: Path, package: str) -> dict[str, Path]:
    """Return the files of a package by the names with which they are imported."""
    paths = {".".join(path.relative_to(folder).with_suffix("").parts): path for path in sorted(folder.rglob("*.py"))}
    return {f"{package}.{name}".removesuffix(".__init__"): path for name, path in paths.items()}


PLUGINS = sources(ROOT / "plugins", COLLECTION)
UTILS = [name for name in PLUGINS if name.startswith(f"{MODULE_UTILS}.")]
SANDBOX = sources(ROOT / "extensions" / "sandbox", "sandbox")


@functools.cache
def imported_names(name: str) -> frozenset[str]:
    """Return the absolute names of everything that a file of the plugins or the sandbox imports."""
    path = {**PLUGINS, **SANDBOX}[name]
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    return frozenset(find_imports(ast.parse(path.read_text()), package))


def imported_files(name: str, files: dict[str, Path]) -> set[str]:
    """Return which of these files a file imports."""
    imported = {other if other in files else other.rpartition(".")[0] for other in imported_names(name)}
    return (imported & files.keys()) - {name}


def test_generated_files_are_up_to_date() -> None:
    outdated = [str(path) for path, text in generate.generate_files().items() if path.read_text() != text]
    assert outdated == [], "run tools/generate.py"


def test_each_action_has_a_module() -> None:
    assert sorted(path.stem for path in (ROOT / "plugins" / "action").glob("*.py")) == MODULES


def test_each_module_is_in_two_action_groups() -> None:
    groups = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["action_groups"]
    assert sorted(groups.pop("all")) == MODULES
    assert sorted(module for members in groups.values() for module in members) == MODULES


def layer(name: str) -> str:
    """Return the layer that something in module_utils belongs to, and other names as they are."""
    return name.removeprefix(f"{MODULE_UTILS}.").partition(".")[0] if is_in(name, MODULE_UTILS) else name


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_every_layer_has_a_rank() -> None:
    assert {layer(file) for file in UTILS} == RANKS.keys()


def test_imports_in_module_utils_point_downwards() -> None:
    violations = []
    for file in UTILS:
        own = layer(file)
        others = {layer(name) for name in imported_names(file) if is_in(name, COLLECTION)} - {own}
        violations += [f"{file}: {other}" for other in sorted(others) if RANKS.get(other, TOP) >= RANKS[own]]
    assert violations == []


def test_only_the_http_package_imports_http_libraries() -> None:
    violations = []
    for file in PLUGINS:
        if layer(file) != "_http":
            used = {library for library in HTTP_LIBRARIES for name in imported_names(file) if is_in(name, library)}
            violations += [f"{file}: {library}" for library in sorted(used - MAY_IMPORT.get(file, set()))]
    assert violations == []


@pytest.mark.parametrize("files", [PLUGINS, SANDBOX], ids=["plugins", "sandbox"])
def test_imports_have_no_cycles(files: dict[str, Path]) -> None:
    graphlib.TopologicalSorter({file: imported_files(file, files) for file in files}).prepare()


def test_sandbox_services_do_not_import_each_other() -> None:
    violations = []
    for file in SANDBOX:
        services = {part(other) for other in imported_files(file, SANDBOX)} & set(generate.SERVICES)
        violations += [f"{file}: {service}" for service in sorted(services - {part(file)})]
    assert violations == []


def part(file: str) -> str:
    """Return the service, or the file of another name, that a file of the sandbox belongs to."""
    return f"{file}.".split(".")[1]


def test_module_consists_of_spec_and_run() -> None:
    violations = []
    for module in MODULES:
        text = source(module).read_text()
        code = text[text.index("\nSPEC = ") :]
        lines = [line for line in code.splitlines() if line.strip()]
        violations += [f"{module}: {words}" for words in FORBIDDEN_IN_MODULES if words in code]
        violations += [f"{module}: {len(lines)} lines"] if len(lines) > 70 else []
    assert violations == [], "a layer below does this"


def source(module: str) -> Path:
    return PLUGINS[f"{COLLECTION}.modules.{module}"]


def test_modules_import_no_functions_of_a_service() -> None:
    """`tokens.list_tokens(...)` shows the file of the function, `list_tokens(...)` does not."""
    violations = []
    for module in MODULES:
        for name in sorted(imported_names(f"{COLLECTION}.modules.{module}")):
            of, _dot, member = name.rpartition(".")
            if member.islower() and name not in PLUGINS and re.search(rf"\._({'|'.join(generate.SERVICES)})\.", name):
                violations.append(f"{module}: {member} of {of}")
    assert violations == []


@functools.cache
def load_plugin(kind: str, name: str) -> ModuleType:
    return importlib.import_module(f"{COLLECTION}.{kind}.{name}")


@functools.cache
def fragment_options(name: str) -> dict[str, dict[str, Any]]:
    return yaml_load(load_plugin("doc_fragments", name).ModuleDocFragment.DOCUMENTATION)["options"] or {}


@functools.cache
def documented_options(module: str) -> dict[str, dict[str, Any]]:
    """Return the documented options of a module, completed by those of its fragments."""
    options = dict(yaml_load(load_plugin("modules", module).DOCUMENTATION)["options"] or {})
    for fragment in generate.list_fragments(module)[1:]:
        for option, shared in fragment_options(fragment).items():
            options[option] = {**shared, **options.get(option, {})}
    return options


def test_editors_list_connection_options_last() -> None:
    """The Ansible language server lists options in the order of the fragments in their list, then of the module."""
    order = load_plugin("doc_fragments", "option_order").ModuleDocFragment
    violations = []
    for module in MODULES:
        first, *others = generate.list_fragments(module)
        names = dict.fromkeys(yaml_load(getattr(order, module.upper()))["options"])
        for fragment in others:
            names.update(dict.fromkeys(fragment_options(fragment)))
        names.update(dict.fromkeys(documented_options(module)))
        connection = load_plugin("modules", module).SPEC.service.options
        if first != f"option_order.{module}" or set(list(names)[-len(connection) :]) != set(connection):
            violations.append(module)
    assert violations == [], "list the fragment option_order first, and run tools/generate.py"


def test_no_fragment_has_the_name_of_a_module() -> None:
    """For `option_order.<module>`, Ansible would load this fragment instead."""
    assert {path.stem for path in (ROOT / "plugins/doc_fragments").glob("*.py")} & set(MODULES) == set()


def spec_options(module: str) -> dict[str, dict[str, Any]]:
    return load_plugin("modules", module).SPEC.options


def test_each_option_is_documented() -> None:
    undocumented = {module: spec_options(module).keys() ^ documented_options(module).keys() for module in MODULES}
    assert {module: names for module, names in undocumented.items() if names} == {}


def test_options_are_declared_as_documented() -> None:
    declared_with = {"type": "str", "elements": None, "required": False, "default": None, "choices": None}
    violations = []
    for module in MODULES:
        for path, option, documented in every_option(spec_options(module), documented_options(module)):
            expected = {**documented, "choices": list(documented["choices"])} if "choices" in documented else documented
            same = all(option.get(key, value) == expected.get(key, value) for key, value in declared_with.items())
            variables = (option.get("fallback") or (None, ()))[1]
            if not same or any(f"E({variable})" not in description(documented) for variable in variables):
                violations.append(f"{module}: {path}")
    assert violations == []


def test_choices_of_roles_are_lists_because_ansible_refuses_dictionaries() -> None:
    violations = []
    for path in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        specs = role_options.load_yaml(path.read_text())["argument_specs"]
        violations += [f"{path.parent.parent.name}: {name}" for name in with_dictionaries(specs["main"]["options"])]
    assert violations == []


def with_dictionaries(options: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the options of a role whose choices are a dictionary, suboptions included."""
    for name, option in options.items():
        if isinstance(option.get("choices"), dict):
            yield name
        yield from with_dictionaries(option.get("options") or {})


def test_examples_store_no_secret_in_a_shared_directory() -> None:
    places = ["README.md", "docs/**/*.rst", "docs/**/*.yml", "roles/*/README.md", "playbooks/*.yml", "plugins/**/*.py"]
    files = [path for place in places for path in ROOT.glob(place)]
    stored = re.compile(r"(_file: |> |tee )[^#\n]*/tmp\b")
    assert [f"{path}: {found[0]}" for path in files for found in stored.finditer(path.read_text())] == []


def description(documented: dict[str, Any]) -> str:
    text = documented["description"]
    return text if isinstance(text, str) else " ".join(text)


def test_connection_variables_are_documented_with_their_options() -> None:
    violations = []
    for module in MODULES:
        service, documented = load_plugin("modules", module).SPEC.service, documented_options(module)
        variables = {option: service.host_variable(option) for option in (*service.login, *service.behavior)}
        variables |= {option: f"toolchain_<service>_{option}" for option in service.transport}
        violations += [
            f"{module}: {option}"
            for option, variable in variables.items()
            if f"C({variable})" not in description(documented[option])
        ]
    assert violations == []


def test_documentation_fragments_list_the_connection_variables() -> None:
    """The variables page of the site is generated from these fragments."""
    services = {
        service.name: service for service in (load_plugin("modules", module).SPEC.service for module in MODULES)
    }
    for name, service in services.items():
        fragment = load_plugin("doc_fragments", name).ModuleDocFragment.DOCUMENTATION
        assert set(yaml.safe_load(fragment)["options"]) == {*service.login, *service.behavior}


def test_each_option_has_limits_or_a_reason_for_none() -> None:
    violations = []
    for module in MODULES:
        for path, option, _documented in every_option(spec_options(module), documented_options(module)):
            violations += [f"{module}: {path}: {limit}" for limit in missing_limits(option)]
    assert violations == []


# Modules whose scope is set by required options alone
NOTHING_TO_NARROW = {
    *("artifact_archive", "artifact_mail", "ci_cli", "ci_cli_jar", "ci_node_drain"),
    *("ci_quiet_down", "ci_restart", "ci_safe_restart"),
    *("inference_chat", "inference_project", "inference_rate_limit"),
    *("inference_service_account", "inference_user", "review_config_file", "review_group"),
    *("review_project", "review_project_import", "review_server_import", "review_user"),
}


# They change files of the controller, which are visible at once
WRITES_ONLY_FILES = {"artifact_download", "ci_cli_jar"}


def test_modules_wait_until_their_changes_are_visible() -> None:
    reading_back = {module for module in MODULES if "reconcile(" in source(module).read_text()}
    defaults = {module: spec_options(module).get("visibility_timeout", {}).get("default") for module in reading_back}
    assert {module for module, default in defaults.items() if not default} == WRITES_ONLY_FILES


def test_modules_that_change_something_declare_narrowing_options() -> None:
    changing = {module for module in MODULES if not module.endswith("_info")}
    assert changing - NULLS.keys() == NOTHING_TO_NARROW


# Options with JSON values, in which fractions are valid
JSON_VALUES = {
    *("artifact_repository: settings", "artifact_repository: items.settings"),
    *("ci_script: args", "ci_script: secret_args"),
    *("inference_chat: messages.tool_calls.arguments", "inference_chat: tools.parameters"),
    *("inference_chat: response_schema", "inference_chat: extra"),
    *("inference_chat_batch: prompts.messages.tool_calls.arguments", "inference_chat_batch: prompts.response_schema"),
    *("inference_chat_batch: prompts.extra", "inference_chat_batch: response_schema", "inference_chat_batch: extra"),
    *("inference_chat_batch: limits", "inference_chat_batch: prompts.body", "review_role: permissions"),
}


def test_dictionaries_declare_whether_their_values_are_strings() -> None:
    others = {
        f"{module}: {path}"
        for module in MODULES
        for path, option, _documented in every_option(spec_options(module), documented_options(module))
        if option.get("type") == "dict" and "options" not in option and "text_values" not in option
    }
    assert others == JSON_VALUES


def every_option(
    options: dict[str, dict[str, Any]], documented: dict[str, dict[str, Any]], inside: str = ""
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield each option with its path and its documentation, suboptions included."""
    for name, option in options.items():
        yield inside + name, option, documented[name]
        if option.get("options"):
            yield from every_option(option["options"], documented[name]["suboptions"], f"{inside}{name}.")


def missing_limits(option: dict[str, Any]) -> Iterator[str]:
    """Yield the limits that an option lacks. Messages name them, so that the documentation may omit them."""
    if option.get("type", "str") == "bool" or "choices" in option or "options" in option:
        return
    if not set(option) & set(LIMITS):
        yield "any of _limits.LIMITS"
    if option["type"] in ("int", "float"):
        yield from sorted({"at_least", "at_most"} - option.keys())


def test_limits_of_all_names_and_paths_are_documented_once() -> None:
    notes = " ".join(load_plugin("doc_fragments", "connection").ModuleDocFragment.DOCUMENTATION.split())
    assert "Names must be a single line without surrounding blanks, names and paths must not be empty" in notes
    assert "repository names must not contain a slash" in notes


def test_options_with_names_of_secrets_declare_no_log() -> None:
    violations = [
        f"{module}: {name}"
        for module in MODULES
        for name, option in spec_options(module).items()
        if re.search(r"password|secret|token|_key$", name) and "no_log" not in option and name != "client_key"
    ]
    assert violations == []


def test_secret_options_are_hidden() -> None:
    secrets = {"admin_key", "api_key", "api_token", "ltoken", "password", "session_token", "source_password", "token"}
    secrets |= {"secret", "secret_args", "secret_parameters", "secret_value", "user_password", "remote_password"}
    secrets |= {"credential_password", "license_keys", "manager_password", "passphrase", "private_key"}
    secrets |= {"proxy_password", "secret_default", "smtp_password"}
    credential_texts = {"content", "content_base64", "xml"}
    violations = [
        f"{module}: {path}"
        for module in MODULES
        for path, option, _documented in every_option(spec_options(module), documented_options(module))
        if option.get("no_log", False)
        is not (path.rpartition(".")[2] in secrets | (credential_texts if module == "ci_credential" else set()))
    ]
    assert violations == []
