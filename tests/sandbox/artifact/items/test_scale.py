# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that large repositories neither block other requests nor grow memory."""

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
from sandbox.artifact.aql import compiler, parser
from sandbox.artifact.builds import records
from sandbox.artifact.items.storage import ClientChecksums, Items
from sandbox.artifact.schema import SCHEMA
from sandbox.runtime.runtime import Runtime
from support.work import processor_time, work_before_answers

ITEM_COUNT = 30_000
# Memory growth permitted per request. DELETE includes the page cache of SQLite.
MEGABYTES = {"GET": 12, "PUT": 12, "DELETE": 32}
RESPONSE_MILLISECONDS = 60
PAGE_MILLISECONDS = 100
FETCH = """
import sys, urllib.request
request = urllib.request.Request(sys.argv[2], method=sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[3]})
with urllib.request.urlopen(request) as answer:
    print(answer.status, sum(map(len, iter(lambda: answer.read(65536), b""))))
"""


@pytest.fixture
def runtime() -> Iterator[Runtime]:
    """An empty runtime with the Artifactory schema."""
    runtime = Runtime()
    runtime.create(SCHEMA + records.SCHEMA)
    yield runtime
    runtime.close()


def test_storage_statements_use_indexes(runtime):
    items = Items(runtime)
    content = runtime.files.put([b"content"])
    statements: list[str] = []
    runtime.db.set_trace_callback(statements.append)
    file = items.put_file("generic", "a/b/c.txt", content, ClientChecksums(), "admin")
    items.put_file("docker", "acme/web/1/manifest.json", content, ClientChecksums(), "admin")
    folder = items.create_folder("generic", "a", "admin")
    root = items.create_folder("generic", "", "admin")
    asyncio.run(items.set_properties_recursively(folder, {"a": ["b"]}))
    items.set_properties(file, {"a": ["b"], "c": []})
    assert items.get_properties(file) == {"a": ["b"]}
    assert [child.name for child in items.list_children("generic", "a")] == items.list_names("generic", "a") == ["b"]
    assert [item.path for item in items.find_by_property("generic", "a")] == ["a", "a/b", "a/b/c.txt"]
    assert items.find_paths_by_property("generic", "a") == ["a", "a/b", "a/b/c.txt"]
    assert items.find_file_paths("generic", "a", "*.txt") == ["a/b/c.txt"]
    assert [item.path for item in items.find_folders("b")] == ["a/b"]
    assert [item.path for item in items.list_descendants(root)] == ["a", "a/b", "a/b/c.txt"]
    assert [item.path for item in items.list_descendants(folder, 1)] == ["a/b"]
    assert items.find_newest_file(folder) == items.find("generic", "a/b/c.txt")
    assert len(list(items.find_by_content("sha256", content.sha256))) == 2
    assert len(list(items.find_by_content("sha1", content.sha1))) == 2
    assert len(list(items.list_manifests("docker"))) == len(list(items.list_manifests("docker", "acme/web"))) == 1
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
    """Return whether a step of a query plan scans a whole table or repository."""
    if "artifact_items_manifests" in step:
        return False
    return step.startswith("SCAN artifact_items") or step.endswith("(repo=?)")


SORT_AND_LIMIT = '.include("repo","path","name","size","created").sort({"$asc":["repo","path","name"]}).limit(1000)'


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        (f'items.find({{"repo":"a"}}){SORT_AND_LIMIT}', ["artifact_items_kind"]),
        (f'items.find({{"repo":"a","type":"any"}}){SORT_AND_LIMIT}', ["artifact_items_folder"]),
        (f'items.find({{"repo":"a","path":{{"$gt":"x"}}}}){SORT_AND_LIMIT}', ["artifact_items_kind"]),
        (f'items.find({{"repo":"a","created":{{"$before":"4w"}}}}){SORT_AND_LIMIT}', ["artifact_items_kind"]),
        (f'items.find({{"repo":"a","name":{{"$match":"app-*"}}}}){SORT_AND_LIMIT}', ["artifact_items_kind"]),
        (
            f'items.find({{"repo":"a","stat.downloaded":{{"$before":"4w"}}}}){SORT_AND_LIMIT}',
            ["artifact_items_kind", "artifact_statistics_item"],
        ),
        (
            f'items.find({{"repo":"a","@keep":{{"$ne":"*"}}}}){SORT_AND_LIMIT}',
            ["artifact_items_kind", "sqlite_autoindex_artifact_properties_1"],
        ),
        ('items.find({"repo":"a","@build.number":"7"})', ["artifact_properties_value"]),
        ('items.find({"name":"app.jar"})', ["artifact_items_name"]),
        ('items.find({"actual_sha1":"0"})', ["artifact_items_sha1"]),
    ],
)
def test_aql_queries_use_indexes(runtime, query, steps):
    statement = compiler.compile_query(parser.parse(query), compiler.QueryContext(1_700_000_000))
    explained = runtime.db.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.parameters)
    plan = "\n".join(row["detail"] for row in explained)
    assert "SCAN main" not in plan
    assert all(step in plan for step in steps), plan
    if ".sort(" in query:
        assert "FOR ORDER BY" not in plan
        assert "DISTINCT" not in plan or "stat" in query


@pytest.fixture(scope="module")
def large_sandbox() -> Iterator[client.Sandbox]:
    """A sandbox with a wide folder and many folders."""
    with client.start() as sandbox:
        sandbox.seed(make_seed("many-local", ITEM_COUNT))
        yield sandbox


def make_seed(repo: str, count: int) -> dict[str, Any]:
    """Return a seed with about `count` items."""
    generate = [
        {"path": "wide/{n}.bin", "count": count // 2, "content": "wide"},
        {"path": "deep/{n}/a.bin", "count": count // 4},
    ]
    repository = {"key": repo, "rclass": "local", "packageType": "generic", "generate": generate}
    return {"artifact": {"repositories": [repository]}}


def test_control_api_responds_while_a_seed_is_loaded(large_sandbox):
    planting = threading.Thread(target=large_sandbox.seed, args=(make_seed("more-local", ITEM_COUNT),))
    planting.start()
    durations = work_before_answers(large_sandbox, planting.is_alive)
    planting.join()
    assert len(durations) > 10
    assert statistics.quantiles(durations, n=20)[-1] < 2 * RESPONSE_MILLISECONDS


@pytest.mark.parametrize("offset", [0, ITEM_COUNT // 4 + 1000])
def test_page_is_fast_at_any_offset(large_sandbox, offset):
    """The first files follow a folder with many subfolders."""
    page = f'items.find({{"repo":"many-local"}}){SORT_AND_LIMIT}'.replace(".limit", f".offset({offset}).limit")
    times = []
    for _round in range(5):
        before = processor_time(large_sandbox)
        rows = run_query(large_sandbox, page)
        times.append(processor_time(large_sandbox) - before)
        assert len(rows) == 1000
    assert min(times) < PAGE_MILLISECONDS


def run_query(sandbox: client.Sandbox, text: str) -> list[dict[str, Any]]:
    """Run an AQL query and return its rows."""
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}", "Content-Type": "text/plain"}
    url = f"{sandbox.url}/artifactory/api/search/aql"
    with urllib.request.urlopen(urllib.request.Request(url, text.encode(), headers)) as response:
        return json.load(response)["results"]


@pytest.mark.parametrize(
    ("method", "path", "expected"),
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
def test_other_requests_are_served_while_a_request_processes_many_items(
    large_sandbox, record_property, method, path, expected
):
    before = resident_megabytes(large_sandbox)
    command = [sys.executable, "-c", FETCH, method, f"{large_sandbox.url}/artifactory{path}"]
    command.append(large_sandbox.environment["JFROG_ACCESS_TOKEN"])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as busy:
        durations = work_before_answers(large_sandbox, lambda: busy.poll() is None)
        assert busy.stdout and busy.stdout.read().startswith(expected)
    record_property("milliseconds", statistics.median(durations))
    assert statistics.quantiles(durations, n=20)[-1] < RESPONSE_MILLISECONDS
    assert resident_megabytes(large_sandbox) - before < MEGABYTES[method]


def resident_megabytes(sandbox: client.Sandbox) -> int:
    """Return the resident memory of the sandbox process in megabytes."""
    status = pathlib.Path(f"/proc/{sandbox.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024
