# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of cases: resource, query, fetch and operation."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

FILES = Path(tempfile.mkdtemp(prefix="toolchain-cases-"))
"""What cases read and write on this machine is in here; another run at the same time has a folder of its own."""
atexit.register(shutil.rmtree, FILES, ignore_errors=True)


class Case(Protocol):
    """Base class of cases."""

    @property
    def options(self) -> dict[str, Any]:
        """Return parameters for a run on a reset sandbox."""


@dataclass(frozen=True)
class Write:
    """The first request of a module with an effect."""

    label: str
    """As the sandbox's journal names it."""

    repeatable: bool = False
    """The service makes it idempotent: it is sent again when its reply is lost."""

    repeated_after: tuple[int, ...] = (503,)
    """A repeatable one is sent again after these answers."""

    irretrievable: str = ""
    """Its reply is needed, and no reading back brings it again: what the task says then."""

    undone: bool = False
    """When its reply is lost, what came of it is undone, and it is sent once more."""

    first_of_several: bool = False
    """When its reply is lost, the writes after it are left to the next run."""


@dataclass(frozen=True)
class Resource:
    """A resource that is created, updated and deleted."""

    create: dict[str, Any]
    update: dict[str, Any]
    absent: dict[str, Any]
    write: Write
    look: tuple[str, dict[str, Any]]
    """A query that shows the resource, and what it is asked with."""

    empty_first: bool = False
    """The answer to its first request has nothing in it, so that it cannot be cut off."""

    secret_file: str = ""
    """The option that names the file for a new secret."""

    login: str = ""
    """The option that logs in with that secret."""

    opens: str = ""
    """The query that the secret logs in to; without one it is that of `look`."""

    polls: bool = False
    """It waits, so how often it looks depends on the time."""

    by_program: bool = False
    """It has the service asked by a program, which repeats and says what it likes."""

    switches: dict[str, Any] = field(default_factory=dict)
    """Switches of the sandbox's service, for a module that its default version or edition lacks."""

    file: Path | None = None
    """What it leaves on this machine."""

    @property
    def options(self) -> dict[str, Any]:
        """Return the parameters that create it."""
        return self.create

    def forget(self) -> None:
        """Remove the local file."""
        if self.file:
            self.file.unlink(missing_ok=True)


@dataclass(frozen=True)
class Query:
    """A module that only reads."""

    options: dict[str, Any]

    by_program: bool = False
    """It has the service asked by a program, which repeats and says what it likes."""

    switches: dict[str, Any] = field(default_factory=dict)
    """Switches of the sandbox's service, for a module that its default version or edition lacks."""


@dataclass(frozen=True)
class Fetch:
    """A module that downloads a file."""

    options: dict[str, Any]

    file: Path
    """Where it is then."""

    def forget(self) -> None:
        """Remove the local file."""
        self.file.unlink(missing_ok=True)


@dataclass(frozen=True)
class Operation:
    """A module that runs an operation."""

    options: dict[str, Any]
    write: Write
    patience: str = "timeout"
    """The option that says how long to wait for the answer."""

    changes: bool = True
    """What it answers as `changed`."""

    lasting: bool = False
    """Done once, there is nothing left to do: asked again, it changes nothing."""

    look: tuple[str, dict[str, Any]] | None = None
    """A query that shows what a lasting one has brought about, and what it is asked with."""

    reads: bool = True
    """It looks before it acts."""

    empty_first: bool = False
    """The answer to its first request has nothing in it, so that it cannot be cut off."""

    polls: bool = False
    """It waits, so how often it looks depends on the time."""

    file: Path | None = None
    """What a lasting one leaves on this machine."""

    def forget(self) -> None:
        """Remove local files of the operation."""
        if self.file:
            self.file.unlink(missing_ok=True)


@dataclass(frozen=True)
class Service:
    """The cases of a service's modules."""

    cases: dict[str, Case]

    credentials: dict[str, str] = field(default_factory=dict)
    """What logs in: the option, and the sandbox's variable that holds it."""

    elsewhere: dict[str, str] = field(default_factory=dict)
    """The options that log in where the sandbox's variables do not serve: at another address."""
