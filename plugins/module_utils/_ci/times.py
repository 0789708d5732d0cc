# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Moments and durations as the server counts them, in milliseconds, and as results show them."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record


def maybe_timestamp(record: Record, name: str) -> str | None:
    """A member as ISO 8601 with its zone, which is UTC: `2026-03-01T12:00:00.000Z`."""
    return None if record.get(name) is None else record.convert(name, "milliseconds since 1970", _moment)


def maybe_seconds(record: Record, name: str) -> float | None:
    """A member as seconds; a negative one says that it is not known."""
    milliseconds = record.maybe_integer(name)
    return None if milliseconds is None or milliseconds < 0 else milliseconds / 1000


def _moment(milliseconds: t.Any) -> str:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int):
        raise ValueError
    try:
        moment = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    except (OverflowError, OSError):
        raise ValueError from None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"
