# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a key pair."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import (
    armor,
    key_texts,
    keypairs,
    references,
    replacement,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, merge_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected

# Options with the parts of a key pair, and its members in the API
_MEMBERS = {
    "name": "pairName",
    "type": "pairType",
    "alias": "alias",
    "private_key": "privateKey",
    "public_key": "publicKey",
    "passphrase": "passphrase",
}
_REQUIRED = ("type", "alias", "private_key", "public_key")


class SharedKeyPairs:
    """The key pairs of a server and the repositories that use them, each requested once for all items of a task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.references = references.References(task, "key pair", references.KEY_PAIRS)
        self._values = SharedValues()

    def by_name(self, artifact: ArtifactService) -> dict[str, Fields]:
        """Return all key pairs by name, as they were before this task changed one."""
        return self._values.get("key pairs", lambda: keypairs.list_all(artifact))

    def list_undeclared(self, artifact: ArtifactService, items: t.Iterable[Fields]) -> set[str]:
        """Return the names of the key pairs that no item declares, for `remove` without those that repositories use."""
        found = {name for name, pair in self.by_name(artifact).items() if is_selected(self._task, type=pair["type"])}
        names = found - {item["name"] or self._task.params["name"] for item in items}
        return self.references.select_removable(artifact, names)


class ManagedKeyPair:
    """The key pair that a task manages.

    :arg shared: shared by all items of a task
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedKeyPairs) -> None:
        self._task, self._artifact, self._shared = task, artifact, shared
        self._params = task.params
        self._name: str = task.params["name"]
        self._is_read = False
        key_texts.register_private_key(task, task.params["public_key"])

    def find(self) -> Fields | None:
        """Return the key pair, or `None` if it does not exist.

        The first call for an item uses the list of all key pairs.
        """
        listed = None
        if self._params["items"] is not None and not self._is_read:
            self._is_read = True
            listed = self._shared.by_name(self._artifact).get(self._name)
            if listed is None or listed["public_key"]:
                return listed
        return keypairs.find(self._artifact, self._name)

    def desired(self, _before: Fields | None) -> Fields:
        """Return the fields to compare. Public keys have a canonical form."""
        declared = {name: self._params[name] for name in ("type", "alias", "public_key")}
        if declared["public_key"] is not None:
            declared["public_key"] = key_texts.normalize(declared["public_key"])
        return {name: value for name, value in declared.items() if value is not None}

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that are not requested, incomplete, or would break repositories. Verify the new key pair.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            self._check_unused("deleted")
            return
        if before is not None and not self._params["replace"]:
            raise ToolchainError(
                f"Key pair '{self._name}' exists, but differs in: {', '.join(sorted(fields))}. Artifactory cannot "
                "change a key pair. Use another name for the new key pair, or set 'replace: true' to delete the "
                "existing one and create it again."
            )
        reason = "does not exist" if before is None else "is replaced"
        for option in _REQUIRED:
            if self._params[option] is None:
                raise BadOption(option, f"is required, because key pair '{self._name}' {reason}")
        if before is None:
            editions.check(self._artifact, features.KEYPAIRS)
        else:
            self._check_unused("replaced")
        if self._params["verify"]:
            keypairs.verify(self._artifact, self._to_body())

    def create(self, _fields: Fields) -> None:
        """Create the key pair."""
        keypairs.create(self._artifact, self._to_body())

    def replace(self, _fields: Fields) -> None:
        """Delete the key pair and create it again."""
        replacement.replace(
            self._task,
            f"key pair '{self._name}'",
            delete=self.delete,
            find=lambda: keypairs.find(self._artifact, self._name),
            create=lambda: keypairs.create(self._artifact, self._to_body()),
        )

    def delete(self) -> None:
        """Delete the key pair."""
        keypairs.delete(self._artifact, self._name)

    def to_result(self, fields: Fields) -> Fields:
        """Return the key pair as the module returns it."""
        return keypairs.to_result(merge_fields({"name": self._name}, fields))

    def _check_unused(self, action: str) -> None:
        if not self._task.predicts_missing:
            self._shared.references.check_unused(self._artifact, self._name, action)

    def _to_body(self) -> Fields:
        body = {member: self._params[option] for option, member in _MEMBERS.items() if self._params[option]}
        keys = {member: armor.clean(body[member]) for member in ("privateKey", "publicKey")}
        return {**body, **keys, "pairType": body["pairType"].upper()}


def check_options(params: Fields) -> None:
    """Verify that the keys of a task are of the declared type, and that they belong together.

    :raises BadOption: if they do not
    """
    if params["state"] == "absent":
        return
    public = private = None
    if params["public_key"] is not None:
        public = key_texts.parse_public_option("public_key", params["public_key"])
        _check_type("public_key", params["type"], public.kind)
    if params["private_key"] is not None:
        try:
            private = key_texts.parse_private_key(params["private_key"])
        except ValueError:
            raise BadOption("private_key", "must be a private key in PEM format or an ASCII-armored GPG key") from None
        _check_type("private_key", params["type"], private.kind)
    if public is None or private is None:
        return
    if private.kind not in (None, public.kind) or not key_texts.belong_together(private, public.material):
        raise BadOption("private_key", "must belong to 'public_key'")
    if key_texts.needs_passphrase(private, public) and not params["passphrase"]:
        raise BadOption("passphrase", "is required, because a passphrase protects 'private_key'")


def _check_type(option: str, declared: str | None, kind: str | None) -> None:
    expected = {"rsa": "an RSA key in PEM format", "gpg": "an ASCII-armored GPG key"}
    if declared is None or kind == declared or (kind is None and declared == "rsa"):
        return
    raise BadOption(option, f"must be {expected[declared]} with 'type: {declared}'")
