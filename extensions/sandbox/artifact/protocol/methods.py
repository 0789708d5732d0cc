# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses for methods that a resource does not support, and for OPTIONS."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from starlette.responses import Response

from ...http.routing import Route
from .errors import ApiError, ArtifactError

# The methods in the order of the real server.
METHODS = ("HEAD", "DELETE", "POST", "GET", "OPTIONS", "PUT", "PATCH")
WADL = "application/vnd.sun.wadl+xml"


def method_not_allowed_error(resource: Iterable[Route]) -> ArtifactError:
    """Return the error for an unsupported method; 404 if the resource has no methods."""
    methods = _list_methods(resource)
    return ArtifactError(405, headers={"Allow": ",".join(methods)}) if methods else ArtifactError(404)


def describe_resource(resource: Iterable[Route], address: str) -> Response:
    """Return the response to OPTIONS: the methods of a resource as WADL."""
    names = [name for name in _list_methods(resource) if name != "OPTIONS"]
    method_elements = "".join(f"<method name={quoteattr(name)}/>" for name in names)
    body = (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><application xmlns="http://wadl.dev.java.net/2009/02">'
        f'<resources base={quoteattr(address)}><resource path="">{method_elements}</resource></resources></application>'
    )
    return Response(body, headers={"Allow": ",".join(("OPTIONS", *names)), "Content-Type": WADL, "Vary": "Accept"})


def trace_error(path: str) -> ApiError:
    """Return the error for TRACE, with the methods of the servlet behind the path."""
    is_api = path.startswith(("/api/", "/ui/"))
    return ApiError(405, {"Allow": "OPTIONS" if is_api else ", ".join(METHODS[:-1])})


def _list_methods(resource: Iterable[Route]) -> list[str]:
    names = {route.method for route in resource}
    if not names:
        return []
    names |= {"OPTIONS", "HEAD"} if "GET" in names else {"OPTIONS"}
    return [name for name in METHODS if name in names]
