# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Suggestions for names that do not exist."""

from __future__ import annotations

import difflib
import typing as t


def suggest(name: str, known: t.Iterable[str]) -> str:
    """Return the end of a message that suggests the known name that is most similar."""
    lower = {candidate.lower(): candidate for candidate in known}
    nearest = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.0)
    return f". Did you mean '{lower[nearest[0]]}'?" if nearest else ""
