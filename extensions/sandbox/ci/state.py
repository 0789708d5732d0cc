# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a running server: rows, sessions and switches."""

from __future__ import annotations

import secrets
from typing import Any

from ..runtime.runtime import Runtime
from .access.sessions import Sessions
from .storage import Storage

NAME = "ci"


class State:
    """The state that the parts of the service share."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.storage = Storage(runtime.db)
        self.sessions = Sessions()

    def switch(self, name: str) -> Any:
        """Return the value of a switch of the service."""
        return self.runtime.get_switch(NAME, name)

    def set_switch(self, name: str, value: Any) -> None:
        """Change a switch of the service."""
        self.runtime.set_switches({NAME: {name: value}})

    def reset(self) -> None:
        """Reset to a server without any configuration."""
        self.storage.set("crumb_salt", secrets.token_hex(16))
        self.storage.set("executors", 2)
