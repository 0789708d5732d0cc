# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests for nodes of Jenkins and their responses, recorded from Jenkins 2.579."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from support.ci_server import BUILD
from support.conversation import Call, call

STATE = (
    "description,displayName,idle,numExecutors,offline,offlineCauseReason,temporarilyOffline,assignedLabels[name],"
    f"executors[{BUILD},idle],oneOffExecutors[{BUILD},idle]"
)
AGENT_CLASS = "hudson.slaves.SlaveComputer"
BUILT_IN_CLASS = "hudson.model.Hudson$MasterComputer"
BUILT_IN = "/computer/(master)"
INBOUND = """\
  <launcher class="hudson.slaves.JNLPLauncher">
    <workDirSettings>
      <disabled>false</disabled>
      <internalDir>remoting</internalDir>
      <failIfWorkDirIsMissing>false</failIfWorkDirIsMissing>
    </workDirSettings>
    <webSocket>false</webSocket>
  </launcher>
"""
SECRET = "9d508414d22eb668b962c47f3a08c75410befb3320cd9990758b6386d16ac3ee"
SENT_XML = {"Content-Type": "application/xml; charset=utf-8"}


def config(  # noqa: PLR0913
    name: str = "n1",
    *,
    description: str = "",
    remote: str = "/srv",
    executors: int = 1,
    mode: str = "NORMAL",
    launcher: str = INBOUND,
    retention: str = '  <retentionStrategy class="hudson.slaves.RetentionStrategy$Always"/>\n',
    label: str = "",
    properties: str = "  <nodeProperties/>\n",
    cause: str = "",
) -> str:
    """Return the configuration of an agent as Jenkins stores it."""
    return (
        '<?xml version="1.1" encoding="UTF-8"?>\n'
        f"<slave>\n{cause}  <name>{name}</name>\n  <description>{description}</description>\n"
        f"  <remoteFS>{remote}</remoteFS>\n  <numExecutors>{executors}</numExecutors>\n  <mode>{mode}</mode>\n"
        f"{retention}{launcher}  <label>{label}</label>\n{properties}</slave>"
    )


def read(name: str = "n1", **members: Any) -> Call:
    """Return the read of a configuration."""
    return call("GET", f"/computer/{name}/config.xml", text=config(name, **members), headers={"X-Jenkins": "2.579"})


def missing(name: str = "n1") -> Call:
    """Return the read of the configuration of a missing agent."""
    return call("GET", f"/computer/{name}/config.xml", 404)


def written(name: str = "n1", status: int = 200, *, body: str | None = None, **members: Any) -> Call:
    """Return the write of a configuration."""
    expected = config(name, **members) if body is None else body
    sent = {"sent_body": without_blanks(expected), "sent_headers": SENT_XML}
    return call("POST", f"/computer/{name}/config.xml", status, **sent)


def created(name: str = "n1", status: int = 200, **members: Any) -> Call:
    """Return the creation of an agent."""
    sent = {"sent_body": without_blanks(config(name, **members)), "sent_headers": SENT_XML}
    return call("POST", f"/computer/createItem?name={name}", status, **sent)


def without_blanks(text: str) -> bytes:
    """Return a document as the modules write it, with empty elements instead of end tags."""
    for tag in ("description", "label", "name"):
        text = text.replace(f"<{tag}></{tag}>", f"<{tag}/>")
    return text.encode()


def computer(name: str = "n1", **members: Any) -> dict[str, Any]:
    """Return the state of a node."""
    is_built_in = name == "built-in"
    executors = members.pop("executors", [{"currentExecutable": None, "idle": True}])
    state = {
        "_class": BUILT_IN_CLASS if is_built_in else AGENT_CLASS,
        "assignedLabels": [{"name": name}],
        "description": "",
        "displayName": "Built-In Node" if is_built_in else name,
        "executors": executors,
        "idle": not any(not executor["idle"] for executor in executors),
        "numExecutors": len(executors),
        "offline": False,
        "offlineCauseReason": "",
        "oneOffExecutors": [],
        "temporarilyOffline": False,
    }
    return {**state, **members}


def offline(name: str = "n1", reason: str = "", **members: Any) -> dict[str, Any]:
    """Return the state of a node that a user has taken offline."""
    return computer(name, offline=True, temporarilyOffline=True, offlineCauseReason=reason, **members)


def state(node: dict[str, Any] | None, path: str = "/computer/n1") -> Call:
    """Return the read of the state of a node."""
    target = f"{path}/api/json?tree={quote(STATE, safe='')}"
    return call("GET", target, 404) if node is None else call("GET", target, json=node)


def states(*nodes: dict[str, Any]) -> Call:
    """Return the read of the states of all nodes."""
    answer = {"_class": "hudson.model.ComputerSet", "computer": nodes}
    return call("GET", f"/computer/api/json?tree={quote(f'computer[{STATE}]', safe='')}", json=answer)


def connection(name: str = "n1", secret: str = SECRET) -> Call:
    """Return the arguments of the program that connects an agent."""
    arguments = (secret, name, "-workDir", "/srv", "-internalDir", "remoting", "-url", "http://ci.example.com/")
    content = "".join(f"<argument>{argument}</argument>" for argument in arguments)
    text = f"<jnlp><application-desc>{content}</application-desc></jnlp>"
    return call("GET", f"/computer/{name}/jenkins-agent.jnlp", text=text)


def plugins(*names: str, active: bool = True) -> Call:
    """Return the list of plugins."""
    listed = [{"shortName": name, "active": active} for name in names]
    return call("GET", "/pluginManager/api/json?tree=plugins%5Bactive%2CshortName%5D", json={"plugins": listed})
