# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated Klocwork server. Its web API has one endpoint, /analysis/review/api, for all actions."""

from __future__ import annotations

from .service import ReviewService

SERVICE = ReviewService
