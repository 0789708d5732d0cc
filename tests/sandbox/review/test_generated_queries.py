# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of generated queries against a simple evaluation of their terms."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support.wire.review import FORM, LTOKENS

MANY, EXAMPLES = 300, 120
BUILDS = ["one", "two", "three"]
SEVERITIES = ["Critical", "Error", "Warning", "Review", *(f"Severity {code}" for code in range(5, 11))]
STATUSES = ["Analyze", "Ignore", "Not a Problem", "Fix", "Fix in Next Release", "Defer", "Filter"]
STATES = ["New", "Existing", "Fixed"]
TEXTS = {
    "code": ["ABV.GENERAL", "NPD.FUNC.MUST", "NPD.FUNC.MIGHT", "RLK.MAIN"],
    "file": ["src/a b/x.c", "src/core/x.c", "src/core/Y.cpp", "vendor/100%_z.c"],
    "owner": ["unowned", "alice", "o'neil", "bob"],
    "category": ["Buffer Overflow", "Null Pointer", ""],
    "reference": ["16-0-2", "16-0-20", ""],
}
MORE_TEXTS = {
    "method": ["main", "copy_x", "parse"],
    "comment": ["", "later, really", "a+b = c"],
    "message": ["not freed", "may be NULL", "index 10"],
    "bug_id": ["", "77", "7"],
}
FULL_TEXT = ("method", "file", "comment", "code", "message", "owner", "bug_id")

Issue = dict[str, Any]


def created_issues() -> list[Issue]:
    """Return the issues of the project. They are always the same."""
    chance = random.Random(3)
    issues = []
    for _number in range(MANY):
        found = chance.randrange(3)
        issue: Issue = {name: chance.choice(values) for name, values in {**TEXTS, **MORE_TEXTS}.items()}
        issue |= {"severity": chance.randint(1, 10), "status": chance.choice(STATUSES), "found_in": BUILDS[found]}
        if found < 2 and chance.random() < 0.4:
            issue["fixed_in"] = BUILDS[chance.randint(found + 1, 2)]
        issues.append(issue)
    return issues


ISSUES = created_issues()


def state(issue: Issue) -> str | None:
    """State in the last build; null if the issue is not in it."""
    if "fixed_in" in issue:
        return "Fixed" if issue["fixed_in"] == BUILDS[-1] else None
    return "New" if issue["found_in"] == BUILDS[-1] else "Existing"


class Value(NamedTuple):
    """A value as it is quote, and a function that returns whether it matches an issue."""

    text: str
    fits: Callable[[Issue], bool]


class Term(NamedTuple):
    """A term of a query. Bare words have no keyword."""

    keyword: str
    values: list[Value]
    excluded: bool

    def __str__(self) -> str:
        keyword = f"{self.keyword}:" if self.keyword else ""
        return f"{'-' if self.excluded else ''}{keyword}{','.join(value.text for value in self.values)}"

    def fits(self, issue: Issue) -> bool:
        return any(value.fits(issue) for value in self.values)


def evaluate(terms: list[Term]) -> list[int]:
    """Return the positions of the issues that match: any value of each keyword, all keywords, no excluded value."""
    keywords = {term.keyword for term in terms if term.keyword and not term.excluded}
    by_default = not any(term.keyword == "state" for term in terms)

    def is_match(issue: Issue) -> bool:
        return (
            state(issue) in (("New", "Existing") if by_default else STATES)
            and not any(term.fits(issue) for term in terms if term.excluded)
            and all(term.fits(issue) for term in terms if not term.keyword and not term.excluded)
            and all(
                any(term.fits(issue) for term in terms if term.keyword == keyword and not term.excluded)
                for keyword in keywords
            )
        )

    return [place for place, issue in enumerate(ISSUES) if is_match(issue)]


def quote(text: str, chance: random.Random) -> str:
    """Return the text with quotation marks if it needs them, and sometimes if not."""
    marks = [mark for mark in "'\"" if mark not in text]
    bare = [""] if not set(text) & set(" ,+-'") else []
    mark = chance.choice(bare + marks)
    return f"{mark}{text}{mark}"


def vary_case(text: str, chance: random.Random) -> str:
    return chance.choice([text, text.lower(), text.upper()])


def text_values(name: str, chance: random.Random) -> Value:
    whole = chance.choice([text for text in TEXTS[name] if text])
    exact = chance.random() < 0.4
    start = 0 if exact else chance.randrange(len(whole))
    part = whole if exact else whole[start : chance.randint(start + 1, len(whole))].strip() or whole
    sought = part.lower()
    if exact:
        return Value("+" + quote(vary_case(part, chance), chance), lambda issue: issue[name].lower() == sought)
    return Value(quote(vary_case(part, chance), chance), lambda issue: sought in issue[name].lower())


def severity_values(chance: random.Random) -> Value:
    low = chance.randint(1, 10)
    high = chance.randint(low, 10)
    text = chance.choice([str(low), f"{low}-{high}", quote(vary_case(SEVERITIES[low - 1], chance), chance)])
    most = high if text == f"{low}-{high}" else low
    return Value(text, lambda issue: low <= issue["severity"] <= most)


def state_values(chance: random.Random) -> Value:
    name = chance.choice(STATES)
    return Value(vary_case(name, chance), lambda issue: state(issue) == name)


def status_values(chance: random.Random) -> Value:
    name = chance.choice(STATUSES)
    text = quote(vary_case(name, chance), chance)
    if chance.random() < 0.5:
        return Value(f"+{text}", lambda issue: issue["status"] == name)
    return Value(text, lambda issue: name.lower() in issue["status"].lower())


def word_values(chance: random.Random) -> Value:
    word = chance.choice(
        [*TEXTS["code"], *MORE_TEXTS["message"], "later, really", "a+b", "x.c", "77", "100%_z", "parse"]
    )
    text = quote(vary_case(word, chance), chance)
    return Value(text, lambda issue: any(word.lower() in issue[name].lower() for name in FULL_TEXT))


def term(chance: random.Random) -> Term:
    kinds = {"severity": severity_values, "state": state_values, "status": status_values}
    keyword = chance.choice([*TEXTS, *kinds, ""])
    if not keyword:
        return Term("", [word_values(chance)], chance.random() < 0.3)
    of = kinds.get(keyword) or (lambda chance: text_values(keyword, chance))
    return Term(keyword, [of(chance) for _value in range(chance.randint(1, 3))], chance.random() < 0.25)


@st.composite
def queries(draw: st.DrawFn) -> list[Term]:
    """Generate up to four terms. Each can be removed separately when Hypothesis shrinks an example."""
    return [term(random.Random(seed)) for seed in draw(st.lists(st.integers(0, 10_000), max_size=4))]


@pytest.fixture(scope="module")
def search(running_sandbox: Sandbox) -> Callable[[str], list[int]]:
    """Return a function that searches in the sandbox and returns the positions of the issues."""
    running_sandbox.reset()
    builds = [{"name": name, "date": number} for number, name in enumerate(BUILDS)]
    issues = [{**issue, "line": place + 1} for place, issue in enumerate(ISSUES)]
    project = {"name": "generated", "creator": "admin", "builds": builds, "issues": issues}
    running_sandbox.seed({"review": {"projects": [project]}})
    session = requests.Session()
    form = {"action": "search", "project": "generated", "user": "admin", "ltoken": LTOKENS["admin"]}

    def find_positions(query: str) -> list[int]:
        data = {**form, "query": f"grouping:off {query}"}
        answer = session.post(
            f"{running_sandbox.url}/analysis/review/api", data=data, headers={"Content-Type": FORM}, timeout=60
        )
        assert answer.status_code == 200, answer.text
        return [int(line.partition('"line":')[2].split(",")[0]) - 1 for line in answer.text.splitlines()]

    return find_positions


@settings(max_examples=EXAMPLES, deadline=None)
@given(terms=queries())
def test_query_returns_the_expected_issues(terms: list[Term], search: Callable[[str], list[int]]) -> None:
    assert search(" ".join(map(str, terms))) == evaluate(terms)
