# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every package type in every class: create, update one member, and reads only in between."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import members
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.package_types import (
    PACKAGE_TYPES,
    members_of,
)
from sandbox.client import Sandbox
from support.running import run

KINDS = [(rclass, package_type) for package_type, classes in PACKAGE_TYPES.items() for rclass in classes]
# Members whose values refer to other objects, or that have an effect on others
REFERENCES = (
    *("proxy", "primaryKeyPairRef", "secondaryKeyPairRef", "keyPair", "projectKey", "environments", "repoLayoutRef"),
    *("remoteRepoLayoutRef", "defaultDeploymentRepo", "externalDependenciesRemoteRepo", "repositories", "password"),
    *("url", "terraformType", "propertySets", "clientTlsCertificate", "members", "v3FeedUrl", "symbolServerUrl"),
)
TEXTS = {
    "checksumPolicyType": "server-generated-checksums",
    "debianDefaultArchitectures": "i386, arm64",
    "dockerApiVersion": "V1",
    "excludesPattern": "a/**, b/**",
    "includesPattern": "c/**, d/**",
    "pomRepositoryReferencesCleanupPolicy": "nothing",
    "remoteRepoChecksumPolicyType": "fail",
    "snapshotVersionBehavior": "deployer",
    "vcsGitProvider": "GITLAB",
}
CREATED_ONLY = {"contentSynchronisation": {"enabled": True, "properties": {"enabled": True}}}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the module with environment variables, and let the sandbox support everything."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    sandbox.switch("artifact", edition="enterprise", version="7.125.0")


def other_value(member: str, default: Any) -> Any:
    """Return a value that differs from the default."""
    if isinstance(default, bool):
        return not default
    if isinstance(default, int):
        return default + 7
    if isinstance(default, str):
        return TEXTS.get(member, f"x-{member}")
    return CREATED_ONLY.get(member, ["x86", "arm"])


def values_of(rclass: str, package_type: str) -> dict[str, Any]:
    """Return values of all members of a kind that need no other objects."""
    known = members_of(rclass, package_type)
    return {name: other_value(name, value) for name, value in known.items() if name not in REFERENCES}


def identity(rclass: str, package_type: str) -> dict[str, Any]:
    """Return what a repository of this kind must have."""
    suffix = "-release-bundles-v2" if package_type == "releasebundles" else ""
    required: dict[str, Any] = {
        "key": f"{package_type}-{rclass}-x{suffix}",
        "type": rclass,
        "package_type": package_type,
    }
    if rclass == "remote":
        required["url"] = "https://example.com/upstream"
    if package_type == "terraform":
        required["terraform_type"] = "provider"
    return required


def with_options(rclass: str, package_type: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return a repository with options where a member has one, and settings for the others."""
    settings = {name: value for name, value in values.items() if name not in members.OPTION_NAMES}
    options = {members.OPTION_NAMES[name]: value for name, value in values.items() if name not in settings}
    if "content_synchronisation" in options:
        options["content_synchronisation"] = {"enabled": True, "properties": True}
    if "custom_http_headers" in options:
        options["custom_http_headers"] = [{"name": "X-A", "value": "b"}, {"name": "X-B", "secret_value": "hidden-b"}]
    return {**identity(rclass, package_type), **options, "settings": settings}


def with_settings(rclass: str, package_type: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return a repository with all members in `settings`."""
    settings = {name: value for name, value in values.items() if name != "customHttpHeaders"}
    return {**identity(rclass, package_type), "settings": settings}


def apply(sandbox: Sandbox, items: list[dict[str, Any]]) -> tuple[dict[str, int], list[str]]:
    """Run the module and return its counts and the methods of its requests."""
    sandbox.clear_journal()
    result = run("artifact_repository", items=items, result_limit=200, visibility_timeout=0)
    assert not result.get("failed"), result["msg"]
    return result["counts"], [entry["method"] for entry in sandbox.journal()]


@pytest.mark.parametrize("version", ["7.63.0", "7.125.0"])
@pytest.mark.parametrize("build", [with_options, with_settings])
def test_second_run_sends_one_read_for_every_package_type_and_class(build: Any, version: str, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version=version)
    items = [build(*kind, values_of(*kind)) for kind in KINDS]
    assert apply(sandbox, items)[0]["changed"] == len(KINDS)
    assert apply(sandbox, items) == ({"changed": 0, "ok": len(KINDS), "failed": 0, "unknown": 0, "skipped": 0}, ["GET"])
    for item in items:
        item["description"] = "changed"
        item["settings"].pop("description", None)
    assert apply(sandbox, items)[0]["changed"] == len(KINDS)
    assert apply(sandbox, items)[1] == ["GET"]


def test_second_run_sends_one_read_when_only_the_identity_is_declared(sandbox: Sandbox) -> None:
    required = {("remote", "hex"): {"settings": {"hexPublicKey": "a public key"}}}
    items = [{**identity(*kind), **required.get(kind, {})} for kind in KINDS]
    assert apply(sandbox, items)[0]["changed"] == len(KINDS)
    assert apply(sandbox, items)[1] == ["GET"]
