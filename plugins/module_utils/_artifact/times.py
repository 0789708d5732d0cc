# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parse dates and times, which Artifactory returns in milliseconds or as text with two forms of time zones."""

from __future__ import annotations

import datetime
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_FORM = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)")
# Limits of an option that is a time; `check_time` also verifies that the date exists
TIME = dict(matches=(_FORM.pattern, "a date and time with a time zone, such as 2026-10-01T12:00:00Z"))


def get_time(record: Record, name: str) -> str:
    """Return a member that is a time, as `utc` does."""
    return record.convert(name, "a date and time", to_utc)


def get_optional_time(record: Record, name: str) -> str | None:
    """Return a member that is a time, or `None` if it is missing or null."""
    return None if record.get(name) is None else get_time(record, name)


def to_utc(value: t.Any) -> str:
    """Return a time in ISO 8601 format in UTC, with milliseconds: `2026-10-01T12:00:00.000Z`.

    :arg value: a text with a time zone, or milliseconds since the epoch
    :raises ValueError: if it is neither
    """
    return f"{_parse(value).isoformat(timespec='milliseconds')[:-6]}Z"


def to_build_time(value: str) -> str:
    """Return a time as in build info: `2026-10-01T12:00:00.000+0000`.

    :raises ValueError: if the text is not a time
    """
    return f"{to_utc(value)[:-1]}+0000"


def to_milliseconds(value: str) -> int:
    """Return the milliseconds since the epoch.

    :raises ValueError: if the text is not a time
    """
    return round(_parse(value).timestamp() * 1000)


def check_time(value: str, option: str) -> str:
    """Return the time in an option, as `utc` does.

    :raises BadOption: if it is invalid
    """
    try:
        return to_utc(value)
    except ValueError:
        raise BadOption(option, f"must be {TIME['matches'][1]}, not '{value}'") from None


def _parse(value: t.Any) -> datetime.datetime:
    try:
        if isinstance(value, int) and not isinstance(value, bool):
            return datetime.datetime.fromtimestamp(value // 1000, datetime.timezone.utc).replace(
                microsecond=value % 1000 * 1000
            )
        match = _FORM.fullmatch(value)
        if not match:
            raise ValueError(value)
        day, time, fraction, zone = match.groups()
        offset = "+00:00" if zone == "Z" else f"{zone[:3]}:{zone[-2:]}"
        text = f"{day}T{time}.{(fraction or '')[:6]:0<6}{offset}"
        return datetime.datetime.fromisoformat(text).astimezone(datetime.timezone.utc)
    except (TypeError, OverflowError, OSError) as error:
        raise ValueError(str(error)) from None
