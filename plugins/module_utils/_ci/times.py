# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Timestamps and durations: milliseconds in responses, ISO 8601 and seconds in results."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record


def read_timestamp(record: Record, name: str) -> str | None:
    """Return a member as ISO 8601 in UTC: `2026-03-01T12:00:00.000Z`."""
    return None if record.get(name) is None else record.convert(name, "milliseconds since 1970", _to_iso)


def read_duration(record: Record, name: str) -> float | None:
    """Return a member in seconds, or `None` if it is negative, which means unknown."""
    milliseconds = record.maybe_integer(name)
    return None if milliseconds is None or milliseconds < 0 else milliseconds / 1000


def _to_iso(milliseconds: t.Any) -> str:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int):
        raise ValueError
    try:
        time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    except (OverflowError, OSError):
        raise ValueError from None
    return f"{time:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"
