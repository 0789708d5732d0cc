# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Copy module options to the roles that mirror them, and pass them in the tasks of these roles.

Additional options of a role, its required options and its rules are not changed.
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
from typing import Any

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = (
    *("state", "purge", "update_secret", "ci_on_dropped", "to_file", "bulk", "issued"),
    *("inference_project_selection", "chat"),
)


# Sentences of modules that make no sense in a role, whose lists have no other form
_REMARK_ON_ITEMS = re.compile(r"(Required|Within|Outside of)\b.*O\(items")
# Options that are documented once for all entries of a list
WAITING = frozenset({"wait", "wait_timeout", "wait_delay"})
# Options for a whole list
OF_LISTS = frozenset({"undeclared", "deletions_only", "predict_missing", "withhold_grants"})
# In check mode, objects of earlier tasks of the role do not exist
MADE_BEFORE = {"predict_missing": "__review_provision_changed"}


@dataclasses.dataclass(frozen=True)
class Mirror:
    """A role that mirrors the options of a module.

    :arg path: path of the options in the argument specification
    :arg item: loop variable of the task, empty if the list is passed as a whole
    :arg option: the option of the module that contains the mirrored options
    :arg fixed: options with values from elsewhere
    :arg without: options that the role does not offer
    :arg renamed: options with another name in the role, which is that in the list of the module
    """

    role: str
    module: str
    path: tuple[str, ...]
    item: str = "item"
    option: str = ""
    fixed: dict[str, str] = dataclasses.field(default_factory=dict)
    without: frozenset[str] = frozenset()
    renamed: dict[str, str] = dataclasses.field(default_factory=dict)


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
    *(
        Mirror("artifact_provision", f"artifact_{kind}", (f"artifact_provision_{kind}s",), item="", without=OF_LISTS)
        for kind in (
            *("environment", "project", "group", "permission", "replication", "webhook"),
            *("layout", "property_set", "keypair", "certificate", "trusted_key", "backup"),
        )
    ),
    *(
        Mirror("artifact_provision", f"artifact_{kind}", (f"artifact_provision_{kinds}",), item="", without=OF_LISTS)
        for kind, kinds in (
            *(("ldap", "ldap"), ("saml", "saml"), ("oidc", "oidc")),
            *(("proxy", "proxies"), ("cleanup_policy", "cleanup_policies")),
        )
    ),
    *(
        Mirror(
            "artifact_provision",
            f"artifact_{kind}",
            (f"artifact_provision_{kind}",),
            item=f"artifact_provision_{kind}",
        )
        for kind in ("license", "mail")
    ),
    Mirror(
        "artifact_provision",
        "artifact_repository",
        ("artifact_provision_repositories",),
        item="",
        without=OF_LISTS,
        renamed={"remote_url": "url", "remote_username": "username", "remote_password": "password"},
    ),
    Mirror(
        "artifact_provision",
        "artifact_user",
        ("artifact_provision_users",),
        item="",
        without=OF_LISTS,
        renamed={"user_password": "password"},
    ),
    Mirror(
        "artifact_provision",
        "artifact_properties",
        ("artifact_provision_properties",),
        fixed={"predict_missing": "__artifact_provision_changed"},
    ),
    Mirror("artifact_provision", "access_token", ("artifact_provision_tokens",)),
    Mirror("artifact_release", "artifact_build_promotion", ("artifact_release_build",), item="artifact_release_build"),
    Mirror("artifact_release", "artifact_image_promotion", ("artifact_release_images",)),
    Mirror("artifact_release", "artifact_properties", ("artifact_release_properties",)),
    Mirror("ci_pipeline", "ci_build", ("ci_pipeline_stages", "builds"), item="", without=WAITING),
    Mirror("ci_provision", "ci_plugin", ("ci_provision_plugins",), item="", option="plugins"),
    Mirror(
        "ci_provision",
        "ci_script",
        ("ci_provision_scripts",),
        item="__ci_provision_script",
        without=frozenset({"read_only"}),
    ),
    Mirror("ci_provision", "ci_api_token", ("ci_provision_api_tokens",)),
    Mirror(
        "ci_provision",
        "ci_user",
        ("ci_provision_users",),
        item="",
        without=OF_LISTS,
        renamed={"user_password": "password"},
    ),
    Mirror(
        "ci_provision",
        "ci_credential",
        ("ci_provision_credentials",),
        item="",
        without=OF_LISTS,
        renamed={"credential_username": "username", "credential_password": "password"},
    ),
    Mirror(
        "ci_provision",
        "ci_folder",
        ("ci_provision_folders",),
        item="",
        without=OF_LISTS | {"undeclared_in"},
    ),
    *(
        Mirror("ci_provision", f"ci_{kind}", (f"ci_provision_{kind}s",), item="", without=OF_LISTS)
        for kind in ("credential_domain", "node", "script_approval", "lockable_resource", "job", "view")
    ),
    Mirror("ci_provision", "ci_authorization", ("ci_provision_authorization",), item="", without=OF_LISTS),
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
    # Secrets are passed separately, because results show the items of a loop
    Mirror(
        "review_provision",
        "review_user",
        ("review_provision_users",),
        fixed={"password": "review_provision_passwords[item.name] | default(omit)"},
        without=frozenset({"update_password"}),
    ),
    Mirror("review_provision", "review_group", ("review_provision_groups",), fixed=MADE_BEFORE),
    # Modules, views and builds are found by the current name of the project
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
    """Parse YAML with the C library of PyYAML if available, which is ten times faster."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def update_roles(header: str, dumper: type[yaml.SafeDumper]) -> dict[pathlib.Path, str]:
    """Return the argument specifications and tasks of the roles with the current options of the modules."""
    files: dict[pathlib.Path, str] = {}
    for mirror in MIRRORS:
        folder = ROOT / "roles" / mirror.role
        specs, tasks = folder / "meta" / "argument_specs.yml", folder / "tasks" / "main.yml"
        parsed = load_yaml(files.get(specs) or specs.read_text())
        options = _update_options(parsed, mirror)
        files[specs] = f"{header}---\n" + yaml.dump(
            parsed, sort_keys=False, width=110, allow_unicode=True, Dumper=dumper
        )
        if mirror.item:
            files[tasks] = _pass_options(files.get(tasks) or tasks.read_text(), mirror, options)
    return files


def read_item_options(module: str) -> dict[str, dict[str, Any]]:
    """Return the documented options of a module for one item, without connection options."""
    documentation = load_yaml(load_documentation(ROOT / "plugins" / "modules" / f"{module}.py"))
    options = {name: option for name, option in documentation["options"].items() if name != "items"}
    for fragment in documentation["extends_documentation_fragment"]:
        name = fragment.removeprefix("buildworks.toolchain.")
        if name in SHARED and not (name == "bulk" and "items" in documentation["options"]):
            shared = load_yaml(load_documentation(ROOT / "plugins" / "doc_fragments" / f"{name}.py"))["options"]
            options.update({option: {**shared[option], **options.get(option, {})} for option in shared})
    return options


def _update_options(specs: dict[str, Any], mirror: Mirror) -> dict[str, dict[str, Any]]:
    """Put the options of a module into the specification of a role, and return it."""
    place = specs["argument_specs"]["main"]
    for name in mirror.path:
        place = place["options"][name]
    before, options, source = place["options"], {}, read_item_options(mirror.module)
    if mirror.option:
        source = source[mirror.option]["suboptions"]
    for name, option in source.items():
        if name not in mirror.fixed and name not in mirror.without:
            name = mirror.renamed.get(name, name)
            options[name] = {
                **_convert_option(option, mirror.renamed),
                **{key: before.get(name, {})[key] for key in _role_settings(before, name)},
            }
    own = {name: option for name, option in before.items() if name not in (*source, *mirror.renamed.values())}
    place["options"] = {**options, **own}
    return options


def _role_settings(before: dict[str, dict[str, Any]], name: str) -> list[str]:
    """Return the settings that the role defines itself: required options and rules."""
    rules = ("required", "mutually_exclusive", "required_one_of", "required_together", "required_if")
    return [key for key in rules if key in before.get(name, {})]


def _convert_option(option: dict[str, Any], renamed: dict[str, str]) -> dict[str, Any]:
    """Convert an option of a module to an option of a role: `suboptions` become `options`, without option markup."""
    converted: dict[str, Any] = {}
    for key, value in _list_choices(option).items():
        if key == "suboptions":
            converted["options"] = {name: _convert_option(inner, renamed) for name, inner in value.items()}
        elif key == "description":
            converted[key] = _convert_description(value, renamed)
        elif key not in ("version_added", "aliases"):
            converted[key] = value
    return converted


def _list_choices(option: dict[str, Any]) -> dict[str, Any]:
    """Return the option with its choices as a list, because ansible-core does not support dictionaries in roles."""
    choices = option.get("choices")
    if not isinstance(choices, dict):
        return option
    text = option["description"]
    lines = [text] if isinstance(text, str) else text
    explained = [f"V({choice}): {meaning}" for choice, meaning in choices.items()]
    return {**option, "description": [*lines, *explained], "choices": list(choices)}


def _convert_description(text: Any, renamed: dict[str, str]) -> Any:
    """Return a description with the names of the role's options, without markup and remarks on `items`."""
    if isinstance(text, list):
        return list(filter(None, (_convert_description(line, renamed) for line in text)))
    sentences = re.split(r"(?<=\.) (?=[A-Z])", text)
    text = " ".join(sentence for sentence in sentences if not _REMARK_ON_ITEMS.match(sentence))
    for name, new_name in renamed.items():
        text = text.replace(f"O({name})", f"O({new_name})")
    return re.sub(r"\b(O|RV)\(", "C(", text)


def _pass_options(tasks: str, mirror: Mirror, options: dict[str, dict[str, Any]]) -> str:
    """Return the tasks with each option passed to the module."""
    lines = [f'{name}: "{{{{ {value} }}}}"\n' for name, value in mirror.fixed.items()]
    for name, option in options.items():
        value = f"{mirror.item}.{name}" if option.get("required") else f"{mirror.item}.{name} | default(omit)"
        if hasattr(dict, name):  # otherwise Jinja finds the method of that name
            value = f"{mirror.item}.get('{name}', omit)"
        lines.append(f'{name}: "{{{{ {value} }}}}"\n')
    pattern = rf"^( +)(buildworks\.toolchain\.{mirror.module}:\n)(?:\1  \w+: .*\n)+"
    return re.sub(
        pattern,
        lambda match: match[1] + match[2] + "".join(f"{match[1]}  {line}" for line in lines),
        tasks,
        flags=re.MULTILINE,
    )


def load_documentation(path: pathlib.Path) -> str:
    """Return the DOCUMENTATION of a module or of a fragment class."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "DOCUMENTATION":
            return ast.literal_eval(node.value)
    raise SystemExit(f"{path} has no DOCUMENTATION")
