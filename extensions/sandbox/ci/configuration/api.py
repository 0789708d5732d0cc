# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The requests of the Configuration as Code plugin."""

from __future__ import annotations

import html
import json

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import ADMINISTER, MANAGE, SYSTEM_READ, Permission
from ..call import Call
from ..http import error_pages, pages
from ..http.refusals import EngineError, InternalError, NotFound
from ..scripts.known_scripts import Arguments, ScriptError, known_script
from . import configuration
from .documents import ConfiguratorError, Unparsable

PATH = "/configuration-as-code"
TOKEN = "configuration_reload_token"
CHECK = "check_configuration"
JSON = "application/json;charset=utf-8"
_URLS = ("http://", "https://", "file:")
_OLD_CHOICE = "plugin.isSupportedURI(name) ? [name]"


def _enter(call: Call, permission: Permission, post: bool = True) -> None:
    """Refuse a request if the plugin is missing, or the account lacks the permission."""
    if not call.plugins.have(configuration.PLUGIN):
        raise NotFound
    if post:
        call.require_post()
    if not call.principal.may(permission):
        raise EngineError(403)


def _body(call: Call) -> str:
    return call.body.decode("utf-8", "replace")


def _problem(message: str, status: int = 400) -> Response:
    content = json.dumps([{"line": -1, "message": message}], separators=(",", ":"), ensure_ascii=False)
    return Response(content.encode(), status, {"Content-Type": JSON})


def _check(call: Call) -> Response:
    _enter(call, ADMINISTER)
    call.enter(CHECK, reads=not configuration.has_users(_body(call)))
    try:
        configuration.check(call.controller, _body(call), f"{PATH}/check")
    except ConfiguratorError as error:
        response = _problem(str(error))
        response.headers["Content-Type"] = "application/json"
        return response
    return Response(b"[]", headers={"Content-Type": "application/json"})


def _apply(call: Call) -> Response:
    _enter(call, ADMINISTER)
    try:
        configuration.apply(call.controller, _body(call), f"{PATH}/apply")
    except ConfiguratorError:
        return _internal_error(call)
    return Response()


def _internal_error(call: Call) -> Response:
    """Return the page of an internal error. Raised as an exception, it would undo what was written before."""
    return error_pages.to_response(InternalError(), call)


def _configure(call: Call) -> Response:
    _enter(call, ADMINISTER)
    if not call.body:
        return _problem("Request body cannot be empty.")
    try:
        configuration.apply(call.controller, _body(call), f"{PATH}/configure")
    except ConfiguratorError as error:
        return _problem(str(error))
    return pages.plain_text("Configuration successfully applied.")


def _export(call: Call) -> Response:
    _enter(call, SYSTEM_READ)
    headers = {
        "Content-Type": "application/x-yaml; charset=utf-8",
        "Content-Disposition": "attachment; filename=jenkins.yaml",
    }
    return Response(configuration.export(call.controller).encode(), headers=headers)


def _view_export(call: Call) -> Response:
    _enter(call, SYSTEM_READ)
    text = html.escape(configuration.export(call.controller))
    return call.page("Export configuration - Manage Jenkins - Jenkins", f"<pre>{text}</pre>")


def _schema(call: Call) -> Response:
    _enter(call, SYSTEM_READ, post=False)
    return Response(
        json.dumps(configuration.schema(call.controller), indent=4).encode(), headers={"Content-Type": JSON}
    )


def _reference(call: Call) -> Response:
    _enter(call, SYSTEM_READ, post=False)
    return call.page("Reference - Jenkins", "<p>The entry should look something like the following:</p>")


def _page(call: Call) -> Response:
    _enter(call, SYSTEM_READ, post=False)
    return call.page("Configuration as Code - Manage Jenkins - Jenkins", "<h1>Configuration as Code</h1>")


def _reload(call: Call) -> Response:
    _enter(call, MANAGE)
    return _load_sources(call)


def _load_sources(call: Call) -> Response:
    """Apply the sources. An error is shown on a page with status 200."""
    try:
        configuration.apply(call.controller, None, "")
    except Unparsable:
        return _internal_error(call)
    except ConfiguratorError as error:
        text = html.escape(str(error))
        return call.page("Error loading configuration - Jenkins", f"<h1>Error loading configuration</h1><p>{text}</p>")
    return pages.redirect(f"{call.context}{PATH}/")


def _check_new_source(call: Call) -> Response:
    """Check the path of a source, as the form on the page of the plugin does."""
    _enter(call, ADMINISTER)
    name = call.parameter("newSource") or ""
    if name and name not in configuration.list_sources(call.controller):
        text = "Configuration cannot be applied. File or URL cannot be parsed or do not exist."
        return Response(f"<div class=error>{text}</div>", headers={"Content-Type": "text/html;charset=utf-8"})
    return Response("<div/>", headers={"Content-Type": "text/html;charset=utf-8"})


def _replace(call: Call) -> Response:
    _enter(call, ADMINISTER)
    name = call.parameter("_.newSource") or ""
    sources = configuration.list_sources(call.controller)
    if name and name not in sources:
        return call.page("Error loading configuration - Jenkins", "<h1>Error loading configuration</h1>")
    return _load_sources(call)


def _reload_by_token(call: Call) -> Response:
    token = call.storage.setting(TOKEN)
    if not call.plugins.have(configuration.PLUGIN) or not token:
        raise NotFound
    call.require_post()
    if call.parameter("casc-reload-token") != token:
        raise EngineError(401)
    try:
        configuration.apply(call.controller, None, "")
    except Unparsable:
        return _internal_error(call)
    except ConfiguratorError as error:
        message = f"Failed to reload configuration: {error}"
        content = json.dumps({"status": "error", "message": message}, separators=(",", ":"), ensure_ascii=False)
        return Response(content.encode(), headers={"Content-Type": JSON})
    return Response()


@known_script("list the members that configuration sources set", read_only=True)
def _list_sources(call: Call, _arguments: Arguments) -> list[dict[str, object]]:
    server = call.controller
    if not call.plugins.have(configuration.PLUGIN):
        return []
    # the script of earlier releases of the collection
    has_old_choice = _OLD_CHOICE in (call.parameter("script") or "") and configuration.is_extensible(server)
    if has_old_choice and not all(name.startswith(_URLS) for name in configuration.list_sources(server)):
        raise ScriptError("URI is not absolute", "java.lang.IllegalArgumentException")
    return configuration.describe_sources(server)


@known_script("find unknown variables and user properties", read_only=True)
def _find_unresolved(call: Call, args: Arguments) -> dict[str, list[str]]:
    if not call.plugins.have(configuration.PLUGIN):
        raise ScriptError("io.jenkins.plugins.casc.ConfiguratorRegistry", "java.lang.ClassNotFoundException")
    return configuration.find_unresolved(call.controller, args["variables"], args["properties"])


ROUTES = (
    Route(ANY, f"{PATH}/check", _check, CHECK),
    Route(ANY, f"{PATH}/apply", _apply, "apply_configuration"),
    Route(ANY, f"{PATH}/configure", _configure, "apply_configuration"),
    Route(ANY, f"{PATH}/export", _export, "export_configuration", read_only=True),
    Route(ANY, f"{PATH}/viewExport", _view_export, "export_configuration", read_only=True),
    Route(ANY, f"{PATH}/schema", _schema, "configuration_schema", read_only=True),
    Route(ANY, f"{PATH}/reference", _reference, "configuration_schema", read_only=True),
    Route(ANY, f"{PATH}/reload", _reload, "reload_configuration"),
    Route(ANY, f"{PATH}/checkNewSource", _check_new_source, "check_configuration_source", read_only=True),
    Route(ANY, f"{PATH}/replace", _replace, "reload_configuration"),
    Route(ANY, f"{PATH}{{:/?}}", _page, "configuration_page", read_only=True),
    Route(ANY, "/reload-configuration-as-code{:/?}", _reload_by_token, "reload_configuration", scope="open"),
)
