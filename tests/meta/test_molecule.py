# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each role has a Molecule scenario of the same name."""

from __future__ import annotations

import pathlib

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROLES = sorted(path.parent.parent.name for path in (ROOT / "roles").glob("*/meta/argument_specs.yml"))
SCENARIOS = {path.parent.name: path for path in (ROOT / "extensions/molecule").glob("*/molecule.yml")}
# Roles that change something in each run, such as a new timestamp on a page
NOT_IDEMPOTENT = ("ci_maintenance", "overview")


def test_each_role_has_a_scenario() -> None:
    assert ROLES
    assert sorted(SCENARIOS) == ROLES


@pytest.mark.parametrize("role", ROLES)
def test_scenario_has_all_steps(role: str) -> None:
    steps = yaml.safe_load(SCENARIOS[role].read_text())["scenario"]["test_sequence"]
    expected = {"create", "check", "converge", "verify", "destroy"}
    if role not in NOT_IDEMPOTENT:
        expected.add("idempotence")
    assert expected <= set(steps)
    assert ("prepare" in steps) == SCENARIOS[role].with_name("prepare.yml").exists()
