# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A member without a value, as YAML reads `modules:`, counts as omitted. Options that narrow an effect refuse null."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.release import __version__

from role_options import MIRRORS, Mirror, read_item_options
from sandbox.client import Sandbox
from support.nulls import NULLS, REFUSAL
from support.playbook import play_mistakes, run_ansible, run_tasks

NOTHING = dict.fromkeys(("modules", "views", "builds", "defect_types"))
MEMBERS: list[tuple[str, dict[str, Any]]] = [
    ("review_provision", {"projects": [{"name": "mobile-app", **NOTHING}]}),
    ("review_onboarding", {"project": {"name": "mobile-app"}, "groups": [{"name": "devs", "role": None}]}),
    ("inference_provision", {"projects": [{"name": "Sandbox", "limits": None}]}),
    ("inference_provision", {"prompts": [{"model": "gpt-4o", "prompt": "Hi", "expect": None}]}),
]
VARIABLES: list[tuple[str, dict[str, Any]]] = [
    ("review_triage", {"project": "mobile-app", "rules": [{"query": "id:0", "status": "Fix"}], "summary_file": None}),
    ("inference_governance", {"max_key_age_days": 36500, "report_file": None}),
    ("inference_batch", {"prompts": [{"id": "1", "prompt": "Hi"}], "limits_project": None, "summary_file": None}),
]
# Before 2.19 ansible-core refuses files that are null, and says so
OLD = __version__.startswith("2.18.")


@pytest.mark.ansible_core
def test_members_without_a_value_are_as_if_they_were_not_there(sandbox: Sandbox, tmp_path: Path) -> None:
    play = tmp_path / "play.yml"
    tasks = [
        {
            "ansible.builtin.include_role": {"name": f"buildworks.toolchain.{role}"},
            "vars": {f"{role}_{name}": value for name, value in variables.items()},
        }
        for role, variables in (MEMBERS if OLD else MEMBERS + VARIABLES)
    ]
    batch = {"inference_batch_to_file": str(tmp_path / "a.jsonl"), "inference_batch_options": {"model": "gpt-4o"}}
    play.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "vars": batch, "tasks": tasks}]))
    output, good = run_ansible([play], sandbox)
    assert good, output
    assert "failed=0" in output


# Required options of the entries of role variables, apart from the option that is null
RULE = {"repos": ["generic-local"], "names": ["app-*"]}
BUILD = {"build": "app", "number": "1", "status": "released"}
ENTRIES: dict[tuple[str, ...], dict[str, Any]] = {
    ("artifact_housekeeping_rules",): RULE,
    ("artifact_housekeeping_cleanup",): {},
    ("artifact_housekeeping_builds",): {"build": "app", "count": 1},
    ("artifact_housekeeping_trash",): {"action": "clean", "repo": "generic-local", "path": "tools"},
    ("artifact_provision_files",): {"repo": "generic-local", "path": "app", "state": "absent"},
    ("artifact_provision_license",): {"license_keys": ["bGljZW5zZQ=="]},
    ("artifact_provision_mail",): {"host": "mail.example.com"},
    ("artifact_provision_ldap",): {"key": "corporate-ldap", "state": "absent"},
    ("artifact_provision_saml",): {"name": "okta", "state": "absent"},
    ("artifact_provision_oidc",): {"name": "gitlab", "state": "absent"},
    ("artifact_provision_layouts",): {"name": "firmware", "state": "absent"},
    ("artifact_provision_property_sets",): {"name": "release"},
    ("artifact_provision_proxies",): {"key": "corporate", "state": "absent"},
    ("artifact_provision_keypairs",): {"name": "signing", "state": "absent"},
    ("artifact_provision_certificates",): {"alias": "mirror", "state": "absent"},
    ("artifact_provision_trusted_keys",): {"alias": "edge", "state": "absent"},
    ("artifact_provision_backups",): {"key": "nightly", "state": "absent"},
    ("artifact_provision_cleanup_policies",): {"key": "old-builds"},
    ("artifact_provision_environments",): {"name": "QA", "state": "absent"},
    ("artifact_provision_projects",): {"key": "web", "display_name": "Web"},
    ("artifact_provision_replications",): {"repo": "generic-local", "state": "absent"},
    ("artifact_provision_webhooks",): {"key": "deploy"},
    ("artifact_provision_groups",): {"name": "developers", "state": "absent"},
    ("artifact_provision_permissions",): {"name": "web-team", "state": "absent"},
    ("artifact_provision_repositories",): {"key": "web-npm", "state": "absent"},
    ("artifact_provision_users",): {"name": "carol", "state": "absent"},
    ("artifact_provision_tokens",): {"description": "deploy", "subject": "deploy", "token_file": "token"},
    ("artifact_provision_properties",): {"repo": "generic-local", "path": "app", "state": "absent", "keys": ["a"]},
    ("artifact_release_build",): BUILD,
    ("artifact_release_images",): {"repo": "docker-local", "image": "acme/web", "target_repo": "docker-prod-local"},
    ("artifact_release_properties",): {"repo": "generic-local", "path": "app", "state": "absent", "keys": ["a"]},
    ("ci_pipeline_stages", "builds"): {"job": "app"},
    ("ci_provision_plugins",): {"name": "git"},
    ("ci_provision_api_tokens",): {"name": "one"},
    ("ci_provision_authorization",): {"folder": "team", "users": {"dora": ["Job/Read"]}},
    ("ci_provision_credential_domains",): {"name": "one"},
    ("ci_provision_credentials",): {"id": "one", "type": "secret_text", "secret": "s3cret-of-one"},
    ("ci_provision_folders",): {"name": "one"},
    ("ci_provision_jobs",): {"name": "one", "type": "freestyle"},
    ("ci_provision_lockable_resources",): {"name": "one"},
    ("ci_provision_nodes",): {"name": "one", "remote_root": "/srv"},
    ("ci_provision_script_approvals",): {"signature": "method java.lang.String strip"},
    ("ci_provision_users",): {"name": "dora", "password": "dora-s3cret"},
    ("ci_provision_views",): {"name": "one", "type": "list"},
    ("ci_provision_scripts",): {"name": "one", "script": "1", "unless": "true"},
    ("inference_batch_options",): {"model": "gpt-4o"},
    ("inference_provision_admin_keys",): {"name": "governance", "key_file": "key"},
    ("review_onboarding_modules",): {"name": "web", "paths": ["**/web/**"]},
    ("review_provision_projects", "modules"): {"name": "web", "paths": ["**/web/**"]},
    ("review_onboarding_views",): {"name": "all"},
    ("review_provision_roles",): {"name": "one", "assignments": [{"account": "dora"}]},
    ("review_provision_projects", "defect_types"): {"code": "ABV.GENERAL", "enabled": True},
    ("review_provision_projects", "views"): {"name": "all"},
    ("review_provision_projects", "builds"): {"state": "absent"},
    ("review_triage_rules",): {"query": "id:0", "status": "Fix"},
}
# Structures around the entries above, and other required variables
AROUND: dict[str, dict[str, Any]] = {
    "ci_pipeline_stages": {"name": "one"},
    "review_provision_projects": {"name": "mobile-app"},
}
SINGLE = (
    *("artifact_housekeeping_cleanup", "artifact_provision_license", "artifact_provision_mail"),
    *("artifact_release_build", "inference_batch_options"),
)
OTHERS: dict[str, dict[str, Any]] = {
    "artifact_housekeeping": {"artifact_housekeeping_rules": [RULE], "artifact_housekeeping_measure": False},
    "artifact_release": {"artifact_release_build": BUILD},
    "inference_batch": {"inference_batch_prompts": [{"prompt": "Hi"}], "inference_batch_to_file": "answers.jsonl"},
    "review_onboarding": {"review_onboarding_project": {"name": "mobile-app"}},
    "review_triage": {"review_triage_project": "mobile-app"},
}


def nulls_of_role(mirror: Mirror) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path of each narrowing option in a variable of a role, with variables in which it is null.

    A list that the role passes on as a whole, as `items`, has one option for each depth.
    """
    inside = mirror.option or ("" if mirror.item else "items")
    depths = set()
    offered = read_item_options(mirror.module).keys() - mirror.without - mirror.fixed.keys()
    for path, options in NULLS.get(mirror.module, ()):
        entry = (options.get(inside) or [{}])[0] if inside else options
        depth = path.count(".")
        if inside == "items" and depth in depths:
            continue
        if entry and (mirror.option or entry.keys() <= offered):
            depths.add(depth)
            yield path, variables_with(mirror, merge_entry(ENTRIES[mirror.path], entry))


def merge_entry(entry: dict[str, Any], null: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the option that is null, which may be inside another."""
    nested = {name: [merge_entry(entry[name][0], value[0])] for name, value in null.items() if value and name in entry}
    return {**entry, **null, **nested}


def variables_with(mirror: Mirror, entry: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of a role in which one has this entry."""
    variable, *members = mirror.path
    for member in members:
        entry = {**AROUND[variable], member: [entry]}
    value = entry if variable in SINGLE else [entry]
    return {"role": mirror.role, **OTHERS.get(mirror.role, {}), variable: value}


ROLE_NULLS = [
    *(null for mirror in MIRRORS for null in nulls_of_role(mirror)),
    (
        "from_plan",
        {"role": "artifact_housekeeping", **OTHERS["artifact_housekeeping"], "artifact_housekeeping_from_plan": None},
    ),
]


def test_null_in_a_role_is_refused_when_the_option_narrows_the_effect(sandbox: Sandbox, tmp_path: Path) -> None:
    play = tmp_path / "play.yml"
    tasks = [{"ansible.builtin.include_role": {"name": "buildworks.toolchain.{{ role }}"}}]
    play.write_text(json.dumps([{"hosts": "nulls", "gather_facts": False, "connection": "local", "tasks": tasks}]))
    sandbox.clear_journal()
    messages = play_mistakes(
        str(play), "nulls", [variables for _path, variables in ROLE_NULLS], tmp_path, "--check", sandbox=sandbox
    )
    for message, (path, variables) in zip(messages, ROLE_NULLS, strict=True):
        by_role = rf"Validation of arguments failed: .*\b{path.rpartition('.')[2]}\b.*(None| got: found)"
        assert REFUSAL.format(path) in message or re.search(by_role, message), f"{variables}: {message}"
    assert not [entry["label"] for entry in sandbox.journal() if entry["effect"] == "write"]


@pytest.mark.ansible_core
@pytest.mark.parametrize("in_process", [True, False])
def test_null_is_refused_when_the_option_narrows_the_effect(sandbox: Sandbox, in_process: bool) -> None:
    """Ansible passes on the first option of each module and depth. `tests/unit/test_limits.py` tests all options."""
    nulls = {
        (module, path.count(".")): (path, options)
        for module in NULLS
        for path, options in reversed(NULLS[module])  # the first option of each depth remains
    }
    refusals = {f"{module} {path}": REFUSAL.format(path) for (module, _depth), (path, _options) in nulls.items()}
    tasks = [
        {"name": f"{module} {path}", f"buildworks.toolchain.{module}": options}
        for (module, _depth), (path, options) in nulls.items()
    ]
    run = run_tasks(sandbox, tasks, name="nulls", toolchain_in_process=in_process)
    assert {done.task: done.result["msg"] for done in run.done} == refusals
    assert not any(done.requests for done in run.done)
