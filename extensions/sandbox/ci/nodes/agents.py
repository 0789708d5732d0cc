# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating, configuring, disconnecting and deleting agents. Agents of the sandbox never connect."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.documents import parse_json
from ...parsing.integers import parse_integer
from ..access.permissions import (
    AGENT_CONFIGURE,
    AGENT_CONNECT,
    AGENT_CREATE,
    AGENT_DELETE,
    AGENT_DISCONNECT,
    Permission,
)
from ..call import Call
from ..http import pages
from ..http.refusals import EngineError, Failure, InternalError, NotFound
from ..jobs import config_api
from ..xml import document
from . import computers

KINDS = ("hudson.slaves.DumbSlave", "hudson.slaves.DumbSlave$DescriptorImpl")
AGENT = "/computer/{name}"
MAX_EXECUTORS = 1000  # because each one is listed
# Element names in the configuration by field of an agent
TEXTS = {"description": "description", "remoteFS": "remote_fs", "mode": "mode", "label": "label"}


def _other_agents(call: Call, agent: dict[str, Any]) -> list[dict[str, Any]]:
    return [other for other in call.storage.setting("agents", []) if other["name"] != agent["name"]]


def _put(call: Call, agent: dict[str, Any]) -> None:
    call.storage.set("agents", [*_other_agents(call, agent), agent])


def _find_changeable_agent(call: Call, name: str, permission: Permission) -> dict[str, Any]:
    """Return the agent that a POST changes. The built-in node cannot be changed."""
    found = _find_agent(call, name)
    call.require_post()
    call.require(permission)
    return found


def _find_agent(call: Call, name: str) -> dict[str, Any]:
    if name in computers.CONTROLLER:
        raise EngineError(400)
    found = computers.find_agent(call, name)
    if not found:
        raise NotFound
    return found


def _create(call: Call) -> Response:
    call.require_post()
    call.require(AGENT_CREATE)
    if call.parameter("name") is None:
        raise Failure("Query parameter 'name' is required")
    name = config_api.check_item_name(call.parameter("name") or "")
    if computers.find_agent(call, name):
        raise Failure(f"Agent called \u2018{name}\u2019 already exists")
    if call.parameter("json") is None:
        raise EngineError(400, "This page expects a form submission")
    if call.parameter("type") not in KINDS:
        raise InternalError
    _put(call, {"name": name, "offline": True, **_read_submission(call.parameter("json") or "")})
    return pages.redirect(call.current_folder_path)


def _read_submission(text: str) -> dict[str, Any]:
    try:
        form = parse_json(text)
        return {
            "description": str(form.get("nodeDescription", "")),
            "remote_fs": str(form.get("remoteFS", "")),
            "executors": _executors(str(form.get("numExecutors", 1))),
            "mode": str(form.get("mode", "NORMAL")),
            "label": str(form.get("labelString", "")),
        }
    except (ValueError, TypeError, AttributeError):
        raise InternalError from None


def _executors(text: str) -> int:
    count = parse_integer(text.strip())
    if count > MAX_EXECUTORS:
        raise EngineError(400, f"The sandbox has at most {MAX_EXECUTORS} executors on an agent.")
    return count


def _config(call: Call, name: str) -> Response:
    found = _find_agent(call, name)
    call.require(AGENT_CONFIGURE)
    if call.method in ("GET", "HEAD"):
        return Response(_write_configuration(found).encode(), headers={"Content-Type": "application/xml"})
    if call.method != "POST":
        raise EngineError(400)
    try:
        root = document.parse(call.body.decode("utf-8", "replace"))
        executors = _executors(root.findtext("numExecutors", "1"))
    except ValueError:
        raise InternalError from None
    changed = {member: root.findtext(tag, "") for tag, member in TEXTS.items()}
    _put(call, {**found, **changed, "executors": executors})
    return Response()


def _write_configuration(agent: dict[str, Any]) -> str:
    def text(name: str, default: str = "") -> str:
        return escape(str(agent.get(name, default)))

    return (
        f"{document.DECLARATION}<slave>\n"
        f"  <name>{text('name')}</name>\n"
        f"  <description>{text('description')}</description>\n"
        f"  <remoteFS>{text('remote_fs')}</remoteFS>\n"
        f"  <numExecutors>{text('executors', '1')}</numExecutors>\n"
        f"  <mode>{text('mode', 'NORMAL')}</mode>\n"
        '  <retentionStrategy class="hudson.slaves.RetentionStrategy$Always"/>\n'
        '  <launcher class="hudson.slaves.JNLPLauncher"/>\n'
        f"  <label>{text('label')}</label>\n"
        "  <nodeProperties/>\n"
        "</slave>"
    )


def _toggle_offline(call: Call, name: str) -> Response:
    found = _find_changeable_agent(call, name, AGENT_DISCONNECT)
    back = found.pop("put_offline", None) is not None
    _put(call, found if back else {**found, "put_offline": call.parameter("offlineMessage") or ""})
    return pages.redirect(call.current_folder_path)


def _change_offline_cause(call: Call, name: str) -> Response:
    found = _find_changeable_agent(call, name, AGENT_DISCONNECT)
    _put(call, {**found, "put_offline": call.parameter("offlineMessage") or ""})
    return pages.redirect(call.current_folder_path)


def _disconnect(call: Call, name: str) -> Response:
    found = _find_changeable_agent(call, name, AGENT_DISCONNECT)
    _put(call, {**found, "offline": True})
    return pages.redirect(call.current_folder_path)


def _launch(call: Call, name: str) -> Response:
    """Refuse to launch: inbound agents connect by themselves, and none does here."""
    _find_changeable_agent(call, name, AGENT_CONNECT)
    return pages.redirect(call.current_folder_path)


def _delete(call: Call, name: str) -> Response:
    found = _find_changeable_agent(call, name, AGENT_DELETE)
    call.storage.set("agents", _other_agents(call, found))
    return pages.redirect(f"{call.context}/computer/")


def _new(call: Call) -> Response:
    """Return the form for a new agent, which clients use to probe the permission."""
    call.require(AGENT_CREATE)
    return call.page("New node - Jenkins", "<h1>New node</h1>")


def _page(call: Call, name: str) -> Response:
    return call.page(f"{_find_agent(call, name)['name']} - Jenkins", "<h1>Agent</h1>")


def _page_without_slash(call: Call, name: str) -> Response:
    _find_agent(call, name)
    return pages.redirect(call.with_slash)


ROUTES = (
    Route(ANY, "/computer/new", _new, "nodes", read_only=True),
    Route(ANY, "/computer/doCreateItem", _create, "create_node"),
    Route(ANY, AGENT + "/config.xml", _config, "node_config"),
    Route(ANY, AGENT + "/toggleOffline", _toggle_offline, "toggle_node"),
    Route(ANY, AGENT + "/changeOfflineCause", _change_offline_cause, "toggle_node"),
    Route(ANY, AGENT + "/doDisconnect", _disconnect, "toggle_node"),
    Route(ANY, AGENT + "/launchSlaveAgent", _launch, "launch_node"),
    Route(ANY, AGENT + "/doDelete", _delete, "delete_node"),
)

# After the routes of the built-in node
PAGES = (
    Route(ANY, AGENT + "/", _page, "node", read_only=True),
    Route(ANY, AGENT, _page_without_slash, "node", read_only=True),
)
