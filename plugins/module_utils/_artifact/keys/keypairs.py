# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for key pairs."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import key_texts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    is_not_found,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/artifactory/api/security/keypair"
_REJECTED = (400, 422)


def find(artifact: ArtifactService, name: str) -> Fields | None:
    """Return the public part of a key pair, or `None` if it does not exist."""
    with editions.explain_refusal(artifact, features.KEYPAIRS):
        try:
            return _to_fields(artifact.http.read("GET", _address(name)).record())
        except ServerRefusal as refusal:
            if is_not_found(refusal):
                return None
            raise


def list_all(artifact: ArtifactService) -> dict[str, Fields]:
    """Return the public parts of all key pairs by name, sorted."""
    with (
        editions.explain_refusal(artifact, features.KEYPAIR_LIST),
        editions.explain_refusal(artifact, features.KEYPAIRS),
    ):
        records = artifact.http.read("GET", _ADDRESS).records()
    pairs = {fields["name"]: fields for fields in map(_to_fields, records)}
    return {name: pairs[name] for name in sorted(pairs)}


def create(artifact: ArtifactService, body: Fields) -> None:
    """Create a key pair."""
    with editions.explain_refusal(artifact, features.KEYPAIRS):
        artifact.write_descriptor("POST", _ADDRESS, json=body, accept=(200, 201))


def delete(artifact: ArtifactService, name: str) -> None:
    """Delete a key pair."""
    artifact.write_descriptor("DELETE", _address(name), accept=(200, 204))


def verify(artifact: ArtifactService, body: Fields) -> None:
    """Let Artifactory test a key pair without storing it.

    :raises ToolchainError: if Artifactory rejects it
    """
    try:
        artifact.http.read("POST", f"{_ADDRESS}/verify", json=body, accept=(200, 201, 204))
    except ServerRefusal as refusal:
        if refusal.status in (404, 405):
            raise ToolchainError(
                "Cannot verify the key pair: this version of Artifactory does not support it. Remove 'verify'."
            ) from None
        if refusal.status in _REJECTED:
            raise ToolchainError(
                f"Artifactory rejects the key pair '{body['pairName']}', which was not written: {refusal} "
                "Check 'private_key', 'public_key' and 'passphrase'."
            ) from None
        raise


def to_result(fields: Fields) -> Fields:
    """Return a key pair as the modules return it."""
    return {**fields, "fingerprint": key_texts.compute_fingerprint(fields["public_key"])}


def _to_fields(record: Record) -> Fields:
    return {
        "name": record.text("pairName"),
        "type": record.text("pairType").lower(),
        "alias": record.maybe_text("alias") or "",
        "public_key": key_texts.normalize(record.maybe_text("publicKey") or ""),
    }


def _address(name: str) -> str:
    return f"{_ADDRESS}{encode_path(name, option='name')}"
