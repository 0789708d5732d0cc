# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Repositories that use key pairs and certificates."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import (
    configurations,
    queries,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues, read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError, join_names
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Members of a repository that contain the name of a key pair, and the alias of a certificate
KEY_PAIRS = ("primaryKeyPairRef", "secondaryKeyPairRef", "keyPair")
CERTIFICATES = ("clientTlsCertificate",)


class References:
    """The repositories of a server that refer to objects, requested once for all items of a task.

    :arg kind: what the repositories refer to, such as `key pair`
    :arg members: members of the repositories that contain the name of such an object
    """

    def __init__(self, task: Task, kind: str, members: tuple[str, ...]) -> None:
        self._task, self._kind, self._members = task, kind, members
        self._values = SharedValues()

    def by_name(self, artifact: ArtifactService) -> dict[str, list[str]]:
        """Return the keys of the repositories that refer to each object, sorted, by the name of the object."""
        return self._values.get("references", lambda: self._read(artifact))

    def check_unused(self, artifact: ArtifactService, name: str, action: str) -> None:
        """Verify that no repository refers to an object.

        :arg action: what requires this, such as `deleted`
        :raises ToolchainError: with the repositories that refer to it, or if they cannot be read
        """
        if users := self.by_name(artifact).get(name):
            raise ToolchainError(
                f"{self._kind.capitalize()} '{name}' cannot be {action}, because these repositories use it: "
                f"{join_names(users)}. Change their configuration first."
            )

    def select_removable(self, artifact: ArtifactService, undeclared: t.Iterable[str]) -> set[str]:
        """Return undeclared names. With `undeclared: remove`, leave out those in use and warn of them."""
        names = set(undeclared)
        if not names or self._task.params["undeclared"] != "remove" or self._task.predicts_missing:
            return names
        if used := names & self.by_name(artifact).keys():
            self._task.warn(
                f"These {self._kind}s are not declared, but were kept, because repositories use them: "
                f"{join_names(used)}."
            )
        return names - used

    def _read(self, artifact: ArtifactService) -> dict[str, list[str]]:
        found: dict[str, set[str]] = {}
        for record in self._list_records(artifact):
            key = record.text("key")  # also of a record without references, which may be no repository
            if configurations.is_partial(record):
                raise ToolchainError(
                    f"Cannot find out which repositories use a {self._kind}: the account has no administrator "
                    "permission, so Artifactory returns only a part of the configurations."
                )
            for member in self._members:
                if name := record.maybe_text(member):
                    found.setdefault(name, set()).add(key)
        return {name: sorted(keys) for name, keys in found.items()}

    def _list_records(self, artifact: ArtifactService) -> list[Record]:
        records = configurations.list_configurations(artifact)
        if records is not None:
            return records
        keys = [entry["key"] for entry in queries.list_repositories(artifact)]
        read = read_concurrently(self._task, keys, _read_record)
        if missing := set(keys) - read.keys():
            raise ToolchainError(
                f"Cannot find out which repositories use a {self._kind}: the configuration of these repositories "
                f"cannot be read: {join_names(missing)}. Run the task again."
            )
        return list(read.values())


def _read_record(task: Task, key: str) -> Record:
    return ArtifactService(task).http.read("GET", configurations.address_of(key)).record()
