# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode predicts the real run of all modules that upload, delete, move or promote, on generated data."""

from __future__ import annotations

import itertools
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry, session
from sandbox.client import Sandbox
from support.predictions_artifact import ARCHIVES, TOKEN, Task, World, results_agree
from support.running import run

WORLDS = [*((number, "pro") for number in range(20)), *((number, "oss") for number in range(5))]
TASKS = 12
# Everything that a task can change. The trash can is listed only by its name
QUERIES = (
    'items.find({"type":"any"}).include("repo","path","name","type","size","modified","actual_sha1","property")',
    'items.find({"repo":"auto-trashcan"},{"type":"any"}).include("repo","path","name","actual_sha1","property")',
    'builds.find().include("name","number","started","promotion")',
)


@pytest.fixture(autouse=True)
def prepare(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("JFROG_URL", sandbox.environment["JFROG_URL"])
    monkeypatch.setenv("JFROG_ACCESS_TOKEN", TOKEN)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
    for name, members in ARCHIVES.items():
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member, content in members.items():
                archive.writestr(member, content)
    monkeypatch.chdir(tmp_path)
    yield
    session._CONNECTIONS.clear()


def read_world(url: str) -> list[list[str]]:
    """Return the rows of all queries, without their order."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "text/plain"}
    with requests.Session() as client:
        answers = [client.post(f"{url}/api/search/aql", query, headers=headers) for query in QUERIES]
    for answer in answers:
        answer.raise_for_status()
    return [sorted(map(repr, answer.json()["results"])) for answer in answers]


def run_task(task: Task, check_mode: bool) -> dict[str, Any]:
    """Run a task in a new worker, without cached reads of earlier tasks."""
    session._CONNECTIONS.clear()
    return run(task.module, check_mode=check_mode, diff_mode=True, **task.options)


@pytest.mark.parametrize(("number", "edition"), WORLDS)
def test_check_mode_equals_the_real_run_on_a_generated_world(number: int, edition: str, sandbox: Sandbox) -> None:
    world = World(number, edition)
    sandbox.seed({"artifact": world.seed}, reset=True)
    sandbox.switch("artifact", edition=edition)
    url = f"{sandbox.url}/artifactory"
    before = read_world(url)
    for place, task in enumerate(itertools.islice(world.tasks(), TASKS)):
        where = f"task {place} of world {number}: {task}"
        predicted = run_task(task, check_mode=True)
        assert read_world(url) == before, f"check mode changed the world, {where}"
        done = run_task(task, check_mode=False)
        assert results_agree(predicted, done), f"{where}\npredicted: {predicted}\ndone: {done}"
        after = read_world(url)
        assert done["changed"] or after == before, f"the real run changed the world and denies it, {where}"
        before = after
