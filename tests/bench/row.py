# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row of the bench, and the figure that is measured for it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """What is measured, and what it has to reach: `compare` is `<=`, `>=`, or empty when it is only told."""

    key: str
    what: str
    compare: str = ""
    limit: float = 0.0

    def reached(self, figure: Figure) -> bool:
        """Whether the figure is good enough."""
        return {"<=": figure.value <= self.limit, ">=": figure.value >= self.limit, "": True}[self.compare]


@dataclass(frozen=True)
class Figure:
    """A value; its spread, from the first to the third quartile, when there are several samples; and details."""

    value: float
    spread: list[float] | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Spread and details, for people."""
        spread = f"; {self.spread[0]:g} to {self.spread[1]:g}" if self.spread else ""
        return spread + "".join(f"; {name} {value}" for name, value in self.more.items())


class CannotRunError(Exception):
    """This machine lacks what the measurement needs."""


def ratio(one: Sequence[float], other: Sequence[float], **more: Any) -> Figure:
    """The median of the ratios round by round, so that what slows the machine down for a while cancels out."""
    ratios = [ours / theirs for ours, theirs in zip(one, other, strict=True)]
    low, _median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Figure(round(statistics.median(ratios), 2), [round(low, 2), round(high, 2)], more)


def milliseconds(seconds: Sequence[float]) -> float:
    """Their median."""
    return round(1000 * statistics.median(seconds), 2)
