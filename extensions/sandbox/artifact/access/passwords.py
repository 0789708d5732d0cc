# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The default rules for passwords."""

from __future__ import annotations

import re

from ..call import Call
from ..protocol import feature_versions

MIN_LENGTH = 8
CHARACTER_CLASSES = {
    "one uppercase letter": re.compile(r"[A-Z]"),
    "one lowercase letter": re.compile(r"[a-z]"),
    "one digit": re.compile(r"\d"),
    "one special character": re.compile(r"[^A-Za-z0-9]"),
}


def find_violation(call: Call, password: str) -> str | None:
    """Return the message for the first rule that a new password violates."""
    if not call.get_switch("password_rules") or not call.supports(feature_versions.PASSWORD_RULES):
        return None
    if len(password) < MIN_LENGTH:
        return f"Password must contain at least {MIN_LENGTH} characters"
    missing = next((name for name, pattern in CHARACTER_CLASSES.items() if not pattern.search(password)), None)
    return missing and f"Password must contain at least {missing}"
