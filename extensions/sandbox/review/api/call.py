# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of action handlers, and the routes of actions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...http.routing import Route
from ...parsing import globs
from ...runtime.runtime import Runtime
from ..access.permissions import Access
from .actions import ACTIONS
from .protocol import Parameters

Record = dict[str, Any]
Handler = Callable[["Call"], "Iterable[Record] | bytes | None"]

API_PATH = "/review/api"
DEFAULT_LIMIT = 1000


class Call(NamedTuple):
    """A call of an action. Handlers yield records, return the content of a file, or return null for an empty body.

    :ivar db: database connection; read-only unless the action writes
    :ivar access: permissions of the caller
    :ivar url: address of the server, as the caller uses it
    """

    runtime: Runtime
    db: sqlite3.Connection
    access: Access
    parameters: Parameters
    url: str


def major_version(runtime: Runtime) -> int:
    """Return the major version of the server, for example 20 for 20.4."""
    match = re.match("[0-9]+", runtime.get_switch("review", "version_major"))
    return int(match[0]) if match else 0


def action_route(handler: Handler) -> Route:
    """Return the route of an action. The handler has the name of the action, which requests have in `action`."""
    name = handler.__name__
    return Route("POST", API_PATH, handler, name, read_only=not ACTIONS[name].is_write, argument=f"action={name}")


def filter_names(call: Call, names: Iterable[str]) -> list[str]:
    """Return the names that match `search`, at most `limit` of them."""
    pattern = call.parameters.text("search") or "*"
    limit = call.parameters.integer("limit", DEFAULT_LIMIT)
    return [name for name in names if globs.matches(pattern, name)][:limit]
