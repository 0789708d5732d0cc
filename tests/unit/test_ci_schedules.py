# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedules of Jenkins."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job.cron import check_schedule
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption


@pytest.mark.parametrize(
    "schedule",
    [
        "",
        "H 2 * * *",
        "  H/15\t*  * * 1-5 ",
        "0,30 8-18/2 1,15 * 0,7",
        "H(0-29)/10 H(22-23) H(1-7) H H",
        "*/5 * * * *",
        "@daily",
        "@midnight\n@hourly",
        "TZ=Europe/Berlin\n# at night\n\nH 2 * * *",
        "TZ=Etc/GMT+5\n@weekly",
        "H/28 * H/28 * *",
    ],
)
def test_schedule_of_jenkins_is_accepted(schedule: str) -> None:
    check_schedule("cron", schedule)


@pytest.mark.parametrize(
    "schedule",
    [
        "nonsense",
        "* * * *",
        "0 0 2 * * ?",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "* * * JAN *",
        "* * * * MON",
        "5-1 * * * *",
        "*/0 * * * *",
        "1-5/0 * * * *",
        "H/0 * * * *",
        "H/61 * * * *",
        "H * H/29 * *",
        "H(0-60) * * * *",
        "h 2 * * *",
        "1, * * * *",
        "1/5 * * * *",
        "@reboot",
        "@Daily",
        "@daily H",
        "H 2 * * *\nTZ=Europe/Berlin",
        "TZ=\nH 2 * * *",
        "H 2 * * * # comment",
    ],
)
def test_other_schedule_is_refused(schedule: str) -> None:
    with pytest.raises(BadOption, match="Option 'cron'"):
        check_schedule("cron", schedule)
