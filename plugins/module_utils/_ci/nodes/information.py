# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration and the state of nodes, for ci_node_info."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.running import read_node_builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import built_in, drain, form, nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import hide_encrypted
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def find_computers(ci: CiService, name: str | None) -> list[Record]:
    """Return the states of all nodes or of the one with a name, if it exists."""
    if name is None:
        return nodes.list_computers(ci)
    computer = nodes.find_computer(ci, name)
    return [] if computer is None else [computer]


def describe_status(computer: Record) -> Fields:
    """Return the state of a node."""
    name = nodes.computer_name(computer)
    is_offline = computer.flag("temporarilyOffline")
    reason = computer.maybe_text("offlineCauseReason") or ""
    executors = computer.maybe_records("executors")
    builds = read_node_builds(computer)
    return {
        "name": name,
        "permanent": nodes.is_permanent(computer),
        "offline": computer.flag("offline"),
        "temporarily_offline": is_offline,
        "offline_reason": reason,
        "drained": is_offline and drain.is_own_reason(reason),
        "idle": computer.flag("idle"),
        "executors": computer.integer("numExecutors"),
        "busy_executors": sum(executor.maybe_flag("idle") is False for executor in executors),
        "labels": nodes.read_labels(computer, name),
        "running_builds": builds.visible,
        "hidden_builds": builds.hidden_count,
    }


def list_nodes(task: Task, computers: list[Record]) -> list[Fields]:
    """Return the configurations of the built-in node and of the permanent agents."""
    is_complete = task.params["complete_config"]
    by_name = {nodes.computer_name(computer): computer for computer in computers}
    managed = [name for name in by_name if name == nodes.BUILT_IN or nodes.is_permanent(by_name[name])]
    described = read_concurrently(
        task, managed, lambda item_task, name: _describe(CiService(item_task), name, by_name[name], is_complete)
    )
    return [described[name] for name in managed if name in described]


def _describe(ci: CiService, name: str, computer: Record, is_complete: bool) -> Fields | None:
    """Return the configuration of a node, or `None` if it was deleted in the meantime."""
    if name == nodes.BUILT_IN:
        return {"name": name, **built_in.fetch(ci)}
    try:
        root = stored.fetch(ci, nodes.node_path(name))
    except ServerRefusal as refusal:
        if refusal.status != 403:
            raise
        return _describe_visible(name, computer)
    return None if root is None else _describe_configuration(name, hide_encrypted(root), is_complete)


def _describe_configuration(name: str, root: ET.Element, is_complete: bool) -> Fields:
    fields = form.read_fields(root)
    for option in form.unknown_kinds(fields):
        fields[option] = None  # contained in `config`
    return {
        "name": name,
        **fields,
        "config": form.complete_config(root) if is_complete else form.remaining_config(root),
    }


def _describe_visible(name: str, computer: Record) -> Fields:
    """Return what an account without the permission to read the configuration can see."""
    hidden: Fields = dict.fromkeys((*form.OPTIONS, "config"))
    return {
        "name": name,
        **hidden,
        "description": computer.maybe_text("description") or "",
        "executors": computer.integer("numExecutors"),
        "labels": nodes.read_labels(computer, name),
    }
