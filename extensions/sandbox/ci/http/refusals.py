# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that are answered with an error, and why."""

from __future__ import annotations

from collections.abc import Mapping

from ..access.permissions import Permission

REASONS = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict"}


class Refusal(Exception):
    """A request that is answered with an error."""


class NotFound(Refusal):
    """Nothing there, or nothing that the user may know of."""


class Nothing(Refusal):
    """The tiny 404 where a known thing has no such part."""


class Oops(Refusal):
    """Something went wrong inside; the page keeps the reason to itself."""

    def __init__(self, status: int = 500) -> None:
        super().__init__(status)
        self.status = status


class Failure(Refusal):
    """Bad input, explained on the page and in `X-Error`."""


class PostRequired(Refusal):
    """Another method than POST on a path that acts."""


class NotServed(Refusal):
    """Something that the real server does and this one does not."""


class AccessDenied(Refusal):
    """A right is missing; an anonymous client is sent to the login."""

    def __init__(self, permission: Permission | None = None, message: str = "") -> None:
        super().__init__(message)
        self.permission = permission
        self.message = message


class EngineError(Refusal):
    """An error that the servlet engine reports, as HTML, JSON or text by `Accept`."""

    def __init__(self, status: int, message: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message or REASONS[status]
        self.headers = headers or {}
