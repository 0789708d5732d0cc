# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check JSON schemas before a request is sent, and validate answers against them."""

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
_REMEDY = "Change the schema, or set 'strict: false'; the answer is validated in both cases"
# Keywords that the API rejects in strict mode
_UNSUPPORTED_KEYWORDS = (
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
    """Check that a schema is valid and, with `strict`, that strict mode supports it.

    :raises BadOption: if it is not
    :raises ToolchainError: if jsonschema is not installed
    """
    if jsonschema is None:
        raise ToolchainError(
            f"'{_OPTION}' requires the Python package jsonschema, which is not installed for {sys.executable}. "
            f"Install it with '{sys.executable} -m pip install jsonschema'."
        )
    if not isinstance(schema.get("$schema", ""), str):
        raise BadOption(_OPTION, "is not a valid JSON schema: '$schema' must be a string")
    try:
        jsonschema.validators.validator_for(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadOption(_OPTION, f"is not a valid JSON schema: {error.message}") from None
    for path, part in _iter_objects(schema, ""):
        reference = part.get("$ref")
        if isinstance(reference, str) and not _can_resolve(schema, reference):
            raise BadOption(_OPTION, f"{_format_path(path)}'$ref: {reference}' does not point into the schema")
    if strict:
        if schema.get("type") != "object":
            raise BadOption(_OPTION, f"strict mode requires 'type: object' at the top level. {_REMEDY}")
        _check_strict(schema, "")


def find_violation(data: t.Any, schema: Schema) -> str | None:
    """Return the reason for which data does not match a schema, `None` if it does."""
    try:
        jsonschema.validate(data, schema)
    except jsonschema.ValidationError as error:
        return error.message
    except (ArithmeticError, RecursionError) as error:
        return f"it cannot be validated ({error})"
    return None


def _iter_objects(value: t.Any, path: str) -> t.Iterator[tuple[str, Schema]]:
    """Yield each object in a schema with its path."""
    if isinstance(value, dict):
        yield path, value
    for name, child in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(child, (dict, list)):
            yield from _iter_objects(child, f"{path}.{name}" if path else str(name))


def _can_resolve(schema: t.Any, reference: str) -> bool:
    if not re.fullmatch("#(/.*)?", reference, re.DOTALL):
        return False
    for name in reference.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or name not in schema:
            return False
        schema = schema[name]
    return isinstance(schema, (dict, bool))


def _check_strict(schema: t.Any, path: str) -> None:
    if not isinstance(schema, dict):
        return
    problem = _find_strict_problem(schema)
    if problem:
        raise BadOption(_OPTION, f"strict mode does not support the schema: {_format_path(path)}{problem}. {_REMEDY}")
    for keyword in ("properties", "$defs", "definitions"):
        for name, child in schema.get(keyword, {}).items():
            _check_strict(child, f"{path}.{name}" if path else name)
    _check_strict(schema.get("items"), f"{path}.items" if path else "items")
    for number, child in enumerate(schema.get("anyOf", ())):
        _check_strict(child, f"{path}.anyOf[{number}]")


def _find_strict_problem(schema: Schema) -> str | None:
    for keyword in _UNSUPPORTED_KEYWORDS:
        if keyword in schema:
            return f"'{keyword}' is not supported"
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            return "'additionalProperties' must be false"
        if optional := sorted(schema.get("properties", {}).keys() - set(schema.get("required", ()))):
            return f"all properties must be required, but {', '.join(optional)} is not"
    return None


def _format_path(path: str) -> str:
    return f"at '{path}', " if path else ""
