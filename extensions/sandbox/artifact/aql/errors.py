# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a query."""

from __future__ import annotations


class QueryError(Exception):
    """Answered with 400 and the message."""


class QueryFailure(Exception):
    """Answered with 500 and no message: the server itself stumbles over such a query."""
