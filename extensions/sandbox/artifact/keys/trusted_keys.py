# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage and rules of trusted public keys, which verify release bundles."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..protocol.errors import ArtifactError
from ..state import State
from .key_texts import PUBLIC_LABELS, describe_public_key, parse_key

LABELS = tuple(label for labels in PUBLIC_LABELS.values() for label in labels)
# Length of the identifier, the end of the fingerprint
KID_LENGTH = 6


class TrustedKey(NamedTuple):
    """A trusted key. The times of keys other than OpenPGP keys are null."""

    kid: str
    alias: str
    fingerprint: str
    key: str
    issued_by: str
    issued_on: float | None


def parse_trusted_key(alias: Any, text: Any) -> TrustedKey:
    """Return a trusted key. The wording of the refusals is not known.

    :raises ArtifactError: if the server would refuse it
    """
    if not isinstance(alias, str) or not alias.strip():
        raise ArtifactError(400, "alias is mandatory")
    try:
        details = describe_public_key(parse_key(text if isinstance(text, str) else "", LABELS))
    except ValueError:
        raise ArtifactError(400, "Failed to parse the public key") from None
    kid = details.fingerprint.replace(":", "")[-KID_LENGTH:]
    return TrustedKey(kid, alias, details.fingerprint, text, details.issued_by, details.issued_on)


def list_trusted_keys(state: State) -> list[TrustedKey]:
    """Return the keys in the order of their creation."""
    columns = ", ".join(TrustedKey._fields)
    return [
        TrustedKey(*row) for row in state.runtime.db.execute(f"SELECT {columns} FROM artifact_trusted_keys ORDER BY id")
    ]


def save_trusted_key(state: State, key: TrustedKey) -> None:
    """Create or replace a key."""
    state.runtime.db.execute(
        f"INSERT OR REPLACE INTO artifact_trusted_keys ({', '.join(key._fields)}) VALUES (?, ?, ?, ?, ?, ?)", key
    )
