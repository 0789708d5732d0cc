# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments for software with separate requirements, as tools/environments.py builds them."""

from __future__ import annotations

from environments import build as environment
from environments import find, find_other_python

__all__ = ["environment", "find", "find_other_python"]
