# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers, sizes and flags, which the server writes as such here and as texts there."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_WHOLE = re.compile(r"-?\d{1,18}|-?\d{1,3}(,\d{3}){1,5}")
_SIZE = re.compile(r"([\d,]+(?:\.\d+)?) ?(bytes?|B|KB|MB|GB|TB|PB)", re.IGNORECASE)
_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?%")
_UNITS = {unit: 1024**power for power, unit in enumerate(("B", "KB", "MB", "GB", "TB", "PB"))}
_FLAGS = {"true": True, "false": False}


def number(record: Record, name: str) -> int:
    """A whole number, which may be a text, with commas between thousands.

    :raises UnexpectedResponse: when the member is none
    """
    if isinstance(record.get(name), str):
        return record.convert(name, "a whole number", _whole)
    return record.integer(name)


def maybe_number(record: Record, name: str) -> int | None:
    """The same, or `None` when the member is not there."""
    return None if record.get(name) is None else number(record, name)


def flag(record: Record, name: str) -> bool:
    """True or false, which may be a text.

    :raises UnexpectedResponse: when the member is neither
    """
    return _FLAGS[record[name]] if record.get(name) in ("true", "false") else record.flag(name)


def size(text: str | None) -> int | None:
    """The bytes in a text such as `3.48 GB` (of 1024 MB), as exactly as it says; `None` when it says none."""
    match = _SIZE.match(text or "")
    if not match:
        return None
    amount, unit = match.groups()
    unit = "B" if unit.lower().startswith("byte") else unit.upper()
    return round(float(amount.replace(",", "")) * _UNITS[unit])


def share(text: str | None) -> float | None:
    """The per cent in a text such as `32.22 GB (15.77%)`; `None` when it says none."""
    match = _SHARE.search(text or "")
    return float(match.group(1)) if match else None


def _whole(text: t.Any) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text.replace(",", ""))
