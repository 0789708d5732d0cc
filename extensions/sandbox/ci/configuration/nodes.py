# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents in the configuration."""

from __future__ import annotations

from typing import Any

import yaml

from ..controller import Controller
from .configurators import Attribute, Context, Structure, data, integer, mapping, sequence, symbol, text
from .documents import Plain

# Members of the configuration by member of an agent in the storage, with their defaults, which are not exported
MEMBERS = {
    "labelString": ("label", ""),
    "mode": ("mode", "NORMAL"),
    "nodeDescription": ("description", ""),
    "numExecutors": ("executors", 1),
    "remoteFS": ("remote_fs", ""),
}
LAUNCHER_OF_OTHER_CLIENTS = {
    "inbound": {"workDirSettings": {"disabled": True, "failIfWorkDirIsMissing": False, "internalDir": "remoting"}}
}
ALWAYS = "always"
PERMANENT = Structure(
    "permanent",
    "hudson.slaves.DumbSlave",
    {
        "labelString": text,
        "launcher": data,
        "mode": text,
        "name": text,
        "nodeDescription": text,
        "nodeName": text,
        "nodeProperties": data,
        "numExecutors": integer,
        "remoteFS": text,
        "retentionStrategy": data,
    },
)


def _convert(context: Context, node: yaml.Node, _label: str) -> list[dict[str, Any]]:
    agents = []
    for entry in sequence(context, node):
        mapping(context, entry)
        _name, members = symbol(context, entry, "nodes", "hudson.model.Node", ("permanent",))
        agents.append(PERMANENT.convert(context, members))
    return agents


def _write(server: Controller, nodes: list[dict[str, Any]]) -> None:
    """Replace all agents. Those that stay keep whether they are offline."""
    existing = {agent["name"]: agent for agent in server.storage.setting("agents", [])}
    agents: dict[str, dict[str, Any]] = {}
    for node in nodes:
        if not node.get("name"):
            raise ValueError
        kept = {"offline": True, **existing.get(node["name"], {})}
        state = {name: kept[name] for name in ("offline", "put_offline") if name in kept}
        members = {stored: node.get(name, default) for name, (stored, default) in MEMBERS.items()}
        others = {
            "launcher": node.get("launcher", "inbound"),
            "retention": node.get("retentionStrategy", ALWAYS),
            "properties": node.get("nodeProperties", []),
        }
        agents[node["name"]] = {"name": node["name"], **members, **others, **state}
    server.storage.set("agents", list(agents.values()))


def _read(server: Controller) -> list[dict[str, Any]]:
    return [{"permanent": _export(agent)} for agent in server.storage.setting("agents", [])]


def _export(agent: dict[str, Any]) -> dict[str, Any]:
    members = {
        name: agent[stored] for name, (stored, default) in MEMBERS.items() if agent.get(stored, default) != default
    }
    if "mode" in members:
        members["mode"] = Plain(members["mode"])
    return {
        **members,
        "name": agent["name"],
        "launcher": agent.get("launcher", LAUNCHER_OF_OTHER_CLIENTS),
        "retentionStrategy": agent.get("retention", ALWAYS),
        "nodeProperties": agent.get("properties", []),
    }


def read_labels(server: Controller) -> list[dict[str, Any]]:
    """Return the labels of all nodes. The name of a node is one of its labels."""
    labels = {"built-in", *(server.storage.setting("labels") or "").split()}
    for agent in server.storage.setting("agents", []):
        labels |= {agent["name"], *agent.get("label", "").split()}
    return [{"name": label} for label in sorted(labels)]


NODES = Attribute("nodes", _read, _write, _convert, {"type": "array"})
