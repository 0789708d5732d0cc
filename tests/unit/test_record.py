# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages for responses with unexpected content."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_in_process
from support.conversation import call, conversation
from support.transport import transport

WHOLE = {
    "name": "x",
    "size": 3.0,
    "on": False,
    "since": 1686935002,
    "tags": ["a"],
    "owner": {"id": 7},
    "parts": [{"id": 1}, {"id": 2}],
}


def read(answer: Any, reader: Callable[[Record], Any]) -> Any:
    with conversation(call("GET", "/x", json=answer)) as server:
        return reader(transport(server.url).read("GET", "/x").record())


def test_members_are_read_by_their_types() -> None:
    def reader(record: Record) -> list[Any]:
        return [
            record.text("name"),
            record.integer("size"),
            record.flag("on"),
            record.maybe_timestamp("since"),
            record.texts("tags"),
            record.record("owner").integer("id"),
            [part.integer("id") for part in record.records("parts")],
        ]

    assert read(WHOLE, reader) == ["x", 3, False, "2023-06-16T17:03:22Z", ["a"], 7, [1, 2]]


def test_scalars_have_the_type_of_their_default() -> None:
    defaults: dict[str, bool | int | str] = {"name": "", "size": 0, "on": True}
    assert read(WHOLE, lambda record: [record.scalar(name, value) for name, value in defaults.items()]) == [
        "x",
        3,
        False,
    ]
    with pytest.raises(UnexpectedResponse, match="true or false"):
        read(WHOLE, lambda record: record.scalar("name", False))


@pytest.mark.parametrize("answer", [{}, {"a": None}], ids=["missing", "null"])
def test_optional_members_can_be_null(answer: dict[str, Any]) -> None:
    def reader(record: Record) -> list[Any]:
        readers = (
            record.maybe_text,
            record.maybe_integer,
            record.maybe_flag,
            record.maybe_timestamp,
            record.maybe_record,
        )
        return [*(reader("a") for reader in readers), record.maybe_texts("a"), record.maybe_records("a")]

    assert read(answer, reader) == [None, None, None, None, None, [], []]


@pytest.mark.parametrize(
    ("answer", "reader", "complaint"),
    [
        ({}, lambda record: record["name"], "without 'name'"),
        ({}, lambda record: record.text("name"), "without 'name'"),
        ({"name": None}, lambda record: record.text("name"), "'name' is null instead of a text"),
        ({"name": 1e300}, lambda record: record.maybe_text("name"), "'name' is a huge number instead of a text"),
        ({"size": True}, lambda record: record.integer("size"), "'size' is true instead of a whole number"),
        ({"size": 1.5}, lambda record: record.integer("size"), "'size' is the number 1.5 instead of a whole number"),
        ({"size": 1e300}, lambda record: record.integer("size"), "'size' is a huge number instead of a whole"),
        ({"on": "no"}, lambda record: record.flag("on"), "'on' is a text instead of true or false"),
        (
            {"since": 10**17},
            lambda record: record.maybe_timestamp("since"),
            "instead of a number of seconds since 1970",
        ),
        ({"tags": {}}, lambda record: record.texts("tags"), "'tags' is an object instead of a list"),
        ({"tags": ["a", []]}, lambda record: record.texts("tags"), "'tags[1]' is a list instead of a text"),
        ({"parts": [{}, 1]}, lambda record: record.records("parts"), "'parts[1]' is the number 1 instead of an object"),
        ({"parts": [{}]}, lambda record: record.records("parts")[0].text("id"), "without 'parts[0].id'"),
        ({"owner": {}}, lambda record: record.record("owner")["id"], "without 'owner.id'"),
    ],
)
def test_message_names_the_path_of_an_unexpected_value(
    answer: Any, reader: Callable[[Record], Any], complaint: str
) -> None:
    with pytest.raises(UnexpectedResponse) as surprise:
        read(answer, reader)
    assert "/x: 200, but " in str(surprise.value)
    assert complaint in str(surprise.value)
    assert str(surprise.value).endswith("Check the URL. If it is correct, please report this response.")


def test_numbers_are_refused_when_only_python_accepts_them() -> None:
    for number in ("NaN", "Infinity", "1e999"):
        with conversation(call("GET", "/x", text=f'{{"size": {number}}}')) as server, pytest.raises(UnexpectedResponse):
            transport(server.url).read("GET", "/x").record().integer("size")


def test_list_of_objects_is_read() -> None:
    with conversation(call("GET", "/x", json=[{"a": "b"}, {}])) as server:
        first, second = transport(server.url).read("GET", "/x").records()
    assert first.text("a") == "b"
    with pytest.raises(UnexpectedResponse, match=r"200, but without 'answer\[1\]\.a'"):
        second.text("a")


def test_json_is_refused_when_it_is_nested_too_deeply() -> None:
    text = "[" * 200_000
    with (
        conversation(call("GET", "/x", text=text)) as server,
        pytest.raises(UnexpectedResponse, match="200, but the response is not JSON"),
    ):
        transport(server.url).read("GET", "/x").record()


@pytest.mark.parametrize("kind", [dict, list])
def test_message_contains_the_error_of_the_server(kind: type) -> None:
    with conversation(call("GET", "/x", json={"note": "down for repair"})) as server:
        answer = transport(server.url).read("GET", "/x")
        with pytest.raises(UnexpectedResponse, match=r'The server says: {"note": "down for repair"}'):
            answer.record().text("name") if kind is dict else answer.records()


def test_unexpected_exception_is_reported_as_a_message() -> None:
    def run(task: Task) -> None:
        task.last_response = "GET http://127.0.0.1/x: 200"
        raise KeyError("name")

    result = run_in_process("x", ArgumentSpec({}), run, {})
    assert result["failed"]
    came = "Unexpected response to GET http://127.0.0.1/x: 200: the module cannot process it"
    assert result["msg"].startswith(f"{came} (KeyError in test_record.py, line ")
    assert result["msg"].endswith("This is a defect of the module, please report it.")


def test_task_fails_when_its_result_is_nested_too_deeply() -> None:
    def run(task: Task) -> None:
        task.result["settings"] = json.loads('{"a":' * 900 + "1" + "}" * 900)

    result = run_in_process("x", ArgumentSpec({}), run, {})
    assert result == {
        "changed": False,
        "failed": True,
        "msg": "The server's response is nested too deeply to be shown.",
    }
