# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Polling for results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.servers.process import wait_for


def poll(read: Callable[[], Any]) -> Any:
    """Call `read` until its result is true, and return the result."""
    found = None

    def came() -> bool:
        nonlocal found
        found = read()
        return bool(found)

    wait_for(came, "something to come")
    return found
