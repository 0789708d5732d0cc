# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec


def test_options_and_rules_travel_together() -> None:
    one = ArgumentSpec({"a": {"type": "str"}}, required_together=[("a", "b")], mutually_exclusive=[("a", "c")])
    other = ArgumentSpec({"b": {"type": "int"}}, required_together=[("b", "d")], required_if=[("b", 1, ["a"])])
    assert (one + other).keywords() == {
        "argument_spec": {"a": {"type": "str"}, "b": {"type": "int"}},
        "required_together": [("a", "b"), ("b", "d")],
        "mutually_exclusive": [("a", "c")],
        "required_one_of": [],
        "required_if": [("b", 1, ["a"])],
    }


def test_adding_leaves_both_sides_as_they_were() -> None:
    one, other = ArgumentSpec({"a": {}}, required_one_of=[("a",)]), ArgumentSpec({"b": {}}, required_one_of=[("b",)])
    _unused = one + other
    assert one.keywords()["required_one_of"] == [("a",)]
    assert list(other.options) == ["b"]


def test_an_option_given_twice_is_a_defect() -> None:
    with pytest.raises(ValueError, match="options given twice: a, b"):
        _unused = ArgumentSpec({"a": {}, "b": {}, "c": {}}) + ArgumentSpec({"b": {}, "a": {}})


def test_a_rule_that_ansible_does_not_know_is_a_defect() -> None:
    with pytest.raises(TypeError, match="unknown rules: required_iff"):
        ArgumentSpec({}, required_iff=[])


@pytest.mark.parametrize(
    ("parameters", "secrets"),
    [
        ({"password": "p", "name": "n"}, {"p"}),
        ({"password": None}, set()),
        ({"password": ""}, set()),
        ({}, set()),
        ({"pins": [1234, True, None, ""]}, {"1234"}),
        ({"headers": {"a": "x", "b": ["y", {"c": "z"}]}}, {"x", "y", "z"}),
        ({"one": {"key": "k", "name": "n"}}, {"k"}),
        ({"many": [{"key": "k"}, {"key": "l"}, {"key": None}]}, {"k", "l"}),
        ({"one": None, "many": []}, set()),
    ],
)
def test_secrets_are_found_wherever_they_are(parameters: dict[str, Any], secrets: set[str]) -> None:
    inner = {"key": {"type": "str", "no_log": True}, "name": {"type": "str"}}
    spec = ArgumentSpec(
        {
            "name": {"type": "str"},
            "password": {"type": "str", "no_log": True},
            "pins": {"type": "list", "no_log": True},
            "headers": {"type": "dict", "no_log": True},
            "one": {"type": "dict", "options": inner},
            "many": {"type": "list", "elements": "dict", "options": inner},
        }
    )
    assert spec.secrets(parameters) == secrets
