# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments, projects, replications, configuration and webhooks of seeds."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sandbox import client
from sandbox.client import Sandbox
from support.session import Session

TARGET = {"url": "https://other.example/artifactory/libs", "username": "replicator", "password": "s3cret"}
SEED: dict[str, Any] = {
    "groups": [{"name": "web-team"}],
    "users": [{"name": "ann"}],
    "repositories": [
        {
            "key": "web-{n}",
            "count": 2,
            "rclass": "local",
            "projectKey": "web",
            "environments": ["web-qa"],
            "shared_with_projects": ["api"],
            "shared_read_only": True,
        },
        {"key": "common", "rclass": "local", "shared_with_all_projects": True},
        {"key": "mirror", "rclass": "remote", "url": "https://up.example", "username": "me", "password": "s3cret"},
    ],
    "environments": ["QA"],
    "projects": [
        {
            "project_key": "web",
            "display_name": "Web",
            "storage_quota_bytes": 2**40,
            "admin_privileges": {"index_resources": False},
            "environments": ["web-qa"],
            "roles": [{"name": "deployer", "environments": ["QA", "web-qa"], "actions": ["READ_REPOSITORY"]}],
            "users": [{"name": "ann", "roles": ["deployer", "Viewer"]}],
            "groups": [{"name": "web-team", "roles": ["Developer"]}],
        },
        {"project_key": "api", "display_name": "Interfaces"},
    ],
    "configuration": {
        "backups": {"weekly": {"cronExp": "0 0 2 ? * SUN", "excludedRepositories": ["common"]}},
        "proxies": {"corporate": {"host": "proxy.example", "port": 3128, "username": "art", "password": "s3cret"}},
        "trashcanConfig": {"enabled": False},
    },
    "replications": [
        {"repoKey": "common", "cronExp": "0 0 2 * * ?", "enabled": True, "proxy": "corporate", **TARGET},
        {"repoKey": "mirror", "cronExp": "0 0 3 * * ?"},
    ],
    "webhooks": [
        {
            "key": "ci",
            "event_filter": {"domain": "artifact", "event_types": ["deployed"]},
            "handlers": [
                {"handler_type": "webhook", "url": "http://10.0.0.1/hook", "secret": "s3cret", "proxy": "corporate"}
            ],
        }
    ],
}


def test_administration_of_a_seed_is_returned(sandbox: Sandbox, artifactory: Session) -> None:
    sandbox.switch("artifact", version="7.111.4")
    platform = Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])
    for _run in range(2):  # objects with existing names are replaced
        sandbox.seed({"artifact": SEED})
    assert [entry["name"] for entry in platform.get("/access/api/v1/environments").json()] == ["DEV", "PROD", "QA"]
    web, api = (platform.get(f"/access/api/v1/projects/{key}").json() for key in ("web", "api"))
    assert (web["storage_quota_bytes"], web["admin_privileges"]["index_resources"]) == (2**40, False)
    assert api["storage_quota_bytes"] == -1
    roles = platform.get("/access/api/v1/projects/web/roles").json()
    assert [role["name"] for role in roles if role["type"] == "CUSTOM"] == ["deployer"]
    members = {
        kind: platform.get(f"/access/api/v1/projects/web/{kind}").json()["members"] for kind in ("users", "groups")
    }
    assert members == {
        "users": [{"name": "ann", "roles": ["Viewer", "deployer"]}],
        "groups": [{"name": "web-team", "roles": ["Developer"]}],
    }
    sharing = platform.get("/access/api/v1/projects/_/repositories/web-1").json()
    assert (sharing["assigned_to"], sharing["shared_with_projects"], sharing["shared_read_only"]) == (
        "web",
        ["api"],
        True,
    )
    assert platform.get("/access/api/v1/projects/_/repositories/common").json()["shared_with_all_projects"] is True
    push, pull = artifactory.get("/api/replications").json()
    assert (push["proxyRef"], push["socketTimeoutMillis"], pull["replicationType"]) == ("corporate", 15000, "PULL")
    configuration = artifactory.get("/api/system/configuration").text
    assert "<key>weekly</key>" in configuration and "backup-daily" not in configuration
    assert sandbox.switches()["artifact"]["trashcan"] is False
    [webhook] = platform.get("/event/api/v1/subscriptions").json()
    assert (webhook["enabled"], webhook["handlers"][0]["secret"]) == (True, "********")
    assert "s3cret" not in str([push, pull, configuration, webhook])


def test_state_shows_the_administration_without_secrets(sandbox: Sandbox) -> None:
    sandbox.seed({"artifact": SEED})
    tables = {name: sandbox.state()["artifact"][name]["rows"] for name in ("projects", "replications", "webhooks")}
    assert tables == {
        "projects": [
            {"key": "api", "display_name": "Interfaces", "members": 0, "repositories": 0},
            {"key": "web", "display_name": "Web", "members": 2, "repositories": 2},
        ],
        "replications": [
            {"repository": "common", "type": "push", "enabled": "yes", "schedule": "0 0 2 * * ?"},
            {"repository": "mirror", "type": "pull", "enabled": "no", "schedule": "0 0 3 * * ?"},
        ],
        "webhooks": [{"key": "ci", "enabled": "yes", "domain": "artifact", "handlers": 1}],
    }


def change(kind: str, place: int, **fields: Any) -> dict[str, Any]:
    """Return the seed with other fields of an object."""
    changed = copy.deepcopy(SEED)
    changed[kind][place].update(fields)
    return changed


def configure(**sections: Any) -> dict[str, Any]:
    """Return the seed with other sections of the configuration."""
    return {**SEED, "configuration": {**SEED["configuration"], **sections}}


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        ({"environments": "QA"}, r"seed\.artifact\.environments must be a list"),
        ({"environments": ["a b"]}, r"environments, a b: Environment name must have 2 to 32"),
        (change("projects", 0, quota=1), r"seed\.artifact\.projects\[0\]\.quota is unknown"),
        (change("projects", 0, project_key="Web"), r"projects, Web: Project key must have"),
        (change("projects", 0, display_name="Interfaces", project_key="api"), r"projects, api: Environment name must"),
        (change("projects", 1, display_name="Web"), r"projects, api: Project with display name 'Web' already exists"),
        (change("projects", 0, environments=["qa"]), r"projects, web: Environment name must start with 'web-'"),
        (change("projects", 0, roles=[{"name": "r", "actions": ["FLY"]}]), r"projects, web: Action FLY is not valid"),
        (change("projects", 0, users=[{"name": "bob", "roles": ["Viewer"]}]), r"projects, web: User bob not found"),
        (change("projects", 0, groups=[{"name": "web-team", "roles": ["x"]}]), r"projects, web: Role x does not exist"),
        (change("repositories", 0, shared_with_projects=["no"]), r"repositories, web-0: The project 'no' in"),
        (configure(mail={}), r"seed\.artifact\.configuration\.mail is unknown"),
        (configure(revision=7), r"seed\.artifact\.configuration\.revision is unknown"),
        (configure(mailServer={"hots": "x"}), r"configuration\.mailServer\.hots is unknown, missing"),
        (configure(proxies={"p": {"port": 1}}), r"configuration\.proxies\.p\.host is unknown, missing"),
        (
            configure(indexer={"cronExp": "x", "includedRepositories": ["no"]}),
            r"configuration: the repository 'no' does",
        ),
        (change("replications", 0, repoKey="no"), r"replications, no: Could not find repository"),
        (change("replications", 0, cronExp="daily"), r"replications, common: Invalid cronExp"),
        (change("replications", 0, proxy="no"), r"replications, common: Could not find proxy"),
        (change("webhooks", 0, handlers=[]), r"webhooks, ci: Invalid subscription: handlers must have at least one"),
    ],
)
def test_seed_is_refused_when_the_server_would_refuse_it(
    sandbox: Sandbox, seed: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(client.SandboxError, match=complaint):
        sandbox.seed({"artifact": seed})
    assert sandbox.switches()["artifact"]["trashcan"] is True
    assert sandbox.state()["artifact"]["projects"]["total"] == 0
