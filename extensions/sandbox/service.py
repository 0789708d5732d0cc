# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface of a service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from .runtime.runtime import Runtime
from .runtime.state_tables import StateTables
from .runtime.switch_rules import Rules, SwitchesByVersion
from .seeds.export import SeedExport
from .seeds.schema import ANY_VALUE, Schema
from .seeds.snapshot import SnapshotDirectory

# Responses by the name of a fault preset, each with conditions of the fault. The first match is used.
Failures = Mapping[str, Sequence[tuple[Mapping[str, str], Response]]]


class ConnectionDropped(Exception):
    """Raised by a service to reset the connection instead of sending a response."""


class Service:
    """One of the four simulated services. It serves all requests below its prefixes.

    For each request, it finds the route in its `Routes`, calls `Route.enter` before it changes anything, and returns a
    response.

    :cvar schema: SQL that creates the tables; their names start with the name of the service
    :cvar switches: names and default values of the switches
    :cvar switch_rules: rules for their values that go beyond type and sign
    :cvar switches_by_version: other defaults of switches, each with the first version that has it
    :cvar state_tables: tables of the control path `state`
    :cvar failures: responses of the fault presets
    :cvar has_canonical_headers: whether header names are sent as in `X-Jenkins`; a server behind HTTP/2 uses lower case
    :cvar client_origins: values of `Origin` that clients of the real service send
    :cvar origin_check_paths: paths at which the service checks `Origin` itself
    """

    name: ClassVar[str]
    prefixes: ClassVar[tuple[str, ...]]
    schema: ClassVar[str] = ""
    switches: ClassVar[dict[str, Any]] = {}
    switch_rules: ClassVar[Rules] = {}
    switches_by_version: ClassVar[SwitchesByVersion] = {}
    seed_schema: ClassVar[Schema] = ANY_VALUE
    state_tables: ClassVar[StateTables] = StateTables({})
    failures: ClassVar[Failures] = {}
    has_canonical_headers: ClassVar[bool] = True
    client_origins: ClassVar[frozenset[str]] = frozenset()
    origin_check_paths: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, runtime: Runtime) -> None:
        """Create the service. Its tables exist already."""
        self.runtime = runtime
        self.own_url: str | None = None  # address of the dedicated port, if any
        self.ssh_address: tuple[str, int] | None = None  # address of the SSH server, if any

    async def __call__(self, request: Request) -> Response:
        """Serve a request."""
        raise NotImplementedError

    def seed(self, data: dict[str, Any]) -> None:
        """Add the contents of the service's section of a seed."""

    def export_seed(self) -> SeedExport:
        """Return the contents as a section of a seed."""
        raise NotImplementedError

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        """Yield sections of seeds with the contents of a snapshot, in the order in which to add them."""
        raise NotImplementedError

    def forget(self) -> None:
        """Clear the state in memory."""

    def reset(self) -> None:
        """Delete all rows of the service's tables, and clear the state in memory."""
        tables = self.runtime.db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB ?", (f"{self.name}_*",)
        ).fetchall()
        for table in tables:
            self.runtime.db.execute(f'DELETE FROM "{table["name"]}"')
        self.forget()

    def uses_content(self, _sha256: str) -> bool:
        """Return whether the service uses the file content with this checksum. Unused contents are removed."""
        return False

    def process_due_events(self) -> None:
        """Process the events that are due according to the clock."""

    def exports(self, _base_url: str) -> dict[str, str]:
        """Return the environment variables that clients of the service need."""
        return {}

    def list_secrets(self) -> Iterable[str]:
        """Return the secrets of accounts that the service stores, for masking."""
        return ()

    async def start(self) -> None:
        """Start background tasks."""

    async def stop(self) -> None:
        """Stop background tasks."""

    def control_routes(self) -> list[BaseRoute]:
        """Return control paths of the service, relative to `/_sandbox/<service>`."""
        return []
