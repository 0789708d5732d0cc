# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules that administer Artifactory."""

from __future__ import annotations

from support.cases.form import Case, Query, Resource, Write

_BACKUP = {"cronExp": "0 0 2 ? * SUN", "excludedRepositories": ["generic-local", "docker-local"]}
_PROXY = {"host": "proxy.example.com", "port": 3128, "password": "the secret of a proxy"}
_PREDEFINED = {"a b;c,d=e": {"defaultValue": False}, "é": {"defaultValue": True}}
_PROPERTY_SET = {"properties": {"status": {"closedPredefinedValues": True, "predefinedValues": _PREDEFINED}}}
_GROUP = {"name": "developers of ours"}
_PERMISSION = {"name": "web team of ours"}
_PROJECT_KEY = {"key": "web"}
_PROJECT = {**_PROJECT_KEY, "visibility_timeout": 0}
_PARTS = ["environments", "roles", "members", "repositories"]
_TARGET = {
    "url": "https://east.example.com/artifactory/generic-local",
    "username": "replicator",
    "password": "replication-password",
}
_USER = {"name": "carol", "email": "carol@example.com"}
_WEBHOOK = {"key": "deploy-of-ours", "webhook_url": "https://deploy.example.com/hook"}
_REMOTE = {
    "visibility_timeout": 0,
    "key": "team-npm",
    "type": "remote",
    "package_type": "npm",
    "remote_url": "https://registry.npmjs.org",
    "remote_username": "proxy",
    "remote_password": "password-of-the-npm-registry",
}

ADMINISTRATION: dict[str, Case] = {
    "artifact_repository": Resource(
        create={**_REMOTE, "retrieval_cache_period_secs": 600, "update_secret": "on_create"},
        update={**_REMOTE, "offline": True, "settings": {"xrayDataTtl": 30}},
        absent={"key": "team-npm", "state": "absent", "visibility_timeout": 0},
        write=Write("create_repository"),
        look=("artifact_repository_info", {"key": "team-npm"}),
    ),
    "artifact_environment": Resource(
        create={"name": "QA"},
        update={"name": "TEST", "previous_name": "QA"},
        absent={"name": "TEST", "state": "absent"},
        write=Write("create_environment"),
        look=("artifact_environment_info", {}),
    ),
    "artifact_environment_info": Query({}),
    "artifact_group": Resource(
        create={**_GROUP, "description": "Ünser Team", "members": ["Reader"]},
        update={**_GROUP, "description": "", "members": ["admin"], "purge": True, "admin_privileges": True},
        absent={**_GROUP, "state": "absent"},
        write=Write("create_platform_group"),
        look=("artifact_group_info", _GROUP),
    ),
    "artifact_group_info": Query({}),
    "artifact_permission": Resource(
        create={
            **_PERMISSION,
            "repositories": {
                "targets": {"generic-local": {"include_patterns": ["wéb/**"]}, "libs-remote": {}},
                "groups": {"readers": ["read", "write"]},
            },
        },
        update={
            **_PERMISSION,
            "repositories": {
                "targets": {"ANY LOCAL": {"exclude_patterns": ["secret/**"]}},
                "users": {"Reader": ["scan", "annotate"]},
            },
            "builds": {"targets": {"artifactory-build-info": {}}, "groups": {"readers": ["read"]}},
            "purge": True,
        },
        absent={**_PERMISSION, "state": "absent"},
        write=Write("create_platform_permission"),
        look=("artifact_permission_info", _PERMISSION),
    ),
    "artifact_permission_info": Query({}),
    "artifact_project": Resource(
        create={
            **_PROJECT,
            "display_name": "Wéb",
            "environments": ["qa"],
            "roles": [{"name": "deployer of ours", "environments": ["DEV"], "actions": ["READ_REPOSITORY"]}],
            "members": [{"user": "Reader", "roles": ["deployer of ours"]}],
        },
        update={
            **_PROJECT,
            "description": "Everything of the web team",
            "storage_quota": "100 GB",
            "members": [{"group": "readers", "roles": ["Viewer", "Developer"]}],
            "repositories": ["generic-local"],
            "purge": True,
        },
        absent={**_PROJECT, "state": "absent", "detach_repositories": True},
        write=Write("create_project", first_of_several=True),
        look=("artifact_project_info", {**_PROJECT_KEY, "include": _PARTS}),
    ),
    "artifact_project_info": Query({"include": _PARTS}),
    "artifact_replication": Resource(
        create={"repo": "generic-local", "cron": "0 0 2 * * ?", "targets": [_TARGET]},
        update={
            "repo": "generic-local",
            "event_replication": True,
            "targets": [{**_TARGET, "enabled": True, "sync_deletes": True}],
        },
        absent={"repo": "generic-local", "state": "absent"},
        write=Write("replace_replications"),
        look=("artifact_replication_info", {}),
        switches={"edition": "enterprise"},  # for several targets
    ),
    "artifact_replication_info": Query({}),
    "artifact_user": Resource(
        create={**_USER, "user_password": "Carols-0wn", "groups": ["readers"]},
        update={**_USER, "name": "Carol", "admin": True, "profile_updatable": False, "groups": [], "purge": True},
        absent={**_USER, "state": "absent"},
        write=Write("create_platform_user"),
        look=("artifact_user_info", {"name": "carol"}),
    ),
    "artifact_user_info": Query({}),
    "artifact_webhook": Resource(
        create={
            **_WEBHOOK,
            "description": "Wéb; releases",
            "domain": "artifact",
            "event_types": ["moved", "deployed"],
            "criteria": {"repositories": ["generic-local"], "include_patterns": ["wéb/**"]},
            "secret": "secret-of-the-receiver",
            "headers": [{"name": "X-Team", "value": "web"}, {"name": "Authorization", "secret_value": "Bearer t0ken"}],
        },
        update={
            **_WEBHOOK,
            "enabled": False,
            "domain": "build",
            "event_types": ["uploaded"],
            "criteria": {"any_build": True},
            "handler": "custom_webhook",
            "headers": [],
            "method": "PUT",
            "payload": '{"build": "{{ .data.build_name }}"}',
            "secrets": [{"name": "token", "secret_value": "secret-in-the-payload"}],
        },
        absent={"key": _WEBHOOK["key"], "state": "absent"},
        write=Write("create_webhook"),
        look=("artifact_webhook_info", {}),
        switches={"version": "7.80.0"},  # the first one with other methods than POST
    ),
    "artifact_webhook_info": Query({}),
    "artifact_configuration": Resource(
        create={
            "configuration": {
                "backups": {"weekly": _BACKUP},
                "proxies": {"corporate": _PROXY},
                "propertySets": {"release": _PROPERTY_SET},
                "mailServer": {"host": "mail.example.com", "from": "a: b # 'c'"},
                "trashcanConfig": {"retentionPeriodDays": 30},
            },
            "visibility_timeout": 0,
        },
        update={
            "configuration": {
                "backups": {"weekly": {**_BACKUP, "enabled": False, "excludedRepositories": ["docker-local"]}},
                "propertySets": {"release": {"properties": {"status": {"predefinedValues": {"é": None}}}}},
                "mailServer": {"host": "mail.example.com", "from": ""},
            },
            "visibility_timeout": 0,
        },
        absent={
            "configuration": {
                "backups": {"weekly": None},
                "proxies": {"corporate": None},
                "propertySets": {"release": None},
                "mailServer": None,
            },
            "allow_delete_section": True,
            "visibility_timeout": 0,
        },
        write=Write("merge_configuration"),
        look=("artifact_configuration_info", {"sections": ["backups", "proxies", "propertySets", "mailServer"]}),
    ),
    "artifact_configuration_info": Query({"sections": ["backups", "security"]}),
}
