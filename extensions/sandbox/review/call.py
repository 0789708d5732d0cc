# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call of an action, as its handler sees it, and the route to it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..http.routing import Route
from ..parsing import globs
from ..runtime.runtime import Runtime
from .access import Access
from .catalogue import ACTIONS
from .protocol import Parameters

Record = dict[str, Any]
Handler = Callable[["Call"], "Iterable[Record] | bytes | None"]

API_PATH = "/review/api"
DEFAULT_LIMIT = 1000


class Call(NamedTuple):
    """The runtime, its database, the caller, the parameters and the address of the server.

    A handler yields records, gives a file, or returns nothing for an empty body.
    """

    runtime: Runtime
    db: sqlite3.Connection
    access: Access
    parameters: Parameters
    url: str


def major_version(runtime: Runtime) -> int:
    """That of the server: 20 of 20.4."""
    told = re.match("[0-9]+", runtime.get_switch("review", "version_major"))
    return int(told[0]) if told else 0


def action(handler: Handler) -> Route:
    """The route of the action with the name of its handler: one address serves all, and `action` tells them apart."""
    name = handler.__name__
    return Route("POST", API_PATH, handler, name, read_only=not ACTIONS[name].writes, argument=f"action={name}")


def matching(call: Call, names: Iterable[str]) -> list[str]:
    """The names that the `search` and `limit` of a call let through."""
    pattern = call.parameters.text("search") or "*"
    limit = call.parameters.integer("limit", DEFAULT_LIMIT)
    return [name for name in names if globs.matches(pattern, name)][:limit]
