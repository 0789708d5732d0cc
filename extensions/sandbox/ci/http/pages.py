# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Response types: HTML pages, plain text and redirects."""

from __future__ import annotations

import html

from starlette.responses import Response

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
NO_STORE = {"Cache-Control": "no-cache,no-store,must-revalidate"}


class Page(Response):
    """An HTML page of Jenkins. It has version and session id and creates a session."""


def html_page(title: str, body: str, status: int = 200, crumb: str | None = None) -> Page:
    """Return a page with the layout of Jenkins."""
    head = f'<head data-crumb-header="Jenkins-Crumb" data-crumb-value="{crumb}">' if crumb else "<head>"
    markup = f"<!DOCTYPE html><html>{head}<title>{html.escape(title)}</title></head><body>{body}</body></html>"
    headers = {
        "Content-Type": "text/html;charset=utf-8",
        "Expires": EPOCH,
        **NO_STORE,
        "X-Frame-Options": "sameorigin",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    return Page(markup, status, headers)


def outage_page(title: str, *lines: str) -> Response:
    """Return the page that every path shows during a restart."""
    text = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    markup = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{text}</body></html>"
    return Response(markup, 503, {"Content-Type": "text/html;charset=utf-8", "Expires": "0", **NO_STORE})


def plain_text(content: str, status: int = 200) -> Response:
    """Return plain text in UTF-8."""
    return Response(content.encode(), status, {"Content-Type": "text/plain;charset=utf-8"})


def bare_text(content: str, status: int) -> Response:
    """Return text without content type in Latin-1. Other characters become question marks."""
    return Response(content.encode("latin-1", "replace"), status)


def redirect(location: str, status: int = 302) -> Response:
    """Return a redirect without a body."""
    return Response(status_code=status, headers={"Location": location})
