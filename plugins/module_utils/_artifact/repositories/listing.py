# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repositories in the form of the options of artifact_repository, and their configurations without secrets."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import (
    configurations,
    members,
    queries,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_FILTERS = {"type": "repoType", "package_type": "packageType"}
_LIST_FILTERS = {"type": "type", "package_type": "packageType", "project": "project"}
_SECRET = "password"


def find_repository(artifact: ArtifactService, key: str) -> list[Fields]:
    """Return a list with a repository and, as far as the account can read it, its configuration, or an empty list."""
    found = queries.find_repository(artifact, key)
    return [found] if found else []


def list_repositories(artifact: ArtifactService, filters: Fields) -> list[Fields]:
    """Return the repositories that are visible to the account, without configurations.

    :arg filters: `type`, `package_type` and `project`
    :raises BadOption: if the server ignores a filter
    """
    editions.check_options(artifact, features.REPOSITORY_FILTERS, filters)
    return queries.list_repositories(artifact, **_rename(filters, _LIST_FILTERS))


def list_with_configurations(task: Task, artifact: ArtifactService, filters: Fields) -> list[Fields]:
    """Return the repositories with their configurations, with one request if the server supports this.

    :arg filters: `type`, `package_type` and `project`
    """
    records = configurations.list_configurations(artifact, **_rename(filters, _FILTERS))
    if records is None:
        keys = [entry["key"] for entry in list_repositories(artifact, filters)]
        found = read_concurrently(task, keys, lambda reader, key: queries.find_repository(ArtifactService(reader), key))
        return [found[key] for key in keys if key in found]
    project = filters.get("project")
    selected = [record for record in records if project is None or record.maybe_text("projectKey") == project]
    return sorted(map(queries.from_record, selected), key=lambda repository: t.cast("str", repository["key"]))


def to_options(artifact: ArtifactService, repository: Fields) -> Fields:
    """Return a repository in the form of the options, as far as the account can read its configuration."""
    record = repository["settings"]
    if isinstance(record, Record) and not configurations.is_partial(record):
        own_url = configurations.own_url(artifact, repository["key"])
        return members.to_result(members.read_fields(record, own_url))
    options = {name: repository[name] for name in ("key", "type", "package_type", "description")}
    return {**options, "url": repository["url"]} if repository["type"] == "remote" else options


def strip_secrets(record: Record | None) -> Fields | None:
    """Return a configuration without password and values of sensitive headers."""
    if record is None:
        return None
    stripped = {name: value for name, value in record.items() if name != _SECRET}
    if isinstance(headers := stripped.get("customHttpHeaders"), list):
        stripped["customHttpHeaders"] = [_strip_header(header) for header in headers]
    return stripped


def _strip_header(header: t.Any) -> t.Any:
    is_secret = isinstance(header, dict) and header.get("sensitive") is not False
    return {name: value for name, value in header.items() if name != "value"} if is_secret else header


def _rename(filters: Fields, names: dict[str, str]) -> dict[str, str]:
    return {names[name]: value for name, value in filters.items() if name in names}
