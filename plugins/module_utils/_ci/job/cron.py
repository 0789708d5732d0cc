# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Schedules of Jenkins, which accepts invalid ones in a configuration and then never starts a build."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
# Upper limits of H without a range
_LAST_HASHED = (59, 23, 28, 12, 6)
_ALIASES = re.compile("@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)")
_TIME_ZONE = re.compile(r"TZ=[A-Za-z][\w+/-]*")
_TERM = re.compile(
    r"(?P<any>\*)(?:/(?P<any_step>\d{1,9}))?"
    r"|(?P<hash>H)(?:\((?P<hash_first>\d{1,9})-(?P<hash_last>\d{1,9})\))?(?:/(?P<hash_step>\d{1,9}))?"
    r"|(?P<first>\d{1,9})(?:-(?P<last>\d{1,9})(?:/(?P<step>\d{1,9}))?)?"
)
_EXAMPLE = "such as 'H 2 * * *' for once a day between 2:00 and 2:59"


def check_schedule(option: str, schedule: str) -> None:
    """Verify a schedule: lines with five fields or an alias, comments, and a time zone in the first line.

    :raises BadOption: if Jenkins cannot read a line
    """
    for number, line in enumerate(map(str.strip, schedule.splitlines())):
        if line and not line.startswith("#") and not (number == 0 and _TIME_ZONE.fullmatch(line)):
            _check_line(option, line)


def _check_line(option: str, line: str) -> None:
    if line.startswith("@"):
        if not _ALIASES.fullmatch(line):
            raise BadOption(option, f"'{line}' is not an alias that Jenkins knows, such as '@daily'")
        return
    if line.startswith("TZ="):
        raise BadOption(option, f"'{line}' must be the first line and name a time zone, such as 'TZ=Europe/Berlin'")
    fields = line.split()
    if len(fields) != len(_FIELDS):
        raise BadOption(option, f"'{line}' must have five fields, {_EXAMPLE}")
    for index, field in enumerate(fields):
        if not all(_is_term(index, term) for term in field.split(",")):
            raise BadOption(option, f"'{field}' is not a valid {_FIELDS[index]} of a schedule, {_EXAMPLE}")


def _is_term(index: int, term: str) -> bool:
    match = _TERM.fullmatch(term)
    if not match:
        return False
    least, most = _RANGES[index]
    if match["any"]:
        return match["any_step"] is None or int(match["any_step"]) > 0
    if match["hash"]:
        first = int(match["hash_first"] or least)
        last = int(match["hash_last"] or _LAST_HASHED[index])
        step = int(match["hash_step"] or 1)
        return least <= first <= last <= most and 0 < step <= last - first + 1
    first = int(match["first"])
    last = int(match["last"] or first)
    return least <= first <= last <= most and match["step"] != "0" and int(match["step"] or 1) > 0
