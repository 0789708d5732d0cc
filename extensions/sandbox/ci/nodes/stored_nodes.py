# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The agents in the storage, each with its configuration as XML, and the built-in node."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from ...parsing.integers import parse_integer
from ..storage import Storage
from ..xml import document
from ..xml.writer import ConfigurationWriter

MAX_EXECUTORS = 1000  # because each one is listed
SELF_LABEL = "built-in"
CAUSE = "temporaryOfflineCause"
# Names of the root element
ROOTS = ("slave", "hudson.slaves.DumbSlave")
INBOUND = "hudson.slaves.JNLPLauncher"
INBOUND_LAUNCHER = f"""\
<launcher class="{INBOUND}">
  <workDirSettings>
    <disabled>false</disabled>
    <internalDir>remoting</internalDir>
    <failIfWorkDirIsMissing>false</failIfWorkDirIsMissing>
  </workDirSettings>
</launcher>"""
ALWAYS_ONLINE = "hudson.slaves.RetentionStrategy$Always"
ALWAYS_ONLINE_STRATEGY = f'<retentionStrategy class="{ALWAYS_ONLINE}"/>'


class UnsupportedExecutors(ValueError):
    """More executors than the sandbox lists."""


@dataclass(frozen=True)
class Node:
    """An agent, or the built-in node, whose name is empty.

    :arg config: configuration as XML
    :arg connected: whether the agent is connected. Agents of the sandbox never connect by themselves
    :arg exported: objects of the configuration in the form of Configuration as Code, if that has written them
    """

    name: str
    config: str
    connected: bool = False
    exported: dict[str, Any] | None = None

    @property
    def root(self) -> etree._Element:
        """The configuration."""
        return document.parse(self.config)

    @property
    def executors(self) -> int:
        """Number of executors. An agent without executors has no computer, so that most of the API hides it."""
        return parse_integer(self.text("numExecutors", "0"))

    @property
    def labels(self) -> list[str]:
        """The labels including the one that each node has."""
        return [self.name or SELF_LABEL, *sorted(set(self.text("label").split()) - {self.name or SELF_LABEL})]

    @property
    def is_exclusive(self) -> bool:
        """Whether only builds that require one of the labels run on the node."""
        return self.text("mode") == "EXCLUSIVE"

    @property
    def cause(self) -> etree._Element | None:
        """Why a user has taken the node offline, or None if none has."""
        return self.root.find(CAUSE)

    @property
    def offline(self) -> bool:
        """Whether the node runs no builds."""
        return self.cause is not None or not self.connected

    def text(self, tag: str, default: str = "") -> str:
        """Return a text of the configuration."""
        return self.root.findtext(tag) or default


def list_nodes(storage: Storage) -> list[Node]:
    """Return the agents by name, including those without executors."""
    return sorted((Node(**row) for row in storage.setting("agents", [])), key=lambda node: node.name)


def find_node(storage: Storage, name: str) -> Node | None:
    """Return the agent with a name."""
    return next((node for node in list_nodes(storage) if node.name == name), None)


def put_node(storage: Storage, node: Node, previous_name: str | None = None) -> None:
    """Add or replace an agent.

    :arg previous_name: name of the agent to rename
    """
    others = [other for other in list_nodes(storage) if other.name not in (node.name, previous_name)]
    storage.set("agents", [asdict(other) for other in (*others, node)])


def delete_node(storage: Storage, name: str) -> None:
    """Delete an agent."""
    storage.set("agents", [asdict(node) for node in list_nodes(storage) if node.name != name])


def load_configuration(config: str, writer: ConfigurationWriter, name: str | None = None) -> tuple[str, str]:
    """Return the name and the configuration of a submitted agent, as Jenkins stores it.

    :arg name: name of the agent; by default that in the configuration
    :raises ValueError: if it is not the configuration of a permanent agent
    """
    root = document.parse(config)
    if root.tag not in ROOTS:
        raise document.ConfigError(f"no such kind of node: {root.tag}")
    if parse_integer(root.findtext("numExecutors") or "0") > MAX_EXECUTORS:
        raise UnsupportedExecutors
    name = root.findtext("name") or "" if name is None else name
    for element in root.findall("name"):
        root.remove(element)
    etree.SubElement(root, "name").text = name
    return name, writer.write(root, ROOTS[0], ROOTS[1])


def build_configuration(writer: ConfigurationWriter, fields: dict[str, Any], objects: str) -> str:
    """Return the configuration of an agent.

    :arg fields: texts by element
    :arg objects: further elements as XML
    """
    return load_configuration(f"<slave>{write_texts(fields)}{objects}</slave>", writer, str(fields["name"]))[1]


def write_texts(texts: dict[str, Any]) -> str:
    """Return elements with texts as XML."""
    values = {tag: str(value).lower() if isinstance(value, bool) else str(value) for tag, value in texts.items()}
    return "".join(f"<{tag}>{escape(value)}</{tag}>" for tag, value in values.items())


def find_built_in(storage: Storage) -> Node:
    """Return the built-in node. The format of its configuration is that of agents, and only used inside the sandbox."""
    texts = {
        "numExecutors": storage.setting("executors"),
        "mode": storage.setting("mode", "NORMAL"),
        "label": storage.setting("labels") or "",
    }
    cause = storage.setting("built_in_cause", "")
    return Node("", f"<slave>{cause}{write_texts(texts)}</slave>", connected=True)


def put_built_in(storage: Storage, node: Node) -> None:
    """Store the built-in node."""
    storage.set("executors", node.executors)
    storage.set("mode", node.text("mode"))
    storage.set("labels", node.text("label") or None)
    storage.set("built_in_cause", "" if node.cause is None else document.write_element(node.cause))


def set_text(node: Node, tag: str, text: str) -> Node:
    """Return a node with another text in its configuration."""
    root = node.root
    element = root.find(tag)
    if element is None:
        element = etree.SubElement(root, tag)
    element.text = text
    return replace(node, config=document.write(root))


def set_cause(node: Node, cause: etree._Element | None) -> Node:
    """Return a node that is offline because of a user or, without a cause, is not."""
    root = node.root
    for element in root.findall(CAUSE):
        root.remove(element)
    if cause is not None:
        root.insert(0, cause)
    return replace(node, config=document.write(root))


def build_cause(user: str, message: str | None, now: float) -> etree._Element:
    """Return the cause that a user states."""
    message = (message or "").strip()
    texts = {"user": escape(user), "argument": escape(f" : {message}" if message else "")}
    stated = f"<message>{escape(message)}</message>" if message else ""
    return document.parse(
        f'<{CAUSE} class="hudson.slaves.OfflineCause$UserCause"><timestamp>{int(now * 1000)}</timestamp><description>'
        "<holder><owner>hudson.slaves.Messages</owner></holder><key>SlaveComputer.DisconnectedBy</key>"
        f"<args><string>{texts['user']}</string><string>{texts['argument']}</string></args></description>"
        f"<userId>{texts['user']}</userId>{stated}</{CAUSE}>"
    )
