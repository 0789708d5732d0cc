# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parse numbers, sizes and flags, which Artifactory returns either as such or as text."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_INTEGER = re.compile(r"-?\d{1,18}|-?\d{1,3}(,\d{3}){1,5}")
_SIZE = re.compile(r"([\d,]+(?:\.\d+)?) ?(bytes?|B|KB|MB|GB|TB|PB)", re.IGNORECASE)
_PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?) ?%")
_UNITS = {unit: 1024**power for power, unit in enumerate(("B", "KB", "MB", "GB", "TB", "PB"))}
_FLAGS = {"true": True, "false": False}


def get_integer(record: Record, name: str) -> int:
    """Return an integer, which can be a text with commas between thousands.

    :raises UnexpectedResponse: if the member is not an integer
    """
    if isinstance(record.get(name), str):
        return record.convert(name, "a whole number", _parse_integer)
    return record.integer(name)


def get_optional_integer(record: Record, name: str) -> int | None:
    """Return an integer as `number` does, or `None` if the member is missing or null."""
    return None if record.get(name) is None else get_integer(record, name)


def get_flag(record: Record, name: str) -> bool:
    """Return a boolean, which can be a text.

    :raises UnexpectedResponse: if the member is not a boolean
    """
    return _FLAGS[record[name]] if record.get(name) in ("true", "false") else record.flag(name)


def parse_size(text: str | None) -> int | None:
    """Return the bytes in a text such as `3.48 GB` (1 GB is 1024 MB), rounded as the text is, or `None` if it has no
    size.
    """
    match = _SIZE.match(text or "")
    if not match:
        return None
    amount, unit = match.groups()
    unit = "B" if unit.lower().startswith("byte") else unit.upper()
    return round(float(amount.replace(",", "")) * _UNITS[unit])


def parse_percentage(text: str | None) -> float | None:
    """Return the percentage in a text such as `32.22 GB (15.77%)`, or `None`."""
    match = _PERCENTAGE.search(text or "")
    return float(match.group(1)) if match else None


def _parse_integer(text: t.Any) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text.replace(",", ""))
