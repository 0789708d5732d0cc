# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Global environments."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import platform
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

BUILT_IN = ("DEV", "PROD")
_PATH = "/environments"


class Environments:
    """The global environments of a server, requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def list_names(self, artifact: ArtifactService) -> list[str]:
        """Return the names of all global environments, sorted, as they were before this task changed one."""
        return self._values.get("names", lambda: list_names(artifact))

    def list_deletable(self, artifact: ArtifactService, items: t.Iterable[Fields]) -> set[str]:
        """Return the names of the environments that may be deleted if they are not declared."""
        renamed = {item.get("previous_name") for item in items}
        return set(self.list_names(artifact)) - {*BUILT_IN, *renamed}


class ManagedEnvironment:
    """The environment that a task manages.

    :arg previous_name: name of an environment to rename
    """

    def __init__(
        self, artifact: ArtifactService, shared: Environments, name: str, previous_name: str | None = None
    ) -> None:
        self._artifact, self._shared, self._name, self._previous_name = artifact, shared, name, previous_name
        self._is_read = False

    def find(self) -> Fields | None:
        """Return the environment, the one to rename, or `None` if neither exists.

        After the first call, the server is asked again.
        """
        names = list_names(self._artifact) if self._is_read else self._shared.list_names(self._artifact)
        self._is_read = True
        existing = [name for name in (self._name, self._previous_name) if name in names]
        return {"name": existing[0]} if existing else None

    def create(self, fields: Fields) -> None:
        """Create the environment."""
        address = f"{platform.API}{_PATH}"
        self._artifact.http.write("POST", address, json={"name": fields["name"]}, accept=(200, 201))

    def rename(self, fields: Fields) -> None:
        """Rename the environment."""
        address = f"{platform.API}{_PATH}{encode_path(str(self._previous_name), option='previous_name')}/rename"
        self._artifact.http.write("POST", address, json={"new_name": fields["name"]}, accept=(200, 201, 204))

    def delete(self) -> None:
        """Delete the environment."""
        address = f"{platform.API}{_PATH}{encode_path(self._name, option='name')}"
        self._artifact.http.write("DELETE", address, accept=(200, 204))


def list_names(artifact: ArtifactService) -> list[str]:
    """Return the names of all global environments, sorted."""
    response = platform.read(artifact, _PATH, features.ENVIRONMENTS)
    if response.status == 404:
        raise access_api.foreign_response_error(response)
    names = sorted({entry.text("name") for entry in response.records()})
    if not names:
        raise ToolchainError(
            "The server returned no environments, although built-in ones always exist. Check that the account is an "
            "administrator."
        )
    return names
