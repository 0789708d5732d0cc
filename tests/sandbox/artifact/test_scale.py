# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many items are no problem: others are answered meanwhile, and memory stays flat."""

from __future__ import annotations

import asyncio
import json
import pathlib
import statistics
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from sandbox import client
from sandbox.artifact import build_records
from sandbox.artifact.aql import sql, text
from sandbox.artifact.schema import SCHEMA
from sandbox.artifact.storage import ClientChecksums, Items
from sandbox.runtime.runtime import Runtime
from support.work import processor_time, work_before_answers

MANY = 30_000
# What a request may add to the memory of the sandbox: reading nothing that grows, deleting the cache of the database
MEGABYTES = {"GET": 12, "PUT": 12, "DELETE": 32}
MILLISECONDS = 60
MILLISECONDS_OF_A_PAGE = 100
FETCH = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[2], method=sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[3]})
with urllib.request.urlopen(request) as answer:
    print(answer.status, sum(map(len, iter(lambda: answer.read(65536), b""))))
"""


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    """A runtime with nothing in it."""
    runtime = Runtime()
    runtime.create(SCHEMA + build_records.SCHEMA)
    yield runtime
    runtime.close()


def test_nothing_is_scanned(runtime):
    items = Items(runtime)
    content = runtime.files.put([b"content"])
    statements: list[str] = []
    runtime.db.set_trace_callback(statements.append)
    file = items.put_file("generic", "a/b/c.txt", content, ClientChecksums(), "admin")
    items.put_file("docker", "acme/web/1/manifest.json", content, ClientChecksums(), "admin")
    folder = items.make_folder("generic", "a", "admin")
    root = items.make_folder("generic", "", "admin")
    asyncio.run(items.set_properties_below(folder, {"a": ["b"]}))
    items.set_properties(file, {"a": ["b"], "c": []})
    assert items.properties(file) == {"a": ["b"]}
    assert [child.name for child in items.children("generic", "a")] == items.names("generic", "a") == ["b"]
    assert [item.path for item in items.with_property("generic", "a")] == ["a", "a/b", "a/b/c.txt"]
    assert items.paths_with_property("generic", "a") == ["a", "a/b", "a/b/c.txt"]
    assert items.paths_named("generic", "a", "*.txt") == ["a/b/c.txt"]
    assert [item.path for item in items.folders_named("b")] == ["a/b"]
    assert [item.path for item in items.below(root)] == ["a", "a/b", "a/b/c.txt"]
    assert [item.path for item in items.below(folder, 1)] == ["a/b"]
    assert items.newest_file(folder) == items.find("generic", "a/b/c.txt")
    assert len(list(items.with_content("sha256", content.sha256))) == 2
    assert len(list(items.with_content("sha1", content.sha1))) == 2
    assert len(list(items.manifests("docker"))) == len(list(items.manifests("docker", "acme/web"))) == 1
    asyncio.run(items.move_to_trash(folder, "admin"))
    trashed = items.find("auto-trashcan", "generic/a")
    assert trashed is not None
    asyncio.run(items.delete(trashed))
    runtime.db.set_trace_callback(None)

    plans = {
        statement: [row["detail"] for row in runtime.db.execute(f"EXPLAIN QUERY PLAN {statement}")]
        for statement in statements
        if statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE"))
    }
    assert len(plans) > 20
    assert {statement: plan for statement, plan in plans.items() if any(map(is_slow, plan))} == {}


def is_slow(step: str) -> bool:
    """Whether a step of a plan goes through a whole table, or through a whole repository."""
    if "artifact_items_manifests" in step:
        return False
    return step.startswith("SCAN artifact_items") or step.endswith("(repo=?)")


SORTED = '.include("repo","path","name","size","created").sort({"$asc":["repo","path","name"]}).limit(1000)'


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        (f'items.find({{"repo":"a"}}){SORTED}', ["artifact_items_kind"]),
        (f'items.find({{"repo":"a","type":"any"}}){SORTED}', ["artifact_items_folder"]),
        (f'items.find({{"repo":"a","path":{{"$gt":"x"}}}}){SORTED}', ["artifact_items_kind"]),
        (f'items.find({{"repo":"a","created":{{"$before":"4w"}}}}){SORTED}', ["artifact_items_kind"]),
        (f'items.find({{"repo":"a","name":{{"$match":"app-*"}}}}){SORTED}', ["artifact_items_kind"]),
        (
            f'items.find({{"repo":"a","stat.downloaded":{{"$before":"4w"}}}}){SORTED}',
            ["artifact_items_kind", "artifact_statistics_item"],
        ),
        (
            f'items.find({{"repo":"a","@keep":{{"$ne":"*"}}}}){SORTED}',
            ["artifact_items_kind", "sqlite_autoindex_artifact_properties_1"],
        ),
        ('items.find({"repo":"a","@build.number":"7"})', ["artifact_properties_value"]),
        ('items.find({"name":"app.jar"})', ["artifact_items_name"]),
        ('items.find({"actual_sha1":"0"})', ["artifact_items_sha1"]),
    ],
)
def test_queries_go_by_indexes(runtime, query, steps):
    statement = sql.statement(text.read(query), sql.World(1_700_000_000))
    explained = runtime.db.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.parameters)
    plan = "\n".join(row["detail"] for row in explained)
    assert "SCAN main" not in plan
    assert all(step in plan for step in steps), plan
    if ".sort(" in query:
        assert "FOR ORDER BY" not in plan
        assert "DISTINCT" not in plan or "stat" in query


@pytest.fixture(scope="module")
def crowded() -> Iterator[client.Sandbox]:
    """A sandbox with many items: a wide folder, and many folders."""
    with client.start() as sandbox:
        sandbox.seed(many("many-local", MANY))
        yield sandbox


def many(repo: str, count: int) -> dict[str, Any]:
    """A seed with so many items."""
    generate = [
        {"path": "wide/{n}.bin", "count": count // 2, "content": "wide"},
        {"path": "deep/{n}/a.bin", "count": count // 4},
    ]
    repository = {"key": repo, "rclass": "local", "packageType": "generic", "generate": generate}
    return {"artifact": {"repositories": [repository]}}


def test_the_control_api_answers_while_a_seed_is_planted_and_the_services_wait(crowded):
    planting = threading.Thread(target=crowded.seed, args=(many("more-local", MANY),))
    planting.start()
    worked = work_before_answers(crowded, planting.is_alive)
    planting.join()
    assert len(worked) > 10
    assert statistics.quantiles(worked, n=20)[-1] < 2 * MILLISECONDS  # some of that is the seed's own


@pytest.mark.parametrize("offset", [0, MANY // 4 + 1000])
def test_a_page_is_there_at_once_whatever_is_before_it(crowded, offset):
    """The first files come after a folder with many folders in it."""
    page = f'items.find({{"repo":"many-local"}}){SORTED}'.replace(".limit", f".offset({offset}).limit")
    times = []
    for _round in range(5):
        before = processor_time(crowded)
        rows = query(crowded, page)
        times.append(processor_time(crowded) - before)
        assert len(rows) == 1000
    assert min(times) < MILLISECONDS_OF_A_PAGE


def query(sandbox: client.Sandbox, text: str) -> list[dict[str, Any]]:
    """The rows of a query."""
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}", "Content-Type": "text/plain"}
    url = f"{sandbox.url}/artifactory/api/search/aql"
    with urllib.request.urlopen(urllib.request.Request(url, text.encode(), headers)) as answer:
        return json.load(answer)["results"]


@pytest.mark.parametrize(
    ("method", "path", "answer"),
    [
        ("GET", "/api/storage/many-local?list&deep=1&listFolders=1", "200 "),
        ("GET", "/api/storage/many-local/wide", "200 "),
        ("PUT", "/api/storage/many-local/deep?properties=a=b", "204 0"),
        ("DELETE", "/many-local/wide", "204 0"),
        ("DELETE", "/many-local/deep", "204 0"),
        ("DELETE", "/auto-trashcan/many-local", "204 0"),
    ],
    ids=["list", "folder", "properties", "trash-wide", "trash-deep", "delete"],
)
def test_others_are_answered_while_many_items_are_dealt_with(crowded, record_property, method, path, answer):
    before = resident(crowded)
    command = [sys.executable, "-c", FETCH, method, f"{crowded.url}/artifactory{path}"]
    command.append(crowded.environment["JFROG_ACCESS_TOKEN"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as busy:
        worked = work_before_answers(crowded, lambda: busy.poll() is None)
        assert busy.stdout and busy.stdout.read().startswith(answer)
    record_property("milliseconds", statistics.median(worked))
    assert statistics.quantiles(worked, n=20)[-1] < MILLISECONDS
    assert resident(crowded) - before < MEGABYTES[method]


def resident(sandbox: client.Sandbox) -> int:
    """The megabytes that the sandbox's process has in memory."""
    status = pathlib.Path(f"/proc/{sandbox.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
