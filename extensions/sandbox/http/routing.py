# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Routing: each service has one table of routes, which it collects from the `ROUTES` of its modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote

from starlette.requests import Request

ANY = "*"
READ_METHODS = ("GET", "HEAD", "OPTIONS")
PLACEHOLDER = re.compile(r"\{(\w*)(?::([^{}]*))?\}")


def classify_effect(method: str, read_only: bool | None = None) -> str:
    """Return `read` or `write`, the effect of a request in the journal.

    :arg read_only: the effect that the route declares; if not set, the method decides
    """
    return "read" if (method in READ_METHODS if read_only is None else read_only) else "write"


@dataclass(frozen=True)
class Route:
    """A method and a path template, with the handler that serves them.

    :arg method: an HTTP method, or `ANY`; GET includes HEAD
    :arg path: a template. `{name}` matches one segment, `{name:expression}` a regular expression without braces.
        `{:expression}` matches the same, but is not passed to the handler
    :arg label: name of the route in the journal and in the conditions of faults
    :arg read_only: whether requests change nothing; if not set, the method decides
    :arg argument: `name` or `name=value` that the arguments of the request must contain
    :arg scope: permission or edition that the route requires, in terms of the service
    :arg streams_body: whether the handler reads the body itself
    :arg since: version that introduced the route, in terms of the service
    """

    method: str
    path: str
    handler: Callable[..., Any]
    label: str
    read_only: bool | None = None
    argument: str | None = None
    scope: str | None = None
    streams_body: bool = False
    since: str | None = None

    def accepts_method(self, method: str) -> bool:
        """Return whether the route serves a method."""
        return self.method in (ANY, "GET" if method == "HEAD" else method)

    def accepts_arguments(self, arguments: Mapping[str, str]) -> bool:
        """Return whether the arguments of a request contain the one that the route requires."""
        if self.argument is None:
            return True
        name, equals, value = self.argument.partition("=")
        return name in arguments and (not equals or arguments[name] == value)

    def match(self, path: str) -> dict[str, str] | None:
        """Return the path parameters, still encoded, or null if the path does not match."""
        if not path.startswith(self._literal_prefix):
            return None
        match = self._pattern.fullmatch(path)
        return {name: value or "" for name, value in match.groupdict().items()} if match else None

    def enter(self, request: Request) -> None:
        """Record the route in the journal. Faults with its label take effect here, before the handler runs."""
        request.scope["sandbox.enter"](self.label, classify_effect(request.method, self.read_only))

    @cached_property
    def template(self) -> str:
        """The path with `{}` in place of each placeholder."""
        return PLACEHOLDER.sub("{}", self.path)

    @cached_property
    def _literal_prefix(self) -> str:
        return self.path.partition("{")[0]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        expression, end = "", 0
        for placeholder in PLACEHOLDER.finditer(self.path):
            name, part = placeholder[1], placeholder[2] or "[^/]+"
            expression += re.escape(self.path[end : placeholder.start()])
            expression += f"(?P<{name}>{part})" if name else f"(?:{part})"
            end = placeholder.end()
        return re.compile(expression + re.escape(self.path[end:]))


def introduce(version: str, *routes: Route) -> tuple[Route, ...]:
    """Return routes as those that a version introduced."""
    return tuple(replace(route, since=version) for route in routes)


class RouteMatch(NamedTuple):
    """The route of a request, if one matches, and the path parameters, still encoded.

    If no route matches, `allowed_methods` contains the methods that the path accepts.
    """

    route: Route | None
    parameters: dict[str, str]
    allowed_methods: tuple[str, ...]

    @property
    def precision(self) -> tuple[int, int]:
        """How specific the route is; less than that of any route if no route matches."""
        return (-1, 0) if self.route is None else _measure_precision(self.route.template)

    @property
    def decoded_parameters(self) -> dict[str, str]:
        """The path parameters, percent-decoded."""
        return {name: unquote(part) for name, part in self.parameters.items()}


class Routes:
    """The routes of a service. Routes with an argument take precedence, then the first match is used."""

    def __init__(self, routes: Iterable[Route]) -> None:
        """Create the table from routes in order of precedence."""
        self._routes = sorted(routes, key=lambda route: route.argument is None)

    def select(self, condition: Callable[[Route], bool]) -> Routes:
        """Return the routes that fulfil a condition."""
        return Routes(filter(condition, self._routes))

    @property
    def labels(self) -> set[str]:
        """The labels of all routes."""
        return {route.label for route in self._routes}

    def find_resource(self, path: str) -> list[Route]:
        """Return the routes of the most specific template that matches a path, except those for any method."""
        matching = [route for route in self._routes if route.method != ANY and route.match(path) is not None]
        best = max((route.template for route in matching), key=_measure_precision, default=None)
        return [route for route in matching if route.template == best]

    def find(self, method: str, path: str, arguments: Mapping[str, str]) -> RouteMatch:
        """Return the route of a request.

        :arg arguments: the arguments of the query, or of the form if the service selects the route by them
        """
        allowed_methods: dict[str, None] = {}
        for route in self._routes:
            parameters = route.match(path)
            if parameters is None or not route.accepts_arguments(arguments):
                continue
            if route.accepts_method(method):
                return RouteMatch(route, parameters, ())
            allowed_methods[route.method] = None
        return RouteMatch(None, {}, tuple(allowed_methods))


def _measure_precision(template: str) -> tuple[int, int]:
    """Return the number of literal characters and the number of placeholders of a template."""
    placeholders = template.count("{}")
    return len(template) - 2 * placeholders, placeholders
