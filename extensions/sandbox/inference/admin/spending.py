# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Alerts and limits for the costs of an organization and of its projects."""

from __future__ import annotations

from typing import Any

from ..protocol.checks import (
    check_choice,
    check_string,
    check_strings,
    choice_check,
    integer_check,
    object_,
    require_member,
)
from .common import ORGANIZATION, PROJECT
from .objects import Collection, Setting

_AMOUNT = {
    "threshold_amount": integer_check(1, None),
    "currency": choice_check(("USD",)),
    "interval": choice_check(("month",)),
}


def _check_channel(name: str, value: Any) -> None:
    object_(name, value)
    check_choice(("email",), f"{name}.type", require_member(name, value, "type"))
    check_strings(f"{name}.recipients", require_member(name, value, "recipients"))
    if value.get("subject_prefix") is not None:
        check_string(f"{name}.subject_prefix", value["subject_prefix"])


ALERT = Collection(
    "spend alert",
    "alert_",
    "{scope}.spend_alert",
    {**_AMOUNT, "notification_channel": _check_channel},
    (*_AMOUNT, "notification_channel"),
)
LIMIT = Setting(
    "spend limit",
    _AMOUNT,
    tuple(_AMOUNT),
    lambda _current, values: {**values, "enforcement": {"status": "inactive"}},
)

ROUTES = (
    *ALERT.build_routes(f"{ORGANIZATION}/spend_alerts"),
    *ALERT.build_routes(f"{PROJECT}/spend_alerts"),
    *LIMIT.build_routes(ORGANIZATION, PROJECT),
)
