# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `provision`: each service is provisioned independently."""

from __future__ import annotations

import base64
import datetime
import itertools
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.certificates import Authority
from support.keys import gpg_pair
from support.playbook import ROOT, environment, play_mistakes
from support.steps import RESET, Step, fault, run_role
from support.warm import run_playbook
from support.wire.ci import TOKENS


def provision(sandbox: Sandbox, folder: Path, groups: dict[str, Any], *options: str) -> tuple[str, dict[str, str]]:
    """Run the playbook with host variables only; return the output and the recap of each host."""
    inventory = folder / "hosts.yml"
    inventory.write_text(yaml.safe_dump(groups))
    output, _status = run_playbook(["buildworks.toolchain.provision", "-i", inventory, *options], environment())
    recap = re.findall(r"^(\S+) +: (.*?) *$", output.partition("PLAY RECAP")[2], re.MULTILINE)
    return output, dict(recap)


def jenkins_host(sandbox: Sandbox, **variables: Any) -> dict[str, Any]:
    """Return the variables of a Jenkins host."""
    return {
        "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
        "toolchain_ci_username": sandbox.environment["JENKINS_USER_ID"],
        "toolchain_ci_api_token": sandbox.environment["JENKINS_API_TOKEN"],
        "ci_provision_minimum_version": "2.440",
        "ci_provision_required_plugins": [{"name": "git"}],
        **variables,
    }


def test_other_services_are_provisioned_when_one_fails(sandbox: Sandbox, tmp_path: Path) -> None:
    models = {
        "toolchain_inference_url": sandbox.environment["OPENAI_BASE_URL"],
        "toolchain_inference_api_key": sandbox.environment["OPENAI_API_KEY"],
        "inference_provision_models": ["gpt-4o"],
    }
    down = jenkins_host(sandbox, toolchain_ci_url="http://127.0.0.1:1", toolchain_ci_retries=0)
    typo = jenkins_host(sandbox, toolchain_ci_url="{{ staging_addres }}")
    both = {
        **jenkins_host(sandbox),
        "toolchain_artifact_url": sandbox.environment["JFROG_URL"],
        "toolchain_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
        "artifact_provision_properties": [{"repo": "generic-local", "path": "app", "properties": {"owner": "us"}}],
    }
    groups = {
        "ci": {"hosts": {"down": down, "typo": typo, "jenkins": jenkins_host(sandbox), "all-in-one": both}},
        "inference": {"hosts": {"openai": models}},
        "artifact": {"hosts": {"all-in-one": both}},
    }
    output, recap = provision(sandbox, tmp_path, groups)
    assert "failed=1" in recap["down"], output
    assert "failed=1" in recap["typo"]
    assert "'staging_addres' is undefined" in output
    assert "changed=1 " in recap["all-in-one"], output
    for host, tasks in (("jenkins", 7), ("openai", 4), ("all-in-one", 10)):
        assert f"ok={tasks} " in recap[host], output
        assert "failed=0" in recap[host]
    assert "WARNING" not in output


def test_services_run_in_parallel(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.fault(service="ci", kind="latency", seconds=1, times=0)
    hosts = {f"jenkins{number}": jenkins_host(sandbox, ci_provision_required_plugins=[]) for number in range(4)}
    output, recap = provision(sandbox, tmp_path, {"ci": {"hosts": hosts}})
    assert all("failed=0" in recap[host] for host in hosts), output
    served = [(entry["time"], entry["time"] + entry["milliseconds"] / 1000) for entry in sandbox.journal("ci")]
    overlaps = [sum(other_begin <= begin < end for other_begin, end in served) for begin, _end in served]
    assert max(overlaps) > 1, "one after the other"


def artifactory_inventory(sandbox: Sandbox, **variables: Any) -> dict[str, Any]:
    """Return an inventory of one Artifactory host."""
    connection = {
        "toolchain_artifact_url": sandbox.environment["JFROG_URL"],
        "toolchain_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
    }
    return {"artifact": {"hosts": {"artifactory": {**connection, **variables}}}}


def take_writes(sandbox: Sandbox) -> list[str]:
    """Return the writes since the last call."""
    labels = [entry["label"] for entry in sandbox.journal("artifact") if entry["effect"] == "write"]
    sandbox.clear_journal()
    return sorted(labels)


FILES: dict[str, Any] = {
    "artifact_provision_files": [
        {"repo": "generic-local", "path": "app/LATEST", "content": "1.1"},
        {"repo": "generic-local", "path": "app/README.txt", "state": "absent"},
    ],
    "artifact_provision_properties": [
        {"repo": "generic-local", "path": "app", "recursive": True, "properties": {"owner": "us"}}
    ],
}


def test_other_files_are_deployed_when_one_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    refused = fault(service="artifact", kind="status", status=403, label="deploy_file", body="no right")
    steps = [Step(FILES, [refused]), Step(FILES), Step(FILES), Step(FILES, [RESET])]
    failed, continued, repeated, complete = run_role(sandbox, "artifact_provision", steps, tmp_path)
    assert failed.failure.startswith("Upload and delete files: 1 of 2 items failed. The first failure is items[0]: ")
    assert "delete_item" in failed.writes
    assert (continued.failure, continued.changed) == ("", 2)
    assert sorted(continued.writes) == ["deploy_file", "deploy_file", "patch_metadata"]
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])
    assert (complete.failure, complete.changed) == ("", 2)
    assert sorted(complete.writes) == ["delete_item", "deploy_file", "deploy_file", "patch_metadata"]


def test_invalid_files_are_reported_before_any_upload(sandbox: Sandbox, tmp_path: Path) -> None:
    valid = {"repo": "generic-local", "path": "good", "content": ""}
    invalid = [
        ({**valid, "path": "a", "content": "{{ version_of_app }}"}, "'version_of_app' is undefined"),
        ({"repo": "generic-local", "path": "a", "contents": "1"}, "contents. Supported parameters include"),
        ({"repo": "generic-local", "path": "a"}, "items[0]: state is present but any of the following are missing"),
        ({**valid, "repo": ""}, "Option 'items[0].repo': must not be empty"),
    ]
    host = artifactory_inventory(sandbox)["artifact"]["hosts"]["artifactory"]
    mistakes = [{**host, "artifact_provision_files": [file, valid]} for file, _problem in invalid]
    messages = play_mistakes("buildworks.toolchain.provision", "artifact", mistakes, tmp_path)
    for message, (_file, problem) in zip(messages, invalid, strict=True):
        assert problem in message
    assert not take_writes(sandbox)


NEW_REPOSITORIES = {
    "artifact_provision_repositories": [
        {"key": "web", "type": "virtual", "package_type": "npm", "repositories": ["web-local", "web-remote"]},
        {
            "key": "web-remote",
            "type": "remote",
            "package_type": "npm",
            "url": "https://registry.npmjs.org",
            "username": "proxy",
            "password": "password-of-the-registry",
        },
        {"key": "web-local", "type": "local", "package_type": "npm"},
    ],
    "artifact_provision_permissions": [
        {"name": "web-team", "repositories": {"targets": {"web-local": {}}, "users": {"reader": ["read"]}}}
    ],
}


def test_repositories_are_created_before_virtual_ones_and_permissions(sandbox: Sandbox, tmp_path: Path) -> None:
    created, repeated = run_role(
        sandbox, "artifact_provision", [Step(NEW_REPOSITORIES), Step(NEW_REPOSITORIES)], tmp_path
    )
    assert (created.failure, created.changed) == ("", 2)
    assert sorted(created.writes) == ["create_platform_permission", *["create_repository"] * 3]
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


def test_files_and_properties_of_new_repositories_are_predicted(sandbox: Sandbox, tmp_path: Path) -> None:
    file = {"repo": "apps", "path": "app/LATEST"}
    new = {
        "artifact_provision_repositories": [{"key": "apps", "type": "local", "package_type": "generic"}],
        "artifact_provision_files": [{**file, "content": "1.0"}],
        "artifact_provision_properties": [{**file, "properties": {"owner": "us"}}],
    }
    (predicted,) = run_role(sandbox, "artifact_provision", [Step(new)], tmp_path, "--check")
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", 3, [])
    only_files = {name: value for name, value in new.items() if name != "artifact_provision_repositories"}
    created, refused = run_role(sandbox, "artifact_provision", [Step(new), Step(only_files, [RESET])], tmp_path)
    assert (created.failure, created.changed) == ("", 3)
    assert refused.failure
    (refused,) = run_role(sandbox, "artifact_provision", [Step(only_files)], tmp_path, "--check")
    assert "Repository 'apps' does not exist" in refused.failure


NEW_USERS = {
    "artifact_provision_groups": [{"name": "developers", "description": "Web team"}],
    "artifact_provision_users": [
        {"name": "Carol", "email": "c@example.com", "password": "Sandbox-car0l", "groups": ["developers"]},
        {"name": "dave", "email": "d@example.com", "internal_password_disabled": True, "groups": ["developers"]},
    ],
    "artifact_provision_permissions": [
        {
            "name": "web-team",
            "repositories": {
                "targets": {"generic-local": {}},
                "users": {"carol": ["read"]},
                "groups": {"developers": []},
            },
            "builds": {"targets": {"artifactory-build-info": {}}, "groups": {"developers": ["read"]}},
        }
    ],
}


def test_new_users_and_groups_are_predicted_and_created_without_showing_passwords(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    results = [
        *run_role(sandbox, "artifact_provision", [Step(NEW_USERS)], tmp_path, "--check", "--diff", "-v"),
        *run_role(sandbox, "artifact_provision", [Step(NEW_USERS), Step(NEW_USERS)], tmp_path, "-vvv"),
    ]
    assert "Sandbox-car0l" not in " ".join(result.output for result in results)
    predicted, created, repeated = results
    # The users join the group after the permissions
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", 4, [])
    assert (created.failure, created.changed, len(created.writes)) == ("", 4, 6)
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


EMPTY_SERVERS = yaml.safe_load((ROOT / "docs/site/guides/empty.yml").read_text())
DEPLOYER: dict[str, Any] = {"name": "deployer", "actions": ["READ_REPOSITORY", "DEPLOY_CACHE_REPOSITORY"]}
TARGET = {"url": "https://east.example.com/artifactory/libs", "username": "me", "password": "password-of-the-target"}
LAYOUT = {
    "artifact_path_pattern": "[org]/[module]/[baseRev].[ext]",
    "folder_integration_revision_regexp": ".*",
    "file_integration_revision_regexp": ".*",
}
PAIR = gpg_pair()
LICENSE = base64.b64encode(b'{"licensedTo": "Example"}').decode()
CERTIFICATE, CERTIFICATE_KEY = Authority(Path(tempfile.mkdtemp()), "authority").sign(
    "mirror", until=datetime.timedelta(days=90)
)
MAPPING = {"name": "main", "priority": 1, "claims": {"project_path": "web/app"}, "username": "carol"}
ROLE_MAPPING = {
    "name": "deployers",
    "priority": 2,
    "claims": {"project_path": "web/app"},
    "scope": 'applied-permissions/roles:web:"deployer"',
}
COMPLETE: dict[str, Any] = {
    "artifact_provision_license": {"license_keys": [LICENSE]},
    "artifact_provision_configuration": {"urlBase": "https://repo.example.com"},
    "artifact_provision_mail": {"host": "mail.example.com", "smtp_username": "me", "smtp_password": "password-of-mail"},
    "artifact_provision_ldap": [
        {
            "key": "corporate-ldap",
            "ldap_url": "ldap://ldap.example.com",
            "search_filter": "uid={0}",
            "manager_dn": "cn=me",
            "manager_password": "password-of-the-manager",
            "groups": [
                {
                    "name": "ldap-developers",
                    "name_attribute": "cn",
                    "member_attribute": "member",
                    "filter": "(objectClass=group)",
                    "description_attribute": "description",
                    "strategy": "static",
                }
            ],
        }
    ],
    "artifact_provision_saml": [
        {
            "name": "okta",
            "login_url": "https://idp.example.com/login",
            "logout_url": "https://idp.example.com/logout",
            "service_provider_name": "https://repo.example.com",
            "certificate": CERTIFICATE.read_text(),
            "ldap_group_settings": ["ldap-developers"],
        }
    ],
    "artifact_provision_oidc": [
        {
            "name": name,
            "issuer_url": "https://gitlab.example.com",
            "provider_type": "generic",
            "identity_mappings": [MAPPING, ROLE_MAPPING],
            **project,
        }
        for name, project in (("gitlab", {}), ("gitlab-web", {"project": "web"}))
    ],
    "artifact_provision_layouts": [{"name": "firmware-layout", **LAYOUT}, {"name": "former-layout", "state": "absent"}],
    "artifact_provision_property_sets": [{"name": "release", "properties": [{"name": "status"}]}],
    "artifact_provision_proxies": [
        {"key": "corporate", "host": "proxy.example.com", "port": 3128},
        {"key": "former-proxy", "state": "absent"},
    ],
    "artifact_provision_keypairs": [
        {"name": "signing", "type": "gpg", "alias": "signing", "public_key": PAIR.public, "private_key": PAIR.private}
    ],
    "artifact_provision_certificates": [
        {"alias": "mirror", "certificate": CERTIFICATE.read_text(), "private_key": CERTIFICATE_KEY.read_text()},
        {"alias": "former-mirror", "state": "absent"},
    ],
    "artifact_provision_trusted_keys": [{"alias": "edge", "key": PAIR.public}],
    "artifact_provision_backups": [
        {"key": "nightly", "cron": "0 0 2 * * ?", "excluded_repositories": ["shop-local", "central"]}
    ],
    "artifact_provision_cleanup_policies": [
        {
            "key": "old-builds",
            "cron": "0 0 3 * * ?",
            "enabled": True,
            "criteria": {
                "package_types": ["generic"],
                "repositories": ["shop-local"],
                "created_before_days": 90,
            },
        }
    ],
    "artifact_provision_environments": [{"name": "QA"}, {"name": "LIVE"}, {"name": "OLD", "state": "absent"}],
    "artifact_provision_projects": [
        {
            "key": "web",
            "display_name": "Web",
            "environments": ["canary"],
            "roles": [{**DEPLOYER, "environments": ["QA", "web-canary"]}],
            "members": [{"group": "web", "roles": ["deployer"]}, {"user": "carol", "roles": ["Project Admin"]}],
            "repositories": ["npm"],
            "shared_repositories": [{"key": "libs"}],
        },
        {"key": "mobile", "display_name": "Mobile", "members": None},
        {"key": "shop", "display_name": "Shop", "repositories": ["shop-local"], "purge": True},
        {"key": "former", "members": [], "state": "absent"},
    ],
    "artifact_provision_repositories": [
        {"key": "npm", "type": "virtual", "package_type": "npm", "repositories": ["web-local"]},
        {"key": "web-local", "type": "local", "package_type": "npm", "project": "web", "environments": ["web-canary"]},
        {"key": "mobile-local", "type": "local", "package_type": "generic", "project": "mobile"},
        {"key": "shop-local", "type": "local", "package_type": "generic"},
        {"key": "libs", "type": "local", "package_type": "maven"},
        {
            "key": "central",
            "type": "remote",
            "package_type": "maven",
            "url": "https://repo1.maven.org/maven2",
            "proxy": "corporate",
            "username": "me",
            "password": "password-of-the-remote",
            "client_tls_certificate": "mirror",
        },
        {"key": "deb", "type": "local", "package_type": "debian", "primary_key_pair_ref": "signing"},
        {"key": "firmware", "type": "local", "package_type": "generic", "layout": "firmware-layout"},
    ],
    "artifact_provision_groups": [{"name": "web"}, {"name": "old"}],
    "artifact_provision_users": [
        {"name": name, "email": "a@example.com", "internal_password_disabled": True, "groups": ["web"]}
        for name in ("carol", "dave")
    ],
    "artifact_provision_permissions": [
        {"name": name, "repositories": {"targets": {"libs": {}}, "groups": {"web": ["read"]}}}
        for name in ("web", "old")
    ],
    "artifact_provision_replications": [
        {"repo": "libs", "cron": "0 0 2 * * ?", "targets": [TARGET]},
        {"repo": "central", "cron": "0 0 3 * * ?"},
    ],
    "artifact_provision_webhooks": [
        {
            "key": key,
            "project": "web",
            "domain": "artifact",
            "event_types": ["deployed"],
            "criteria": {"repositories": ["web-local"]},
            "webhook_url": "https://deploy.example.com/",
            "proxy": "corporate",
            "secret": "password-of-the-webhook",
        }
        for key in ("deploy", "announce")
    ],
}


TASKS = 24  # in COMPLETE, which change something
# Writes of consecutive tasks in the order of the tasks. The items of a task are processed concurrently
CREATIONS = [
    {"install_licenses"},
    {"merge_configuration"},
    {"create_ldap_setting", "create_ldap_group"},
    {"create_saml_setting"},
    {"create_environment"},
    {"create_project", "create_project_environment", "create_project_role"},
    {"merge_configuration"},
    {"create_keypair"},
    {"add_certificate"},
    {"add_trusted_key"},
    {"create_repository", "create_repository_batch"},
    {"merge_configuration"},
    {"create_platform_group"},
    {"create_platform_user"},
    {"create_platform_permission"},
    {"save_project_member", "attach_repository", "share_repository"},
    {"change_platform_user_groups"},
    {"create_oidc_provider", "create_oidc_mapping"},
    {"replace_replications"},
    {"create_webhook"},
    {"create_cleanup_policy", "enable_cleanup_policy"},
]


def order_of(writes: list[str], tasks: list[set[str]]) -> list[int]:
    """Return the indexes of the tasks to which writes belong, without those of the same task in a row."""
    indexes = [0]
    for label in writes:
        later = (index for index in range(indexes[-1], len(tasks)) if label in tasks[index])
        indexes.append(next(later, -1))
    return [index for index, _writes in itertools.groupby(indexes)]


@pytest.mark.ansible_core
def test_complete_declaration_is_predicted_on_an_empty_server_and_created_in_order(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.seed(EMPTY_SERVERS, reset=True)
    sandbox.switch("artifact", version="7.111.4", edition="enterprise", cluster=True)
    refused = fault(service="artifact", kind="status", status=403, label="save_project_member", body="no right")
    results = [
        *run_role(sandbox, "artifact_provision", [Step(COMPLETE)], tmp_path, "--check", "--diff", "-v"),
        *run_role(
            sandbox, "artifact_provision", [Step(COMPLETE, [refused]), Step(COMPLETE), Step(COMPLETE)], tmp_path, "-v"
        ),
    ]
    output = " ".join(result.output for result in results)
    assert "password-of" not in output
    assert LICENSE not in output
    predicted, failed, continued, repeated = results
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", TASKS, [])
    assert "items[0] (web)" in failed.failure
    assert (continued.failure, failed.changed + continued.changed) == ("", predicted.changed)
    # The members failed, so that no user joined a group in the first run
    members, joined = 15, 16
    others = [*range(members + 1), *range(joined + 1, len(CREATIONS))]
    assert order_of(failed.writes, CREATIONS) == others
    assert order_of(continued.writes, CREATIONS) == [0, members, joined]
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


REDUCED: dict[str, Any] = {
    # Undeclared objects of the other kinds are kept, because no object of these kinds should exist
    "artifact_provision_undeclared": dict.fromkeys(
        (
            *("oidc", "environments", "projects", "property_sets", "repositories", "backups", "groups", "users"),
            *("permissions", "webhooks"),
        ),
        "remove",
    ),
    "artifact_provision_mail": {"state": "absent"},
    "artifact_provision_saml": [{"name": "okta", "state": "absent"}],
    "artifact_provision_ldap": [{"key": "corporate-ldap", "state": "absent", "purge": True}],
    "artifact_provision_oidc": [{"name": "gitlab"}],
    "artifact_provision_layouts": [{"name": "firmware-layout", "state": "absent"}],
    "artifact_provision_property_sets": [{"name": "artifactory"}],
    "artifact_provision_proxies": [{"key": "corporate", "state": "absent"}],
    "artifact_provision_keypairs": [{"name": "signing", "state": "absent"}],
    "artifact_provision_certificates": [{"alias": "mirror", "state": "absent"}],
    "artifact_provision_trusted_keys": [{"alias": "edge", "state": "absent"}],
    "artifact_provision_backups": [{"key": "backup-daily"}],
    "artifact_provision_cleanup_policies": [{"key": "old-builds", "state": "absent"}],
    "artifact_provision_environments": [{"name": "LIVE"}],
    "artifact_provision_projects": [
        {"key": "web", "roles": [{**DEPLOYER, "environments": ["LIVE"]}], "members": [], "purge": True},
        {"key": "shop", "state": "absent", "detach_repositories": True},
    ],
    "artifact_provision_repositories": [
        {**entry, "proxy": "", "client_tls_certificate": ""} if entry["key"] == "central" else entry
        for entry in COMPLETE["artifact_provision_repositories"]
        if entry["key"] in ("shop-local", "web-local", "central")
    ],
    "artifact_provision_groups": [{"name": "web"}],
    "artifact_provision_users": [{"name": "admin"}, {"name": "carol"}],
    "artifact_provision_permissions": [
        {"name": "web", "repositories": {"targets": {"central": {}}, "groups": {"web": ["read"]}}, "purge": True}
    ],
    "artifact_provision_replications": [{"repo": "central", "state": "absent"}],
    "artifact_provision_webhooks": [
        {
            "key": "deploy",
            "criteria": {"repositories": [], "any_local": True},
            "proxy": "",
            "secret": "password-of-the-webhook",
        }
    ],
}


DELETIONS = [
    {"delete_oidc_provider"},
    {"delete_platform_user"},
    {"delete_platform_group"},
    {"delete_platform_permission"},
    {"merge_configuration"},
    {"delete_ldap_group", "delete_ldap_setting"},
    {"delete_saml_setting"},
    {"update_project_role"},
    {"delete_trusted_key"},
    {"update_repository", "delete_repository"},
    {"merge_configuration"},
    {"replace_platform_permission_resource", "update_platform_permission_resource"},
    {"remove_project_member", "detach_repository", "delete_project"},
    {"delete_replications"},
    {"delete_webhook", "replace_webhook"},
    {"delete_cleanup_policy"},
    {"delete_environment"},
    {"merge_configuration"},
    {"delete_keypair"},
    {"delete_certificate"},
]


def test_undeclared_objects_are_predicted_and_deleted_when_nothing_uses_them(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed(EMPTY_SERVERS, reset=True)
    sandbox.switch("artifact", version="7.111.4", edition="enterprise", cluster=True)
    (created,) = run_role(sandbox, "artifact_provision", [Step(COMPLETE)], tmp_path)
    assert created.failure == ""
    (predicted,) = run_role(sandbox, "artifact_provision", [Step(REDUCED)], tmp_path, "--check")
    reduced, repeated = run_role(sandbox, "artifact_provision", [Step(REDUCED), Step(REDUCED)], tmp_path)
    assert (predicted.failure, predicted.writes) == ("", [])
    assert (reduced.failure, reduced.changed) == ("", predicted.changed)
    assert order_of(reduced.writes, DELETIONS) == [*range(len(DELETIONS))]
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


def test_plugins_are_installed_and_run_after_the_restart(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("ci", restart_seconds=0.3)
    plugins = {
        "ci_provision_plugins": [{"name": "timestamper", "version": "latest"}],
        "ci_provision_required_plugins": [{"name": "timestamper"}, {"name": "git"}],
        "ci_provision_restart_if_pending": True,
    }
    unavailable = {**plugins, "ci_provision_required_plugins": [{"name": "timestamper"}, {"name": "absent"}]}
    predicted, refused = run_role(sandbox, "ci_provision", [Step(plugins), Step(unavailable)], tmp_path, "--check")
    assert (predicted.failure, predicted.writes) == ("", [])
    assert predicted.changed
    assert "absent is not installed" in refused.failure
    installed, repeated = run_role(sandbox, "ci_provision", [Step(plugins), Step(plugins)], tmp_path)
    assert not installed.failure
    assert (repeated.failure, repeated.changed) == ("", 0)


SITE = "https://updates.example.com/update-center.json"
ADMIN = {"name": "admin", "password": "x", "tokens": [TOKENS["admin"]], "permissions": ["Overall/Administer"]}
NEW_SERVER: dict[str, Any] = {
    "users": [ADMIN],
    "update_site": SITE,
    "update_sites": [{"url": SITE, "plugins": [{"name": "git", "version": "5.3.0"}]}],
    "scripts": [
        {"name": "no class", "pattern": "hasGit", "error": {"type": "MissingPropertyException", "message": "git"}},
        {"pattern": "makeJob", "value": None},
    ],
}


def test_check_mode_succeeds_when_the_server_is_new(sandbox: Sandbox, tmp_path: Path) -> None:
    script = {"name": "job", "script": "makeJob()", "unless": "hasGit()"}
    desired = {
        "ci_provision_plugins": [{"name": "git", "version": "5.0"}],
        "ci_provision_required_plugins": [{"name": "git", "minimum_version": "5.1"}],
        "ci_provision_scripts": [script],
        "ci_provision_required_jobs": [{"name": "built"}],
    }
    sandbox.seed({"ci": NEW_SERVER}, reset=True)
    hosts = {
        "new": jenkins_host(sandbox, **desired),
        "wrong": jenkins_host(sandbox, **{**desired, "ci_provision_required_plugins": [{"name": "x"}]}),
    }
    output, recap = provision(sandbox, tmp_path, {"ci": {"hosts": hosts}}, "--check")
    assert "built does not exist" in output
    assert ("failed=0" in recap["new"], "failed=1" in recap["wrong"]) == (True, True)
    assert "x is not installed" in output
    # The only script is the expression of `unless`
    assert {entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"} == {"script"}
    later = {"jobs": [{"name": "built"}], "scripts": [{"pattern": "hasGit", "value": False}]}
    (provisioned,) = run_role(sandbox, "ci_provision", [Step(desired, [("POST", "seed", {"ci": later})])], tmp_path)
    assert provisioned.failure == ""
    assert provisioned.changed


PLUGINS = (
    "cloudbees-folder",
    "configuration-as-code",
    "credentials",
    "lockable-resources",
    "mailer",
    "matrix-auth",
    "plain-credentials",
    "script-security",
    "ssh-slaves",
    "workflow-cps",
    "workflow-job",
)
BARE_SERVER: dict[str, Any] = {
    **NEW_SERVER,
    "plugins": [],
    "update_sites": [{"url": SITE, "plugins": [{"name": name, "version": "1.0"} for name in PLUGINS]}],
}
NEW_JENKINS: dict[str, Any] = {
    "ci_provision_plugins": [{"name": name} for name in PLUGINS],
    "ci_provision_required_plugins": [{"name": "credentials"}],
    "ci_provision_restart_if_pending": True,
    "ci_provision_configuration": {"jenkins": {"systemMessage": "Managed"}},
    "ci_provision_users": [{"name": "erin", "password": "sandbox-erin", "email": "erin@example.com"}],
    "ci_provision_folders": [{"name": "team"}, {"name": "team/web"}],
    "ci_provision_undeclared": {"folders": "report"},
    "ci_provision_credential_domains": [{"name": "registries"}],
    "ci_provision_credentials": [
        {
            "id": "login",
            "domain": "registries",
            "type": "username_password",
            "username": "ci",
            "password": "sandbox-ci",
        },
        {"id": "token", "folder": "team", "type": "secret_text", "secret": "sandbox-token"},
    ],
    "ci_provision_nodes": [
        {"name": "linux", "remote_root": "/j", "launcher": {"type": "ssh", "host": "linux", "credentials_id": "login"}}
    ],
    "ci_provision_script_approvals": [{"signature": "method java.lang.String toLowerCase"}],
    "ci_provision_lockable_resources": [{"name": "device"}],
    "ci_provision_jobs": [{"name": "team/app", "type": "pipeline", "script": "echo 'hello'"}],
    "ci_provision_views": [{"name": "Team", "folder": "team", "jobs": ["app"]}],
    "ci_provision_authorization": [
        {"strategy": "project_matrix", "users": {"admin": ["Overall/Administer"]}},
        {"folder": "team", "users": {"erin": ["Job/Read", "Credentials/View"]}},
    ],
}


def test_objects_of_missing_plugins_are_predicted_when_jenkins_is_new(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("ci", restart_seconds=0.3)
    sandbox.seed({"ci": BARE_SERVER}, reset=True)
    groups = {"ci": {"hosts": {"new": jenkins_host(sandbox, **NEW_JENKINS)}}}
    output, recap = provision(sandbox, tmp_path, groups, "--check", "--diff")
    assert "failed=0" in recap["new"], output
    predicted = int(recap["new"].partition("changed=")[2].split()[0])
    for message in ("The configuration is not predicted", "The permissions are not predicted"):
        assert message in output
    assert [entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"] == []
    step = Step(NEW_JENKINS)
    created, repeated = run_role(sandbox, "ci_provision", [step, step], tmp_path)
    assert created.failure == ""
    not_predicted = 3  # the configuration, the permissions and those on folders
    assert created.changed == predicted + not_predicted
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


def test_job_is_predicted_when_a_pending_restart_loads_its_plugin(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("ci", restart_seconds=0.3, restart_required=True)
    sandbox.seed({"ci": {"plugins": [{"name": "workflow-cps", "version": "1.0", "active": False, "enabled": True}]}})
    desired = Step(
        {
            "ci_provision_plugins": [{"name": "workflow-cps"}],
            "ci_provision_restart_if_pending": True,
            "ci_provision_jobs": [{"name": "new", "type": "pipeline", "script": "echo 1"}],
        }
    )
    (predicted,) = run_role(sandbox, "ci_provision", [desired], tmp_path, "--check")
    (created,) = run_role(sandbox, "ci_provision", [desired], tmp_path)
    assert (predicted.failure, created.failure) == ("", "")
    assert predicted.changed == created.changed


def test_credential_is_predicted_when_only_its_plugin_is_missing(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed({"ci": BARE_SERVER}, reset=True)
    host = jenkins_host(
        sandbox,
        ci_provision_plugins=[{"name": "credentials"}, {"name": "plain-credentials"}],
        ci_provision_required_plugins=[],
        ci_provision_credentials=[{"id": "a", "type": "secret_text", "secret": "sandbox-secret"}],
    )
    typo = {**host, "ci_provision_credential_domains": [{"name": "a", "folder": "typo"}]}
    output, recap = provision(sandbox, tmp_path, {"ci": {"hosts": {"new": host, "typo": typo}}}, "--check")
    assert "failed=0" in recap["new"], output
    assert "changed=2" in recap["new"]
    assert "Folder 'typo' does not exist" in output
    assert "failed=1" in recap["typo"]


def test_users_are_predicted_when_the_configuration_creates_their_database(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("ci", restart_seconds=0.3)
    allowed = {"ci_provision_allow_configuration_lockout": True}
    none = Step({"ci_provision_configuration": {"jenkins": {"securityRealm": "none"}}, **allowed})
    desired = Step(
        {
            "ci_provision_configuration": {"jenkins": {"securityRealm": {"local": {"allowsSignup": False}}}},
            "ci_provision_users": [{"name": "erin", "password": "sandbox-erin"}],
            **allowed,
        }
    )
    (prepared,) = run_role(sandbox, "ci_provision", [none], tmp_path)
    assert prepared.changed
    (predicted,) = run_role(sandbox, "ci_provision", [desired], tmp_path, "--check")
    (created,) = run_role(sandbox, "ci_provision", [desired], tmp_path)
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", 2, [])
    assert (created.failure, created.changed) == ("", 2)


REFUSED: list[tuple[str, dict[str, Any]]] = [
    (
        "Jenkins does not have Job/Reed",
        {
            "ci_provision_folders": [{"name": "new"}],
            "ci_provision_authorization": [{"folder": "new", "users": {"admin": ["Job/Reed"]}}],
        },
    ),
    (
        "requires the Jenkins plugin 'workflow-cps', which is not active",
        {
            "ci_provision_folders": [{"name": "new"}],
            "ci_provision_jobs": [{"name": "new/app", "type": "pipeline", "script": "echo 1"}],
        },
    ),
    (
        "requires the Jenkins plugin 'nested-view', which is not active",
        {
            "ci_provision_plugins": [{"name": "nested-view", "state": "enabled"}],
            "ci_provision_views": [{"name": "new", "type": "nested"}],
        },
    ),
    (
        "is required for a new user, because the Jenkins plugin 'mailer' is active",
        {
            "ci_provision_plugins": [{"name": "mailer", "state": "enabled"}],
            "ci_provision_restart_if_pending": True,
            "ci_provision_users": [{"name": "erin", "password": "sandbox-erin"}],
        },
    ),
]


def test_refusals_are_predicted_when_earlier_tasks_change_objects(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("ci", restart_seconds=0.3)
    disabled = {"version": "1.0", "active": False, "enabled": False}
    plugins = [{"name": name, **disabled} for name in ("workflow-cps", "nested-view", "mailer")]
    sandbox.seed({"ci": {"plugins": plugins}})
    steps = [Step(variables) for _message, variables in REFUSED]
    for mode in (["--check"], []):
        results = run_role(sandbox, "ci_provision", steps, tmp_path, *mode)
        for result, (message, _variables) in zip(results, REFUSED, strict=True):
            assert message in result.failure


NODE = {"name": "linux", "remote_root": "/j"}
CONFLICTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("jenkins.nodes and ci_provision_nodes", {"jenkins": {"nodes": []}}, {"nodes": [NODE]}),
    (
        "jenkins.nodes and permissions of nodes in ci_provision_authorization",
        {"jenkins": {"nodes": []}},
        {"authorization": [{"node": "linux", "users": {"ann": ["Agent/Build"]}}]},
    ),
    (
        "jenkins.mode and usage of the built-in node in ci_provision_nodes",
        {"jenkins": {"mode": "NORMAL"}},
        {"nodes": [{"name": "built-in", "usage": "exclusive"}]},
    ),
    ("jenkins.views and ci_provision_views", {"jenkins": {"views": []}}, {"views": [{"name": "a", "folder": None}]}),
    (
        "user ann in jenkins.securityRealm.local.users and ci_provision_users",
        {"jenkins": {"securityRealm": {"local": {"users": [{"id": "Ann"}]}}}},
        {"users": [{"name": "ann"}, {"name": "bob"}]},
    ),
    (
        "jenkins.securityRealm.local.users and ci_provision_undeclared.users",
        {"jenkins": {"securityRealm": {"local": {"users": [{"id": "ann"}]}}}},
        {"users": [{"name": "bob"}], "undeclared": {"users": "remove"}},
    ),
    (
        "jenkins.nodes and ci_provision_undeclared.nodes",
        {"jenkins": {"nodes": []}},
        {"nodes": [{"name": "built-in", "labels": ["fast"]}], "undeclared": {"nodes": "remove"}},
    ),
    (
        "jenkins.authorizationStrategy and ci_provision_authorization",
        {"jenkins": {"authorizationStrategy": "unsecured"}},
        {"authorization": [{"strategy": "role_based"}]},
    ),
    (
        "credentials.system and ci_provision_credentials; credentials.system and ci_provision_credential_domains",
        {"credentials": {"system": {"domainCredentials": []}}},
        {"credentials": [{"id": "a", "type": "secret_text"}], "credential_domains": [{"name": "a"}]},
    ),
    (
        "unclassified.lockableResourcesManager.declaredResources and ci_provision_lockable_resources",
        {"unclassified": {"lockableResourcesManager": {"declaredResources": []}}},
        {"lockable_resources": [{"name": "a"}]},
    ),
    (
        "security.scriptApproval.approvedSignatures and signatures in ci_provision_script_approvals",
        {"security": {"scriptApproval": {"approvedSignatures": []}}},
        {"script_approvals": [{"signature": "method java.lang.String trim"}]},
    ),
    (
        "security.scriptApproval.approvedScriptHashes and scripts in ci_provision_script_approvals",
        {"security": {"scriptApproval": {"approvedScriptHashes": []}}},
        {"script_approvals": [{"script": "1"}]},
    ),
]
NO_CONFLICT = {
    "ci_provision_configuration": {
        "jenkins": {
            "nodes": [],
            "views": [],
            "mode": "NORMAL",
            "securityRealm": "local",
        },
        "credentials": None,
        "security": {"scriptApproval": {"approvedSignatures": []}},
    },
    "ci_provision_nodes": [{"name": "built-in", "labels": ["fast"]}],
    "ci_provision_views": [{"name": "a", "folder": "team"}],
    "ci_provision_users": [{"name": "ann"}],
    "ci_provision_script_approvals": [
        {"script": "1"},
        {"signature": "method java.lang.String trim", "assume_permission_check": True},
    ],
    "ci_provision_credentials": [{"id": "a", "type": "secret_text", "secret": "sandbox-secret"}],
}


def test_objects_of_the_configuration_are_refused_in_other_variables(sandbox: Sandbox, tmp_path: Path) -> None:
    steps = [
        Step({"ci_provision_configuration": text, **{f"ci_provision_{name}": value for name, value in others.items()}})
        for _message, text, others in CONFLICTS
    ]
    *refused, accepted = run_role(sandbox, "ci_provision", [*steps, Step(NO_CONFLICT)], tmp_path, "--check")
    for result, (message, _text, _others) in zip(refused, CONFLICTS, strict=True):
        assert f"would change them twice: {message}. Remove" in result.failure
        assert result.requests == []
    assert "Apply the configuration" in accepted.output  # the next task


NEW_PROJECT: dict[str, Any] = {
    "review_provision_users": [{"name": "carol"}],
    "review_provision_passwords": {"carol": "sandbox-carol"},
    "review_provision_groups": [{"name": "payers, all", "users": ["carol", "alice"]}],
    "review_provision_roles": [
        {
            "name": "Payer",
            "permissions": {"access_source_files": True},
            "assignments": [{"group": "payers, all", "project": "payments"}, {"account": "carol"}],
        },
        {"name": "Project admin", "assignments": [{"account": "carol", "project": "payments"}]},
    ],
    "review_provision_projects": [
        {
            "name": "payments",
            "tags": ["pci"],
            "modules": [{"name": "ui", "paths": ["**/ui/*"], "allow_groups": ["payers, all"]}],
            "views": [{"name": "critical", "query": "severity:1"}],
            "defect_types": [{"code": "ABV.*", "enabled": False}],
            "builds": [{"keep_newest": 5}],
        }
    ],
}


@pytest.mark.ansible_core
def test_new_project_is_predicted_and_created_once_without_showing_passwords(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("review", version_major="23", module_access_lists=True)
    step = Step(NEW_PROJECT)
    refused = fault(service="review", kind="status", status=403, label="create_user", body="no right")
    results = [
        *run_role(sandbox, "review_provision", [step], tmp_path, "--check", "--diff", "-v"),
        *run_role(sandbox, "review_provision", [Step(NEW_PROJECT, [refused]), step, step], tmp_path, "-vvv"),
    ]
    assert "sandbox-carol" not in " ".join(result.output for result in results)
    predicted, failed, created, repeated = results
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", 6, [])
    assert "no right" in failed.output
    assert failed.failure
    # The project does not depend on the user: it is created despite the failure, and only the rest by the next run.
    assert (failed.changed, failed.writes[:2], len(failed.writes)) == (4, ["create_user", "create_project"], 7)
    assert (created.failure, created.changed, len(created.writes)) == ("", 3, 6)
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


SCRIPT = {
    "name": "print",
    "script": "println args.text",
    "unless": "isPrinted(args.text)",
    "args": {"text": 'it\'s "$here"'},
}


def count_scripts(sandbox: Sandbox) -> int:
    """Return the number of executed scripts."""
    return sum(entry["label"] == "script" for entry in sandbox.journal("ci"))


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"ci_provision_required_jobs": [{"name": "apple"}, {"name": "app", "parameters": ["A"]}]}, "apple does not exist"),
    ({"ci_provision_required_jobs": [{"parameters": ["A"]}]}, "missing required arguments: name"),
    ({"ci_provision_plugins": [{"version": "1"}]}, "missing required arguments: name"),
    ({"ci_provision_plugins": [{"name": "nothing-of-the-kind"}]}, "nothing-of-the-kind"),
    (
        {"ci_provision_plugins": [{"name": "git", "version": 5.1}]},
        "Option 'plugins[0].version': must be a string",
    ),
    ({"ci_provision_required_plugins": [{"name": "git", "minimum_version": 1.1}]}, "of git must be in quotes"),
    ({"ci_provision_minimum_version": 2.1}, "ci_provision_minimum_version must be a string. Put the version in quotes"),
    ({"ci_provision_scripts": [{"name": "x", "script": "x()"}]}, "missing required arguments: unless"),
    ({"ci_provision_scripts": [{**SCRIPT, "script": "{{ mistyped }}"}]}, "'mistyped' is undefined"),
]


def test_invalid_variables_are_reported_before_any_script(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [jenkins_host(sandbox, **variables) for variables, _problem in MISTAKES]
    messages = play_mistakes("buildworks.toolchain.provision", "ci", mistakes, tmp_path)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert count_scripts(sandbox) == 0
