# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generate null for each option that narrows what a task deletes, moves, overwrites or publishes."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from support.cases import MODULES

REFUSAL = "Option '{}': must not be null. Set a value or omit the option."


def nulls_of(module: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the path of each narrowing option of a module, with parameters in which it is null."""
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")
    return list(_each_null(code.SPEC.options))


def _each_null(options: dict[str, dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, option in options.items():
        if option.get("narrows_scope") and not option.get("required"):
            yield name, {name: None}
        several = option.get("type") == "list"
        for path, inner in _each_null(option.get("options") or {}):
            yield f"{name}{'[0]' if several else ''}.{path}", {name: [inner] if several else inner}


NULLS = {module: nulls for module in MODULES if (nulls := nulls_of(module))}
"""Module to its narrowing options."""


def list_free_values() -> Iterator[tuple[str, str]]:
    """Yield module and path of each option whose value has no suboptions, apart from those in `items`."""
    for module in MODULES:
        code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")
        beside = {name: option for name, option in code.SPEC.options.items() if name != "items"}
        yield from ((module, path) for path in _each_free_value(beside))


def _each_free_value(options: dict[str, dict[str, Any]]) -> Iterator[str]:
    for name, option in options.items():
        if option.get("options"):
            yield from (f"{name}.{path}" for path in _each_free_value(option["options"]))
        elif {option["type"], option.get("elements")} & {"dict", "raw"}:
            yield name
