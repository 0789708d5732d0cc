# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated queries find what a plain evaluation of their conditions finds."""

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

MANY = 400
START = datetime(2023, 1, 1, tzinfo=UTC)
REPOS = ["a-local", "b-local", "c-cache"]
FOLDERS = ["org", "org/app", "org/app/1.0", "net", "x_y"]
USERS = ["alice", "bob", "carol", None]
KEYS = ["os", "qa", "count", "build.name"]
VALUES = ["linux", "macos", "10", "9", "passed", "PASSED", "a b"]
SIGNS = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}

Item = dict[str, Any]
Pairs = list[tuple[str | None, str | None]]


def items() -> list[Item]:
    """The items that there are; the same ones every time."""
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
        for number in range(MANY)
    ]


ITEMS = items()


def seed_of(item: Item) -> dict[str, Any]:
    """An item as a seed says it."""
    properties: dict[str, list[str]] = {}
    for key, value in item["properties"]:
        properties.setdefault(key, []).append(value)
    described = {name: item[name] for name in ("repo", "size", "created_by") if item[name] is not None}
    statistics = [] if item["downloads"] is None else [{"downloads": item["downloads"]}]
    return {
        **described,
        "path": f"{item['path']}/{item['name']}",
        "created": item["created"].isoformat(),
        "properties": properties,
        "statistics": statistics,
    }


@pytest.fixture(scope="module")
def repository() -> Iterator[Session]:
    """A repository service with these items."""
    repositories = [{"key": key, "rclass": "local", "packageType": "generic"} for key in REPOS if key != "c-cache"]
    repositories.append({"key": "c", "rclass": "remote", "packageType": "generic", "url": "https://repo.example"})
    section = {
        "users": [{"name": "admin", "password": "admin", "admin": True}],
        "repositories": repositories,
        "items": [seed_of(item) for item in ITEMS],
    }
    with client.start() as sandbox:
        sandbox.seed({"artifact": section}, reset=True)
        yield Session(f"{sandbox.url}/artifactory", ("admin", "admin"))


@dataclass(frozen=True)
class Criterion:
    """A part of a query, and what it says of an item; `of_pair` what it says of one property, if it is about one."""

    text: str
    meets: Callable[[Item], bool]
    of_pair: Callable[[tuple[str | None, str | None]], bool] | None = None

    def __repr__(self) -> str:
        return self.text


def like(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern with `*` and `?`."""
    expression = "".join({"*": ".*", "?": "."}.get(character, re.escape(character)) for character in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def compares(sign: str, wanted: Any, found: Any, nullable: bool = True) -> bool:
    """Whether what is found compares so with what is wanted."""
    if sign == "$eq":
        return found == wanted
    if sign == "$ne":
        return found != wanted if nullable or found is not None else False
    if found is None:
        return sign == "$nmatch"
    if sign in SIGNS:
        return SIGNS[sign](found, wanted)
    return like(wanted, found) is (sign == "$match")


def written(name: str, sign: str, value: Any) -> str:
    """A condition as a query has it."""
    shown = "null" if value is None else f'"{value.isoformat() if isinstance(value, datetime) else value}"'
    return f'{{"{name}":{{"{sign}":{shown}}}}}'


PATTERNS = st.sampled_from(["*", "*.jar", "app-?.jar", "?pp*", "*_x*", "org/*", "*1*", "", "a*l*", "passed", "*s*"])
SIGN = st.sampled_from(["$eq", "$ne", *SIGNS])


@st.composite
def fields(draw: st.DrawFn) -> Criterion:
    """A condition on a field of the item, or on its downloads."""
    name = draw(st.sampled_from(["repo", "path", "name", "created_by", "size", "created", "depth", "stat.downloads"]))
    values = [found for item in ITEMS if (found := value_of(item, name)) is not None]
    text = isinstance(values[0], str)
    if text and draw(st.booleans()):
        sign, wanted = draw(st.sampled_from(["$match", "$nmatch"])), draw(PATTERNS)
    elif name in ("created_by", "stat.downloads") and draw(st.booleans()):
        sign, wanted = draw(st.sampled_from(["$eq", "$ne"])), None
    else:
        sign, wanted = draw(SIGN), draw(st.sampled_from(values[:60]))
    return Criterion(written(name, sign, wanted), lambda item: compares(sign, wanted, value_of(item, name)))


def value_of(item: Item, name: str) -> Any:
    """The value of a field."""
    if name == "depth":
        return item["path"].count("/") + 2
    return item[name.removeprefix("stat.")]


@st.composite
def properties(draw: st.DrawFn) -> Criterion:
    """A condition on a property."""
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
    wanted = {
        "both": [(0, key), (1, value)],
        "key": [(0, key)],
        "has": [(0, key)],
        "value": [(1, value)],
        "any": [(1, value)],
    }
    name, shown = {
        "both": (f"@{key}", value),
        "has": (f"@{key}", "*"),
        "any": ("@*", value),
        "key": ("property.key", key),
        "value": ("property.value", value),
    }[kind]
    negated = sign in ("$ne", "$nmatch")
    positive = {"$ne": "$eq", "$nmatch": "$match"}.get(sign, sign)
    tests = wanted[kind]

    def has(pair: tuple[str | None, str | None]) -> bool:
        signs = ["$eq", positive] if len(tests) == 2 else [positive]
        return all(compares(one, text, pair[place]) for one, (place, text) in zip(signs, tests, strict=True))

    def meets(item: Item) -> bool:
        return any(map(has, item["properties"])) is not negated

    def of_pair(pair: tuple[str | None, str | None]) -> bool:
        return any(compares(sign, text, pair[place]) for place, text in tests) if negated else has(pair)

    return Criterion(written(name, sign, shown), meets, of_pair)


def joined(kind: str, members: list[Criterion]) -> Criterion:
    """Conditions joined by `$and` or `$or`."""
    every = all if kind == "$and" else any
    texts = ",".join(member.text for member in members)
    return Criterion(f'{{"{kind}":[{texts}]}}', lambda item: every(member.meets(item) for member in members))


def same(members: list[Criterion]) -> Criterion:
    """Conditions that one property has to meet; an item without any has one that is nothing."""

    def meets(item: Item) -> bool:
        pairs: Pairs = [*item["properties"]] or [(None, None)]
        return any(all(member.of_pair(pair) for member in members if member.of_pair) for pair in pairs)

    texts = ",".join(member.text for member in members)
    return Criterion(f'{{"$and":[{{"$msp":[{texts}]}}]}}', meets)


LEAVES = fields() | properties() | st.lists(properties(), min_size=1, max_size=3).map(same)
CRITERIA = st.recursive(
    LEAVES,
    lambda inner: st.builds(joined, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1, max_size=4)),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(criteria=st.lists(CRITERIA, min_size=1, max_size=3))
def test_generated_queries_find_what_they_say(repository, criteria):
    query = f"items.find({','.join(criterion.text for criterion in criteria)})"
    answer = repository.post("/api/search/aql", data=query, headers={"Content-Type": "text/plain"})
    assert answer.status_code == 200, answer.text
    found = sorted(row["name"] for row in answer.json()["results"])
    assert found == sorted(item["name"] for item in ITEMS if all(criterion.meets(item) for criterion in criteria))


@settings(max_examples=20, deadline=None)
@given(
    criterion=CRITERIA,
    fields=st.permutations(["repo", "size", "name"]),
    direction=st.sampled_from(["$asc", "$desc"]),
    page=st.integers(1, 150),
)
def test_pages_are_the_whole_in_order(repository, criterion, fields, direction, page):
    """Page by page, sorted by some fields up to the name, which tells all items apart."""
    fields = fields[: fields.index("name") + 1]
    sort = ",".join(f'"{field}"' for field in fields)
    query = f'items.find({criterion.text}).include("repo","size","name").sort({{"{direction}":[{sort}]}})'
    found: list[list[Any]] = []
    while not len(found) % page:
        text = f"{query}.offset({len(found)}).limit({page})"
        answer = repository.post("/api/search/aql", data=text, headers={"Content-Type": "text/plain"})
        rows = answer.json()["results"]
        found += [[row[field] for field in fields] for row in rows]
        if not rows:
            break
    wanted = [[item[field] for field in fields] for item in ITEMS if criterion.meets(item)]
    assert found == sorted(wanted, reverse=direction == "$desc")
