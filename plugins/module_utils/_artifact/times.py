# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Dates and times, which the server spells in three ways: with a zone with and without a colon, and as milliseconds."""

from __future__ import annotations

import datetime
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_FORM = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)")
# What an option takes; whether there is such a day, `check` sees
TIME = dict(matches=(_FORM.pattern, "a date and time with a time zone, such as 2026-10-01T12:00:00Z"))


def of(record: Record, name: str) -> str:
    """A member that is a time, as `utc` gives it."""
    return record.convert(name, "a date and time", utc)


def maybe_of(record: Record, name: str) -> str | None:
    """The same, or `None` for one that is not there or is null."""
    return None if record.get(name) is None else of(record, name)


def utc(value: t.Any) -> str:
    """A time as ISO 8601 in UTC, with milliseconds: `2026-10-01T12:00:00.000Z`.

    :arg value: a text with a zone, or a number of milliseconds since 1970
    :raises ValueError: when it is neither
    """
    return f"{_moment(value).isoformat(timespec='milliseconds')[:-6]}Z"


def plain(value: str) -> str:
    """A time as build records have it: `2026-10-01T12:00:00.000+0000`.

    :raises ValueError: when it is none
    """
    return f"{utc(value)[:-1]}+0000"


def milliseconds(value: str) -> int:
    """The milliseconds since 1970.

    :raises ValueError: when it is no time
    """
    return round(_moment(value).timestamp() * 1000)


def check(value: str, option: str) -> str:
    """An option's time, as `utc` gives it.

    :raises BadOption: when it is none
    """
    try:
        return utc(value)
    except ValueError:
        raise BadOption(option, f"takes {TIME['matches'][1]}, not '{value}'") from None


def _moment(value: t.Any) -> datetime.datetime:
    try:
        if isinstance(value, int) and not isinstance(value, bool):
            return datetime.datetime.fromtimestamp(value // 1000, datetime.timezone.utc).replace(
                microsecond=value % 1000 * 1000
            )
        found = _FORM.fullmatch(value)
        if not found:
            raise ValueError(value)
        day, time, fraction, zone = found.groups()
        offset = "+00:00" if zone == "Z" else f"{zone[:3]}:{zone[-2:]}"
        text = f"{day}T{time}.{(fraction or '')[:6]:0<6}{offset}"
        return datetime.datetime.fromisoformat(text).astimezone(datetime.timezone.utc)
    except (TypeError, OverflowError, OSError) as error:
        raise ValueError(str(error)) from None
