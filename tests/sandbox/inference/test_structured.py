# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: structured output."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from sandbox.inference.chat.structured_output import generate_document
from support.wire.inference import Api, error

STRICT = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "people": {"type": "integer"}},
    "required": ["city", "people"],
    "additionalProperties": False,
}


def schema_format(schema: dict[str, Any], strict: bool = True) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": strict}}


def test_document_satisfies_schema(api: Api) -> None:
    choice = api.choice(response_format=schema_format(STRICT))
    assert json.loads(choice["message"]["content"]) == {"city": "city", "people": 1}
    cut = api.choice(response_format=schema_format(STRICT), max_tokens=3)
    assert cut["finish_reason"] == "length"
    with pytest.raises(ValueError, match=r"Unterminated|delimiter"):
        json.loads(cut["message"]["content"])


def test_reply_is_an_object_in_json_mode(api: Api) -> None:
    messages = [{"role": "user", "content": "Answer in JSON"}]
    choice = api.choice(messages=messages, response_format={"type": "json_object"})
    assert json.loads(choice["message"]["content"]) == {"answer": "You said: Answer in JSON"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {key: value for key, value in STRICT.items() if key != "additionalProperties"},
        {**STRICT, "required": ["city"]},
        {**STRICT, "properties": {**STRICT["properties"], "people": {"oneOf": [{"type": "integer"}]}}},
    ],
)
def test_schema_is_refused_when_it_violates_strict_mode(api: Api, schema: dict[str, Any]) -> None:
    status, body = error(api.chat(response_format=schema_format(schema)))
    assert (status, body["param"], body["code"]) == (400, "response_format", None)
    assert re.match(
        "Invalid schema for response_format 'answer': (In context=|schema must be a JSON Schema of 'type: \"object\"')",
        body["message"],
    )


def test_schema_is_refused_when_it_is_invalid(api: Api) -> None:
    for schema in ({"type": "object", "properties": ["a"]}, {"enum": []}, {"anyOf": 1}, {"items": {"type": 1}}):
        for strict in (True, False):
            status, body = error(api.chat(response_format=schema_format(schema, strict)))
            assert (status in (400, 501), body["param"]) == (True, "response_format")


def test_request_is_501_when_schema_cannot_be_satisfied(api: Api) -> None:
    format_ = schema_format({"type": "object", "properties": {"a": {"type": "string", "pattern": "x+"}}}, strict=False)
    status, body = error(api.chat(response_format=format_))
    assert (status, body["param"]) == (501, "response_format")
    api.script({"content": '{"a": "xx"}'})
    assert api.choice(response_format=format_)["message"]["content"] == '{"a": "xx"}'


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "value"),
        ({"const": 3}, 3),
        ({"enum": ["b", "a"]}, "b"),
        ({"type": ["string", "null"], "maxLength": 3}, "val"),
        ({"type": "string", "minLength": 7}, "value.."),
        ({"type": "string", "format": "date"}, "2026-01-02"),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "integer", "maximum": -2}, -2),
        ({"type": "integer", "exclusiveMaximum": 4, "multipleOf": 2}, 2),
        ({"type": "integer", "minimum": 7, "multipleOf": 5}, 10),
        ({"type": "number", "minimum": 0, "maximum": 1}, 0.5),
        ({"type": "number", "exclusiveMinimum": 2}, 3),
        ({"type": "number", "maximum": -2}, -3),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": "array", "items": {"type": "boolean"}, "minItems": 2}, [True, True]),
        ({"type": "array", "maxItems": 0}, []),
        ({"anyOf": [{"type": "null"}, {"type": "string"}], "title": "x"}, None),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}, True),
        ({"type": "object", "required": ["x"]}, {"x": "x"}),
    ],
)
def test_generated_document_matches_schema(schema: dict[str, Any], expected: Any) -> None:
    assert generate_document(schema) == expected


def test_recursive_schemas_terminate() -> None:
    node = {
        "type": "object",
        "properties": {
            "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
            "all": {"type": "array", "items": {"$ref": "#"}},
        },
        "required": ["next", "all"],
    }
    document = generate_document(node)
    assert set(document) == {"next", "all"}
    assert '"next": null' in json.dumps(document)
    assert '"all": []' in json.dumps(document)
