# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An item of a loop."""

from __future__ import annotations

from typing import Any

from ansible_collections.buildworks.toolchain.plugins.modules import artifact_properties
from bench.play import named, play
from bench.row import Figure, Row, milliseconds, ratio
from bench.rows.ask import ACTIONS, OURS, uri
from sandbox.client import Sandbox

ROWS = (
    Row("item_vs_debug_item", "an item of a loop that changes nothing, over one of debug", "<=", 1.5),
    Row("rss_mb", "memory of the worker after 1,000 items, over that after ten", "<=", 1.05),
    Row("rss_plain_mb", "the same for the plainest action with as many options, which it returns as modules do"),
)
ROUNDS = 5
ITEMS = 200
MANY = 1000


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Loops of both in turn, and a long one."""
    loop = list(range(ITEMS))
    tasks = [
        named("debug", {"ansible.builtin.debug": {"msg": "nothing"}}, loop=loop),
        named("ours", OURS, loop=loop),
    ]
    seconds = play(sandbox, [{"tasks": tasks}], rounds=ROUNDS).item
    request = uri(sandbox)["ansible.builtin.uri"]
    plain = {**dict.fromkeys(artifact_properties.SPEC.options), "url": request["url"], "headers": request["headers"]}
    return {
        "item_vs_debug_item": ratio(seconds["ours"], seconds["debug"], ms=milliseconds(seconds["ours"])),
        "rss_mb": memory(sandbox, OURS),
        "rss_plain_mb": memory(sandbox, {"plain_request": plain}),
    }


def memory(sandbox: Sandbox, action: dict[str, Any]) -> Figure:
    """Return the worker's memory at the end of a long loop over that near the start."""
    task = named("many", action, loop=list(range(MANY)))
    many = play(sandbox, [{"tasks": [task]}], rounds=1, warm_up=False, ANSIBLE_ACTION_PLUGINS=str(ACTIONS))
    kilobytes = {event["number"]: event["rss_kb"] for event in many.events if event["event"] == "item"}
    early, late = kilobytes[10], kilobytes[MANY]
    return Figure(round(late / early, 3), more={"megabytes": [round(early / 1024, 1), round(late / 1024, 1)]})
