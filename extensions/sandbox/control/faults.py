# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fault injection: faults and the requests to which they apply."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import asdict, dataclass, field
from typing import Any

from ..runtime.clock import Clock
from ..runtime.evaluator import Evaluator

KINDS = ("latency", "status", "reset_before", "reset_after", "truncate", "body")
EFFECTS = ("read", "write")
_TEXT, _WHOLE_NUMBER, _NUMBER = (str, "a string"), (int, "a whole number"), ((int, float), "a number")
TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "kind": _TEXT,
    "service": _TEXT,
    "method": _TEXT,
    "path": _TEXT,
    "label": _TEXT,
    "effect": _TEXT,
    "nth": _WHOLE_NUMBER,
    "times": _WHOLE_NUMBER,
    "for_seconds": _NUMBER,
    "seconds": _NUMBER,
    "status": _WHOLE_NUMBER,
    "headers": (dict, "an object"),
    "body": _TEXT,
}
LEAST = {"nth": 1, "times": 0, "seconds": 0}


@dataclass
class Fault:
    """A fault for the matching requests from the `nth` on: for `times` requests, or for all of them if that is 0.

    :arg times: default 1, or 0 with `for_seconds`
    :arg for_seconds: time by the sandbox's clock after which the fault is removed
    :arg expires: the end of this time, in seconds since the epoch
    """

    id: int
    kind: str
    service: str | None = None
    method: str | None = None
    path: str | None = None
    label: str | None = None
    effect: str | None = None
    nth: int = 1
    times: int | None = None
    for_seconds: float | None = None
    seconds: float = 0
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    matched: int = 0
    expires: float | None = None

    def __post_init__(self) -> None:
        """Validate and normalize the fields.

        :raises ValueError: if a field is invalid
        """
        self._check_types()
        self._check_kind()
        self._check_conditions()
        if self.times is None:
            self.times = 1 if self.for_seconds is None else 0
        self.method = self.method and self.method.upper()
        self.headers = {name: str(value) for name, value in self.headers.items()}

    def _check_types(self) -> None:
        for name, (expected, words) in TYPES.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, expected) or isinstance(value, bool)):
                raise ValueError(f"The {name!r} of a fault must be {words}.")
        for name, least in LEAST.items():
            value = getattr(self, name)
            if value is not None and not least <= value < math.inf:
                raise ValueError(f"The {name!r} of a fault must be {least} or more.")
        if not all(type(value) in (str, int, float) for value in self.headers.values()):
            raise ValueError("The 'headers' of a fault must be strings.")

    def _check_kind(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"Unknown kind of fault {self.kind!r}. Use one of: {', '.join(KINDS)}.")
        if self.kind == "status" and self.status is None:
            raise ValueError("A fault of kind 'status' requires 'status'.")
        if self.kind == "latency" and not self.seconds:
            raise ValueError("A fault of kind 'latency' requires 'seconds'.")
        if self.status is not None and not 200 <= self.status <= 599:
            raise ValueError("The 'status' of a fault must be between 200 and 599.")

    def _check_conditions(self) -> None:
        if self.effect not in (None, *EFFECTS):
            raise ValueError(f"The 'effect' of a fault must be one of: {', '.join(EFFECTS)}.")
        if self.for_seconds is not None and not 0 < self.for_seconds < math.inf:
            raise ValueError("The 'for_seconds' of a fault must be positive.")
        try:
            re.compile(self.path or "")
        except (re.error, RecursionError, OverflowError):
            raise ValueError("The 'path' of a fault is not a valid regular expression.") from None

    def count_request(
        self, service: str, method: str, matching_paths: frozenset[int], label: str | None, effect: str | None
    ) -> bool:
        """Count a request if it matches, and return whether the fault applies to it.

        :arg matching_paths: IDs of the faults whose `path` matches that of the request
        :arg label: label of the route; null before the route is known, for faults that do not depend on it
        :arg effect: effect of the route, or null as well
        """
        if (label is None) == self.is_routed:
            return False
        if self.service not in (None, service) or self.method not in (None, method):
            return False
        if self.label not in (None, label) or self.effect not in (None, effect):
            return False
        if self.path and self.id not in matching_paths:
            return False
        self.matched += 1
        return self.matched >= self.nth and (not self.times or self.matched < self.nth + self.times)

    @property
    def is_routed(self) -> bool:
        """Whether the fault depends on the route of the request."""
        return bool(self.label or self.effect)


class UnknownFaultError(LookupError):
    """No fault with this ID exists."""


class Faults:
    """All active faults. IDs are not reused."""

    def __init__(self, services: tuple[str, ...], clock: Clock) -> None:
        """Create an empty list of faults for the services with these names."""
        self._services = services
        self._clock = clock
        self._faults: list[Fault] = []
        self._ids = itertools.count(1)

    def clear(self) -> None:
        """Remove all faults."""
        self._faults = []

    def remove(self, id: int) -> None:
        """Remove a fault.

        :raises UnknownFaultError: if it does not exist
        """
        others = [fault for fault in self._faults if fault.id != id]
        if len(others) == len(self._faults):
            raise UnknownFaultError(f"Fault {id} does not exist.")
        self._faults = others

    def add(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Add a fault and return all of its fields.

        :raises ValueError: if a field is unknown or invalid
        """
        if unknown := set(fields) - set(TYPES):
            names = ", ".join(sorted(map(repr, unknown)))
            raise ValueError(f"A fault has no member {names}. Its members are: {', '.join(TYPES)}.")
        if "kind" not in fields:
            raise ValueError(f"A fault requires 'kind', one of: {', '.join(KINDS)}.")
        given = {name: value for name, value in fields.items() if value is not None}
        fault = Fault(id=next(self._ids), **given)
        if fault.service not in (None, *self._services):
            raise ValueError(f"Unknown service {fault.service!r}.")
        fault.expires = None if fault.for_seconds is None else self._clock.now() + fault.for_seconds
        self._faults.append(fault)
        return asdict(fault)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the fields of all faults, each with its number of matching requests."""
        self._remove_expired()
        return [asdict(fault) for fault in self._faults]

    def _remove_expired(self) -> None:
        now = self._clock.now()
        self._faults = [fault for fault in self._faults if fault.expires is None or fault.expires > now]

    async def match_paths(self, path: str, evaluator: Evaluator) -> frozenset[int]:
        """Return the IDs of the faults whose `path` matches that of a request.

        :raises EvaluationError: if the evaluation takes too long
        """
        patterns = {fault.id: fault.path for fault in self._faults if fault.path}
        if not patterns:
            return frozenset()
        matches = await evaluator.search(list(patterns.values()), path)
        return frozenset(id for id, is_match in zip(patterns, matches, strict=True) if is_match)

    def match(
        self,
        service: str,
        method: str,
        matching_paths: frozenset[int],
        label: str | None = None,
        effect: str | None = None,
    ) -> tuple[Fault, ...]:
        """Return the faults that apply to a request.

        :arg label: if set, only the faults that depend on the route; if not set, only the others
        """
        if not self._faults:
            return ()
        self._remove_expired()
        return tuple(
            fault for fault in self._faults if fault.count_request(service, method, matching_paths, label, effect)
        )
