# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds: where they come from, and which keys they may have, so that a mistyped one is not passed over."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

# What a part of a seed looks like: Keys, a list with the shape of its elements, or ANYTHING.
Schema = Any
ANY_VALUE: Schema = ...


class SeedError(ValueError):
    """A seed that cannot be used; the message says where and why."""


@dataclass(frozen=True)
class MappingSchema:
    """A mapping with these keys, each with the shape of its value."""

    shapes: Mapping[str, Schema]
    required: tuple[str, ...]


def mapping_schema(names: str, **shapes: Schema) -> MappingSchema:
    """A mapping with plain keys, and with keys that have shapes; a name with `!` has to be there."""
    plain = {name.rstrip("!"): ANY_VALUE for name in names.split()}
    return MappingSchema({**plain, **shapes}, tuple(name[:-1] for name in names.split() if name.endswith("!")))


def load_seed(path: pathlib.Path) -> Any:
    """The seed in a file, or in a folder with a file for each section, such as `ci.yml`."""
    if path.is_dir():
        return {file.stem: load_seed(file) for file in sorted(path.glob("*.yml"))}
    return yaml.safe_load(path.read_bytes())


def validate_seed(data: Any, shape: Schema, path: str) -> None:
    """Find the first place where a part of a seed has not the shape it should have."""
    if isinstance(shape, MappingSchema):
        _validate_mapping(data, shape, path)
    elif isinstance(shape, list):
        if not isinstance(data, list):
            raise SeedError(f"{path} must be a list.")
        for index, element in enumerate(data):
            validate_seed(element, shape[0], f"{path}[{index}]")


def _validate_mapping(data: Any, shape: MappingSchema, path: str) -> None:
    if not isinstance(data, Mapping):
        raise SeedError(f"{path} must be an object.")
    for name, value in data.items():
        if name not in shape.shapes:
            raise SeedError(f"{path}.{name} is unknown; {path} takes {', '.join(sorted(shape.shapes))}.")
        validate_seed(value, shape.shapes[name], f"{path}.{name}")
    for name in shape.required:
        if data.get(name) is None:
            raise SeedError(f"{path}.{name} is missing.")
