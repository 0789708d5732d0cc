# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of objects in Jenkins. Sets of characters are parts of character classes of regular expressions."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._options import limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option

# Refused by `Jenkins.checkGoodName`, which applies to items, views and nodes
UNSAFE = r"?*/\\%!@#$^&|<>\[\]:;"
# Control characters, which Jenkins refuses, and characters that XML documents cannot contain
UNREADABLE = r"\x00-\x1f\x7f-\x9f\u2028\ufffe\uffff"
# The name of an object for which Jenkins has no rules
NAME: Option = dict(**limits.NAME, matches=(f"[^{UNREADABLE}]*", "a name without control characters"))
