# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import math
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import to_json_types


def test_options_and_rules_are_combined() -> None:
    one = ArgumentSpec(
        {"a": {"type": "str"}},
        required_together=[("a", "b")],
        mutually_exclusive=[("a", "c")],
        required_by={"a": ["b"]},
    )
    other = ArgumentSpec(
        {"b": {"type": "int"}},
        required_together=[("b", "d")],
        required_if=[("b", 1, ["a"])],
        required_by={"b": ["c"]},
    )
    assert (one + other).to_keywords() == {
        "argument_spec": {"a": {"type": "str"}, "b": {"type": "int"}},
        "required_together": [("a", "b"), ("b", "d")],
        "mutually_exclusive": [("a", "c")],
        "required_one_of": [],
        "required_if": [("b", 1, ["a"])],
        "required_by": {"a": ["b"], "b": ["c"]},
    }


def test_addition_does_not_change_the_operands() -> None:
    one, other = ArgumentSpec({"a": {}}, required_one_of=[("a",)]), ArgumentSpec({"b": {}}, required_one_of=[("b",)])
    _unused = one + other
    assert one.to_keywords()["required_one_of"] == [("a",)]
    assert list(other.options) == ["b"]


def test_duplicate_option_is_a_defect() -> None:
    with pytest.raises(ValueError, match="options given twice: a, b"):
        _unused = ArgumentSpec({"a": {}, "b": {}, "c": {}}) + ArgumentSpec({"b": {}, "a": {}})


def test_unknown_rule_is_a_defect() -> None:
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
def test_nested_secrets_are_found(parameters: dict[str, Any], secrets: set[str]) -> None:
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


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"name": None}, "missing required arguments: name."),
        ({"name": "n", "kind": "file"}, "kind is file but all of the following are missing: file."),
        ({"name": "n", "to": [{"account": None}]}, "one of the following is required: account, group found in to."),
        ({"name": "n", "one": {"key": None}}, "missing required arguments: key found in one."),
        ({"name": "n", "file": None, "text": None, "to": None, "one": None}, None),
    ],
)
def test_null_counts_as_missing_in_rules(parameters: dict[str, Any], complaint: str | None) -> None:
    account, key = {"account": {"type": "str"}, "group": {"type": "str"}}, {"key": {"type": "str", "required": True}}
    spec = ArgumentSpec(
        {
            "name": {"type": "str", "required": True},
            "kind": {"type": "str"},
            "file": {"type": "str"},
            "text": {"type": "str"},
            "to": {"type": "list", "elements": "dict", "options": account, "required_one_of": [("account", "group")]},
            "one": {"type": "dict", "options": key},
        },
        required_if=[("kind", "file", ["file"])],
        mutually_exclusive=[("file", "text")],
    )
    if complaint is None:
        spec.check(parameters)
    else:
        with pytest.raises(ToolchainError) as refusal:
            spec.check(parameters)
        assert str(refusal.value) == complaint


TEXTS = ArgumentSpec(
    {
        "tag": {"type": "str"},
        "keep": {"type": "list", "elements": "str"},
        "properties": {"type": "dict", "text_values": True},
        "values": {"type": "dict"},
        "share": {"type": "float"},
        "rules": {
            "type": "list",
            "elements": "dict",
            "options": {"older_than": {"type": "str", "narrows_scope": True}},
        },
    }
)


@pytest.mark.parametrize(
    ("parameters", "path"),
    [
        ({"tag": 1.1}, "tag"),
        ({"keep": ["1", 1.1]}, "keep[1]"),
        ({"keep": 1.1}, "keep[0]"),
        ({"properties": {"version": 1.1}}, "properties.version"),
        ({"properties": '{"version": [1.1]}'}, "properties.version[0]"),
        ({"rules": [{"older_than": 1.1}]}, "rules[0].older_than"),
        ({"rules": ['{"older_than": 1.1}']}, "rules[0].older_than"),
    ],
)
def test_fraction_is_refused_when_a_string_is_expected(parameters: dict[str, Any], path: str) -> None:
    problem = "must be a string, not a number with a fraction. Put it in quotes, because YAML reads 1.10 as 1.1"
    assert TEXTS.find_type_error(parameters) == f"Option '{path}': {problem}."


@pytest.mark.parametrize(
    ("parameters", "path"),
    [
        ({"tag": math.inf}, "tag"),
        ({"keep": ["1", math.nan]}, "keep[1]"),
        ({"properties": {"version": [-math.inf]}}, "properties.version[0]"),
        ({"values": {"shares": [{"a": math.nan}]}}, "values.shares[0].a"),
        ({"share": math.nan}, "share"),
    ],
)
def test_infinity_and_nan_are_refused(parameters: dict[str, Any], path: str) -> None:
    problem = "must not be .inf or .nan. Put it in quotes if it is a string"
    assert TEXTS.find_type_error(to_json_types(parameters)) == f"Option '{path}': {problem}."


@pytest.mark.parametrize(
    "parameters",
    [
        {"tag": 1, "keep": [1, "1.10"], "properties": {"version": "1.10", "build": 7, "stable": True, "any": None}},
        {"share": 1.1, "values": {"share": 1.1}, "rules": ['{"older_than": "1.10"}'], "properties": "version=1.10"},
    ],
)
def test_number_is_accepted_when_its_string_is_unambiguous(parameters: dict[str, Any]) -> None:
    assert TEXTS.find_type_error(parameters) is None


def test_null_in_a_suboption_is_refused_when_the_entry_is_json() -> None:
    assert TEXTS.find_type_error({"rules": ['{"older_than": null}']}) == (
        "Option 'rules[0].older_than': must not be null. Set a value or omit the option."
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"count": "many"}, "Option 'count': must be an integer, not 'many'."),
        ({"share": "half"}, "Option 'share': must be a number, not 'half'."),
        ({"flag": "perhaps"}, "Option 'flag': must be true or false, not 'perhaps'."),
        ({"pin": "s3cret"}, "Option 'pin': must be an integer."),
        ({"pin": 1234, "flag": "1234"}, "Option 'flag': must be true or false."),
        ({"flag": {"password": "s3cret"}}, "Option 'flag': must be true or false."),
        ({"count": "x" * 50}, "Option 'count': must be an integer."),
        ({"values": "s3cret"}, "Option 'values': must be a dictionary."),
        ({"ids": {"key": "s3cret"}}, "Option 'ids': must be a list."),
        ({"ids": [1, "two"]}, "Option 'ids[1]': must be an integer, not 'two'."),
        ({"rules": ["x"]}, "Option 'rules': must be a list of dictionaries."),
        ({"rules": [{"days": "ten"}]}, "Option 'rules[0].days': must be an integer, not 'ten'."),
    ],
)
def test_wrong_type_is_refused_without_secrets(parameters: dict[str, Any], message: str) -> None:
    spec = ArgumentSpec(
        {
            "count": {"type": "int"},
            "share": {"type": "float"},
            "flag": {"type": "bool"},
            "pin": {"type": "int", "no_log": True},
            "values": {"type": "dict"},
            "ids": {"type": "list", "elements": "int"},
            "rules": {"type": "list", "elements": "dict", "options": {"days": {"type": "int"}}},
        }
    )
    assert spec.find_type_error(parameters) == message


@pytest.mark.parametrize(
    "parameters", [{"count": "7", "share": "0.5"}, {"flag": "yes"}, {"ids": "1,2"}, {"ids": [1, "2"]}]
)
def test_value_is_accepted_when_ansible_converts_it(parameters: dict[str, Any]) -> None:
    types = {"count": "int", "share": "float", "flag": "bool"}
    spec = ArgumentSpec(
        {"ids": {"type": "list", "elements": "int"}, **{name: {"type": kind} for name, kind in types.items()}}
    )
    assert spec.find_type_error(parameters) is None


@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("http://bob:s3cret@host", {"s3cret"}),
        ("http://bob:s3%20cret@host:80/path", {"s3%20cret", "s3 cret"}),
        ("http://token@host", {"token"}),
        ("http://bob:s3/cret@host", {"s3/cret"}),
        ("http://[bob:s3cret@host", {"s3cret"}),
        ("http://bob:@host", {"bob"}),
        ("http://host:8080/a@b", set()),
        ("http://host", set()),
        (7, set()),
    ],
)
def test_password_in_a_url_is_a_secret(address: Any, secrets: set[str]) -> None:
    assert ArgumentSpec({"url": {"type": "str", "address": True}}).secrets({"url": address}) == secrets
