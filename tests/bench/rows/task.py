# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that changes nothing."""

from __future__ import annotations

from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from bench.rows.ask import ACTIONS, OURS, uri
from sandbox.client import Sandbox

ROWS = (
    Row("task_vs_debug", "a task that changes nothing, over one of debug", "<=", 1.25),
    Row("task_vs_plain", "the same, over the plainest action that makes the same request with requests", "<=", 1),
    Row("plain_vs_debug", "that action, over one of debug"),
    Row("task_vs_uri", "the same request by ansible.builtin.uri, over a task of ours", ">=", 14),
    Row("module_vs_uri", "the same, over ours run as an ordinary module", ">=", 0.9),
)
ROUNDS = 15


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """All of them in turn."""
    asked = uri(sandbox)
    request = {name: asked["ansible.builtin.uri"][name] for name in ("url", "headers")}
    tasks = [
        named("debug", {"ansible.builtin.debug": {"msg": "nothing"}}),
        named("ours", OURS),
        named("plain", {"plain_request": request}),
        named("uri", asked),
        named("module", OURS, vars={"toolchain_in_process": False}),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS, ANSIBLE_ACTION_PLUGINS=str(ACTIONS)).task
    return {
        "task_vs_debug": ratio(seconds["ours"], seconds["debug"], ms=milliseconds(seconds["ours"])),
        "task_vs_plain": ratio(seconds["ours"], seconds["plain"]),
        "plain_vs_debug": ratio(seconds["plain"], seconds["debug"], ms=milliseconds(seconds["plain"])),
        "task_vs_uri": ratio(seconds["uri"], seconds["ours"], ms=milliseconds(seconds["uri"])),
        "module_vs_uri": ratio(seconds["uri"], seconds["module"], ms=milliseconds(seconds["module"])),
    }
