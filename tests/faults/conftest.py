# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests of faults need."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from sandbox.client import Sandbox


@pytest.fixture(autouse=True)
def user_of_the_sandbox(monkeypatch: pytest.MonkeyPatch, running_sandbox: Sandbox) -> None:
    """Let modules find the sandbox through the environment, and retry without a delay."""
    for name, value in running_sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
