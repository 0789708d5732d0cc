# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A script in the script console: time against community.general's module."""

from __future__ import annotations

from typing import Any

from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from sandbox.client import Sandbox
from support.servers.environments import environment

ROWS = (Row("script_vs_peer", "a script in the console: seconds of community.general, over ours", ">=", 10),)
ROUNDS = 15
SCRIPT = "println 'done'"


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Both in turn."""
    sandbox.seed({"ci": {"scripts": [{"script": SCRIPT, "output": "done\n"}]}})
    tasks = [
        named("ours", {"buildworks.toolchain.ci_script": {"script": SCRIPT}}),
        named("theirs", theirs(sandbox)),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS, programs=environment("community-general")).task
    return {"script_vs_peer": ratio(seconds["theirs"], seconds["ours"], ms=milliseconds(seconds["ours"]))}


def theirs(sandbox: Sandbox) -> dict[str, Any]:
    variables = sandbox.environment
    options = {
        "script": SCRIPT,
        "url": variables["JENKINS_URL"],
        "user": variables["JENKINS_USER_ID"],
        "password": variables["JENKINS_API_TOKEN"],
    }
    return {"community.general.jenkins_script": options}
