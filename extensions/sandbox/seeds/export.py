# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of the state as a seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

MAX_TEXT_SIZE = 65536  # bytes of a file or log
MAX_ITEMS = 10_000


@dataclass
class SeedExport:
    """A section of a seed.

    :arg omitted: what the state of the service contains and the section does not
    """

    section: dict[str, Any]
    omitted: list[str] = field(default_factory=list)

    def omit(self, count: int, subject: str) -> None:
        """Note that a number of objects is omitted, if there are any."""
        if count:
            self.omitted.append(f"{subject}: {count:,}")


def drop_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with a value other than null or an empty list, mapping or text."""
    return {name: value for name, value in fields.items() if value not in (None, [], {}, "")}


def select_fields(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the fields with these names."""
    return {name: fields[name] for name in names if name in fields}


def write_yaml(seed: Mapping[str, Any], omitted: Mapping[str, list[str]]) -> str:
    """Return a seed as YAML, after a comment on what it does not contain."""
    notes = [f"#   {service}: {note}" for service, notes in omitted.items() for note in notes]
    comment = "\n".join(["# Seed of the sandbox, with the passwords and keys of its accounts. Not contained:", *notes])
    return f"{comment}\n{yaml.safe_dump(dict(seed), allow_unicode=True, sort_keys=False, width=120)}"
