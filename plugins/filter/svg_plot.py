# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: svg_plot
short_description: Plot a list of dictionaries, as SVG for a web page
description:
  - Draws bars, lines, boxes or spans of time from a list of dictionaries, such as modules give, as one C(svg) element
    that is put into a page as it is.
  - Text stays text. Its colour and font are those of the page around it; those of the series are the CSS variables
    C(--plot-1) to C(--plot-6), so that one plot fits light and dark pages. It is as wide as its container.
  - The same input always gives the same output.
  - Without matplotlib, or without rows, the result is an empty text. The lack of matplotlib is a warning.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
requirements:
  - matplotlib >= 3.10
notes:
  - A plot is a picture with a title and a description for screen readers. Put a table with the numbers beside it.
  - Long labels are shortened. Control characters in them are replaced.
options:
  _input:
    description: The rows.
    type: list
    elements: dict
    required: true
  kind:
    description:
      - V(bars) are horizontal ones, one above the other for each O(label), with the O(series) in it side by side.
      - V(lines) are drawn from O(label) to O(label), one for each of the O(series). Labels that are all dates and
        times stand where they belong in time.
      - V(boxes) show, for each O(label), the smallest of its numbers, the middle half of them, the median and the
        largest.
      - V(spans) go from O(begin) to O(end), one for each row.
    type: str
    choices: [bars, lines, boxes, spans]
    required: true
  title:
    description: What it shows. Read out by screen readers, and not drawn.
    type: str
    required: true
  label:
    description: The member of a row that it is drawn for.
    type: str
    required: true
  value:
    description:
      - The member with the number. Without it each row counts one.
      - The numbers of rows with the same label and series are added up, but not in boxes.
    type: str
  series:
    description: The member that tells bars within a bar, and lines, apart. Without it there is one.
    type: str
  order:
    description: Series in the order that they have to have, each its colour. Others follow as they come.
    type: list
    elements: str
    default: []
  begin:
    description:
      - The member with the begin of a span, in ISO 8601 with a zone or in seconds since 1970. None is the left edge.
    type: str
  end:
    description: The member with the end of a span, in the same forms. None is the right edge.
    type: str
  now:
    description: The time that a line marks in spans, in the same forms.
    type: raw
  days:
    description: So many days before and after O(now) are shown of spans.
    type: int
  unit:
    description: What the numbers are, so that C(1.5 GB) or C(20 min) stands there. 1 KB is 1,024 bytes.
    type: str
    choices: [bytes, number, seconds]
    default: number
"""

EXAMPLES = r"""
- name: See how much is stored
  buildworks.toolchain.artifact_storage_info:
  register: found

- name: Draw it
  ansible.builtin.copy:
    content: >-
      {{ found.storage.repositories
         | buildworks.toolchain.svg_plot('bars', 'Storage', label='key', value='used', unit='bytes') }}
    dest: /tmp/storage.svg
    mode: "0644"

- name: Count builds by job and result
  ansible.builtin.debug:
    msg: "{{ builds | buildworks.toolchain.svg_plot('bars', 'Builds by result', label='job', series='result') }}"
  vars:
    builds: [{job: app, result: SUCCESS}, {job: app, result: FAILURE}, {job: site, result: SUCCESS}]
"""

RETURN = r"""
_value:
  description: The C(svg) element, or an empty text.
  type: str
"""

import collections.abc as c
import datetime
import hashlib
import html
import io
import json
import logging
import math
import re
import typing as t
import unicodedata
import warnings

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

Row = c.Mapping[str, t.Any]

# A phone is so wide; text that can be read there can be read everywhere
WIDTH = 360
LINE = 22
FONT_SIZE = 12
LONGEST_LABEL = 26
# Controls, halves of characters, those that are none, separators of lines and paragraphs
_NOT_SHOWN = {"Cc", "Cs", "Cn", "Zl", "Zp"}

_MATPLOTLIB = (3, 10)
_FOR_EVER = 9000  # a year
# Colours that stand for those of the page until the picture is drawn
_TEXT = "#0a0a01"
_GROUND = "#0a0a02"
_SERIES = [f"#0a0b{number:02d}" for number in range(6)]
# As dark as they are light: each has a contrast of 3 or more to white and to black
_FALLBACK = ["#3b7dd8", "#c2601c", "#2e8b57", "#a05cc0", "#c8453b", "#75808c"]
_OF_THE_PAGE = {
    _TEXT: "currentColor",
    _GROUND: "var(--plot-ground, Canvas)",
    **{
        stands_for: f"var(--plot-{number}, {colour})"
        for number, (stands_for, colour) in enumerate(zip(_SERIES, _FALLBACK), 1)
    },
}
_DASHES = ["-", "--", ":", "-."]

# What numbers are told in, the largest first
_UNITS: dict[str, list[tuple[float, str]]] = {
    "bytes": [*((1024.0**power, f"{letter}B") for power, letter in zip(range(5, 0, -1), "PTGMK")), (1, "bytes")],
    "number": [(1, "")],
    "seconds": [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")],
}


class Plot:
    """What is drawn, checked.

    :raises AnsibleFilterError: for rows and options that cannot be drawn
    """

    def __init__(self, rows: t.Any, kind: str, title: str, options: dict[str, t.Any]) -> None:
        if kind not in _KINDS:
            raise AnsibleFilterError(f"svg_plot: 'kind' takes one of {', '.join(_KINDS)}, not {kind!r}.")
        if not isinstance(rows, c.Sequence) or not all(isinstance(row, c.Mapping) for row in rows):
            raise AnsibleFilterError("svg_plot: takes a list of dictionaries.")
        self.rows: c.Sequence[Row] = rows
        self.kind = kind
        self.title = title
        self.label: str = options["label"]
        self.value: str | None = options["value"]
        self.series: str | None = options["series"]
        self.order: list[str] = options["order"]
        self.begin: str | None = options["begin"]
        self.end: str | None = options["end"]
        self.unit: str = options["unit"]
        self.days: int | None = options["days"]
        self.now = _moment("now", options["now"])
        if self.unit not in _UNITS:
            raise AnsibleFilterError(f"svg_plot: 'unit' takes one of {', '.join(_UNITS)}, not {self.unit!r}.")

    def labels(self) -> list[str]:
        """The labels, each once, in their order."""
        return list(dict.fromkeys(str(self._member(row, self.label)) for row in self.rows))

    def table(self) -> dict[str, dict[str, float]]:
        """The sums by series and label, also of a series in the order that has none."""
        sums: dict[str, dict[str, float]] = {name: {} for name in self.order}
        for row in self.rows:
            name = str(self._member(row, self.series)) if self.series else self.title
            label = str(self._member(row, self.label))
            of_series = sums.setdefault(name, {})
            of_series[label] = of_series.get(label, 0) + self._number(row)
        return sums

    def numbers(self) -> dict[str, list[float]]:
        """All numbers by label."""
        found: dict[str, list[float]] = {}
        for row in self.rows:
            found.setdefault(str(self._member(row, self.label)), []).append(self._number(row))
        return found

    def spans(self) -> list[tuple[str, datetime.datetime | None, datetime.datetime | None]]:
        """Label, begin and end of each row."""
        return [
            (str(self._member(row, self.label)), self._end_of_span(row, self.begin), self._end_of_span(row, self.end))
            for row in self.rows
        ]

    def _end_of_span(self, row: Row, name: str | None) -> datetime.datetime | None:
        return None if name is None else _moment(name, self._member(row, name))

    def _member(self, row: Row, name: str) -> t.Any:
        if name not in row:
            raise AnsibleFilterError(f"svg_plot: a row has no {name!r}, but {', '.join(map(str, row)) or 'nothing'}.")
        return row[name]

    def _number(self, row: Row) -> float:
        number = 1 if self.value is None else self._member(row, self.value)
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number):
            raise AnsibleFilterError(f"svg_plot: {self.value!r} of a row is no number, but {number!r}.")
        return float(number)


def svg_plot(
    rows: t.Any,
    kind: str,
    title: str,
    label: str,
    value: str | None = None,
    series: str | None = None,
    order: c.Sequence[str] = (),
    begin: str | None = None,
    end: str | None = None,
    now: t.Any = None,
    days: int | None = None,
    unit: str = "number",
) -> str:
    """The rows as an SVG element; empty without rows, and without matplotlib."""
    options: dict[str, t.Any] = dict(label=label, value=value, series=series, order=list(order), unit=unit)
    options |= dict(begin=begin, end=end, now=now, days=days)
    plot = Plot(rows, kind, title, options)
    if not plot.rows:
        return ""
    try:
        import matplotlib

        if matplotlib.__version_info__ < _MATPLOTLIB:
            raise ImportError
    except ImportError:
        Display().warning("svg_plot draws nothing, for the Python package matplotlib is missing, or older than 3.10.")
        return ""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of its caches
    salt = hashlib.sha256(json.dumps([title, kind, options, rows], default=str).encode()).hexdigest()[:12]
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters that its own font does not have; the page's may
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_settings(salt))
        return _for_the_page(_drawn(plot), salt, plot)


def _settings(salt: str) -> dict[str, t.Any]:
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "text.parse_math": False,
        "font.size": FONT_SIZE,
        **dict.fromkeys(("text.color", "axes.edgecolor", "xtick.color", "ytick.color"), _TEXT),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "timezone": "UTC",
    }


def _drawn(plot: Plot) -> str:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    lines = _KINDS[plot.kind](plot, axes)
    names, _texts = axes.get_legend_handles_labels()
    if len(names) > 1:
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
        lines += math.ceil(len(names) / 2)
    figure.set_size_inches(WIDTH / 72, (lines + 2) * LINE / 72)
    picture = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(picture, format="svg", transparent=True, metadata=nothing)
    return picture.getvalue()


def _bars(plot: Plot, axes: t.Any) -> int:
    labels = plot.labels()
    lefts = dict.fromkeys(labels, 0.0)
    for number, (name, numbers) in enumerate(plot.table().items()):
        if not numbers:
            continue
        widths = [numbers.get(label, 0.0) for label in labels]
        axes.barh(
            range(len(labels)),
            widths,
            left=[lefts[label] for label in labels],
            height=0.7,
            label=_shown(name),
            color=_SERIES[number % len(_SERIES)],
            edgecolor=_GROUND,
        )
        for label, width in zip(labels, widths):
            lefts[label] += width
    _name_the_rows(axes, labels)
    _count_on(axes.xaxis, plot.unit)
    return len(labels)


def _boxes(plot: Plot, axes: t.Any) -> int:
    numbers = plot.numbers()
    line = {"color": _TEXT}
    axes.boxplot(
        list(numbers.values()),
        positions=range(len(numbers)),
        orientation="horizontal",
        whis=(0, 100),
        widths=0.6,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": _GROUND, "edgecolor": _TEXT},
        medianprops={**line, "linewidth": 2},
        whiskerprops=line,
        capprops=line,
    )
    axes.set_xlim(left=0)
    _name_the_rows(axes, list(numbers))
    _count_on(axes.xaxis, plot.unit)
    return len(numbers)


def _lines(plot: Plot, axes: t.Any) -> int:
    labels = plot.labels()
    moments = [_moment_in(label) for label in labels]
    in_time = all(moments)
    places: dict[str, t.Any] = dict(zip(labels, moments if in_time else range(len(labels))))
    for number, (name, numbers) in enumerate(plot.table().items()):
        if not numbers:
            continue
        points = sorted((places[label], value) for label, value in numbers.items())
        axes.plot(
            *zip(*points),
            label=_shown(name),
            color=_SERIES[number % len(_SERIES)],
            linestyle=_DASHES[number % len(_DASHES)],
            marker="o",
            markersize=4,
        )
    axes.set_ylim(bottom=0)
    if in_time:
        _date(axes)
    else:
        step = math.ceil(len(labels) / 5)
        axes.set_xticks(range(0, len(labels), step), [_shown(label, 9) for label in labels[::step]])
    _count_on(axes.yaxis, plot.unit)
    return 8


def _spans(plot: Plot, axes: t.Any) -> int:
    from matplotlib.dates import date2num

    spans = plot.spans()
    known = [moment for span in spans for moment in (*span[1:], plot.now) if moment is not None]
    if not known:
        raise AnsibleFilterError("svg_plot: spans need a begin, an end or 'now'.")
    first, last = min(known), max(known)
    if plot.now and plot.days is not None:
        window = datetime.timedelta(days=plot.days)
        without_end = any(end is None for _label, _begin, end in spans)
        first, last = max(first, plot.now - window), plot.now + window if without_end else min(last, plot.now + window)
    margin = max((last - first) / 20, datetime.timedelta(hours=1))
    left, right = date2num(first - margin), date2num(last + margin)
    for place, (_label, begin, end) in enumerate(spans):
        start = left if begin is None else max(date2num(begin), left)
        stop = right if end is None else min(date2num(end), right)
        axes.barh(place, max(stop - start, 0), left=start, height=0.5, color=_SERIES[0], edgecolor=_GROUND)
        if stop == right:
            axes.plot(right, place, marker=">", color=_SERIES[0], clip_on=False)
    if plot.now:
        axes.axvline(date2num(plot.now), color=_TEXT, linestyle="--", linewidth=1)
    axes.set_xlim(left, right)
    _name_the_rows(axes, [label for label, _begin, _end in spans])
    _date(axes)
    return len(spans)


_KINDS: dict[str, t.Callable[[Plot, t.Any], int]] = {"bars": _bars, "boxes": _boxes, "lines": _lines, "spans": _spans}


def _name_the_rows(axes: t.Any, labels: list[str]) -> None:
    axes.set_yticks(range(len(labels)), [_shown(label) for label in labels])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels) - 0.5, -0.5)


def _count_on(axis: t.Any, unit: str) -> None:
    """Marks that are round in the unit that the largest number is told in."""
    from matplotlib.ticker import MaxNLocator

    largest = max(axis.get_view_interval())
    size, name = next((step for step in _UNITS[unit] if largest >= step[0]), _UNITS[unit][-1])
    places = MaxNLocator(4, integer=size == 1, steps=[1, 2, 2.5, 5, 10]).tick_values(0, largest / size)
    places = [place for place in places if 0 <= place * size <= largest]
    axis.set_ticks([place * size for place in places], [f"{place:,.6g} {name}".strip() for place in places])
    axis.grid(True, color=_TEXT, alpha=0.2)
    axis.axes.set_axisbelow(True)


def _date(axes: t.Any) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=5)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.xaxis.grid(True, color=_TEXT, alpha=0.2)
    axes.set_axisbelow(True)


def _moment(name: str, value: t.Any) -> datetime.datetime | None:
    if value is None:
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
        if moment := _moment_in(value):
            return moment
    except (OverflowError, OSError, ValueError):
        pass
    raise AnsibleFilterError(
        f"svg_plot: {name!r} takes ISO 8601 with a zone, or seconds since 1970, not {value!r}."
    ) from None


def _moment_in(text: t.Any) -> datetime.datetime | None:
    """The date and time in a text, if it is one with a zone."""
    try:
        moment = datetime.datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    # what is said to last for ever has no place on an axis
    return moment.astimezone(datetime.timezone.utc) if moment.tzinfo and moment.year < _FOR_EVER else None


def _shown(label: str, longest: int = LONGEST_LABEL) -> str:
    """The label, its middle left out when it is long."""
    label = _clean(label)
    if len(label) > longest:
        half = (longest - 1) // 2
        label = f"{label[: longest - half - 1]}…{label[-half:]}"
    # matplotlib keeps labels with an underscore in front out of legends
    return f"\N{ZERO WIDTH SPACE}{label}" if label.startswith("_") else label


def _clean(text: str) -> str:
    """The text in one line, of characters that XML can have in it."""
    instead = "\N{REPLACEMENT CHARACTER}"
    return "".join(instead if unicodedata.category(one) in _NOT_SHOWN else one for one in text)


def _for_the_page(picture: str, salt: str, plot: Plot) -> str:
    """The picture as an element of a page: its colours, its font, no ids but those that are used, and names for it."""
    svg = picture[picture.index("<svg") :].strip()
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<[^<>]+>", lambda tag: _tag_for_the_page(tag[0]), svg)
    box = next(re.finditer(r'viewBox="[^"]*"', svg))
    names = f'aria-labelledby="t{salt} d{salt}"'
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    head = f'<svg {spaces} {box[0]} role="img" {names}>'
    title = f'<title id="t{salt}">{html.escape(_clean(plot.title))}</title>'
    description = f'<desc id="d{salt}">{html.escape(_clean(_told(plot)))}</desc>'
    return f"{head}\n{title}\n{description}\n{svg[svg.index('>') + 1 :].lstrip()}"


def _tag_for_the_page(tag: str) -> str:
    tag = re.sub(r'<g id="[^"]*"', "<g", tag)
    tag = re.sub(r"font: (\S+?px) [^;\"]*", r"font-size: \1", tag)
    tag = re.sub(r"font-family: [^;\"]*;? ?", "", tag)
    for stands_for, colour in _OF_THE_PAGE.items():
        tag = tag.replace(stands_for, colour)
    return tag


def _told(plot: Plot) -> str:
    labels = plot.labels()
    return f"{plot.kind.capitalize()} of {', '.join(labels[:5])}{' and others' if len(labels) > 5 else ''}."


class FilterModule:
    """What Ansible asks for filters."""

    def filters(self) -> dict[str, t.Callable[..., str]]:
        return {"svg_plot": svg_plot}
