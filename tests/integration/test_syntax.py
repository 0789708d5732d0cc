# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook loads every playbook and every role."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from support.playbook import ROOT, environment, run_command


@pytest.mark.ansible_core
def test_ansible_loads_every_playbook_and_role(tmp_path: Path) -> None:
    roles = [f"buildworks.toolchain.{path.name}" for path in sorted(ROOT.glob("roles/*"))]
    playbooks = sorted(ROOT.glob("playbooks/*.yml"))
    assert roles
    assert playbooks
    of_roles = tmp_path / "roles.yml"
    of_roles.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "roles": roles}]))
    groups = ["-i", "localhost,", "--syntax-check"]
    output, status = run_command([*groups, *playbooks, of_roles], environment())
    assert status == 0, output
