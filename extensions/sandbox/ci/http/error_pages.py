# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error pages of Jenkins and of the servlet container."""

from __future__ import annotations

import functools
import html
import json
import uuid
from urllib.parse import quote_plus

from starlette.responses import Response

from ..access.permissions import Permission
from ..call import Call
from . import pages
from .refusals import (
    AccessDenied,
    EngineError,
    Failure,
    InternalError,
    NotFound,
    NotServed,
    PartNotFound,
    PostRequired,
    Refusal,
)

TYPES = {
    "text/html": ("html", "text/html;charset=iso-8859-1"),
    "text/*": ("html", "text/html;charset=iso-8859-1"),
    "*/*": ("html", "text/html;charset=iso-8859-1"),
    "application/json": ("json", "application/json"),
    "text/json": ("json", "text/json"),
    "text/plain": ("plain", "text/plain;charset=iso-8859-1"),
}
HIDDEN_GROUPS_NOTE = (
    "JENKINS-39402: use -Dhudson.security.AccessDeniedException2.REPORT_GROUP_HEADERS=true or use /whoAmI to diagnose"
)


@functools.singledispatch
def to_response(refusal: Refusal, call: Call) -> Response:
    """Return the response for a refusal."""
    raise NotImplementedError(type(refusal))


@to_response.register
def _render_not_found(_refusal: NotFound, call: Call) -> Response:
    text = "This page may not exist, or you may not have permission to see it."
    return call.page("Not Found - Jenkins", f"<h1>Oops! Not Found</h1><p>{text}</p>", 404)


@to_response.register
def _render_part_not_found(_refusal: PartNotFound, _call: Call) -> Response:
    markup = "<html><head><title>Not Found</title></head><body>Not found</body></html>"
    return Response(markup, 404, {"Content-Type": "text/html;charset=utf-8"})


@to_response.register
def _internal_error(refusal: InternalError, call: Call) -> Response:
    body = f"<h1>Oops!</h1><p>A problem occurred while processing the request</p><p>Logging ID={uuid.uuid4()}</p>"
    return call.page("Jenkins - Jenkins", body, refusal.status)


@to_response.register
def _failure(refusal: Failure, call: Call) -> Response:
    page = call.page("Jenkins - Jenkins", f"<h1>Error</h1><p>{html.escape(str(refusal))}</p>", 400)
    page.headers["X-Error"] = "".join(c if c.isascii() and c.isprintable() else " " for c in str(refusal)).strip()
    return page


@to_response.register
def _post_required(_refusal: PostRequired, call: Call) -> Response:
    body = (
        "<h1>Method Not Allowed</h1><p>This URL requires POST</p>"
        "<form method='post'><button>Retry using POST</button></form>"
    )
    page = call.page("Method Not Allowed - Jenkins", body, 405)
    page.headers["Allow"] = "POST"
    return page


@to_response.register
def _not_served(refusal: NotServed, call: Call) -> Response:
    return call.page(
        "Not Implemented", f"<h1>The sandbox's ci service does not serve {html.escape(str(refusal))}.</h1>", 501
    )


@to_response.register
def _access_denied(refusal: AccessDenied, call: Call) -> Response:
    page = _login(refusal, call) if call.principal.anonymous else _explanation(refusal, call)
    if refusal.permission:
        page.headers["X-You-Are-Authenticated-As"] = call.principal.name
        page.headers["X-You-Are-In-Group-Disabled"] = HIDDEN_GROUPS_NOTE
        page.headers["X-Required-Permission"] = refusal.permission.id
        for permission in refusal.permission.implications():
            page.headers.append("X-Permission-Implied-By", permission.id)
    return page


def _explanation(refusal: AccessDenied, call: Call) -> Response:
    message = refusal.message
    if refusal.permission:
        message = f"{call.principal.name} is missing the {refusal.permission.title} permission"
    return call.page("Jenkins", f"<h1>Access Denied</h1><p class='error'>{html.escape(message)}</p>", 403)


def _login(refusal: AccessDenied, call: Call) -> Response:
    login = f"{call.context}/login?from={quote_plus(call.target)}"
    report = _report(call, refusal.permission) if refusal.permission else ""
    markup = (
        f"<html><head><meta http-equiv='refresh' content='1;url={login}'/>"
        f"<script id='redirect' data-redirect-url='{login}'></script></head>"
        "<body style='background-color:white; color:white;'>\n"
        f"Authentication required\n<!--\n{report}-->\n\n</body></html>{' ' * 300}"
    )
    return pages.Page(markup, 403, {"Content-Type": "text/html;charset=utf-8"})


def _report(call: Call, permission: Permission) -> str:
    implications = "".join(f" ... which is implied by: {p.id}\n" for p in permission.implications())
    return (
        f"You are authenticated as: {call.principal.name}\nGroups that you are in:\n  anonymous\n"
        f"Permission you need to have (but didn't): {permission.id}\n{implications}"
    )


@to_response.register
def _engine_error(refusal: EngineError, call: Call) -> Response:
    headers = {"Cache-Control": "must-revalidate,no-cache,no-store", **refusal.headers}
    kind, content_type = next((TYPES[name] for name in call.accepted_types() if name in TYPES), ("", ""))
    if not kind or call.method not in ("GET", "POST", "HEAD"):
        return Response(status_code=refusal.status, headers=headers)
    if kind == "html":
        return render_engine_page(refusal, call.request_uri, content_type)
    write = {"json": _engine_json, "plain": _engine_text}[kind]
    content = write(refusal, call.request_uri).encode("latin-1", "replace")
    return Response(content, refusal.status, {"Content-Type": content_type, **headers})


def render_engine_page(error: EngineError, uri: str, content_type: str = TYPES["text/html"][1]) -> Response:
    """Return an error as HTML.

    :arg uri: path of the request, which the page shows
    """
    headers = {"Content-Type": content_type, "Cache-Control": "must-revalidate,no-cache,no-store", **error.headers}
    return Response(_engine_html(error, uri).encode("latin-1", "replace"), error.status, headers)


def _engine_html(error: EngineError, uri: str) -> str:
    message = html.escape(error.message, quote=False)
    rows = (("URI", html.escape(uri)), ("STATUS", error.status), ("MESSAGE", message), ("SERVLET", "Stapler"))
    table = "".join(f"<tr><th>{name}:</th><td>{value}</td></tr>\n" for name, value in rows)
    return (
        '<html>\n<head>\n<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>\n'
        f"<title>Error {error.status} {message}</title>\n</head>\n"
        f"<body><h2>HTTP ERROR {error.status} {message}</h2>\n"
        f'<table>\n{table}</table>\n<hr/><a href="https://jetty.org/">Powered by Jetty:// {pages.ENGINE}</a><hr/>\n\n'
        "</body>\n</html>\n"
    )


def _engine_json(error: EngineError, uri: str) -> str:
    members = {"servlet": "Stapler", "message": error.message, "url": uri, "status": str(error.status)}
    return "{\n" + ",\n".join(f"{json.dumps(k)}:{json.dumps(v)}" for k, v in members.items()) + "\n}"


def _engine_text(error: EngineError, uri: str) -> str:
    return (
        f"HTTP ERROR {error.status} {error.message}\nURI: {uri}\nSTATUS: {error.status}\n"
        f"MESSAGE: {error.message}\nSERVLET: Stapler\n"
    )
