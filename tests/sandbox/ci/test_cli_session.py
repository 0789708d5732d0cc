# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CLI commands that wait while Jenkins restarts."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox.ci.cli.session import ConnectionDropped, Session

RESTART = 2


class Lifecycle:
    """Lifecycle whose restart begins at RESTART."""

    def outage(self, now: float) -> Any:
        return SimpleNamespace(stage="refused") if now >= RESTART else None


def test_connection_is_dropped_when_restart_begins_during_a_poll() -> None:
    clock = itertools.count()  # advances with each reading
    controller: Any = SimpleNamespace(
        storage=SimpleNamespace(setting=lambda _name: "the same"),
        scheduler=SimpleNamespace(settle=lambda _now: None),
        lifecycle=Lifecycle(),
        runtime=SimpleNamespace(clock=SimpleNamespace(now=lambda: next(clock))),
    )
    principal: Any = None
    send: Any = None

    async def wait() -> None:
        session = Session(controller, principal, send)
        with pytest.raises(ConnectionDropped):
            await session.wait_until(lambda: "ABORTED" if session.now >= RESTART else None)

    asyncio.run(wait())
