# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of an action, as its handler sees it, and the table of handlers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..world import World
from .access import Access
from .catalogue import ACTIONS
from .protocol import Parameters

Record = dict[str, Any]
Handler = Callable[["Call"], "Iterable[Record] | None"]

DEFAULT_LIMIT = 1000


class Call(NamedTuple):
    """The world, the caller and the parameters. A handler yields records, or returns nothing for an empty body."""

    world: World
    access: Access
    parameters: Parameters


def serves(handlers: dict[str, Handler]) -> Callable[[Handler], Handler]:
    """Register a handler under its own name, which must be an action's."""

    def register(handler: Handler) -> Handler:
        name = handler.__name__
        if name not in ACTIONS:
            raise LookupError(f"no such action: {name}")
        handlers[name] = handler
        return handler

    return register


def glob_matches(pattern: str, name: str) -> bool:
    """The filter of users and groups: `*` stands for anything, and without one only the very name matches."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None


def matching(call: Call, names: Iterable[str]) -> list[str]:
    """The names that the `search` and `limit` of a call let through."""
    pattern = call.parameters.text("search") or "*"
    limit = call.parameters.integer("limit", DEFAULT_LIMIT)
    return [name for name in names if glob_matches(pattern, name)][:limit]
