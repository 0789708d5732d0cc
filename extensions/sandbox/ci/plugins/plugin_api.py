# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin manager on the wire: lists, changes and pages."""

from __future__ import annotations

import html

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import ADMINISTER
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import NotFound
from ..remote_api.api import API, serve
from ..remote_api.beans import Bean, Property
from . import plugin_beans
from .installed_plugins import Row


def _find_plugin(call: Call, name: str) -> Row:
    found = call.plugins.find(name)
    if not found:
        raise NotFound
    return found


def _show_all(call: Call, form: str) -> Answer:
    call.require_reading()
    plugins = Property(
        "plugins", lambda: [plugin_beans.installed_bean(call, row) for row in call.plugins.list_loaded()]
    )
    return serve(call, Bean("hudson.LocalPluginManager", plugins), form)


def _show(call: Call, name: str, form: str) -> Answer:
    call.require_reading()
    bean = plugin_beans.installed_bean(call, _find_plugin(call, name))
    return serve(call, bean, form)


def _change(call: Call, name: str, **members: object) -> None:
    row = _find_plugin(call, name)
    call.require_post()
    call.require(ADMINISTER)
    call.plugins.change(name, active=row.get("active", True), **members)


def _enable(call: Call, name: str) -> Response:
    _change(call, name, enabled=True)
    return Response()


def _disable(call: Call, name: str) -> Response:
    _change(call, name, enabled=False)
    return Response()


def _pin(call: Call, name: str) -> Response:
    """Accept pinning, which has no effect in current Jenkins."""
    _change(call, name)
    return Response()


def _uninstall(call: Call, name: str) -> Response:
    _change(call, name, deleted=True, file=None)
    return pages.redirect(f"{call.context}/manage/pluginManager/installed")


def _site_errors(call: Call) -> str:
    error = call.update_site.error
    return (
        f'<div class="error">There were errors checking the update sites: {html.escape(error)}</div>' if error else ""
    )


def _page(call: Call) -> Response:
    call.require_reading()
    return call.page("Plugins - Jenkins", f"<h1>Plugins</h1>{_site_errors(call)}")


def _show_failed(call: Call) -> Response:
    """Return the page with plugins that failed to load, which the remote API does not list."""
    call.require_reading()
    failed = "".join(
        f"<div class='alert alert-danger'><h4>{html.escape(name)}</h4><pre>{html.escape(reason)}</pre></div>"
        for name, reason in call.plugins.list_failed().items()
    )
    return call.page("Installed plugins - Jenkins", f"<h1>Installed plugins</h1>{failed}")


PLUGIN = "/pluginManager/plugin/{name}"

ROUTES = (
    Route(ANY, "/pluginManager" + API, _show_all, "plugins", read_only=True),
    Route(ANY, PLUGIN + API, _show, "plugin", read_only=True),
    Route(ANY, PLUGIN + "/makeEnabled", _enable, "enable_plugin"),
    Route(ANY, PLUGIN + "/makeDisabled", _disable, "disable_plugin"),
    Route(ANY, PLUGIN + "/pin", _pin, "pin_plugin"),
    Route(ANY, PLUGIN + "/doUninstall", _uninstall, "uninstall_plugin"),
    Route(
        ANY, "/{:(?:manage/)?}pluginManager/{:(?:available|updates/|advanced)?}", _page, "plugins_page", read_only=True
    ),
    Route(ANY, "/{:(?:manage/)?}pluginManager/installed", _show_failed, "plugins_page", read_only=True),
)
