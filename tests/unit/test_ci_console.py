# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.console import AnnotationFilter, Console
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import IncompleteResponse, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation

NOTE = "\x1b[8mha:////4JU+Xr0Q==\x1b[0m"
LOG = f"Started by user {NOTE}Ada\r\n+ echo hi\r\nhi – über\r\n"
CLEAN = "Started by user Ada\n+ echo hi\nhi – über\n"


def log(text: str, start: int, size: int, more: bool = False, **how: Any) -> Call:
    """Return the request for the log from an offset."""
    headers = {"X-Text-Size": str(size), **({"X-More-Data": "true"} if more else {}), **how.pop("headers", {})}
    path = f"/job/app/7/logText/progressiveText?start={start}"
    return call("GET", path, text=text, headers=headers, **how)


def console(url: str, start: int = 0) -> Console:
    """Return a console."""
    defaults = {name: option.get("default") for name, option in CI.options.items()}
    return Console(CiService(Task({**defaults, "url": url, "retries": 0})), "/job/app/7", start)


def pieces(text: bytes, size: int) -> Iterable[bytes]:
    """Split the text into chunks."""
    return (text[start : start + size] for start in range(0, len(text), size))


@pytest.mark.parametrize("size", range(1, 40))
def test_annotations_are_removed_from_any_chunks(size: int) -> None:
    annotations = AnnotationFilter()
    assert "".join(map(annotations.feed, pieces(LOG.encode(), size))) + annotations.flush() == CLEAN


@pytest.mark.parametrize(
    "text", ["\x1b[8m hidden \x1b[0m", "50 %\r80 %\r100 %\n", "\x1b[1mbold\x1b[0m", "\x1b[8mha:no end", "\x1b", "\r"]
)
def test_similar_text_is_kept(text: str) -> None:
    for size in (1, 3, 100):
        annotations = AnnotationFilter()
        assert "".join(map(annotations.feed, pieces(text.encode(), size))) + annotations.flush() == text


def test_unterminated_annotation_is_not_buffered() -> None:
    annotations = AnnotationFilter()
    letters = sum(len(annotations.feed(b"\x1b[8mha:" if number == 0 else b"A" * 65536)) for number in range(64))
    assert letters > 3_000_000


def test_growing_log_is_read() -> None:
    with conversation(
        log(LOG[:30], 0, 20, more=True), log("", 20, 20, more=True), log(LOG[30:], 20, 55), log("", 55, 55)
    ) as server:
        reader = console(server.url)
        read = list(reader.read_lines())
        assert (list(reader.read_lines()), reader.is_complete) == ([], False)
        read += list(reader.read_lines())
        assert reader.is_complete
        assert list(reader.read_lines()) == []
    assert read == CLEAN.splitlines()


def test_unterminated_last_line_is_read() -> None:
    with conversation(log("one\r\ntw", 0, 6, more=True), log("o\r", 6, 8)) as server:
        reader = console(server.url)
        assert list(reader.read_lines()) == ["one"]
        assert list(reader.read_lines()) == ["two\r"]


def test_long_line_is_split() -> None:
    with conversation(log("x" * 25_000 + "\r\nshort\r\n", 0, 25_007)) as server:
        lines = list(console(server.url).read_lines())
    assert [len(line) for line in lines] == [10_000, 10_000, 5_000, 5]


def test_reading_continues_after_incomplete_response() -> None:
    text = "".join(f"line {number}\r\n" for number in range(60_000))
    cut = log(text[:500_000], 0, len(text), headers={"Content-Length": str(len(text))})
    with conversation(cut, log(text, 0, len(text))) as server:
        reader, read = console(server.url), []
        with pytest.raises(IncompleteResponse):
            for line in reader.read_lines():
                read.append(line)
        assert read
        read += list(reader.read_lines())
    assert read == text.split("\r\n")[:-1]


@pytest.mark.parametrize(
    ("whole", "count", "last"),
    [
        ("a\r\nb\r\nc\r\n", 2, ["b", "c"]),
        ("a\r\nb\r\nc", 2, ["b", "c"]),
        ("a\r\nb\r\n", 5, ["a", "b"]),
        ("", 5, []),
    ],
)
def test_last_lines_are_read(whole: str, count: int, last: list[str]) -> None:
    with conversation(log("", -1, len(whole)), log(whole, 0, len(whole), more=True)) as server:
        assert console(server.url).read_last_lines(count) == last


def test_last_lines_are_read_when_server_rejects_negative_offset() -> None:
    refused = call("GET", "/job/app/7/logText/progressiveText?start=-1", 500, text="<h1>Negative seek offset.</h1>")
    with conversation(refused, log("a\r\nb\r\n", 0, 4), log("a\r\nb\r\n", 0, 4)) as server:
        assert console(server.url).read_last_lines(1) == ["b"]


def test_incomplete_first_line_is_dropped() -> None:
    with conversation(log("", -1, 100_000), log("rest of one\r\ntwo\r\n", 100_000 - 65_536, 100_000)) as server:
        assert console(server.url).read_last_lines(5) == ["two"]


def test_missing_size_header_is_an_error() -> None:
    with (
        conversation(call("GET", "/job/app/7/logText/progressiveText?start=0", text="<html>Log in</html>")) as server,
        pytest.raises(ToolchainError, match="has no X-Text-Size"),
    ):
        list(console(server.url).read())


def test_memory_is_constant() -> None:
    text = "".join(f"line {number} {NOTE}of many\r\n" for number in range(400_000))
    with conversation(log(text, 0, len(text))) as server:
        reader = console(server.url)
        tracemalloc.start()
        try:
            read = sum(1 for _line in reader.read_lines())
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert read == 400_000
    assert most < 8_000_000
