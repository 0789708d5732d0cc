# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of the central configuration: checks, and what check mode can predict."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import (
    descriptor,
    lockout,
    patches,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.document import (
    OPTION,
    Document,
    align,
    find_ignored_deletions,
    find_missing_objects,
    find_misspelled,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.kinds import SECTIONS
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


class Configuration:
    """The part of the central configuration that a document names."""

    def __init__(self, task: Task, artifact: ArtifactService, document: Document) -> None:
        self._task, self._artifact, self._document = task, artifact, document
        self._descriptor: Fields = {}
        self._unread: Fields | None = None

    def read(self) -> Fields:
        """Return the part of the server's configuration that the document names."""
        self._descriptor = descriptor.fetch(self._artifact) if self._unread is None else self._unread
        self._unread = None
        return self._align(self._document.desired)

    def _align(self, desired: Fields) -> Fields:
        return t.cast(Fields, align(SECTIONS, self._descriptor, desired, self._document.secret_names))

    def check_change(self, _before: Fields | None, changes: Fields | None) -> None:
        """Refuse changes that the server would ignore or misunderstand, and that lock out the account of the task.

        :raises ToolchainError: if the change is refused
        """
        for path, advice in find_misspelled(SECTIONS, self._descriptor, changes):
            raise BadOption(path, f"is unknown. {advice}")
        for path in find_missing_objects(SECTIONS, self._descriptor, self._document.desired):
            raise BadOption(path, "must have at least one member, because the object does not exist yet")
        for path in find_ignored_deletions(SECTIONS, self._descriptor, changes):
            raise ToolchainError(
                f"Cannot delete '{path}': Artifactory ignores the deletion of a single LDAP setting over this API. "
                "Delete it in the administration pages or over the Access API, or set 'enabled: false'."
            )
        editions.check(self._artifact, features.CONFIGURATION)
        if not self._task.params["allow_lockout"]:
            lockout.check(self._artifact, self._descriptor, changes or {})

    def predict_refusal(self) -> None:
        """Refuse in check mode what the server would refuse.

        :raises ToolchainError: if the server does not support the change, or a repository does not exist
        """
        changes = find_differences(self._align(self._document.desired), self._document.desired)
        named = dict(_list_repositories(changes, OPTION))
        if named and not self._task.predicts_missing:
            response = self._artifact.http.read("GET", "/artifactory/api/repositories")
            existing = {record.text("key") for record in response.records()}
            for repository in sorted(named.keys() - existing):
                raise MissingName(named[repository], f"repository '{repository}' does not exist")

    def update(self, changes: Fields) -> None:
        """Merge changes into the configuration of the server."""
        self._unread = patches.merge(self._task, self._artifact, self._descriptor, changes)


def _list_repositories(changes: t.Any, path: str) -> t.Iterator[tuple[str, str]]:
    """Yield the repositories in changes, each with the path of the option that names it."""
    for name, value in changes.items() if isinstance(changes, dict) else ():
        inner_path = f"{path}.{name}"
        if name in ("excludedRepositories", "includedRepositories") and isinstance(value, list):
            yield from ((repository, inner_path) for repository in value)
        else:
            yield from _list_repositories(value, inner_path)
