# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of routing: selection of routes, path parameters and effects."""

from __future__ import annotations

import pytest

from sandbox.http.routing import ANY, Route, RouteMatch, Routes, classify_effect


def find(routes: list[Route], method: str, path: str, **arguments: str) -> RouteMatch:
    """Return the match of a request."""
    return Routes(routes).find(method, path, arguments)


def find_label(*request: object) -> str | None:
    """Return the label of the matching route."""
    route = find(*request).route  # type: ignore[arg-type]
    return route.label if route else None


def create_route(method: str, path: str, label: str = "call", **options: object) -> Route:
    """Create a route without handler."""
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
def test_path_templates_match_segments_and_expressions(template, path, parts):
    assert create_route("GET", template).match(path) == parts


def test_path_parameters_are_available_encoded_and_decoded():
    match = find([create_route("GET", "/{name}")], "GET", "/a%3Bb")
    assert (match.parameters, match.decoded_parameters) == ({"name": "a%3Bb"}, {"name": "a;b"})


def test_first_matching_route_is_used():
    routes = [create_route("GET", "/{name}", "one"), create_route("GET", "/list", "other")]
    assert find_label(routes, "GET", "/list") == "one"


def test_get_routes_accept_head():
    routes = [create_route("GET", "/a", "read"), create_route("POST", "/a", "change"), create_route(ANY, "/b", "both")]
    assert find_label(routes, "HEAD", "/a") == "read"
    assert find_label(routes, "POST", "/a") == "change"
    assert find_label(routes, "BREW", "/b") == "both"


def test_allowed_methods_are_returned_when_the_method_is_wrong():
    routes = [
        create_route("GET", "/a"),
        create_route("PUT", "/a"),
        create_route("PUT", "/a", argument="x"),
        create_route("GET", "/b"),
    ]
    assert find(routes, "POST", "/a") == RouteMatch(None, {}, ("GET", "PUT"))
    assert find(routes, "POST", "/c") == RouteMatch(None, {}, ())


def test_resource_has_the_most_specific_template_when_several_match():
    routes = [
        create_route("GET", "/build/{name:.+}/{number}", "run"),
        create_route("DELETE", "/build/{other:[^/]+}", "delete"),
        create_route("POST", "/build/rename/{name:.+}", "rename"),
        create_route("GET", "/build/{name}", "runs", argument="x"),
        create_route(ANY, "/build{:(/.*)?}", "family"),
    ]
    resources = {
        path: [one.label for one in Routes(routes).find_resource(path)] for path in ("/build/a", "/build/rename/a")
    }
    assert resources == {"/build/a": ["runs", "delete"], "/build/rename/a": ["rename"]}
    assert [one.label for one in Routes(routes).find_resource("/build/a/1")] == ["run"]
    assert Routes(routes).find_resource("/build") == []


def test_route_is_selected_by_argument():
    routes = [
        create_route("POST", "/api", "none"),
        create_route("POST", "/api", "create", argument="action=create_role"),
        create_route("POST", "/api", "any", argument="action"),
    ]
    selected = [
        find(routes, "POST", "/api", **arguments).route
        for arguments in ({"action": "create_role"}, {"action": "delete_role"}, {"other": ""})
    ]
    assert [route.label for route in selected if route] == ["create", "any", "none"]


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
def test_effect_depends_on_the_method_unless_the_route_declares_it(method, reads, expected):
    assert classify_effect(method, reads) == expected
