# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Charts as geometry: positions in percent of the plot, and labels that the page writes as HTML text."""

from __future__ import annotations

import dataclasses
import math
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview.parts import Cell, Table, shorten

Format = t.Callable[[float], str]

# Colors of style.css; further names are summed up in the last one
COLORS = 6
_MAX_TICKS = 5
_MAX_COLUMN_WIDTH = 12.0
_MAX_LABELS = 5
_MAX_LABEL_LENGTH = 18


class Tick(t.NamedTuple):
    """A grid line. `position` is the distance from the bottom."""

    position: float
    label: str


class Bar(t.NamedTuple):
    """A part of a column. `y` is the distance of its top from the top of the plot."""

    x: float
    y: float
    width: float
    height: float
    color: int


class LegendEntry(t.NamedTuple):
    """A name of the legend with its color and its number."""

    color: int
    name: str
    value: str


@dataclasses.dataclass(frozen=True)
class Chart:
    """A chart with its numbers as a table.

    :ivar title: accessible name
    :ivar summary: names and texts of the most important numbers
    :ivar labels: labels of the horizontal axis: the first, the middle and the last, or those of all columns
    :ivar has_all_labels: whether each column has a label
    :ivar points: points of a line, each `x,y`, or empty for columns
    """

    title: str
    summary: t.Sequence[tuple[str, str]]
    ticks: t.Sequence[Tick]
    labels: t.Sequence[str]
    table: Table
    has_all_labels: bool = False
    points: t.Sequence[str] = ()
    bars: t.Sequence[Bar] = ()
    legend: t.Sequence[LegendEntry] = ()


def build_line(title: str, points: t.Sequence[tuple[float, float]], format_value: Format) -> Chart:
    """Return a line over time.

    :arg points: at least two pairs of time in seconds since 1970 and number, oldest first
    """
    times, values = zip(*points)
    lowest, highest = min(values), max(values)
    # A line that starts at 0 would hide small changes of large numbers
    ticks = find_ticks(lowest if lowest > highest / 2 else 0, highest, is_size=format_value is units.format_bytes)
    start, end = times[0], times[-1]
    low, high = ticks[0], ticks[-1]
    return Chart(
        title,
        [("Lowest", format_value(lowest)), ("Highest", format_value(highest)), ("Now", format_value(values[-1]))],
        [Tick(100 * (tick - low) / (high - low), format_value(tick)) for tick in ticks],
        [units.format_day(moment) for moment in (start, (start + end) / 2, end)],
        Table(
            ("Time, UTC", "#Value"),
            [(units.format_minute(moment), format_value(value)) for moment, value in reversed(points)],
            "points in time",
            0,
        ),
        points=[
            f"{100 * (moment - start) / ((end - start) or 1):.2f},{100 - 100 * (value - low) / (high - low):.2f}"
            for moment, value in points
        ],
    )


def build_columns(
    title: str,
    columns: t.Sequence[tuple[str, t.Mapping[str, float]]],
    names: t.Sequence[str],
    format_value: Format,
    noun: tuple[str, str],
    palette: t.Sequence[int] = range(1, COLORS + 1),
    is_flow: bool = True,
) -> Chart:
    """Return stacked columns.

    :arg columns: labels and numbers by name, oldest first
    :arg names: names in the order of the stack, from the bottom
    :arg noun: singular and plural noun for the columns
    :arg palette: colors by position in `names`
    :arg is_flow: whether the numbers of all columns can be added up, such as costs
    """
    sums = [sum(numbers.get(name, 0) for name in names) for _label, numbers in columns]
    ticks = find_ticks(0, max(sums), is_whole=format_value is units.format_count)
    slot = 100 / len(columns)
    width = min(slot * 0.7, _MAX_COLUMN_WIDTH)
    bars = []
    for position, (_label, numbers) in enumerate(columns):
        top = 100.0
        for color, name in zip(palette, names):
            height = 100 * numbers.get(name, 0) / ticks[-1]
            top -= height
            if height:
                bars.append(Bar((position + 0.5) * slot - width / 2, top, width, height, color))
    labels = [label for label, _numbers in columns]
    has_all_labels = len(labels) <= _MAX_LABELS
    used = [name for name in names if any(numbers.get(name) for _label, numbers in columns)]
    return Chart(
        title,
        [
            ("Total", format_value(math.fsum(sums))) if is_flow else ("Lowest", format_value(min(sums))),
            ("Highest", format_value(max(sums))),
            (f"Last {noun[0]}", format_value(sums[-1])),
        ],
        [Tick(100 * tick / ticks[-1], format_value(tick)) for tick in ticks],
        [shorten(label, _MAX_LABEL_LENGTH) for label in (labels if has_all_labels else _select_labels(labels))],
        Table(
            (noun[0].capitalize(), *(f"#{name}" for name in used), "#Total"),
            [
                (Cell(label), *(format_value(numbers.get(name, 0)) for name in used), format_value(total))
                for (label, numbers), total in zip(reversed(columns), reversed(sums))
            ],
            noun[1],
            0,
        ),
        has_all_labels,
        bars=bars,
        legend=[
            LegendEntry(
                color,
                name,
                format_value(
                    math.fsum(numbers.get(name, 0) for _label, numbers in (columns if is_flow else columns[-1:]))
                ),
            )
            for color, name in zip(palette, names)
            if name in used
        ],
    )


def find_ticks(low: float, high: float, is_size: bool = False, is_whole: bool = False) -> list[float]:
    """Return at most six round numbers. The first is at most `low`, the last at least `high`.

    :arg is_size: whether the numbers are bytes, whose round numbers are multiples of a power of 1,024
    """
    unit = 1.0
    while is_size and high >= 1000 * unit:
        unit *= 1024
    low, high = low / unit, high / unit
    if high <= low:
        high = low + max(abs(low) / 10, 1)
    rough = (high - low) / (_MAX_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    if is_whole or (is_size and unit == 1):
        step = max(step, 1)
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)
    return [number * step * unit for number in range(first, last + 1)]


def _select_labels(labels: t.Sequence[str]) -> list[str]:
    """Return the first, the middle and the last label."""
    return [labels[0], labels[len(labels) // 2], labels[-1]]
