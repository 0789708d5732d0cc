# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the Jenkins client."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.ci import Ci


@pytest.fixture
def ci(sandbox: Any) -> Ci:
    """The service with a frozen clock."""
    sandbox.clock(frozen=True)
    return Ci(sandbox)
