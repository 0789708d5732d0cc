# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A loop item."""

from __future__ import annotations

from typing import Any

from ansible_collections.buildworks.toolchain.plugins.modules import artifact_properties
from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from bench.rows.request import ACTIONS, OURS, uri_task
from sandbox.client import Sandbox

ROWS = (
    Row("item_vs_debug_item", "a loop item that changes nothing, over one of debug", "<=", 1.5),
    Row("rss_mb", "worker memory after 1,000 items, over that after ten", "<=", 1.05),
    Row("rss_plain_mb", "the same for a minimal action with as many options"),
)
ROUNDS = 5
ITEMS = 200
MANY = 1000


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run loops of both actions in turn, and a long loop."""
    loop = list(range(ITEMS))
    tasks = [
        name_task("debug", {"ansible.builtin.debug": {"msg": "nothing"}}, loop=loop),
        name_task("ours", OURS, loop=loop),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS).item
    request = uri_task(sandbox)["ansible.builtin.uri"]
    plain = {**dict.fromkeys(artifact_properties.SPEC.options), "url": request["url"], "headers": request["headers"]}
    return {
        "item_vs_debug_item": ratio(seconds["ours"], seconds["debug"], ms=median_ms(seconds["ours"])),
        "rss_mb": measure_memory(sandbox, OURS),
        "rss_plain_mb": measure_memory(sandbox, {"plain_request": plain}),
    }


def measure_memory(sandbox: Sandbox, action: dict[str, Any]) -> Figure:
    """Return the worker's memory at the end of a long loop over that near the start."""
    task = name_task("many", action, loop=list(range(MANY)))
    many = play(sandbox, [{"tasks": [task]}], rounds=1, warm_up=False, ANSIBLE_ACTION_PLUGINS=str(ACTIONS))
    kilobytes = {event["number"]: event["rss_kb"] for event in many.events if event["event"] == "item"}
    first_kb, last_kb = kilobytes[10], kilobytes[MANY]
    return Figure(
        round(last_kb / first_kb, 3), details={"megabytes": [round(first_kb / 1024, 1), round(last_kb / 1024, 1)]}
    )
