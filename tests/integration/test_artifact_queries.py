# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries against the sandbox return the same rows for all page sizes."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from sandbox.client import Sandbox
from support.running import run

NAMES = ["a", " blank", "  two", "Z", "z", "ü", "e\u0301", "100%", "a_b", "it's", "-", "semi;colon", "#1", "\U0001f600"]
PATHS = ["", "deep/er", "deep", " x/y", "deep.er"]
DEFAULTS = {name: option.get("default") for name, option in ARTIFACT.options.items()}
COUNT = 2 * len(NAMES) * len(PATHS)


@pytest.fixture(autouse=True)
def seeded_sandbox(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Sandbox:
    """Return a sandbox with two repositories of files with special characters and properties."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    items = [
        {
            "repo": repo,
            "path": f"{path}/{name}".strip("/"),
            "size": number,
            "properties": {"os": ["linux", "macos"], "empty": [""]} if number % 3 else {},
        }
        for repo in ("odd-a", "odd-b")
        for path in PATHS
        for number, name in enumerate(NAMES)
    ]
    repositories = [{"key": repo, "rclass": "local", "packageType": "generic"} for repo in ("odd-a", "odd-b")]
    sandbox.seed({"artifact": {"repositories": repositories, "items": items}})
    sandbox.clear_journal()
    return sandbox


def fetch_rows(**options: Any) -> list[dict[str, Any]]:
    result = run("artifact_query_info", **options)
    assert not result.get("failed"), result["msg"]
    assert result["count"] == len(result["rows"])
    return result["rows"]


@pytest.mark.parametrize("page_size", [1, 2, 7, COUNT, 5000])
@pytest.mark.parametrize(
    "find", [{"repo": {"$match": "odd-*"}}, {"$or": [{"repo": "odd-a"}, {"repo": "odd-b"}], "size": {"$gte": 0}}]
)
def test_each_item_is_returned_once_when_read_by_pages(find: dict[str, Any], page_size: int) -> None:
    rows = fetch_rows(find=find, include=["size"], page_size=page_size)
    assert rows == fetch_rows(find=find, include=["size"], sort=["repo", "path", "name"], page_size=0)
    assert len(rows) == COUNT == len({tuple(row.values()) for row in rows})


@pytest.mark.parametrize("page_size", [3, 20, 5000])
def test_pages_contain_properties_and_statistics(page_size: int) -> None:
    find = {"repo": {"$match": "odd-*"}, "path": {"$ne": "deep"}}
    rows = fetch_rows(find=find, include=["size", "property", "stat"], page_size=page_size)
    assert len(rows) == 2 * 4 * len(NAMES)
    for row in rows:
        assert len(row.get("properties", [])) == (3 if row["size"] % 3 else 0)
    plain = fetch_rows(find=find, include=["size"])
    assert [{name: row[name] for name in plain[0]} for row in rows] == plain


@pytest.mark.parametrize("limit", [1, 6, 1000])
def test_a_limit_counts_items_not_their_properties(limit: int) -> None:
    rows = fetch_rows(find={"repo": "odd-a"}, include=["name", "property"], limit=limit, page_size=4, domain="items")
    assert len(rows) == min(limit, COUNT // 2)


@pytest.mark.parametrize(("offset", "limit"), [(0, 10), (7, 20), (COUNT - 2, 20), (COUNT, 1)])
def test_offset_and_limit_apply_across_pages(offset: int, limit: int) -> None:
    find = {"repo": {"$match": "odd-*"}}
    rows = fetch_rows(find=find, page_size=3, offset=offset, limit=limit)
    assert rows == fetch_rows(find=find)[offset : offset + limit]


def test_no_item_is_skipped_when_others_are_deleted_meanwhile(seeded_sandbox: Sandbox) -> None:
    """With page numbers, each deleted item would shift another one out of the next page."""
    login = {"url": seeded_sandbox.environment["JFROG_URL"], "token": seeded_sandbox.environment["JFROG_ACCESS_TOKEN"]}
    artifact = ArtifactService(Task({**DEFAULTS, **login}))
    query = aql.prepare(aql.Query("items", {"repo": "odd-a"}, include=("name",)))
    rows = []
    for page in aql.fetch_item_pages(artifact, query, 10):
        rows += page
        for row in page[:5]:
            place = "/".join(quote(part, safe="") for part in (*row["path"].split("/"), row["name"]) if part != ".")
            artifact.http.write("DELETE", f"/artifactory/odd-a/{place}", accept=(204,))
    assert len(rows) == COUNT // 2
    assert len(fetch_rows(find={"repo": "odd-a"})) == COUNT // 4


def test_other_domains_are_read_completely() -> None:
    rows = fetch_rows(domain="properties", find={"item.repo": {"$match": "odd-*"}}, page_size=1)
    assert sorted(row.get("value", "") for row in rows) == ["", "linux", "macos"]


def test_trash_can_is_excluded_from_all_pages(seeded_sandbox: Sandbox) -> None:
    trashed = {"repo": "auto-trashcan", "path": "odd-a/gone", "size": 1, "properties": {"trash.time": "1"}}
    seeded_sandbox.seed({"artifact": {"items": [trashed]}})
    for page_size in (0, 2):
        rows = fetch_rows(find={"type": "any"}, include=["name"], page_size=page_size)
        assert not [row for row in rows if row["repo"] == "auto-trashcan"]
    assert "gone" in [row["name"] for row in fetch_rows(find={"repo": "auto-trashcan"}, page_size=1)]


def test_task_fails_only_when_a_page_is_truncated(seeded_sandbox: Sandbox) -> None:
    seeded_sandbox.switch("artifact", aql_hard_limit=20)
    trimmed = run("artifact_query_info", find={"repo": "odd-a"}, page_size=0)
    assert "The server truncated the result after 20 rows: AQL query reached the search hard limit" in trimmed["msg"]
    assert len(fetch_rows(find={"repo": "odd-a"}, page_size=19)) == COUNT // 2


def test_rows_are_limited_to_readable_items_when_the_account_is_not_an_administrator(seeded_sandbox: Sandbox) -> None:
    account = {"token": "", "username": "reader", "password": "sandbox-reader"}
    assert len(fetch_rows(find={"repo": "odd-a"}, include=["size"], page_size=20, **account)) == COUNT // 2
