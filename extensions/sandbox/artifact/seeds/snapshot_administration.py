# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of projects, replications, webhooks, clean-up policies and the configuration of a snapshot into seeds.

References to objects that the snapshot does not contain, and what the sandbox does not know, are left out.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...seeds.snapshot import SnapshotDirectory
from ..cleanup import policies
from ..projects.role_api import ACTIONS, PREDEFINED
from ..projects.store import BUILT_IN_ENVIRONMENTS
from ..protocol.errors import ArtifactError
from ..system.configuration.schema import SECTIONS, Keyed, Text, TextList
from ..webhooks.subscriptions import EVENT_TYPES

UNKNOWN = "unknown"
UNKNOWN_CRON = "0 0 0 * * ?"
_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")
# Members of the configuration that name the account of a secret.
_ACCOUNTS = ("username", "userName", "managerDn", "id")
_REPLICATION_FIELDS = {"cron": "cronExp", "event_replication": "enableEventReplication"}
_HANDLERS = {"webhook": "webhook", "custom_webhook": "custom-webhook"}
_CRITERIA_FIELDS = {
    "repositories": "repoKeys",
    "builds": "selectedBuilds",
    "release_bundles": "registeredReleaseBundlesNames",
    "release_bundles_v2": "selectedReleaseBundles",
    "environments": "selectedEnvironments",
}
_POLICY_FIELDS = {"cron": "cronExp", "project": "projectKey"}
_SELECTION_FIELDS = {
    "repositories": "repos",
    "excluded_repositories": "excludedRepos",
    "created_before_days": "createdBeforeInDays",
    "created_before_months": "createdBeforeInMonths",
    "last_downloaded_before_days": "lastDownloadedBeforeInDays",
    "last_downloaded_before_months": "lastDownloadedBeforeInMonths",
    "keep_last_versions": "keepLastNVersions",
}


def list_environments(snapshot: SnapshotDirectory) -> list[str]:
    """Return the global environments that are not built in."""
    return [name for name in snapshot.manifest.get("environments", ()) if name not in BUILT_IN_ENVIRONMENTS]


def iterate_projects(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the projects."""
    parts = snapshot.manifest.get("project_parts", {})
    for project in snapshot.manifest.get("projects", ()):
        own = {name: parts.get(name, {}).get(project["key"]) or [] for name in ("environments", "roles", "members")}
        known = {*snapshot.manifest["environments"], *BUILT_IN_ENVIRONMENTS, *own["environments"]}
        roles = [_convert_role(role, known) for role in own["roles"]]
        role_names = {*PREDEFINED, *(role["name"] for role in roles)}
        members = [_keep_known(member, "roles", role_names) for member in own["members"]]
        settings = {name: value for name, value in project.items() if name not in (*own, "key", "repositories")}
        quota = _parse_size(settings.pop("storage_quota"))
        yield {
            **settings,
            "project_key": project["key"],
            "storage_quota_bytes": quota,
            "environments": own["environments"],
            "roles": roles,
            **{f"{kind}s": list(_select_members(members, kind)) for kind in ("user", "group")},
        }


def list_member_names(snapshot: SnapshotDirectory, kind: str) -> set[str]:
    """Return the users or groups that are members of projects; `kind` is `user` or `group`."""
    lists = snapshot.manifest.get("project_parts", {}).get("members", {}).values()
    return {member[kind] for members in lists for member in members or () if kind in member}


def iterate_replications(snapshot: SnapshotDirectory, repositories: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the replications of repositories."""
    proxies = snapshot.manifest.get("configuration", {}).get("proxies", {})
    for replication in snapshot.manifest.get("replications", ()):
        repo = replication["repo"]
        if repo not in repositories:
            continue
        common = {"repoKey": repo, **_convert_replication({"cron": UNKNOWN_CRON, **_drop_null(replication)})}
        if replication["type"] == "pull":
            yield common
        for target in replication.get("targets", ()):
            yield {
                **common,
                **_convert_replication(target),
                "username": target["username"] or UNKNOWN,
                "password": snapshot.derive_secret(f"artifact replication {repo} {target['url']}"),
                "proxy": target["proxy"] if target["proxy"] in proxies else "",
            }


def iterate_webhooks(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the webhooks with domains that the sandbox knows. They have derived secrets."""
    proxies = snapshot.manifest.get("configuration", {}).get("proxies", {})
    for webhook in snapshot.manifest.get("webhooks", ()):
        event_types = [name for name in webhook["event_types"] if name in EVENT_TYPES.get(webhook["domain"], ())]
        if not event_types or webhook["handler"] not in _HANDLERS:
            continue
        criteria = _rename(webhook["criteria"], _CRITERIA_FIELDS)
        yield {
            "key": webhook["key"],
            "description": webhook["description"],
            "enabled": webhook["enabled"],
            "project_key": webhook["project"],
            "event_filter": {"domain": webhook["domain"], "event_types": event_types, "criteria": criteria},
            "handlers": [_convert_handler(snapshot, webhook, proxies)],
        }


def iterate_cleanup_policies(snapshot: SnapshotDirectory, repositories: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the clean-up policies, without those of projects that the snapshot does not contain.

    :arg repositories: keys of the local and federated repositories
    """
    projects = {"", *(project["key"] for project in snapshot.manifest.get("projects", ()))}
    for policy in snapshot.manifest.get("cleanup_policies", ()):
        criteria = _drop_unset(_rename(policy["criteria"], _SELECTION_FIELDS))
        known = [name for name in criteria.get("repos", ()) if "*" in name or name in repositories]
        fields = _rename({name: value for name, value in policy.items() if name != "criteria"}, _POLICY_FIELDS)
        if policy["project"] in projects:
            with contextlib.suppress(ArtifactError):
                seed = {**_drop_unset(fields), "searchCriteria": {**criteria, "repos": known}}
                policies.build_policy(seed, None)
                yield seed


def list_pull_replications(snapshot: SnapshotDirectory) -> set[str]:
    """Return the keys of the remote repositories that are replicated. They have a user name."""
    replications = snapshot.manifest.get("replications", ())
    return {replication["repo"] for replication in replications if replication["type"] == "pull"}


def convert_configuration(snapshot: SnapshotDirectory, repositories: Collection[str]) -> dict[str, Any]:
    """Return the sections of the configuration. Each account has a derived secret."""
    sections = snapshot.manifest.get("configuration", {})
    return {
        name: _convert_value(snapshot, repositories, SECTIONS[name], value, name)
        for name, value in sections.items()
        if SECTIONS.get(name) is not None
    }


def _convert_value(snapshot: SnapshotDirectory, repositories: Collection[str], kind: Any, value: Any, path: str) -> Any:
    if isinstance(kind, TextList):
        return [key for key in value if key in repositories]
    if isinstance(kind, Keyed):
        members = ((key, kind.members, inner) for key, inner in value.items())
    elif isinstance(kind, Mapping):
        members = ((name, kind[name], inner) for name, inner in value.items() if name in kind)
    else:
        return value
    converted = {
        name: _convert_value(snapshot, repositories, inner_kind, inner, f"{path} {name}")
        for name, inner_kind, inner in members
    }
    return (
        converted if isinstance(kind, Keyed) else {**_create_placeholders(snapshot, kind, converted, path), **converted}
    )


def _create_placeholders(
    snapshot: SnapshotDirectory, kinds: Mapping[str, Any], members: dict[str, Any], path: str
) -> dict[str, str]:
    """Return the members that the snapshot does not contain because they are secret, or have a secret in them."""
    texts = {name: kind for name, kind in kinds.items() if isinstance(kind, Text)}
    required = {name: UNKNOWN for name, kind in texts.items() if kind.is_required}
    has_account = any(members.get(name) for name in _ACCOUNTS)
    secrets = [name for name, kind in texts.items() if kind.is_secret and has_account]
    return {**required, **{name: snapshot.derive_secret(f"artifact {path} {name}") for name in secrets}}


def _convert_role(role: dict[str, Any], environments: Collection[str]) -> dict[str, Any]:
    return _keep_known(_keep_known(role, "environments", environments), "actions", ACTIONS)


def _keep_known(entry: dict[str, Any], name: str, known: Collection[str]) -> dict[str, Any]:
    return {**entry, name: [value for value in entry[name] if value in known]}


def _select_members(members: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    for member in members:
        if kind in member and member["roles"]:
            yield {"name": member[kind], "roles": member["roles"]}


def _convert_replication(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a replication by their names in the REST API."""
    members = {name: value for name, value in fields.items() if name not in ("repo", "type", "targets")}
    return _rename(members, _REPLICATION_FIELDS)


def _rename(fields: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return fields by their names in the REST API, which are in camel case unless `names` has others."""
    return {
        names.get(name) or re.sub("_([a-z])", lambda match: match[1].upper(), name): value
        for name, value in fields.items()
    }


def _convert_handler(snapshot: SnapshotDirectory, webhook: dict[str, Any], proxies: Collection[str]) -> dict[str, Any]:
    key = webhook["key"]
    headers = [
        {**header, "value": snapshot.derive_secret(f"artifact webhook {key} {header['name']}")}
        if header["value"] is None
        else header
        for header in webhook["headers"]
    ]
    common = {
        "handler_type": _HANDLERS[webhook["handler"]],
        "url": webhook["webhook_url"],
        "proxy": webhook["proxy"] if webhook["proxy"] in proxies else "",
    }
    if webhook["handler"] == "webhook":
        secret = snapshot.derive_secret(f"artifact webhook {key}")
        is_signing = webhook["use_secret_for_signing"]
        return {**common, "secret": secret, "use_secret_for_signing": is_signing, "custom_http_headers": headers}
    secrets = [
        {**entry, "value": snapshot.derive_secret(f"artifact webhook {key} secret {entry['name']}")}
        for entry in webhook["secrets"]
    ]
    more = {name: webhook[name] for name in ("method", "payload")}
    return {**common, **more, "http_headers": headers, "secrets": secrets}


def _drop_null(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _drop_unset(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value or value is False}


def _parse_size(text: str) -> int:
    """Return the bytes of a storage quota, -1 for `unlimited`."""
    if text == "unlimited":
        return -1
    number, unit = text.split()
    return int(number) * 1024 ** _UNITS.index(unit)
