# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists that Artifactory returns, read by our modules and by plain requests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import requests

from bench.row import Figure, Row, milliseconds, ratio
from sandbox.client import Sandbox
from support import running

FILES, IN_A_FOLDER = 10_000, 10
ROUNDS = 9
REPO = "long-lists"
ROWS = (
    Row("query_vs_requests", "10,000 rows by artifact_query_info, over requests.post(...).json()", "<=", 1.5),
    Row("list_vs_requests", "a list of 10,000 files by artifact_list_info, over requests.get(...).json()", "<=", 1.5),
    Row("search_vs_requests", "10,000 files by artifact_search_info, over requests.get(...).json()", "<=", 1.5),
)


@dataclass(frozen=True)
class Case:
    """A module with its options and the member of its result that has the files; and the same of a plain request."""

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
    """Both in turn, in this process."""
    os.environ.update(sandbox.environment)
    files = [{"path": f"app/{{n}}/{file}.bin", "count": FILES // IN_A_FOLDER} for file in range(IN_A_FOLDER)]
    repository = {"key": REPO, "rclass": "local", "packageType": "generic", "generate": files}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    return {key: compared(sandbox, case) for key, case in CASES.items()}


def compared(sandbox: Sandbox, case: Case) -> Figure:
    """The seconds of both in each round; the first round loads more."""
    ours, theirs = [], []
    for _round in range(ROUNDS + 1):
        ours.append(seconds(lambda: running.run(case.module, **case.options)[case.result]))
        theirs.append(seconds(lambda: response(sandbox, *case.request)[case.member]))
    return ratio(ours[1:], theirs[1:], ms=milliseconds(ours[1:]))


def seconds(read: Callable[[], list[Any]]) -> float:
    """Seconds that it takes to read all files."""
    start = time.perf_counter()
    assert len(read()) == FILES
    return time.perf_counter() - start


def response(sandbox: Sandbox, method: str, path: str, body: str | None) -> Any:
    """The body of a response, as a script reads it."""
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}", "Content-Type": "text/plain"}
    url = f"{sandbox.url}/artifactory/api/{path}"
    response = requests.request(method, url, data=body, headers=headers, timeout=60)
    response.raise_for_status()
    return response.json()
