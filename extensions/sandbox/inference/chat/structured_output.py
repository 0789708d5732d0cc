# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Structured output: schema checks, and generation of a document that satisfies a schema.

Generation is deterministic. Schemas that it may not satisfy are refused with the advice to script the reply.
"""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from ..protocol.checks import check_choice, check_type, not_served_error, require_member
from ..protocol.errors import ApiError, invalid_parameter

Schema = dict[str, Any]

RESPONSE_FORMAT = "response_format"

# Keywords that the real API refuses in strict mode and that the generator does not support
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

# Errors while reading an invalid schema, such as a list instead of an object
MALFORMED = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)

# Optional members are left out from this depth, so that the recursion ends
OPTIONAL_DEPTH = 5
MAX_DEPTH = 50
MAX_VALUES = 10_000  # per document
MAX_TEXT_LENGTH = 10_000  # characters


class SchemaOwner(NamedTuple):
    """The owner of a schema, for error messages."""

    name: str
    param: str
    code: str | None = None


class Unsatisfiable(Exception):
    """The generator cannot satisfy the schema."""


def check_response_format(response_format: dict[str, Any], prompt: str) -> None:
    """Refuse a `response_format` that the API refuses."""
    kind = require_member("response_format", response_format, "type")
    check_choice(("json_object", "json_schema", "text"), "response_format.type", kind)
    if kind == "json_object" and "json" not in prompt.lower():
        raise invalid_parameter(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
            "messages",
        )
    if kind == "json_schema":
        json_schema = require_member("response_format", response_format, "json_schema")
        check_type("an object", "response_format.json_schema", json_schema)
        _check_json_schema("response_format.json_schema", json_schema)


def check_object_schema(owner: SchemaOwner, schema: Any, *, strict: bool) -> None:
    """Refuse a schema that does not describe an object, or that violates the rules of strict mode."""
    check_type("an object", owner.param, schema)
    if schema.get("type") != "object":
        raise _refusal(
            owner, f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'."
        )
    if strict:
        try:
            _check_strict(owner, schema, ())
        except MALFORMED as error:
            raise _not_a_schema(owner.param) from error


def generate_document(schema: Schema, param: str = RESPONSE_FORMAT) -> Any:
    """Return a JSON document that satisfies the schema of a parameter."""
    try:
        return _Generator(schema).generate(schema, "value", 0)
    except Unsatisfiable as error:
        raise not_served_error(f"a schema like this ({error}); script a reply instead", param) from error
    except MALFORMED as error:
        raise _not_a_schema(param) from error


def _check_json_schema(name: str, json_schema: dict[str, Any]) -> None:
    schema_name = require_member(name, json_schema, "name")
    if not isinstance(schema_name, str) or not re.fullmatch("[a-zA-Z0-9_-]{1,64}", schema_name):
        raise invalid_parameter(
            f"Invalid '{name}.name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            f"{name}.name",
            "invalid_value",
        )
    schema = json_schema.get("schema", {})
    check_type("an object", f"{name}.schema", schema)
    if json_schema.get("strict"):
        check_object_schema(SchemaOwner(f"response_format '{schema_name}'", RESPONSE_FORMAT), schema, strict=True)


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
    return invalid_parameter(f"Invalid schema for {owner.name}: {what}", owner.param, owner.code)


def _not_a_schema(param: str) -> ApiError:
    return invalid_parameter(f"Invalid schema for {param}: it is not a JSON Schema.", param)


class _Generator:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._values = 0

    def generate(self, schema: Any, name: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise Unsatisfiable("infinite recursion")
        self._values += 1
        if self._values > MAX_VALUES:
            raise Unsatisfiable(f"more than {MAX_VALUES} values")
        if schema is True or schema == {}:
            return name
        if schema is False:
            raise Unsatisfiable("false")
        for keyword in REFUSED_KEYWORDS:
            if keyword in schema:
                raise Unsatisfiable(keyword)
        return self._generate_by_keyword(schema, name, depth)

    def _generate_by_keyword(self, schema: Schema, name: str, depth: int) -> Any:
        if "$ref" in schema:
            return self.generate(_replace_keyword(schema, "$ref", self._resolve(schema["$ref"])), name, depth + 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        if "anyOf" in schema:
            return self.generate(
                _replace_keyword(schema, "anyOf", _select_branch(schema["anyOf"], depth)), name, depth + 1
            )
        return self._generate_by_type(_select_type(schema, depth), schema, name, depth)

    def _resolve(self, reference: str) -> Schema:
        target: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            target = target.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        if not reference.startswith("#") or not isinstance(target, dict):
            raise Unsatisfiable(f"$ref {reference}")
        return target

    def _generate_by_type(self, kind: str, schema: Schema, name: str, depth: int) -> Any:
        if kind == "object":
            return self._generate_object(schema, depth)
        if kind == "array":
            return self._generate_array(schema, name, depth)
        if kind == "string":
            return _generate_string(schema, name)
        if kind in ("integer", "number"):
            return _generate_number(schema, integer=kind == "integer")
        if kind in ("boolean", "null"):
            return True if kind == "boolean" else None
        raise Unsatisfiable(f"type {kind}")

    def _generate_object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        names = [name for name in properties if depth < OPTIONAL_DEPTH or name in required]
        names += [name for name in required if name not in properties]
        other = schema.get("additionalProperties", True)
        return {name: self.generate(properties.get(name, other), name, depth + 1) for name in names}

    def _generate_array(self, schema: Schema, name: str, depth: int) -> list[Any]:
        usual = min(schema.get("maxItems", 1), 1) if depth < OPTIONAL_DEPTH else 0
        count = max(schema.get("minItems", 0), usual)
        if schema.get("uniqueItems") and count > 1:
            raise Unsatisfiable("uniqueItems")
        return [self.generate(schema.get("items", True), name, depth + 1) for _unused in range(count)]


def _replace_keyword(schema: Schema, keyword: str, other: Schema) -> Schema:
    """Return the schema with a keyword replaced by the schema that it refers to."""
    rest = {key: value for key, value in schema.items() if key not in (keyword, *ANNOTATIONS)}
    if rest.keys() & other.keys():
        raise Unsatisfiable(f"{keyword} beside {', '.join(sorted(rest.keys() & other.keys()))}")
    return {**rest, **other}


def _select_branch(branches: list[Schema], depth: int) -> Schema:
    nothing: Schema = {"type": "null"}
    return nothing if depth >= OPTIONAL_DEPTH and nothing in branches else branches[0]


def _select_type(schema: Schema, depth: int) -> str:
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return "null" if depth >= OPTIONAL_DEPTH and "null" in kinds else str(kinds[0])
    if kinds is None:
        return "object" if "properties" in schema else "array" if "items" in schema else "string"
    return str(kinds)


def _generate_string(schema: Schema, name: str) -> str:
    if "pattern" in schema:
        raise Unsatisfiable("pattern")
    if schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    if schema.get("minLength", 0) > MAX_TEXT_LENGTH:
        raise Unsatisfiable(f"a text of more than {MAX_TEXT_LENGTH} characters")
    text: str = name[: schema.get("maxLength")]
    return text.ljust(schema.get("minLength", 0), ".")


def _generate_number(schema: Schema, *, integer: bool) -> float:
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
        raise Unsatisfiable("an empty range of numbers")
    return int(value) if integer else value


def _between(low: float, high: float) -> float:
    if low > -math.inf:
        return low + 1 if high == math.inf else (low + high) / 2
    return 1.5 if high == math.inf else high - 1
