# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of the benchmark and the figure that is measured for it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """A measured quantity and its target: `compare` is `<=`, `>=`, or empty if there is no target."""

    key: str
    description: str
    compare: str = ""
    limit: float = 0.0

    def is_reached(self, figure: Figure) -> bool:
        """Return whether the figure reaches the target."""
        return {"<=": figure.value <= self.limit, ">=": figure.value >= self.limit, "": True}[self.compare]


@dataclass(frozen=True)
class Figure:
    """A value, its spread from the first to the third quartile if there are several samples, and details."""

    value: float
    spread: list[float] | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Return spread and details for the table."""
        spread = f"; {self.spread[0]:g} to {self.spread[1]:g}" if self.spread else ""
        return spread + "".join(f"; {name} {value}" for name, value in self.details.items())


class CannotRunError(Exception):
    """This machine lacks a requirement of the measurement."""


def ratio(numerators: Sequence[float], denominators: Sequence[float], digits: int = 2, **details: Any) -> Figure:
    """Return the median of the ratios of each round, so that a temporary slowdown of the machine cancels out.

    :arg digits: number of decimal places
    """
    ratios = [numerator / denominator for numerator, denominator in zip(numerators, denominators, strict=True)]
    low, _median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    spread = [round(low, digits), round(high, digits)]
    return Figure(round(statistics.median(ratios), digits), spread, details)


def median_ms(seconds: Sequence[float]) -> float:
    """Return the median in milliseconds."""
    return round(1000 * statistics.median(seconds), 2)
