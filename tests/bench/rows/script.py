# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A script in the script console: duration compared with community.general."""

from __future__ import annotations

from typing import Any

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support.servers.environments import environment

ROWS = (Row("script_vs_peer", "a script in the console: seconds of community.general, over ours", ">=", 10),)
ROUNDS = 15
SCRIPT = "println 'done'"


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run both in turn."""
    sandbox.seed({"ci": {"scripts": [{"script": SCRIPT, "output": "done\n"}]}})
    tasks = [
        name_task("ours", {"buildworks.toolchain.ci_script": {"script": SCRIPT}}),
        name_task("theirs", their_task(sandbox)),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS, programs=environment("community-general")).task
    return {"script_vs_peer": ratio(seconds["theirs"], seconds["ours"], ms=median_ms(seconds["ours"]))}


def their_task(sandbox: Sandbox) -> dict[str, Any]:
    variables = sandbox.environment
    options = {
        "script": SCRIPT,
        "url": variables["JENKINS_URL"],
        "user": variables["JENKINS_USER_ID"],
        "password": variables["JENKINS_API_TOKEN"],
    }
    return {"community.general.jenkins_script": options}
