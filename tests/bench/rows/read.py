# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists from Artifactory, read by modules and by plain requests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import requests

from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support import running

FILES, FILES_PER_FOLDER = 10_000, 10
ROUNDS = 9
REPO = "long-lists"
ROWS = (
    Row("query_vs_requests", "10,000 rows by artifact_query_info, over requests.post(...).json()", "<=", 1.5),
    Row("list_vs_requests", "a list of 10,000 files by artifact_list_info, over requests.get(...).json()", "<=", 1.5),
    Row("search_vs_requests", "10,000 files by artifact_search_info, over requests.get(...).json()", "<=", 1.5),
)


@dataclass(frozen=True)
class Case:
    """A module with its options and the result that has the files, and the equivalent plain request."""

    module: str
    options: dict[str, Any]
    result: str
    request: tuple[str, str, str | None]
    member: str


CASES = {
    "query_vs_requests": Case(
        module="artifact_query_info",
        options={"find": {"repo": REPO}},
        result="rows",
        request=("POST", "search/aql", f'items.find({{"repo":"{REPO}"}})'),
        member="results",
    ),
    "list_vs_requests": Case(
        module="artifact_list_info",
        options={"repo": REPO, "deep": True},
        result="entries",
        request=("GET", f"storage/{REPO}?list&deep=1", None),
        member="files",
    ),
    "search_vs_requests": Case(
        module="artifact_search_info",
        options={"name": "bin", "repos": [REPO]},
        result="matches",
        request=("GET", f"search/artifact?name=bin&repos={REPO}", None),
        member="results",
    ),
}


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Read each list with both in turn, in this process."""
    os.environ.update(sandbox.environment)
    files = [{"path": f"app/{{n}}/{file}.bin", "count": FILES // FILES_PER_FOLDER} for file in range(FILES_PER_FOLDER)]
    repository = {"key": REPO, "rclass": "local", "packageType": "generic", "generate": files}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    return {key: compare(sandbox, case) for key, case in CASES.items()}


def compare(sandbox: Sandbox, case: Case) -> Figure:
    """Return the ratio of our duration to that of the plain request, without a first round, which loads more code."""
    module_seconds, client_seconds = [], []
    for _round in range(ROUNDS + 1):
        module_seconds.append(measure_seconds(lambda: running.run(case.module, **case.options)[case.result]))
        client_seconds.append(measure_seconds(lambda: fetch(sandbox, *case.request)[case.member]))
    return ratio(module_seconds[1:], client_seconds[1:], ms=median_ms(module_seconds[1:]))


def measure_seconds(read: Callable[[], list[Any]]) -> float:
    """Return the seconds that it takes to read all files."""
    start = time.perf_counter()
    assert len(read()) == FILES
    return time.perf_counter() - start


def fetch(sandbox: Sandbox, method: str, path: str, body: str | None) -> Any:
    """Send a request and return the body, as a script would."""
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}", "Content-Type": "text/plain"}
    url = f"{sandbox.url}/artifactory/api/{path}"
    response = requests.request(method, url, data=body, headers=headers, timeout=60)
    response.raise_for_status()
    return response.json()
