# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Null inside a value without suboptions is refused before the first request, or has a documented meaning."""

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import conversation
from support.nulls import list_free_values
from support.running import run

LOGIN = {
    "artifact": {"token": "t0ken"},
    "ci": {"username": "admin", "api_token": "t0ken"},
    "review": {"username": "admin", "ltoken": "t0ken"},
    "inference": {"api_key": "t0ken"},
}
RULE = {"repos": ["generic-local"], "older_than": "30d"}
REMOTE = {"key": "web", "type": "remote", "package_type": "npm", "remote_url": "https://x.example.com"}
CRITERIA = {"package_types": ["generic"], "repositories": ["generic-local"]}
VIEWER: dict[str, Any] = {"pattern": "team/.*", "permissions": ["Job/Read"]}
RESOURCES = ("repositories", "builds", "release_bundles", "destinations", "pipeline_sources")
BUILD = {"name": "app", "number": "1", "started": "2026-01-01T00:00:00.000+0000", "modules": None}
# Options that refuse null, with parameters in which they have one
REFUSING: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("artifact_build_promotion", "properties"): [
        {"build": "app", "number": "1", "status": "released", "target_repo": "generic-local", "properties": {"k": None}}
    ],
    ("artifact_cleanup", "rules.properties"): [{"rules": [{**RULE, "properties": {"k": None}}]}],
    ("artifact_cleanup_policy", "criteria.included_properties"): [
        {"key": "policy", "criteria": {**CRITERIA, "included_properties": value}}
        for value in ({"k": None}, {"k": [None]})
    ],
    ("artifact_cleanup_policy", "criteria.excluded_properties"): [
        {"key": "policy", "criteria": {**CRITERIA, "excluded_properties": value}}
        for value in ({"k": None}, {"k": [None]})
    ],
    ("artifact_configuration", "configuration"): [
        {"configuration": {"backups": None}},
        {"configuration": {"security": {"anonAccessEnabled": None}}},
        {"configuration": {"security": {"ldapSettings": None}}},
    ],
    ("artifact_file", "properties"): [{"repo": "r", "path": "p", "content": "x", "properties": {"k": None}}],
    ("artifact_oidc", "identity_mappings.claims"): [
        {"name": "gitlab", "identity_mappings": [{"name": "main", "claims": claims}]}
        for claims in ({"ref": None}, {"ref": [None]})
    ],
    **{
        ("artifact_permission", f"{resource}.{option}"): [
            {"name": "web", resource: {"targets": {"generic-local": {}}, option: value}} for value in values
        ]
        for resource in RESOURCES
        for option, values in {
            "targets": [{"generic-local": None}, {"generic-local": {"include_patterns": None}}],
            "users": [{"carol": None}, {"carol": [None]}],
            "groups": [{"readers": None}, {"readers": [None]}],
        }.items()
    },
    ("artifact_properties", "properties"): [{"repo": "r", "path": "p", "properties": {"k": None}}],
    ("artifact_repository", "settings"): [
        {
            "key": "web",
            "type": "remote",
            "package_type": "npm",
            "remote_url": "https://x.example.com",
            "settings": value,
        }
        for value in (
            {"offline": None},
            {"clientTlsCertificate": [None]},
            {"contentSynchronisation": {"enabled": None}},
        )
    ],
    ("artifact_webhook", "criteria.release_bundles_v2"): [
        {"key": "hook", "domain": "release_bundle_v2", "criteria": {"release_bundles_v2": {"app": value}}}
        for value in (None, [None])
    ],
    **{
        ("ci_authorization", option): [{option: {"one": None}}, {option: {"one": [None]}}]
        for option in ("users", "groups", "users_or_groups")
    },
    **{
        ("ci_authorization", f"roles.{kind}"): [
            {"roles": {kind: {"one": {**VIEWER, member: None}}}} for member in ("permissions", "users")
        ]
        for kind in ("global", "item", "agent")
    },
    ("ci_build", "parameters"): [{"job": "app", "parameters": {"k": None}}],
    ("ci_build", "secret_parameters"): [{"job": "app", "secret_parameters": {"k": None}}],
    ("ci_build_info", "parameters"): [{"job": "app", "parameters": {"k": None}}],
    ("ci_lockable_resource", "properties"): [{"name": "printer", "properties": {"k": None}}],
    ("ci_node", "environment_variables"): [
        {"name": "one", "remote_root": "/srv", "environment_variables": {"K": None}}
    ],
    ("review_call", "parameters"): [
        {"action": "update_status", "parameters": {"ids": None}},
        {"action": "update_status", "parameters": {"ids": [None]}},
    ],
    ("review_role", "permissions"): [{"name": "one", "permissions": {"create_build": None}}],
}
# Options in which null has a meaning, or is sent as it is
ACCEPTING = {
    ("artifact_build", "content"): "a build record in the format of Artifactory",
    ("artifact_cleanup", "rules.keep_properties"): "matches any value",
    ("artifact_query_info", "find"): "a criterion of the query language",
    ("ci_build", "files"): "checked against the definition of the job",
    ("ci_configuration", "configuration"): "checked by the plugin",
    ("ci_job", "parameters.default"): "no default value",
    ("ci_script", "args"): "any value of the script",
    ("ci_script", "secret_args"): "any value of the script",
    ("review_report_info", "counts"): "checked when it is parsed",
}


@pytest.mark.parametrize("option", sorted(REFUSING), ids=" ".join)
@pytest.mark.parametrize("check_mode", [False, True])
def test_null_inside_a_value_is_refused_before_the_first_request(option: tuple[str, str], check_mode: bool) -> None:
    module, path = option
    for parameters in REFUSING[option]:
        with conversation() as server:
            login = LOGIN[module.partition("_")[0]]
            result = run(module, url=server.url, **login, **parameters, check_mode=check_mode)
        assert (result.get("failed"), result["changed"]) == (True, False), parameters
        assert f"'{path.partition('.')[0]}" in result["msg"], result["msg"]


def test_each_value_without_suboptions_refuses_null_or_documents_it() -> None:
    found = {option for option in list_free_values() if not option[0].startswith("inference_")}
    assert found == REFUSING.keys() | ACCEPTING.keys()
