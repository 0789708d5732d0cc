# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for the nodes of a Jenkins controller."""

from __future__ import annotations

import json
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.running import NODE_TREE
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.object_names import UNREADABLE, UNSAFE
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT, WRITE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

BUILT_IN = "built-in"
# The name of a node. Jenkins refuses other characters, and has pages of its own at the paths of some nodes
NODE: Option = dict(
    **NAME,
    matches=(
        rf"(?!\(master\)$|\(built-in\)$|\.{{1,2}}$|api$|search$)[^{UNSAFE}{UNREADABLE}]{{1,200}}",
        "a name of at most 200 characters without any of ?*/\\%!@#$^&|<>[]:;, other than 'api' and 'search', such as "
        "'linux-1', or 'built-in'",
    ),
)
# Computers of permanent agents, unlike those of clouds
_PERMANENT = "hudson.slaves.SlaveComputer"
_BUILT_IN_COMPUTER = "hudson.model.Hudson$MasterComputer"
_STATE = "description,displayName,idle,numExecutors,offline,offlineCauseReason,temporarilyOffline"
_COMPUTER = f"{_STATE},assignedLabels[name],{NODE_TREE}"
_NO_XML = "No mode given"
_EXISTS = "already exists"


def node_path(name: str) -> str:
    """Return the path of a node. All versions of Jenkins know the old name of the built-in node."""
    return "/computer/(master)" if name == BUILT_IN else f"/computer{encode_path(name, option='name')}"


def find_computer(ci: CiService, name: str) -> Record | None:
    """Return the state of a node, or `None` if it does not exist. Each account with Overall/Read sees all nodes."""
    return ci.find(node_path(name), _COMPUTER, "displayName")


def has_configuration(ci: CiService, name: str) -> bool:
    """Return whether an agent has a configuration, or may have one that the account may not read.

    If agents are deleted at the same time, Jenkins can return the state of a deleted one for a while: it removes the
    state in another thread if it cannot get the lock of the queue (hudson.model.Computer.removeExecutor).
    """
    return ci.http.read("GET", f"{node_path(name)}/config.xml", accept=(200, 403, 404)).status != 404


def list_computers(ci: CiService) -> list[Record]:
    """Return the states of all nodes."""
    return ci.view("/computer", f"computer[{_COMPUTER}]").record().records("computer")


def computer_name(computer: Record) -> str:
    """Return the name of a node as the modules use it."""
    return BUILT_IN if computer.maybe_text("_class") == _BUILT_IN_COMPUTER else computer.text("displayName")


def is_permanent(computer: Record) -> bool:
    """Return whether a node is a permanent agent, and neither the built-in node nor that of a cloud."""
    return computer.maybe_text("_class") == _PERMANENT


def list_permanent_agents(ci: CiService) -> set[str]:
    """Return the names of all permanent agents."""
    computers = ci.view("/computer", "computer[displayName]").record().records("computer")
    return {computer.text("displayName") for computer in computers if is_permanent(computer)}


def read_labels(computer: Record, name: str) -> list[str]:
    """Return the labels of a node without those that Jenkins adds: its name."""
    added = {BUILT_IN, "master"} if name == BUILT_IN else {name}
    return sorted({label.text("name") for label in computer.maybe_records("assignedLabels")} - added)


def create(ci: CiService, name: str, root: ET.Element) -> None:
    """Create an agent.

    :raises ToolchainError: if Jenkins has a node with this name that its API does not show
    """
    try:
        _create_from_xml(ci, name, root)
    except ServerRefusal as refusal:
        if refusal.status != 400 or _EXISTS not in refusal.text or stored.fetch(ci, node_path(name)) is not None:
            raise
        raise ToolchainError(
            f"Node '{name}' cannot be created: Jenkins has a node with this name that has no executors, so that its "
            "API does not show it. Delete the node with the script "
            f"'Jenkins.get().removeNode(Jenkins.get().getNode({json.dumps(name)}))', for example with ci_script."
        ) from None


def _create_from_xml(ci: CiService, name: str, root: ET.Element) -> None:
    try:
        ci.post("/computer/createItem", query={"name": name}, data=document.XmlBody(root))
    except ServerRefusal as refusal:
        if refusal.status != 400 or _NO_XML not in refusal.text:
            raise
        _create_from_form(ci, name)  # older versions of Jenkins only know the form
        replace(ci, name, root)


def _create_from_form(ci: CiService, name: str) -> None:
    agent: dict[str, t.Any] = {
        "name": name,
        "nodeDescription": "",
        "numExecutors": "1",
        "remoteFS": "",
        "labelString": "",
        "mode": "NORMAL",
        "type": "hudson.slaves.DumbSlave",
        "launcher": {"stapler-class": "hudson.slaves.JNLPLauncher"},
        "retentionStrategy": {"stapler-class": "hudson.slaves.RetentionStrategy$Always"},
        "nodeProperties": {"stapler-class-bag": "true"},
    }
    form = {"name": name, "type": agent["type"], "json": json.dumps(agent)}
    ci.post("/computer/doCreateItem", form=form, accept=(302,))


def replace(ci: CiService, name: str, root: ET.Element) -> None:
    """Replace the configuration of an agent, which also renames it."""
    is_renamed = root.findtext("name") != name
    stored.write(ci, node_path(name), root, policy=WRITE if is_renamed else IDEMPOTENT)


def delete(ci: CiService, name: str) -> None:
    """Delete an agent."""
    ci.post(f"{node_path(name)}/doDelete", accept=(302,))


def probe_create_permission(ci: CiService) -> None:
    """Read a page that requires the permission to create agents."""
    ci.http.read("GET", "/computer/new")
