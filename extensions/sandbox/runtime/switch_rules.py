# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules for the values of switches, so that a typing error does not make a test meaningless."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

# A rule is a tuple of the valid values, or a function that raises `ValueError`.
Rule = tuple[Any, ...] | Callable[[Any], None]
Rules = Mapping[str, Rule]
# Other defaults of switches, each with the first version that has it.
SwitchesByVersion = Mapping[str, tuple[str, Any]]

_VERSION = re.compile(r"\d+(\.\d+)*([-.][0-9A-Za-z]+)*", re.ASCII)
_TYPES: dict[type, str] = {
    bool: "boolean",
    int: "whole number",
    float: "number",
    str: "string",
    list: "list",
    dict: "object",
}


def check_version(value: Any) -> None:
    """Accept versions such as `7.77.3` and `2.580-SNAPSHOT`."""
    if not _VERSION.fullmatch(value):
        raise ValueError("expected a version such as 7.77.3")


def check_texts(value: Any) -> None:
    """Accept lists of strings."""
    if not all(isinstance(text, str) for text in value):
        raise ValueError("expected a list of strings")


def check_headers(value: Any) -> None:
    """Accept objects whose members are strings or numbers."""
    if not all(isinstance(text, (str, int, float)) and not isinstance(text, bool) for text in value.values()):
        raise ValueError("expected an object of strings")


def check_switch(name: str, default: Any, value: Any, rule: Rule | None) -> None:
    """Verify the value of a switch. Numbers are finite and not negative, and whole unless they are seconds.

    :raises ValueError: if it is invalid, with what was expected
    """
    kind = float if isinstance(default, int) and name.endswith("_seconds") else type(default)
    if not _has_type(kind, value):
        raise ValueError(f"expected {_TYPES[kind]}")
    if isinstance(rule, tuple):
        if value not in rule:
            raise ValueError(f"expected one of {', '.join(map(json.dumps, rule))}")
    elif rule:
        rule(value)
    elif _has_type(float, value) and not (math.isfinite(value) and value >= 0):
        raise ValueError("expected a number that is not negative")


def select_by_version(switches: SwitchesByVersion, version: str | None) -> dict[str, Any]:
    """Return the other defaults that a version has."""
    return {name: value for name, (since, value) in switches.items() if _parse(version) >= _parse(since)}


def _parse(version: str | None) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version or "")))


def _has_type(kind: type, value: Any) -> bool:
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
