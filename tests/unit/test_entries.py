# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A long JSON list in a response is read one entry at a time."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.json_list import JsonList, MalformedJson
from support.conversation import call, conversation
from support.transport import transport

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
MEMBERS = st.dictionaries(st.text(max_size=3), JSON, max_size=3)


def split_chunks(text: str, size: int) -> Iterator[bytes]:
    whole = text.encode("utf-8", "surrogatepass")
    return (whole[start : start + size] for start in range(0, len(whole), size))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    before=MEMBERS,
    entries=st.lists(JSON, max_size=5),
    after=MEMBERS,
    size=st.integers(1, 50),
    indent=st.sampled_from([None, 2]),
)
def test_entries_and_other_members_are_read(
    before: dict[str, Any], entries: list[Any], after: dict[str, Any], size: int, indent: int | None
) -> None:
    others = {name: value for name, value in {**before, **after}.items() if name != "results"}
    document = {**{name: others[name] for name in before if name in others}, "results": entries, **others}
    text = json.dumps(document, ensure_ascii=True, indent=indent)
    members: dict[str, Any] = {}
    read = JsonList(split_chunks(text, size), "results", members)
    assert list(read) == entries
    assert (read.is_found, members) == (True, others)


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 20))
def test_truncated_json_is_refused(end: int, size: int) -> None:
    text = '{"a": 12, "results": [{"k": "é,]"}, 17, null, true], "range": {"total": 4}}'[:end]
    with pytest.raises(MalformedJson):
        list(JsonList(split_chunks(text, size), "results", {}))


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "{", "{]", '{"results"}', '{"results": []} x', '{"results": [1 2]}', '{"results": [1,]}'),
        *('{"results": [,1]}', "{1: 2}", '{"a": 1,}', '{"a": 1 "b": 2}', '{"a": }', "<html></html>"),
        '{"results": [' + "[" * 100_000,
        '{"a": ' + "1" * 5_000 + "}",
    ],
)
def test_malformed_json_is_refused(text: str) -> None:
    with pytest.raises(MalformedJson):
        list(JsonList(split_chunks(text, 7), "results", {}))


def test_endless_value_is_refused() -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"results": ["'
        while True:
            yield b"x" * 2**20

    with pytest.raises(MalformedJson):
        list(JsonList(endless(), "results", {}))


def test_memory_is_constant() -> None:
    def body() -> Iterator[bytes]:
        yield b'{"results": [{}'
        for number in range(2000):
            yield b', {"path": "%s%d"}' % (b"x" * 1000, number)
        yield b"]}"

    tracemalloc.start()
    try:
        assert sum(1 for _entry in JsonList(body(), "results", {})) == 2001
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


def entries(others: dict[str, Any] | None = None, **answer: Any) -> list[Any]:
    with conversation(call("GET", "/x", **answer)) as server:
        return list(transport(server.url).read("GET", "/x", stream=True).entries("results", others))


def test_entries_of_a_response_are_returned() -> None:
    others: dict[str, Any] = {}
    listed = entries(others, json={"range": {"total": 2}, "results": [{"name": "a"}, {"name": "b"}]})
    assert [entry.text("name") for entry in listed] == ["a", "b"]
    assert others == {"range": {"total": 2}}
    with pytest.raises(UnexpectedResponse, match=r"'results\[1\].size' is a text instead of a whole number"):
        entries(json={"results": [{}, {"size": "1"}]})[1].integer("size")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"text": "<html>Sign in</html>"}, "200, but the response is HTML, not JSON. Check the URL, and whether"),
        ({"json": []}, "200, but the response has an unexpected JSON structure."),
        ({"json": {"errors": []}}, "200, but without 'results'."),
        ({"json": {"results": {}}}, "200, but 'results' is an object instead of a list."),
        ({"json": {"results": [{}, 1]}}, "200, but 'results[1]' is the number 1 instead of an object."),
        ({"text": '{"results": [{"a": 1}'}, "200, but the response is not JSON."),
        ({"text": '{"results": [{"a": 1, "a": 2}]}'}, "200, but with two values of 'a' in one object."),
        ({"text": '{"results": [{"a": "' + "x" * 300_000}, "200, but the response is not JSON."),
    ],
)
def test_unexpected_response_is_reported(answer: dict[str, Any], message: str) -> None:
    with pytest.raises(UnexpectedResponse) as error:
        entries(**answer)
    assert message in str(error.value)


def test_duplicate_member_is_accepted_when_its_values_are_equal() -> None:
    assert entries(text='{"results": [{"a": 1, "a": 1}]}') == [{"a": 1}]


def test_strings_of_a_response_are_checked() -> None:
    with conversation(call("GET", "/x", json={"files": ["a", 1]})) as server:
        texts = transport(server.url).read("GET", "/x", stream=True).texts("files")
        assert next(texts) == "a"
        with pytest.raises(UnexpectedResponse, match=r"'files\[1\]' is the number 1 instead of a text"):
            next(texts)
