# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Schedules are accepted and refused as Quartz does."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cron import check_cron
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

ACCEPTED = [
    *("0 0 2 * * ?", "0\t0  2 * * ?", "0 0 2 ? * mon-fri", "0 0/15 22-4 ? NOV-FEB FRI-MON 2026-2030/2,2031-2031"),
    *("0 0 2 L * ?", "0 0 2 L-3 * ?", "0 0 2 LW * ?", "0 0 2 L-3W * ?", "0 0 2 15W,1W * ?", "0 0 2 ? * L"),
    *("0 0 2 ? * 6L", "0 0 2 ? * FRIL", "0 0 2 ? * 2#3", "0 0 2 ? * MON#1,3", "/5 */5 0-12/3 1,2,31 1/2 ?"),
]
REFUSED = {
    "0 0 2 L,15 * ?": "day of month",
    "0 0 2 1,LW * ?": "day of month",
    "0 0 2 ? * 6L,2": "day of week",
    "0 0 2 ? * MON#1,TUE#2": "day of week",
    "0 0 2 ?,3 * ?": "day of month",
    "0 0 2 ? * ?,MON": "day of week",
    "0 0 2 ? * MON 2030-2026": "year",
    "0 0 2 ? * MON 2026,2030-2028": "year",
    "٠ 0 2 * * ?": "second",
    "0 0 2 ? * ſun": "day of week",
    "0 0 2 31W-1 * ?": "day of month",
    "0 0 24 * * ?": "hour",
    "0 0 2 ? * 0": "day of week",
    "0 0 2 L-31 * ?": "day of month",
    "0 */0 2 * * ?": "minute",
}


@pytest.mark.parametrize("expression", ACCEPTED)
def test_schedule_is_accepted(expression: str) -> None:
    check_cron("cron", expression)


@pytest.mark.parametrize("expression", REFUSED)
def test_schedule_is_refused_with_its_field(expression: str) -> None:
    with pytest.raises(BadOption, match=f"is not a valid {REFUSED[expression]} of a Quartz cron expression"):
        check_cron("cron", expression)


@pytest.mark.parametrize("expression", ["0 0 2 * * *", "0 0 2 ? * ?", "0 0 2 15 * MON"])
def test_schedule_is_refused_unless_one_day_is_unspecified(expression: str) -> None:
    with pytest.raises(BadOption, match="must have '\\?' as either the day of month or the day of week"):
        check_cron("cron", expression)
