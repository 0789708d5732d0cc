# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers: the application's pages and redirects, the servlet engine's error pages, and the refusals behind them."""

from __future__ import annotations

import html
import json
import uuid
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from starlette.responses import Response

from .permissions import Permission

if TYPE_CHECKING:
    from .call import Call

ENGINE = "12.1.8"
EPOCH = "Thu, 01 Jan 1970 00:00:00 GMT"
CONSTANT_HEADERS = {
    "Server": f"Jetty({ENGINE})",
    "Vary": "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy-Report-Only": (
        "base-uri 'none'; default-src 'self'; form-action 'self'; frame-ancestors 'self'; img-src 'self' data:; "
        "script-src 'report-sample' 'self'; style-src 'report-sample' 'self' 'unsafe-inline';"
    ),
}
NEVER_KEPT = {"Expires": "0", "Cache-Control": "no-cache, no-store, must-revalidate"}
TYPES = {
    "text/html": ("html", "text/html;charset=iso-8859-1"),
    "text/*": ("html", "text/html;charset=iso-8859-1"),
    "*/*": ("html", "text/html;charset=iso-8859-1"),
    "application/json": ("json", "application/json"),
    "text/json": ("json", "text/json"),
    "text/plain": ("plain", "text/plain;charset=iso-8859-1"),
}
REASONS = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict"}


class Page(Response):
    """A page of the application: it tells version and session id, and makes a session if there is none."""


def page(title: str, body: str, status: int = 200, crumb: str | None = None) -> Page:
    """A page in the application's layout."""
    head = f"<head data-crumb-header='Jenkins-Crumb' data-crumb-value='{crumb}'>" if crumb else "<head>"
    markup = f"<!DOCTYPE html><html>{head}<title>{html.escape(title)}</title></head><body>{body}</body></html>"
    headers = {
        "Content-Type": "text/html;charset=utf-8",
        **NEVER_KEPT,
        "X-Frame-Options": "sameorigin",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    return Page(markup, status, headers)


def outage(title: str, *lines: str) -> Response:
    """The page on every path while the server restarts."""
    text = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    markup = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{text}</body></html>"
    return Response(markup, 503, {"Content-Type": "text/html;charset=utf-8", **NEVER_KEPT})


def text(content: str, status: int = 200) -> Response:
    """Plain text, in UTF-8."""
    return Response(content.encode(), status, {"Content-Type": "text/plain;charset=utf-8"})


def bare_text(content: str, status: int) -> Response:
    """Text without a type, in Latin-1 with a question mark for what does not fit."""
    return Response(content.encode("latin-1", "replace"), status)


def redirect(location: str, status: int = 302) -> Response:
    """A redirect without a body."""
    return Response(status_code=status, headers={"Location": location})


def confirmation(question: str) -> Page:
    """What GET shows where only POST acts."""
    return page(question, f"<p>{question}</p><form method='post'><button>Yes</button></form>")


class Refusal(Exception):
    """A request that is answered with an error."""

    def answer(self, call: Call) -> Response:
        """The error's answer."""
        raise NotImplementedError


class NotFound(Refusal):
    """Nothing there, or nothing that the user may know of."""

    def answer(self, call: Call) -> Response:
        return page("Not Found - Jenkins", "<h1>Oops! Not Found</h1><p>This page may not exist.</p>", 404)


class Nothing(Refusal):
    """The tiny 404 below a build."""

    def answer(self, call: Call) -> Response:
        markup = "<html><head><title>Not Found</title></head><body>Not found</body></html>"
        return Response(markup, 404, {"Content-Type": "text/html;charset=utf-8"})


class Oops(Refusal):
    """Something went wrong inside; the page keeps the reason to itself."""

    def __init__(self, status: int = 500) -> None:
        super().__init__(status)
        self.status = status

    def answer(self, call: Call) -> Response:
        body = f"<h1>Oops! A problem occurred while processing the request.</h1><p>Logging ID={uuid.uuid4()}</p>"
        return page("Jenkins", body, self.status)


class Failure(Refusal):
    """Bad input, explained on the page and in `X-Error`."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def answer(self, call: Call) -> Response:
        answer = page("Error", f"<h1>Error</h1><p>{html.escape(self.message)}</p>", 400)
        plain = "".join(c if c.isascii() and c not in "'\"" else " " for c in self.message)
        answer.headers["X-Error"] = plain.strip()
        return answer


class PostRequired(Refusal):
    """Another method than POST on a path that acts."""

    def answer(self, call: Call) -> Response:
        body = (
            "<h1>This URL requires POST</h1><p>It is meant to be called from a form.</p>"
            "<form method='post'><button>Retry using POST</button></form>"
        )
        answer = page("POST required", body, 405)
        answer.headers["Allow"] = "POST"
        return answer


class NotServed(Refusal):
    """Something that the real server does and this one does not."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def answer(self, call: Call) -> Response:
        message = f"The sandbox's ci service does not serve {self.what}."
        return page("Not Implemented", f"<h1>{html.escape(message)}</h1>", 501)


class AccessDenied(Refusal):
    """A right is missing; an anonymous client is sent to the login."""

    def __init__(self, permission: Permission | None = None, message: str = "") -> None:
        super().__init__(message)
        self.permission = permission
        self.message = message

    def answer(self, call: Call) -> Response:
        answer = self._login(call) if call.principal.anonymous else self._explanation(call)
        if self.permission:
            answer.headers["X-You-Are-Authenticated-As"] = call.principal.name
            answer.headers["X-You-Are-In-Group-Disabled"] = (
                "JENKINS-39402: use -Dhudson.security.AccessDeniedException2.REPORT_GROUP_HEADERS=true "
                "or use /whoAmI to diagnose"
            )
            answer.headers["X-Required-Permission"] = self.permission.id
            for permission in self.permission.implications():
                answer.headers.append("X-Permission-Implied-By", permission.id)
        return answer

    def _explanation(self, call: Call) -> Response:
        message = self.message
        if self.permission:
            message = f"{call.principal.name} is missing the {self.permission.title} permission"
        return page("Access Denied", f"<h1>Access Denied</h1><p class='error'>{html.escape(message)}</p>", 403)

    def _login(self, call: Call) -> Response:
        target = call.request_uri + (f"?{call.query}" if call.query else "")
        login = f"{call.context}/login?from={quote_plus(target)}"
        report = self._report(call, self.permission) if self.permission else ""
        markup = (
            f"<html><head><meta http-equiv='refresh' content='1;url={login}'/>"
            f"<script id='redirect' data-redirect-url='{login}'></script></head>"
            "<body style='background-color:white; color:white;'>\n\n\n"
            f"Authentication required\n<!--\n{report}-->\n\n</body></html>{' ' * 300}"
        )
        return Page(markup, 403, {"Content-Type": "text/html;charset=utf-8"})

    @staticmethod
    def _report(call: Call, permission: Permission) -> str:
        implications = "".join(f" ... which is implied by: {p.id}\n" for p in permission.implications())
        return (
            f"You are authenticated as: {call.principal.name}\nGroups that you are in:\n  \n"
            f"Permission you need to have (but didn't): {permission.id}\n{implications}"
        )


class EngineError(Refusal):
    """An error that the servlet engine reports, as HTML, JSON or text by `Accept`."""

    def __init__(self, status: int, message: str = "", headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message or REASONS[status]
        self.headers = headers or {}

    def answer(self, call: Call) -> Response:
        headers = {"Cache-Control": "must-revalidate,no-cache,no-store", **self.headers}
        kind, content_type = next((TYPES[name] for name in call.accepted_types() if name in TYPES), ("", ""))
        if not kind or call.method not in ("GET", "POST", "HEAD"):
            return Response(status_code=self.status, headers=headers)
        write = {"html": self._html, "json": self._json, "plain": self._plain}[kind]
        return Response(
            write(call.request_uri).encode("latin-1", "replace"),
            self.status,
            {"Content-Type": content_type, **headers},
        )

    def _html(self, uri: str) -> str:
        message = html.escape(self.message, quote=False)
        rows = (("URI", html.escape(uri)), ("STATUS", self.status), ("MESSAGE", message), ("SERVLET", "Stapler"))
        table = "".join(f"<tr><th>{name}:</th><td>{value}</td></tr>\n" for name, value in rows)
        return (
            '<html>\n<head>\n<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>\n'
            f"<title>Error {self.status} {message}</title>\n</head>\n"
            f"<body><h2>HTTP ERROR {self.status} {message}</h2>\n"
            f'<table>\n{table}</table>\n<hr/><a href="https://jetty.org/">Powered by Jetty:// {ENGINE}</a><hr/>\n\n'
            "</body>\n</html>\n"
        )

    def _json(self, uri: str) -> str:
        members = {"servlet": "Stapler", "message": self.message, "url": uri, "status": str(self.status)}
        return "{\n" + ",\n".join(f"{json.dumps(k)}:{json.dumps(v)}" for k, v in members.items()) + "\n}"

    def _plain(self, uri: str) -> str:
        return (
            f"HTTP ERROR {self.status} {self.message}\nURI: {uri}\nSTATUS: {self.status}\n"
            f"MESSAGE: {self.message}\nSERVLET: Stapler\n"
        )
