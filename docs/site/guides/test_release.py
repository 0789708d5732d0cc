# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook of the release, tried on a sandbox."""

import os
import subprocess

import pytest

from sandbox import client


@pytest.fixture
def sandbox():
    with client.start() as sandbox:
        yield sandbox


def play(sandbox, *options):
    command = ["ansible-playbook", "-i", "inventory.yml", "release.yml", *options]
    sandbox.clear_journal()
    return subprocess.run(command, env={**os.environ, **sandbox.environment}, check=False).returncode


def test_release(sandbox):
    assert play(sandbox, "-e", "stage=staging") == 0
    sandbox.fault(kind="status", status=503, service="artifact")
    assert play(sandbox, "-e", "stage=production") == 0, "a passing trouble"
    assert play(sandbox, "-e", "stage=production") == 0
    assert [entry for entry in sandbox.journal() if entry["effect"] == "write"] == []
