# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of single JSON values; what they refuse, they name as the API does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from .errors import ApiError, invalid

Check = Callable[[str, Any], None]


def missing(name: str) -> ApiError:
    """400: a parameter is not there."""
    return invalid(f"Missing required parameter: '{name}'.", name, "missing_required_parameter")


def unknown(name: str) -> ApiError:
    """400: a parameter inside another one that the API does not know."""
    return invalid(f"Unknown parameter: '{name}'.", name, "unknown_parameter")


def wrong_type(name: str, value: Any, expected: str) -> ApiError:
    """400: a value of another JSON type."""
    return invalid(
        f"Invalid type for '{name}': expected {expected}, but got {_kind(value)} instead.", name, "invalid_type"
    )


def not_served(what: str, param: str) -> ApiError:
    """501: the real API takes it, the sandbox does not."""
    return ApiError(
        501, f"The sandbox does not yet serve {what}.", type="not_implemented", param=param, code="not_implemented"
    )


def required(name: str, holder: dict[str, Any], key: str) -> Any:
    """A member that must be there."""
    if key not in holder:
        raise missing(f"{name}.{key}")
    return holder[key]


def typed(expected: str, name: str, value: Any) -> None:
    """`expected` begins with the name of a JSON type."""
    if not expected.startswith(_kind(value)):
        raise wrong_type(name, value, expected)


def filled(name: str, value: list[Any]) -> None:
    """An array that may not be empty."""
    if not value:
        raise invalid(
            f"Invalid '{name}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            name,
            "empty_array",
        )


def strings(name: str, value: Any) -> None:
    """An array of texts."""
    typed("an array of strings", name, value)
    for position, item in enumerate(value):
        typed("a string", f"{name}[{position}]", item)


def objects(name: str, value: Any) -> None:
    """An array of one object or more."""
    typed("an array of objects", name, value)
    filled(name, value)
    for position, item in enumerate(value):
        typed("an object", f"{name}[{position}]", item)


def number(low: float | None, high: float | None, name: str, value: Any, *, integer: bool = False) -> None:
    """A number in a range."""
    kind = "integer" if integer else "decimal"
    if isinstance(value, bool) or not isinstance(value, int if integer else (int, float)):
        raise wrong_type(name, value, f"{'an' if integer else 'a'} {kind}")
    if low is not None and value < low:
        message = f"Invalid '{name}': {kind} below minimum value. Expected a value >= {low}, but got {value} instead."
        raise invalid(message, name, f"{kind}_below_min_value")
    if high is not None and value > high:
        message = f"Invalid '{name}': {kind} above maximum value. Expected a value <= {high}, but got {value} instead."
        raise invalid(message, name, f"{kind}_above_max_value")


def one_of(choices: Sequence[str], name: str, value: Any) -> None:
    """One of some words."""
    if not isinstance(value, str):
        raise wrong_type(name, value, f"one of {listed(choices, 'or')}")
    if value not in choices:
        raise invalid(
            f"Invalid value: '{value}'. Supported values are: {listed(choices, 'and')}.", name, "invalid_value"
        )


def metadata(name: str, value: Any) -> None:
    """At most 16 short texts, by short names."""
    if not isinstance(value, dict):
        raise wrong_type(name, value, "a metadata object")
    if len(value) > 16:
        raise invalid(
            f"Invalid '{name}': too many properties. Expected an object with at most 16 properties, but got an object "
            f"with {len(value)} properties instead.",
            name,
            "object_above_max_properties",
        )
    for key, item in value.items():
        string(f"{name}.{key}", item)
        if len(item) > 512:
            raise invalid(
                f"Invalid '{name}.{key}': string too long. Expected a string with maximum length 512, but got a string "
                f"with length {len(item)} instead.",
                f"{name}.{key}",
                "string_above_max_length",
            )


def listed(words: Iterable[str], conjunction: str) -> str:
    """The words in quotes, as a sentence lists them."""
    *first, last = (f"'{word}'" for word in words)
    comma = "," if len(first) > 1 else ""
    return f"{', '.join(first)}{comma} {conjunction} {last}" if first else last


decimal = partial(partial, number)
integer = partial(partial, number, integer=True)
choice = partial(partial, one_of)
boolean, string, array, object_ = (
    partial(typed, expected) for expected in ("a boolean", "a string", "an array", "an object")
)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "an integer", float: "a decimal number", str: "a string", list: "an array"}
    return kinds.get(type(value), "an object")
