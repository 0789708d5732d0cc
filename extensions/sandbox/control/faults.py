# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults: what goes wrong on purpose, for which requests."""

from __future__ import annotations

import itertools
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from ..runtime.evaluator import Evaluator

KINDS = ("latency", "status", "reset_before", "reset_after", "truncate", "body")
NUMBER = (int, float)
TYPES: dict[str, type | tuple[type, ...]] = {
    "service": str,
    "method": str,
    "path": str,
    "label": str,
    "nth": int,
    "times": int,
    "seconds": NUMBER,
    "status": int,
    "headers": dict,
    "body": str,
}


@dataclass
class Fault:
    """One thing that goes wrong for the `nth` matching request and the `times - 1` after it (0: all after it)."""

    id: int
    kind: str
    service: str | None = None
    method: str | None = None
    path: str | None = None
    label: str | None = None
    nth: int = 1
    times: int = 1
    seconds: float = 0
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    matched: int = 0

    def __post_init__(self) -> None:
        for name, expected in TYPES.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, expected) or isinstance(value, bool)):
                raise ValueError(f"{name!r} of a fault cannot be {value!r}.")
        if self.kind not in KINDS:
            raise ValueError(f"A fault is one of {', '.join(KINDS)}; not {self.kind!r}.")
        if self.kind == "status" and self.status is None:
            raise ValueError("A fault of the kind 'status' needs a status.")
        if self.kind == "latency" and not self.seconds:
            raise ValueError("A fault of the kind 'latency' needs seconds.")
        if self.status is not None and not 200 <= self.status <= 599:
            raise ValueError("The status of a fault lies between 200 and 599.")
        self.method = self.method and self.method.upper()
        self.headers = {name: str(value) for name, value in self.headers.items()}
        re.compile(self.path or "")

    def strikes(self, service: str, method: str, found: frozenset[int], label: str | None) -> bool:
        """Count the request if it matches, and tell whether it is one of those that go wrong.

        :arg found: the faults whose `path` is found in that of the request
        """
        if self.label != label or self.service not in (None, service) or self.method not in (None, method):
            return False
        if self.path and self.id not in found:
            return False
        self.matched += 1
        return self.matched >= self.nth and (not self.times or self.matched < self.nth + self.times)


class NoSuchFaultError(LookupError):
    """The fault is not set any more, or never was."""


class Faults:
    """All faults that are set. The id of one that was cleared is not given again."""

    def __init__(self, services: tuple[str, ...]) -> None:
        self._services = services
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def clear(self) -> None:
        """Nothing goes wrong any more."""
        self._faults = []

    def remove(self, id: int) -> None:
        """One thing does not go wrong any more."""
        others = [fault for fault in self._faults if fault.id != id]
        if len(others) == len(self._faults):
            raise NoSuchFaultError(f"There is no fault {id}.")
        self._faults = others

    def add(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Set a fault; ValueError when it makes no sense."""
        try:
            fault = Fault(id=next(self._ids), **fields)
        except (TypeError, re.error, RecursionError) as error:
            raise ValueError(f"Not a fault: {error}") from error
        if fault.service not in (None, *self._services):
            raise ValueError(f"There is no service {fault.service!r}.")
        self._faults.append(fault)
        return asdict(fault)

    def all(self) -> list[dict[str, Any]]:
        """The faults with the number of requests that each has matched."""
        return [asdict(fault) for fault in self._faults]

    async def find(self, path: str, evaluator: Evaluator) -> frozenset[int]:
        """Return the ids of the faults whose `path` is found in that of a request.

        :raises EvaluationError: if that takes too long
        """
        patterns = {fault.id: fault.path for fault in self._faults if fault.path}
        if not patterns:
            return frozenset()
        found = await evaluator.search(list(patterns.values()), path)
        return frozenset(id for id, is_found in zip(patterns, found, strict=True) if is_found)

    def striking(self, service: str, method: str, found: frozenset[int], label: str | None) -> tuple[Fault, ...]:
        """Return the faults for this request: those bound to the label if there is one, else those bound to none."""
        if not self._faults:
            return ()
        return tuple(fault for fault in self._faults if fault.strikes(service, method, found, label))
