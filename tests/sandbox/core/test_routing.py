# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of calls: which route a request is, what it is given, and whether it reads."""

from __future__ import annotations

import pytest

from sandbox.http.routing import ANY, Route, RouteMatch, Routes, classify_effect


def find(routes: list[Route], method: str, path: str, **arguments: str) -> RouteMatch:
    """What a request finds among routes."""
    return Routes(routes).find(method, path, arguments)


def label(*found: object) -> str | None:
    """The label of the route that is found."""
    route = find(*found).route  # type: ignore[arg-type]
    return route.label if route else None


def route(method: str, path: str, label: str = "call", **options: object) -> Route:
    """A route whose handler does not matter."""
    return Route(method, path, print, label, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("template", "path", "parts"),
    [
        ("/api/json", "/api/json", {}),
        ("/api/json", "/apiXjson", None),
        ("/api.json", "/api.json", {}),
        ("/api.json", "/apixjson", None),
        ("/job/{job}/", "/job/a%2Fb/", {"job": "a%2Fb"}),
        ("/job/{job}/", "/job//", None),
        ("/job/{job}/", "/job/a/b/", None),
        ("/{repo}{:/?}{path:.*}", "/generic", {"repo": "generic", "path": ""}),
        ("/{repo}{:/?}{path:.*}", "/generic/a/b", {"repo": "generic", "path": "a/b"}),
        ("/restart{:/?}", "/restart/", {}),
        ("/cli{:(/ws)?}", "/cli/ws", {}),
        ("/cli{:(/ws)?}", "/client", None),
        ("/{number:[0-9]+|last}", "/last", {"number": "last"}),
        ("/{number:[0-9]+|last}", "/first", None),
    ],
)
def test_paths_are_templates(template, path, parts):
    assert route("GET", template).match(path) == parts


def test_parts_come_as_they_stand_and_decoded():
    found = find([route("GET", "/{name}")], "GET", "/a%3Bb")
    assert (found.parameters, found.decoded_parameters) == ({"name": "a%3Bb"}, {"name": "a;b"})


def test_the_first_that_fits_is_the_one():
    routes = [route("GET", "/{name}", "one"), route("GET", "/list", "other")]
    assert label(routes, "GET", "/list") == "one"


def test_a_head_goes_where_a_get_goes_and_any_method_where_all_go():
    routes = [route("GET", "/a", "read"), route("POST", "/a", "change"), route(ANY, "/b", "both")]
    assert label(routes, "HEAD", "/a") == "read"
    assert label(routes, "POST", "/a") == "change"
    assert label(routes, "BREW", "/b") == "both"


def test_a_wrong_method_learns_the_right_ones():
    routes = [route("GET", "/a"), route("PUT", "/a"), route("PUT", "/a", argument="x"), route("GET", "/b")]
    assert find(routes, "POST", "/a") == RouteMatch(None, {}, ("GET", "PUT"))
    assert find(routes, "POST", "/c") == RouteMatch(None, {}, ())


def test_resource_has_the_most_exact_template_when_several_fit():
    routes = [
        route("GET", "/build/{name:.+}/{number}", "run"),
        route("DELETE", "/build/{other:[^/]+}", "delete"),
        route("POST", "/build/rename/{name:.+}", "rename"),
        route("GET", "/build/{name}", "runs", argument="x"),
        route(ANY, "/build{:(/.*)?}", "family"),
    ]
    resources = {
        path: [one.label for one in Routes(routes).find_resource(path)] for path in ("/build/a", "/build/rename/a")
    }
    assert resources == {"/build/a": ["runs", "delete"], "/build/rename/a": ["rename"]}
    assert [one.label for one in Routes(routes).find_resource("/build/a/1")] == ["run"]
    assert Routes(routes).find_resource("/build") == []


def test_an_argument_decides():
    routes = [
        route("POST", "/api", "none"),
        route("POST", "/api", "create", argument="action=create_role"),
        route("POST", "/api", "any", argument="action"),
    ]
    found = [
        find(routes, "POST", "/api", **given).route
        for given in ({"action": "create_role"}, {"action": "delete_role"}, {"other": ""})
    ]
    assert [route.label for route in found if route] == ["create", "any", "none"]


@pytest.mark.parametrize(
    ("method", "reads", "expected"),
    [
        ("GET", None, "read"),
        ("HEAD", None, "read"),
        ("POST", None, "write"),
        ("POST", True, "read"),
        ("GET", False, "write"),
    ],
)
def test_the_method_tells_the_effect_unless_the_route_does(method, reads, expected):
    assert classify_effect(method, reads) == expected
