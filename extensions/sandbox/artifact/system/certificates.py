# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage of client certificates."""

from __future__ import annotations

from ...parsing.pem import Certificate
from ..state import State

_COLUMNS = ", ".join(Certificate._fields)


def list_certificates(state: State) -> dict[str, Certificate]:
    """Return the certificates by alias."""
    rows = state.runtime.db.execute(f"SELECT alias, {_COLUMNS} FROM artifact_certificates ORDER BY alias")
    return {row["alias"]: Certificate(*tuple(row)[1:]) for row in rows}


def save_certificate(state: State, alias: str, certificate: Certificate) -> None:
    """Create or replace a certificate."""
    state.runtime.db.execute(
        f"INSERT OR REPLACE INTO artifact_certificates (alias, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        (alias, *certificate),
    )
