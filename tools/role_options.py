# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of roles that mirror a module's, and the tasks that hand them on, from the module's documentation.

What a role has beside the module's options (`expect`, say), what it requires and its own rules stay as they are.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
from typing import Any

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ("state", "purge", "to_file", "bulk", "issued", "inference_project", "chat")


# Said once for all entries of a list
WAITING = frozenset({"wait", "wait_timeout", "wait_delay"})
# What earlier tasks of the role would have made is not there in check mode
MADE_BEFORE = {"predict_missing": "__review_provision_changed"}


@dataclasses.dataclass(frozen=True)
class Mirror:
    """Where a role has the options of a module.

    `path` leads to them in its argument specification; `item` is what its task's loop calls an entry, empty when the
    list is handed on as it is; `option` is the option of the module that has them inside; `fixed` gives options their
    values from elsewhere; `without` are options that the role does not offer.
    """

    role: str
    module: str
    path: tuple[str, ...]
    item: str = "item"
    option: str = ""
    fixed: dict[str, str] = dataclasses.field(default_factory=dict)
    without: frozenset[str] = frozenset()


MIRRORS = (
    Mirror("artifact_housekeeping", "artifact_cleanup", ("artifact_housekeeping_rules",), item="", option="rules"),
    Mirror(
        "artifact_housekeeping",
        "artifact_cleanup",
        ("artifact_housekeeping_cleanup",),
        item="artifact_housekeeping_cleanup",
        fixed={
            # null must reach the module, which refuses it
            "rules": "omit if artifact_housekeeping_from_plan is defined else artifact_housekeeping_rules",
            "from_plan": "artifact_housekeeping_from_plan | default(omit)",
            "plan_file": (
                "omit if artifact_housekeeping_from_plan is defined else artifact_housekeeping_plan_file or omit"
            ),
        },
    ),
    Mirror(
        "artifact_housekeeping",
        "artifact_build_retention",
        ("artifact_housekeeping_builds",),
        item="",
        without=WAITING,
    ),
    Mirror("artifact_housekeeping", "artifact_trash", ("artifact_housekeeping_trash",), item="", without=WAITING),
    Mirror("artifact_provision", "artifact_file", ("artifact_provision_files",), item=""),
    Mirror("artifact_provision", "artifact_properties", ("artifact_provision_properties",)),
    Mirror("artifact_provision", "access_token", ("artifact_provision_tokens",)),
    Mirror("artifact_release", "artifact_build_promotion", ("artifact_release_build",), item="artifact_release_build"),
    Mirror("artifact_release", "artifact_image_promotion", ("artifact_release_images",)),
    Mirror("artifact_release", "artifact_properties", ("artifact_release_properties",)),
    Mirror("ci_pipeline", "ci_build", ("ci_pipeline_stages", "builds"), item="", without=WAITING),
    Mirror("ci_provision", "ci_plugin", ("ci_provision_install_plugins",), item="", option="plugins"),
    Mirror("ci_provision", "ci_script", ("ci_provision_scripts",), without=frozenset({"read_only"})),
    Mirror("inference_batch", "inference_chat_batch", ("inference_batch_prompts",), item="", option="prompts"),
    Mirror(
        "inference_batch",
        "inference_chat_batch",
        ("inference_batch_options",),
        item="inference_batch_options",
        fixed={
            "prompts": "inference_batch_prompts or omit",
            "prompts_file": "inference_batch_prompts_file or omit",
            "to_file": "inference_batch_to_file",
            "limits": "__inference_batch_limits.rate_limits | default(inference_batch_options.limits | default(omit))",
        },
    ),
    Mirror(
        "inference_governance", "inference_drift_info", ("inference_governance_projects",), item="", option="projects"
    ),
    Mirror("inference_governance", "inference_drift_info", ("inference_governance_users",), item="", option="users"),
    Mirror("inference_provision", "inference_project", ("inference_provision_projects",)),
    Mirror(
        "inference_provision",
        "inference_rate_limit",
        ("inference_provision_projects", "limits"),
        item="",
        option="limits",
    ),
    Mirror("inference_provision", "inference_user", ("inference_provision_users",)),
    Mirror("inference_provision", "inference_service_account", ("inference_provision_service_accounts",)),
    Mirror("inference_provision", "inference_admin_key", ("inference_provision_admin_keys",)),
    Mirror("inference_provision", "inference_chat", ("inference_provision_prompts",)),
    *(
        Mirror("review_onboarding", f"review_{kind}", (f"review_onboarding_{option}",), item="", without=without)
        for kind, option, without in (
            ("project", "project", frozenset({"new_name", "state", "allow_delete"})),
            ("group", "groups", frozenset({"allow_lockout", "state"})),
            ("role", "roles", frozenset({"assignments", "allow_lockout", "purge", "state"})),
            ("module", "modules", frozenset({"project", "new_name", "state"})),
            ("view", "views", frozenset({"project", "state"})),
        )
    ),
    Mirror("review_onboarding", "review_gate_info", ("review_onboarding_gate",), item="", option="checks"),
    # Secrets are apart, for results show the items of a loop
    Mirror(
        "review_provision",
        "review_user",
        ("review_provision_users",),
        fixed={"password": "review_provision_passwords[item.name] | default(omit)"},
        without=frozenset({"update_password"}),
    ),
    Mirror("review_provision", "review_group", ("review_provision_groups",), fixed=MADE_BEFORE),
    # Its modules, views and builds are found by the name that it has
    Mirror("review_provision", "review_project", ("review_provision_projects",), without=frozenset({"new_name"})),
    Mirror(
        "review_provision",
        "review_defect_type",
        ("review_provision_projects", "defect_types"),
        item="",
        option="defect_types",
    ),
    Mirror("review_provision", "review_role", ("review_provision_roles",), fixed=MADE_BEFORE),
    *(
        Mirror(
            "review_provision",
            f"review_{kind}",
            ("review_provision_projects", f"{kind}s"),
            item="item.1",
            fixed={"project": "item.0.name", **more},
        )
        for kind, more in (("module", MADE_BEFORE), ("view", MADE_BEFORE), ("build", {}))
    ),
    Mirror("review_quality_gate", "review_gate_info", ("review_quality_gate_checks",), item="", option="checks"),
    Mirror("review_triage", "review_issue", ("review_triage_rules",), item="", option="rules"),
)


def load_yaml(text: str) -> Any:
    """Parse YAML, ten times as fast where PyYAML has its C library."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def mirrored(header: str, dumper: type[yaml.SafeDumper]) -> dict[pathlib.Path, str]:
    """The argument specifications and tasks of the roles, with the options of the modules in them."""
    files: dict[pathlib.Path, str] = {}
    for mirror in MIRRORS:
        folder = ROOT / "roles" / mirror.role
        specs, tasks = folder / "meta" / "argument_specs.yml", folder / "tasks" / "main.yml"
        parsed = load_yaml(files.get(specs) or specs.read_text())
        options = _options(parsed, mirror)
        files[specs] = f"{header}---\n" + yaml.dump(
            parsed, sort_keys=False, width=110, allow_unicode=True, Dumper=dumper
        )
        if mirror.item:
            files[tasks] = _handed_on(files.get(tasks) or tasks.read_text(), mirror, options)
    return files


def documented(module: str) -> dict[str, dict[str, Any]]:
    """The options of a module for one item, but for those that say how to reach its service."""
    documentation = load_yaml(_constant(ROOT / "plugins" / "modules" / f"{module}.py"))
    options = {name: option for name, option in documentation["options"].items() if name != "items"}
    for fragment in documentation["extends_documentation_fragment"]:
        name = fragment.rpartition(".")[2]
        if name in SHARED and not (name == "bulk" and "items" in documentation["options"]):
            shared = load_yaml(_constant(ROOT / "plugins" / "doc_fragments" / f"{name}.py"))["options"]
            options.update({option: {**shared[option], **options.get(option, {})} for option in shared})
    return options


def _options(specs: dict[str, Any], mirror: Mirror) -> dict[str, dict[str, Any]]:
    """Put the module's options into a role's specification; gives what is there then."""
    place = specs["argument_specs"]["main"]
    for name in mirror.path:
        place = place["options"][name]
    before, options, source = place["options"], {}, documented(mirror.module)
    if mirror.option:
        source = source[mirror.option]["suboptions"]
    for name, option in source.items():
        if name not in mirror.fixed and name not in mirror.without:
            options[name] = {**_for_role(option), **{key: before.get(name, {})[key] for key in _kept(before, name)}}
    own = {name: option for name, option in before.items() if name not in source}
    place["options"] = {**options, **own}
    return options


def _kept(before: dict[str, dict[str, Any]], name: str) -> list[str]:
    """What a role decides itself: what it requires, and the rules inside an option."""
    rules = ("required", "mutually_exclusive", "required_one_of", "required_together", "required_if")
    return [key for key in rules if key in before.get(name, {})]


def _for_role(option: dict[str, Any]) -> dict[str, Any]:
    """An option of a module as a role documents it, where `suboptions` are `options` and no markup names options."""
    shown: dict[str, Any] = {}
    for key, value in _with_listed_choices(option).items():
        if key == "suboptions":
            shown["options"] = {name: _for_role(inner) for name, inner in value.items()}
        elif key not in ("version_added", "aliases"):
            shown[key] = _plain_markup(value) if key == "description" else value
    return shown


def _with_listed_choices(option: dict[str, Any]) -> dict[str, Any]:
    """Return the option with its choices as a list, because ansible-core takes no dictionary of them for roles."""
    choices = option.get("choices")
    if not isinstance(choices, dict):
        return option
    text = option["description"]
    lines = [text] if isinstance(text, str) else text
    explained = [f"V({choice}): {meaning}" for choice, meaning in choices.items()]
    return {**option, "description": [*lines, *explained], "choices": list(choices)}


def _plain_markup(text: Any) -> Any:
    if isinstance(text, list):
        return [_plain_markup(line) for line in text]
    return re.sub(r"\b(O|RV)\(", "C(", text)


def _handed_on(tasks: str, mirror: Mirror, options: dict[str, dict[str, Any]]) -> str:
    """The tasks, with each option handed on to the module wherever it is run."""
    lines = [f'{name}: "{{{{ {value} }}}}"\n' for name, value in mirror.fixed.items()]
    for name, option in options.items():
        value = f"{mirror.item}.{name}" if option.get("required") else f"{mirror.item}.{name} | default(omit)"
        if hasattr(dict, name):  # or Jinja would find the method of that name
            value = f"{mirror.item}.get('{name}', omit)"
        lines.append(f'{name}: "{{{{ {value} }}}}"\n')
    pattern = rf"^( +)(buildworks\.toolchain\.{mirror.module}:\n)(?:\1  \w+: .*\n)+"
    return re.sub(
        pattern,
        lambda found: found[1] + found[2] + "".join(f"{found[1]}  {line}" for line in lines),
        tasks,
        flags=re.MULTILINE,
    )


def _constant(path: pathlib.Path) -> str:
    """The text of DOCUMENTATION, of a module or inside the class of a fragment."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOCUMENTATION":
            return ast.literal_eval(node.value)
    raise SystemExit(f"{path} has no DOCUMENTATION")
