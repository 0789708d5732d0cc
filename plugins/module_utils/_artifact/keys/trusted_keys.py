# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for trusted keys, and their changes."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import armor, key_texts, replacement
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/artifactory/api/security/keys/trusted"


def list_all(artifact: ArtifactService) -> list[Fields]:
    """Return all trusted keys, sorted by alias."""
    with editions.explain_refusal(artifact, features.TRUSTED_KEYS):
        records = artifact.http.read("GET", _ADDRESS).record().records("keys")
    return sorted(map(_to_fields, records), key=lambda fields: (fields["alias"], fields["kid"]))


class SharedTrustedKeys:
    """The trusted keys of a server, requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def list_all(self, artifact: ArtifactService) -> list[Fields]:
        """Return all trusted keys, as they were before this task changed one."""
        return self._values.get("trusted keys", lambda: list_all(artifact))

    def list_aliases(self, artifact: ArtifactService) -> set[str]:
        """Return the aliases of all trusted keys."""
        return {fields["alias"] for fields in self.list_all(artifact)}


class ManagedTrustedKey:
    """The trusted key that a task manages.

    :arg shared: shared by all items of a task
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedTrustedKeys) -> None:
        self._task, self._artifact, self._shared = task, artifact, shared
        self._alias: str = task.params["alias"]
        self._declared = parse_options(task.params)
        self._is_read = False
        self._all: list[Fields] = []

    def find(self) -> Fields | None:
        """Return the trusted key with the alias, or `None` if it does not exist.

        The first call for an item uses the shared list.

        :raises ToolchainError: if several keys have the alias
        """
        listed = list_all(self._artifact) if self._is_read else self._shared.list_all(self._artifact)
        self._is_read = True
        self._all = [self._recognize(fields) for fields in listed]
        found = [fields for fields in self._all if fields["alias"] == self._alias]
        if len(found) > 1:
            kids = ", ".join(fields["kid"] for fields in found)
            raise ToolchainError(
                f"{len(found)} trusted keys have the alias '{self._alias}': {kids}. Delete all but one of them in the "
                "user interface of Artifactory."
            )
        return found[0] if found else None

    def desired(self, _before: Fields | None) -> Fields:
        """Return the fields to compare."""
        return {"key": self._declared.text} if self._declared else {}

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that are not requested or incomplete, and a second alias for a key.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if the key is missing
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            return
        if self._declared is None:
            raise BadOption("key", f"is required, because trusted key '{self._alias}' does not exist")
        fingerprint = _normalize_fingerprint(self._declared.fingerprint)
        for other in self._all:
            if other["alias"] != self._alias and _normalize_fingerprint(other["fingerprint"]) == fingerprint:
                raise ToolchainError(
                    f"The key of '{self._alias}' is already trusted with the alias '{other['alias']}'. Use this alias, "
                    "or delete the trusted key with this alias first."
                )
        if before is not None and not self._task.params["replace"]:
            raise ToolchainError(
                f"Trusted key '{self._alias}' exists with another key, whose fingerprint is {before['fingerprint']}. "
                "Use another alias for the new key, or set 'replace: true' to delete the existing one."
            )

    def create(self, _fields: Fields) -> None:
        """Add the key."""
        body = {"alias": self._alias, "public_key": armor.clean(self._task.params["key"])}
        with editions.explain_refusal(self._artifact, features.TRUSTED_KEYS):
            self._artifact.http.write("POST", _ADDRESS, json=body, accept=(200, 201))

    def replace(self, fields: Fields) -> None:
        """Delete the existing key with the alias and add the new one."""
        replacement.replace(
            self._task,
            f"trusted key '{self._alias}'",
            delete=self.delete,
            find=self.find,
            create=lambda: self.create(fields),
        )

    def delete(self) -> None:
        """Delete the key."""
        kid = next(fields["kid"] for fields in self._all if fields["alias"] == self._alias)
        self._artifact.http.write("DELETE", f"{_ADDRESS}{encode_path(kid, option='alias')}", accept=(200, 204))

    def to_result(self, fields: Fields) -> Fields:
        """Return the trusted key as the module returns it; a predicted one with the known fields."""
        predicted: Fields = {"alias": self._alias, "kid": None, "issued_by": None, "issued_on": None}
        if self._declared and fields["key"] == self._declared.text:
            return {**predicted, "valid_until": None, **fields, "fingerprint": self._declared.fingerprint}
        return fields

    def _recognize(self, fields: Fields) -> Fields:
        """Return a key with the declared text if the server returns only a fingerprint and it is the same."""
        if fields["key"] or not self._declared:
            return fields
        is_same = _normalize_fingerprint(fields["fingerprint"]) == _normalize_fingerprint(self._declared.fingerprint)
        return {**fields, "key": self._declared.text} if is_same else fields


def parse_options(params: Fields) -> key_texts.PublicKey | None:
    """Return the key of a task, or `None` if it is not set or not needed.

    :raises BadOption: if it is invalid
    """
    if params["state"] == "absent" or params["key"] is None:
        return None
    return key_texts.parse_public_option("key", params["key"])


def _to_fields(record: Record) -> Fields:
    text = record.maybe_text("key") or ""
    return {
        "alias": record.text("alias"),
        "key": key_texts.normalize(text) if text else "",
        "kid": record.text("kid"),
        "fingerprint": key_texts.compute_fingerprint(text) or record.maybe_text("fingerprint") or "",
        "issued_by": record.maybe_text("issued_by") or None,
        "issued_on": _to_time(record, "issued_on"),
        "valid_until": _to_time(record, "valid_until"),
    }


def _to_time(record: Record, name: str) -> str | None:
    """Return a time in ISO 8601 format in UTC if its format is known, otherwise as the server returns it."""
    value: t.Any = record.get(name)
    if value in (None, ""):
        return None
    try:
        return times.to_utc(value)
    except ValueError:
        return str(value)


def _normalize_fingerprint(fingerprint: str) -> str:
    return fingerprint.replace(":", "").replace(" ", "").lower()
