# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The schema of a structured answer: checked before it is paid for, and the answer against it afterwards."""

from __future__ import annotations

import re
import sys
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError

try:
    import jsonschema
except ImportError:
    jsonschema = None  # type: ignore[assignment]

Schema = dict[str, t.Any]

_OPTION = "response_schema"
_WAY_OUT = "with 'strict: false' any schema may be sent, and the answer is checked all the same"
# What the API refuses in strict mode
_NOT_STRICT = (
    "allOf",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "minProperties",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
)


def check(schema: Schema, strict: bool) -> None:
    """
    :raises BadOption: when it is no schema, or none that strict mode takes
    :raises ToolchainError: when the package that checks answers is missing
    """
    if jsonschema is None:
        raise ToolchainError(
            f"'{_OPTION}' needs the Python package 'jsonschema', which is missing for {sys.executable}: "
            f"install it with '{sys.executable} -m pip install jsonschema'."
        )
    if not isinstance(schema.get("$schema", ""), str):
        raise BadOption(_OPTION, "is no JSON schema: '$schema' must be a text")
    try:
        jsonschema.validators.validator_for(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadOption(_OPTION, f"is no JSON schema: {error.message}") from None
    for place, part in _objects(schema, ""):
        reference = part.get("$ref")
        if isinstance(reference, str) and not _leads_somewhere(schema, reference):
            raise BadOption(_OPTION, f"{_at(place)}'$ref: {reference}' leads to nothing inside the schema")
    if strict:
        if schema.get("type") != "object":
            raise BadOption(_OPTION, f"strict mode wants 'type: object' at the top; {_WAY_OUT}")
        _check_strict(schema, "")


def shortfall(data: t.Any, schema: Schema) -> str | None:
    """What is wrong with an answer, if anything is."""
    try:
        jsonschema.validate(data, schema)
    except jsonschema.ValidationError as error:
        return error.message
    except (ArithmeticError, RecursionError) as error:
        return f"it cannot be checked ({error})"
    return None


def _objects(value: t.Any, place: str) -> t.Iterator[tuple[str, Schema]]:
    """All objects in a schema, each with its place."""
    if isinstance(value, dict):
        yield place, value
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, (dict, list)):
            yield from _objects(inner, f"{place}.{name}" if place else str(name))


def _leads_somewhere(schema: t.Any, reference: str) -> bool:
    if not re.fullmatch("#(/.*)?", reference, re.DOTALL):
        return False
    for name in reference.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or name not in schema:
            return False
        schema = schema[name]
    return isinstance(schema, (dict, bool))


def _check_strict(schema: t.Any, place: str) -> None:
    if not isinstance(schema, dict):
        return
    problem = _strict_problem(schema)
    if problem:
        raise BadOption(_OPTION, f"strict mode cannot take it: {_at(place)}{problem}; {_WAY_OUT}")
    for keyword in ("properties", "$defs", "definitions"):
        for name, inner in schema.get(keyword, {}).items():
            _check_strict(inner, f"{place}.{name}" if place else name)
    _check_strict(schema.get("items"), f"{place}.items" if place else "items")
    for number, inner in enumerate(schema.get("anyOf", ())):
        _check_strict(inner, f"{place}.anyOf[{number}]")


def _strict_problem(schema: Schema) -> str | None:
    for keyword in _NOT_STRICT:
        if keyword in schema:
            return f"'{keyword}' is not allowed"
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            return "'additionalProperties' must be false"
        if optional := sorted(schema.get("properties", {}).keys() - set(schema.get("required", ()))):
            return f"all properties must be required, and {', '.join(optional)} is not"
    return None


def _at(place: str) -> str:
    return f"at '{place}', " if place else ""
