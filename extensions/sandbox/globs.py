# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns in which `*` stands for anything, without regular expressions, which take very long for some of them."""

from __future__ import annotations


def matches(pattern: str, text: str) -> bool:
    """Return whether a text fits a pattern in which only `*` means something."""
    first, *others = pattern.split("*")
    if not others:
        return text == first
    *middle, last = others
    if not text.startswith(first):
        return False
    position = len(first)
    for part in middle:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return len(text) - len(last) >= position and text.endswith(last)
