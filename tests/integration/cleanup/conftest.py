# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for the tests of clean-ups."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry


@pytest.fixture
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox_environment: None) -> None:
    """The module finds the sandbox through the environment, and loses no time between two tries."""
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
