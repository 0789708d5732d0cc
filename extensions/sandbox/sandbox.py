# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox: its services, faults, journal and state."""

from __future__ import annotations

import asyncio
import importlib
import pathlib
import re
import sqlite3
import tempfile
from collections.abc import Mapping
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from starlette.concurrency import run_in_threadpool

from .control.faults import Faults
from .control.journal import Journal
from .runtime.database import StateError
from .runtime.image import Image
from .runtime.runtime import Runtime
from .runtime.state_tables import StateTables
from .seeds.export import write_yaml
from .seeds.schema import SeedError, load_seed, mapping_schema, validate_seed
from .seeds.snapshot import SnapshotDirectory, find_snapshots, write_snapshot
from .service import Service

SERVICES = ("artifact", "ci", "review", "inference")
MAX_STATE_ROWS = 100
# Messages of Python's own functions
_PYTHON = re.compile(r"\bint\(\)|could not convert|to unpack|codec can't|isoformat|does not match format")
DEFAULT_SEED = pathlib.Path(__file__).parent / "seeds" / "default"


class Sandbox:
    """The services and the objects that the control API works on."""

    def __init__(self, state: pathlib.Path | None = None, seed: pathlib.Path = DEFAULT_SEED) -> None:
        """Restore the state, or add the seed if there is no state.

        :arg state: state directory; null for a temporary one
        :arg seed: file or directory of a seed, or directory of a snapshot
        :raises SeedError: if the seed is invalid
        :raises StateError: if the state directory cannot be used
        """
        self._snapshot = find_snapshots(seed, SERVICES)
        self._seed = None if self._snapshot else load_seed(seed)
        self.runtime = Runtime(state)
        self.journal = Journal()
        self.faults = Faults(SERVICES, self.runtime.clock)
        self._seeding = asyncio.Lock()
        self._image: Image | None = None
        try:
            self.services = self._create_services()
            self._restore()
        except (SeedError, StateError):
            self.runtime.close()
            raise

    def _create_services(self) -> list[Service]:
        classes: list[type[Service]] = [importlib.import_module(f"{__package__}.{name}").SERVICE for name in SERVICES]
        self.runtime.create("".join(service.schema for service in classes))
        for service in classes:
            self.runtime.declare_switches(
                service.name, service.switches, service.switch_rules, service.switches_by_version
            )
        return [service(self.runtime) for service in classes]

    def _restore(self) -> None:
        """Restore the state from the state directory, or reset if the directory contains none."""
        if self.runtime.load_setting("seeded"):
            if self.runtime.state_directory.was_killed:
                self.runtime.files.remove_orphaned(
                    lambda sha256: any(service.uses_content(sha256) for service in self.services)
                )
            self.runtime.clock.restore(self.runtime.load_setting("clock", self.runtime.clock.state()))
        else:
            self.reset()

    def reset(self) -> None:
        """Restore the state of the first start: remove faults and journal, delete all data and add the seed."""
        self.faults = Faults(SERVICES, self.runtime.clock)
        if self._image and self._image.restore(self.runtime.db):
            for service in self.services:
                service.forget()
            self.runtime.reload()
        else:
            self._reset_and_seed()
        self.journal.clear()

    def _reset_and_seed(self) -> None:
        """Delete all data and add the seed, and keep an image of the result."""
        with self.runtime.files.replace_all() as contents, self.runtime.transaction():
            for service in self.services:
                service.reset()
            self.runtime.reset()
            self.seed(self._seed)
            self._add_snapshot(self._snapshot)
            self.runtime.save_setting("seeded", True)
        self._image = Image(self.runtime.db, self.runtime.files, contents)

    def _add_snapshot(self, snapshot: Mapping[str, SnapshotDirectory]) -> None:
        """Add a snapshot in parts, because it may not fit into memory."""
        for name, directory in snapshot.items():
            try:
                for section in self.service(name).convert_snapshot(directory):
                    self.seed({name: section})
            except (AttributeError, KeyError, TypeError) as error:
                raise SeedError(f"The snapshot of {name} is damaged: {error!r}. Create the snapshot again.") from error

    async def wait_for_seeding(self) -> None:
        """Wait until no seed is being added."""
        async with self._seeding:
            pass

    async def seed_in_thread(self, data: Any, reset: bool) -> None:
        """Add a seed in a thread, because that can take long. Requests to the services wait."""
        async with self._seeding:
            await run_in_threadpool(self.seed, data, reset)

    async def load_snapshot_in_thread(self, files: Mapping[str, str]) -> None:
        """Replace the data of all services by a snapshot; see `_load_snapshot`. Requests to the services wait."""
        async with self._seeding:
            await run_in_threadpool(self._load_snapshot, files)

    def _load_snapshot(self, files: Mapping[str, str]) -> None:
        """Replace the data of all services by a snapshot.

        :arg files: texts of the files by path, such as `ci/manifest.json`
        :raises SeedError: if it is no snapshot or damaged; nothing is changed then
        """
        with tempfile.TemporaryDirectory(dir=self.runtime.files.incoming) as name, self.runtime.transaction():
            directory = pathlib.Path(name)
            write_snapshot(directory, files, SERVICES)
            snapshot = find_snapshots(directory, SERVICES)
            if not snapshot:
                raise SeedError("The files contain no snapshot: the manifest of a service, such as ci/manifest.json.")
            for service in self.services:
                service.reset()
            self._add_snapshot(snapshot)

    def seed(self, data: Any, reset: bool = False) -> None:
        """Add the contents of a seed.

        :arg reset: whether to delete the data of all services first
        :raises SeedError: if the seed is invalid; nothing is changed then
        """
        sections = {name: section or {} for name, section in data.items()} if isinstance(data, dict) else data or {}
        schema = mapping_schema("", **{service.name: service.seed_schema for service in self.services})
        validate_seed(sections, schema, "seed")
        with self.runtime.transaction():
            for service in self.services if reset else ():
                service.reset()
            for service in self.services:
                self._seed_service(service, sections.get(service.name, {}))

    def _seed_service(self, service: Service, section: dict[str, Any]) -> None:
        try:
            service.seed(section)
        except Exception as error:
            raise SeedError(f"seed.{service.name} is invalid: {_describe(error)}") from error

    async def export_seed_in_thread(self) -> dict[str, Any]:
        """Return the contents as a seed; see `_export_seed`. Requests to the services wait."""
        async with self._seeding:
            return await run_in_threadpool(self._export_seed)

    def _export_seed(self) -> dict[str, Any]:
        """Return the contents as a `seed`, what it does not contain (`omitted`) by service, and both as `yaml`."""
        for service in self.services:
            service.process_due_events()
        exports = {service.name: service.export_seed() for service in self.services}
        seed = {name: export.section for name, export in exports.items()}
        omitted = {name: export.omitted for name, export in exports.items()}
        return {"seed": seed, "omitted": omitted, "yaml": write_yaml(seed, omitted)}

    def service(self, name: str) -> Service:
        """Return a service by its name."""
        return self.services[SERVICES.index(name)]

    async def state(self) -> dict[str, dict[str, Any]]:
        """Return the contents by service and table: the `total` number of rows and the first `rows`."""
        for service in self.services:
            service.process_due_events()
        return await self.runtime.readers.read(
            lambda db: {service.name: _read_tables(db, service.state_tables) for service in self.services}
        )

    async def state_table(self, service: str, table: str, parent: str | None, offset: int) -> dict[str, Any]:
        """Return up to `MAX_STATE_ROWS` rows of a table; see `StateTables.read`.

        :raises ValueError: if the service does not exist
        """
        found = self.service(service)
        found.process_due_events()
        return await self.runtime.readers.read(
            lambda db: found.state_tables.read(db, table, parent, offset, MAX_STATE_ROWS)
        )

    def exports(self, base_url: str) -> dict[str, str]:
        """Return the environment variables of all services."""
        return {name: value for service in self.services for name, value in service.exports(base_url).items()}

    def list_secrets(self) -> list[str]:
        """Return the secrets of accounts that the services store."""
        return [secret for service in self.services for secret in service.list_secrets()]

    async def start(self) -> None:
        """Start the background tasks of the services."""
        for service in self.services:
            await service.start()

    async def stop(self) -> None:
        """Stop the background tasks, save the clock and release the state directory."""
        for service in self.services:
            await service.stop()
        is_complete = current_default_thread_limiter().borrowed_tokens == 0
        if not self._seeding.locked():
            self.runtime.save_setting("clock", self.runtime.clock.state())
        self.runtime.close(is_complete)


def _read_tables(db: sqlite3.Connection, tables: StateTables) -> dict[str, Any]:
    return {name: tables.read(db, name, None, 0, MAX_STATE_ROWS) for name in tables.queries}


def _describe(error: Exception) -> str:
    """Return the words of an error of the sandbox. Those of Python say nothing about a seed."""
    if isinstance(error, (TypeError, KeyError, AttributeError, IndexError, sqlite3.Error)) or _PYTHON.search(
        str(error)
    ):
        return "it contains a value that the sandbox does not understand."
    return str(error)
