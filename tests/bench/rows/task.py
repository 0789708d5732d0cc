# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that changes nothing."""

from __future__ import annotations

from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from bench.rows.ask import OURS, uri
from sandbox.client import Sandbox

ROWS = (
    Row("task_vs_debug", "a task that changes nothing, over one of debug", "<=", 1.25),
    Row("task_vs_uri", "the same request by ansible.builtin.uri, over a task of ours", ">=", 14),
    Row("module_vs_uri", "the same, over ours run as an ordinary module", ">=", 0.9),
)
ROUNDS = 15


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """The four in turn."""
    tasks = [
        named("debug", {"ansible.builtin.debug": {"msg": "nothing"}}),
        named("ours", OURS),
        named("uri", uri(sandbox)),
        named("module", OURS, vars={"toolchain_in_process": False}),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS).task
    return {
        "task_vs_debug": ratio(seconds["ours"], seconds["debug"], ms=milliseconds(seconds["ours"])),
        "task_vs_uri": ratio(seconds["uri"], seconds["ours"], ms=milliseconds(seconds["uri"])),
        "module_vs_uri": ratio(seconds["uri"], seconds["module"], ms=milliseconds(seconds["module"])),
    }
