# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents in the configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import yaml
from lxml import etree

from ..authorization import casc, matrix_property
from ..controller import Controller
from ..nodes import stored_nodes
from ..nodes.stored_nodes import Node
from .configurators import (
    Attribute,
    Context,
    Structure,
    data,
    integer,
    mapping,
    rename_symbol,
    sequence,
    symbol,
    text,
)
from .documents import ConfiguratorError, Plain

# Elements of an agent by member of the configuration, with their defaults, which are not exported
MEMBERS: dict[str, tuple[str, Any]] = {
    "labelString": ("label", ""),
    "mode": ("mode", "NORMAL"),
    "nodeDescription": ("description", ""),
    "numExecutors": ("numExecutors", 1),
    "remoteFS": ("remoteFS", ""),
}
ALWAYS = "always"
OBJECTS = {"launcher": "inbound", "retentionStrategy": ALWAYS, "nodeProperties": []}
LAUNCHERS = {
    "inbound": stored_nodes.INBOUND,
    "ssh": "hudson.plugins.sshslaves.SSHLauncher",
    "command": "hudson.slaves.CommandLauncher",
}
RETENTIONS = {
    ALWAYS: stored_nodes.ALWAYS_ONLINE,
    "demand": "hudson.slaves.RetentionStrategy$Demand",
    "schedule": "hudson.slaves.SimpleScheduledRetentionStrategy",
}
MATRIX = "authorizationMatrix"
WORK_DIR = "workDirSettings"


def _convert_launcher(context: Context, node: yaml.Node, _label: str) -> Any:
    launcher = rename_symbol(data(context, node), LAUNCHERS)
    return "inbound" if launcher == {"inbound": {}} else launcher


def _convert_retention(context: Context, node: yaml.Node, _label: str) -> Any:
    retention = rename_symbol(data(context, node), RETENTIONS)
    return ALWAYS if retention == {ALWAYS: {}} else retention


def convert_properties(context: Context, node: yaml.Node, _label: str) -> list[Any]:
    """Return the properties of a node. Without variables, only the symbol of envVars is exported."""
    properties = [rename_symbol(data(context, entry), ("envVars", MATRIX)) for entry in sequence(context, node)]
    properties = ["envVars" if entry in ({"envVars": {"env": []}}, {"envVars": {}}) else entry for entry in properties]
    try:
        _build_matrices(properties)
    except casc.CascError as error:
        raise ConfiguratorError(str(error)) from None
    return properties


def _build_matrices(properties: list[Any]) -> list[etree._Element]:
    """Return the properties of matrix-auth, the only ones that are more than data in the sandbox."""
    return [casc.read_property(entry[MATRIX] or {}) for entry in properties if _is_matrix(entry)]


def _is_matrix(entry: Any) -> bool:
    return isinstance(entry, dict) and MATRIX in entry


PERMANENT = Structure(
    "permanent",
    "hudson.slaves.DumbSlave",
    {
        "labelString": text,
        "launcher": _convert_launcher,
        "mode": text,
        "name": text,
        "nodeDescription": text,
        "nodeName": text,
        "nodeProperties": convert_properties,
        "numExecutors": integer,
        "remoteFS": text,
        "retentionStrategy": _convert_retention,
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
    if not all(node.get("name") for node in nodes):
        raise ValueError
    existing = {node.name: node for node in stored_nodes.list_nodes(server.storage)}
    written = {node["name"]: _build(server, node) for node in nodes}
    for name in existing:
        stored_nodes.delete_node(server.storage, name)
    for name, node in written.items():
        if name in existing:
            node = stored_nodes.set_cause(replace(node, connected=existing[name].connected), existing[name].cause)
        stored_nodes.put_node(server.storage, node)


def _build(server: Controller, members: dict[str, Any]) -> Node:
    exported = {name: members.get(name, default) for name, default in OBJECTS.items()}
    fields = {tag: members.get(name, default) for name, (tag, default) in MEMBERS.items()}
    objects = _write_object("retentionStrategy", exported["retentionStrategy"], RETENTIONS)
    launcher = _write_object("launcher", exported["launcher"], LAUNCHERS)
    properties = "".join(etree.tostring(one, encoding="unicode") for one in _build_matrices(exported["nodeProperties"]))
    exported["nodeProperties"] = [entry for entry in exported["nodeProperties"] if not _is_matrix(entry)]
    name = members["name"]
    config = stored_nodes.build_configuration(
        server.create_writer(),
        {"name": name, **fields},
        f"{objects}{launcher}<nodeProperties>{properties}</nodeProperties>",
    )
    return Node(name, config, exported=exported)


def _write_object(tag: str, value: Any, classes: dict[str, str]) -> str:
    """Return a launcher or retention strategy as XML. The members have the names of the elements."""
    symbol_name, members = next(iter(value.items())) if isinstance(value, dict) and value else (value, {})
    class_name = classes.get(str(symbol_name), next(iter(classes.values())))
    if class_name == stored_nodes.INBOUND and not members:
        return stored_nodes.INBOUND_LAUNCHER
    return f'<{tag} class="{class_name}">{_write_members(members or {})}</{tag}>'


def _write_members(members: dict[str, Any]) -> str:
    """Return members as XML. Lists are only in the export."""
    nested = {name: value for name, value in members.items() if isinstance(value, dict)}
    texts = {name: value for name, value in members.items() if not isinstance(value, (dict, list))}
    inner = "".join(f"<{name}>{_write_members(value)}</{name}>" for name, value in nested.items())
    return stored_nodes.write_texts(texts) + inner


def _read(server: Controller) -> list[dict[str, Any]]:
    return [{"permanent": _export(node)} for node in stored_nodes.list_nodes(server.storage)]


def _export(node: Node) -> dict[str, Any]:
    texts = {name: node.text(tag, str(default)) for name, (tag, default) in MEMBERS.items()}
    members: dict[str, Any] = {name: text for name, text in texts.items() if text != str(MEMBERS[name][1])}
    if "mode" in members:
        members["mode"] = Plain(members["mode"])
    if "numExecutors" in members:
        members["numExecutors"] = node.executors
    objects = node.exported or {**OBJECTS, "launcher": _export_launcher(node)}
    matrices = [
        {MATRIX: casc.write_property(element)}
        for element in node.root.iterfind(f"nodeProperties/{matrix_property.NODE_PROPERTY}")
    ]
    return {**members, "name": node.name, **objects, "nodeProperties": [*objects["nodeProperties"], *matrices]}


def _export_launcher(node: Node) -> Any:
    """Return the launcher of an agent that another client has written. Only inbound ones are known."""
    settings = node.root.find(f"launcher/{WORK_DIR}")
    if settings is None or settings.findtext("disabled") != "true":
        return "inbound"
    flags = {name: settings.findtext(name) == "true" for name in ("disabled", "failIfWorkDirIsMissing")}
    return {"inbound": {WORK_DIR: {**flags, "internalDir": settings.findtext("internalDir")}}}


def read_labels(server: Controller) -> list[dict[str, Any]]:
    """Return the labels of all nodes. The name of a node is one of its labels."""
    nodes = [stored_nodes.find_built_in(server.storage), *stored_nodes.list_nodes(server.storage)]
    return [{"name": label} for label in sorted({label for node in nodes for label in node.labels})]


NODES = Attribute("nodes", _read, _write, _convert, {"type": "array"})
