# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors that end a request."""

from __future__ import annotations

from collections.abc import Mapping

from ..access.permissions import Permission

REASONS = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict"}


class Refusal(Exception):
    """A request that is answered with an error."""


class NotFound(Refusal):
    """The object does not exist, or the user may not see it."""


class PartNotFound(Refusal):
    """The short 404 page for an unknown part of an object."""


class InternalError(Refusal):
    """An internal error, whose page does not show the cause."""

    def __init__(self, status: int = 500) -> None:
        super().__init__(status)
        self.status = status


class Failure(Refusal):
    """Invalid input, explained on the page and in `X-Error`."""


class PostRequired(Refusal):
    """A method other than POST on a path that changes something."""


class NotServed(Refusal):
    """A call that Jenkins has and the sandbox does not serve."""


class AccessDenied(Refusal):
    """A permission is missing. Anonymous clients are redirected to the login."""

    def __init__(self, permission: Permission | None = None, message: str = "") -> None:
        super().__init__(message)
        self.permission = permission
        self.message = message


class EngineError(Refusal):
    """An error of the servlet container as HTML, JSON or text, according to `Accept`."""

    def __init__(self, status: int, message: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message or REASONS[status]
        self.headers = headers or {}
