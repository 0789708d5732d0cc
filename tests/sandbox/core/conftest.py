# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the sandbox's core have in common."""

from __future__ import annotations

import pytest

from sandbox import client
from support.wire.ci import Ci
from support.wire.inference import Api


@pytest.fixture
def ping(sandbox: client.Sandbox) -> str:
    """A plain read that any sandbox answers."""
    return f"{sandbox.url}/access/api/v1/system/ping"


@pytest.fixture
def ci(sandbox: client.Sandbox) -> Ci:
    """The CI server of the sandbox."""
    return Ci(sandbox)


@pytest.fixture
def api(sandbox: client.Sandbox) -> Api:
    """The inference API of the sandbox."""
    return Api(sandbox)
