# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a client certificate."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import (
    certificates,
    editions,
    features,
    times,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import (
    armor,
    der,
    key_texts,
    references,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_DAY_IN_MILLISECONDS = 86_400_000
_LABEL = "CERTIFICATE"


class SharedCertificates:
    """The certificates of a server and the repositories that use them, requested once for all items of a task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.references = references.References(task, "certificate", references.CERTIFICATES)
        self._values = SharedValues()

    def by_alias(self, artifact: ArtifactService) -> dict[str, Fields]:
        """Return all certificates by alias, as they were before this task changed one."""
        return self._values.get("certificates", lambda: _list_by_alias(artifact))

    def list_undeclared(self, artifact: ArtifactService, items: t.Iterable[Fields]) -> set[str]:
        """Return the aliases that no item declares, for `remove` without those that repositories use."""
        aliases = set(self.by_alias(artifact)) - {item["alias"] or self._task.params["alias"] for item in items}
        return self.references.select_removable(artifact, aliases)


class ManagedCertificate:
    """The client certificate that a task manages.

    :arg shared: shared by all items of a task
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedCertificates) -> None:
        self._task, self._artifact, self._shared = task, artifact, shared
        self._alias: str = task.params["alias"]
        self._declared = parse_options(task.params)
        self._is_read = False
        self._current: Fields | None = None
        key_texts.register_private_key(task, task.params["certificate"])

    def find(self) -> Fields | None:
        """Return the certificate, or `None` if it does not exist.

        The first call for an item uses the shared list.
        """
        is_shared = not self._is_read
        self._is_read = True
        found = self._shared.by_alias(self._artifact) if is_shared else _list_by_alias(self._artifact)
        self._current = found.get(self._alias)
        return self._current

    def desired(self, _before: Fields | None) -> Fields:
        """Return the fields to compare."""
        return {"fingerprint": self._declared.fingerprint} if self._declared else {}

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse incomplete changes, and deletions that would break repositories.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing
        :raises ToolchainError: if a repository uses the certificate
        """
        if fields is None:
            if not self._task.predicts_missing:
                self._shared.references.check_unused(self._artifact, self._alias, "deleted")
            return
        reason = "does not exist" if before is None else "is replaced"
        for option in ("certificate", "private_key"):
            if self._task.params[option] is None:
                raise BadOption(option, f"is required, because certificate '{self._alias}' {reason}")
        if before is None:
            editions.check(self._artifact, features.CERTIFICATES)

    def install(self, _fields: Fields) -> None:
        """Create or replace the certificate."""
        parts = (self._task.params[option] for option in ("private_key", "certificate"))
        certificates.install(self._artifact, self._alias, "".join(map(armor.clean, parts)))

    def delete(self) -> None:
        """Delete the certificate."""
        certificates.delete(self._artifact, self._alias)

    def to_result(self, fields: Fields) -> Fields:
        """Return the certificate as the module returns it; a predicted one with the fields of the declared one."""
        is_predicted = fields["fingerprint"] != (self._current or {}).get("fingerprint")
        if not self._task.check_mode or not is_predicted or not self._declared:
            return fields
        predicted = self._declared._asdict()
        del predicted["public_key"]
        return {"alias": self._alias, **predicted}

    def warn_of_expiry(self) -> None:
        """Warn if the certificate has expired or will expire soon."""
        certificate, days = self._task.result["certificate"], self._task.params["warn_before"]
        if certificate is None:
            return
        end, now = times.to_milliseconds(certificate["valid_until"]), self._artifact.http.now() * 1000
        if end <= now + days * _DAY_IN_MILLISECONDS:
            day = datetime.datetime.fromtimestamp(end / 1000, datetime.timezone.utc).date()
            self._task.warn(f"Certificate '{self._alias}' {'expired' if end <= now else 'expires'} on {day}.")


def parse_options(params: Fields) -> der.Certificate | None:
    """Return the certificate of a task, or `None` if it is not set or not needed.

    :raises BadOption: if the certificate or its private key is invalid, or if they do not belong together
    """
    if params["state"] == "absent":
        return None
    certificate = private = None
    if params["certificate"] is not None:
        certificate = _parse_chain(params["certificate"])
    if params["private_key"] is not None:
        try:
            private = key_texts.parse_private_key(params["private_key"])
        except ValueError:
            raise BadOption("private_key", "must be a private key in PEM format") from None
        if private.is_encrypted:
            raise BadOption("private_key", "must not have a passphrase")
        if private.kind == "gpg":
            raise BadOption("private_key", "must be a private key in PEM format")
    if certificate and private:
        key = certificate.public_key
        if private.kind != key.algorithm or not key_texts.belong_together(private, key.material):
            raise BadOption("private_key", "must belong to the first certificate in 'certificate'")
    return certificate


def _parse_chain(text: str) -> der.Certificate:
    """Return the first certificate of a chain, of which all must be valid."""
    try:
        blocks = armor.parse_blocks(text)
        if any(block.label != _LABEL for block in blocks):
            raise BadOption("certificate", "must contain only certificates. Set the key in 'private_key'")
        chain = [der.parse_certificate(block.data) for block in blocks]
    except ValueError:
        chain = []
    if not chain:
        raise BadOption("certificate", "must be a certificate in PEM format")
    return chain[0]


def _list_by_alias(artifact: ArtifactService) -> dict[str, Fields]:
    """Return all certificates by alias. Their fingerprints have the same form as those of declared certificates."""
    found = certificates.list_certificates(artifact)
    return {entry["alias"]: {**entry, "fingerprint": der.colon_hex(entry["fingerprint"] or "")} for entry in found}
