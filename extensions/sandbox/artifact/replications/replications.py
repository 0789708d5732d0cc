# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replications: fields, defaults and checks."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from typing import Any
from urllib.parse import urlsplit

from ...parsing.cron import is_cron_expression
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..repositories.repositories import Repository
from ..state import State

COMMON_DEFAULTS: dict[str, Any] = {
    "enabled": False,
    "cronExp": None,
    "syncDeletes": False,
    "syncProperties": True,
    "enableEventReplication": False,
    "checkBinaryExistenceInFilestore": False,
}
PUSH_DEFAULTS: dict[str, Any] = {
    "url": None,
    "username": None,
    "password": None,
    "socketTimeoutMillis": 15000,
    "syncStatistics": False,
    "disableProxy": False,
    "proxy": "",
}
PATTERNS = {"includePathPrefixPattern": "", "excludePathPrefixPattern": ""}
PREFIX = {"pathPrefix": ""}
NO_REMOTE_USER = (
    "Pull replication requires non-anonymous authentication to the remote repository. Please make sure to fill the"
    " 'Username' and 'Password' fields in the 'Advanced Settings' tab or remove the fields for anonymous access"
)


def require_repository(state: State, key: str) -> Repository:
    """Return the repository, or fail if it does not exist or cannot be replicated."""
    repository = state.repositories.find(key)
    if repository is None:
        raise ArtifactError(400, "Could not find repository")
    if repository.rclass == "virtual":
        raise ArtifactError(400, "Invalid repository")
    return repository


def list_replications(state: State, repo: str) -> list[dict[str, Any]]:
    """Return the replications of a repository in the order of their creation."""
    rows = state.runtime.db.execute(
        "SELECT configuration FROM artifact_replications WHERE repo = ? ORDER BY id", (repo,)
    )
    return [json.loads(row["configuration"]) for row in rows]


def list_replicated_repositories(state: State) -> list[str]:
    """Return the keys of the repositories with replications, sorted."""
    rows = state.runtime.db.execute("SELECT DISTINCT repo FROM artifact_replications ORDER BY repo")
    return [row["repo"] for row in rows]


def save_replication(state: State, repo: str, replication: dict[str, Any]) -> None:
    """Create or replace a replication."""
    state.runtime.db.execute(
        "INSERT INTO artifact_replications (repo, url, configuration) VALUES (?, ?, ?)"
        " ON CONFLICT (repo, url) DO UPDATE SET configuration = excluded.configuration",
        (repo, replication.get("url") or "", json.dumps(replication)),
    )


def delete_replications(state: State, repo: str, url: str | None = None) -> None:
    """Delete the replications of a repository, or the one to a URL."""
    query = "DELETE FROM artifact_replications WHERE repo = ?"
    state.runtime.db.execute(query + ("" if url is None else " AND url = ?"), (repo, *([] if url is None else [url])))


def build_replication(
    state: State, repository: Repository, fields: dict[str, Any], previous: dict[str, Any] | None
) -> dict[str, Any]:
    """Return a replication with the fields of a request, and otherwise those of the previous one or the defaults."""
    is_pull = repository.rclass == "remote"
    patterns = PATTERNS if state.supports(feature_versions.REPLICATION_PATTERNS) else PREFIX
    defaults = {**COMMON_DEFAULTS, **patterns, **({} if is_pull else PUSH_DEFAULTS)}
    given = {name: fields[name] for name in defaults if fields.get(name) is not None}
    replication = {**defaults, **(previous or {}), **given}
    _check_schedule(replication)
    if is_pull:
        is_checked = not state.supports(feature_versions.ANONYMOUS_PULL_REPLICATION)
        if is_checked and not repository.configuration.get("username"):
            raise ArtifactError(401, NO_REMOTE_USER)
    else:
        _check_target(state, replication)
    return replication


def describe_replication(state: State, repo: str, replication: dict[str, Any]) -> dict[str, Any]:
    """Return a replication as in responses: with its key and type, and `proxyRef` instead of `proxy`."""
    shown = {name: value for name, value in replication.items() if name not in ("proxy", "password")}
    url = replication.get("url")
    if url is None:
        return {**shown, "repoKey": repo, "replicationKey": repo, "replicationType": "PULL"}
    if replication["proxy"]:
        shown["proxyRef"] = replication["proxy"]
    mode = state.get_switch("replication_passwords")
    if replication["password"] is not None and mode != "absent":
        # the encrypted text differs from response to response
        shown["password"] = replication["password"] if mode == "stored" else f"AM.{secrets.token_urlsafe(24)}"
    digest = hashlib.sha1(f"{repo} {url}".encode()).hexdigest()[:10]
    prefix = re.sub(r"\W", "_", url[:5])
    return {**shown, "repoKey": repo, "replicationKey": f"{repo}_{prefix}_{digest}", "replicationType": "PUSH"}


def _check_schedule(replication: dict[str, Any]) -> None:
    if not replication["cronExp"]:
        raise ArtifactError(400, "cronExp is required")
    if not isinstance(replication["cronExp"], str) or not is_cron_expression(replication["cronExp"]):
        raise ArtifactError(400, "Invalid cronExp")


def _check_target(state: State, replication: dict[str, Any]) -> None:
    url = replication["url"]
    if not url:
        raise ArtifactError(400, "url is required")
    parts = urlsplit(str(url))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ArtifactError(400, f"Invalid url [{url}]")
    if not replication["username"]:
        raise ArtifactError(400, "username is required")
    if replication["proxy"] and replication["proxy"] not in state.descriptor.list_names("proxies"):
        raise ArtifactError(400, "Could not find proxy")
