# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error responses of the four APIs, each with its own format."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from .formats import CHARSET, format_json

CONTENT_TYPE = {"Content-Type": "application/json;charset=ISO-8859-1"}


class ApiError(Exception):
    """An error response. The base class has no body."""

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        """Create the error."""
        super().__init__(status)
        self.status = status
        self.headers = headers or {}

    def to_response(self) -> Response:
        """Return the HTTP response."""
        return Response(status_code=self.status, headers=self.headers)


class RequestLineTooLong(ApiError):
    """The error page of the web server for a request line that is too long."""

    def __init__(self) -> None:
        """Create the error."""
        super().__init__(414, {"Content-Type": "text/html", "Connection": "close"})

    def to_response(self) -> Response:
        """Return the HTTP response."""
        title = "414 Request-URI Too Large"
        page = f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n"
        return Response(f"{page}</body>\r\n</html>\r\n", self.status, self.headers)


class ArtifactError(ApiError):
    """An error of Artifactory: status and message."""

    def __init__(self, status: int, message: str | None = None, headers: dict[str, str] | None = None) -> None:
        """Create the error. The default message is the phrase of the status."""
        super().__init__(status, headers)
        self.message = HTTPStatus(status).phrase if message is None else message

    def __str__(self) -> str:
        """Return the message."""
        return self.message

    def to_response(self) -> Response:
        """Return the HTTP response."""
        body = format_json({"errors": [{"status": self.status, "message": self.message}]})
        return Response(body.encode(*CHARSET), self.status, {**CONTENT_TYPE, **self.headers})


class PlainError(ArtifactError):
    """An error whose body is the bare message, although its media type is JSON."""

    def to_response(self) -> Response:
        """Return the HTTP response."""
        return Response(self.message.encode(*CHARSET), self.status, {**CONTENT_TYPE, **self.headers})


class DockerError(ApiError):
    """An error of the Docker registry: code, message and detail."""

    def __init__(
        self, status: int, code: str, message: str, detail: Any, headers: dict[str, str] | None = None
    ) -> None:
        """Create the error."""
        super().__init__(status, headers)
        self.error = {"code": code, "message": message, "detail": detail}

    def to_response(self) -> Response:
        """Return the HTTP response."""
        headers = {"Docker-Distribution-Api-Version": "registry/2.0", **CONTENT_TYPE, **self.headers}
        return Response(format_json({"errors": [self.error]}).encode(*CHARSET), self.status, headers)


class AccessError(ApiError):
    """An error of the token service: code and message."""

    CODES = {400: "BAD_REQUEST", 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND"}

    def __init__(self, status: int, message: str) -> None:
        """Create the error."""
        super().__init__(status)
        self.message = message

    def __str__(self) -> str:
        """Return the message."""
        return self.message

    def to_response(self) -> Response:
        """Return the HTTP response."""
        code = self.CODES.get(self.status, HTTPStatus(self.status).name)
        body = format_json({"errors": [{"code": code, "message": self.message}]})
        return Response(body, self.status, media_type="application/json")
