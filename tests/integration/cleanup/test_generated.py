# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated repositories and rules: what is planned and deleted is what a naive evaluation says."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support.cleanup.naive import Artifact, deleted
from support.cleanup.world import paths_in, plant, run

EXAMPLES = 50
FOLDERS = ["", "a/", "a/b/", "a b/", "a.b/c/", "A/", "a%b/", "a_b/", "x^y/"]
NAMES = [
    "app-1.tgz",
    "app-2.tgz",
    "app-10.tgz",
    "lib-1.jar",
    "lib-2.jar",
    "read me",
    "é.txt",
    "100%.txt",
    "q_r",
    "app-x.tgz",
]
PATTERNS = ["*", "a*", "?", "*.tgz", "a/*", "a?b", "a%b", "q_r", "*^*", "A", ".", "*1*", "é*", "100%.txt"]
VALUES = ["1", "two words", "a,b=c;d|e", "é"]
KEYS = ["keep", "build.number"]

ages = st.integers(0, 9).map(lambda day: day + 0.5)
properties = st.dictionaries(
    st.sampled_from(KEYS), st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True)
)
some = st.one_of(st.just("*"), st.sampled_from(VALUES), st.lists(st.sampled_from(VALUES), min_size=1, max_size=2))
selecting = st.dictionaries(st.sampled_from(KEYS), some, min_size=1)
keeping = st.dictionaries(st.sampled_from(KEYS), st.one_of(st.none(), some), min_size=1)
patterns = st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3)
day = st.integers(1, 5).map("{}d".format)
group = st.one_of(
    st.just({}),
    st.just({"group_by": "folder"}),
    st.sampled_from(["(.*)-[0-9]+[.].*", "(.).*"]).map(lambda text: {"group_by": "name", "group_pattern": text}),
    st.sampled_from(KEYS).map(lambda key: {"group_by": "property", "group_property": key}),
)


@st.composite
def contents(draw: st.DrawFn) -> list[dict[str, Any]]:
    places = draw(
        st.lists(
            st.tuples(st.sampled_from("12"), st.sampled_from(FOLDERS), st.sampled_from(NAMES)),
            min_size=8,
            max_size=30,
            unique=True,
        )
    )
    return [
        {
            "repo": repo,
            "path": folder + name,
            "created": draw(ages),
            "modified": draw(ages),
            "size": draw(st.integers(0, 3)),
            "downloaded": draw(st.one_of(st.none(), ages)),
            "properties": draw(properties),
        }
        for repo, folder, name in places
    ]


@st.composite
def rule(draw: st.DrawFn) -> dict[str, Any]:
    some: dict[str, Any] = {"repos": draw(st.sampled_from([["r{}-*"], ["r{}-?"], ["r{}-1"]]))}
    optional = {
        **dict.fromkeys(("paths", "exclude_paths", "names", "exclude_names"), patterns),
        "properties": selecting,
        "keep_properties": keeping,
        **dict.fromkeys(("older_than", "not_downloaded_since"), day),
        "larger_than": st.integers(0, 2),
    }
    for name in draw(st.lists(st.sampled_from(sorted(optional)), max_size=2, unique=True)):
        some[name] = draw(optional[name])
    if draw(st.booleans()) or not some.keys() & {
        "paths",
        "names",
        "properties",
        "older_than",
        "not_downloaded_since",
        "larger_than",
    }:
        some |= {"keep_newest": draw(st.integers(1, 3)), **draw(group)}
    return some


@pytest.mark.usefixtures("as_a_user")
def test_what_goes_is_what_a_naive_evaluation_says(sandbox: Sandbox, tmp_path: Path) -> None:
    numbers = itertools.count()
    seen = {"deleted": 0}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(contents=contents(), rules=st.lists(rule(), min_size=1, max_size=3))
    def hold(contents: list[dict[str, Any]], rules: list[dict[str, Any]]) -> None:
        number = next(numbers)
        repos = [f"r{number}-1", f"r{number}-2"]
        artifacts = [Artifact(**{**content, "repo": f"r{number}-{content['repo']}"}) for content in contents]
        here = [{**rule, "repos": [pattern.format(number) for pattern in rule["repos"]]} for rule in rules]
        plant(sandbox, artifacts, repos)
        goes = deleted(artifacts, here)
        plan = tmp_path / "plan.jsonl"
        options = {"rules": here, "page_size": 100, "plan_file": str(plan)}
        checked = run(check_mode=True, **options)
        assert not checked.get("failed"), checked
        planned = [json.loads(line) for line in plan.read_text().splitlines()[1:]]
        assert {(entry["repo"], entry["path"]) for entry in planned} == goes
        done = run(**options)
        assert not done.get("failed"), done
        assert checked["plan"] == done["plan"]
        assert checked["changed"] is done["changed"] is bool(goes)
        there = {(artifact.repo, artifact.path) for artifact in artifacts}
        assert {(repo, path) for repo in repos for path in paths_in(sandbox, repo)} == there - goes
        seen["deleted"] += len(goes)

    hold()
    assert seen["deleted"] > EXAMPLES
