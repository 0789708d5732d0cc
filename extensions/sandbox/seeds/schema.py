# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Seeds: reading and validation. Unknown keys are errors, so that misspelled keys are not ignored."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

# The schema of a part of a seed: a MappingSchema, a list with the schema of its elements, or ANY_VALUE
Schema = Any
ANY_VALUE: Schema = ...


class SeedError(ValueError):
    """A seed is invalid. The message contains the path of the invalid part."""


@dataclass(frozen=True)
class MappingSchema:
    """A mapping with the schemas of its values by key."""

    values: Mapping[str, Schema]
    required: tuple[str, ...]


def mapping_schema(names: str, **schemas: Schema) -> MappingSchema:
    """Create the schema of a mapping.

    :arg names: keys that accept any value, separated by blanks; those with the suffix `!` are required
    :arg schemas: schemas of other keys
    """
    plain = {name.rstrip("!"): ANY_VALUE for name in names.split()}
    return MappingSchema({**plain, **schemas}, tuple(name[:-1] for name in names.split() if name.endswith("!")))


def load_seed(path: pathlib.Path) -> Any:
    """Read the seed from a YAML file, or from a directory with one file for each section, for example `ci.yml`."""
    if path.is_dir():
        return {file.stem: load_seed(file) for file in sorted(path.glob("*.yml"))}
    return yaml.safe_load(path.read_bytes())


def validate_seed(data: Any, schema: Schema, path: str) -> None:
    """Validate a part of a seed.

    :arg path: path of the part, for the message
    :raises SeedError: for the first part that does not match the schema
    """
    if isinstance(schema, MappingSchema):
        _validate_mapping(data, schema, path)
    elif isinstance(schema, list):
        if not isinstance(data, list):
            raise SeedError(f"{path} must be a list.")
        for index, element in enumerate(data):
            validate_seed(element, schema[0], f"{path}[{index}]")


def _validate_mapping(data: Any, schema: MappingSchema, path: str) -> None:
    if not isinstance(data, Mapping):
        raise SeedError(f"{path} must be an object.")
    for name, value in data.items():
        if name not in schema.values:
            raise SeedError(f"{path}.{name} is unknown. Valid keys of {path}: {', '.join(sorted(schema.values))}.")
        validate_seed(value, schema.values[name], f"{path}.{name}")
    for name in schema.required:
        if data.get(name) is None:
            raise SeedError(f"{path}.{name} is required.")
