# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for LDAP settings and LDAP group settings in the Access API."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path


class Kind(t.NamedTuple):
    """A kind of object.

    :ivar address: address of the list
    :ivar identity: name of the member with the key
    :ivar essential: name of a member that an object always has, unless a list contains only keys
    """

    address: str
    identity: str
    essential: str


SETTING = Kind("/access/api/v1/ldap/settings", "key", "ldap_url")
GROUP = Kind("/access/api/v1/ldap/groups", "name", "group_name_attribute")


def find(artifact: ArtifactService, kind: Kind, name: str) -> Record | None:
    """Return an object, or `None` if it does not exist."""
    response = _read(artifact, f"{kind.address}{encode_path(name, option=kind.identity)}", accept=(200, 400, 404))
    if response.status == 400:  # some servers respond so for a missing object
        return list_all(artifact, kind).get(name)
    return access_api.parse(response, name, kind.identity) if response.status == 200 else None


def list_all(artifact: ArtifactService, kind: Kind) -> dict[str, Record]:
    """Return all objects of a kind, by key and sorted."""
    response = _read(artifact, kind.address, accept=(200, 404))
    if response.status == 404:
        raise access_api.foreign_response_error(response)
    found: dict[str, Record] = {}
    for entry in response.records():
        name = entry.text(kind.identity)
        record = entry if kind.essential in entry else find(artifact, kind, name)
        if record is not None:
            found[name] = record
    return {name: found[name] for name in sorted(found)}


def create(artifact: ArtifactService, kind: Kind, body: Fields) -> None:
    """Create an object."""
    response = artifact.write_descriptor("POST", kind.address, json=body, accept=(200, 201))
    access_api.verify_accepted(response)


def replace(artifact: ArtifactService, kind: Kind, body: Fields) -> None:
    """Replace an object. Its key is only in the body."""
    artifact.write_descriptor("PUT", kind.address, json=body, accept=(200, 204))


def delete(artifact: ArtifactService, kind: Kind, name: str, *, may_be_missing: bool = False) -> None:
    """Delete an object.

    :arg may_be_missing: whether another client may have deleted it
    """
    address = f"{kind.address}{encode_path(name, option=kind.identity)}"
    artifact.write_descriptor("DELETE", address, accept=(200, 204, 404) if may_be_missing else (200, 204))


def _read(artifact: ArtifactService, address: str, accept: tuple[int, ...]) -> Response:
    """Return a response, which can be 404 if an object does not exist.

    :raises ToolchainError: if the server does not have the API
    """
    return access_api.read(artifact, address, features.LDAP, accept=accept)
