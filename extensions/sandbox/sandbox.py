# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox itself: its services, what is there at first, and what is kept."""

from __future__ import annotations

import asyncio
import importlib
import pathlib
import sqlite3
from collections.abc import Mapping
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from starlette.concurrency import run_in_threadpool

from .control.faults import Faults
from .control.journal import Journal
from .runtime.database import StateError
from .runtime.runtime import Runtime
from .seeds.schema import SeedError, load_seed, mapping_schema, validate_seed
from .seeds.snapshot import find_snapshots
from .service import Service

SERVICES = ("artifact", "ci", "review", "inference")
MAX_STATE_ROWS = 100
DEFAULT_SEED = pathlib.Path(__file__).parent / "seeds" / "default"


class Sandbox:
    """The services, and everything that the control API works on."""

    def __init__(self, state: pathlib.Path | None = None, seed: pathlib.Path = DEFAULT_SEED) -> None:
        self._snapshot = find_snapshots(seed, SERVICES)
        self._seed = None if self._snapshot else load_seed(seed)
        self.runtime = Runtime(state)
        self.journal = Journal()
        self.faults = Faults(SERVICES)
        self._planting = asyncio.Lock()
        try:
            self.services = self._load()
            self._resume()
        except (SeedError, StateError):
            self.runtime.close()
            raise

    def _load(self) -> list[Service]:
        classes: list[type[Service]] = [importlib.import_module(f"{__package__}.{name}").SERVICE for name in SERVICES]
        self.runtime.create("".join(service.schema for service in classes))
        for service in classes:
            self.runtime.declare_switches(service.name, service.switches)
        return [service(self.runtime) for service in classes]

    def _resume(self) -> None:
        """Go on with what the state folder holds, if it holds anything."""
        if self.runtime.load_setting("seeded"):
            if self.runtime.state_directory.was_killed:
                self.runtime.files.remove_orphaned(
                    lambda sha256: any(service.uses_content(sha256) for service in self.services)
                )
            self.runtime.clock.restore(self.runtime.load_setting("clock", self.runtime.clock.state()))
        else:
            self.reset()

    def reset(self) -> None:
        """Be as right after the first start."""
        self.faults = Faults(SERVICES)
        with self.runtime.files.replace_all(), self.runtime.transaction():
            for service in self.services:
                service.reset()
            self.runtime.reset()
            self.seed(self._seed)
            self._plant_snapshot()
            self.runtime.save_setting("seeded", True)
        self.journal.clear()

    def _plant_snapshot(self) -> None:
        """Part by part, for all of it need not fit into memory."""
        for name, folder in self._snapshot.items():
            try:
                for section in self.service(name).convert_snapshot(folder):
                    self.seed({name: section})
            except (AttributeError, KeyError, TypeError) as error:
                raise SeedError(f"The snapshot of {name} is damaged: {error!r}. Make it anew.") from error

    async def wait_for_seeding(self) -> None:
        """Wait for the seed that is being planted, if there is one."""
        async with self._planting:
            pass

    async def plant(self, data: Any, reset: bool) -> None:
        """Seed in a thread, for it can take long; what is asked of the services meanwhile waits."""
        async with self._planting:
            await run_in_threadpool(self.seed, data, reset)

    def seed(self, data: Any, reset: bool = False) -> None:
        """Add what a seed describes, with `reset` to nothing else; SeedError when it is none."""
        sections = {name: section or {} for name, section in data.items()} if isinstance(data, dict) else data or {}
        validate_seed(
            sections, mapping_schema("", **{service.name: service.seed_schema for service in self.services}), "seed"
        )
        with self.runtime.transaction():
            for service in self.services if reset else ():
                service.reset()
            for service in self.services:
                self._seed_service(service, sections.get(service.name, {}))

    def _seed_service(self, service: Service, section: dict[str, Any]) -> None:
        try:
            service.seed(section)
        except Exception as error:
            raise SeedError(f"seed.{service.name} cannot be used: {error}") from error

    def service(self, name: str) -> Service:
        """One of the services."""
        return self.services[SERVICES.index(name)]

    async def state(self) -> dict[str, dict[str, Any]]:
        """What there is, as tables by service: all rows are counted, and as many are told as a person reads."""
        for service in self.services:
            service.process_due_events()
        return await self.runtime.readers.read(
            lambda db: {service.name: _read_tables(db, service.state_queries) for service in self.services}
        )

    def exports(self, base_url: str) -> dict[str, str]:
        """The environment variables of all services."""
        return {name: value for service in self.services for name, value in service.exports(base_url).items()}

    async def start(self) -> None:
        """Start the services' background work."""
        for service in self.services:
            await service.start()

    async def stop(self) -> None:
        """Stop it and let go of the state."""
        for service in self.services:
            await service.stop()
        is_complete = current_default_thread_limiter().borrowed_tokens == 0
        if not self._planting.locked():
            self.runtime.save_setting("clock", self.runtime.clock.state())
        self.runtime.close(is_complete)


def _read_tables(db: sqlite3.Connection, queries: Mapping[str, str]) -> dict[str, Any]:
    tables = {}
    for name, query in queries.items():
        (total,) = db.execute(f"SELECT count(*) FROM ({query})").fetchone()
        rows = db.execute(f"SELECT * FROM ({query}) LIMIT ?", (MAX_STATE_ROWS,))
        tables[name] = {"total": total, "rows": [dict(row) for row in rows]}
    return tables
