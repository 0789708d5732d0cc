# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module that changes something and the one that reads it give it in one form."""

from __future__ import annotations

from typing import Any

import generate

MODULES = generate.list_modules()
# An operation gives a plan, and no resource
PAIRS = [
    module
    for module in MODULES
    if f"{module}_info" in MODULES and next(iter(generate.read_documentation(module, "RETURN"))) != "plan"
]
# What only one of the two gives, and why
ONLY_ON_CHANGE = {
    "access_token": {"token.surplus": "the module counts the other tokens of the same identity, a listing shows them"},
    "inference_admin_key": {"admin_key.surplus": "the module counts the other keys of the name, a listing shows them"},
    "inference_user": {
        f"user.{member}": "a listing has users and invites apart, and tells the projects for a request each"
        for member in ("status", "projects", "invite_id", "expires", "expires_at")
    },
    "review_project": {
        "project.auto_delete_builds": "the server takes it and does not tell it",
        "project.auto_delete_threshold": "the server takes it and does not tell it",
    },
    "review_config_file": {"config_file.sha256": "kept beside the file that was sent, the server tells no content"},
}
ONLY_ON_READ = {
    "inference_project": {
        f"project.{detail}": "told on demand, for a request each"
        for detail in ("rate_limits", "users", "service_accounts", "api_keys")
    },
    "review_issue": {
        f"issues.{field}": "the module tells, by id, what it can bring about"
        for field in generate.read_documentation("review_issue_info", "RETURN")["issues"]["contains"]
        if field not in ("status", "owner", "comment")
    },
}


def members(result: dict[str, Any], path: str = "") -> dict[str, str]:
    """Type by path of all members of a documented result."""
    found = {}
    for name, member in result.items():
        found[f"{path}{name}"] = member["type"]
        found.update(members(member.get("contains") or {}, f"{path}{name}."))
    return found


def record(module: str, name: str) -> dict[str, str]:
    """The members of the resource itself in what a module returns."""
    return members({name: generate.read_documentation(module, "RETURN")[name]})


def resource(module: str) -> tuple[str, str]:
    """The name of the resource in the results of the changing and of the reading module."""
    changes, reads = (generate.read_documentation(name, "RETURN") for name in (module, f"{module}_info"))
    name = next(iter(changes))
    return name, name if name in reads else f"{name}s"


def forms(module: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the type by path of what is in the resource of the changing and of the reading module."""
    name, plural = resource(module)
    changed = {path: kind for path, kind in record(module, name).items() if path != name}
    read = {
        path.replace(plural, name, 1): kind for path, kind in record(f"{module}_info", plural).items() if path != plural
    }
    return changed, read


def test_both_return_a_resource_in_one_form() -> None:
    differences = {}
    for module in PAIRS:
        changed, read = (set(form.items()) for form in forms(module))
        allowed = {*ONLY_ON_CHANGE.get(module, {}), *ONLY_ON_READ.get(module, {})}
        differences[module] = sorted(member for member in changed ^ read if member[0] not in allowed)
    assert {module: members for module, members in differences.items() if members} == {}


def test_members_of_only_one_module_are_listed_for_that_one() -> None:
    wrong = []
    for module in PAIRS:
        changed, read = (form.keys() for form in forms(module))
        wrong += sorted(ONLY_ON_CHANGE.get(module, {}).keys() - (changed - read))
        wrong += sorted(ONLY_ON_READ.get(module, {}).keys() - (read - changed))
    assert wrong == []
