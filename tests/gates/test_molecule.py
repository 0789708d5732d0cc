# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenario of each role."""

from __future__ import annotations

import pytest

from support.make import CHECKOUT, make

ROLES = sorted(path.parent.parent.name for path in (CHECKOUT / "roles").glob("*/meta/argument_specs.yml"))
SCENARIOS = sorted(path.parent.name for path in (CHECKOUT / "extensions/molecule").glob("*/molecule.yml"))


def test_each_role_has_a_scenario() -> None:
    assert ROLES
    assert ROLES == SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario(scenario: str) -> None:
    make("molecule", f"SCENARIO={scenario}")
