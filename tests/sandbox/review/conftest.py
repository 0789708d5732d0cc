# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixture for a client of the review API."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.review import Api


@pytest.fixture
def api(sandbox: Any) -> Api:
    return Api(sandbox)
