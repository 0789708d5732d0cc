# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences that modules add to a message."""

from __future__ import annotations

# Follows the message about an object that does not exist in check mode without `predict_missing`
PREDICT_MISSING = " If earlier tasks create missing objects, set 'predict_missing: true'."
