# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ages of artifacts in rules: `30d`, `4weeks`, or a date."""

from __future__ import annotations

import datetime
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

EXPECTED = "must be an age such as 30d, 4w, 6mo or 1y, or a date such as 2026-10-01 or 2026-10-01T12:00:00Z"
AGE: dict[str, t.Any] = dict(unchecked="checked when it is made a moment")

_DAYS = {"d": 1, "days": 1, "w": 7, "weeks": 7, "mo": 30, "months": 30, "y": 365, "years": 365}
_SECONDS = {"s": 1, "seconds": 1, "mi": 60, "minutes": 60}
_AGE = re.compile(rf"(\d{{1,9}}) ?({'|'.join([*_DAYS, *_SECONDS])})", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def parse_age(text: str, now: str, option: str) -> str:
    """Return the time that an age or a date refers to, as `times.utc` does.

    :raises BadOption: if the text is neither an age nor a date
    """
    try:
        if age := _AGE.fullmatch(text):
            seconds = int(age[1]) * (_SECONDS.get(age[2]) or _DAYS[age[2]] * 86400)
            then = times.to_milliseconds(now) - seconds * 1000
            return times.to_utc(max(then, 0))
        return times.to_utc(f"{text}T00:00:00Z" if _DATE.fullmatch(text) else text)
    except (ValueError, OverflowError):
        raise BadOption(option, f"{EXPECTED}, not '{text}'") from None


def current_time() -> str:
    return times.to_utc(round(datetime.datetime.now(datetime.timezone.utc).timestamp() * 1000))
