# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the core asks of a service, and what a service may raise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from .runtime.runtime import Runtime
from .seeds.schema import ANY_VALUE, Schema
from .seeds.snapshot import SnapshotDirectory


class ConnectionDropped(Exception):
    """Raised by a service that resets the connection instead of answering."""


class Service:
    """One of the four stand-ins; it gets every request under its prefixes.

    It finds the call in its `routing.Routes`, enters the route before it acts, and answers.
    """

    name: ClassVar[str]
    prefixes: ClassVar[tuple[str, ...]]
    schema: ClassVar[str] = ""
    switches: ClassVar[dict[str, Any]] = {}
    seed_schema: ClassVar[Schema] = ANY_VALUE
    state_queries: ClassVar[Mapping[str, str]] = {}  # tables of what there is, each as a query
    has_canonical_headers: ClassVar[bool] = True  # as in X-Jenkins; a server behind HTTP/2 writes them small
    client_origins: ClassVar[frozenset[str]] = frozenset()  # of pages of the real service, which clients send
    origin_check_paths: ClassVar[frozenset[str]] = (
        frozenset()
    )  # paths at which the service itself refuses other origins

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.own_url: str | None = None  # where it has a port to itself, and no prefix
        self.ssh_address: tuple[str, int] | None = None  # where it listens for SSH, if it can

    async def __call__(self, request: Request) -> Response:
        """Answer one request."""
        raise NotImplementedError

    def seed(self, data: dict[str, Any]) -> None:
        """Add what the service's section of a seed describes."""

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        """What a snapshot says of the service, as sections of seeds to be planted one after the other."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything: the rows of the service's tables, and in subclasses what they keep in memory."""
        tables = self.runtime.db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?", (f"{self.name}_*",)
        ).fetchall()
        for table in tables:
            self.runtime.db.execute(f'DELETE FROM "{table["name"]}"')

    def uses_content(self, sha256: str) -> bool:
        """Return whether anything uses the content with this checksum; unused content is removed."""
        return False

    def process_due_events(self) -> None:
        """Let happen what is due by the clock."""

    def exports(self, base_url: str) -> dict[str, str]:
        """The environment variables that a client of this service needs."""
        return {}

    async def start(self) -> None:
        """Begin background work."""

    async def stop(self) -> None:
        """End background work."""

    def control_routes(self) -> list[BaseRoute]:
        """Control paths of its own, relative to `/_sandbox/<service>`."""
        return []
