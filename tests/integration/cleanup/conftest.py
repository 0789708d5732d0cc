# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for the tests of cleanups."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry


@pytest.fixture
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox_environment: None) -> None:
    """Connect the module to the sandbox by environment variables, and retry without delay."""
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
