# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ladder of a case: the runs of its module, in their order, and what they must report and send.

A resource is checked, run and run again for each of its states. Other modules have fewer steps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from support.cases import FETCHES, OPERATIONS, QUERIES, RESOURCES
from support.playbook import Done

STATES = ("create", "update", "absent")
SECRET_IN_RESULT = r"Without '\w+_file' the secret of a new [\w ]+ is in the result"
VOLATILE = re.compile(
    r'"(token_id|access_token|revoked|issued_at|expiry|session_before|session_after|session_id|request_id|id'
    r"|created|created_at|last_used|last_used_at|modified|updated|timestamp"
    r'|secret|api_token|uuid|removed|redacted_value|invite_id|added|added_at|expires|expires_at)": [^,}]+'
)
"""Members of results that differ between two runs."""


@dataclass(frozen=True)
class Step:
    """One run of a module."""

    name: str
    options: dict[str, Any]
    check_mode: bool = False


def list_steps(case: str) -> Iterator[Step]:
    """Return the steps of a case."""
    if case in RESOURCES:
        for state in STATES:
            options = getattr(RESOURCES[case], state)
            yield Step(f"check {state}", options, check_mode=True)
            yield Step(state, options)
            yield Step(f"{state} again", options)
    elif case in QUERIES:
        yield Step("read", QUERIES[case].options)
        yield Step("check read", QUERIES[case].options, check_mode=True)
    elif case in FETCHES:
        yield Step("check fetch", FETCHES[case].options, check_mode=True)
        yield Step("fetch", FETCHES[case].options)
        yield Step("fetch again", FETCHES[case].options)
    else:
        operation = OPERATIONS[case]
        yield Step("check do", operation.options, check_mode=True)
        yield Step("do", operation.options)
        if operation.lasting:
            yield Step("do again", operation.options)


def other_warnings(done: Done) -> list[str]:
    """Return the warnings, except that a new secret is in the result, where the cases read it."""
    return [text for text in done.result.get("warnings", []) if not re.match(SECRET_IN_RESULT, text)]


def check_ladder(case: str, done: dict[str, Done]) -> None:
    """Assert what the steps of a case must report and send.

    :arg done: results of the steps by name
    """
    for one in done.values():
        assert one.status == "ok", one.result
    if case in RESOURCES:
        for state in STATES:
            _check_state(*(done[name] for name in (f"check {state}", state, f"{state} again")))
    elif case in QUERIES:
        _check_query(done["read"], done["check read"])
    elif case in FETCHES:
        _check_fetch(done["check fetch"], done["fetch"], done["fetch again"])
    else:
        _check_operation(case, done["check do"], done["do"])
        if OPERATIONS[case].lasting:
            assert not done["do again"].result["changed"]
            assert not done["do again"].writes


def normalize(value: Any) -> Any:
    """Return the JSON value with 0 in place of each member that differs between two runs."""
    return json.loads(VOLATILE.sub(r'"\1": 0', json.dumps(value, sort_keys=True)))


def _check_state(checked: Done, applied: Done, again: Done) -> None:
    assert checked.result["changed"]
    assert not checked.writes
    assert applied.result["changed"]
    assert applied.writes
    assert not again.result["changed"], again.result["diff"]
    assert not again.writes
    assert applied.result["diff"]["before"] != applied.result["diff"]["after"]
    assert _normalize_diff(checked) == _normalize_diff(applied)
    assert _list_members(checked.result) == _list_members(applied.result)


def _check_query(query: Done, checked: Done) -> None:
    assert not query.result["changed"]
    assert query.reads
    assert not query.writes
    assert checked.result == query.result


def _check_fetch(checked: Done, fetched: Done, again: Done) -> None:
    for one in (checked, fetched, again):
        assert one.reads
        assert not one.writes
    assert checked.result["changed"]
    assert fetched.result["changed"]
    assert not again.result["changed"]
    assert checked.result["diff"] == fetched.result["diff"]
    assert _list_members(checked.result) == _list_members(fetched.result)
    assert len(checked.reads) < len(fetched.reads)


def _check_operation(case: str, checked: Done, done: Done) -> None:
    assert not checked.writes
    assert done.writes
    assert checked.result["plan"] == done.result["plan"]
    assert checked.result["changed"] == done.result["changed"] == OPERATIONS[case].changes


def _list_members(result: dict[str, Any]) -> dict[str, Any]:
    own = {name: value for name, value in result.items() if name not in ("diff", "invocation")}
    return {name: sorted(value) if isinstance(value, dict) else None for name, value in own.items()}


def _normalize_diff(done: Done) -> dict[str, Any]:
    diff: dict[str, Any] = normalize(done.result["diff"])
    diff["after"].pop("id", None)
    return diff
