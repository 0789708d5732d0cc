# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of snapshots: a sandbox that is seeded from a snapshot responds like the original servers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import requests

from sandbox import client
from sandbox.client import Sandbox
from sandbox.seeds.schema import SeedError
from sandbox.seeds.snapshot import SnapshotDirectory, describe_skipped
from support.cases.artifact_sso import CERTIFICATE
from support.keys import gpg_pair, rsa_pair
from support.playbook import list_failures, run_ansible
from support.session import Session

SECRET = "hunter2-of-production"
SPECIAL_NAMES = ["plain", "with blank", "ünïcode 🙂", "a;b,c|d=e", "{{ braces }}", "per%cent+plus#hash", "quo'te"]
CLONED = f"git clone https://me:{SECRET}@git.example/app.git"
BOB = "b0b0000000000000000000000000000000000000000000000000000000000003"  # who have no permission for the web API
# Differences between a sandbox from a snapshot and the original server
OTHERS = {"masked", "in_queue", "queue_item", "last_used", "session_id"}


def take_snapshot(sandbox: Sandbox, folder: Path, *options: str, **variables: Any) -> tuple[str, bool]:
    """Create a snapshot. Write requests are errors."""
    inventory, values = folder.parent / "hosts.ini", folder.parent / "values.json"
    inventory.write_text("[artifact]\nrepo\n[ci]\njenkins\n[review]\nklocwork\n[inference]\nopenai\n")
    values.write_text(json.dumps({"snapshot_folder": f"{folder}/", "snapshot_name": "production", **variables}))
    sandbox.clear_journal()
    command = ["buildworks.toolchain.snapshot", "-i", inventory, "-e", f"@{values}", *options]
    output, good = run_ansible(command, sandbox)
    assert [entry for entry in sandbox.journal() if entry["effect"] != "read"] == []
    return output, good


def all_credentials(sandbox: Sandbox) -> dict[str, str]:
    """Return variables with all keys of the inference API, and a Klocwork account with private views."""
    names = {"url": "OPENAI_BASE_URL", "api_key": "OPENAI_API_KEY", "admin_key": "OPENAI_ADMIN_KEY"}
    reached = {f"toolchain_inference_{option}": sandbox.environment[name] for option, name in names.items()}
    session = {"toolchain_inference_session_token": sandbox.environment["SANDBOX_SESSION_TOKEN"]}
    return {**reached, **session, **review_variables(sandbox, "admin")}


def review_variables(sandbox: Sandbox, account: str) -> dict[str, str]:
    """Return host variables for a Klocwork account."""
    url, file = sandbox.environment["KLOCWORK_URL"], sandbox.environment["KLOCWORK_LTOKEN"]
    return {"toolchain_review_url": url, "toolchain_review_ltoken_file": file, "toolchain_review_username": account}


def load_lists(folder: Path, sandbox: Sandbox) -> dict[str, Any]:
    """Return all lists of a snapshot without values that always differ."""
    manifests = {file.parent.name: json.loads(read_text(file, sandbox)) for file in folder.glob("*/manifest.json")}
    lists = {
        file.stem: list(map(json.loads, read_text(file, sandbox).splitlines())) for file in folder.glob("*/*.jsonl")
    }
    for project in manifests.get("review", {}).get("projects", []):
        project["builds"], project["views"] = remove_keys([project["builds"], project["views"]], {"id"})
    return remove_keys({**manifests, **lists}, OTHERS)


def read_text(file: Path, sandbox: Sandbox) -> str:
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_text().replace(sandbox.url, "")


def remove_keys(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: remove_keys(member, names) for name, member in value.items() if name not in names}
    return [remove_keys(element, names) for element in value] if isinstance(value, list) else value


def world(number: int) -> dict[str, Any]:
    """Return a seed with objects of all kinds and unusual names. It is the same in each run."""
    dice = random.Random(number)
    return {
        "artifact": {
            "repositories": [
                {
                    "key": f"many{number}-local",
                    "rclass": "local",
                    "packageType": "generic",
                    "description": dice.choice(SPECIAL_NAMES),
                    "projectKey": f"p{number}-0",
                    "environments": [f"p{number}-0-qa"],
                    "shared_with_projects": [f"p{number}-1", f"p{number}-2"],
                    "shared_read_only": True,
                    "generate": [
                        {
                            "path": "deep/{n}/file-{n}.bin",
                            "count": 1000,
                            "size": dice.randrange(2**40),
                            "created": ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"],
                            "downloaded": "2026-01-01T00:00:00Z",
                            "properties": {"build.number": "{n}"},
                        }
                    ],
                },
                {
                    "key": f"mirror{number}",
                    "rclass": "remote",
                    "packageType": "npm",
                    "url": f'https://somebody:p@{SECRET}/ "@mirror.example/npm?apikey={SECRET} {SECRET}',
                    "username": "somebody",
                    "password": SECRET,
                    "shared_with_all_projects": True,
                },
            ],
            **administration(number),
            "items": [
                {
                    "repo": f"many{number}-local",
                    "path": f"{dice.choice(SPECIAL_NAMES)}/{name}",
                    "created": "2020-01-01T00:00:00.123Z",
                    "created_by": dice.choice(SPECIAL_NAMES),
                    "size": dice.randrange(1000),
                    "sha1": f"{dice.getrandbits(160):040x}",
                    "properties": {
                        "qa": dice.sample(SPECIAL_NAMES, 2),
                        "empty": [""],
                        "db.password": [SECRET],
                        "note": [CLONED],
                    },
                    "statistics": [{"downloads": dice.randrange(1, 9), "downloaded": "2021-01-01T00:00:00Z"}],
                }
                for name in SPECIAL_NAMES
            ],
            "groups": [
                {"name": f"group {place}", "description": name, "auto_join": place == 1, "external_id": name}
                for place, name in enumerate(SPECIAL_NAMES)
            ],
            "users": [
                {"name": "ci"},
                *(
                    {
                        "name": f"user-{number}-{place}",
                        "email": f"user{place}@example.com",
                        "password": SECRET,
                        "groups": [f"group {place}"],
                        "admin": place == 0,
                        "locked": place == 1,
                        "disable_ui_access": place == 2,
                        "realm": "ldap" if place == 3 else "internal",
                    }
                    for place in range(len(SPECIAL_NAMES))
                ),
            ],
            "permissions": [
                {
                    "name": name,
                    "resources": {
                        "artifact": {
                            "actions": {
                                "users": {f"user-{number}-{place}": ["READ", "WRITE"]},
                                "groups": {f"group {place}": ["READ", "MANAGE"]},
                            },
                            "targets": {
                                "ANY LOCAL": {"include_patterns": ["a/**"], "exclude_patterns": ["b/**"]},
                                "generic-local": {},
                            },
                        },
                        "build": {"actions": {}, "targets": {"artifactory-build-info": {}}},
                    },
                }
                for place, name in enumerate(SPECIAL_NAMES)
            ],
            "tokens": [
                {
                    "token": f"{SECRET}{number}",
                    "username": "ci",
                    "token_id": f"of-ci-{number}",
                    "expiry": 4_000_000_000,
                    "refreshable": True,
                }
            ],
            "builds": [
                {
                    "name": dice.choice(SPECIAL_NAMES),
                    "number": str(run),
                    "started": f"2026-06-0{run}T00:00:00.000Z",
                    "properties": {
                        "buildInfo.env.PATH": "/bin",
                        "buildInfo.env.JAVA_OPTS": f"-Djavax.net.ssl.keyStorePassword={SECRET}",
                        "buildInfo.env.SLACK_WEBHOOK": f"https://hooks.example/{SECRET}",
                    },
                    "url": f"https://ci.example/job/app/1/?token={SECRET}",
                    "vcs": [
                        {
                            "url": f"https://oauth2:gl/{SECRET}@git.example/app.git",
                            "message": f"See https://me:{SECRET}@wiki/?{SECRET}, http:\\/\\/me:{SECRET}@x (bob@x)",
                        }
                    ],
                    "modules": [{"id": "a:b:1", "properties": {"key": SECRET}}],
                    "promotions": [{"status": "staged", "created": "2026-06-09T00:00:00Z"}],
                }
                for run in (1, 2)
            ],
        },
        "ci": {
            "jobs": [
                {
                    "name": f"team {number}/{place}/job {place}",
                    "description": description,
                    "disabled": dice.random() < 0.5,
                    "parameters": [
                        {"name": "A", "type": "choice", "choices": SPECIAL_NAMES},
                        {"name": "B", "type": "boolean", "default": True},
                        {"name": "C", "type": "password", "default": SECRET},
                        {"name": "D", "type": "text", "default": dice.choice(SPECIAL_NAMES), "description": "<b>"},
                        {"name": "E", "type": "file"},
                        {"name": "H", "type": "string", "description": None},
                        {"name": "F_TOKEN", "type": "string", "default": SECRET},
                        {"name": "G", "type": "string", "default": f"sk-{SECRET}"},
                    ],
                    "builds": [
                        {"result": dice.choice(["SUCCESS", "UNSTABLE", "FAILURE", "ABORTED"]), "ago": 3600 - build}
                        for build in range(dice.randrange(6))
                    ],
                }
                for place, description in enumerate(SPECIAL_NAMES)
            ]
            + [{"name": f"team {number}/configured", "config": JOB}],
            **controller(number),
        },
        "inference": inference(number, dice),
        "review": review(number, dice),
    }


def controller(number: int) -> dict[str, Any]:
    """Return plugins, accounts, credentials, nodes, views and settings of Jenkins with secrets of all kinds."""
    odd = {"name": f"odd{number}", "version": "1.0", "enabled": False, "active": False, "url": None}
    others = [("nested-view", "1.36"), ("gitlab-plugin", "1.9"), ("ssh-slaves", "3.1"), ("sonar", "2.18")]
    variables = f"<int>1</int><string>DB_PASSWORD</string><string>{SECRET}</string>"
    environment = (
        "<hudson.slaves.EnvironmentVariablesNodeProperty><envVars serialization='custom'><unserializable-parents/>"
        "<tree-map><default><comparator class='java.lang.String$CaseInsensitiveComparator'/></default>"
        f"{variables}</tree-map></envVars></hudson.slaves.EnvironmentVariablesNodeProperty>"
    )
    certificate = "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl"
    key_store = f"<keyStoreSource class='{certificate}$UploadedKeyStoreSource'><uploadedKeystoreBytes>c2VjcmV0"
    return {
        "url": "https://ci.example/",
        "plugins": [odd, *({"name": name, "version": version} for name, version in others)],
        "users": [
            {
                "name": f"user-{number}",
                "password": SECRET,
                "full_name": "Ünï <b>",
                "description": SPECIAL_NAMES[1],
                "permissions": ["Overall/Read", "Job/Read", "Job/Build"],
                "tokens": [{"value": f"11{number:032x}", "name": "note token", "expires": "2099-01-01"}],
            }
        ],
        "configuration": {
            "applied": {
                "jenkins": {"systemMessage": "^${HOME} Ünï\n<b>", "mode": "EXCLUSIVE", "numExecutors": 7},
                "unclassified": {"location": {"adminAddress": "ci@example.com"}},
            }
        },
        "agents": [
            {"name": f"agent {number}", "offline": True, "executors": 3, "labels": ["a", "b"]},
            {
                "name": SPECIAL_NAMES[2],
                "offline_reason": "Backup & more",
                "config": f"<slave><description>&lt;b&gt;</description><remoteFS>/srv</remoteFS><mode>EXCLUSIVE</mode>"
                "<numExecutors>2</numExecutors><launcher class='hudson.plugins.sshslaves.SSHLauncher'><host>h</host>"
                f"<credentialsId>deploy</credentialsId></launcher><nodeProperties>{environment}</nodeProperties>"
                "</slave>",
            },
        ],
        "lockable_resources": [
            {
                "name": SPECIAL_NAMES[1],
                "labels": ["x"],
                "reserved_by": "Sandbox Administrator",
                "properties": {"A": "1"},
            }
        ],
        "script_approval": {
            "signatures": ["method java.lang.String trim"],
            "acl_signatures": ["method java.lang.String length"],
            "scripts": [{"script": "return 1"}],
            "pending_scripts": [{"script": f"login('{SECRET}')", "user": "builder", "item": "app"}],
        },
        "credential_domains": [
            {
                "name": f"domain {number}",
                "description": "Ours",
                "xml": "<com.cloudbees.plugins.credentials.domains.Domain>"
                f"<name>domain {number}</name><description>Ours</description><specifications>"
                "<com.cloudbees.plugins.credentials.domains.HostnameSpecification><includes>*.example,a</includes>"
                "<excludes>b</excludes></com.cloudbees.plugins.credentials.domains.HostnameSpecification>"
                "<com.cloudbees.plugins.credentials.domains.SchemeSpecification><schemes><string>https</string></schemes>"
                "</com.cloudbees.plugins.credentials.domains.SchemeSpecification></specifications>"
                "</com.cloudbees.plugins.credentials.domains.Domain>",
            }
        ],
        "credentials": [
            {"id": "deploy", "type": "username_password", "username": "me", "password": SECRET, "scope": "system"},
            {"id": "text", "type": "secret_text", "secret": SECRET, "description": "Ünï & <b>"},
            {"id": "file", "type": "secret_file", "file_name": "a b.txt", "content": SECRET},
            {
                "id": "key",
                "domain": f"domain {number}",
                "type": "ssh_key",
                "username": "git",
                "private_key": SECRET,
                "passphrase": SECRET,
            },
            {"id": "hidden", "type": "username_password", "username": "x", "password": SECRET, "username_secret": True},
            {
                "id": "certificate",
                "xml": f"<{certificate}><id>certificate</id><description/><password>{SECRET}</password>{key_store}"
                f"</uploadedKeystoreBytes></keyStoreSource></{certificate}>",
            },
            {
                "id": "gitlab",
                "xml": "<com.dabsquared.gitlabjenkins.connection.GitLabApiTokenImpl><id>gitlab</id><description/>"
                f"<apiToken>{SECRET}</apiToken></com.dabsquared.gitlabjenkins.connection.GitLabApiTokenImpl>",
            },
            {"id": "inner", "folder": f"team {number}", "type": "secret_text", "secret": SECRET},
        ],
        "views": [
            {"name": "releases", "description": "Ours", "jobs": ["app"], "regex": ".*-nightly"},
            {"name": "token team", "folder": f"team {number}", "regex": ".*"},
            {
                "name": "outer",
                "config": "<hudson.plugins.nested__view.NestedView><views><hudson.model.ListView><name>in</name>"
                "<includeRegex>a.*</includeRegex></hudson.model.ListView></views></hudson.plugins.nested__view.NestedView>",
            },
        ],
    }


JOB = f"""\
<project>
  <description>Ours</description>
  <authToken>{SECRET}</authToken>
  <scm class="hudson.plugins.git.GitSCM"><userRemoteConfigs><hudson.plugins.git.UserRemoteConfig>
    <url>https://git.example/app.git</url><credentialsId>deploy-token</credentialsId>
  </hudson.plugins.git.UserRemoteConfig></userRemoteConfigs></scm>
  <properties>
    <hudson.model.ParametersDefinitionProperty><parameterDefinitions>
      <hudson.model.PasswordParameterDefinition>
        <name>P</name><description/><defaultValue>{SECRET}</defaultValue>
      </hudson.model.PasswordParameterDefinition>
    </parameterDefinitions></hudson.model.ParametersDefinitionProperty>
  </properties>
  <triggers><hudson.triggers.TimerTrigger><spec>H 2 * * *</spec></hudson.triggers.TimerTrigger></triggers>
  <builders>
    <hudson.tasks.Shell><command>{CLONED} &amp;&amp; make</command></hudson.tasks.Shell>
    <hudson.plugins.sonar.SonarRunnerBuilder plugin="sonar@2.18"><project>a</project>
      <org.sonar.Key><secretKey>{SECRET}</secretKey></org.sonar.Key></hudson.plugins.sonar.SonarRunnerBuilder>
  </builders>
</project>"""


def administration(number: int) -> dict[str, Any]:
    """Return environments, projects, replications, webhooks and a configuration with secrets of all kinds."""
    account = {"username": "somebody", "password": SECRET}
    ldap = {"searchFilter": "uid={0}", "managerDn": "cn=somebody", "managerPassword": SECRET}
    oauth = {"providerType": "github", "id": "artifactory", "secret": SECRET, "tokenUrl": "https://sso.example/token"}
    uploads = {"anyLocal": True, "repoKeys": [f"many{number}-local"], "includePatterns": ["org/**"]}
    headers = [{"name": "Accept", "value": "*/*"}, {"name": "Authorization", "value": f"Bearer {SECRET}"}]
    return {
        **security(number),
        "environments": ["QA", f"STAGE-{number}"],
        "projects": [
            {
                "project_key": f"p{number}-{place}",
                "display_name": f"{name} {number}",
                "description": name,
                "storage_quota_bytes": -1 if place == 0 else 2**30 * place + place % 2,
                "soft_limit": place == 1,
                "admin_privileges": {"manage_members": place != 2},
                "environments": [f"p{number}-{place}-qa"],
                "roles": [
                    {"name": name, "environments": ["QA", f"p{number}-{place}-qa"], "actions": ["READ_REPOSITORY"]}
                ],
                "users": [{"name": f"user-{number}-{place}", "roles": [name, "Project Admin"]}],
                "groups": [{"name": f"group {place}", "roles": ["Developer"]}],
            }
            for place, name in enumerate(SPECIAL_NAMES)
        ],
        "configuration": {
            "urlBase": "https://repo.example",
            "footer": f"See https://me:{SECRET}@wiki.example",
            "mailServer": {"host": "mail.example", "from": "a@b.example", **account},
            "backups": {
                name: {"cronExp": "0 0 2 ? * SUN", "excludedRepositories": [f"many{number}-local"]}
                for name in SPECIAL_NAMES
            },
            "proxies": {"corporate": {"host": "proxy.example", "port": 3128, **account}},
            "propertySets": {
                "release": {"properties": {name: {"predefinedValues": {"yes": {}}} for name in SPECIAL_NAMES}}
            },
            "security": {
                "hideUnauthorizedResources": True,
                "ldapSettings": {"corporate-ldap": {"ldapUrl": "ldap://ldap.example/dc=example", "search": ldap}},
                "ldapGroupSettings": {
                    "teams": {
                        "groupBaseDn": "ou=teams",
                        "groupNameAttribute": "cn",
                        "groupMemberAttribute": "member",
                        "filter": "(objectClass=groupOfNames)",
                        "descriptionAttribute": "description",
                        "enabledLdap": "corporate-ldap",
                    }
                },
                "oauthSettings": {"oauthProvidersSettings": {"github": oauth}},
            },
            "trashcanConfig": {"enabled": False, "retentionPeriodDays": number},
        },
        "replications": [
            {
                "repoKey": f"many{number}-local",
                "cronExp": "0 0 2 * * ?",
                "url": f"https://{site}.example/artifactory/copy?token={SECRET}",
                "enabled": site == "one",
                "syncDeletes": site == "two",
                "includePathPrefixPattern": "org/**",
                "proxy": "corporate" if site == "one" else "",
                **account,
            }
            for site in ("one", "two")
        ]
        + [{"repoKey": f"mirror{number}", "cronExp": "0 0 3 * * ?", "enabled": True}],
        "webhooks": [
            {
                "key": f"hook-{number}",
                "description": SPECIAL_NAMES[number % len(SPECIAL_NAMES)],
                "enabled": number % 2 == 0,
                "project_key": f"p{number}-0",
                "event_filter": {"domain": "artifact", "event_types": ["deployed", "cached"], "criteria": uploads},
                "handlers": [
                    {
                        "handler_type": "webhook",
                        "url": f"https://me:{SECRET}@ci.example/hook?token={SECRET}",
                        "secret": SECRET,
                        "use_secret_for_signing": True,
                        "proxy": "corporate",
                        "custom_http_headers": headers,
                    }
                ],
            },
            {
                "key": f"custom-{number}",
                "event_filter": {
                    "domain": "build",
                    "event_types": ["uploaded"],
                    "criteria": {"anyBuild": False, "selectedBuilds": SPECIAL_NAMES},
                },
                "handlers": [
                    {
                        "handler_type": "custom-webhook",
                        "url": "https://ci.example/custom",
                        "method": "PUT",
                        "payload": '{"build": "{{ .data.build_name }}", "password": "' + SECRET + '"}',
                        "http_headers": headers,
                        "secrets": [{"name": "token", "value": SECRET}],
                    }
                ],
            },
        ],
    }


def security(number: int) -> dict[str, Any]:
    """Return single sign-on, keys, certificates and clean-up policies."""
    github = "https://token.actions.githubusercontent.com"
    main = {"name": "main", "priority": 1, "claims": {"repository": "acme/web", "ref": ["refs/heads/main", "x"]}}
    roles = f'applied-permissions/roles:p{number}-0:"Developer"'
    return {
        "saml_settings": [
            {
                "name": f"{name} {number}",
                "login_url": f"https://idp.example/login?idpid=C0{number}",
                "logout_url": "{baseUrl}/ui/login",
                "service_provider_name": name,
                "certificate": CERTIFICATE,
                "enable_integration": name == SPECIAL_NAMES[0],
                "auto_redirect": True,
                "group_attribute": "groups",
                "ldap_group_settings": ["teams"],
            }
            for name in SPECIAL_NAMES
        ],
        "oidc_providers": [
            {
                "name": f"gitlab-{number}",
                "description": f"password: {SECRET}",
                "issuer_url": "https://gitlab.example",
                "provider_type": "Generic OpenID Connect",
                "audience": "artifactory",
                "token_issuer": "https://issuer.example",
                "use_default_proxy": True,
                "identity_mappings": [
                    {**main, "token_spec": {"username": "ci", "audience": "jfrt@* jfxr@*", "expires_in": 604800}},
                    {**main, "name": "tags", "description": "Tags", "token_spec": {"groups_pattern": "x-$0"}},
                ],
            },
            {
                "name": f"github-{number}",
                "issuer_url": github,
                "provider_type": "GitHub",
                "organization": "acme",
                "project_key": f"p{number}-0",
                "identity_mappings": [{**main, "token_spec": {"scope": roles}}],
            },
        ],
        "cleanup_policies": [
            {
                "key": f"old-{number}",
                "description": "Ünï",
                "cronExp": "0 0 2 ? * SUN",
                "durationInMinutes": 60,
                "enabled": True,
                "searchCriteria": {
                    "packageTypes": ["generic"],
                    "repos": [f"many{number}-local", "libs-*"],
                    "excludedRepos": ["libs-release-local"],
                    "includedPackages": ["**"],
                    "createdBeforeInDays": 90,
                    "includedProperties": {"qa": ["failed"]},
                },
            },
            {
                "key": f"of-project-{number}",
                "projectKey": f"p{number}-0",
                "skipTrashcan": True,
                "searchCriteria": {
                    "packageTypes": ["generic", "docker"],
                    "repos": ["**"],
                    "includedPackages": ["a/**"],
                    "keepLastNVersions": 3,
                },
            },
        ],
        "keypairs": [
            {"name": f"token key {number}", "type": "gpg", "public_key": gpg_pair(number).public, "alias": "a.asc"},
            {"name": f"alpine-{number}", "type": "rsa", "public_key": rsa_pair(number).public},
        ],
        "certificates": [{"alias": f"{name} {number}", "issued_by": "Authority"} for name in SPECIAL_NAMES],
        "trusted_keys": [{"alias": f"edge of {number}", "key": gpg_pair(number + 1).public}],
    }


def inference(number: int, dice: random.Random) -> dict[str, Any]:
    """Return further objects for the organization of the admin key."""
    people = [f"user-{number}-{place}" for place in range(len(SPECIAL_NAMES))]
    organization = {
        "id": "org-sandbox",
        "name": "sandbox",
        "title": dice.choice(SPECIAL_NAMES),
        "description": dice.choice(SPECIAL_NAMES),
        "created": 1_600_000_000,
        "users": [
            {
                "id": user,
                "email": f"{place}@{number}.example",
                "role": dice.choice(["owner", "reader"]),
                "added_at": dice.randrange(1_600_000_000, 1_700_000_000),
                **({"name": name} if place else {}),
            }
            for place, (user, name) in enumerate(zip(people, SPECIAL_NAMES, strict=True))
        ],
        "invites": [
            {
                "id": f"invite-{number}-1",
                "email": "a@example",
                "projects": [{"id": f"proj_{number}_0", "role": "owner"}],
            },
            {"id": f"invite-{number}-2", "email": "b@example", "expires_at": 4_000_000_000},
            {"id": f"invite-{number}-3", "email": "c@example", "role": "owner", "accepted_at": 1_700_000_000},
        ],
        "projects": [
            {
                "id": f"proj_{number}_{place}",
                "name": name,
                "created_at": dice.randrange(1_600_000_000, 1_700_000_000),
                "external_key_id": dice.choice([None, "key of ours"]),
                "archived_at": 1_750_000_000 if place % 3 == 2 else None,
                "members": [
                    {"id": user, "role": dice.choice(["owner", "member"]), "added_at": 1_700_000_000 + place}
                    for user in dice.sample(people, 3)
                ],
                "service_accounts": [
                    {
                        "id": f"svc_{number}_{place}_{account}",
                        "name": dice.choice(SPECIAL_NAMES),
                        "created_at": 1_700_000_001,
                    }
                    for account in range(place % 3)
                ],
                "limits": [
                    {"id": "gpt-4o", "requests_per_minute": dice.randrange(500), "tokens_per_minute": 0},
                    {"id": f"odd {number}%", "batch_tokens_per_day": dice.randrange(1000)},
                ],
            }
            for place, name in enumerate(SPECIAL_NAMES)
        ],
    }
    of_projects = [
        {
            "key": f"sk-{kind}-{SECRET}-{number}-{place}",
            "project": f"proj_{number}_{place}",
            "id": f"key_{number}_{place}",
            "name": name,
            "owner": owner,
            "created_at": 1_700_000_000 + place,
        }
        for place, name in enumerate(SPECIAL_NAMES)
        for kind, owner in [dice.choice([("proj", people[place]), ("svcacct", f"svc_{number}_{place}_0")])]
    ]
    others = [
        {"key": f"sk-admin-{SECRET}-{number}", "id": f"key_{number}", "name": SPECIAL_NAMES[4], "owner": people[0]},
        {"key": f"sk-admin-{SECRET}-{number}-2", "id": f"key_{number}_b", "name": "old", "expires_at": 1_700_000_000},
        {
            "key": f"sk-{SECRET}-{number}",
            "name": dice.choice(SPECIAL_NAMES),
            "created_at": 1_650_000_000,
            "last_used_at": 1,
        },
    ]
    return {
        "organizations": [organization],
        "keys": [{**key, "organization": "org-sandbox"} for key in of_projects + others],
        "models": [
            {
                "id": f"odd {number}%",
                "created": dice.randrange(1_600_000_000, 1_700_000_000),
                "owned_by": dice.choice(SPECIAL_NAMES),
                "shutdown_date": "2027-01-01",
                "fine_tuning": {"max_pending_jobs": dice.randrange(9), "max_jobs_per_day": 48},
                "batch_tokens_per_day": 1000,
                "requests_per_day": 2**31 - 1,
            },
            {"id": f"of pictures {number}", "created": 1, "requests_per_minute": None, "images_per_minute": number},
            {"id": f"unlimited {number}", "created": 2, "requests_per_minute": None, "tokens_per_minute": None},
        ],
        "limits": [{"id": f"ft:odd-{number}", "requests_per_minute": 7, "tokens_per_minute": 7}],
    }


def review(number: int, dice: random.Random) -> dict[str, Any]:
    """Return projects with issues that have equal IDs, builds and histories."""
    builds = [f"build_{number}", *dice.sample(SPECIAL_NAMES, 2)]
    users = [f"{name} {number}" for name in SPECIAL_NAMES]
    name = f"{dice.choice(SPECIAL_NAMES)} {number}"
    issues = [
        {
            "id": place,
            "code": dice.choice(["ABV.GENERAL", "RLK.MAIN"]),
            "file": f"src/{special_name}.c",
            "message": special_name,
            "comment": dice.choice(["", f"{special_name} password: {SECRET}"]),
            "line": dice.choice([None, 7]),
            "severity": dice.randrange(1, 11),
            "reference": dice.choice(["", "16-0-2"]),
            "found_in": dice.choice(builds),
        }
        for place, special_name in enumerate(SPECIAL_NAMES, 1)
    ]
    for issue in dice.sample(issues, 3):
        issue |= {"found_in": builds[0], "fixed_in": dice.choice(builds[1:])}
    for issue in dice.sample(issues, 4):
        history = [
            {
                "date": 1_600_000_000_000 + step * 1000,
                "account": users[step],
                "status": status,
                "comment": issue["message"],
            }
            for step, status in enumerate(["Analyze", dice.choice(["Fix", "Not a Problem", "Fix in Later Release"])])
        ]
        issue |= {"status": history[-1]["status"], "owner": users[0], "history": history}
    return {
        "users": [{"name": user, "readonly": dice.random() < 0.5, "ltoken": SECRET} for user in users],
        "groups": [
            {"name": f"team {number}", "users": dice.sample(users, 2)},
            {"name": f"none {number}", "readonly": True},
        ],
        "projects": [
            {
                "name": name,
                "id": f"of_old.{number}/%",
                "creator": users[0],
                "description": f"{dice.choice(SPECIAL_NAMES)} {CLONED}",
                "tags": dice.sample(SPECIAL_NAMES, 2),
                "builds": [
                    {
                        "name": build,
                        "date": 1_700_000_000_000 + place * 86_400_000,
                        "keepit": place == 1,
                        "figures": {"files": place},
                    }
                    for place, build in enumerate(builds)
                ],
                "modules": [
                    {
                        "name": special_name,
                        "paths": [f"**/{special_name}/*"],
                        "allow_all": False,
                        "allow_users": users[:1],
                        "tags": ["x"],
                    }
                    for special_name in dice.sample(SPECIAL_NAMES, 2)
                ],
                "views": [
                    {"name": "mine", "query": "severity:1-4", "creator": "admin"},
                    {
                        "name": "mine",
                        "query": f"owner:'{users[1]}'",
                        "creator": users[1],
                        "is_public": True,
                        "tags": ["y"],
                    },
                ],
                "taxonomies": [
                    {"name": special_name, "custom": dice.random() < 0.5} for special_name in SPECIAL_NAMES[:2]
                ],
                "defect_types": [
                    {
                        "code": f"HOUSE.{place}",
                        "name": special_name,
                        "taxonomies": dice.sample(SPECIAL_NAMES[:2], place % 3),
                        "severity": place + 1,
                    }
                    for place, special_name in enumerate(SPECIAL_NAMES)
                ],
                "issues": issues,
            },
            {"name": f"empty {number}", "creator": users[1]},
        ],
        "roles": [
            {
                "name": f"{special_name} {number}",
                "permissions": dice.sample(["create_build", "manage_roles", "change_issue_status", "webapi_access"], 2),
                "transitions": [["Any", "Fix"], ["Analyze", "Ignore"]],
                "assignments": [
                    {"account": users[2], "project": name},
                    {"account": users[3]},
                    {"account": f"team {number}", "group": True, "project": name},
                ],
            }
            for special_name in dice.sample(SPECIAL_NAMES, 2)
        ],
        "licenses": [{"feature": f"f{number}", "version": "1", "count": 2, "days_to_expiry": -3, "permanent": True}],
    }


def remove_added_account(review: dict[str, Any]) -> None:
    """Remove the account that the sandbox adds."""
    users, roles = [user["name"] for user in review["users"]], {role["name"]: role for role in review["roles"]}
    del review["users"][users.index("snapshot-admin")]
    roles["Projects root admin"]["assignments"].remove({"account": "snapshot-admin", "group": None, "project": None})


def check_administration(artifact: dict[str, Any]) -> None:
    """Check that the snapshot contains the administration of the world with number 1."""
    assert artifact["environments"] == ["DEV", "PROD", "QA", "STAGE-1"]
    assert [project["display_name"] for project in artifact["projects"]] == [f"{name} 1" for name in SPECIAL_NAMES]
    assert [len(part) for part in artifact["project_parts"].values()] == [len(SPECIAL_NAMES)] * 3
    assert artifact["sharing"] == {
        "many1-local": {"projects": ["p1-1", "p1-2"], "all_projects": False, "read_only": True},
        "mirror1": {"projects": [], "all_projects": True, "read_only": False},
    }
    push, pull = artifact["replications"]
    assert [target["url"] for target in push["targets"]] == [
        f"https://{site}.example/artifactory/copy" for site in ("one", "two")
    ]
    assert (pull["repo"], pull["type"], pull["enabled"]) == ("mirror1", "pull", True)
    configuration = artifact["configuration"]
    assert configuration["proxies"] == {
        "corporate": {"host": "proxy.example", "port": 3128, "username": "somebody", "platformDefault": False}
    }
    assert configuration["security"]["ldapSettings"]["corporate-ldap"]["search"]["managerDn"] == "cn=somebody"
    assert sorted(configuration["backups"]) == sorted(SPECIAL_NAMES)
    assert "footer" not in configuration
    check_security(artifact)


def check_security(artifact: dict[str, Any]) -> None:
    """Check that the snapshot contains single sign-on, keys, certificates and policies of the world with number 1."""
    assert artifact["licenses"] == [{"type": "Enterprise", "edition": "enterprise", "expired": False}]
    assert {setting["login_url"] for setting in artifact["saml_settings"]} == {"https://idp.example/login?idpid=C01"}
    github, gitlab = artifact["oidc_providers"]
    assert (github["project"], github["provider_type"]) == ("p1-0", "github")
    assert (gitlab["description"], gitlab["token_issuer"]) == ("password: MASKED_SECRET", "https://issuer.example")
    assert [mapping["name"] for mapping in gitlab["identity_mappings"]] == ["main", "tags"]
    assert [policy["key"] for policy in artifact["cleanup_policies"]] == ["of-project-1", "old-1"]
    pairs = {pair["name"]: pair["public_key"] for pair in artifact["keypairs"]}
    assert pairs == {"token key 1": gpg_pair(1).public, "alpine-1": rsa_pair(1).public}
    assert len(artifact["certificates"]) == len(SPECIAL_NAMES)
    assert [(key["alias"], key["key"]) for key in artifact["trusted_keys"]] == [("edge of 1", gpg_pair(2).public)]
    assert artifact["configuration"]["security"]["ldapGroupSettings"]["teams"]["enabledLdap"] == "corporate-ldap"


def test_sandbox_from_a_snapshot_has_the_same_data(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed(world(1))
    sandbox.switch("artifact", version="7.111.4", edition="enterprise")
    sandbox.switch("ci", version="2.504")
    sandbox.switch("review", version_major="24", version_minor="3.1", module_access_lists=True)
    first, second = tmp_path / "first", tmp_path / "second"
    output, good = take_snapshot(sandbox, first, snapshot_artifact_runs="all", **all_credentials(sandbox))
    assert good, output
    for place in ("properties: db.password: value", "properties: note: value", "F_TOKEN: default", "comment"):
        assert place in output
    with client.start(seed=first) as rehearsal:
        assert rehearsal.switches()["artifact"]["edition"] == "enterprise"
        assert rehearsal.switches()["artifact"]["trashcan"] is False
        output, good = take_snapshot(rehearsal, second, snapshot_artifact_runs="all", **all_credentials(rehearsal))
    assert good, output
    assert not [file for file in first.glob("*/*") if SECRET in file.read_text()]
    assert "AM." not in (first / "artifact" / "manifest.json").read_text()
    expected, actual = load_lists(first, sandbox), load_lists(second, rehearsal)
    sources = {json.dumps([build["url"], build["vcs"]]) for build in expected["artifact"]["builds"] if "vcs" in build}
    place, message = "https://git.example/app.git", "See https://wiki/ http:\\/\\/x (bob@x)"
    assert sources == {json.dumps(["https://ci.example/job/app/1/", [{"url": place, "message": message}]])}
    mirrors = {actual["url"] for actual in expected["artifact"]["repositories"] if actual["key"].startswith("mirror")}
    assert mirrors == {"https://mirror.example/npm"}
    for service in ("artifact", "inference", "review"):
        assert expected[service]["skipped_lists"] == []
    check_administration(expected["artifact"])
    assert len(expected["issues-of_old.1%2F%25"]) > len(expected["histories-of_old.1%2F%25"]) > 1
    assert {"key": "note", "value": "git clone https://MASKED_SECRET@git.example/app.git"} in [
        pair for item in expected["items"] for pair in item.get("properties", ())
    ]
    parameters = [parameter for job in expected["jobs"] for parameter in job["parameters"]]
    assert {parameter["description"] for parameter in parameters if parameter["name"] == "H"} == {None}
    assert [plugin["url"] for plugin in expected["ci"]["plugins"] if plugin["name"] == "odd1"] == [None]
    remove_added_account(actual["review"])
    own = [token for token in actual["artifact"]["tokens"] if token["username"] == "snapshot-admin"]
    assert len(own) == 1
    actual["artifact"]["tokens"].remove(own[0])
    actual["artifact"]["users"] = [user for user in actual["artifact"]["users"] if user["name"] != "snapshot-admin"]
    del actual["artifact"]["user_states"]["snapshot-admin"]
    assert actual == expected


@pytest.mark.ansible_core
def test_texts_like_secrets_are_kept_when_requested(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed(world(1))
    output, good = take_snapshot(sandbox, tmp_path / "kept", "--limit", "repo:jenkins", snapshot_keep_secrets=True)
    assert good, output
    for name in ("artifact/items.jsonl", "ci/jobs.jsonl"):
        assert SECRET in (tmp_path / "kept" / name).read_text()
    assert "F_TOKEN: default" not in output


@pytest.mark.parametrize("is_rehearsal", [False, True])
def test_lists_of_an_existing_snapshot_are_kept_in_a_rehearsal(
    is_rehearsal: bool, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", sandbox.url if is_rehearsal else "")
    existing_list = tmp_path / "existing" / "inference" / "items.jsonl"
    existing_list.parent.mkdir(parents=True)
    existing_list.touch()
    output, good = take_snapshot(sandbox, tmp_path / "existing", "--limit", "openai")
    assert good, output
    assert existing_list.exists() == is_rehearsal


def test_secrets_are_derived_from_snapshot_and_account(tmp_path: Path) -> None:
    def derive(name: str, account: str) -> str:
        (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "name": name}))
        return SnapshotDirectory(tmp_path).derive_secret(account)

    assert derive("one", "ci") == derive("one", "ci")
    assert len({derive("one", "ci"), derive("two", "ci"), derive("one", "admin")}) == 3


BLIND = [
    ("artifact", {"toolchain_artifact_token": "wrong"}, ": 401 "),
    ("inference", {"toolchain_inference_admin_key": "sk-admin-wrong"}, "The key was rejected. Check 'admin_key'."),
    ("inference", {"toolchain_inference_user_id": "nobody"}, "The account may not read any list. GET "),
    ("review", {"toolchain_review_ltoken": "wrong", "toolchain_review_username": "admin"}, ": 401 "),
    ("review", {"toolchain_review_ltoken": BOB, "toolchain_review_username": "bob"}, "Web API access permission"),
]
READER = {
    "toolchain_artifact_username": "reader",
    "toolchain_artifact_password": "sandbox-reader",
    "toolchain_ci_username": "reader",
    "toolchain_ci_api_token": "11c0ffee00sandbox00reader00token004",
    "toolchain_inference_api_key": "sk-proj-restricted00000000000000000000000006",
    "toolchain_inference_admin_key": "sk-admin-blind",
    "snapshot_artifact_items": {"repo": "generic-local", "name": {"$match": "*.gz"}},
    "snapshot_review_query": "severity:1-2 state:New,Existing",
}
COMMON = {"toolchain_artifact_username": "common", "toolchain_artifact_password": "local"}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (
        "artifact",
        {"snapshot_folder": "{{ root }}/both/"},
        "Another host of the play writes to {root}/both/artifact as well",
    ),
    (
        "artifact",
        {"snapshot_folder": "{{ root }}/both"},
        "Another host of the play writes to {root}/both/artifact as well",
    ),
    ("artifact", COMMON, "The snapshot would contain masked names"),
    (
        "inference",
        {"snapshot_folder": "snapshot"},
        "snapshot_folder: 'snapshot' is not an absolute path. ",
    ),
    *BLIND,
]


def list_hosts(sandbox: Sandbox, root: Path) -> dict[str, Any]:
    """Return an inventory: a host in all groups whose accounts may read a part, and hosts without a snapshot."""
    addresses = {"artifact": "JFROG_URL", "ci": "JENKINS_URL", "inference": "OPENAI_BASE_URL", "review": "KLOCWORK_URL"}
    urls = {service: {f"toolchain_{service}_url": sandbox.environment[name]} for service, name in addresses.items()}
    groups: dict[str, Any] = {service: {"hosts": {"seen": {}}} for service in addresses}
    groups["review"]["hosts"]["seen"] = {**READER, **review_variables(sandbox, "alice")}
    for url in urls.values():
        groups["review"]["hosts"]["seen"].update(url)
    for number, (service, variables, _message) in enumerate(REFUSED):
        groups[service]["hosts"][f"refused{number}"] = {**urls[service], **variables}
    folder = {"root": str(root), "snapshot_folder": "{{ root }}/{{ inventory_hostname }}"}
    return {**groups, "all": {"vars": folder}}


@pytest.mark.ansible_core
def test_readable_lists_are_exported_when_permissions_are_missing(sandbox: Sandbox, tmp_path: Path) -> None:
    blind = {"key": "sk-admin-blind", "organization": "org-sandbox", "scopes": ["api.usage.read"]}
    mobile = {"name": "Readers", "assignments": [{"account": "alice", "project": "mobile-app"}]}
    common = {"name": "common", "password": "local", "admin": True}
    sandbox.seed(
        {"artifact": {"users": [common]}, "inference": {"keys": [blind]}, "review": {"roles": [mobile]}},
    )
    sandbox.fault(kind="status", status=403, service="review", label="defect_types", times=1)
    review = tmp_path / "seen" / "review"
    foreign = review / "issues-of ours.txt"
    review.mkdir(parents=True)
    for file in (foreign, review / "issues-gone.jsonl", review / "defect_types-mobile_app.jsonl"):
        file.touch()
    inventory = tmp_path / "hosts.json"
    inventory.write_text(json.dumps(list_hosts(sandbox, tmp_path)))
    sandbox.clear_journal()
    output, _good = run_ansible(["buildworks.toolchain.snapshot", "-i", inventory], sandbox)
    refused_scripts = [entry["path"] for entry in sandbox.journal() if entry["effect"] != "read"]
    assert refused_scripts == ["/ci/scriptText"] * 2
    failures = list_failures(output)
    assert failures.keys() == {f"refused{number}" for number in range(len(REFUSED))}, output
    for number, (_service, _variables, message) in enumerate(REFUSED):
        assert message.replace("{root}", str(tmp_path)) in failures[f"refused{number}"]
    assert not (tmp_path / "both").exists()
    assert {file.parent.parent.name for file in tmp_path.glob("*/*/manifest.json")} == {"seen"}
    assert foreign.exists()
    check_lists(load_lists(tmp_path / "seen", sandbox))


def check_lists(lists: dict[str, Any]) -> None:
    """Check that each list was read that the accounts may read, and that the others are named."""
    hidden = ["plugins", "job_configurations", "credentials", "users", "configuration", "script_approvals"]
    assert [skipped["list"] for skipped in lists["ci"]["skipped_lists"]] == hidden
    assert lists["ci"]["nodes"]
    assert "may not read the configuration of app, deploy" in lists["ci"]["skipped_lists"][1]["reason"]
    assert "403 reader is missing" in lists["ci"]["skipped_lists"][0]["reason"]
    skipped = lists["inference"]["skipped_lists"]
    without_scope = ["organizations", "projects", "users", "invites", "admin_keys"]
    assert [each["list"] for each in skipped] == [*without_scope, "rate_limits", "user_keys"]
    assert all("Missing scopes: api.management.read" in each["reason"] for each in skipped[:5])
    assert all("Set 'session_token'." in each["reason"] for each in skipped[5:])
    assert [row["name"] for row in lists["items"]] == ["app-1.0.tar.gz", "app-1.1.tar.gz"]
    skipped = lists["review"]["skipped_lists"]
    assert [each["list"] for each in skipped] == ["licenses", "defect_types-mobile_app"]
    assert "403 User alice is not a Projects root admin" in skipped[0]["reason"]
    assert "defect_types-platform" in lists
    assert [row["severity_level"] for row in lists["issues-mobile_app"]] == [1, 2]
    assert [row["status"] for row in lists["histories-mobile_app"]] == ["Fix"]
    assert "issues-gone" not in lists
    assert "defect_types-mobile_app" not in lists


def test_only_lists_without_permission_are_skipped(sandbox: Sandbox, tmp_path: Path) -> None:
    for path in ("/api/build/app$", "/api/build/.+/", "/service_accounts$", "/invites$"):
        sandbox.fault(kind="status", status=403, path=path)
    sandbox.fault(kind="status", status=404, path="/api/repositories/libs-remote$")
    sandbox.fault(kind="body", body="[]", path="/api/repositories$", nth=2)
    sandbox.fault(kind="status", status=500, service="ci", path="/pluginManager/", body="gateway: 404 from backend")
    folder = tmp_path / "seen"
    output, good = take_snapshot(sandbox, folder, "--limit", "repo:jenkins:openai")
    assert not good
    assert "500 gateway: 404 from backend" in output
    assert not (folder / "ci" / "manifest.json").exists()
    lists = load_lists(folder, sandbox)
    skipped = {
        service: [about["list"] for about in lists[service]["skipped_lists"]] for service in ("artifact", "inference")
    }
    refused = ["repositories-libs-remote", "runs-app", "runs-acme/nightly of web-4"]
    assert skipped["artifact"] == ["cleanup_policies", *refused]
    assert skipped["inference"] == ["invites", "rate_limits", "user_keys", "project_service_accounts"]
    assert any(project.get("users") for project in lists["inference"]["projects"])
    assert lists["inference"]["users"]


PASSWORD = {"toolchain_artifact_username": "admin", "toolchain_artifact_password": "sandbox-admin"}
PARTS = ["project_environments", "project_roles", "project_members"]
ACCESS = ["environments", "projects"]
ENTERPRISE = ("oidc_providers", "cleanup_policies", "trusted_keys")
SECURITY = ("licenses", "saml_settings", "keypairs", "certificates", *ENTERPRISE)
# Lists of Artifactory that are skipped, with a part of the reason
SKIPPED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = {
    "an early version": (
        {"version": "7.40.1"},
        PASSWORD,
        {
            "environments": "requires Artifactory 7.53.1 or later",
            "sharing": "requires Artifactory 7.90.1 or later",
            "project_environments": ": 404 ",
            "webhooks": "may accept only access tokens",
            "saml_settings": "requires Artifactory 7.83.1 or later",
            "oidc_providers": "requires Artifactory 7.73.1 or later",
            "cleanup_policies": "requires Artifactory Enterprise",
        },
    ),
    "the open-source edition": (
        {"edition": "oss"},
        PASSWORD,
        {
            **dict.fromkeys(("environments", "projects", "replications"), "requires Artifactory Pro"),
            **dict.fromkeys(("webhooks", "saml_settings", "keypairs"), "requires Artifactory Pro"),
            **dict.fromkeys(ENTERPRISE, "requires Artifactory Enterprise"),
        },
    ),
    "an Access API for tokens": (
        {"access_requires_token": True},
        PASSWORD,
        {
            **dict.fromkeys(("users", "groups", "permissions", "webhooks", *ACCESS), "may accept only access tokens"),
            **dict.fromkeys(("saml_settings", "oidc_providers"), "may accept only access tokens"),
            "cleanup_policies": "requires Artifactory Enterprise",
        },
    ),
    "a license of Artifactory Pro": (
        {"version": "7.111.4", "trusted_keys_require_enterprise": True},
        PASSWORD,
        {
            **dict.fromkeys(("cleanup_policies", "trusted_keys"), "a license of the type 'Commercial'"),
            "webhooks": "may accept only access tokens",
        },
    ),
    "an account without permissions": (
        {},
        {"toolchain_artifact_username": "reader", "toolchain_artifact_password": "sandbox-reader"},
        {
            **dict.fromkeys(("environments", "replications", "configuration", *SECURITY), ": 403 "),
            "saml_settings": "requires Artifactory 7.83.1 or later",
            "cleanup_policies": "requires Artifactory 7.98.2 or later",
            "webhooks": "may accept only access tokens",
        },
    ),
}
NEW_LISTS = {*ACCESS, *PARTS, *SECURITY, "sharing", "replications", "webhooks", "configuration"}


@pytest.mark.parametrize("case", SKIPPED)
def test_administration_is_skipped_when_the_server_does_not_return_it(
    case: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    switches, account, expected = SKIPPED[case]
    seed = {**administration(1), "repositories": world(1)["artifact"]["repositories"]}
    accounts = [{"name": name} for name in ("user-1-0", "user-1-1")]
    projects = [{"project_key": f"p1-{place}", "display_name": f"Project {place}"} for place in range(3)]
    sandbox.seed({"artifact": {**seed, "projects": projects, "users": accounts}})
    sandbox.switch("artifact", **switches)
    folder = tmp_path / "snapshot"
    variables = {"toolchain_artifact_url": sandbox.url, "snapshot_artifact_items": {"repo": "generic-local"}}
    output, good = take_snapshot(sandbox, folder, "--limit", "repo", **variables, **account)
    assert good, output
    manifest = load_lists(folder, sandbox)["artifact"]
    skipped = {entry["list"]: entry["reason"] for entry in manifest["skipped_lists"]}
    assert skipped.keys() & NEW_LISTS == expected.keys() & NEW_LISTS
    for name, reason in expected.items():
        assert reason in skipped[name]
    with client.start(seed=folder) as rehearsal:
        state, seeded = rehearsal.state()["artifact"], rehearsal.switches()["artifact"]
    assert state["projects"]["total"] == len(manifest["projects"])
    server = {"version": "7.77.3", "edition": "pro"}
    assert {name: seeded[name] for name in server} == {name: switches.get(name, server[name]) for name in server}


def test_snapshot_of_the_open_source_edition_has_its_files(sandbox: Sandbox, tmp_path: Path) -> None:
    files = {"generic-local/new/a.txt", "docker-local/odd/b.txt"}
    names = ["..", " blank", "back\\slash", "plain"]
    builds = [{"name": name, "number": "1", "started": "2026-01-01T00:00:00.000+0000"} for name in names]
    auth = ("admin", "sandbox-admin")
    for build in builds:
        assert requests.put(f"{sandbox.url}/artifactory/api/build", json=build, auth=auth, timeout=60).ok
    for file in files:
        assert requests.put(f"{sandbox.url}/artifactory/{file}", data="x", auth=auth, timeout=60).ok
    sandbox.switch("artifact", edition="oss", version="5.4.6")
    folder = tmp_path / "snapshot"
    account = {"toolchain_artifact_username": auth[0], "toolchain_artifact_password": auth[1]}
    output, good = take_snapshot(sandbox, folder, "--limit", "repo", toolchain_artifact_url=sandbox.url, **account)
    assert good, output
    lists = load_lists(folder, sandbox)
    assert files <= {f"{row['repo']}/{row['path']}/{row['name']}" for row in lists["items"] if row["type"] == "file"}
    skipped = {entry["list"] for entry in lists["artifact"]["skipped_lists"]}
    assert {"runs-..", "runs- blank", "runs-back\\slash"} <= skipped
    assert not skipped & {"items", "builds", "runs-plain"}
    assert "the snapshot of repo lacks runs-.., so the sandbox" in " ".join(describe_skipped(folder))
    for name in ("users", "runs-.."):
        assert f"Warning: the snapshot lacks {name}, so" in " ".join(output.split())


def write_special_jobs(folder: Path) -> None:
    """Write the snapshot of a server whose only job has a description with control characters, and no last builds."""
    server = {"product": "hudson", "version": "1.395", "executors": 2}
    build = {"number": 7, "result": "SUCCESS", "duration": None, "timestamp": "2026-01-01T00:00:00Z"}
    job = {"name": "odd", "description": "\x1b[1mbold\x1b[0m", "folder": False, "buildable": True, "parameters": []}
    job |= {"next_build": None, "last": build, **dict.fromkeys(("last_completed", "last_successful", "last_failed"))}
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "name": "odd", "server": server, "plugins": []}))
    (folder / "jobs.jsonl").write_text(json.dumps(job))


def write_session(folder: Path) -> None:
    """Write the snapshot of an API that only listed the organization of a session."""
    lists = ("models", "model_limits", "projects", "users", "invites", "admin_keys", "user_keys")
    about = {"format": 1, "name": "odd", "rate_limits": {}, **{name: [] for name in lists}}
    organization = {"id": "org-1", "name": None, "title": "One", "projects": [{"id": "proj_1", "title": "First"}]}
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({**about, "organizations": [organization]}))


def write_issues(folder: Path, histories: dict[str, list[Any]]) -> None:
    """Write the snapshot of a server that listed issues but no builds, with these histories by project."""
    lists = ("tags", "builds", "modules", "views", "taxonomies")
    project = {"description": "", "creator": None, "configuration": None, **{name: [] for name in lists}}
    unknown = dict.fromkeys(
        ("title", "message", "method", "line", "owner", "status", "reference", "comment", "taxonomy", "severity_level")
    )
    new, fixed, earlier, undated = (
        {**unknown, "id": number, "code": "C", "file": "f", "state": state, "date": date}
        for number, (state, date) in enumerate(
            [("New", "2026-01-02T00:00:00Z"), ("Fixed", "2026-01-01T00:00:00Z"), ("Fixed", None), ("Existing", None)], 1
        )
    )
    about = {
        "format": 1,
        "name": "odd",
        "server": {"version": {"text": "20.4"}},
        "lists": ["builds", "issues", "fixed", "histories"],
        "projects": [{**project, "id": name, "name": name} for name in ("none", *histories)],
        **{name: [] for name in ("users", "groups", "roles", "licenses")},
    }
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(about))
    for name, details in histories.items():
        files = {"issues": [new, fixed, undated], "fixed": [fixed, earlier], "histories": details}
        for kind, rows in files.items():
            (folder / f"{kind}-{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_sandbox_starts_when_lists_are_unusual_or_incomplete(tmp_path: Path) -> None:
    write_special_jobs(tmp_path / "ci")
    write_session(tmp_path / "inference")
    builds = {"some": "snapshot", "recorded": "b7"}
    write_issues(tmp_path / "review", {"some": [], "recorded": [{"id": 2, "build": "b7", "history": []}]})
    with client.start(seed=tmp_path) as sandbox:
        state = sandbox.state()
        actual = {project: list_builds_and_issues(sandbox, project) for project in builds}
    assert state["ci"]["jobs"]["total"] == 1
    [project] = state["inference"]["projects"]["rows"]
    assert project == {"id": "proj_1", "name": "First", "organization": "org-1", "status": "active"}
    counts = {row["name"]: (row["builds"], row["issues"]) for row in state["review"]["projects"]["rows"]}
    assert counts == {"none": (0, 0), "some": (1, 4), "recorded": (1, 4)}
    states = [(1, "New"), (2, "Fixed"), (4, "Existing")]
    assert actual == {project: ([build], states) for project, build in builds.items()}


OLD_MANIFEST: dict[str, Any] = {
    "format": 1,
    "name": "odd",
    "tokens": [],
    "repositories": [
        {"key": key, "type": rclass, "package_type": "generic", "description": "", "url": None, "settings": None}
        for key, rclass in (("libs", "local"), ("mirror", "remote"), ("old", "distribution"))
    ],
    "builds": [],
}
SETTINGS = {"description": "", "soft_limit": False, "storage_quota": "1 GB", "admin_privileges": {}}
SELECTED = {"package_types": ["generic"], "included_packages": ["**"], "created_before_days": 30}
POLICY: dict[str, Any] = {"description": "", "cron": "", "enabled": False, "project": ""}
UNNAMED = dict.fromkeys(("username", "username_pattern", "groups_pattern", "scope", "audience", "expires_in"))
OIDC: dict[str, Any] = {"issuer_url": "https://idp.example", "provider_type": "generic", "project": ""}
INCOMPLETE: dict[str, Any] = {
    "licenses": [
        {"type": "Enterprise Plus", "edition": "enterprise", "expired": True},
        {"type": "Trial", "edition": None, "expired": False},
        {"type": "Commercial", "edition": "pro", "expired": False},
    ],
    "saml_settings": [
        {"name": "new", "login_url": "", "logout_url": "", "service_provider_name": "", "certificate": ""},
        {"name": "odd", "login_url": "ftp://x", "logout_url": "", "service_provider_name": "", "certificate": ""},
    ],
    "oidc_providers": [
        {"name": "odd", **OIDC, "provider_type": "carrier pigeon", "identity_mappings": None},
        {"name": "unread", **OIDC, "identity_mappings": None},
        {
            "name": "some",
            **OIDC,
            "identity_mappings": [
                {"name": "odd", "description": "", "priority": None, "claims": {}, **UNNAMED},
                {"name": "good", "description": "", "priority": 1, "claims": {}, **UNNAMED, "username": "ci"},
            ],
        },
    ],
    "cleanup_policies": [
        {"key": "some", **POLICY, "criteria": {**SELECTED, "repositories": ["libs", "mirror", "gone"]}},
        {"key": "none", **POLICY, "criteria": {**SELECTED, "repositories": ["gone"]}},
        {"key": "hidden", **POLICY, "project": "gone", "criteria": {**SELECTED, "repositories": ["libs"]}},
        {"key": "mixed", **POLICY, "criteria": {**SELECTED, "repositories": ["**"], "keep_last_versions": 1}},
    ],
    "keypairs": [
        {"name": "masked", "type": "rsa", "alias": "", "public_key": "MASKED_SECRET", "fingerprint": None},
        {"name": "odd", "type": "odd", "alias": "", "public_key": rsa_pair().public, "fingerprint": None},
        {"name": "good", "type": "rsa", "alias": "", "public_key": rsa_pair().public, "fingerprint": None},
    ],
    "certificates": [
        {"alias": "unknown", "issued_to": None, "issued_by": None, "issued_on": None, "fingerprint": None}
    ],
    "trusted_keys": [
        {"alias": "hidden", "key": "", "kid": "1"},
        {"alias": "good", "key": gpg_pair().public, "kid": "2"},
    ],
    "environments": ["DEV", "PROD"],
    "projects": [{"key": "web", "display_name": "Web", **SETTINGS}, {"key": "new", "display_name": "New", **SETTINGS}],
    "project_parts": {
        "roles": {"web": [{"name": "r", "description": "", "environments": ["DEV", "gone"], "actions": ["FLY"]}]},
        "members": {
            "web": [
                {"user": "ann", "roles": ["Application Admin"]},
                {"group": "team", "roles": ["Application Admin", "r"]},
            ]
        },
    },
    "sharing": {
        "libs": {"projects": ["gone", "new"], "all_projects": False, "read_only": False},
        "old": {"projects": ["new"], "all_projects": False, "read_only": False},
    },
    "replications": [
        {
            "repo": "libs",
            "type": "push",
            "cron": None,
            "event_replication": None,
            "targets": [{"url": "https://other.example/libs", "username": "", "proxy": "gone", "enabled": True}],
        },
        {"repo": "mirror", "type": "pull", "cron": "0 0 3 * * ?", "event_replication": False, "enabled": True},
        {"repo": "old", "type": "pull", "cron": "0 0 3 * * ?", "event_replication": False, "enabled": True},
    ],
    "configuration": {
        "newSection": {"enabled": True},
        "backups": {"weekly": {"cronExp": "0 0 2 ? * SUN", "excludedRepositories": ["libs", "old"], "new": 1}},
        "security": {"ldapSettings": {"corporate": {"search": {"searchFilter": "uid={0}", "managerDn": "cn=x"}}}},
        "mailServer": {"host": "mail.example", "username": "mailer"},
        "proxies": {"open": {"host": "proxy.example", "port": 3128}},
    },
}

# What is kept of some lists, and the field with its name
KEPT = {
    **dict.fromkeys(("saml_settings", "oidc_providers", "keypairs"), "name"),
    "cleanup_policies": "key",
    "certificates": "alias",
    "trusted_keys": "alias",
}


@pytest.mark.parametrize("added", [{}, INCOMPLETE])
def test_sandbox_starts_when_artifactory_lists_are_missing_or_incomplete(tmp_path: Path, added: dict[str, Any]) -> None:
    folder = tmp_path / "artifact"
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps({**OLD_MANIFEST, **added}))
    with client.start(seed=tmp_path) as sandbox:
        state = sandbox.state()["artifact"]
        session = Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])
        members = {kind: session.get(f"/access/api/v1/projects/web/{kind}").json() for kind in ("users", "groups")}
        configuration = session.get("/artifactory/api/system/configuration").text
        exported = sandbox.export_seed()["seed"]["artifact"]
    assert state["repositories"]["total"] == 2
    assert state["projects"]["total"] == len(added.get("projects", ()))
    if not added:
        return
    assert {name: [entry[field] for entry in exported[name]] for name, field in KEPT.items()} == {
        "saml_settings": ["new"],
        "oidc_providers": ["some", "unread"],
        "cleanup_policies": ["some"],
        "keypairs": ["good"],
        "certificates": ["unknown"],
        "trusted_keys": ["good"],
    }
    assert [mapping["name"] for mapping in exported["oidc_providers"][0]["identity_mappings"]] == ["good"]
    assert exported["cleanup_policies"][0]["searchCriteria"]["repos"] == ["libs"]
    assert exported["edition"] == "enterprise"
    assert [row["repository"] for row in state["replications"]["rows"]] == ["libs", "mirror"]
    assert members == {"users": {"members": []}, "groups": {"members": [{"name": "team", "roles": ["r"]}]}}
    assert configuration.count("<password>") == configuration.count("<managerPassword>") == 1
    for text in ("<ldapUrl>unknown</ldapUrl>", "<repositoryRef>libs</repositoryRef>"):
        assert text in configuration
    assert "<repositoryRef>old</repositoryRef>" not in configuration


def list_builds_and_issues(sandbox: Sandbox, project: str) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the names of the builds of a project, and the ids and states of its issues."""
    _host, _port, user, token = Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().split()[0].split(";")
    form = {"project": project, "user": user, "ltoken": token}

    def request(**fields: str) -> list[dict[str, Any]]:
        url = f"{sandbox.environment['KLOCWORK_URL']}/review/api"
        return list(map(json.loads, requests.post(url, {**form, **fields}, timeout=60).text.splitlines()))

    issues = request(action="search", query="grouping:off state:New,Existing,Fixed")
    return [build["name"] for build in request(action="builds")], [(issue["id"], issue["state"]) for issue in issues]


@pytest.mark.parametrize(("text", "problem"), [("{", "is not JSON: "), ('{"format": 2}', "does not have format 1")])
def test_start_fails_when_the_directory_is_not_a_snapshot(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(SeedError, match=rf"^{tmp_path}/manifest\.json {problem}"):
        SnapshotDirectory(tmp_path)


def test_jenkins_from_a_snapshot_is_declared_like_the_server(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.seed({"ci": world(1)["ci"]})
    first, second = tmp_path / "first", tmp_path / "second"
    output, good = take_snapshot(sandbox, first, "--limit", "jenkins")
    assert good, output
    with client.start(seed=first) as rehearsal:
        output, good = take_snapshot(rehearsal, second, "--limit", "jenkins")
    assert good, output
    assert not [file for file in first.glob("*/*") if SECRET in file.read_text()]
    expected, actual = load_lists(first, sandbox), load_lists(second, rehearsal)
    for name in expected["ci"]:
        assert actual["ci"][name] == expected["ci"][name]
    assert actual["jobs"] == expected["jobs"]
    check_controller(expected["ci"], {job["name"]: job["config"] for job in expected["jobs"]})


def check_controller(ci: dict[str, Any], configurations: dict[str, str]) -> None:
    """Check that the snapshot contains the settings of the world with number 1."""
    assert [node["name"] for node in ci["nodes"]] == ["built-in", "agent 1", SPECIAL_NAMES[2]]
    assert "<string>MASKED_SECRET</string>" in ci["nodes"][2]["config"]
    assert [view["name"] for view in ci["views"]] == ["all", "outer", "releases"]
    assert [len(ci[name]) for name in ("credentials", "credential_domains", "users")] == [7, 1, 5]
    assert [resource["name"] for resource in ci["lockable_resources"]] == ["printer-1", SPECIAL_NAMES[1]]
    assert ci["configuration"]["jenkins"]["systemMessage"].startswith("^${HOME} Ünï")
    assert {entry["user"]["name"] for entry in ci["authorization"]["globalMatrix"]["entries"]} >= {"admin", "user-1"}
    assert [approval["kind"] for approval in ci["script_approvals"]] == [
        "restricted",
        "signature",
        "signature",
        "script",
    ]
    for text in ("token team", "<id>inner</id>", "<secret>(encrypted)</secret>"):
        assert text in configurations["team 1"]
    for text in ("<credentialsId>deploy-token<", "<authToken>(encrypted)<", "SonarRunnerBuilder", "MASKED_SECRET"):
        assert text in configurations["team 1/configured"]


def test_lists_of_missing_plugins_are_skipped(sandbox: Sandbox, tmp_path: Path) -> None:
    names = ("credentials", "configuration-as-code", "script-security", "lockable-resources")
    sandbox.seed({"ci": {"plugins": [{"name": name, "version": "1", "active": False} for name in names]}})
    sandbox.switch("ci", security_realm="hudson.security.LDAPSecurityRealm")
    output, good = take_snapshot(sandbox, tmp_path / "first", "--limit", "jenkins")
    assert good, output
    reasons = {each["list"]: each["reason"] for each in load_lists(tmp_path / "first", sandbox)["ci"]["skipped_lists"]}
    assert list(reasons) == ["credentials", "users", "configuration", "script_approvals", "lockable_resources"]
    assert "Jenkins plugin 'credentials', which is not active" in reasons["credentials"]
    assert "Jenkins does not use its own user database" in reasons["users"]
    with client.start(seed=tmp_path / "first") as rehearsal:
        assert rehearsal.environment["JENKINS_USER_ID"] == "snapshot-admin"
        output, good = take_snapshot(rehearsal, tmp_path / "second", "--limit", "jenkins")
    assert good, output


ROLES = {
    "roleBased": {
        "roles": {
            "global": [
                {"name": "admin", "permissions": ["Overall/Administer"], "entries": [{"user": "admin"}]},
                {
                    "name": "auditor",
                    "permissions": ["Job/Read", "Overall/Read", "Overall/SystemRead"],
                    "entries": [{"user": "auditor"}],
                },
            ],
            "items": [{"name": "team", "pattern": "team/.*", "permissions": ["Job/Build"]}],
        }
    }
}


def test_sandbox_has_another_administrator_when_the_account_may_not_read_the_users(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    auditor = {"name": "auditor", "password": SECRET, "tokens": ["11aud1t000sandbox00audit00token005"]}
    plugins = [{"name": "role-strategy", "version": "9.1"}]
    sandbox.seed({"ci": {"plugins": plugins, "users": [auditor], "authorization": ROLES}})
    login = {"url": sandbox.environment["JENKINS_URL"], "username": "auditor", "api_token": auditor["tokens"][0]}
    account = {f"toolchain_ci_{name}": value for name, value in login.items()}
    first, second = tmp_path / "first", tmp_path / "second"
    inventory = tmp_path / "hosts.ini"
    inventory.write_text("[ci]\njenkins\n")
    values = json.dumps({"snapshot_folder": str(first), **account})
    output, good = run_ansible(["buildworks.toolchain.snapshot", "-i", inventory, "-e", values], sandbox)
    assert good, output
    expected = load_lists(first, sandbox)["ci"]
    assert "users" in [skipped["list"] for skipped in expected["skipped_lists"]]
    with client.start(seed=first) as rehearsal:
        output, good = take_snapshot(rehearsal, second, "--limit", "jenkins")
    assert good, output
    actual = load_lists(second, rehearsal)["ci"]
    assert [user["name"] for user in actual["users"]] == ["snapshot-admin"]
    roles = actual["authorization"]["roleBased"]["roles"]
    added = {"name": "snapshot-admin", "pattern": ".*", "permissions": ["Overall/Administer"]}
    assert roles["global"].pop() == {**added, "entries": [{"user": "snapshot-admin"}]}
    assert roles == expected["authorization"]["roleBased"]["roles"]


def test_objects_with_unusual_names_are_skipped(sandbox: Sandbox, tmp_path: Path) -> None:
    login, kinds = ("admin", "sandbox-admin"), ("users", "groups", "permissions")
    extra = {"users": {}, "groups": {}, "permissions": {"resources": {}}}
    sandbox.seed(
        {"artifact": {kind: [{"name": name, **extra[kind]} for name in ("a+b", "..", "50%")] for kind in kinds}}
    )
    sandbox.switch("artifact", version="7.40.1")
    for name in ("team\\app", " blank", "..", "a+b%#;", "plain"):
        record = {"name": name, "number": "1", "started": "2024-05-01T00:00:00.000+0000"}
        requests.put(f"{sandbox.url}/artifactory/api/build", json=record, auth=login, timeout=60).raise_for_status()
    folder = tmp_path / "snapshot"
    account = {"toolchain_artifact_username": login[0], "toolchain_artifact_password": login[1]}
    output, good = take_snapshot(sandbox, folder, "--limit", "repo", toolchain_artifact_url=sandbox.url, **account)
    assert good, output
    lists = load_lists(folder, sandbox)["artifact"]
    skipped = {entry["list"] for entry in lists["skipped_lists"]}
    assert {"runs-team\\app", "runs- blank", "runs-.."} <= skipped
    assert not skipped & {"runs-plain", "runs-a+b%#;", *kinds}
    for kind in kinds:
        assert {name for name in skipped if name.startswith(f"{kind}-")} == {f"{kind}-a+b", f"{kind}-.."}
        assert "50%" in [entry["name"] for entry in lists[kind]]
        assert f"Warning: the snapshot lacks {kind}-a+b, so" in " ".join(output.split())
