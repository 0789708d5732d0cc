# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations of repositories: one, or all with as few requests as the server allows."""

from __future__ import annotations

import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.members import (
    read_fields,
    read_package_type,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    is_not_found,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

ADDRESS = "/artifactory/api/repositories"
CONFIGURATIONS = f"{ADDRESS}/configurations"
_PRO_ONLY = "available only in Artifactory Pro"
# Members that accounts without administrator permissions get
_PUBLIC = frozenset(("key", "rclass", "packageType", "description", "url", "repositories"))


def address_of(key: str) -> str:
    """Return the address of a repository's configuration."""
    return ADDRESS + encode_path(key, option="key")


def find_configuration(artifact: ArtifactService, key: str) -> Fields | None:
    """Return the fields of a repository, or `None` if it does not exist.

    :raises ServerRefusal: if the account may not read it, or the edition does not support this
    :raises ToolchainError: if the account gets only a part of the configuration
    """
    try:
        record = artifact.http.read("GET", address_of(key)).record()
    except ServerRefusal as refusal:
        if is_missing(refusal):
            return None
        raise
    return _to_fields(artifact, record)


def list_configurations(artifact: ArtifactService, **filters: str) -> list[Record] | None:
    """Return the configurations of all repositories, or `None` if the server cannot list them.

    :arg filters: `repoType` and `packageType`
    """
    try:
        groups = artifact.http.read("GET", CONFIGURATIONS, query=filters).record()
    except ServerRefusal as refusal:
        # Versions before 7.61.3 look for a repository with the key 'configurations'
        if is_missing(refusal) or refusal.status in (404, 405):
            return None
        raise
    if "rclass" in groups:  # a repository with this key
        return None
    return [record for name in groups for record in groups.records(name)]


def read_each(task: Task, keys: t.Iterable[str]) -> dict[str, Fields]:
    """Return the fields of several repositories by key, with one request for each."""
    return read_concurrently(task, keys, lambda reader, key: find_configuration(ArtifactService(reader), key))


def is_missing(refusal: ServerRefusal) -> bool:
    """Return whether Artifactory reports that a repository does not exist: with 400, since 7.161 with 404."""
    is_bad_request = refusal.status == 400 and '"errors"' in refusal.text and _PRO_ONLY not in refusal.text
    return is_bad_request or is_not_found(refusal)


def is_partial(record: Record) -> bool:
    """Return whether a configuration has only the members that all accounts get."""
    return not record.keys() - _PUBLIC


def own_url(artifact: ArtifactService, key: str) -> str:
    """Return the URL of a repository."""
    return f"{artifact.http.base_url}/artifactory/{key}"


def _to_fields(artifact: ArtifactService, record: Record) -> Fields:
    if is_partial(record):
        raise ToolchainError(
            f"Cannot read the configuration of repository '{record.get('key')}': the account has no administrator "
            "permission, so Artifactory returns only a part of the configuration."
        )
    return read_fields(record, own_url(artifact, record.text("key")))


class Snapshot:
    """The repositories of a server at one time, shared by the items of a task.

    If the server cannot list configurations, only those of the declared repositories are read.

    :arg declared: keys of the repositories that the task declares
    :ivar is_complete: whether the snapshot has the configurations of all repositories
    :ivar types: class and package type of all repositories by key
    """

    def __init__(self, task: Task, artifact: ArtifactService, declared: t.Collection[str]) -> None:
        self._artifact = artifact
        self._lock = threading.Lock()
        self._fields: dict[str, Fields | None] = {}
        records = list_configurations(artifact)
        self.is_complete = records is not None
        self._records: dict[str, Record] = {record.text("key"): record for record in records or ()}
        if self.is_complete:
            self.types = {key: _type_of(record) for key, record in self._records.items()}
        else:
            entries = queries.list_repositories(artifact)
            self.types = {entry["key"]: (entry["type"], entry["package_type"]) for entry in entries}
            existing = [key for key in declared if key in self.types]
            self._fields = {**dict.fromkeys(declared), **read_each(task, existing)}

    def find(self, key: str) -> Fields | None:
        """Return the fields of a repository, or `None` if it does not exist."""
        with self._lock:
            if key not in self._fields:
                record = self._records.get(key)
                self._fields[key] = None if record is None else _to_fields(self._artifact, record)
            return self._fields[key]

    def members_by_virtual(self) -> dict[str, list[str]]:
        """Return the members of all virtual repositories by key."""
        return {
            key: record.maybe_texts("repositories")
            for key, record in self._records.items()
            if self.types[key][0] == "virtual"
        }


def _type_of(record: Record) -> tuple[str, str]:
    return record.text("rclass").lower(), read_package_type(record)
