# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each option refuses unusable values by its name before the first request; the values are generated."""

from __future__ import annotations

import copy
import importlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from support import running
from support.cases import CASES, MODULES, SPEAKING, parameters
from support.nulls import NULLS, REFUSAL

Option = dict[str, Any]

# Values that the type of an option refuses
OF_ANOTHER_TYPE: dict[str, list[Any]] = {
    "int": ["many", "", 1.5, [1], {"a": 1}, math.nan, math.inf, -math.inf, "1e3x", "true"],
    "float": ["much", "", [1.0], {"a": 1}, "true"],
    "bool": ["perhaps", 7, [True], {"a": True}],
    "list": [{"a": 1}],
    "dict": [["x"], 7, "no pairs", [{"a": 1}]],
    "str": [True, False, 1.1, ["x"], {"a": 1}],
    "path": [True, 1.1, ["x"], {"a": 1}],
    "raw": [],
}
NUMBERS = [0, -1, -5, 0.001, math.nan, math.inf, -math.inf, 2**63, -(2**63) - 1, 10**40, 1e300]
NOT_ONE_LINE = [" a", "a ", "\ta", "a\n", "a\nb", "a\0b", "a\rb", "\x7f", "\x1b[1m", " ", "\n"]
ANYTHING: list[Any] = [
    None, "", " ", "  a  ", "a\nb", "a\0b", 0, -1, 1.5, math.nan, math.inf, 2**63, 10**400, True, False, [], [None],
    [[]], [{}], ["x"], [1], {}, {"a": 1}, {"a": {"b": [None]}}, {1: 2}, "é", "e\u0301", "\U0001f600", "'", '"', "\\",
    "/", ";", ",", "|", "=", "%", "%2F", "+", "#", "?", "&", "*", "<", ">", ".", "..", "../..", "/a/", "a/b",
    "x" * 10000, "\ud800", "{{ x }}", "~", "2026-01-01", "0x10", "1_000", "on", "no", "null", "[]", "{}", "a=b", "a,b",
]  # fmt: skip
# The value for options whose type and limits another option has: no type and no module can use it
WIRING: list[Any] = [{"a": {"b": [None]}}]


def invalid_values(option: Option) -> Iterator[Any]:
    """Return values that the limits of an option exclude, of its type and of other types."""
    yield from OF_ANOTHER_TYPE[option.get("type", "str")]
    if "at_least" in option:
        yield from (number for number in NUMBERS if not option["at_least"] <= number <= option["at_most"])
    if option.get("elements") in ("str", "path"):
        yield from ([["x"]], [True], True, [None], [1.1], 1.1)
    if option.get("text_values"):
        yield from ({"a": 1.1}, {"a": ["x", 1.1]}, '{"a": 1.1}')
    if option.get("not_empty"):
        yield {"list": [], "dict": {}}.get(option["type"], "")
    if option.get("one_line"):
        yield from NOT_ONE_LINE
    if option.get("type") == "path":
        yield "a\0b"
    for wrong in (
        invalid_values({"type": option["elements"], **option["each_element"]}) if "each_element" in option else ()
    ):
        yield ["fine", wrong]


def invalid_parameters(options: dict[str, Option], base: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each option, including suboptions, with parameters in which its value is invalid."""
    for name, option in options.items():
        for wrong in invalid_values(option):
            yield name, {**base, name: wrong}
        if option.get("required"):
            yield name, {**base, name: None}
        if option.get("options"):
            entry = base.get(name)
            inner = entry[0] if isinstance(entry, list) else entry or {}
            for inside, wrong in invalid_parameters(option["options"], inner):
                yield inside, {**base, name: wrong if option["type"] == "dict" else [wrong]}


def spec(module: str) -> ArgumentSpec:
    return importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}").SPEC


@pytest.fixture(autouse=True)
def sent_requests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Return the list of requests, which are not sent. Files are written to a temporary directory."""
    monkeypatch.chdir(tmp_path)
    requested: list[str] = []

    def send(_connection: Any, request: Any, _timeout: Any) -> None:
        requested.append(request.url)
        raise session.NoResponse("the server is unreachable", is_unsent=True)

    monkeypatch.setattr(session.Connection, "send", send)
    return requested


LOGIN = {"url": "http://server.test", "retries": 0}
ACCOUNTS: dict[str, dict[str, Any]] = {"review": {"username": "admin"}}
# Parameters with a suboption in each option
_CALLS = [{"id": "call_0", "name": "list_builds", "arguments": {}}]
_MESSAGES = [{"role": "assistant", "parts": [{"text": "Hello"}], "tool_calls": _CALLS}]
_PRICES = [{"model": "gpt-4o-mini", "input": 0.15, "output": 0.6}]
FORMS = {
    "inference_chat": {"model": "gpt-4o", "messages": _MESSAGES, "tools": [{"name": "list_builds"}]},
    "inference_chat_batch": {
        **CASES["inference_chat_batch"].options,
        "prompts": [{"messages": _MESSAGES}],
        "prices": _PRICES,
    },
    "inference_user": {"email": "dora@sandbox.example", "projects": [{"id": "proj_sandbox"}]},
    "review_issue": {"project": "mobile-app", "rules": [{"query": "severity:1-3", "status": "Defer"}]},
}


def base_parameters(module: str) -> dict[str, Any]:
    """Return parameters with which the module sends a request."""
    return {
        **LOGIN,
        **ACCOUNTS.get(module.partition("_")[0], {}),
        **copy.deepcopy(FORMS.get(module) or parameters(module)),
    }


@pytest.mark.parametrize("module", SPEAKING)
def test_valid_parameters_send_a_request(module: str, sent_requests: list[str]) -> None:
    assert "the server is unreachable" in running.run(module, **base_parameters(module))["msg"]
    assert sent_requests


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("module", MODULES)
def test_invalid_value_is_refused_by_name(module: str, check_mode: bool, sent_requests: list[str]) -> None:
    for name, invalid in invalid_parameters(spec(module).options, base_parameters(module)):
        result = running.run(module, check_mode=check_mode, **invalid)
        case = f"{name} in {invalid}"
        assert result.get("failed"), case
        assert name in result["msg"], f"{case}: {result['msg']}"
        assert "'str' object" not in result["msg"], f"{case}: {result['msg']}"
        assert not result["changed"], case
        assert not sent_requests, case


def signature(name: str, option: Option) -> str:
    """Return the type and the limits of an option, and its name if the module itself must cope with the value."""
    limits = {key: value for key, value in option.items() if key not in ("aliases", "default", "fallback", "required")}
    is_parsed_by_module = option["type"] in ("dict", "list", "raw") or "unchecked" in option
    return repr((name if is_parsed_by_module else "", sorted(limits.items())))


def options_to_try() -> Iterator[tuple[str, str, list[Any]]]:
    """Yield each option of each module with its values: all for the first with a type and limits, else one."""
    tried: set[str] = set()
    for module in SPEAKING:
        for name, option in spec(module).options.items():
            kind = signature(name, {"type": "str", **option})
            yield module, name, WIRING if kind in tried else ANYTHING
            tried.add(kind)


VALUES_TO_TRY = list(options_to_try())


@pytest.mark.parametrize("module", SPEAKING)
def test_any_value_is_accepted_or_refused_by_name(module: str, sent_requests: list[str]) -> None:
    for name, value in ((name, value) for owner, name, values in VALUES_TO_TRY if owner == module for value in values):
        sent_requests.clear()
        result = running.run(module, **{**base_parameters(module), name: value})
        if not sent_requests and result.get("failed"):
            shown = name.replace(value, "*" * 8) if isinstance(value, str) and value else name  # a secret is masked
            assert any(text in result["msg"] for text in (name, shown, "required")), f"{name}={value!r}: {result}"
        assert "object has no attribute" not in result.get("msg", "")


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("module", NULLS)
def test_null_is_refused_when_the_option_narrows_the_effect(
    module: str, check_mode: bool, sent_requests: list[str]
) -> None:
    for path, invalid in NULLS[module]:
        result = running.run(module, check_mode=check_mode, **{**base_parameters(module), **invalid})
        assert result == {"changed": False, "failed": True, "msg": REFUSAL.format(path)}
    assert not sent_requests


SAMPLE = ArgumentSpec(
    dict(
        count=dict(type="int", at_least=1, at_most=1000),
        secret=dict(type="str", no_log=True, **NAME),
        kind=dict(type="str", matches=("[a-z]+", "small letters")),
        names=dict(type="list", elements="str", not_empty=True, each_element=NAME),
        entry=dict(type="dict", options=dict(names=dict(type="list", elements="str", each_element=NAME))),
        entries=dict(type="list", elements="dict", options=dict(name=dict(type="str", **NAME))),
        file=dict(type="path", unchecked="any will do"),
    )
)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 0}, "Option 'count': must be 1 to 1,000, not 0"),
        ({"count": True}, "Option 'count': must be 1 to 1,000, not True"),
        ({"count": math.nan}, "Option 'count': must be 1 to 1,000, not nan"),
        ({"secret": "pass "}, "Option 'secret': must not start or end with whitespace"),
        ({"secret": ""}, "Option 'secret': must not be empty"),
        ({"kind": "A"}, "Option 'kind': must be small letters, not 'A'"),
        ({"names": []}, "Option 'names': must not be empty"),
        ({"names": ["a", ""]}, "Option 'names[1]': must not be empty"),
        (
            {"entry": {"names": ["\n"]}},
            "Option 'entry.names[0]': must be one line without control characters, not '\\n'",
        ),
        ({"entries": [{"name": "a"}, {"name": ""}]}, "Option 'entries[1].name': must not be empty"),
        ({"file": "a\0"}, "Option 'file': must be a path without NUL characters, not 'a\\x00'"),
        ({"kind": "B" * 99}, f"Option 'kind': must be small letters, not '{'B' * 39}…"),
    ],
)  # fmt: skip
def test_message_names_the_option_and_the_valid_values(values: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOption) as refusal:
        SAMPLE.check(values)
    assert str(refusal.value) == f"{message}."


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"count": None},
        {"count": 1},
        {"count": 1000},
        {"names": ["a b"], "kind": "x"},
        {"entries": []},
        {"entry": {}},
    ],
)
def test_value_is_accepted_when_it_is_within_the_limits(values: dict[str, Any]) -> None:
    SAMPLE.check(values)


def test_limits_are_not_passed_to_ansible() -> None:
    assert SAMPLE.to_keywords()["argument_spec"] == {
        "count": {"type": "int"},
        "secret": {"type": "str", "no_log": True},
        "kind": {"type": "str"},
        "names": {"type": "list", "elements": "str"},
        "entry": {"type": "dict", "options": {"names": {"type": "list", "elements": "str"}}},
        "entries": {"type": "list", "elements": "dict", "options": {"name": {"type": "str"}}},
        "file": {"type": "path"},
    }
