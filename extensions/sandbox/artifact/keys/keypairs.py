# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage and rules of key pairs. Private keys and passphrases are not stored, because the sandbox signs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..protocol.errors import ArtifactError
from ..state import State
from .key_texts import PRIVATE_LABELS, PUBLIC_LABELS, have_same_public_part, parse_key

SCHEMA = """
CREATE TABLE artifact_keypairs (
    name TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    alias TEXT NOT NULL,
    public_key TEXT NOT NULL
);
CREATE TABLE artifact_trusted_keys (
    id INTEGER PRIMARY KEY,
    kid TEXT NOT NULL UNIQUE,
    alias TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    key TEXT NOT NULL,
    issued_by TEXT NOT NULL,
    issued_on REAL
);
"""
REQUIRED = ("pairName", "pairType", "alias", "privateKey", "publicKey")
# Members of a repository that contain the name of a key pair
REFERENCES = ("primaryKeyPairRef", "secondaryKeyPairRef", "keyPair")


class KeyPair(NamedTuple):
    """The public part of a key pair. The type is in upper case."""

    name: str
    type: str
    alias: str
    public_key: str


def parse_keypair(body: Mapping[str, Any]) -> KeyPair:
    """Return the key pair in a request body. The wording of the refusals is not known.

    :raises ArtifactError: if the server would refuse it
    """
    for name in REQUIRED:
        if not isinstance(body.get(name), str) or not body[name].strip():
            raise ArtifactError(400, f"{name} is mandatory")
    pair_type = body["pairType"].upper()
    if pair_type not in PRIVATE_LABELS:
        raise ArtifactError(400, f"Unsupported key pair type: {body['pairType']}")
    if "/" in body["pairName"]:
        raise ArtifactError(400, f"Invalid key pair name: {body['pairName']}")
    try:
        private = parse_key(body["privateKey"], PRIVATE_LABELS[pair_type])
    except ValueError:
        raise ArtifactError(400, "Failed to parse the private key") from None
    try:
        public = parse_key(body["publicKey"], PUBLIC_LABELS[pair_type])
        is_matching = have_same_public_part(private, public)
    except ValueError:
        raise ArtifactError(400, "Failed to parse the public key") from None
    if not is_matching:
        raise ArtifactError(400, "The private key does not match the public key")
    if private.is_encrypted and not body.get("passphrase"):
        raise ArtifactError(400, "Failed to decrypt the private key: the passphrase is wrong")
    return KeyPair(body["pairName"], pair_type, body["alias"], body["publicKey"])


def list_keypairs(state: State) -> dict[str, KeyPair]:
    """Return the key pairs by name."""
    rows = state.runtime.db.execute("SELECT name, type, alias, public_key FROM artifact_keypairs ORDER BY name")
    return {row["name"]: KeyPair(*row) for row in rows}


def save_keypair(state: State, pair: KeyPair) -> None:
    """Create or replace a key pair."""
    state.runtime.db.execute("INSERT OR REPLACE INTO artifact_keypairs VALUES (?, ?, ?, ?)", pair)


def list_users(state: State, name: str) -> list[str]:
    """Return the keys of the repositories that refer to a key pair."""
    return [
        repository.key
        for repository in state.repositories.list_all()
        if any(repository.configuration.get(member) == name for member in REFERENCES)
    ]
