# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that changes nothing."""

from __future__ import annotations

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from bench.rows.request import ACTIONS, OURS, uri_task
from sandbox.client import Sandbox

ROWS = (
    Row("task_vs_debug", "a task that changes nothing, over one of debug", "<=", 1.25),
    Row("task_vs_plain", "the same, over a minimal action that sends the same request with requests", "<=", 1),
    Row("plain_vs_debug", "the minimal action, over one of debug"),
    Row("task_vs_uri", "the same request by ansible.builtin.uri, over a task of ours", ">=", 14),
    Row("module_vs_uri", "the same, over ours as an ordinary module", ">=", 0.9),
)
ROUNDS = 15


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run all tasks in turn."""
    uri_request = uri_task(sandbox)
    request = {name: uri_request["ansible.builtin.uri"][name] for name in ("url", "headers")}
    tasks = [
        name_task("debug", {"ansible.builtin.debug": {"msg": "nothing"}}),
        name_task("ours", OURS),
        name_task("plain", {"plain_request": request}),
        name_task("uri", uri_request),
        name_task("module", OURS, vars={"toolchain_in_process": False}),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS, ANSIBLE_ACTION_PLUGINS=str(ACTIONS)).task
    return {
        "task_vs_debug": ratio(seconds["ours"], seconds["debug"], ms=median_ms(seconds["ours"])),
        "task_vs_plain": ratio(seconds["ours"], seconds["plain"]),
        "plain_vs_debug": ratio(seconds["plain"], seconds["debug"], ms=median_ms(seconds["plain"])),
        "task_vs_uri": ratio(seconds["uri"], seconds["ours"], ms=median_ms(seconds["uri"])),
        "module_vs_uri": ratio(seconds["uri"], seconds["module"], ms=median_ms(seconds["module"])),
    }
