# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many jobs, folders and credentials of Jenkins that are already as declared."""

from __future__ import annotations

import os
from typing import Any

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support import running
from support.servers.environments import environment
from support.session import Session

ROUNDS = 3
# The loop takes half a second for each job, also for the first ones, so not all jobs are measured
SAMPLE = 20
FOLDERS = [f"bench-{number:02}" for number in range(50)]
JOBS = [f"{folder}/job-{number}" for folder in FOLDERS for number in range(10)]
CREDENTIALS = [
    {"id": f"account-{number}", "folder": folder, "type": "username_password", "username": "ci", "password": "secret"}
    for folder in FOLDERS
    for number in range(2)
]
ROWS = (
    Row(
        "jobs_vs_peer",
        f"500 unchanged jobs: a loop of community.general, scaled up from {SAMPLE}, over one task with items",
        ">=",
        10,
    ),
    Row("jobs_noop_requests", "requests for 500 unchanged jobs in 50 folders", "<=", len(JOBS) + len(FOLDERS)),
    Row("folders_noop_requests", "requests for 50 unchanged folders", "<=", 1),
    Row(
        "credentials_noop_requests",
        "requests for 100 unchanged credentials in 50 folders",
        "<=",
        len(CREDENTIALS) + len(FOLDERS),
    ),
)
PARAMETERS = [{"name": "VERSION", "default": "1.0"}, {"name": "TARGET", "type": "choice", "choices": ["x86", "arm"]}]
JOB = {"kind": "freestyle", "description": "Nightly build", "command": "make test", "parameters": PARAMETERS}


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Count the requests of modules, then run a task and a loop of the other module for the same jobs."""
    os.environ.update(sandbox.environment)
    sandbox.seed({"ci": {"jobs": [{"name": name, **JOB} for name in JOBS], "credentials": CREDENTIALS}})
    config = read_configuration(sandbox, JOBS[0])
    items = [{"name": name, "config": config} for name in JOBS]
    return {
        "jobs_noop_requests": count_requests(sandbox, "ci_job", items),
        "folders_noop_requests": count_requests(sandbox, "ci_folder", [{"name": name} for name in FOLDERS]),
        "credentials_noop_requests": count_requests(sandbox, "ci_credential", CREDENTIALS),
        "jobs_vs_peer": compare_with_peer(sandbox, items),
    }


def read_configuration(sandbox: Sandbox, name: str) -> str:
    """Return the configuration of a job as Jenkins stores it."""
    variables = sandbox.environment
    credentials = variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"]
    with Session(variables["JENKINS_URL"], credentials) as session:
        return session.get(f"/job/{name.replace('/', '/job/')}/config.xml").text


def count_requests(sandbox: Sandbox, module: str, items: list[dict[str, Any]]) -> Figure:
    """Return the number of requests of a module for items that are already as declared."""
    sandbox.clear_journal()
    result = running.run(module, items=items)
    if result.get("failed") or result["changed"]:
        raise SystemExit(f"Unexpected result: {result}")
    return Figure(len(sandbox.journal("ci")))


def compare_with_peer(sandbox: Sandbox, items: list[dict[str, Any]]) -> Figure:
    """Return how much faster one task is than a loop of the other module, which compares the same configurations."""
    tasks = [name_task("ours", {"buildworks.toolchain.ci_job": {"items": items}}), their_task(sandbox, items[:SAMPLE])]
    programs = environment("community-general")
    sandbox.clear_journal()
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS, warm_up=False, programs=programs).task
    if any(request["method"] != "GET" for request in sandbox.journal("ci")):
        raise SystemExit("A job was changed.")
    theirs = [duration * len(items) / SAMPLE for duration in seconds["theirs"]]
    return ratio(theirs, seconds["ours"], ms=median_ms(seconds["ours"]))


def their_task(sandbox: Sandbox, items: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the loop of the other module."""
    variables = sandbox.environment
    options = {
        "name": "{{ item.name }}",
        "config": "{{ item.config }}",
        "url": variables["JENKINS_URL"],
        "user": variables["JENKINS_USER_ID"],
        "token": variables["JENKINS_API_TOKEN"],
    }
    keywords = {"loop": items, "loop_control": {"label": "{{ item.name }}"}}
    return name_task("theirs", {"community.general.jenkins_job": options}, **keywords)
