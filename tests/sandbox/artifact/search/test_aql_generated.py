# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Property-based tests of AQL queries: generated queries find what a model in Python predicts."""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import client
from support.session import Session

COUNT = 400
START = datetime(2023, 1, 1, tzinfo=UTC)
REPOS = ["a-local", "b-local", "c-cache"]
FOLDERS = ["org", "org/app", "org/app/1.0", "net", "x_y"]
USERS = ["alice", "bob", "carol", None]
KEYS = ["os", "qa", "count", "build.name"]
VALUES = ["linux", "macos", "10", "9", "passed", "PASSED", "a b"]
SIGNS = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}

Item = dict[str, Any]
Pairs = list[tuple[str | None, str | None]]


def generate_items() -> list[Item]:
    """Return the same pseudo-random items on each call."""
    chance = random.Random(7)
    return [
        {
            "repo": chance.choice(REPOS),
            "path": chance.choice(FOLDERS),
            "name": f"{chance.choice(['app', 'App', 'lib_x', 'n'])}-{number}.{chance.choice(['jar', 'txt'])}",
            "size": chance.choice([0, 1, 10, 1024, 2**31, 5 * 2**30]),
            "created": START + timedelta(days=chance.randrange(40)),
            "created_by": chance.choice(USERS),
            "properties": sorted({(chance.choice(KEYS), chance.choice(VALUES)) for _nth in range(chance.randrange(5))}),
            "downloads": chance.choice([None, 0, 1, 5]),
        }
        for number in range(COUNT)
    ]


ITEMS = generate_items()


def to_seed(item: Item) -> dict[str, Any]:
    """Return an item in the format of a seed."""
    properties: dict[str, list[str]] = {}
    for key, value in item["properties"]:
        properties.setdefault(key, []).append(value)
    fields = {name: item[name] for name in ("repo", "size", "created_by") if item[name] is not None}
    statistics = [] if item["downloads"] is None else [{"downloads": item["downloads"]}]
    return {
        **fields,
        "path": f"{item['path']}/{item['name']}",
        "created": item["created"].isoformat(),
        "properties": properties,
        "statistics": statistics,
    }


@pytest.fixture(scope="module")
def repository() -> Iterator[Session]:
    """A session with an Artifactory that contains `ITEMS`."""
    repositories = [{"key": key, "rclass": "local", "packageType": "generic"} for key in REPOS if key != "c-cache"]
    repositories.append({"key": "c", "rclass": "remote", "packageType": "generic", "url": "https://repo.example"})
    section = {
        "users": [{"name": "admin", "password": "admin", "admin": True}],
        "repositories": repositories,
        "items": [to_seed(item) for item in ITEMS],
    }
    with client.start() as sandbox:
        sandbox.seed({"artifact": section}, reset=True)
        yield Session(f"{sandbox.url}/artifactory", ("admin", "admin"))


@dataclass(frozen=True)
class Criterion:
    """A part of a query and the predicate it expresses.

    `meets_pair` is the predicate for a single property. It is set only for conditions on properties.
    """

    text: str
    meets: Callable[[Item], bool]
    meets_pair: Callable[[tuple[str | None, str | None]], bool] | None = None

    def __repr__(self) -> str:
        return self.text


def matches_pattern(pattern: str, text: str) -> bool:
    """Return whether a text matches a pattern with `*` and `?`."""
    expression = "".join({"*": ".*", "?": "."}.get(character, re.escape(character)) for character in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def satisfies(sign: str, operand: Any, actual: Any, nullable: bool = True) -> bool:
    """Return whether `actual` compares with `operand` according to `sign`."""
    if sign == "$eq":
        return actual == operand
    if sign == "$ne":
        return actual != operand if nullable or actual is not None else False
    if actual is None:
        return sign == "$nmatch"
    if sign in SIGNS:
        return SIGNS[sign](actual, operand)
    return matches_pattern(operand, actual) is (sign == "$match")


def format_condition(name: str, sign: str, value: Any) -> str:
    """Return a condition in AQL syntax."""
    literal = "null" if value is None else f'"{value.isoformat() if isinstance(value, datetime) else value}"'
    return f'{{"{name}":{{"{sign}":{literal}}}}}'


PATTERNS = st.sampled_from(["*", "*.jar", "app-?.jar", "?pp*", "*_x*", "org/*", "*1*", "", "a*l*", "passed", "*s*"])
SIGN = st.sampled_from(["$eq", "$ne", *SIGNS])


@st.composite
def field_conditions(draw: st.DrawFn) -> Criterion:
    """Generate a condition on a field of the item or on its downloads."""
    name = draw(st.sampled_from(["repo", "path", "name", "created_by", "size", "created", "depth", "stat.downloads"]))
    values = [candidate for item in ITEMS if (candidate := field_value(item, name)) is not None]
    is_text = isinstance(values[0], str)
    if is_text and draw(st.booleans()):
        sign, operand = draw(st.sampled_from(["$match", "$nmatch"])), draw(PATTERNS)
    elif name in ("created_by", "stat.downloads") and draw(st.booleans()):
        sign, operand = draw(st.sampled_from(["$eq", "$ne"])), None
    else:
        sign, operand = draw(SIGN), draw(st.sampled_from(values[:60]))
    return Criterion(
        format_condition(name, sign, operand), lambda item: satisfies(sign, operand, field_value(item, name))
    )


def field_value(item: Item, name: str) -> Any:
    """Return the value of a field."""
    if name == "depth":
        return item["path"].count("/") + 2
    return item[name.removeprefix("stat.")]


@st.composite
def property_conditions(draw: st.DrawFn) -> Criterion:
    """Generate a condition on a property."""
    kind = draw(st.sampled_from(["both", "key", "value", "has", "any"]))
    key, value = draw(st.sampled_from(KEYS)), draw(st.sampled_from(VALUES))
    if draw(st.booleans()):
        sign, key_or_value = (
            draw(st.sampled_from(["$match", "$nmatch"])),
            draw(PATTERNS.filter(lambda text: text != "*")),
        )
        key, value = (key_or_value, value) if kind in ("key", "has") else (key, key_or_value)
    else:
        sign = draw(SIGN)
    tests_by_kind = {
        "both": [(0, key), (1, value)],
        "key": [(0, key)],
        "has": [(0, key)],
        "value": [(1, value)],
        "any": [(1, value)],
    }
    name, operand = {
        "both": (f"@{key}", value),
        "has": (f"@{key}", "*"),
        "any": ("@*", value),
        "key": ("property.key", key),
        "value": ("property.value", value),
    }[kind]
    negated = sign in ("$ne", "$nmatch")
    positive = {"$ne": "$eq", "$nmatch": "$match"}.get(sign, sign)
    tests = tests_by_kind[kind]

    def has(pair: tuple[str | None, str | None]) -> bool:
        signs = ["$eq", positive] if len(tests) == 2 else [positive]
        return all(
            satisfies(operator_name, text, pair[index])
            for operator_name, (index, text) in zip(signs, tests, strict=True)
        )

    def meets(item: Item) -> bool:
        return any(map(has, item["properties"])) is not negated

    def meets_pair(pair: tuple[str | None, str | None]) -> bool:
        return any(satisfies(sign, text, pair[index]) for index, text in tests) if negated else has(pair)

    return Criterion(format_condition(name, sign, operand), meets, meets_pair)


def combine(kind: str, members: list[Criterion]) -> Criterion:
    """Combine conditions with `$and` or `$or`."""
    every = all if kind == "$and" else any
    texts = ",".join(member.text for member in members)
    return Criterion(f'{{"{kind}":[{texts}]}}', lambda item: every(member.meets(item) for member in members))


def combine_on_one_property(members: list[Criterion]) -> Criterion:
    """Combine conditions that a single property must satisfy.

    An item without properties counts as having one property with null key and null value.
    """

    def meets(item: Item) -> bool:
        pairs: Pairs = [*item["properties"]] or [(None, None)]
        return any(all(member.meets_pair(pair) for member in members if member.meets_pair) for pair in pairs)

    texts = ",".join(member.text for member in members)
    return Criterion(f'{{"$and":[{{"$msp":[{texts}]}}]}}', meets)


LEAVES = (
    field_conditions()
    | property_conditions()
    | st.lists(property_conditions(), min_size=1, max_size=3).map(combine_on_one_property)
)
CRITERIA = st.recursive(
    LEAVES,
    lambda inner: st.builds(combine, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=4)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(criteria=st.lists(CRITERIA, min_size=1, max_size=3))
def test_generated_query_finds_the_items_that_the_model_predicts(repository, criteria):
    query = f"items.find({','.join(criterion.text for criterion in criteria)})"
    response = repository.post("/api/search/aql", data=query, headers={"Content-Type": "text/plain"})
    assert response.status_code == 200, response.text
    actual = sorted(row["name"] for row in response.json()["results"])
    assert actual == sorted(item["name"] for item in ITEMS if all(criterion.meets(item) for criterion in criteria))


@settings(max_examples=20, deadline=None)
@given(
    criterion=CRITERIA,
    fields=st.permutations(["repo", "size", "name"]),
    direction=st.sampled_from(["$asc", "$desc"]),
    page=st.integers(1, 150),
)
def test_pages_contain_all_items_in_order(repository, criterion, fields, direction, page):
    """The sort fields end with the name, which is unique."""
    fields = fields[: fields.index("name") + 1]
    sort = ",".join(f'"{field}"' for field in fields)
    query = f'items.find({criterion.text}).include("repo","size","name").sort({{"{direction}":[{sort}]}})'
    actual: list[list[Any]] = []
    while not len(actual) % page:
        text = f"{query}.offset({len(actual)}).limit({page})"
        response = repository.post("/api/search/aql", data=text, headers={"Content-Type": "text/plain"})
        rows = response.json()["results"]
        actual += [[row[field] for field in fields] for row in rows]
        if not rows:
            break
    expected = [[item[field] for field in fields] for item in ITEMS if criterion.meets(item)]
    assert actual == sorted(expected, reverse=direction == "$desc")
