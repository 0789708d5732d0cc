# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which call a request is: one table for each service, put together from the `ROUTES` of its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote

from starlette.requests import Request

ANY = "*"
READ_METHODS = ("GET", "HEAD", "OPTIONS")
PLACEHOLDER = re.compile(r"\{(\w*)(?::([^{}]*))?\}")


def classify_effect(method: str, reads: bool | None = None) -> str:
    """`read` or `write`, as the journal has it; the method tells unless the route says otherwise."""
    return "read" if (method in READ_METHODS if reads is None else reads) else "write"


@dataclass(frozen=True)
class Route:
    """A call, and what serves it.

    `method` is one (GET stands for HEAD as well), or `ANY`. In `path`, `{name}` is one segment, `{name:expression}`
    what a regular expression without braces matches, `{:expression}` the same for a part that the handler is not
    given. `label` names the call in the journal and for faults. `reads` says whether the call changes nothing, where
    the method does not tell. `argument` has to be among the arguments of the request: `name`, or `name=value`.
    `scope` is what the caller needs, in the service's own terms. `streams` says that the handler itself reads the body.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    label: str
    read_only: bool | None = None
    argument: str | None = None
    scope: str | None = None
    streams_body: bool = False

    def accepts_method(self, method: str) -> bool:
        """Whether a request with this method is this call."""
        return self.method in (ANY, "GET" if method == "HEAD" else method)

    def accepts_arguments(self, arguments: Mapping[str, str]) -> bool:
        """Whether the argument that makes it this call is there."""
        if self.argument is None:
            return True
        name, equals, value = self.argument.partition("=")
        return name in arguments and (not equals or arguments[name] == value)

    def match(self, path: str) -> dict[str, str] | None:
        """The named parts of a path as they stand there, or None when it is another path."""
        if not path.startswith(self._beginning):
            return None
        found = self._pattern.fullmatch(path)
        return {name: value or "" for name, value in found.groupdict().items()} if found else None

    def enter(self, request: Request) -> None:
        """Tell the journal which call this is; faults that are bound to the label strike here, before it acts."""
        request.scope["sandbox.enter"](self.label, classify_effect(request.method, self.read_only))

    @cached_property
    def template(self) -> str:
        """The template without the names and expressions of its placeholders."""
        return PLACEHOLDER.sub("{}", self.path)

    @cached_property
    def _beginning(self) -> str:
        return self.path.partition("{")[0]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        expression, end = "", 0
        for place in PLACEHOLDER.finditer(self.path):
            name, part = place[1], place[2] or "[^/]+"
            expression += re.escape(self.path[end : place.start()]) + (f"(?P<{name}>{part})" if name else f"(?:{part})")
            end = place.end()
        return re.compile(expression + re.escape(self.path[end:]))


class RouteMatch(NamedTuple):
    """The route of a request, if there is one, and the named parts of the path, still encoded.

    Without a route, `allowed` has the methods that the path takes; it is empty where nothing is.
    """

    route: Route | None
    parameters: dict[str, str]
    allowed_methods: tuple[str, ...]

    @property
    def decoded_parameters(self) -> dict[str, str]:
        """The named parts of the path, decoded."""
        return {name: unquote(part) for name, part in self.parameters.items()}


class Routes:
    """All calls of a service; the first route that fits is the one, and those with an argument go before the others."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = sorted(routes, key=lambda route: route.argument is None)

    @property
    def labels(self) -> set[str]:
        """How its calls are named in the journal."""
        return {route.label for route in self._routes}

    def find_resource(self, path: str) -> list[Route]:
        """Return the calls of the template that describes a path best, without those that take any method."""
        fitting = [route for route in self._routes if route.method != ANY and route.match(path) is not None]
        best = max((route.template for route in fitting), key=_measure_precision, default=None)
        return [route for route in fitting if route.template == best]

    def find(self, method: str, path: str, arguments: Mapping[str, str]) -> RouteMatch:
        """The call that a request is; `arguments` are those of the query, or of the form where that decides."""
        allowed: dict[str, None] = {}
        for route in self._routes:
            parts = route.match(path)
            if parts is None or not route.accepts_arguments(arguments):
                continue
            if route.accepts_method(method):
                return RouteMatch(route, parts, ())
            allowed[route.method] = None
        return RouteMatch(None, {}, tuple(allowed))


def _measure_precision(shape: str) -> tuple[int, int]:
    """How exactly a template describes a path: by its literal characters, then by its placeholders."""
    placeholders = shape.count("{}")
    return len(shape) - 2 * placeholders, placeholders
