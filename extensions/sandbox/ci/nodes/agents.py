# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating, configuring, disconnecting and deleting nodes. Agents of the sandbox never connect by themselves."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.documents import parse_json
from ...parsing.integers import parse_integer
from ..access.permissions import (
    ADMINISTER,
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
from ..scripts.known_scripts import Arguments, ScriptError, known_script
from . import computers, stored_nodes
from .stored_nodes import Node

KINDS = ("hudson.slaves.DumbSlave", "hudson.slaves.DumbSlave$DescriptorImpl")
AGENT = "/computer/{name}"
XML_TYPES = ("application/xml", "text/xml")
MODES = ("NORMAL", "EXCLUSIVE")
ENVIRONMENT = (
    "<hudson.slaves.EnvironmentVariablesNodeProperty>"
    '<envVars serialization="custom"><unserializable-parents/><tree-map>'
    '<default><comparator class="java.lang.String$CaseInsensitiveComparator"/></default>'
    "<int>{count}</int>{strings}</tree-map></envVars>"
    "</hudson.slaves.EnvironmentVariablesNodeProperty>"
)
TOOLS = "hudson.tools.ToolLocationNodeProperty"
TOOL = "hudson.tools.ToolLocationNodeProperty_-ToolLocation"
# Elements of the configuration by member of the form
FORM = {"nodeDescription": "description", "remoteFS": "remoteFS", "mode": "mode", "labelString": "label"}


def _find_changeable_agent(call: Call, name: str, permission: Permission) -> Node:
    """Return the agent that a POST changes. The built-in node cannot be changed in this way."""
    found = _find_agent(call, name)
    call.require_post()
    call.require(permission)
    return found


def _find_agent(call: Call, name: str) -> Node:
    if name in computers.CONTROLLER:
        raise EngineError(400)
    found = computers.find_agent(call, name)
    if not found:
        raise NotFound
    return found


def _create(call: Call) -> Response:
    """Create an agent from a form."""
    name = _check_new_name(call, "Agent called")
    if call.parameter("json") is None:
        raise EngineError(400, "This page expects a form submission")
    if call.parameter("type") not in KINDS:
        raise InternalError
    config = _read_submission(call, name, call.parameter("json") or "")
    stored_nodes.put_node(call.storage, Node(name, config))
    return pages.redirect(call.current_folder_path)


def _create_from_configuration(call: Call) -> Response:
    """Create an agent from XML or as a copy."""
    is_xml = call.content_type in XML_TYPES
    name = _check_new_name(call, "Node" if is_xml else "Agent called", mode=is_xml or call.parameter("mode"))
    if is_xml:
        stored_nodes.put_node(call.storage, Node(name, _load_configuration(call, name)[1]))
        return Response()
    if call.parameter("mode") != "copy":
        raise Failure("No mode given")
    source = call.parameter("from") or ""
    original = stored_nodes.find_node(call.storage, source)
    if not original:
        raise Failure(f"No such agent: {source}")
    copy = stored_nodes.set_cause(stored_nodes.set_text(original, "name", name), None)
    stored_nodes.put_node(call.storage, replace(copy, name=name, connected=False))
    return pages.redirect(f"{call.context}/computer/{name}/configure")


def _check_new_name(call: Call, subject: str, mode: str | bool | None = True) -> str:
    call.require_post()
    call.require(AGENT_CREATE)
    if not mode:
        raise Failure("No mode given")
    if call.parameter("name") is None:
        raise Failure("Query parameter 'name' is required")
    name = config_api.check_item_name(call.parameter("name") or "")
    if stored_nodes.find_node(call.storage, name):
        raise Failure(f"{subject} \u2018{name}\u2019 already exists")
    return name


def _read_submission(call: Call, name: str, text: str) -> str:
    try:
        form = parse_json(text)
        texts = {tag: str(form.get(member) or "") for member, tag in FORM.items()}
        fields = {"name": name, **texts, "mode": texts["mode"] or "NORMAL"}
        fields["numExecutors"] = str(_parse_executors(str(form.get("numExecutors", 1))))
        objects = (
            _read_object("retentionStrategy", form.get("retentionStrategy", {}), stored_nodes.ALWAYS_ONLINE),
            _read_object("launcher", form.get("launcher", {}), stored_nodes.INBOUND),
            _read_properties(form.get("nodeProperties", {})),
        )
    except (ValueError, TypeError, AttributeError, KeyError):
        raise InternalError from None
    return stored_nodes.build_configuration(call.controller.create_writer(), fields, "".join(objects))


def _read_object(tag: str, form: dict[str, Any], default: str) -> str:
    """Return an object of a form as XML. Its members have the names of the elements."""
    class_name = form.get("stapler-class", default)
    if class_name == stored_nodes.INBOUND:
        return stored_nodes.INBOUND_LAUNCHER
    members = {name: value for name, value in form.items() if isinstance(value, (str, int)) and name.isalnum()}
    return f'<{tag} class="{escape(class_name)}">{stored_nodes.write_texts(members)}</{tag}>'


def _read_properties(form: dict[str, Any]) -> str:
    """Return the environment variables and tools of a form as XML."""
    variables = form.get("hudson-slaves-EnvironmentVariablesNodeProperty", {}).get("env", [])
    tools = form.get("hudson-tools-ToolLocationNodeProperty", {}).get("locations", [])
    strings = "".join(
        f"<string>{escape(variable['key'])}</string><string>{escape(variable['value'])}</string>"
        for variable in sorted(variables, key=lambda variable: variable["key"].lower())
    )
    locations = ""
    for tool in tools:
        kind, _at, name = tool["key"].partition("@")
        texts = stored_nodes.write_texts({"type": kind, "name": name, "home": tool["home"]})
        locations += f"<{TOOL}>{texts}</{TOOL}>"
    environment = ENVIRONMENT.format(count=len(variables), strings=strings) if variables else ""
    located = f"<{TOOLS}><locations>{locations}</locations></{TOOLS}>" if tools else ""
    return f"<nodeProperties>{environment}{located}</nodeProperties>"


def _parse_executors(text: str) -> int:
    count = parse_integer(text.strip())
    if count > stored_nodes.MAX_EXECUTORS:
        raise _too_many_executors()
    return count


def _too_many_executors() -> EngineError:
    return EngineError(400, f"The sandbox has at most {stored_nodes.MAX_EXECUTORS} executors on an agent.")


def _load_configuration(call: Call, name: str | None = None) -> tuple[str, str]:
    try:
        text = call.body.decode("utf-8", "replace")
        return stored_nodes.load_configuration(text, call.controller.create_writer(), name)
    except stored_nodes.UnsupportedExecutors:
        raise _too_many_executors() from None
    except ValueError:
        raise InternalError from None


def _config(call: Call, name: str) -> Response:
    found = _find_agent(call, name)
    call.require(AGENT_CONFIGURE)
    if call.method in ("GET", "HEAD"):
        return Response(found.config.encode(), headers={"Content-Type": "application/xml"})
    if call.method != "POST":
        raise EngineError(400)
    new_name, config = _load_configuration(call)
    renamed = replace(found, name=new_name or name, config=config, exported=None)
    stored_nodes.put_node(call.storage, renamed, previous_name=name)
    if renamed.name != name:
        call.scheduler.abort_builds(name, call.now)
    return Response()


def _toggle_offline(call: Call, name: str) -> Response:
    """Take a node offline, or back online, which requires another permission."""
    node = _find_node(call, name)
    call.require_post()
    call.require(AGENT_DISCONNECT if node.cause is None else AGENT_CONNECT)
    is_online = node.cause is None
    cause = stored_nodes.build_cause(call.principal.name, call.parameter("offlineMessage"), call.now)
    _put_node(call, stored_nodes.set_cause(node, cause if is_online else None))
    return pages.redirect(call.current_folder_path)


def _change_offline_cause(call: Call, name: str) -> Response:
    """Take a node offline, or change the reason of one that is offline."""
    node = _find_node(call, name)
    call.require_post()
    call.require(AGENT_DISCONNECT)
    cause = stored_nodes.build_cause(call.principal.name, call.parameter("offlineMessage"), call.now)
    _put_node(call, stored_nodes.set_cause(node, cause))
    return pages.redirect(call.current_folder_path)


def _find_node(call: Call, name: str) -> Node:
    return stored_nodes.find_built_in(call.storage) if name in computers.CONTROLLER else _find_agent(call, name)


def _put_node(call: Call, node: Node) -> None:
    if node.name:
        stored_nodes.put_node(call.storage, node)
    else:
        stored_nodes.put_built_in(call.storage, node)


def _disconnect(call: Call, name: str) -> Response:
    found = _find_changeable_agent(call, name, AGENT_DISCONNECT)
    stored_nodes.put_node(call.storage, replace(found, connected=False))
    call.scheduler.abort_builds(name, call.now)
    return pages.redirect(call.current_folder_path)


def _launch(call: Call, name: str) -> Response:
    """Do not launch: inbound agents connect by themselves, and the sandbox has no hosts for others."""
    _find_changeable_agent(call, name, AGENT_CONNECT)
    return pages.redirect(f"{call.current_folder_path}log")


def _connection(call: Call, name: str) -> Response:
    """Return the arguments of the program that connects an agent, the first of which is the secret."""
    found = _find_agent(call, name)
    call.require(AGENT_CONNECT)
    launcher = found.root.find("launcher")
    is_inbound = launcher is not None and launcher.get("class") == stored_nodes.INBOUND
    settings = {} if launcher is None or not is_inbound else {element.tag: element for element in launcher.iter()}

    def text(tag: str) -> str:
        return (settings[tag].text or "") if tag in settings else ""

    arguments = [_build_secret(call, name), name]
    arguments += ["-tunnel", text("tunnel")] if text("tunnel") else []
    arguments += ["-webSocket"] if text("webSocket") == "true" else []
    if is_inbound and text("disabled") != "true":
        arguments += ["-workDir", text("workDirPath") or found.text("remoteFS"), "-internalDir", text("internalDir")]
        arguments += ["-failIfWorkDirIsMissing"] if text("failIfWorkDirIsMissing") == "true" else []
    arguments += ["-url", call.configured_root]
    content = "".join(f"<argument>{escape(argument)}</argument>" for argument in arguments)
    body = f"<jnlp><application-desc>{content}</application-desc></jnlp>"
    return Response(body.encode(), headers={"Content-Type": "application/x-java-jnlp-file"})


def _build_secret(call: Call, name: str) -> str:
    """Return the secret of an agent, which depends on its name and on a key of the server."""
    return hmac.new(call.storage.setting("crumb_salt").encode(), name.encode(), hashlib.sha256).hexdigest()


def _delete(call: Call, name: str) -> Response:
    _find_changeable_agent(call, name, AGENT_DELETE)
    stored_nodes.delete_node(call.storage, name)
    call.scheduler.abort_builds(name, call.now)
    return pages.redirect(f"{call.context}/computer/")


def _submit_built_in(call: Call) -> Response:
    """Configure the built-in node with a form, which resets what it does not contain."""
    call.require_post()
    call.require(ADMINISTER)
    if call.parameter("json") is None:
        raise EngineError(400, "This page expects a form submission")
    try:
        form = parse_json(call.parameter("json") or "")
        executors = _parse_executors(str(form["numExecutors"]))
        values = {"mode": str(form.get("mode", "NORMAL")), "label": str(form.get("labelString", ""))}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InternalError from None
    _configure_built_in(call, {"numExecutors": str(executors), **values})
    return pages.redirect(call.current_folder_path)


@known_script("configure the built-in node")
def _run_configuration(call: Call, args: Arguments) -> None:
    executors = args.get("executors")
    if executors is not None and executors < 0:
        raise ScriptError("Argument must be non-negative", "java.lang.IllegalArgumentException")
    values = {"numExecutors": executors, "mode": args.get("mode"), "label": args.get("labels")}
    _configure_built_in(call, {tag: str(value) for tag, value in values.items() if value is not None})


def _configure_built_in(call: Call, values: dict[str, str]) -> None:
    node = stored_nodes.find_built_in(call.storage)
    for tag, text in values.items():
        node = stored_nodes.set_text(node, tag, text)
    stored_nodes.put_built_in(call.storage, node)


def _new(call: Call) -> Response:
    """Return the form for a new agent, which clients use to probe the permission."""
    call.require(AGENT_CREATE)
    return call.page("New node - Jenkins", "<h1>New node</h1>")


def _page(call: Call, name: str) -> Response:
    return call.page(f"{_find_agent(call, name).name} - Jenkins", "<h1>Agent</h1>")


def _page_without_slash(call: Call, name: str) -> Response:
    _find_agent(call, name)
    return pages.redirect(call.with_slash)


ROUTES = (
    Route(ANY, "/computer/new", _new, "nodes", read_only=True),
    Route(ANY, "/computer/doCreateItem", _create, "create_node"),
    Route(ANY, "/computer/createItem", _create_from_configuration, "create_node"),
    Route(ANY, computers.BUILT_IN + "/configSubmit", _submit_built_in, "node_config"),
    Route(ANY, AGENT + "/config.xml", _config, "node_config"),
    Route(ANY, AGENT + "/toggleOffline", _toggle_offline, "toggle_node"),
    Route(ANY, AGENT + "/changeOfflineCause", _change_offline_cause, "toggle_node"),
    Route(ANY, AGENT + "/doDisconnect", _disconnect, "toggle_node"),
    Route(ANY, AGENT + "/launchSlaveAgent", _launch, "launch_node"),
    Route(ANY, AGENT + "/jenkins-agent.jnlp", _connection, "node_secret", read_only=True),
    Route(ANY, AGENT + "/doDelete", _delete, "delete_node"),
)

# After the routes of the built-in node
PAGES = (
    Route(ANY, AGENT + "/", _page, "node", read_only=True),
    Route(ANY, AGENT, _page_without_slash, "node", read_only=True),
)
