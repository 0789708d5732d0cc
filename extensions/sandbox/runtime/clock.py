# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time in the sandbox."""

from __future__ import annotations

import time
from typing import Any


class Clock:
    """The time in the sandbox, which the control API can move and stop."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Show the real time again."""
        self.offset = 0.0
        self._stopped_at: float | None = None

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._stopped_at if self._stopped_at is not None else time.time() + self.offset

    @property
    def frozen(self) -> bool:
        """Whether the time stands still."""
        return self._stopped_at is not None

    def freeze(self, frozen: bool) -> None:
        """Stop the time, or let it go on from where it stands."""
        now = self.now()
        self._stopped_at = now if frozen else None
        self.offset = now - time.time()

    def set(self, now: float) -> None:
        """Jump to a time."""
        self.offset = now - time.time()
        if self.frozen:
            self._stopped_at = now

    def state(self) -> dict[str, Any]:
        """What the control API shows, and what a state folder keeps."""
        return {"now": self.now(), "offset": self.offset, "frozen": self.frozen}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on as a kept state says."""
        self.offset = state["offset"]
        self._stopped_at = state["now"] if state["frozen"] else None
