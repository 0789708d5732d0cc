# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`undeclared: remove` deletes exactly the objects that the options of the task describe."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

import generate
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import PREFIX, RESOURCES, SERVICE_OF, module_of, prepare
from support.keys import gpg_pair, rsa_pair
from support.playbook import run_here

Options = dict[str, Any]
GPG, RSA = gpg_pair(), rsa_pair()
HOOK = {"event_types": ["uploaded"], "criteria": {"any_build": True}, "webhook_url": "https://deploy.example.com"}
IMAGE = {**HOOK, "domain": "docker", "event_types": ["pushed"], "criteria": {"any_local": True}}
REMOTE = "https://registry.example.com"
PUSH = {"url": f"{REMOTE}/artifactory/x", "username": "replicator", "password": "replication-password"}
CRON = "0 0 2 * * ?"
NIGHTLY = {"cron": CRON}
SHELL = "<project><builders/></project>"

# Objects of each module: of the kind of the task first, then of others
OBJECTS: dict[str, list[Options]] = {
    "artifact_repository": [
        {"key": "npm-a", "type": "local", "package_type": "npm"},
        {"key": "npm-b", "type": "local", "package_type": "npm"},
        {"key": "npm-c", "type": "remote", "package_type": "npm", "url": REMOTE},
        {"key": "pypi-a", "type": "local", "package_type": "pypi"},
        {"key": "rpm-a", "type": "local", "package_type": "rpm"},
    ],
    "artifact_webhook": [
        {"key": "ha", "domain": "build", **HOOK},
        {"key": "hb", "domain": "build", **HOOK},
        {"key": "hc", **IMAGE},
        {"key": "hd", "project": "lab", **IMAGE},
    ],
    "artifact_oidc": [
        {"name": name, "issuer_url": f"https://{name}.example.com", "provider_type": kind}
        for name, kind in (("pa", "generic"), ("pb", "generic"), ("pc", "azure"))
    ],
    "artifact_keypair": [
        {"name": name, "alias": name, "type": kind, "private_key": pair.private, "public_key": pair.public}
        for name, kind, pair in (("a", "gpg", GPG), ("b", "gpg", GPG), ("c", "rsa", RSA))
    ],
    "artifact_replication": [
        {"repo": "generic-local", "cron": CRON, "targets": [PUSH]},
        {"repo": "libs-release-local", "cron": CRON, "targets": [PUSH]},
        {"repo": "libs-remote", "type": "pull", "cron": CRON},
    ],
    "ci_job": [
        {"name": "a", "type": "pipeline", "script": "node {}"},
        {"name": "b", "type": "pipeline", "script": "node {}"},
        {"name": "c", "type": "freestyle"},
    ],
    "ci_view": [
        {"name": "a", "type": "list", "jobs": []},
        {"name": "b", "type": "list", "jobs": []},
        {"name": "c", "type": "my"},
    ],
}
# What these objects require
REQUIRED = {
    "artifact_webhook": {"artifact_project": {"key": "lab", "display_name": "Lab"}},
    "artifact_replication": {
        "artifact_repository": {
            "key": "libs-remote",
            "type": "remote",
            "url": "https://repo.maven.apache.org/maven2",
            "package_type": "maven",
            "username": "proxy",
            "password": "password-of-the-proxy",
        }
    },
}
# Modules, an option beside `items` with its value, the declared objects, and the undeclared ones
NARROWED: list[tuple[str, Options, list[str], list[str]]] = [
    ("artifact_repository", {"package_type": "npm"}, ["npm-a"], ["npm-b", "npm-c"]),
    ("artifact_repository", {"package_type": "npm", "type": "local"}, ["npm-a"], ["npm-b"]),
    ("artifact_repository", {"package_type": "pypi"}, ["pypi-a"], []),
    ("artifact_webhook", {"domain": "build"}, ["ha"], ["hb"]),
    ("artifact_webhook", {"project": "lab"}, ["hc"], ["hd"]),
    ("artifact_webhook", {"project": "", "domain": "docker"}, ["ha"], ["hc"]),
    ("artifact_webhook", {"project": "default", "domain": "docker"}, ["ha"], ["hc"]),
    ("artifact_oidc", {"provider_type": "generic"}, ["pa"], ["pb"]),
    ("artifact_keypair", {"type": "gpg"}, ["a"], ["b"]),
    ("artifact_replication", {"type": "push"}, ["generic-local"], ["libs-release-local"]),
    ("artifact_replication", {"type": "pull"}, ["libs-remote"], []),
    ("ci_job", {"type": "pipeline"}, ["a"], ["b", "nightly"]),
    ("ci_view", {"type": "list"}, ["a"], ["/view/b"]),
]


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables. Forget the cached version of the server."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


def apply(sandbox: Sandbox, module: str, **options: Any) -> None:
    """Run a module, which must succeed."""
    done = run_here(sandbox, module, **options)
    assert done.status == "ok", done.result


def create(sandbox: Sandbox, module: str) -> None:
    """Create the objects of a module, in their order."""
    required = REQUIRED.get(module, {}).items()
    for name, options in [*required, *((module, options) for options in OBJECTS[module])]:
        apply(sandbox, name, items=[options])


@pytest.mark.parametrize(("module", "beside", "declared", "undeclared"), NARROWED)
@pytest.mark.parametrize("mode", ["report", "remove"])
def test_options_beside_the_items_narrow_what_is_undeclared(
    module: str, beside: Options, declared: list[str], undeclared: list[str], mode: str, sandbox: Sandbox
) -> None:
    create(sandbox, module)
    name = next(iter(OBJECTS[module][0]))
    items = [options for options in OBJECTS[module] if options[name] in declared]
    allowed = {"allow_delete_content": True} if module == "artifact_repository" else {}
    done = run_here(sandbox, module, items=items, undeclared=mode, on_error="report", **beside, **allowed)
    assert done.result["undeclared"] == undeclared
    assert len(done.writes) == (len(undeclared) if mode == "remove" else 0), done.writes


def test_tasks_for_one_package_type_each_keep_the_repositories_of_the_others(sandbox: Sandbox) -> None:
    create(sandbox, "artifact_repository")
    done = run_here(sandbox, "artifact_repository", key="libs-release", state="absent")
    assert done.status == "ok"
    for package_type in ("npm", "pypi", "rpm"):
        items = [entry for entry in OBJECTS["artifact_repository"] if entry["package_type"] == package_type]
        done = run_here(
            sandbox,
            "artifact_repository",
            package_type=package_type,
            items=items,
            undeclared="remove",
            allow_delete_content=True,
        )
        assert (done.status, done.result["changed"], done.result["undeclared"], done.writes) == ("ok", False, [], [])


# Where the seed of the sandbox has the objects of each module with `items` and `undeclared`
SECTIONS = {
    "artifact_backup": ("artifact", "backups"),
    "artifact_certificate": ("artifact", "certificates"),
    "artifact_cleanup_policy": ("artifact", "cleanup_policies"),
    "artifact_environment": ("artifact", "environments"),
    "artifact_group": ("artifact", "groups"),
    "artifact_keypair": ("artifact", "keypairs"),
    "artifact_layout": ("artifact", "repoLayouts"),
    "artifact_ldap": ("artifact", "ldapSettings"),
    "artifact_oidc": ("artifact", "oidc_providers"),
    "artifact_permission": ("artifact", "permissions"),
    "artifact_project": ("artifact", "projects"),
    "artifact_property_set": ("artifact", "propertySets"),
    "artifact_proxy": ("artifact", "proxies"),
    "artifact_replication": ("artifact", "replications"),
    "artifact_repository": ("artifact", "repositories"),
    "artifact_saml": ("artifact", "saml_settings"),
    "artifact_trusted_key": ("artifact", "trusted_keys"),
    "artifact_user": ("artifact", "users"),
    "artifact_webhook": ("artifact", "webhooks"),
    "ci_credential": ("ci", "credentials"),
    "ci_folder": ("ci", "jobs"),
    "ci_job": ("ci", "jobs"),
    "ci_lockable_resource": ("ci", "lockable_resources"),
    "ci_node": ("ci", "agents"),
    "ci_user": ("ci", "users"),
    "ci_view": ("ci", "views"),
}
# What the words of the example describe, for modules whose example does not mean all objects
DESCRIBED: dict[str, Callable[[Any], bool]] = {
    "artifact_repository": lambda entry: entry["packageType"] == "npm",
    "ci_credential": lambda entry: entry["domain"] == "_",
    "ci_folder": lambda entry: entry["name"].startswith("team/"),
    "ci_job": lambda entry: "<flow-definition" in entry["config"] and "/" not in entry["name"],
    "ci_view": lambda entry: not entry["folder"],
}
# Deleted with the objects
WITH_THEM = {"artifact_repository": ("artifact", "replications"), "ci_folder": ("ci", "credentials")}
DESCRIPTOR = ("backups", "proxies", "propertySets", "repoLayouts", "ldapSettings")
IDENTITIES = ("key", "project_key", "name", "alias", "id", "repoKey")


def code(module: str) -> Any:
    return importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")


def read_example(module: str) -> Options:
    """Return the options of the example with `undeclared`, or else the options of the ladder as the only item."""
    tasks = [task.get(PREFIX + module) or {} for task in yaml.safe_load(code(module).EXAMPLES)]
    found = next((options for options in tasks if "undeclared" in options), None)
    offered = code(module).ITEM.options
    item = {name: value for name, value in RESOURCES[module].options.items() if name in offered}
    return found or {"items": [item]}


def list_objects(seed: Any) -> dict[str, Any]:
    """Return the objects of the sections of a seed by their places and names."""
    objects: dict[str, Any] = {}
    for service, sections in seed.items():
        descriptor = sections.get("configuration", {})
        for section, entries in {**sections, **descriptor, **descriptor.get("security", {})}.items():
            if isinstance(entries, list):
                objects |= {f"{service} {section} {_name(*entry)}": entry[1] for entry in enumerate(entries)}
            elif section in DESCRIPTOR:
                objects |= {f"{service} {section} {name}": entry for name, entry in entries.items()}
    return objects


def _name(number: int, entry: Any) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    found = next((entry[name] for name in IDENTITIES if name in entry), number)
    return f"{entry.get('folder', '')}{entry.get('domain', '')}{found}"


@pytest.fixture
def populated(sandbox: Sandbox) -> Sandbox:
    """Return a sandbox that has objects of all types."""
    sandbox.switch("artifact", version="7.141.0", edition="enterprise")
    for case, resource in RESOURCES.items():
        if SERVICE_OF[case] in ("artifact", "ci"):
            prepare(sandbox, case)
            run_here(sandbox, module_of(case), **resource.options)
    for module in OBJECTS:
        create(sandbox, module)
    for module in ("artifact_environment", "artifact_group", "artifact_layout", "artifact_permission"):
        apply(sandbox, module, **{**RESOURCES[module].options, "name": "surplus"})
    apply(sandbox, "artifact_proxy", key="old-proxy", host="proxy.example.com", port=3128)
    for name in ("team", "team/old", "team/web", "other"):
        apply(sandbox, "ci_folder", name=name)
    apply(sandbox, "ci_job", name="team/deploy", type="pipeline", script="node {}")
    for folder in ({"folder": "team"}, {}):
        apply(sandbox, "ci_credential", id="token", type="secret_text", secret="s3cret", **folder)
        apply(sandbox, "ci_view", name="old", type="list", **folder)
    apply(sandbox, "artifact_user", name="mallory", email="m@example.com", user_password="Mallory-99")
    sandbox.switch("artifact", version="7.141.0", edition="enterprise")
    return sandbox


def test_example_with_undeclared_deletes_only_what_its_words_describe(populated: Sandbox) -> None:
    seed = populated.export_seed()["seed"]
    before = list_objects(seed)
    failures, kept = {}, []
    for module, section in SECTIONS.items():
        populated.seed(seed, reset=True)
        prepare(populated, module)
        options = {**read_example(module), "undeclared": "remove", "on_error": "report"}
        done = run_here(populated, module, **options)
        assert "undeclared" in done.result, f"{module}: {done.result['msg']}"
        after = list_objects(populated.export_seed()["seed"])
        removed = before.keys() - after.keys()
        is_described = DESCRIBED.get(module, lambda _entry: True)
        mine = {name for name in removed if name.startswith(" ".join(section)) and is_described(before[name])}
        with_them = {name for name in removed if module in WITH_THEM and name.startswith(" ".join(WITH_THEM[module]))}
        if removed - mine - with_them or len(mine) > len(done.result["undeclared"]):
            failures[module] = sorted(removed - mine - with_them)
        kept += [] if mine else [module]
    assert (failures, kept) == ({}, [])


def test_each_module_with_undeclared_has_an_example_that_is_tried() -> None:
    modules = [name for name in generate.list_modules() if {"undeclared", "items"} <= code(name).SPEC.options.keys()]
    assert modules == list(SECTIONS)
