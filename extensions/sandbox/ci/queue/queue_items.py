# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Queue items as beans."""

from __future__ import annotations

from typing import Any

from ..builds import actions, build_api
from ..call import Call
from ..nodes.stored_nodes import SELF_LABEL
from ..remote_api.beans import ALWAYS, Bean, Property
from ..storage import Item


def item_bean(call: Call, item: Item, task: Bean | None) -> Bean:
    """Return a queue item. `task` is the job to build."""
    kind, why = _item_state(call, item)
    common = (
        Property("actions", lambda: [*actions.parameter_actions(item.parameters), actions.cause_action(item.causes)]),
        Property("blocked", kind == "BlockedItem", ALWAYS),
        Property("buildable", kind == "BuildableItem", ALWAYS),
        Property("id", item.id, ALWAYS),
        Property("inQueueSince", int(item.since * 1000), ALWAYS),
        Property("params", "".join(f"\n{_item_members(parameter)}" for parameter in item.parameters or []), ALWAYS),
        Property("stuck", False, ALWAYS),
        Property("task", task, ALWAYS),
        Property("url", f"queue/item/{item.id}/", ALWAYS),
        Property("why", why, ALWAYS),
    )
    return Bean(f"hudson.model.Queue${kind}", *common, *_own_properties(call, item, kind))


def _item_members(parameter: dict[str, Any]) -> str:
    value = parameter["value"]
    if parameter["_class"] == actions.SECRET_KIND:
        value = "****"
    return f"{parameter['name']}={str(value).lower() if isinstance(value, bool) else value}"


def _own_properties(call: Call, item: Item, kind: str) -> list[Property]:
    if kind == "WaitingItem":
        return [Property("timestamp", int(item.due * 1000), ALWAYS)]
    if kind == "LeftItem":
        build = call.storage.build(item.job, item.number) if item.number else None
        return [
            Property("cancelled", item.cancelled, ALWAYS),
            Property("executable", build_api.build_bean(call, build) if build else None, ALWAYS),
        ]
    since = Property("buildableStartMilliseconds", int(item.due * 1000), ALWAYS)
    return [since] if kind == "BlockedItem" else [since, Property("pending", False, ALWAYS)]


def _item_state(call: Call, item: Item) -> tuple[str, str | None]:
    """Return the class of an item and the reason why it waits."""
    if item.left is not None:
        return "LeftItem", None
    if call.now < item.due:
        return "WaitingItem", f"In the quiet period. Expires in {_format_duration(item.due - call.now)}"
    if call.lifecycle.quieting:
        return "BuildableItem", "Jenkins is about to shut down"
    scheduler = call.scheduler
    if build := scheduler.blocking(item, call.now):
        estimate = scheduler.estimate(item.job)
        remaining = (estimate or 0) - (call.now - build.started)
        eta = _format_duration(remaining) if remaining > 0 else "N/A"
        return "BlockedItem", f"Build #{build.number} is already in progress (ETA: {eta})"
    return "BuildableItem", _describe_missing_executor(call, item)


def _describe_missing_executor(call: Call, item: Item) -> str:
    label = call.scheduler.find_label(item)
    if label in (None, SELF_LABEL):
        return "Waiting for next available executor"
    nodes = call.scheduler.list_suitable_nodes(item)
    if not nodes:
        return f"There are no nodes with the label \u2018{label}\u2019"
    if all(node.offline for node in nodes):
        return f"All nodes of label \u2018{label}\u2019 are offline"
    return f"Waiting for next available executor on \u2018{label}\u2019"


def _format_duration(seconds: float) -> str:
    """Format a duration like Jenkins."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600} hr {whole % 3600 // 60} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60} sec"
    if whole >= 10:
        return f"{whole} sec"
    if whole >= 1:
        return f"{int(seconds * 10) / 10:g} sec"
    return f"{int(seconds * 100) / 100:g} sec" if seconds >= 0.1 else f"{int(seconds * 1000)} ms"
