# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What JFrog's Terraform provider writes is unchanged for modules that declare the same."""

from __future__ import annotations

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
    "artifact_group": (
        [("POST", "/access/api/v2/groups", {"name": "tf", **GROUP})],
        {"name": "tf", "description": "Team", "external_id": "7", "members": ["reader"], "purge": True},
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
