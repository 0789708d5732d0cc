# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for tests of the sandbox core."""

from __future__ import annotations

import pytest

from sandbox import client
from support.wire.ci import Ci
from support.wire.inference import Api


@pytest.fixture
def ping(sandbox: client.Sandbox) -> str:
    """Return the URL of a request without side effects."""
    return f"{sandbox.url}/access/api/v1/system/ping"


@pytest.fixture
def ci(sandbox: client.Sandbox) -> Ci:
    """Return the base URL of Jenkins."""
    return Ci(sandbox)


@pytest.fixture
def api(sandbox: client.Sandbox) -> Api:
    """Return the base URL of the inference API."""
    return Api(sandbox)
