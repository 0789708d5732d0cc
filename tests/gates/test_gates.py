# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What other tools say about the collection."""

from __future__ import annotations

import pytest

from support.make import make

GATES = (
    "sanity",
    "lint-python",
    "lint-types",
    "lint-ansible",
    "lint-shell",
    "lint-changelog",
    "docs",
    "dist",
    "sbom",
    "demo",
)


@pytest.mark.parametrize("target", GATES)
def test_gate(target: str) -> None:
    make(target)
