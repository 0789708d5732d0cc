# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Permissions in the Access API, since Artifactory 7.72.0."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/access/api/v2/permissions"
_OPTIONS = {kind: option for option, kind in form.TYPES.items()}
# Servers add this section by themselves
_ADDED_TARGET, _ADDED_PATTERN = "*", "undefined"


class ApiMissing(Exception):
    """The server does not have this API."""


class PlatformPermissions:
    """The permissions of a server.

    :cvar lowers_groups: whether names of groups can be stored in lower case
    :cvar is_for_administrators: whether only administrators can read permissions
    """

    lowers_groups = True
    is_for_administrators = False

    def __init__(self, artifact: ArtifactService) -> None:
        self._artifact, self._http = artifact, artifact.http

    def find(self, name: str) -> Fields | None:
        """Return the resources of a permission, or `None` if it does not exist.

        :raises ApiMissing: if the server does not have this API
        """
        response = self._read(_address(name))
        if response.status == 404:
            return None
        kinds = response.record().maybe_record("resources")
        known = [kind for kind in kinds or () if kind in _OPTIONS]
        return {_OPTIONS[kind]: _parse(kinds.record(kind)) for kind in known if kinds}

    def list_names(self) -> list[str]:
        """Return the names of all permissions, sorted.

        :raises ApiMissing: if the server does not have this API
        """
        entries = access_api.list_entries(lambda **query: self._read(_ADDRESS, **query), "permissions")
        return sorted({entry.text("name") for entry in entries or ()})

    def check(self, _name: str, _resources: Fields) -> None:
        """Do nothing, because this API has everything that a task can declare."""

    def create(self, name: str, resources: Fields) -> None:
        """Create a permission."""
        body = {"name": name, "resources": {form.TYPES[option]: _to_json(value) for option, value in resources.items()}}
        self._http.write("POST", _ADDRESS, json=body, accept=(200, 201))

    def change_part(self, name: str, option: str, change: Fields) -> None:
        """Change the given members of a resource. Others are not changed.

        :arg change: targets with patterns, users and groups with actions, `None` to remove one of them
        """
        body = _to_json(
            {member: {key: value or [] for key, value in names.items()} for member, names in change.items()}
        )
        self._http.write("PATCH", _address(name, form.TYPES[option]), json=body, accept=(200, 201, 204))

    def replace_part(self, name: str, option: str, resource: Fields) -> None:
        """Replace a resource."""
        address = _address(name, form.TYPES[option])
        self._http.write("PUT", address, json=_to_json(resource), accept=(200, 201, 204), policy=IDEMPOTENT)

    def delete_part(self, name: str, option: str) -> None:
        """Delete a resource."""
        address = _address(name, form.TYPES[option])
        self._http.write("DELETE", address, accept=(200, 204), policy=IDEMPOTENT)

    def delete(self, name: str) -> None:
        """Delete a permission."""
        self._http.write("DELETE", _address(name), accept=(200, 204))

    def _read(self, address: str, **query: str) -> Response:
        """Return a response, which is 404 only if the permission does not exist.

        :raises ApiMissing: if the server does not have this API
        :raises ToolchainError: if the server should have the API, but it cannot be reached or requires Artifactory Pro
        """
        response = self._http.read("GET", address, query=query, accept=(200, 404))
        if response.status == 404:
            if not self._artifact.supports(features.PERMISSIONS.since):
                raise ApiMissing
            editions.check(self._artifact, features.PERMISSIONS)
            access_api.check_origin(response)
        return response


def is_added(option: str, resource: Fields) -> bool:
    """Return whether a resource looks like the section for destinations that servers add by themselves."""
    if option != "destinations" or list(resource["targets"]) != [_ADDED_TARGET]:
        return False
    return any(_ADDED_PATTERN in pattern for pattern in resource["targets"][_ADDED_TARGET]["include_patterns"])


def _address(name: str, *kind: str) -> str:
    return f"{_ADDRESS}{encode_path(name, *kind, option='name')}"


def _parse(record: Record) -> Fields:
    actions, targets = record.maybe_record("actions"), record.maybe_record("targets")
    users, groups = (actions.maybe_record(kind) if actions else None for kind in form.PRINCIPALS)
    return form.to_resource(
        {name: _parse_patterns(targets.maybe_record(name)) for name in targets} if targets else {},
        {name: _lower(users.maybe_texts(name)) for name in users} if users else {},
        {name: _lower(groups.maybe_texts(name)) for name in groups} if groups else {},
    )


def _lower(actions: list[str]) -> list[str]:
    return [action.lower() for action in actions]


def _parse_patterns(record: Record | None) -> Fields:
    if record is None:
        return form.ALL_PATHS
    return {member: record.maybe_texts(member) for member in form.ALL_PATHS}


def _to_json(resource: Fields) -> Fields:
    """Return a resource, or the given members of it, in the form of the API."""
    actions = {
        kind: {name: [action.upper() for action in actions] for name, actions in resource[kind].items()}
        for kind in form.PRINCIPALS
        if kind in resource
    }
    targets = {"targets": resource["targets"]} if "targets" in resource else {}
    return {**({"actions": actions} if actions else {}), **targets}
