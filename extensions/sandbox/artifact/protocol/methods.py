# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of a resource, and the answers to those that it does not have."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from starlette.responses import Response

from ...http.routing import Route
from .errors import ApiError, ArtifactError

# The order in which the server lists methods: that of its hash table
LISTED = ("HEAD", "DELETE", "POST", "GET", "OPTIONS", "PUT", "PATCH")
WADL = "application/vnd.sun.wadl+xml"


def refuse(resource: Iterable[Route]) -> ArtifactError:
    """Return the refusal of a method that a resource does not have; there is none of an empty resource."""
    methods = _list_methods(resource)
    return ArtifactError(405, headers={"Allow": ",".join(methods)}) if methods else ArtifactError(404)


def describe(resource: Iterable[Route], address: str) -> Response:
    """Return the answer to OPTIONS: the methods of a resource, described in WADL."""
    names = [name for name in _list_methods(resource) if name != "OPTIONS"]
    listed = "".join(f"<method name={quoteattr(name)}/>" for name in names)
    body = (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><application xmlns="http://wadl.dev.java.net/2009/02">'
        f'<resources base={quoteattr(address)}><resource path="">{listed}</resource></resources></application>'
    )
    return Response(body, headers={"Allow": ",".join(("OPTIONS", *names)), "Content-Type": WADL, "Vary": "Accept"})


def refuse_trace(path: str) -> ApiError:
    """Return the refusal of TRACE, which the web server answers with the methods of the servlet behind the path."""
    of_resource = path.startswith(("/api/", "/ui/"))
    return ApiError(405, {"Allow": "OPTIONS" if of_resource else ", ".join(LISTED[:-1])})


def _list_methods(resource: Iterable[Route]) -> list[str]:
    names = {route.method for route in resource}
    if not names:
        return []
    names |= {"OPTIONS", "HEAD"} if "GET" in names else {"OPTIONS"}
    return [name for name in LISTED if name in names]
