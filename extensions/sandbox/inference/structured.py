# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Structured output: which schemas the API takes, and a document that satisfies one.

The documents are made by rule, the same one for the same schema. A schema that the rules cannot satisfy for sure is
refused, with the advice to script the reply.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from .checks import not_served, one_of, required, typed
from .errors import ApiError, invalid

Schema = dict[str, Any]

RESPONSE_FORMAT = "response_format"

# In strict mode the real API refuses these, and otherwise no rule here honours them.
REFUSED_KEYWORDS = (
    "allOf",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
)

ANNOTATIONS = ("default", "description", "examples", "title")

FORMATS = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "time": "03:04:05Z",
    "duration": "PT1H",
    "email": "sandbox@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}

# What reading a schema raises that is none, such as a list for an object.
MALFORMED = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)

# From this depth on, optional things are left out, so that recursive schemas come to an end.
DEEP = 5
TOO_DEEP = 50
MOST_VALUES = 10_000  # of a document
LONGEST_TEXT = 10_000  # characters


class SchemaOwner(NamedTuple):
    """Whose schema it is, as errors name it."""

    name: str
    param: str
    code: str | None = None


class Unsatisfiable(Exception):
    """The rules in here cannot make a document for the schema."""


def check_response_format(response_format: dict[str, Any], prompt: str) -> None:
    """Refuse a `response_format` that the API refuses."""
    kind = required("response_format", response_format, "type")
    one_of(("json_object", "json_schema", "text"), "response_format.type", kind)
    if kind == "json_object" and "json" not in prompt.lower():
        raise invalid(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
            "messages",
        )
    if kind == "json_schema":
        wanted = required("response_format", response_format, "json_schema")
        typed("an object", "response_format.json_schema", wanted)
        _check_json_schema("response_format.json_schema", wanted)


def check_object_schema(owner: SchemaOwner, schema: Any, *, strict: bool) -> None:
    """Refuse a schema that is not an object's, or breaks the rules of strict mode."""
    typed("an object", owner.param, schema)
    if schema.get("type") != "object":
        raise _refusal(
            owner, f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'."
        )
    if strict:
        try:
            _check_strict(owner, schema, ())
        except MALFORMED as error:
            raise _no_schema(owner.param) from error


def document(schema: Schema, param: str = RESPONSE_FORMAT) -> Any:
    """A JSON document that satisfies the schema, which is in the parameter `param`."""
    try:
        return _Maker(schema).make(schema, "value", 0)
    except Unsatisfiable as error:
        raise not_served(f"a schema like this ({error}); script a reply instead", param) from error
    except MALFORMED as error:
        raise _no_schema(param) from error


def _check_json_schema(name: str, wanted: dict[str, Any]) -> None:
    called = required(name, wanted, "name")
    if not isinstance(called, str) or not re.fullmatch("[a-zA-Z0-9_-]{1,64}", called):
        raise invalid(
            f"Invalid '{name}.name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            f"{name}.name",
            "invalid_value",
        )
    schema = wanted.get("schema", {})
    typed("an object", f"{name}.schema", schema)
    if wanted.get("strict"):
        check_object_schema(SchemaOwner(f"response_format '{called}'", RESPONSE_FORMAT), schema, strict=True)


def _check_strict(owner: SchemaOwner, schema: Any, context: tuple[str, ...]) -> None:
    if not isinstance(schema, dict):
        return
    for keyword in REFUSED_KEYWORDS:
        if keyword in schema:
            raise _refusal(owner, f"In context={context}, '{keyword}' is not permitted.")
    if schema.get("type") == "object":
        _check_strict_object(owner, schema, context)
    for keyword in ("properties", "$defs", "definitions"):
        for key, child in schema.get(keyword, {}).items():
            _check_strict(owner, child, (*context, keyword, key))
    _check_strict(owner, schema.get("items"), (*context, "items"))
    for position, child in enumerate(schema.get("anyOf", [])):
        _check_strict(owner, child, (*context, "anyOf", str(position)))


def _check_strict_object(owner: SchemaOwner, schema: Schema, context: tuple[str, ...]) -> None:
    if schema.get("additionalProperties") is not False:
        raise _refusal(
            owner, f"In context={context}, 'additionalProperties' is required to be supplied and to be false."
        )
    for key in schema.get("properties", {}):
        if key not in schema.get("required", []):
            raise _refusal(
                owner,
                f"In context={context}, 'required' is required to be supplied and to be an array including every key "
                f"in properties. Missing '{key}'.",
            )


def _refusal(owner: SchemaOwner, what: str) -> ApiError:
    return invalid(f"Invalid schema for {owner.name}: {what}", owner.param, owner.code)


def _no_schema(param: str) -> ApiError:
    return invalid(f"Invalid schema for {param}: it is not a JSON Schema.", param)


class _Maker:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._values = 0

    def make(self, schema: Any, name: str, depth: int) -> Any:
        if depth > TOO_DEEP:
            raise Unsatisfiable("recursion without an end")
        self._values += 1
        if self._values > MOST_VALUES:
            raise Unsatisfiable(f"more than {MOST_VALUES} values")
        if schema is True or schema == {}:
            return name
        if schema is False:
            raise Unsatisfiable("false")
        for keyword in REFUSED_KEYWORDS:
            if keyword in schema:
                raise Unsatisfiable(keyword)
        if "$ref" in schema:
            return self.make(_replace(schema, "$ref", self._resolve(schema["$ref"])), name, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        if "anyOf" in schema:
            return self.make(_replace(schema, "anyOf", _branch(schema["anyOf"], depth)), name, depth + 1)
        return self._of_type(_type(schema, depth), schema, name, depth)

    def _resolve(self, reference: str) -> Schema:
        found: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        if not reference.startswith("#") or not isinstance(found, dict):
            raise Unsatisfiable(f"$ref {reference}")
        return found

    def _of_type(self, kind: str, schema: Schema, name: str, depth: int) -> Any:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        if kind == "string":
            return _string(schema, name)
        if kind in ("integer", "number"):
            return _number(schema, integer=kind == "integer")
        if kind in ("boolean", "null"):
            return True if kind == "boolean" else None
        raise Unsatisfiable(f"type {kind}")

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        names = [name for name in properties if depth < DEEP or name in required]
        names += [name for name in required if name not in properties]
        other = schema.get("additionalProperties", True)
        return {name: self.make(properties.get(name, other), name, depth + 1) for name in names}

    def _array(self, schema: Schema, name: str, depth: int) -> list[Any]:
        usual = min(schema.get("maxItems", 1), 1) if depth < DEEP else 0
        count = max(schema.get("minItems", 0), usual)
        if schema.get("uniqueItems") and count > 1:
            raise Unsatisfiable("uniqueItems")
        return [self.make(schema.get("items", True), name, depth + 1) for _unused in range(count)]


def _replace(schema: Schema, keyword: str, other: Schema) -> Schema:
    """The schema with what a keyword stands for in the keyword's place."""
    rest = {key: value for key, value in schema.items() if key not in (keyword, *ANNOTATIONS)}
    if rest.keys() & other.keys():
        raise Unsatisfiable(f"{keyword} beside {', '.join(sorted(rest.keys() & other.keys()))}")
    return {**rest, **other}


def _branch(branches: list[Schema], depth: int) -> Schema:
    nothing: Schema = {"type": "null"}
    return nothing if depth >= DEEP and nothing in branches else branches[0]


def _type(schema: Schema, depth: int) -> str:
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return "null" if depth >= DEEP and "null" in kinds else str(kinds[0])
    if kinds is None:
        return "object" if "properties" in schema else "array" if "items" in schema else "string"
    return str(kinds)


def _string(schema: Schema, name: str) -> str:
    if "pattern" in schema:
        raise Unsatisfiable("pattern")
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    if schema.get("minLength", 0) > LONGEST_TEXT:
        raise Unsatisfiable(f"a text of more than {LONGEST_TEXT} characters")
    text: str = name[: schema.get("maxLength")]
    return text.ljust(schema.get("minLength", 0), ".")


def _number(schema: Schema, *, integer: bool) -> float:
    low = max(schema.get("minimum", -math.inf), schema.get("exclusiveMinimum", -math.inf))
    high = min(schema.get("maximum", math.inf), schema.get("exclusiveMaximum", math.inf))
    step = schema.get("multipleOf", 1 if integer else None)
    value: float
    if step is None:
        value = _between(low, high)
    elif low > -math.inf:
        value = math.ceil(low / step) * step
        value += step if value == schema.get("exclusiveMinimum") else 0
    else:
        value = step if high == math.inf else math.floor(high / step) * step
        value -= step if value == schema.get("exclusiveMaximum") else 0
    if value > high or value == schema.get("exclusiveMaximum"):
        raise Unsatisfiable("a range of numbers without a number")
    return int(value) if integer else value


def _between(low: float, high: float) -> float:
    if low > -math.inf:
        return low + 1 if high == math.inf else (low + high) / 2
    return 1.5 if high == math.inf else high - 1
