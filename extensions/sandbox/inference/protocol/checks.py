# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of single JSON values, with the error messages of the API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from .errors import ApiError, invalid_parameter

Check = Callable[[str, Any], None]


def missing_parameter(name: str) -> ApiError:
    """Return the 400 error for a missing parameter."""
    return invalid_parameter(f"Missing required parameter: '{name}'.", name, "missing_required_parameter")


def unknown_parameter(name: str) -> ApiError:
    """Return the 400 error for an unknown nested parameter."""
    return invalid_parameter(f"Unknown parameter: '{name}'.", name, "unknown_parameter")


def wrong_type(name: str, value: Any, expected: str) -> ApiError:
    """Return the 400 error for a value of the wrong JSON type."""
    return invalid_parameter(
        f"Invalid type for '{name}': expected {expected}, but got {_kind(value)} instead.", name, "invalid_type"
    )


def not_served_error(what: str, param: str) -> ApiError:
    """Return the 501 error for a parameter that the real API accepts and the sandbox does not."""
    return ApiError(
        501, f"The sandbox does not yet serve {what}.", type="not_implemented", param=param, code="not_implemented"
    )


def require_member(name: str, holder: dict[str, Any], key: str) -> Any:
    """Return a required member of an object."""
    if key not in holder:
        raise missing_parameter(f"{name}.{key}")
    return holder[key]


def check_type(expected: str, name: str, value: Any) -> None:
    """Check the JSON type of a value. `expected` starts with the name of the type."""
    if not expected.startswith(_kind(value)):
        raise wrong_type(name, value, expected)


def check_array_not_empty(name: str, value: list[Any]) -> None:
    """Check that a value is an array that is not empty."""
    if not value:
        raise invalid_parameter(
            f"Invalid '{name}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            name,
            "empty_array",
        )


def check_strings(name: str, value: Any) -> None:
    """Check that a value is an array of strings."""
    check_type("an array of strings", name, value)
    for position, item in enumerate(value):
        check_type("a string", f"{name}[{position}]", item)


def check_objects(name: str, value: Any) -> None:
    """Check that a value is an array of at least one object."""
    check_type("an array of objects", name, value)
    check_array_not_empty(name, value)
    for position, item in enumerate(value):
        check_type("an object", f"{name}[{position}]", item)


def check_number(low: float | None, high: float | None, name: str, value: Any, *, integer: bool = False) -> None:
    """Check that a number is in a range."""
    kind = "integer" if integer else "decimal"
    if isinstance(value, bool) or not isinstance(value, int if integer else (int, float)):
        raise wrong_type(name, value, f"{'an' if integer else 'a'} {kind}")
    if low is not None and value < low:
        message = f"Invalid '{name}': {kind} below minimum value. Expected a value >= {low}, but got {value} instead."
        raise invalid_parameter(message, name, f"{kind}_below_min_value")
    if high is not None and value > high:
        message = f"Invalid '{name}': {kind} above maximum value. Expected a value <= {high}, but got {value} instead."
        raise invalid_parameter(message, name, f"{kind}_above_max_value")


def check_choice(choices: Sequence[str], name: str, value: Any) -> None:
    """Check that a value is one of some choices."""
    if not isinstance(value, str):
        raise wrong_type(name, value, f"one of {join_quoted(choices, 'or')}")
    if value not in choices:
        raise invalid_parameter(
            f"Invalid value: '{value}'. Supported values are: {join_quoted(choices, 'and')}.", name, "invalid_value"
        )


def check_metadata(name: str, value: Any) -> None:
    """Check that metadata has at most 16 short keys and values."""
    if not isinstance(value, dict):
        raise wrong_type(name, value, "a metadata object")
    if len(value) > 16:
        raise invalid_parameter(
            f"Invalid '{name}': too many properties. Expected an object with at most 16 properties, but got an object "
            f"with {len(value)} properties instead.",
            name,
            "object_above_max_properties",
        )
    for key, item in value.items():
        check_string(f"{name}.{key}", item)
        if len(item) > 512:
            raise invalid_parameter(
                f"Invalid '{name}.{key}': string too long. Expected a string with maximum length 512, but got a string "
                f"with length {len(item)} instead.",
                f"{name}.{key}",
                "string_above_max_length",
            )


def join_quoted(words: Iterable[str], conjunction: str) -> str:
    """Join choices in quotation marks, as error messages list them."""
    *first, last = (f"'{word}'" for word in words)
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} {conjunction} {last}" if first else last


decimal = partial(partial, check_number)
integer_check = partial(partial, check_number, integer=True)
choice_check = partial(partial, check_choice)
check_boolean, check_string, check_array, object_ = (
    partial(check_type, expected) for expected in ("a boolean", "a string", "an array", "an object")
)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "an integer", float: "a decimal number", str: "a string", list: "an array"}
    return kinds.get(type(value), "an object")
