# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.buildworks.toolchain.plugins.filter import svg_plot as filter_file
from ansible_collections.buildworks.toolchain.plugins.filter.svg_plot import FilterModule

svg_plot = FilterModule().filters()["svg_plot"]

SVG = "{http://www.w3.org/2000/svg}"
STORED = [{"key": "libs", "used": 3 * 1024**2}, {"key": "images", "used": 1024**2}]
BUILDS = [
    {"job": "app", "result": "SUCCESS", "duration": 90.0},
    {"job": "app", "result": "FAILURE", "duration": 30.0},
    {"job": "site", "result": "SUCCESS", "duration": 60.0},
]
HISTORY = [
    {"at": "2026-01-01T00:00:00Z", "host": "eu", "used": 1},
    {"at": "2026-01-31T00:00:00Z", "host": "eu", "used": 2},
    {"at": "2026-01-01T00:00:00Z", "host": "us", "used": 3},
]
TOKENS = [
    {"name": "agents", "made": 1767225600, "ends": 1769817600},
    {"name": "forever", "made": "2026-01-05T00:00:00Z", "ends": None},
]
SPANS = dict(label="name", begin="made", end="ends", now="2026-01-15T00:00:00Z", days=400)
PLOTS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "bars": (STORED, dict(label="key", value="used", unit="bytes")),
    "lines": (HISTORY, dict(label="at", series="host", value="used")),
    "boxes": (BUILDS, dict(label="job", value="duration", unit="seconds")),
    "spans": (TOKENS, SPANS),
}


def drawn(rows: Any, kind: str = "bars", title: str = "A plot", **options: Any) -> ElementTree.Element:
    """The plot as XML."""
    return ElementTree.fromstring(svg_plot(rows, kind, title, **options))


def texts(svg: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in svg.iter(f"{SVG}text")]


def boxes(svg: ElementTree.Element, colour: str) -> list[tuple[float, float]]:
    """From where to where the shapes of a colour go, left to right."""
    found = []
    for path in svg.iter(f"{SVG}path"):
        if colour in path.get("style", "") and "fill: none" not in path.get("style", ""):
            numbers = [float(number) for number in re.findall(r"[ML] (\S+) ", path.get("d", ""))]
            found.append((min(numbers), max(numbers)))
    return found


def width(box: tuple[float, float]) -> float:
    return box[1] - box[0]


@pytest.mark.parametrize("kind", PLOTS)
def test_each_kind_is_one_picture_with_names_and_the_colours_of_its_page(kind: str) -> None:
    rows, options = PLOTS[kind]
    text = svg_plot(rows, kind, "Storage <&>", **options)
    svg = ElementTree.fromstring(text)
    assert svg.tag == f"{SVG}svg"
    assert svg.get("role") == "img"
    title, description = svg[:2]
    assert (title.tag, title.text) == (f"{SVG}title", "Storage <&>")
    assert svg.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert svg.get("width") is None
    assert svg.get("viewBox", "").startswith("0 0 360 ")
    assert "currentColor" in text
    for left_over in ("#0a0", "#000000", "<style", "<metadata", "<?xml", "DejaVu", "font-family"):
        assert left_over not in text
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]*)", text))
    assert colours <= {"none", "currentColor", "var(--plot-ground, Canvas)", *colours_of_series()}


def colours_of_series() -> set[str]:
    return {colour for colour in filter_file._OF_THE_PAGE.values() if colour.startswith("var(--plot-")}


@pytest.mark.parametrize("kind", PLOTS)
def test_the_same_input_gives_the_same_picture_and_another_one_other_ids(kind: str) -> None:
    rows, options = PLOTS[kind]
    text = svg_plot(rows, kind, "A plot", **options)
    assert svg_plot(rows, kind, "A plot", **options) == text
    other = svg_plot(rows, kind, "Another", **options)
    ids = [set(re.findall(r' id="([^"]+)"', one)) for one in (text, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for used in re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", text):
        assert "".join(used) in ids[0]


def test_bars_are_as_long_as_their_numbers_and_told_in_round_ones() -> None:
    svg = drawn(STORED, label="key", value="used", unit="bytes")
    longer, shorter = boxes(svg, "--plot-1")
    assert width(longer) == pytest.approx(3 * width(shorter), rel=0.01)
    assert [text for text in texts(svg) if "MB" in text] == ["0 MB", "1 MB", "2 MB", "3 MB"]
    assert {"libs", "images"} <= set(texts(svg))


def test_rows_are_counted_by_label_and_series_and_a_series_keeps_its_colour() -> None:
    svg = drawn(BUILDS, label="job", series="result", order=["UNSTABLE", "SUCCESS", "FAILURE"])
    succeeded, failed = boxes(svg, "--plot-2"), boxes(svg, "--plot-3")
    assert not boxes(svg, "--plot-1")
    one = width(succeeded[0])
    assert width(succeeded[1]) == pytest.approx(one, rel=0.01)
    assert width(failed[0]) == pytest.approx(one, rel=0.01)
    assert failed[0][0] == pytest.approx(succeeded[0][1], abs=0.01)
    assert {"SUCCESS", "FAILURE"} <= set(texts(svg))
    assert "UNSTABLE" not in texts(svg)


def test_dates_stand_where_they_belong_and_other_labels_in_their_order() -> None:
    def places(labels: list[str]) -> list[float]:
        svg = drawn([{"at": label, "n": 1} for label in labels], "lines", label="at", value="n")
        (line,) = (
            path for path in svg.iter(f"{SVG}path") if "--plot-1" in path.get("style", "") and path.get("clip-path")
        )
        return [float(number) for number in re.findall(r"[ML] (\S+) ", line.get("d", ""))]

    first, second, third = places(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-05T00:00:00+00:00"])
    assert third - second == pytest.approx(3 * (second - first), rel=0.01)
    first, second, third = places(["build_1", "build_2", "build_5"])
    assert third - second == pytest.approx(second - first, rel=0.01)


def test_spans_without_an_end_go_to_the_edge() -> None:
    ending, endless = boxes(drawn(TOKENS, "spans", **SPANS), "--plot-1")[:2]
    assert endless[1] > ending[1]
    (beginless,) = boxes(drawn([{"name": "a", "made": None, "ends": 1769817600}], "spans", **SPANS), "--plot-1")[:1]
    assert width(beginless) > 0


@pytest.mark.parametrize(
    "label",
    ["<script>alert(1)</script>", "a & b", "$x_1$", "_hidden", "grün 😀", 'say "so"', "#0a0a01", "font-family: x;"],
)
def test_labels_are_texts_whatever_is_in_them(label: str) -> None:
    svg = drawn([{"key": label, "n": 1}, {"key": "other", "n": 1}], label="key", series="key", value="n")
    shown = [text.lstrip("\N{ZERO WIDTH SPACE}") for text in texts(svg)]
    assert shown.count(label) == 2  # beside the bar and in the legend


def test_what_no_page_can_show_is_replaced_and_what_is_long_is_shortened() -> None:
    svg = drawn([{"key": "a\n\x00\x1b\ud800b", "n": 1}, {"key": "x" * 500 + "end", "n": 1}], label="key", value="n")
    assert "a\ufffd\ufffd\ufffd\ufffdb" in texts(svg)
    (long,) = (text for text in texts(svg) if "…" in text)
    assert len(long) == filter_file.LONGEST_LABEL
    assert long.endswith("end")


def test_without_rows_there_is_nothing() -> None:
    assert svg_plot([], "bars", "Nothing", label="key") == ""


def test_numbers_of_nothing_can_be_drawn() -> None:
    assert "none yet" in texts(drawn([{"key": "none yet", "n": 0}], label="key", value="n"))
    assert drawn([{"key": "once", "n": 0.0}], "boxes", label="key", value="n")


@pytest.mark.parametrize(
    ("rows", "options", "complaint"),
    [
        ("text", {}, "takes a list of dictionaries"),
        (["text"], {}, "takes a list of dictionaries"),
        ([{"n": 1}], {}, "a row has no 'key', but n"),
        ([{"key": "a"}], {"value": "n"}, "a row has no 'n', but key"),
        ([{"key": "a", "n": "1"}], {"value": "n"}, "'n' of a row is no number, but '1'"),
        ([{"key": "a", "n": True}], {"value": "n"}, "is no number"),
        ([{"key": "a", "n": float("nan")}], {"value": "n"}, "is no number"),
        ([{"key": "a"}], {"kind": "pie"}, "'kind' takes one of bars, boxes, lines, spans, not 'pie'"),
        ([{"key": "a"}], {"unit": "miles"}, "'unit' takes one of bytes, number, seconds, not 'miles'"),
        ([{"key": "a", "b": "soon"}], {"kind": "spans", "begin": "b"}, "'b' takes ISO 8601 with a zone"),
        ([{"key": "a", "b": 1e30}], {"kind": "spans", "begin": "b"}, "'b' takes ISO 8601 with a zone"),
        ([{"key": "a", "b": "2026-01-01"}], {"kind": "spans", "begin": "b"}, "'b' takes ISO 8601 with a zone"),
        ([{"key": "a", "b": None}], {"kind": "spans", "begin": "b"}, "spans need a begin, an end or 'now'"),
    ],
)
def test_what_cannot_be_drawn_is_told(rows: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AnsibleFilterError, match=re.escape(complaint)):
        drawn(rows, **{"label": "key", **options})


def test_without_matplotlib_there_is_a_warning_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(filter_file.Display, "warning", lambda _display, text: warnings.append(text))
    assert svg_plot(STORED, "bars", "Storage", label="key", value="used") == ""
    assert warnings == ["svg_plot draws nothing, for the Python package matplotlib is missing, or older than 3.10."]
