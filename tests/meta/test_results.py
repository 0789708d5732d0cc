# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that change a resource and modules that read it return it in the same form."""

from __future__ import annotations

from typing import Any

import generate

MODULES = generate.list_modules()
# Operations return a plan instead of a resource
PAIRS = [
    module
    for module in MODULES
    if f"{module}_info" in MODULES and next(iter(generate.read_documentation(module, "RETURN"))) != "plan"
]


def list_members(result: dict[str, Any], path: str = "") -> dict[str, str]:
    """Return the types of all members of a documented result by path."""
    types = {}
    for name, member in result.items():
        types[f"{path}{name}"] = member["type"]
        types.update(list_members(member.get("contains") or {}, f"{path}{name}."))
    return types


# Members that only one of the two modules returns, with the reason
ONLY_ON_CHANGE = {
    "artifact_group": {
        f"group.{member}": "the list can be used as options; its `states` have the rest"
        for member in ("realm", "realm_attributes")
    },
    "artifact_user": {
        f"user.{member}": "the list can be used as options; its `states` have the rest"
        for member in ("status", "realm", "effective_admin", "last_logged_in", "locked")
    },
    "ci_folder": {"folder.elements": "texts by path for the diff; the list has the XML that the option takes"},
    "ci_lockable_resource": {
        f"resource.{member}": "the list can be used as options; its `states` have the rest"
        for member in ("ephemeral", "reserved_by", "locked_by", "stolen")
    },
    "ci_script_approval": {
        f"approval.{member}": "the list can be used as options; `pending` and `dangerous` have the rest"
        for member in ("status", "dangerous")
    },
    "artifact_release_bundle": {
        f"release_bundle.{source}": "not all servers return the source of a release bundle"
        for source in ("aql", "builds", "release_bundles")
    },
    "artifact_project": {
        "project.shared_repositories": "Artifactory does not list the repositories that are shared with a project"
    },
    "access_token": {
        "token.surplus": "the module counts the other tokens of the same identity; the list contains them"
    },
    "ci_view": {"view.elements": "texts by path for the diff; the list has the XML that the option takes"},
    "ci_node": {
        "node.elements": "the compared elements of the option `config`; the list has the option itself",
        "node.secret_file": "the file is on the host of the task",
    },
    "ci_job": {"job.on_hold": "the list has `buildable`, which is also false for disabled jobs"},
    "inference_admin_key": {
        "admin_key.surplus": "the module counts the other keys of the name; the list contains them"
    },
    "inference_user": {
        f"user.{member}": "the list separates users and invites, and projects need a request each"
        for member in ("status", "projects", "invite_id", "expires", "expires_at")
    },
    "review_project": {
        "project.auto_delete_builds": "the server accepts the field but does not return it",
        "project.auto_delete_threshold": "the server accepts the field but does not return it",
    },
    "review_config_file": {
        "config_file.sha256": "stored next to the uploaded file, because the server returns no content"
    },
}
ONLY_ON_READ = {
    "artifact_release_bundle": {
        "release_bundle.messages": "the module fails with the reasons",
        **{
            f"release_bundle.promotions{member}": "the module returns the environments"
            for member in ("", ".environment", ".status", ".created", ".created_by", ".messages")
        },
    },
    "ci_folder": {
        f"folder.{member}": "returned on request, because it needs more requests" for member in ("config", "content")
    },
    "ci_view": {"view.config": "the option; the module returns the compared elements as `elements`"},
    "ci_node": {"node.config": "the option; the module returns the compared elements as `elements`"},
    "ci_job": {
        f"job.{path}": "the module returns only what it manages"
        for path in list_members(generate.read_documentation("ci_job_info", "RETURN")["jobs"]["contains"])
        if path not in ("name", "type", "elements")
    },
    "inference_project": {
        f"project.{detail}": "returned on request, because each needs a request"
        for detail in ("rate_limits", "users", "service_accounts", "api_keys")
    },
    "review_issue": {
        f"issues.{field}": "the module returns, by ID, only the fields that it can change"
        for field in generate.read_documentation("review_issue_info", "RETURN")["issues"]["contains"]
        if field not in ("status", "owner", "comment")
    },
}


def resource_members(module: str, name: str) -> dict[str, str]:
    """Return the types of the members of a resource that a module returns."""
    return list_members({name: generate.read_documentation(module, "RETURN")[name]})


def resource_names(module: str) -> tuple[str, str]:
    """Return the name of the resource in the results of both modules."""
    changes, reads = (generate.read_documentation(name, "RETURN") for name in (module, f"{module}_info"))
    name = next(iter(changes))
    plurals = [plural for plural in (name, f"{name}s", f"{name[:-1]}ies") if plural in reads]
    return name, next((plural for plural in plurals if reads[plural].get("contains")), plurals[0])


def resource_forms(module: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the types of the members of the resource by path, for both modules."""
    name, plural = resource_names(module)
    changed = {path: kind for path, kind in resource_members(module, name).items() if path != name}
    read = {
        path.replace(plural, name, 1): kind
        for path, kind in resource_members(f"{module}_info", plural).items()
        if path != plural
    }
    return changed, read


def test_both_modules_return_a_resource_in_the_same_form() -> None:
    differences = {}
    for module in PAIRS:
        changed, read = (set(form.items()) for form in resource_forms(module))
        allowed = {*ONLY_ON_CHANGE.get(module, {}), *ONLY_ON_READ.get(module, {})}
        differences[module] = sorted(member for member in changed ^ read if member[0] not in allowed)
    assert {module: members for module, members in differences.items() if members} == {}


def test_exceptions_are_necessary() -> None:
    unnecessary = []
    for module in PAIRS:
        changed, read = (form.keys() for form in resource_forms(module))
        unnecessary += sorted(ONLY_ON_CHANGE.get(module, {}).keys() - (changed - read))
        unnecessary += sorted(ONLY_ON_READ.get(module, {}).keys() - (read - changed))
    assert unnecessary == []
