# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of the sandbox."""

from __future__ import annotations

import time
from typing import Any


class Clock:
    """A clock that the control API can set, advance and freeze."""

    def __init__(self) -> None:
        """Start with the real time."""
        self.reset()

    def reset(self) -> None:
        """Return to the real time."""
        self.offset = 0.0
        self._frozen_at: float | None = None

    def now(self) -> float:
        """Return the time in seconds since the epoch."""
        return self._frozen_at if self._frozen_at is not None else time.time() + self.offset

    @property
    def is_frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._frozen_at is not None

    def freeze(self, is_frozen: bool) -> None:
        """Freeze the clock, or let it run again from the time at which it was frozen."""
        now = self.now()
        self._frozen_at = now if is_frozen else None
        self.offset = now - time.time()

    def set(self, now: float) -> None:
        """Set the clock to a time in seconds since the epoch."""
        self.offset = now - time.time()
        if self.is_frozen:
            self._frozen_at = now

    def state(self) -> dict[str, Any]:
        """Return the state for the control API and the state directory."""
        return {"now": self.now(), "offset": self.offset, "frozen": self.is_frozen}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state of an earlier process."""
        self.offset = state["offset"]
        self._frozen_at = state["now"] if state["frozen"] else None
