# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Endpoints that install plugins, and update site settings of the plugin manager."""

from __future__ import annotations

import json
import re
from typing import Any
from xml.etree import ElementTree

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.documents import parse_json, parse_xml
from ..access.permissions import ADMINISTER
from ..call import Call
from ..http import pages
from ..http.refusals import Failure, InternalError
from . import archive
from .installations import NoSuchPlugin
from .update_center import check_response, ok_response
from .versions import is_older

CHOSEN = re.compile(r"plugin\.(.+)")


def _to_updates(call: Call) -> Response:
    return pages.redirect(f"{call.context}/pluginManager/updates/")


def _require_administrator(call: Call) -> None:
    call.require_post()
    call.require(ADMINISTER)


def _install_plugins(call: Call) -> Response:
    _require_administrator(call)
    try:
        document = parse_json(call.body)
        names, dynamic = [_to_text(name) for name in document["plugins"]], bool(document["dynamicLoad"])
    except (ValueError, KeyError, TypeError):
        raise InternalError from None
    available = [name for name in names if name in call.update_site.offers()]
    refused = next((name for name in names if name not in available), None)
    try:
        return ok_response({"correlationId": call.installations.install(names, dynamic, call.now)})
    except NoSuchPlugin:
        name, dot, elsewhere = str(refused).partition(".")
        message = f"No such update center: {elsewhere}" if dot else f"No such plugin: {name}"
        return Response(json.dumps({"status": "error", "message": message}), media_type="application/json")


def _to_text(name: Any) -> str:
    return name if isinstance(name, str) else json.dumps(name)


def _install_chosen(call: Call) -> Response:
    """Install the plugins of a form with fields `plugin.NAME.SITE`, whatever their values."""
    _require_administrator(call)
    dynamic = call.parameter("dynamicLoad") is not None
    for chosen in filter(None, map(CHOSEN.fullmatch, call.parameter_names())):
        name, _dot, elsewhere = chosen[1].partition(".")
        if elsewhere != "default" or name not in call.update_site.offers():
            raise Failure(f"No such plugin: {chosen[1]}")
        call.installations.install([name], dynamic, call.now, batch=False)
    return _to_updates(call)


def _read_versions(call: Call) -> dict[str, str]:
    """Return versions by name from all attributes `plugin="NAME@VERSION"` of a document."""
    try:
        root = parse_xml(call.body)
        named = [element.get("plugin") for element in root.iter() if element.get("plugin")]
        return dict(str(text).split("@", 1) for text in named)
    except (ElementTree.ParseError, ValueError):
        raise InternalError from None


def _install_necessary(call: Call) -> Response:
    _require_administrator(call)
    for requirement in _find_unsatisfied(call):
        offer = call.update_site.offers().get(requirement["name"])
        if offer and (requirement["version"] == "latest" or not is_older(offer["version"], requirement["version"])):
            call.installations.install([requirement["name"]], True, call.now, batch=False)
    return _to_updates(call)


def _prevalidate(call: Call) -> Response:
    _require_administrator(call)
    return Response(json.dumps(_find_unsatisfied(call)), media_type="application/json")


def _find_unsatisfied(call: Call) -> list[dict[str, Any]]:
    requirements = []
    for name, version in _read_versions(call).items():
        row = call.plugins.find(name)
        if not row:
            requirements.append({"name": name, "version": version, "mode": "missing"})
        elif version != "latest" and is_older(row["version"], version):
            requirements.append({"name": name, "version": version, "mode": "old"})
    return requirements


async def _upload(call: Call) -> Response:
    """Install an upload: two parts in this order with any names, a file and a URL."""
    _require_administrator(call)
    if len(call.parts) < 2:
        raise InternalError
    file, address = call.parts[:2]
    url = address.text().strip()
    if url:
        manifest = call.update_site.download(url)
        if not manifest:
            raise InternalError
    else:
        file_name = file.file_name or ""
        if not file_name.endswith((".hpi", ".jpi")):
            raise Failure(f"{file_name} is not a Jenkins plugin")
        try:
            manifest = await run_in_threadpool(archive.read_manifest, file.file)
        except ValueError:
            raise InternalError from None
    with call.controller.runtime.transaction():
        call.installations.upload(manifest, call.now)
        call.scheduler.settle(call.now)
    return _to_updates(call)


def _configure_site(call: Call) -> Response:
    _require_administrator(call)
    call.update_site.configure(call.parameter("site") or "")
    return pages.redirect(f"{call.context}/pluginManager/advanced")


def _check_updates(call: Call) -> Response:
    """Refresh the metadata of the update site. The response does not depend on the result."""
    call.require_post()
    call.require_reading()
    call.update_site.refresh(call.now)
    return pages.redirect(call.headers.get("Referer") or f"{call.context}/pluginManager/")


def _check_site(call: Call) -> Response:
    _require_administrator(call)
    unreachable = call.update_site.problem(call.parameter("value") or "")
    return check_response("Unable to connect to the URL." if unreachable else None)


ROUTES = (
    Route(ANY, "/pluginManager/installPlugins", _install_plugins, "install_plugins"),
    Route(ANY, "/pluginManager/install", _install_chosen, "install_plugins"),
    Route(ANY, "/pluginManager/installNecessaryPlugins", _install_necessary, "install_plugins"),
    Route(ANY, "/pluginManager/prevalidateConfig", _prevalidate, "prevalidate_plugins", read_only=True),
    Route(ANY, "/pluginManager/uploadPlugin", _upload, "upload_plugin"),
    Route(ANY, "/pluginManager/siteConfigure", _configure_site, "configure_update_site"),
    Route(ANY, "/pluginManager/checkUpdatesServer", _check_updates, "refresh_metadata"),
    Route(ANY, "/pluginManager/checkUpdateSiteUrl", _check_site, "update_site", read_only=True),
)
