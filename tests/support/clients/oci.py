# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""crane, an OCI client in Go."""

from __future__ import annotations

from pathlib import Path

from support.clients.go_program import build_programs


def crane() -> Path:
    """Return the program, built once."""
    return build_programs(Path(__file__).with_name("go"), "tool") / "crane"
