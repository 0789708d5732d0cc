# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of AQL queries."""

from __future__ import annotations


class QueryError(Exception):
    """The query is invalid. The response is 400 with the message."""


class QueryFailure(Exception):
    """The real server fails on this query. The response is 500 without a message."""
