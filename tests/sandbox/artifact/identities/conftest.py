# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the tests of users and groups in the Access API."""

from __future__ import annotations

import pytest

from sandbox import client
from support.session import Session


@pytest.fixture
def access(sandbox: client.Sandbox) -> Session:
    """Return an administrator's session for all versions of the Access API."""
    return Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"])
