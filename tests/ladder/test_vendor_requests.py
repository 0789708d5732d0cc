# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What JFrog's Terraform provider writes is unchanged for modules that declare the same, and they write the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.playbook import run_here

Request = tuple[str, str, Any]
CONFIGURATION = "/artifactory/api/system/configuration"
REPOSITORIES, CLEANUP = "/artifactory/api/repositories", "/artifactory/api/cleanup/packages/policies"
WEBHOOKS, OIDC, PROJECTS = "/event/api/v1/subscriptions", "/access/api/v1/oidc", "/access/api/v1/projects"
LDAP = "/access/api/v1/ldap"
# Self-signed, without a use elsewhere
CERTIFICATE = (
    "MIIBizCCATGgAwIBAgIUf3Nm33ID38g5FnQA1aUvJCPOeEMwCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMCAXDTI2MTE"
    "yNzA3MDYwNVoYDzIxMjYxMTAzMDcwNjA1WjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR4OQ"
    "AHY+Gh7JflxyE4JRhLba+s1tfVPYLn85ksYzpNYX78sTznM6SMJhNC0HbvZk0E6g5XFeY3gvaT8teVe4IIo1MwUTAdBgNVHQ4EFgQU7YwhfSRBr"
    "s87RIic29FKciddYUcwHwYDVR0jBBgwFoAU7YwhfSRBrs87RIic29FKciddYUcwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAz"
    "P8KHIfNN7/kh3AXfqnDNcDHw91E8rxzMQCPf7NQrnAIhAPzbG+MxQIYO/WAao3uIs6bTkAwHr0hETTXjtsBhF+vp"
)
CRON = "0 0 2 ? * MON-SAT *"
LAYOUT = {
    "artifactPathPattern": "[orgPath]/[module]/[baseRev].[ext]",
    "descriptorPathPattern": "",
    "distinctiveDescriptorPathPattern": False,
    "fileIntegrationRevisionRegExp": "[0-9]+",
    "folderIntegrationRevisionRegExp": "SNAPSHOT",
}
BACKUP = {
    "enabled": True,
    "retentionPeriodHours": 168,
    "createArchive": False,
    "excludeNewRepositories": False,
    "sendMailOnError": True,
    "precalculate": False,
    "exportMissionControl": False,
}
REMOTE = {
    "rclass": "remote",
    "packageType": "nuget",
    "url": "https://www.nuget.org",
    "description": "Packages",
    "v3FeedUrl": "https://api.nuget.org/v3/index.json",
    "symbolServerUrl": "",
    "repoLayoutRef": "nuget-default",
}
PULL = {
    "enabled": True,
    "cronExp": CRON,
    "syncDeletes": False,
    "syncProperties": True,
    "includePathPrefixPattern": "",
    "excludePathPrefixPattern": "",
    "enableEventReplication": False,
    "checkBinaryExistenceInFilestore": False,
}
CRITERIA = {
    "packageTypes": ["generic"],
    "repos": ["generic-local"],
    "includedPackages": ["**"],
    "includeAllProjects": True,
}
POLICY = {
    "key": "tf-policy",
    "cronExp": CRON,
    "durationInMinutes": 0,
    "skipTrashcan": False,
    "projectKey": "",
    "searchCriteria": {**CRITERIA, "createdBeforeInDays": 90},
}
FILTER = {"domain": "artifact", "event_types": ["deployed"], "criteria": {"anyLocal": True}}
WEBHOOK = {"description": "", "enabled": True, "event_filter": FILTER}
SETTING = {
    "enabled": True,
    "ldap_url": "ldap://ldap.example.com",
    "user_dn_pattern": "uid={0}",
    "search": {"search_sub_tree": True},
    "auto_create_user": True,
    "email_attribute": "mail",
    "ldap_poisoning_protection": True,
    "allow_user_to_access_profile": False,
    "paging_support_enabled": True,
}
PROVIDER = {
    "issuer_url": "https://token.actions.githubusercontent.com",
    "provider_type": "GitHub",
    "audience": "",
    "organization": "acme",
    "description": "",
    "use_default_proxy": False,
}
PROJECT = {
    "display_name": "Team",
    "description": "",
    "admin_privileges": {
        "manage_members": True,
        "manage_resources": True,
        "manage_remote_repository": False,
        "index_resources": True,
    },
    "storage_quota_bytes": -1,
    "soft_limit": True,
    "storage_quota_email_notification": True,
}
USER = {
    "username": "tf",
    "email": "tf@example.com",
    "password": "Passw0rd!x",
    "admin": False,
    "profile_updatable": True,
    "disable_ui_access": True,
    "internal_password_disabled": False,
    "groups": ["readers"],
}
USERS, PERMISSIONS, SAML = "/access/api/v2/users", "/access/api/v2/permissions", "/access/api/v1/saml"
ACTIONS = {"users": {"reader": ["READ", "WRITE"]}, "groups": {"readers": ["READ"]}}
PERMISSION = {
    "name": "tf",
    "resources": {
        "artifact": {
            "actions": ACTIONS,
            "targets": {
                "generic-local": {"include_patterns": ["**"], "exclude_patterns": None},
                "ANY REMOTE": {"include_patterns": ["a/**", "com/**"], "exclude_patterns": ["x/**"]},
            },
        },
        "build": {
            "actions": {"users": {"reader": ["READ"]}},
            "targets": {"artifactory-build-info": {"include_patterns": ["**"], "exclude_patterns": None}},
        },
    },
}
PERMISSION_OPTIONS = {
    "name": "tf",
    "repositories": {
        "targets": {
            "generic-local": {"include_patterns": ["**"]},
            "ANY REMOTE": {"include_patterns": ["com/**", "a/**"], "exclude_patterns": ["x/**"]},
        },
        "users": {"reader": ["write", "read"]},
        "groups": {"readers": ["read"]},
    },
    "builds": {"targets": {"artifactory-build-info": {"include_patterns": ["**"]}}, "users": {"reader": ["read"]}},
    "purge": True,
}
SAML_SETTINGS = {
    "name": "tf",
    "enable_integration": True,
    "login_url": "https://idp.example.com/in",
    "logout_url": "https://idp.example.com/out",
    "service_provider_name": "artifactory",
    "certificate": CERTIFICATE,
    "verify_audience_restriction": True,
    "use_encrypted_assertion": False,
    "auto_user_creation": True,
    "allow_user_to_access_profile": True,
    "auto_redirect": False,
    "sync_groups": False,
    "group_attribute": "",
    "email_attribute": "",
    "name_id_attribute": "",
    "ldap_group_settings": [],
}
GROUP = {
    "description": "Team",
    "external_id": "7",
    "auto_join": False,
    "admin_privileges": False,
    "members": ["reader"],
}

# By module: the requests of the provider, and the options that declare the same.
KINDS: dict[str, tuple[list[Request], dict[str, Any]]] = {
    "artifact_backup": (
        [("PATCH", CONFIGURATION, {"backups": {"tf": {"key": "tf", "cronExp": CRON, **BACKUP}}})],
        {"key": "tf", "cron": CRON, "retention_period_hours": 168},
    ),
    "artifact_layout": (
        [("PATCH", CONFIGURATION, {"repoLayouts": {"tf": {"name": "tf", **LAYOUT}}})],
        {
            "name": "tf",
            "artifact_path_pattern": LAYOUT["artifactPathPattern"],
            "descriptor_path_pattern": "",
            "folder_integration_revision_regexp": "SNAPSHOT",
            "file_integration_revision_regexp": "[0-9]+",
        },
    ),
    "artifact_property_set": (
        [
            (
                "PATCH",
                CONFIGURATION,
                {
                    "propertySets": {
                        "tf": {
                            "visible": True,
                            "properties": {
                                "p": {
                                    "closedPredefinedValues": True,
                                    "multipleChoice": False,
                                    "predefinedValues": {"v": {"defaultValue": True}},
                                }
                            },
                        }
                    }
                },
            )
        ],
        {"name": "tf", "properties": [{"name": "p", "type": "single", "values": ["v"], "default_values": ["v"]}]},
    ),
    "artifact_proxy": (
        [
            (
                "PATCH",
                CONFIGURATION,
                {"proxies": {"tf": {"host": "proxy.example.com", "port": 80, "username": "", "services": "jfrt,jfxr"}}},
            )
        ],
        {"key": "tf", "host": "proxy.example.com", "port": 80, "services": ["jfxr", "jfrt"]},
    ),
    "artifact_repository": (
        [("PUT", f"{REPOSITORIES}/tf", {"key": "tf", **REMOTE})],
        {
            "key": "tf",
            "type": "remote",
            "package_type": "nuget",
            "remote_url": "https://www.nuget.org",
            "description": "Packages",
            "settings": {"v3FeedUrl": REMOTE["v3FeedUrl"]},
        },
    ),
    "artifact_replication": (
        [
            ("PUT", f"{REPOSITORIES}/tf", {"key": "tf", **REMOTE}),
            ("PUT", "/artifactory/api/replications/tf", {"repoKey": "tf", "replicationKey": "tf", **PULL}),
        ],
        {"repo": "tf", "cron": CRON, "sync_deletes": False, "sync_properties": True},
    ),
    "artifact_cleanup_policy": (
        [("POST", f"{CLEANUP}/tf-policy", POLICY), ("POST", f"{CLEANUP}/tf-policy/enablement", {"enabled": True})],
        {
            "key": "tf-policy",
            "cron": CRON,
            "enabled": True,
            "criteria": {
                "package_types": ["generic"],
                "repositories": ["generic-local"],
                "included_packages": ["**"],
                "created_before_days": 90,
            },
        },
    ),
    "artifact_webhook": (
        [
            (
                "POST",
                WEBHOOKS,
                {"key": "tf", **WEBHOOK, "handlers": [{"handler_type": "webhook", "url": "https://example.com"}]},
            )
        ],
        {
            "key": "tf",
            "domain": "artifact",
            "event_types": ["deployed"],
            "criteria": {"any_local": True},
            "webhook_url": "https://example.com",
            "use_secret_for_signing": False,
            "proxy": "",
        },
    ),
    "artifact_ldap": (
        [("POST", f"{LDAP}/settings", {"key": "tf", **SETTING})],
        {"key": "tf", "ldap_url": "ldap://ldap.example.com", "user_dn_pattern": "uid={0}"},
    ),
    "artifact_oidc": (
        [("POST", OIDC, {"name": "tf-github", **PROVIDER})],
        {
            "name": "tf-github",
            "issuer_url": PROVIDER["issuer_url"],
            "provider_type": "github",
            "organization": "acme",
            "audience": "",
        },
    ),
    "artifact_project": (
        [("POST", PROJECTS, {"project_key": "team", **PROJECT})],
        {
            "key": "team",
            "display_name": "Team",
            "soft_limit": True,
            "admin_privileges": {"manage_members": True, "manage_resources": True, "index_resources": True},
        },
    ),
    "artifact_user": (
        [("POST", USERS, USER)],
        {
            "name": "tf",
            "email": "tf@example.com",
            "user_password": USER["password"],
            "groups": ["readers"],
            "purge": True,
            "admin": False,
            "profile_updatable": True,
            "disable_ui_access": True,
            "internal_password_disabled": False,
        },
    ),
    "artifact_permission": ([("POST", PERMISSIONS, PERMISSION)], PERMISSION_OPTIONS),
    "artifact_saml": (
        [("POST", SAML, SAML_SETTINGS)],
        {
            "name": "tf",
            "enabled": True,
            "login_url": SAML_SETTINGS["login_url"],
            "logout_url": SAML_SETTINGS["logout_url"],
            "service_provider_name": "artifactory",
            "certificate": CERTIFICATE,
            "allow_user_to_access_profile": True,
        },
    ),
    "artifact_group": (
        [("POST", "/access/api/v2/groups", {"name": "tf", **GROUP})],
        {"name": "tf", "description": "Team", "external_id": "7", "members": ["reader"], "purge": True},
    ),
}


NEW_CRITERIA = {**POLICY["searchCriteria"], "includedProjects": []}
NEW_FILTER = {**FILTER, "criteria": {"anyLocal": True, "anyRemote": False, "anyFederated": False, "repoKeys": []}}
# By label: the module, the options, and the requests of the provider for a new object that declares the same
HANDLER = {"handler_type": "webhook", "url": "https://example.com"}
# The provider leaves out the secret. Without it, the module could not tell a missing secret from a hidden one
NO_SECRET = {**HANDLER, "secret": ""}
CUSTOM = {"handler_type": "custom-webhook", "url": "https://example.com", "method": "PUT"}
BUNDLES = {"anyReleaseBundle": False, "selectedReleaseBundles": {"release-bundles-v2": ["web"]}}
HOOK: dict[str, Any] = {"key": "tf", "webhook_url": HANDLER["url"]}
CREATED: dict[str, tuple[str, dict[str, Any], list[Request]]] = {
    "user": ("artifact_user", KINDS["artifact_user"][1], [("POST", USERS, USER)]),
    "group": (
        "artifact_group",
        {"name": "tf", "description": "Team", "auto_join": False},
        [("POST", "/access/api/v2/groups", {"name": "tf", "description": "Team", "auto_join": False})],
    ),
    "project": (
        "artifact_project",
        {
            "key": "team",
            "display_name": "Team",
            "description": "",
            "soft_limit": True,
            "storage_quota": "unlimited",
            "storage_quota_email_notification": True,
            "admin_privileges": PROJECT["admin_privileges"],
        },
        [("POST", PROJECTS, {"project_key": "team", **PROJECT})],
    ),
    "cleanup policy": (
        "artifact_cleanup_policy",
        {
            "key": "tf-policy",
            "description": "Old files",
            "cron": CRON,
            "enabled": True,
            "criteria": {**KINDS["artifact_cleanup_policy"][1]["criteria"], "include_all_projects": True},
        },
        [
            (
                "POST",
                f"{CLEANUP}/tf-policy",
                # The provider leaves out `enabled`, which is false in a new policy
                {**POLICY, "description": "Old files", "enabled": False, "searchCriteria": NEW_CRITERIA},
            ),
            ("POST", f"{CLEANUP}/tf-policy/enablement", {"enabled": True}),
        ],
    ),
    "webhook": (
        "artifact_webhook",
        {**HOOK, "domain": "artifact", "event_types": ["deployed"], "criteria": {"any_local": True}},
        [("POST", WEBHOOKS, {"key": "tf", **WEBHOOK, "event_filter": NEW_FILTER, "handlers": [NO_SECRET]})],
    ),
    "custom webhook": (
        "artifact_webhook",
        {
            **HOOK,
            "domain": "release_bundle_v2",
            "event_types": ["release_bundle_v2_started"],
            "criteria": {"release_bundles_v2": {"release-bundles-v2": ["web"]}},
            "handler": "custom_webhook",
            "method": "PUT",
        },
        [
            (
                "POST",
                WEBHOOKS,
                {
                    "key": "tf",
                    "description": "",
                    "enabled": True,
                    "event_filter": {
                        "domain": "release_bundle_v2",
                        "event_types": ["release_bundle_v2_started"],
                        "criteria": BUNDLES,
                    },
                    "handlers": [CUSTOM],
                },
            )
        ],
    ),
    "webhook without criteria": (
        "artifact_webhook",
        {**HOOK, "domain": "user", "event_types": ["locked"]},
        [
            (
                "POST",
                WEBHOOKS,
                {
                    "key": "tf",
                    "description": "",
                    "enabled": True,
                    "event_filter": {"domain": "user", "event_types": ["locked"]},
                    "handlers": [NO_SECRET],
                },
            )
        ],
    ),
    "SAML settings": (
        "artifact_saml",
        {
            **KINDS["artifact_saml"][1],
            "verify_audience_restriction": True,
            "use_encrypted_assertion": False,
            "auto_user_creation": True,
            "auto_redirect": False,
            "sync_groups": False,
            "ldap_group_settings": [],
        },
        [("POST", SAML, SAML_SETTINGS)],
    ),
    "OIDC provider": (
        "artifact_oidc",
        {
            **KINDS["artifact_oidc"][1],
            "description": "",
            "use_default_proxy": False,
            "identity_mappings": [
                {
                    "name": "main",
                    "description": "",
                    "priority": 1,
                    "claims": {"repository": "acme/web"},
                    "username": "builder",
                    "scope": "applied-permissions/user",
                    "audience": "jfrt@* jfac@*",
                    "expires_in": 120,
                }
            ],
        },
        [
            ("POST", OIDC, {"name": "tf-github", **PROVIDER}),
            (
                "POST",
                f"{OIDC}/tf-github/identity_mappings",
                {
                    "name": "main",
                    "description": "",
                    "provider_name": "tf-github",
                    "priority": 1,
                    "claims": {"repository": "acme/web"},
                    "token_spec": {
                        "username": "builder",
                        "scope": "applied-permissions/user",
                        "audience": "jfrt@* jfac@*",
                        "expires_in": 120,
                    },
                },
            ),
        ],
    ),
}


@pytest.fixture(autouse=True)
def current_server(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules for a current server with the default switches."""
    sandbox.switch("artifact", version="7.161.5", edition="enterprise")
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("module", KINDS)
def test_objects_of_the_provider_are_unchanged(module: str, sandbox: Sandbox) -> None:
    written, options = KINDS[module]
    for method, path, body in written:
        headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
        if method == "PATCH":  # JSON is YAML as well
            headers["Content-Type"] = "application/yaml"
        response = requests.request(method, f"{sandbox.url}{path}", json=body, headers=headers, timeout=30)
        assert response.ok, response.text
    done = run_here(sandbox, module, True, **options)
    assert done.result.get("changed") is False, done.result


@pytest.mark.parametrize("label", CREATED)
def test_modules_create_objects_with_the_requests_of_the_provider(label: str, sandbox: Sandbox) -> None:
    module, options, expected = CREATED[label]
    done = run_here(sandbox, module, **options)
    assert done.result.get("changed"), done.result
    entries = [sandbox.journal_entry(entry["n"]) for entry in done.requests if entry["effect"] == "write"]
    sent = [(entry["method"], entry["path"], json.loads(entry["request"]["body"]["text"])) for entry in entries]
    assert [request[:2] for request in sent] == [request[:2] for request in expected]
    # Modules leave out what a new object has anyway
    for (_method, _path, body), (_, _, whole) in zip(sent, expected, strict=True):
        assert {**whole, **body} == {**whole, **{name: "***" for name in ("password",) if name in body}}
