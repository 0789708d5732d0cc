# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses in plain JSON."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from .formats import format_json


def json_response(value: Any, status: int = 200) -> Response:
    """Return a response with the media type `application/json`."""
    return Response(format_json(value).encode(), status, media_type="application/json")
