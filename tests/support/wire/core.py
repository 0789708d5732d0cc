# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of the sandbox for its tests."""

from __future__ import annotations

from pathlib import Path

from sandbox import client

EXTENSIONS = Path(client.__file__).parent.parent
