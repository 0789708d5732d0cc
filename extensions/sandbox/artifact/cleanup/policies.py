# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean-up policies for packages: storage, defaults and validation. The sandbox does not run them."""

from __future__ import annotations

import json
import re
from typing import Any

from ...parsing.cron import is_cron_expression
from ..protocol.errors import ArtifactError
from ..state import State

SCHEMA = """
CREATE TABLE artifact_cleanup_policies (key TEXT PRIMARY KEY, policy TEXT NOT NULL);
"""
KEY = re.compile(r"[A-Za-z0-9_-]{3,}")
MAX_DESCRIPTION_LENGTH = 256
LISTS = ("packageTypes", "repos", "excludedRepos", "includedPackages", "excludedPackages", "includedProjects")
REQUIRED_LISTS = ("packageTypes", "repos", "includedPackages")
PROPERTIES = ("includedProperties", "excludedProperties")
# Criteria that responses contain only if they were sent, as JFrog's provider expects.
OPTIONAL = ("excludedRepos", "excludedPackages", *PROPERTIES)
DAYS = ("createdBeforeInDays", "lastDownloadedBeforeInDays")
MONTHS = ("createdBeforeInMonths", "lastDownloadedBeforeInMonths")
VERSIONS = "keepLastNVersions"
# Criteria that exclude each other
CONDITIONS = (DAYS, MONTHS, (VERSIONS,))
SEED_FIELDS = ("description", "cronExp", "durationInMinutes", "enabled", "skipTrashcan", "projectKey")


def list_policies(state: State) -> list[dict[str, Any]]:
    """Return all policies, sorted by key."""
    rows = state.runtime.db.execute("SELECT policy FROM artifact_cleanup_policies ORDER BY key")
    return [json.loads(row["policy"]) for row in rows]


def find_policy(state: State, key: str) -> dict[str, Any] | None:
    """Return a policy, or null if it does not exist."""
    row = state.runtime.db.execute("SELECT policy FROM artifact_cleanup_policies WHERE key = ?", (key,)).fetchone()
    return None if row is None else json.loads(row["policy"])


def save_policy(state: State, policy: dict[str, Any]) -> None:
    """Create or replace a policy."""
    state.runtime.db.execute(
        "INSERT OR REPLACE INTO artifact_cleanup_policies (key, policy) VALUES (?, ?)",
        (policy["key"], json.dumps(policy)),
    )


def delete_policy(state: State, key: str) -> None:
    """Delete a policy."""
    state.runtime.db.execute("DELETE FROM artifact_cleanup_policies WHERE key = ?", (key,))


def build_policy(body: dict[str, Any], existing: State | None) -> dict[str, Any]:
    """Return the policy in a request body with all defaults.

    :arg existing: state in which the project and the repositories must exist; null if this is not checked
    :raises ArtifactError: if the server would refuse it
    """
    key, project = body.get("key"), body.get("projectKey")
    if not isinstance(key, str) or not KEY.fullmatch(key):
        raise _refusal("key must have at least 3 letters, digits, hyphens and underscores")
    description, cron, duration = (body.get(name) for name in ("description", "cronExp", "durationInMinutes"))
    if description is not None and (not isinstance(description, str) or len(description) > MAX_DESCRIPTION_LENGTH):
        raise _refusal(f"description must have at most {MAX_DESCRIPTION_LENGTH} characters")
    if cron and (not isinstance(cron, str) or not is_cron_expression(cron)):
        raise _refusal("cronExp is not a valid cron expression")
    if duration is not None and duration != 0 and not _is_count(duration):
        raise _refusal("durationInMinutes must not be a negative number")
    if project and existing is not None and existing.projects.find(project) is None:
        raise _refusal(f"project {project} does not exist")
    return {
        "key": key,
        "description": description or "",
        "cronExp": cron or "",
        "durationInMinutes": duration,
        "enabled": body.get("enabled") is True,
        "skipTrashcan": body.get("skipTrashcan") is True,
        **({"projectKey": project} if project else {}),
        "searchCriteria": _build_criteria(body.get("searchCriteria"), existing),
    }


def _build_criteria(criteria: Any, existing: State | None) -> dict[str, Any]:
    if not isinstance(criteria, dict):
        raise _refusal("searchCriteria is required")
    _check_types(criteria)
    for name in REQUIRED_LISTS:
        if not criteria.get(name):
            raise _refusal(f"searchCriteria.{name} is required")
    conditions = [[name for name in names if criteria.get(name) is not None] for names in CONDITIONS]
    if len(used := [names[0] for names in conditions if names]) > 1:
        raise _refusal(f"searchCriteria.{used[0]} and searchCriteria.{used[1]} are mutually exclusive")
    if existing is not None:
        _check_repositories(existing, criteria["repos"])
    return {
        **{name: criteria.get(name) or [] for name in LISTS if name not in OPTIONAL},
        "includeAllProjects": criteria.get("includeAllProjects") is True,
        **{name: criteria[name] for names in conditions for name in names},
        **{name: criteria[name] for name in OPTIONAL if criteria.get(name) is not None},
    }


def _check_types(criteria: dict[str, Any]) -> None:
    for name in LISTS:
        if not _is_list_of_texts(criteria.get(name) or []):
            raise _refusal(f"searchCriteria.{name} must be a list of texts")
    for name in (*DAYS, *MONTHS, VERSIONS):
        if criteria.get(name) is not None and not _is_count(criteria[name]):
            raise _refusal(f"searchCriteria.{name} must be a positive number")
    for name in PROPERTIES:
        properties = criteria.get(name) or {}
        if not isinstance(properties, dict) or not all(map(_is_list_of_texts, properties.values())):
            raise _refusal(f"searchCriteria.{name} must be an object of lists")


def _check_repositories(state: State, names: list[str]) -> None:
    """Fail if a repository does not exist or does not store packages itself. Names can be patterns."""
    for name in names:
        repository = state.repositories.find(name)
        if "*" not in name and (repository is None or repository.rclass not in ("local", "federated")):
            raise _refusal(f"repository {name} is not an existing local or federated repository")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _refusal(problem: str) -> ArtifactError:
    return ArtifactError(400, f"Invalid policy: {problem}")
